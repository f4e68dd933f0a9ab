# SPDX-License-Identifier: MIT
"""The operator's commands on symbols and orders, from outside: a delisted symbol is announced, settled and stays
settled, also through kill -9; orders are cancelled; a symbol is halted, or accepts only orders that reduce."""
import json
import threading
import time
from decimal import Decimal

from harness import (BUY, ISOLATED, MARK_PRICE, MARKET, SELL, STOP, STOP_LOSS, Case, Folder, Perps, Server, main,
                     order, perps_order, run)
from oracle import CHAIN, Venue, index_state, perps_prices, state_hash, wait_for

RULES = "settlementNoticeMs = 5000\nsettlementWindowMs = 3000\nmaxSettlementsPerTick = 2\n"


class Speaker(threading.Thread):
    """A feeder that posts the same price every half second until it gets another one, or is ended."""

    def __init__(self, venue, price):
        super().__init__(daemon=True)
        self.feeder, self.price, self.over = venue.feeders[0], price, threading.Event()
        self.feeder.seq = int(time.time() * 1000)               # above every earlier seq
        self.start()

    def run(self):
        while not self.over.is_set():
            try:
                self.feeder.post((1, self.price))
            except OSError:                                     # the server was killed
                return
            self.over.wait(0.5)

    def end(self):
        self.over.set()
        self.join()


