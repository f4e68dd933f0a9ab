#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dojima scenario: each scenario of the program holds, twice the same, and a scenario whose expectation is wrong fails.
"""
import json
import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BINARY, INSTRUMENTED, Connection, Server, compact                # noqa: E402
import subprocess                                                           # noqa: E402


def run(*words, seconds=300):
    """(exit code, lines, stderr) of dojima scenario. A build with sanitizers has no sandbox, and warns of it."""
    done = subprocess.run([BINARY, "scenario", *words], capture_output=True, text=True, timeout=seconds)
    lines = [line for line in done.stderr.splitlines(True) if not (INSTRUMENTED and "no sandbox" in line)]
    return done.returncode, done.stdout.splitlines(), "".join(lines)


NAMES = [line.split()[0] for line in run("list")[1]]
SMALL = {"name": "small", "about": "A long is liquidated.", "market": "none", "seed": 7, "ends": "30s", "steps": [
    {"at": "1s", "do": "leverage", "account": 1003, "symbol": "ETH-USD", "leverage": 10},
    {"at": "1s", "do": "leverage", "account": 1004, "symbol": "ETH-USD", "leverage": 10},
    {"at": "2s", "do": "order", "account": 1004, "symbol": "ETH-USD", "side": "sell", "price": "4000",
     "quantity": "2000"},
    {"at": "3s", "do": "order", "account": 1003, "symbol": "ETH-USD", "side": "buy", "price": "4000",
     "quantity": "2000"},
    {"at": "5s", "do": "index", "symbol": "ETH-USD", "to": "-20%", "over": "15s"}], "expect": [
        {"from": "5s", "by": "25s", "liquidated": 1003}]}


class Scenarios(unittest.TestCase):

    def file(self, **changes):
        handle, path = tempfile.mkstemp(suffix=".json")
        self.addCleanup(os.unlink, path)
        with os.fdopen(handle, "w") as file:
            json.dump({**SMALL, **changes}, file)
        return path

    def test_there_are_eight(self):
        self.assertGreaterEqual(len(NAMES), 8)

    def test_what_is_expected_comes_true(self):
        code, lines, err = run("run", self.file())
        self.assertEqual((code, err, lines[-1]), (0, "", "1 of 1 expectations hold"))

    def test_an_expectation_that_is_wrong_fails(self):
        code, lines, _ = run("run", self.file(expect=[{"by": "4s", "liquidated": 1003}, {"liquidated": 1004}]))
        self.assertEqual((code, lines[-1]), (1, "0 of 2 expectations hold"))
        self.assertTrue(any("did not come true by 4 s: found 0 receipts" in line for line in lines), lines)

    def test_a_step_that_is_refused_ends_it(self):
        bad = {"do": "order", "account": 1001, "symbol": "ETH-USD", "side": "buy", "price": "1", "quantity": "1"}
        code, lines, err = run("run", self.file(steps=[{**bad, "at": "6s", "price": "4000.001"}], expect=[]))
        self.assertEqual(code, 1)
        self.assertIn("code", err)
        code, _, err = run("run", self.file(steps=[{**bad, "at": "1s", "account": 7}], expect=[]))
        self.assertEqual(code, 1)
        self.assertIn("account", err)

    def test_mistakes_in_the_file_are_named(self):
        for changes, words in (({"steps": [{"at": "1s", "do": "explode"}]}, "steps[0].do is explode"),
                               ({"sed": 7}, "sed: there is no such key"), ({"ends": "30"}, "ends is not a time")):
            code, _, err = run("run", self.file(**changes))
            self.assertEqual(code, 2)
            self.assertIn(words, err)
        self.assertEqual(run("run", "/nowhere.json")[0], 2)
        self.assertEqual(run("run")[0], 2)

    def test_an_exchange_that_runs_keeps_its_own_time(self):
        with Server("--market", "none", "--clock", "2") as server:
            code, lines, err = run("run", self.file(), "--url", f"http://127.0.0.1:{server.port}", "--json")
        self.assertEqual((code, err), (0, ""), lines)
        self.assertEqual(json.loads(lines[-1]), {"expected": 1, "held": 1})

    def test_every_scenario_of_the_program_holds(self):
        for name in NAMES if os.environ.get("SCENARIOS") == "all" else ("cascade-with-adl", "restart-under-load"):
            with self.subTest(name):
                code, lines, err = run("run", name)
                self.assertEqual((code, err), (0, ""), "\n".join(lines))

    def test_one_seed_one_run(self):
        first, second = run("run", "flash-crash", "--json"), run("run", "flash-crash", "--json")
        self.assertEqual(first, second)


class FromTheExchange(unittest.TestCase):
    """The methods of /rpc: the exchange has scenarios played (decision 629)."""

    def call(self, server, method, *params, headers=()):
        body = compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        return self.send(server, body, headers).json

    def send(self, server, body, headers=()):
        connection = Connection(server.port)
        self.addCleanup(connection.close)
        return connection.send("POST", "/rpc", body, headers)

    def error(self, *call, **more):
        return self.call(*call, **more)["error"]

    def ended(self, server, seconds=60):
        """The run when it has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            status = self.call(server, "dojima_scenarioStatus")["result"]
            if status["state"] not in ("playing", "stopping"):
                return status
            time.sleep(0.05)
        raise AssertionError(f"it does not end: {status}")

    def test_a_list_of_all_with_their_lengths(self):
        with Server() as server:
            rows = self.call(server, "dojima_scenarioList")["result"]
            self.assertIsNone(self.call(server, "dojima_scenarioStatus")["result"])
        self.assertEqual([row["name"] for row in rows], NAMES)
        self.assertEqual({row["name"] for row in rows if row["own"]}, {"restart-under-load"})
        self.assertTrue(all(row["about"] and row["endsMs"] >= 60000 and row["steps"] for row in rows), rows)

    def test_one_plays_in_this_exchange_and_its_end_is_told(self):
        with Server("--market", "calm", "--clock", "100") as server:
            begun = self.call(server, "dojima_scenarioStart", "reconnect-storm")["result"]
            self.assertEqual((begun["id"], begun["state"], begun["own"]), (1, "playing", False))
            self.assertIn("plays already", self.error(server, "dojima_scenarioStart", "flash-crash")["message"])
            run = self.ended(server)
            self.assertEqual((run["id"], run["name"], run["state"]), (1, "reconnect-storm", "passed"))
            self.assertEqual(run["lines"][-1]["held"], run["lines"][-1]["expected"])
            self.assertGreaterEqual(run["ms"], 60000)

    def test_one_that_kills_its_exchange_has_one_of_its_own(self):
        with Server("--clock", "0") as server:      # this clock stands, that of the scenario does not
            self.assertTrue(self.call(server, "dojima_scenarioStart", "restart-under-load")["result"]["own"])
            self.assertEqual(self.ended(server)["state"], "passed")
            self.assertTrue(self.call(server, "dojima_scenarioStart", "thin-weekend", True)["result"]["own"])
            self.assertTrue(self.call(server, "dojima_scenarioStop")["result"])
            self.assertEqual(self.ended(server)["state"], "stopped")

    def test_what_cannot_be_played_is_refused(self):
        with Server("--clock", "0") as server:
            for name in ("nowhere", "/etc/passwd", "", "flash-crash ", 7, None, ["flash-crash"], "x" * 5000):
                self.assertEqual(self.error(server, "dojima_scenarioStart", name)["code"], -32602, name)
            self.assertEqual(self.error(server, "dojima_scenarioStart")["code"], -32602)
            self.assertEqual(self.error(server, "dojima_scenarioStart", "flash-crash", "yes")["code"], -32602)
            self.assertIn("no scenario plays", self.error(server, "dojima_scenarioStop")["message"])
            for headers in ({"Origin": "http://elsewhere.example"}, {"X-Forwarded-For": "10.0.0.1"}):
                for method in ("dojima_scenarioList", "dojima_scenarioStart", "dojima_scenarioStatus",
                               "dojima_scenarioStop"):
                    self.assertEqual(self.error(server, method, headers=headers)["code"], -32601)
            self.assertIsNone(self.call(server, "dojima_scenarioStatus")["result"])

    def test_a_scenario_that_waits_for_a_standing_clock_is_stopped(self):
        with Server("--market", "calm", "--clock", "0") as server:
            self.call(server, "dojima_scenarioStart", "flash-crash")
            time.sleep(0.3)
            self.assertEqual(self.call(server, "dojima_scenarioStatus")["result"]["state"], "playing")
            self.call(server, "dojima_scenarioStop")
            self.assertEqual(self.ended(server)["state"], "stopped")
            self.assertIn("no scenario plays", self.error(server, "dojima_scenarioStop")["message"])

    def test_a_step_that_is_refused_is_told(self):
        with Server("--market", "none", "--clock", "100") as server:
            self.call(server, "dojima_halt", {"symbol": "BTC-USD"})
            self.call(server, "dojima_scenarioStart", "flash-crash")
            run = self.ended(server)
        self.assertEqual(run["state"], "failed")
        self.assertIn("code", run["lines"][-1]["failed"])

    def test_its_requests_are_not_counted_in_this_exchange(self):
        with Server("--market", "calm", "--clock", "50", limits=True) as server:
            self.call(server, "dojima_scenarioStart", "flash-crash")
            self.assertEqual(self.ended(server)["state"], "passed")     # it needs several times the limit of a minute
            body = compact([{"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}] * 50)     # 20 each, 1200 in all
            sent = [self.send(server, body).status for _ in range(2)]   # behind it they are counted again
            self.assertEqual(sent, [200, 429])

    def test_nothing_stays_when_the_exchange_is_killed(self):
        server = Server("--clock", "0")
        self.call(server, "dojima_scenarioStart", "restart-under-load")
        pid = server.process.pid
        started = descendants(pid)
        self.assertTrue(started)
        server.kill()
        until = time.monotonic() + 20
        while any(alive(one) for one in started) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual([one for one in started if alive(one)], [])


def descendants(pid):
    """Processes that this one has started, and those that they have."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main(verbosity=2)
