#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of bench_engine in turns, because a machine that others use is never the same for long.

    benches/turns.py OTHER [WORKLOAD...] [--rounds N] [--runs N] [--core C]

OTHER is a folder in which another commit was built (with build/release/benches/bench_engine in it). Each round runs
every workload with both programs, OTHER first, on the same core. Printed are the medians in ns a command, of runs as a
whole and, behind the stroke, of runs put together from the best time of each batch (of the best runs, where a program
is too old to say so), and the ratio of both.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKLOADS = ["W2", "W3", "W4", "W5", "perps"]
LINE = re.compile(r"commands/s \((\d+) ns, best (\d+)(?:, of each batch the best (\d+))?")


def measure(folder, workload, core, runs):
    program = os.path.join("build", "release", "benches", "bench_engine")
    if not os.path.exists(os.path.join(folder, program)): sys.exit(f"turns.py: {folder} has no {program}")
    words = ["taskset", "-c", str(core), program, workload, "--runs", str(runs), "--bench-only"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    found = LINE.search(done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"turns.py: {' '.join(words)} in {folder}:\n{done.stdout}{done.stderr}")
    return int(found[1]), int(found[3] or found[2])


def main():
    parser = argparse.ArgumentParser(description="two builds of bench_engine in turns")
    parser.add_argument("other")
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5, help="of a program in each round")
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    for workload in options.workloads:
        times = {folder: [] for folder in (options.other, ROOT)}
        for _ in range(options.rounds):
            for folder in times: times[folder].append(measure(folder, workload, options.core, options.runs))
        there, here = ([statistics.median(column) for column in zip(*times[folder])] for folder in times)
        print(f"{workload}: {there[0]:.0f} | {there[1]:.0f} ns there, {here[0]:.0f} | {here[1]:.0f} ns here: "
              f"{here[0] / there[0]:.2f} | {here[1] / there[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
