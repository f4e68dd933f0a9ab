# SPDX-License-Identifier: MIT
"""Rights: every write that /openapi.json lists is sent by all users who must not be able to use it, and by all who may.

The writes come from the program's own description, so that a new one is sent automatically: a write without a row here
fails the test. The rights, RIGHTS below, are written from the interface document. Each cell is one request. A forbidden
request is refused with its code, changes nothing readable, is in no block, and leaves its nonce free, which the main
wallet's use of the same nonce at the end of the row proves.
"""
import itertools
import json
import time

from harness import (BTC, BUY, Case, Connection, PERPS_BASE, Perps, Server, action_digest, compact, fresh_nonce, main,
                     order, perps_order,
                     signature_text)
from keys import CANCEL, EVM_WITHDRAW, PERPS_WITHDRAW, SPOT_WITHDRAW, TRADE, TRANSFER, WITHDRAW, new_wallet, sign_key

WALLET_ONLY = -1                # no key may, whatever its rights
SPOT = "/api/v1/spot"
# type signed for → the right that a key loses it with (wire 4; a transfer: by its direction, below)
RIGHTS = {"batchNewOrder": TRADE, "replaceOrder": TRADE, "newOrder": TRADE, "modifyOrder": TRADE,
          "updateLeverage": TRADE, "updateMargin": TRADE,
          "batchCancelOrder": CANCEL, "cancelOrder": CANCEL, "scheduleCancel": CANCEL, "addAPIKey": WALLET_ONLY,
          "revokeAPIKey": WALLET_ONLY}
DIRECTIONS = {EVM_WITHDRAW: WITHDRAW, PERPS_WITHDRAW: TRANSFER, SPOT_WITHDRAW: TRANSFER}
MASKS = {"no trade": TRADE, "no cancel": CANCEL, "no withdrawal": WITHDRAW, "no transfer": TRANSFER, "no right": 15}
NOT_SIGNED_BY_USERS = {"oraclePrices", None}        # feeders (tests/e2e/oracle.py), and /rpc


class Write:
    """A write of the interface with a valid body for the account."""

    def __init__(self, path, method, row, direction=None):
        self.path, self.method, self.type, self.direction = path, method.upper(), row["x-signed-type"], direction
        self.domain = row["x-signed-domain"]
        self.base = path.split("/")[3]
        self.right = DIRECTIONS[direction] if self.type == "transferAsset" else RIGHTS[self.type]

    def __str__(self):
        return f"{self.method} {self.path}" + (f" type {self.direction}" if self.direction else "")


