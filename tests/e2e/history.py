#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Candles of the time before a development exchange began (dojima dev --history): from a seed always the same, whole in
each interval and consistent between them, without a gap before the live candles, and no trades: accounts, fills, blocks
and the log know nothing of them."""
import json
import threading
from decimal import Decimal

from harness import BUY, SELL, Case, Connection, Folder, Server, main, order, run
from klines import DAY, INTERVALS, MINUTE, next_start, start_of

BEGIN = 1_790_000_000 + 40 * 60 + 17        # 40 minutes and 17 s into an hour
SPAN = 3 * DAY
STANDS = ("--clock", "0", "--timestamp", str(BEGIN))
END = (BEGIN * 1000) // MINUTE * MINUTE
SPOT, PERPS = "/api/v1/spot", "/api/v1/perps"
ONLY_SPOT = ("8h", "12h", "3D")
SYMBOLS = [(SPOT, "vBTC_vUSDC", "100000", 1), (SPOT, "vETH_vUSDC", "4000", 2), (PERPS, "BTC-USD", "100000", 1),
           (PERPS, "ETH-USD", "4000", 2), (PERPS, "SOL-USD", "200", 2)]     # reference, decimals of prices


class Exchange(Server):
    def __init__(self, *args, history="3d", **more):
        super().__init__(*args, *(("--history", history) if history else ()), **more)
        self.connection = Connection(self.port, timeout=120)   # days are played, by a sanitized program too

    def rpc(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        return json.loads(self.connection.send("POST", "/rpc", body, {"Content-Type": "application/json"}).raw)

    def result(self, method, *params):
        answer = self.rpc(method, *params)
        assert "result" in answer, answer
        return answer["result"]

    def klines(self, base, symbol, interval, **query):
        more = "".join(f"&{name}={value}" for name, value in query.items())
        return self.connection.send("GET", f"{base}/markets/{symbol}/klines?interval={interval}{more}").data

    def all_klines(self, base, symbol, interval):
        """From the first one to now, page by page."""
        found, start = [], 0
        while True:
            page = self.klines(base, symbol, interval, startTime=start, limit=1000)
            found += page
            if len(page) < 1000:
                return found
            start = next_start(interval, page[-1]["t"])

    def tables(self):
        return {(base, symbol, interval): self.all_klines(base, symbol, interval)
                for base, symbol, *_ in SYMBOLS for interval in INTERVALS
                if base == SPOT or interval not in ONLY_SPOT}

    def ticker(self, base, symbol):
        return self.connection.send("GET", f"{base}/markets/tickers?symbol={symbol}").data[0]


def folded(minutes, interval):
    """Bars of an interval from those of a minute; bars without trades repeat the close and add nothing."""
    bars = {}
    for minute in minutes:
        start = start_of(interval, minute["t"])
        bar = bars.get(start)
        if bar is None or bar["n"] == 0:
            bars[start] = {**minute, "t": start}
        elif minute["n"] != 0:
            bar["h"] = max(bar["h"], minute["h"], key=Decimal)
            bar["l"] = min(bar["l"], minute["l"], key=Decimal)
            bar["c"] = minute["c"]
            bar["v"], bar["q"] = (str(Decimal(bar[key]) + Decimal(minute[key])) for key in "vq")
            bar["n"] += minute["n"]
    return [bars[start] for start in sorted(bars)]


def plain(bar):
    return {key: value if key in "tn" else Decimal(value) for key, value in bar.items()}


class History(Case):
    def check_tables(self, tables, now):
        """No gap up to now, and every interval is the fold of its minutes."""
        for base, symbol, *_ in SYMBOLS:
            minutes = tables[base, symbol, "1m"]
            self.assertEqual(minutes[0]["t"], END - SPAN)
            for interval in INTERVALS:
                if (base, symbol, interval) not in tables:
                    continue
                with self.subTest(symbol=symbol, interval=interval):
                    bars = tables[base, symbol, interval]
                    times = [bar["t"] for bar in bars]
                    self.assertEqual(times[1:], [next_start(interval, time) for time in times[:-1]])
                    self.assertEqual(times[-1], start_of(interval, now))
                    self.assertEqual([plain(bar) for bar in bars], [plain(bar) for bar in folded(minutes, interval)])

    def test_bars_are_whole_and_lead_to_the_live_market(self):
        with Exchange(*STANDS, "--market", "calm") as exchange:
            tables = exchange.tables()
            self.check_tables(tables, BEGIN * 1000)
            for base, symbol, reference, decimals in SYMBOLS:
                minutes = tables[base, symbol, "1m"]
                before = [bar for bar in minutes if bar["t"] < END]
                self.assertEqual(before[-1]["c"], reference)        # where the index begins
                self.assertEqual(minutes[-1], {**minutes[-1], "t": END, "o": reference, "v": "0", "n": 0})
                close = before[0]["o"]
                for bar in before:
                    o, h, l, c, v, q = (Decimal(bar[key]) for key in "ohlcvq")
                    self.assertEqual(bar["o"], close)
                    self.assertTrue(0 < l <= min(o, c) and max(o, c) <= h, bar)
                    self.assertTrue(bar["n"] > 0 and v > 0 and l * v - 1 <= q <= h * v, bar)
                    self.assertEqual(h, h.quantize(Decimal(1).scaleb(-decimals)))
                    close = bar["c"]
            exchange.result("evm_increaseTime", 45 * 60)            # into the next hour
            tables = exchange.tables()
            self.check_tables(tables, (BEGIN + 45 * 60) * 1000)
            for base, symbol, reference, _ in SYMBOLS:
                live = [bar for bar in tables[base, symbol, "1m"] if bar["t"] >= END]
                traded = next(bar for bar in live if bar["n"] != 0)
                self.assertLess(abs(Decimal(traded["o"]) / Decimal(reference) - 1), Decimal("0.005"))
                self.assertGreater(sum(bar["n"] for bar in live), 100)

    def test_a_seed_makes_them(self):
        with Exchange(*STANDS, "--seed", "5") as exchange:
            first = exchange.tables()
            status = exchange.result("dojima_history")
            self.assertEqual(status, {"synthesized": True, "from": END - SPAN, "to": END, "seed": 5})
            self.assertEqual(exchange.banner["historyMinutes"], SPAN // MINUTE)
        with Exchange(*STANDS, "--seed", "5") as exchange:
            self.assertEqual(exchange.tables(), first)
        with Exchange(*STANDS, "--seed", "6") as exchange:
            other = exchange.tables()
            self.assertEqual(len([key for key in first if first[key] == other[key]]), 0)
        with Exchange(*STANDS, "--seed", "5", history="72h") as exchange:
            self.assertEqual(exchange.tables(), first)
        with Exchange(*STANDS, "--seed", "5", history="5d") as exchange:    # a longer one ends like a shorter one
            longer = exchange.all_klines(SPOT, "vBTC_vUSDC", "1m")
            self.assertEqual(longer[2 * 1440:], first[SPOT, "vBTC_vUSDC", "1m"])

    def test_none_when_not_asked_for(self):
        with Exchange(*STANDS, history=None) as exchange:
            self.assertIsNone(exchange.result("dojima_history"))
            self.assertEqual(exchange.klines(SPOT, "vBTC_vUSDC", "1m"), [])
            self.assertEqual(exchange.ticker(SPOT, "vBTC_vUSDC")["volume"], "0")

    def test_they_are_no_trades(self):
        with Folder() as folder:
            with Exchange(*STANDS, data=folder) as exchange:
                client = exchange.accounts()[0]
                for base, symbol, *_ in SYMBOLS:
                    trades = exchange.connection.send("GET", f"{base}/markets/{symbol}/trades").data
                    self.assertEqual(trades, [])
                for base in (SPOT, PERPS):
                    for name in ("trades", "orders/history"):
                        reply = exchange.connection.send("GET", f"{base}/accounts/{client.address}/{name}")
                        self.assertEqual(reply.data, [], (base, name))
                self.assertEqual(exchange.result("eth_blockNumber"), "0x0")
            code, out, errors = run("verify", "--json", folder)
            self.assertEqual(code, 0, errors)
            with_history = json.loads(out)
        with Folder() as folder:
            with Exchange(*STANDS, data=folder, history=None):
                pass
            without = json.loads(run("verify", "--json", folder)[1])
        for key in ("seq", "money", "traderCommands"):
            self.assertEqual(with_history[key], without[key], key)

    def test_the_window_of_tickers_is_the_fold_of_the_same_bars(self):
        with Exchange(*STANDS, "--market", "calm") as exchange:
            for seconds in (0, 3 * 60, 23 * 3600):
                if seconds != 0:
                    exchange.result("dojima_setTraders", {"preset": "calm" if seconds < 3600 else "none"})
                    exchange.result("evm_increaseTime", seconds)
                for base, symbol, *_ in SYMBOLS:
                    ticker = exchange.ticker(base, symbol)
                    window = [bar for bar in exchange.all_klines(base, symbol, "1m") if bar["t"] >= ticker["openTime"]]
                    self.assertEqual(len(window), 1441)
                    traded = [bar for bar in window if bar["n"] != 0]
                    self.assertEqual(Decimal(ticker["volume"]), sum(Decimal(bar["v"]) for bar in traded))
                    self.assertEqual(Decimal(ticker["quoteVolume"]), sum(Decimal(bar["q"]) for bar in traded))
                    self.assertEqual((ticker["openPx"], ticker["lastPx"]), (traded[0]["o"], traded[-1]["c"]))
                    self.assertEqual(Decimal(ticker["highPx"]), max(Decimal(bar["h"]) for bar in traded))
                    if seconds == 0:
                        self.assertEqual(ticker["lastSz"], "0")     # nothing has traded
            exchange.result("evm_increaseTime", 3 * 86400)          # the window has left the last trade behind
            ticker = exchange.ticker(SPOT, "vBTC_vUSDC")
            self.assertEqual((ticker["volume"], ticker["openPx"]), ("0", ticker["lastPx"]))

    def test_restarts_reverts_and_reset_keep_them(self):
        with Folder() as folder:
            with Exchange(*STANDS, data=folder) as exchange:
                begun = exchange.tables()
                exchange.result("evm_snapshot", "begun")
                seller, buyer = exchange.accounts()[:2]
                nonce = BEGIN * 1000
                self.assertEqual(seller.place(order("s", SELL, "100100", "0.02"), nonce=nonce).code, 0)
                self.assertEqual(buyer.place(order("b", BUY, "100100", "0.02"), nonce=nonce).code, 0)
                traded = exchange.tables()
                self.assertNotEqual(traded, begun)
                self.check_tables(traded, BEGIN * 1000)
                hour = traded[SPOT, "vBTC_vUSDC", "1h"][-1]         # of both
                self.assertEqual((hour["n"], hour["c"]), (begun[SPOT, "vBTC_vUSDC", "1h"][-1]["n"] + 1, "100100"))
                exchange.result("evm_snapshot", "traded")
            exchange = Exchange(*STANDS, "--seed", "9", data=folder, history=None)    # the folder knows
            self.assertEqual(exchange.tables(), traded)
            exchange.result("evm_revert", "begun")
            self.assertEqual(exchange.tables(), begun)
            exchange.kill()
            exchange = Exchange(*STANDS, data=folder)               # the same again is fine
            self.assertEqual(exchange.tables(), begun)
            exchange.result("evm_revert", "traded")
            self.assertEqual(exchange.tables(), traded)
            state = exchange.result("anvil_dumpState")
            exchange.result("anvil_reset")
            self.assertEqual(exchange.tables(), begun)
            exchange.result("anvil_loadState", state)
            self.assertEqual(exchange.tables(), traded)
            self.assertEqual(exchange.result("dojima_history")["seed"], 42)
            exchange.stop()

    def test_a_state_file_keeps_them(self):
        with Folder() as folder:
            path = folder + "/market.state"
            with Exchange(*STANDS, "--state", path) as exchange:
                begun = exchange.tables()
            with Exchange(*STANDS, "--state", path, history=None) as exchange:
                self.assertEqual(exchange.tables(), begun)

    def test_many_readers(self):
        with Exchange(*STANDS) as exchange:
            expected, wrong = exchange.klines(SPOT, "vBTC_vUSDC", "15m", limit=288), []

            def read():
                connection = Connection(exchange.port)
                for _ in range(40):
                    reply = connection.send("GET", SPOT + "/markets/vBTC_vUSDC/klines?interval=15m&limit=288")
                    wrong.extend([reply] if reply.data != expected else [])

            threads = [threading.Thread(target=read) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_bad_spans(self):
        for span in ("0h", "0d", "367d", "8785h", "100000h", "30", "30m", "d", "-1d", "+1d", "1.5d", "1d ", " 1d",
                     "1dh", "4294967297d"):
            code, out, errors = run("dev", "--port", "0", "--history", span)
            self.assertEqual((code, out), (2, ""), span)
            self.assertIn("from 1h to 366d", errors)
        code, _, errors = run("dev", "--port", "0", "--history", "1d", "--timestamp", "86399")
        self.assertEqual(code, 2)
        self.assertIn("before 1970", errors)
        code, _, errors = run("serve", "--history", "1d")
        self.assertEqual(code, 2)

    def test_both_limits(self):
        with Exchange(*STANDS, history="1h") as exchange:
            self.assertEqual(len(exchange.all_klines(SPOT, "vBTC_vUSDC", "1m")), 61)
        with Exchange("--clock", "0", "--timestamp", "86400", history="1d") as exchange:
            self.assertEqual(exchange.klines(PERPS, "SOL-USD", "1W")[0]["t"], -3 * DAY)
            self.assertEqual(exchange.klines(PERPS, "SOL-USD", "1m", startTime=0, limit=1)[0]["t"], 0)
        for span in ("366d", "8784h"):
            with Exchange(*STANDS, history=span) as exchange:
                days = exchange.all_klines(SPOT, "vETH_vUSDC", "1D")
                self.assertEqual(len(days), 367)
                self.assertEqual(days[0]["t"], start_of("1D", END - 366 * DAY))

    def test_a_folder_that_began_with_another_one(self):
        for begun, wanted in ((None, "1d"), ("1d", "2d")):
            with Folder() as folder:
                with Exchange(*STANDS, data=folder, history=begun):
                    pass
                code, _, errors = run("dev", "--port", "0", "--data", folder, "--history", wanted)
                self.assertEqual(code, 78, errors)
                self.assertIn("--history", errors)

    def test_a_venue_has_none(self):
        """A configuration cannot name them, and a genesis with them is one of development."""
        with Folder() as folder:
            path = folder + "/venue.ini"
            with open(path, "w") as file:
                file.write(f"[dojima]\ndata = {folder}/data\nchainIds = 5\nbackfillMinutes = 60\n")
            code, _, errors = run("serve", "--config", path)
            self.assertNotEqual(code, 0)
            self.assertIn("backfillMinutes", errors)


if __name__ == "__main__":
    main()
