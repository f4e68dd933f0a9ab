# SPDX-License-Identifier: MIT
"""One account on the perps base, from outside and signed: it opens, adds to, reduces and flips a position, lets a
bracket open one and protect it, pays funding for an hour, isolates, and is liquidated, each with the numbers of
mechanics E4, E8 and E12; then the money in its folder adds up to the unit."""
import json
import time
from decimal import ROUND_FLOOR, Decimal

from harness import (ATTACHED_STOP, BRACKET, BUY, ISOLATED, MARK_PRICE, SELL, STOP_LOSS, TAKE_PROFIT, main,
                     perps_order, run)
from perps_case import HOUR, PerpsCase, stop_order

BROUGHT = 10 * (1000000 + 1000000) + 1000000            # ten development accounts on both sides, and the fund


class PerpsStory(PerpsCase):
    def tearDown(self):
        self.folder.__exit__()                          # the story ends its server itself

    def until(self, what, seconds=20):
        """Waits for the effect of a TICK."""
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline, "it never came")
            time.sleep(0.1)
        return found

    def closed(self, trader):
        return self.list_of(trader, "positions/history")[0]

    def test_an_account_from_its_first_order_to_its_liquidation(self):
        self.opens_adds_reduces_and_flips()
        self.is_opened_and_kept_safe_by_a_bracket()
        self.pays_funding_when_the_hour_is_over()
        self.is_closed_by_its_stop()
        self.isolates_and_is_liquidated()
        self.the_money_adds_up()

    def opens_adds_reduces_and_flips(self):
        """E4: +0.3 @ 100000, +0.7 @ 101000.7, -0.33333 @ 102000, -1 @ 99000; then it is closed."""
        self.trade(self.a, self.b, "0.3", "100000")
        self.assertEqual((self.a.position()["size"], self.a.position()["avgEntryPrice"]), ("0.3", "100000"))
        self.trade(self.a, self.b, "0.7", "101000.7")
        self.assertEqual((self.a.position()["size"], self.a.position()["cumOpenCost"],
                          self.a.position()["avgEntryPrice"]), ("1", "100700.49", "100700.49"))
        self.trade(self.b, self.a, "0.33333", "102000")
        fees = Decimal("12") + Decimal("28.280196") + Decimal("4.07996")
        self.assertEqual(Decimal(self.a.position()["realizedPnL"]), Decimal("433.165669") - fees)
        self.trade(self.b, self.a, "1", "99000")
        self.assertEqual((self.a.position()["size"], self.a.position()["avgEntryPrice"]), ("-0.33333", "99000"))
        flipped = self.closed(self.a)
        self.assertEqual((flipped["reason"], flipped["cumClosedSize"]), ("FLIP", "1"))
        # a is the maker of the fill that flips
        fee, fill, closing = Decimal("0.00012") * 99000, Decimal(99000), Decimal("0.66667") * 99000
        # floor(fee · Nc / N) is the closed record's
        share = (fee * closing / fill).quantize(Decimal("0.000001"), ROUND_FLOOR)
        self.assertEqual(share, Decimal("7.920039"))
        self.assertEqual(Decimal(flipped["realizedPnL"]), Decimal("433.165669") - Decimal("1133.665669") - fees - share)
        self.trade(self.a, self.b, "0.33333", "99000", reduce=True)
        self.assertIsNone(self.a.position())
        self.assertEqual(self.closed(self.a)["reason"], "USER")

    def is_opened_and_kept_safe_by_a_bracket(self):
        """E12: the parent fills 0.8 of 2 and is cancelled; the children stay, sized to the filled quantity."""
        parent, profit, loss = self.items_ok(self.a.place(
            perps_order("parent", BUY, "100000", "2", modifier=BRACKET),
            perps_order("profit", SELL, "104000", modifier=ATTACHED_STOP, stop=("104000", TAKE_PROFIT, MARK_PRICE),
                        reduce=True),
            stop_order("loss", SELL, "98000", STOP_LOSS, modifier=ATTACHED_STOP)))
        self.assertEqual({row["positionID"] for name, row in self.a.orders().items()
                          if name != "parent" and "positionID" in row}, set())
        self.items_ok(self.b.place(perps_order("hits", SELL, "100000", "0.8")))
        orders = self.a.orders()
        self.assertEqual({name: (row["status"], row["origQty"]) for name, row in orders.items()},
                         {"parent": ("PARTIALLY_FILLED", "2"), "profit": ("NEW", "0.8"), "loss": ("NEW", "0.8")})
        self.items_ok(self.a.cancel("parent"))
        self.assertEqual({name: (row["status"], row["origQty"]) for name, row in self.a.orders().items()},
                         {"profit": ("NEW", "0.8"), "loss": ("NEW", "0.8")})
        self.assertEqual((self.a.position()["size"], self.a.position()["avgEntryPrice"]), ("0.8", "100000"))

    def pays_funding_when_the_hour_is_over(self):
        """0.8 at a mark of 100000, and the interest of an hour: 0.0000125 of 80000."""
        before = Decimal(self.figures(self.a)["av"]), Decimal(self.figures(self.b)["av"])
        self.until(lambda: self.wait("BTC-USD", "100000")["fundingRate"] == "0.0000125")
        self.rpc("evm_increaseTime", HOUR)
        paid, = self.list_of(self.a, "fundings")
        got, = self.list_of(self.b, "fundings")
        self.assertEqual((paid["fundingFee"], paid["fundingRate"], got["fundingFee"]), ("1", "0.0000125", "-1"))
        self.assertEqual((Decimal(self.figures(self.a)["av"]), Decimal(self.figures(self.b)["av"])),
                         (before[0] - 1, before[1] + 1))

    def is_closed_by_its_stop(self):
        """The mark falls by 1 % a second to 97900; the stop-loss at 98000 sells into the resting bid, and the
        take-profit is canceled."""
        self.items_ok(self.c.place(perps_order("bid", BUY, "97900", "0.8")))
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "97900"})
        self.until(lambda: self.a.position() is None)
        history = {row["clOrdID"]: row for row in self.list_of(self.a, "orders/history")}
        self.assertEqual((history["loss"]["status"], history["loss"]["executedQty"], history["loss"]["executedValue"]),
                         ("FILLED", "0.8", "78320"))
        self.assertEqual(history["profit"]["status"], "CANCELED")
        self.assertEqual(self.a.orders(), {})
        self.assertEqual((self.closed(self.a)["reason"], self.closed(self.a)["avgClosePrice"]), ("USER", "97900"))

    def isolates_and_is_liquidated(self):
        """E8: 5 at 100000 with 26000 of money; at 96700 just the shortage is sold, 0.5 at 96690 and 0.04436 at
        96650."""
        now = self.server_time() // 1000
        # the outside price of the mark is the index when funding is near
        self.rpc("evm_setNextBlockTimestamp", (now // HOUR + 1) * HOUR - 40)
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "100000"})
        # an opening away from the mark has to cover the difference (ruling 65)
        self.wait("BTC-USD", "100000")
        self.ok(self.a.leverage(25, ISOLATED))
        wallet = Decimal(self.list_of(self.a, "balances")["balances"][0]["total"])
        self.trade(self.a, self.b, "5", "100000")
        self.ok(self.a.margin("6000"))
        self.assertEqual((self.a.position()["margin"], self.a.position()["marginMode"]), ("26000", "ISOLATED"))
        self.items_ok(self.c.place(perps_order("near", BUY, "96690", "0.5"), perps_order("far", BUY, "96650", "3")))
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "96700"})
        self.until(lambda: self.a.position()["size"] != "5")
        self.assertEqual((self.a.position()["size"], self.a.position()["margin"]), ("4.45564", "24175.341042"))
        # the equity at the end of E8
        self.assertEqual(Decimal("24175.341042") + Decimal("4.45564") * 96700 - 445564, Decimal("9471.729042"))
        sold = [(row["price"], row["quantity"], row["fee"]) for row in self.list_of(self.a, "trades", "?limit=2")]
        self.assertEqual(sold, [("96650", "0.04436", "1.714958"), ("96690", "0.5", "19.338")])
        order = self.list_of(self.a, "orders/history")[0]
        self.assertEqual((order["status"], order["reason"], order["executedQty"], order["reduceOnly"]),
                         ("FILLED", "LIQUIDATION", "0.54436", True))
        # the rest was never changed
        self.assertEqual(Decimal(self.list_of(self.a, "balances")["balances"][0]["total"]), wallet - 26000 - 200)

    def the_money_adds_up(self):
        self.server.stop()
        code, out, err = run("verify", "--signatures", "--json", self.data)
        self.assertEqual(code, 0, (out, err))
        report = json.loads(out)
        self.assertTrue(report["invariants"])
        money = {row["coin"]: {key: Decimal(value) for key, value in row.items() if key != "coin"}
                 for row in report["money"]}
        for coin, row in money.items():
            self.assertEqual(row["inside"], row["spot"] + row["wallets"] + row["buckets"] - row["costs"] + row["evm"],
                             coin)
        self.assertEqual(money["vUSDC"]["inside"], BROUGHT)
        self.assertEqual(money["vUSDC"]["buckets"], Decimal("24175.341042"))


if __name__ == "__main__":
    main()
