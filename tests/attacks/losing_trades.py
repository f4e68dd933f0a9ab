# SPDX-License-Identifier: MIT
"""Money that trades lose to an accomplice before the loss of the cross account is known. Nothing forbids it yet
(decision 154)."""
from attack import main
from harness import BUY, CROSS, ETH, SELL
from into_buckets import IntoBucket


class LosingTrades(IntoBucket):
    """As in into_buckets.py, but A stays on its cross account: while BTC-USD is halted it buys ETH from C, of the
    coalition, at the upper end of the price band, and sells it to C at the lower one, as often as its margin allows. C
    has won the money that A's margin for BTC does not need."""

    def story(self):
        self.third = self.fresh("300000")
        self.coalition(self.third)
        super().story()

    def isolate(self, trader, leverage=20, symbol=ETH):
        """A is on its cross account everywhere."""
        for one in (trader, self.third):
            self.ok(one.leverage(leverage if leverage > 1 else 20, CROSS, symbol))

    def fill_bucket(self):
        for size in (200, 100, 50, 25):
            for side, other, price in ((SELL, BUY, "4190"), (BUY, SELL, "3810")):
                self.rest(self.third, side, price, size, ETH)
                self.rest(self.long, other, price, size, ETH)
                for trader in (self.third, self.long):
                    for name in trader.orders("ETH-USD"):
                        self.ok(trader.cancel(name, symbol=ETH))


if __name__ == "__main__":
    main()
