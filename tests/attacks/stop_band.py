# SPDX-License-Identifier: MIT
"""A stop that prints outside the band (ruling 70)."""
from attack import Attack, main
from harness import BUY, LAST_PRICE, LIMIT, MARKET, SELL, STOP, STOP_LOSS, TAKE_PROFIT, perps_order


class StopOutsideTheBand(Attack):
    """A places a stop whose limit is 40 % below the mark, which is forbidden to ordinary orders, and B bids there. One
    trade of theirs at the mark fires it, it prints at 60000, and the stop of C at a last price of 90000, which no order
    can reach inside the band, sells C's position to B's next bid a per cent below the index. Index and mark never
    move."""

    rulings = (70,)

    def story(self):
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.trade(self.c, self.d, "0.5")
        self.items_ok(self.c.place(perps_order("guard", SELL, type=MARKET, modifier=STOP,
                                               stop=("90000", STOP_LOSS, LAST_PRICE), reduce=True)))
        self.begin()
        self.rest(self.b, BUY, 60000, "0.001")
        self.attempt(self.a.place(perps_order("outside", SELL, "60000", "0.001", type=LIMIT, modifier=STOP,
                                              stop=("100000.1", TAKE_PROFIT, LAST_PRICE))))
        self.rest(self.b, SELL, "100000.1", "0.001")
        self.rest(self.a, BUY, "100000.1", "0.001")             # the last price reaches the stop
        self.rest(self.b, BUY, "99001", "0.6")
        self.pass_time(3)
        for trader in (self.a, self.b):
            self.ok(trader.cancel(*trader.orders())) if trader.orders() else None
        self.judge()


if __name__ == "__main__":
    main()
