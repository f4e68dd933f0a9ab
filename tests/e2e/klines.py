# SPDX-License-Identifier: MIT
"""Tickers and klines from outside: trades at many times, and every response recomputed from the list of public trades
with Python's own calendar and decimals; across jumps of engine time, a clean restart and a kill."""
import json
import random
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal

from harness import BUY, ETH, IOC, SELL, Case, Connection, Folder, Server, main, order

MINUTE, DAY = 60_000, 86_400_000
BTC_NAME, ETH_NAME = "vBTC_vUSDC", "vETH_vUSDC"
INTERVALS = {"1m": 1, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "4h": 240, "8h": 480, "12h": 720, "1D": 1440, "3D": 4320,
             "1W": "week", "1M": "month"}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
TICKER = ("symbol", "lastPx", "lastSz", "vwap", "openPx", "highPx", "lowPx", "change", "changePct", "volume",
          "quoteVolume",
          "bidPx", "bidSz", "askPx", "askSz", "openTime", "closeTime")
# lastPx before the first trade
REFERENCES = {"vBTC_vUSDC": "100000", "vETH_vUSDC": "4000", "BTC-USD": "100000", "ETH-USD": "4000", "SOL-USD": "200"}
MINI = ("symbol", "lastPx", "openPx", "highPx", "lowPx", "volume", "quoteVolume", "openTime", "closeTime")
BEST = ("symbol", "bidPx", "bidSz", "askPx", "askSz")


def text(value):
    """Plain notation without trailing zeros."""
    out = format(value, "f")
    return (out.rstrip("0").rstrip(".") if "." in out else out) or "0"


def moment(ms):
    return EPOCH + timedelta(milliseconds=ms)


def start_of(interval, ms):
    span = INTERVALS[interval]
    if span == "week":
        day = moment(ms).replace(hour=0, minute=0, second=0, microsecond=0)
        return int((day - timedelta(days=day.weekday()) - EPOCH) / timedelta(milliseconds=1))
    if span == "month":
        return int((moment(ms).replace(day=1, hour=0, minute=0, second=0,
                                       microsecond=0) - EPOCH) / timedelta(milliseconds=1))
    return ms - ms % (span * MINUTE)


def next_start(interval, start):
    span = INTERVALS[interval]
    if span == "month":
        return start_of(interval, start + 32 * DAY)
    return start + (7 * DAY if span == "week" else span * MINUTE)


def bar(trades, start, close):
    prices = [t["p"] for t in trades] or [close]
    return {"t": start, "o": text(prices[0]), "h": text(max(prices)), "l": text(min(prices)), "c": text(prices[-1]),
            "v": text(sum(t["q"] for t in trades)), "q": text(sum(t["p"] * t["q"] for t in trades)), "n": len(trades)}


def model_klines(trades, interval, now, start=None, end=None, limit=500):
    """Only requested bars are made, so that three years of minutes are cheap."""
    if not trades:
        return []
    by_start = {}
    for trade in trades:
        by_start.setdefault(start_of(interval, trade["T"]), []).append(trade)
    first, end = start_of(interval, trades[0]["T"]), min(now, now if end is None else end)
    last = start_of(interval, end)
    rows, at = [], first if start is None else max(first, start_of(interval, start))
    if start is None and isinstance(INTERVALS[interval], int):
        at = max(first, last - (limit - 1) * INTERVALS[interval] * MINUTE)
    if start is not None and start >= next_start(interval, last):
        return []
    before = [t for t in trades if t["T"] < at]
    close = before[-1]["p"] if before else None
    while at <= last and (start is None or len(rows) < limit):
        rows.append(bar(by_start.get(at, []), at, close))
        close = Decimal(rows[-1]["c"])
        at = next_start(interval, at)
    return rows[-limit:]


