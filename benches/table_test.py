#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdicts of ./bench on numbers, and those of the guard, without measuring."""
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import beside
import guard
import table
from table import LESS, MORE


def say(*lines):
    """A program that prints these lines."""
    return ["/usr/bin/printf", "%s\\n", *lines]


def run_main(module, rows, *arguments):
    """(exit code, stdout, stderr) of a program whose table, named by `rows`, is replaced by its value."""
    out, err = io.StringIO(), io.StringIO()
    (name, value), = rows.items()
    with mock.patch.object(module, name, value), mock.patch.object(sys, "argv", [module.__name__, *arguments]), \
            redirect_stdout(out), redirect_stderr(err):
        try:
            code = module.main()
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


class Verdicts(unittest.TestCase):
    def test_a_bound_holds_at_its_value_and_not_beyond(self):
        for direction, better in ((LESS, -1), (MORE, 1)):
            floor, goal = 100 - 10 * better, 100
            expected = {goal + better: "goal", goal: "goal", goal - better: "floor", floor: "floor",
                        floor - better: "short"}
            for value, says in expected.items():
                self.assertEqual(table.verdict(value, direction, floor, goal), says, (direction, value))

    def test_without_a_goal_a_floor_is_all_there_is_to_reach(self):
        self.assertEqual(table.verdict(1, LESS, 5, None), "floor")
        self.assertEqual(table.verdict(6, LESS, 5, None), "short")

    def test_without_a_floor_the_goal_is_reached_or_not(self):
        self.assertEqual(table.verdict(112, LESS, None, 112), "goal")
        self.assertEqual(table.verdict(113, LESS, None, 112), "short")

    def test_without_bounds_there_is_no_verdict(self):
        self.assertIsNone(table.verdict(1, LESS, None, None))
        self.assertIn("| – | – |  |", "".join(table.table([table.judge("engine-cached", [(117, 0)])])))

    def test_a_ratio_or_the_value_is_judged_as_the_row_says(self):
        self.assertEqual(table.judge("signed-order", [(300, 100)])["verdict"], "goal")
        self.assertEqual(table.judge("signed-order", [(299, 100)])["verdict"], "floor")
        self.assertEqual(table.judge("signed-order", [(219, 100)])["verdict"], "short")
        self.assertEqual(table.judge("engine-w2", [(75, 1)])["verdict"], "goal")
        self.assertEqual(table.judge("engine-w2", [(105.1, 1000)])["verdict"], "short")

    def test_a_ratio_without_anything_to_compare_with_is_an_error(self):
        with self.assertRaises(SystemExit):
            table.judge("signed-order", [(1, 0)])

    def test_a_figure_nobody_knows_has_no_verdict(self):
        row = table.judge("get-cached/spot-coins", [(3, 2)])
        self.assertEqual((row["verdict"], row["floor"], row["goal"], row["unit"], row["ratio"]),
                         (None, None, None, "1/s", 1.5))


class Beside(unittest.TestCase):
    def test_a_floor_is_judged_by_the_share_that_it_leaves(self):
        for name, there, at_bound, beyond in (("engine-w2", 300, 210, 210.1), ("durable-hundred", 610, 600, 599)):
            for here, holds in ((at_bound, True), (beyond, False)):
                line, judged = beside.row(name, [there] * 3, [here] * 3)
                self.assertEqual(judged, holds, line)
                self.assertTrue(line.endswith("| holds |" if holds else "| short |"), line)

    def test_the_share_is_the_median_of_those_of_the_runs(self):
        line, judged = beside.row("engine-w2", [100, 1000, 200], [60, 900, 100]) # shares 0.6 0.9 0.5
        self.assertTrue(judged)
        self.assertIn("| 0.6 (0.5 to 0.9) |", line)
        self.assertIn("| 150 ns | at most 105 ns | at most 0.7 | 200 ns | 100 ns |", line)

    def run_beside(self, *arguments, program=("/bin/cat", "figures")):
        return run_main(beside, {"PROGRAMS": {"durable": list(program)}}, *arguments)

    def test_the_exit_code_says_whether_all_floors_hold_by_their_shares(self):
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
            def says(folder, *values):
                with open(os.path.join(folder, "figures"), "w") as file:
                    for name, value in zip(("hundred", "single", "history"), values):
                        file.write(f"@ durable-{name} {value} 0\n")
            with mock.patch.object(table, "ROOT", here):
                says(there, 100, 100, 100)
                for values, code in (((99, 102, 122), 0), ((98, 102, 122), 1), ((99, 101, 122), 1), ((99, 102), 2)):
                    says(here, *values)
                    got, out, err = self.run_beside(there, "--runs", "2")
                    self.assertEqual(got, code, out + err)
                self.assertIn("printed no durable-history", err)
                self.assertEqual(self.run_beside(there, program=("/bin/cat", "nothing"))[0], 2)

    def test_an_unknown_name_and_no_runs_are_errors(self):
        for arguments, words in ((["engin"], "there is no engin; there are durable"), (["--runs", "0"], "one run")):
            code, _, err = self.run_beside("..", *arguments)
            self.assertEqual(code, 2)
            self.assertIn(words, err)


