#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dojima scenario: each scenario of the program holds, twice the same, and a scenario whose expectation is wrong fails.
"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BINARY, INSTRUMENTED, Server                                          # noqa: E402
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
