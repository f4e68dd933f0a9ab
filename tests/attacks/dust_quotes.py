# SPDX-License-Identifier: MIT
"""Dust quotes of two dollars (ruling 67)."""
from attack import Attack, main
from harness import BUY, SELL


class DustQuotes(Attack):
    """Two quotes of two dollars rest one per cent below the index. Where the mark follows the best prices whatever
    their size, it moves there, and a bystander's long is liquidated into the attackers' bid, although the index has not
    moved."""

    rulings = (67,)

    def story(self):
        self.isolate(self.c)
        self.trade(self.c, self.d, "1")                     # both bystanders; the long has 4 % of margin
        self.index(98300)
        self.pass_time(3)
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.begin()
        self.rest(self.a, BUY, "97300", "2")                # liquidated positions would be bought here
        self.rest(self.a, BUY, "97309.9", "0.00002")
        self.rest(self.b, SELL, "97310", "0.00002")
        self.pass_time(150)
        self.judge()


if __name__ == "__main__":
    main()