class Medians(unittest.TestCase):
    def test_the_middle_by_what_is_judged(self):
        runs = [(10, 1), (30, 100), (20, 2)]
        self.assertEqual(table.median(runs, False, LESS), (20, 2))      # values 10 20 30
        self.assertEqual(table.median(runs, True, LESS), (10, 1))       # ratios 0.3 10 10: the first of equals
        self.assertEqual(table.median([(5, 1), (1, 1), (4, 1), (2, 1), (3, 1)], True, MORE), (3, 1))

    def test_of_two_in_the_middle_the_worse_one(self):
        runs = [(1, 0), (2, 0), (3, 0), (4, 0)]
        self.assertEqual(table.median(runs, False, LESS), (3, 0))
        self.assertEqual(table.median(runs, False, MORE), (2, 0))

    def test_the_slowest_of_a_group_is_the_lowest_of_the_medians(self):
        figures = {"get-cached/a": [(9, 10), (12, 10), (11, 10)], "get-cached/b": [(13, 10), (8, 10), (12, 10)],
                   "get-account/c": [(1, 2)], "journal": [(7, 0)]}
        self.assertEqual(table.with_slowest(figures),
                         figures | {"get-cached": [(11, 10)], "get-account": [(1, 2)]})


class Command(unittest.TestCase):
    def run_table(self, *arguments, **benchmarks):
        return run_main(table, {"BENCHMARKS": benchmarks}, *arguments)

    def test_an_unknown_name_is_an_error_that_names_the_known_ones(self):
        code, _, err = self.run_table("engin", engine=[say("@ engine-w2 60 1")])
        self.assertEqual(code, 2)
        self.assertIn("there is no benchmark engin; there are engine", err)

    def test_no_runs_are_an_error(self):
        self.assertEqual(self.run_table("--runs", "0", engine=[say()])[0], 2)

    def test_json_is_one_object_a_line_and_nothing_else(self):
        code, out, err = self.run_table("--json", "--runs", "3", "engine",
                                        engine=[say("for people", "@ engine-w2 60 120", "@ other 7 0")])
        self.assertEqual(code, 0)
        first, other = map(json.loads, out.splitlines())
        self.assertEqual(first, {"name": "engine-w2", "value": 60, "unit": "ns", "against": 120, "ratio": 0.5,
                                 "floor": 105, "goal": 75, "verdict": "goal"})
        self.assertEqual((other["name"], other["against"], other["ratio"], other["verdict"]),
                         ("other", None, None, None))
        self.assertEqual(err.count("for people"), 3)

    def test_a_program_that_fails_or_is_not_there_makes_the_command_fail(self):
        self.assertEqual(self.run_table("engine", engine=[["/bin/false"]])[0], 1)
        self.assertEqual(self.run_table("engine", engine=[["{build}/benches/bench_of_nothing"]])[0], 1)

    def test_all_of_them_write_the_page_and_some_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            whole = f"before\n{table.BEGIN}\na table of before\n{table.END}\nbehind\n"
            with open(page, "w") as file:
                file.write(whole)
            with mock.patch.object(table, "PAGE", page):
                self.assertEqual(self.run_table("engine", engine=[say("@ engine-w2 60 120")])[0], 0)
                self.assertEqual(open(page).read(), whole)
                self.assertEqual(self.run_table("--runs", "1", engine=[["/bin/false"]])[0], 1)
                self.assertEqual(open(page).read(), whole)
                self.assertEqual(self.run_table("--runs", "1", engine=[say("@ engine-w2 60 120", "@ other 7 0")])[0], 0)
            text = open(page).read()
        self.assertTrue(text.startswith(f"before\n{table.BEGIN}\n") and text.endswith(f"{table.END}\nbehind\n"))
        self.assertNotIn("of before", text)
        self.assertIn("| 60 ns | 120 ns, the generator's loop | 0.5 | at most 105 ns | at most 75 ns | goal |", text)
        self.assertIn("| signed-order | signed single orders over HTTP, per core | not measured |", text)
        self.assertIn("| other | 7 ", text)

    def test_runs_of_several_calls_make_one_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page, runs = os.path.join(folder, "page.md"), os.path.join(folder, "runs.json")
            with open(page, "w") as file:
                file.write(f"{table.BEGIN}\n{table.END}\n")
            with mock.patch.object(table, "PAGE", page):
                for words in (["--page"], ["--keep", runs, "--page"], ["--keep", runs, "--page", "a"]):
                    self.assertEqual(self.run_table(*words, a=[say()])[0], 2, words)
                both = {"a": [say("@ engine-w2 70 120")], "b": [say("@ other 7 0")]}
                self.assertEqual(self.run_table("--keep", runs, "--runs", "1", "a", **both)[0], 0)
                self.assertEqual(self.run_table("--keep", runs, "--runs", "2", "b", **both)[0], 0)
                both["a"] = [say("@ engine-w2 60 120")]
                self.assertEqual(self.run_table("--keep", runs, "--runs", "1", "a", **both)[0], 0)
                both["b"] = [["/bin/false"]]
                self.assertEqual(self.run_table("--keep", runs, "b", **both)[0], 1)
                self.assertEqual(self.run_table("--keep", runs, "--page", **both)[0], 0)
            text = open(page).read()
        self.assertIn("| 60 ns | 120 ns, the generator's loop |", text)     # the later call
        self.assertIn("| other | 7 ", text)                                 # not lost by the call that failed
        self.assertRegex(" ".join(text.split()), r"1 runs on \S+ at commit \S+: a\. 2 runs on \S+ at commit \S+: b\.")

    def test_an_obstacle_is_said_of_what_is_short_of_its_goal_and_of_nothing_else(self):
        self.assertLessEqual(set(table.OBSTACLES), set(table.FIGURES))
        rows = [table.judge("engine-w2", [(65, 0)]), table.judge("engine-w3", [(300, 0)]),
                table.judge("engine-w4", [(301, 0)])]
        said = [line[4:13] for line in table.table(rows) if line.startswith("- **")]
        self.assertEqual(said, ["engine-w3", "engine-w4"])
        counts = guard.read_numbers()[1]
        self.assertIn(f"- **engine-w3**: {counts['engine-w3'][0]:,.0f} instructions", "\n".join(table.table(rows)))
        for name in table.OBSTACLES: table.obstacle(name)       # fails where a count has no row
        self.assertFalse([line for line in table.table(rows[:1])
                          if "obstacle" in line or line.startswith("What keeps")])

    def test_numbers_have_three_digits(self):
        self.assertEqual([table.number(n) for n in (None, 0.12345, 65, 999.4, 1234567)],
                         ["–", "0.123", "65", "999", "1,230,000"])


