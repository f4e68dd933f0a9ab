#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dojima record and dojima replay: what one exchange recorded is the same book and the same trades on another one, a
user's orders trade in it, files of Tardis and LOBSTER are read, and whatever is wrong with a file changes nothing."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from harness import (BINARY, BUY, GTC, IOC, SELL, BTC, Connection, Folder, Perps, Server, order, perps_order, run)

SPOT, PERPS = "/api/v1/spot", "/api/v1/perps"
MARKETS = ((SPOT, "vBTC_vUSDC"), (PERPS, "BTC-USD"))


def book(port, base, symbol):
    """Bids and asks, all of them."""
    data = Connection(port).send("GET", f"{base}/markets/{symbol}/orderbook?limit=1000").data
    return data["bids"], data["asks"]


def trades(port, base, symbol):
    """Side, price and quantity, oldest first."""
    rows = Connection(port).send("GET", f"{base}/markets/{symbol}/trades?limit=500").data
    return [(row["S"], row["p"], row["q"]) for row in reversed(rows)]


class Recorder:
    """A dojima record that runs until it is stopped."""

    def __init__(self, port, path, *more):
        self.process = subprocess.Popen([BINARY, "record", f"http://127.0.0.1:{port}", "--out", path, *more],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while not (os.path.exists(path) and b'"push"' in open(path, "rb").read()) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.4)                         # the beginning of a recording is its first 100 ms

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

    def __init__(self, server, seed):
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
        market, side = self.random.randrange(2), self.random.choice((BUY, SELL))
        price = "100006" if side == BUY else "99994"
        self.place(market, self.taker, side, price, f"0.{self.random.randrange(100, 2999):05d}", IOC)

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
            Trading(server, 7).go(400)
            time.sleep(0.5)
            cls.said = recorder.stop()
            cls.books = [book(server.port, *market) for market in MARKETS]
            cls.trades = [trades(server.port, *market) for market in MARKETS]

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def test_the_books_and_trades_are_those_that_were_recorded(self):
        with Server() as server:
            report = replay(server, "--speed", "10", self.path)
            for number, market in enumerate(MARKETS):
                self.assertEqual(book(server.port, *market), self.books[number], (market, report))
                self.assertEqual(trades(server.port, *market), self.trades[number], (market, report))
            print(json.dumps(report, indent=1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
