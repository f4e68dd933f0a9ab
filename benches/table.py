#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks and prints the figures of each.

    ./bench [NAME...] [--json] [--runs N] [--keep FILE [--page]]

A benchmark is a program that prints, when DOJIMA_FIGURES is set, lines `@ figure value against`: `against` is the
comparison measured in the same run, 0 when there is none. Every benchmark is run --runs times (5); a figure is the
median. FIGURES has their bounds; figures without one are shown without a verdict. With all benchmarks run,
docs/BENCHMARKS.md gets the table.

All of them take hours of a quiet machine. With --keep, FILE remembers the runs of each benchmark, which replace those
of an earlier call, and the table is made of all that are in it: `--keep FILE --page` writes it.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import textwrap
import time

import guard

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "BENCHMARKS.md")
BEGIN, END = "<!-- table: written by ./bench -->", "<!-- end of the table -->"

LESS, MORE = "at most", "at least"
# figure: (description, unit, compared with, of the value or of value / against, direction, floor, goal)
FIGURES = {
    "engine-w2":           ("`engine_apply`, W2, with accounts, holds, fees, client order ids, events", "ns",
                            "the generator's loop", "value", LESS, 105, 75),
    "engine-w2-loop":      ("the same over the generator's own loop", "ns", "the generator's loop", "ratio", LESS, 0.6,
                            0.4),
    "engine-perps":        ("the same on perps, with positions and margin check", "ns", "the generator's loop", "value",
                            LESS, 150, 100),
    "engine-w3":           ("W3, sweeps", "ns", "the generator's loop", "value", LESS, 140, 100),
    "engine-w4":           ("W4, 100 symbols", "ns", "the generator's loop", "value", LESS, 150, 100),
    "engine-w5":           ("W5, sparse prices", "ns", "the generator's loop", "value", LESS, 150, 100),
    "book-w2":             ("the book alone, W2, without accounts, money and events", "ns", "the generator's loop",
                            "value", LESS, 57, 45),
    "book-w5":             ("the book alone, W5, sparse prices", "ns", "the generator's loop", "value", LESS, 120, 90),
    "book-churn":          ("the book alone, each order makes a level or takes one away", "ns", None, "value", LESS, 57,
                            45),
    "book-w3":             ("the book alone, W3, sweeps", "ns", "the generator's loop", "value", LESS, None, None),
    "engine-big":          ("1,000,000 accounts, 2,000,000 resting orders, 100 symbols", "ns", None, "value", LESS, 250,
                            120),
    "engine-cached":       ("200 accounts, 2,000 resting orders: all in the second level of cache", "ns", None, "value",
                            LESS, None, None),
    "engine-tail":         ("p99.9 of one command on W2", "ns", None, "value", LESS, 2000, 400),
    "engine-memory":       ("memory per resting order, all indexes, with its text and times", "B", None, "value", LESS,
                            160, None),
    "engine-memory-bare":  ("the same without them", "B", None, "value", LESS, None, 112),
    "engine-account-idle": ("memory of an account that was opened and credited", "B", None, "value", LESS, 512, 256),
    "engine-account-traded": ("memory of an account that signed 112 commands and traded on both sides", "B", None,
                              "value", LESS, 1536, 1024),
    "signed-order":        ("signed single orders over HTTP, per core", "1/s", "bare recoveries", "ratio", MORE, 2.2,
                            3),
    "signed-batch":        ("orders in signed batches of 100 over HTTP, per core", "1/s", "bare recoveries", "value",
                            MORE, 1200000, 2000000),
    "get-cached":          ("the slowest market read whose encoding is kept, per core", "1/s", "nginx", "ratio", MORE,
                            1.0, 1.25),
    "get-pipelined":       ("the same, 16 in a piece", "1/s", "nginx, 16 in a piece", "ratio", MORE, 1.0, 5.0),
    "get-account":         ("the slowest account read from memory, per core", "1/s", "nginx", "ratio", MORE, 0.6, 0.9),
    "get-history":         ("the slowest of history, klines and trades at their largest limit, per core", "1/s",
                            "nginx", "ratio", MORE, 0.15, 0.4),
    "durable-one":         ("one command outstanding, sequencer's inbox to reply's hand-over", "us", "fdatasync",
                            "ratio", LESS, 2.0, 1.5),
    "open-loop-history-50-p99": ("p99 of signed orders at half load with the history's disk", "us", "without it",
                                 "ratio", LESS, 1.2, 1.05),
    "open-loop-nosync-25-p99": ("p99 of signed orders at 25 % of the capacity, without fdatasync", "us", None, "value",
                                LESS, 1500, 600),
    "open-loop-nosync-50-p99": ("the same at 50 %", "us", None, "value", LESS, 2000, 1000),
    "open-loop-nosync-75-p99": ("the same at 75 %", "us", None, "value", LESS, 5000, 2000),
    "signed-alone":        ("one signed order each 2 ms, p50 from request to answer", "us",
                            "a recovery, a write and fdatasync of a block, an echo over TCP", "ratio", LESS, 1.4, 1.15),
    "durable-hundred":     ("operations through the log with the engine, commands of 100, history off", "1/s",
                            "the bare disk loop", "value", MORE, 2400000, 3500000),
    "durable-single":      ("the same in single-operation commands", "1/s", "the bare disk loop", "value", MORE,
                            1400000, 2000000),
    "durable-history":     ("the same in commands of 100 with history on", "1/s", "the bare disk loop", "value", MORE,
                            800000, 1500000),
    "signed-sync":         ("acknowledged signed writes with fdatasync", "1/s", "without", "ratio", MORE, 0.90, 0.98),
    "replay":              ("operations replayed, commands of 100, checksums, chain and block hashes checked", "1/s",
                            None, "value", MORE, 2000000, 4000000),
    "start":               ("process to banner, development mode, empty folder", "ms", None, "value", LESS, 12, 8),
    "market-banner":       ("process to banner with the market calm", "ms", None, "value", LESS, 100, 40),
    "market-idle":         ("a core's idle share while calm trades, per cent", "", None, "value", MORE, 90, None),
    "market-day":          ("a day of calm at full speed", "s", None, "value", LESS, 60, 15),
    "market-orders":       ("a user's signed orders while calm trades, over without", "", None, "value", MORE, 0.9,
                            0.97),
    "environment-c":       ("steps of an environment in C, one core, no actions", "1/s", "the bare engine", "value",
                            MORE, 200000, 1000000),
    "environment-acting":  ("the same with an action in each step", "1/s", "the bare engine", "value", MORE, None,
                            None),
    "environment-python":  ("steps of an environment in Python, one core", "1/s", "the bare engine", "value", MORE,
                            200000, 1000000),
    "environment-python-kept": ("the same, each observation at a place of its own", "1/s", "the bare engine", "value",
                                MORE, None, None),
    "environment-vector-8":  ("8 environments in one call, one core", "1/s", "the bare engine", "value", MORE, None,
                              None),
    "environment-vector-64": ("64 environments in one call, one core", "1/s", "the bare engine", "value", MORE, None,
                              None),
    "market-replay":       ("a recorded feed of 1,000 changes a second, times real time on one core", "", None, "value",
                            MORE, 20, 40),
    "signed-threads":      ("signed writes on two I/O threads: throughput on two cores with the load on them", "1/s",
                            "on one", "ratio", MORE, 1.5, 1.75),
    "signed-threads-cpu":  ("signed writes on two I/O threads: processor time per request", "us", "on one", "ratio",
                            LESS, 1.10, 1.03),
    "perps-place":         ("a placement on perps, 100 open orders", "ns", "on spot", "ratio", LESS, 2.0, None),
    "perps-liquidate":     ("a TICK that liquidates 10,000 positions", "ms", None, "value", LESS, 100, None),
    "perps-liquidate-1000": ("the same, 1,000 positions in a TICK at most", "ms", None, "value", LESS, 15, None),
    "perps-idle":          ("a TICK over 100,000 positions without work", "ms", None, "value", LESS, 10, None),
    "perps-stops":         ("memory of 1,000,000 armed stops", "MiB", None, "value", LESS, 256, None),
    "restart":             ("start from a snapshot with 1,000,000 open orders and 1,000,000 commands behind it", "s",
                            "from the whole log", "value", LESS, 5, None),
    "streams-push":        ("CPU of one 150-byte message to one of 1,000 subscribers", "ns", "bare send", "ratio", LESS,
                            1.3, None),
    "streams-many":        ("the same at 10,000 trades a second, three channels each", "ns", None, "value", LESS, 400,
                            None),
    "streams-latency":     ("durable to a subscriber's socket, p99 at 10,000 trades a second", "us",
                            "the same threads, load and disk without an exchange", "value", LESS, 200, 100),
    "streams-memory":      ("memory of 10,000 subscribers", "MiB", None, "value", LESS, 200, None),
    "cluster-write":       ("a node's log in PostgreSQL: one batch of one command, submitted until it is durable", "us",
                            "a bare INSERT of the same bytes under the same quorum", "ratio", LESS, 1.5, 1.15),
    "cluster-durable":     ("durable operations in commands of 100 through that log", "1/s",
                            "bare pipelined INSERTs of batches of the same size", "ratio", MORE, 0.6, 0.85),
    "cluster-exchange":    ("the same from the inbox of an exchange to its replies, 96 commands outstanding", "1/s",
                            "bare pipelined INSERTs of as many rows of as many bytes", "ratio", MORE, 0.6, 0.85),
    "cluster-leader":      ("three nodes: time without writes when the leader is killed, p99 of 50", "s", None, "value",
                            LESS, 4, 1.5),
    "cluster-handover":    ("the same at a planned handover", "ms", None, "value", LESS, 500, 150),
    "cluster-primary":     ("the same when PostgreSQL's primary is killed, p99 of 20", "s", None, "value", LESS, 30,
                            15),
    "cluster-lag":         ("a follower behind the leader's answer, p99 at 10,000 orders/s", "ms", None, "value", LESS,
                            50, 5),
    "cluster-reads":       ("reads of two followers, each by its own processor time", "1/s", "of one node", "ratio",
                            MORE, 1.8, 1.95),
    "streams-trading":     ("signed orders with 1,000 active subscribers", "1/s", "without", "ratio", MORE, 0.9, None),
    "terminal-size":       ("files of the terminal's first screen, gzip, as transferred", "kB", None, "value", LESS,
                            150, 110),
    "terminal-live":       ("navigation to a live chart and book, p95 of 20", "ms", None, "value", LESS, 1000, 400),
    "terminal-lighthouse": ("Lighthouse, performance on a desktop", "", None, "value", MORE, 90, 98),
    "terminal-accessibility": ("Lighthouse, accessibility, the worse of desktop and phone", "", None, "value", MORE,
                               95, 100),
    "terminal-frames":     ("frames in time (16.7 ms) while the book changes 200 times a second, per cent", "", None,
                            "value", MORE, 95, 99),
    "terminal-order":      ("an order from the click to its row, p95 of 20", "ms", None, "value", LESS, 150, 60),
}

