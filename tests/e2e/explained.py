# SPDX-License-Identifier: MIT
"""dojima_explainSignature and dojima_explainOrder of a development exchange, from outside."""
import json

from harness import (BUY, Case, Client, Connection, Perps, Server, Wallet, action_digest, domain_separator, keccak,
                     main, order, perps_order, signature_text)
from development import SECOND, START, Rpc, refused_call


class Explained(Case):
    """dojima_explainSignature and dojima_explainOrder: what was hashed, and what would become of it."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--clock", "0", "--timestamp", str(START))
        cls.rpc, (cls.a, cls.b, *_) = Rpc(cls.server), cls.server.accounts()
        cls.nonce = START * SECOND

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    refused_call = refused_call

    def setUp(self):
        type(self).nonce += 10

    def request(self, action="batchNewOrder", body=None, nonce=None, signed_nonce=None, text=None, path=None, who=None,
                headers=(), **how):
        """A signed write as it would be sent; the signature can be one of something else."""
        who, nonce = who or self.a, nonce or self.nonce
        body = body or {"accountID": self.a.id, "orders": [order(f"e{nonce}", BUY, "95100", "0.01")]}
        sent = json.dumps(body, separators=(",", ":"))
        if text is None:
            sign = who.wallet.sign(action, sent.encode(), signed_nonce or nonce, **how)
        else:
            sign = signature_text(*who.wallet.sign_digest(action_digest(text.encode(), signed_nonce or nonce, **how)))
        return {"method": "POST", "path": path or "/api/v1/spot/trade/orders/batch", "body": sent,
                "headers": {"x-api-nonce": str(nonce), "X-API-Sign": sign, "Content-Type": "application/json",
                            **dict(headers)}}

    def seq(self):
        metrics = Connection(self.server.port).send("GET", "/metrics").raw.decode()
        return metrics.split("\ndojima_engine_seq ")[1].split()[0]

    def send(self, request):
        return Connection(self.server.port).send(request["method"], request["path"], request["body"],
                                                 request["headers"])

    def test_a_good_one(self):
        before, request = self.seq(), self.request()
        facts = self.rpc.call("dojima_explainSignature", request)
        self.assertEqual((facts["accepted"], facts["causes"], facts["answer"]), (True, [], None))
        self.assertEqual(facts["hashed"], '{"type":"batchNewOrder","params":' + request["body"] + "}")
        self.assertEqual(facts["payloadHash"], "0x" + keccak(facts["hashed"].encode()).hex())
        self.assertEqual(facts["domain"], {"name": "spot", "version": "1", "chainId": 286623,
                                           "verifyingContract": "0x" + "0" * 40})
        self.assertEqual(facts["domainSeparator"], "0x" + domain_separator("spot", 286623).hex())
        self.assertEqual(facts["digest"],
                         "0x" + action_digest(facts["hashed"].encode(), self.nonce).hex())
        self.assertEqual(facts["recovered"], self.a.address.lower())
        self.assertEqual(facts["expected"], {"accountID": self.a.id, "address": self.a.address.lower()})
        trial = self.rpc.call("dojima_explainOrder", request)
        self.assertEqual((trial["accepted"], trial["judge"], trial["causes"]), (True, "engine", []))
        self.assertEqual(self.seq(), before)
        self.items_ok(self.send(request))       # the nonce was not used
        again = self.rpc.call("dojima_explainOrder", request)
        self.assertEqual((again["accepted"], again["answer"]["code"]), (False, 40102))
        self.assertEqual(again["answer"]["details"], self.send(request).details)

    def cause(self, text, request):
        facts = self.rpc.call("dojima_explainSignature", request)
        self.assertFalse(facts["accepted"])
        self.assertEqual(facts["answer"]["code"], 40101 if "window" not in text else 40102, facts)
        self.assertTrue(any(text in cause for cause in facts["causes"]), (text, facts["causes"]))
        self.assertEqual(self.rpc.call("dojima_explainOrder", request)["causes"], facts["causes"])
        return facts

    def test_likely_causes(self):
        body = {"accountID": self.a.id, "orders": [order("c1", BUY, "95100", "0.01")]}
        sent = json.dumps(body, separators=(",", ":"))
        self.cause("in the domain futures, not spot", self.request(domain="futures"))
        self.cause("for the chain id 138565, not 286623",
                   self.request(chain_id=138565, headers={"X-API-Chain": "286623"}))
        ordered = json.dumps(body, sort_keys=True, separators=(",", ":"))
        self.assertNotEqual(ordered, sent)
        self.cause("keys sorted", self.request(body=body, text='{"type":"batchNewOrder","params":%s}' % ordered))
        self.cause("the body alone", self.request(body=body, text=sent))
        self.cause("with the nonce", self.request(signed_nonce=self.nonce + 1))
        self.cause("with the nonce", self.request(signed_nonce=self.nonce // 1000))
        spaced = self.request(body=body, text='{"type": "batchNewOrder", "params": %s}' % json.dumps(body))
        self.cause("white space", {**spaced, "body": json.dumps(body)})
        bare = self.request()
        bare["headers"]["X-API-Sign"] = "0x" + bare["headers"]["X-API-Sign"][4:]
        self.cause("type byte", bare)
        flipped = self.request()
        sign = flipped["headers"]["X-API-Sign"]
        flipped["headers"]["X-API-Sign"] = sign[:-2] + ("01" if sign.endswith("00") else "00")
        self.cause("the other v", flipped)
        self.cause("belongs to another address", self.request(who=self.b))
        twice = self.request(domain="futures", chain_id=138565)
        self.cause("in the domain futures, not spot, and for the chain id 138565", twice)

    def test_a_key_and_the_main_wallet_are_told_apart(self):
        self.rpc.call("anvil_impersonateAccount", self.a.address)
        grant = {"accountID": self.a.id, "name": "bot", "type": 1, "publicKey": Wallet("0x" + "77" * 32).address,
                 "expiresAt": 0}
        key = Client(self.server, Wallet("0x" + "77" * 32), self.a.id)
        self.ok(Connection(self.server.port).send("POST", "/api/v1/spot/accounts/api-keys", json.dumps(grant),
                                                  {"X-Dojima-As": self.a.address}))
        facts = self.cause("by the main wallet: leave X-API-Key out", self.request(headers={"X-API-Key": "bot"}))
        self.assertEqual(facts["expected"], {"accountID": self.a.id, "key": "bot", "address": key.address})
        self.cause("by the API key bot: send its name in X-API-Key", self.request(who=key))
        self.assertTrue(self.rpc.call("dojima_explainOrder",
                                      self.request(who=key, headers={"X-API-Key": "bot"}))["accepted"])

    def test_rules_that_refuse(self):
        place = lambda **fields: {"accountID": self.a.id, "orders": [{**order("r1", BUY, "95100", "0.01"), **fields}]}
        for fields, code, field in (({"price": "95100.05"}, 42201, "price"), ({"quantity": "1000"}, 42204, "notional"),
                                    ({"price": "150000"}, 42205, "price"), ({"symbolID": 99}, 40401, "symbolID")):
            request = self.request(body=place(**fields))
            before, trial = self.seq(), self.rpc.call("dojima_explainOrder", request)
            self.assertEqual((trial["accepted"], trial["judge"], trial["causes"]), (False, "engine", []), trial)
            self.assertEqual(self.seq(), before)
            item = trial["answer"]["data"][0]
            self.assertEqual((item["code"], item["details"]["field"]), (code, field), item)
            self.assertTrue(item["details"]["rule"])
            self.assertEqual(item, self.send(request).data[0])          # and so it comes
            self.nonce += 1
        early = self.rpc.call("dojima_explainOrder", self.request(body={"accountID": self.a.id, "orders": []}))
        self.assertEqual((early["accepted"], early["judge"], early["answer"]["code"]), (False, "request", 40003))
        late = self.rpc.call("dojima_explainOrder", self.request(nonce=5))
        self.assertEqual((late["judge"], late["answer"]["code"]), ("request", 40102))
        self.assertIn("serverTime", late["answer"]["details"])

    def test_impersonated_and_perps(self):
        body = {"accountID": self.b.id, "orders": [order("i1", BUY, "95100", "0.01")]}
        request = {"method": "POST", "path": f"http://127.0.0.1:{self.server.port}/api/v1/spot/trade/orders/batch",
                   "headers": {"X-Dojima-As": self.b.address}, "body": body}
        self.assertEqual(self.rpc.call("dojima_explainOrder", request)["answer"]["code"], 40101)
        self.rpc.call("anvil_impersonateAccount", self.b.address)
        self.assertTrue(self.rpc.call("dojima_explainOrder", request)["accepted"])
        self.assertTrue(self.rpc.call("dojima_explainSignature", request)["accepted"])
        perps = Perps(self.b)
        answer = perps.place(perps_order("p1", BUY, "95100", "0.01"), nonce=self.nonce)
        self.items_ok(answer)

    def test_requests_that_are_none(self):
        good = self.request()
        for wrong, text in (({"method": "GET"}, "method"), ({"path": "/api/v1/time"}, "path"), ({"path": ""}, "path"),
                            ({"headers": [1]}, "headers"), ({"headers": {"X-API-Sign": {}}}, "headers"),
                            ({"more": 1}, "request")):
            for method in ("dojima_explainOrder", "dojima_explainSignature"):
                self.refused_call(self.rpc, -32602, text, method, {**good, **wrong})
        self.refused_call(self.rpc, -32602, "request", "dojima_explainOrder", "x")
        self.refused_call(self.rpc, -32602, "request is missing", "dojima_explainSignature")
        call = {"jsonrpc": "2.0", "id": 1, "method": "dojima_explainOrder", "params": [good]}
        reply = Connection(self.server.port).send("POST", "/rpc", json.dumps([call, {**call, "id": 2}]))
        self.assertEqual([one["error"]["code"] for one in json.loads(reply.raw)], [-32600, -32600])
        self.assertEqual(self.rpc.call("dojima_explainOrder", {**good, "body": "{nonsense"})["judge"], "request")
        self.assertEqual(self.rpc.call("dojima_explainSignature", {**good, "body": ""})["answer"]["code"], 40001)
        self.assertEqual(self.rpc.call("dojima_explainSignature", {**good, "headers": {}})["accepted"], False)


if __name__ == "__main__":
    main()
