# SPDX-License-Identifier: MIT
"""Trades of one user with himself, for the benefits of trades with others (ruling 71)."""
import json
from decimal import Decimal

from attack import Attack, main
from harness import BUY, LAST_PRICE, MARKET, SELL, STOP, STOP_LOSS, Client, Perps, perps_order

DAY = 86400


def of_account(path, number):
    return f"{path}{'&' if '?' in path else '?'}accountID={number}"


class SecondClient(Client):
    """The requests of a wallet's account that is not its primary one: reads have to name it."""

    def mine(self, what, query=""):
        return super().mine(what, of_account(query, self.id))


class SecondAccount(Perps):
    def mine(self, what, query=""):
        return super().mine(what, of_account(query, self.id))


class OwnAccounts(Attack):
    """A user with two accounts; self-trade prevention lets him trade with himself because it looks at accounts."""

    rulings = (71,)

    def second_account(self, trader, amount):
        """One more account of the same wallet, with money on perps."""
        number = json.loads(self.operate("account", "--json", trader.address))["data"]["accountID"]
        self.operate("deposit", "--account", str(number), "--engine", "perps", trader.address, "vUSDC", amount)
        return SecondAccount(SecondClient(self.server, trader.client.wallet, number))

    def meet(self, maker, taker, side, price, quantity):
        self.rest(maker, SELL if side == BUY else BUY, price, quantity)
        self.rest(taker, side, price, quantity)

    def tiers(self, trader):
        rates = self.ok(trader.mine("fee-rate"))
        return rates["feeTier"], rates["makerRebateTier"]


class SelfTradesForATier(OwnAccounts):
    """The two accounts pass a position to and fro until they have traded five millions, and are by far the venue's
    largest maker. From the next day on the user pays less than all others, and receives rebates for his orders out of
    the fees of others."""

    def story(self):
        second = self.second_account(self.a, "500000")
        self.coalition(self.a, second)
        self.bystanders(self.c)
        self.begin()
        for _ in range(3):
            self.meet(self.a, second, BUY, 100000, "15")
            self.meet(self.a, second, SELL, 100000, "15")
        self.rpc("evm_increaseTime", DAY)
        self.index(100000)
        self.pass_time(2)
        print(f"  tiers of volume and of rebate: {self.tiers(self.a)}", flush=True)
        if self.tiers(self.a) != (0, 0):
            self.works(f"the user has the tiers {self.tiers(self.a)} by trades with himself")
        self.judge()


class SelfTradesForALastPrice(OwnAccounts):
    """One trade of the two accounts a per cent below the mark fires the stop of C that waits for the last price. It
    costs two fees of a few cents, no other account takes part, and C's position is sold to the attacker's bid."""

    def story(self):
        second = self.second_account(self.a, "10000")
        self.coalition(self.a, second)
        self.bystanders(self.c)
        self.trade(self.c, self.d, "0.5")
        self.items_ok(self.c.place(perps_order("guard", SELL, type=MARKET, modifier=STOP,
                                               stop=("99100", STOP_LOSS, LAST_PRICE), reduce=True)))
        self.begin()
        self.meet(self.a, second, SELL, 99050, "0.001")
        self.rest(self.a, BUY, 99010, "0.6")
        self.pass_time(3)
        self.ok(self.a.cancel(*self.a.orders())) if self.a.orders() else None
        self.judge()


class SelfTradesForARebate(OwnAccounts):
    """A maker with a rebate from others' trades does not receive one from his own second account, whose fees would fall
    by it."""

    def story(self):
        self.trade(self.b, self.a, "10")                        # A is the only maker of the day
        self.trade(self.a, self.b, "10")
        self.rpc("evm_increaseTime", DAY)
        self.index(100000)
        self.pass_time(2)
        self.assertGreater(self.tiers(self.a)[1], 0)
        second = self.second_account(self.a, "100000")
        self.coalition(self.a, second)
        self.begin()
        self.meet(self.a, second, BUY, 100000, "1")
        fill = self.ok(self.a.mine("trades", "?limit=1"))[0]
        print(f"  the maker's fee: {fill['fee']} {fill['feeCoin']}, "
              f"{'a trade of one user' if fill.get('self') else 'a trade like any'}", flush=True)
        if Decimal(fill["fee"]) < 0:
            self.works(f"the maker was paid {fill['fee']} by himself")
        self.meet(self.a, second, SELL, 100000, "1")
        self.judge()


if __name__ == "__main__":
    main()
