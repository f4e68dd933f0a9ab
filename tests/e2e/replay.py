#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dojima record and dojima replay: what one exchange recorded is the same book and the same trades on another one, a
user's orders trade in it, and whatever is wrong with a recording changes nothing. Feeds of others: replay_feeds.py."""
import http.server
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

from harness import (BINARY, BUY, GTC, IOC, SELL, BTC, Connection, Folder, Perps, Server, order, perps_order, run)
from oracle import CERTIFICATE

SPOT, PERPS = "/api/v1/spot", "/api/v1/perps"
MARKETS = ((SPOT, "vBTC_vUSDC"), (PERPS, "BTC-USD"))


def get(port, path):
    connection = Connection(port)
    try:
        return connection.send("GET", path)
    finally:
        connection.close()


def book(port, base, symbol):
    """Bids and asks, all of them."""
    data = get(port, f"{base}/markets/{symbol}/orderbook?limit=1000").data
    return data["bids"], data["asks"]


def trades(port, base, symbol):
    """Side, price and quantity, oldest first."""
    rows = get(port, f"{base}/markets/{symbol}/trades?limit=500").data
    return [(row["S"], row["p"], row["q"]) for row in reversed(rows)]


def blocks(port):
    """How many blocks there are: commands that were executed."""
    connection = Connection(port)
    reply = connection.send("POST", "/rpc", b'{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}',
                            {"Content-Type": "application/json"})
    connection.close()
    return reply.json["result"]


class Recorder:
    """A dojima record that runs until it is stopped."""

    def __init__(self, port, path, *more):
        self.process = subprocess.Popen([BINARY, "record", f"http://127.0.0.1:{port}", "--out", path, *more],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)                           # the beginning of a recording is its first 100 ms

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        if self.process.returncode != 0:
            raise AssertionError(f"record ended with {self.process.returncode}: {err.decode()}")
        return out.decode()


def replay(server, *args, seconds=120):
    """The report of a replay into this server."""
    code, out, err = run("replay", "--to", f"http://127.0.0.1:{server.port}", *args, seconds=seconds)
    if code != 0:
        raise AssertionError(f"replay ended with {code}: {err}")
    return json.loads(out)


class Trading:
    """Random orders of development accounts on one symbol of each base, every one of which is valid."""

    def __init__(self, server, seed, pause=0):
        self.pause = pause
        self.random = random.Random(seed)
        accounts = server.accounts()
        self.makers = accounts[:3]
        self.taker = accounts[3]
        self.open = []
        self.count = 0

    def id(self):
        self.count += 1
        return f"t{self.count}"

    def place(self, market, account, side, price, quantity, tif):
        name = self.id()
        if market == 0:
            reply = account.place(order(name, side, price, quantity, tif=tif))
        else:
            reply = Perps(account).place(perps_order(name, side, price, quantity, tif=tif))
        if reply.data[0]["code"] != 0:
            raise AssertionError(reply)
        return name

    def make(self):
        market, side = self.random.randrange(2), self.random.choice((BUY, SELL))
        ticks = self.random.randrange(1, 40)
        price = f"{100000 + (ticks if side == SELL else -ticks)}"
        quantity = f"0.{self.random.randrange(100, 999):05d}"
        account = self.random.choice(self.makers)
        self.open.append((market, account, self.place(market, account, side, price, quantity, GTC)))

    def take(self):
        """Books are published ten times a second: around a trade they are up to date, so that all is recorded."""
        market, side = self.random.randrange(2), self.random.choice((BUY, SELL))
        price = "100009" if side == BUY else "99991"
        time.sleep(self.pause)
        self.place(market, self.taker, side, price, f"0.{self.random.randrange(100, 2999):05d}", IOC)
        time.sleep(self.pause)

    def cancel(self):
        if not self.open:
            return
        market, account, name = self.open.pop(self.random.randrange(len(self.open)))
        if market == 0:
            account.cancel({"symbolID": BTC, "clOrdID": name})
        else:
            Perps(account).cancel({"symbolID": 1, "clOrdID": name})

    def go(self, actions):
        for _ in range(actions):
            self.random.choices((self.make, self.take, self.cancel), (6, 2, 3))[0]()
            time.sleep(0.002)


