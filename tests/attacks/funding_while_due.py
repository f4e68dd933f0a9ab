# SPDX-License-Identifier: MIT
"""A unit that is due for liquidation waits for an hour's funding, and the fund takes over a deficit (ruling 66)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, CROSS, SELL

HOUR = 3600


class FundingWhileDue(Attack):
    """D's and E's quotes are the whole book, 5 % above the mark: they keep the mark 1 % above the index and make the
    premium. A is long against B and pays funding to it. Below its maintenance margin and above two thirds of it A
    waits; the next hour's funding moves it to where it has equity left at the mark and none at the index. The index
    never moves. Advances to the hour stand for quotes that are away for the moment of each TICK, in which A's
    liquidation orders would meet them."""

    rulings = (66,)

    def story(self):
        self.e = self.traders[4]
        self.coalition(self.a, self.b, self.d, self.e)
        self.bystanders(self.c)
        self.begin()
        self.isolate(self.a)
        self.ok(self.b.leverage(25, CROSS))
        self.rest(self.b, SELL, 100000, "39")
        self.rest(self.a, BUY, 100000, "39")
        for _ in range(60):
            self.quote()
            self.pass_time(10)
        self.assertGreater(self.mark(), 100900)
        for _ in range(8):
            self.quote()
            self.rpc("evm_setNextBlockTimestamp", (self.server_time() // 1000 // HOUR + 1) * HOUR)
        self.assertEqual(self.a.size(), "0")
        self.withhold()
        self.pass_time(3)
        self.buy_fund_out()
        for trader in (self.a, self.b, self.d, self.e):
            self.withdraw(trader)
        self.judge()

    def withhold(self):
        for trader in (self.d, self.e):
            if trader.orders():
                self.ok(trader.cancel(*trader.orders()))

    def quote(self):
        self.withhold()
        mark = self.mark()
        self.rest(self.d, BUY, f"{mark * Decimal('1.0480'):.0f}", "0.06")
        self.rest(self.e, SELL, f"{mark * Decimal('1.0495'):.0f}", "0.06")


if __name__ == "__main__":
    main()
