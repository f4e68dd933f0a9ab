# SPDX-License-Identifier: MIT
"""Attacks with requests that were signed once: sent again, elsewhere, later, changed, to the other engine, for another
account, after a kill, from a snapshot. None of them may run, and each gets its code.

With tests/e2e/signing.py (forms of signatures and nonces, bodies with other contents), keys.py (keys that are
registered again) and rights.py (all other users' signatures on every write) this is the whole replay and forgery suite.
"""
import http.client
import json
import os
import random
import time

from harness import (BTC, BUY, PERPS_BASE, SELL, Case, Client, Connection, Folder, Perps, Server, Wallet, compact,
                     fresh_nonce, main, order,
                     perps_order)
from keys import new_wallet, sign_key
from shadow import CONFIG, wait_for
from signing import BATCH, DAY

SPOT = "/api/v1/spot"
SEED = int(os.environ.get("E2E_SEED", "11"))


class Tape(Connection):
    """A connection that records every write sent over it, byte for byte."""

    def __init__(self, port):
        super().__init__(port)
        self.writes = []

    def send(self, method, path, body=None, headers=()):
        reply = super().send(method, path, body, headers)
        if body is not None and "X-API-Sign" in dict(headers):
            self.writes.append((method, path, body, dict(headers), reply.code))
        return reply


class From(Connection):
    """A connection from another address of this machine."""

    def __init__(self, port, address):
        super().__init__(port)
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(address, 0))


def rpc(connection, method, *params):
    body = compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
    return connection.send("POST", "/rpc", body, {"Content-Type": "application/json"}).json["result"]


def sent_again(connection, write, **change):
    method, path, body, headers, _ = write
    return connection.send(method, change.get("path", path), change.get("body", body),
                           {**headers, **change.get("headers", {})})


