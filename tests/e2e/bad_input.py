# SPDX-License-Identifier: MIT
"""Requests against prices that are not live, a mark that lags, a band or the end of a number's range: the error is that
of the table and names the condition that would have been enough, balances, positions, orders and margins are as they
were, and the same request passes as soon as the cause is gone."""
import time
from decimal import Decimal

from harness import (BTC, BUY, IOC, ISOLATED, LIMIT, MARK_PRICE, SELL, STOP, STOP_LOSS, Client, Folder, Perps, Server,
                     Wallet, compact,
                     fresh_nonce, keccak, main, order, perps_order, run)
from keys import KeyClient, new_wallet, sign_key
from oracle import CHAIN, Feeder, Venue, index_state, wait_for
from perps_case import PerpsCase
from streams import Stream

PERPS_WITHDRAW, SPOT_WITHDRAW = 3, 5
NOT_LIVE = ("live prices and the mode run wherever the account has a position or an order that could open one "
            "(ruling 64)")
LAST_ID = 2 ** 64 - 1


def standing(trader):
    """The state that a refused request may not change: money on both sides, positions, orders and margins, whatever the
    prices."""
    money = [sorted((row["coin"], row["total"]) for row in side.mine("balances").data["balances"])
             for side in (trader, trader.client)]
    keys = ("symbol", "size", "avgEntryPrice", "margin", "marginMode", "leverage", "updatedAt")
    held = [{key: row[key] for key in keys} for row in trader.mine("positions").data["positions"]]
    return money, held, trader.mine("orders").data["orders"], trader.mine("orders/history").data


class BadInput(PerpsCase):
    """An exchange in development mode: prices by hand, or by its feeder."""

    options = ("--market", "none")

    def start(self):
        self.server = Server(*self.options, data=self.data)
        self.clients = self.server.accounts()
        self.traders = [Perps(client) for client in self.clients]
        self.a, self.b, self.c, self.d = self.traders[:4]
        self.feeder = Feeder(self.server.port, self.clients[-1].wallet, 286623)

    def seconds(self, count):
        for _ in range(count):
            self.rpc("evm_increaseTime", 1)

    def feed(self, price):
        self.ok(self.feeder.post((BTC, price)))
        self.seconds(1)

    def operate(self, *words):
        code, out, err = run(words[0], "--data", self.data, *words[1:])
        self.assertEqual(code, 0, (words, out, err))

    def index(self, price):
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": price})

    def refuses(self, send, code, text, details, traders=None):
        """The request, or its one item, is refused with exactly this, and nothing has changed."""
        traders = traders or [self.a, self.b]
        before = [standing(trader) for trader in traders]
        reply = send()
        said = reply.json if reply.code != 0 else reply.data[0]
        self.assertEqual((reply.status, said["code"], said["error"]), (200, code, text), reply)
        self.assertEqual({key: value for key, value in said["details"].items() if key not in ("nonce", "serverTime")},
                         details)
        self.assertEqual([standing(trader) for trader in traders], before)

    @staticmethod
    def out_of_perps(trader, amount="1", id=None, **how):
        body = {"id": fresh_nonce() if id is None else id, "fromAccountID": trader.id, "toAccountID": 999, "coinID": 0,
                "amount": amount,
                "type": SPOT_WITHDRAW}
        return trader.write("POST", "/accounts/transfers", "transferAsset", body, **how)