# The reason that keeps a figure from its goal; printed below the table for figures that miss it. {engine-w3} stands for
# the instructions that benches/guard.txt has. The profiles are in docs/profiles.
OBSTACLES = {
    "engine-w2": "{engine-spot} instructions a command, three in a cycle, and mispredicted branches; memory is 20 ns "
                 "of it. By function and what was tried: [profile](profiles/engine.md)",
    "engine-perps": "{engine-perps} instructions, 20 lines of data and 12.5 to 16 of code beyond the first level: two "
                    "positions at each trade, events of 192 bytes, code of rare paths between that of all",
    "engine-w3": "{engine-w3} instructions, of which some 700 are the trades: four events and up to five balances "
                 "told, four payments, two volumes in pools; half of the lines are written",
    "engine-w4": "{engine-w4} instructions as W2, and 22 lines: orders, levels and neighbours of 100 symbols are in "
                 "the third level of cache",
    "engine-w5": "{engine-w5} instructions, 8.8 mispredicted branches in valgrind's model (does the order make a "
                 "level, is it taken at once), 17 lines: a page of prices and the level come one after the other",
    "engine-big": "as W4; of a million accounts each command finds its own in memory, two lines of the account, two "
                  "of the order, two of its nonces, three neighbours",
    "engine-account-traded": "100 nonces of eight bytes, in chunks with their heads, are more than half of it",
    "book-w2": "265 instructions and 3.7 lines beyond the first level of cache, 1.9 beyond the second: the order and, "
               "where it is cancelled, its two neighbours in the queue and its place by id",
    "book-w5": "383 instructions, 3.9 lines beyond the first level, 2.3 beyond the second, 2.2 mispredicted branches: "
               "the order, its level and its page come one after the other",
    "engine-tail": "sweeps: a command that trades with six makers costs six trades of some 200 ns",
    "signed-order": "of 18 to 25 us an order 8 are the recovery among others; the kernel's send was 7 before "
                    "decision 929",
    "get-cached": "80 of 100 samples are the kernel's, nginx's too: one recv, one send and TCP on the loopback; ours "
                  "is 1.0 of 5.2 us ([profile](profiles/requests.md#reads))",
    "open-loop-nosync-50-p99": "of the requests over 2 ms 80 % stand behind an I/O thread whose core another program "
                               "has, 17 % behind a core that stands still "
                               "([profile](profiles/requests.md#late-requests))",
    "durable-single": "of 1.7 to 2.1 ms for a batch of 2,200 commands the engine's thread works for 1.6 to 2.1 and the "
                      "log's for 1.0 to 1.3 beside a sync of 0.6 ([profile](profiles/log.md#the-log-and-the-replay))",
    "signed-sync": "a round trip with a sync takes 1.5 to 3 ms, so it is a question of how many ask "
                   "([profile](profiles/requests.md#signed-orders))",
    "start": "flat: the dynamic loader 11 % of the samples, the log's files 8, the terminal's 7, the gateway's "
             "memory 6, the history's files 5 ([profile](profiles/log.md#a-start-and-a-stop))",
    "signed-threads": "the load takes 10 to 12 us of the two cores for each order, and with one I/O thread they are "
                      "full to nine tenths ([profile](profiles/requests.md#a-second-io-thread-on-two-cores))",
    "streams-latency": "the same threads without an exchange have 65 us; beyond them are ten trades, accounts and "
                       "views, 20 to 29 us at the median ([profile](profiles/streams.md#the-tail))",
    "signed-alone": "50 to 60 us beyond the parts: parsing 12, from the signer to the write 16, from the sync to the "
                    "answer 24 ([profile](profiles/requests.md#an-order-alone))",
}

