# SPDX-License-Identifier: MIT
"""What a container needs: dojima health, and dojima dev --listen for peers that are not this machine (decision 924)."""
import http.client
import http.server
import json
import os
import re
import socket
import threading

from harness import Case, Folder, Server, main, run

TIME = {"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime", "params": [1]}


def other_address():
    """An address of this machine that is not 127.0.0.1; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return None


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A server that is no exchange."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>")

    def log_message(self, *_):
        pass


class Health(Case):
    def health(self, code, said, *words):
        got, out, err = run("health", *words)
        self.assertEqual((got, out), (code, ""), (words, err))
        self.assertRegex(err, said)
        self.assertEqual(err.count("\n"), 0 if code == 0 else 1, err)

    def test_it_is_0_while_the_exchange_serves_and_1_behind_that(self):
        with Folder() as folder:
            with Server(data=folder) as server:
                url = server.banner["url"]
                self.health(0, "^$", url)
                self.health(0, "^$", url, "--alive")
                self.health(0, "^$", "--data", folder)
            self.health(1, "Failed to connect|Couldn't connect", url)
            self.health(1, "no exchange runs on", "--data", folder)

    def test_another_server_is_no_exchange(self):
        with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.health(1, "HTTP 200, and not the answer of an exchange", f"http://127.0.0.1:{server.server_port}")
            server.shutdown()

    def test_a_server_that_does_not_answer_is_left_in_time(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.health(1, "[Tt]ime", "--timeout", "300", f"http://127.0.0.1:{silent.getsockname()[1]}")

    def test_wrong_questions_are_named(self):
        self.health(2, "at most one URL", "http://a", "http://b")
        self.health(2, "neither a URL nor --alive", "--data", "x", "--alive")
        self.health(2, "--timeout 0", "--timeout", "0")
        self.health(1, "nowhere", "--data", "/nowhere")


class Listen(Case):
    def ask(self, host, port, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(host, port, timeout=20)
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def moves_time(self, host, port, **headers):
        return '"result"' in self.ask(host, port, "POST", "/rpc", TIME, **headers)[1]

    def test_an_open_exchange_serves_every_peer_and_no_page_of_another_site(self):
        address = other_address() or self.skipTest("this machine has no other address than 127.0.0.1")
        with Server("--listen", "0.0.0.0") as server:
            self.assertTrue(self.moves_time(address, server.port))
            self.assertTrue(self.moves_time(address, server.port, Host="exchange:8080"))
            self.assertTrue(self.moves_time("127.0.0.1", server.port))
            self.assertTrue(self.moves_time(address, server.port, Origin=f"http://{address}:{server.port}"))
            self.assertFalse(self.moves_time(address, server.port, Origin="http://example.org"))
            self.assertFalse(self.moves_time(address, server.port, **{"X-Forwarded-For": "10.0.0.1"}))
            self.assertEqual(self.ask(address, server.port, "GET", "/metrics")[0], 200)

    def test_without_the_option_only_this_machine_reaches_it(self):
        address = other_address() or self.skipTest("this machine has no other address than 127.0.0.1")
        with Server() as server:
            self.assertTrue(self.moves_time("127.0.0.1", server.port))
            with self.assertRaises(OSError):
                self.ask(address, server.port, "GET", "/healthz")

    def test_the_variable_stands_in_for_the_option(self):
        os.environ["DOJIMA_LISTEN"] = "0.0.0.0"
        self.addCleanup(os.environ.pop, "DOJIMA_LISTEN")
        with Server("--listen", "127.0.0.1") as server, Server() as opened:
            self.assertTrue(self.moves_time("127.0.0.1", server.port))
            self.assertFalse(self.moves_time("127.0.0.1", server.port, Host="exchange"))
            self.assertTrue(self.moves_time("127.0.0.1", opened.port, Host="exchange"))

    def test_the_banner_says_that_it_is_open(self):
        with Server("--listen", "0.0.0.0", json_banner=False) as server:
            text = ""
            while "Ctrl-C" not in text:
                line = server.read_line(60)
                self.assertTrue(line, text)
                text += line
        self.assertTrue(re.search("Open .*every program that reaches port", text), text)

    def test_other_addresses_are_refused(self):
        for wrong in ("10.0.0.1", "::", "localhost", "0.0.0.0:80"):
            code, _, err = run("dev", "--port", "0", "--listen", wrong)
            self.assertEqual(code, 2)
            self.assertIn(f"--listen {wrong}: 127.0.0.1 or 0.0.0.0 is needed", err)

    def test_a_port_that_is_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            code, _, err = run("dev", "--port", str(port), "--listen", "0.0.0.0")
            self.assertEqual(code, 69)
            self.assertRegex(err, rf"0\.0\.0\.0:{port}: Address already in use")


if __name__ == "__main__":
    main()
