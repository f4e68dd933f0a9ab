# SPDX-License-Identifier: MIT
"""The operator: the administration socket and its commands, from outside."""
import json
import os
import re
import socket
import stat
import threading
import time
from decimal import Decimal

from harness import BUY, ROOT, Case, Connection, Folder, Server, main, order, run

HOUR, DAY = 3600, 86400
NOBODY = "0x" + "77" * 20


def send_rpc(server, body, **headers):
    reply = Connection(server.port, timeout=120).send("POST", "/rpc", json.dumps(body).encode(),
                                                      {"Content-Type": "application/json", **headers})
    return reply.json


def call(server, method, *params):
    return send_rpc(server, {"jsonrpc": "2.0", "id": 7, "method": method, "params": list(params)})


def engine_ms(server):
    return Connection(server.port).send("GET", "/api/v1/time").data["serverTime"]


def block_number(server):
    return int(call(server, "eth_blockNumber")["result"], 16)


class OperatorCase(Case):
    def rpc(self, server, method, *params):
        answer = call(server, method, *params)
        self.assertNotIn("error", answer, (method, params))
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 7))
        return answer["result"]

    def rpc_refused(self, server, code, method, *params):
        answer = call(server, method, *params)
        self.assertNotIn("result", answer, (method, params))
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertTrue(answer["error"]["message"])
        return answer["error"]

    def ask(self, server, command, *words, code=0):
        """A command with --json: its envelope."""
        done, out, err = run(command, "--data", server.banner["data"], "--json", *words)
        self.assertEqual(done, code, (out, err))
        return json.loads(out)

    def refused_line(self, server, command, *words, code=1, needs=()):
        """A failing command with output for people: one line on stderr, nothing on stdout. Behind a start the second
        check of signatures may not have come to its end yet (50301): then it is asked again."""
        until = time.monotonic() + 30
        done, out, err = run(command, "--data", server.banner["data"], *words)
        while "refused with 50301" in err and "50301" not in needs and time.monotonic() < until:
            done, out, err = run(command, "--data", server.banner["data"], *words)
        self.assertEqual((done, out), (code, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        for word in needs:
            self.assertIn(word, err)

    def spot(self, server, address, coin):
        rows = Connection(server.port).send("GET", f"/api/v1/spot/accounts/{address}/balances").data["balances"]
        return next((row["total"] for row in rows if row["coin"] == coin), "0")


class Commands(OperatorCase):
    def test_money_comes_in_once_per_id(self):
        with Server() as server:
            first = self.ask(server, "deposit", NOBODY, "vUSDC", "100.50", "--id", "chain:0xabc:1")["data"]
            self.assertEqual(first["params"],
                             {"id": "chain:0xabc:1", "address": NOBODY, "engine": "spot", "coin": "vUSDC",
                              "amount": "100.5"})
            self.assertEqual(first["accountID"], 1011)
            self.assertRegex(first["tx"], "^0x[0-9a-f]{64}$")
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "100.5", "what was answered is visible")
            again = self.ask(server, "deposit", NOBODY, "vUSDC", "100.5", "--id", "chain:0xabc:1")["data"]
            self.assertEqual(again["accountID"], 1011)
            self.assertNotEqual(again["tx"], first["tx"], "it is a transaction of its own")
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "100.5")
            other = self.ask(server, "deposit", NOBODY, "vUSDC", "100.6", "--id", "chain:0xabc:1", code=1)
            self.assertEqual(other["code"], 40904)
            self.assertEqual(self.ask(server, "account", NOBODY, "--id", "chain:0xabc:1", code=1)["code"], 40904)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "100.5")
            for fresh in range(2):                                      # without an id each is a command of its own
                self.assertRegex(self.ask(server, "deposit", NOBODY, "vBTC", "0.00000001")["data"]["params"]["id"],
                                 "^[0-9a-f]{32}$")
            self.assertEqual(self.spot(server, NOBODY, "vBTC"), "0.00000002")

    def test_people_are_told_in_words(self):
        with Server() as server:
            code, out, err = run("deposit", "--data", server.banner["data"], NOBODY, "vUSDC", "7", "--engine", "perps",
                                 "--id", "d-1")
            self.assertEqual((code, err), (0, ""))
            for word in ("7 vUSDC", NOBODY, "1011", "perps", "d-1", "block 1, index 0"):
                self.assertIn(word, out)
            self.assertRegex(out, "tx +0x[0-9a-f]{64}")

    def test_what_is_wrong_is_told_and_changes_nothing(self):
        with Server() as server:
            self.refused_line(server, "deposit", NOBODY, "vUSDC", "1.0000001", needs=("42202", "at most 6 decimals"))
            self.refused_line(server, "deposit", NOBODY, "vDOGE", "1", needs=("40404", "vDOGE"))
            self.refused_line(server, "deposit", NOBODY, "vBTC", "1", "--engine", "perps", needs=("40005",))
            self.refused_line(server, "deposit", "0x" + "00" * 20, "vUSDC", "1", needs=("40001",))
            self.refused_line(server, "deposit", NOBODY, "vUSDC", "999999999999999999", needs=("42025",))
            self.refused_line(server, "account", NOBODY, needs=("40403", NOBODY))
            self.refused_line(server, "redeem", NOBODY, "vUSDC", "1", needs=("40403",))
            self.refused_line(server, "redeem", server.accounts()[0].address, "vUSDC", "1", needs=("42001",))
            self.refused_line(server, "faucet", NOBODY, "vDOGE", needs=("off", "vDOGE"))
            for words in (("x", "vUSDC", "1"), (NOBODY, "vUSDC", "0"), (NOBODY, "vUSDC", "-1"),
                          (NOBODY, "vUSDC", "1e3"), (NOBODY, "vUSDC"),
                          (NOBODY, "vUSDC", "1", "2"), (NOBODY, "vUSDC", "1", "--engine", "margin"),
                          (NOBODY, "vUSDC", "1", "--what")):
                self.refused_line(server, "deposit", *words, code=2)
            self.assertEqual(self.ask(server, "deposit", NOBODY, "vUSDC", "1", "--id", "i" * 65, code=1)["code"], 40001)
            self.assertEqual(self.ask(server, "deposit", NOBODY, "vUSDC", "1", "--id", "tab\t", code=1)["code"], 40001)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "0")
            self.assertEqual(self.ask(server, "deposit", NOBODY, "vUSDC", "1", "--id", "i" * 64)["code"], 0)

    def test_without_an_exchange_there_is_nobody_to_ask(self):
        with Folder() as folder:
            for command, words in (("account", [NOBODY]), ("deposit", [NOBODY, "vUSDC", "1"]),
                                   ("redeem", [NOBODY, "vUSDC", "1"]), ("staking", [NOBODY, "1"]), ("faucet", [NOBODY]),
                                   ("mode", ["run"])):
                code, out, err = run(command, "--data", folder, *words)
                self.assertEqual((code, out), (1, ""), err)
                self.assertIn("no exchange is running", err)
                self.assertIn(folder, err)
                code, out, err = run(command, *words)
                self.assertEqual((code, out), (2, ""), err)
                code, out, err = run(command, "--help")
                self.assertEqual((code, err), (0, ""))
                for word in ("--data", "--id", "--json", "cancel-only" if command == "mode" else "ADDRESS"):
                    self.assertIn(word, out)
                code, _, err = run(command, "--data", "/" + "d" * 120, *words)
                self.assertEqual(code, 2)
                self.assertIn("too long", err)

    def test_more_accounts_of_one_owner(self):
        with Server() as server:
            owner = server.accounts()[0]
            opened = self.ask(server, "account", owner.address, "--id", "second")["data"]["accountID"]
            self.assertEqual(self.ask(server, "account", owner.address, "--id", "second")["data"]["accountID"], opened)
            another = self.ask(server, "account", owner.address)["data"]["accountID"]
            self.assertEqual((opened, another), (1011, 1012))
            reply = owner.mine("balances", f"?accountID={opened}")
            self.assertEqual(self.ok(reply)["balances"], [])
            self.refused(server.accounts()[1].mine("balances", f"?accountID={opened}"), 40403)
            data = self.ask(server, "deposit", owner.address, "vUSDC", "8", "--account", str(opened))["data"]
            self.assertEqual((data["accountID"], data["params"]["accountID"]), (opened, opened))
            self.rpc(server, "dojima_deposit",
                     {"address": owner.address, "coin": "vUSDC", "amount": "1", "accountID": opened})
            rows = self.ok(owner.mine("balances", f"?accountID={opened}"))["balances"]
            self.assertEqual([(row["coin"], row["total"]) for row in rows], [("vUSDC", "9")])
            self.refused_line(server, "deposit", server.accounts()[1].address, "vUSDC", "8", "--account", str(opened),
                              needs=("40403",))
            self.refused_line(server, "deposit", NOBODY, "vUSDC", "8", "--account", "1001", needs=("40403",))

    def test_money_moves_between_two_accounts_of_one_owner(self):
        with Server() as server:
            owner, stranger = server.accounts()[:2]
            opened = self.ask(server, "account", owner.address)["data"]["accountID"]
            total = {account: lambda account=account:
                     next((row["total"] for row in self.ok(owner.mine("balances", f"?accountID={account}"))["balances"]
                                                            if row["coin"] == "vUSDC"), "0")
                                                            for account in (owner.id, opened)}
            whole = Decimal(total[owner.id]())
            words = ("--between", str(owner.id), str(opened), "--coin", "vUSDC", "--amount", "12.5", "--id", "move-1")
            data = self.ask(server, "account", *words)["data"]
            self.assertEqual((data["type"], data["accountID"], data["params"]),
                             ("transferBetween", opened, {"id": "move-1", "fromAccountID": owner.id,
                                                          "toAccountID": opened, "engine": "spot", "coin": "vUSDC",
                                                          "amount": "12.5"}))
            self.assertEqual((Decimal(total[owner.id]()), total[opened]()), (whole - Decimal("12.5"), "12.5"),
                             "what was answered is visible on both")
            logs = call(server, "eth_getTransactionReceipt", data["tx"])["result"]["logs"]
            self.assertEqual(len(logs), 2, "a movement of each account")
            self.assertEqual(self.ask(server, "account", *words)["data"]["accountID"], opened,
                             "the same again changes nothing")
            self.assertEqual(total[opened](), "12.5")
            self.assertEqual(self.ask(server, "account", *words[:-3], "13", "--id", "move-1", code=1)["code"], 40904)
            code, out, err = run("account", "--data", server.banner["data"], "--between", str(opened), str(owner.id),
                                 "--coin", "vUSDC", "--amount", "2")
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"2 vUSDC from account {opened} to account {owner.id}, spot", out)
            self.assertEqual(total[opened](), "10.5")
            between = lambda *rest: ("account", "--between", str(opened), *rest)
            self.refused_line(server, *between(str(owner.id), "--coin", "vUSDC", "--amount", "10.6"),
                              needs=("42001", "10.5"))
            self.refused_line(server, *between(str(stranger.id), "--coin", "vUSDC", "--amount", "1"),
                              needs=("40403", "toAccountID"))
            self.refused_line(server, *between(str(opened), "--coin", "vUSDC", "--amount", "1"),
                              needs=("40005", "toAccountID"))
            self.refused_line(server, *between(str(owner.id), "--coin", "vBTC", "--amount", "1", "--engine", "perps"),
                              needs=("40005",))
            self.refused_line(server, *between(str(owner.id), "--coin", "vUSDC", "--amount", "1", "--engine", "perps"),
                              needs=("42002", "amount is 0"))
            for wrong in (between(), between("x", "--coin", "vUSDC", "--amount", "1"),
                          between(str(owner.id), "--coin", "vUSDC"), ("account", owner.address, "--coin", "vUSDC")):
                self.refused_line(server, *wrong, code=2)
            self.assertEqual(total[opened](), "10.5")
            self.ask(server, "deposit", owner.address, "vUSDC", "5", "--engine", "perps", "--account", str(opened))
            data = self.ask(server, "account", "--between", str(opened), str(owner.id), "--coin", "vUSDC", "--amount",
                            "5", "--engine", "perps")["data"]
            self.assertEqual(data["params"]["engine"], "perps")

    def test_the_documents_move_money_to_the_account_that_they_opened(self):
        for path in ("README.md", "docs/OPERATIONS.md"):
            with self.subTest(path), Server() as server, open(os.path.join(ROOT, path)) as file:
                text, address = file.read(), server.accounts()[0].address
                names = {"0x…": address, "ADDRESS": address}
                for line in re.findall(r"dojima account --data \S+ (.+?)  +#", text):
                    words = [names.get(word, word) for word in line.split()]
                    names["NEW"] = str(self.ask(server, "account", *words)["data"]["accountID"])
                self.assertIn("NEW", names)

    def test_the_faucet_gives(self):
        with Server() as server:
            code, out, err = run("faucet", "--data", server.banner["data"], NOBODY, "--id", "gift")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual([self.spot(server, NOBODY, coin) for coin in ("vUSDC", "vBTC", "vETH")],
                             ["10000", "0.1", "1"])
            code, _, _ = run("faucet", "--data", server.banner["data"], NOBODY, "--id", "gift")
            self.assertEqual(code, 0)
            self.assertEqual(self.spot(server, NOBODY, "vBTC"), "0.1", "the same gift once")
            self.assertEqual(self.ask(server, "faucet", NOBODY, "vBTC")["code"], 0)
            self.assertEqual(self.ask(server, "faucet", NOBODY, "vETH", "3")["code"], 0)
            self.assertEqual([self.spot(server, NOBODY, coin) for coin in ("vBTC", "vETH")], ["0.2", "4"])

    def test_a_staking_tier_gives_a_discount(self):
        with Server() as server:
            a, b = server.accounts()[:2]
            opened = self.ask(server, "account", a.address)["data"]["accountID"]
            data = self.ask(server, "staking", a.address, "2", "--id", "gold")["data"]
            self.assertEqual((data["accountID"], data["params"]["tier"]), (a.id, 2))
            for query in ("", f"?accountID={opened}"):
                rates = self.ok(a.mine("fee-rate", query))
                self.assertEqual((rates["makerFeeRate"], rates["takerFeeRate"], rates["stakingTier"]),
                                 ("0.000315", "0.000585", 2))
            rates = self.ok(a.connection.send("GET", f"/api/v1/perps/accounts/{a.address}/fee-rate"))
            self.assertEqual((rates["makerFeeRate"], rates["takerFeeRate"], rates["stakingTier"]),
                             ("0.000108", "0.00036", 2))
            self.assertEqual(self.ok(b.mine("fee-rate"))["stakingTier"], 0)
            code, out, err = run("staking", "--data", server.banner["data"], a.address, "0")
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"{a.address} has staking tier 0", out)
            self.assertEqual(self.ask(server, "staking", a.address, "2", "--id", "gold")["code"], 0,
                             "the same again changes nothing")
            self.assertEqual(self.ok(a.mine("fee-rate"))["stakingTier"], 0)
            self.refused_line(server, "staking", a.address, "4", needs=("40001", "tier is 4", "needed: 3"))
            self.refused_line(server, "staking", NOBODY, "1", needs=("40403", NOBODY))
            for words in ((a.address,), (a.address, "gold"), (a.address, "-1"), (a.address, "1.5"), ("x", "1")):
                self.refused_line(server, "staking", *words, code=2)

    def status(self, server, market):
        rows = self.ok(Connection(server.port).send("GET", f"/api/v1/{market}/markets/symbols"))
        return {(row["status"], row.get("phase", "OPEN")) for row in rows}

    def test_the_mode_is_of_all_symbols_and_leaves_their_own_halts(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            a = server.accounts()[0]
            self.assertEqual(self.ok(a.place(order("rests", BUY, "90000", "0.01")))[0]["code"], 0)
            self.assertEqual(self.ok(a.place(order("goes", BUY, "90000", "0.01")))[0]["code"], 0)
            first = self.ask(server, "mode", "cancel-only", "--id", "stop")["data"]
            self.assertEqual((first["type"], first["params"]), ("mode", {"id": "stop", "mode": "CANCEL_ONLY"}))
            self.assertNotIn("accountID", first)
            tx = call(server, "eth_getTransactionByHash", first["tx"])["result"]
            self.assertEqual(tx["type"], "0x54")
            self.assertEqual(json.loads(bytes.fromhex(tx["input"][2:])), {"type": "mode", "params": first["params"]})
            for market in ("spot", "perps"):
                self.assertEqual(self.status(server, market), {("HALT", "OPEN")})
            self.assertEqual(self.ok(a.place(order("late", BUY, "90000", "0.01")))[0]["code"], 42014)
            self.assertEqual(self.ok(a.cancel({"symbolID": 1, "clOrdID": "goes"}))[0]["code"], 0)
            self.assertEqual(self.ask(server, "market", "vBTC_vUSDC", "halt")["code"], 0)
            server.kill()
            server = Server(data=data)
            try:
                self.assertEqual(self.status(server, "perps"), {("HALT", "OPEN")}, "kill -9 lifts no mode")
                a = server.accounts()[0]
                self.assertEqual(self.ok(a.place(order("late", BUY, "90000", "0.01")))[0]["code"], 42014)
                code, out, err = run("mode", "--data", data, "reduce-only", "--id", "shrink")
                self.assertEqual((code, err), (0, ""))
                self.assertIn("the mode is REDUCE_ONLY", out)
                self.assertEqual(self.status(server, "perps"), {("TRADING", "REDUCE_ONLY")})
                self.assertEqual(self.status(server, "spot"), {("TRADING", "OPEN"), ("HALT", "OPEN")}, "its own halt")
                self.assertEqual(self.ask(server, "mode", "reduce-only", "--id", "shrink")["code"], 0,
                                 "the same again changes nothing")
                self.assertEqual(self.status(server, "perps"), {("TRADING", "REDUCE_ONLY")})
                self.assertEqual(self.ask(server, "mode", "cancel-only", "--id", "shrink")["code"], 0,
                                 "an id is not kept (ruling 74)")
                self.assertEqual(self.status(server, "perps"), {("HALT", "OPEN")})
                self.assertEqual(self.ask(server, "mode", "run")["code"], 0)
                self.assertEqual(self.ok(a.place(order("late", BUY, "90000", "0.01")))[0]["code"], 42014,
                                 "its own halt")
                self.assertEqual(self.ask(server, "market", "vBTC_vUSDC", "trade")["code"], 0)
                self.assertEqual(self.ok(a.place(order("late", BUY, "90000", "0.01")))[0]["code"], 0)
                for market in ("spot", "perps"):
                    self.assertEqual(self.status(server, market), {("TRADING", "OPEN")})
                for words in ((), ("halt",), ("RUN",), ("",), ("run", "now")):
                    self.refused_line(server, "mode", *words, code=2)
            finally:
                server.stop()
            self.assertEqual(run("verify", data)[0], 0)

    def test_withdrawn_money_is_redeemed_once(self):
        with Server() as server:
            a = server.accounts()[0]
            body = {"id": 1, "fromAccountID": a.id, "toAccountID": 999, "coinID": 0, "amount": "50", "type": 2}
            self.ok(a.write("POST", "/accounts/transfers", "transferAsset", body))
            self.assertEqual(self.ask(server, "redeem", a.address, "vUSDC", "60", "--id", "out", code=1)["code"], 42001)
            for again in range(2):
                data = self.ask(server, "redeem", a.address, "vUSDC", "20", "--id", "out", "--tx", "0xfeed")["data"]
                self.assertEqual(data["params"]["tx"], "0xfeed")
            self.assertEqual(self.ask(server, "redeem", a.address, "vUSDC", "30.000001", code=1)["code"], 42001)
            self.assertEqual(self.ask(server, "redeem", a.address, "vUSDC", "30")["code"], 0)
            self.assertEqual(self.ask(server, "redeem", a.address, "vUSDC", "0.000001", code=1)["code"], 42001)


class Socket(OperatorCase):
    def open(self, server):
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(10)
        peer.connect(os.path.join(server.banner["data"], "admin.sock"))
        return peer

    def talk(self, peer, *lines):
        peer.sendall(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
        stream = peer.makefile("rb")
        return [json.loads(stream.readline()) for _ in lines]

    def deposit(self, number):
        return {"type": "deposit",
                "params": {"id": f"s-{number}", "address": NOBODY, "engine": "spot", "coin": "vUSDC", "amount": "1"}}

    def test_the_file_is_its_owners_alone(self):
        with Server() as server:
            mode = os.stat(os.path.join(server.banner["data"], "admin.sock")).st_mode
            self.assertTrue(stat.S_ISSOCK(mode))
            self.assertEqual(stat.S_IMODE(mode), 0o600)
        self.assertFalse(os.path.exists(server.banner["data"]))

    def test_one_line_one_answer(self):
        with Server() as server, self.open(server) as peer:
            wrong = [b"\n", b"nonsense\n", b"[]\n", b"{}\n", b'{"type":"deposit"}\n',
                     b'{"type":"advanceTime","params":{"offset":1}}\n',
                     b'{"type":"deposit","params":{"id":"a"}}\n', b'{"type":"shutdown","params":{}}\n',
                     {"type": "deposit", "params": {**self.deposit(0)["params"], "amount": 1}},
                     {"type": "deposit", "params": {**self.deposit(0)["params"], "extra": 1}}]
            for answer in self.talk(peer, *wrong):
                self.assertEqual(answer["code"], 40001, answer)
                self.assertTrue(answer["error"])
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "0")
            answers = self.talk(peer, *[self.deposit(i) for i in range(20)])    # sent at once, answered in order
            self.assertEqual([a["data"]["params"]["id"] for a in answers], [f"s-{i}" for i in range(20)])
            self.assertEqual([a["code"] for a in answers], [0] * 20)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "20")
            described = self.talk(peer, {"type": "describe"})[0]["data"]
            self.assertEqual([coin["coin"] for coin in described["coins"]], ["vUSDC", "vBTC", "vETH"])

    def test_a_peer_that_misbehaves_harms_nobody(self):
        with Server() as server:
            crowd = []
            for _ in range(40):                                                 # more connections than slots
                try:
                    crowd.append(self.open(server))
                except BlockingIOError:
                    time.sleep(0.05)
            long = crowd[-1]                                                    # the others were closed for it
            try:
                long.sendall(b"x" * 10000)
                self.assertEqual(long.recv(1), b"", "no line of ours is that long")
            except (BrokenPipeError, ConnectionResetError):
                pass
            for peer in crowd[-5:-1]:
                peer.sendall(json.dumps(self.deposit(1)).encode() + b"\n")     # and closed without the reply
            for peer in crowd:
                peer.close()
            time.sleep(0.3)
            with self.open(server) as peer:
                self.assertEqual(self.talk(peer, self.deposit(2))[0]["code"], 0)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "2")

    def test_what_a_killed_process_left_makes_room(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            server.kill()
            self.assertTrue(os.path.exists(os.path.join(data, "admin.sock")))
            code, _, err = run("faucet", "--data", data, NOBODY)
            self.assertEqual(code, 1)
            self.assertIn("no exchange is running", err)
            with Server(data=data) as server:
                self.assertEqual(self.ask(server, "faucet", NOBODY, "vUSDC")["code"], 0)
            self.assertFalse(os.path.exists(os.path.join(data, "admin.sock")), "a clean stop takes it away")
            with open(os.path.join(data, "admin.sock"), "w"):
                pass
            code, _, err = run("dev", "--port", "0", "--data", data, seconds=20)
            self.assertEqual(code, 1, err)
            self.assertIn("not a socket", err)

    def test_a_folder_whose_name_is_too_long_is_told(self):
        with Folder() as folder:
            code, out, err = run("dev", "--port", "0", "--data", os.path.join(folder, "n" * 100), seconds=20)
            self.assertEqual((code, out), (78, ""), err)
            self.assertIn("too long for a socket", err)
            self.assertEqual(err.count("\n"), 1)


    def test_the_socket_may_lie_elsewhere(self):
        """A folder with too long a path, and one where another exchange listens; the commands find it through the
        folder."""
        with Folder() as folder:
            data, place = os.path.join(folder, "n" * 100), os.path.join(folder, "elsewhere.sock")
            with Server("--admin-socket", place, data=data) as server:
                self.assertFalse(os.path.exists(os.path.join(data, "admin.sock")))
                self.assertTrue(stat.S_ISSOCK(os.stat(place).st_mode))
                self.assertEqual(os.stat(place).st_mode & 0o777, 0o600)
                self.assertEqual(self.ask(server, "faucet", NOBODY, "vUSDC")["code"], 0)
                self.assertEqual(self.ask(server, "mode", "cancel-only", "--id", "elsewhere")["code"], 0)
                code, _, err = run("dev", "--port", "0", "--data", os.path.join(folder, "other"), "--admin-socket",
                                   place, seconds=20)
                self.assertEqual(code, 1, err)
                self.assertIn("Address already in use", err)
                self.assertIn("--admin-socket", err)
                self.assertEqual(self.ask(server, "mode", "run", "--id", "still")["code"], 0,
                                 "the other one took it away")
            self.assertFalse(os.path.exists(place))
            code, _, err = run("mode", "--data", data, "run")
            self.assertEqual(code, 1, err)
            self.assertIn("no exchange is running", err)
            code, _, err = run("dev", "--port", "0", "--data", data, "--admin-socket",
                               os.path.join(folder, "missing", "a.sock"), seconds=20)
            self.assertEqual(code, 1, err)
            self.assertIn("the administration socket", err)
            short = os.path.join(folder, "short")
            with Server("--admin-socket", place, data=short) as server:
                self.assertTrue(os.path.exists(os.path.join(short, "admin.path")))
            with Server(data=short) as server:                              # and back in its folder
                self.assertFalse(os.path.exists(os.path.join(short, "admin.path")))
                self.assertEqual(self.ask(server, "faucet", NOBODY, "vUSDC")["code"], 0)


class Killed(OperatorCase):
    def test_no_deposit_is_lost_or_made_twice(self):
        """Deposits by four clients, kill -9 in between, and every id again: each counted once."""
        with Folder() as folder:
            data, told, asked = os.path.join(folder, "data"), set(), [set() for _ in range(4)]
            for round in range(3):
                server = Server(data=data)
                stop = threading.Event()

                def client(number):
                    try:
                        peer = socket.socket(socket.AF_UNIX)
                        peer.connect(os.path.join(data, "admin.sock"))
                        stream = peer.makefile("rb")
                        while not stop.is_set():
                            id = f"k-{number}-{len(asked[number])}"
                            asked[number].add(id)
                            peer.sendall(json.dumps(self.request(id)).encode() + b"\n")
                            answer = json.loads(stream.readline())
                            assert answer["code"] == 0, answer
                            told.add(id)
                    except (OSError, ValueError):
                        pass                                            # it was killed

                threads = [threading.Thread(target=client, args=(i,)) for i in range(4)]
                for thread in threads:
                    thread.start()
                time.sleep(0.4 + 0.2 * round)
                server.kill()
                stop.set()
                for thread in threads:
                    thread.join()
            self.assertGreater(len(told), 20)
            with Server(data=data) as server:
                ids = set().union(*asked)
                total = int(self.spot(server, NOBODY, "vUSDC"))
                self.assertGreaterEqual(total, len(told), "what was answered is there")
                self.assertLessEqual(total, len(ids))
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(os.path.join(data, "admin.sock"))
                stream = peer.makefile("rb")
                for id in ids:
                    peer.sendall(json.dumps(self.request(id)).encode() + b"\n")
                    self.assertEqual(json.loads(stream.readline())["code"], 0)
                self.assertEqual(int(self.spot(server, NOBODY, "vUSDC")), len(ids))
                peer.close()
            code, out, err = run("verify", data, "--signatures", "--json")
            self.assertEqual(code, 0, err)
            self.assertGreaterEqual(json.loads(out)["houseCommands"], 2 * len(told))

    def request(self, id):
        return {"type": "deposit",
                "params": {"id": id, "address": NOBODY, "engine": "spot", "coin": "vUSDC", "amount": "1"}}


class Methods(OperatorCase):
    def test_money_over_rpc(self):
        with Server() as server:
            given = {"address": NOBODY, "engine": "spot", "coin": "vUSDC", "amount": "12.5"}
            result = self.rpc(server, "dojima_deposit", given)
            self.assertEqual(result["accountID"], 1011)
            self.assertRegex(result["tx"], "^0x[0-9a-f]{64}$")
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "12.5", "visible when it is answered")
            # without an id each is a command of its own
            self.rpc(server, "dojima_deposit", given)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "25")
            for again in range(2):
                self.rpc(server, "dojima_deposit", {**given, "id": "once"})
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "37.5")
            self.assertEqual(self.rpc_refused(server, -32000, "dojima_deposit",
                                              {**given, "id": "once", "amount": "1"})["data"]["code"], 40904)
            self.rpc(server, "dojima_deposit", {**given, "engine": "perps"})
            perps = Connection(server.port).send("GET", f"/api/v1/perps/accounts/{NOBODY}/balances").data["balances"]
            self.assertEqual([(row["coin"], row["total"]) for row in perps], [("vUSDC", "12.5")])
            for wrong in ({}, [], "x", 1, {**given, "amount": 12}, {**given, "amount": "0"}, {**given, "amount": "-1"},
                          {**given, "amount": "1.0000001"},
                          {**given, "address": "0x1"}, {**given, "coin": "vDOGE"}, {**given, "engine": "margin"},
                          {**given, "what": 1}):
                self.rpc_refused(server, -32602, "dojima_deposit", wrong)
            self.rpc_refused(server, -32602, "dojima_deposit")
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "37.5")

    def test_a_tick_on_demand(self):
        with Server() as server:
            block = block_number(server)
            self.assertEqual(self.rpc(server, "evm_mine"), "0x0")
            self.assertEqual(block_number(server), block, "a TICK that did nothing is no transaction")
            self.rpc_refused(server, -32602, "evm_mine", "soon")
            self.rpc_refused(server, -32000, "evm_mine", 1)         # a time in the past

    def test_a_batch_of_them_runs_in_order(self):
        with Server() as server:
            target = engine_ms(server) // 1000 + 1000
            calls = [("evm_setNextBlockTimestamp", [target]),
                     ("dojima_deposit", [{"address": NOBODY, "coin": "vUSDC", "amount": "1"}]),
                     ("eth_blockNumber", []), ("evm_increaseTime", [HOUR]), ("evm_mine", [])]
            answers = send_rpc(server, [{"jsonrpc": "2.0", "id": i, "method": m, "params": p}
                                        for i, (m, p) in enumerate(calls)])
            self.assertEqual([a["id"] for a in answers], [0, 1, 2, 3, 4])
            for answer in answers:
                self.assertNotIn("error", answer)
            self.assertGreaterEqual(engine_ms(server), target * 1000 + HOUR * 1000)
            # 0x1 is the advance itself
            self.assertEqual(int(self.rpc(server, "eth_getBlockByNumber", "0x2", False)["timestamp"], 16), target)

    def test_they_are_transactions_of_the_operator(self):
        with Server() as server:
            result = self.rpc(server, "dojima_deposit",
                              {"address": NOBODY, "coin": "vUSDC", "amount": "1", "id": "one"})
            answer = call(server, "eth_getTransactionByHash", result["tx"])
            self.assertEqual(answer["result"]["type"], "0x54")
            self.assertEqual(json.loads(bytes.fromhex(answer["result"]["input"][2:])), {"type": "deposit", "params": {
                "id": "one", "address": NOBODY, "engine": "spot", "coin": "vUSDC", "amount": "1"}})

    def test_a_forwarded_client_is_not_on_this_machine(self):
        with Server() as server:
            for method, params in (("evm_increaseTime", [1]), ("evm_mine", []),
                                   ("evm_setNextBlockTimestamp", [4000000000]),
                                   ("dojima_deposit", [{"address": NOBODY, "coin": "vUSDC", "amount": "1"}])):
                answer = send_rpc(server, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
                                  **{"X-Forwarded-For": "203.0.113.9"})
                self.assertEqual(answer["error"]["code"], -32601, answer)
            self.assertEqual(self.rpc(server, "evm_increaseTime", 0), 0)
            self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "0")


