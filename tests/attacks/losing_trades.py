# SPDX-License-Identifier: MIT
"""A gap beyond the initial margin of a position: no trades before it make it cost the fund more (decision 154)."""
from decimal import Decimal

from attack import main
from harness import BUY, CROSS, ETH, SELL
from into_buckets import IntoBucket


class AtInitialMargin(IntoBucket):
    """A has no more than the initial margin of its ten BTC and the fees. The gap of 9 % takes 90,000 of its equity of
    40,000, and the fund pays the rest. That is the price of the leverage; the limits of ruling 66 bound it."""

    money = "41000"
    rulings = ()
    fund_may_lose = Decimal(50000)                          # ten times 9,000, less a 25th of ten times 100,000

    def fill_bucket(self):
        """A does nothing."""

    def judge_coalition(self, before, after):
        """The coalition gains no more than the fund may lose."""
        gained = sum(sum(after[part].values()) - sum(before[part].values()) for part in ("inside", "outside"))
        print(f"  coalition of {len(self._coalition)}: gained {gained:,.2f} at the index", flush=True)
        if gained > self.fund_may_lose:
            yield f"the coalition gained {gained}"


class WithAnAccomplice(AtInitialMargin):
    """C of the coalition trades ETH with A."""

    money = "150000"

    def story(self):
        self.third = self.fresh("300000")
        self.coalition(self.third)
        super().story()

    def isolate(self, trader, leverage=20, symbol=ETH):
        """A is on its cross account everywhere."""
        for one in (trader, self.third):
            self.ok(one.leverage(20, CROSS, symbol))

    def trade(self, side, price, size):
        """A and C trade so many ETH at a price; what remains is cancelled."""
        self.rest(self.third, SELL if side == BUY else BUY, price, size, ETH)
        self.rest(self.long, side, price, size, ETH)
        for trader in (self.third, self.long):
            for name in trader.orders("ETH-USD"):
                self.ok(trader.cancel(name, symbol=ETH))


class LosingTrades(WithAnAccomplice):
    """While BTC-USD is halted A buys ETH from C at the upper end of the price band and sells it to C at the lower one,
    as often as its margin allows: what it opens needs the initial margin of its BTC beside it."""

    def fill_bucket(self):
        for size in (200, 100, 50, 25):
            self.trade(BUY, "4190", size)
            self.trade(SELL, "3810", size)


class LosingCloses(LosingTrades):
    """A has bought 500 ETH from C before the news, with all its margin, and sells them to C at the lower end of the
    price band, no lower than the price at which equity and maintenance margin fall in the same proportion. Then it goes
    on as above."""

    def prepare(self):
        self.trade(BUY, "4000", 500)

    def fill_bucket(self):
        for size in (200, 100, 100, 50, 50):
            self.trade(SELL, "3810", size)
        super().fill_bucket()


if __name__ == "__main__":
    main()
