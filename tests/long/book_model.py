# SPDX-License-Identifier: MIT
"""A book of price and time: what each write of a history must have answered, and what each read must have shown."""
import collections
from decimal import Decimal

import load                                                         # finds the modules of tests/e2e
from harness import BUY, SELL

BOOK, ORDERS = "book", "orders"
del load


class Wrong(Exception):
    """A history that no single order of operations explains."""


class Model:
    """One book, by price and time. Clients trade on one side only, so there are no self-trades."""

    def __init__(self):
        self.rest = {BUY: {}, SELL: {}}             # price → [order], the oldest first
        self.orders, self.of = {}, collections.defaultdict(dict)
        self.updates = 0

    def best(self, side):
        prices = self.rest[side]
        return None if not prices else max(prices) if side == BUY else min(prices)

    def place(self, who, item):
        side, price, left = item["side"], Decimal(item["price"]), Decimal(item["quantity"])
        other = SELL if side == BUY else BUY
        mine = {"id": item["clOrdID"], "who": who, "price": price, "side": side, "done": Decimal(0), "all": left}
        while left and (best := self.best(other)) is not None and (best <= price if side == BUY else best >= price):
            level = self.rest[other][best]
            self.updates += 1
            while left and level:
                maker = level[0]
                part = min(left, maker["all"] - maker["done"])
                maker["done"] += part
                mine["done"] += part
                left -= part
                if maker["done"] == maker["all"]:
                    level.pop(0)
                    del self.of[maker["who"]][maker["id"]]
            if not level:
                del self.rest[other][best]
        if left:
            self.rest[side].setdefault(price, []).append(mine)
            self.of[who][mine["id"]] = mine
            self.updates += 1
        return 0, "FILLED" if not left else "PARTIALLY_FILLED" if mine["done"] else "NEW"

    def cancel(self, who, item):
        mine = self.of[who].pop(item["origClOrdID"], None)
        if mine is None:
            return 40402, "REJECTED"
        level = self.rest[mine["side"]][mine["price"]]
        level.remove(mine)
        if not level:
            del self.rest[mine["side"]][mine["price"]]
        self.updates += 1
        return 0, "CANCELED"

    def tell(self, write):
        apply = self.place if write["key"] == "orders" else self.cancel
        return [apply(write["who"], item) for item in write["items"]]

    def says(self, read):
        if read["kind"] == ORDERS:
            return sorted((mine["id"], text(mine["done"])) for mine in self.of[read["who"]].values())
        return self.updates, self.levels(BUY), self.levels(SELL)

    def levels(self, side):
        """(price, open quantity) of each level, the best first."""
        return [(text(price), text(sum(one["all"] - one["done"] for one in self.rest[side][price])))
                for price in sorted(self.rest[side], reverse=side == BUY)]


def text(number):
    return format(number.normalize(), "f")
