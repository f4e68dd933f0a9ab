# SPDX-License-Identifier: MIT
"""The files of the terminal (docs/terminal.md): from a folder, from the program, replaced while it runs; caching,
compression and protection; paths that lead nowhere. The terminal itself is tested in tests/web."""
import contextlib
import gzip
import http.client
import os
import re
import shutil
import time

from harness import ROOT, Case, Folder, Raw, Server, main, pools

FIXTURE = os.path.join(ROOT, "tests", "e2e", "data", "terminal")
SCRIPT = "/assets/app-1a2b3c.js"
INSIDE = os.environ.get("TERMINAL_INSIDE", "")      # a program with the fixture in it


def get(port, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with contextlib.closing(connection):
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        reply = connection.getresponse()
        reply.body = reply.read()
        return reply


def text_of(path):
    with open(os.path.join(FIXTURE, path.lstrip("/")), "rb") as stream:
        return stream.read()


@contextlib.contextmanager
def serving(folder, *args, **more):
    with Server("--terminal", folder, *args, **more) as server:
        yield server.port


class Terminal(Case):
    def until(self, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), deadline, "it does not come")
            time.sleep(0.1)

    def copy(self, folder):
        place = os.path.join(folder, "terminal")
        shutil.copytree(FIXTURE, place)
        with open(place + SCRIPT, "rb") as plain, gzip.open(place + SCRIPT + ".gz", "wb") as packed:
            packed.write(plain.read())
        return place

    # ---- what is served

    def test_the_page_is_served_at_the_root_and_behind_trade(self):
        with serving(FIXTURE) as port:
            for path in ("/", "/trade/BTC-USD", "/trade/no-such-symbol", "/trade/%3Cscript%3E", "/?theme=dark"):
                reply = get(port, path)
                self.assertEqual((reply.status, reply.body), (200, text_of("index.html")), path)
                self.assertEqual(reply.headers["content-type"], "text/html; charset=utf-8")
                self.assertEqual(reply.headers["cache-control"], "no-cache")
            self.assertEqual(get(port, "/docs").body, text_of("docs.html"))
            reply = get(port, SCRIPT)
            self.assertEqual((reply.status, reply.body), (200, text_of(SCRIPT)))
            self.assertEqual(reply.headers["content-type"], "text/javascript; charset=utf-8")
            self.assertEqual(reply.headers["cache-control"], "public, max-age=31536000, immutable")

    def test_head_is_get_without_the_body(self):
        with serving(FIXTURE) as port:
            for path in ("/", SCRIPT, "/trade/BTC-USD", "/docs"):
                full, head = get(port, path), get(port, path, "HEAD")
                self.assertEqual(head.body, b"")
                self.assertEqual({k: v for k, v in head.headers.items() if k != "Date"},
                                 {k: v for k, v in full.headers.items() if k != "Date"})

    def test_other_methods_are_refused(self):
        with serving(FIXTURE) as port:
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                for path in (SCRIPT, "/trade/BTC-USD"):
                    reply = get(port, path, method)
                    self.assertEqual((reply.status, reply.headers["allow"]), (405, "GET, HEAD, OPTIONS"), method)

    def test_it_is_compressed_for_those_who_want_it(self):
        with Folder() as folder, serving(self.copy(folder)) as port:
            for accept in ("gzip", "br, gzip", "GZIP;q=0.5", "deflate,gzip;q=1.0, *;q=0.5"):
                reply = get(port, SCRIPT, Accept_Encoding=accept)
                self.assertEqual((reply.headers["content-encoding"], reply.headers["vary"]),
                                 ("gzip", "Accept-Encoding"), accept)
                self.assertEqual(gzip.decompress(reply.body), text_of(SCRIPT))
            for accept in ("", "identity", "gzip;q=0", "gzip; q=0.000", "br", "gzipped", "x-gzip", "*"):
                reply = get(port, SCRIPT, Accept_Encoding=accept)
                self.assertEqual((reply.headers["content-encoding"], reply.body), (None, text_of(SCRIPT)), accept)
            with Raw(port) as raw:      # a list in two lines
                reply = raw.send(f"GET {SCRIPT} HTTP/1.1\r\nHost: a\r\naccept-encoding: br\r\nACCEPT-ENCODING:gzip\r\n"
                                 "\r\n".encode()).reply()
            self.assertEqual(reply.headers["content-encoding"], "gzip")

    def test_a_known_file_is_not_sent_again(self):
        with Folder() as folder, serving(self.copy(folder)) as port:
            tags = set()
            for path, accept in (("/", "identity"), (SCRIPT, "identity"), (SCRIPT, "gzip"), ("/trade/X", "gzip")):
                tag = get(port, path, Accept_Encoding=accept).headers["etag"]
                tags.add(tag)
                for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
                    reply = get(port, path, Accept_Encoding=accept, If_None_Match=known)
                    self.assertEqual((reply.status, reply.body, reply.headers["etag"]), (304, b"", tag), known)
                for other in ('"other"', tag[:-2] + '"', tag.strip('"'), ""):
                    self.assertEqual(get(port, path, Accept_Encoding=accept, If_None_Match=other).status, 200, other)
            self.assertEqual(len(tags), 3)      # the page, both forms of the script

    def test_pages_are_protected(self):
        with serving(FIXTURE) as port:
            for path in (SCRIPT, "/docs/style.css"):       # no documents
                reply = get(port, path)
                self.assertEqual((reply.headers["x-content-type-options"], reply.headers["referrer-policy"],
                                  reply.headers.get("content-security-policy")), ("nosniff", "no-referrer", None), path)
            for path in ("/", "/docs", "/trade/BTC-USD"):
                reply = get(port, path, Host=f"localhost:{port}")
                rules = dict(rule.strip().split(" ", 1)
                             for rule in reply.headers["content-security-policy"].split(";"))
                self.assertEqual(rules["connect-src"], f"'self' ws://localhost:{port} wss://localhost:{port}")
                self.assertEqual((rules["default-src"], rules["script-src"], rules["style-src"],
                                  rules["frame-ancestors"]), ("'none'", "'self'", "'self'", "'none'"))
                self.assertNotIn("unsafe", str(rules))
                self.assertEqual((reply.headers["x-content-type-options"], reply.headers["referrer-policy"]),
                                 ("nosniff", "no-referrer"))

    def test_a_host_puts_no_rule_into_the_policy(self):
        with serving(FIXTURE) as port:
            plain = re.sub(r" wss?://[^\s;]+", "", get(port, "/", Host="a").headers["content-security-policy"])
            for host in ("a;script-src*", "a'unsafe-inline'", "a%3bscript-src", "a*", "a" * 300):
                with Raw(port) as raw:
                    reply = raw.send(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()).reply()
                if reply.status == 200:     # else no part of the exchange takes such a host
                    self.assertEqual(reply.headers["content-security-policy"], plain, host)

    # ---- paths that lead nowhere

    def test_no_path_leads_out_of_the_folder(self):
        with Folder() as folder:
            place = self.copy(folder)
            with open(os.path.join(folder, "secret.txt"), "w") as stream:
                stream.write("confidential")
            os.symlink(os.path.join(folder, "secret.txt"), os.path.join(place, "link.txt"))
            os.symlink(os.path.join(folder, "secret.txt"), os.path.join(place, "assets", "link.txt"))
            os.symlink(folder, os.path.join(place, "up"))
            os.mkfifo(os.path.join(place, "pipe.txt"))
            with open(os.path.join(place, ".hidden.txt"), "w") as stream:
                stream.write("confidential")
            with serving(place) as port:
                self.assertEqual(get(port, SCRIPT).status, 200)
                for path in ("/../secret.txt", "/assets/../../secret.txt", "/assets/..%2f..%2fsecret.txt",
                             "/%2e%2e/secret.txt", "//secret.txt", "/assets//app-1a2b3c.js", "/./index.html",
                             "/link.txt", "/assets/link.txt", "/up/secret.txt", "/pipe.txt", "/.hidden.txt",
                             "/assets/", "/assets", "/assets/app-1a2b3c.js/", "/assets/app-1a2b3c.js.gz",
                             "/assets/APP-1a2b3c.js", "/trade", "/trade/", "/trade/a/b", "/assets/app-1a2b3c.js%00",
                             "/assets/" + "a" * 500, "/api/v1/index.html", "/nowhere"):
                    with Raw(port) as raw:
                        reply = raw.send(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()).reply()
                    self.assertIn(reply.status, (400, 404), path)
                    self.assertNotIn(b"confidential", reply.raw)

    # ---- while it runs

    def test_until_it_is_built_a_page_says_so(self):
        with Folder() as folder:
            place = os.path.join(folder, "later")
            with serving(place) as port:
                for path in ("/", "/trade/BTC-USD"):
                    reply = get(port, path)
                    self.assertEqual((reply.status, reply.headers["cache-control"]), (200, "no-cache"))
                    page = reply.body.decode()
                    self.assertIn("not built yet", page)
                    self.assertIn('http-equiv="refresh"', page)
                    self.assertIn('href="/docs"', page)
                    self.assertNotIn("<script", page)
                self.assertEqual(get(port, "/docs").status, 200)
                self.assertEqual(get(port, SCRIPT).status, 404)
                shutil.copytree(FIXTURE, place + ".new")
                os.rename(place + ".new", place)
                self.until(lambda: get(port, "/").body == text_of("index.html"))
                self.assertEqual(get(port, SCRIPT).body, text_of(SCRIPT))

    def test_a_new_build_replaces_the_old_one(self):
        with Folder() as folder:
            place = self.copy(folder)
            with serving(place) as port:
                shutil.copytree(FIXTURE, place + ".new")
                os.rename(place + ".new/assets/app-1a2b3c.js", place + ".new/assets/app-4d5e6f.js")
                with open(place + ".new/index.html", "a") as page:
                    page.write("<!-- second -->\n")
                os.rename(place, place + ".old")
                time.sleep(1.5)             # the old one is in memory
                self.assertEqual((get(port, "/").body, get(port, SCRIPT).status), (text_of("index.html"), 200))
                os.rename(place + ".new", place)
                self.until(lambda: b"second" in get(port, "/").body)
                self.assertEqual((get(port, SCRIPT).status, get(port, "/assets/app-4d5e6f.js").status), (404, 200))

    def test_a_named_folder_without_pages_is_told_once(self):
        with Folder() as folder:
            for place in (os.path.join(folder, "absent"), folder):
                with Server("--terminal", place) as server:
                    time.sleep(2.5)                         # the folder is looked at each second
                    self.assertEqual(server.stderr().count(f"{place} has no index.html"), 1, server.stderr())
        with Server("--terminal", FIXTURE) as server:
            self.assertNotIn("index.html", server.stderr())

    def test_a_folder_that_is_too_large_is_told_and_not_served(self):
        with Folder() as folder:
            place = self.copy(folder)
            for number in range(300):
                with open(f"{place}/assets/more-{number}.js", "w") as stream:
                    stream.write("1")
            with Server("--terminal", place) as server:
                self.assertIn(b"not built yet", get(server.port, "/").body)
                self.assertIn("is not served: it has more than 256 files or 32 MiB", server.stderr())
                self.assertEqual(server.stderr().count("is not served"), 1)

    def test_files_of_the_terminal_weigh_one(self):
        with serving(FIXTURE, limits=True) as port:
            replies = [get(port, SCRIPT).status for _ in range(300)]
            self.assertEqual(set(replies), {200})       # 300 of 1200; weighing 20 each, 60 would do
            # and they weigh something
            with Raw(port) as raw:
                statuses = set()
                for _ in range(950):
                    statuses.add(raw.send(f"HEAD {SCRIPT} HTTP/1.1\r\nHost: a\r\n\r\n".encode()).reply(head=True)
                                 .status)
            self.assertEqual(statuses, {200, 429})

    # ---- where it is on

    def serve(self, folder, *lines):
        path = os.path.join(folder, "venue.conf")
        with open(path, "w") as stream:
            stream.write("[dojima]\nlisten = 127.0.0.1:0\nchainIds = 777001\n"
                         f"data = {folder}/data\n" + pools() + "".join(f"{line}\n" for line in lines)
                         + "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n")
        return Server("--config", path, command="serve", json_banner=False).wait_for_port()

    def test_serve_has_none_unless_it_is_on(self):
        with Folder() as folder, self.serve(folder, f"terminalFolder = {FIXTURE}") as server:
            reply = get(server.port, "/")
            self.assertEqual((reply.status, reply.headers["location"]), (302, "/docs"))
            for path in ("/trade/BTC-USD", SCRIPT, "/index.html"):
                self.assertEqual(get(server.port, path).status, 404, path)
            self.assertNotEqual(get(server.port, "/docs").body, text_of("docs.html"))

    def test_serve_says_when_there_is_none_to_serve(self):
        with Folder() as folder, self.serve(folder, "terminal = on",
                                            f"terminalFolder = {folder}/absent") as server:
            self.assertIn(f"{folder}/absent has no index.html", server.stderr())
            self.assertEqual(get(server.port, "/docs").status, 200, "all else is served")

    def test_serve_has_it_when_it_is_on(self):
        with Folder() as folder, self.serve(folder, "terminal = on", f"terminalFolder = {FIXTURE}") as server:
            self.assertEqual(get(server.port, "/").body, text_of("index.html"))
            self.assertEqual(get(server.port, SCRIPT).status, 200)
            self.assertEqual(get(server.port, "/docs").body, text_of("docs.html"))
            self.assertEqual(get(server.port, "/docs/settings.json").body, b'{"chainIds":[777001],"accounts":[]}')

    def test_files_in_the_program_are_served(self):
        if not INSIDE:
            self.skipTest("SKIP: no program with files in it was built")
        with Server(binary=INSIDE) as server:
            self.assertEqual(get(server.port, "/").body, text_of("index.html"))
            self.assertEqual(get(server.port, SCRIPT).body, text_of(SCRIPT))
            self.assertEqual(get(server.port, "/docs").body, text_of("docs.html"))
        with Folder() as folder, Server("--terminal", folder, binary=INSIDE) as server:     # a named folder is used
            self.assertIn(b"not built yet", get(server.port, "/").body)


if __name__ == "__main__":
    main()
