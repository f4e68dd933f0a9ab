# SPDX-License-Identifier: MIT
"""The perps account channels when the exchange itself acts: liquidation into the book, take-over by the fund,
deleveraging, funding. A client that follows the streams has the same wallet, positions and orders as the reads."""
import json
import time
from decimal import Decimal

from harness import BUY, ISOLATED, SELL, Case, Perps, Server, main, perps_order
from streams import Stream

CHANNELS = ("accountEvent", "accountOrderUpdate", "accountUpdate", "accountTrade")
DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"


class Follower:
    """An account's data by its streams alone, from the first state on."""

    def __init__(self, server, client):
        self.perps, self.stream = Perps(client), Stream(server, "/ws/perps")
        for channel in CHANNELS:
            assert self.stream.subscribe(channel, user=client.address)["success"]
        began = self.perps.mine("state").data
        self.wallets = {row["i"]: row["wb"] for row in began["B"]}
        self.positions = {row["i"]: row for row in began["P"]}
        self.orders = {row["i"]: row for row in began["O"]}
        self.events, self.fills, self.changes = [], [], []

    def follow(self, seconds=0.5):
        while (message := self.stream.nothing(seconds)) is not None:
            data = message["data"]
            assert message["type"] == "update", message
            if message["channel"] == "accountEvent":
                self.events.append(data)
            elif message["channel"] == "accountUpdate":
                self.changes.append(data)
                self.wallets.update({row["i"]: row["wb"] for row in data["B"]})
                self.positions.update({row["i"]: row for row in data["P"]})
            elif message["channel"] == "accountTrade":
                self.fills.append(data)
            else:
                self.orders[data["i"]] = data
        return self

    def judge(self, case):
        """The streams against the response to a read."""
        now = self.perps.mine("state").data
        case.assertEqual(self.wallets, {row["i"]: row["wb"] for row in now["B"]})
        case.assertEqual({i: (row["sz"], row["ep"], row["iw"]) for i, row in self.positions.items()
                          if row["sz"] != "0"},
                         {row["i"]: (row["sz"], row["ep"], row["iw"]) for row in now["P"]})
        case.assertEqual({i: (row["p"], row["q"], row["z"], row["X"]) for i, row in self.orders.items()
                          if row["X"] in ("NEW", "PARTIALLY_FILLED")},
                         {row["i"]: (row["p"], row["q"], row["z"], row["X"]) for row in now["O"]})


