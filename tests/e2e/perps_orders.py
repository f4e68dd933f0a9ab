# SPDX-License-Identifier: MIT
"""Signed writes of the perps base from outside: orders of every kind, TP/SL and brackets, modify, replace, schedule,
leverage and margin, by wallet and by key. A refused request must leave everything as it was, its nonce included.

No other client trades and no feeder posts: the index is set by hand, and the book holds the tests' orders. The mark
follows the index closely but not to the unit, so bounds are tested to the unit in the core's tests and here from the
actual mark.
"""
import json
import time
from decimal import ROUND_DOWN, Decimal

from harness import (BRACKET, ATTACHED_STOP, BTC, BUY, CROSS, ETH, FOK, GTC, GTX, INDEX_PRICE, IOC, ISOLATED,
                     LAST_PRICE, LIMIT, LONG, MARK_PRICE, MARKET,
                     PERPS_BASE, SELL, SHORT, STOP, STOP_LOSS, TAKE_PROFIT, Case, Client, Connection, Folder, Perps,
                     Server, compact, fresh_nonce, main,
                     order, perps_order, run)
from keys import KeyClient, TRADE, CANCEL, TRANSFER, new_wallet, sign_key

PRICES = {"BTC-USD": "100000", "ETH-USD": "4000"}
ENGINE = "0x" + "00" * 18 + "1002"


def market_order(client_id, side, quantity=None, **more):
    return perps_order(client_id, side, quantity=quantity, type=MARKET, **more)


def stop_order(client_id, side, at, kind, quantity=None, trigger=MARK_PRICE, reduce=True, modifier=STOP, **more):
    more.setdefault("type", MARKET)
    return perps_order(client_id, side, quantity=quantity, modifier=modifier, stop=(at, kind, trigger), reduce=reduce,
                       **more)


def bracket(name, side=BUY, price="99000", quantity="0.1", profit="105000", loss="95000", **more):
    """A parent with a take-profit and (loss not None) a stop-loss."""
    other = SELL if side == BUY else BUY
    group = [perps_order(f"{name}-p", side, price, quantity, modifier=BRACKET, **more),
             stop_order(f"{name}-tp", other, profit, TAKE_PROFIT, modifier=ATTACHED_STOP)]
    if loss is not None:
        group.append(stop_order(f"{name}-sl", other, loss, STOP_LOSS, modifier=ATTACHED_STOP))
    return group


