# SPDX-License-Identifier: MIT
"""Dust prints that are the index (rulings 67, 68)."""
from attack import Attack, harness, main
from harness import BUY, SELL, Perps


class DustPrints(Attack):
    """Nobody posts prices. Where the perps book's own last trade is the index, two accounts print one trade of two dollars far
    away, and the index walks there until a stranger's long is taken from it. With ruling 68 nobody can have opened one."""

    rulings = (68,)

    def start(self):
        self.server = harness.Server("--market", "silent", data=self.data)
        self.clients = self.server.accounts()
        self.traders = [Perps(client) for client in self.clients]
        self.a, self.b, self.c, self.d = self.traders[:4]

    def index(self, price, symbol="BTC-USD"):
        """Nobody sets one."""

    def story(self):
        self.isolate(self.c)
        self.rest(self.d, SELL, "100000", "1")
        self.rest(self.c, BUY, "100000", "1")
        self.coalition(self.a, self.b)
        self.bystanders(self.c, acts=False)                 # without prices nobody opens anything
        self.begin()
        self.rest(self.a, BUY, "95100", "0.00002")
        self.rest(self.b, SELL, "95100", "0.00002")
        self.pass_time(600)
        self.judge()


if __name__ == "__main__":
    main()
