# SPDX-License-Identifier: MIT
"""The base of the stories of attacks (ruling 72): signed accounts try over HTTP to take money that is not theirs, or to
harm a user who did nothing wrong, and the harness judges the result.

A story is one class in a file of its own here:

    from attack import Attack, main
    from harness import BUY, SELL, perps_order

    class FlatIndex(Attack):
        \"\"\"One sentence: who does what, and why it would pay.\"\"\"
        rulings = (65, 66)

        def story(self):
            self.coalition(self.a, self.b)          # the attackers: funded development accounts (self.traders, ten of
                                                    them),
            mule = self.fresh("5000")               # or new addresses with a deposit
            self.coalition(mule)
            self.bystanders(self.c)                 # must not be harmed; the story may give them orders or a
                                                    position before
            self.begin()                            # records all holdings before the attack
            ...                                     # the attack: perps_order, place, leverage, margin, withdraw,
                                                    pass_time, index
            self.judge()                            # compares all holdings; prints them and asserts

    if __name__ == "__main__":
        main()

judge() prints one line each about the coalition, the fund and every bystander, and fails with AttackWorks when
  - the coalition's profit is above zero: everything that left perps for spot or the EVM ledger, and all that could
    still leave (amw, the removable part of isolated buckets, spot balances), less the same before begin(); spot coins
    count at their listing price. Money that an open position binds does not count, so a story closes its positions;
  - the fund lost: its wallet and its positions valued at the index, now and before. `fund_may_lose` (default 0) is for
    stories in which the index moves;
  - a bystander's account changed: balances, positions and open orders must be the same. With bystanders(x,
    trades=True) its orders may be filled; then its worth at the index may not fall by more than `bystander_may_lose`;
  - a bystander is locked out: it cannot place, cancel, move money out of perps or back (acts=False skips this
    attempt).
Any other error (a refusal that the story did not expect, a dead server) is an ordinary failure and proves nothing
about the attack. A story asserts its own steps with self.items_ok, self.ok, self.assertEqual …. It must run to judge()
with the rulings and without: where a ruling refuses a step, send it with self.attempt(reply), which records the reply
and continues. A harm of another kind (a freeze, a wrong print) is judged with self.works(text): it reports that the
attack works.

One row in CMakeLists.txt: attack(NAME FILE[:CLASS] RULINGS...) makes the tests
  attacks/NAME               against the exchange that ships: no gain, no harm
  attacks/NAME_without_N     against the engine without ruling N: passes only when AttackWorks is raised. "65,66" takes
                             out both.
By hand:
  DOJIMA=build/release/dojima /usr/bin/python3 tests/attacks/flat_index.py
  DOJIMA=build/release/tests/attacks/dojima_switched DOJIMA_RULINGS_OFF=65 ATTACK_MUST_WORK=1 /usr/bin/python3
      tests/attacks/flat_index.py
A story takes less than 15 s. Time is the story's: pass_time(seconds) plays so many TICKs at once, index(price) sets the
index by hand, feed(price) by a feeder, whose post becomes stale, mode("cancel-only") and the other words of the command
line are operate(...). A TICK of the real clock comes each second as well.
"""
import json
import os
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

import harness                                                                          # noqa: E402
from harness import BTC, BUY, ETH, ISOLATED, Client, Perps, Wallet, keccak, perps_order, run    # noqa: E402
from oracle import Feeder                                                              # noqa: E402
from perps_case import PerpsCase                                                        # noqa: E402

EVM_WITHDRAW, PERPS_WITHDRAW, SPOT_WITHDRAW = 2, 3, 5
SPOT_PRICES = {"vUSDC": Decimal(1), "vBTC": Decimal(100000), "vETH": Decimal(4000)}
MUST_WORK = bool(os.environ.get("ATTACK_MUST_WORK"))
WORKS, HARMLESS, BROKEN = 0, 1, 2                           # ends of a run that is to show that the attack works


class AttackWorks(AssertionError):
    """The attackers gained, or a bystander was harmed."""


def plain(number):
    return f"{number:,.6f}".rstrip("0").rstrip(".")