class Settling(Case):
    def ask(self, venue, *words, code=0):
        done, out, err = run(words[0], "--data", venue.data, "--json", *map(str, words[1:]))
        self.assertEqual(done, code, (out, err))
        return json.loads(out)

    def symbol(self, perps):
        return self.ok(perps.get("/markets/symbols?symbol=BTC-USD"))[0]

    def now(self, perps):
        return perps.client.get("/time", "/api/v1").json["timestamp"]

    def send(self, perps, *args, **more):
        return perps.place(perps_order(*args, **more), chain_id=CHAIN).data[0]

    def opened(self, venue):
        """Two with a position of 0.3 against each other, one of them isolated, with orders of all kinds around."""
        buyer, seller = venue.traders()
        self.assertTrue(wait_for(lambda: venue.index() == "100000" and index_state(venue.server.port) == "LIVE"))
        self.ok(seller.write("POST", "/trade/leverage", "updateLeverage",
                             {"accountID": seller.id, "symbolID": 1, "leverage": 5, "marginMode": ISOLATED},
                             chain_id=CHAIN))
        for perps, name, side, price, size in ((buyer, "in", BUY, "100000", "0.3"),
                                               (seller, "in", SELL, "100000", "0.3"),
                                               (buyer, "far", BUY, "99000", "0.1"),
                                               (seller, "out", BUY, "98000", "0.1")):
            self.assertEqual(self.send(perps, name, side, price, size)["code"], 0)
        guard = perps_order("guard", SELL, type=MARKET, modifier=STOP, stop=("90000", STOP_LOSS, MARK_PRICE),
                            reduce=True)
        self.assertEqual(buyer.place(guard, chain_id=CHAIN).data[0]["code"], 0)
        return buyer, seller

    def announce(self, venue, perps, ahead=5300):
        soon = self.ask(venue, "market", "BTC-USD", "settle", "--at", self.now(perps) + 4000, code=1)
        self.assertEqual((soon["code"], soon["details"]["field"]), (40007, "time"))
        self.assertGreater(int(soon["details"]["need"]), int(soon["details"]["got"]))
        at = self.now(perps) + ahead
        data = self.ask(venue, "market", "BTC-USD", "settle", "--at", at, "--id", "delist")["data"]
        self.assertEqual((data["type"], data["params"]), ("settle", {"id": "delist", "symbol": "BTC-USD", "time": at}))
        self.assertRegex(data["tx"], "^0x[0-9a-f]{64}$")
        return at

    def check_announced(self, venue, buyer, at):
        symbol = self.symbol(buyer)
        self.assertEqual((symbol["status"], symbol["phase"], symbol["settlementTime"]), ("TRADING", "SETTLING", at))
        self.assertNotIn("settlementPrice", symbol)
        self.assertEqual(self.send(buyer, "more", BUY, "100000", "0.01")["code"], 42014)
        self.assertEqual(self.ask(venue, "market", "BTC-USD", "settle", "--at", at + 60000, code=1)["code"], 40909)
        self.assertEqual(self.ask(venue, "market", "BTC-USD", "settle", "--at", at, "--id", "delist")["code"], 0,
                         "the same again changes nothing")

    def check_settled(self, buyer, seller, price):
        """Every read of ended rows."""
        symbol = self.symbol(buyer)
        self.assertEqual((symbol["status"], symbol["phase"], symbol["settlementPrice"]), ("HALT", "SETTLED", price))
        self.assertEqual((symbol["markPrice"], symbol["indexPrice"]), (price, price))
        ticker = self.ok(buyer.get("/markets/mark-prices?symbol=BTC-USD"))[0]
        self.assertEqual((ticker["openInterest"], ticker["fundingRate"], ticker["nextFundingTime"],
                          ticker["markPrice"]), ("0", "0", 0, price))
        book = self.ok(buyer.get("/markets/BTC-USD/orderbook"))
        self.assertEqual((book["bids"], book["asks"]), ([], []))
        gain = (Decimal(price) - 100000) * Decimal("0.3")
        for perps, sign in ((buyer, 1), (seller, -1)):
            self.assertEqual((perps.size(), perps.orders()), ("0", {}))
            position = self.ok(perps.mine("positions/history"))[0]
            self.assertEqual((position["reason"], position["active"], Decimal(position["avgClosePrice"])),
                             ("SETTLEMENT", False, Decimal(price)))
            fill = next(row for row in self.ok(perps.mine("trades")) if Decimal(row["price"]) == Decimal(price))
            self.assertEqual((Decimal(fill["fee"]), Decimal(fill["quantity"]), fill["reason"]),
                             (0, Decimal("0.3"), "SETTLEMENT"))
            fees = -Decimal(position["cumTradingFee"])
            self.assertEqual(Decimal(position["realizedPnL"]), sign * gain + fees)
            balances = self.ok(perps.mine("balances"))["balances"]
            self.assertEqual(Decimal(balances[0]["total"]), 1000000 + sign * gain + fees)
        reasons = {row["clOrdID"]: row.get("reason") for perps in (buyer, seller)
                   for row in self.ok(perps.mine("orders/history")) if row["status"] == "CANCELED"}
        self.assertEqual(reasons, {"far": "SETTLEMENT", "out": "SETTLEMENT", "guard": "SETTLEMENT"})
        self.assertEqual(self.send(buyer, "again", BUY, price, "0.01")["code"], 42014)

    def test_it_is_settled_once_also_through_kill_nine(self):
        with Folder() as folder, Venue(folder, more=RULES) as venue:
            speaker = Speaker(venue, "100000")
            buyer, seller = self.opened(venue)
            at = self.announce(venue, buyer)
            self.check_announced(venue, buyer, at)
            speaker.price = "100600"
            self.assertTrue(wait_for(lambda: self.now(buyer) > at - 1500), "in the window")
            self.assertEqual(self.ask(venue, "market", "BTC-USD", "keep", code=1)["code"], 40909)
            venue.server.kill()
            speaker.end()
            time.sleep(2.2)                                     # the instant passes while no server runs
            venue.start()
            speaker = Speaker(venue, "100600")
            buyer, seller = (Perps(trader.client.on(venue.server)) for trader in (buyer, seller))
            self.assertTrue(wait_for(lambda: self.symbol(buyer)["phase"] == "SETTLED", 15), self.symbol(buyer))
            self.assertGreaterEqual(self.now(buyer), at)
            self.check_settled(buyer, seller, "100600")
            speaker.price = "200000"
            venue.server.kill()
            speaker.end()
            venue.start()
            buyer, seller = (Perps(trader.client.on(venue.server)) for trader in (buyer, seller))
            time.sleep(1.2)
            self.check_settled(buyer, seller, "100600")
            self.assertEqual(self.ask(venue, "market", "BTC-USD", "trade", code=1)["code"], 42014)
            self.assertEqual(self.ask(venue, "market", "BTC-USD", "settle", "--at", self.now(buyer) + 60000,
                                      code=1)["code"], 42014)
            venue.server.stop()
            self.assertEqual(state_hash(self, venue.data), state_hash(self, venue.data, "--signatures"))
            code, out, err = run("verify", venue.data)
            self.assertEqual(code, 0, err)

    def test_streams_tell_it_all(self):
        try:
            from streams import Stream, apply
            from streams_perps import Follower
        except SystemExit:                                      # it has reported the reason
            self.skipTest("python3-websockets is not installed")
        with Folder() as folder, Venue(folder, more=RULES) as venue:
            speaker = Speaker(venue, "100000")
            buyer, seller = self.opened(venue)
            self.announce(venue, buyer)
            venue.server.banner = {"url": f"http://127.0.0.1:{venue.server.port}"}
            followers = [Follower(venue.server, perps.client) for perps in (buyer, seller)]
            stream, book = Stream(venue.server, "/ws/perps"), {"a": {}, "b": {}}
            self.addCleanup(lambda: [ended.end() for ended in (stream, *(follower.stream for follower in followers))])
            self.assertTrue(stream.subscribe("l4Book", symbol="BTC-USD", level=20)["success"])
            self.assertTrue(wait_for(lambda: self.symbol(buyer)["phase"] == "SETTLED", 15))
            speaker.end()
            while (message := stream.nothing(0.5)) is not None:
                apply(book, message["data"])
            self.assertEqual([len(levels) for levels in book.values()], [0, 0], "emptied by updates")
            for follower in followers:
                follower.follow().judge(self)
                self.assertEqual([row["sz"] for row in follower.positions.values()], ["0"])
                self.assertTrue(all(row["X"] == "CANCELED" for row in follower.orders.values()), follower.orders)

    def test_an_announcement_is_withdrawn(self):
        with Folder() as folder, Venue(folder, more=RULES) as venue:
            speaker = Speaker(venue, "100000")
            buyer, _ = self.opened(venue)
            self.assertEqual(self.ask(venue, "market", "BTC-USD", "keep", code=1)["code"], 40909)
            at = self.announce(venue, buyer, ahead=9000)
            self.check_announced(venue, buyer, at)
            self.assertEqual(self.ask(venue, "market", "BTC-USD", "keep")["data"]["type"], "keep")
            symbol = self.symbol(buyer)
            self.assertEqual([key for key in ("phase", "settlementTime", "settlementPrice") if key in symbol], [])
            self.assertEqual(self.send(buyer, "more", BUY, "100000", "0.01")["code"], 0)
            speaker.end()


