# SPDX-License-Identifier: MIT
"""Many clients of the streams: readers that are slow or come and go in the middle of a push, and the limits of an
address."""
import base64
import json
import os
import random
import select
import shutil
import socket
import struct
import subprocess
import threading
import time

from harness import BUY, Case, Server, main, order
from streams import BTC_NAME, Stream, apply, frame, handshake, read_frames, rest_book, websockets


class Pressure(Case):
    def test_who_does_not_read_slows_nobody_and_is_let_go_or_brought_up_to_date(self):
        with Server() as server:
            a, b = server.accounts()[:2]
            lazy, _ = handshake(server.port)
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.sendall(frame(json.dumps({"op": "subscribe", "id": 1,
                                           "params": {"channel": "l4Book", "symbol": BTC_NAME, "level": 20}}).encode()))
            lazy.sendall(frame(json.dumps({"op": "subscribe", "id": 2,
                                           "params": {"channel": "bookTicker", "symbol": BTC_NAME}}).encode()))
            eager = Stream(server)
            self.assertTrue(eager.subscribe("l4Book", symbol=BTC_NAME, level=20)["success"])
            book, last = None, None
            for i in range(120):
                self.items_ok(a.place(*(order(f"p{i}-{k}", BUY, str(90000 + (i * 7 + k) % 300), "0.001")
                                        for k in range(25))))
                opened = a.open_orders()
                self.ok(a.cancel(*({"symbolID": 1, "clOrdID": f"q{i}-{k}", "orderID": o["orderID"]}
                                   for k, o in enumerate(opened[-20:]))))
            want, rest = rest_book(b, 20)
            while last is None or last < want:
                data = eager.push("l4Book")["data"]
                book = {side: {} for side in "ab"} if "U" not in data else book
                apply(book, data)
                last = data["u"]
            self.assertEqual(book, rest)
            eager.end()
            slow = {side: {} for side in "ab"}
            # a closed window is read ever more seldom
            for _, payload in read_frames(lazy, 20, b'"u":%d,' % want):
                message = json.loads(payload)
                if message.get("channel") != "l4Book":
                    continue
                if message["type"] == "snapshot":
                    slow = {side: {} for side in "ab"}
                apply(slow, message["data"])
            self.assertEqual(slow, rest)                        # the latest state was sent when there was room again
            lazy.close()


