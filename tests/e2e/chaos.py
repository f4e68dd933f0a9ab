# SPDX-License-Identifier: MIT
"""Faults on demand (docs/chaos.md), each as a client sees it and as the log tells of it."""
import base64
import http.client
import json
import os
import socket
import struct
import time

from harness import (BUY, PERPS_BASE, Case, Client, Connection, Folder, Perps, Server, compact, main, order,
                     run)
from limits import Venue

TIME = "/api/v1/time"


class Rules:
    """The rules of a server, through /rpc."""

    def __init__(self, server):
        self.connection = Connection(server.port)

    def call(self, method, *params, headers=()):
        return self.connection.send("POST", "/rpc", compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                             "params": list(params)}), headers)

    def add(self, fault, **keys):
        answer = self.call("dojima_chaosAdd", {"fault": fault, **keys}).json
        assert "result" in answer, answer
        return answer["result"]["id"]

    def list(self):
        return {rule["id"]: rule for rule in self.call("dojima_chaosList").json["result"]}

    def clear(self):
        return self.call("dojima_chaosClear").json["result"]

    def error(self, rule):
        return self.call("dojima_chaosAdd", rule).json["error"]


class Socket:
    """A connection by hand."""

    def __init__(self, port, seconds=10):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.bytes = b""

    def send(self, data):
        self.socket.sendall(data)

    def request(self, path, method="GET", body=b"", headers=()):
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}",
                 *(f"{name}: {value}" for name, value in dict(headers).items())]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def more(self):
        got = self.socket.recv(65536)
        self.bytes += got
        return got

    def answer(self):
        """Status, head and body of the next answer."""
        while b"\r\n\r\n" not in self.bytes:
            if not self.more():
                raise EOFError(self.bytes)
        head, _, rest = self.bytes.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        length = int(fields.get("content-length", 0))
        while len(rest) < length:
            if not self.more():
                raise EOFError(self.bytes)
            rest = self.bytes.partition(b"\r\n\r\n")[2]
        self.bytes = rest[length:]
        return int(lines[0].split()[1]), fields, json.loads(rest[:length] or b"null")

    def close(self):
        self.socket.close()


