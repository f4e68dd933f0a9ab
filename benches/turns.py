#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of bench_engine in turns, because a machine that others use is never the same for long.

    benches/turns.py OTHER [WORKLOAD...] [--rounds N] [--core C]

OTHER is a folder in which another commit was built (with build/release/benches/bench_engine in it). Each round runs
every workload with both programs, OTHER first, on the same core; printed are the medians in ns a command, the fastest,
and the ratio of the medians.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKLOADS = ["W2", "W3", "W4", "W5", "perps"]
LINE = re.compile(r"commands/s \((\d+) ns")


def measure(folder, workload, core):
    program = os.path.join("build", "release", "benches", "bench_engine")
    if not os.path.exists(os.path.join(folder, program)): sys.exit(f"turns.py: {folder} has no {program}")
    words = ["taskset", "-c", str(core), program, workload, "--runs", "3", "--bench-only"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    found = LINE.search(done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"turns.py: {' '.join(words)} in {folder}:\n{done.stdout}{done.stderr}")
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description="two builds of bench_engine in turns")
    parser.add_argument("other")
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    for workload in options.workloads:
        times = {folder: [] for folder in (options.other, ROOT)}
        for _ in range(options.rounds):
            for folder in times: times[folder].append(measure(folder, workload, options.core))
        other, here = (statistics.median(times[folder]) for folder in times)
        print(f"{workload}: {other:.0f} ns there (fastest {min(times[options.other])}), {here:.0f} ns here (fastest "
              f"{min(times[ROOT])}): {here / other:.2f}", flush=True)


if __name__ == "__main__":
    main()
