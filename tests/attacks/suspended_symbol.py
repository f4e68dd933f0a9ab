# SPDX-License-Identifier: MIT
"""A position in a symbol that becomes stale keeps the rest of its account from liquidation."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, SELL

SOL = 3
SIZE = "60"                                                 # more than the fund can bear: it would be deleveraged


class SuspendedSymbol(Attack):
    """A holds 60 BTC against B with little more than their initial margin, and one SOL whose feeder falls silent. The
    index of BTC-USD falls by 18 % in steps of half a per cent, so that at every step A still has equity for its BTC. If
    A were not liquidated because of its SOL, its deficit would be 840,000 when SOL-USD is priced again; the fund would
    pay its day's limit, and B would have won all of it."""

    rulings = (66,)

    def story(self):
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.begin()
        self.pass_time(30)                                  # later posts have another time than the manual one
        self.feed("150", SOL)
        self.pass_time(2)
        for trader in (self.a, self.b):
            self.ok(trader.leverage(20, 2))
        for price, size, symbol in ((150, "1", SOL), (100000, SIZE, 1)):
            self.rest(self.b, SELL, price, size, symbol)
            self.rest(self.a, BUY, price, size, symbol)
        self.assertEqual((self.a.size(), self.a.size("SOL-USD")), (SIZE, "1"))
        self.withdraw(self.a)                               # all but the initial margin
        self.pass_time(70)
        self.assertEqual(self.state_of(SOL), "STALE")
        price = Decimal(100000)
        for _ in range(40):
            price *= Decimal("0.995")
            self.index(f"{price:.1f}")
            self.pass_time(2)
        print(f"  the index is {price:.1f}; A has {self.a.size()} BTC, B {self.b.size()}", flush=True)
        self.feed("150", SOL)
        self.pass_time(5)
        self.close_all(price)
        for trader in (self.a, self.b):
            self.withdraw(trader)
        self.judge()

    def state_of(self, symbol):
        return next(row["state"] for row in self.ok(self.a.get("/markets/index-composition"))
                    if row["symbolID"] == symbol)

    def close_all(self, price):
        """The quantity that the two still hold against each other."""
        for name, symbol, at in (("BTC-USD", 1, f"{price:.0f}"), ("SOL-USD", SOL, "150")):
            if Decimal(self.a.size(name)) > 0 > Decimal(self.b.size(name)):
                self.rest(self.b, BUY, at, self.a.size(name), symbol)
                self.rest(self.a, SELL, at, self.a.size(name), symbol)


if __name__ == "__main__":
    main()
