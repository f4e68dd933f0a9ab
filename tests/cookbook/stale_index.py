# SPDX-License-Identifier: MIT
"""The index stands still: quoting around a price that is old.

An index that does not move may be calm or dead. The composition of the index says how old its sources are; a bot that
quotes around the index looks at that age, takes its quotes away when all of them are old, and comes back when one is
fresh.
"""
from decimal import Decimal

from rehearsal import BUY, IOC, MARKET, SELL, Exchange, Perps, perps_order, run, wait_for

SYMBOL, OLD_MS = "BTC-USD", 10000


class Quoter:
    """A bid and an ask around the index, while the index is fresh."""

    def __init__(self, account):
        self.account, self.number = account, 0

    def index(self):
        """The price and the age of its freshest source, ms."""
        row = self.account.get(f"/markets/index-composition?symbol={SYMBOL}").data[0]
        ages = [source["age"] for source in row["sources"] if source["valid"]]
        return Decimal(row["indexPrice"]), min(ages) if row["state"] == "LIVE" and ages else None

    def turn(self):
        """Whether it quotes."""
        price, age = self.index()
        open_ids = list(self.account.orders(SYMBOL))
        if open_ids:
            self.account.cancel(*open_ids)
        if age is None or age > OLD_MS:
            return False
        self.number += 1
        quotes = [perps_order(f"{name}-{self.number}", side, str((price * factor).quantize(Decimal("0.1"))), "0.01")
                  for name, side, factor in (("bid", BUY, Decimal("0.999")), ("ask", SELL, Decimal("1.001")))]
        answer = self.account.place(*quotes)
        assert all(item["code"] == 0 for item in answer.data), answer
        return True


def recipe():
    with Exchange() as exchange:
        bot = Quoter(Perps(exchange.bot()))
        assert wait_for(bot.turn)
        assert len(bot.account.orders(SYMBOL)) == 2

        # The feeder posts each second only while an account has a position; else there may be a minute between posts.
        taker = Perps(exchange.bot(1))
        taken = taker.place(perps_order("take", BUY, quantity="0.001", type=MARKET, tif=IOC))
        assert taken.data[0]["status"] == "FILLED"
        rule = exchange.fault("stale-index", symbol=SYMBOL)
        exchange.call("evm_increaseTime", 20)               # twenty seconds without a price
        wait_for(lambda: exchange.acted(rule) > 1)          # posts that did not come
        assert not bot.turn()
        assert bot.account.orders(SYMBOL) == {}

        exchange.rules.clear()
        assert wait_for(bot.turn)
        assert len(bot.account.orders(SYMBOL)) == 2


if __name__ == "__main__":
    run(recipe)