class Reader:
    """A client that subscribes to a stream and to the best prices at once, and waits for no reply."""

    def __init__(self, port, number):
        self.number, self.data = number, bytearray()
        # no single address may have so many connections
        self.connection = socket.create_connection(("127.0.0.1", port), 20, (f"127.0.0.{2 + number % 8}", 0))
        self.connection.sendall(f"GET /ws/spot HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: "
                                "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
                                + frame(json.dumps({"op": "subscribe", "id": number,
                                                    "params": {"channel": "bookTicker", "symbol": BTC_NAME}}).encode()))

    def hear(self, update):
        """Waits until it has received an update."""
        while b'"u":%d,' % update not in self.data or not self.data.endswith(b"}"):
            more = self.connection.recv(65536)
            if not more:
                break
            self.data += more
        return self

    def told(self):
        """The head of its response, and the messages after it."""
        head, _, rest = bytes(self.data).partition(b"\r\n\r\n")
        messages, at = [], 0
        while len(rest) >= at + 2:
            length, at = rest[at + 1] & 127, at + 2
            if length == 126:
                length, at = struct.unpack(">H", rest[at:at + 2])[0], at + 2
            messages.append(json.loads(rest[at:at + length]))
            at += length
        return head, messages

    def tear(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class ComeAndGo(Case):
    def test_who_takes_a_place_in_the_middle_of_a_push_hears_nothing_that_was_for_the_one_before(self):
        """Each send of the exchange is delayed a little, so that clients can disconnect and connect in the middle of a
        push to six hundred."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: nobody's sends can be delayed")
        if subprocess.run(["strace", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("SKIP strace may not trace here")
        dice = random.Random(6)
        server = Server("--no-limits",
                        wrapper=["strace", "-f", "-o", os.devnull, "-e", "trace=sendto,sendmsg", "-e",
                                 "inject=sendto,sendmsg:delay_enter=200"])
        try:
            a = server.accounts()[0]
            best = lambda: a.get(f"/markets/{BTC_NAME}/orderbook?limit=5").data["updateID"]
            self.items_ok(a.place(order("first", BUY, "90000", "0.001")))
            last = best()
            readers = [Reader(server.port, number).hear(last) for number in range(600)]
            for i in range(16):
                self.items_ok(a.place(order(f"r{i}", BUY, str(90001 + i), "0.001")))
                began, _, _ = select.select([reader.connection for reader in readers], [], [], 20)
                self.assertTrue(began, "no push has come")
                waiting = [reader for reader in readers if reader.connection not in began]
                for gone in dice.sample(waiting, min(20, len(waiting))):
                    readers.remove(gone)
                    gone.tear()
                # between two parts of the push it has noticed that they have disconnected
                best()
                readers += [Reader(server.port, 1000 * (i + 1) + place) for place in range(600 - len(readers))]
                last = best()
                for reader in readers:
                    reader.hear(last)
            for reader in readers:
                head, messages = reader.told()
                self.assertTrue(head.startswith(b"HTTP/1.1 101 "), head)
                self.assertEqual((messages[0]["op"], messages[0]["id"], messages[0]["success"]),
                                 ("subscribe", reader.number, True))
                self.assertEqual({message["channel"] for message in messages[1:]}, {"bookTicker"})
                updates = [message["data"][0]["u"] for message in messages[1:]]
                self.assertEqual(updates, sorted(updates))
                self.assertEqual(updates[-1], last)
                reader.connection.close()
        finally:
            server.kill()

    def test_who_comes_while_many_are_told_hears_nothing_that_was_another_ones(self):
        dice = random.Random(5)
        with Server() as server:
            a, b = server.accounts()[:2]
            readers, number = [], 0

            def come():
                nonlocal number
                number += 1
                reader, head = handshake(server.port)
                self.assertTrue(head.startswith(b"HTTP/1.1 101 ") and head.endswith(b"\r\n\r\n"), head)
                reader.sendall(frame(json.dumps({"op": "subscribe", "id": number,
                                                 "params": {"channel": "bookTicker", "symbol": BTC_NAME}}).encode()))
                readers.append((number, reader))

            def trade():
                for i in range(200):
                    self.items_ok(a.place(order(f"r{i}", BUY, str(90000 + i), "0.001")))

            for _ in range(200):
                come()
            trader = threading.Thread(target=trade)
            trader.start()
            # disconnected in the middle of a push, and their slots taken again
            while trader.is_alive():
                _, gone = readers.pop(dice.randrange(len(readers)))
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                gone.close()
                come()
            last = b.get(f"/markets/{BTC_NAME}/orderbook?limit=5").data["updateID"]
            for number, reader in readers:
                heard = [json.loads(payload) for _, payload in read_frames(reader, 20, b'"u":%d,' % last, 0.01)]
                self.assertEqual((heard[0]["op"], heard[0]["id"], heard[0]["success"]), ("subscribe", number, True))
                self.assertEqual({m["channel"] for m in heard[1:]}, {"bookTicker"})
                updates = [m["data"][0]["u"] for m in heard[1:]]
                self.assertEqual(updates, sorted(updates))
                self.assertEqual(updates[-1], last)
                reader.close()


class Limits(Case):
    def refused_details(self, connection, head):
        """Of a handshake that was one too many; the head has been read, perhaps with the body."""
        with connection, connection.makefile("rb") as rest:
            body = head.split(b"\r\n\r\n", 1)[1] + rest.read()
        self.assertEqual(json.loads(body)["code"], 42901)
        return json.loads(body)["details"]

    def test_a_31st_stream_within_a_minute_is_told_so(self):
        with Server(limits=True) as server:
            for _ in range(30):
                handshake(server.port)[0].close()
                time.sleep(0.05)
            connection, head = handshake(server.port)
            details = self.refused_details(connection, head)
            self.assertEqual((details["limit"], details["window"]), (30, "1m"))
            self.assertGreater(details["retry_after"], 30)

    def test_one_address_gets_so_much_and_no_more(self):
        with Server(limits=True) as server:
            user = server.accounts()[0].address
            open_ones = [Stream(server) for _ in range(10)]
            connection, head = handshake(server.port)
            self.assertIn(b" 429 ", head)
            self.assertIn(b"Retry-After: 1\r\n", head)
            self.assertEqual(self.refused_details(connection, head), {"limit": 10, "window": "0s", "retry_after": 1})
            open_ones.pop().end()
            time.sleep(0.3)
            open_ones.append(Stream(server))
            stream = open_ones[0]
            for i in range(10):
                self.assertTrue(stream.subscribe("accountTrade", user="0x" + "%040x" % (i + 1))["success"])
            self.assertEqual(stream.subscribe("accountTrade", user=user)["error"],
                             "too many users: at most 10 per address")
            self.assertTrue(stream.subscribe("accountUpdate", user="0x" + "%040x" % 1)["success"])      # no user more
            stream.say("unsubscribe", 1, channel="accountTrade", user="0x" + "%040x" % 2)
            self.assertTrue(stream.next(lambda m: m.get("op") == "unsubscribe")["success"])
            self.assertTrue(stream.subscribe("accountTrade", user=user)["success"])
            said = 0
            try:
                for _ in range(2200):
                    stream.raw('{"op":"ping"}')
            except (websockets.exceptions.ConnectionClosed, ConnectionError):
                pass
            try:
                for _ in range(2200):
                    said += stream.next()["op"] == "error"
            except ConnectionError:
                pass
            self.assertEqual(said, 100)
            self.assertEqual(stream.closed[0], 1008)
            for other in open_ones[1:]:
                other.end()


if __name__ == "__main__":
    main()
