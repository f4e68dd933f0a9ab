# SPDX-License-Identifier: MIT
"""Every parameter of every spot read: defaults, maxima, filters, paging, and refusals."""
import time

from harness import (BTC, BUY, ETH, IOC, MARKET, SELL, Case, Server, main, order)

STRANGER = "0x" + "ab" * 20
# a page that begins with an id has `limit` rows, whatever their times
FROM_THE_TOP = "fromID=9007199254740991"
NOT_UINT32 = ("0", "-1", "abc", "", "1.5", "1e2", "4294967296", "99999999999999999999", "0x10", "+5", "%20",
              " 5".replace(" ", "%20"))
NOT_UINT64 = ("-1", "abc", "1.5", "1e2", "18446744073709551616", "0x10", "+5")


class Reads(Case):
    """A market with a history: 130 orders of `a` that ended, one open, 60 trades between `b` and `c`."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.a, cls.b, cls.c, cls.d, *cls.others = cls.server.accounts()
        cls.ended = []
        try:
            cls.populate()
        except BaseException:
            cls.server.kill()
            raise

    @classmethod
    def populate(cls):
        for index in range(13):
            symbol, price = ((BTC, "90000"), (ETH, "3000"))[index % 2]
            reply = cls.a.place(*[order(f"h-{index}-{i}", BUY, price, "0.01", symbol=symbol) for i in range(10)])
            assert all(item["code"] == 0 for item in reply.data), reply
            cls.a.cancel(*[{"symbolID": symbol, "clOrdID": f"h-{index}-{i}"} for i in range(10)])
            cls.ended += [(item["orderID"], symbol) for item in reply.data]
            time.sleep(0.003)
        cls.a.place(order("open-btc", BUY, "90000", "0.01"))
        cls.a.place(order("open-eth", BUY, "3000", "0.01", symbol=ETH))
        for index in range(6):
            symbol, price = ((BTC, "100000"), (ETH, "4000"))[index % 2]
            cls.b.place(*[order(f"m-{index}-{i}", SELL, price, "0.01", symbol=symbol) for i in range(10)])
            cls.c.place(order(f"t-{index}", BUY, price, "0.1", symbol=symbol))
            time.sleep(0.003)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def limits(self, read, default, maximum, size):
        """`limit`: default, smaller, clamped above the maximum, refused when not a uint32 of at least 1 (ruling 19)."""
        self.assertEqual(size(self.ok(read(""))), default)
        self.assertEqual(size(self.ok(read("limit=1"))), 1)
        self.assertEqual(size(self.ok(read("limit=7"))), 7)
        for query in (f"limit={maximum}", f"limit={maximum + 1}", "limit=4294967295"):
            self.assertLessEqual(size(self.ok(read(query))), maximum)
        for value in NOT_UINT32:
            with self.subTest(limit=value):
                self.assertEqual(self.refused(read("limit=" + value), 40001)["field"], "limit")
        self.refused(read("limit=5&limit=5"), 40001)

    # ---- markets

    def test_symbols_and_coins(self):
        one, = self.ok(self.a.get("/markets/symbols?symbol=vETH_vUSDC"))
        self.assertEqual(one["id"], 2)
        for name in ("none", "veth_vusdc", "ETH/USDC", "1", "", "vETH_vUSDC%00", "x" * 300):
            with self.subTest(name):
                reply = self.a.get("/markets/symbols?symbol=" + name)
                if name == "":
                    self.assertIn(reply.code, (0, 40401, 40001), reply)
                else:
                    self.assertIn(reply.code, (40401, 40001), reply)
        self.refused(self.a.get("/markets/symbols?symbol=none"), 40401, "symbol not found")
        one, = self.ok(self.a.get("/markets/coins?coin=vBTC"))
        self.assertEqual(one, {"id": 1, "name": "vBTC", "precision": 8})
        self.refused(self.a.get("/markets/coins?coin=none"), 40404)
        self.refused(self.a.get("/markets/coins?coin=vbtc"), 40404)

    def test_orderbook(self):
        maker = self.others[0]
        for batch in range(11):         # 1100 levels a side are more than the maximum of 1000
            orders = [order(f"l-{batch}-{i}-{side}", side, str(price), "0.00006") for i in range(50)
                      for side, price in ((BUY, 99000 - batch * 50 - i), (SELL, 100100 + batch * 50 + i))]
            if batch < 10:
                self.items_ok(maker.place(*orders))         # 1000 open orders per account
            else:
                self.items_ok(self.others[1].place(*[{**o, "quantity": "0.00007"} for o in orders]))
        path = "/markets/vBTC_vUSDC/orderbook"
        read = lambda query: self.a.get(f"{path}?{query}")
        self.limits(read, 10, 1000, lambda book: max(len(book["bids"]), len(book["asks"])))
        book = self.ok(read("limit=2000"))
        self.assertEqual(len(book["asks"]), 550)
        for side, down in (("bids", True), ("asks", False)):
            prices = [float(level[0]) for level in book[side]]
            self.assertEqual(prices, sorted(prices, reverse=down))
            self.assertTrue(all(len(level) == 2 for level in book[side]))
        self.assertEqual((book["bids"][0], book["asks"][0]), (["99000", "0.00006"], ["100100", "0.00006"]))
        self.assertEqual(book["asks"][-1], ["100649", "0.00007"])
        self.assertEqual(len(self.ok(read("depth=3"))["bids"]), 3)             # alias (wire 7.1 row 2)
        self.assertEqual(len(self.ok(read("depth=3&limit=4"))["bids"]), 4)     # limit wins
        for value in ("0", "x", "-1"):
            self.refused(read("depth=" + value), 40001)
        # two orders at one price are one level; updateID grows with each change
        first = self.ok(read("limit=1"))
        self.items_ok(self.d.place(order("same-level", BUY, "99000", "0.5")))
        second = self.ok(read("limit=1"))
        self.assertEqual(second["bids"], [["99000", "0.50006"]])
        self.assertGreater(second["updateID"], first["updateID"])
        self.assertGreater(second["blockHeight"], first["blockHeight"])
        self.items_ok(self.d.cancel({"symbolID": BTC, "clOrdID": "same-level"}))
        self.assertEqual(self.ok(read("limit=1"))["bids"], first["bids"])
        for name in ("none", "vbtc_vusdc", "1"):
            self.refused(self.a.get(f"/markets/{name}/orderbook"), 40401, "symbol not found")

    def test_public_trades(self):
        read = lambda query: self.a.get("/markets/vBTC_vUSDC/trades?" + query)
        self.limits(read, 30, 500, len)
        rows = self.ok(read(""))
        self.assertEqual([r["t"] for r in rows], sorted((r["t"] for r in rows), reverse=True))     # newest first
        self.assertEqual({(r["s"], r["S"], r["p"], r["q"]) for r in rows}, {("vBTC_vUSDC", "BUY", "100000", "0.01")})
        self.assertEqual(rows[:5], self.ok(read("limit=5")))
        self.refused(self.a.get("/markets/none/trades"), 40401)

    def test_the_default_of_public_trades_is_fifty(self):
        rows = self.ok(self.a.get("/markets/vETH_vUSDC/trades?limit=500"))
        extra = 51 - len(rows)
        if extra > 0:
            self.items_ok(self.others[2].place(*[order(f"x-{i}", SELL, "4000", "0.01", symbol=ETH)
                                                 for i in range(extra)]))
            self.items_ok(self.others[3].place(order("x", BUY, "4000", f"0.{extra:02d}".rstrip("0"), symbol=ETH)))
        self.assertEqual(len(self.ok(self.a.get("/markets/vETH_vUSDC/trades"))), 50)
        self.assertEqual(len(self.ok(self.a.get("/markets/vETH_vUSDC/trades?limit=51"))), 51)

    # ---- accounts

    def test_addresses(self):
        for what in ("balances", "orders", "state", "fee-rate", "orders/history", "trades"):
            with self.subTest(what):
                upper = "0x" + self.a.address[2:].upper()
                plain, loud = self.ok(self.a.mine(what)), self.ok(self.a.get(f"/accounts/{upper}/{what}"))
                # compared without case (wire 0.2 rule 8)
                self.assertEqual(str(plain).lower(), str(loud).lower())
                for bad in ("0x12", self.a.address + "00", self.a.address[:-1] + "g", "1001", "0x", "me",
                            self.a.address[:-1]):
                    reply = self.a.get(f"/accounts/{bad}/{what}")
                    self.assertEqual(self.refused(reply, 40001).get("field"), "userAddress", reply)

    def test_an_unknown_address_is_empty_not_an_error(self):
        base = f"/accounts/{STRANGER}/"
        self.assertEqual(self.ok(self.a.get(base + "balances"))["balances"], [])
        self.assertEqual(self.ok(self.a.get(base + "orders"))["orders"], [])
        self.assertEqual(self.ok(self.a.get(base + "orders/history")), [])
        self.assertEqual(self.ok(self.a.get(base + "trades")), [])
        state = self.ok(self.a.get(base + "state"))
        self.assertEqual([state[key] for key in ("user", "aid", "uid", "B", "O", "TO")], [STRANGER, 0, 0, [], [], []])
        self.assertEqual(self.ok(self.a.get(base + "fee-rate"))["feeTier"], 0)

    def test_account_ids(self):
        for what in ("balances", "orders", "state", "fee-rate", "orders/history", "trades"):
            with self.subTest(what):
                mine = self.ok(self.a.mine(what))
                self.assertEqual(self.ok(self.a.mine(what, f"?accountID={self.a.id}")), mine)
                self.assertEqual(self.ok(self.a.mine(what, "?accountID=0")), mine)
                for foreign in (self.b.id, 1, 2, 999, 77777, 2 ** 64 - 1):
                    self.refused(self.a.mine(what, f"?accountID={foreign}"), 40403)
                for bad in NOT_UINT64:
                    self.assertEqual(self.refused(self.a.mine(what, f"?accountID={bad}"), 40001)["field"], "accountID")
                self.refused(self.a.mine(what, f"?accountID={self.a.id}&accountID={self.a.id}"), 40001)

    def test_open_orders(self):
        orders = self.ok(self.a.mine("orders"))
        self.keys(orders, ["blockTime", "blockHeight", "orders"])
        self.assertEqual([o["clOrdID"] for o in orders["orders"]], ["open-eth", "open-btc"])       # newest first
        one = self.ok(self.a.mine("orders", "?symbol=vBTC_vUSDC"))["orders"]
        self.assertEqual([o["clOrdID"] for o in one], ["open-btc"])
        self.refused(self.a.mine("orders", "?symbol=none"), 40401)

    def test_fee_rate(self):
        self.assertEqual(self.ok(self.a.mine("fee-rate", "?symbol=vETH_vUSDC"))["takerFeeRate"], "0.00065")
        self.refused(self.a.mine("fee-rate", "?symbol=none"), 40401)

    def test_history_lists_what_ended_newest_first(self):
        read = lambda query: self.a.mine("orders/history", "?" + query)
        behind = lambda query: read(FROM_THE_TOP + "&" + query)
        self.limits(behind, 50, 500, len)
        rows = self.ok(read("limit=500"))
        self.assertEqual(len(rows), 130)
        self.assertEqual({r["orderID"] for r in rows}, {i for i, _ in self.ended})
        self.assertEqual({r["status"] for r in rows}, {"CANCELED"})
        keys = [(r["updatedAt"], r["orderID"]) for r in rows]
        self.assertEqual(keys, sorted(keys, reverse=True))
        self.assertEqual(rows[:50], self.ok(behind("")))
        eth = self.ok(read("symbol=vETH_vUSDC&limit=500"))
        self.assertEqual({r["orderID"] for r in eth}, {i for i, s in self.ended if s == ETH})
        self.refused(read("symbol=none"), 40401)

    def test_history_between_times(self):
        read = lambda query: self.ok(self.a.mine("orders/history", "?limit=500&" + query))
        rows = read("")
        times = sorted({r["updatedAt"] for r in rows})
        low, high = times[len(times) // 3], times[2 * len(times) // 3]
        between = lambda a, b: [r for r in rows if a <= r["updatedAt"] <= b]
        self.assertEqual(read(f"startTime={low}"), between(low, times[-1]))                 # both ends included
        self.assertEqual(read(f"endTime={high}"), between(0, high))
        self.assertEqual(read(f"startTime={low}&endTime={high}"), between(low, high))
        self.assertEqual(read(f"startTime={low}&endTime={low}"), between(low, low))
        self.assertEqual(read(f"startTime={times[-1] + 1}"), [])
        self.assertEqual(read(f"endTime={times[0] - 1}"), [])
        self.assertEqual(read("startTime=0&endTime=18446744073709551615"), rows)
        # a limit takes the newest of the window
        self.assertEqual(self.ok(self.a.mine("orders/history", f"?limit=3&endTime={high}&{FROM_THE_TOP}")),
                         between(0, high)[:3])
        for what in ("orders/history", "trades"):
            self.refused(self.a.mine(what, f"?startTime={high}&endTime={low}"), 40007)
            for key in ("startTime", "endTime"):
                for bad in NOT_UINT64:
                    with self.subTest(what=what, key=key, value=bad):
                        self.assertEqual(self.refused(self.a.mine(what, f"?{key}={bad}"), 40001)["field"], key)

    def test_history_pages_by_id(self):
        """`fromID` continues below an id (ruling 41): pages put together are the whole list, without duplicates."""
        for account, what, key in ((self.a, "orders/history", "orderID"), (self.b, "trades", "tradeID")):
            with self.subTest(what):
                whole = self.ok(account.mine(what, "?limit=500"))
                pages, query = [], ""
                for _ in range(40):
                    page = self.ok(account.mine(what, "?limit=17" + query))
                    pages += page
                    if len(page) < 17:
                        break
                    query = f"&fromID={page[-1][key]}"
                self.assertEqual(pages, whole)

    def test_pages_hold_together_when_orders_end_in_another_order_than_they_began(self):
        account = self.others[3]
        ids = [item["orderID"]
               for item in self.items_ok(account.place(*[order(f"p-{i}", BUY, "90000", "0.001") for i in range(40)]))]
        shuffled = ids[::2] + ids[1::2][::-1]
        for order_id in shuffled:
            self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": "", "orderID": order_id}))
        whole = [r for r in self.ok(account.mine("orders/history", "?limit=500")) if r["orderID"] in ids]
        keys = [(r["updatedAt"], r["orderID"]) for r in whole]
        self.assertEqual(keys, sorted(keys, reverse=True))
        pages, query = [], ""
        for _ in range(12):
            page = self.ok(account.mine("orders/history", "?limit=7" + query))
            pages += page
            if len(page) < 7 or len(pages) >= 40:
                break
            query = f"&fromID={page[-1]['orderID']}"
        self.assertEqual([r["orderID"] for r in pages][:40], [r["orderID"] for r in whole])
        # within a window of time as well
        low = whole[30]["updatedAt"]
        window = [r["orderID"] for r in whole if r["updatedAt"] >= low]
        page = self.ok(account.mine("orders/history", f"?limit=500&startTime={low}&fromID={whole[9]['orderID']}"))
        self.assertEqual([r["orderID"] for r in page], window[10:])

    def test_history_pages_by_time(self):
        whole = self.ok(self.b.mine("trades", "?limit=500"))
        seen, end = {}, ""
        for _ in range(60):
            page = self.ok(self.b.mine("trades", "?limit=25" + end))
            seen.update({r["tradeID"]: r for r in page})
            if len(page) < 25:
                break
            end = f"&endTime={page[-1]['time']}"
        self.assertEqual(len(seen), len(whole))

    def test_user_trades(self):
        read = lambda query: self.b.mine("trades", "?" + query)
        rows = self.ok(read("limit=1000"))
        self.assertEqual(len(rows), 60)
        self.assertEqual([r["tradeID"] for r in rows], sorted((r["tradeID"] for r in rows), reverse=True))
        self.assertEqual({(r["side"], r["isMaker"]) for r in rows}, {("SELL", True)})
        self.assertEqual(len(self.ok(read("symbol=vETH_vUSDC"))), 30)
        taker = self.ok(self.c.mine("trades"))
        orders = {r["orderID"] for r in taker}
        self.assertEqual(len(orders), 6)
        for order_id in orders:
            part = self.ok(self.c.mine("trades", f"?orderID={order_id}"))
            self.assertEqual(part, [r for r in taker if r["orderID"] == order_id])
            self.assertEqual(len(part), 10)
        self.assertEqual(self.ok(self.b.mine("trades", f"?orderID={min(orders)}")), [])        # not b's order
        self.assertEqual(self.ok(read("orderID=999999999")), [])
        symbol = taker[0]["symbol"]
        other = {"vBTC_vUSDC": "vETH_vUSDC", "vETH_vUSDC": "vBTC_vUSDC"}[symbol]
        self.assertEqual(self.ok(self.c.mine("trades", f"?orderID={taker[0]['orderID']}&symbol={other}")), [])
        self.refused(read("symbol=none"), 40401)
        for bad in NOT_UINT64:
            self.assertEqual(self.refused(read("orderID=" + bad), 40001)["field"], "orderID")
        for value in NOT_UINT32:
            self.refused(read("limit=" + value), 40001)
        self.assertEqual(len(self.ok(read("limit=4&" + FROM_THE_TOP))), 4)
        self.assertEqual(len(self.ok(read("limit=4294967295"))), 60)

    def test_the_default_of_user_trades_is_a_hundred(self):
        maker, taker = self.others[4], self.others[5]
        for _ in range(2):
            self.items_ok(maker.place(*[order(f"d-{i}", SELL, "4000", "0.01", symbol=ETH) for i in range(60)]))
            self.items_ok(taker.place(order("d", BUY, "4000", "0.6", symbol=ETH)))
        self.assertEqual(len(self.ok(taker.mine("trades", "?" + FROM_THE_TOP))), 100)
        self.assertEqual(len(self.ok(taker.mine("trades", "?limit=1000"))), 120)

    def test_a_page_ends_with_a_whole_millisecond(self):
        """A reader that continues with the last row's time less 1, without fromID, misses no row and reads none
        twice."""
        for trader, what, when, number in ((self.a, "orders/history", "updatedAt", "orderID"),
                                           (self.b, "trades", "time", "tradeID")):
            rows = self.ok(trader.mine(what, "?limit=500"))
            for limit in (1, 3, 10, 11):
                read, end = [], rows[0][when]
                while page := self.ok(trader.mine(what, f"?limit={limit}&endTime={end}")):
                    self.assertGreaterEqual(len(page), min(limit, len(rows) - len(read)))
                    read, end = read + page, page[-1][when] - 1
                self.assertEqual([row[number] for row in read], [row[number] for row in rows])
            # a reader with fromID has his rows
            self.assertEqual(len(self.ok(trader.mine(what, f"?limit=1&{FROM_THE_TOP}"))), 1)

    def test_reads_right_after_a_write_show_it(self):
        """Ruling 24, with history still on its way to disk."""
        account = self.d
        for index in range(30):
            item, = self.items_ok(account.place(order(f"ryw-{index}", BUY, "3000", "0.01", symbol=ETH)))
            self.assertEqual(account.open_orders()[0]["orderID"], item["orderID"])
            self.items_ok(account.cancel({"symbolID": ETH, "clOrdID": f"ryw-{index}"}))
            self.assertEqual(self.ok(account.mine("orders/history", "?limit=1"))[0]["orderID"], item["orderID"])
            self.assertEqual(account.open_orders(), [])

    def test_times_and_heights(self):
        """Engine time on every envelope; records carry the last applied block (ruling 40)."""
        before = int(time.time() * 1000)
        reply = self.a.mine("balances")
        self.assertGreaterEqual(reply.json["timestamp"], before - 1)
        self.assertLess(reply.json["timestamp"], before + 60000)
        write = self.d.place(order("height", BUY, "90000", "0.01"))
        height = int(write.headers["x-chain-block"], 16)
        for what in ("balances", "orders", "state"):
            record = self.ok(self.a.mine(what))
            if "blockHeight" in record:
                self.assertGreaterEqual(record["blockHeight"], height)
                self.assertLessEqual(record["blockTime"], int(time.time() * 1000) + 1000)
        self.items_ok(self.d.cancel({"symbolID": BTC, "clOrdID": "height"}))


class QuietMarket(Case):
    def test_without_a_demo_market_nobody_has_traded(self):
        with Server("--market", "none") as server:
            account = server.accounts()[0]
            reply = account.get("/markets/symbols")
            # `--market none` switches off the demo makers, not the symbols: there are no trades
            self.assertEqual(self.ok(account.get("/markets/vBTC_vUSDC/trades")) if self.ok(reply) else [], [])


if __name__ == "__main__":
    main()
