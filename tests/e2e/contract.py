# SPDX-License-Identifier: MIT
"""/openapi.json against a running exchange: every operation is sent with the contract's own examples, signed as the
contract says, and each response must match its schema; so must refusals. Schemas are judged by python3-jsonschema.
"""
import json
import re
import time
import unittest
from urllib.parse import quote, urlencode

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

from harness import (BUY, ISOLATED, SELL, Case, Wallet, Connection, Perps, Server, compact, domain_separator,
                     fresh_nonce, keccak, main, order,
                     perps_order, signature_text, word)
from oracle import digest as oracle_digest, units

SOL = 3
MEMBERS = b"uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt"


@unittest.skipUnless(Draft202012Validator, "SKIP the contract: python3-jsonschema is not installed")
class Contract(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-limits")
        cls.connection = Connection(cls.server.port)
        cls.contract = cls.connection.send("GET", "/openapi.json").json
        cls.wallet = cls.server.accounts()[0].wallet

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def operations(self):
        for path, methods in self.contract["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation

    def validate(self, value, schema, what):
        whole = {**schema, "components": self.contract["components"]}
        errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
                  for error in Draft202012Validator(whole).iter_errors(value)]
        self.assertEqual(errors, [], f"{what} is answered {json.dumps(value)[:600]}")

    def answer_schema(self, operation):
        return next(iter(operation["responses"]["200"]["content"].values()))["schema"]

    def target(self, path, operation, every=False):
        query = {}
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "path":
                path = path.replace("{%s}" % parameter["name"], quote(str(parameter["example"])))
            elif parameter["in"] == "query" and (parameter["required"] or every) and "example" in parameter:
                query[parameter["name"]] = parameter["example"]
        return path + ("?" + urlencode(query) if query else "")

    def now(self, operation, body):
        """A feeder's post has the current time, so the example is not sent as it is."""
        if operation.get("x-signed-as") != "OraclePrices" or b"timestamp" not in body:
            return body
        return compact({**json.loads(body), "timestamp": int(time.time() * 1000)})

    def sign(self, operation, body, nonce):
        if operation["x-signed-as"] == "OraclePrices":
            post = json.loads(body)
            prices = [(row["symbolID"], units(row["price"], row["symbolID"]),
                       units(row["perpMid"], row["symbolID"]) if "perpMid" in row else 0)
                      for row in post["prices"]]
            feeder = Wallet(self.server.banner["accounts"][-1]["privateKey"])
            return signature_text(*feeder.sign_digest(oracle_digest(post["seq"], post["timestamp"], prices, 286623)))
        if operation["x-signed-as"] == "AddAPIKey":
            key = json.loads(body)
            struct = keccak(keccak(b"AddAPIKey(" + MEMBERS + b",uint64 nonce)") + word(key["accountID"])
                            + keccak(key["name"].encode()) +
                            word(key["type"]) + keccak(bytes.fromhex(key["publicKey"][2:])) + word(key["expiresAt"])
                            + word(nonce))
            digest = keccak(b"\x19\x01" + domain_separator("universal", 286623) + struct)
            return signature_text(*self.wallet.sign_digest(digest), prefix=2)
        domain = operation["x-signed-domain"]
        sign = self.wallet.sign(operation["x-signed-type"], body, nonce, domain=domain)
        return "0x02" + sign[4:] if domain == "universal" else sign

    def sign_or_not(self, operation, body, nonce):
        """A body that cannot be signed gets a signature over nothing."""
        try:
            return self.sign(operation, body, nonce)
        except (ValueError, KeyError, TypeError):
            return "0x02" + "11" * 64 + "00"

    def write(self, method, path, operation, body):
        headers = {"Content-Type": "application/json"}
        if "x-signed-type" in operation:
            nonce, body = fresh_nonce(), self.now(operation, body)
            headers.update({"X-API-Nonce": str(nonce), "X-API-Sign": self.sign_or_not(operation, body, nonce)})
        return self.connection.send(method, self.target(path, operation), body, headers)

    def test_the_document_is_in_order(self):
        self.assertEqual(self.contract["openapi"], "3.1.0")
        names = [operation["operationId"] for _, _, operation in self.operations()]
        self.assertEqual(len(names), len(set(names)))
        for schema in self.contract["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)
        for method, path, operation in self.operations():
            inside = set(re.findall(r"\{(\w+)\}", path))
            self.assertEqual(inside, {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}, path)
            for parameter in operation.get("parameters", []):
                Draft202012Validator.check_schema(parameter["schema"])
                if "example" in parameter and not parameter["schema"].get("enum"):
                    self.validate(parameter["example"], parameter["schema"], f"example of {parameter['name']}")
        references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(self.contract)))
        self.assertEqual(references - set(self.contract["components"]["schemas"]), set())

    def test_examples_are_answered_as_the_schemas_say(self):
        a, b = self.server.accounts()[:2]
        self.items_ok(a.place(order("s", 2, "100000", "0.2")))          # rows for every read
        self.items_ok(b.place(order("b", 1, "100000", "0.1")))
        self.connection.send("POST", "/rpc", b'{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}',
                             {"Content-Type": "application/json"})
        # an isolated position, to which margin can be added
        self.ok(Perps(a).leverage(10, ISOLATED, SOL))
        self.items_ok(Perps(b).place(perps_order("p", SELL, "200", "1"), symbol=SOL))
        self.items_ok(Perps(a).place(perps_order("p", BUY, "200", "1"), symbol=SOL))
        order_of = {"POST": 0, "GET": 1, "DELETE": 2}
        done = 0
        for method, path, operation in sorted(self.operations(), key=lambda one: order_of[one[0]]):
            what = f"{method} {path}"
            if method == "GET":
                replies = [self.connection.send("GET", self.target(path, operation, every)) for every in (False, True)]
            else:
                example = operation["requestBody"]["content"]["application/json"]["example"]
                self.validate(example, operation["requestBody"]["content"]["application/json"]["schema"],
                              f"example of {what}")
                replies = [self.write(method, path, operation, compact(example))]
            if path.startswith("/ws/"):
                self.assertEqual({(reply.status, reply.code) for reply in replies}, {(426, 42690)}, what)
                done += 1
                continue
            if path == "/":
                self.assertEqual({reply.status for reply in replies}, {200}, what)
                self.assertEqual(set(operation["responses"]), {"200", "302", "429", "default"})
                done += 1
                continue
            for reply in replies:
                self.assertEqual(reply.status, 200, what)
                if reply.headers["content-type"].split(";")[0] != "application/json":
                    continue
                self.validate(reply.json, self.answer_schema(operation), what)
                if "code" in reply.json:
                    nobody = path.endswith("/liquidations/ranking")         # there were no liquidations here
                    self.assertEqual(reply.code, 40406 if nobody else 0, f"{what}: {reply}")
            done += 1
        self.assertGreater(done, 40)

    def test_refusals_are_what_the_schema_of_errors_says(self):
        error = {"$ref": "#/components/schemas/Error"}
        for path in ("/api/v1/spot/markets/none/orderbook", "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=0",
                     "/api/v1/spot/accounts/0x12/balances",
                     "/nowhere", "/api/v1/spot/trade/orders", "/rpc"):
            reply = self.connection.send("GET", path)
            self.validate(reply.json, error, path)
            self.assertIn((reply.code, reply.status), {(row["code"], row["http"]) for row in self.contract["x-errors"]})
        for method, path, operation in self.operations():
            if "x-signed-type" not in operation:
                continue
            for body in (b"", b"{}", b"[]", b'{"accountID":1001,"unknown":1}'):
                reply = self.write(method, path, operation, body)
                self.validate(reply.json, error, path)


if __name__ == "__main__":
    main()
