# SPDX-License-Identifier: MIT
"""The second signature under operators' commands, and what the audit log says of it.

The typed data that the second person signs is built here from decision 412 alone."""
import json
import os
import shlex

from harness import START_SECONDS, Connection, Folder, Wallet, domain_separator, keccak, main, run, signature_text
from audit import ANNA, BERT, CHAIN, CONFIG, EVE, NOBODY, Audit, Venue, command_text, deposit_params, lines_of


def typed_digest(command, operator_id, chain_id=CHAIN, domain="operator"):
    struct = keccak(keccak(b"OperatorCommand(string id,string command)") + keccak(operator_id.encode())
                    + keccak(command.encode()))
    return keccak(b"\x19\x01" + domain_separator(domain, chain_id) + struct)


def signed(wallet, type, chain_id=CHAIN, domain="operator", **params):
    return signature_text(*wallet.sign_digest(typed_digest(command_text(type, **params), params["id"], chain_id,
                                                           domain)))


class TwoPeople(Audit):
    KEYS = (("Anna", ANNA), ("Bert", BERT))

    def deposit(self, venue, operator_id, amount="5", signature=None, code=0):
        more = ("--signature", signature) if signature is not None else ()
        return self.ask(venue.data, "deposit", NOBODY, "vUSDC", amount, "--id", operator_id, *more, code=code)

    def test_one_asks_and_another_one_signs(self):
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve() as server:
                code, out, err = run("deposit", "--data", venue.data, NOBODY, "vUSDC", "5.00", "--id", "it's 1",
                                     "--digest")
                self.assertEqual((code, err), (0, ""))
                line, digest = out.splitlines()
                params = deposit_params("it's 1", "5")
                self.assertEqual(digest, "0x" + typed_digest(command_text("deposit", **params), "it's 1").hex())
                words = shlex.split(line)
                self.assertEqual(words[:4], ["dojima", "sign", "operator", "deposit"])
                self.assertEqual(json.loads(words[4]), params)
                code, signature, err = run(*words[1:], env={**os.environ, "DOJIMA_PRIVATE_KEY": "0x" + "a1" * 32})
                self.assertEqual((code, err), (0, ""))
                self.assertEqual(signature.strip(), signed(ANNA, "deposit", **params))
                self.assertEqual(self.events(venue.data, "asked", "refused"), [], "nothing was sent")
                data = self.deposit(venue, "it's 1", "5.0", signature.strip())["data"]
                self.assertEqual(data["params"], params)
                asked, answered = lines_of(venue.data)[-2:]
                for record in (asked, answered):
                    self.assertEqual((record["signer"], record["signerName"]), (ANNA.address, "Anna"))
                    self.assertEqual(record["command"], {"type": "deposit", "params": params})
                with open(os.path.join(venue.data, "audit.log")) as file:
                    self.assertNotIn(signature.strip()[10:40], file.read(), "the audit log is no store of signatures")
                body = {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionByHash", "params": [data["tx"]]}
                told = Connection(server.port).send("POST", "/rpc", json.dumps(body).encode(),
                                                    {"Content-Type": "application/json"}).json["result"]
                self.assertEqual(json.loads(bytes.fromhex(told["input"][2:])),
                                 {"type": "deposit", "params": params, "signature": signature.strip()})
                self.deposit(venue, "bert's", "7", signed(BERT, "deposit", **deposit_params("bert's", "7")))
                self.assertEqual(self.last(venue.data)["signerName"], "Bert")
                self.assertEqual(self.events(venue.data, "started")[0]["operators"], 2)
            code, out, err = run("verify", venue.data, "--signatures", "--json")
            self.assertEqual((code, json.loads(out)["houseCommands"]), (0, 2), err)
            code, out, err = run("log", venue.data)
            self.assertIn(signature.strip(), out)

    def test_a_wallet_can_sign_too(self):
        """The typed data of --digest --json, hashed by its own description, and a wallet's v of 27 or 28."""
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve():
                typed = self.ask(venue.data, "deposit", NOBODY, "vUSDC", "5", "--id", "w", "--digest")
                self.assertEqual(set(typed), {"types", "primaryType", "domain", "message"})
                self.assertEqual(typed["domain"],
                                 {"name": "operator", "version": "1", "chainId": CHAIN,
                                  "verifyingContract": "0x" + "0" * 40})
                members = ",".join(f"{member['type']} {member['name']}"
                                   for member in typed["types"][typed["primaryType"]])
                self.assertEqual(f"{typed['primaryType']}({members})", "OperatorCommand(string id,string command)")
                self.assertEqual(typed["message"],
                                 {"id": "w", "command": command_text("deposit", **deposit_params("w"))})
                r, s, v = BERT.sign_digest(typed_digest(typed["message"]["command"], typed["message"]["id"]))
                self.deposit(venue, "w", signature=signature_text(r, s, v + 27).upper().replace("0X", "0x"))

    def test_every_command_needs_it(self):
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            owner = deposit_params("m")["address"]
            commands = (("deposit", (NOBODY, "vUSDC", "1"), "deposit",
                         {"address": NOBODY, "engine": "spot", "coin": "vUSDC", "amount": "1"}),
                        ("account", (owner,), "account", {"address": owner}),
                        ("account", ("--between", "1001", "1002", "--coin", "vUSDC", "--amount", "1"),
                         "transferBetween",
                         {"fromAccountID": 1001, "toAccountID": 1002, "engine": "spot", "coin": "vUSDC",
                          "amount": "1"}),
                        ("redeem", (owner, "vUSDC", "1", "--tx", "0x1"), "redeem",
                         {"address": owner, "coin": "vUSDC", "amount": "1", "tx": "0x1"}),
                        ("staking", (owner, "1"), "staking", {"address": owner, "tier": 1}),
                        ("market", ("vBTC_vUSDC", "halt"), "market", {"symbol": "vBTC_vUSDC", "status": "HALT"}),
                        ("cancel", ("--all",), "cancelOrders", {}),
                        ("mode", ("run",), "mode", {"mode": "RUN"}),
                        ("faucet", (owner, "vUSDC", "1"), "faucet",
                         {"address": owner, "engine": "spot", "coin": "vUSDC", "amount": "1"}))
            with venue.serve():
                for command, words, type, params in commands:
                    with self.subTest(command):
                        params = {"id": f"id-{type}", **params}
                        answer = self.ask(venue.data, command, *words, "--id", params["id"], code=1)
                        self.assertEqual((answer["code"], answer["error"]),
                                         (40101, "the signature of a second person is needed"))
                        self.assertEqual(self.last(venue.data)["code"], 40101)
                        code, out, err = run(command, "--data", venue.data, *words, "--id", params["id"], "--digest")
                        self.assertEqual((code, out.splitlines()[-1]),
                                         (0, "0x" + typed_digest(command_text(type, **params), params["id"]).hex()),
                                         err)
                        answer = self.ask(venue.data, command, *words, "--id", params["id"], "--signature",
                                          signed(ANNA, type, **params),
                                          code={"redeem": 1, "faucet": 1}.get(command, 0))
                        self.assertEqual(answer["code"], {"redeem": 42001, "faucet": 40005}.get(command, 0))
                        self.assertEqual(self.last(venue.data)["signerName"], "Anna")
                answers = self.talk(venue.data, b'{"type":"describe"}')
                self.assertEqual((answers[0]["data"]["needsSignature"], answers[0]["data"]["chainID"]), (True, CHAIN),
                                 "who looks needs nobody")

    def test_what_is_wrong_with_it_leaves_no_trace_but_a_line(self):
        params = deposit_params("x")
        good = signed(ANNA, "deposit", **params)
        r, s, v = ANNA.sign_digest(typed_digest(command_text("deposit", **params), "x"))
        high = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141 - s
        other = "the second signature is of another key, or of another command"
        malformed = "the second signature is malformed"
        cases = [
            ("another key", signed(EVE, "deposit", **params), other),
            ("another id", signed(ANNA, "deposit", **{**params, "id": "y"}), other),
            ("another amount", signed(ANNA, "deposit", **{**params, "amount": "6"}), other),
            ("another coin", signed(ANNA, "deposit", **{**params, "coin": "vBTC"}), other),
            ("another address", signed(ANNA, "deposit", **{**params, "address": "0x" + "78" * 20}), other),
            ("another engine", signed(ANNA, "deposit", **{**params, "engine": "perps"}), other),
            ("an account besides", signed(ANNA, "deposit", **params, accountID=1001), other),
            ("another type", signed(ANNA, "faucet", **params), other),
            ("another chain", signed(ANNA, "deposit", chain_id=CHAIN + 1, **params), other),
            ("another domain", signed(ANNA, "deposit", domain="universal", **params), other),
            ("the other parity", signature_text(r, s, v ^ 1), other),
            ("the high twin", signature_text(r, high, v ^ 1), malformed),
            ("v of 2", signature_text(r, s, 2), malformed),
            ("a wallet's type byte", signature_text(r, s, v, prefix=2), malformed),
            ("no type byte", "0x" + good[4:], malformed),
            ("no 0x", good[2:], malformed),
            ("one digit less", good[:-1], malformed),
            ("one digit more", good + "0", malformed),
            ("no hex", good[:-1] + "g", malformed),
            ("zeros", "0x01" + "00" * 65, malformed),
            ("a quote in it", '"},{"' + good, malformed),
            ("a word", "yes", malformed),
        ]
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve():
                self.deposit(venue, "first", signature=signed(ANNA, "deposit", **deposit_params("first")))
            with venue.serve():
                for name, signature, text in cases:
                    with self.subTest(name):
                        code, out, err = run("deposit", "--data", venue.data, NOBODY, "vUSDC", "5", "--id", "x",
                                             "--signature", signature)
                        self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
                        self.assertIn("40101", err)
                        self.assertIn(text, err)
                        record = self.last(venue.data)
                        self.assertEqual((record["event"], record["code"], record["error"]), ("refused", 40101, text))
                        self.assertEqual(record["command"]["params"], params)
                        self.assertNotIn("signer", record)
                        self.assertEqual(record.get("wrongSigner"),
                                         {"another key": EVE.address}.get(name, record.get("wrongSigner")))
                        self.assertEqual("wrongSigner" in record, text is other)
                self.deposit(venue, "x", code=1)
                self.assertEqual(self.last(venue.data)["error"], "the signature of a second person is needed")
                self.assertEqual(self.events(venue.data, "asked")[1:], [], "none of them came near the log")
            with venue.serve():
                pass
            self.assertEqual(len(self.in_log(venue.data)), 1)
            _, before, after = self.events(venue.data, "started")
            # else there is a midnight in between
            if before["seq"] == after["seq"]:
                for key in ("block", "blockHash", "state"):
                    self.assertEqual(before[key], after[key], "not a bit of the state has moved")

    def test_a_repeated_id_answers_as_before(self):
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve():
                signature = signed(ANNA, "deposit", **deposit_params("x"))
                first = self.deposit(venue, "x", signature=signature)["data"]
            with venue.serve() as server:                                               # also after a restart
                again = self.deposit(venue, "x", signature=signature)["data"]
                self.assertEqual(again["accountID"], first["accountID"])
                self.assertTrue(self.last(venue.data)["repeated"])
                # the other one may confirm it as well
                self.deposit(venue, "x", signature=signed(BERT, "deposit", **deposit_params("x")))
                self.assertTrue(self.last(venue.data)["repeated"])
                answer = self.deposit(venue, "x", "6", signed(ANNA, "deposit", **deposit_params("x", "6")), code=1)
                self.assertEqual(answer["code"], 40904)
                rows = Connection(server.port).send("GET", f"/api/v1/spot/accounts/{NOBODY}/balances").data["balances"]
                self.assertEqual([(row["coin"], row["total"]) for row in rows], [("vUSDC", "5")])

    def test_keys_come_and_go_with_the_configuration(self):
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve():
                pass
            venue.write(venue.text, self.KEYS[1:])
            with venue.serve():
                answer = self.deposit(venue, "a", signature=signed(ANNA, "deposit", **deposit_params("a")), code=1)
                self.assertEqual((answer["code"], answer["details"]["got"]), (40101, ANNA.address))
            venue.write(venue.text, ())
            with venue.serve():
                answer = self.deposit(venue, "a", signature=signed(ANNA, "deposit", **deposit_params("a")), code=1)
                self.assertEqual((answer["code"], answer["error"]), (40101, "a signature that nobody asks for"))
                self.deposit(venue, "a")
            self.assertEqual([record["operators"] for record in self.events(venue.data, "started")], [2, 1, 0])

    def test_the_command_line(self):
        with Folder() as folder:
            venue = Venue(self, folder, self.KEYS)
            with venue.serve():
                for words, part in ((("--digest",), "--id"), (("--signature", "0x01"), "--id"),
                                    (("--id", "a", "--digest", "--signature", "0x01"), "--digest")):
                    code, out, err = run("deposit", "--data", venue.data, NOBODY, "vUSDC", "5", *words)
                    self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
                    self.assertIn(part, err)
                code, out, err = run("faucet", "--data", venue.data, NOBODY, "--id", "a", "--digest")
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn("amount", err)
                code, out, err = run("deposit", "--data", venue.data, NOBODY, "vUSDC", "5", "--id", "i" * 65,
                                     "--digest")
                self.assertEqual((code, out), (1, ""), err)
            key = {**os.environ, "DOJIMA_PRIVATE_KEY": "0x" + "a1" * 32}
            body = json.dumps(deposit_params("a"))
            for words in (("deposit", "{}"), ("deposit", "[]"), ("advanceTime", '{"offset":1}'),
                          ("batchNewOrder", "{}"), ("", body)):
                code, out, err = run("sign", "operator", *words, "--chain", str(CHAIN), env=key)
                self.assertEqual((code, out, err.count("\n")), (2, "", 1), (words, err))
            for more in (("--nonce", "5"), ("--key", "k"), ("--typed", "AddAPIKey")):
                code, out, err = run("sign", "operator", "deposit", body, *more, env=key)
                self.assertEqual((code, out), (2, ""), err)
            # spaces do not matter
            code, out, err = run("sign", "operator", "deposit", body, "--chain", str(CHAIN), env=key)
            self.assertEqual((code, out.strip()), (0, signed(ANNA, "deposit", **deposit_params("a"))), err)

    def test_what_is_wrong_in_its_section(self):
        with Folder() as folder:
            venue = Venue(self, folder)
            nine = [(f"n{i}", Wallet(f"0x{i + 1:064x}")) for i in range(9)]
            for text, part in (("[operator 0x12]\n", "0x12"), ("[operator]\n", "operator"),
                               (f"[operator {NOBODY}]\n" * 2, "second time"),
                               (f"[operator {EVE.address}]\n[operator 0x{EVE.address[2:].upper()}]\n", "already"),
                               (f"[operator {NOBODY}]\ncolour = red\n", "colour"),
                               ("[operator 0x" + "0" * 40 + "]\n", "no key exists"),
                               ("".join(f"[operator {wallet.address}]\n" for _, wallet in nine), "more than 8")):
                venue.write(CONFIG.format(folder=folder, seconds=60) + text, ())
                code, out, err = run("serve", "--config", venue.path, seconds=START_SECONDS)
                self.assertEqual((code, out), (78, ""), err)
                self.assertIn(part, err)
            venue.write(CONFIG.format(folder=folder, seconds=60), nine[:8])
            with venue.serve():
                params = deposit_params("a")
                self.deposit(venue, "a", signature=signed(nine[7][1], "deposit", **params))
                self.assertEqual(self.last(venue.data)["signerName"], "n7")


if __name__ == "__main__":
    main()