class MoneyHeld(BadInput):
    """Ruling 64, a cause each: A has an isolated position, B a cross one, C an order that could open one, D nothing."""

    def begin(self):
        self.ok(self.a.leverage(10, ISOLATED))
        self.trade(self.a, self.b, "0.1")
        self.ok(self.a.margin("100"))
        self.items_ok(self.c.place(perps_order("rests", BUY, "99000", "0.1")))

    def judge(self, state, need, ends):
        """In this state the transfers that the ruling forbids are refused; then `ends` ends it, and at once all
        pass."""
        told = {"rule": NOT_LIVE, "field": "symbolID", "got": f"BTC-USD {state}", "need": need}
        requests = [lambda: self.a.margin("-1")] + [lambda trader=trader: self.out_of_perps(trader)
                                                    for trader in (self.a, self.b, self.c)]
        for send in requests:
            self.refuses(send, 42028, "prices are not live", told, [self.a, self.b, self.c])
        for trader in (self.a, self.b, self.c):
            self.assertEqual(self.ok(trader.mine("state"))["amw"], "0")
        # an account without positions there is not held
        self.ok(self.out_of_perps(self.d))
        self.ok(self.a.margin("1"))                                         # nor are deposits
        ends()
        for send in requests:
            self.ok(send())

    def quote_spot(self):
        self.items_ok(self.d.client.place(order("bid", BUY, "99900", "0.2"), order("ask", SELL, "100100", "0.2")))


class PricesNotLive(MoneyHeld):
    """Of a venue with a price."""

    def test_under_another_mode_of_the_venue(self):
        self.begin()
        for mode in ("cancel-only", "reduce-only"):
            self.operate("mode", mode)
            self.judge(mode.upper().replace("-", "_"), "mode RUN", lambda: self.operate("mode", "run"))

    def test_of_a_symbol_that_is_halted(self):
        self.begin()
        self.operate("market", "BTC-USD", "halt")
        self.judge("HALT", "BTC-USD TRADING", lambda: self.operate("market", "BTC-USD", "trade"))

    def test_of_a_symbol_without_a_fresh_price(self):
        self.feed("100000")
        self.begin()
        self.seconds(60)
        self.judge("STALE", "BTC-USD LIVE", lambda: self.feed("100000"))

    def test_while_the_own_spot_book_stands_in(self):
        self.feed("100000")
        self.begin()
        self.quote_spot()
        self.seconds(61)
        self.judge("FALLBACK", "BTC-USD LIVE", lambda: self.feed("100000"))


class PricesOfTheSpotBook(MoneyHeld):
    """Of a venue without a price so far."""

    options = ("--market", "silent")

    def test_before_anybody_has_priced_the_symbol(self):
        self.quote_spot()
        self.seconds(2)
        self.assertEqual(index_state(self.server.port), "BOOTSTRAP")
        self.begin()
        self.judge("BOOTSTRAP", "BTC-USD LIVE", lambda: self.feed("100000"))


class FarFromTheMark(BadInput):
    """Ruling 65: an isolated sale down to 96000 at 25x and a mark of 100000 needs 100000/25, the open loss of 4000 and
    a fee of 40 (a taker of 0.0004)."""

    def fresh(self, amount):
        wallet = Wallet("0x" + keccak(b"far from the mark").hex())
        self.deposit(wallet, amount)
        told = self.deposit(wallet, "0.000001", "spot")
        return Perps(Client(self.server, wallet, told["accountID"]))

    def deposit(self, wallet, amount, side="perps"):
        return self.rpc("dojima_deposit",
                        {"address": wallet.address, "coin": "vUSDC", "amount": amount, "engine": side})

    def test_an_isolated_opening(self):
        poor = self.fresh("8039.999999")
        self.ok(poor.leverage(25, ISOLATED))
        self.items_ok(self.b.place(perps_order("bid", BUY, "96153.8", "1")))
        sell = lambda: poor.place(perps_order(self.name("far"), SELL, "96000", "1", tif=IOC))
        told = {"rule": "margin for the worst case of the account's orders (mechanics 3.4)", "field": "quantity",
                "got": "8039.999999", "need": "8040"}
        self.refuses(sell, 42002, "insufficient margin", told, [poor, self.b])
        self.deposit(poor.client.wallet, "0.000001")
        item, = self.items_ok(sell())
        self.assertEqual((item["status"], poor.size()), ("FILLED", "-1"))
        # 4000 and the open loss of 3846.2
        self.assertEqual(Decimal(poor.position()["margin"]), Decimal("7846.2"))


