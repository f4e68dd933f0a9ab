# SPDX-License-Identifier: MIT
"""Dust prints that set a price: of the index (ruling 68), or of the mark (67)."""
from attack import Attack, harness, main
from harness import BTC, BUY, SELL, Perps


class DustPrints(Attack):
    """No feeder posts prices. Where the perps book's own last trade is the index, two accounts print one trade of two
    dollars far away, and the index moves there until a bystander's long is liquidated. With ruling 68 no account can
    have opened one."""

    rulings = (68,)

    def start(self):
        self.server = harness.Server("--market", "silent", data=self.data)
        self.clients = self.server.accounts()
        self.traders = [Perps(client) for client in self.clients]
        self.a, self.b, self.c, self.d = self.traders[:4]

    def index(self, price, symbol="BTC-USD"):
        """No feeder posts one."""

    def story(self):
        self.isolate(self.c)
        self.rest(self.d, SELL, "100000", "1")
        self.rest(self.c, BUY, "100000", "1")
        self.coalition(self.a, self.b)
        self.bystanders(self.c, acts=False)                 # without prices no account can open
        self.begin()
        self.rest(self.a, BUY, "95100", "0.00002")
        self.rest(self.b, SELL, "95100", "0.00002")
        self.pass_time(600)
        self.judge()


class DustPrintsAsLast(Attack):
    """Elsewhere the contract trades a good per cent below its index, as the feeder reports, and here there are no
    quotes: index and book keep the mark at the index. Where the last trade counts whatever its size, one print of two
    dollars at that price moves the mark there, and a bystander's long at 25x is liquidated."""

    rulings = (67,)

    def story(self):
        self.isolate(self.c)
        self.trade(self.c, self.d, "1")                     # both bystanders; the long has 4 % of margin
        self.feed(98300)
        self.ok(self._feeder.post((BTC, "98300", "97200")))
        self.pass_time(10)
        self.coalition(self.a, self.b)
        self.bystanders(self.c)
        self.begin()
        self.rest(self.a, BUY, "97200", "0.00002")
        self.rest(self.b, SELL, "97200", "0.00002")
        self.pass_time(30)                                  # the feeder's post is still fresh
        row = self.prices()
        print(f"  index {row['indexPrice']}, mark {row['markPrice']}", flush=True)
        self.judge()


if __name__ == "__main__":
    main()
