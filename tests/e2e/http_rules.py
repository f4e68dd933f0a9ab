# SPDX-License-Identifier: MIT
"""HTTP by the rules of process 1: ambiguous requests are refused and the connection closed, valid ones are answered in
order, and no client makes the server guess, hang or lose state."""
import json
import os
import re
import resource
import threading
import time

from harness import (BTC, BUY, INSTRUMENTED, Case, Raw, Server, fresh_nonce, compact, main, order)

SYMBOLS = "/api/v1/spot/markets/symbols"
COINS = "/api/v1/spot/markets/coins"
BATCH = "/api/v1/spot/trade/orders/batch"
HOST = "Host: localhost\r\n"


def get(path=COINS, extra="", version="1.1"):
    return f"GET {path} HTTP/{version}\r\n{HOST}{extra}\r\n".encode()


def post(body, extra="", path=BATCH, method="POST", length=True):
    size = f"Content-Length: {len(body)}\r\n" if length else ""
    return f"{method} {path} HTTP/1.1\r\n{HOST}{size}{extra}\r\n".encode() + body


def chunked(pieces, tail=b"\r\n", extension=b""):
    return b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in pieces) + b"0\r\n" + tail


POST = f"POST {BATCH} HTTP/1.1\r\n{HOST}"
MALFORMED = {
    "length and transfer-encoding": POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "transfer-encoding and length": POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two different lengths": POST + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "two equal lengths": POST + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of lengths": POST + "Content-Length: 2, 2\r\n\r\n{}",
    "length with a plus": POST + "Content-Length: +2\r\n\r\n{}",
    "length with a minus": POST + "Content-Length: -2\r\n\r\n{}",
    "hexadecimal length": POST + "Content-Length: 0x2\r\n\r\n{}",
    "length with an underscore": POST + "Content-Length: 1_0\r\n\r\n{}",
    "length with a space inside": POST + "Content-Length: 1 0\r\n\r\n{}",
    "empty length": POST + "Content-Length:\r\n\r\n{}",
    "length of twenty digits": POST + "Content-Length: 18446744073709551616\r\n\r\n{}",
    "length of twenty-five digits": POST + "Content-Length: 1000000000000000000000002\r\n\r\n{}",
    "length with a word": POST + "Content-Length: two\r\n\r\n{}",
    "encoding gzip, chunked": POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "encoding chunked, identity": POST + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "encoding chunked, chunked": POST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "encoding twice": POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "encoding xchunked": POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "encoding identity": POST + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
    "encoding with a vertical tab": POST + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "empty encoding": POST + "Transfer-Encoding:\r\n\r\n0\r\n\r\n",
    "encoding in HTTP/1.0": f"POST {BATCH} HTTP/1.0\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bare line feeds": f"GET {COINS} HTTP/1.1\nHost: localhost\n\n",
    "one bare line feed": f"GET {COINS} HTTP/1.1\r\nHost: localhost\nAccept: */*\r\n\r\n",
    "bare line feed at the end": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\n\n",
    "bare CR in a value": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAccept: a\rb\r\n\r\n",
    "bare CR ends a line": f"GET {COINS} HTTP/1.1\r\nHost: localhost\rAccept: b\r\n\r\n",
    "space before the colon": f"GET {COINS} HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "space before the colon of the length": POST + "Content-Length : 2\r\n\r\n{}",
    "folded header": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAccept: a,\r\n b\r\n\r\n",
    "folded header with a tab": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAccept: a,\r\n\tb\r\n\r\n",
    "space before the first header": f"GET {COINS} HTTP/1.1\r\n Host: localhost\r\n\r\n",
    "NUL in a value": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAccept: a\x00b\r\n\r\n",
    "NUL in a name": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAcc\x00ept: a\r\n\r\n",
    "NUL in the path": "GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "control character in a value": f"GET {COINS} HTTP/1.1\r\nHost: localhost\r\nAccept: a\x01b\r\n\r\n",
    "no host": f"GET {COINS} HTTP/1.1\r\nAccept: */*\r\n\r\n",
    "two hosts": f"GET {COINS} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "two equal hosts": f"GET {COINS} HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "a word for a port": f"GET {COINS} HTTP/1.1\r\nHost: a:x\r\n\r\n",
    "a port that is none": f"GET {COINS} HTTP/1.1\r\nHost: a:99999\r\n\r\n",
    "two ports": f"GET {COINS} HTTP/1.1\r\nHost: a:80:90\r\n\r\n",
    "a bracket left open": f"GET {COINS} HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "a word behind this machine's address": f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:evil\r\nContent-Length: 0\r\n\r\n",
    "two empty lines first": f"\r\n\r\nGET {COINS} HTTP/1.1\r\n{HOST}\r\n",
    "HTTP/1.2": f"GET {COINS} HTTP/1.2\r\n{HOST}\r\n",
    "HTTP/2.0": f"GET {COINS} HTTP/2.0\r\n{HOST}\r\n",
    "HTTP/0.9": f"GET {COINS} HTTP/0.9\r\n{HOST}\r\n",
    "HTTP/11.1": f"GET {COINS} HTTP/11.1\r\n{HOST}\r\n",
    "HTTP/1": f"GET {COINS} HTTP/1\r\n{HOST}\r\n",
    "http in lower case": f"GET {COINS} http/1.1\r\n{HOST}\r\n",
    "no version": f"GET {COINS}\r\n{HOST}\r\n",
    "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no target": f"GET  HTTP/1.1\r\n{HOST}\r\n",
    "two spaces": f"GET  {COINS} HTTP/1.1\r\n{HOST}\r\n",
    "a space in the target": f"GET /a b HTTP/1.1\r\n{HOST}\r\n",
    "a relative target": f"GET api/v1 HTTP/1.1\r\n{HOST}\r\n",
    "header without a colon": f"GET {COINS} HTTP/1.1\r\n{HOST}Accept\r\n\r\n",
    "header without a name": f"GET {COINS} HTTP/1.1\r\n{HOST}: a\r\n\r\n",
    "header name with a bracket": f"GET {COINS} HTTP/1.1\r\n{HOST}A(b): a\r\n\r\n",
    "method with a bracket": f"G(T {COINS} HTTP/1.1\r\n{HOST}\r\n",
    "a TLS greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\x00" * 40 + "\r\n\r\n",
    "noise": "\x01\x02\x03\x04\xff\xfe\r\n\r\n",
    "chunk size with a plus": POST + "Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
    "chunk size with 0x": POST + "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "chunk size negative": POST + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "chunk size not a number": POST + "Transfer-Encoding: chunked\r\n\r\nxy\r\n{}\r\n0\r\n\r\n",
    "chunk size empty": POST + "Transfer-Encoding: chunked\r\n\r\n\r\n{}\r\n0\r\n\r\n",
    "chunk size of seventeen digits": POST + "Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
    "chunk longer than its size": POST + "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "chunk line ends in LF": POST + "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
    "chunk data ends in LF": POST + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n",
    "chunk extension with LF": POST + "Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n",
    "chunk extension too long": POST + "Transfer-Encoding: chunked\r\n\r\n2;a=" + "b" * 400 + "\r\n{}\r\n0\r\n\r\n",
}


