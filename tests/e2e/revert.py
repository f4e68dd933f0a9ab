#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Snapshots of a development exchange: after a revert every read is as it was, byte for byte; a run that went back and
goes on is equal to one that never did; snapshots survive kill -9, are named, and can be used again and again; streams
are closed with 1012; and `dojima verify` checks every branch of the log."""
import json
import os
import shutil
import signal
import threading
import time

from harness import BUY, IOC, SELL, Case, Client, Connection, Folder, Perps, Server, main, order, perps_order, run

BEGIN = 1_790_000_000                   # engine time of new exchanges; their clock stands
STANDS = ("--clock", "0", "--timestamp", str(BEGIN), "--market", "none")
SPOT, PERPS, GATEWAY = "/api/v1/spot", "/api/v1/perps", "/api/v1"
INTERVALS = "1m", "5m", "1h", "1D"

MARKET_READS = [SPOT + "/markets/symbols", SPOT + "/markets/tickers", SPOT + "/markets/miniTickers",
                SPOT + "/markets/bookTickers", PERPS + "/markets/symbols", PERPS + "/markets/tickers",
                PERPS + "/markets/miniTickers", PERPS + "/markets/bookTickers", PERPS + "/markets/mark-prices",
                PERPS + "/markets/index-composition", PERPS + "/liquidations", PERPS + "/insurance-fund",
                GATEWAY + "/time", GATEWAY + "/status"]
for base, symbols in ((SPOT, ("vBTC_vUSDC", "vETH_vUSDC")), (PERPS, ("BTC-USD", "ETH-USD", "SOL-USD"))):
    for symbol in symbols:
        MARKET_READS += [f"{base}/markets/{symbol}/orderbook?limit=100", f"{base}/markets/{symbol}/trades?limit=100"]
        MARKET_READS += [f"{base}/markets/{symbol}/klines?interval={interval}" for interval in INTERVALS]
ACCOUNT_READS = {SPOT: ("balances", "orders", "state", "api-keys", "fee-rate", "orders/history", "trades"),
                 PERPS: ("balances", "orders", "positions", "state", "api-keys", "fee-rate", "orders/history",
                         "positions/history", "fundings", "liquidations", "trades")}
USER_READS = ("status", "subaccounts", "api-keys")


class Exchange(Server):
    """A server with the methods of /rpc, and a signed request that can be sent again."""

    def __init__(self, *args, **more):
        super().__init__(*(args or STANDS), **more)
        self.connection = Connection(self.port)
        self.clients = self.accounts()

    def call(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        reply = self.connection.send("POST", "/rpc", body, {"Content-Type": "application/json"})
        return json.loads(reply.raw)

    def rpc(self, method, *params):
        answer = self.call(method, *params)
        assert "result" in answer, (method, params, answer)
        return answer["result"]

    def all_reads(self, chain=True):
        """Every read there is, and what the chain says of each block and transaction, as bytes."""
        reads = {path: self.connection.send("GET", path) for path in MARKET_READS}
        for client in self.clients[:3]:
            for base, names in ACCOUNT_READS.items():
                for name in names:
                    path = f"{base}/accounts/{client.address}/{name}"
                    reads[path] = self.connection.send("GET", path)
            for name in USER_READS:
                path = f"{GATEWAY}/user/{client.address}/{name}"
                reads[path] = self.connection.send("GET", path)
        found = {path: (reply.status, reply.raw) for path, reply in reads.items()}
        last = int(self.rpc("eth_blockNumber"), 16)
        found["head"] = last
        for number in range(last + 2 if chain else 0):      # one that is not there, too
            block = self.rpc("eth_getBlockByNumber", hex(number), True)
            found["block", number] = block
            for transaction in (block or {}).get("transactions", []):
                found["receipt", transaction["hash"]] = self.rpc("eth_getTransactionReceipt", transaction["hash"])
        return found


class Script:
    """Signed requests by name; each is signed once, so that two exchanges get the same bytes."""

    def __init__(self):
        self.nonce, self.signed = BEGIN * 1000, {}

    def send(self, exchange, name, write):
        """`write(client)` sends a request through a client of the exchange when the name is new."""
        if name not in self.signed:
            self.signed[name] = self._record(exchange, write)
        method, path, body, headers = self.signed[name]
        return exchange.connection.send(method, path, body, headers)

    def _record(self, exchange, write):
        recorded = []

        class Recorder:
            def send(self, method, path, body=None, headers=()):
                recorded.append((method, path, body, dict(headers)))

        self.nonce += 1
        index, act = write
        client = exchange.clients[index]
        act(Client(exchange, client.wallet, client.id, Recorder()), self.nonce)
        return recorded[0]


def spot(index, *orders):
    return index, lambda client, nonce: client.place(*orders, nonce=nonce)


def perps(index, *orders):
    return index, lambda client, nonce: Perps(client).place(*orders, nonce=nonce)


def act(script, exchange, part):
    """One part of a story: orders that rest, trade and are canceled on both sides, money, prices and time."""
    def send(name, write):
        reply = script.send(exchange, f"{part}-{name}", write)
        assert reply.code == 0, (part, name, reply)

    send("sell", spot(0, order(f"{part}-s1", SELL, "100100", "0.02"), order(f"{part}-s2", SELL, "100200", "0.03")))
    send("buy", spot(1, order(f"{part}-b1", BUY, "100100", "0.01"), order(f"{part}-b2", BUY, "99000", "0.05")))
    send("cancel", (1, lambda client, nonce: client.cancel({"symbolID": 1, "clOrdID": f"{part}-b2"}, nonce=nonce)))
    send("short", perps(0, perps_order(f"{part}-p1", SELL, "100000", "0.5"),
                        perps_order(f"{part}-p2", SELL, "100500", "0.4")))
    send("long", perps(2, perps_order(f"{part}-p3", BUY, "100000", "0.5"),
                       perps_order(f"{part}-p4", BUY, "99500", "0.2", tif=IOC)))
    address = exchange.clients[1].address
    exchange.rpc("dojima_deposit", {"address": address, "coin": "vUSDC", "amount": "12.5", "id": f"{part}-gift"})
    exchange.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "100050"})
    exchange.rpc("evm_increaseTime", 61 * 60)               # a bar, and funding
    send("more", spot(2, order(f"{part}-s3", SELL, "100150", "0.02")))


def state_of(folder):
    code, out, errors = run("verify", "--json", "--signatures", folder)
    assert code == 0, errors
    return json.loads(out)


class Revert(Case):
    def differences(self, before, after):
        return {key: (before.get(key), after.get(key)) for key in {*before, *after}
                if before.get(key) != after.get(key)}

    def assert_same(self, before, after):
        different = self.differences(before, after)
        self.assertEqual(different, {}, f"{len(different)} of {len(before)} reads differ")

    def test_everything_is_as_it_was(self):
        """Again and again to one snapshot, to an earlier one, and to a later one whose branch is void by then."""
        script = Script()
        with Folder() as folder:
            with Exchange(data=folder) as exchange:
                empty = exchange.all_reads()
                self.assertEqual(exchange.rpc("evm_snapshot", "empty"), "0x1")
                act(script, exchange, "a")
                middle = exchange.all_reads()
                self.assertEqual(exchange.rpc("evm_snapshot"), "0x2")
                self.assertGreater(len(self.differences(empty, middle)), 30)
                for _ in range(3):
                    act(script, exchange, "b")
                    self.assertGreater(len(self.differences(middle, exchange.all_reads())), 30)
                    self.assertIs(exchange.rpc("evm_revert", "0x2"), True)
                    self.assert_same(middle, exchange.all_reads())
                act(script, exchange, "c")
                late = exchange.all_reads()
                exchange.rpc("evm_snapshot", "late")
                exchange.rpc("evm_revert", "empty")
                self.assert_same(empty, exchange.all_reads())
                act(script, exchange, "d")
                exchange.rpc("evm_revert", "late")
                self.assert_same(late, exchange.all_reads())
                exchange.rpc("anvil_reset")
                self.assert_same(empty, exchange.all_reads())
                exchange.rpc("evm_revert", 2)
                self.assert_same(middle, exchange.all_reads())
            self.assertEqual(state_of(folder)["reverts"], 7)

    def test_a_run_that_went_back_equals_one_that_did_not(self):
        script, found = Script(), []
        for detours in (0, 3):
            with Folder() as folder:
                with Exchange(data=folder) as exchange:
                    act(script, exchange, "a")
                    for detour in range(detours):
                        exchange.rpc("evm_snapshot", f"detour-{detour}")
                        act(script, exchange, "void")
                        exchange.rpc("evm_snapshot")
                        exchange.rpc("evm_revert", f"detour-{detour}")
                    act(script, exchange, "b")
                    reads = exchange.all_reads()
                state = state_of(folder)
                found.append((reads, [state[key] for key in ("seq", "timeMs", "blockNumber", "blockHash",
                                                             "stateHash", "money")]))
        self.assert_same(found[0][0], found[1][0])
        self.assertEqual(found[0][1], found[1][1])

    def test_log_and_receipts_are_those_of_the_present(self):
        """dojima log, its receipts and explain-liquidation leave out what is void, also beside the exchange."""
        def fall(exchange, to):
            for percent in range(99, to, -1):
                exchange.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": str(percent * 1000)})
                exchange.rpc("evm_increaseTime", 20)

        with Folder() as folder:
            with Exchange(data=folder) as exchange:
                script = Script()
                act(script, exchange, "a")
                for name, write in (("short", perps(0, perps_order("x1", SELL, "100400", "95"))),
                                    ("long", perps(2, perps_order("x2", BUY, "100400", "95")))):
                    self.assertEqual(script.send(exchange, name, write).code, 0)
                exchange.rpc("evm_snapshot", "held")
                fall(exchange, 84)
                exchange.rpc("dojima_deposit", {"address": exchange.clients[1].address, "coin": "vUSDC", "amount": "1",
                                                "id": "void-gift"})
                self.assertEqual(run("log", folder)[1].count("void-gift"), 1)
                exchange.rpc("evm_revert", "held")
                self.assertNotIn("void-gift", run("log", folder)[1])
                code, receipts, errors = run("log", "--receipts", folder)
                self.assertEqual((code, receipts), (0, ""), errors)     # of the void branch alone
                fall(exchange, 86)
                act(script, exchange, "alive")
            code, lines, errors = run("log", folder)
            self.assertEqual(code, 0, errors)
            self.assertIn("alive-gift", lines)
            self.assertNotIn("void-gift", lines)
            numbers = [int(line.split()[0]) for line in lines.splitlines()]
            self.assertEqual(numbers, list(range(1, state_of(folder)["seq"] + 1)))
            code, receipts, errors = run("log", "--receipts", folder)
            self.assertEqual(code, 0, errors)
            self.assertNotEqual(receipts, "")
            code, explained, errors = run("explain-liquidation", folder, "1")
            self.assertEqual(code, 0, errors)
            self.assertIn("agrees", explained)
            self.assertEqual(run("log", "--scenario", folder)[0], 0)
            answer = json.loads(run("doctor", "--data", folder, "--json")[1])
            self.assertIn("pool accounts", [check["name"] for check in answer["checks"]])

    def test_traders_go_on_as_if_nothing_had_been(self):
        """The same trades, ids and state hash with and without a detour, and over a restart in the middle of it."""
        found = []
        for detour in (False, True):
            with Folder() as folder:
                calm = ("--clock", "0", "--timestamp", str(BEGIN), "--market", "calm")
                exchange = Exchange(*calm, data=folder)
                exchange.rpc("evm_increaseTime", 20)
                if detour:
                    exchange.rpc("evm_snapshot", "here")
                    before = exchange.all_reads(chain=False)
                    for seconds in (1, 40):
                        exchange.rpc("evm_increaseTime", seconds)
                        exchange.rpc("evm_revert", "here")
                        self.assert_same(before, exchange.all_reads(chain=False))
                    exchange.rpc("evm_increaseTime", 5)
                    exchange.kill()
                    exchange = Exchange(*calm, data=folder)
                    exchange.rpc("evm_revert", "here")
                exchange.rpc("evm_increaseTime", 20)
                reads = exchange.all_reads(chain=False)
                exchange.stop()
                state = state_of(folder)
                found.append((reads, [state[key] for key in ("seq", "timeMs", "blockNumber", "blockHash", "stateHash",
                                                             "money", "traderCommands")]))
        self.assertEqual(found[0][1][:-1], found[1][1][:-1])
        self.assertGreater(found[0][1][-1], 500)
        self.assert_same(found[0][0], found[1][0])

    def test_kill_between_and_after(self):
        """A snapshot whose number was answered is there after kill -9; a revert that was answered has happened."""
        script = Script()
        with Folder() as folder:
            exchange = Exchange(data=folder)
            act(script, exchange, "a")
            middle = exchange.all_reads()
            exchange.rpc("evm_snapshot", "middle")
            exchange.kill()
            exchange = Exchange(data=folder)
            self.assert_same(middle, exchange.all_reads())
            listed = [(row["id"], row["name"]) for row in exchange.rpc("dojima_snapshots")]
            self.assertEqual(listed, [("0x1", "middle")])
            act(script, exchange, "b")
            exchange.kill()
            exchange = Exchange(data=folder)
            exchange.rpc("evm_revert", "middle")
            self.assert_same(middle, exchange.all_reads())
            exchange.kill()
            exchange = Exchange(data=folder)
            self.assert_same(middle, exchange.all_reads())
            act(script, exchange, "c")
            after = exchange.all_reads()
            exchange.kill()
            exchange = Exchange(data=folder)
            self.assert_same(after, exchange.all_reads())
            exchange.rpc("evm_revert", "middle")
            self.assert_same(middle, exchange.all_reads())
            exchange.stop()
            self.assertEqual(state_of(folder)["reverts"], 2)

    def test_kill_during_reverts(self):
        """Whenever it is killed, it is at one of the two places afterwards."""
        script = Script()
        with Folder() as folder:
            exchange = Exchange(data=folder)
            act(script, exchange, "a")
            places = [exchange.all_reads()]
            exchange.rpc("evm_snapshot", "first")
            act(script, exchange, "b")
            places.append(exchange.all_reads())
            exchange.rpc("evm_snapshot", "second")
            for delay in (0, 0.003, 0.006, 0.012, 0.02, 0.03):
                stop = threading.Event()

                def there_and_back(one=exchange):
                    try:
                        while not stop.is_set():
                            one.rpc("evm_revert", "first")
                            one.rpc("evm_revert", "second")
                    except Exception:                           # it was killed
                        pass

                thread = threading.Thread(target=there_and_back)
                thread.start()
                time.sleep(0.1 + delay)
                exchange.kill()
                stop.set()
                thread.join()
                exchange = Exchange(data=folder)
                self.assertIn(exchange.all_reads(), places)
            exchange.stop()
            state_of(folder)

    def test_orders_meanwhile(self):
        """Clients trade while another goes back: each gets an answer, and the log holds together."""
        with Folder() as folder:
            with Exchange("--market", "none", data=folder) as exchange:
                exchange.rpc("evm_snapshot", "base")
                errors = []

                def trade(number):
                    try:
                        client = exchange.accounts()[number]
                        for index in range(150):
                            side = (BUY, SELL)[number % 2]
                            reply = client.place(order(f"x-{number}-{index}", side, "100000", "0.01"))
                            assert reply.status == 200, reply
                            client.open_orders()
                    except Exception as error:
                        errors.append(error)

                threads = [threading.Thread(target=trade, args=(number,)) for number in range(4)]
                for thread in threads:
                    thread.start()
                while any(thread.is_alive() for thread in threads):
                    exchange.call("evm_revert", "base")
                    time.sleep(0.02)
                self.assertEqual(errors, [])
                last = exchange.rpc("eth_blockNumber")
                self.ok(exchange.clients[0].place(order("after", BUY, "90000", "0.01")))
                self.assertEqual(int(exchange.rpc("eth_blockNumber"), 16), int(last, 16) + 1)
            state_of(folder)

    def test_time_goes_on_from_the_snapshot(self):
        with Exchange("--market", "none") as exchange:
            exchange.rpc("evm_snapshot", "then")
            then = exchange.rpc("dojima_snapshots")[0]["time"]
            exchange.rpc("evm_increaseTime", 86400)
            exchange.rpc("evm_revert", "then")
            now = self.ok(exchange.clients[0].get("/time", GATEWAY))["serverTime"]
            self.assertLess(now - then, 60_000)
            self.ok(exchange.clients[0].place(order("o", BUY, "90000", "0.01")))
            later = self.ok(exchange.clients[0].get("/time", GATEWAY))["serverTime"]
            self.assertGreaterEqual(later, now)
            self.assertLess(later - then, 120_000)

    def test_state_as_bytes(self):
        """anvil_dumpState and anvil_loadState: in another exchange everything is as it was, history included."""
        script = Script()
        with Folder() as folder:
            with Exchange() as exchange:
                act(script, exchange, "a")
                exchange.rpc("evm_snapshot", "place")
                act(script, exchange, "void")
                exchange.rpc("evm_revert", "place")
                reads, state = exchange.all_reads(), exchange.rpc("anvil_dumpState")
                self.assertTrue(state.startswith("0x"))
            with Exchange(data=folder) as other:
                empty = other.all_reads()
                act(script, other, "b")
                mine = other.all_reads()
                for wrong in ("0x", "0x00", "state", state[:-2], state[:-1], state[:200] + "00" + state[202:], 5, None):
                    self.assertIn("error", other.call("anvil_loadState", wrong))
                self.assert_same(mine, other.all_reads())
                other.rpc("evm_snapshot", "before")
                self.assertIs(other.rpc("anvil_loadState", state), True)
                self.assert_same(reads, other.all_reads())
                other.rpc("evm_revert", "before")
                self.assert_same(mine, other.all_reads())
                other.rpc("anvil_loadState", state)
                act(script, other, "c")
                other.rpc("anvil_reset")
                self.assert_same(empty, other.all_reads())
            with Exchange("--clock", "0", "--timestamp", str(BEGIN + 3600), "--market", "none") as foreign:
                self.assertIn("other settings", foreign.call("anvil_loadState", state)["error"]["message"])
            self.assertEqual(state_of(folder)["reverts"], 4)

    def test_state_in_a_file(self):
        """--state FILE: the next run goes on from the end of the last one, by Ctrl-C as by SIGTERM."""
        script = Script()
        with Folder() as folder:
            file = os.path.join(folder, "market.state")
            with Exchange(*STANDS, "--state", file) as exchange:
                act(script, exchange, "a")
                first = exchange.all_reads()
            exchange = Exchange(*STANDS, "--state", file)
            self.assert_same(first, exchange.all_reads())
            act(script, exchange, "b")
            second = exchange.all_reads()
            exchange.process.send_signal(signal.SIGTERM)
            self.assertEqual(exchange.process.wait(20), 0)
            with Exchange(*STANDS, "--state", file) as exchange:
                self.assert_same(second, exchange.all_reads())
            with open(file, "rb") as state:
                content = state.read()
            for wrong in (b"", content[:-1], content[:64], b"x" + content[1:], content + b"x"):
                with open(file, "wb") as state:
                    state.write(wrong)
                code, _, errors = run("dev", "--port", "0", "--json", "--state", file)
                self.assertEqual((code, file in errors), (70, True), errors)
            self.assertEqual(run("dev", "--port", "0", "--state", file, "--data", folder)[0], 2)

    def test_state_that_cannot_be_written(self):
        """--state FILE where no file can be: refused at the start, before anything is traded, and nothing is left."""
        with Folder() as folder:
            beside = os.path.join(folder, "beside")
            with open(beside, "w"):
                pass
            places = [os.path.join(folder, "absent", "market.state"), os.path.join(beside, "market.state"),
                      os.path.join(folder, "absent") + "/", os.path.join(folder, "x" * 256), "/proc/market.state"]
            if os.geteuid() != 0:
                os.mkdir(os.path.join(folder, "closed"), 0o500)
                places.append(os.path.join(folder, "closed", "market.state"))
            there = sorted(os.listdir(folder))
            for place in places:
                with self.subTest(place):
                    code, output, errors = run("dev", "--port", "0", "--json", "--state", place)
                    self.assertEqual((code, output), (74, ""), errors)
                    self.assertIn(f"dev: --state {place}: ", errors)
            self.assertEqual(sorted(os.listdir(folder)), there)

    def test_state_that_can_no_longer_be_written(self):
        """The folder of --state FILE goes away while the exchange runs: the log stays, and --data goes on with it."""
        script = Script()
        with Folder() as folder:
            place = os.path.join(folder, "place")
            os.mkdir(place)
            exchange = Exchange(*STANDS, "--state", os.path.join(place, "market.state"))
            self.assertEqual(os.listdir(place), [])
            act(script, exchange, "a")
            first, kept = exchange.all_reads(), exchange.banner["data"]
            os.rmdir(place)
            exchange.process.send_signal(signal.SIGTERM)
            self.assertEqual(exchange.process.wait(20), 74)
            try:
                with Exchange(*STANDS, "--data", kept) as exchange:
                    self.assert_same(first, exchange.all_reads())
            finally:
                shutil.rmtree(kept)

    def test_words(self):
        """dojima snapshot, revert, snapshots."""
        script = Script()
        with Exchange() as exchange:
            url = exchange.banner["url"]
            self.assertEqual(run("snapshot", "--url", url)[:2], (0, "0x1\n"))
            self.assertEqual(run("snapshot", "base", "--url", url)[:2], (0, "0x2\n"))
            base = exchange.all_reads()
            act(script, exchange, "a")
            self.assertEqual(run("revert", "base", "--url", url)[:2], (0, ""))
            self.assert_same(base, exchange.all_reads())
            code, out, _ = run("snapshots", "--url", url)
            self.assertEqual([line.split()[0] for line in out.splitlines()], ["0x1", "0x2"])
            self.assertIn("base", out)
            for words in (("revert", "nothing"), ("snapshot", "base"), ("snapshot", "1 2")):
                code, _, errors = run(*words, "--url", url)
                self.assertEqual((code, errors.startswith("dojima: " + words[0])), (1, True), errors)
            self.assertEqual(run("snapshot", "a", "b", "--url", url)[0], 2)
            self.assertEqual(run("revert", "--url", url)[0], 2)
            named = {**os.environ, "DOJIMA_URL": url}
            self.assertEqual(run("snapshot", "named", env=named)[:2], (0, "0x3\n"))
            self.assertEqual(run("snapshots", env=named)[1].splitlines()[-1].split()[:2], ["0x3", "named"])
            self.assertEqual(run("revert", "named", env=named)[:2], (0, ""))
            self.assertEqual(run("chaos", "list", env=named)[0], 0)

    def test_streams_end_with_1012(self):
        try:
            from streams import Stream
        except SystemExit:
            self.skipTest("python3-websockets is not installed")
        with Exchange() as exchange:
            exchange.rpc("evm_snapshot", "base")
            streams = [Stream(exchange, path) for path in ("/ws/spot", "/ws/perps")]
            exchange.rpc("evm_revert", "base")
            for stream in streams:
                stream.thread.join(20)
                self.assertEqual(stream.closed[0], 1012, stream.closed)

    def test_refusals(self):
        with Exchange() as exchange:
            before = exchange.all_reads()
            for snapshot in (0, 1, "0x1", "0x0", "nothing", 10 ** 14, "0xfffffffffffff"):
                self.assertIn("error", exchange.call("evm_revert", snapshot), snapshot)
            for snapshot in ("", "a b", None, {}, [], -1, "x" * 32, "0x" + "f" * 20):
                self.assertIn(exchange.call("evm_revert", snapshot)["error"]["code"], (-32602, -32000), snapshot)
            self.assertEqual(exchange.call("evm_revert")["error"]["code"], -32602)
            for name in ("", "1st", "a b", 5, {}, "x" * 32, "ä"):
                self.assertEqual(exchange.call("evm_snapshot", name)["error"]["code"], -32602, name)
            self.assertEqual(exchange.rpc("dojima_snapshots"), [])
            self.assertEqual(exchange.rpc("evm_snapshot", "x" * 31), "0x1")
            self.assertIn("name", exchange.call("evm_snapshot", "x" * 31)["error"]["message"])
            self.assertEqual(len(exchange.rpc("dojima_snapshots")), 1)
            self.assert_same(before, exchange.all_reads())
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "evm_revert", "params": ["0x1"]})
            for header in ({"Origin": "https://elsewhere.example"}, {"X-Forwarded-For": "10.0.0.1"}):
                reply = exchange.connection.send("POST", "/rpc", body, {"Content-Type": "application/json", **header})
                self.assertEqual(json.loads(reply.raw)["error"]["code"], -32601, header)


if __name__ == "__main__":
    main()