class Guard(unittest.TestCase):
    def test_more_than_the_tolerance_fails_and_the_tolerance_does_not(self):
        self.assertTrue(guard.compare("order", 1030, 1000, 3)[0])
        self.assertFalse(guard.compare("order", 1030.1, 1000, 3)[0])

    def test_less_passes_and_says_that_the_row_is_old(self):
        passes, line = guard.compare("order", 900, 1000, 3)
        self.assertTrue(passes and "--update" in line)
        self.assertNotIn("--update", guard.compare("order", 980, 1000, 3)[1])

    def test_what_is_written_is_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "numbers")
            guard.write_numbers("gcc 1.2.3", {"order": (1234, 3), "book": (99, 1.5)}, path)
            self.assertEqual(guard.read_numbers(path), ("gcc 1.2.3", {"order": (1234, 3), "book": (99, 1.5)}))

    def test_every_path_has_its_row(self):
        self.assertEqual(set(guard.read_numbers()[1]), set(guard.PATHS))

    def test_another_compiler_and_no_valgrind_are_skips(self):
        line = [sys.executable, os.path.join(HERE, "guard.py"), "--compiler"]
        done = subprocess.run([*line, "cc 0"], stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout[:4]), (77, "SKIP"))
        done = subprocess.run([*line, "cc 0"], stdout=subprocess.PIPE, text=True, env={"PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stdout[:4]), (77, "SKIP"))


if __name__ == "__main__":
    unittest.main()
