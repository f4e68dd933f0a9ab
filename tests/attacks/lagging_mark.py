# SPDX-License-Identifier: MIT
"""The day's loss at a lagging mark (ruling 66)."""
from decimal import Decimal

from attack import Attack, main
from harness import BTC, BUY, ETH, SELL


class Lag(Attack):
    """Steps of both stories: longs at the largest leverage, each against a short, a fall of the index, and shorts that
    close."""

    def pairs(self, longs, shorts, price, size, leverage, symbol=BTC):
        for number, trader in enumerate(longs):
            self.isolate(trader, leverage, symbol)
            short = shorts[number % len(shorts)]
            self.rest(short, SELL, price, size, symbol)
            self.rest(trader, BUY, price, size, symbol)

    def close(self, short, other, price, symbol=BTC, name="BTC-USD"):
        size = abs(Decimal(short.size(name)))
        if size:
            self.rest(other, SELL, price, size, symbol)
            self.rest(short, BUY, price, size, symbol, reduce=True)


class LaggingMark(Lag):
    """The index falls by 9 %, the mark follows by a step a second. Longs of the coalition fall below the threshold
    while they still have equity at the mark, and the fund takes them over at the mark: their deficit at the index is
    the fund's loss, and the profit of the coalition's shorts. Counted at the mark it uses none of the day's budget, so
    one after the other goes to the fund."""

    rulings = (66,)
    # ifMaxLossTotal: a fifth of the fund's million at the day's first TICK
    fund_may_lose = Decimal(200000)

    def story(self):
        longs, shorts = self.traders[:6], self.traders[6:9]
        self.coalition(*longs, *shorts)
        self.bystanders(self.traders[9])
        self.begin()
        self.pairs(longs, shorts, 100000, "15", 25)
        self.index(91000)
        self.pass_time(12)
        for short in shorts:                            # the shorts close with longs of the coalition that have gone
            self.close(short, longs[0], 91000)
        self.judge()

    def judge_coalition(self, before, after):
        """The fund may lose the cost of a gap of the index; no account takes out more than that."""
        gained = sum(after["inside"].values()) + sum(after["outside"].values()) - sum(before["inside"].values()) - sum(
            before["outside"].values())
        print(f"  coalition of {len(self._coalition)}: gained {gained:,.2f} at the index, of the "
              f"{self.fund_may_lose:,} that the fund may lose in a day", flush=True)
        if gained > self.fund_may_lose:
            yield f"the coalition gained {gained}"


class AfterTheGap(Lag):
    """Bystanders' longs in BTC-USD have lost more than their equity when the index fell by 9 %, and the fund has lost
    its day's maximum for them. Then the coalition repeats LaggingMark in ETH-USD. The fund may lose nothing more: the
    shorts do not win the deficit of the longs."""

    rulings = (66,)

    def story(self):
        coalition, strangers = self.traders[:5], self.traders[5:9]
        self.honest_gap(strangers[:3], strangers[3])
        self.coalition(*coalition)
        self.bystanders(self.traders[9])
        # whose short is still open: its worth at the index does not move
        self.bystanders(strangers[3], trades=True)
        self.begin()
        longs, shorts = coalition[:3], coalition[3:]
        self.pairs(longs, shorts, 4000, "375", 20, ETH)
        self.index(3640, "ETH-USD")
        self.pass_time(30)
        for short in shorts:
            self.close(short, longs[0], 3640, ETH, "ETH-USD")
        self.judge()

    def honest_gap(self, longs, short):
        """The deficit of three longs of 25 BTC at 91000 is more than the fifth of the fund that a day may cost."""
        self.pairs(longs, [short], 100000, "25", 25)
        self.index(91000)
        self.pass_time(60)
        used = 1000000 - self.fund()[1]
        print(f"  the gap has cost the fund {used:,.2f} at the index", flush=True)
        self.assertGreaterEqual(used, Decimal(199999))


if __name__ == "__main__":
    main()