class PerpsOrders(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.data = cls.folder.__enter__()
        cls.server = Server("--market", "none", data=cls.data)
        cls.clients = cls.server.accounts()
        cls.traders = [Perps(client) for client in cls.clients]
        cls.count = 0
        # a nonce below all later ones, so that those may arrive in any order
        for trader in cls.traders:
            trader.schedule()
        for symbol, price in PRICES.items():
            cls.set_index(symbol, price)

    @classmethod
    def tearDownClass(cls):
        """The folder verifies: every signed record decoded again, all sums balanced."""
        cls.server.stop()
        code, out, err = run("verify", "--signatures", "--json", cls.data)
        cls.folder.__exit__()
        assert code == 0, (code, out, err)
        assert json.loads(out)["signatures"] > 100, out

    def setUp(self):
        self.a, self.b, self.c, self.d = self.traders[:4]

    def tearDown(self):
        """Removes all orders, positions and settings before the next test."""
        for trader in self.traders:
            for symbol, symbol_id in (("BTC-USD", BTC), ("ETH-USD", ETH)):
                ids = [row["orderID"] for row in trader.orders(symbol).values()]
                if ids:
                    self.ok(trader.cancel(*ids, symbol=symbol_id))
        open_ones = [(trader, row) for trader in self.traders for row in self.ok(trader.mine("positions"))["positions"]]
        for trader, row in open_ones:                   # the longs sell to the shorts
            size = row["size"]
            reply = trader.place(perps_order(self.name("flat"), SELL if not size.startswith("-") else BUY,
                                             PRICES[row["symbol"]], size.lstrip("-"), reduce=True),
                                 symbol=row["symbolID"])
            self.items_ok(reply)
        for trader, _ in open_ones:
            self.assertEqual(self.ok(trader.mine("positions"))["positions"], [])

    # ---- helpers

    def name(self, what="o"):
        type(self).count += 1
        return f"{what}-{self.count}"

    def one(self, reply, status=None):
        """The only item of a response, which passed."""
        item, = self.items_ok(reply)
        if status:
            self.assertEqual(item["status"], status, reply)
        return item

    def trade(self, buyer, seller, quantity, price="100000"):
        """They trade with each other, the seller resting."""
        self.one(seller.place(perps_order(self.name("ask"), SELL, price, quantity)), "NEW")
        return self.one(buyer.place(perps_order(self.name("bid"), BUY, price, quantity)), "FILLED")

    def history(self, trader, client_id):
        return next(row for row in self.ok(trader.mine("orders/history")) if row["clOrdID"] == client_id)

    @classmethod
    def rpc(cls, method, *params):
        return cls.clients[0].connection.send("POST", "/rpc",
                                              compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                       "params": list(params)}),
                                              {"Content-Type": "application/json"}).json["result"]

    @classmethod
    def set_index(cls, symbol, price):
        cls.rpc("dojima_setIndexPrice", {"symbol": symbol, "price": price})
        cls.rpc("evm_mine")

    def mark(self, symbol="BTC-USD"):
        row, = self.ok(self.a.get(f"/markets/mark-prices?symbol={symbol}"))
        return Decimal(row["markPrice"])

    def key(self, client, name, **more):
        body, nonce, wallet = {"accountID": client.id, "name": name, "type": 1, "publicKey": "", "expiresAt": 0,
                               **more}, fresh_nonce(), new_wallet()
        body["publicKey"] = wallet.address
        sign = sign_key(client.wallet, body, nonce,
                        "UserSignedAddPermissionedAPIKeyAction" if "permissions" in more else "AddAPIKey")
        self.ok(client.connection.send("POST", PERPS_BASE + "/accounts/api-keys", compact(body),
                                       {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                        "X-API-Sign": sign}))
        return Perps(KeyClient(client, wallet, name))

    # ---- orders and positions

    def test_the_go_example(self):
        """A limit buy at 1000, LONG, 0.001, no key header; then canceled by its number (wire 7.3)."""
        body = compact({"accountID": self.a.id, "symbolID": BTC,
                        "orders": [perps_order("go-1", BUY, "1000", "0.001", position=LONG)]})
        headers = self.a.client.headers("newOrder", body, domain="futures")
        del headers["X-API-Key"]
        headers["X-API-Chain"] = "286623"
        item = self.one(self.a.client.connection.send("POST", PERPS_BASE + "/trade/orders", body, headers), "NEW")
        self.keys(item, {"code", "clOrdID", "orderID", "status"})
        row = self.a.orders()["go-1"]
        self.assertEqual((row["orderID"], row["price"], row["origQty"], row["positionSide"]),
                         (item["orderID"], "1000", "0.001", "BOTH"))
        gone = self.one(self.a.cancel(item["orderID"]), "CANCELED")
        self.assertEqual((gone["orderID"], gone["clOrdID"]), (item["orderID"], "go-1"))
        self.assertNotIn("origClOrdID", gone)
        self.assertEqual(self.a.orders(), {})

    def test_open_add_reduce_flip_close(self):
        for buyer, seller, quantity, held in ((self.a, self.b, "0.1", "0.1"), (self.a, self.b, "0.05", "0.15"),
                                              (self.b, self.a, "0.12", "0.03"),
                                              (self.b, self.a, "0.1", "-0.07")):
            self.trade(buyer, seller, quantity)
            self.assertEqual(self.a.size(), held)
            self.assertEqual(self.b.size(), held[1:] if held.startswith("-") else "-" + held)
        flipped = self.a.position()
        self.assertEqual((flipped["side"], flipped["positionSide"], flipped["avgEntryPrice"], flipped["maxSize"]),
                         ("BOTH", "BOTH", "100000", "0.07"))
        self.trade(self.a, self.b, "0.07")
        self.assertEqual((self.a.position(), self.b.position()), (None, None))

    def test_market_orders_by_quantity_and_by_funds(self):
        self.one(self.b.place(perps_order("m-1", SELL, "100000", "0.5")), "NEW")
        self.one(self.a.place(market_order("m-2", BUY, "0.1")), "FILLED")
        self.one(self.a.place(market_order("m-3", BUY, funds="5000")), "FILLED")
        self.assertEqual(self.a.size(), "0.15")
        # its own bound is stricter
        self.one(self.a.place(market_order("m-4", BUY, "0.1", price="99999.9")), "EXPIRED")
        self.one(self.b.cancel("m-1"))
        # no order to match: accepted and ended (ruling 36)
        self.one(self.a.place(market_order("m-5", BUY, "0.1")), "EXPIRED")
        self.assertEqual(self.history(self.a, "m-5")["status"], "EXPIRED")
        self.assertEqual(self.a.size(), "0.15")

    def test_post_only_and_ioc(self):
        self.one(self.b.place(perps_order("p-1", SELL, "100000", "0.1", tif=GTX)), "NEW")
        details = self.item_refused(self.a.place(perps_order("p-2", BUY, "100000", "0.1", tif=GTX)), 42007)
        self.assertEqual((details["field"], details["got"], details["need"]), ("price", "100000", "100000"))
        self.assertEqual(self.history(self.a, "p-2")["status"], "EXPIRED")
        self.one(self.a.place(perps_order("p-3", BUY, "99999.9", "0.1", tif=IOC)), "EXPIRED")
        # a half; the rest does not rest
        self.one(self.a.place(perps_order("p-4", BUY, "100000", "0.2", tif=IOC)), "EXPIRED")
        self.assertEqual((self.history(self.a, "p-4")["executedQty"], self.a.size()), ("0.1", "0.1"))

    def test_reduce_only(self):
        for kind in (dict(price="100000"), dict(type=MARKET), dict(price="100000", tif=IOC)):
            self.item_refused(self.a.place(perps_order(self.name("r"), SELL, quantity="0.1", reduce=True, **kind)),
                              42005)
        self.trade(self.a, self.b, "0.1")
        # it would add
        self.item_refused(self.a.place(perps_order("r-same", BUY, "100000", "0.1", reduce=True)), 42005)
        self.one(self.b.place(perps_order("r-bid", BUY, "99000", "1")), "NEW")
        self.one(self.a.place(market_order("r-all", SELL, "0.5", reduce=True)), "FILLED")      # cut to the position
        self.assertEqual((self.a.size(), self.b.size()), ("0", "0"))

    def test_long_and_short_in_requests(self):
        # closes a long that does not exist
        self.item_refused(self.a.place(perps_order("l-1", SELL, "100000", "0.1", position=LONG)), 42005)
        self.item_refused(self.a.place(perps_order("l-2", BUY, "100000", "0.1", position=SHORT)), 42005)
        self.one(self.b.place(perps_order("l-3", SELL, "100000", "0.1", position=SHORT)), "NEW")
        self.one(self.a.place(perps_order("l-4", BUY, "100000", "0.1", position=LONG)), "FILLED")
        self.assertEqual((self.a.size(), self.b.size()), ("0.1", "-0.1"))
        # BOTH: may flip
        self.one(self.b.place(perps_order("l-5", BUY, "100000", "0.3", position=LONG)), "NEW")
        # only closes
        self.one(self.a.place(market_order("l-6", SELL, "0.3", position=LONG)), "FILLED")
        self.assertEqual((self.a.size(), self.b.size()), ("0", "0"))

    def test_what_a_rule_refuses_names_the_rule_and_changes_nothing(self):
        before = self.a.mine("balances").data["balances"]
        for code, field, what in (
                (42201, "price", dict(price="100000.01", quantity="0.1")),
                (42202, "quantity", dict(price="100000", quantity="0.000001")),
                (42204, "notional", dict(price="1000", quantity="0.0009")),
                (42202, "quantity", dict(price="100000", quantity="1000.1")),
                (42205, "price", dict(price="106000", quantity="0.1")),
                (42002, "quantity", dict(price="100000", quantity="200")),
                (42202, "quantity", dict(quantity="0.0000001", type=MARKET)),
                (42203, "quantity", dict(quantity="100.1", type=MARKET))):
            with self.subTest(code=code, **what):
                reply = self.a.place(perps_order(self.name("f"), BUY, **what))
                self.assertEqual(self.item_refused(reply, code)["field"], field, reply)
        self.item_refused(self.a.place(perps_order("f-s", SELL, "94000", "0.1")), 42205)
        self.item_refused(self.a.place(perps_order("f-x", BUY, "100000", "0.1"), symbol=77), 40401)
        self.assertEqual(self.a.mine("balances").data["balances"], before)
        self.assertEqual((self.a.orders(), self.a.position()), ({}, None))

    def test_the_band_around_the_mark_holds_to_the_tick(self):
        for _ in range(5):
            mark = self.mark()
            edge = (mark * 105 / 100).quantize(Decimal("0.1"), ROUND_DOWN)
            inside = self.ok(self.a.place(perps_order(self.name("in"), BUY, str(edge), "0.001")))[0]
            outside = self.ok(self.a.place(perps_order(self.name("out"), BUY, str(edge + Decimal("0.1")), "0.001")))[0]
            if self.mark() == mark:
                break                                   # there was no TICK in between
        self.assertEqual((inside["code"], outside["code"]), (0, 42205))
        self.assertEqual(Decimal(outside["details"]["need"]), edge)

    def test_payloads_are_judged_as_a_whole_before_anything_runs(self):
        good = perps_order("w-1", BUY, "99000", "0.1")
        nonce = fresh_nonce()
        for code, field, orders in (
                (40003, "orders", []), (40003, "orders", [good] * 101),
                (40002, "orders[1].quantity", [good, perps_order("w-2", BUY, "99000")]),
                (40002, "orders[1].price", [good, perps_order("w-2", BUY, quantity="1")]),
                (40002, "orders[1].timeInForce", [good, market_order("w-2", BUY, "1", tif=GTC)]),
                (42018, "orders[1].timeInForce", [good, perps_order("w-2", BUY, "99000", "1", tif=FOK)]),
                (40002, "orders[1].funds", [good, market_order("w-2", SELL, funds="100")]),
                (40002, "orders[1].stopPrice",
                 [good, perps_order("w-2", BUY, "99000", "1", stop=("98000", STOP_LOSS, MARK_PRICE))]),
                (40002, "orders[1].stopPrice", [good, market_order("w-2", SELL, reduce=True, modifier=STOP)]),
                (40002, "orders[1].quantity", [good, stop_order("w-2", SELL, "98000", STOP_LOSS, reduce=False)]),
                (40002, "orders[1].modifier",
                 [good, stop_order("w-2", SELL, "98000", STOP_LOSS, modifier=ATTACHED_STOP)]),
                (40001, "orders[1].quantity", [good, perps_order("w-2", BUY, "99000", "-1")]),
                (40001, "orders[1].quantity", [good, perps_order("w-2", BUY, "99000", 1)]),
                (40001, "orders[1].side", [good, perps_order("w-2", 3, "99000", "1")]),
                (40001, "orders[1].positionSide", [good, perps_order("w-2", BUY, "99000", "1", position=0)]),
                (40001, "orders[1].reduceOnly", [good, perps_order("w-2", BUY, "99000", "1", reduce=0)]),
                (40004, "orders[1].clOrdID", [good, perps_order("", BUY, "99000", "1")]),
                (40001, "orders[1].symbolID", [good, {**perps_order("w-2", BUY, "99000", "1"), "symbolID": BTC}])):
            with self.subTest(field=field, code=code):
                self.assertEqual(self.refused(self.a.place(*orders, nonce=nonce), code)["field"], field)
        for missing in ("modifier", "reduceOnly", "positionSide", "side"):
            with self.subTest(missing=missing):
                body = dict(good)
                del body[missing]
                self.assertEqual(self.refused(self.a.place(body, nonce=nonce), 40001)["field"], f"orders[0].{missing}")
        body = {"accountID": self.a.id, "symbolID": BTC, "orders": [good], "builder": {"id": 1, "fee": 5}}
        self.refused(self.a.write("POST", "/trade/orders", "newOrder", body, nonce), 40005)
        self.assertEqual(self.a.orders(), {})
        self.one(self.a.place(good, nonce=nonce))

    def test_a_batch_of_one_hundred(self):
        names = [f"batch-{i}" for i in range(100)]
        items = self.items_ok(self.a.place(*(perps_order(name, BUY, str(90000 + i), "0.001")
                                             for i, name in enumerate(names))))
        self.assertEqual([item["clOrdID"] for item in items], names)
        self.assertEqual(sorted(item["orderID"] for item in items), [item["orderID"] for item in items])
        self.assertEqual(set(self.a.orders()), set(names))
        self.assertEqual(self.refused(self.a.cancel(*names, "one-more"), 40003)["field"], "cancels")
        gone = self.items_ok(self.a.cancel(*names))
        self.assertEqual({item["status"] for item in gone}, {"CANCELED"})
        self.assertEqual([item["orderID"] for item in gone], [item["orderID"] for item in items])

    def test_items_of_a_batch_succeed_and_fail_alone(self):
        twice = perps_order("twin", BUY, "99000", "0.1")
        reply = self.a.place(twice, twice, perps_order("dear", BUY, "120000", "0.1"),
                             perps_order("fine", BUY, "98000", "0.1"))
        self.assertEqual([item["code"] for item in self.ok(reply)], [0, 40901, 42205, 0])
        self.assertIn("x-chain-tx", reply.chain)
        reply = self.a.cancel("twin", "never", "fine")
        self.assertEqual([item["code"] for item in self.ok(reply)], [0, 40402, 0])
        self.assertEqual(self.ok(reply)[1]["details"]["got"], "never")

    def test_cancels_name_an_own_perps_order_and_exactly_one_target(self):
        number = self.one(self.a.place(perps_order("x-1", BUY, "99000", "0.1")))["orderID"]
        spot, = self.items_ok(self.a.client.place(order("x-spot", BUY, "99000", "0.01")))
        for target in (number + 1000, "x-2", spot["orderID"], "x-spot"):
            self.item_refused(self.a.cancel(target), 40402)
        self.item_refused(self.b.cancel(number), 40402)
        self.item_refused(self.b.cancel("x-1"), 40402)
        self.item_refused(self.a.cancel(number, symbol=ETH), 40402)
        self.item_refused(self.a.cancel(number, symbol=77), 40401)
        nonce = fresh_nonce()
        for item in ({"symbolID": BTC}, {"symbolID": BTC, "orderID": number, "clOrdID": "x-1"}):
            body = {"accountID": self.a.id, "cancels": [item]}
            self.assertEqual(self.refused(self.a.write("DELETE", "/trade/orders", "cancelOrder", body, nonce),
                                          40002)["field"], "cancels[0].orderID")
        self.one(self.a.cancel("x-1", nonce=nonce), "CANCELED")
        self.item_refused(self.a.cancel(number), 40402)
        self.items_ok(self.a.client.cancel({"symbolID": BTC, "clOrdID": "x-spot"}))

    # ---- TP/SL

    def test_a_bracket_of_three_lives_with_its_parent(self):
        items = self.items_ok(self.a.place(*bracket("br", price="99000")))
        self.assertEqual([item["status"] for item in items], ["NEW", "NEW", "NEW"])             # wire 7.1 row 29
        self.assertEqual(set(self.a.orders()), {"br-p", "br-tp", "br-sl"})
        # the first fill arms them (ruling 14)
        self.one(self.b.place(market_order("br-half", SELL, "0.04")), "FILLED")
        rows = self.a.orders()
        self.assertEqual([rows[name]["status"] for name in ("br-p", "br-tp", "br-sl")],
                         ["PARTIALLY_FILLED", "NEW", "NEW"])
        self.assertEqual(self.a.size(), "0.04")
        # the filled quantity keeps them
        self.one(self.a.cancel("br-p"), "CANCELED")
        self.assertEqual(set(self.a.orders()), {"br-tp", "br-sl"})
        # a manual cancel leaves the other one
        self.one(self.a.cancel("br-tp"), "CANCELED")
        self.assertEqual(set(self.a.orders()), {"br-sl"})

    def test_children_end_with_a_parent_that_never_filled(self):
        for group in (bracket("dead", loss=None), bracket("died", SELL, "101000", profit="95000", loss="105000")):
            items = self.items_ok(self.a.place(*group))
            self.assertEqual(len(items), len(group))
            self.one(self.a.cancel(items[0]["orderID"]), "CANCELED")
            self.assertEqual(self.a.orders(), {})
            self.assertEqual(self.history(self.a, group[1]["clOrdID"])["status"], "CANCELED")

    def test_every_wrong_bracket(self):
        parent, profit, loss = bracket("bad")
        plain = perps_order("bad-n", BUY, "99000", "0.1")
        other = {**profit, "clOrdID": "bad-tp2"}
        nonce = fresh_nonce()
        for field, orders in (
                ("orders[0].modifier", [parent]), ("orders[0].modifier", [parent, profit, loss, other]),
                ("orders[1].modifier", [parent, plain]),
                ("orders[1].modifier", [plain, parent]), ("orders[1].modifier", [plain, profit]),
                ("orders[0].modifier", [profit, parent]),
                ("orders[0].modifier", [profit]), ("orders[2].modifier", [parent, profit, parent]),
                ("orders[1].modifier", [parent, {**profit, "modifier": STOP}]),
                ("orders[1].stopType", [parent, loss]), ("orders[2].stopType", [parent, profit, other]),
                ("orders[2].stopType", [parent, loss, {**loss, "clOrdID": "bad-sl2"}]),
                ("orders[0].reduceOnly", [{**parent, "reduceOnly": True}, profit]),
                ("orders[0].reduceOnly", [{**parent, "positionSide": SHORT}, profit]),
                ("orders[1].reduceOnly", [parent, {**profit, "reduceOnly": False}]),
                ("orders[1].side", [parent, {**profit, "side": BUY}]),
                ("orders[0].stopPrice", [{**parent, "stopPrice": "98000"}, profit]),
                ("orders[1].triggerType", [parent, {k: v for k, v in profit.items() if k != "triggerType"}])):
            with self.subTest(field=field, orders=[o["clOrdID"] for o in orders]):
                self.assertEqual(self.refused(self.a.place(*orders, nonce=nonce), 40002)["field"], field)
        # all or nothing, one reason for all items
        for code, orders in (
                (42009, bracket("side", profit="98999.9")), (42009, bracket("side", profit="99000")),
                (42009, bracket("side", loss="99000")),
                (42009, bracket("side", SELL, "101000", profit="101000", loss="105000")),
                (40901, [parent, profit, {**loss, "clOrdID": "bad-tp"}]),
                (42205, bracket("side", price="106000", profit="110000")), (42201, bracket("side", profit="105000.01")),
                (42002, bracket("side", quantity="200"))):
            with self.subTest(code=code, orders=[o["clOrdID"] for o in orders]):
                items = self.ok(self.a.place(*orders))
                self.assertEqual([item["code"] for item in items], [code] * len(orders), items)
                self.assertEqual({item["error"] for item in items}, {items[0]["error"]})
                self.assertEqual([item["clOrdID"] for item in items], [o["clOrdID"] for o in orders])
        self.assertEqual((self.a.orders(), self.a.position()), ({}, None))
        self.items_ok(self.a.place(parent, profit, loss, nonce=nonce))

    def test_stops_on_a_position(self):
        stop = stop_order("s-1", SELL, "95000", STOP_LOSS)
        self.item_refused(self.a.place(stop), 42010)
        self.trade(self.a, self.b, "0.1")
        self.item_refused(self.a.place(stop_order("s-2", BUY, "95000", TAKE_PROFIT)), 42005)   # it would add
        for price, kind in (("101000", STOP_LOSS), ("99000", TAKE_PROFIT)):
            self.item_refused(self.a.place(stop_order(self.name("s"), SELL, price, kind)), 42008)
        self.one(self.a.place(stop), "NEW")
        self.item_refused(self.a.place(stop_order("s-3", SELL, "94000", STOP_LOSS)), 42011)    # one global stop-loss
        self.one(self.a.place(stop_order("s-4", SELL, "106000", TAKE_PROFIT, type=LIMIT, price="106000")), "NEW")
        for i in range(10):
            self.one(self.a.place(stop_order(f"s-part-{i}", SELL, str(90000 + i), STOP_LOSS, "0.01",
                                             trigger=INDEX_PRICE)), "NEW")
        details = self.item_refused(self.a.place(stop_order("s-5", SELL, "94000", STOP_LOSS, "0.01")), 42022)
        self.assertEqual((details["field"], details["got"], details["need"]), ("orders", "11", "10"))
        self.assertIn("mechanics 4.4", details["rule"])
        row = self.a.orders()["s-1"]
        self.assertEqual((row["stopPrice"], row["stopType"], row["triggerType"], row["reduceOnly"], row["modifier"]),
                         ("95000", "STOP_LOSS", "MARK_PRICE", True, "STOP"))
        self.trade(self.b, self.a, "0.1")                                                      # closed: all of them end
        self.assertEqual(self.a.orders(), {})
        self.assertEqual(self.history(self.a, "s-1")["status"], "CANCELED")

    def test_a_stop_fires_on_the_last_price_and_closes(self):
        self.trade(self.a, self.b, "0.1")
        self.one(self.a.place(stop_order("fire", SELL, "99500", STOP_LOSS, trigger=LAST_PRICE)), "NEW")
        self.one(self.c.place(perps_order("bids", BUY, "99500", "0.2")), "NEW")
        self.assertEqual(self.a.size(), "0.1")
        self.one(self.d.place(market_order("print", SELL, "0.05")), "FILLED")                  # a trade at 99500
        self.assertEqual((self.a.size(), self.a.orders()), ("0", {}))
        row = self.history(self.a, "fire")
        self.assertEqual((row["status"], row["executedQty"]), ("FILLED", "0.1"))
        self.assertEqual(self.c.size(), "0.15")

    def test_a_stop_fires_on_the_index_and_on_the_mark(self):
        for trigger in (INDEX_PRICE, MARK_PRICE):
            with self.subTest(trigger=trigger):
                for seller, buyer, price in ((self.b, self.a, "4000"), (None, self.c, "3950")):
                    if seller:
                        self.one(seller.place(perps_order(self.name("ask"), SELL, price, "1"), symbol=ETH), "NEW")
                    self.one(buyer.place(perps_order(self.name("bid"), BUY, price, "1"), symbol=ETH),
                             "FILLED" if seller else "NEW")
                name = self.name("dip")
                self.one(self.a.place(stop_order(name, SELL, "3960", STOP_LOSS, trigger=trigger), symbol=ETH), "NEW")
                self.set_index("ETH-USD", "3940")
                deadline = time.monotonic() + 10
                while self.a.size("ETH-USD") != "0" and time.monotonic() < deadline:
                    self.rpc("evm_mine")
                self.assertEqual((self.a.size("ETH-USD"), self.c.size("ETH-USD")), ("0", "1"))
                row = self.history(self.a, name)
                self.assertEqual((row["status"], row["executedQty"]), ("FILLED", "1"))
                self.set_index("ETH-USD", "4000")
                while self.mark("ETH-USD") < 3990 and time.monotonic() < deadline:
                    self.rpc("evm_mine")
                self.trade_back(self.c, self.b)

    def trade_back(self, long, short):
        self.one(short.place(perps_order(self.name("back"), BUY, "4000", "1"), symbol=ETH))
        self.one(long.place(perps_order(self.name("back"), SELL, "4000", "1"), symbol=ETH), "FILLED")

    def test_a_stop_that_stands_alone_opens(self):
        self.one(self.b.place(perps_order("wall", SELL, "100500", "0.3")), "NEW")
        self.one(self.a.place(stop_order("alone", BUY, "100500", STOP_LOSS, "0.2", trigger=LAST_PRICE, reduce=False)),
                 "NEW")
        self.assertEqual(self.a.position(), None)
        self.one(self.c.place(market_order("touch", BUY, "0.1")), "FILLED")
        self.assertEqual((self.a.size(), self.b.size(), self.c.size()), ("0.2", "-0.3", "0.1"))

    def test_a_stop_loss_beyond_the_liquidation_is_warned_of(self):
        for trader in (self.a, self.b):
            self.ok(trader.leverage(25, ISOLATED))
        self.trade(self.a, self.b, "0.1")
        self.assertEqual(self.one(self.a.place(stop_order("far", SELL, "97959", STOP_LOSS, "0.01")))["warning"],
                         "STOP_BEYOND_LIQUIDATION")
        for stop in (stop_order("near", SELL, "98000", STOP_LOSS, "0.01"),
                     stop_order("gain", SELL, "102000", TAKE_PROFIT, "0.01")):
            self.assertNotIn("warning", self.one(self.a.place(stop)))
        self.trade(self.b, self.a, "0.1")
        for trader in (self.a, self.b):
            self.ok(trader.leverage(10, CROSS))

    # ---- changing orders

    def test_modify_changes_what_has_not_triggered(self):
        self.trade(self.a, self.b, "0.1")
        number = self.one(self.a.place(stop_order("mod", SELL, "95000", STOP_LOSS)))["orderID"]
        plain = self.one(self.a.place(perps_order("plain", BUY, "90000", "0.1")))["orderID"]
        for target, changes in ((number, dict(stopPrice="96000")), ("mod", dict(quantity="0.05")),
                                (number, dict(price="90000", quantity="0.06", stopPrice="97000"))):
            reply = self.a.modify(target, **changes)
            self.ok(reply)
            self.assertNotIn("data", reply.json)
            self.assertIn("x-chain-tx", reply.chain)
        row = self.a.orders()["mod"]
        self.assertEqual((row["orderID"], row["stopPrice"], row["origQty"], row["price"]),
                         (number, "97000", "0.06", "90000"))
        for code, field, target, changes in (
                (42008, "stopPrice", number, dict(stopPrice="101000")),
                (42201, "stopPrice", number, dict(stopPrice="97000.01")),
                (42202, "quantity", number, dict(quantity="0.000001")), (42201, "price", number, dict(price="0.01")),
                (40908, "orderID", plain, dict(stopPrice="95000")),
                (40402, "clOrdID", "nobody", dict(stopPrice="95000"))):
            with self.subTest(code=code, **changes):
                reply = self.a.modify(target, **changes)
                self.assertEqual((reply.status, reply.code, reply.details["field"]), (200, code, field), reply)
                # a rule of the engine refused (ruling 29)
                self.assertIn("x-chain-tx", reply.chain)
        self.assertEqual(self.b.modify(number, stopPrice="95000").code, 40402)
        self.assertEqual(self.a.orders()["mod"], row)
        nonce = fresh_nonce()
        for body in ({"orderID": number}, {"stopPrice": "95000"},
                     {"orderID": number, "clOrdID": "mod", "stopPrice": "95000"}):
            self.refused(self.a.write("POST", "/trade/orders/modify", "modifyOrder",
                                      {"accountID": self.a.id, "symbolID": BTC, **body}, nonce), 40002)
        self.ok(self.a.modify("mod", nonce=nonce, stopPrice="95500"))

    def test_replace_keeps_the_number(self):
        number = self.one(self.a.place(perps_order("rep", BUY, "99000", "0.1")))["orderID"]
        item = self.one(self.a.replace({"symbolID": BTC, "clOrdID": "rep-2", "origOrderID": number, "price": "99100",
                                        "quantity": "0.2"}), "NEW")
        self.assertEqual((item["orderID"], item["clOrdID"]), (number, "rep-2"))
        self.one(self.a.replace({"symbolID": BTC, "clOrdID": "rep-3", "origClOrdID": "rep-2", "quantity": "0.15"}))
        row = self.a.orders()["rep"]
        self.assertEqual((row["orderID"], row["price"], row["origQty"]), (number, "99100", "0.15"))
        self.item_refused(self.a.replace({"symbolID": BTC, "clOrdID": "rep-4", "origOrderID": number,
                                          "quantity": "200"}), 42002)
        self.item_refused(self.a.replace({"symbolID": BTC, "clOrdID": "rep-5", "origOrderID": number,
                                          "price": "106000"}), 42205)
        self.trade(self.c, self.d, "0.1", "99500")
        stop = self.one(self.c.place(stop_order("rep-stop", SELL, "95000", STOP_LOSS)))["orderID"]
        self.item_refused(self.c.replace({"symbolID": BTC, "clOrdID": "rep-6", "origOrderID": stop,
                                          "quantity": "0.01"}), 40902)
        self.assertEqual(self.a.orders()["rep"], row)
        self.one(self.b.place(perps_order("rep-ask", SELL, "99400", "0.05")))
        self.one(self.a.replace({"symbolID": BTC, "clOrdID": "rep-7", "origOrderID": number, "price": "99400"}),
                 "PARTIALLY_FILLED")
        self.assertEqual(self.a.size(), "0.05")

    def test_schedule_cancel_takes_the_orders_of_its_base(self):
        now = int(time.time() * 1000)
        self.assertEqual(self.a.schedule(now + 3000).code, 42023)
        self.refused(self.a.write("POST", "/trade/orders/schedule-cancel", "scheduleCancel",
                                  {"scheduledTimestamp": now + 60000}), 40001)
        self.ok(self.a.schedule(now + 60000))
        self.ok(self.a.schedule())
        self.one(self.a.place(perps_order("sch", BUY, "99000", "0.1")))
        self.items_ok(self.a.client.place(order("sch-spot", BUY, "99000", "0.01")))
        self.items_ok(self.a.place(*bracket("sch-b", price="98000")))
        reply = self.a.schedule(int(time.time() * 1000) + 5500)
        self.ok(reply)
        self.assertNotIn("data", reply.json)
        deadline = time.monotonic() + 12
        while self.a.orders() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.a.orders(), {})
        self.assertEqual(self.history(self.a, "sch")["status"], "CANCELED")
        self.assertEqual([row["clOrdID"] for row in self.a.client.open_orders()], ["sch-spot"])
        self.items_ok(self.a.client.cancel({"symbolID": BTC, "clOrdID": "sch-spot"}))

    # ---- settings and margin

    def test_leverage_and_mode(self):
        for leverage, code in ((0, 42029), (26, 42029), (4294967295, 42029)):
            reply = self.a.leverage(leverage)
            self.assertEqual((reply.code, reply.details["field"]), (code, "leverage"), reply)
        self.assertEqual(self.a.leverage(10, symbol=77).code, 40401)
        for mode in (0, 3):
            self.assertEqual(self.refused(self.a.leverage(10, mode), 40001)["field"], "marginMode")
        for leverage, mode in ((1, ISOLATED), (25, CROSS), (5, ISOLATED)):
            reply = self.a.leverage(leverage, mode)
            self.ok(reply)
            self.assertEqual(reply.data, {"symbol": "BTC-USD", "symbolID": 1, "leverage": leverage,
                                          "marginMode": "CROSS" if mode == CROSS else "ISOLATED"})
        number = self.one(self.a.place(perps_order("lev", BUY, "99000", "0.1")))["orderID"]
        self.assertEqual(self.a.leverage(6).code, 42012)
        self.one(self.a.cancel(number))
        self.trade(self.a, self.b, "0.1")
        self.assertEqual((self.a.position()["leverage"], self.a.position()["marginMode"]), (5, "ISOLATED"))
        self.assertEqual(self.a.leverage(6).code, 42012)
        self.trade(self.b, self.a, "0.1")
        self.ok(self.a.leverage(10, CROSS))

    def test_margin_of_an_isolated_position(self):
        self.assertEqual(self.a.margin("10").code, 42010)
        self.ok(self.a.leverage(10, ISOLATED))
        self.trade(self.a, self.b, "0.1")                                                      # 10000 at 10x: 1000
        self.assertEqual(self.b.margin("10").code, 42030)
        for amount, code in (("0", 40001), ("0.0000001", 40001), ("-0.0000001", 40001), ("999999999", 42002),
                             ("999999999999999999", 42002), ("-999999999999999999", 42002),
                             ("-500", 42002)):
            with self.subTest(amount=amount):
                reply = self.a.margin(amount)
                self.assertEqual((reply.code, reply.details["field"]), (code, "amount"), reply)
        before = Decimal(self.a.position()["margin"])
        reply = self.a.margin("500.5")
        self.ok(reply)
        self.assertNotIn("data", reply.json)
        self.assertEqual(Decimal(self.a.position()["margin"]) - before, Decimal("500.5"))
        self.ok(self.a.margin("-300.25"))
        self.assertEqual(Decimal(self.a.position()["margin"]) - before, Decimal("200.25"))
        self.assertEqual(self.a.margin("-700").code, 42002)
        self.trade(self.b, self.a, "0.1")
        self.ok(self.a.leverage(10, CROSS))

    # ---- signers and paths

    def test_every_write_is_signed_for_futures(self):
        writes = (("POST", "/trade/orders", "newOrder",
                   {"symbolID": BTC, "orders": [perps_order("dom", BUY, "99000", "0.1")]}),
                  ("DELETE", "/trade/orders", "cancelOrder", {"cancels": [{"symbolID": BTC, "clOrdID": "dom"}]}),
                  ("POST", "/trade/orders/replace", "replaceOrder",
                   {"orders": [{"symbolID": BTC, "clOrdID": "r", "origClOrdID": "dom", "price": "98000"}]}),
                  ("POST", "/trade/orders/modify", "modifyOrder",
                   {"symbolID": BTC, "clOrdID": "dom", "stopPrice": "98000"}),
                  ("POST", "/trade/orders/schedule-cancel", "scheduleCancel", {}),
                  ("POST", "/trade/leverage", "updateLeverage", {"symbolID": ETH, "leverage": 10, "marginMode": CROSS}),
                  ("POST", "/trade/margin", "updateMargin", {"symbolID": BTC, "amount": "1"}))
        for method, path, action, rest in writes:
            body = {"accountID": self.a.id, **rest}
            for domain in ("spot", "universal"):
                with self.subTest(action=action, domain=domain):
                    self.refused(self.a.write(method, path, action, body, domain=domain), 40101)
            self.refused(self.b.write(method, path, action, body), 40101)
            self.refused(self.a.write(method, path, "batchNewOrder", body), 40101)
        self.assertEqual(self.a.orders(), {})

    def test_nonces_of_the_two_bases_are_apart(self):
        nonce = fresh_nonce()
        self.items_ok(self.a.client.place(order("n-spot", BUY, "99000", "0.01"), nonce=nonce))
        reply = self.a.place(perps_order("n-1", BUY, "99000", "0.1"), nonce=nonce)
        self.one(reply)
        again = self.a.place(perps_order("n-1", BUY, "99000", "0.1"), nonce=nonce)
        details = self.refused(again, 40102)
        self.assertEqual((details["reason"], details["transactionHash"] if "transactionHash" in details
                          else details["hash"]), ("used", reply.chain["x-chain-tx"]))
        self.items_ok(self.a.client.cancel({"symbolID": BTC, "clOrdID": "n-spot"}))

    def test_keys_do_what_their_rights_allow(self):
        client = self.a.client
        free, no_trade, no_cancel, no_transfer = (self.key(client, name, **more) for name, more in (
            ("free", {}), ("no-trade", {"permissions": TRADE}), ("no-cancel", {"permissions": CANCEL}),
            ("no-transfer", {"permissions": TRANSFER})))
        self.one(free.place(perps_order("k-1", BUY, "99000", "0.1")))
        self.one(free.replace({"symbolID": BTC, "clOrdID": "k-2", "origClOrdID": "k-1", "price": "98000"}))
        self.ok(free.leverage(9, symbol=ETH))
        self.ok(free.schedule())
        for send in (lambda: no_trade.place(perps_order("k-3", BUY, "99000", "0.1")),
                     lambda: no_trade.leverage(8, symbol=ETH), lambda: no_trade.margin("1"),
                     lambda: no_trade.modify("k-1", stopPrice="95000"),
                     lambda: no_trade.replace({"symbolID": BTC, "clOrdID": "k-4", "origClOrdID": "k-1",
                                               "price": "97000"}),
                     lambda: no_cancel.cancel("k-1"), lambda: no_cancel.schedule()):
            self.refused(send(), 40105)
        self.one(no_cancel.place(perps_order("k-5", BUY, "99000", "0.1")))
        self.one(no_transfer.place(perps_order("k-6", BUY, "99000", "0.1")))
        self.items_ok(no_trade.cancel("k-1", "k-5", "k-6"))
        self.ok(free.leverage(10, symbol=ETH))
        self.refused(Perps(KeyClient(self.b.client, free.client.wallet, "free")).place(perps_order("k-7", BUY, "99000",
            "0.1")), 40103)

    def test_transactions_go_to_the_perps_engine(self):
        reply = self.a.place(perps_order("chain", BUY, "99000", "0.1"))
        number = self.one(reply)["orderID"]
        tx = self.rpc("eth_getTransactionByHash", reply.chain["x-chain-tx"])
        self.assertEqual((tx["to"], int(str(tx["domain"]), 0), tx["type"], tx["from"]),
                         (ENGINE, 1, "0x53", self.a.address))
        signed = json.loads(bytes.fromhex(tx["input"][2:]))
        self.assertEqual((signed["type"], signed["params"]["orders"][0]["clOrdID"]), ("newOrder", "chain"))
        self.assertEqual(self.rpc("eth_getTransactionReceipt", reply.chain["x-chain-tx"])["status"], "0x1")
        failed = self.a.place(perps_order("chain-2", BUY, "120000", "0.1"))
        self.item_refused(failed, 42205)
        self.assertEqual(self.rpc("eth_getTransactionReceipt", failed.chain["x-chain-tx"])["status"], "0x0")
        for reply in (self.a.leverage(10, symbol=ETH), self.a.schedule(), self.a.cancel(number)):
            self.ok(reply)
            self.assertEqual(self.rpc("eth_getTransactionByHash", reply.chain["x-chain-tx"])["to"], ENGINE)

    def test_dojima_sign_signs_for_the_perps_base(self):
        body = compact({"accountID": 1001, "symbolID": BTC, "orders": [perps_order("signed", BUY, "99000", "0.1")]})
        code, out, err = run("sign", "--account", "1001", "futures", "newOrder", body.decode())
        self.assertEqual(code, 0, err)
        headers = dict(line.split(": ", 1) for line in out.strip().split("\n"))
        self.one(Connection(self.server.port).send("POST", PERPS_BASE + "/trade/orders", body, headers), "NEW")
        self.one(self.traders[0].cancel("signed"))

    def test_without_an_account_the_wallet_decides(self):
        good = perps_order("prim", BUY, "99000", "0.1")
        self.one(self.b.write("POST", "/trade/orders", "newOrder", {"symbolID": BTC, "orders": [good]}))
        self.assertEqual(set(self.b.orders()), {"prim"})
        self.one(self.b.write("DELETE", "/trade/orders", "cancelOrder",
                              {"accountID": 0, "cancels": [{"symbolID": BTC, "clOrdID": "prim"}]}))
        self.refused(Perps(Client(self.server, new_wallet(), 0)).write("POST", "/trade/orders", "newOrder",
            {"symbolID": BTC, "orders": [good]}), 40101)


if __name__ == "__main__":
    main()
