# SPDX-License-Identifier: MIT
"""The whole spot tour as a user makes it: read, place, match, replace, cancel, read again.

Every number below is computed by hand from mechanics 2 with the markets and fees of rulings 31 and 32: maker 0.00035,
taker 0.00065, charged in the coin received.
"""
import time

from harness import (BTC, BUY, ETH, GTX, IOC, MARKET, SELL, Case, Server, fresh_nonce, main, order)

SYMBOL_KEYS = """id name displayName baseCoinID baseCoin baseCoinPrecision quoteCoinID quoteCoin quoteCoinPrecision
    pricePrecision tickSize minPrice maxPrice quantityPrecision stepSize minQuantity maxQuantity marketMinQuantity
    marketMaxQuantity minNotional maxNotional buyLimitUpRatio sellLimitDownRatio marketDeviationRatio makerFee
    takerFee status lastTradePrice""".split()
ORDER_KEYS = """symbol orderID clOrdID side type timeInForce status executedQty executedValue marginFrozen
    createdAt updatedAt""".split()
STATE_ORDER_KEYS = "s c i S o f X z v M".split()


class Tour(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.a, cls.b, cls.c, cls.d, *cls.others = cls.server.accounts()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    # ---- the state before the first trade

    def test_01_the_symbols_are_those_of_the_ruling(self):
        symbols = self.ok(self.a.get("/markets/symbols"))
        self.assertEqual([(s["id"], s["name"]) for s in symbols], [(1, "vBTC_vUSDC"), (2, "vETH_vUSDC")])
        for symbol in symbols:
            self.keys(symbol, SYMBOL_KEYS, ["feeDiscount", "listingReferencePrice"])
        btc = {key: symbols[0][key] for key in SYMBOL_KEYS}
        self.assertEqual(btc, {
            "id": 1, "name": "vBTC_vUSDC", "displayName": "BTC/USDC", "baseCoinID": 1, "baseCoin": "vBTC",
            "baseCoinPrecision": 8, "quoteCoinID": 0, "quoteCoin": "vUSDC", "quoteCoinPrecision": 6,
            "pricePrecision": 1, "tickSize": "0.1", "minPrice": "0", "maxPrice": "0", "quantityPrecision": 5,
            "stepSize": "0.00001", "minQuantity": "0.00001", "maxQuantity": "1000", "marketMinQuantity": "0.00001",
            "marketMaxQuantity": "100", "minNotional": "5", "maxNotional": "10000000", "buyLimitUpRatio": "0.05",
            "sellLimitDownRatio": "0.05", "marketDeviationRatio": "0.01", "makerFee": "0.00035",
            "takerFee": "0.00065", "status": "TRADING", "lastTradePrice": "100000"})
        eth = symbols[1]
        self.assertEqual([eth[key] for key in ("displayName", "baseCoinID", "pricePrecision", "tickSize",
                                               "quantityPrecision", "stepSize", "maxQuantity", "marketMaxQuantity",
                                               "lastTradePrice")],
                         ["ETH/USDC", 2, 2, "0.01", 4, "0.0001", "10000", "1000", "4000"])

    def test_02_the_coins(self):
        self.assertEqual(self.ok(self.a.get("/markets/coins")), [
            {"id": 0, "name": "vUSDC", "precision": 6}, {"id": 1, "name": "vBTC", "precision": 8},
            {"id": 2, "name": "vETH", "precision": 8}])

    def test_03_an_empty_book(self):
        book = self.ok(self.a.get("/markets/vBTC_vUSDC/orderbook"))
        self.keys(book, ["blockTime", "blockHeight", "updateID", "bids", "asks"])
        self.assertEqual((book["bids"], book["asks"]), ([], []))

    def test_04_every_account_is_funded(self):
        self.assertGreaterEqual(len(self.server.banner["accounts"]), 10)
        for account in (self.a, self.others[-1]):
            balances = self.ok(account.mine("balances"))
            self.keys(balances, ["blockTime", "blockHeight", "balances"])
            for row in balances["balances"]:
                self.keys(row, ["id", "coin", "total", "locked"])
                self.assertEqual(row["locked"], "0")
            held = {row["coin"]: (row["id"], float(row["total"])) for row in balances["balances"]}
            self.assertEqual([held[coin][0] for coin in ("vUSDC", "vBTC", "vETH")], [0, 1, 2])
            self.assertGreaterEqual(held["vUSDC"][1], 1000000)
            self.assertGreaterEqual(held["vBTC"][1], 10)
            self.assertGreaterEqual(held["vETH"][1], 100)

    def test_05_the_fee_rate_is_tier_zero(self):
        for query in ("", "?symbol=vBTC_vUSDC"):
            rate = self.ok(self.a.mine("fee-rate", query))
            self.keys(rate, ["makerFeeRate", "takerFeeRate", "feeTier", "stakingTier", "makerRebateTier"],
                      ["feeDiscount"])
            self.assertEqual((rate["makerFeeRate"], rate["takerFeeRate"], rate["feeTier"], rate["stakingTier"],
                              rate["makerRebateTier"]), ("0.00035", "0.00065", 0, 0, 0))

    # ---- one order's life: place, partial fill, replace, cancel

    def test_10_an_order_rests_and_holds_its_worst_case(self):
        usdc, _ = self.a.balance("vUSDC")
        type(self).usdc_a, type(self).btc_a = usdc, self.a.balance("vBTC")[0]
        type(self).usdc_b, type(self).btc_b = self.b.balance("vUSDC")[0], self.b.balance("vBTC")[0]
        reply = self.a.place(order("tour-bid", BUY, "99000", "0.5"))
        item, = self.items_ok(reply)
        self.keys(item, ["code", "clOrdID", "orderID"], ["status", "message"])
        self.assertEqual(item["clOrdID"], "tour-bid")
        type(self).bid = item["orderID"]
        self.assertEqual(self.a.balance("vUSDC"), (usdc, "49500"))
        book = self.ok(self.b.get("/markets/vBTC_vUSDC/orderbook?limit=10"))
        self.assertEqual((book["bids"], book["asks"]), ([["99000", "0.5"]], []))
        record, = self.a.open_orders()
        self.keys(record, ORDER_KEYS + ["price", "origQty"])
        self.assertEqual({key: record[key] for key in ("symbol", "orderID", "clOrdID", "side", "type", "timeInForce",
                                                       "price", "origQty", "status", "executedQty", "executedValue",
                                                       "marginFrozen")},
                         {"symbol": "vBTC_vUSDC", "orderID": self.bid, "clOrdID": "tour-bid", "side": "BUY",
                          "type": "LIMIT", "timeInForce": "GTC", "price": "99000", "origQty": "0.5", "status": "NEW",
                          "executedQty": "0", "executedValue": "0", "marginFrozen": "49500"})
        self.assertLess(abs(record["createdAt"] - time.time() * 1000), 60000)

    def test_11_a_seller_meets_it_in_part(self):
        reply = self.b.place(order("tour-hit", SELL, "98000", "0.2"))
        type(self).hit = self.items_ok(reply)[0]["orderID"]
        record, = self.a.open_orders()
        self.assertEqual((record["status"], record["executedQty"], record["executedValue"], record["marginFrozen"]),
                         ("PARTIALLY_FILLED", "0.2", "19800", "29700"))
        self.assertEqual(self.b.open_orders(), [])
        self.assertEqual(plus(self.usdc_a, "-19800"), self.a.balance("vUSDC")[0])
        self.assertEqual(plus(self.btc_a, "0.19993"), self.a.balance("vBTC")[0])        # 0.2 - 0.2 * 0.00035
        self.assertEqual(plus(self.usdc_b, "19787.13"), self.b.balance("vUSDC")[0])     # 19800 - 19800 * 0.00065
        self.assertEqual(plus(self.btc_b, "-0.2"), self.b.balance("vBTC")[0])
        self.assertEqual(self.a.balance("vUSDC")[1], "29700")

    def test_12_everyone_sees_the_trade(self):
        trade, = self.ok(self.c.get("/markets/vBTC_vUSDC/trades"))
        self.keys(trade, ["t", "T", "s", "S", "p", "q"], ["bi", "si"])
        self.assertEqual((trade["s"], trade["S"], trade["p"], trade["q"]), ("vBTC_vUSDC", "SELL", "99000", "0.2"))
        self.assertEqual((trade.get("bi", self.a.id), trade.get("si", self.b.id)), (self.a.id, self.b.id))
        symbols = self.ok(self.c.get("/markets/symbols?symbol=vBTC_vUSDC"))
        self.assertEqual(symbols[0]["lastTradePrice"], "99000")

        maker, = self.ok(self.a.mine("trades"))
        taker, = self.ok(self.b.mine("trades"))
        for record in (maker, taker):
            self.keys(record, "symbol tradeID orderID clOrdID side price quantity fee feeCoin time isMaker".split(),
                      ["builderFee"])
            self.assertEqual((record["symbol"], record["tradeID"], record["price"], record["quantity"]),
                             ("vBTC_vUSDC", trade["t"], "99000", "0.2"))
            self.assertEqual(record["time"], trade["T"])
        self.assertEqual([maker[key] for key in ("orderID", "clOrdID", "side", "fee", "feeCoin", "isMaker")],
                         [self.bid, "tour-bid", "BUY", "0.00007", "vBTC", True])
        self.assertEqual([taker[key] for key in ("orderID", "clOrdID", "side", "fee", "feeCoin", "isMaker")],
                         [self.hit, "tour-hit", "SELL", "12.87", "vUSDC", False])

    def test_13_replace_keeps_the_order(self):
        reply = self.a.replace({"symbolID": BTC, "clOrdID": "tour-rep", "origOrderID": self.bid, "price": "99100",
                                "quantity": "0.4"})
        item, = self.items_ok(reply)
        self.assertEqual((item["orderID"], item["clOrdID"]), (self.bid, "tour-rep"))
        record, = self.a.open_orders()
        self.assertEqual((record["orderID"], record["clOrdID"], record["price"], record["origQty"], record["status"],
                          record["executedQty"], record["marginFrozen"]),
                         (self.bid, "tour-bid", "99100", "0.4", "PARTIALLY_FILLED", "0.2", "19820"))
        book = self.ok(self.b.get("/markets/vBTC_vUSDC/orderbook"))
        self.assertEqual(book["bids"], [["99100", "0.2"]])

    def test_14_the_frontend_state(self):
        state = self.ok(self.a.mine("state"))
        self.keys(state, ["user", "aid", "uid", "B", "O", "TO"], ["blockTime", "blockHeight"])
        self.assertEqual((state["user"].lower(), state["aid"], state["TO"]), (self.a.address, self.a.id, []))
        self.assertGreater(state["uid"], 0)
        usdc = [row for row in state["B"] if row["a"] == "vUSDC"][0]
        self.keys(usdc, ["i", "a", "t", "l"])
        self.assertEqual((usdc["i"], usdc["l"]), (0, "19820"))
        record, = state["O"]
        self.keys(record, STATE_ORDER_KEYS, ["p", "q", "F", "b", "ct", "ut"])
        self.assertEqual([record[key] for key in "s c i S o f p q X z v M".split()],
                         ["vBTC_vUSDC", "tour-bid", self.bid, "BUY", "LIMIT", "GTC", "99100", "0.4",
                          "PARTIALLY_FILLED", "0.2", "19800", "19820"])
        self.assertIsNone(record.get("F"))

    def test_15_cancel_by_the_alias(self):
        reply = self.a.cancel({"symbolID": BTC, "clOrdID": "tour-cxl", "origClOrdID": "tour-rep"})
        item, = self.items_ok(reply)
        self.keys(item, ["code", "clOrdID", "orderID", "origClOrdID"], ["status", "message"])
        self.assertEqual((item["clOrdID"], item["origClOrdID"], item["orderID"]), ("tour-cxl", "tour-bid", self.bid))
        self.assertEqual(self.a.open_orders(), [])
        self.assertEqual(self.a.balance("vUSDC"), (plus(self.usdc_a, "-19800"), "0"))
        record, = self.a.history()
        self.keys(record, ORDER_KEYS + ["price", "origQty"], ["reason"])
        self.assertEqual((record["orderID"], record["status"], record["executedQty"], record["executedValue"],
                          record["marginFrozen"], record["price"], record["origQty"]),
                         (self.bid, "CANCELED", "0.2", "19800", "0", "99100", "0.4"))
        record, = self.b.history()
        self.assertEqual((record["orderID"], record["status"], record["executedQty"], record["executedValue"]),
                         (self.hit, "FILLED", "0.2", "19800"))
        self.item_refused(self.a.cancel({"symbolID": BTC, "clOrdID": "again", "origClOrdID": "tour-bid"}), 40402,
                          text="order not found")

    # ---- the other kinds of orders

    def test_20_time_in_force(self):
        self.items_ok(self.c.place(order("maker", SELL, "4001", "1", symbol=ETH)))
        # GTX that would cross: refused, no fill, in history as EXPIRED (ruling 12)
        details = self.item_refused(self.d.place(order("gtx", BUY, "4001", "1", symbol=ETH, tif=GTX)), 42007)
        self.assertIn("rule", details)
        self.assertEqual([(r["clOrdID"], r["status"], r["executedQty"]) for r in self.d.history()],
                         [("gtx", "EXPIRED", "0")])
        # IOC that finds nothing at its price: accepted and EXPIRED (ruling 36)
        self.items_ok(self.d.place(order("ioc", BUY, "4000", "1", symbol=ETH, tif=IOC)))
        self.assertEqual([(r["clOrdID"], r["status"], r["executedQty"]) for r in self.d.history("?limit=1")],
                         [("ioc", "EXPIRED", "0")])
        # a market order by quantity: 0.25 of the maker at 4001
        self.items_ok(self.d.place(order("mkt", BUY, quantity="0.25", type=MARKET, symbol=ETH)))
        record = self.d.history("?limit=1")[0]
        self.assertEqual([record[key] for key in ("type", "timeInForce", "status", "executedQty", "executedValue")],
                         ["MARKET", "IOC", "FILLED", "0.25", "1000.25"])
        self.assertNotIn("price", record)
        # a market order by funds: 1001 buys 0.2501 at 4001 (a step is 0.0001), the rest stays
        before = self.d.balance("vUSDC")[0]
        self.items_ok(self.d.place(order("funds", BUY, funds="1001", type=MARKET, symbol=ETH)))
        record = self.d.history("?limit=1")[0]
        self.assertEqual([record[key] for key in ("funds", "status", "executedQty", "executedValue")],
                         ["1001", "FILLED", "0.2501", "1000.6501"])
        self.assertNotIn("origQty", record)
        self.assertEqual(self.d.balance("vUSDC"), (plus(before, "-1000.6501"), "0"))
        # the maker's rest is on the book
        book = self.ok(self.d.get("/markets/vETH_vUSDC/orderbook"))
        self.assertEqual(book["asks"], [["4001", "0.4999"]])
        self.items_ok(self.c.cancel({"symbolID": ETH, "clOrdID": "", "orderID": self.c.open_orders()[0]["orderID"]}))

    def test_21_a_batch_answers_each_item(self):
        reply = self.c.place(order("b-1", BUY, "3900", "1", symbol=ETH), order("b-2", BUY, "3900.001", "1", symbol=ETH),
                             order("b-1", BUY, "3900", "1", symbol=ETH),
                             order("b-3", BUY, "3900", "0.0001", symbol=ETH),
                             order("b-4", BUY, "3900", "1", symbol=99), order("b-5", BUY, "5000", "1", symbol=ETH),
                             order("b-6", SELL, "3901", "100000", symbol=ETH),
                             order("b-7", BUY, "3899", "2", symbol=ETH))
        items = self.ok(reply)
        self.assertEqual([(item["clOrdID"], item["code"]) for item in items],
                         [("b-1", 0), ("b-2", 42201), ("b-1", 40901), ("b-3", 42204), ("b-4", 40401), ("b-5", 42205),
                          ("b-6", 42202), ("b-7", 0)])
        self.assertIn("x-chain-tx", reply.headers)
        self.assertEqual([r["clOrdID"] for r in self.c.open_orders()], ["b-7", "b-1"])     # newest first (ruling 42)
        reply = self.c.cancel({"symbolID": ETH, "clOrdID": "b-1"},
                              {"symbolID": ETH, "clOrdID": "x", "origClOrdID": "b-9"},
                              {"symbolID": ETH, "clOrdID": "y", "orderID": items[7]["orderID"]})
        self.assertEqual([(i["code"], i["clOrdID"], i.get("origClOrdID")) for i in self.ok(reply)],
                         [(0, "b-1", "b-1"), (40402, "x", None), (0, "y", "b-7")])
        self.assertEqual(self.c.open_orders(), [])

    def test_22_nobody_trades_with_himself(self):
        first = self.items_ok(self.c.place(order("own-ask", SELL, "4010", "1", symbol=ETH)))[0]["orderID"]
        self.items_ok(self.c.place(order("own-bid", BUY, "4010", "1", symbol=ETH)))
        self.assertEqual([(r["clOrdID"], r["status"]) for r in self.c.open_orders()], [("own-bid", "NEW")])
        ended = [r for r in self.c.history() if r["orderID"] == first]
        self.assertEqual([(r["status"], r["executedQty"]) for r in ended], [("CANCELED", "0")])
        self.items_ok(self.c.cancel({"symbolID": ETH, "clOrdID": "own-bid"}))
        self.assertEqual(self.c.balance("vUSDC")[1], "0")

    def test_23_what_the_balance_does_not_cover(self):
        reply = self.d.place(*[order(f"rich-{i}", BUY, "95000", "100") for i in range(3)])
        self.assertIn(42001, [item["code"] for item in self.ok(reply)])
        self.assertEqual([i["error"] for i in self.ok(reply) if i["code"] == 42001][0], "insufficient balance")
        for record in self.d.open_orders():
            self.items_ok(self.d.cancel({"symbolID": BTC, "clOrdID": record["clOrdID"]}))
        self.assertEqual(self.d.balance("vUSDC")[1], "0")

    def test_24_replace_refuses_what_it_must(self):
        self.items_ok(self.c.place(order("r", BUY, "3900", "1", symbol=ETH)))
        for change, code in (({"price": "3900.001"}, 42201), ({"quantity": "0.00001"}, 42202),
                             ({"quantity": "20000"}, 42202),
                             ({"price": "4300"}, 42205), ({"quantity": "0.001"}, 42204)):
            self.item_refused(self.c.replace({"symbolID": ETH, "clOrdID": "rr", "origClOrdID": "r", **change}), code)
        record, = self.c.open_orders()
        self.assertEqual((record["price"], record["origQty"], record["status"]), ("3900", "1", "NEW"))
        self.item_refused(self.c.replace({"symbolID": ETH, "clOrdID": "rr", "origClOrdID": "none", "price": "3901"}),
                          40402)
        self.items_ok(self.c.cancel({"symbolID": ETH, "clOrdID": "r"}))

    # ---- the dead man's switch

    def test_30_scheduled_cancel(self):
        account = self.others[0]
        self._too_early(account, int(time.time() * 1000) + 4000)
        self.items_ok(account.place(order("dms-1", BUY, "96000", "0.1"), order("dms-2", SELL, "104000", "0.1")))
        # set, cleared: nothing happens
        self._no_data(account.schedule(int(time.time() * 1000) + 5200))
        self._no_data(account.schedule())
        # set again: fires within a second of its time
        at = int(time.time() * 1000) + 5300
        self._no_data(account.schedule(at))
        while time.time() * 1000 < at - 150:
            self.assertEqual(len(account.open_orders()), 2)
            time.sleep(0.3)
        deadline = at / 1000 + 4
        while account.open_orders() and time.time() < deadline:
            time.sleep(0.1)
        self.assertEqual(account.open_orders(), [])
        self.assertEqual(sorted((r["clOrdID"], r["status"]) for r in account.history()),
                         [("dms-1", "CANCELED"), ("dms-2", "CANCELED")])
        self.assertGreaterEqual(min(r["updatedAt"] for r in account.history()), at)
        self.assertEqual((account.balance("vUSDC")[1], account.balance("vBTC")[1]), ("0", "0"))

    def _no_data(self, reply):
        self.assertIn(self.ok(reply), (None, {}))
        self.assertIn("x-chain-tx", reply.headers)

    def _too_early(self, account, at):
        """The engine decides by its own clock, so this is a transaction that failed: no data, but X-Chain-*."""
        reply = account.schedule(at)
        self.assertEqual((reply.status, reply.code), (200, 42023), reply)
        self.assertTrue(reply.json["error"])
        self.assertIn("x-chain-tx", reply.headers)

    # ---- the chain of blocks behind it

    def test_40_every_transaction_has_its_place(self):
        account = self.others[1]
        seen, last = set(), (-1, -1)
        replies = [account.place(order("x-1", BUY, "96000", "0.1")), account.place(order("x-1", BUY, "96000", "0.1")),
                   account.cancel({"symbolID": BTC, "clOrdID": "x-1"}),
                   account.cancel({"symbolID": BTC, "clOrdID": "x-1"})]
        for reply in replies:       # passed, all items failed, passed, all items failed (ruling 29)
            self.ok(reply)
            self.assertRegex(reply.headers["x-chain-tx"], "^0x[0-9a-f]{64}$")
            self.assertRegex(reply.headers["x-chain-block"], "^0x(0|[1-9a-f][0-9a-f]*)$")
            self.assertRegex(reply.headers["x-chain-index"], "^0x(0|[1-9a-f][0-9a-f]*)$")
            seen.add(reply.headers["x-chain-tx"])
            place = (int(reply.headers["x-chain-block"], 16), int(reply.headers["x-chain-index"], 16))
            self.assertGreater(place, last)
            last = place
        self.assertEqual(len(seen), 4)
        self.assertGreaterEqual(account.mine("balances").data["blockHeight"], last[0])
        # a command refused before the log has none
        refused = account.place(order("x-2", BUY, "96000", "0.1"), nonce=fresh_nonce(), chain_id=1)
        self.refused(refused, 40101)

    def test_41_a_nonce_used_again_tells_which_transaction_it_was(self):
        account = self.others[1]
        nonce = fresh_nonce()
        first = account.place(order("n-1", BUY, "96000", "0.1"), nonce=nonce)
        self.items_ok(first)
        again = account.place(order("n-1", BUY, "96000", "0.1"), nonce=nonce)
        details = self.refused(again, 40102, "nonce is invalid")
        self.assertEqual(details["reason"], "used")
        self.assertIn(first.headers["x-chain-tx"], again.raw.decode())
        other = account.place(order("n-2", BUY, "96000", "0.1"), nonce=nonce)
        details = self.refused(other, 40102, "nonce is invalid")
        self.assertEqual(details["reason"], "used")
        self.assertNotIn(first.headers["x-chain-tx"], other.raw.decode())
        self.assertEqual([r["clOrdID"] for r in account.open_orders()], ["n-1"])
        self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": "n-1"}))

    # ---- health

    def test_50_health(self):
        for path in ("/healthz", "/readyz", "/version"):
            reply = self.a.get(path, base="")
            self.assertEqual((reply.status, reply.code), (200, 0), reply)
        self.assertRegex(self.a.get("/version", base="").raw.decode(), r"\d+\.\d+\.\d+")


def plus(decimal, change):
    """Exact addition of two decimal strings, canonical."""
    scale = 10 ** 8
    total = units(decimal, scale) + units(change, scale)
    sign, total = ("-", -total) if total < 0 else ("", total)
    text = f"{sign}{total // scale}.{total % scale:08d}".rstrip("0").rstrip(".")
    return text


def units(decimal, scale):
    sign = -1 if decimal.startswith("-") else 1
    whole, _, fraction = decimal.lstrip("-").partition(".")
    return sign * (int(whole) * scale + int((fraction + "00000000")[:8]))


if __name__ == "__main__":
    main()
