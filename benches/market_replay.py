#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recorded feed of BTC's size, played into a development exchange: how many times real time one core can do.

    benches/market_replay.py [--seconds N] [--dojima PATH]

The feed is made up: 1,000 changes of the book and 30 trades a second, 400 levels a side, as files of Tardis. It is
played as fast as possible. The figure is the recorded time beside the processor time of both processes, the exchange
(engine, log, history, reads) and `dojima replay` (reading twice, signing), so that a busy machine does not change it.
The books must be those of the recording at the end.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = "exchange,symbol,timestamp,local_timestamp,{},side,price,amount\n"
LEVELS, TRADES = 400, 0.03
BEGAN_US = 1760000000000000


class Feed:
    """A random book, of which every change is written down. Prices in tenths, quantities in hundred thousandths."""

    def __init__(self, folder, seed=1):
        self.random = random.Random(seed)
        self.levels = {"bid": {}, "ask": {}}
        self.best = {"bid": 999999, "ask": 1000001}
        self.trades = 0
        self.paths = [os.path.join(folder, name) for name in ("book.csv", "trades.csv")]
        self.files = [open(path, "w") for path in self.paths]
        self.files[0].write(COLUMNS.format("is_snapshot"))
        self.files[1].write(COLUMNS.format("id"))
        for distance in range(LEVELS):
            for side in ("bid", "ask"):
                self.put(BEGAN_US, "true", side, self.price(side, distance), self.random.randrange(100, 200000))

    def price(self, side, distance):
        return self.best[side] + (-distance if side == "bid" else distance)

    def row(self, file, time_us, fourth, side, price, quantity):
        self.files[file].write(f"made-up,BTC-USD,{time_us},{time_us},{fourth},{side},{price / 10:.1f},"
                               f"{quantity / 100000:.5f}\n")

    def put(self, time_us, snapshot, side, price, quantity):
        if quantity:
            self.levels[side][price] = quantity
        else:
            self.levels[side].pop(price, None)
        self.row(0, time_us, snapshot, side, price, quantity)

    def trade(self, time_us):
        taker = self.random.choice(("buy", "sell"))
        side = "ask" if taker == "buy" else "bid"
        price = self.best[side]
        there = self.levels[side][price]
        quantity = min(there, max(10, int(self.random.paretovariate(1.2) * 200)))
        self.trades += 1
        self.row(1, time_us, self.trades, taker, price, quantity)
        self.put(time_us, "false", side, price, there - quantity)

    def change(self, time_us):
        side = self.random.choice(("bid", "ask"))
        price = self.price(side, min(LEVELS, int(self.random.expovariate(1 / 12))) - 1)
        if price in self.levels["ask" if side == "bid" else "bid"]:
            price = self.best[side]
        there, draw = self.levels[side].get(price, 0), self.random.random()
        if there and draw < 0.35 and price != self.best[side]:
            quantity = 0
        elif there > 100 and draw < 0.67:
            quantity = max(100, there - self.random.randrange(1, there))
        else:
            quantity = there + self.random.randrange(100, 100000)
        self.put(time_us, "false", side, price, quantity)

    def go(self, seconds):
        for ms in range(seconds * 1000):
            (self.trade if self.random.random() < TRADES else self.change)(BEGAN_US + 200000 + ms * 1000)
            for side, way in (("bid", 1), ("ask", -1)):
                while self.best[side] + way in self.levels[side]:
                    self.best[side] += way
                while self.best[side] not in self.levels[side]:
                    self.best[side] -= way
        for file in self.files:
            file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dojima-replay-") as folder:
        feed = Feed(folder)
        feed.go(options.seconds)
        exchange = subprocess.Popen([options.dojima, "dev", "--port", "0", "--market", "none", "--no-limits", "--json",
                                     "--data", os.path.join(folder, "data")], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            url = json.loads(exchange.stdout.readline())["url"]
            replay = subprocess.Popen([options.dojima, "replay", "--to", url, "--speed", "0", *feed.paths],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            out, err = replay.stdout.read(), replay.stderr.read()
            _, status, client = os.wait4(replay.pid, 0)
            replay.returncode = os.waitstatus_to_exitcode(status)
        finally:
            exchange.terminate()
            _, _, server = os.wait4(exchange.pid, 0)
            exchange.returncode = 0
    if replay.returncode != 0:
        sys.exit(f"benches/market_replay.py: the replay ended with {replay.returncode}: {err.decode()}")
    report = json.loads(out)
    symbol = report["symbols"][0]
    if (symbol["drift"]["missingAtEnd"], symbol["drift"]["surplusAtEnd"]) != ("0", "0"):
        sys.exit(f"benches/market_replay.py: the books are not those of the recording: {symbol}")
    processor = [usage.ru_utime + usage.ru_stime for usage in (server, client)]
    times = report["recordedSeconds"] / sum(processor)
    print(f"market-replay: {times:.1f} times real time by processor time of one core "
          f"({report['recordedSeconds']:.0f} s of 1,000 changes a second; exchange {processor[0]:.2f} s, "
          f"replay {processor[1]:.2f} s), {report['speed']:.1f} times by the clock", flush=True)
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ market-replay {times:.9g} 0", flush=True)


if __name__ == "__main__":
    main()
