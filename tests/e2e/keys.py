# SPDX-License-Identifier: MIT
"""API keys, transfers and sub-accounts from outside, signed by a signer that shares no code with the program.

Registration is typed data of its own; the digests here are made from the type strings of the interface document. A
refused request must leave everything as it was, its nonce included.
"""
import hashlib
import json
import time

from harness import (BTC, BUY, SELL, Case, Client, Folder, Server, Wallet, action_digest, compact, domain_separator,
                     fresh_nonce, keccak, main, order, run,
                     signature_text, word)

SPOT, PERPS = "/api/v1/spot", "/api/v1/perps"
TRADE, CANCEL, WITHDRAW, TRANSFER = 1, 2, 4, 8
EVM_WITHDRAW, PERPS_WITHDRAW, SPOT_WITHDRAW = 2, 3, 5
GATEWAY = "0x" + "01" * 20

SEVEN = [("uint64", "chainID"), ("uint64", "nonce"), ("uint64", "accountID"), ("string", "name"), ("uint8", "keyType"),
         ("bytes", "publicKey"), ("uint64", "expiresAt")]
TYPES = {
    "AddAPIKey": SEVEN[2:] + [("uint64", "nonce")],
    "UserSignedAddAPIKeyAction": SEVEN,
    "UserSignedAddPermissionedAPIKeyAction": SEVEN + [("uint64", "permissions")],
    "AddAPIKeyWithBuilder": SEVEN + [("uint64", "builderID"), ("uint64", "maxFeeRate")],
    "ApproveBuilderFeeAction": [("uint64", "chainID"), ("uint64", "nonce"), ("uint64", "accountID"),
                                ("uint64", "builderID"), ("uint64", "maxFeeRate")],
}


def typed_digest(primary, message, chain_id):
    members = TYPES[primary]
    data = keccak((primary + "(" + ",".join(f"{kind} {name}" for kind, name in members) + ")").encode())
    for kind, name in members:
        value = message[name]
        if kind == "string":
            data += keccak(value.encode())
        elif kind == "bytes":
            data += keccak(bytes.fromhex(value[2:]))
        else:
            data += word(value)
    return keccak(b"\x19\x01" + domain_separator("universal", chain_id) + keccak(data))


def sign_key(wallet, body, nonce, primary="AddAPIKey", chain_id=286623, message_chain=286623):
    message = {"chainID": message_chain, "nonce": nonce, "keyType": body["type"], **body}
    if "builder" in body:
        message.update(builderID=body["builder"]["id"], maxFeeRate=body["builder"]["fee"])
    return signature_text(*wallet.sign_digest(typed_digest(primary, message, chain_id)), prefix=2)


_wallets = 0


def new_wallet():
    global _wallets
    _wallets += 1
    return Wallet(hashlib.sha256(f"key {_wallets}".encode()).hexdigest())


class KeyClient(Client):
    """An account that signs with one of its API keys."""

    def __init__(self, owner, wallet, name, account_id=None):
        super().__init__(owner.server, wallet, account_id or owner.id)
        self.address, self.name = owner.address, name

    def headers(self, action, body, nonce=None, **how):
        return {**super().headers(action, body, nonce, **how), "X-API-Key": self.name}


