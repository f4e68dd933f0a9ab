# SPDX-License-Identifier: MIT
"""A hundred milliseconds of every five seconds (ruling 67)."""
import time
from decimal import Decimal

from attack import Attack, main
from harness import BUY, perps_order

EVERY, BEFORE = 5000, 120                                   # ms: between two samples; how long before one the bid comes


class HundredMilliseconds(Attack):
    """The premium is sampled each five seconds. A bid far above the index that rests at these instants alone makes the
    hour's funding, which a bystander's long pays to the attackers' short; no trader has time to sell into the bid."""

    rulings = (67,)
    # its two fees (52), and funding of the time for which the bid did rest
    bystander_may_lose = Decimal(120)

    def story(self):
        self.coalition(self.a, self.b)
        self.bystanders(self.c, trades=True)
        self.begin()
        self.trade(self.c, self.a, "1")                     # the bystander is long, the attacker short
        for _ in range(2):
            self.wait_until_before_a_sample()
            bid = self.b.place(perps_order(self.name("bid"), BUY, "104900", "1"))
            self.wait_until_behind_the_sample()
            self.items_ok(self.b.cancel(self.items_ok(bid)[0]["orderID"]))
        self.rpc("evm_increaseTime", 3600 - self.server_time() // 1000 % 3600 + 1)
        self.trade(self.a, self.c, "1")                     # they close, at their opening price
        self.judge()

    def wait_until_before_a_sample(self):
        time.sleep((EVERY - BEFORE - self.server_time() % EVERY) % EVERY / 1000)

    def wait_until_behind_the_sample(self):
        instant = self.server_time() // EVERY
        while self.server_time() // EVERY == instant:
            time.sleep(0.01)
        time.sleep(0.03)                                    # the TICK of that second


if __name__ == "__main__":
    main()