class Attack(PerpsCase):
    rulings = ()
    fund_may_lose = Decimal(0)
    bystander_may_lose = Decimal(0)
    server_options = ()

    def setUp(self):
        super().setUp()
        self._coalition, self._bystanders, self._attempts, self._fresh, self._before = [], [], [], 0, None
        self._feeder = None
        for symbol, price in (("BTC-USD", 100000), ("ETH-USD", 4000), ("SOL-USD", 150)):
            self.index(price, symbol)
        self.pass_time(1)

    def start(self):
        self.server = harness.Server("--market", "none", *self.server_options, data=self.data)
        self.clients = self.server.accounts()
        self.traders = [Perps(client) for client in self.clients]
        self.a, self.b, self.c, self.d = self.traders[:4]

    def test_story(self):
        self.story()
        self.assertIsNotNone(self._before, "a story that never called begin()")
        self.assertTrue(self._judged, "a story that never called judge()")

    # ---- participants

    _judged = False

    def coalition(self, *traders):
        self._coalition += traders

    def bystanders(self, *traders, trades=False, acts=True):
        self._bystanders += [(trader, trades, acts) for trader in traders]

    def fresh(self, perps="0", spot="0"):
        """A new address, with vUSDC on both sides."""
        self._fresh += 1
        wallet = Wallet("0x" + keccak(f"attacker {self._fresh}".encode()).hex())
        for side, amount in (("perps", perps), ("spot", spot)):
            if Decimal(amount) != 0 or side == "spot":       # the last reply has the account's number
                told = self.rpc("dojima_deposit",
                                {"address": wallet.address, "coin": "vUSDC",
                                 "amount": amount if Decimal(amount) else "0.000001", "engine": side})
        return Perps(Client(self.server, wallet, told["accountID"]))

    # ---- actions of the attackers and the world

    def index(self, price, symbol="BTC-USD"):
        """Sets the index by hand, from the next TICK on and until another one is set (ruling 77)."""
        self.rpc("dojima_setIndexPrice", {"symbol": symbol, "price": str(price)})

    def pass_time(self, seconds):
        """So many seconds later, a TICK in each."""
        for _ in range(seconds):
            self.rpc("evm_increaseTime", 1)                 # a longer advance has TICKs at whole hours alone

    def feed(self, price, symbol=BTC):
        """The feeder's signed post in place of the index by hand: from then on the symbol becomes stale 60 s after the
        last post."""
        if self._feeder is None:
            self._feeder = Feeder(self.server.port, self.clients[-1].wallet, 286623)
        self.ok(self._feeder.post((symbol, str(price))))

    def operate(self, *words):
        """The operator's command line on this exchange: mode cancel-only, market BTC-USD halt, …"""
        code, out, err = run(words[0], "--data", self.data, *words[1:])
        self.assertEqual(code, 0, (words, out, err))
        return out

    def transfer(self, trader, amount, kind, id=None, client=None):
        """Out of perps (SPOT_WITHDRAW), into it (PERPS_WITHDRAW), or to the EVM ledger (EVM_WITHDRAW); the reply."""
        body = {"id": harness.fresh_nonce() if id is None else id, "fromAccountID": trader.id, "toAccountID": 999,
                "coinID": 0, "amount": str(amount), "type": kind}
        if kind == SPOT_WITHDRAW:
            return trader.write("POST", "/accounts/transfers", "transferAsset", body)
        return trader.client.write("POST", "/accounts/transfers", "transferAsset", body)

    def withdraw(self, trader, amount=None):
        """From perps to spot, the whole transferable amount when none is given; the reply, or None when nothing may
        leave."""
        amount = self.transferable(trader) if amount is None else Decimal(amount)
        return None if amount <= 0 else self.attempt(self.transfer(trader, f"{amount:f}", SPOT_WITHDRAW))

    def buy_fund_out(self):
        """B buys back the position that the fund unwinds."""
        for _ in range(150):
            left = -Decimal(self.b.size())
            if left <= 0 or not self.fund()[2]:
                break
            if self.b.orders():
                self.ok(self.b.cancel(*self.b.orders()))
            self.rest(self.b, BUY, 100000, left, reduce=True)
            self.pass_time(1)

    def attempt(self, reply):
        """A step that a ruling may refuse; the first reasons are printed when the story is judged."""
        data = reply.json.get("data") if reply.code == 0 else None
        rows = data if isinstance(data, list) else [reply.json]
        self._attempts += [f"{row['code']} {row.get('error')}" for row in rows
                           if isinstance(row, dict) and row.get("code")]
        return reply

    def mark(self, symbol="BTC-USD"):
        return Decimal(self.prices(symbol)["markPrice"])

    def prices(self, symbol="BTC-USD"):
        row, = self.ok(self.a.get(f"/markets/mark-prices?symbol={symbol}"))
        return row

    def transferable(self, trader):
        return Decimal(self.ok(trader.mine("state"))["amw"])

    # ---- holdings

    def balances(self, trader):
        spot = {row["coin"]: Decimal(row["total"]) for row in self.ok(trader.client.mine("balances"))["balances"]}
        return {coin: total for coin, total in spot.items() if total}

    def evm(self, trader):
        return Decimal(int(self.rpc("eth_getBalance", trader.address, "latest"), 16)) / 10 ** 18

    def positions(self, trader):
        return self.ok(trader.mine("positions"))["positions"]

    def indices(self):
        return {row["symbol"]: Decimal(row["indexPrice"]) for row in self.ok(self.a.get("/markets/mark-prices"))}

    @staticmethod
    def profit(row, price):
        """Of a position row, at a price; shorts have a negative size."""
        return Decimal(row["size"]) * (price - Decimal(row["avgEntryPrice"]))

    def worth(self, trader):
        """Perps at the index: wallet, buckets, and positions there, with their cost to the last unit."""
        index = self.indices()
        worth = sum((Decimal(row["total"]) for row in self.ok(trader.mine("balances"))["balances"]), Decimal(0))
        for row in self.positions(trader):
            worth += self.profit(row, index[row["symbol"]]) + (Decimal(row["margin"]) if row["marginMode"] == "ISOLATED"
                else 0)
        return worth

    def removable(self, trader):
        """The amount that isolated buckets may release (mechanics 3.5), at the worse of mark and index."""
        index, sum_of = self.indices(), Decimal(0)
        for row in self.positions(trader):
            if row["marginMode"] == "ISOLATED":
                profit = min(self.profit(row, price) for price in (index[row["symbol"]], self.mark(row["symbol"])))
                value = abs(Decimal(row["size"])) * self.mark(row["symbol"])
                sum_of += max(Decimal(0),
                              Decimal(row["margin"]) + min(profit, Decimal(0)) - value / Decimal(row["leverage"]))
        return sum_of

    def outside(self, trader):
        """Money outside of perps."""
        return self.evm(trader) + sum(total * SPOT_PRICES[coin] for coin, total in self.balances(trader).items())

    def fund(self):
        """(wallet, worth at the index, {symbol: size}) of the insurance fund."""
        wallet = equity = None
        inventory = {}
        for line in self.clients[0].connection.send("GET", "/metrics").raw.decode().splitlines():
            if line.startswith("dojima_insurance_fund "):
                wallet = Decimal(line.split()[-1])
            elif line.startswith("dojima_insurance_fund_equity "):
                equity = Decimal(line.split()[-1])
            elif line.startswith("dojima_insurance_fund_position{") and Decimal(line.split()[-1]):
                inventory[line.split('symbol="')[1].split('"')[0]] = line.split()[-1]
        return wallet, equity, inventory

    def standing(self, trader):
        """Everything of a bystander that must not change."""
        perps = sorted((row["coin"], row["total"]) for row in self.ok(trader.mine("balances"))["balances"])
        held = [{key: row[key] for key in ("symbol", "size", "avgEntryPrice", "margin", "marginMode", "leverage")}
                for row in self.positions(trader)]
        orders = sorted((row["clOrdID"], row["status"], row.get("origQty"), row["executedQty"])
                        for row in self.ok(trader.mine("orders"))["orders"])
        spot = sorted((row["clOrdID"], row["status"], row["executedQty"])
                      for row in self.ok(trader.client.mine("orders"))["orders"])
        return {"spot": sorted(self.balances(trader).items()), "perps": perps, "positions": held, "orders": orders,
                "spot orders": spot}

    # ---- the judgement

    def snapshot(self):
        return {"inside": {t.id: self.worth(t) for t in self._coalition},
                "outside": {t.id: self.outside(t) for t in self._coalition},
                "leaves": {t.id: self.transferable(t) + self.removable(t) for t in self._coalition},
                "fund": self.fund(),
                "standing": {t.id: self.standing(t) for t, *_ in self._bystanders},
                "worth": {t.id: self.worth(t) for t, *_ in self._bystanders}}

    def begin(self):
        """The attackers have no position yet, so all their money could leave."""
        self._before = self.snapshot()
        for trader in self._coalition:
            self.assertEqual(self.positions(trader), [], "an attacker who begins with a position")

    def works(self, text):
        print(f"  the attack works: {text}", flush=True)
        raise AttackWorks(text)

    def judge(self):
        self._judged = True
        before, after = self._before, self.snapshot()
        wrong = [*self.judge_coalition(before, after), *self.judge_fund(before["fund"], after["fund"]),
                 *self.judge_bystanders(before, after)]
        for reason in sorted(set(self._attempts)):
            print(f"  refused: {reason} ({self._attempts.count(reason)} times)", flush=True)
        if wrong:
            self.works("; ".join(wrong))

    def judge_coalition(self, before, after):
        put_in = sum(before["inside"].values()) + sum(before["outside"].values())
        out = sum(after["outside"].values()) + sum(after["leaves"].values())
        stuck = sum(after["inside"].values()) - sum(after["leaves"].values())
        print(f"  coalition of {len(self._coalition)}: put in {plain(put_in)}, took out or can take out {plain(out)}, "
              f"profit {plain(out - put_in)}"
              f" (and {plain(stuck)} at the index that cannot leave)", flush=True)
        if out > put_in:
            yield f"the coalition gained {plain(out - put_in)}"

    def judge_fund(self, before, after):
        lost = before[1] - after[1]
        print(f"  fund: wallet {plain(before[0])} -> {plain(after[0])}, at the index {plain(before[1])} -> "
              f"{plain(after[1])}, lost {plain(lost)}"
              f" (may lose {plain(self.fund_may_lose)}), inventory {json.dumps(before[2])} -> {json.dumps(after[2])}",
              flush=True)
        if lost > self.fund_may_lose:
            yield f"the fund lost {plain(lost)}"

    def judge_bystanders(self, before, after):
        for trader, trades, acts in self._bystanders:
            name, changed = trader.address[:8], []
            was, now = before["standing"][trader.id], after["standing"][trader.id]
            lost = before["worth"][trader.id] - after["worth"][trader.id] if trades else Decimal(0)
            if not trades:
                changed = [f"{key}: {was[key]} -> {now[key]}" for key in was if was[key] != now[key]]
            locked = self.locked_out(trader) if acts else None
            print(f"  bystander {name}: {'; '.join(changed) or 'unmoved'}{f', lost {plain(lost)}' if trades else ''}, "
                  f"{locked or ('can act' if acts else 'not asked to act')}", flush=True)
            if changed:
                yield f"bystander {name} was moved: {'; '.join(changed)}"
            if lost > self.bystander_may_lose:
                yield f"bystander {name} lost {plain(lost)}"
            if locked:
                yield f"bystander {name} is locked out: {locked}"

    def locked_out(self, trader):
        """None when it can still sign, trade, cancel, and take money out and bring it back; else the step that fails.
        The order opens: in BTC-USD, or where it has a position there, which may be isolated and too low on margin to
        grow, in ETH-USD."""
        name, symbol, size = ("ETH-USD", ETH, "0.01") if Decimal(trader.size()) else ("BTC-USD", BTC, "0.001")
        price = f"{self.mark(name) * Decimal('0.97'):.0f}"
        row = trader.place(perps_order(self.name("free"), BUY, price, size), symbol=symbol)
        if row.code != 0 or row.data[0]["code"] != 0:
            return f"cannot place: {row}"
        row = trader.cancel(row.data[0]["orderID"], symbol=symbol)
        if row.code != 0 or row.data[0]["code"] != 0:
            return f"cannot cancel: {row}"
        for kind, what in ((SPOT_WITHDRAW, "take money out"), (PERPS_WITHDRAW, "bring money back")):
            row = self.transfer(trader, "1", kind)
            if row.code != 0:
                return f"cannot {what}: {row}"
        return None

    # ---- steps shared by many stories

    def isolate(self, trader, leverage=25, symbol=BTC):
        self.ok(trader.leverage(leverage, ISOLATED, symbol))

    def rest(self, trader, side, price, quantity, symbol=BTC, **more):
        """A limit order; its reply, which may be a refusal."""
        return self.attempt(trader.place(perps_order(self.name("m"), side, str(price), str(quantity), **more),
                                         symbol=symbol))


def main():
    """Runs the story of the file, or of the class that the first argument names. With ATTACK_MUST_WORK the run succeeds
    only when the attack does: any other failure is a failure."""
    module = sys.modules["__main__"]
    stories = [value for value in vars(module).values()
               if isinstance(value, type) and issubclass(value, Attack) and value is not Attack]
    named = [story for story in stories if len(sys.argv) < 2 or story.__name__ == sys.argv[1]]
    if len(named) != 1:
        sys.exit(f"which story? {[story.__name__ for story in stories]}")
    print(f"{named[0].__name__}: rulings {', '.join(map(str, named[0].rulings))}; without "
          f"{os.environ.get('DOJIMA_RULINGS_OFF', 'none')}", flush=True)
    result = harness.unittest.TextTestRunner(verbosity=2, warnings="ignore").run(named[0]("test_story"))
    if not MUST_WORK:
        sys.exit(0 if result.wasSuccessful() else 1)
    bad = result.failures + result.errors
    if len(bad) == 1 and "AttackWorks:" in bad[0][1].splitlines()[-1]:
        sys.exit(WORKS)
    print("the attack had to work and did not" if not bad else "the story broke before it could be judged",
          file=sys.stderr)
    sys.exit(BROKEN if bad else HARMLESS)