class Stream(Socket):
    """A WebSocket by hand: how it ends can be seen."""

    def __init__(self, port, path="/ws/spot", seconds=10):
        super().__init__(port, seconds)
        self.request(path, headers={"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                                    "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()})
        status, _, _ = self.answer()
        assert status == 101, status

    def tell(self, message):
        data = json.dumps(message).encode()
        head = struct.pack("!BB", 0x81, 0x80 | len(data)) if len(data) < 126 else \
            struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        self.send(head + b"\0\0\0\0" + data)

    def take(self, count):
        while len(self.bytes) < count:
            if not self.more():
                raise EOFError(self.bytes)
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def frame(self):
        """Opcode and payload."""
        first, length = self.take(2)
        if length == 126:
            length = struct.unpack("!H", self.take(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self.take(8))[0]
        return first & 15, self.take(length)

    def message(self, channel=None):
        """The next push, or the next of that channel."""
        while True:
            opcode, payload = self.frame()
            if opcode == 8:
                raise EOFError(struct.unpack("!H", payload[:2])[0])
            if opcode != 1:
                continue
            message = json.loads(payload)
            if "channel" in message and channel in (None, message["channel"]):
                return message

    def subscribe(self, channel, **params):
        self.tell({"op": "subscribe", "params": {"channel": channel, **params}})


class ChaosCase(Case):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.server = Server(*cls.arguments, data=cls.folder.path)
        cls.rules = Rules(cls.server)
        cls.alice, cls.bob = cls.server.accounts()[:2]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.__exit__()

    def setUp(self):
        self.connection = Connection(self.server.port)

    def tearDown(self):
        self.connection.close()
        self.rules.clear()

    def read(self, path=TIME, **more):
        return self.connection.send("GET", path, **more)

    def acted(self, rule):
        return self.rules.list()[rule]["acted"]

    def client(self, who=None, seconds=20):
        """An account on a connection of its own."""
        who = who or self.alice
        return Client(self.server, who.wallet, who.id, Connection(self.server.port, seconds))

    def orders(self, client_id, who=None):
        """How many orders of this id there are or were."""
        who = who or self.alice
        return sum(row["clOrdID"] == client_id for row in who.open_orders() + who.history("?limit=1000"))


class Answers(ChaosCase):
    def test_refusals_have_the_words_of_real_ones(self):
        for fault, status, code, after in (("429", 429, 42901, "7"), ("503", 503, 50301, "1"),
                                           ("500", 500, 50001, None)):
            rule = self.rules.add(fault, path="time", count=1, **({"retryAfter": 7} if fault == "429" else {}))
            answer = self.read()
            self.assertEqual((answer.status, answer.code), (status, code), answer)
            self.assertEqual(answer.headers.get("retry-after"), after)
            self.assertEqual(answer.headers["x-dojima-chaos"], str(rule))
            again = self.read()
            self.assertEqual(again.status, 200)
            self.assertNotIn("x-dojima-chaos", again.headers)
            self.assertEqual(self.acted(rule), 1)

    def test_a_rule_by_a_notification(self):
        """A call without an id is carried out and not answered (JSON-RPC 2.0, 4.1)."""
        for body in ({"jsonrpc": "2.0", "method": "dojima_chaosAdd", "params": [{"fault": "429"}]},
                     [{"jsonrpc": "2.0", "method": "dojima_chaosAdd", "params": [{"fault": "503"}]}]):
            reply = self.rules.connection.send("POST", "/rpc", compact(body), {"Content-Type": "application/json"})
            self.assertEqual((reply.status, reply.raw), (204, b""))
        self.assertEqual([rule["fault"] for rule in self.rules.list().values()], ["429", "503"])
        self.rules.clear()

    def test_a_refused_order_is_not_placed(self):
        for fault in ("429", "503", "500", "reset-before"):
            self.rules.add(fault, path="orders", method="POST", count=1)
            client = self.client()
            try:
                answer = client.place(order(f"refused-{fault}", BUY, "50000", "0.001"))
                self.assertNotEqual(answer.code, 0)
                self.assertNotIn("x-dojima-seq", answer.headers)
            except (ConnectionResetError, http.client.RemoteDisconnected):
                self.assertEqual(fault, "reset-before")
            self.assertEqual(self.orders(f"refused-{fault}"), 0)
            self.assertEqual(client.place(order(f"then-{fault}", BUY, "50000", "0.001")).code, 0)

    def test_a_reset_before_is_a_reset(self):
        self.rules.add("reset-before", path="time")
        raw = Socket(self.server.port)
        raw.request(TIME)
        with self.assertRaises(ConnectionResetError):
            raw.answer()

    def test_a_dropped_reply_leaves_the_order_and_silence(self):
        rule = self.rules.add("drop-reply", path="orders", method="POST", count=1)
        with self.assertRaises(TimeoutError):
            self.client(seconds=1).place(order("dropped", BUY, "50000", "0.001"))
        self.assertEqual(self.orders("dropped"), 1)
        self.assertEqual(self.acted(rule), 1)

    def test_nothing_follows_a_dropped_reply_on_its_connection(self):
        self.rules.add("drop-reply", path="time", count=1)
        raw = Socket(self.server.port, 1)
        raw.request(TIME)
        raw.request(TIME)
        with self.assertRaises(TimeoutError):
            raw.answer()
        raw.close()
        self.assertEqual(self.read().status, 200)

    def test_a_reset_after_leaves_the_order(self):
        self.rules.add("reset-after", path="orders", method="POST", count=1)
        with self.assertRaises((ConnectionResetError, http.client.RemoteDisconnected)):
            self.client().place(order("reset-after", BUY, "50000", "0.001"))
        self.assertEqual(self.orders("reset-after"), 1)

    def test_a_large_answer_is_dropped_delayed_and_marked_too(self):
        """Answers from 4096 bytes on take another way to the socket."""
        path = f"/api/v1/spot/accounts/{self.bob.address}/orders"
        self.bob.place(*(order(f"large-{i}", BUY, "40000", "0.001") for i in range(40)))
        whole = self.read(path)
        self.assertGreater(len(whole.raw), 4096)
        rule = self.rules.add("latency", path=path, out="50")
        late = self.read(path)
        self.assertEqual(late.headers["x-dojima-chaos"], str(rule))
        self.assertEqual(late.data, whole.data)
        self.rules.clear()
        self.rules.add("reset-after", path=path)
        with self.assertRaises((ConnectionResetError, http.client.RemoteDisconnected)):
            self.read(path)

    def test_a_skewed_clock_is_shown_and_not_used(self):
        self.rules.add("skew", ms=-86400000)
        now = time.time() * 1000
        answer = self.read()
        for shown in (answer.data["serverTime"], answer.json["timestamp"]):
            self.assertAlmostEqual(shown, now - 86400000, delta=60000)
        placed = self.client().place(order("skewed", BUY, "50000", "0.001"))
        self.assertEqual(placed.code, 0, placed)            # a nonce of the right time
        self.assertAlmostEqual(placed.json["timestamp"], now - 86400000, delta=60000)
        self.rules.clear()
        row = next(row for row in self.alice.open_orders() if row["clOrdID"] == "skewed")
        self.assertAlmostEqual(row["createdAt"], now, delta=60000)

    def test_cors_and_head_stay(self):
        self.rules.add("429", path="time")
        page = self.read(headers={"Origin": "http://localhost:3000"})
        self.assertEqual(page.headers["access-control-allow-origin"], "*")
        self.assertNotIn("access-control-allow-origin", self.read().headers)
        head = self.connection.send("HEAD", TIME)
        self.assertEqual((head.status, head.raw), (429, b""))


class Times(ChaosCase):
    def took(self, path=TIME, count=1):
        times = []
        for _ in range(count):
            began = time.monotonic()
            self.read(path)
            times.append(time.monotonic() - began)
        return times

    def test_a_delay_takes_at_least_its_time(self):
        self.rules.add("delay", path="time", ms=200)
        self.assertGreaterEqual(self.took()[0], 0.199)
        self.rules.clear()
        self.rules.add("delay", path="time", ms=100, jitter=50)
        times = self.took(count=10)
        self.assertGreaterEqual(min(times), 0.049)
        self.assertGreater(max(times) - min(times), 0.005)

    def test_latency_adds_up_in_both_directions(self):
        rule = self.rules.add("latency", **{"in": "80", "out": "uniform:60:70"})
        self.assertGreaterEqual(self.took()[0], 0.139)
        placed = self.client()
        began = time.monotonic()
        answer = placed.place(order("late", BUY, "50000", "0.001"))
        self.assertGreaterEqual(time.monotonic() - began, 0.139)
        self.assertEqual(answer.headers["x-dojima-chaos"], str(rule))

    def test_pipelined_answers_keep_their_order(self):
        """Requests that are sent together arrive together, and their answers never overtake."""
        self.rules.add("latency", path="/api/v1/", **{"in": "uniform:0:60", "out": "exponential:30"})
        raw, count = Socket(self.server.port), 20
        for i in range(count):
            raw.request(f"{TIME}?n={i}" if i % 2 else "/api/v1/spot/markets/nowhere")
        statuses = [raw.answer()[0] for _ in range(count)]
        self.assertEqual(statuses, [404, 200] * (count // 2))

    def test_a_connection_ends_behind_its_last_answer(self):
        self.rules.add("latency", path="time", **{"in": "50", "out": "150"})
        raw, began = Socket(self.server.port), time.monotonic()
        raw.request(TIME)
        raw.request(TIME, headers={"Connection": "close"})
        self.assertEqual([raw.answer()[0], raw.answer()[0]], [200, 200])
        self.assertGreaterEqual(time.monotonic() - began, 0.199)
        self.assertEqual(raw.more(), b"")

    def test_requests_that_arrive_together_wait_together(self):
        self.rules.add("latency", path="time", **{"in": "1000"})
        raw, began = Socket(self.server.port, 30), time.monotonic()
        for _ in range(16):
            raw.request(TIME)
        for _ in range(16):
            raw.answer()
        took = time.monotonic() - began
        self.assertGreaterEqual(took, 0.999)
        self.assertLess(took, 12)                           # one after the other they would take 16 s

    def test_an_account_alone_is_slow(self):
        self.rules.add("latency", account=self.alice.id, **{"in": "300"})
        for client, least in ((self.client(self.alice), 0.299), (self.client(self.bob), 0)):
            began = time.monotonic()
            client.place(order("slow", BUY, "50000", "0.001"))
            self.assertGreaterEqual(time.monotonic() - began, least)
        rule = list(self.rules.list().values())[0]
        self.assertEqual(rule["matched"], 1)

    def test_slow_syncs_delay_writes_and_lose_none(self):
        self.rules.add("slow-fsync", ms=150)
        client, began = self.client(), time.monotonic()
        for i in range(3):
            self.assertEqual(client.place(order(f"sync-{i}", BUY, "50000", "0.001")).code, 0)
        self.assertGreaterEqual(time.monotonic() - began, 3 * 0.149)
        self.assertEqual(self.read().status, 200)

    def test_a_delayed_connection_is_not_idle(self):
        """What waits neither blocks other connections nor is lost when its client sends more."""
        self.rules.add("delay", path="time", ms=5000)
        raw, began = Socket(self.server.port, 20), time.monotonic()
        raw.request(TIME)
        self.assertEqual(self.read("/api/v1/spot/markets/symbols").status, 200)
        self.assertLess(time.monotonic() - began, 4.9)
        raw.request("/api/v1/spot/markets/symbols")
        self.assertEqual(raw.answer()[2]["data"].keys(), {"serverTime"})
        self.assertEqual(raw.answer()[0], 200)


class Streams(ChaosCase):
    def book(self):
        stream = Stream(self.server.port)
        stream.subscribe("l4Book", symbols=["vBTC_vUSDC"])
        return stream

    def change(self, count, at=0):
        for i in range(count):
            placed = self.alice.place(order(f"s{time.monotonic_ns()}", BUY, str(40000 + at + i), "0.001"))
            self.assertEqual(placed.code, 0)

    def test_a_stream_is_cut_at_its_third_message(self):
        rule = self.rules.add("cut", path="/ws/spot", channel="l4Book", at=3)
        for _ in range(2):
            stream = self.book()
            self.assertEqual(stream.message()["type"], "snapshot")
            self.change(1)
            stream.message()
            self.change(1)
            with self.assertRaises((EOFError, ConnectionResetError)) as end:
                stream.message()
            if isinstance(end.exception, EOFError):
                self.assertEqual(end.exception.args[0], b"")    # no close frame
        self.assertEqual(self.acted(rule), 2)
        self.assertEqual(self.rules.list()[rule]["matched"], 2)

    def test_a_cut_may_have_a_close_code(self):
        self.rules.add("cut", channel="l4Book", at=1, code=1012)
        with self.assertRaises(EOFError) as end:
            self.book().message()
        self.assertEqual(end.exception.args[0], 1012)

    def test_a_skipped_message_is_a_gap(self):
        self.rules.add("skip", channel="l4Book", at=3)
        stream = self.book()
        stream.message()
        ids = []
        for i in range(3):
            self.change(1)
            if i != 1:
                ids.append(stream.message()["data"])
        self.assertEqual(self.rules.list().popitem()[1]["acted"], 1)
        first, last = ids[0]["u"], ids[1]
        self.assertGreater(last["U"] if "U" in last else last["pu"] + 1, first + 1)

    def test_a_repeated_message_comes_twice(self):
        self.rules.add("repeat", channel="l4Book", at=2)
        stream = self.book()
        stream.message()
        self.change(1)
        self.assertEqual(stream.message(), stream.message())

    def test_a_stalled_message_holds_up_those_behind_it(self):
        self.rules.add("stall", channel="trade", ms=500, count=1)
        stream = Stream(self.server.port)
        stream.subscribe("l4Book", symbols=["vBTC_vUSDC"])
        stream.message("l4Book")
        began = time.monotonic()
        stream.subscribe("trade", symbols=["vBTC_vUSDC"])
        self.assertEqual(stream.message()["channel"], "trade")
        self.change(1)
        self.assertGreaterEqual(time.monotonic() - began, 0)
        stream.message("l4Book")
        self.assertGreaterEqual(time.monotonic() - began, 0.499)

    def test_messages_are_late_and_in_order(self):
        self.rules.add("latency", path="/ws/spot", **{"in": "100", "out": "uniform:50:150"})
        began = time.monotonic()
        stream = self.book()
        stream.message()
        self.assertGreaterEqual(time.monotonic() - began, 0.149)
        self.change(20)
        last = stream.message()["data"]["u"]
        while last < stream_end(self):
            now = stream.message()["data"]["u"]
            self.assertGreater(now, last)
            last = now

    def test_other_connections_are_left_alone(self):
        self.rules.add("skip", channel="l4Book", path="/ws/perps")
        self.assertEqual(self.book().message()["type"], "snapshot")

    def test_a_handshake_can_be_refused(self):
        self.rules.add("503", path="/ws/spot", count=1)
        with self.assertRaises(AssertionError) as refused:
            Stream(self.server.port)
        self.assertEqual(refused.exception.args[0], 503)
        Stream(self.server.port).close()


def stream_end(case):
    return case.read("/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=5").data["updateID"]


class Triggers(ChaosCase):
    def pattern(self, count=60):
        return [self.read().status for _ in range(count)]

    def test_a_seed_gives_the_same_faults_again_and_elsewhere(self):
        rule = {"path": "time", "probability": 0.3, "seed": 11}
        first = self.rules.add("503", **rule)
        one = self.pattern()
        self.assertEqual(self.acted(first), one.count(503))
        self.assertTrue(5 < one.count(503) < 35, one)
        self.rules.clear()
        self.rules.add("503", **rule)
        self.assertEqual(self.pattern(), one)
        self.rules.clear()
        self.rules.add("503", **dict(rule, seed=12))
        self.assertNotEqual(self.pattern(), one)
        with Server() as other:
            Rules(other).add("503", **rule)
            connection = Connection(other.port)
            self.assertEqual([connection.send("GET", TIME).status for _ in range(60)], one)

    def test_each_nth_and_so_often(self):
        self.rules.add("429", path="time", every=3, count=2)
        self.assertEqual(self.pattern(12), [200, 200, 429, 200, 200, 429] + [200] * 6)

    def test_a_window_of_engine_time(self):
        """The clock advances: nothing has to be waited for."""
        rule = self.rules.add("429", path="time", after=60000, **{"for": 60000})
        self.assertEqual(self.read().status, 200)
        self.rules.call("evm_increaseTime", 61)
        self.assertEqual(self.read().status, 429)
        self.rules.call("evm_increaseTime", 60)
        self.assertEqual(self.read().status, 200)
        self.assertEqual(self.rules.list()[rule]["matched"], 1)

    def test_scopes(self):
        mine, other = self.client(self.alice), self.client(self.bob)
        for keys, hit, missed in (
                ({"account": self.alice.id}, mine.open_orders, other.open_orders),
                ({"address": self.alice.address}, mine.open_orders, other.open_orders),
                ({"method": "GET", "path": "/api/v1/spot"}, mine.open_orders, lambda: self.read().data),
                ({"path": f"{self.alice.address}/orders"}, mine.open_orders, lambda: mine.mine("balances").data),
                ({"address": "127.0.0.1", "path": "orders"}, mine.open_orders, lambda: self.read().data),
                ({"address": "10.1.2.3"}, None, mine.open_orders)):
            rule = self.rules.add("429", **keys)
            if hit:
                with self.assertRaises(KeyError):
                    hit()
            missed()
            self.assertEqual(self.acted(rule), 1 if hit else 0, keys)
            self.rules.clear()
        rule = self.rules.add("429", account=self.alice.id)
        self.assertEqual(mine.place(order("scope", BUY, "50000", "0.001")).status, 429)
        positions = Perps(mine).get(f"/accounts/{self.alice.address}/positions?accountID={self.alice.id}")
        self.assertEqual(positions.status, 429)
        self.assertEqual(other.place(order("scope", BUY, "50000", "0.001")).status, 200)
        self.assertEqual(self.acted(rule), 2)

    def test_rules_end_one_by_one_or_all_together(self):
        one, two = self.rules.add("429", path="time"), self.rules.add("503", path="symbols")
        self.assertIs(self.rules.call("dojima_chaosRemove", one).json["result"], True)
        self.assertEqual(self.read().status, 200)
        self.assertEqual(list(self.rules.list()), [two])
        self.assertEqual(self.rules.call("dojima_chaosRemove", one).json["error"]["code"], -32602)
        self.assertEqual(self.rules.clear(), 1)
        self.assertEqual(self.rules.clear(), 0)

    def test_no_rule_can_keep_its_removal_away(self):
        for fault in ("drop-reply", "reset-before", "429"):
            self.rules.add(fault)
        for path in ("/healthz", "/metrics", "/readyz"):
            self.assertEqual(self.read(path).status, 200)
        self.assertEqual(self.rules.clear(), 3)
        self.assertEqual(self.read().status, 200)


class Mistakes(ChaosCase):
    def test_each_names_its_key_and_changes_nothing(self):
        for rule, key in (
                ({}, "fault"), ({"fault": "teapot"}, "fault"), ({"fault": 429}, "fault"),
                *(({"fault": "429", "probability": p}, "probability") for p in (0, 1.01, -0.1, "0.5", 0.1234567)),
                ({"fault": "429", "every": 0}, "every"), ({"fault": "429", "count": -1}, "count"),
                ({"fault": "429", "often": 3}, "often"), ({"fault": "429", "channel": "trade"}, "channel"),
                ({"fault": "429", "ms": 5}, "ms"), ({"fault": "delay"}, "ms"), ({"fault": "delay", "ms": 60001}, "ms"),
                ({"fault": "delay", "ms": -1}, "ms"), ({"fault": "delay", "ms": 5, "jitter": 60001}, "jitter"),
                ({"fault": "delay", "in": "5", "ms": 5}, "in"), ({"fault": "latency"}, "in"),
                ({"fault": "latency", "in": "gauss:1:2"}, "in"), ({"fault": "latency", "out": "uniform:9:1"}, "out"),
                ({"fault": "429", "path": "/rpc"}, "path"), ({"fault": "429", "path": ""}, "path"),
                ({"fault": "429", "path": "x" * 96}, "path"), ({"fault": "429", "method": "PUT"}, "method"),
                ({"fault": "429", "address": "localhost"}, "address"), ({"fault": "429", "address": "0x12"}, "address"),
                ({"fault": "429", "retryAfter": 3601}, "retryAfter"), ({"fault": "cut", "code": 999}, "code"),
                ({"fault": "skew"}, "ms"), ({"fault": "skew", "ms": 31622400001}, "ms"),
                ({"fault": "stale-index", "symbol": "DOGE-USD"}, "symbol"),
                ({"fault": "429", "after": 31622400001}, "after"), ({"fault": "429", "for": 31622400001}, "for"),
                ({"fault": "slow-fsync"}, "ms")):
            error = self.rules.error(rule)
            self.assertEqual(error["code"], -32602, rule)
            self.assertRegex(error["message"], rf"^invalid params: {key} needs ", rule)
        self.assertEqual(self.rules.error([])["code"], -32602)
        self.assertEqual(self.rules.list(), {})

    def test_sixty_four_rules_at_most(self):
        for _ in range(64):
            self.rules.add("429", path="nowhere")
        self.assertEqual(self.rules.error({"fault": "429"})["code"], -32000)
        self.assertEqual(self.rules.clear(), 64)

    def test_a_page_of_another_site_is_refused(self):
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"X-Forwarded-For": "10.0.0.1"}):
            for method, params in (("dojima_chaosAdd", [{"fault": "429"}]), ("dojima_chaosList", []),
                                   ("dojima_chaosRemove", [1]), ("dojima_chaosClear", [])):
                answer = self.rules.call(method, *params, headers={"Content-Type": "application/json", **headers})
                self.assertEqual(answer.json["error"]["code"], -32601, headers)
        self.assertEqual(self.rules.list(), {})

    def test_a_venue_has_none_of_it(self):
        with Venue(self) as venue:
            for method, params in (("dojima_chaosAdd", [{"fault": "429"}]), ("dojima_chaosList", []),
                                   ("dojima_chaosRemove", [1]), ("dojima_chaosClear", [])):
                answer = Rules(venue).call(method, *params)
                self.assertEqual(answer.json["error"]["code"], -32601)
            self.assertEqual(Connection(venue.port).send("GET", TIME).status, 200)


class CommandLine(ChaosCase):
    def chaos(self, *words):
        return run("chaos", *words, "--url", self.server.banner["url"])

    def test_rules_from_the_command_line(self):
        code, out, err = self.chaos("429", "--rate", "0.5", "--path", "time", "--seed", "3", "--retry-after", "2")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^ *\d+  429 .*path time.*probability 0\.5.*matched 0, acted 0\n$")
        self.read()
        code, out, _ = self.chaos("list")
        self.assertRegex(out, r"matched 1, acted [01]\n$")
        code, out, _ = self.chaos("list", "--json")
        rule = json.loads(out)[0]
        self.assertEqual((rule["fault"], rule["seed"], rule["retryAfter"]), ("429", 3, 2))
        self.assertEqual(self.chaos("remove", str(rule["id"]))[:2], (0, "removed\n"))
        self.assertEqual(self.chaos("list")[1], "no rules\n")
        self.assertEqual(self.chaos("skew", "--ms", "-5000")[0], 0)
        self.assertEqual(self.chaos("latency", "--in", "lognormal:20:0.5", "--out", "15")[0], 0)
        self.assertEqual(self.chaos("clear")[1], "2 removed\n")

    def test_a_rate_is_sent_as_it_is_written(self):
        for rate in ("0.3", "0.2", "0.1", "0.0001", "0.00001", "0.000012", "0.000001", "0.999999"):
            code, _, err = self.chaos("429", "--path", "nothing", "--rate", rate)
            self.assertEqual((code, err), (0, ""), rate)
            self.assertIn(f'"probability":{rate}', self.chaos("list", "--json")[1])
            self.assertIn(f" probability {rate} ", self.chaos("list")[1])
            self.chaos("clear")
        self.assertEqual(self.chaos("429", "--rate", "0.0000001")[0], 1)

    def test_mistakes(self):
        for words, code in (((), 2), (("list", "x"), 2), (("remove",), 2), (("remove", "x"), 2),
                            (("remove", "999999"), 1), (("teapot",), 1), (("429", "--rate", "2"), 1),
                            (("429", "--rate", "x"), 2), (("429", "x"), 2), (("delay",), 1),
                            (("delay", "--ms", "soon"), 2)):
            got, out, err = self.chaos(*words)
            self.assertEqual((got, out), (code, ""), (words, err))
            self.assertRegex(err, r"^dojima: chaos: ", words)
        got, out, err = run("chaos", "list", "--url", "http://127.0.0.1:1")
        self.assertEqual((got, out), (1, ""), err)


class Log(Case):
    """What the log has, after the exchange has stopped."""

    def test_the_log_has_what_was_durable_and_nothing_else(self):
        with Folder() as folder:
            with Server(data=folder) as server:
                rules, alice = Rules(server), server.accounts()[0]
                for fault in ("drop-reply", "reset-after", "reset-before", "429", "503", "500", "delay"):
                    rules.add(fault, path="orders", method="POST", count=1, **({"ms": 50} if fault == "delay" else {}))
                    client = Client(server, alice.wallet, alice.id, Connection(server.port, 1))
                    try:
                        client.place(order(f"log-{fault}", BUY, "50000", "0.001"))
                    except (TimeoutError, ConnectionResetError, http.client.RemoteDisconnected):
                        pass
                    rules.clear()
            text = run("log", folder)[1]
            for fault, count in (("drop-reply", 1), ("reset-after", 1), ("reset-before", 0), ("429", 0), ("503", 0),
                                 ("500", 0), ("delay", 1)):
                self.assertEqual(text.count(f"log-{fault}"), count, fault)
            code, out, err = run("verify", folder)
            self.assertEqual(code, 0, err)

    def test_a_restart_forgets_the_rules(self):
        with Folder() as folder:
            with Server(data=folder) as server:
                Rules(server).add("429")
            with Server(data=folder) as server:
                self.assertEqual(Rules(server).list(), {})
                self.assertEqual(Connection(server.port).send("GET", TIME).status, 200)


class StaleIndex(ChaosCase):
    """The built-in feeder of a market without traders."""
    arguments = ("--market", "empty")

    def prices(self, seconds=4):
        """The index prices that are seen for a while, by symbol."""
        seen, until = {}, time.monotonic() + seconds
        while time.monotonic() < until:
            for row in self.read(f"{PERPS_BASE}/markets/tickers").data:
                seen.setdefault(row["symbol"], set()).add(row["indexPrice"])
            time.sleep(0.1)
        return seen

    def moves(self, symbol, seconds=60):
        first, until = None, time.monotonic() + seconds
        while time.monotonic() < until:
            for row in self.read(f"{PERPS_BASE}/markets/tickers").data:
                if row["symbol"] == symbol:
                    first = first or row["indexPrice"]
                    if row["indexPrice"] != first:
                        return True
            time.sleep(0.1)
        return False

    def test_one_index_stands_while_another_moves(self):
        rule = self.rules.add("stale-index", symbol="ETH-USD")
        self.assertTrue(self.moves("BTC-USD"))
        self.assertTrue(self.moves("BTC-USD"))              # by now a post from before the rule counts
        standing = self.prices()["ETH-USD"]
        self.assertEqual(len(standing), 1)
        self.assertTrue(self.moves("BTC-USD"))
        self.assertGreater(self.acted(rule), 2)
        self.rules.clear()
        self.assertTrue(self.moves("ETH-USD"))


class StaleIndexOfTraders(StaleIndex):
    """Prices that the market of the traders moves."""
    arguments = ("--market", "volatile")


if __name__ == "__main__":
    main()