class RecordAndReplay(unittest.TestCase):
    """One recording, made once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.path = os.path.join(cls.folder.path, "one.rec")
        with Server() as server:
            recorder = Recorder(server.port, cls.path)
            Trading(server, 7, pause=0.2).go(220)
            time.sleep(0.5)
            cls.said = recorder.stop()
            cls.books = [book(server.port, *market) for market in MARKETS]
            cls.trades = [trades(server.port, *market) for market in MARKETS]

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def refused(self, server, *args):
        """The message of a replay that changes nothing."""
        before = blocks(server.port)
        code, _, err = run("replay", "--to", f"http://127.0.0.1:{server.port}", *args)
        self.assertEqual(code, 1, err)
        self.assertEqual(blocks(server.port), before, err)
        return err

    def test_the_books_and_trades_are_those_that_were_recorded(self):
        self.assertTrue(all(len(rows) > 5 for rows in self.trades), self.trades)
        with Server() as server:
            report = replay(server, "--speed", "10", self.path)
            for number, market in enumerate(MARKETS):
                self.assertEqual(trades(server.port, *market), self.trades[number], (market, report))
                self.assertEqual(book(server.port, *market), self.books[number], (market, report))
            for symbol in report["symbols"]:
                self.assertEqual(symbol["wanted"], symbol["filled"], symbol)
                self.assertEqual((symbol["drift"]["missingAtEnd"], symbol["drift"]["surplusAtEnd"]), ("0", "0"), symbol)
                self.assertEqual((symbol["userTook"], symbol["userGave"]), ("0", "0"), symbol)

    def test_into_an_exchange_that_lives_in_the_past(self):
        with Server("--timestamp", "1767571200") as server:
            report = replay(server, "--speed", "0", self.path)
            self.assertEqual(report["refusals"], [])
            self.assertEqual([book(server.port, *market) for market in MARKETS], self.books)

    def test_a_second_replay_begins_with_an_empty_book(self):
        with Server() as server:
            replay(server, "--speed", "0", self.path)
            replay(server, "--speed", "20", self.path)
            for number, market in enumerate(MARKETS):
                self.assertEqual(book(server.port, *market), self.books[number], market)

    def test_a_part_from_a_moment_on(self):
        """The book of that moment is there at once, and the trades before it are not made."""
        with Server() as server:
            report = replay(server, "--speed", "10", "--from", "+9", "--map", "BTC-USD", self.path)
            self.assertEqual(book(server.port, *MARKETS[1]), self.books[1], report)
            made = trades(server.port, *MARKETS[1])
            self.assertLess(len(made), len(self.trades[1]))
            self.assertEqual(made, self.trades[1][len(self.trades[1]) - len(made):])
            self.assertEqual(book(server.port, *MARKETS[0]), ([], []))
            self.assertIn("--from", self.refused(server, "--from", "+9999", self.path))

    def test_a_file_that_is_not_whole_changes_nothing(self):
        text = open(self.path, "rb").read()
        lines = text.splitlines(keepends=True)
        files = {"cut": (b"".join(lines[:-1]), "cut"), "cut within a line": (text[:-200], "cut"),
                 "changed": (text.replace(b'"p":"1', b'"p":"2', 1), "hash"),
                 "another version": (text.replace(b'"version":1', b'"version":9', 1), "version 9"),
                 "more": (text + lines[1], "behind the last"), "empty": (b"", "empty"),
                 "no recording": (b"hello\n", "neither a recording"),
                 "compressed": (b"\x1f\x8b\x08\x00rest\n", "gunzip"),
                 "unsorted": (b"".join([lines[0], lines[-2], *lines[1:]]), "before that of the line above")}
        with Server() as server:
            for name, (content, word) in files.items():
                path = os.path.join(self.folder.path, name.replace(" ", "-"))
                with open(path, "wb") as file:
                    file.write(content)
                with self.subTest(name):
                    self.assertIn(word, self.refused(server, path))
            self.assertIn("No such file", self.refused(server, path + "-nowhere"))
            report = replay(server, "--cut", "--speed", "0", os.path.join(self.folder.path, "cut"))
            self.assertGreater(report["events"], 100)
            broken = os.path.join(self.folder.path, "broken")
            for name, content, refused in (("in its middle", [*lines[:90], lines[90][:-9] + b"\n", *lines[91:]], True),
                                           ("at its end", [*lines[:90], lines[90][:-9]], False)):
                with self.subTest(name), open(broken, "wb") as file:
                    file.write(b"".join(content))
                    file.flush()
                    if refused:
                        self.assertIn("broken:91: a line that is no JSON", self.refused(server, "--cut", broken))
                    else:
                        self.assertGreater(replay(server, "--cut", "--speed", "0", broken)["events"], 1)

    def test_a_symbol_that_the_exchange_does_not_have(self):
        with Server() as server:
            self.assertIn("no symbol NOT-USD", self.refused(server, "--map", "BTC-USD=NOT-USD", self.path))
            self.assertIn("names no recorded symbol", self.refused(server, "--map", "X=BTC-USD", self.path))
            self.assertIn("would be played as", self.refused(server, "--map", "BTC-USD=SOL-USD,ETH-USD=SOL-USD",
                                                             self.path))
            self.assertIn("is no multiple of", self.refused(server, "--map", "vBTC_vUSDC=SOL-USD", self.path))

    def test_what_cannot_be_recorded(self):
        code, _, err = run("record", "http://127.0.0.1:1", "--out", "/nowhere/at/all", "--seconds", "0")
        self.assertEqual(code, 2)
        self.assertIn("record: --seconds 0: at least 1", err)
        with Server() as server:
            url, out = f"http://127.0.0.1:{server.port}", os.path.join(self.folder.path, "none.rec")
            for args, code, word in (((url, "--out", self.path), 74, "exists"), ((url,), 2, "--out"),
                                     ((url + "/api", "--out", out), 2, "without a path"),
                                     ((url, "--out", out, "--symbols", "NOT-USD"), 2, "none of the symbols"),
                                     (("http://127.0.0.1:1", "--out", out), 1, "connect")):
                done, _, err = run("record", *args)
                self.assertEqual(done, code, err)
                self.assertIn(word, err)
            self.assertFalse(os.path.exists(out))
            done, _, err = run("record", url, "--out", out, "--seconds", "1", "--symbols", "BTC-USD")
            self.assertEqual(done, 0, err)
            self.assertNotIn("ETH-USD", open(out).read())

    def test_an_exchange_of_another_kind(self):
        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        other = http.server.HTTPServer(("127.0.0.1", 0), Other)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{other.server_address[1]}"
        for args in (("record", url, "--out", self.path + "-other"), ("replay", "--to", url, self.path)):
            code, _, err = run(*args)
            self.assertEqual(code, 1, err)
            self.assertIn("no data", err)
        self.assertFalse(os.path.exists(self.path + "-other"))
        other.shutdown()
        other.server_close()


class TlsProxy:
    """TLS in front of a server, with a certificate that it signed itself."""

    def __init__(self, port, folder):
        self.port, self.file = port, os.path.join(folder, "proxy.pem")
        with open(self.file, "w") as file:
            file.write(CERTIFICATE)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.file)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            client = self.tls.wrap_socket(connection, server_side=True)
        except OSError:
            return
        server = socket.create_connection(("127.0.0.1", self.port))
        threading.Thread(target=self.pump, args=(client, server), daemon=True).start()
        self.pump(server, client)

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def trusted(self, *args):
        """The program where this certificate is the only one that is trusted; None where that cannot be arranged."""
        place = "/etc/ssl/certs/ca-certificates.crt"
        line = 'mount --bind "$0" ' + place + ' || exit 77; exec "$@"'
        for flags in ("-m", "-rm"):
            done = subprocess.run(["unshare", flags, "sh", "-c", line, self.file, BINARY, *args],
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            if b"unshare" not in done.stderr and done.returncode != 77:
                return done
        return None


class Connections(unittest.TestCase):
    def test_tls(self):
        """Reads, streams and signed writes through TLS; a certificate that is not good is refused."""
        with Folder() as folder, Server() as server:
            proxy, path = TlsProxy(server.port, folder), os.path.join(folder, "tls.rec")
            code, _, err = run("record", proxy.url, "--out", path, "--seconds", "1")
            self.assertEqual(code, 1, err)
            self.assertIn("certificate", err)
            Perps(server.accounts()[0]).place(perps_order("bid", BUY, "99990", "0.01"))
            done = proxy.trusted("record", proxy.url, "--out", path, "--seconds", "1")
            if done is None:
                self.skipTest("no mount namespace can be made")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = proxy.trusted("replay", "--to", proxy.url, "--map", "BTC-USD", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(book(server.port, *MARKETS[1])[0], [["99990", "0.02"]])
            proxy.listener.close()

    def test_a_recorder_connects_again(self):
        with Folder() as folder:
            path, data = os.path.join(folder, "lost.rec"), os.path.join(folder, "data")
            with Server(data=data) as server:
                recorder, port = Recorder(server.port, path), server.port
                maker = Perps(server.accounts()[0])
                maker.place(perps_order("one", BUY, "99990", "0.01"))
                time.sleep(0.5)
            with Server(data=data, port=port) as server:
                time.sleep(3)
                Perps(server.accounts()[0]).place(perps_order("two", BUY, "99980", "0.02"))
                time.sleep(0.5)
                recorder.stop()
                recorded = book(server.port, *MARKETS[1])
            self.assertIn('"lost":true', open(path).read())
            with Server() as server:
                report = replay(server, "--speed", "0", path)
                self.assertEqual(book(server.port, *MARKETS[1]), recorded, report)
                self.assertEqual(recorded[0], [["99990", "0.01"], ["99980", "0.02"]])
                self.assertGreater(report["connectionsLost"], 0)


class AUserInAReplay(unittest.TestCase):
    """A recording made by hand: a queue of 0.01 on each side, takers who sell into it, and an offer that grows."""

    def test_orders_of_a_user(self):
        with Folder() as folder:
            path = os.path.join(folder, "queue.rec")
            with Server() as server:
                maker, taker = (Perps(account) for account in server.accounts()[:2])
                maker.place(perps_order("bid", BUY, "99990", "0.01"), perps_order("ask", SELL, "100010", "0.01"))
                recorder = Recorder(server.port, path, "--symbols", "BTC-USD")
                time.sleep(4)
                for number, quantity in enumerate(("0.004", "0.006")):
                    taker.place(perps_order(f"sell{number}", SELL, "99990", quantity, tif=IOC))
                    time.sleep(0.5)
                maker.place(perps_order("more", SELL, "100010", "0.002"))
                time.sleep(0.5)
                recorder.stop()
            with Server() as server:
                self.trade_along(server, path)

    def trade_along(self, server, path):
        process = subprocess.Popen([BINARY, "replay", "--to", f"http://127.0.0.1:{server.port}", path],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while book(server.port, *MARKETS[1]) != ([["99990", "0.01"]], [["100010", "0.01"]]):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        user = Perps(server.accounts()[0])
        placed = user.place(perps_order("behind", BUY, "99990", "0.005"),       # behind the 0.01 of the replay
                            perps_order("before", BUY, "99991", "0.003"),       # at a better price
                            perps_order("takes", BUY, "100010", "0.004", tif=IOC))
        self.assertEqual([row["code"] for row in placed.data], [0, 0, 0])
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        symbol = json.loads(out)["symbols"][0]
        # The first taker met 0.003 of the user, then 0.001 of the replay; the second one 0.006 of the replay's 0.009,
        # of which the rest left, because nothing is recorded there any more. The user's other order is untouched.
        self.assertEqual((symbol["wanted"], symbol["filled"], symbol["userGave"]), ("0.01", "0.01", "0.003"), symbol)
        bids, asks = book(server.port, *MARKETS[1])
        self.assertEqual(bids, [["99990", "0.005"]], symbol)
        self.assertEqual(user.orders()["behind"]["executedQty"], "0")
        self.assertNotIn("before", user.orders())
        # What the user took away stays away: 0.01 - 0.004, and 0.002 that came.
        self.assertEqual(asks, [["100010", "0.008"]], symbol)
        self.assertEqual((symbol["userTook"], symbol["drift"]["missingAtEnd"]), ("0.004", "0.004"), symbol)


if __name__ == "__main__":
    unittest.main(verbosity=2)