class Forced(Case):
    def rpc(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}).encode()
        reply = self.a.connection.send("POST", "/rpc", body, {"Content-Type": "application/json"})
        self.assertNotIn("error", reply.json, reply)
        return reply.json["result"]

    def begin(self, server, symbol=1, name="BTC-USD", at="100000", size="10", leverage=25, far="96000"):
        """A long of `a`, isolated, against `b`: 10 BTC at 25x have 40000 of margin, of which 20000 are to be maintained
        at 100000."""
        self.server, self.name, self.lot = server, name, size
        self.a, self.b, self.c = server.accounts()[:3]
        self.addCleanup(lambda: [follower.stream.end() for follower in (self.hers, self.his)])
        self.hers, self.his = Follower(server, self.a), Follower(server, self.b)
        self.ok(Perps(self.a).leverage(leverage, ISOLATED, symbol))
        self.items_ok(Perps(self.b).place(perps_order("short", SELL, at, size), symbol=symbol))
        self.items_ok(Perps(self.a).place(perps_order("long", BUY, at, size), symbol=symbol))
        self.items_ok(Perps(self.a).place(perps_order("rest", BUY, far, "0.1"), symbol=symbol))
        self.hers.follow().judge(self)
        self.his.follow().judge(self)
        self.assertEqual(self.hers.events, [])

    def price(self, price, until):
        """Sets the index, then waits TICKs until it has happened."""
        self.rpc("dojima_setIndexPrice", {"symbol": self.name, "price": price})
        for _ in range(60):
            self.rpc("evm_mine")
            if until():
                return
            time.sleep(0.05)
        self.fail(f"nothing came of {price}: {Perps(self.a).mine('state').data}")

    def judge_event(self, event):
        self.assertEqual(list(event),
                         ["type", "E", "lid", "aid", "av", "mm", "liquidationID", "maintenanceMargin", "B", "P"])
        self.assertEqual((event["type"], event["lid"], event["aid"], event["mm"]),
                         ("liquidation", 1, self.a.id, "ISOLATED"))
        self.assertGreater(event["liquidationID"], 0)
        self.assertLess(Decimal(event["av"]), Decimal(event["maintenanceMargin"]))
        for key in ("av", "maintenanceMargin"):
            self.assertRegex(event[key], DECIMAL)
        self.assertEqual([sorted(row) for row in event["B"]], [["a", "co", "i", "wb"]])
        self.assertEqual([(row["s"], row["ps"], row["sz"]) for row in event["P"]], [(self.name, "BOTH", self.lot)])
        self.assertGreater(Decimal(event["P"][0]["lp"]), Decimal(event["P"][0]["mp"]))

    def test_a_liquidation_into_the_book_is_told_step_by_step(self):
        with Server() as server:
            self.begin(server)
            self.items_ok(Perps(self.c).place(perps_order("bid", BUY, "97800", "20")))
            self.price("97900", lambda: Perps(self.a).size() != "10")
            self.hers.follow().judge(self)
            self.his.follow().judge(self)
            self.assertEqual(len(self.hers.events), 1)
            self.judge_event(self.hers.events[0])
            self.assertEqual(self.his.events, [])
            ends = [(o["x"], o["X"], o.get("r")) for o in self.hers.orders.values()]
            self.assertIn(("CANCELED", "CANCELED", "LIQUIDATION"), ends)                # the resting order
            self.assertEqual([fill["S"] for fill in self.hers.fills], ["BUY", "SELL"])
            self.assertEqual(self.hers.fills[-1]["p"], "97800")
            self.assertLess(Decimal(Perps(self.a).size()), Decimal(10))
            self.assertGreater(Decimal(Perps(self.a).size()), 0)                        # only the shortage was sold

    def test_a_take_over_is_told_in_its_stages(self):
        with Server() as server:
            self.begin(server)
            self.price("97200", lambda: Perps(self.a).size() == "0")
            self.hers.follow().judge(self)
            self.his.follow().judge(self)
            self.assertGreater(len(self.hers.events), 0)
            for event in self.hers.events:
                self.judge_event(event)
            self.assertEqual(len({event["liquidationID"] for event in self.hers.events}), 1)
            self.assertEqual([(fill["i"], fill["q"]) for fill in self.hers.fills[1:]], [(0, "10")])     # of no order
            self.assertEqual(Perps(self.b).size(), "-10")
            closed = Perps(self.a).mine("positions/history").data[0]
            self.assertIs(closed["isTakenOver"], True)
            self.assertEqual(self.hers.positions[closed["id"]]["ct"], closed["createdAt"])

    def test_deleveraging_is_told_to_both_sides(self):
        with Server() as server:
            # more than the fund may hold of it
            self.begin(server, 3, "SOL-USD", "200", "15000", 10, "180")
            self.price("183.5", lambda: Perps(self.a).size("SOL-USD") == "0")
            self.hers.follow().judge(self)
            self.his.follow().judge(self)
            for event in self.hers.events:
                self.judge_event(event)
            self.assertEqual(len({event["liquidationID"] for event in self.hers.events}), 1)
            self.assertEqual(self.his.events, [])
            self.assertEqual(Perps(self.b).size("SOL-USD"), "0")
            self.assertEqual(self.his.changes[-1]["P"][0]["sz"], "0")
            self.assertEqual(Perps(self.b).mine("positions/history").data[0]["reason"], "ADL")

    def test_funding_is_a_change_of_wallet_and_position(self):
        with Server() as server:
            self.begin(server)
            for who in (self.hers, self.his):
                who.changes.clear()
            self.rpc("evm_increaseTime", 3600)
            self.rpc("evm_mine")
            paid = Perps(self.a).mine("fundings").data
            self.assertGreater(len(paid), 0)
            self.hers.follow().judge(self)
            self.his.follow().judge(self)
            for who in (self.hers, self.his):
                rows = [row for change in who.changes for row in change["P"]]
                self.assertEqual({row["s"] for row in rows}, {"BTC-USD"})
                self.assertTrue(all(change["h"] > 0 and change["TO"] == [] for change in who.changes))
            self.assertEqual(self.hers.events, [])


if __name__ == "__main__":
    main()
