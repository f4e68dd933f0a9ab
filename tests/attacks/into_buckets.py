# SPDX-License-Identifier: MIT
"""Money that goes into the bucket of a live symbol, where it bears no loss of the cross account, before that loss is
known (ruling 64)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, CROSS, ETH, SELL


class IntoBucket(Attack):
    """A buys ten BTC from B, both of the coalition, on its cross account. BTC-USD is halted on the news, and opens 9 %
    lower. Meanwhile A moves the money that its margin does not need into an isolated bucket of ETH-USD, which trades at
    a price that stands still, against B. A's deficit in BTC is then the fund's loss, and B's profit; the bucket is A's.
    With the ruling the money stays on the cross account and bears the loss."""

    rulings = (64,)
    falls_to = 91000
    money = "150000"
    leverage = 1                                            # of the isolated position
    eth = 4000                                              # its price in the end
    before = "0"                                            # ETH that A has in its bucket before the news

    def story(self):
        self.long, self.short = self.fresh(self.money), self.fresh("300000")
        self.coalition(self.long, self.short)
        self.bystanders(self.c)
        self.begin()
        self.isolate(self.long, self.leverage, ETH)
        for trader, symbol in ((self.long, 1), (self.short, 1), (self.short, ETH)):
            self.ok(trader.leverage(20 if symbol == ETH else 25, CROSS, symbol))
        self.rest(self.short, SELL, 100000, "10")
        self.items_ok(self.rest(self.long, BUY, 100000, "10"))
        if Decimal(self.before):
            self.rest(self.short, SELL, 4000, self.before, ETH)
            self.items_ok(self.rest(self.long, BUY, 4000, self.before, ETH))
        self.prepare()
        self.operate("market", "BTC-USD", "halt", "--engine", "perps")
        self.fill_bucket()
        self.index(self.falls_to)
        self.pass_time(14)
        self.operate("market", "BTC-USD", "trade", "--engine", "perps")
        self.pass_time(14)
        self.close()
        for trader in (self.long, self.short):
            self.withdraw(trader)
        self.judge()

    def prepare(self):
        """Before the halt."""

    def fill_bucket(self):
        raise NotImplementedError

    def close(self):
        """B buys BTC back at the index, from A or from the fund that has taken A's position over, and the ETH."""
        for name, symbol, price in (("BTC-USD", 1, self.falls_to), ("ETH-USD", ETH, self.eth)):
            if Decimal(self.short.size(name)):
                self.rest(self.short, BUY, price, abs(Decimal(self.short.size(name))), symbol, reduce=True)
            if Decimal(self.long.size(name)):
                self.rest(self.long, SELL, price, self.long.size(name), symbol, reduce=True)
        self.pass_time(60)


class ByMargin(IntoBucket):
    """By adding margin to a small position."""
    leverage = 20
    before = "1"

    def fill_bucket(self):
        self.attempt(self.long.margin("105000", symbol=ETH))


class ByRefill(IntoBucket):
    """By adding margin to a position that has lost 2 % of its value to B: no more than its initial margin."""
    money, leverage, before, eth = "200000", 20, "500", 3920

    def prepare(self):
        self.index(self.eth, "ETH-USD")
        self.pass_time(3)

    def fill_bucket(self):
        self.attempt(self.long.margin("38000", symbol=ETH))


class ByOpening(IntoBucket):
    """By a purchase at the price of the mark with the leverage 1."""

    def fill_bucket(self):
        self.rest(self.short, SELL, 4000, "26", ETH)
        self.rest(self.long, BUY, 4000, "26", ETH)


class ByResting(IntoBucket):
    """By an order that rests since before the halt, into which B sells."""

    def prepare(self):
        self.items_ok(self.rest(self.long, BUY, 4000, "26", ETH))

    def fill_bucket(self):
        self.rest(self.short, SELL, 4000, "26", ETH)


if __name__ == "__main__":
    main()
