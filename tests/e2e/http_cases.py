#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Published bugs of HTTP servers, each as a case here: the 33 cases of h1spec, the bugs of servers and of proxies in
the list of the HTTP Garden, and the rules of the CISPA study that apply to our responses. A case names its number there
(h, s, t); one request may stand for several. http_rules.py has the rest of HTTP."""
import email.utils
import time

from harness import BUY, Case, Raw, Server, compact, main, order
from http_rules import BATCH, COINS, HOST, SYMBOLS, get

GET, POST = f"GET {COINS} HTTP/1.1\r\n", f"POST {BATCH} HTTP/1.1\r\n{HOST}"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n"
NO = "400, closed, and what stands behind is never answered"
END = "0\r\n\r\n"
CASES = [
    # request line
    ("h16 s6", "no version", "GET / \r\n\r\n", NO),
    ("h28 s5 s15", "a version that begins well", f"GET {COINS} HTTP/1.32\r\n{HOST}\r\n", NO),
    ("h28", "a version of the future", f"GET {COINS} HTTP/9.9\r\n{HOST}\r\n", NO),
    ("s24", "a version that overflows to 1.1", f"GET {COINS} HTTP/4294967297.257\r\n{HOST}\r\n", NO),
    ("s15", "a version with CRs in it", f"GET {COINS} HTTP/\r\r1.1\r\n{HOST}\r\n", NO),
    ("s40", "a version of dots and digits", f"GET {COINS} HTTP/...01.1.\r\n{HOST}\r\n", NO),
    ("s40", "a method of a NUL", f"\x00 {COINS} HTTP/1.1\r\n{HOST}\r\n", NO),
    ("s6", "a method that begins well", f'GE=";?T {COINS} HTTP/1.1\r\n{HOST}\r\n', NO),
    ("h29", "words before the method", f"Some words GET {COINS} HTTP/1.1\r\n{HOST}\r\n", NO),
    ("s7", "a target that is no path", f"GET ! HTTP/1.1\r\n{HOST}\r\n", NO),
    ("s9", "a line feed instead of a space", f"GET {COINS}\nHTTP/1.1\r\n{HOST}\r\n", NO),
    # names of headers
    ("h20 s14", "brackets in a name", GET + HOST + "X-A[]: 1\r\n\r\n", NO),
    *[("s14", f"the byte {byte:02x} in a name", GET + HOST + f"X{chr(byte)}A: 1\r\n\r\n", NO)
      for byte in (*range(0, 9), 11, 12, *range(14, 32), *b'"(),/;<=>?@[]{}\\', 127)],
    ("s8", "a byte above ASCII in a name", GET + HOST + "\xefoo: bar\r\n\r\n", NO),
    ("s20 t6", "a byte of another blank behind a name", POST + "Content-Length\x85: 10\r\n\r\n0123456789", NO),
    ("s20 t6", "a hard blank behind a name", POST + "Content-Length\xa0: 10\r\n\r\n0123456789", NO),
    ("s3", "a blank behind a name", POST + "Content-Length : 2\r\n\r\n{}", NO),
    ("s4", "a tab before the first name", f"POST {BATCH} HTTP/1.1\r\n\tContent-Length: 1\r\n{HOST}\r\nX", NO),
    ("s18", "an empty name first", f"GET {COINS} HTTP/1.1\r\n: x\r\n{HOST}\r\n", NO),
    ("s27", "nothing but a colon", GET + ":\r\n" + HOST + "\r\n", NO),
    ("s28 t14", "a name without a colon", POST + "Content-Length 2\r\n\r\n{}", NO),
    ("s37", "a name over two lines", POST + "Transfer-\r\nEncoding: chunked\r\nContent-Length: 5\r\n\r\n" + END, NO),
    ("t14", "a line feed in a name", GET + HOST + "X\nA: 1\r\n\r\n", NO),
    ("t20", "a NUL instead of a colon", GET + HOST + "a:b\r\nc\x00\r\n\r\n", NO),
    # values
    ("s2 s34 t10", "a CR in a value", GET + HOST + "X: a\rb\r\n\r\n", NO),
    ("s2 s35 t12", "a NUL in a value", GET + HOST + "X: a\x00b\r\n\r\n", NO),
    ("s43", "a NUL at the end of a value", GET + HOST + "X: a\x00\r\n\r\n", NO),
    ("t12", "a NUL in the host", GET + "Host: localhost\x00.example\r\n\r\n", NO),
    ("s13", "a CR that would begin a line", GET + HOST + "X: a\rY: b\r\n\r\n", NO),
    ("s19", "line feeds at the beginning of a value", GET + HOST + "X:\n\nGET / HTTP/1.1\r\n\r\n", NO),
    ("s30 h30", "an end of headers behind a CR alone", GET + HOST + "\rZ" + GET + HOST + "\r\n", NO),
    ("h27", "a bell in a value", GET + HOST + "X: a\x07\r\n\r\n", NO),
    ("s41", "bytes above ASCII in a value of no meaning", GET + HOST + "X: \x85admin\xa0\r\n\r\n", [200]),
    ("s46", "bytes above ASCII in the host", GET + "Host: \xffa\xff\r\n\r\n", NO),
    ("s16-values h19", "a tab before a value, an empty value", GET + "hoSt:\tlocalhost\r\nempty:\r\n\r\n", [200]),
    ("h26", "a blank value", GET + HOST + "X-Empty: \r\n\r\n", [200]),
    ("t16", "line feeds alone", f"GET {COINS} HTTP/1.1\nHost: a\n\n", NO),
    # host
    ("h21", "no host", f"POST {BATCH} HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", NO),
    ("h22", "two hosts", GET + "Host: a\r\nHost: b\r\n\r\n", NO),
    ("CISPA", "a host that is none", GET + "Host: ###\r\n\r\n", NO),
    *[("CISPA", f"the host {host}", GET + f"Host: {host}\r\n\r\n", NO)
      for host in ("a:x", "a:99999", "a:65536", "a:80:90", "[::1", "[::1]x", "[a]", "::1", "a|b", "a%2",
                   "127.0.0.1:evil", "a b", "a,b", "u@a", "a/b")],
    *[("CISPA", f"the host {host}", GET + f"Host: {host}\r\n\r\n", [200])
      for host in ("a:65535", "a:", "a:0", "[::1]:8080", "[::1]", "[::ffff:127.0.0.1]", "a%2Db", "a-b.c_d~e",
                   "127.0.0.1:1")],
    ("RFC 9112 2.2", "an empty line first", "\r\n" + GET + HOST + "\r\n", [200]),
    ("RFC 9112 2.2", "an empty line between", POST + "Content-Length: 2\r\n\r\n{}\r\n" + GET + HOST + "\r\n",
     [200, 200]),
    ("RFC 9112 2.2", "two empty lines first", "\r\n\r\n" + GET + HOST + "\r\n", NO),
    ("RFC 9112 2.2", "an empty line of a line feed", "\n" + GET + HOST + "\r\n", NO),
    # lengths
    ("h23", "a length far below zero", POST + "Content-Length: -123456789123456789123456789\r\n\r\n", NO),
    ("h24 s26", "a length below zero", POST + "Content-Length: -48\r\n\r\n", NO),
    ("h25", "a length of letters", POST + "Content-Length: abc\r\n\r\n", NO),
    ("s10", "a length with sign and underscore", POST + "Content-Length: +1_0\r\n\r\n0123456789", NO),
    ("s29", "a length that begins well", POST + "Content-Length: 1Z\r\n\r\nZ", NO),
    ("s32 t1", "a hexadecimal length", POST + "Content-Length: 0x10\r\n\r\n0123456789012345", NO),
    ("s16 s38 t5", "an empty length", POST + "Content-Length: \r\n\r\n", NO),
    ("s42 t11", "an empty length and another", POST + "Content-Length: \r\nContent-Length: 43\r\n\r\n", NO),
    ("s23 t22", "one and none", POST + "Content-Length: 1\r\nContent-Length: 0\r\n\r\nZ", NO),
    ("s33 t22", "none and one", POST + "Content-Length: 0\r\nContent-Length: 1\r\n\r\nZ", NO),
    ("s32", "a length that begins with 0 is decimal",
     POST + "Content-Length: 010\r\n\r\n0123456789" + GET + HOST + "\r\n", [200, 200]),
    ("t21", "a GET with a body", GET + HOST + "Content-Length: 10\r\n\r\n0123456789" + GET + HOST + "\r\n", [200, 200]),
    ("s48", "a body of no bytes", POST + "Content-Length: 0\r\n\r\n" + GET + HOST + "\r\n", [200, 200]),
    ("h31", "a POST with its body", POST + "Content-Length: 5\r\n\r\nhello", [200]),
    # encodings
    ("h32 t23", "chunked and a length", POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + END, NO),
    ("t23", "a length and chunked", POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + END, NO),
    ("s11 t25", "chunked twice",
     POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nZ\r\n" + END, NO),
    ("s12", "hard blanks around chunked", POST + "Transfer-Encoding: \xa0chunked\xa0\r\n\r\n" + END, NO),
    ("s46", "bytes around chunked", POST + "Transfer-Encoding: \xffchunked\xff\r\n\r\n1\r\nZ\r\n" + END, NO),
    ("s21 t9 t18", "a comma before chunked", POST + "Transfer-Encoding: ,chunked\r\n\r\n" + END, NO),
    ("s21 t15", "a comma before chunked, and a length",
     POST + "Transfer-Encoding: ,chunked\r\nContent-Length: 5\r\n\r\n" + END, NO),
    ("s44", "an encoding that nobody knows", POST + "Transfer-Encoding: blah\r\n\r\n1\r\nZ\r\n" + END, NO),
    # chunks
    ("s1 s22", "a size with an underscore", CHUNKED + "0_2\r\n{}\r\n" + END, NO),
    ("s25 t19", "a size with a plus", CHUNKED + "+2\r\n{}\r\n" + END, NO),
    ("s25 t19", "a size with a minus", CHUNKED + "-0x0\r\n\r\n", NO),
    ("s22 s25 t7", "a size with 0x", CHUNKED + "0x2\r\n{}\r\n" + END, NO),
    ("s22 t7", "a size that begins well", CHUNKED + "1and more\r\nZ\r\n" + END, NO),
    ("s17", "an empty size", CHUNKED + "\r\n\r\n", NO),
    ("t2 s47", "a size of other letters", CHUNKED + "Z\r\nZZ\r\nZZZ\r\n\r\n", NO),
    ("t24", "blanks before a size", CHUNKED + "    2\r\n{}\r\n" + END, NO),
    ("s31 t3", "a CR behind a size", CHUNKED + "2\r\r;a\r\n{}\r\n" + END, NO),
    ("s36", "a CR in an extension", CHUNKED + "2;a=b\r\rXX\r\n" + END, NO),
    ("t4", "a CR and no line feed", CHUNKED + "1\r0\n", NO),
    ("t13", "a line feed behind a chunk", CHUNKED + "a\r\n0123456789\n" + END, NO),
    ("t17", "an empty line before the last chunk", CHUNKED + "2\r\n{}\r\n\r\n" + END, NO),
    ("s39", "a trailer is no request", CHUNKED + "2\r\n{}\r\n0\r\nX:POST / HTTP/1.1\r\n\r\n" + GET + HOST + "\r\n",
     [200, 200]),
    ("b3", "a byte behind the last chunk", CHUNKED + "2\r\n{}\r\n" + END + "\x00", [200, 400]),
    ("s1 t2", "a request hidden behind a size",
     CHUNKED + "0_2e\r\n\r\n" + GET + HOST + "Content-Length: 5\r\n\r\n" + END, NO),
    # one behind the other
    ("s45", "nonsense behind a last request", GET + HOST + "Connection: close\r\n\r\nInvalid\r\n\r\n", [200]),
    ("s47", "a request behind nonsense", CHUNKED + "INVALID!!!\r\n" + GET + HOST + "\r\n", NO),
]


class Cases(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.a = cls.server.accounts()[0]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def raw(self):
        raw = Raw(self.server.port)
        self.addCleanup(raw.close)
        return raw

    def judge(self, text, wanted):
        """None, or the error in the responses to these bytes."""
        with Raw(self.server.port) as raw:
            raw.send(text.encode("latin-1") + (get() if wanted is NO else b""))
            for status in [400] if wanted is NO else wanted:
                reply = raw.reply()
                if reply is None or reply.status != status:
                    return f"{status} is missing: {reply}"
                if abs(email.utils.parsedate_to_datetime(reply.headers["date"]).timestamp() - time.time()) > 60:
                    return f"it was not given at {reply.headers['date']}"
            closes = reply.headers.get("connection", "").lower() == "close"
            if wanted is NO and not (closes and raw.closed()):
                return "it stays open"
            return None

    def test_every_case(self):
        for numbers, what, text, wanted in CASES:
            with self.subTest(f"{numbers}: {what}"):
                self.assertIsNone(self.judge(text, wanted))
        print(f"      ({len(CASES)} cases)", flush=True)

    def test_a_server_that_is_lenient_would_be_noticed(self):
        """The judge itself, on valid requests that are expected to be refused; and the other way round."""
        self.assertIsNotNone(self.judge(GET + HOST + "\r\n", NO))
        self.assertIsNotNone(self.judge(POST + "Content-Length: 2\r\n\r\n{}", NO))
        self.assertIsNotNone(self.judge(GET + "\r\n", [200]))
        self.assertIsNotNone(self.judge(GET + HOST + "Connection: close\r\n\r\n", [200, 200]))

    def test_every_beginning_of_a_request_is_waited_for(self):
        """h1 to h15, and all other places where a request can be cut."""
        text = get(extra="X: y\r\n")
        waiting = []
        for length in range(1, len(text)):
            raw = self.raw().send(text[:length])
            waiting.append((length, raw))
        time.sleep(0.3)
        for length, raw in waiting:
            raw.socket.setblocking(False)
            with self.subTest(length):
                with self.assertRaises(BlockingIOError):
                    raw.socket.recv(1)
                raw.socket.setblocking(True)
                self.assertEqual(raw.send(text[length:]).reply().code, 0)

    def test_an_expectation_without_a_body(self):
        """h17; and (CISPA) 100 comes before 101."""
        raw = self.raw().send(get(extra="Expect: 100-continue\r\n"))
        reply = raw.reply()
        self.assertIn(reply.status, (100, 200))
        if reply.status == 100:
            self.assertEqual(raw.reply().status, 200)
        raw = self.raw().send(
            f"GET /ws/spot HTTP/1.1\r\n{HOST}Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nExpect: 100-continue\r\n\r\n".encode())
        self.assertEqual(raw.reply().status, 100)
        raw.socket.settimeout(5)
        while b"\r\n\r\n" not in raw.buffer:
            self.assertTrue(raw._more(), raw.buffer)
        self.assertTrue(raw.buffer.startswith(b"HTTP/1.1 101 ") and b"\r\nupgrade: websocket" in raw.buffer.lower(),
                        raw.buffer)

    def test_what_we_send_keeps_the_rules(self):
        """CISPA's rules for responses, those that apply: no line twice, no length with 1xx and 204, HEAD as GET, Allow
        with 405, a valid origin, whole seconds; no protocol switch without a request for it."""
        body = compact({"accountID": self.a.id, "orders": [order("rules", BUY, "96000", "0.1")]})
        lines = "".join(f"{k}: {v}\r\n" for k, v in self.a.headers("batchNewOrder", body).items())
        asked = {"GET": get(), "HEAD": get().replace(b"GET", b"HEAD", 1), "404": get("/nowhere"), "405": get(BATCH),
                 "400": b"x\r\n\r\n", "options": f"OPTIONS {COINS} HTTP/1.1\r\n{HOST}"
                 "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n".encode(),
                 "origin": get(extra="Origin: https://a.example\r\n"), "page": get("/docs"),
                 "write": f"POST {BATCH} HTTP/1.1\r\n{HOST}{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body,
                 "metrics": get("/metrics"), "upgrade": get(extra="Upgrade: h2c\r\nConnection: upgrade\r\n"),
                 "1.0": get(version="1.0"), "range": get(extra="Range: bytes=0-3\r\n"),
                 "since": get(extra="If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\n")}
        replies = {}
        for what, text in asked.items():
            raw = self.raw().send(text)
            reply = replies[what] = raw.reply(head=what == "HEAD")
            names = [name.lower() for name in self.names(text)]
            self.assertEqual(len(names), len(set(names)), f"{what}: a line twice: {names}")
            if reply.status == 204 or reply.status < 200:
                self.assertNotIn("content-length", reply.headers)
            if "access-control-allow-origin" in reply.headers:
                self.assertIn(reply.headers["access-control-allow-origin"], ("*", "https://a.example"))
            if "access-control-max-age" in reply.headers:
                self.assertRegex(reply.headers["access-control-max-age"], r"^[0-9]+$")
            self.assertNotEqual(reply.status, 101)
            self.assertNotIn("transfer-encoding", reply.headers)
        self.assertEqual({k: v for k, v in replies["HEAD"].headers.items()},
                         {k: v for k, v in replies["GET"].headers.items()})
        self.assertTrue(replies["405"].headers["allow"])
        self.assertEqual((replies["range"].status, replies["since"].status, replies["upgrade"].status), (200, 200, 200))

    def names(self, text):
        with Raw(self.server.port) as raw:
            raw.send(text)
            while b"\r\n\r\n" not in raw.buffer and raw._more():
                pass
            return [line.split(b":")[0].decode() for line in raw.buffer.split(b"\r\n\r\n")[0].split(b"\r\n")[1:]]

    def test_methods(self):
        """CISPA: a method that the resource does not have is 405 with Allow; one that no resource here has is 501 (RFC
        9110, 15.6.2)."""
        for method, status in (("TRACE", 501), ("CONNECT", 501), ("PUT", 405), ("PATCH", 405)):
            with self.subTest(method):
                target = "localhost:80" if method == "CONNECT" else SYMBOLS
                reply = self.raw().send(f"{method} {target} HTTP/1.1\r\n{HOST}\r\n".encode()).reply()
                self.assertEqual(reply.status, status, reply)


if __name__ == "__main__":
    main()
