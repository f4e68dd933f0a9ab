# SPDX-License-Identifier: MIT
"""The day's loss at a lagging mark (ruling 66)."""
from decimal import Decimal

from attack import Attack, main
from harness import BUY, SELL


class LaggingMark(Attack):
    """The index falls by 9 %, the mark follows by a step a second. Longs of the coalition go under the threshold while they still have
    money at the mark, and the fund takes them over at the mark: what the index says they lack is the fund's loss, and the profit of
    the coalition's shorts. Counted at the mark it costs the day's budget nothing, so one after the other goes to the fund."""

    rulings = (66,)
    fund_may_lose = Decimal(200000)                     # ifMaxLossTotal: a fifth of the million that the fund has at the day's first TICK

    def story(self):
        longs, shorts = self.traders[:6], self.traders[6:9]
        self.coalition(*longs, *shorts)
        self.bystanders(self.traders[9])
        self.begin()
        for number, trader in enumerate(longs):
            self.isolate(trader)
            short = shorts[number % len(shorts)]
            self.rest(short, SELL, 100000, "15")
            self.rest(trader, BUY, 100000, "15")
        self.index(91000)
        self.pass_time(12)
        for short in shorts:                            # the shorts close with longs of the coalition that have gone
            self.close(short, longs)
        self.judge()

    def close(self, short, others):
        size = abs(Decimal(short.size()))
        if size:
            self.rest(others[0], SELL, 91000, size)
            self.rest(short, BUY, 91000, size, reduce=True)

    def judge_coalition(self, before, after):
        """What a gap of the index costs the fund it may cost; nobody takes more out than that."""
        gained = sum(after["inside"].values()) + sum(after["outside"].values()) - sum(before["inside"].values()) - sum(before["outside"].values())
        print(f"  coalition of {len(self._coalition)}: gained {gained:,.2f} at the index, of the {self.fund_may_lose:,} that the fund may lose in a day", flush=True)
        if gained > self.fund_may_lose:
            yield f"the coalition gained {gained}"


if __name__ == "__main__":
    main()
