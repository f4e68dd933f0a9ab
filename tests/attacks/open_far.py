# SPDX-License-Identifier: MIT
"""A position that is opened without the margin for its immediate loss (ruling 65)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, SELL


class OpenFar(Attack):
    """The index falls by 9 %, the mark follows by a step a second. A, isolated at 25x, buys from B 4 % above that mark:
    its bucket is 0 at the mark, and 8 % below 0 at the index. The fund takes the unit over at the next TICK, and B has
    won A's deficit at the index, again and again until the day's limit of the fund is used up. With the ruling A's
    opening covers the loss down to the index, or is refused."""

    rulings = (65,)

    def story(self):
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.isolate(self.a)
        self.begin()
        self.index(91000)
        self.pass_time(1)
        price = (self.mark() * Decimal("1.04")).quantize(Decimal("0.1"))
        self.rest(self.b, SELL, price, "10")
        self.rest(self.a, BUY, price, "10")
        self.pass_time(14)
        self.leave()
        for trader in (self.a, self.b):
            self.withdraw(trader)
        self.judge()

    def leave(self):
        """B buys back at the index, from A or from the fund that has taken A's position over."""
        size = abs(Decimal(self.b.size()))
        if size:
            self.rest(self.b, BUY, 91000, size, reduce=True)
        if self.a.position() is not None:
            self.rest(self.a, SELL, 91000, size, reduce=True)
        self.pass_time(60)


if __name__ == "__main__":
    main()