class Forgery(Case):
    def setUp(self):
        self.count = 0

    def order(self, price="96000", quantity="0.001", side=BUY):
        self.count += 1
        return order(f"f-{self.count}", side, price, quantity)

    def everything(self, clients):
        """All reads of some accounts, histories included."""
        seen = []
        for client in clients:
            for base in (SPOT, PERPS_BASE):
                for what in ("state", "api-keys", "trades", "orders/history"):
                    seen.append(json.dumps(client.get(f"/accounts/{client.address}/{what}", base).data, sort_keys=True))
        return seen

    def some_of_everything(self, a, b):
        """A write of every kind that is accepted, and some that a rule refuses."""
        p = Perps(a)
        resting = self.items_ok(a.place(self.order(), self.order()))
        self.items_ok(b.place(self.order("96000", "0.0005", SELL)))
        self.items_ok(a.replace({"symbolID": BTC, "clOrdID": "f-r", "origOrderID": resting[1]["orderID"],
                                 "price": "95900"}))
        self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "", "orderID": resting[1]["orderID"]}))
        self.item_refused(a.place(self.order("96000.01")), 42201)
        at = int(time.time() * 1000) + DAY // 2
        self.ok(a.schedule(at))
        self.ok(p.schedule(at))
        transfer = {"id": fresh_nonce(), "fromAccountID": a.id, "toAccountID": 999, "coinID": 0, "amount": "500",
                    "type": 3}
        self.ok(a.write("POST", "/accounts/transfers", "transferAsset", transfer))
        self.ok(p.leverage(7))
        placed = self.items_ok(p.place(perps_order("f-p", BUY, "96000", "0.01"),
                                       perps_order("f-q", BUY, "95000", "0.01")))
        self.items_ok(p.replace({"symbolID": BTC, "clOrdID": "f-s", "origOrderID": placed[0]["orderID"],
                                 "price": "95800"}))
        self.items_ok(p.cancel(placed[1]["orderID"]))
        p.margin("1")                               # refused: there is no isolated position
        p.modify(placed[0]["orderID"], stopPrice="90000")           # refused: it is no stop
        wallet, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": a.id, "name": "kept", "type": 1, "publicKey": wallet.address, "expiresAt": 0}
        self.ok(a.connection.send("POST", SPOT + "/accounts/api-keys", compact(body),
                                  {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                   "X-API-Sign": sign_key(a.wallet, body, nonce)}))

    def all_are_replays(self, connection, writes, dice, times=1):
        """Every one of them, in any order, is known; how many there were."""
        asked = 0
        for _ in range(times):
            for write in dice.sample(writes, len(writes)):
                details = self.refused(sent_again(connection, write), 40102, "nonce is invalid")
                self.assertIn(details["reason"], ("used", "too small"))
                asked += 1
        return asked

    # ---- the same bytes

    def test_nothing_of_a_history_runs_twice(self):
        """From elsewhere, in any order, at once and after kills; of those that were refused by a rule too."""
        dice, asked = random.Random(SEED), 0
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--no-limits", data=data)
            try:
                a, b, *_ = server.accounts()
                tape = Tape(server.port)
                a, b = Client(server, a.wallet, a.id, tape), Client(server, b.wallet, b.id, tape)
                self.some_of_everything(a, b)
                self.assertGreaterEqual(len({(method, path) for method, path, *_ in tape.writes}), 12)
                for how in ("live", "kill", "stop", "kill"):
                    with self.subTest(how):
                        if how != "live":
                            self.assertIn(server.kill() if how == "kill" else server.stop(), (0, -9))
                            server = Server("--no-limits", data=data)
                        clients = [client.on(server) for client in (a, b)]
                        before = self.everything(clients)
                        for address in ("127.0.0.1", "127.3.0.7"):
                            asked += self.all_are_replays(From(server.port, address), tape.writes, dice, 2)
                        self.assertEqual(self.everything(clients), before)
                print(f"      (G21: {asked} replays of {len(tape.writes)} writes, 0 effects, seed {SEED})", flush=True)
            finally:
                server.kill()

    def test_a_start_from_a_snapshot_knows_them_too(self):
        """Nonces are in the snapshot: those of the log before it are not read again, and still nothing runs twice."""
        dice, owner = random.Random(SEED), Wallet("0x" + "61" * 32)
        with Folder() as folder:
            data, config = os.path.join(folder, "data"), os.path.join(folder, "dojima.ini")
            with open(config, "w", encoding="ascii") as file:
                file.write(CONFIG.format(data=data) + f"[account {owner.address}]\nvUSDC = 100000\n")

            def serve():
                return Server("--config", config, command="serve", json_banner=False).wait_for_port()

            server = serve()
            try:
                tape = Tape(server.port)
                a = Client(server, owner, 1001, tape)
                for index in range(12):
                    self.items_ok(a.place(order(f"s-{index}", BUY, "96", "1"), chain_id=77))
                self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "s-3"}, chain_id=77))
                wait_for(lambda: os.path.exists(os.path.join(data, "snapshot-a")))
                wait_for(server.history_is_written)      # a snapshot ahead of the history is passed over
                server.kill()
                server = serve()
                self.assertIn("the log is read from there", server.stderr())
                a = a.on(server)
                before = len(a.open_orders())
                self.all_are_replays(a.connection, tape.writes, dice, 2)
                self.assertEqual((len(a.open_orders()), before), (11, 11))
            finally:
                server.kill()

    def test_a_write_is_good_for_its_own_path_alone(self):
        """The bytes of each, with a nonce that was never used, on every path of every method: refused, without a
        trace."""
        with Server("--no-limits") as server:
            a, b, *_ = server.accounts()
            tape, asked = Tape(server.port), 0
            client = Client(server, a.wallet, a.id, tape)
            paths = [(method.upper(), path)
                     for path, rows in a.connection.send("GET", "/openapi.json").json["paths"].items()
                     for method, row in rows.items() if row.get("x-signed-type") not in (None, "oraclePrices")]
            self.some_of_everything(client, b)
            writes = {(method, path): (method, path, body, headers) for method, path, body, headers, _ in tape.writes}
            before, count = self.everything([a, b]), rpc(a.connection, "eth_getTransactionCount", a.address, "latest")
            for method, path, body, headers in writes.values():
                type_of = {"/trade/orders/batch": {"POST": "batchNewOrder", "DELETE": "batchCancelOrder"},
                           "/trade/orders": {"POST": "newOrder", "DELETE": "cancelOrder"}}
                tail = path.replace(SPOT, "").replace(PERPS_BASE, "")
                action = type_of.get(tail, {}).get(method) or {"replace": "replaceOrder", "modify": "modifyOrder",
                    "schedule-cancel": "scheduleCancel",
                                                               "leverage": "updateLeverage", "margin": "updateMargin",
                                                               "transfers": "transferAsset"}.get(tail.rsplit("/", 1)[1])
                if action is None:
                    # a key: its path has a test of its own, its proof is good on all of them (wire 4)
                    continue
                nonce = fresh_nonce()
                domain = "spot" if path.startswith(SPOT) else "futures"
                headers = {**headers, "X-API-Nonce": str(nonce),
                           "X-API-Sign": a.wallet.sign(action, body, nonce, domain=domain)}
                for other_method, other in paths:
                    if (other_method, other) == (method, path):
                        continue
                    with self.subTest(signed_for=f"{method} {path}", sent_to=f"{other_method} {other}"):
                        reply = a.connection.send(other_method, other.replace("{userAddress}", a.address), body,
                                                  headers)
                        self.refused(reply, reply.code)
                        self.assertIn(reply.code, (40001, 40002, 40003, 40004, 40005, 40101, 40403), reply)
                        asked += 1
            self.assertEqual(self.everything([a, b]), before)
            self.assertEqual(rpc(a.connection, "eth_getTransactionCount", a.address, "latest"), count)
            self.assertGreater(asked, 150)

    def test_the_other_engine_and_the_other_account(self):
        """A body that both bases accept under the same name is valid on one of them; one that names an account is valid
        for that one."""
        with Server("--no-limits") as server:
            a, b, *_ = server.accounts()
            for tail, action, body in (("/trade/orders/schedule-cancel", "scheduleCancel",
                                        {"accountID": a.id, "scheduledTimestamp": int(time.time() * 1000) + 3600000}),
                                       ("/trade/orders/replace", "replaceOrder",
                                        {"accountID": a.id, "orders": [{"symbolID": BTC, "clOrdID": "x",
                                            "origOrderID": 7, "price": "1"}]})):
                for domain, wrong in (("spot", PERPS_BASE), ("futures", SPOT)):
                    with self.subTest(action, signed_for=domain):
                        nonce, raw = fresh_nonce(), compact(body)
                        headers = a.headers(action, raw, nonce, domain=domain)
                        self.refused(a.connection.send("POST", wrong + tail, raw, headers), 40101)
                        right = SPOT if domain == "spot" else PERPS_BASE
                        # and its nonce was free
                        self.ok(a.connection.send("POST", right + tail, raw, headers))
                        used = self.refused(a.connection.send("POST", right + tail, raw, headers), 40102)
                        self.assertEqual(used["reason"], "used")
            with self.subTest("one set of nonces per domain"):
                nonce = fresh_nonce()
                self.items_ok(a.place(self.order(), nonce=nonce))
                self.ok(Perps(a).schedule(None, nonce=nonce))
                self.assertEqual(self.refused(Perps(a).schedule(None, nonce=nonce), 40102)["reason"], "used")
            nonce, raw = fresh_nonce(), compact({"accountID": a.id, "orders": [self.order()]})
            headers = a.headers("batchNewOrder", raw, nonce)
            swapped = raw.replace(b'"accountID":%d' % a.id, b'"accountID":%d' % b.id)
            self.refused(a.connection.send("POST", BATCH, swapped, headers), 40101)
            self.assertEqual(b.open_orders(), [])

    def test_a_wallet_and_its_key_have_nonces_of_their_own(self):
        with Server("--no-limits") as server:
            a, *_ = server.accounts()
            wallet, nonce = new_wallet(), fresh_nonce()
            body = {"accountID": a.id, "name": "mine", "type": 1, "publicKey": wallet.address, "expiresAt": 0}
            self.ok(a.connection.send("POST", SPOT + "/accounts/api-keys", compact(body),
                                      {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                       "X-API-Sign": sign_key(a.wallet, body, nonce)}))
            nonce, raw = fresh_nonce(), compact({"accountID": a.id, "orders": [self.order()]})
            by_wallet = a.headers("batchNewOrder", raw, nonce)
            by_key = {**Client(server, wallet, a.id).headers("batchNewOrder", raw, nonce), "X-API-Key": "mine"}
            # the wallet's signature is not the key's
            self.refused(a.connection.send("POST", BATCH, raw, {**by_wallet, "X-API-Key": "mine"}), 40101)
            self.refused(a.connection.send("POST", BATCH, raw, {**by_key, "X-API-Key": "default"}), 40101)
            self.items_ok(a.connection.send("POST", BATCH, raw, by_wallet))
            # The key has not used this nonce; a rule refuses its request, as the id is taken, and that uses
            # it up.
            self.item_refused(a.connection.send("POST", BATCH, raw, by_key), 40901)
            for headers in (by_wallet, by_key):
                self.assertEqual(self.refused(a.connection.send("POST", BATCH, raw, headers), 40102)["reason"], "used")
            self.assertEqual(len(a.open_orders()), 1)

    # ---- the window and the floor

    def test_a_hundred_nonces_of_tomorrow_close_today(self):
        """A signer may do this to itself: nonces below the smallest of its hundred highest are refused, for good."""
        with Server("--no-limits") as server:
            a, b, *_ = server.accounts()
            start = int(time.time() * 1000) + DAY - 60000
            for index in range(100):
                self.items_ok(a.place(order(f"t-{index}", BUY, "96000", "0.00006"), nonce=start + index))
            details = self.refused(a.place(self.order(), nonce=fresh_nonce()), 40102)
            self.assertEqual(details["reason"], "too small")
            self.assertEqual(self.refused(a.place(self.order(), nonce=start), 40102)["reason"], "used")
            self.items_ok(a.place(self.order(), nonce=start + 100))             # it drops the first
            self.assertEqual(self.refused(a.place(self.order(), nonce=start), 40102)["reason"], "too small")
            self.items_ok(b.place(self.order(), nonce=fresh_nonce()))           # others are as they were

    # ---- refused requests

    def test_refused_for_want_of_money_is_not_asked_again(self):
        """Its nonce is used: when the money is there, a holder of the request cannot execute it later."""
        with Server("--no-limits") as server:
            a, *_ = server.accounts()
            tape = Tape(server.port)
            poor = Client(server, a.wallet, a.id, tape)
            total = float(a.balance("vUSDC")[0])
            reply = poor.place(order("dear", BUY, "100000", f"{total / 100000 + 1:.5f}"))
            self.item_refused(reply, 42001)
            rpc(a.connection, "dojima_deposit", {"address": a.address, "coin": "vUSDC", "amount": "1000000"})
            self.assertEqual(self.refused(sent_again(tape, tape.writes[0]), 40102)["reason"], "used")
            self.assertEqual(a.open_orders(), [])

    def test_what_the_limits_sent_away_runs_once(self):
        """429 comes before the signature is checked: the nonce is free, and once it has run it is not."""
        with Server(limits=True) as server:
            a, *_ = server.accounts()
            tape = Tape(server.port)
            client = Client(server, a.wallet, a.id, tape)
            for _ in range(1300):
                if client.get("/markets/symbols").status == 429:
                    break
            self.assertEqual(client.place(self.order()).status, 429)
            self.assertEqual(a.on(server).connection.send("GET", "/healthz").status, 200)
            elsewhere = From(server.port, "127.0.0.9")
            self.assertIsNotNone(rpc(elsewhere, "evm_increaseTime", 62))
            self.items_ok(sent_again(tape, tape.writes[0]))
            for connection in (tape, elsewhere):
                self.assertEqual(self.refused(sent_again(connection, tape.writes[0]), 40102)["reason"], "used")
            self.assertEqual(len(client.open_orders()), 1)

    # ---- bodies changed on the way, with the same meaning

    def test_other_spellings_of_what_was_signed(self):
        """Each is sent with the signature of the plain form. Only white space, the order of keys, and decimals with
        trailing zeros are the same request (ruling 4, signing.py); every other spelling is refused and leaves the nonce
        free."""
        with Server("--no-limits") as server:
            a, *_ = server.accounts()
            for name, change, codes in (
                    ("a digit escaped in a price", lambda raw: raw.replace(b'"96000"', b'"9600\\u0030"'), (40001,)),
                    ("a letter escaped in an id", lambda raw: raw.replace(b'"f-', b'"\\u0066-'), (40001, 40004)),
                    ("a letter escaped in a key", lambda raw: raw.replace(b'"side"', b'"\\u0073ide"'), (40001,)),
                    ("a slash escaped in a key", lambda raw: raw.replace(b'"side"', b'"si\\/de"'), (40001,)),
                    ("a number as a string", lambda raw: raw.replace(b'"side":1', b'"side":"1"'), (40001,)),
                    ("a string as a number", lambda raw: raw.replace(b'"price":"96000"', b'"price":96000'), (40001,)),
                    ("an exponent", lambda raw: raw.replace(b'"side":1', b'"side":1e0'), (40001,)),
                    ("a fraction", lambda raw: raw.replace(b'"side":1', b'"side":1.0'), (40001,)),
                    ("an exponent in a string", lambda raw: raw.replace(b'"96000"', b'"9.6e4"'), (40001,)),
                    ("a leading zero in a string", lambda raw: raw.replace(b'"96000"', b'"096000"'), (40001,)),
                    ("a plus in a string", lambda raw: raw.replace(b'"96000"', b'"+96000"'), (40001,)),
                    ("a doubled key, first", lambda raw: raw.replace(b'"side":1', b'"side":2,"side":1'), (40001,)),
                    ("a doubled key, last", lambda raw: raw.replace(b'"side":1', b'"side":1,"side":2'), (40001,)),
                    ("another key", lambda raw: raw[:-1] + b',"note":1}', (40001,)),
                    ("a key in capitals", lambda raw: raw.replace(b'"side"', b'"SIDE"'), (40001,)),
                    ("a byte order mark", lambda raw: b"\xef\xbb\xbf" + raw, (40001,)),
                    ("bytes behind", lambda raw: raw + b"\0", (40001,)),
                    ("a value behind", lambda raw: raw + b"{}", (40001,)),
                    ("a null member", lambda raw: raw[:-1] + b',"builder":null}', (40001, 40005)),
                    ("another price", lambda raw: raw.replace(b'"96000"', b'"96000.1"'), (40101,)),
                    ("no account", lambda raw: raw.replace(b'"accountID":%d,' % a.id, b""), (40101,))):
                with self.subTest(name):
                    nonce, raw = fresh_nonce(), compact({"accountID": a.id, "orders": [self.order()]})
                    headers, changed = a.headers("batchNewOrder", raw, nonce), change(raw)
                    self.assertNotEqual(changed, raw)
                    reply = a.connection.send("POST", BATCH, changed, headers)
                    self.assertIn(reply.code, codes, reply)
                    self.refused(reply, reply.code)
                    self.assertEqual(a.open_orders(), [])
                    item, = self.items_ok(a.connection.send("POST", BATCH, raw, headers))
                    self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))


if __name__ == "__main__":
    main()