# Units of figures without a bound, by the beginnings of their names; the table shows them below the others.
UNITS = (("get-", "1/s"), ("signed-", "1/s"), ("durable-one", "us"), ("open-loop-", "us"), ("snapshot", "s"),
         ("terminal-live", "ms"), ("terminal-order", "ms"))

# name: its programs, one after the other; those with one thread are pinned to the first core, the others pin their
# threads themselves
BENCHMARKS = {
    "engine":       [["taskset", "-c", "0", "{build}/benches/bench_engine", "--runs", "3"]],
    "book":         [["taskset", "-c", "0", "{build}/benches/bench_book", "--runs", "3"]],
    "accounts":     [["{build}/benches/bench_accounts"]],
    "perps":        [["taskset", "-c", "0", "{build}/benches/bench_perps"]],
    "signed-write": [["{build}/benches/bench_http"]],
    "get":          [["/usr/bin/python3", "benches/reads.py", "--rounds", "3", "--seconds", "1"]],
    "durable":      [["{build}/benches/bench_durable"]],
    "replay":       [["taskset", "-c", "0", "{build}/benches/bench_replay"]],
    "snapshot":     [["{build}/benches/bench_restart"]],
    "stream":       [["{build}/benches/bench_streams"]],
    "open-loop":    [["{build}/benches/bench_open_loop"], ["{build}/benches/bench_open_loop", "orders", "--nosync"]],
    "start":        [["/usr/bin/python3", "benches/start.py"]],
    "market":       [["/usr/bin/python3", "benches/market.py"]],
    "terminal":     [["benches/terminal/run"]],
    "environment": [["/usr/bin/python3", "benches/environment.py"]],
    "market-replay": [["/usr/bin/python3", "benches/market_replay.py"]],
    "cluster":      [["{build}/benches/bench_shared_log"], ["{build}/benches/bench_shared_exchange"],
                     ["/usr/bin/python3", "benches/cluster.py"]],
    "journal":      [["{build}/benches/bench_journal"]],
    "spare":        [["{build}/benches/bench_spare"]],
    "history":      [["{build}/benches/bench_history"]],
    "klines":       [["taskset", "-c", "0", "{build}/benches/bench_klines"]],
    "api":          [["taskset", "-c", "0", "{build}/benches/bench_api"]],
    "limits":       [["{build}/benches/bench_limits"]],
    "recover":      [["taskset", "-c", "0", "{build}/benches/bench_recover"]],
    "keccak":       [["taskset", "-c", "0", "{build}/benches/bench_keccak"]],
    "metrics":      [["taskset", "-c", "0", "{build}/benches/bench_metrics"]],
}


