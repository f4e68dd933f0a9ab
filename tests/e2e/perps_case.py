# SPDX-License-Identifier: MIT
"""The common start of the end-to-end tests of perps: no other client trades and no feeder posts, so that every number
can be computed by hand; the index is the listing's until it is set."""
import time

from harness import BTC, BUY, MARK_PRICE, MARKET, SELL, Case, Folder, Perps, Server, compact, perps_order

HOUR = 3600


def stop_order(client_id, side, at, kind, quantity=None, **more):
    return perps_order(client_id, side, quantity=quantity, type=MARKET, stop=(at, kind, MARK_PRICE), reduce=True,
                       **more)


class PerpsCase(Case):
    """A development exchange of its own, five seconds past an hour, with prices set by hand."""

    def setUp(self):
        self.folder = Folder()
        self.data = self.folder.__enter__()
        self.start()
        self.count = 0
        # Five seconds past an hour: no funding is due before a test wants it.
        now = self.server_time() // 1000
        self.rpc("evm_setNextBlockTimestamp", (now // HOUR + 1) * HOUR + 5)
        for trader in self.traders:
            trader.schedule()
        self.wait("BTC-USD", "100000")

    def tearDown(self):
        self.server.stop()
        self.folder.__exit__()

    def start(self):
        self.server = Server("--market", "none", data=self.data)
        self.clients = self.server.accounts()
        self.traders = [Perps(client) for client in self.clients]
        self.a, self.b, self.c, self.d = self.traders[:4]

    # ---- helpers

    def rpc(self, method, *params):
        answer = self.clients[0].connection.send("POST", "/rpc",
                                                 compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                          "params": list(params)}),
                                                 {"Content-Type": "application/json"}).json
        self.assertNotIn("error", answer)
        return answer["result"]

    def server_time(self):
        return self.clients[0].get("/time", "/api/v1").json["timestamp"]

    def wait(self, symbol, mark, index=None):
        """Waits until the mark has this value: TICKs move it."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            row, = self.ok(self.a.get(f"/markets/mark-prices?symbol={symbol}"))
            if row["markPrice"] == mark and index in (None, row["indexPrice"]):
                return row
            time.sleep(0.1)
        self.fail(f"{symbol} never came to {mark}: {row}")

    def name(self, what="o"):
        self.count += 1
        return f"{what}-{self.count}"

    def trade(self, buyer, seller, quantity, price="100000", symbol=BTC, **more):
        """They trade with each other, the seller resting."""
        self.items_ok(seller.place(perps_order(self.name("ask"), SELL, price, quantity), symbol=symbol))
        item, = self.items_ok(buyer.place(perps_order(self.name("bid"), BUY, price, quantity, **more), symbol=symbol))
        self.assertEqual(item["status"], "FILLED")
        return item["orderID"]

    def state(self, trader):
        state = self.ok(trader.mine("state"))
        for row in state["B"]:
            self.assertEqual(row["at"], row["ww"])
            self.assertEqual((row["at"], row["am"]), (state["amw"], state["am"]))
        return state

    def figures(self, trader):
        state = self.state(trader)
        return {key: state[key] for key in ("av", "mm", "am", "ami", "amw", "im", "cm", "oim", "ocm")}

    def list_of(self, trader, what, query=""):
        return self.ok(trader.mine(what, query))