class Orders(Case):
    def line(self, server, *words, code=0):
        done, out, err = run(words[0], "--data", server.banner["data"], *words[1:])
        self.assertEqual(done, code, (out, err))
        return out if code == 0 else err

    def test_orders_are_cancelled_by_symbol_account_and_all(self):
        with Server() as server:
            first, second = server.accounts()[:2]
            self.items_ok(first.place(order("s", BUY, "99000", "0.1")))
            self.items_ok(Perps(first).place(perps_order("p", BUY, "99000", "0.1")))
            self.items_ok(Perps(second).place(perps_order("p", BUY, "98000", "0.1"),
                                              perps_order("q", BUY, "97000", "0.1")))
            self.assertIn("name an account or a symbol, or use --all", self.line(server, "cancel", code=2))
            self.assertIn("leave it out", self.line(server, "cancel", "--all", "--account", "1001", code=2))
            self.assertIn("40401", self.line(server, "cancel", "--symbol", "DOGE-USD", code=1))
            self.assertIn("40403", self.line(server, "cancel", "--account", "999999", code=1))
            self.assertIn("2 orders canceled",
                          self.line(server, "cancel", "--symbol", "BTC-USD", "--account", str(second.id), "--id",
                                    "c-1"))
            self.assertEqual((Perps(second).orders(), list(Perps(first).orders()), len(first.open_orders())),
                             ({}, ["p"], 1))
            self.assertEqual({row["reason"] for row in self.ok(Perps(second).mine("orders/history"))}, {"OPERATOR"})
            self.assertIn("1 orders canceled", self.line(server, "cancel", "--engine", "spot"))
            self.assertEqual(first.balance("vUSDC")[1], "0")
            self.assertIn("1 orders canceled", self.line(server, "cancel", "--all"))
            self.assertIn("0 orders canceled", self.line(server, "cancel", "--all"))
            self.assertEqual(Perps(first).orders(), {})

    def test_a_symbol_only_lets_through_what_reduces(self):
        with Server() as server:
            first, second = (Perps(client) for client in server.accounts()[:2])
            self.items_ok(first.place(perps_order("in", BUY, "100000", "0.1")))
            self.items_ok(second.place(perps_order("in", SELL, "100000", "0.1")))
            self.assertIn("BTC-USD is REDUCE_ONLY", self.line(server, "market", "BTC-USD", "reduce"))
            self.assertIn("40001", self.line(server, "market", "vBTC_vUSDC", "reduce", code=1))
            symbol = self.ok(first.get("/markets/symbols?symbol=BTC-USD"))[0]
            self.assertEqual((symbol["status"], symbol["phase"]), ("TRADING", "REDUCE_ONLY"))
            self.assertEqual(first.place(perps_order("more", BUY, "100000", "0.1")).data[0]["code"], 42014)
            self.items_ok(first.place(perps_order("out", SELL, "100000", "0.1")))
            self.assertIn("BTC-USD is HALT", self.line(server, "market", "BTC-USD", "halt"))
            self.assertEqual(self.ok(first.get("/markets/symbols?symbol=BTC-USD"))[0]["status"], "HALT")
            self.items_ok(first.cancel("out"))
            self.assertIn("BTC-USD is TRADING", self.line(server, "market", "BTC-USD", "trade"))
            self.items_ok(first.place(perps_order("more", BUY, "100000", "0.1")))
            self.assertIn("settle needs --at", self.line(server, "market", "BTC-USD", "settle", code=2))
            self.assertIn("not \"sell\"", self.line(server, "market", "BTC-USD", "sell", code=2))
            self.assertIn("needed: 1", self.line(server, "market", "BTC-USD", "settle", "--at", "1", code=1))
            self.assertIn("40401", self.line(server, "market", "vBTC_vUSDC", "settle", "--at", "1", code=1))


if __name__ == "__main__":
    main()
