# SPDX-License-Identifier: MIT
"""The streams from outside, through Debian's python3-websockets and through sockets by hand: the handshake, the
protocol and every spot channel."""
import asyncio
import base64
import concurrent.futures
import functools
import json
import os
import queue
import socket
import struct
import sys
import threading
import time
from decimal import Decimal

from harness import BUY, SELL, Case, Server, main, order

try:
    import websockets
except ImportError:
    print("SKIP streams: python3-websockets is not installed")
    sys.exit(77)

BTC_NAME, ETH_NAME = "vBTC_vUSDC", "vETH_vUSDC"


class Stream:
    """A WebSocket whose messages wait in a queue."""

    def __init__(self, server, path="/ws/spot", **more):
        self.url, self.more = server.banner["url"].replace("http", "ws") + path, more
        self.messages, self.opened, self.failure, self.closed = queue.Queue(), threading.Event(), None, None
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self.thread.start()
        assert self.opened.wait(20)
        if self.failure:
            raise self.failure

    async def _run(self):
        self.loop = asyncio.get_running_loop()
        try:
            async with websockets.connect(self.url, max_size=None, max_queue=None, compression=None,
                                          **self.more) as self.socket:
                self.opened.set()
                async for message in self.socket:
                    self.messages.put(json.loads(message))
            self.closed = (self.socket.close_code, self.socket.close_reason)
        except Exception as error:                              # passed to the waiting thread
            self.failure = error
            self.closed = (getattr(error, "code", None), getattr(error, "reason", str(error)))
        self.opened.set()
        self.messages.put(None)

    def on_loop(self, coroutine, seconds=20):
        """Runs in the thread of the socket; a ConnectionError when that has ended. A request to a loop that is just
        ending is never run, and there is no notice of it."""
        try:
            done = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        except RuntimeError:
            coroutine.close()
            raise ConnectionError(f"closed: {self.closed}") from None
        until = time.monotonic() + seconds
        while not concurrent.futures.wait([done], 0.05).done:
            if not self.thread.is_alive() and not done.done():
                raise ConnectionError(f"closed: {self.closed}")
            if time.monotonic() > until:
                raise TimeoutError("the socket's thread does not answer")
        try:
            return done.result()
        except concurrent.futures.CancelledError:
            raise ConnectionError(f"closed: {self.closed}") from None

    def raw(self, text):
        self.on_loop(self.socket.send(text))

    def say(self, op, id=None, **params):
        self.raw(json.dumps({"op": op, **({"id": id} if id is not None else {}),
                             **({"params": params} if params else {})}))

    def next(self, wanted=lambda message: True, seconds=10):
        """The next message of a kind; others are dropped."""
        until = time.monotonic() + seconds
        while True:
            message = self.messages.get(timeout=max(0.01, until - time.monotonic()))
            if message is None:
                raise ConnectionError(f"closed: {self.closed}")
            if wanted(message):
                return message

    def push(self, channel, seconds=10):
        return self.next(lambda message: message.get("channel") == channel, seconds)

    def subscribe(self, channel, id=1, **params):
        """The acknowledgement, and then the first message."""
        self.say("subscribe", id, channel=channel, **params)
        return self.next(lambda message: message.get("op") == "subscribe")

    def nothing(self, seconds=0.4):
        try:
            return self.messages.get(timeout=seconds)
        except queue.Empty:
            return None

    def end(self):
        async def close():
            await self.socket.close()
        try:
            self.on_loop(close())
        except ConnectionError:
            pass                                                # it has ended by itself
        self.thread.join(20)


