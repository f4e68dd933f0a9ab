# SPDX-License-Identifier: MIT
"""Forgeries, replays and malformed writes: each gets a clear error, nothing runs, nothing is lost.

After every refusal the account must look as before and the nonce must still be free where ruling 9
says so, which the tests prove by using it.
"""
import json
import os
import threading
import time

from harness import (BTC, BUY, ETH, FOK, GTC, IOC, LIMIT, MARKET, ORDER, ROOT, SELL, Case, Client, Connection, Server,
                     Wallet,
                     action_digest, compact, fresh_nonce, keccak, main, order, signature_text)

DAY = 86400 * 1000
BATCH = "/api/v1/spot/trade/orders/batch"


def find_strings(value):
    """Every string in a JSON value, one after the other."""
    if isinstance(value, str):
        return value + "\n"
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "".join(find_strings(item) for item in inner)


class Vectors(Case):
    """The judge is judged first: our signer must reproduce the published vectors bit for bit."""

    def test_the_signer_reproduces_the_published_vectors(self):
        wallet = Wallet("0x0123456789012345678901234567890123456789012345678901234567890123")
        count = 0
        with open(os.path.join(ROOT, "docs", "spec", "wire_vectors.json")) as file:
            vectors = json.load(file)
        for vector in vectors:
            if "payloadHash" not in vector or not vector.get("body"):
                continue
            payload = vector["json"].encode()
            digest = action_digest(payload, int(vector["nonce"]), vector["domain"], int(vector["chainId"]))
            self.assertEqual("0x" + digest.hex(), vector["digest"], vector["label"])
            prefix = int(vector["xApiSign"][2:4], 16)
            self.assertEqual(signature_text(*wallet.sign_digest(digest), prefix=prefix), vector["xApiSign"],
                             vector["label"])
            count += 1
        self.assertGreaterEqual(count, 20)