class Rules(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.a, cls.b, *cls.others = cls.server.accounts()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def raw(self):
        raw = Raw(self.server.port)
        self.addCleanup(raw.close)
        return raw

    def assert_alive(self):
        self.assertEqual(self.raw().send(get()).reply().code, 0)

    # ---- refused and closed

    def test_malformed_requests_are_answered_400_and_closed(self):
        for name, text in MALFORMED.items():
            with self.subTest(name):
                raw = self.raw()
                # A second, good request follows: it must never be answered.
                raw.send(text.encode("latin-1") + get())
                reply = raw.reply()
                self.assertIsNotNone(reply, "closed without an answer")
                self.refused(reply, 40090, status=400)
                self.assertEqual(reply.headers.get("connection", "").lower(), "close")
                self.assertTrue(raw.closed(), "not closed")
                raw.close()
        self.assert_alive()

    def test_headers_that_carry_a_signature_stand_once(self):
        body = compact({"accountID": self.a.id, "orders": [order("h-1", BUY, "96000", "0.1")]})
        for name in ("X-API-Sign", "X-API-Nonce", "X-API-Key", "Content-Type"):
            with self.subTest(name):
                headers = self.a.headers("batchNewOrder", body)
                lines = "".join(f"{key}: {value}\r\n"
                                for key, value in headers.items()) + f"{name}: {headers[name]}\r\n"
                reply = self.raw().send(post(body, lines)).reply()
                self.assertNotEqual(reply.code, 0, reply)
                self.assertEqual(reply.chain, {})
        self.assertEqual(self.a.open_orders(), [])

    def test_a_body_above_the_limit_is_413(self):
        self.closing(self.raw().send(post(b"", "Content-Length: 131073\r\n", length=False)), 413, 41390)
        self.closing(self.raw().send(post(b"", "Content-Length: 9999999999\r\n", length=False)), 413, 41390)
        raw = self.raw().send(post(b"", "Transfer-Encoding: chunked\r\n", length=False))
        self.closing(raw.send(chunked([b" " * 65536] * 2 + [b" "])), 413, 41390)
        raw = self.raw().send(post(b"", "Transfer-Encoding: chunked\r\n", length=False))
        self.closing(raw.send(b"20001\r\n"), 413, 41390)

    def test_a_body_at_the_limit_is_read(self):
        body = b"{}" + b" " * (131072 - 2)
        raw = self.raw().send(post(body))
        self.refused_by_rule(raw.reply())
        raw.send(post(b"", "Transfer-Encoding: chunked\r\n", length=False)).send(chunked([body[:65536], body[65536:]]))
        self.refused_by_rule(raw.reply())
        self.assertEqual(raw.send(get()).reply().code, 0)

    def test_a_request_line_above_the_limit_is_414(self):
        self.closing(self.raw().send(get("/" + "a" * 4096)), 414, 41490)
        self.closing(self.raw().send(b"GET /" + b"a" * 6000), 414, 41490)          # not even ended
        self.refused(self.raw().send(get("/" + "a" * 4000)).reply(), 40490, status=404)
        reply = self.raw().send(get(COINS + "?x=" + "a" * 4000)).reply()
        self.assertEqual((reply.status, reply.code), (200, 0))

    def test_headers_above_the_limits_are_431(self):
        self.closing(self.raw().send(get(extra="X-Long: " + "a" * 16384 + "\r\n")), 431, 43190)
        self.closing(self.raw().send(get(extra="X-Part: " + "a" * 4000 + "\r\n") [:-2] + b"X: " + b"a" * 14000), 431,
                     43190)
        self.closing(self.raw().send(get(extra="".join(f"X-{i}: 1\r\n" for i in range(64)))), 431, 43190)
        reply = self.raw().send(get(extra="".join(f"X-{i}: 1\r\n" for i in range(63)))).reply()
        self.assertEqual((reply.status, reply.code), (200, 0))
        reply = self.raw().send(get(extra="X-Long: " + "a" * 16000 + "\r\n")).reply()
        self.assertEqual((reply.status, reply.code), (200, 0))

    def closing(self, raw, status, code):
        reply = raw.reply()
        self.assertIsNotNone(reply, f"closed without the {status}")
        self.refused(reply, code, status=status)
        self.assertEqual(reply.headers.get("connection", "").lower(), "close")
        self.assertTrue(raw.closed(), "not closed")

    def refused_by_rule(self, reply):
        """The body was read and judged: a business failure, connection kept."""
        self.assertEqual(reply.status, 200, reply)
        self.assertNotEqual(reply.code, 0, reply)
        self.assertNotEqual(reply.headers.get("connection", "").lower(), "close", reply)

    # ---- refused and kept

    def test_unknown_paths_are_404(self):
        raw = self.raw()
        for path in ("/api", "/api/v1/spot", "/api/v1/spot/", SYMBOLS + "/", SYMBOLS.upper(),
                     "/api/v2/spot/markets/symbols",
                     "//api/v1/spot/markets/symbols", "/api/v1/spot/../spot/markets/symbols", "/ws/other",
                     "/api/v1/spot/trade/twaps",
                     "/api/v1/spot/markets/vBTC_vUSDC", "/api/v1/spot/accounts/" + self.a.address,
                     "/%2e%2e/etc/passwd"):
            with self.subTest(path):
                reply = raw.send(get(path)).reply()
                self.refused(reply, 40490, status=404)
        self.assertEqual(raw.send(get()).reply().code, 0)

    def test_the_single_order_path_names_the_one_that_exists(self):
        for method in ("POST", "DELETE"):
            reply = self.raw().send(post(b"{}", path="/api/v1/spot/trade/orders", method=method)).reply()
            self.refused(reply, 40490, status=404)
            self.assertIn("/trade/orders/batch", reply.raw.decode())

    def test_a_wrong_method_is_405_with_allow(self):
        raw = self.raw()
        for method, path, allowed in (("POST", SYMBOLS, {"GET"}), ("DELETE", COINS, {"GET"}),
                                      ("GET", BATCH, {"POST", "DELETE"}),
                                      ("PUT", BATCH, {"POST", "DELETE"}), ("PATCH", SYMBOLS, {"GET"}),
                                      ("GET", "/api/v1/spot/trade/orders/replace", {"POST"}),
                                      ("DELETE", "/api/v1/spot/trade/orders/schedule-cancel", {"POST"})):
            with self.subTest(method=method, path=path):
                reply = raw.send(post(b"", path=path, method=method)).reply()
                self.refused(reply, 40590, status=405)
                named = {word.strip() for word in reply.headers["allow"].split(",")}
                self.assertEqual(named & {"GET", "POST", "DELETE"}, allowed)
        self.assert_alive()

    def test_an_unknown_method_is_501(self):
        raw = self.raw()
        for method in ("BREW", "TRACE", "PROPFIND", "get"):
            for path in (SYMBOLS, "/nowhere", "/rpc"):
                with self.subTest(method=method, path=path):
                    self.refused(raw.send(post(b"", path=path, method=method)).reply(), 50190, status=501)

    def test_an_empty_line_before_a_request_is_skipped(self):
        """RFC 9112, 2.2: once, before each request; in pieces too, and a HEAD behind it is one."""
        raw = self.raw().send(b"\r\n" + get() + b"\r\n" + get())
        self.assertEqual([raw.reply().code for _ in range(2)], [0, 0])
        for piece in (b"\r", b"\n", get()):
            time.sleep(0.05)
            raw.send(piece)
        self.assertEqual(raw.reply().code, 0)
        raw.send(post(b"{}") + b"\r\n" + get())
        self.assertNotEqual(raw.reply().code, 0)
        self.assertEqual(raw.reply().code, 0)

    def test_the_root_is_the_terminal(self):
        """Or the page of the program that stands in for it (tests/e2e/terminal.py)."""
        reply = self.raw().send(get("/")).reply()
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("dojima", reply.raw.decode())

    def test_content_type(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                     "application/jsonx"):
            body = compact({"accountID": self.b.id, "orders": [order("ct", BUY, "96000", "0.1")]})
            headers = {**self.b.headers("batchNewOrder", body), "Content-Type": kind}
            reply = self.raw().send(post(body, "".join(f"{k}: {v}\r\n" for k, v in headers.items()))).reply()
            self.assertEqual(self.refused(reply, 40001)["field"], "Content-Type")
        # absent or JSON with a charset is fine: the order is accepted
        for index, kind in enumerate((None, "application/json; charset=utf-8", "Application/JSON")):
            body = compact({"accountID": self.b.id, "orders": [order(f"ct-{index}", BUY, "96000", "0.1")]})
            headers = self.b.headers("batchNewOrder", body)
            del headers["Content-Type"]
            if kind:
                headers["Content-Type"] = kind
            self.items_ok(self.raw().send(post(body, "".join(f"{k}: {v}\r\n" for k, v in headers.items()))).reply())
            self.items_ok(self.b.cancel({"symbolID": BTC, "clOrdID": f"ct-{index}"}))

    # ---- valid requests

    def test_head_is_get_without_the_body(self):
        raw = self.raw()
        full = raw.send(get()).reply()
        head = raw.send(get().replace(b"GET", b"HEAD", 1)).reply(head=True)
        self.assertEqual((head.status, head.headers["content-length"]), (200, full.headers["content-length"]))
        self.assertEqual(raw.send(get("/nowhere").replace(b"GET", b"HEAD", 1)).reply(head=True).status, 404)
        self.assertEqual(raw.send(get()).reply().raw[:10], full.raw[:10])       # no stray body in between

    def test_head_has_no_body_when_the_connection_closes(self):
        """Errors after which nothing is read: the response to HEAD ends with its head."""
        bad = {400: "HEAD / HTTP/1.1\r\n\r\n", 413: f"HEAD / HTTP/1.1\r\n{HOST}Content-Length: 999999\r\n\r\n",
               414: "HEAD /" + "a" * 5000, 431: f"HEAD / HTTP/1.1\r\n{HOST}X: " + "a" * 17000,
               426: f"HEAD /ws/spot HTTP/1.1\r\n{HOST}\r\n",
               405: f"HEAD /ws/spot HTTP/1.1\r\n{HOST}Upgrade: websocket\r\nConnection: upgrade\r\n\r\n"}
        for status, text in bad.items():
            with self.subTest(status):
                raw = self.raw().send(text.encode())
                reply = raw.reply(head=True)
                self.assertEqual(reply.status, status)
                if status != 426:
                    self.assertTrue(raw.closed(), "a body behind the head, or not closed")

    def test_head_is_as_long_as_get(self):
        for path in ("/", "/rpc", "/docs", "/nowhere", BATCH, "/healthz"):
            with self.subTest(path):
                full, raw = self.raw().send(get(path)).reply(), self.raw()
                head = raw.send(get(path).replace(b"GET", b"HEAD", 1)).reply(head=True)
                self.assertEqual((head.status, head.headers["content-length"]),
                                 (full.status, full.headers["content-length"]))

    def test_browsers_are_let_in(self):
        raw = self.raw()
        asked = ("Origin: https://example.org\r\nAccess-Control-Request-Method: DELETE\r\n"
                 "Access-Control-Request-Headers: content-type,x-api-sign\r\n")
        reply = raw.send(f"OPTIONS {BATCH} HTTP/1.1\r\n{HOST}{asked}\r\n".encode()).reply()
        self.assertIn(reply.status, (200, 204))
        self.assertIn(reply.headers["access-control-allow-origin"], ("*", "https://example.org"))
        self.assertLessEqual({"GET", "POST", "DELETE", "OPTIONS"},
                             {m.strip() for m in reply.headers["access-control-allow-methods"].split(",")})
        named = {h.strip().lower() for h in reply.headers["access-control-allow-headers"].split(",")}
        self.assertLessEqual({"content-type", "accept", "x-api-key", "x-api-sign", "x-api-nonce", "x-api-chain"}, named)
        reply = raw.send(get(extra="Origin: https://example.org\r\n")).reply()
        self.assertIn(reply.headers["access-control-allow-origin"], ("*", "https://example.org"))
        body = compact({"accountID": self.b.id, "orders": [order("cors", BUY, "96000", "0.1")]})
        lines = "".join(f"{k}: {v}\r\n" for k, v in self.b.headers("batchNewOrder", body).items())
        reply = raw.send(post(body, lines + "Origin: https://example.org\r\n")).reply()
        self.items_ok(reply)
        exposed = {h.strip().lower() for h in reply.headers["access-control-expose-headers"].split(",")}
        self.assertLessEqual({"x-chain-tx", "x-chain-block", "x-chain-index"}, exposed)
        self.items_ok(self.b.cancel({"symbolID": BTC, "clOrdID": "cors"}))
        reply = raw.send(get("/nowhere", "Origin: https://example.org\r\n")).reply()
        self.assertIn("access-control-allow-origin", reply.headers)              # else the browser hides the error

    def test_options_of_anything_is_answered(self):
        raw = self.raw()
        for target in ("*", "/nowhere", SYMBOLS):
            reply = raw.send(f"OPTIONS {target} HTTP/1.1\r\n{HOST}\r\n".encode()).reply()
            self.assertIsNotNone(reply, target)
            self.assertIn(reply.status, (200, 204, 404), reply)

    def test_keep_alive(self):
        raw = self.raw()
        for _ in range(50):
            self.assertEqual(raw.send(get()).reply().code, 0)
        reply = raw.send(get(extra="Connection: close\r\n")).reply()
        self.assertEqual((reply.code, reply.headers["connection"].lower()), (0, "close"))
        self.assertTrue(raw.closed())
        raw = self.raw().send(get(version="1.0"))
        self.assertEqual(raw.reply().code, 0)
        self.assertTrue(raw.closed(), "HTTP/1.0 closes unless asked to stay")
        raw = self.raw().send(get(version="1.0", extra="Connection: keep-alive\r\n"))
        reply = raw.reply()
        self.assertEqual((reply.code, reply.headers.get("connection", "").lower()), (0, "keep-alive"))
        self.assertEqual(raw.send(get(version="1.0")).reply().code, 0)

    def test_an_absolute_target(self):
        self.assertEqual(self.raw().send(get("http://localhost" + COINS)).reply().code, 0)

    def test_pipelined_requests_are_answered_in_order(self):
        for count in (2, 16, 200):
            with self.subTest(count=count):
                paths = [f"{SYMBOLS}?symbol={('vBTC_vUSDC', 'vETH_vUSDC', 'none')[i % 3]}&n={i}" if i % 4 else COINS
                         for i in range(count)]
                raw = self.raw().send(b"".join(get(path) for path in paths))
                for index, path in enumerate(paths):
                    reply = raw.reply()
                    self.assertIsNotNone(reply, f"answer {index} of {count} is missing")
                    if path == COINS:
                        self.assertEqual(len(self.ok(reply)), 3)
                    elif index % 3 == 2:
                        self.refused(reply, 40401)
                    else:
                        self.assertEqual([s["id"] for s in self.ok(reply)], [index % 3 + 1])

    def test_who_does_not_read_holds_nobody_up(self):
        """Thousands of unread responses: the server stops reading there, serves others, and continues when they are
        read."""
        # some 25 MB of responses, more than any buffer on the way
        count = 20000
        raw = self.raw()
        sender = threading.Thread(target=raw.send, args=(get(SYMBOLS) * count,), daemon=True)
        sender.start()
        time.sleep(1)
        began = time.monotonic()
        for _ in range(20):
            self.assertEqual(self.raw().send(get()).reply().code, 0)
        self.assertLess(time.monotonic() - began, 5)
        for index in range(count):
            reply = raw.reply()
            self.assertIsNotNone(reply, f"answer {index} is missing")
            self.assertEqual(reply.status, 200)
        sender.join(10)

    def test_an_answer_is_the_same_alone_and_between_others(self):
        """Alone it is sent from where its body lies, between others it is copied, and with a longer head too. Of the
        longest a new connection's socket takes a part at once."""
        def parts(reply):
            return ({name: value for name, value in reply.headers.items() if name not in ("date", "content-length")},
                    re.sub(rb'"timestamp":\d+', b"", reply.raw))

        for path in (SYMBOLS, SYMBOLS + "?symbol=vBTC_vUSDC", "/api/v1/spot/markets/vBTC_vUSDC/orderbook",
                     "/api/v1/perps/markets/coins", "/openapi.json", f"/api/v1/spot/accounts/{self.a.address}/state"):
            for extra in ("", "Origin: https://a.example\r\n"):
                with self.subTest(path + extra):
                    one = get(path, extra)
                    between = self.raw().send(3 * one)
                    copied = [parts(between.reply()) for _ in range(3)]
                    alone = self.raw()
                    for _ in range(3):
                        reply = alone.send(one).reply()
                        self.assertEqual(reply.status, 200)
                        self.assertEqual(parts(reply), copied[0])
                    self.assertEqual(copied[1:], copied[:1] * 2)

    def test_pipelined_writes_and_reads_keep_their_order(self):
        requests, count = b"", 20
        for index in range(count):
            body = compact({"accountID": self.b.id, "orders": [order(f"pipe-{index}", BUY, "96000", "0.1")]})
            requests += post(body, "".join(f"{k}: {v}\r\n" for k, v in self.b.headers("batchNewOrder", body).items()))
            requests += get(f"{SYMBOLS}?symbol=vETH_vUSDC")
        raw, ids = self.raw().send(requests), []
        for index in range(count):
            item, = self.items_ok(raw.reply())
            self.assertEqual(item["clOrdID"], f"pipe-{index}")
            ids.append(item["orderID"])
            self.assertEqual(self.ok(raw.reply())[0]["id"], 2)
        self.assertEqual(ids, sorted(ids))
        self.items_ok(self.b.cancel(*[{"symbolID": BTC, "clOrdID": f"pipe-{i}"} for i in range(count)]))

    def test_what_stands_behind_a_refused_write_is_answered_too(self):
        """A refused write waits for the replies before it; the requests behind it must not be lost."""
        def write(name, good):
            body = compact({"accountID": self.b.id, "orders": [order(name, BUY, "96000", "0.1")]})
            headers = dict(self.b.headers("batchNewOrder", body))
            if not good:
                headers["X-API-Sign"] = "0x01" + "11" * 64 + "00"
            return post(body, "".join(f"{k}: {v}\r\n" for k, v in headers.items()))
        for number, kinds in enumerate(("wbg", "wbw", "wgbwg", "wbbwg")):
            with self.subTest(kinds):
                raw = self.raw().send(b"".join(get() if kind == "g" else write(f"behind-{number}-{i}", kind == "w")
                                               for i, kind in enumerate(kinds)))
                for kind in kinds:
                    self.assertEqual(raw.reply().code, 40101 if kind == "b" else 0)
                placed = [f"behind-{number}-{i}" for i, kind in enumerate(kinds) if kind == "w"]
                self.items_ok(self.b.cancel(*[{"symbolID": BTC, "clOrdID": name} for name in placed]))

    def test_the_answers_before_an_error_still_come(self):
        raw = self.raw().send(get() * 3 + b"BAD\r\n\r\n")
        for _ in range(3):
            self.assertEqual(raw.reply().code, 0)
        self.closing(raw, 400, 40090)

    def test_half_closed_clients_get_their_answer(self):
        import socket
        raw = self.raw().send(get())
        raw.socket.shutdown(socket.SHUT_WR)
        reply = raw.reply()
        self.assertTrue(reply is not None and reply.code == 0, reply)
        self.assertTrue(raw.closed())

    def place_by(self, client_id, frame, method="POST", body=None, action="batchNewOrder"):
        """Places an order with the request framed by `frame(head, body)`; the connection must stay good."""
        body = body or compact({"accountID": self.b.id, "orders": [order(client_id, BUY, "96000", "0.1")]})
        lines = "".join(f"{k}: {v}\r\n" for k, v in self.b.headers(action, body).items())
        raw = self.raw()
        frame(raw, f"{method} {BATCH} HTTP/1.1\r\n{HOST}{lines}", body)
        self.items_ok(raw.reply())
        self.assertEqual(raw.send(get()).reply().code, 0)

    def cancel_by(self, client_id, frame):
        body = compact({"accountID": self.b.id, "cancels": [{"symbolID": BTC, "clOrdID": client_id}]})
        self.place_by(client_id, frame, "DELETE", body, "batchCancelOrder")
        self.assertEqual(self.b.open_orders(), [])

    def test_bodies_in_chunks(self):
        def whole(raw, head, body):
            raw.send(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunked([body]))

        def bytewise(raw, head, body):
            raw.send(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunked([bytes([c]) for c in body]))

        def dressed(raw, head, body):
            half = len(body) // 2
            raw.send(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
            raw.send(chunked([body[:half], body[half:]], tail=b"X-Trailer: ignored\r\n\r\n", extension=b";name=value"))

        for index, frame in enumerate((whole, bytewise, dressed)):
            with self.subTest(frame.__name__):
                self.place_by(f"chunk-{index}", frame)
                self.cancel_by(f"chunk-{index}", frame)

    def test_delete_carries_a_body(self):
        def sized(raw, head, body):
            raw.send(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

        self.place_by("del-1", sized)
        self.cancel_by("del-1", sized)

    def test_byte_by_byte(self):
        def drip(raw, head, body):
            for byte in head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body:
                raw.send(bytes([byte]))

        self.place_by("drip-1", drip)
        self.cancel_by("drip-1", drip)

    def test_expect_100_continue(self):
        def waits(raw, head, body):
            raw.send(head.encode() + f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n".encode())
            interim = raw.reply()
            self.assertEqual(interim.status, 100)
            raw.send(body)

        def impatient(raw, head, body):
            raw.send(head.encode() + f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n".encode() + body)
            # 100 may be left out when the body is already there (RFC 9110 10.1.1); look without consuming
            while b"\r\n\r\n" not in raw.buffer:
                if not raw._more():
                    return
            if raw.buffer.startswith(b"HTTP/1.1 100"):
                raw.reply()

        self.place_by("wait-1", waits)
        self.cancel_by("wait-1", waits)
        self.place_by("wait-2", impatient)
        self.cancel_by("wait-2", impatient)

    def test_an_unknown_expectation_is_refused_or_ignored_but_answered(self):
        reply = self.raw().send(post(b"{}", "Expect: miracles\r\n")).reply()
        self.assertIn(reply.status, (200, 400, 417), reply)
        self.assertNotEqual(reply.code, 0)
        for lines in ("Expect: 100-continue, miracles\r\n", "Expect: 100-continue\r\nExpect: miracles\r\n",
                      "Expect: miracles\r\nExpect: 100-continue\r\n"):
            with self.subTest(lines):
                self.closing(self.raw().send(post(b"{}", lines)), 400, 40090)
                self.closing(self.raw().send(get("/ws/spot", extra=lines + "Upgrade: websocket\r\n")), 400, 40090)

    def test_no_body_is_promised_for_an_oversized_expectation(self):
        raw = self.raw().send(post(b"", "Content-Length: 200000\r\nExpect: 100-continue\r\n", length=False))
        self.closing(raw, 413, 41390)

    def test_query_parameters(self):
        raw = self.raw()
        self.assertEqual(raw.send(get(COINS + "?unknown=1&unknown=2&&x")).reply().code, 0)       # unknown: ignored
        self.refused(raw.send(get(SYMBOLS + "?symbol=vBTC_vUSDC&symbol=vBTC_vUSDC")).reply(), 40001)
        self.assertEqual(len(raw.send(get(SYMBOLS + "?symbol=vBTC%5FvUSDC")).reply().data), 1)   # percent-encoding
        self.assertNotEqual(raw.send(get(SYMBOLS + "?symbol=%zz")).reply().code, 0)
        self.assertEqual(raw.send(get(COINS)).reply().code, 0)

    # ---- many and slow

    def test_deadlines_of_slow_requests(self):
        """5 s for headers, 10 s for the body, from the first byte; a connection without a request may wait."""
        body = compact({"accountID": self.a.id, "orders": [order("slow", BUY, "96000", "0.1")]})
        cases = {
            "part of the request line": (b"GET /api", None, 5),
            "headers without an end": (get()[:-2], None, 5),
            "headers that drip": (b"GET /api HTTP/1.1\r\nHost: a\r\n", b"X: y\r\n", 5),
            "no body": (post(b"", "Content-Length: 10\r\n", length=False), None, 10),
            "part of the body": (post(body)[:-5], None, 10),
            "a body that drips": (post(b"", "Content-Length: 1000\r\n", length=False), b" ", 10),
            "a chunked body without an end": (post(b"2\r\n{}\r\n", "Transfer-Encoding: chunked\r\n", length=False),
                                              None, 10),
            "a second request": (get() + b"GET /api", None, 5),
        }
        outcome = {}

        def suffer(name, start, drip, seconds):
            raw = Raw(self.server.port, timeout=seconds + 6)
            begin = time.monotonic()
            raw.send(start)
            stop = threading.Event()

            def dripping():
                while drip and not stop.wait(0.5):
                    raw.send(drip)
            threading.Thread(target=dripping, daemon=True).start()
            try:
                reply = raw.reply()
                if name == "a second request":
                    reply = raw.reply()
                took = time.monotonic() - begin
                outcome[name] = (reply, took, raw.closed(), seconds)
            except OSError as error:
                outcome[name] = (error, time.monotonic() - begin, False, seconds)
            finally:
                stop.set()
                raw.close()

        silent = self.raw().send(get())
        self.assertEqual(silent.reply().code, 0)
        threads = [threading.Thread(target=suffer, args=(name, *case)) for name, case in cases.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, (reply, took, closed, seconds) in outcome.items():
            with self.subTest(name):
                self.assertTrue(hasattr(reply, "status"), f"{reply!r} after {took:.1f} s")
                self.refused(reply, 40890, status=408)
                self.assertTrue(closed, "not closed")
                self.assertGreater(took, seconds - 0.5)
                self.assertLess(took, seconds + (5 if INSTRUMENTED else 2))
        self.assertEqual(silent.send(get()).reply().code, 0, "an idle connection is kept for 60 s")
        self.assertEqual(self.a.open_orders(), [])

    def test_many_connections_from_one_address_end_in_a_refusal(self):
        """There is a cap per address: beyond it a connection is closed or answered with 503; the others stay open."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
        open_ones, refused = [], None
        try:
            for _ in range(4096):
                raw = Raw(self.server.port, timeout=5)
                open_ones.append(raw)
                try:
                    raw.socket.sendall(get("/healthz"))
                    reply = raw.reply()
                except OSError:
                    reply = None
                if reply is None or reply.status == 503:
                    refused = len(open_ones)
                    break
                self.assertEqual(reply.code, 0)
            self.assertIsNotNone(refused, "4096 connections from one address and none refused")
            print(f"      (connections per address before one is refused: {refused - 1})", flush=True)
            self.assertGreaterEqual(refused, 100, "64 keep-alive connections must fit with room to spare")
            self.assertEqual(open_ones[0].send(get()).reply().code, 0, "an old connection is served on")
        finally:
            for raw in open_ones:
                raw.close()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:                     # and the slots are free again
            raw = Raw(self.server.port)
            reply = raw.send(get()).reply()
            raw.close()
            if reply is not None and reply.status == 200:
                break
            time.sleep(0.1)
        else:
            self.fail("no connection is accepted after the others were closed")


if __name__ == "__main__":
    main()
