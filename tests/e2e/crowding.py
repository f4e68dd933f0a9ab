# SPDX-License-Identifier: MIT
"""Shared tables keep room for every user (rulings 73 to 76): each table of the gateway is filled from one connection,
from one address and from many (127.0.0.0/8), and meanwhile another user connects, signs, trades, cancels and withdraws,
and the operator's mode, market and cancel work. docs/limits.md lists the tables; prefixes of IPv6 are in
src/io/peer_table_test.c."""
import concurrent.futures
import http.client
import json
import os
import selectors
import socket
import threading
import time

from durability import segments
from harness import BUY, Case, Connection, Folder, Raw, Server, fresh_nonce, main, order, run
from limits import SYMBOLS, Limits, Venue, request
from streams import frame, handshake, read_frames

CHAIN = 77001
STRANGER = "127.9.9.9"
SMALL = {"connections": 512, "connectionsPerAddress": 16}


def dial(port, address, receive=None):
    peer = socket.socket()
    if receive:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    peer.settimeout(10)
    peer.bind((address, 0))
    peer.connect(("127.0.0.1", port))
    return peer


def queued(port):
    """Bytes sent by the server from this port that are still in the kernel: not read, or not even sent on."""
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return sum(int(row[4].split(":")[0], 16) for row in rows
               if int(row[1].split(":")[1], 16) == port and row[3] != "0A")


class From(Connection):
    """A connection from another address of this machine."""

    def __init__(self, port, address):
        super().__init__(port)
        self.http.close()
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(address, 0))


class Crowd:
    """Connections that are kept open; one that the server closes is opened again."""

    def __init__(self, port, addresses, each, hello=b""):
        self.port, self.hello, self.stop, self.opened, self.lost = port, hello, threading.Event(), 0, 0
        self.selector, self.places = selectors.DefaultSelector(), [f"127.1.{i // 250}.{1 + i % 250}"
            for i in range(addresses)]
        for address in self.places * each:
            self.open(address)
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def open(self, address):
        try:
            peer = dial(self.port, address)
            peer.sendall(self.hello)
        except OSError:
            return
        self.opened += 1
        peer.setblocking(False)
        self.selector.register(peer, selectors.EVENT_READ, address)

    def keep(self):
        while not self.stop.is_set():
            for key, _ in self.selector.select(0.05):
                try:
                    if key.fileobj.recv(65536):
                        continue
                except OSError:
                    pass
                self.selector.unregister(key.fileobj)
                key.fileobj.close()
                self.lost += 1
                if not self.stop.wait(0.002):
                    self.open(key.data)

    def end(self):
        self.stop.set()
        self.thread.join(5)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Operators:
    """Connections to the administration socket: half of them send nothing, half send a line without an end, byte by
    byte."""

    def __init__(self, folder, count):
        self.folder, self.count, self.peers, self.lost, self.stop = folder, count, [], 0, threading.Event()
        for _ in range(count):
            self.open()
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def open(self):
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(10)
        peer.connect(f"{self.folder}/admin.sock")
        peer.setblocking(False)
        self.peers.append(peer)

    def dribble(self, peer):
        """False when the exchange has disconnected."""
        try:
            if self.peers.index(peer) % 2:
                peer.send(b" ")
            return peer.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def keep(self):
        while not self.stop.wait(0.05):
            gone = [peer for peer in self.peers if not self.dribble(peer)]
            # one at a time: each takes the slot of another one
            for peer in gone[:1]:
                self.peers.remove(peer)
                peer.close()
                self.lost += 1
                self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join(5)
        for peer in self.peers:
            peer.close()