class Signed(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.a, cls.b, cls.c, cls.d, *cls.others = cls.server.accounts()
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def body(self, account=None, **change):
        """A good order of the account that will not trade, with a new clOrdID."""
        type(self).count += 1
        item = order(f"s-{self.count}", BUY, "96000", "0.1")
        item.update(change)
        return {"accountID": (account or self.a).id, "orders": [item]}

    def send(self, body, sign, nonce, account=None, method="POST", path=BATCH, **headers):
        lines = {"Content-Type": "application/json", "X-API-Nonce": str(nonce), "X-API-Sign": sign}
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = {name: value for name, value in lines.items() if value is not None}
        body = body if isinstance(body, bytes) else compact(body)
        return (account or self.a).connection.send(method, path, body, lines)

    def assert_untouched(self, account=None):
        account = account or self.a
        self.assertEqual(account.open_orders(), [])

    def good(self, body, sign, nonce, **more):
        """The write passes; its orders are taken away again."""
        reply = self.send(body, sign, nonce, **more)
        account = more.get("account") or self.a
        items = self.items_ok(reply)
        for item in items:
            self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))
        return reply

    def refused_then_good(self, body, nonce, send, code, text=None):
        """The request that `send` sends is refused and uses up nothing: the right request with that nonce still
        passes."""
        reply = send()
        details = self.refused(reply, code, text)
        self.assert_untouched()
        self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)
        return details

    # ---- the form of the signature (ruling 6)

    def test_every_accepted_form(self):
        def forms(r, s, v):
            plain = signature_text(r, s, v)
            return {"0x and 0/1": plain, "without 0x": plain[2:], "v 27/28": signature_text(r, s, v + 27),
                    "upper case": "0x" + plain[2:].upper(), "mixed case": "0x" + plain[2:20].upper() + plain[20:]}
        for name in forms(1, 1, 0):
            with self.subTest(name):
                for _ in range(2):              # both parities come up
                    body, nonce = self.body(), fresh_nonce()
                    digest = action_digest(b'{"type":"batchNewOrder","params":' + compact(body) + b"}", nonce)
                    self.good(body, forms(*self.a.wallet.sign_digest(digest))[name], nonce)

    def test_every_refused_form(self):
        def forms(r, s, v):
            good = signature_text(r, s, v)
            r_bytes, s_bytes = r.to_bytes(32, "big").hex(), s.to_bytes(32, "big").hex()
            wide = 2 ** 256 - 1
            return {
                "high s, v flipped": signature_text(r, ORDER - s, v ^ 1),
                "high s, v kept": signature_text(r, ORDER - s, v),
                "prefix 00": signature_text(r, s, v, 0), "prefix 02": signature_text(r, s, v, 2),
                "prefix ff": signature_text(r, s, v, 255),
                "v 2": signature_text(r, s, 2), "v 3": signature_text(r, s, 3), "v 26": signature_text(r, s, 26),
                "v 29": signature_text(r, s, 29), "v 35": signature_text(r, s, 35), "v 255": signature_text(r, s, 255),
                "the other v": signature_text(r, s, v ^ 1), "the other v, as 27/28": signature_text(r, s, (v ^ 1) + 27),
                "r 0": signature_text(0, s, v), "s 0": signature_text(r, 0, v), "r n": signature_text(ORDER, s, v),
                "s n": signature_text(r, ORDER, v), "r n+1": signature_text(ORDER + 1, s, v),
                "r all ones": signature_text(wide, s, v),
                "s all ones": signature_text(r, wide, v), "all zero": signature_text(0, 0, 0),
                "65 bytes, no prefix": "0x" + r_bytes + s_bytes + f"{v:02x}",
                "65 bytes, no v": "0x01" + r_bytes + s_bytes,
                "64 bytes": "0x" + r_bytes + s_bytes, "67 bytes": good + "00",
                "EIP-2098": "0x01" + r_bytes + f"{s | (v << 255):064x}",
                "odd length": good[:-1], "not hex": good[:-2] + "zz", "0X": "0X" + good[2:],
                "space inside": good[:60] + " " + good[60:],
                "empty": "", "0x alone": "0x", "a word": "signature", "quoted": '"' + good + '"',
                "twice": good + good[2:],
            }
        for name in forms(1, 1, 0):
            with self.subTest(name):
                body, nonce = self.body(), fresh_nonce()
                digest = action_digest(b'{"type":"batchNewOrder","params":' + compact(body) + b"}", nonce)
                sign = forms(*self.a.wallet.sign_digest(digest))[name]
                self.refused_then_good(body, nonce, lambda: self.send(body, sign, nonce), 40101)
        body, nonce = self.body(), fresh_nonce()
        with self.subTest("absent"):
            self.refused_then_good(body, nonce, lambda: self.send(body, None, nonce), 40101)

    # ---- the signed data

    def test_signed_for_something_else(self):
        cases = {
            "domain futures": dict(domain="futures"), "domain universal": dict(domain="universal"),
            "domain empty": dict(domain=""),
            "chain 1": dict(chain_id=1), "chain 0": dict(chain_id=0), "chain 31337": dict(chain_id=31337),
            "version 2": dict(version=b"2"), "a contract": dict(contract=1),
        }
        for name, how in cases.items():
            with self.subTest(name):
                body, nonce = self.body(), fresh_nonce()
                sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce, **how)
                details = self.refused_then_good(body, nonce, lambda: self.send(body, sign, nonce), 40101)
                self.assertTrue(details, "development mode explains")
        for action in ("newOrder", "batchCancelOrder", "replaceOrder", "BatchNewOrder", ""):
            with self.subTest(action=action):
                body, nonce = self.body(), fresh_nonce()
                sign = self.a.wallet.sign(action, compact(body), nonce)
                self.refused_then_good(body, nonce, lambda: self.send(body, sign, nonce), 40101)
        with self.subTest("another nonce in the header"):
            body, nonce = self.body(), fresh_nonce()
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce - 1)
            self.refused_then_good(body, nonce, lambda: self.send(body, sign, nonce), 40101)
        with self.subTest("keccak of something else"):
            body, nonce = self.body(), fresh_nonce()
            sign = signature_text(*self.a.wallet.sign_digest(keccak(compact(body))))
            self.refused_then_good(body, nonce, lambda: self.send(body, sign, nonce), 40101)

    def test_the_explanation_of_a_refused_signature(self):
        """Development mode returns the hashed text, the digest, the recovered signer, and the likely cause (issue, part
        8)."""
        body, nonce = self.body(), fresh_nonce()
        payload = b'{"type":"batchNewOrder","params":' + compact(body) + b"}"
        sign = self.b.wallet.sign("batchNewOrder", compact(body), nonce)
        reply = self.send(body, sign, nonce)
        self.refused(reply, 40101, "X-API-Sign is invalid")
        text = json.dumps(reply.json["details"])
        self.assertIn(payload.decode(), find_strings(reply.json["details"]))
        self.assertIn(action_digest(payload, nonce).hex(), text)
        self.assertIn(self.b.address[2:], text.lower())
        # The likely cause is named: here a known address that does not own the account, there other data was
        # signed.
        self.assertIn("belongs to another address", text)
        sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce, domain="futures")
        text = json.dumps(self.refused(self.send(body, sign, nonce), 40101)).lower()
        for cause in ("body", "nonce", "domain", "chain id"):
            self.assertIn(cause, text)

    def test_chain_ids(self):
        for chain in (286623, 138565):
            for header in (None, str(chain)):
                body, nonce = self.body(), fresh_nonce()
                sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce, chain_id=chain)
                self.good(body, sign, nonce, X_API_Chain=header)
        for signed, header in ((286623, "138565"), (138565, "286623"), (286623, "1"), (286623, "0"), (1, "1"),
                               (286623, "0x45f9f"),
                               (286623, "abc"), (286623, "-286623"), (286623, "99999999999999999999999")):
            with self.subTest(signed=signed, header=header):
                body, nonce = self.body(), fresh_nonce()
                sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce, chain_id=signed)
                reply = self.send(body, sign, nonce, X_API_Chain=header)
                self.assertIn(reply.code, (40101, 40001), reply)
                self.assertEqual(reply.chain, {})
                self.assert_untouched()
                self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)

    def test_key_names(self):
        for name in (None, "", "default"):
            body, nonce = self.body(), fresh_nonce()
            self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce, X_API_Key=name)
        for name in ("bot", self.a.address, "Default", "x" * 200):
            with self.subTest(name):
                body, nonce = self.body(), fresh_nonce()
                reply = self.send(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce,
                                  X_API_Key=name)
                self.assertIn(reply.code, (40101, 40103), reply)
                self.assertEqual(reply.chain, {})
        self.assert_untouched()

    # ---- signers

    def test_another_account(self):
        with self.subTest("b signs for a"):
            body, nonce = self.body(), fresh_nonce()
            self.refused_then_good(body, nonce,
                                   lambda: self.send(body, self.b.wallet.sign("batchNewOrder", compact(body), nonce),
                                                     nonce),
                                   40101, "X-API-Sign is invalid")
        with self.subTest("a stranger signs for a"):
            stranger = Wallet("0x" + "5a" * 32)
            body, nonce = self.body(), fresh_nonce()
            self.refused_then_good(body, nonce,
                                   lambda: self.send(body, stranger.sign("batchNewOrder", compact(body), nonce), nonce),
                                   40101)
        with self.subTest("a stranger without an account"):
            body, nonce = self.body(), fresh_nonce()
            body["accountID"] = 0
            reply = self.send(body, Wallet("0x" + "5a" * 32).sign("batchNewOrder", compact(body), nonce), nonce)
            self.assertIn(reply.code, (40101, 40403), reply)
        for unknown in (77, 999, 1, 2, 5000, 2 ** 53, 2 ** 64 - 1):
            with self.subTest(account=unknown):
                body, nonce = self.body(), fresh_nonce()
                body["accountID"] = unknown
                reply = self.send(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)
                self.assertIn(reply.code, (40403,) if unknown > 2 and unknown != 999 else (40403, 40101), reply)
                self.assertEqual(reply.chain, {})

    def test_the_account_may_be_left_out(self):
        """The primary account of the signer (ruling 62); schedule-cancel needs it."""
        for body in ({"orders": self.body()["orders"]}, {"accountID": 0, "orders": self.body()["orders"]}):
            nonce = fresh_nonce()
            self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)
        body, nonce = {"scheduledTimestamp": int(time.time() * 1000) + 60000}, fresh_nonce()
        reply = self.send(body, self.a.wallet.sign("scheduleCancel", compact(body), nonce), nonce,
                          path="/api/v1/spot/trade/orders/schedule-cancel")
        self.assertEqual(self.refused(reply, 40001)["field"], "accountID")

    # ---- nonces (rulings 9 and 35)

    def nonce_refused(self, account, nonce, reason, sign_nonce=None):
        body = self.body(account)
        sign = account.wallet.sign("batchNewOrder", compact(body), sign_nonce if sign_nonce is not None else int(nonce))
        reply = self.send(body, sign, nonce, account)
        details = self.refused(reply, 40102, "nonce is invalid")
        self.assertEqual(reply.chain, {}, reply)
        if reason:
            self.assertEqual(details.get("reason"), reason, reply)
        return reply

    def test_the_window(self):
        account, now = self.b, int(time.time() * 1000)
        for nonce, reason in ((now - 2 * DAY - 2000, "too old"), (0, "too old"), (1, "too old"),
                              (now // 1000, "too old"),
                              (now + DAY + 60000, "too far ahead"), (now * 1000, "too far ahead"),
                              (2 ** 63, "too far ahead"),
                              (2 ** 64 - 1, "too far ahead")):
            with self.subTest(nonce=nonce):
                reply = self.nonce_refused(account, nonce, reason)
                self.assertRegex(reply.raw.decode(), r"1[0-9]{12}")         # with the server's time
        self.assert_untouched(account)
        # inside it, near both ends; the old one first, because the floor is the smallest stored
        for nonce in (now - 2 * DAY + 5000, now + DAY - 5000, fresh_nonce()):
            body = self.body(account)
            self.good(body, account.wallet.sign("batchNewOrder", compact(body), nonce), nonce, account=account)

    def test_the_form_of_a_nonce(self):
        for text in ("", " ", "+5", "-5", "05", "5e0", "0x5", "1760000000000.0", "1760000000000 1",
                     "18446744073709551616", "9" * 40, "abc",
                     "\u0661".encode().decode("latin-1")):
            with self.subTest(text):
                body, nonce = self.body(), fresh_nonce()
                sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
                reply = self.send(body, sign, text)
                self.assertIn(reply.code, (40102, 40001), reply)
                self.assertEqual(reply.chain, {})
        with self.subTest("absent"):
            body, nonce = self.body(), fresh_nonce()
            reply = self.send(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), None, X_API_Nonce=None)
            self.assertIn(reply.code, (40102, 40001), reply)
        self.assert_untouched()

    def test_a_nonce_works_once(self):
        account, nonce = self.c, fresh_nonce()
        body = self.body(account)
        sign = account.wallet.sign("batchNewOrder", compact(body), nonce)
        first = self.send(body, sign, nonce, account)
        self.items_ok(first)
        # the same bytes again: on this connection, on another, as v 27/28, with the other chain's signature
        for again in (sign, account.wallet.sign("batchNewOrder", compact(body), nonce, chain_id=138565)):
            for connection in (account.connection, Connection(self.server.port)):
                reply = self.send(body, again, nonce, Client(self.server, account.wallet, account.id, connection))
                details = self.refused(reply, 40102, "nonce is invalid")
                self.assertEqual(details["reason"], "used")
                self.assertIn(first.headers["x-chain-tx"], reply.raw.decode())      # so a lost reply can be found
                self.assertEqual((details["block"], details["index"]),
                                 (int(first.headers["x-chain-block"], 16), int(first.headers["x-chain-index"], 16)))
        self.assertEqual(len(account.open_orders()), 1)
        # another endpoint, same nonce: one set per domain
        reply = account.cancel({"symbolID": BTC, "clOrdID": body["orders"][0]["clOrdID"]}, nonce=nonce)
        self.assertEqual(self.refused(reply, 40102)["reason"], "used")
        self.assertEqual(len(account.open_orders()), 1)
        self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": body["orders"][0]["clOrdID"]}))
        # after the cancel the replay is still a replay
        self.assertEqual(self.refused(self.send(body, sign, nonce, account), 40102)["reason"], "used")
        self.assert_untouched(account)

    def test_the_same_request_a_hundred_times_in_parallel(self):
        account, nonce = self.others[3], fresh_nonce()
        body = self.body(account)
        sign = account.wallet.sign("batchNewOrder", compact(body), nonce)
        codes, lock = [], threading.Lock()

        def shoot():
            client = Client(self.server, account.wallet, account.id, Connection(self.server.port))
            for _ in range(5):
                reply = self.send(body, sign, nonce, client)
                with lock:
                    codes.append(reply.code)
            client.connection.close()

        threads = [threading.Thread(target=shoot) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(codes), [0] + [40102] * 99)
        self.assertEqual(len(account.open_orders()), 1)
        self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": body["orders"][0]["clOrdID"]}))

    def test_a_hundred_highest_are_kept(self):
        account, start = self.d, fresh_nonce() + 10
        first = start
        for nonce in [first] + list(range(start + 100, start, -1)):         # out of order, all above the first
            body = self.body(account)
            self.good_no_cancel(account, body, nonce)
        # 101 were used: the smallest was dropped, so it and all below are too small now; the cancel's own nonce is
        # higher
        reply = self.nonce_refused(account, first - 1, "too small")
        reply = self.nonce_refused(account, first, None)
        self.assertIn(reply.details["reason"], ("too small", "used"))
        self.assertEqual(self.nonce_refused(account, start + 50, "used").code, 40102)
        nonce = start + 200
        body = self.body(account)
        self.good_no_cancel(account, body, nonce)
        ids = [r["orderID"] for r in account.open_orders()]
        self.assertEqual(len(ids), 102)
        for index in range(0, len(ids), 100):
            self.items_ok(account.cancel(*[{"symbolID": BTC, "clOrdID": "", "orderID": i}
                                           for i in ids[index:index + 100]],
                                         nonce=start + 300 + index))

    def good_no_cancel(self, account, body, nonce):
        self.items_ok(self.send(body, account.wallet.sign("batchNewOrder", compact(body), nonce), nonce, account))

    def test_a_rejected_order_uses_its_nonce(self):
        account, nonce = self.others[0], fresh_nonce()
        body = self.body(account, price="96000.01")
        sign = account.wallet.sign("batchNewOrder", compact(body), nonce)
        reply = self.send(body, sign, nonce, account)
        self.item_refused(reply, 42201, text="price is invalid")
        self.assertIn("x-chain-tx", reply.headers)
        self.assertEqual(self.refused(self.send(body, sign, nonce, account), 40102)["reason"], "used")

    # ---- bodies changed on the way

    def test_changed_after_signing(self):
        original = self.body()
        changes = {
            "price": lambda b: b["orders"][0].update(price="95999"),
            "quantity": lambda b: b["orders"][0].update(quantity="0.2"),
            "side": lambda b: b["orders"][0].update(side=SELL), "symbol": lambda b: b["orders"][0].update(symbolID=ETH),
            "clOrdID": lambda b: b["orders"][0].update(clOrdID="other"),
            "tif": lambda b: b["orders"][0].update(timeInForce=IOC),
            "one more order": lambda b: b["orders"].append(order("more", BUY, "96000", "0.1")),
            "other account": lambda b: b.update(accountID=self.b.id),
        }
        for name, change in changes.items():
            with self.subTest(name):
                nonce, body = fresh_nonce(), json.loads(json.dumps(original))
                sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
                change(body)
                self.refused(self.send(body, sign, nonce), 40101, "X-API-Sign is invalid")
                self.assert_untouched()
        self.assert_untouched(self.b)

    def test_what_does_not_change_the_meaning(self):
        """Ruling 4: white space is not signed, and the canonical form may be signed where another order of keys is
        sent."""
        with self.subTest("white space"):
            body, nonce = self.body(), fresh_nonce()
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
            self.good(json.dumps(body, indent=3).encode().replace(b"\n", b"\r\n\t") + b"  ", sign, nonce)
        with self.subTest("keys in another order, signed as sent"):
            body, nonce = self.body(), fresh_nonce()
            body["orders"][0] = dict(reversed(body["orders"][0].items()))
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
            self.good(body, sign, nonce)
        with self.subTest("keys in another order, the canonical form signed"):
            body, nonce = self.body(), fresh_nonce()
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
            shuffled = {"orders": [dict(reversed(body["orders"][0].items()))], "accountID": body["accountID"]}
            self.good(shuffled, sign, nonce)
        with self.subTest("trailing zeros, signed as sent"):
            body, nonce = self.body(price="96000.00", quantity="0.1000000"), fresh_nonce()
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
            reply = self.send(body, sign, nonce)
            self.items_ok(reply)
            record, = self.a.open_orders()
            self.assertEqual((record["price"], record["origQty"]), ("96000", "0.1"))        # never emitted
            self.items_ok(self.a.cancel({"symbolID": BTC, "clOrdID": record["clOrdID"]}))
        with self.subTest("trailing zeros sent, normalised form signed"):
            body, nonce = self.body(), fresh_nonce()
            sign = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
            body["orders"][0].update(price="96000.0", quantity="0.10")
            self.good(body, sign, nonce)
        with self.subTest("another order of keys that neither was signed"):
            body, nonce = self.body(), fresh_nonce()
            body["orders"][0] = dict(reversed(body["orders"][0].items()))
            sign = self.a.wallet.sign("batchNewOrder", compact(dict(reversed(body.items()))), nonce)
            self.refused(self.send(body, sign, nonce), 40101)
        self.assert_untouched()

    # ---- rules of the payload alone (ruling 33): one error, no transaction, nonce free

    def payload_refused(self, raw, code, field=None, path=BATCH, method="POST", action="batchNewOrder"):
        """`raw` (bytes or value), signed as sent, is refused as a whole and leaves its nonce free."""
        raw = raw if isinstance(raw, bytes) else compact(raw)
        nonce = fresh_nonce()
        reply = self.send(raw, self.a.wallet.sign(action, raw, nonce), nonce, path=path, method=method)
        details = self.refused(reply, code)
        if field is not None:
            self.assertEqual(details.get("field"), field, reply)
        self.assert_untouched()
        body = self.body()
        self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)
        return details

    def test_malformed_json(self):
        good = compact(self.body())
        for name, raw in {
                "empty": b"", "white space": b"  ", "cut": good[:-1], "cut in a string": good[:40],
                "trailing comma": good[:-1] + b",}",
                "trailing bytes": good + b"x", "two values": good + good, "byte order mark": b"\xef\xbb\xbf" + good,
                "single quotes": good.replace(b'"', b"'"),
                "array": b"[" + good + b"]", "string": b'"x"', "number": b"1", "null": b"null",
                "comment": good[:-1] + b"/**/}",
                "bad UTF-8": good.replace(b"s-", b"\xff\xfe"), "raw control": good.replace(b"s-", b"s\n"),
                "NaN": good.replace(b'"side":1', b'"side":NaN'),
                "leading zero": good.replace(b'"side":1', b'"side":01'),
                "plus": good.replace(b'"side":1', b'"side":+1'),
                "minus zero": good.replace(b'"side":1', b'"side":-0'),
                "deep": b'{"accountID":' + b"[" * 5000 + b"]" * 5000 + b"}",
                "a NUL": good + b"\0", "escaped key half": good.replace(b'"side"', b'"si\\u00"')}.items():
            with self.subTest(name):
                self.payload_refused(raw, 40001)

    def test_keys(self):
        good = compact(self.body())
        for name, raw, field in (
                ("unknown", {**self.body(), "extra": 1}, "extra"),
                ("unknown inside", self.body(extra=1), "orders[0].extra"),
                ("other case", good.replace(b'"accountID"', b'"AccountID"'), "AccountID"),
                ("perps key", self.body(reduceOnly=False), "orders[0].reduceOnly"),
                ("doubled, same value", good[:-1] + b',"accountID":%d}' % self.a.id, "accountID"),
                ("doubled, other value first", good.replace(b'{"accountID"', b'{"accountID":1,"accountID"', 1),
                 "accountID"),
                ("doubled inside", good.replace(b'"side":1', b'"side":2,"side":1'), "orders[0].side")):
            with self.subTest(name):
                self.payload_refused(raw, 40001, field)
        for key in ("symbolID", "clOrdID", "side", "type", "timeInForce"):
            with self.subTest(missing=key):
                body = self.body()
                del body["orders"][0][key]
                details = self.payload_refused(body, 40001 if key != "clOrdID" else self.code_of_missing_id(body))
                self.assertEqual(details.get("field"), f"orders[0].{key}")
        with self.subTest("no orders"):
            self.payload_refused({"accountID": self.a.id}, 40001, "orders")
        with self.subTest("the signed payload as body"):
            self.payload_refused({"type": "batchNewOrder", "params": self.body()}, 40001)

    def code_of_missing_id(self, body):
        """A missing clOrdID may be reported as missing (40001) or as not matching its pattern (40004)."""
        nonce = fresh_nonce()
        code = self.send(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce).code
        self.assertIn(code, (40001, 40004))
        return code

    def test_types_and_ranges(self):
        big = 2 ** 64
        for field, values in {
                "price": (96000, 96000.5, None, True, [], {}, "", " 96000", "+96000", "-96000", "-0", "0", "0.0",
                          "9.6e4", "1E5", "0x10", "96,000", ".5",
                          "5.", "096000", "00.5", "NaN", "Infinity", "9" * 40, "0." + "0" * 30 + "1", "\u0661"),
                "quantity": (1, 0.1, None, "", "0", "-1", "1e-3", "0.1.1"), "clOrdID": (5, None, True, []),
                "symbolID": ("1", 1.0, 1.5, -1, None, True, big, [1]),
                "side": (0, 3, -1, "1", "BUY", None, True, 256, big, 1.5),
                "type": (0, 3, "LIMIT", None, 257), "timeInForce": (0, 5, 99, "GTC", None)}.items():
            for value in values:
                with self.subTest(field=field, value=value):
                    self.payload_refused(self.body(**{field: value}), 40001, f"orders[0].{field}")
        for value in ("1001", 1001.0, -1, None, big, True, [1001], 1e3):
            with self.subTest(accountID=value):
                body = self.body()
                body["accountID"] = value
                self.payload_refused(body, 40001, "accountID")
        for value in (None, {}, "x", 1, [1], [None], [[]]):
            with self.subTest(orders=value):
                self.payload_refused({"accountID": self.a.id, "orders": value}, 40001)

    def test_client_ids(self):
        for value in ("", "a" * 37, "a b", "a.b", "a/b", "'", "a;b", "$"):
            with self.subTest(value):
                self.payload_refused(self.body(clOrdID=value), 40004, "orders[0].clOrdID")
        for value in ("\u00e4", "a\u0000", "a\n", '"', "\\"):        # no escapes in a field that has none to escape
            with self.subTest(value):
                self.payload_refused(self.body(clOrdID=value), 40001, "orders[0].clOrdID")
        with self.subTest("raw bytes that are not ASCII"):
            self.payload_refused(compact(self.body(clOrdID="x")).replace(b'"x"', "\"\u00e4\"".encode()), 40004,
                                 "orders[0].clOrdID")
        for value in ("a", "A-z_0", "a" * 36, "-", "_", "0"):
            body, nonce = self.body(clOrdID=value), fresh_nonce()
            self.good(body, self.a.wallet.sign("batchNewOrder", compact(body), nonce), nonce)

    def test_batch_sizes(self):
        for path, method, action, key, item in (
                (BATCH, "POST", "batchNewOrder", "orders", order("x", BUY, "96000", "0.1")),
                (BATCH, "DELETE", "batchCancelOrder", "cancels", {"symbolID": BTC, "clOrdID": "x"}),
                ("/api/v1/spot/trade/orders/replace", "POST", "replaceOrder", "orders",
                 {"symbolID": BTC, "clOrdID": "x", "origClOrdID": "y", "price": "1"})):
            for count in (0, 101, 400):
                with self.subTest(action=action, count=count):
                    self.payload_refused({"accountID": self.a.id, key: [item] * count}, 40003, path=path, method=method,
                                         action=action)
        account = self.others[1]
        orders = [order(f"full-{i}", BUY, "96000", "0.001") for i in range(100)]
        self.assertEqual(len(self.items_ok(account.place(*orders))), 100)
        self.assertEqual(len(account.open_orders()), 100)
        self.assertEqual(
            len(self.items_ok(account.cancel(*[{"symbolID": BTC, "clOrdID": f"full-{i}"} for i in range(100)]))), 100)

    def test_field_combinations(self):
        limit, market = self.body, lambda **change: {"accountID": self.a.id, "orders": [
            {**{"symbolID": BTC, "clOrdID": "m", "side": BUY, "type": MARKET, "timeInForce": IOC}, **change}]}

        def without(body, key):
            del body["orders"][0][key]
            return body

        for name, body in {
                "limit without price": without(limit(), "price"),
                "limit without quantity": without(limit(), "quantity"),
                "limit with funds": limit(funds="100"), "market GTC": market(timeInForce=GTC, quantity="0.1"),
                "market without amount": market(),
                "market with both": market(quantity="0.1", funds="100"),
                "market sell by funds": market(side=SELL, funds="100")}.items():
            with self.subTest(name):
                self.assertIn("rule", self.payload_refused(body, 40002))
        with self.subTest("FOK"):
            self.payload_refused(limit(timeInForce=FOK), 42018)

        def cancel(**item):
            return {"accountID": self.a.id, "cancels": [{"symbolID": BTC, **item}]}
        with self.subTest("cancel with both targets"):
            self.payload_refused(cancel(clOrdID="c", orderID=1, origClOrdID="y"), 40002, method="DELETE",
                                 action="batchCancelOrder")
        with self.subTest("cancel with no target at all"):
            nonce, raw = fresh_nonce(), compact(cancel(clOrdID=""))
            reply = self.send(raw, self.a.wallet.sign("batchCancelOrder", raw, nonce), nonce, method="DELETE")
            self.assertNotEqual(reply.code, 0, reply)

        def replace(**item):
            return {"accountID": self.a.id, "orders": [{"symbolID": BTC, "clOrdID": "r", **item}]}
        for name, body in {"both targets": replace(origOrderID=1, origClOrdID="y", price="1"),
                           "no target": replace(price="1"),
                           "nothing to change": replace(origOrderID=1)}.items():
            with self.subTest("replace with " + name):
                self.payload_refused(body, 40002, path="/api/v1/spot/trade/orders/replace", action="replaceOrder")
        for value in ("1", -1, 1.5, None, 2 ** 64):
            with self.subTest(scheduledTimestamp=value):
                self.payload_refused({"accountID": self.a.id, "scheduledTimestamp": value}, 40001, "scheduledTimestamp",
                                     path="/api/v1/spot/trade/orders/schedule-cancel", action="scheduleCancel")
        with self.subTest("an explicit 0 is an ordinary too-early time"):
            reply = self.a.schedule(0)
            self.assertEqual(reply.code, 42023, reply)

    def test_the_builder_is_not_supported(self):
        """A known key, answered after the signature was checked (ruling 4)."""
        body = self.body()
        body["builder"] = {"id": 7, "fee": "0.0001"}
        nonce = fresh_nonce()
        good = self.a.wallet.sign("batchNewOrder", compact(body), nonce)
        self.refused(self.send(body, self.b.wallet.sign("batchNewOrder", compact(body), nonce), nonce), 40101)
        self.refused(self.send(body, good, nonce), 40005, "not supported")
        self.assert_untouched()

    def test_one_bad_item_fails_the_whole_payload(self):
        body = {"accountID": self.a.id, "orders": [order(f"w-{i}", BUY, "96000", "0.1") for i in range(5)]}
        body["orders"][3]["price"] = "1e5"
        self.payload_refused(body, 40001, "orders[3].price")

    def test_rejections_say_what_came_and_what_was_needed(self):
        for change, code, rule, field, got, need in (
                (dict(price="96000.05"), 42201, "rule 5", "price", "96000.05", None),
                (dict(quantity="0.000001"), 42202, "rule 6", "quantity", "0.000001", None),
                (dict(quantity="1000.00001"), 42202, "rule 6", "quantity", "1000.00001", "1000"),
                (dict(price="105000.1"), 42205, "rule 9", "price", "105000.1", "105000"),
                (dict(side=SELL, price="94999.9"), 42205, "rule 9", "price", "94999.9", "95000"),
                (dict(quantity="0.00005"), 42204, "rule 8", "notional", "4.8", "5")):
            with self.subTest(change):
                account = self.others[2]
                reply = account.place({**self.body(account)["orders"][0], **change})
                details = self.item_refused(reply, code)
                self.assertIn(rule, details["rule"], reply)
                self.assertEqual(details["field"].rsplit(".", 1)[-1], field, reply)
                if got:
                    self.assertIn(got, str(details["got"]), reply)
                if need:
                    self.assertIn(need, str(details["need"]), reply)
                self.assertEqual(account.open_orders(), [])
        # exactly on the bound they pass
        account = self.others[2]
        for change in (dict(price="105000", quantity="0.001"), dict(side=SELL, price="105000", quantity="0.00005"),
                       dict(price="50000", quantity="0.0001")):
            item, = self.items_ok(account.place({**self.body(account)["orders"][0], **change}))
            self.items_ok(account.cancel({"symbolID": BTC, "clOrdID": "", "orderID": item["orderID"]}))

    # ---- at the end

    def test_zz_the_server_is_well_after_all_this(self):
        self.assertEqual(self.a.get("/healthz", base="").status, 200)
        self.assert_untouched()
        for account in (self.a, self.b):
            self.assertEqual(account.balance("vUSDC")[1], "0")
        log = self.server.stderr().lower()
        for secret in (self.a.wallet.key, self.b.wallet.key):
            self.assertNotIn(f"{secret:064x}", log)


if __name__ == "__main__":
    main()