def handshake(port, path="/ws/spot", key=None, **headers):
    """By hand: the socket, and the head of the answer."""
    lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": key or base64.b64encode(os.urandom(16)).decode()}
    lines.update({name.replace("_", "-"): value for name, value in headers.items()})
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.sendall((f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()
        if v is not None) + "\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        more = connection.recv(65536)
        if not more:
            break
        head += more
    return connection, head


def frame(payload, first=0x81, masked=True):
    head = bytes([first]) + (bytes([(0x80 if masked else 0) | len(payload)]) if len(payload) < 126
                             else bytes([(0x80 if masked else 0) | 126]) + struct.pack(">H", len(payload)))
    if not masked:
        return head + payload
    return head + b"\x01\x02\x03\x04" + bytes(b ^ (1 + i % 4) for i, b in enumerate(payload))


def read_frames(connection, seconds=5, last=None, silence=0.5):
    """Frames until the peer closes or is silent; once the bytes `last` have arrived, a shorter silence is enough."""
    connection.settimeout(seconds)
    data = bytearray()
    try:
        while True:
            more = connection.recv(65536)
            if not more:
                break
            data += more
            if last is not None and last in data[-len(more) - len(last):]:
                connection.settimeout(silence)
    except (TimeoutError, ConnectionResetError):
        pass
    frames, at = [], 0
    while len(data) >= at + 2:
        first, length, at = data[at], data[at + 1] & 127, at + 2
        if length == 126:
            length, at = struct.unpack(">H", data[at:at + 2])[0], at + 2
        elif length == 127:
            length, at = struct.unpack(">Q", data[at:at + 8])[0], at + 8
        frames.append((first, bytes(data[at:at + length])))
        at += length
    return frames


def apply(book, data):
    """An l4Book message onto a book {price: size} per side."""
    for side in "ab":
        for price, size in data[side]:
            if Decimal(size) == 0:
                del book[side][Decimal(price)]                  # a removed level was there
            else:
                book[side][Decimal(price)] = Decimal(size)


def rest_book(client, limit, symbol=BTC_NAME):
    data = client.get(f"/markets/{symbol}/orderbook?limit={limit}").data
    return data["updateID"], {side[0]: {Decimal(p): Decimal(q) for p, q in data[side]} for side in ("asks", "bids")}


class Protocol(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.a, cls.b = cls.server.accounts()[:2]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def stream(self, path="/ws/spot", **more):
        stream = Stream(self.server, path, **more)
        self.addCleanup(stream.end)
        return stream

    def test_the_handshake_is_strict(self):
        for changes, status in (({"Upgrade": "h2c"}, 426), ({"Sec_WebSocket_Version": "8"}, 426),
                                ({"Sec_WebSocket_Version": None}, 426),
                                ({"Connection": "keep-alive"}, 426), ({"key": "short"}, 400),
                                ({"Sec_WebSocket_Key": None}, 400),
                                ({"Origin": "http://localhost:3000"}, 101), ({"Origin": "null"}, 101),
                                ({"Origin": "not an origin"}, 403),
                                ({"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket"}, 101),
                                ({"path": "/ws/perps"}, 101), ({"path": "/ws/other"}, 404),
                                ({"path": "/ws/spot?x=1"}, 101)):
            with self.subTest(changes):
                connection, head = handshake(self.server.port, **changes)
                connection.close()
                self.assertEqual(int(head.split()[1]), status, head)
                if status == 426:
                    self.assertIn(b"Sec-WebSocket-Version: 13\r\n", head)
                    self.assertIn(b"\r\nUpgrade: websocket\r\n", head)
                    self.assertRegex(head, rb"\r\nConnection: (keep-alive|close), Upgrade\r\n")
                self.assertNotIn(b"Sec-WebSocket-Extensions", head)
        reply = self.a.connection.send("GET", "/ws/spot")
        self.assertEqual((reply.status, reply.code), (426, 42690))
        connection, head = handshake(self.server.port, key="dGhlIHNhbXBsZSBub25jZQ==")
        self.assertIn(b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", head)
        connection.close()

    def test_what_breaks_the_protocol_closes_with_its_code(self):
        for sent, code in ((frame(b"{}", masked=False), 1002), (frame(b"{}", 0xc1), 1002), (frame(b"x", 0x83), 1002),
                           (frame(b"x", 0x80), 1002),
                           (frame(b"x", 0x82), 1003), (frame(b"\xc0\xaf"), 1007), (frame(b"x" * 4097), 1009),
                           (frame(b"x", 0x09), 1002),
                           (frame(b"x" * 126, 0x89), 1002), (frame(b"x", 0x88), 1002),
                           (frame(struct.pack(">H", 1000) + b"bye", 0x88), 1000),
                           (frame(struct.pack(">H", 1005), 0x88), 1002)):
            with self.subTest(sent[:8]):
                connection, head = handshake(self.server.port)
                self.assertIn(b" 101 ", head)
                connection.sendall(sent)
                frames = read_frames(connection)
                connection.close()
                self.assertEqual(frames[-1][0], 0x88)
                self.assertEqual(struct.unpack(">H", frames[-1][1][:2])[0], code)

    def test_pings_of_both_kinds_are_answered(self):
        stream = self.stream()
        stream.raw('{"op":"ping"}')
        self.assertEqual(stream.next(), {"op": "pong"})
        stream.raw('{"op":"ping","id":7}')
        self.assertEqual(stream.next(), {"op": "pong", "id": 7})
        connection, _ = handshake(self.server.port)
        connection.sendall(frame(b"are you there", 0x89) + frame(b"", 0x8a) + frame(b'{"op":', 0x01) + frame(b"",
            0x89) + frame(b'"ping"}', 0x80))
        self.assertEqual(read_frames(connection, 1), [(0x8a, b"are you there"), (0x8a, b""), (0x81, b'{"op":"pong"}')])
        connection.close()

    def test_acknowledgements_are_one_per_symbol(self):
        stream = self.stream()
        stream.say("subscribe", 5, channel="bookTicker", symbols=[BTC_NAME, ETH_NAME])
        acks = [stream.next(lambda m: m.get("op") == "subscribe") for _ in range(2)]
        self.assertEqual([ack["result"] for ack in acks],
                         [{"channel": "bookTicker", "symbol": BTC_NAME}, {"channel": "bookTicker", "symbol": ETH_NAME}])
        for ack in acks:
            self.assertEqual((ack["id"], ack["success"], ack["error"]), (5, True, None))
            self.assertRegex(ack["connID"], "^0x[0-9a-f]{32}$")
            self.assertIsInstance(ack["time_in"], int)
        self.assertEqual(len({ack["connID"] for ack in acks}), 1)
        stream.say("unsubscribe", 6, channel="bookTicker", symbols=[BTC_NAME])
        ack = stream.next(lambda m: m.get("op") == "unsubscribe")
        self.assertEqual((ack["id"], ack["success"], ack["result"]["symbol"]), (6, True, BTC_NAME))

    def test_any_level_is_taken(self):
        """Wire 6.4: rounded up to the next one that there is; and unknown parameters are accepted."""
        stream = self.stream()
        deep = functools.reduce(lambda inner, _: [inner], range(60), 1)
        for level, told in ((-1, 10), (0, 10), (7, 10), (10.5, 20), (101, 500), ("12", 20), (1001, 1000),
                            (10 ** 18, 1000), (10 ** 40, 1000), (-10 ** 40, 10)):
            with self.subTest(level):
                stream.raw(json.dumps({"op": "subscribe", "id": 1, "params": {"channel": "l4Book", "symbol": BTC_NAME,
                                       "level": level, "unknown": {"a": deep}}}))
                ack = stream.next(lambda message: "op" in message)
                self.assertTrue(ack["success"], ack)
                self.assertEqual(ack["result"]["level"], told)

    def test_what_is_wrong_is_said(self):
        stream = self.stream()
        user = self.a.address
        names = " is invalid: a name, or a list of up to 128"
        word = " is invalid: a text without escapes, or a number"
        for params, error in (({"channel": "nonsense"}, "channel is invalid: nonsense"),
                              ({"channel": "trades" + "s" * 100, "symbol": BTC_NAME},
                               "channel is invalid: trades" + "s" * 58),
                              ({}, "channel cannot be empty"),
                              ({"channel": ["trade"], "symbol": BTC_NAME}, "channel" + word),
                              ({"channel": "trade", "symbol": {"a": 1}}, "symbol" + names),
                              ({"channel": "trade", "symbols": [BTC_NAME, None]}, "symbols" + names),
                              ({"channel": "trade", "symbols": [BTC_NAME] * 129}, "symbols" + names),
                              ({"channel": "l4Book", "symbol": BTC_NAME, "level": True}, "level" + word),
                              ({"channel": "markPrice", "symbols": [BTC_NAME]},
                               "channel is not offered here: markPrice"),
                              ({"channel": "trade"}, "symbols cannot be empty"),
                              ({"channel": "trade", "symbols": []}, "symbols cannot be empty"),
                              ({"channel": "trade", "symbols": ["BTC-USD"]}, "symbol not found: BTC-USD"),
                              ({"channel": "trade", "symbol": "x" * 300}, "symbol not found: " + "x" * 64),
                              ({"channel": "candle", "symbol": BTC_NAME}, "interval cannot be empty"),
                              ({"channel": "candle", "symbol": BTC_NAME, "interval": "7m"},
                               "interval is invalid: 7m"),
                              ({"channel": "ticker", "symbol": BTC_NAME, "pushInterval": "1s"},
                               "pushInterval is invalid: 1s"),
                              ({"channel": "ticker", "symbol": BTC_NAME, "pushInterval": "2000ms"},
                               "pushInterval is not offered by this channel: 2000ms"),
                              ({"channel": "l2Book", "symbol": BTC_NAME, "tickSize": "0"}, "tickSize is invalid: 0"),
                              ({"channel": "l4Book", "symbol": BTC_NAME, "level": "deep"}, "level is invalid: deep"),
                              ({"channel": "accountState"}, "user cannot be empty"),
                              ({"channel": "accountState", "user": "0x12"}, "user is not an address: 0x12"),
                              ({"channel": "accountState", "user": user, "accountID": "1x"},
                               "accountID is invalid: 1x"),
                              ({"channel": "accountState", "user": user, "accountID": 1002},
                               "account not found: 1002")):
            with self.subTest(params):
                stream.raw(json.dumps({"op": "subscribe", "id": 1, "params": params}))
                ack = stream.next()
                self.assertEqual((ack["op"], ack["id"], ack["result"], ack["success"], ack["error"]),
                                 ("subscribe", 1, None, False, error))
        for text in ("", "[]", "{", '{"op":"nonsense"}', '{"op":"subscribe"', '{"id":1}', "nonsense",
                     '{"op":"subscribe","params":[]}', '{"op":"ping"} x',
                     '{"op":"ping","id":' + "1" * 65 + "}"):
            with self.subTest(text):
                stream.raw(text)
                answer = stream.next()
                self.assertEqual((answer["op"], answer["code"]), ("error", "INVALID_MESSAGE"))
                self.assertIsInstance(answer["error"], str)
        stream.raw('{"op":"ping"}')
        self.assertEqual(stream.next(), {"op": "pong"})             # and it continues

    def test_parameters_are_taken_leniently(self):
        stream = self.stream()
        for params in ({"channel": "trade", "symbol": BTC_NAME},
                       {"channel": "l2Book", "symbols": [BTC_NAME], "level": 5, "depth": {"x": [1]}},
                       {"channel": "l4Book", "symbol": BTC_NAME, "level": "5"},
                       {"channel": "candle", "symbol": BTC_NAME, "interval": "1d"},
                       {"channel": "accountTrade", "user": self.a.address, "accountID": str(self.a.id),
                        "symbols": None}):
            with self.subTest(params):
                stream.raw(json.dumps({"op": "subscribe", "id": "text", "params": params}))
                ack = stream.next(lambda m: m.get("op") == "subscribe")
                self.assertEqual((ack["success"], ack["id"]), (True, "text"), ack)
        self.assertEqual(stream.subscribe("l4Book", symbol=ETH_NAME, level=11)["result"]["level"], 20)
        self.assertEqual(stream.subscribe("l4Book", symbol=ETH_NAME, level=1001)["result"]["level"], 1000)

    def test_a_second_subscription_doubles_nothing(self):
        stream = self.stream()
        self.assertTrue(stream.subscribe("trade", symbol=ETH_NAME)["success"])
        self.assertEqual(stream.push("trade")["type"], "snapshot")
        self.assertTrue(stream.subscribe("trade", symbols=[ETH_NAME])["success"])
        self.items_ok(self.b.place(order("d1", SELL, "4000", "0.1", symbol=2)))
        self.items_ok(self.a.place(order("d2", BUY, "4000", "0.1", symbol=2)))
        self.assertEqual(stream.push("trade")["type"], "update")
        self.assertIsNone(stream.nothing())
        stream.say("unsubscribe", 2, channel="trade", symbol=ETH_NAME)
        self.assertTrue(stream.next()["success"])
        self.items_ok(self.b.place(order("d3", SELL, "4000", "0.1", symbol=2)))
        self.items_ok(self.a.place(order("d4", BUY, "4000", "0.1", symbol=2)))
        self.assertIsNone(stream.nothing())


class Channels(Case):
    def test_every_spot_channel_tells_what_happened(self):
        while time.time() % 60 > 45:                            # within one minute, for bars and windows
            time.sleep(1)
        with Server() as server:
            a, b = server.accounts()[:2]
            stream = Stream(server)
            for channel in ("ticker", "miniTicker", "bookTicker", "trade"):
                self.assertTrue(stream.subscribe(channel, symbols=[BTC_NAME])["success"])
                self.assertEqual(stream.push(channel)["type"], "snapshot")
            for channel in ("allTicker", "allMiniTicker", "allBookTicker"):
                self.assertTrue(stream.subscribe(channel)["success"])
                self.assertEqual([row["s"] for row in stream.push(channel)["data"]], [BTC_NAME, ETH_NAME])
            for channel, more in (("l2Book", {"tickSize": "10"}), ("l4Book", {}), ("candle", {"interval": "1m"})):
                self.assertTrue(stream.subscribe(channel, symbol=BTC_NAME, **more)["success"])
            for channel in ("accountState", "accountUpdate", "accountOrderUpdate", "accountTrade"):
                self.assertTrue(stream.subscribe(channel, user=a.address)["success"])
            self.items_ok(b.place(order("s1", SELL, "100000", "0.3"), order("s2", SELL, "100001", "0.2")))
            self.items_ok(a.place(order("b1", BUY, "100001", "0.4")))
            seen = {}
            until = time.monotonic() + 4
            while time.monotonic() < until:
                message = stream.nothing(0.5)
                if message is not None:
                    seen.setdefault(message["channel"], []).append(message)
            stream.end()

            trades = [row for message in seen["trade"] for row in message["data"]]
            self.assertEqual([(t["p"], t["q"], t["S"], t["bi"], t["si"]) for t in trades],
                             [("100000", "0.3", "BUY", 1001, 1002), ("100001", "0.1", "BUY", 1001, 1002)])
            orders = [message["data"] for message in seen["accountOrderUpdate"]]
            self.assertEqual([(o["x"], o["X"], o["z"], o["v"], o["l"], o["L"], o["t"], o["m"]) for o in orders],
                             [("PARTIALLY_FILLED", "PARTIALLY_FILLED", "0.3", "30000", "0.3", "100000", trades[0]["t"],
                               False),
                              ("FILLED", "FILLED", "0.4", "40000.1", "0.1", "100001", trades[1]["t"], False)])
            self.assertNotIn("R", orders[0])
            fills = [message["data"] for message in seen["accountTrade"]]
            self.assertEqual([(f["t"], f["i"], f["c"], f["p"], f["q"], f["f"], f["m"]) for f in fills],
                             [(t["t"], orders[0]["i"], "b1", t["p"], t["q"], o["n"], False)
                              for t, o in zip(trades, orders)])
            state = a.mine("state").data
            self.assertEqual({row["i"]: row for row in seen["accountUpdate"][-1]["data"]["B"]},
                             {row["i"]: row for row in state["B"] if row["a"] != "vETH"})
            self.assertEqual(seen["accountState"][-1]["data"], state)
            self.assertEqual(seen["accountState"][-1]["type"], "snapshot")
            ticker, rest = seen["ticker"][-1]["data"][0], a.get("/markets/tickers?symbol=" + BTC_NAME).data[0]
            for short, long in zip("sclohQwvqaAbBpPO",
                                   ("symbol", "lastPx", "lowPx", "openPx", "highPx", "lastSz", "vwap", "volume",
                                    "quoteVolume", "askPx", "askSz",
                                                       "bidPx", "bidSz", "change", "changePct", "openTime")):
                self.assertEqual(ticker[short], rest[long], short)
            self.assertEqual(set(seen["miniTicker"][-1]["data"][0]), set("Escohlvq"))
            self.assertEqual([row["s"] for row in seen["allTicker"][-1]["data"]], [BTC_NAME])       # only the changes
            self.assertEqual((seen["bookTicker"][-1]["data"][0]["a"], seen["bookTicker"][-1]["data"][0]["A"]),
                             ("100001", "0.1"))
            self.assertEqual(seen["l2Book"][-1]["data"]["a"], [["100010", "0.1"]])                  # merged up
            self.assertEqual(seen["l2Book"][-1]["type"], "snapshot")
            bar, kline = seen["candle"][-1]["data"], a.get(f"/markets/{BTC_NAME}/klines?interval=1m").data
            row = next(k for k in kline if k["t"] == bar["t"])
            self.assertEqual({key: bar[key] for key in row}, row)
            self.assertEqual((bar["i"], bar["x"], bar["T"] - bar["t"]), ("1m", False, 59999))
            keys = list(seen["l4Book"][-1]["data"])
            # the trap of letter case
            self.assertLess(keys.index("U"), keys.index("u"))

    def test_a_new_account_is_told_about_from_its_first_moment(self):
        with Server() as server:
            stream = Stream(server)
            stranger = "0x" + "ab" * 20
            self.assertTrue(stream.subscribe("accountState", user=stranger)["success"])
            self.assertEqual(stream.push("accountState")["data"]["aid"], 0)
            a = server.accounts()[0]
            reply = a.connection.send("POST", "/rpc",
                                      json.dumps({"jsonrpc": "2.0", "id": 1, "method": "dojima_deposit", "params": [
                {"address": stranger, "engine": "spot", "coin": "vUSDC", "amount": "12.5"}]}).encode(),
                {"Content-Type": "application/json"})
            self.assertNotIn("error", reply.json)
            state = stream.push("accountState")["data"]
            self.assertNotEqual(state["aid"], 0)
            self.assertEqual(state, a.get(f"/accounts/{stranger}/state").data)
            stream.end()


if __name__ == "__main__":
    main()
