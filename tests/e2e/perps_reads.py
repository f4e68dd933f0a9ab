# SPDX-License-Identifier: MIT
"""Reads of the perps base from outside: positions are opened, orders rest, prices move, an hour passes, and every
endpoint returns the values computed by hand, with the numbers of mechanics E4 to E7 where they apply. Ended rows are
found by every filter, page by page, also after kill -9.

No other client trades and no feeder posts: the index is the listing's until it is set by hand.
"""
import os
import shutil
import time
from decimal import Decimal

from harness import (ATTACHED_STOP, BRACKET, BTC, BUY, CROSS, ETH, IOC, ISOLATED, SELL, STOP_LOSS, TAKE_PROFIT, Client,
                     Perps, main, perps_order)
from keys import new_wallet
from perps_case import HOUR, PerpsCase, stop_order

NOBODY = "0x00000000000000000000000000000000000000aa"


class PerpsReads(PerpsCase):
    # ---- markets

    def test_markets(self):
        symbols = self.ok(self.a.get("/markets/symbols"))
        self.assertEqual([row["name"] for row in symbols], ["BTC-USD", "ETH-USD", "SOL-USD"])
        btc = symbols[0]
        self.assertEqual((btc["baseCoin"], btc["quoteCoin"], btc["minNotional"], btc["initLeverage"],
                          btc["maxLeverage"], btc["fundingInterval"]),
                         ("BTC", "vUSDC", "1", 10, 25, 3600))
        self.assertEqual(btc["marginTiers"], [
            {"maxNotionalValue": "4000000", "maintenanceMarginRate": "0.02", "maxLeverage": 25,
             "maintenanceDeduction": "0"},
            {"maxNotionalValue": "10000000", "maintenanceMarginRate": "0.025", "maxLeverage": 20,
             "maintenanceDeduction": "20000"},
            {"maxNotionalValue": "50000000", "maintenanceMarginRate": "0.05", "maxLeverage": 10,
             "maintenanceDeduction": "270000"}])
        self.assertEqual(self.ok(self.a.get("/markets/coins?coin=vUSDC")),
                         [{"id": 0, "name": "vUSDC", "precision": 6, "marginRatio": "1", "price": "1"}])
        start = self.server_time()
        self.trade(self.a, self.b, "0.5")
        self.items_ok(self.a.place(perps_order("bid", BUY, "99990", "0.25")))
        trade, = self.ok(self.a.get("/markets/BTC-USD/trades"))
        self.assertEqual({key: trade[key] for key in ("s", "S", "p", "q", "bi", "si")},
                         {"s": "BTC-USD", "S": "BUY", "p": "100000", "q": "0.5", "bi": self.a.id, "si": self.b.id})
        book = self.ok(self.a.get("/markets/BTC-USD/orderbook"))
        self.assertEqual((book["bids"], book["asks"]), ([["99990", "0.25"]], []))
        bar, = self.ok(self.a.get("/markets/BTC-USD/klines?interval=1m&limit=1"))
        self.assertEqual((bar["c"], bar["v"], bar["q"], bar["n"]), ("100000", "0.5", "50000", 1))
        price, = self.ok(self.a.get("/markets/mark-prices?symbol=BTC-USD"))
        self.assertEqual((price["openInterest"], price["indexPrice"]), ("0.5", "100000"))
        self.assertEqual(price["nextFundingTime"], (start // 3600000 + 1) * 3600000)
        ticker, = self.ok(self.a.get("/markets/tickers?symbol=BTC-USD"))
        self.assertEqual((ticker["lastPx"], ticker["volume"], ticker["quoteVolume"], ticker["bidPx"],
                          ticker["openInterest"], ticker["nextFundingTime"]),
                         ("100000", "0.5", "50000", "99990", "0.5", price["nextFundingTime"]))
        mini, = self.ok(self.a.get("/markets/miniTickers?symbol=BTC-USD"))
        self.assertEqual((mini["lastPx"], mini["volume"]), ("100000", "0.5"))
        best, = self.ok(self.a.get("/markets/bookTickers?symbol=BTC-USD"))
        self.assertEqual(best, {"symbol": "BTC-USD", "bidPx": "99990", "bidSz": "0.25", "askPx": "0", "askSz": "0"})
        spot, = self.ok(self.clients[0].get("/markets/tickers?symbol=vBTC_vUSDC"))
        self.assertEqual((spot["lastPx"], spot["volume"]), ("100000", "0"),
                         "the markets are apart: the reference, no trade")

    # ---- margins

    def test_open_orders_freeze_example_5(self):
        self.trade(self.a, self.b, "2")                                 # fee 200000 * 0.0004 = 80; the maker's 24
        self.items_ok(self.a.place(perps_order("near", SELL, "101000", "3"), perps_order("far", SELL, "102000", "1"),
                                   perps_order("under", BUY, "99000", "1")))
        orders = self.a.orders()
        self.assertEqual({name: row["marginFrozen"] for name, row in orders.items()},
                         {"near": "10140.4", "far": "10240.8", "under": "9939.6"})
        self.assertEqual(self.figures(self.a),
                         {"av": "999920", "mm": "4000", "am": "969980.4", "ami": "969980.4", "amw": "969980.4",
                                                "im": "0", "cm": "20000", "oim": "0", "ocm": "9939.6"})
        self.assertEqual(self.state(self.a)["mmr"], "0.00400033")
        balance, = self.list_of(self.a, "balances")["balances"]
        self.assertEqual(balance, {"id": 0, "coin": "vUSDC", "total": "999920", "collateral": "999920",
                                   "marginRatio": "1", "price": "1", "locked": "29939.6"})
        position, = self.list_of(self.a, "positions")["positions"]
        self.assertEqual((position["size"], position["avgEntryPrice"], position["initialMargin"],
                          position["realizedPnL"], position["cumTradingFee"]),
                         ("2", "100000", "20000", "-80", "80"))
        self.assertEqual(position["liquidationPrice"], "0", "more money than the position can lose")
        short, = self.list_of(self.b, "positions")["positions"]
        # (200000 + 999976) / (2 * 1.02)
        self.assertEqual((short["size"], short["quantity"], short["liquidationPrice"]), ("-2", "-2", "588223.5"))
        self.items_ok(self.a.cancel("near"))
        self.assertEqual(self.figures(self.a)["ocm"], "9939.6")
        self.assertEqual(self.a.orders()["far"]["marginFrozen"], "0", "1 of it closes")

    def test_an_isolated_position_is_example_6(self):
        self.ok(self.c.leverage(25, ISOLATED))
        setting = self.state(self.c)["S"][0]
        self.assertEqual(setting, {"s": "BTC-USD", "l": 25, "m": "ISOLATED"})
        self.trade(self.c, self.d, "10")                                # fee 400
        position, = self.list_of(self.c, "positions")["positions"]
        self.assertEqual({key: position[key]
                          for key in ("size", "marginMode", "side", "positionSide", "margin", "initialMargin",
                                      "liquidationPrice", "leverage",
                                                         "avgEntryPrice", "entryPrice", "markPrice", "unrealizedPnl",
                                                         "symbolID", "accountID", "active", "isTakenOver")},
                         {"size": "10", "marginMode": "ISOLATED", "side": "BOTH", "positionSide": "BOTH",
                          "margin": "40000", "initialMargin": "40000",
                          "liquidationPrice": "97959.2", "leverage": 25, "avgEntryPrice": "100000",
                          "entryPrice": "100000", "markPrice": "100000",
                          "unrealizedPnl": "0", "symbolID": 1, "accountID": self.c.id, "active": True,
                          "isTakenOver": False})
        self.assertEqual(self.figures(self.c),
                         {"av": "959600", "mm": "0", "am": "959600", "ami": "959600", "amw": "959600",
                                                "im": "40000", "cm": "0", "oim": "0", "ocm": "0"})
        self.assertEqual(self.state(self.c)["B"][0]["iw"], "40000")
        self.ok(self.c.margin("1000"))
        position, = self.list_of(self.c, "positions")["positions"]
        # (1000000 - 41000) / (10 * 0.98) = 97857.14…
        self.assertEqual((position["margin"], position["liquidationPrice"]), ("41000", "97857.2"))
        # An order on an isolated symbol is held out of the wallet: 1 @ 100000 / 25 + fee 40.
        self.items_ok(self.c.place(perps_order("more", BUY, "99000", "1")))
        self.assertEqual(self.figures(self.c)["oim"], "3999.6")         # 3960 + 39.6
        self.assertEqual(self.c.orders()["more"]["marginFrozen"], "3999.6")
        self.assertEqual(self.state(self.c)["P"][0]["iw"], "41000")

    def test_a_cross_account_is_example_7(self):
        wallet = new_wallet()
        # 72 are fees
        self.rpc("dojima_deposit", {"address": wallet.address, "engine": "perps", "coin": "vUSDC", "amount": "12072"})
        account = self.ok(self.clients[0].get(f"/user/{wallet.address}/subaccounts", "/api/v1"))["primaryAccountID"]
        trader = Perps(Client(self.server, wallet, account))
        self.ok(trader.leverage(20, CROSS, BTC))
        self.ok(trader.leverage(20, CROSS, ETH))
        self.trade(trader, self.b, "1")                                 # 40 and 32
        self.items_ok(self.b.place(perps_order("eth", BUY, "4000", "20"), symbol=ETH))
        self.items_ok(trader.place(perps_order("eth", SELL, "4000", "20"), symbol=ETH))
        self.assertEqual(self.figures(trader)["av"], "12000")
        # the last trade is no longer fresh, so the mark follows the index
        self.rpc("evm_increaseTime", 61)
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "98500"})
        self.rpc("dojima_setIndexPrice", {"symbol": "ETH-USD", "price": "3950"})
        self.wait("BTC-USD", "98500", "98500")
        self.wait("ETH-USD", "3950", "3950")
        self.assertEqual(self.figures(trader), {"av": "11500", "mm": "3945", "am": "2625", "ami": "2625", "amw": "2625",
                                                "im": "0", "cm": "8875", "oim": "0", "ocm": "0"})
        rows = self.list_of(trader, "positions")["positions"]
        self.assertEqual([(row["symbol"], row["unrealizedPnl"], row["liquidationPrice"]) for row in rows],
                         [("ETH-USD", "1000", "4318.53"), ("BTC-USD", "-1500", "90790.9")])          # the newest first
        self.assertEqual([row["symbol"] for row in self.list_of(trader, "positions", "?limit=1")["positions"]],
                         ["ETH-USD"])
        self.assertEqual([row["symbol"] for row in self.list_of(trader, "positions", "?symbol=ETH-USD")["positions"]],
                         ["ETH-USD"])
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "101000"})
        self.rpc("dojima_setIndexPrice", {"symbol": "ETH-USD", "price": "3900"})
        self.wait("BTC-USD", "101000", "101000")
        self.wait("ETH-USD", "3900", "3900")
        self.assertEqual(self.figures(trader), {"av": "15000", "mm": "3970", "am": "6050", "ami": "6050", "amw": "3050",
                                                "im": "0", "cm": "8950", "oim": "0", "ocm": "0"})

    def test_averages_and_flips_are_example_4(self):
        """+0.3 @ 100000, +0.7 @ 101000.7, -0.33333 @ 102000, -1 @ 99000."""
        self.trade(self.a, self.b, "0.3", "100000")
        self.trade(self.a, self.b, "0.7", "101000.7")
        position, = self.list_of(self.a, "positions")["positions"]
        self.assertEqual((position["avgEntryPrice"], position["cumOpenCost"], position["maxSize"]),
                         ("100700.49", "100700.49", "1"))
        first = position["id"]
        self.trade(self.b, self.a, "0.33333", "102000")
        position, = self.list_of(self.a, "positions")["positions"]
        fees = Decimal("12") + Decimal("28.280196") + Decimal("4.07996")                # taker, taker, maker
        self.assertEqual(Decimal(position["realizedPnL"]), Decimal("433.165669") - fees)
        self.assertEqual((position["cumClosedSize"], position["avgClosePrice"], position["size"]),
                         ("0.33333", "102000", "0.66667"))
        self.trade(self.b, self.a, "1", "99000")
        position, = self.list_of(self.a, "positions")["positions"]
        self.assertEqual((position["size"], position["cumOpenCost"], position["avgEntryPrice"]),
                         ("-0.33333", "32999.67", "99000"))
        self.assertGreater(position["id"], first)
        closed, = self.list_of(self.a, "positions/history")
        self.assertEqual((closed["id"], closed["size"], closed["active"], closed["reason"], closed["cumClosedSize"],
                          closed["maxSize"], closed["avgEntryPrice"]),
                         (first, "0", False, "FLIP", "1", "1", "100700.49"))
        # floor(11.88 * 66000.33 / 99000)
        close_fee = Decimal("7.920039")
        self.assertEqual(Decimal(closed["realizedPnL"]),
                         Decimal("433.165669") - Decimal("1133.665669") - fees - close_fee)
        self.assertEqual(closed["avgClosePrice"], "99999.99")                           # (33999.66 + 66000.33) / 1

    # ---- stops

    def test_a_bracket_is_three_open_orders(self):
        parent, profit, loss = self.items_ok(self.a.place(
            perps_order("br", BUY, "99000", "0.1", modifier=BRACKET),
            stop_order("br-tp", SELL, "105000", TAKE_PROFIT, modifier=ATTACHED_STOP),
            stop_order("br-sl", SELL, "95000", STOP_LOSS, modifier=ATTACHED_STOP)))
        orders = self.a.orders()
        self.assertEqual(sorted(orders["br"]["attachedOrderIDs"]), sorted([profit["orderID"], loss["orderID"]]))
        for name, kind, at in (("br-tp", "TAKE_PROFIT", "105000"), ("br-sl", "STOP_LOSS", "95000")):
            self.assertEqual({key: orders[name].get(key)
                              for key in ("status", "stopType", "stopPrice", "triggerType", "reduceOnly",
                                          "primaryOrderID", "positionID", "marginFrozen")},
                             {"status": "NEW", "stopType": kind, "stopPrice": at, "triggerType": "MARK_PRICE",
                              "reduceOnly": True,
                              "primaryOrderID": parent["orderID"], "positionID": None, "marginFrozen": "0"})
        self.assertEqual({row["c"] for row in self.state(self.a)["O"]}, {"br", "br-tp", "br-sl"})
        self.items_ok(self.b.place(perps_order("hit", SELL, "99000", "0.04")))
        orders = self.a.orders()
        position, = self.list_of(self.a, "positions")["positions"]
        self.assertEqual((orders["br-tp"]["origQty"], orders["br-tp"]["positionID"]), ("0.04", position["id"]))
        self.items_ok(self.a.cancel("br", "br-tp", "br-sl"))
        history = {row["clOrdID"]: row for row in self.list_of(self.a, "orders/history")}
        self.assertEqual((history["br-sl"]["status"], history["br-sl"]["stopPrice"], history["br-sl"]["primaryOrderID"],
                          history["br-sl"]["reason"]),
                         ("CANCELED", "95000", parent["orderID"], "USER"))
        self.assertEqual((history["br"]["status"], history["br"]["executedQty"], history["br"]["executedValue"]),
                         ("CANCELED", "0.04", "3960"))

    # ---- history

    def test_funding_is_paid_and_told(self):
        self.ok(self.c.leverage(25, ISOLATED))
        self.trade(self.c, self.d, "10")
        before = self.figures(self.d)["av"]
        deadline = time.monotonic() + 20
        while self.wait("BTC-USD", "100000")["fundingRate"] != "0.0000125":     # the first sample, within five seconds
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        self.rpc("evm_increaseTime", HOUR)
        paid, = self.list_of(self.c, "fundings")
        position, = self.list_of(self.c, "positions")["positions"]
        self.assertEqual({key: paid[key]
                          for key in ("symbol", "positionID", "positionSide", "fundingFee", "feeCoin", "fundingRate")},
                         {"symbol": "BTC-USD", "positionID": position["id"], "positionSide": "BOTH",
                          "fundingFee": "12.5", "feeCoin": "vUSDC", "fundingRate": "0.0000125"})
        self.assertEqual(paid["timestamp"] % 3600000, 0)
        self.assertEqual((position["margin"], position["realizedPnL"]), ("39987.5", "-412.5"))
        got, = self.list_of(self.d, "fundings",
                            f"?symbol=BTC-USD&startTime={paid['timestamp']}&endTime={paid['timestamp']}&limit=1")
        self.assertEqual(got["fundingFee"], "-12.5")
        self.assertEqual(Decimal(self.figures(self.d)["av"]), Decimal(before) + Decimal("12.5"))
        for query, found in (("?symbol=ETH-USD", 0), (f"?positionID={position['id']}", 1),
                             (f"?positionID={position['id'] + 1}", 0),
                             (f"?startTime={paid['timestamp'] + 1}", 0), (f"?endTime={paid['timestamp'] - 1}", 0)):
            self.assertEqual(len(self.list_of(self.c, "fundings", query)), found, query)

    def test_what_is_over_is_found_and_survives_a_kill(self):
        for i in range(6):                                              # six positions, opened and closed
            self.trade(self.a, self.b, "0.1")
            self.trade(self.b, self.a, "0.1")
        self.trade(self.a, self.b, "1", "4000", symbol=ETH)
        self.items_ok(self.a.place(perps_order("dead", BUY, "99000", "0.1"),
                                   perps_order("ioc", BUY, "99000", "0.1", tif=IOC)))
        self.items_ok(self.a.cancel("dead"))
        positions = self.list_of(self.a, "positions/history")
        self.assertEqual([row["reason"] for row in positions], ["USER"] * 6)
        self.assertEqual([row["id"] for row in positions], sorted((row["id"] for row in positions), reverse=True))
        pages, last = [], 0
        while page := self.list_of(self.a, "positions/history", f"?limit=4{f'&fromID={last}' if last else ''}"):
            pages, last = pages + page, page[-1]["id"]
        self.assertEqual(pages, positions)
        orders = self.list_of(self.a, "orders/history")
        self.assertEqual(len(orders), 15)
        self.assertEqual({row["clOrdID"]: row["status"] for row in orders if row["clOrdID"] in ("dead", "ioc")},
                         {"dead": "CANCELED", "ioc": "EXPIRED"})
        trades = self.list_of(self.a, "trades")
        self.assertEqual((len(trades), trades[0]["symbol"], trades[0]["fee"], trades[0]["feeCoin"],
                          trades[0]["isMaker"]), (13, "ETH-USD", "1.6", "vUSDC", False))
        self.assertEqual(len(self.list_of(self.a, "trades", "?symbol=BTC-USD")), 12)
        self.assertEqual(self.list_of(self.a, "trades", f"?orderID={trades[3]['orderID']}"), [trades[3]])
        self.assertEqual(self.list_of(self.clients[0], "trades"), [], "none of it is on spot")
        asked = ["positions/history", "orders/history", "trades", "fundings", "orders", "positions", "state",
                 "balances", "fee-rate",
                 "positions/history?limit=2", f"orders/history?fromID={orders[5]['orderID']}", "trades?symbol=ETH-USD"]
        before = [self.without_block(self.a.mine(what)) for what in asked]
        self.server.kill()
        self.start()
        self.assertEqual([self.without_block(self.a.mine(what)) for what in asked], before)
        self.server.kill()
        shutil.rmtree(os.path.join(self.data, "history"))               # made anew from the log
        self.start()
        self.assertEqual([self.without_block(self.a.mine(what)) for what in asked], before)

    def without_block(self, reply):
        data = self.ok(reply)
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if key not in ("blockTime", "blockHeight")}
        return data

    # ---- both spellings

    def test_what_is_told_twice_is_told_the_same(self):
        """wire 7.2: the two spellings of keys that clients of different age read."""
        self.ok(self.a.leverage(25, ISOLATED))
        self.trade(self.a, self.b, "1")
        listed = self.ok(self.a.mine("positions"))
        self.assertEqual(listed["positions"], listed["orders"])
        row, = listed["positions"]
        self.assertEqual((row["side"], row["quantity"], row["entryPrice"], row["symbolID"], row["accountID"],
                          row["margin"], row["markPrice"], row["unrealizedPnl"]),
                         (row["positionSide"], row["size"], row["avgEntryPrice"], BTC, self.a.id, "4000", "100000",
                          "0"))
        self.assertEqual(row["liquidationPrice"], "97959.2")                            # E6
        balance, = self.ok(self.a.mine("balances"))["balances"]
        self.assertEqual((balance["collateral"], balance["locked"]), (balance["total"], "0"))
        self.state(self.a)                                                              # at = ww
        passed, = self.ok(self.a.place(perps_order("twice", BUY, "90000", "0.1")))
        self.assertEqual((passed["code"], passed["status"]), (0, "NEW"))
        refused, = self.ok(self.a.place(perps_order("twice", BUY, "90000", "0.1")))
        self.assertEqual((refused["code"], refused["message"]), (40901, refused["error"]))
        for what, wrong in (("orders/history", "fromID"), ("positions/history", "fromID"), ("trades", "fromID"),
                            ("trades", "orderID"), ("fundings", "positionID")):
            self.assertEqual(self.a.mine(what, f"?{wrong}=x").code, 40001, (what, wrong))
        for what in ("orders/history", "positions/history", "trades", "fundings"):
            self.assertEqual(self.a.mine(what, "?startTime=5&endTime=5").code, 0)       # the edge of 40007

    # ---- parameters

    def test_every_parameter_and_error(self):
        for what, most in (("orders/history", 500), ("positions/history", 500), ("trades", 1000), ("fundings", 1000)):
            for query, code in (("?limit=0", 40001), ("?limit=x", 40001), ("?limit=-1", 40001),
                                (f"?limit={most + 1}", 0), ("?startTime=5&endTime=4", 40007),
                                ("?symbol=nope", 40401), ("?symbol=vBTC_vUSDC", 40401), ("?accountID=1", 40403),
                                ("?accountID=0", 0), ("?other=1", 0)):
                self.assertEqual(self.a.mine(what, query).code, code, (what, query))
            self.assertEqual(self.ok(self.a.get(f"/accounts/{NOBODY}/{what}")), [])
        for what in ("orders", "positions"):
            self.assertEqual(self.a.mine(what, "?symbol=nope").code, 40401)
            self.assertEqual(self.ok(self.a.get(f"/accounts/{NOBODY}/{what}"))["orders"], [])
        nobody = self.ok(self.a.get(f"/accounts/{NOBODY}/state"))
        self.assertEqual((nobody["aid"], nobody["uid"], nobody["av"], nobody["B"], nobody["O"], nobody["P"],
                          nobody["S"], nobody["TO"]), (0, 0, "0", [], [], [], [], []))
        self.assertEqual(self.a.get("/accounts/0x12/state").code, 40001)
        for path in ("symbols", "tickers", "miniTickers", "bookTickers", "mark-prices"):
            self.assertEqual(len(self.ok(self.a.get(f"/markets/{path}"))), 3)
            self.assertEqual(self.a.get(f"/markets/{path}?symbol=nope").code, 40401)
        self.assertEqual(self.a.get("/markets/BTC-USD/klines?interval=8h").code, 40006)
        rate = self.ok(self.a.mine("fee-rate", "?symbol=BTC-USD"))
        self.assertEqual((rate["makerFeeRate"], rate["takerFeeRate"], rate["feeTier"]), ("0.00012", "0.0004", 0))


if __name__ == "__main__":
    main()