class Crowding(Limits):
    def trades(self, venue, name):
        """A bystander's day, each step on a connection of its own."""
        def client():
            alice = venue.client()
            alice.connection.close()
            alice.connection = From(venue.port, STRANGER)
            return alice
        self.ok(client().get("/markets/symbols"))
        self.items_ok(client().place(order(name, BUY, "96000", "0.001"), chain_id=CHAIN))
        self.items_ok(client().cancel({"symbolID": 1, "clOrdID": name}, chain_id=CHAIN))
        self.ok(client().write("POST", "/accounts/transfers", "transferAsset",
                               {"id": fresh_nonce(), "fromAccountID": 1001, "toAccountID": 999, "coinID": 0,
                                "amount": "1", "type": 2}, chain_id=CHAIN))

    def operates(self, venue, name):
        for words in (("mode", "cancel-only"), ("mode", "run"), ("market", "vBTC_vUSDC", "halt"),
                      ("market", "vBTC_vUSDC", "trade"), ("cancel", "--all")):
            with self.subTest(words=words):
                code, out, err = run(words[0], "--data", f"{venue.folder.path}/data", "--json", *words[1:], "--id",
                                     f"{name}-{'-'.join(words)}")
                self.assertEqual((code, json.loads(out or "{}").get("code")), (0, 0), (out, err))

    def crowded(self, addresses, each, hello=b""):
        with Venue(self, proxies="", settings=SMALL) as venue, Crowd(venue.port, addresses, each, hello) as crowd:
            self.assertGreaterEqual(crowd.opened, min(SMALL["connections"], addresses * each))
            for round in range(3):
                self.trades(venue, f"crowd-{round}")
            self.operates(venue, "crowd")
            return crowd.lost

    def test_silent_connections_of_one_address(self):
        self.assertEqual(self.crowded(1, 15), 0, "there is room for all")

    def test_silent_connections_of_many_addresses(self):
        self.assertGreater(self.crowded(32, 16), 0, "nobody went for the stranger")

    def test_one_silent_connection_of_each_of_many_addresses(self):
        self.assertGreater(self.crowded(512, 1), 0)

    def test_busy_connections_of_many_addresses(self):
        self.assertGreater(self.crowded(32, 16, request("GET", "/healthz")), 0)

    def streams_of(self, venue, address, count):
        """WebSockets of a client behind the proxy: sockets, and the statuses of their handshakes."""
        opened = [handshake(venue.port, X_Forwarded_For=address) for _ in range(count)]
        return [peer for peer, _ in opened], [int(head.split()[1]) for _, head in opened]

    def begun(self, venue, address):
        """A request of a client behind the proxy, whose body is awaited, and the status of its first answer."""
        raw = Raw(venue.port)
        raw.send(request("POST", "/rpc", [("X-Forwarded-For", address), ("Content-Type", "application/json"),
                                          ("Expect", "100-continue")], b" ")[:-1])
        return raw, raw.reply().status

    def test_a_proxy_brings_more_clients_than_one_address_may_have_connections(self):
        """Rulings 15 and 76: what one address may hold is counted by client. Health checks always get in."""
        with Venue(self, settings=SMALL) as venue:
            peers = []
            for client in range(5):
                some, statuses = self.streams_of(venue, f"203.0.113.{client}", 10)
                self.assertEqual(statuses, [101] * 10, client)
                peers += some
            self.assertEqual(self.streams_of(venue, "203.0.113.0", 1)[1], [429])
            self.assertEqual(self.one(venue.port, "GET", "/readyz").status, 200)
            # one client has ten streams and six requests that do not go on
            begun = [self.begun(venue, "203.0.113.1") for _ in range(7)]
            self.assertEqual([status for _, status in begun], [100] * 6 + [503])
            self.assertEqual(self.begun(venue, "203.0.113.2")[1], 100)
            begun[0][0].send(b" ")
            begun[0][0].reply()
            self.assertEqual(self.begun(venue, "203.0.113.1")[1], 100, "a request that is done counts no more")
            for client in range(60):                                        # more than there is room for
                some, statuses = self.streams_of(venue, f"198.51.{client}.1", 10)
                self.assertEqual(statuses, [101] * 10, client)
                peers += some
            self.assertEqual(self.one(venue.port, "GET", "/readyz").status, 200)
            self.trades(venue, "proxied")
            for peer in peers:
                peer.close()

    def test_operators_that_say_nothing_or_half_a_line(self):
        """16 slots at the administration socket: every peer with a command gets one of them (ruling 74)."""
        with Venue(self, proxies="") as venue, Operators(f"{venue.folder.path}/data", 16) as operators:
            for round in range(4):
                self.operates(venue, f"idle-{round}")
            self.assertGreater(operators.lost, 0, "no place was taken by a newcomer")
            with concurrent.futures.ThreadPoolExecutor(8) as many:
                ended = list(many.map(lambda i: run("mode", "--data", f"{venue.folder.path}/data",
                                                    ("run", "cancel-only")[i % 2]), range(32)))
            self.assertEqual([code for code, _, _ in ended], [0] * 32, [err for _, _, err in ended])
            self.operates(venue, "after")
            self.trades(venue, "operators")

    def begins_late(self, venue):
        """A connection has 10 s until its first request; one that has sent a request may be silent for longer."""
        began, known = time.monotonic(), Raw(venue.port).send(request("GET", "/healthz"))
        self.assertEqual(known.reply().status, 200)
        silent, teasing = dial(venue.port, "127.1.1.1"), dial(venue.port, "127.1.1.1")
        teasing.sendall(b"\r\n")                                       # an empty line begins no request
        for peer in (silent, teasing):
            peer.settimeout(15)
            self.assertEqual(peer.recv(1), b"")
            self.assertAlmostEqual(time.monotonic() - began, 10, delta=2)
        self.assertEqual(known.send(request("GET", "/healthz")).reply().status, 200)

    def reads_nothing(self, venue):
        """64 connections pipeline and read nothing: the kernel keeps the allowed bytes for each, and after 10 s they
        are reset."""
        # the kernel doubles 256 KiB for its own needs, and a segment may cross the bound
        each, count = 1024 * 1024, 64
        peers, began, most = [dial(venue.port, "127.1.1.2", receive=4096) for _ in range(count)], time.monotonic(), 0
        for peer in peers:
            peer.setblocking(False)
        while time.monotonic() - began < 6:
            for peer in peers:
                try:
                    peer.send(request("GET", "/openapi.json") * 50)
                except OSError:
                    pass
            most = max(most, queued(venue.port))
            time.sleep(0.05)
        print(f"      ({most >> 20} MiB of answers in the kernel at most, {most // count >> 10} KiB a connection)",
              flush=True)
        self.assertGreater(most, count * 32 * 1024, "nothing was queued")
        self.assertLess(most, count * each)
        self.trades(venue, "unread")
        time.sleep(max(0, began + 20 - time.monotonic()))
        self.assertLess(queued(venue.port), 2 * each, "they are still kept")
        self.assertEqual([self.end_of(peer) for peer in peers], ["reset"] * count)

    def end_of(self, peer):
        try:
            while peer.recv(65536):
                pass
            return "end"
        except BlockingIOError:
            return "open"
        except OSError:
            return "reset"

    def reads_slowly(self, venue):
        """At most 200 KB/s, and always behind: not reset."""
        peer, began, got = dial(venue.port, "127.1.1.3", receive=65536), time.monotonic(), 0
        peer.setblocking(False)
        while time.monotonic() - began < 16:
            try:
                peer.send(request("GET", "/openapi.json") * 5)
            except BlockingIOError:
                pass
            try:
                got += len(peer.recv(20000))
            except BlockingIOError:
                pass
            time.sleep(0.1)
        self.assertGreater(got, 600000)

    def test_connections_that_begin_late_read_nothing_or_read_slowly(self):
        wrong = []
        with Venue(self, "weightPerMinute = 0\n", proxies="") as venue:
            def attempt(what):
                try:
                    what(venue)
                except (AssertionError, OSError) as error:
                    wrong.append(f"{what.__name__}: {error!r}")
            threads = [threading.Thread(target=attempt, args=(what,))
                       for what in (self.begins_late, self.reads_nothing, self.reads_slowly)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_who_goes_on_after_a_thousand_refusals_is_closed(self):
        with Venue(self, "weightPerMinute = 20\n", proxies="") as venue:
            refused = 0
            with Raw(venue.port) as raw:
                while True:
                    reply = raw.send(request("GET", SYMBOLS)).reply()
                    self.assertIn(reply.status, (200, 429))
                    refused += reply.status == 429
                    if reply.headers["connection"] == "close":
                        break
                self.assertTrue(raw.closed())
            self.assertEqual(refused, 1001)
            with Raw(venue.port) as raw:
                self.assertEqual(raw.send(request("GET", SYMBOLS)).reply().headers["connection"], "close",
                                 "on a new connection as well")
            self.ok(From(venue.port, STRANGER).send("GET", SYMBOLS))

    def test_what_weighs_nothing_is_for_health_checks(self):
        with Venue(self, proxies="") as venue:
            with Raw(venue.port) as raw:
                for _ in range(200):
                    self.assertEqual(raw.send(request("GET", "/healthz")).reply().status, 200)
                    time.sleep(0.0015)
            self.assertEqual(self.left(venue.port), 1200)
        with Venue(self, proxies="") as venue:
            began = time.monotonic()                 # the next on a connection waits for the next millisecond
            self.assertEqual(set(self.many(venue.port, 1600, "GET", "/healthz")), {200})
            self.assertGreater(time.monotonic() - began, 1.5)
            for what in (("OPTIONS", SYMBOLS), ("OPTIONS", "*"), ("OPTIONS", "/nowhere")):
                self.assertNotIn(429, self.many(venue.port, 150, *what), what)
            self.assertEqual(self.left(venue.port), 1200)
            self.trades(venue, "weightless")

    def test_pings_are_messages(self):
        """2,000 a minute of an address (wire 5.3); then errors, and after 100 of them the connection ends."""
        with Server(limits=True) as server:
            socket_, head = handshake(server.port)
            self.assertTrue(head.startswith(b"HTTP/1.1 101"))
            socket_.sendall(frame(b"a", first=0x89) * 2500)
            frames = read_frames(socket_, seconds=3)
            kinds = [first for first, _ in frames]
            self.assertEqual(kinds.count(0x8A), 2000)
            self.assertEqual(kinds.count(0x81), 100)
            self.assertEqual((frames[-1][0], frames[-1][1][:2]), (0x88, (1008).to_bytes(2, "big")))
            socket_.close()


class FileNumbers(Case):
    def test_strangers_do_not_take_the_number_of_the_logs_next_file(self):
        """Of 100 numbers 32 are for connections, however many ask for one, and the rest suffices. Three files of the
        log begin meanwhile."""
        with Folder() as folder:
            with Server(data=folder, wrapper=("prlimit", "--nofile=100:100")) as server:
                self.assertIn("too few file numbers for 1024 connections (ulimit -n): 32 at once", server.stderr())
                alice = server.accounts()[0]
                ids, most = [f"{i:036}" for i in range(100)], 0
                with Crowd(server.port, 120, 1) as crowd:
                    for _ in range(8000):
                        try:
                            self.ok(alice.cancel(*({"symbolID": 1, "clOrdID": name} for name in ids)))
                        except (OSError, http.client.HTTPException):    # with so few places anybody is in the way
                            self.assertIsNone(server.process.poll(), server.stderr())
                            alice.connection = From(server.port, STRANGER)
                        most = max(most, len(os.listdir(f"/proc/{server.process.pid}/fd")))
                        if len(segments(folder)) == 4:
                            break
                    self.assertEqual(len(segments(folder)), 4)
                    self.assertGreater(crowd.opened, 32)
                    self.assertLess(most, 90)
                self.items_ok(alice.place(order("after", BUY, "90000", "0.001")))


if __name__ == "__main__":
    main()
