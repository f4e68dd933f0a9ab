# SPDX-License-Identifier: MIT
"""The own spot book as an index without end (ruling 68)."""
from attack import Attack, main
from harness import BUY, SELL, order


class OwnBookDrift(Attack):
    """The feeders fall silent, and the spot book takes their place. The attackers quote it five per cent away; where
    only the speed of the index is bounded it moves all the way in minutes, and a bystander's short at 25x is
    liquidated. One per cent an hour liquidates nothing."""

    rulings = (68,)

    def story(self):
        self.feed(100000)
        self.pass_time(1)
        self.isolate(self.c)
        self.trade(self.d, self.c, "1")                     # both bystanders; the short has 4 % of margin
        self.coalition(self.a, self.b)
        # while the spot book is the index, no money leaves (ruling 64)
        self.bystanders(self.c, acts=False)
        self.begin()
        self.attempt(self.a.client.place(order(self.name("s"), BUY, "104900", "0.2")))
        self.attempt(self.a.client.place(order(self.name("s"), SELL, "105000", "0.2")))
        self.pass_time(60 + 600)
        self.judge()


if __name__ == "__main__":
    main()