def say(quiet, text):
    print(text, file=sys.stderr if quiet else sys.stdout, flush=True)


def run_once(command, quiet, figures, folder=ROOT):
    """Runs a program of that folder, passes its lines on and collects its figures. False when it failed."""
    environment = dict(os.environ, DOJIMA_FIGURES="1")
    program = next(part for part in command if part not in ("taskset", "-c", "0"))
    if not os.access(os.path.join(folder, program), os.X_OK):
        say(True, f"{program} is not built in {folder}")
        return False
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        found = re.fullmatch(r"@ (\S+) (\S+) (\S+)\n", line)
        if found:
            figures.setdefault(found[1], []).append((float(found[2]), float(found[3])))
        else:
            say(quiet, line.rstrip("\n"))
    return process.wait() == 0


def median(pairs, by_ratio, direction):
    """(value, against) of the median run by the figure that is judged; of two in the middle the worse one."""
    ordered = sorted(pairs, key=lambda pair: pair[0] / pair[1] if by_ratio and pair[1] else pair[0])
    return ordered[(len(ordered) - (direction == MORE)) // 2]


def with_slowest(figures):
    """Beside figures called GROUP/NAME one called GROUP: the lowest of their medians by the ratio. Not the median of
    each run's lowest: that is the lower the more the machine disturbs, whatever is measured."""
    groups = {}
    for name, pairs in figures.items():
        if "/" in name:
            groups.setdefault(name.split("/")[0], []).append(median(pairs, True, MORE))
    return figures | {group: [min(pairs, key=lambda pair: pair[0] / pair[1])] for group, pairs in groups.items()}


def verdict(judged, direction, floor, goal):
    """A figure at its bound holds. One without a floor misses its goal below it; one without a goal reaches its floor
    at most. Without either there is none."""
    def reaches(bound):
        return bound is not None and (judged <= bound if direction == LESS else judged >= bound)
    if floor is None and goal is None:
        return None
    return "goal" if reaches(goal) else "floor" if reaches(floor) else "short"


def judge(name, pairs):
    """One row of the table."""
    _, unit, _, judged, direction, floor, goal = FIGURES.get(name, (None, None, None, "ratio", LESS, None, None))
    value, against = median(pairs, judged == "ratio", direction)
    ratio = value / against if against else None
    row = {"name": name, "value": value, "unit": unit, "against": against or None, "ratio": ratio, "floor": floor,
           "goal": goal, "verdict": None}
    if name not in FIGURES:
        row["unit"] = next((unit for begins, unit in UNITS if name.startswith(begins)), None)
        return row
    if judged == "ratio" and ratio is None:
        raise SystemExit(f"bench: {name} measured nothing to compare with")
    row["verdict"] = verdict(ratio if judged == "ratio" else value, direction, floor, goal)
    return row


def number(value):
    """Three significant digits, with the thousands apart."""
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{round(value, 2 - len(str(int(abs(value)))) + 1):,.0f}"
    return f"{value:.3g}"


def bound(value, direction, unit):
    return "–" if value is None else f"{direction} {number(value)}" + (f" {unit}" if unit else "")


def obstacle(name):
    """OBSTACLES' text of a figure with the instructions of benches/guard.txt in it."""
    return OBSTACLES[name].format(**{row: f"{count:,.0f}" for row, (count, _) in guard.read_numbers()[1].items()})


def table(rows):
    lines = ["| figure | what | measured | against | ratio | floor | goal | verdict |",
             "|---|---|---|---|---|---|---|---|"]
    by_name = {row["name"]: row for row in rows}
    for name, (what, unit, against, judged, direction, floor, goal) in FIGURES.items():
        row = by_name.get(name)
        floor, goal = (bound(value, direction, None if judged == "ratio" else unit) for value in (floor, goal))
        if row is None:
            lines.append(f"| {name} | {what} | not measured | | | {floor} | {goal} | |")
            continue
        beside = f"{number(row['against'])} {unit}, {against or 'in the same run'}" if row["against"] else "–"
        lines.append(f"| {name} | {what} | {number(row['value'])} {unit} | {beside} | {number(row['ratio'])} | "
                     f"{floor} | {goal} | {row['verdict'] or ''} |")
    short = [name for name in OBSTACLES if name in by_name and by_name[name]["verdict"] != "goal"]
    if short:
        lines += ["", "What keeps figures from their goals:", "",
                  *(f"- **{name}**: {obstacle(name)}." for name in short)]
    rest = [row for row in rows if row["name"] not in FIGURES]
    if rest:
        lines += ["", "Measured beside, without a bound:", "", "| figure | measured | against | ratio |",
                  "|---|---|---|---|"]
        lines += [f"| {row['name']} | {number(row['value'])} {row['unit'] or ''} | {number(row['against'])} | "
                  f"{number(row['ratio'])} |" for row in rest]
    return lines


def machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    gcc = subprocess.run(["gcc", "-dumpfullversion"], stdout=subprocess.PIPE, text=True).stdout.strip()
    processor = model[1] if model else platform.machine()
    return f"{os.cpu_count()} cores ({processor}), Linux {platform.release()}, gcc {gcc}"


def commit_of_tree():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def kept(path):
    """{benchmark: {"commit", "date", "runs", "figures"}} of earlier calls."""
    if path is None or not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def keep(path, pieces):
    with open(path + ".new", "w") as file:
        json.dump(pieces, file)
    os.replace(path + ".new", path)


def said_of(pieces):
    """When, where and how often the pieces of a table were measured: a sentence for each group of them."""
    groups = {}
    for name, piece in pieces.items():
        groups.setdefault((piece["runs"], piece["date"], piece["commit"]), []).append(name)
    if len(groups) == 1:
        (runs, date, commit), = groups
        return f"Medians of {runs} runs on {date} at commit {commit}: {machine()}."
    return f"Medians of runs of `./bench NAME`: {machine()}. " + " ".join(
        f"{runs} runs on {date} at commit {commit}: {', '.join(names)}."
        for (runs, date, commit), names in groups.items())


def write_page(rows, pieces):
    head = [BEGIN, "", *textwrap.wrap(said_of(pieces), 140), ""]
    with open(PAGE) as file:
        page = file.read()
    before, after = page[:page.index(BEGIN)], page[page.index(END):]
    with open(PAGE, "w") as file:
        file.write(before + "\n".join(head + table(rows)) + "\n\n" + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="one object a line; what the programs say goes to stderr")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", metavar="FILE", help="remembers the runs there; the table is of all it has")
    parser.add_argument("--page", action="store_true", help="with --keep: writes the page, without a run")
    parser.add_argument("--build", default="build/release", help="folder of the build, from the repository's")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown or options.runs < 1:
        parser.error(f"there is no benchmark {unknown[0]}; there are {' '.join(BENCHMARKS)}" if unknown
                     else "at least one run")
    if options.page and (options.keep is None or options.names):
        parser.error("--page goes with --keep and without a name")
    pieces, failed = kept(options.keep), []
    if options.page and not pieces:
        parser.error(f"{options.keep} has no runs")
    for name in [] if options.page else options.names or BENCHMARKS:
        figures = {}
        for command in BENCHMARKS[name]:
            command = [part.format(build=options.build) for part in command]
            for _ in range(options.runs):
                if not run_once(command, options.json, figures):
                    failed.append(name)
                    say(True, f"{name}: failed")
                    break
        if name not in failed:
            pieces[name] = {"commit": commit_of_tree(), "date": time.strftime("%Y-%m-%d"), "runs": options.runs,
                            "figures": figures}
            if options.keep is not None:
                keep(options.keep, pieces)
    rows = [judge(figure, pairs) for piece in pieces.values()
            for figure, pairs in with_slowest(piece["figures"]).items()]
    if options.json:
        for row in rows:
            print(json.dumps(row))
    else:
        print("\n".join(table(rows) if not options.names else [
            f"{row['name']}: {number(row['value'])} {row['unit'] or ''}, ratio {number(row['ratio'])}, "
            f"{row['verdict'] or 'no bound'}" for row in rows]))
    if not options.names and not failed:
        write_page(rows, pieces)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
