#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power over a development exchange through /rpc: its clock, and that equal runs end in equal states."""
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import time
from decimal import Decimal

from harness import (BINARY, BUY, GTC, INSTRUMENTED, IOC, ROOT, SELL, Case, Connection, Folder, Perps, Server, main,
                     order, perps_order, run)

START = 1767571200                              # Monday, 5 January 2026, 00:00 UTC
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000


class Rpc:
    """Calls of /rpc; an error is raised as RpcError."""

    def __init__(self, server):
        self.connection = Connection(server.port)

    def call(self, method, *params, headers=()):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        reply = self.connection.send("POST", "/rpc", body, {"Content-Type": "application/json", **dict(headers)})
        answer = json.loads(reply.raw)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.message, self.data = error["code"], error["message"], error.get("data")


def server_time(server):
    return Connection(server.port).send("GET", "/api/v1/time").data["serverTime"]


def refused_call(self, rpc, code, text, method, *params):
    with self.assertRaises(RpcError) as raised:
        rpc.call(method, *params)
    self.assertEqual(raised.exception.code, code, raised.exception.message)
    self.assertIn(text, raised.exception.message)


class Clocks(Case):
    refused_call = refused_call

    def test_a_clock_that_stands_moves_only_when_it_is_told(self):
        with Server("--clock", "0", "--timestamp", str(START)) as server:
            rpc = Rpc(server)
            self.assertEqual(server_time(server), START * SECOND)
            time.sleep(0.05)
            self.assertEqual(server_time(server), START * SECOND)
            self.assertEqual(rpc.call("dojima_step", 250), START * SECOND + 250)
            self.assertEqual(rpc.call("dojima_step", "0xfa"), START * SECOND + 500)
            self.assertEqual(rpc.call("evm_increaseTime", 60), 60)
            self.assertEqual(server_time(server), START * SECOND + 500 + MINUTE)
            rpc.call("evm_setNextBlockTimestamp", START + 100)
            rpc.call("evm_mine")
            self.assertEqual(server_time(server), (START + 100) * SECOND)

    def test_its_rate_can_change_while_it_runs(self):
        with Server("--clock", "0") as server:
            rpc, began = Rpc(server), server_time(server)
            self.assertEqual(began % HOUR, 0)
            self.assertTrue(rpc.call("dojima_setClock", 1000))
            while server_time(server) < began + 10 * SECOND:
                time.sleep(0.001)
            self.assertTrue(rpc.call("dojima_setClock", "0"))
            stands = server_time(server)
            time.sleep(0.02)
            self.assertEqual(server_time(server), stands)
            for bad in (-1, 1001, "fast", 0.0000001, None, {"rate": 1}):
                self.refused_call(rpc, -32602, "rate", "dojima_setClock", bad)
            self.refused_call(rpc, -32602, "ms", "dojima_step", -5)
            self.refused_call(rpc, -32602, "ms is missing", "dojima_step")
            self.assertEqual(server_time(server), stands)

    def test_it_goes_on_where_the_log_ends(self):
        with Folder() as folder:
            with Server("--clock", "0", "--timestamp", str(START), data=folder) as server:
                Rpc(server).call("evm_increaseTime", 90)
            with Server("--clock", "0", data=folder) as server:
                self.assertEqual(server_time(server), (START + 90) * SECOND)
            with Server("--timestamp", str(START + 5), data=folder) as server:
                self.assertTrue(0 <= server_time(server) - (START + 90) * SECOND < MINUTE)

    def test_the_command_line_names_what_is_wrong(self):
        for words in (["--clock", "1001"], ["--clock", "x"], ["--clock", "-1"], ["--timestamp", "x"]):
            code, _, errors = run("dev", "--port", "0", *words)
            self.assertEqual(code, 2, errors)
            self.assertIn(words[0][2:], errors)


