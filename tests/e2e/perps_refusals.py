# SPDX-License-Identifier: MIT
"""Refusals of the perps base, from outside and signed, one by one: the error is that of the table, everything readable
is as it was before, and right beside the bound the same request passes."""
import time
from decimal import Decimal

from harness import (ATTACHED_STOP, BRACKET, BTC, BUY, CROSS, ISOLATED, SELL, STOP, STOP_LOSS, TAKE_PROFIT, Case,
                     Folder, compact, fresh_nonce, main, perps_order, run)
from oracle import CHAIN, Venue, wait_for
from perps_case import PerpsCase, stop_order

UNIT = Decimal("0.000001")
SPOT_WITHDRAW = 5
READS = ("orders", "positions", "balances", "state", "orders/history", "positions/history", "trades", "fundings")


def stop(name, side, at, kind):
    return stop_order(name, side, at, kind, modifier=STOP)


def what_is(trader):
    """All that a trader can read of himself on perps, and his money on spot; without the block and the time of the
    reads."""
    told = []
    for what in READS:
        data = trader.mine(what).data
        if isinstance(data, dict):
            data = {key: value for key, value in data.items() if key not in ("blockTime", "blockHeight", "ts", "TO")}
        told.append(data)
    return told + [trader.client.balance("vUSDC")]


class Refusals(PerpsCase):
    def refuses(self, code, send, traders=None):
        """The request is refused, for this reason, and leaves no trace."""
        traders = traders or self.traders[:3]
        before = [what_is(trader) for trader in traders]
        reply = send()
        self.assertEqual(reply.status, 200, reply)
        codes = {reply.code} if reply.code != 0 else {item["code"] for item in reply.data}
        self.assertEqual(codes, {code}, reply)
        self.assertEqual([what_is(trader) for trader in traders], before)

    def held(self, mode=CROSS):
        """One BTC at 100000, leverage ten, against b."""
        self.ok(self.a.leverage(10, mode))
        self.trade(self.a, self.b, "1")

    def group(self, *children):
        return self.a.place(perps_order("parent", BUY, "99000", "0.1", modifier=BRACKET), *children)

    def child(self, name, at, kind, side=SELL):
        return stop_order(name, side, at, kind, modifier=ATTACHED_STOP)

    def test_a_bracket_of_the_wrong_length(self):
        profit, loss, more = self.child("tp", "105000", TAKE_PROFIT), self.child("sl", "95000",
            STOP_LOSS), self.child("tp2", "106000", TAKE_PROFIT)
        self.refuses(40002, lambda: self.group())
        self.refuses(40002, lambda: self.group(profit, loss, more))
        self.refuses(40002, lambda: self.a.place(profit))
        self.items_ok(self.group(profit))
        self.items_ok(self.a.cancel("parent"))
        self.items_ok(self.group(profit, loss))

    def test_two_take_profits(self):
        self.refuses(40002, lambda: self.group(self.child("tp", "105000", TAKE_PROFIT),
                                               self.child("tp2", "106000", TAKE_PROFIT)))
        self.refuses(40002, lambda: self.group(self.child("sl", "95000", STOP_LOSS)))           # nor none
        self.items_ok(self.group(self.child("tp", "105000", TAKE_PROFIT), self.child("sl", "95000", STOP_LOSS)))

    def test_a_stop_on_the_wrong_side(self):
        self.held()
        self.refuses(42005, lambda: self.a.place(stop("add", BUY, "101000", STOP_LOSS)))
        self.items_ok(self.a.place(stop("reduce", SELL, "99000", STOP_LOSS)))
        # of a parent that buys at 99000
        for at, kind in (("99000", TAKE_PROFIT), ("98999.9", TAKE_PROFIT)):
            self.refuses(42009, lambda at=at, kind=kind: self.group(self.child("tp", at, kind)))
        self.refuses(42009,
                     lambda: self.group(self.child("tp", "105000", TAKE_PROFIT), self.child("sl", "99000", STOP_LOSS)))
        self.items_ok(self.group(self.child("tp", "99000.1", TAKE_PROFIT), self.child("sl", "98999.9", STOP_LOSS)))

    def test_a_stop_that_would_trigger_at_once(self):
        self.held()
        self.wait("BTC-USD", "100000", "100000")
        for at, kind in (("100000", STOP_LOSS), ("100000.1", STOP_LOSS), ("100000", TAKE_PROFIT),
                         ("99999.9", TAKE_PROFIT)):
            self.refuses(42008, lambda at=at, kind=kind: self.a.place(stop("now", SELL, at, kind)))
        self.items_ok(self.a.place(stop("sl", SELL, "99999.9", STOP_LOSS), stop("tp", SELL, "100000.1", TAKE_PROFIT)))

    def test_reduce_only_without_a_position(self):
        self.refuses(42005, lambda: self.a.place(perps_order("r", SELL, "100000", "0.1", reduce=True)))
        self.refuses(42010, lambda: self.a.place(stop("s", SELL, "99000", STOP_LOSS)))
        self.held()
        # on its own side
        self.refuses(42005, lambda: self.a.place(perps_order("r", BUY, "99000", "0.1", reduce=True)))
        self.items_ok(self.a.place(perps_order("r", SELL, "101000", "0.1", reduce=True)))

    def test_leverage_above_the_maximum_or_with_open_orders(self):
        for leverage in (26, 0):
            self.refuses(42029, lambda leverage=leverage: self.a.leverage(leverage))
        self.ok(self.a.leverage(25))
        self.items_ok(self.a.place(perps_order("open", BUY, "99000", "0.1")))
        self.refuses(42012, lambda: self.a.leverage(10))
        self.refuses(42012, lambda: self.a.leverage(25, ISOLATED))
        self.items_ok(self.a.cancel("open"))
        self.ok(self.a.leverage(10))
        self.trade(self.a, self.b, "0.1")
        self.refuses(42012, lambda: self.a.leverage(20))

    def test_margin_is_not_removed_below_its_limit(self):
        """E15: one long at 100000, leverage ten, with a bucket of 15000: 5000 may be removed, and no unit more."""
        self.held(ISOLATED)
        self.wait("BTC-USD", "100000", "100000")
        self.ok(self.a.margin("5000"))
        self.refuses(42002, lambda: self.a.margin("-5000.000001"))
        self.ok(self.a.margin("-5000"))
        self.refuses(42002, lambda: self.a.margin("-0.000001"))
        free = Decimal(self.figures(self.a)["ami"])
        self.refuses(42002, lambda: self.a.margin(str(free + UNIT)))
        self.ok(self.a.margin(str(free)))

    def transfer(self, amount):
        body = compact({"id": fresh_nonce(), "fromAccountID": self.a.id, "toAccountID": 999, "coinID": 0,
                        "amount": str(amount), "type": SPOT_WITHDRAW})
        return self.a.write("POST", "/accounts/transfers", "transferAsset", body)

    def test_a_transfer_that_would_break_the_margin(self):
        self.held()
        self.wait("BTC-USD", "100000", "100000")
        self.items_ok(self.a.place(perps_order("open", BUY, "99000", "1")))
        free = Decimal(self.figures(self.a)["amw"])
        # a fee, the position, the order
        self.assertEqual(free, Decimal(1000000) - 40 - 10000 - Decimal("9939.6"))
        self.refuses(42002, lambda: self.transfer(free + UNIT))
        self.ok(self.transfer(free))
        self.refuses(42002, lambda: self.transfer(UNIT))

    def test_money_stays_while_prices_are_not_live(self):
        """Ruling 64: the response names the rule, the symbol and its state; nothing moves, and all is free again at
        once."""
        self.ok(self.a.leverage(10, ISOLATED))
        self.trade(self.a, self.b, "0.1")
        self.ok(self.a.margin("100"))
        before = [what_is(trader) for trader in (self.a, self.b)]
        self.assertEqual(run("mode", "--data", self.data, "cancel-only")[0], 0)
        for reply in (self.a.margin("-1"), self.out_of_perps(self.b)):
            self.assertEqual((reply.status, reply.code, reply.json["error"]), (200, 42028, "prices are not live"),
                             reply)
            self.assertEqual(reply.details,
                             {"rule": "live prices and the mode run wherever the account has a position or an order "
                                      "that could open one (ruling 64)",
                                             "field": "symbolID", "got": "BTC-USD CANCEL_ONLY", "need": "mode RUN"})
        self.assertEqual(Decimal(self.ok(self.b.mine("state"))["amw"]), 0)
        self.assertEqual(run("mode", "--data", self.data, "run")[0], 0)
        self.assertEqual([what_is(trader) for trader in (self.a, self.b)], before)
        self.ok(self.a.margin("-1"))
        self.ok(self.out_of_perps(self.b))

    def out_of_perps(self, trader):
        return trader.write("POST", "/accounts/transfers", "transferAsset",
                            {"id": fresh_nonce(), "fromAccountID": trader.id, "toAccountID": 999, "coinID": 0,
                             "amount": "1", "type": SPOT_WITHDRAW})