class Keys(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.data = cls.folder.__enter__()
        cls.server = Server("--no-limits", data=cls.data)
        cls.accounts = cls.server.accounts()
        cls.a, cls.b, cls.c, cls.d, cls.e, cls.f, cls.g, cls.h, cls.i, cls.j = cls.accounts
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        """The whole folder, every signature of it, proves itself at the end."""
        cls.server.stop()
        code, out, err = run("verify", "--signatures", "--json", cls.data)
        cls.folder.__exit__()
        assert code == 0, (code, out, err)
        assert json.loads(out)["signatures"] > 50, out

    # ---- helpers

    def body(self, owner, wallet, name, expires=0, **more):
        return {"accountID": owner.id, "name": name, "type": 1, "publicKey": wallet.address, "expiresAt": expires,
                **more}

    def send(self, method, path, body, sign, nonce, connection, **headers):
        lines = {"Content-Type": "application/json", "X-API-Nonce": str(nonce), "X-API-Sign": sign}
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        return connection.send(method, path, body if isinstance(body, bytes) else compact(body), lines)

    def add(self, owner, wallet, name, primary="AddAPIKey", path=SPOT + "/accounts/api-keys", nonce=None, signer=None,
            headers={}, chain=286623, **more):
        body, nonce = self.body(owner, wallet, name, **more), nonce or fresh_nonce()
        sign = sign_key(signer or owner.wallet, body, nonce, primary, chain)
        return self.send("POST", path, body, sign, nonce, owner.connection, **headers)

    def revoke(self, owner, name, domain="universal", path=SPOT + "/accounts/api-keys", nonce=None, signer=None,
               headers={}):
        raw, nonce = compact({"accountID": owner.id, "name": name}), nonce or fresh_nonce()
        payload = b'{"type":"revokeAPIKey","params":' + raw + b"}"
        sign = signature_text(*(signer or owner.wallet).sign_digest(action_digest(payload, nonce, domain)),
                              prefix=2 if domain == "universal" else 1)
        return self.send("DELETE", path, raw, sign, nonce, owner.connection, **headers)

    def key(self, owner, name, **more):
        """A registered key, ready to trade."""
        wallet = new_wallet()
        self.ok(self.add(owner, wallet, name, primary="UserSignedAddPermissionedAPIKeyAction" if "permissions" in more
                         else "AddAPIKey", **more))
        return KeyClient(owner, wallet, name)

    def names(self, owner, base=SPOT, query=""):
        return [key["name"]
                for key in self.ok(owner.connection.send("GET", f"{base}/accounts/{owner.address}/api-keys{query}"))]

    def order_of(self, price="96000", quantity="0.001"):
        type(self).count += 1
        return order(f"k-{self.count}", BUY, price, quantity)

    def transfer(self, client, amount, type, id=None, base=SPOT, coin=0, nonce=None, account=None, to=999):
        body = compact({"id": id or fresh_nonce(), "fromAccountID": account or client.id, "toAccountID": to,
                        "coinID": coin, "amount": amount, "type": type})
        domain = "spot" if base == SPOT else "futures"
        headers = client.headers("transferAsset", body, nonce, domain=domain)
        return client.connection.send("POST", base + "/accounts/transfers", body, headers)

    def wallet_of(self, client, query=""):
        rows = self.ok(client.connection.send("GET", f"{PERPS}/accounts/{client.address}/balances{query}"))["balances"]
        return next((row["total"] for row in rows if row["coin"] == "vUSDC"), "0")

    def user(self, what, client, query=""):
        return self.ok(client.connection.send("GET", f"/api/v1/user/{client.address}/{what}{query}"))

    # ---- registering

    def test_every_spelling_on_every_endpoint_family(self):
        """Each family has an owner of its own: an owner may revoke 32 keys within three days (ruling 73), and each
        family revokes 15."""
        families = {"spot": (self.a, SPOT + "/accounts/api-keys"), "perps": (self.j, PERPS + "/accounts/api-keys"),
                    "user": (self.f, f"/api/v1/user/{self.f.address}/api-keys")}
        number = 0
        for family, (owner, path) in families.items():
            for primary, more in (("AddAPIKey", {}), ("UserSignedAddAPIKeyAction", {}),
                                  ("UserSignedAddPermissionedAPIKeyAction", {"permissions": 0}),
                                  ("UserSignedAddPermissionedAPIKeyAction", {"permissions": TRANSFER}),
                                  ("AddAPIKey", {"permissions": 0})):
                for headers in ({}, {"X_API_Chain": "286623"}, {"X_API_Key": "default"}):
                    with self.subTest(family=family, primary=primary, headers=headers, **more):
                        number += 1
                        wallet, name = new_wallet(), f"spell-{number}"
                        reply = self.add(owner, wallet, name, primary, path, headers=headers, **more)
                        self.ok(reply)
                        self.assertNotIn("data", reply.json)
                        self.assertIn("x-chain-tx", reply.chain)
                        row, = [key for key in self.ok(owner.mine("api-keys")) if key["name"] == name]
                        self.assertEqual(row, {"name": name, "type": "EVM", "publicKey": wallet.address, "expiresAt": 0,
                                               "permissions": more.get("permissions", 0)})
                        self.assertEqual(self.user("api-keys", owner, f"?name={name}"), {"spot": [row], "perps": [row]})
                        trader = KeyClient(owner, wallet, name)
                        item, = self.items_ok(trader.place(self.order_of()))
                        self.items_ok(trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
                        domain = "universal" if number % 2 else "spot"
                        self.ok(self.revoke(owner, name, domain))
            self.assertEqual(self.names(owner), [])

    def test_other_chains_and_the_second_chain_id(self):
        for chain, message, header in ((138565, 138565, "138565"), (138565, 138565, None), (1, 286623, "1"),
                                       (42161, 138565, "42161")):
            for primary in ("AddAPIKey", "UserSignedAddAPIKeyAction"):
                with self.subTest(chain=chain, message=message, header=header, primary=primary):
                    wallet, nonce = new_wallet(), fresh_nonce()
                    body = self.body(self.b, wallet, "chain")
                    sign = sign_key(self.b.wallet, body, nonce, primary, chain, message)
                    headers = {"X_API_Chain": header} if header else {}
                    self.ok(self.send("POST", SPOT + "/accounts/api-keys", body, sign, nonce, self.b.connection,
                                      **headers))
                    self.ok(self.revoke(self.b, "chain"))
        body, nonce = self.body(self.b, new_wallet(), "chain"), fresh_nonce()
        for primary in ("AddAPIKey", "UserSignedAddAPIKeyAction"):          # signed for chain 1, which no request named
            self.refused(self.send("POST", SPOT + "/accounts/api-keys", body,
                                   sign_key(self.b.wallet, body, nonce, primary, 1), nonce, self.b.connection), 40101)

    def test_a_spelling_that_does_not_say_the_mask_is_refused(self):
        wallet, nonce = new_wallet(), fresh_nonce()
        for primary in ("AddAPIKey", "UserSignedAddAPIKeyAction"):
            self.refused(self.add(self.b, wallet, "mask", primary, permissions=TRADE, nonce=nonce), 40101)
        body = self.body(self.b, wallet, "mask", permissions=TRADE)
        sign = sign_key(self.b.wallet, body, nonce, "UserSignedAddPermissionedAPIKeyAction")
        for other in ({**body, "permissions": 0}, {k: v for k, v in body.items() if k != "permissions"},
                      {**body, "permissions": CANCEL}):
            self.refused(self.send("POST", SPOT + "/accounts/api-keys", other, sign, nonce, self.b.connection), 40101)
        self.assertEqual(self.names(self.b), [])
        self.ok(self.send("POST", SPOT + "/accounts/api-keys", body, sign, nonce, self.b.connection))
        self.ok(self.revoke(self.b, "mask"))

    def test_the_builder_is_not_supported(self):
        wallet, nonce, builder = new_wallet(), fresh_nonce(), {"id": 9, "fee": 5}
        self.refused(self.add(self.b, wallet, "built", "AddAPIKeyWithBuilder", nonce=nonce, builder=builder,
                              signer=self.c.wallet), 40101)
        details = self.refused(self.add(self.b, wallet, "built", "AddAPIKeyWithBuilder", nonce=nonce, builder=builder),
                               40005, "not supported")
        self.assertEqual(details["field"], "builder")
        reply = self.send("POST", f"/api/v1/user/{self.b.address}/builders",
                          {"accountID": self.b.id, "builderID": 9, "maxFeeRate": 5}, "0x02", nonce, self.b.connection)
        self.assertEqual((reply.status, reply.code), (404, 40490), reply)
        self.assertIn("builder", reply.json["error"])
        self.ok(self.add(self.b, wallet, "built", nonce=nonce))             # the nonce was never used
        self.ok(self.revoke(self.b, "built"))

    def test_dojima_sign_signs_the_same(self):
        wallet, nonce = new_wallet(), fresh_nonce()
        for primary, more in (("AddAPIKey", {}), ("UserSignedAddAPIKeyAction", {}),
                              ("UserSignedAddPermissionedAPIKeyAction", {"permissions": 3})):
            body = self.body(self.b, wallet, "signed", **more)
            code, out, err = run("sign", "--account", str(self.b.id), "--nonce", str(nonce), "--typed", primary,
                                 "universal", "addAPIKey", compact(body).decode())
            self.assertEqual(code, 0, err)
            self.assertIn("X-API-Sign: " + sign_key(self.b.wallet, body, nonce, primary) + "\n", out)
        code, out, err = run("sign", "--account", str(self.b.id), "--typed", "AddAPIKey", "universal", "addAPIKey",
                             compact(body).decode())
        self.assertEqual((code, "does not match the body" in err), (2, True), err)
        code, out, err = run("sign", "--account", str(self.b.id), "spot", "addAPIKey", compact(body).decode())
        self.assertEqual((code, "universal" in err), (2, True), err)
        code, out, err = run("sign", "--account", str(self.b.id), "universal", "addAPIKey", '{"accountID":1}')
        self.assertEqual((code, "name" in err), (2, True), err)
        code, out, err = run("sign", "--account", str(self.b.id), "--key", "bot", "spot", "scheduleCancel",
                             '{"accountID":1001}')
        self.assertIn("X-API-Key: bot\n", out, err)

    def test_who_may_register(self):
        wallet, nonce = new_wallet(), fresh_nonce()
        self.refused(self.add(self.b, wallet, "who", signer=self.c.wallet, nonce=nonce), 40101, "X-API-Sign is invalid")
        self.refused(self.add(self.b, wallet, "who", signer=wallet, nonce=nonce), 40101)
        self.refused(self.add(self.b, wallet, "who", path=f"/api/v1/user/{self.c.address}/api-keys", nonce=nonce),
                     40403)
        self.refused(self.add(self.b, wallet, "who", path="/api/v1/user/0x12/api-keys", nonce=nonce), 40001)
        self.refused(self.add(self.b, wallet, "who", path=f"/api/v1/user/{wallet.address}/api-keys", nonce=nonce),
                     40403)
        trader = self.key(self.b, "first")
        self.refused(self.add(self.b, wallet, "who", signer=trader.wallet, headers={"X_API_Key": "first"}, nonce=nonce),
                     40105)
        self.refused(self.add(self.b, wallet, "who", signer=trader.wallet, nonce=nonce), 40101)
        self.refused(self.revoke(self.b, "first", signer=trader.wallet, headers={"X_API_Key": "first"}), 40105)
        self.refused(self.revoke(self.b, "first", signer=self.c.wallet), 40101)
        self.refused(self.revoke(self.b, "first", "futures"), 40101)        # the spot base, the other engine's domain
        self.ok(self.revoke(self.b, "first", "futures", PERPS + "/accounts/api-keys"))
        self.ok(self.add(self.b, wallet, "who", nonce=nonce))
        reply = self.revoke(self.b, "nobody")
        self.assertEqual(reply.code, 40405, reply)
        self.assertEqual(reply.details["field"], "name")
        self.ok(self.revoke(self.b, "who", "futures", f"/api/v1/user/{self.b.address}/api-keys"))

    def test_names_and_addresses_are_taken_once(self):
        one, two = self.key(self.c, "mine"), new_wallet()
        for reply, field in ((self.add(self.c, two, "mine"), "name"),
                             (self.add(self.c, one.wallet, "other"), "publicKey"),
                             (self.add(self.d, one.wallet, "mine"), "publicKey"),
                             (self.add(self.c, self.d.wallet, "owner"), "publicKey")):
            self.assertEqual(reply.code, 40907, reply)
            self.assertEqual(reply.json["error"], "API key name is taken" if field == "name" else "public key is taken",
                             reply)
            self.assertEqual(reply.details["field"], field, reply)
            # authentic and fresh: a transaction that failed
            self.assertIn("x-chain-tx", reply.chain, reply)
        other = self.key(self.d, "mine")                                    # names are per owner
        self.items_ok(other.place(self.order_of()))
        self.assertEqual((self.names(self.c), self.names(self.d)), (["mine"], ["mine"]))
        self.refused(KeyClient(self.d, one.wallet, "mine").place(self.order_of()), 40101)
        for owner in (self.c, self.d):
            self.ok(self.revoke(owner, "mine"))

    def test_a_sixth_key_is_refused(self):
        for number in range(5):
            self.key(self.e, f"five-{number}")
        wallet = new_wallet()
        reply = self.add(self.e, wallet, "five-5")
        self.assertEqual(reply.code, 42020, reply)
        self.assertEqual((reply.details["got"], reply.details["need"]), ("5", "5"), reply)
        self.assertEqual(self.names(self.e), [f"five-{n}" for n in range(5)])
        self.ok(self.revoke(self.e, "five-2"))
        self.ok(self.add(self.e, wallet, "five-5"))
        self.assertEqual(self.names(self.e), ["five-0", "five-1", "five-3", "five-4", "five-5"])
        self.assertEqual(self.names(self.e, PERPS, "?name=five-4"), ["five-4"])
        self.assertEqual(self.names(self.e, SPOT, "?name=five-2"), [])

    # ---- rights of a key

    def test_permission_bits_one_by_one(self):
        owner = self.f
        for mask in (TRADE, CANCEL, WITHDRAW, TRANSFER, TRADE | CANCEL, 15):
            with self.subTest(mask=mask):
                trader = self.key(owner, "masked", permissions=mask)
                resting, = self.items_ok(owner.place(self.order_of()))
                number, spot, perps = resting["orderID"], owner.balance("vUSDC"), self.wallet_of(owner)
                client = [row["clOrdID"] for row in owner.open_orders() if row["orderID"] == number][0]

                def attempt(bit, send):
                    reply = send(fresh_nonce())
                    if mask & bit:
                        self.refused(reply, 40105, "API key may not do this")
                    else:
                        self.ok(reply)
                attempt(TRADE, lambda nonce: trader.place(self.order_of(price="95500"), nonce=nonce))
                attempt(TRADE, lambda nonce: trader.replace({"symbolID": BTC, "clOrdID": f"r-{mask}",
                    "origOrderID": number, "price": "95900"}, nonce=nonce))
                attempt(CANCEL, lambda nonce: trader.schedule(int(time.time() * 1000) + 3600000, nonce=nonce))
                attempt(CANCEL, lambda nonce: trader.schedule(None, nonce=nonce))
                attempt(CANCEL,
                        lambda nonce: trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": number}, nonce=nonce))
                attempt(WITHDRAW, lambda nonce: self.transfer(trader, "1", EVM_WITHDRAW, nonce=nonce))
                attempt(TRANSFER, lambda nonce: self.transfer(trader, "2", PERPS_WITHDRAW, nonce=nonce))
                attempt(TRANSFER, lambda nonce: self.transfer(trader, "2", SPOT_WITHDRAW, base=PERPS, nonce=nonce))
                if mask == 15:
                    self.assertEqual((owner.balance("vUSDC"), self.wallet_of(owner)), (spot, perps))
                    self.assertEqual([row["clOrdID"] for row in owner.open_orders()], [client])
                rows = owner.open_orders()
                if rows:
                    self.items_ok(owner.cancel(*[{"symbolID": BTC, "clOrdID": "", "orderID": row["orderID"]}
                                                 for row in rows]))
                self.ok(self.revoke(owner, "masked"))

    def test_what_is_denied_uses_no_nonce(self):
        trader, nonce = self.key(self.f, "denied", permissions=TRADE), fresh_nonce()
        self.refused(trader.place(self.order_of(), nonce=nonce), 40105)
        resting, = self.items_ok(self.f.place(self.order_of()))
        self.items_ok(trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": resting["orderID"]}, nonce=nonce))
        self.ok(self.revoke(self.f, "denied"))

    def test_a_key_expires(self):
        now = self.user("status", self.g) and self.g.connection.send("GET", "/api/v1/time").data["serverTime"]
        for expires in (1, now - 1, now):
            reply = self.add(self.g, new_wallet(), "late", expires=expires)
            self.assertEqual(reply.code, 40104, reply)
            self.assertEqual(reply.details["field"], "expiresAt")
        trader = self.key(self.g, "brief",
                          expires=self.g.connection.send("GET", "/api/v1/time").data["serverTime"] + 1500)
        item, = self.items_ok(trader.place(self.order_of()))
        time.sleep(1.6)
        self.refused(trader.place(self.order_of()), 40104, "API key has expired")
        self.refused(trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}), 40104)
        # resting orders stay
        self.assertEqual([row["orderID"] for row in self.g.open_orders()], [item["orderID"]])
        self.items_ok(self.g.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
        self.ok(self.revoke(self.g, "brief"))

    def test_a_revoked_key_comes_back_with_the_nonces_it_had(self):
        owner = self.g
        trader, used, low = self.key(owner, "again"), fresh_nonce(), fresh_nonce() - 5000
        item, = self.items_ok(trader.place(self.order_of(), nonce=used))
        self.items_ok(trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
        self.ok(self.revoke(owner, "again"))
        self.refused(trader.place(self.order_of()), 40103, "unknown API key")
        self.refused(KeyClient(owner, trader.wallet, "default").place(self.order_of()), 40101)
        # the same address, the same and another name
        for name in ("again", "another"):
            with self.subTest(name):
                self.ok(self.add(owner, trader.wallet, name))
                back = KeyClient(owner, trader.wallet, name)
                details = self.refused(back.place(self.order_of(), nonce=used), 40102, "nonce is invalid")
                self.assertEqual(details["reason"], "used")
                self.assertEqual(self.refused(back.place(self.order_of(), nonce=low), 40102)["reason"], "too small")
                item, = self.items_ok(back.place(self.order_of()))
                self.items_ok(back.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
                self.ok(self.revoke(owner, name))
        self.ok(self.add(self.h, trader.wallet, "theirs"))                  # and another owner
        theirs = KeyClient(self.h, trader.wallet, "theirs")
        self.assertEqual(self.refused(theirs.place(self.order_of(), nonce=used), 40102)["reason"], "used")
        self.refused(back.place(self.order_of()), 40103)
        self.ok(self.revoke(self.h, "theirs"))

    def test_a_registration_cannot_be_replayed(self):
        owner, wallet, nonce = self.h, new_wallet(), fresh_nonce()
        self.ok(self.add(owner, wallet, "replayed", nonce=nonce))
        self.ok(self.revoke(owner, "replayed"))
        details = self.refused(self.add(owner, wallet, "replayed", nonce=nonce), 40102)
        self.assertEqual(details["reason"], "used")
        self.assertIn("hash", details)                                      # the same payload: the reply has the result
        self.refused(self.add(owner, wallet, "replayed", "UserSignedAddAPIKeyAction", nonce=nonce), 40102)
        self.assertEqual(self.names(owner), [])

    # ---- transfers

    def test_there_and_back_and_the_same_id_again(self):
        owner = self.i
        spot, perps = owner.balance("vUSDC")[0], self.wallet_of(owner)
        self.assertEqual((spot, perps), ("1000000", "1000000"))
        first = fresh_nonce()
        reply = self.transfer(owner, "100.000001", PERPS_WITHDRAW, first)
        self.assertEqual(self.ok(reply), {"id": first})
        self.assertIn("x-chain-tx", reply.chain)
        for amount in ("100.000001", "100.0000010"):                        # the same in value: nothing moves
            self.assertEqual(self.ok(self.transfer(owner, amount, PERPS_WITHDRAW, first)), {"id": first})
        self.assertEqual((owner.balance("vUSDC")[0], self.wallet_of(owner)), ("999899.999999", "1000100.000001"))
        self.assertEqual(self.transfer(owner, "100", PERPS_WITHDRAW, first).code, 40904)
        self.assertEqual(self.transfer(owner, "100.000001", EVM_WITHDRAW, first).code, 40904)
        # ids are per engine
        self.assertEqual(self.ok(self.transfer(owner, "0.000001", SPOT_WITHDRAW, first, PERPS)), {"id": first})
        self.ok(self.transfer(owner, "100", SPOT_WITHDRAW, base=PERPS))
        self.assertEqual((owner.balance("vUSDC")[0], self.wallet_of(owner)), ("1000000", "1000000"))
        self.ok(self.transfer(owner, "2.5", EVM_WITHDRAW, coin=1))
        self.assertEqual(owner.balance("vBTC")[0], "7.5")
        state = self.ok(owner.connection.send("GET", f"{PERPS}/accounts/{owner.address}/state"))
        self.assertEqual((state["av"], state["amw"], state["B"][0]["ww"], state["B"][0]["at"]), ("1000000",) * 4)
        self.check_transaction(reply, owner)

    def check_transaction(self, reply, owner):
        """Gateway address, the signed bytes, the engine's domain (mechanics 8.2)."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionByBlockNumberAndIndex",
                "params": [reply.chain["x-chain-block"], reply.chain["x-chain-index"]]}
        answer = owner.connection.send("POST", "/rpc", compact(call), {"Content-Type": "application/json"}).json
        self.assertEqual(answer["result"]["to"], GATEWAY, answer)
        self.assertEqual(answer["result"]["hash"], reply.chain["x-chain-tx"], answer)
        payload = json.loads(bytes.fromhex(answer["result"]["input"][2:]))
        self.assertIn(payload["type"], ("transferAsset", "addAPIKey", "revokeAPIKey"))

    def test_key_actions_are_transactions_of_the_gateway(self):
        wallet = new_wallet()
        self.check_transaction(self.add(self.i, wallet, "chained"), self.i)
        self.check_transaction(self.revoke(self.i, "chained"), self.i)

    def test_refused_transfers_move_nothing(self):
        owner = self.j
        before = owner.mine("balances").data["balances"], self.wallet_of(owner)
        for code, field, send in (
                (42001, "amount", lambda: self.transfer(owner, "1000000.000001", PERPS_WITHDRAW)),
                (42002, "amount", lambda: self.transfer(owner, "1000000.000001", SPOT_WITHDRAW, base=PERPS)),
                (42202, "amount", lambda: self.transfer(owner, "0.0000001", PERPS_WITHDRAW)),
                (42001, "amount", lambda: self.transfer(owner, "900000000000000000", EVM_WITHDRAW)),
                (40404, "coinID", lambda: self.transfer(owner, "1", EVM_WITHDRAW, coin=63)),
                (40005, "coinID", lambda: self.transfer(owner, "1", PERPS_WITHDRAW, coin=1))):
            with self.subTest(code=code, field=field):
                reply = send()
                self.assertEqual(reply.code, code, reply)
                self.assertEqual(reply.details["field"], field, reply)
        nonce = fresh_nonce()
        for code, field, send in (
                (40001, "amount", lambda: self.transfer(owner, "0", PERPS_WITHDRAW, nonce=nonce)),
                (40001, "amount", lambda: self.transfer(owner, "-5", PERPS_WITHDRAW, nonce=nonce)),
                (40001, "amount", lambda: self.transfer(owner, "1e3", PERPS_WITHDRAW, nonce=nonce)),
                (40005, "type", lambda: self.transfer(owner, "1", SPOT_WITHDRAW, nonce=nonce)),
                (40005, "type", lambda: self.transfer(owner, "1", PERPS_WITHDRAW, base=PERPS, nonce=nonce)),
                (40005, "type", lambda: self.transfer(owner, "1", EVM_WITHDRAW, base=PERPS, nonce=nonce)),
                (40005, "type", lambda: self.transfer(owner, "1", 4, nonce=nonce, to=self.i.id)),
                (40005, "toAccountID", lambda: self.transfer(owner, "1", PERPS_WITHDRAW, nonce=nonce, to=self.i.id)),
                (40101, "X-API-Sign",
                 lambda: self.transfer(owner, "1", PERPS_WITHDRAW, nonce=nonce, account=self.i.id)),
                (40403, "fromAccountID", lambda: self.transfer(owner, "1", PERPS_WITHDRAW, nonce=nonce, account=4242))):
            with self.subTest(code=code, field=field):
                self.assertEqual(self.refused(send(), code)["field"], field)
        self.assertEqual((owner.mine("balances").data["balances"], self.wallet_of(owner)), before)
        # never used by requests that were refused before the log
        self.ok(self.transfer(owner, "1", PERPS_WITHDRAW, nonce=nonce))
        self.ok(self.transfer(owner, "1", SPOT_WITHDRAW, base=PERPS))

    def test_what_is_locked_cannot_leave(self):
        owner = self.j
        self.items_ok(owner.place(order("lock", BUY, "96000", "10")))
        self.assertEqual(self.transfer(owner, "40000.000001", PERPS_WITHDRAW).code, 42001)
        self.ok(self.transfer(owner, "40000", PERPS_WITHDRAW))
        self.items_ok(owner.cancel({"symbolID": BTC, "clOrdID": "lock"}))
        self.ok(self.transfer(owner, "40000", SPOT_WITHDRAW, base=PERPS))

    # ---- users and sub-accounts

    def test_the_gateways_records(self):
        status = self.ok(self.a.connection.send("GET", "/api/v1/status"))
        self.assertEqual(status, "ok")
        self.assertEqual(self.user("status", self.a),
                         {"status": "Active", "userID": self.user("subaccounts", self.a)["userID"]})
        stranger = Client(self.server, new_wallet(), 0)
        self.assertEqual(self.user("status", stranger), {"status": "UserNotFound", "userID": 0})
        self.assertEqual(self.user("subaccounts", stranger), {"userID": 0, "primaryAccountID": 0, "subaccounts": []})
        self.assertEqual(self.user("api-keys", stranger), {"spot": [], "perps": []})
        before = self.user("ratelimit", self.d)
        self.keys(before, ("userID", "cumulativeTxNum", "cumulativeCancelNum", "cumulativeVolume", "transactionQuota",
                           "transactionQuotaUsed",
                           "transactionQuotaRemaining", "transactionQuotaOverridden", "cancelQuota", "cancelQuotaUsed",
                           "cancelQuotaRemaining"))
        self.items_ok(self.c.place(order("maker", SELL, "97000", "0.01")))
        self.items_ok(self.d.place(order("taker", BUY, "97000", "0.01")))
        self.items_ok(self.d.place(order("gone", BUY, "90000", "0.01")))
        self.items_ok(self.d.cancel({"symbolID": BTC, "clOrdID": "gone"}))
        self.refused(self.d.place(order("bad", BUY, "1e5", "0.01")), 40001)
        after = self.user("ratelimit", self.d)
        self.assertEqual(after["cumulativeTxNum"], before["cumulativeTxNum"] + 3)
        self.assertEqual(after["cumulativeCancelNum"], before["cumulativeCancelNum"] + 1)
        self.assertEqual(float(after["cumulativeVolume"]), float(before["cumulativeVolume"]) + 970)
        self.assertEqual(after["transactionQuotaUsed"] + after["transactionQuotaRemaining"], 2 ** 53 - 1)
        self.assertIs(after["transactionQuotaOverridden"], True)
        rates = self.user("fee-rate", self.a, "?market=perps")
        self.assertEqual((rates["makerFeeRate"], rates["takerFeeRate"]), ("0.00012", "0.0004"))
        self.assertEqual(rates, self.ok(self.a.connection.send("GET", f"{PERPS}/accounts/{self.a.address}/fee-rate")))
        self.assertEqual(self.user("fee-rate", self.a), self.ok(self.a.mine("fee-rate")))

    def test_sub_accounts(self):
        owner = self.g
        code, out, err = run("account", "--data", self.data, "--json", owner.address)
        self.assertEqual(code, 0, err)
        sub = max(row["id"] for row in self.user("subaccounts", owner)["subaccounts"])
        self.assertEqual(self.user("subaccounts", owner)["subaccounts"],
                         [{"id": owner.id, "evmAddress": owner.address}, {"id": sub, "evmAddress": owner.address}])
        self.assertIn(str(sub), out)
        for base in (SPOT, PERPS):
            state = self.ok(owner.connection.send("GET", f"{base}/accounts/{owner.address}/state?accountID={sub}"))
            self.assertEqual((state["aid"], state["uid"], state["B"]), (sub, self.user("status", owner)["userID"], []))
            for what in ("balances", "state", "api-keys", "fee-rate"):
                self.refused(owner.connection.send("GET", f"{base}/accounts/{self.a.address}/{what}?accountID={sub}"),
                             40403)
        for what in ("orders", "orders/history", "trades"):
            self.ok(owner.mine(what, f"?accountID={sub}"))
            self.refused(self.a.mine(what, f"?accountID={sub}"), 40403)
        run("deposit", "--data", self.data, owner.address, "vUSDC", "1")    # is credited to the primary account
        trader = self.key(owner, "forsub")
        both = Client(self.server, owner.wallet, sub), KeyClient(owner, trader.wallet, "forsub", sub)
        for client in both:                                                 # it has nothing yet, but it may trade
            reply = client.place(self.order_of())
            self.assertEqual(self.ok(reply)[0]["code"], 42001, reply)
        self.refused(Client(self.server, self.a.wallet, sub).place(self.order_of()), 40101)
        wallet = new_wallet()
        self.ok(self.add(both[0], wallet, "subkey"))
        self.assertEqual(self.names(owner, SPOT, f"?accountID={sub}"), ["subkey"])
        self.assertEqual(self.names(owner), ["forsub"])
        self.assertEqual([row["name"] for row in self.user("api-keys", owner)["perps"]], ["forsub", "subkey"])
        self.items_ok(KeyClient(owner, wallet, "subkey").place(order("by-subkey", BUY, "96000", "0.001")))
        self.items_ok(owner.cancel({"symbolID": BTC, "clOrdID": "by-subkey"}))
        for name in ("forsub", "subkey"):
            self.ok(self.revoke(owner, name))

    def test_zz_everything_survives_a_restart(self):
        owner, wallet = self.h, new_wallet()
        self.ok(self.add(owner, wallet, "durable", "UserSignedAddPermissionedAPIKeyAction", permissions=TRANSFER))
        used = fresh_nonce()
        item, = self.items_ok(KeyClient(owner, wallet, "durable").place(self.order_of(), nonce=used))
        before = [self.user(what, owner) for what in ("api-keys", "ratelimit", "subaccounts")], self.wallet_of(owner)
        self.server.kill()
        type(self).server = Server("--no-limits", data=self.data)
        for name, client in zip("abcdefghij", self.server.accounts()):
            setattr(type(self), name, client)
        owner = self.h
        self.assertEqual(([self.user(what, owner) for what in ("api-keys", "ratelimit", "subaccounts")],
                          self.wallet_of(owner)), before)
        trader = KeyClient(owner, wallet, "durable")
        self.assertEqual(self.refused(trader.place(self.order_of(), nonce=used), 40102)["reason"], "used")
        self.items_ok(trader.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
        self.refused(self.transfer(trader, "1", PERPS_WITHDRAW), 40105)


if __name__ == "__main__":
    main()