class OutsideTheBand(BadInput):
    """Ruling 70: a stop's limit is not checked when it is placed, and is moved to the band's edge when it fires: 101000
    and 5 % are 106050."""

    def test_a_stop_whose_limit_is_outside(self):
        stop = lambda name, limit: perps_order(name, BUY, limit, "0.1", type=LIMIT, modifier=STOP,
                                               stop=("101000", STOP_LOSS, MARK_PRICE))
        told = {"rule": "at most markPrice*(1+buyLimitUpRatio) (perps place rule 3)", "field": "price",
                "got": "105000.1", "need": "105000"}
        self.refuses(lambda: self.a.place(perps_order("order", BUY, "105000.1", "0.1")), 42205,
                     "price is outside the limit band", told)
        beyond, within = (self.items_ok(self.a.place(stop(*row)))[0]["orderID"]
                          for row in (("beyond", "150000"), ("within", "106050")))
        self.assertEqual(self.prices_of(beyond, within), ["150000", "106050"])
        stream = Stream(self.server, "/ws/perps")
        self.addCleanup(stream.end)
        self.assertTrue(stream.subscribe("accountOrderUpdate", user=self.a.address)["success"])
        self.index("101000")
        self.wait("BTC-USD", "101000")
        pushed = lambda: stream.next(lambda message: message.get("channel") == "accountOrderUpdate"
                                     and message["data"]["i"] == beyond)["data"]
        self.assertEqual([(row["x"], row["X"], row["p"]) for row in (pushed(), pushed())],
                         [("REPLACED", "TRIGGERED", "106050"), ("NEW", "NEW", "106050")])
        self.assertEqual(self.prices_of(beyond, within), ["106050", "106050"])
        self.assertEqual(self.ok(self.a.get("/markets/BTC-USD/orderbook"))["bids"], [["106050", "0.2"]])
        self.trades_at_the_edge(beyond)

    def prices_of(self, *ids):
        rows = {row["orderID"]: row["price"] for row in self.ok(self.a.mine("orders"))["orders"]}
        return [rows[id] for id in ids]

    def trades_at_the_edge(self, beyond):
        item, = self.items_ok(self.b.place(perps_order("takes", SELL, "101000", "0.2")))
        self.assertEqual(item["status"], "FILLED")
        self.assertEqual({row["price"] for row in self.ok(self.a.mine("trades"))}, {"106050"})
        ended = next(row for row in self.ok(self.a.mine("orders/history")) if row["orderID"] == beyond)
        self.assertEqual((ended["price"], ended["status"]), ("106050", "FILLED"))
        # the order that the band refused before the mark had risen
        self.items_ok(self.a.place(perps_order("again", BUY, "106050", "0.1")))


class LastIdOfAKey(BadInput):
    """Ruling 69: 2^64-1 is an id like any other, and that of one signer alone."""

    def setUp(self):
        super().setUp()
        wallet, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": self.a.id, "name": "mover", "type": 1, "publicKey": wallet.address, "expiresAt": 0}
        self.ok(self.a.client.connection.send("POST", "/api/v1/spot/accounts/api-keys", compact(body), {
            "Content-Type": "application/json", "X-API-Nonce": str(nonce),
            "X-API-Sign": sign_key(self.a.client.wallet, body, nonce)}))
        self.key = KeyClient(self.a.client, wallet, "mover")

    def into_perps(self, client, id, amount="1"):
        body = {"id": id, "fromAccountID": client.id, "toAccountID": 999, "coinID": 0, "amount": amount,
                "type": PERPS_WITHDRAW}
        return client.write("POST", "/accounts/transfers", "transferAsset", body)

    def test_the_largest_id(self):
        integer = {"rule": "a whole number within the range of its type", "field": "id", "got": str(LAST_ID + 1),
                   "need": f"a whole number from 0 to {LAST_ID}"}
        self.refuses(lambda: self.into_perps(self.key, LAST_ID + 1), 40001, "invalid request", integer)
        before = Decimal(self.a.client.balance("vUSDC")[0])
        for _ in range(2):                                                  # the same transfer once more
            self.assertEqual(self.ok(self.into_perps(self.key, LAST_ID)), {"id": LAST_ID})
        conflict = {"rule": "a new id, or the same transfer", "field": "id", "got": str(LAST_ID)}
        self.refuses(lambda: self.into_perps(self.key, LAST_ID, "2"), 40904,
                     "transfer id was used for another transfer", conflict)
        for client, id in ((self.key, 1), (self.key, LAST_ID - 1), (self.a.client, 1), (self.a.client, LAST_ID)):
            # neither the key nor its owner has lost an id
            self.ok(self.into_perps(client, id))
        self.ok(self.out_of_perps(self.a, id=LAST_ID))
        self.assertEqual(Decimal(self.a.client.balance("vUSDC")[0]), before - 5 + 1)