class Prices(Case):
    """The same of feeders: on a venue with some."""

    def refused(self, code, reply, venue, before):
        self.assertEqual((reply.status, reply.code if reply.code != 0 else reply.data[0]["code"]), (200, code), reply)
        self.assertEqual([what_is(trader) for trader in venue.traders()] + [venue.index()], before)

    def seen(self, venue):
        return [what_is(trader) for trader in venue.traders()] + [venue.index()]

    def test_a_repeated_sequence_and_a_stale_price(self):
        with Folder() as folder, Venue(folder, stale=2000) as venue:
            buyer, seller = venue.traders()
            feeder = venue.feeders[0]
            self.assertEqual(feeder.post((BTC, "100000"), seq=7).code, 0)
            time.sleep(1.2)
            self.items_ok(seller.place(perps_order("ask", SELL, "100000", "0.1"), chain_id=CHAIN))
            self.items_ok(buyer.place(perps_order("bid", BUY, "100000", "0.1"), chain_id=CHAIN))
            before = self.seen(venue)
            for seq in (7, 6):
                self.refused(40102, feeder.post((BTC, "90000"), seq=seq), venue, before)
            self.assertEqual(feeder.post((BTC, "100000"), seq=8).code, 0)
            time.sleep(3.2)                                             # older than oracleStaleMs
            before = self.seen(venue)
            self.refused(42015, buyer.place(perps_order("more", BUY, "99000", "0.1"), chain_id=CHAIN), venue, before)
            # a reducing order passes
            self.items_ok(buyer.place(perps_order("out", SELL, "100000", "0.1", reduce=True), chain_id=CHAIN))
            self.assertEqual(feeder.post((BTC, "100000"), seq=9).code, 0)
            self.assertTrue(wait_for(lambda: buyer.place(perps_order(f"more{time.monotonic_ns()}", BUY, "99000", "0.1"),
                                                         chain_id=CHAIN).data[0]["code"] == 0))


if __name__ == "__main__":
    main()
