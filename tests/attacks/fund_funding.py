# SPDX-License-Identifier: MIT
"""A coalition earns the funding of a position that the fund took over (ruling 66)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, CROSS, SELL

HOUR = 3600


class FundFunding(Attack):
    """A is long against B, and D's bid of impact size is the whole book: 5 % above the mark, it makes the premium of
    each hour. A pays funding until the fund takes its position over; from then on the fund would pay it to B, hour
    after hour, while the index does not move. Advances of an hour stand for a bid that is away for the moment of each
    TICK, in which the fund would sell into it."""

    rulings = (66,)

    def story(self):
        self.coalition(self.a, self.b, self.d)
        self.bystanders(self.c)
        self.begin()
        self.isolate(self.a)
        self.ok(self.b.leverage(25, CROSS))
        self.rest(self.b, SELL, 100000, "30")
        self.rest(self.a, BUY, 100000, "30")
        self.pass_time(1)
        for _ in range(14):
            self.hour()
        self.assertEqual(self.a.size(), "0")
        self.buy_fund_out()
        for trader in (self.a, self.b, self.d):
            self.withdraw(trader)
        self.judge()

    def hour(self):
        self.rest(self.d, BUY, f"{self.mark() * Decimal('1.0499'):.0f}", "0.06")
        self.rpc("evm_increaseTime", HOUR)
        if self.d.orders():
            self.ok(self.d.cancel(*self.d.orders()))


if __name__ == "__main__":
    main()