class AFeederThatJumps(BadInput):
    """Mechanics 3.8: a jump of more than a tenth is no price until it is confirmed, and while it is held back no money
    leaves."""

    def setUp(self):
        self.folder = Folder()
        self.venue = Venue(self.folder.__enter__(), more="oracleJumpTicks = 1000\n")
        self.server, self.data, self.count = self.venue.server, self.venue.data, 0
        self.a, self.b = self.traders = self.venue.traders()
        self.post("100000")
        self.assertTrue(wait_for(lambda: index_state(self.server.port) == "LIVE"))

    def post(self, price, **more):
        return self.venue.feeders[0].post((BTC, price), **more)

    def composition(self):
        row, = self.a.get("/markets/index-composition?symbol=BTC-USD").data
        return row

    def held(self):
        self.assertTrue(wait_for(lambda: self.composition()["heldBack"]), self.composition())

    def test_a_price(self):
        self.items_ok(self.b.place(perps_order("ask", SELL, "100000", "0.1"), chain_id=CHAIN))
        self.items_ok(self.a.place(perps_order("bid", BUY, "100000", "0.1"), chain_id=CHAIN))
        told = {"rule": NOT_LIVE, "field": "symbolID", "got": "BTC-USD HELD_BACK",
                "need": "BTC-USD LIVE with no price held back"}
        for far in ("110000.1", "89999.9"):
            # the post is valid; its price is not accepted
            self.assertEqual(self.ok(self.post(far)), None)
            self.held()
            row = self.composition()
            self.assertEqual((row["indexPrice"], row["candidatePrice"], row["candidateNeeded"]), ("100000", far, 1000))
            for trader in (self.a, self.b):
                self.refuses(lambda: self.out_of_perps(trader, chain_id=CHAIN), 42028, "prices are not live", told)
            self.assertEqual(self.composition()["indexPrice"], "100000")
            self.ok(self.post("100000"))
            self.assertTrue(wait_for(lambda: not self.composition()["heldBack"]))
            for trader in (self.a, self.b):
                self.ok(self.out_of_perps(trader, chain_id=CHAIN))
        self.ok(self.post("110000"))                                        # a tenth is accepted at once
        self.assertTrue(wait_for(lambda: self.venue.index() == "110000"))
        self.ok(self.out_of_perps(self.b, chain_id=CHAIN))

    def test_its_seq_or_its_clock(self):
        """A seq may jump ahead, never back; a clock at most five seconds ahead."""
        self.ok(self.post("100001", seq=2 ** 53))
        back = {"rule": "a seq above the feeder's last one", "field": "seq", "got": str(2 ** 53),
                "need": f"more than {2 ** 53}"}
        self.refuses(lambda: self.post("90000", seq=2 ** 53), 40102, "seq is invalid", back)
        ahead = int(time.time() * 1000) + 3600000
        clock = {"rule": "within 30 s before and 5 s after the server's time", "field": "timestamp", "got": str(ahead)}
        self.refuses(lambda: self.post("90000", seq=2 ** 53 + 1, timestamp=ahead), 40102, "timestamp is invalid", clock)
        self.ok(self.post("100002", seq=2 ** 53 + 1))
        self.assertTrue(wait_for(lambda: self.venue.index() == "100002"))

    def tearDown(self):
        self.venue.server.stop()
        self.folder.__exit__()


if __name__ == "__main__":
    main()
