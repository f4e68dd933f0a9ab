# SPDX-License-Identifier: MIT
"""The documentation site (tools/package docs): it is built, the same in another folder; a link that leads nowhere
fails the build; no page asks another host; the search finds a word, in a browser from a server and from a file; the
examples of the first page are those that tests of the clients run."""
import functools
import hashlib
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import ROOT, copy_tree                                                # noqa: E402

SITE = os.path.join(ROOT, "dist", "docs")
OUTSIDE = re.compile(r"^\s*(?:[a-z]+:)?//", re.IGNORECASE)
STYLE_LOADS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])(?:https?:)?//")
LOADED = ("src", "srcset", "poster", "data", "background")      # of any tag; href only of <link>
# Names of formats and authors, and what the theme asks only for pages with a repository, a diagram or an old browser.
NAMED = {"www.w3.org", "lunrjs.com", "tartarus.org", "bit.ly", "clipboardjs.com", "fontawesome.com", "api.github.com",
         "gitlab.com", "unpkg.com"}
# Tells the test what the search shows and what the page loaded.
PROBE = """<script>setInterval(function () {
  var found = Array.from(document.querySelectorAll('.md-search-result__item > a')).map(function (one) {
    return one.getAttribute('href'); });
  var box = document.querySelector('.md-search__input').getBoundingClientRect();
  var loaded = performance.getEntriesByType('resource').map(function (one) { return one.name; });
  if (found.length) new Image().src = '%s/probe?' + encodeURIComponent(JSON.stringify(
    { found: found, loaded: loaded, width: box.width, height: box.height }));
}, 500);</script>"""


class Loads(html.parser.HTMLParser):
    """What a page loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.urls = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.urls += [value for name, value in attrs if value and (name in LOADED or (tag, name) == ("link", "href"))]


class Server(http.server.SimpleHTTPRequestHandler):
    """A static server that keeps the query of /probe."""

    def do_GET(self):
        if self.path.startswith("/probe?"):
            self.server.said = json.loads(urllib.parse.unquote(self.path.split("?", 1)[1]))
            self.server.heard.set()
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


def build(root):
    return subprocess.run(["tools/package.d/docs"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)


def files(site):
    names = [os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names]
    return sorted(os.path.relpath(name, site) for name in names)


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def digests(site):
    found = {}
    for name in files(site):
        with open(os.path.join(site, name), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = build(ROOT)
        text = done.stdout.decode()
        if done.returncode == 77:
            raise unittest.SkipTest("SKIP " + text.strip().splitlines()[-1])
        assert done.returncode == 0, text

    def folder(self):
        folder = tempfile.mkdtemp(prefix="dojima-docs-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def test_another_folder_gives_the_same_site_and_links_are_checked(self):
        place = os.path.join(self.folder(), "another", "place")
        copy_tree(self, place, ["build/docs/venv"])
        done = build(place)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertEqual(digests(os.path.join(place, "dist", "docs")), digests(SITE))
        for link, said in (("nowhere.md", "nowhere.md"), ("replay.md#nowhere", "nowhere")):
            with self.subTest(link=link):
                shutil.copy(os.path.join(ROOT, "docs", "limits.md"), os.path.join(place, "docs", "limits.md"))
                with open(os.path.join(place, "docs", "limits.md"), "a", encoding="utf-8") as file:
                    file.write(f"\n[planted]({link})\n")
                done = build(place)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stdout.decode())

    def test_no_other_host(self):
        self.assertEqual([one for one in Loads('<img src="//a.b/c"><link href="https://a.b"><a href="//x">').urls
                          if OUTSIDE.match(one)], ["//a.b/c", "https://a.b"])
        pages = [name for name in files(SITE) if name.endswith(".html")]
        self.assertGreater(len(pages), 100)
        for name in pages:
            self.assertEqual([url for url in Loads(read(SITE, name)).urls if OUTSIDE.match(url)], [], name)
        for name in files(SITE):
            if name.endswith(".css"):
                self.assertIsNone(STYLE_LOADS.search(read(SITE, name)), name)
            if name.endswith(".js") and not name.startswith(("search", "source")):
                hosts = set(re.findall(r"https?://([\w.-]+\.\w+)", read(SITE, name)))
                self.assertLessEqual(hosts, NAMED, name)

    def test_the_index_has_the_words_of_the_pages(self):
        text = read(SITE, "search", "search_index.json")
        self.assertEqual(read(SITE, "search", "search_index.js"), "var __index = " + text)
        pages = {one["location"].split("#")[0] for one in json.loads(text)["docs"] if "fdatasync" in one["text"]}
        self.assertLessEqual(pages, set(files(SITE)))
        self.assertIn("ARCHITECTURE.html", pages)

    def browse(self, local):
        """What the search for a word shows on the first page, opened as a file or from a server."""
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if chromium is None:
            self.skipTest("SKIP chromium is not installed")
        folder = self.folder()
        shutil.copytree(SITE, os.path.join(folder, "site"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(
            Server, directory=os.path.join(folder, "site")))
        server.heard, server.said = threading.Event(), None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        origin = f"http://127.0.0.1:{server.server_port}"
        with open(os.path.join(folder, "site", "index.html"), "a", encoding="utf-8") as file:
            file.write(PROBE % origin)
        start = f"file://{folder}/site/" if local else origin + "/"
        running = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-port=0",
             start + "index.html?q=liquidation"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        heard = server.heard.wait(120)
        running.terminate()
        running.wait(30)
        self.assertTrue(heard, "the search shows nothing")
        self.assertGreater(min(server.said["width"], server.said["height"]), 20)
        self.assertTrue(any("03-liquidation.html" in one for one in server.said["found"]), server.said["found"])
        probe = origin + "/probe"
        self.assertEqual([one for one in server.said["loaded"] if not one.startswith((start, probe))], [])

    def test_search_from_a_server(self):
        self.browse(False)

    def test_search_from_a_file(self):
        self.browse(True)

    def test_examples_of_the_first_page_are_tested(self):
        page = read(ROOT, "packaging", "docs", "index.md")
        for language, client, count in (("python", "python", 2), ("js", "typescript", 1)):
            blocks = re.findall(rf"^ +```{language}\n(.*?)^ +```$", page, re.MULTILINE | re.DOTALL)
            self.assertEqual(len(blocks), count)
            for block in blocks:
                self.assertIn(textwrap.dedent(block), read(ROOT, "clients", client, "README.md"))


if __name__ == "__main__":
    unittest.main()