class Rights(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.a, cls.b, *_ = cls.server.accounts()
        cls.count = itertools.count()
        cls.blocks = Connection(cls.server.port)
        cls.keys_of_a = {}
        for name, mask in MASKS.items():
            cls.keys_of_a[name] = cls.register(cls.a, name.replace(" ", "-"), mask)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    @classmethod
    def register(cls, owner, name, mask=0, expires=0):
        wallet, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": owner.id, "name": name, "type": 1, "publicKey": wallet.address, "expiresAt": expires,
                "permissions": mask}
        headers = {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                   "X-API-Sign": sign_key(owner.wallet, body, nonce, "UserSignedAddPermissionedAPIKeyAction")}
        reply = owner.connection.send("POST", SPOT + "/accounts/api-keys", compact(body), headers)
        assert reply.code == 0, reply
        return name, wallet

    def writes(self):
        document = self.a.connection.send("GET", "/openapi.json").json
        for path, methods in document["paths"].items():
            for method, row in methods.items():
                if method == "get" or row.get("x-signed-type") in NOT_SIGNED_BY_USERS:
                    continue
                if row["x-signed-type"] != "transferAsset":
                    self.assertIn(row["x-signed-type"], RIGHTS, "a write that nobody has thought about")
                    yield Write(path, method, row)
                    continue
                for direction in ((EVM_WITHDRAW, PERPS_WITHDRAW) if path.startswith(SPOT) else (SPOT_WITHDRAW,)):
                    yield Write(path, method, row, direction)

    # ---- bodies

    def prepare(self, write):
        """A body that succeeds with the main wallet's signature, or that at least is refused by a rule and not for its
        signer."""
        number, owner = next(self.count), self.a
        perps = Perps(owner)
        if write.type == "batchNewOrder":
            return {"accountID": owner.id, "orders": [order(f"n-{number}", BUY, "96000", "0.001")]}
        if write.type == "newOrder":
            return {"accountID": owner.id, "symbolID": BTC,
                    "orders": [perps_order(f"n-{number}", BUY, "96000", "0.001")]}
        if write.type in ("batchCancelOrder", "cancelOrder", "replaceOrder"):
            spot = write.base == "spot"
            reply = owner.place(order(f"o-{number}", BUY, "96000",
                                      "0.001")) if spot else perps.place(perps_order(f"o-{number}", BUY, "96000",
                                          "0.001"))
            resting = self.items_ok(reply)[0]["orderID"]
            if write.type == "replaceOrder":
                return {"accountID": owner.id,
                        "orders": [{"symbolID": BTC, "clOrdID": f"r-{number}", "origOrderID": resting,
                                    "price": "95900"}]}
            return {"accountID": owner.id,
                    "cancels": [{"symbolID": BTC, "clOrdID": "", "orderID": resting} if spot
                                else {"symbolID": BTC, "orderID": resting}]}
        if write.type == "modifyOrder":
            return {"accountID": owner.id, "symbolID": BTC, "orderID": 10 ** 15, "stopPrice": "90000"}
        if write.type == "scheduleCancel":
            return {"accountID": owner.id, "scheduledTimestamp": int(time.time() * 1000) + 3600000 + number}
        if write.type == "updateLeverage":
            return {"accountID": owner.id, "symbolID": 2, "leverage": 5 + number % 5, "marginMode": 1}
        if write.type == "updateMargin":
            return {"accountID": owner.id, "symbolID": BTC, "amount": "1"}
        if write.type == "transferAsset":
            if write.direction == SPOT_WITHDRAW:
                body = {"id": fresh_nonce(), "fromAccountID": owner.id, "toAccountID": 999, "coinID": 0, "amount": "3",
                        "type": PERPS_WITHDRAW}
                self.ok(owner.write("POST", "/accounts/transfers", "transferAsset", body))
            return {"id": fresh_nonce(), "fromAccountID": owner.id, "toAccountID": 999, "coinID": 0, "amount": "3",
                    "type": write.direction}
        if write.type == "addAPIKey":
            return {"accountID": self.b.id, "name": f"k-{number % 5}", "type": 1, "publicKey": new_wallet().address,
                    "expiresAt": 0}
        return {"accountID": owner.id, "name": f"nobody-{number}"}

    # ---- requests

    def sign(self, write, body, nonce, wallet, **how):
        if write.type == "addAPIKey":
            return sign_key(wallet, body, nonce, chain_id=how.get("chain_id", 286623))
        payload = b'{"type":"' + write.type.encode() + b'","params":' + compact(body) + b"}"
        prefix = 2 if write.domain == "universal" else 1
        domain = how.pop("domain", write.domain)
        return signature_text(*wallet.sign_digest(action_digest(payload, nonce, domain, **how)), prefix=prefix)

    def ask(self, write, body, nonce, sign, key=None):
        lines = {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                 **({"X-API-Sign": sign} if sign is not None else {}),
                 **({"X-API-Key": key} if key else {})}
        owner = self.b if write.type == "addAPIKey" else self.a
        return owner.connection.send(write.method, write.path.replace("{userAddress}", owner.address), compact(body),
                                     lines)

    def state(self):
        """All reads of both accounts, and the number of the last command of the log."""
        seen = []
        for owner in (self.a, self.b):
            for base in (SPOT, PERPS_BASE):
                for what in ("state", "api-keys"):
                    data = owner.get(f"/accounts/{owner.address}/{what}", base).data
                    seen.append(json.dumps(data, sort_keys=True))
        return seen

    def transactions(self):
        body = compact({"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionCount",
                        "params": [self.a.address, "latest"]})
        return self.blocks.send("POST", "/rpc", body, {"Content-Type": "application/json"}).json["result"]

    def strangers(self, write, owner):
        """(description, function for signature and key header, code). A write that only the wallet may sign takes no
        key's name at all."""
        alone = write.right == WALLET_ONLY
        yield "nobody", lambda body, nonce: (None, None), 40101
        yield "another owner", lambda body, nonce: (self.sign(write, body, nonce, self.other(owner).wallet),
                                                    None), 40101
        yield "another owner, by the name of a key", lambda body, nonce: (self.sign(write, body, nonce,
            self.other(owner).wallet), "no-trade"), 40105 if alone else 40101
        yield "another owner's key", lambda body, nonce: (self.sign(write, body, nonce, self.foreign[1]),
                                                          self.foreign[0]), 40105 if alone else 40103
        yield "another owner's key, no name", lambda body, nonce: (self.sign(write, body, nonce, self.foreign[1]),
            None), 40101
        yield "a stranger", lambda body, nonce: (self.sign(write, body, nonce, self.stranger), None), 40101
        yield "a key without its name", lambda body, nonce: (self.sign(write, body, nonce, self.full[1]), None), 40101
        yield "a key by another's name", lambda body, nonce: (self.sign(write, body, nonce, self.full[1]),
            "no-trade"), 40105 if alone else 40101
        yield "a name that does not exist", lambda body, nonce: (self.sign(write, body, nonce, owner.wallet),
            "never-was"), 40105 if alone else 40103
        yield "an expired key", lambda body, nonce: (self.sign(write, body, nonce, self.expired[1]),
                                                     self.expired[0]), 40105 if alone else 40104
        yield "a revoked key", lambda body, nonce: (self.sign(write, body, nonce, self.revoked[1]),
                                                    self.revoked[0]), 40105 if alone else 40103
        for chain in (1, 31337):
            yield f"chain {chain}", lambda body, nonce, chain=chain: (self.sign(write, body, nonce, owner.wallet,
                chain_id=chain), None), 40101
        if write.type != "addAPIKey":
            for domain in ("spot", "futures", "universal", "oracle"):
                allowed = {write.domain} | ({"spot" if write.base == "spot" else "futures"}
                                            if write.type == "revokeAPIKey" and write.base != "user" else set())
                if domain in allowed or (write.base == "user" and domain in ("spot", "futures")):
                    continue
                yield f"domain {domain}", lambda body, nonce, domain=domain: (self.sign(write, body, nonce,
                    owner.wallet, domain=domain), None), 40101
        yield "another nonce", lambda body, nonce: (self.sign(write, body, nonce - 1, owner.wallet), None), 40101

    def other(self, owner):
        return self.b if owner is self.a else self.a

    def test_every_write_by_everybody(self):
        a, b = self.a, self.b
        # two keys are revoked for others; an owner has five at most
        for name in ("no withdrawal", "no right"):
            del self.keys_of_a[name]
            self.revoke(a, name.replace(" ", "-"))
        self.stranger, self.foreign = new_wallet(), self.register(b, "theirs")
        now = a.connection.send("GET", "/api/v1/time").data["serverTime"]
        self.expired = self.register(a, "brief", expires=now + 300)
        self.revoked = self.register(a, "gone")
        self.revoke(a, "gone")
        self.full = self.register(a, "full")
        time.sleep(0.4)
        cells, rows = 0, 0
        # a position, so that margin can be moved
        Perps(a).leverage(10, 1)
        for write in self.writes():
            rows += 1
            owner = b if write.type == "addAPIKey" else a
            body, nonce = self.prepare(write), fresh_nonce()
            before, count = self.state(), self.transactions()
            for who, how, code in self.strangers(write, owner):
                with self.subTest(write=str(write), who=who):
                    sign, key = how(body, nonce)
                    reply = self.ask(write, body, nonce, sign, key)
                    self.refused(reply, code)
                    self.assertEqual(self.state(), before)
                    cells += 1
            for name, (key, wallet) in self.keys_of_a.items():
                if owner is not a or (write.right != WALLET_ONLY and not MASKS[name] & write.right):
                    continue
                with self.subTest(write=str(write), who=name):
                    self.refused(self.ask(write, body, nonce, self.sign(write, body, nonce, wallet), key), 40105)
                    self.assertEqual(self.state(), before)
                    cells += 1
            if write.type != "revokeAPIKey" and write.type != "addAPIKey":
                # signed well, for an account of another owner
                for account in (b.id, 999, 1, 2 ** 53):
                    with self.subTest(write=str(write), account=account):
                        theirs = {**body, ("fromAccountID" if write.type == "transferAsset" else "accountID"): account}
                        reply = self.ask(write, theirs, nonce, self.sign(write, theirs, nonce, owner.wallet))
                        self.assertIn(reply.code, (40101, 40403), reply)
                        self.assertEqual(self.state(), before)
                        cells += 1
            self.assertEqual(self.transactions(), count, "what is refused is no transaction")
            cells += self.may(write, body, nonce, owner)
        print(f"      (G22: {cells} cells, {rows} writes)", flush=True)
        self.assertGreaterEqual(cells, 300)

    def test_a_wrong_table_is_noticed(self):
        """The matrix can fail: a cell with a wrong right does."""
        key, wallet = self.register(self.b, "planted", CANCEL)
        body = {"accountID": self.b.id, "orders": [order("planted", BUY, "96000", "0.001")]}
        nonce = fresh_nonce()
        headers = {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                   "X-API-Sign": wallet.sign("batchNewOrder", compact(body), nonce), "X-API-Key": key}
        with self.assertRaises(AssertionError):
            self.refused(self.b.connection.send("POST", SPOT + "/trade/orders/batch", compact(body), headers), 40105)
        self.assertEqual(len(self.b.open_orders()), 1)
        self.items_ok(self.b.cancel({"symbolID": BTC, "clOrdID": "planted"}))
        self.revoke(self.b, "planted")

    def may(self, write, body, nonce, owner):
        """Every permitted signer succeeds: a key with the right, and with the nonce of all refusals the main wallet."""
        asked = 0
        if write.right != WALLET_ONLY:
            for key, wallet in [self.full] + [pair for name, pair in self.keys_of_a.items()
                                              if not MASKS[name] & write.right]:
                with self.subTest(write=str(write), who=key + " may"):
                    again = self.prepare(write)
                    self.assert_let_in(self.ask_fresh(write, again, wallet, key))
                    asked += 1
        with self.subTest(write=str(write), who="the main wallet"):
            self.assert_let_in(self.ask(write, body, nonce, self.sign(write, body, nonce, owner.wallet)))
        if write.type == "addAPIKey":
            self.revoke(owner, body["name"])
        return asked + 1

    def ask_fresh(self, write, body, wallet, key):
        nonce = fresh_nonce()
        return self.ask(write, body, nonce, self.sign(write, body, nonce, wallet), key)

    def assert_let_in(self, reply):
        """The engine decided, not the check of rights: a success, or a rule of the exchange."""
        self.assertNotIn(reply.code // 100, (400, 401), reply)
        self.assertNotIn(reply.code, (50301, 40403), reply)
        self.assertIn("x-chain-tx", reply.headers, reply)

    def revoke(self, owner, name):
        raw, nonce = compact({"accountID": owner.id, "name": name}), fresh_nonce()
        payload = b'{"type":"revokeAPIKey","params":' + raw + b"}"
        sign = signature_text(*owner.wallet.sign_digest(action_digest(payload, nonce, "universal")), prefix=2)
        self.ok(owner.connection.send("DELETE", SPOT + "/accounts/api-keys", raw,
                                      {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                       "X-API-Sign": sign}))


if __name__ == "__main__":
    main()
