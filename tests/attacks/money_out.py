# SPDX-License-Identifier: MIT
"""Money that leaves before the loss is known (rulings 63, 64)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, SELL


class MoneyOut(Attack):
    """A buys ten from B, both of the coalition, and has money enough for the coming fall. Once the price has fallen,
    but the mark does not show it yet, A takes out all money that its margin does not need. A's deficit is then the
    fund's loss, and B's profit. With the rulings the money stays and bears the loss: A loses the amount that B wins."""

    falls_to = 91000
    money = Decimal(150000)
    isolated = False

    def story(self):
        self.long, self.short = self.fresh(f"{self.money:f}"), self.fresh("300000")
        self.coalition(self.long, self.short)
        self.bystanders(self.c)
        self.begin()
        if self.isolated:
            self.isolate(self.long)
        else:
            self.ok(self.long.leverage(25))
        self.rest(self.short, SELL, 100000, "10")
        self.items_ok(self.rest(self.long, BUY, 100000, "10"))
        if self.isolated:
            self.ok(self.long.margin("100000"))
        self.price_falls()
        self.take_out()
        self.price_is_known()
        self.close()
        for trader in (self.long, self.short):
            self.withdraw(trader)
        self.judge()

    def take_out(self):
        """The whole amount that the mark allows, less the possible move of a TICK of the real clock; then the amount
        that the exchange itself allows."""
        for less in (0, 10000, 20000):
            if self.may_leave(self.at_mark() - less):
                break
        else:
            self.may_leave(self.removable(self.long) if self.isolated else self.transferable(self.long))
        if self.isolated:
            self.withdraw(self.long)

    def may_leave(self, amount):
        if amount <= 0:
            return False
        return self.attempt(self.long.margin(f"-{amount:f}")).code == 0 if self.isolated else self.withdraw(self.long,
            amount).code == 0

    def at_mark(self):
        """The money beyond the margin of 4 %, were the mark the price (mechanics 3.3, 3.5)."""
        row, mark = self.long.position(), self.mark()
        money = row["margin"] if self.isolated else self.ok(self.long.mine("balances"))["balances"][0]["total"]
        return Decimal(money) + self.profit(row, mark) - Decimal(row["size"]) * max(mark,
            Decimal(row["avgEntryPrice"])) / 25

    def close(self):
        """B buys back at the index, from A or from the fund that has taken A's position over."""
        self.rest(self.short, BUY, self.falls_to, "10", reduce=True)
        if self.long.position() is not None:
            self.rest(self.long, SELL, self.falls_to, "10", reduce=True)
        self.pass_time(60)

    def price_falls(self):
        raise NotImplementedError

    def price_is_known(self):
        self.pass_time(14)


class Gap(MoneyOut):
    """The index falls by 9 % at once, which is accepted; the mark follows by a step a second."""
    rulings = (63,)

    def price_falls(self):
        self.index(self.falls_to)
        self.pass_time(1)


class HeldBack(MoneyOut):
    """The feeders post 11 % less, which is held back until three aggregations agree: index and mark do not move."""
    rulings = (63, 64)
    falls_to = 89000

    def price_falls(self):
        self.index(self.falls_to)
        self.pass_time(1)


class Stale(MoneyOut):
    """The feeders have been silent for a minute while the price falls elsewhere; when they post again it is too
    late."""
    rulings = (64,)

    def price_falls(self):
        self.feed(100000)
        self.pass_time(62)

    def price_is_known(self):
        self.feed(self.falls_to)
        super().price_is_known()

    def close(self):
        self.feed(self.falls_to)
        super().close()
        self.feed(self.falls_to)
        self.pass_time(1)


class Halted(MoneyOut):
    """The symbol is halted on the news, and opens 9 % lower; no position is liquidated meanwhile."""
    rulings = (64,)

    def price_falls(self):
        self.operate("market", "BTC-USD", "halt", "--engine", "perps")

    def price_is_known(self):
        self.index(self.falls_to)
        self.pass_time(14)
        self.operate("market", "BTC-USD", "trade", "--engine", "perps")
        super().price_is_known()


class CancelOnly(MoneyOut):
    """The same under a venue mode in which no account can trade."""
    rulings = (64,)

    def price_falls(self):
        self.operate("mode", "cancel-only")

    def price_is_known(self):
        self.index(self.falls_to)
        self.pass_time(14)
        self.operate("mode", "run")
        super().price_is_known()


class GapIsolated(Gap):
    """By removal of isolated margin."""
    isolated = True


class HeldBackIsolated(HeldBack):
    """By removal of isolated margin."""
    isolated = True


class StaleIsolated(Stale):
    """By removal of isolated margin."""
    isolated = True


class HaltedIsolated(Halted):
    """By removal of isolated margin."""
    isolated = True


class CancelOnlyIsolated(CancelOnly):
    """By removal of isolated margin."""
    isolated = True


if __name__ == "__main__":
    main()