class Bars(Case):
    """The invariants of every response about past trades."""

    def rpc(self, method, *params):
        """Every hour of an advance is settled and synced: hundreds of days take seconds, and longer where the disk is
        busy."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return Connection(self.server.port, 150).send("POST", "/rpc", body,
                                                      {"Content-Type": "application/json"}).json["result"]

    def connect(self, server):
        self.server = server
        self.a, self.b, *_ = server.accounts()

    def get(self, path):
        return self.a.get("/markets/" + path)

    def trade(self, price, quantity, symbol=1):
        """One trade now, by a maker and a taker; recorded as in the public list."""
        self.number = getattr(self, "number", 0) + 1
        self.items_ok(self.a.place(order(f"m{self.number}", SELL, price, quantity, symbol=symbol)))
        self.items_ok(self.b.place(order(f"t{self.number}", BUY, price, quantity, symbol=symbol, tif=IOC)))
        row = self.ok(self.get(f"{BTC_NAME if symbol == 1 else ETH_NAME}/trades?limit=1"))[0]
        self.trades.setdefault(row["s"], []).append({"T": row["T"], "p": Decimal(row["p"]), "q": Decimal(row["q"])})
        self.assertEqual((row["p"], row["q"]), (price, quantity))

    # ---- invariants of every response

    def check_klines(self, symbol, interval, **query):
        path = f"{symbol}/klines?interval={interval}" + "".join(f"&{key}={value}" for key, value in query.items())
        reply = self.get(path)
        rows, now = self.ok(reply), reply.json["timestamp"]
        model = model_klines(self.trades.get(symbol, []), interval.replace("d", "D").replace("w", "W"), now,
                             query.get("startTime"), query.get("endTime"), query.get("limit", 500))
        self.assertEqual(rows, model, path)
        return rows

    def check_ticker(self, symbol):
        reply = self.get(f"tickers?symbol={symbol}")
        (row,), now = self.ok(reply), reply.json["timestamp"]
        trades = self.trades.get(symbol, [])
        self.assertEqual(tuple(row), TICKER)
        self.assertEqual(row["openTime"], now - now % MINUTE - DAY)
        self.assertEqual(row["closeTime"], now)
        inside = [t for t in trades if t["T"] >= row["openTime"]]
        last = trades[-1]["p"] if trades else Decimal(0)
        model = bar(inside, 0, last)
        opened = Decimal(model["o"])
        volume, quote = Decimal(model["v"]), Decimal(model["q"])
        percent = (last - opened) * 100 / opened if opened else Decimal(0)
        self.assertEqual({key: row[key] for key in TICKER[1:11]}, {
            "lastPx": text(last) if trades else REFERENCES[symbol], "lastSz": text(trades[-1]["q"]) if trades else "0",
            "vwap": text((quote / volume).quantize(Decimal("0.000001"), ROUND_HALF_UP)) if volume else text(last),
            "openPx": model["o"], "highPx": model["h"], "lowPx": model["l"], "change": text(last - opened),
            "changePct": float(text(percent.quantize(Decimal("0.0001"), ROUND_HALF_UP))), "volume": model["v"],
            "quoteVolume": model["q"]})
        self.assertIn(b'"changePct":' + text(percent.quantize(Decimal("0.0001"), ROUND_HALF_UP)).encode() + b",",
                      reply.raw)
        mini = self.ok(self.get(f"miniTickers?symbol={symbol}"))[0]
        self.assertEqual(tuple(mini), MINI)
        self.assertEqual({key: mini[key] for key in MINI[:7]}, {key: row[key] for key in MINI[:7]})

    def check_everything(self):
        for symbol in (BTC_NAME, ETH_NAME):
            self.check_ticker(symbol)
            trades = self.trades.get(symbol, [])
            for interval in (*INTERVALS, "1d", "3d", "1w"):
                self.check_klines(symbol, interval)
                self.check_klines(symbol, interval, limit=3)
                self.check_klines(symbol, interval, limit=1500)
                if trades and interval in INTERVALS:    # often a time to come, within the open bar
                    self.check_klines(symbol, interval,
                                      startTime=next_start(interval, start_of(interval, trades[-1]["T"])) - 1)
                for trade in self.dice.sample(trades, min(2, len(trades))):
                    self.check_klines(symbol, interval, startTime=trade["T"], limit=20)
                    self.check_klines(symbol, interval, endTime=trade["T"] - 1, limit=20)
                    self.check_klines(symbol, interval, startTime=trade["T"], endTime=trade["T"] + 30 * MINUTE)


class Klines(Bars):
    def test_every_answer_is_recomputed_from_the_trades_over_years(self):
        self.dice, self.trades = random.Random(20240229), {}
        jumps = (0, 1, 59, 60, 61, 600, 3600, 20_000, 86_399, 86_400, 86_401, 400_000, 3_000_000)
        with Folder() as folder:
            for life in range(3):
                server = Server("--no-limits", "--market", "none", data=folder)
                try:
                    self.connect(server)
                    self.check_everything()
                    for _ in range(20):
                        self.rpc("evm_increaseTime", self.dice.choice(jumps))
                        for _ in range(self.dice.randrange(1, 3)):
                            self.trade(f"{self.dice.randrange(99000, 101000)}.{self.dice.randrange(1, 10)}",
                                       f"0.00{self.dice.randrange(101, 299, 2)}")
                        if self.dice.random() < 0.3:
                            self.trade(f"{self.dice.randrange(3950, 4050)}.{self.dice.randrange(1, 10)}",
                                       f"0.0{self.dice.randrange(21, 99, 2)}", ETH)
                    self.check_everything()
                    self.rpc("evm_increaseTime", 200 * 86_400)
                    self.check_everything()
                finally:
                    if life == 1:
                        server.kill()
                    else:
                        server.stop()

    def test_the_window_rolls_while_nobody_trades(self):
        self.trades = {}
        with Server("--no-limits", "--market", "none") as server:
            self.connect(server)
            self.check_ticker(BTC_NAME)
            self.trade("100000.5", "0.125")
            self.check_ticker(BTC_NAME)
            row = self.ok(self.get(f"tickers?symbol={BTC_NAME}"))[0]
            self.assertEqual((row["volume"], row["quoteVolume"], row["changePct"]), ("0.125", "12500.0625", 0))
            self.rpc("evm_increaseTime", 86_399)
            self.assertEqual(self.ok(self.get(f"tickers?symbol={BTC_NAME}"))[0]["volume"], "0.125")
            self.rpc("evm_increaseTime", 61)
            row = self.ok(self.get(f"tickers?symbol={BTC_NAME}"))[0]
            self.assertEqual((row["volume"], row["quoteVolume"], row["lastPx"], row["openPx"]),
                             ("0", "0", "100000.5", "100000.5"))
            self.check_ticker(BTC_NAME)

    def test_book_tickers_are_the_best_levels(self):
        with Server("--no-limits", "--market", "none") as server:
            self.connect(server)
            empty = {"bidPx": "0", "bidSz": "0", "askPx": "0", "askSz": "0"}
            self.assertEqual(self.ok(self.get("bookTickers")),
                             [{"symbol": name, **empty} for name in (BTC_NAME, ETH_NAME)])
            self.items_ok(self.a.place(order("b1", BUY, "99000", "0.2"), order("b2", BUY, "99001", "0.1"),
                                       order("b3", BUY, "99001", "0.05"),
                                       order("s1", SELL, "101000", "0.3"), order("s2", SELL, "100999.5", "0.7")))
            best = {"bidPx": "99001", "bidSz": "0.15", "askPx": "100999.5", "askSz": "0.7"}
            self.assertEqual(self.ok(self.get(f"bookTickers?symbol={BTC_NAME}")), [{"symbol": BTC_NAME, **best}])
            row = self.ok(self.get(f"tickers?symbol={BTC_NAME}"))[0]
            self.assertEqual({key: row[key] for key in best}, best)
            self.items_ok(self.a.cancel({"symbolID": 1, "clOrdID": "s2"}))
            self.assertEqual(self.ok(self.get(f"bookTickers?symbol={BTC_NAME}"))[0]["askPx"], "101000")
            self.assertEqual([tuple(row) for row in self.ok(self.get("bookTickers"))], [BEST, BEST])

    def test_bad_input_is_named(self):
        with Server("--no-limits", "--market", "none") as server:
            self.connect(server)
            names = "1m, 5m, 15m, 30m, 1h, 4h, 8h, 12h, 1D, 3D, 1W, 1M"
            for interval in ("2m", "1H", "5M", "1y", "60", "%31%6D%6D", "1m%20"):
                with self.subTest(interval=interval):
                    self.assertNotEqual(self.get(f"{BTC_NAME}/klines?interval={interval}").code, 0)
            self.assertEqual(self.refused(self.get(f"{BTC_NAME}/klines?interval=2m"), 40006,
                                          "invalid interval, one of " + names)["field"], "interval")
            self.refused(self.get(f"{BTC_NAME}/klines"), 40001)
            for value in ("-1", "x", "", "1.5", "1e3", "18446744073709551616"):
                self.refused(self.get(f"{BTC_NAME}/klines?interval=1m&startTime={value}"), 40001)
                self.refused(self.get(f"{BTC_NAME}/klines?interval=1m&endTime={value}"), 40001)
            for value in ("0", "-1", "x", "", "4294967296"):
                self.refused(self.get(f"{BTC_NAME}/klines?interval=1m&limit={value}"), 40001)
            self.refused(self.get(f"{BTC_NAME}/klines?interval=1m&startTime=2&endTime=1"), 40007)
            self.assertEqual(self.ok(self.get(f"{BTC_NAME}/klines?interval=1m&startTime=1&endTime=1")), [])
            for path in ("tickers?symbol=nope", "miniTickers?symbol=nope", "bookTickers?symbol=BTC-USD",
                         "nope/klines?interval=1m"):
                self.refused(self.get(path), 40401, "symbol not found")


if __name__ == "__main__":
    main()