class Temporary(Case):
    def test_its_folder_goes_away_when_the_disk_is_full(self):
        with Folder() as place:
            # Python ignores SIGXFSZ, and so does what it starts: a file at its limit is an error, as on a full disk.
            process = subprocess.Popen([BINARY, "dev", "--port", "0", "--json", "--market", "none"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env={**os.environ, "TMPDIR": str(place)}, restore_signals=False)
            self.addCleanup(process.kill)
            folder = json.loads(process.stdout.readline())["data"]
            self.assertEqual(os.path.dirname(folder), str(place))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, 4096))      # seconds go on in the log
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 74, errors)
            self.assertIn(b"the log cannot be written", errors)
            self.assertEqual(os.listdir(str(place)), [])


class Powers(Case):
    """Money, markets and other people's orders."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--clock", "0", "--timestamp", str(START))
        cls.rpc, (cls.a, cls.b, *cls.others) = Rpc(cls.server), cls.server.accounts()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    refused_call = refused_call

    def spot(self, client, coin="vUSDC"):
        return client.balance(coin)[0]

    def evm(self, address):
        return int(self.rpc.call("eth_getBalance", address), 16)

    def test_a_balance_becomes_what_is_said(self):
        who = self.b.wallet.address
        for engine in ({}, {"engine": "spot"}):
            for amount in ("2500000.5", "17", "17", "0", "1000000"):
                self.assertTrue(self.rpc.call("dojima_setBalance", {"address": who, "coin": "vUSDC", "amount": amount,
                                                                     **engine}))
                self.assertEqual(Decimal(self.spot(self.b)), Decimal(amount))
                self.assertEqual(self.evm(who), 0)
        for amount in ("5", "123456.789", "0", "1000000"):
            self.rpc.call("dojima_setBalance", {"address": who, "coin": "vUSDC", "amount": amount, "engine": "perps"})
            state = Connection(self.server.port).send("GET", f"/api/v1/perps/accounts/{who}/balances").data
            self.assertEqual(Decimal(state["balances"][0]["total"]), Decimal(amount), state)
        self.rpc.call("dojima_setBalance", {"address": who, "coin": "vBTC", "amount": "3", "engine": "evm"})
        self.rpc.call("dojima_setBalance", {"address": who, "coin": "vBTC", "amount": "0.5", "engine": "evm"})

    def test_the_chain_s_own_money(self):
        who = "0x" + "5e" * 20
        for wei in (10**21, 7 * 10**18, 10**12, 0):
            self.assertIsNone(self.rpc.call("anvil_setBalance", who, hex(wei)))
            self.assertEqual(self.evm(who), wei)
        for bad in ("0x1", "1", 5, None, "0x" + "f" * 32, "0xzz"):
            self.refused_call(self.rpc, -32602, "value", "anvil_setBalance", who, bad)
        self.refused_call(self.rpc, -32602, "address", "anvil_setBalance", "0x12", "0x0")

    def test_balances_that_cannot_be(self):
        who = self.a.wallet.address
        good = {"address": who, "coin": "vUSDC", "amount": "1"}
        for wrong, text in (({"coin": "vDOGE"}, "coin"), ({"amount": "-1"}, "amount"),
                            ({"amount": "0.0000001"}, "amount"), ({"engine": "futures"}, "engine"),
                            ({"address": "0x1"}, "address"), ({"more": 1}, "more"),
                            ({"coin": "vBTC", "engine": "perps"}, "coin")):
            self.refused_call(self.rpc, -32602, text, "dojima_setBalance", {**good, **wrong})
        self.items_ok(self.a.place(order("held", BUY, "95100", "1"), nonce=START * SECOND + 1))
        self.refused_call(self.rpc, -32000, "insufficient balance", "dojima_setBalance", good)
        self.assertEqual(Decimal(self.spot(self.a)), 1000000)
        self.rpc.call("dojima_cancelOrders", {})

    def test_markets_and_modes(self):
        place = lambda name: self.b.place(order(name, BUY, "95100", "0.01"), nonce=self.nonce())
        self.assertIn("tx", self.rpc.call("dojima_halt", {"symbol": "vBTC_vUSDC"}))
        self.item_refused(place("h1"), 42014)
        self.rpc.call("dojima_resume", {"symbol": "vBTC_vUSDC"})
        self.items_ok(place("h2"))
        self.assertEqual(self.rpc.call("dojima_cancelOrders", {"engine": "spot"})["canceled"], 1)
        self.rpc.call("dojima_setMode", {"mode": "CANCEL_ONLY"})
        self.item_refused(place("h3"), 42014)
        self.rpc.call("dojima_setMode", {"mode": "RUN", "id": "mode-1"})
        self.items_ok(place("h4"))
        self.rpc.call("dojima_setStakingTier", {"address": self.b.wallet.address, "tier": 1})
        self.assertGreater(self.rpc.call("dojima_openAccount", {"address": self.b.wallet.address})["accountID"], 1010)
        self.refused_call(self.rpc, -32602, "symbol", "dojima_halt", {})
        self.refused_call(self.rpc, -32602, "symbol", "dojima_halt", {"symbol": "DOGE-USD"})
        self.refused_call(self.rpc, -32602, "status", "dojima_setMarket", {"symbol": "BTC-USD", "status": "OPEN"})
        self.refused_call(self.rpc, -32602, "mode", "dojima_setMode", {"mode": 1})
        self.refused_call(self.rpc, -32602, "", "dojima_setMode", "RUN")

    def nonce(self):
        self.last = max(getattr(self, "last", 0), server_time(self.server)) + 1
        return self.last

    def test_funding_comes_at_the_next_hour(self):
        before = server_time(self.server)
        hour = self.rpc.call("dojima_fundingNow", {"symbol": "BTC-USD"})["fundingTime"]
        self.assertEqual(hour, before - before % HOUR + HOUR)
        self.assertEqual(self.rpc.call("dojima_fundingNow")["fundingTime"], hour + HOUR)
        self.refused_call(self.rpc, -32602, "symbol", "dojima_fundingNow", {"symbol": "vBTC_vUSDC"})

    def test_mining_is_time(self):
        self.rpc.call("anvil_mine")
        before = server_time(self.server)
        self.rpc.call("anvil_mine", "0x3", "0x3c")
        self.assertEqual(server_time(self.server), before + 2 * MINUTE)
        self.rpc.call("anvil_mine", 1, 60)
        self.assertEqual(server_time(self.server), before + 2 * MINUTE)
        self.refused_call(self.rpc, -32602, "blocks", "anvil_mine", 0)


class Impersonated(Case):
    refused_call = refused_call

    def setUp(self):
        self.folder = Folder()
        self.data = os.path.join(self.folder.path, "data")
        self.server = Server(data=self.data)
        self.rpc, (self.a, *_) = Rpc(self.server), self.server.accounts()
        self.who = "0x" + "A1" * 20
        self.rpc.call("dojima_deposit", {"address": self.who, "coin": "vUSDC", "amount": "50000"})

    def tearDown(self):
        self.server.stop()
        self.folder.__exit__()

    def place(self, name, who=None, **headers):
        body = {"accountID": headers.pop("account", 0), "orders": [order(name, BUY, "95100", "0.01")]}
        return Connection(self.server.port).send("POST", "/api/v1/spot/trade/orders/batch", json.dumps(body),
                                                 {"X-Dojima-As": who or self.who, **headers})

    def orders(self):
        return len(Connection(self.server.port).send("GET", f"/api/v1/spot/accounts/{self.who}/orders").data["orders"])

    def test_only_who_is_impersonated(self):
        self.refused(self.place("x0"), 40101, "the address is not impersonated")
        self.rpc.call("anvil_impersonateAccount", self.who)
        self.items_ok(self.place("x1"))
        self.items_ok(self.place("x2", self.who.lower()))
        self.rpc.call("anvil_stopImpersonatingAccount", self.who)
        self.refused(self.place("x3"), 40101, "the address is not impersonated")
        self.rpc.call("anvil_autoImpersonateAccount", True)
        self.items_ok(self.place("x4"))
        self.rpc.call("anvil_autoImpersonateAccount", False)
        self.refused(self.place("x5"), 40101, "the address is not impersonated")
        self.assertEqual(self.orders(), 3)
        self.server.stop()
        code, text, errors = run("verify", "--signatures", "--json", self.data)
        self.assertEqual(code, 0, errors)
        self.assertEqual(json.loads(text)["impersonatedCommands"], 3)
        self.server = Server(data=self.data)
        self.refused(self.place("x6"), 40101, "the address is not impersonated")

    def test_what_it_must_not_be(self):
        self.rpc.call("anvil_impersonateAccount", self.who)
        self.refused(self.place("y1", "0x12"), 40101, "X-Dojima-As is invalid")
        self.refused(self.place("y2", self.who[2:]), 40101, "X-Dojima-As is invalid")
        self.refused(self.place("y3", **{"X-API-Sign": "0x01"}), 40101, "X-Dojima-As is invalid")
        self.refused(self.place("y4", **{"X-API-Key": "dev"}), 40101, "X-Dojima-As is invalid")
        self.refused(self.place("y5", Origin="https://example.com"), 40101, "X-Dojima-As is not taken from here")
        self.refused(self.place("y6", Host="example.com"), 40101, "X-Dojima-As is not taken from here")
        self.refused(self.place("y7", **{"X-Forwarded-For": "10.0.0.1"}), 40101, "X-Dojima-As is not taken from here")
        self.refused(self.place("y8", account=1001), 40101, "the address may not do this")
        self.refused(self.place("y9", account=999999), 40403)
        self.assertEqual(self.orders(), 0)
        self.rpc.call("anvil_impersonateAccount", "0x" + "b2" * 20)
        self.refused(self.place("y10", "0x" + "b2" * 20), 40101, "the address may not do this")

    def test_pages_of_other_sites_cannot_ask_for_any_of_it(self):
        for method, params in (("anvil_impersonateAccount", [self.who]), ("anvil_autoImpersonateAccount", [True]),
                               ("dojima_setClock", [0]), ("dojima_clear", []), ("dojima_setBalance", [{}]),
                               ("dojima_halt", [{}]),
                               ("anvil_setBalance", [self.who, "0x0"]), ("dojima_explainOrder", [{}])):
            for headers in ({"Origin": "https://example.com"}, {"Host": "example.com"}, {"Forwarded": "for=1.2.3.4"}):
                with self.assertRaises(RpcError) as raised:
                    self.rpc.call(method, *params, headers=headers)
                self.assertEqual(raised.exception.code, -32601, (method, headers))
        self.refused(self.place("z1"), 40101, "the address is not impersonated")
        answer = Connection(self.server.port).send("OPTIONS", "/api/v1/spot/trade/orders/batch",
                                                   headers={"Origin": "https://example.com"})
        self.assertNotIn("x-dojima-as", answer.headers["access-control-allow-headers"].lower())


class Cleared(Case):
    def test_what_a_revert_leaves_ends(self):
        with Server("--clock", "0", "--timestamp", str(START)) as server:
            rpc, who = Rpc(server), server.accounts()[0].address
            place = lambda name: Connection(server.port).send(
                "POST", "/api/v1/spot/trade/orders/batch",
                json.dumps({"accountID": 0, "orders": [order(name, BUY, "95100", "0.01")]}), {"X-Dojima-As": who})
            self.assertIs(rpc.call("dojima_clear"), True)                  # nothing was there
            snapshot = rpc.call("evm_snapshot")
            for all_of_them in (False, True):
                rpc.call("dojima_setClock", 20)
                rpc.call("dojima_chaosAdd", {"fault": "503", "path": "/api/v1/spot/markets"})
                rpc.call("anvil_impersonateAccount", who)
                rpc.call("anvil_autoImpersonateAccount", all_of_them)
                rpc.call("dojima_scenarioStart", "flash-crash")
                self.items_ok(place("c1"))
                rpc.call("evm_revert", snapshot)
                self.assertEqual(Connection(server.port).send("GET", "/api/v1/spot/markets/symbols").status, 503)
                self.items_ok(place("c2"))
                self.assertEqual(rpc.call("dojima_scenarioStatus")["state"], "playing")
                until = time.monotonic() + 20
                while not rpc.call("dojima_clear") and time.monotonic() < until:
                    time.sleep(0.01)
                self.assertEqual(rpc.call("dojima_scenarioStatus")["state"], "stopped")
                self.assertEqual(rpc.call("dojima_chaosList"), [])
                self.ok(Connection(server.port).send("GET", "/api/v1/spot/markets/symbols"))
                self.refused(place("c3"), 40101, "the address is not impersonated")
                stands = server_time(server)
                time.sleep(0.05)
                self.assertEqual(server_time(server), stands)


class Equal(Case):
    """Two runs of one seed with the same commands at the same engine times."""

    def play(self, folder, market, pause):
        words = ["--clock", "0", "--timestamp", str(START), "--seed", "9", "--market", market]
        with Server(*words, data=folder) as server:
            rpc, (a, b, *_) = Rpc(server), server.accounts()
            nonce, seen = START * SECOND, []
            for turn in range(6):
                price = str(100000 + 10 * turn)
                for client, side, tif in ((a, SELL, GTC), (b, BUY, IOC)):
                    nonce += 1
                    seen.append(client.place(order(f"s{nonce}", side, price, "0.01", tif=tif), nonce=nonce).data)
                    nonce += 1
                    seen.append(Perps(client).place(perps_order(f"p{nonce}", side, price, "0.01", tif=tif),
                                                    nonce=nonce).data)
                    time.sleep(pause)
                rpc.call("evm_increaseTime", 3 * 60 if INSTRUMENTED else 17 * 60)
            seen.append(Connection(server.port).send("GET", "/api/v1/spot/markets/vBTC_vUSDC/trades?limit=100").data)
            seen.append(Connection(server.port).send("GET", "/api/v1/perps/markets/BTC-USD/trades?limit=100").data)
            seen.append(Connection(server.port).send("GET", "/api/v1/perps/markets/BTC-USD/orderbook?limit=20").data)
        code, text, errors = run("verify", "--json", folder)
        self.assertEqual(code, 0, errors)
        return seen, json.loads(text)["stateHash"]

    def equal(self, market):
        with Folder() as one, Folder() as two:
            first, first_hash = self.play(os.path.join(one, "data"), market, 0)
            second, second_hash = self.play(os.path.join(two, "data"), market, 0.03)
        self.assertEqual(first, second)
        self.assertEqual(first_hash, second_hash)
        return first[-3]

    def test_without_a_market(self):
        self.assertEqual(len(self.equal("none")), 6)

    def test_with_moving_prices(self):
        self.assertEqual(len(self.equal("empty")), 6)

    def test_with_traders(self):
        self.assertEqual(len(self.equal("calm")), 100)


class Documents(Case):
    CALL = re.compile(r"^curl -s localhost:8080/rpc .*(?:\n  .*)*", re.MULTILINE)

    def test_calls_of_documents_work_as_written(self):
        """Each `curl … /rpc` of README.md and docs, in a shell, with another port."""
        if not shutil.which("curl"):
            self.skipTest("SKIP curl is not installed")
        seen = 0
        with Server() as server:
            for path in [f"{ROOT}/README.md", *sorted(glob.glob(f"{ROOT}/docs/*.md"))]:
                with open(path) as file:
                    calls = self.CALL.findall(file.read())
                for call in calls:
                    done = subprocess.run(["sh", "-c", call.replace("localhost:8080", f"127.0.0.1:{server.port}")],
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
                    self.assertIn(b'"result":', done.stdout, f"{os.path.basename(path)}: {call}")
                seen += len(calls)
        self.assertGreaterEqual(seen, 5)


class Market(Case):
    """The traders of `dojima dev`, seen from outside (docs/market.md)."""

    SYMBOLS = (("spot", "vBTC_vUSDC"), ("spot", "vETH_vUSDC"), ("perps", "BTC-USD"), ("perps", "ETH-USD"),
               ("perps", "SOL-USD"))

    @classmethod
    def get(cls, server, path):
        return Connection(server.port).send("GET", "/api/v1/" + path).data

    def book(self, server, side, symbol):
        book = self.get(server, f"{side}/markets/{symbol}/orderbook?limit=100")
        return len(book["bids"]), len(book["asks"])

    def start(self, folder, *words, market="calm"):
        return Server("--clock", "0", "--timestamp", str(START), "--market", market, *words, "--no-limits",
                      data=os.path.join(folder, "data"))

    def report(self, folder):
        code, text, errors = run("verify", "--signatures", "--json", os.path.join(folder, "data"), seconds=120)
        self.assertEqual(code, 0, errors)
        return json.loads(text)

    def test_books_and_trades_on_each_symbol(self):
        with Folder() as folder:
            with self.start(folder) as server:
                Rpc(server).call("evm_increaseTime", 2)
                for side, symbol in self.SYMBOLS:
                    self.assertGreaterEqual(min(self.book(server, side, symbol)), 20, symbol)
                Rpc(server).call("evm_increaseTime", 60)
                for side, symbol in self.SYMBOLS:
                    trades = self.get(server, f"{side}/markets/{symbol}/trades?limit=100")
                    self.assertGreaterEqual(len(trades), 6, symbol)
            report = self.report(folder)
            self.assertGreater(report["traderCommands"], 1000)
            self.assertEqual(report["impersonatedCommands"], 0)
            self.assertEqual(report["signatures"], 0)

    def test_a_restart_continues(self):
        hashes = []
        for pieces in ((600,), (150, 450), (1, 299, 300)):
            with Folder() as folder:
                for seconds in pieces:
                    with self.start(folder) as server:
                        Rpc(server).call("evm_increaseTime", seconds)
                        trades = self.get(server, "perps/markets/BTC-USD/trades?limit=100")
                        book = self.get(server, "perps/markets/BTC-USD/orderbook?limit=100")
                report = self.report(folder)
                hashes.append((trades, book["bids"], book["asks"], report["money"], report["traderCommands"]))
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0], hashes[2])

    def test_knobs(self):
        with Folder() as folder:
            with self.start(folder) as server:
                rpc = Rpc(server)
                rpc.call("evm_increaseTime", 5)
                both = sum(self.book(server, "perps", "BTC-USD"))
                rpc.call("dojima_setTraders", {"pulled": 50})
                rpc.call("evm_increaseTime", 5)
                self.assertLess(sum(self.book(server, "perps", "BTC-USD")), both * 3 // 4)
                rpc.call("dojima_setTraders", {"preset": "none"})
                rpc.call("evm_increaseTime", 5)
                self.assertEqual(self.book(server, "perps", "BTC-USD"), (0, 0))
                for bad in ({"preset": "storm"}, {"pulled": 101}, {"takers": -101}, {"drift": 1000001}, {"speed": 1}):
                    with self.assertRaises(RpcError, msg=bad):
                        rpc.call("dojima_setTraders", bad)
                self.assertEqual(self.book(server, "perps", "BTC-USD"), (0, 0))
            with self.start(folder) as server:      # the log knows it
                Rpc(server).call("evm_increaseTime", 5)
                self.assertEqual(self.book(server, "perps", "BTC-USD"), (0, 0))
                Rpc(server).call("dojima_setTraders", {})
                Rpc(server).call("evm_increaseTime", 5)
                self.assertGreaterEqual(sum(self.book(server, "perps", "BTC-USD")), both * 3 // 4)

    def test_an_empty_market_can_be_filled(self):
        with Folder() as folder, self.start(folder, market="empty") as server:
            Rpc(server).call("evm_increaseTime", 5)
            self.assertEqual(self.book(server, "perps", "BTC-USD"), (0, 0))
            Rpc(server).call("dojima_setTraders", {"preset": "thin"})
            Rpc(server).call("evm_increaseTime", 5)
            self.assertGreater(min(self.book(server, "perps", "BTC-USD")), 5)


if __name__ == "__main__":
    main()
