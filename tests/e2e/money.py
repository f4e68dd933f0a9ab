# SPDX-License-Identifier: MIT
"""No unit of money appears or disappears: accounts trade, move money between spot, perps and the EVM ledger, all at
once, while engine time is advanced and the process is killed; each transfer is sent twice. Afterwards all readable
amounts (balances of both bases, the EVM ledger, the fees of all trades) add up to the initial sum and the deposits."""
import json
import os
import random
import threading
import time
from decimal import Decimal

from harness import BUY, IOC, MARKET, SELL, Case, Connection, Folder, Server, compact, fresh_nonce, main, order, run

SEED = int(os.environ.get("E2E_SEED", random.randrange(10 ** 6)))
EVM_WITHDRAW, PERPS_WITHDRAW, SPOT_WITHDRAW = 2, 3, 5
TRADERS = 6


def rpc(connection, method, *params):
    call = compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    return connection.send("POST", "/rpc", call, {"Content-Type": "application/json"}).json["result"]


def fees_paid(connection, address):
    """Of all its trades, page by page; a page that ends with a whole millisecond may be shorter than its limit though
    more follow."""
    below = ""
    while True:
        page = connection.send("GET", f"/api/v1/spot/accounts/{address}/trades?limit=1000{below}").data
        yield from ((trade["feeCoin"], Decimal(trade["fee"])) for trade in page)
        if not page:
            return
        below = f"&fromID={page[-1]['tradeID']}"


def everything(server):
    """coin -> its whole sum."""
    connection, sums = Connection(server.port, timeout=60), {"vUSDC": Decimal(0), "vBTC": Decimal(0),
        "vETH": Decimal(0)}
    for account in server.accounts():
        for base in ("spot", "perps"):
            for row in connection.send("GET", f"/api/v1/{base}/accounts/{account.address}/balances").data["balances"]:
                sums[row["coin"]] += Decimal(row["total"])
        sums["vUSDC"] += Decimal(int(rpc(connection, "eth_getBalance", account.address, "latest"), 16)) / 10 ** 18
        for coin, fee in fees_paid(connection, account.address):
            sums[coin] += fee
    connection.close()
    return sums


class Trader(threading.Thread):
    """Sends random requests until it is stopped, or until the server has ended."""

    def __init__(self, account, number, stop):
        super().__init__()
        self.account, self.dice, self.stop = account, random.Random(SEED * 100 + number), stop
        self.wrong, self.deposits = None, []

    def run(self):
        try:
            while not self.stop.is_set():
                self.dice.choices([self.rest, self.take, self.cancel, self.move, self.withdraw, self.advance,
                                   self.schedule, self.receive],
                                  [7, 3, 2, 5, 1, 1, 1, 1])[0]()
        except Exception as problem:
            if not self.stop.is_set():
                self.wrong = problem

    def rest(self):
        price = 100000 + self.dice.randrange(-50, 50)
        self.account.place(order(self.called(), self.dice.choice([BUY, SELL]), str(price),
                                 f"0.00{self.dice.randrange(1, 9)}"))

    def take(self):
        self.account.place(order(self.called(), self.dice.choice([BUY, SELL]), None, "0.001", type=MARKET, tif=IOC))

    def cancel(self):
        for one in self.account.open_orders()[:5]:
            self.account.cancel({"symbolID": 1, "clOrdID": "", "orderID": one["orderID"]})

    def transfer(self, base, kind, amount):
        """Sent twice under one id: moves once."""
        body = compact({"id": fresh_nonce(), "fromAccountID": self.account.id, "toAccountID": 999, "coinID": 0,
                        "amount": amount, "type": kind})
        for _ in range(2):
            self.account.connection.send("POST", f"/api/v1/{base}/accounts/transfers", body,
                                         self.account.headers("transferAsset", body,
                                             domain="spot" if base == "spot" else "futures"))

    def move(self):
        base, kind = self.dice.choice([("spot", PERPS_WITHDRAW), ("perps", SPOT_WITHDRAW)])
        self.transfer(base, kind, f"{self.dice.randrange(1, 500)}.{self.dice.randrange(1, 10 ** 6):06d}")

    def withdraw(self):
        self.transfer("spot", EVM_WITHDRAW, "1.5")

    def advance(self):
        rpc(self.account.connection, "evm_increaseTime", self.dice.randrange(1, 7200))

    def schedule(self):
        self.account.schedule(self.account.get("/markets/symbols").json["timestamp"] + self.dice.randrange(5100, 9000))

    def receive(self):
        """A deposit under an id of its own; without a reply the test asks again after the restart."""
        given = {"id": self.called(), "address": self.account.address, "coin": "vUSDC", "amount": "7.000001"}
        self.deposits.append(given)
        rpc(self.account.connection, "dojima_deposit", given)

    def called(self):
        return f"m{self.account.id}-{time.monotonic_ns()}"


class Money(Case):
    def trade(self, server, seconds, kill):
        stop = threading.Event()
        traders = [Trader(account, number, stop) for number, account in enumerate(server.accounts()[:TRADERS])]
        for trader in traders:
            trader.start()
        time.sleep(seconds)
        stop.set()
        if kill:
            server.kill()
        for trader in traders:
            trader.join()
            self.assertIsNone(trader.wrong, f"seed {SEED}")
        return [given for trader in traders for given in trader.deposits]

    def test_it_is_conserved_through_transfers_leaps_and_kills(self):
        print("seed", SEED, flush=True)
        with Folder() as folder:
            server = Server("--no-limits", data=folder)
            before, came_in = everything(server), Decimal(0)
            for kill in (False, True, True, False):
                given = self.trade(server, 2, kill)
                if kill:
                    server = Server("--no-limits", data=folder)
                # once more: deposits without a reply are credited now, the others not twice
                for one in given:
                    rpc(Connection(server.port), "dojima_deposit", one)
                came_in += Decimal("7.000001") * len(given)
                now = everything(server)
                self.assertEqual(now, {**before, "vUSDC": before["vUSDC"] + came_in}, f"seed {SEED}")
            self.assertGreater(came_in, 0)
            server.stop()
            code, out, err = run("verify", "--signatures", "--json", folder, seconds=120)
            self.assertEqual(code, 0, err)
            self.assertGreater(json.loads(out)["signatures"], 200)


if __name__ == "__main__":
    main()
