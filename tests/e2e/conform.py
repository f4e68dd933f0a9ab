# SPDX-License-Identifier: MIT
"""dojima conform: our own exchange has no difference, and each difference that a server between plants is found."""
import http.client
import http.server
import json
import threading

from harness import Case, Server, main, run

DROPPED = ("content-length", "connection", "transfer-encoding", "date")


def alter_body(edit):
    """Changes the decoded body of an answer."""
    def alter(status, headers, raw):
        body = json.loads(raw)
        edit(body)
        return status, headers, json.dumps(body).encode()
    return alter


def on_each(key, value):
    def edit(body):
        for row in body.get("data", ()):
            if value is None:
                del row[key]
            else:
                row[key] = value
    return alter_body(edit)


def without_header(name):
    return lambda status, headers, raw: (status, [pair for pair in headers if pair[0].lower() != name], raw)


PERPS = "/api/v1/perps/markets"
SPOT = "/api/v1/spot/markets"
# (method, the path's beginning, change, at, expected, got)
PLANTED = (
    ("GET", PERPS + "/tickers", on_each("lastPx", 100.5), "body.data[].lastPx", "type string", "100.5"),
    ("GET", PERPS + "/miniTickers", on_each("highPx", "1e5"), "body.data[].highPx", "^(0|[1-9]", "1e5"),
    ("GET", PERPS + "/bookTickers", on_each("bidSz", None), "body.data[].bidSz", "always there", "nothing"),
    ("GET", PERPS + "/mark-prices", on_each("extra", 1), "body.data[].extra", "no such member", "1"),
    ("GET", SPOT + "/tickers", on_each("openTime", "1"), "body.data[].openTime", "type integer", "1"),
    ("GET", SPOT + "/bookTickers?symbol=NO", alter_body(lambda body: body.update(code=49999)), "body.code",
     "40401", "49999"),
    ("GET", SPOT + "/miniTickers?symbol=NO", alter_body(lambda body: body.update(error="what?")), "body.error",
     "x-errors", "what?"),
    ("GET", "/api/v1/spot/no/such", lambda status, headers, raw: (200, headers, raw), "status", "404", "200"),
    ("DELETE", SPOT + "/symbols", without_header("allow"), "header Allow", "a value", "nothing"),
    ("GET", SPOT + "/coins", without_header("content-type"), "header Content-Type", "application/json", "nothing"),
    ("GET", "/api/v1/status", lambda status, headers, raw: (status, headers, b"<html>"), "body", "one JSON value", ""),
    ("GET", "/api/v1/time", alter_body(lambda body: body["data"].update(serverTime=1.5)), "body.data.serverTime",
     "type integer", "1.5"),
)


class Between(http.server.BaseHTTPRequestHandler):
    """Passes requests on, and changes the answers that are planted."""

    port, planted, protocol_version = 0, (), "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        link.request(self.command, self.path, body or None, dict(self.headers))
        answer = link.getresponse()
        status, headers, raw = answer.status, answer.getheaders(), answer.read()
        link.close()
        for method, path, change, *_ in self.planted:
            if method == self.command and self.path.startswith(path):
                status, headers, raw = change(status, headers, raw)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in DROPPED:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_DELETE = forward                      # noqa: N815

    def log_message(self, *_):
        pass


class Conform(Case):
    def through(self, server, planted):
        handler = type("Planted", (Between,), {"port": server.port, "planted": planted})
        between = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=between.serve_forever, daemon=True).start()
        try:
            return run("conform", f"http://127.0.0.1:{between.server_port}", "--json")
        finally:
            between.shutdown()
            between.server_close()

    def test_our_own_exchange_conforms(self):
        with Server() as server:
            code, out, err = run("conform", server.banner["url"])
            self.assertEqual((code, err), (0, ""), out)
            self.assertRegex(out, r"^\d{3} requests, \d{4} checks, 0 differences\n$")
            client = server.accounts()[0]
            self.assertEqual(client.open_orders(), [], "no write was executed")
            code, out, err = self.through(server, ())
            self.assertEqual((code, json.loads(out)["differences"]), (0, []), err)

    def test_one_of_another_time_conforms(self):
        with Server("--clock", "0", "--timestamp", "1767571200") as server:
            code, out, err = run("conform", server.banner["url"])
            self.assertEqual((code, err), (0, ""), out)

    def test_planted_differences_are_found_and_nothing_else(self):
        with Server() as server:
            code, out, err = self.through(server, PLANTED)
        self.assertEqual(code, 1, err)
        rows = json.loads(out)["differences"]
        for method, path, _, at, expected, got in PLANTED:
            with self.subTest(path):
                self.assertTrue([row for row in rows if row["request"].startswith(f"{method} {path}")
                                 and row["at"] == at and expected in row["expected"] and got in row["got"]], rows)
        known = tuple(f"{method} {path}" for method, path, *_ in PLANTED)
        self.assertEqual([row for row in rows if not row["request"].startswith(known)], [])

    def test_an_exchange_that_is_away_and_words_that_are_wrong(self):
        code, out, err = run("conform", "http://127.0.0.1:1")
        self.assertEqual((code, out, len(err.splitlines())), (1, "", 1), err)
        for words in ((), ("ftp://x",), ("http://127.0.0.1:1/api",), ("http://a", "http://b")):
            code, out, err = run("conform", *words)
            self.assertEqual((code, out, len(err.splitlines())), (2, "", 1), err)


if __name__ == "__main__":
    main()