class Production(OperatorCase):
    def config(self, folder, more=""):
        path = os.path.join(folder, "d.ini")
        with open(path, "w") as file:
            file.write(f"[dojima]\nlisten = 127.0.0.1:0\ndata = {folder}/data\nchainIds = 77001\naccounts = "
                       "100\norders = 1000\nlevels = 1000\n"
                       "signers = 100\ndeposits = 100\nkeys = 100\ntransfers = 100\nsegmentMiB = 4\n"
                       f"[coin vUSDC]\nprecision = 6\n{more}[coin vBTC]\nprecision = 8\n[market vBTC_vUSDC]\nbaseCoin "
                       "= vBTC\nquoteCoin = vUSDC\n"
                       "pricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = "
                       "0.00001\nlistingReferencePrice = 100000\n")
        return path

    def serve(self, path, folder):
        server = Server("--config", path, command="serve", json_banner=False).wait_for_port()
        server.banner = {"data": os.path.join(folder, "data")}
        return server

    def test_no_development_methods_and_no_faucet(self):
        with Folder() as folder:
            with self.serve(self.config(folder), folder) as server:
                for method, params in (("evm_increaseTime", [1]), ("evm_mine", []),
                                       ("evm_setNextBlockTimestamp", [4000000000]),
                                       ("dojima_deposit", [{"address": NOBODY, "coin": "vUSDC", "amount": "1"}])):
                    self.rpc_refused(server, -32601, method, *params)
                self.assertLess(abs(engine_ms(server) - time.time() * 1000), 20000)
                self.refused_line(server, "faucet", NOBODY, needs=("off",))
                self.refused_line(server, "faucet", NOBODY, "vUSDC", "1", needs=("off",))
                self.assertEqual(self.ask(server, "deposit", NOBODY, "vUSDC", "5", "--id", "a")["data"]["accountID"],
                                 1001)
                self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "5")

    def test_a_faucet_that_is_configured(self):
        with Folder() as folder:
            with self.serve(self.config(folder), folder) as server:
                self.refused_line(server, "faucet", NOBODY, needs=("off",))
            # no part of the genesis: it may be turned on
            with self.serve(self.config(folder, "faucet = 12.5\n"), folder) as server:
                self.assertEqual(self.ask(server, "faucet", NOBODY)["code"], 0)
                self.refused_line(server, "faucet", NOBODY, "vBTC", needs=("off",))
                self.assertEqual(self.spot(server, NOBODY, "vUSDC"), "12.5")


if __name__ == "__main__":
    main()
