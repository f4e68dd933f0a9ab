# SPDX-License-Identifier: MIT
"""Two accounts and the fund at a flat index (rulings 65, 66)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, SELL, perps_order


class FlatIndex(Attack):
    """A buys from B far above the mark in an isolated unit, whose bucket is nearly used up by the loss against the
    mark. At the next TICK the fund takes the unit over at the mark, and unwinds into B's bids half a per cent below: B
    has won A's loss, and the fund pays the half per cent. The index never moves."""

    rulings = (65, 66)

    def story(self):
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.items_ok(self.c.place(perps_order("own", BUY, "97000", "0.5")))
        self.begin()
        for _ in range(2):
            self.round()
        for trader in (self.a, self.b):
            self.withdraw(trader)
        self.judge()

    def round(self):
        """The bucket is 4 % of 104100, the loss against the mark 4100 of it: 64 of 104100 are left, less than 2/3 of
        the maintenance."""
        if self.a.position() is None:
            self.isolate(self.a)
        self.rest(self.b, SELL, 104100, "30")
        self.rest(self.a, BUY, 104100, "30")
        self.pass_time(2)
        self.rest(self.b, BUY, 99502, "30")
        self.pass_time(60)
        self.leave(self.b)
        self.leave(self.a)

    def leave(self, trader):
        """An account with a position left closes it with the other one at the index, so that its money can leave."""
        self.ok(self.b.cancel(*self.b.orders())) if self.b.orders() else None
        size = Decimal(trader.size())
        other = self.b if trader is self.a else self.a
        if size:
            self.rest(other, BUY if size > 0 else SELL, 100000, abs(size))
            self.rest(trader, SELL if size > 0 else BUY, 100000, abs(size), reduce=True)


if __name__ == "__main__":
    main()
