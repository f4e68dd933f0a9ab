#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time from the start of the process to its banner, in development mode, on an empty folder.

    benches/start.py [--starts N] [--market NAME] [--dojima PATH]

As `./run` starts it: request limits on, the built-in feeder on, state in a folder of its own. Each start has a new
folder; the clock runs from just before the process is made until its banner, one line of JSON, is there. The processor
time does not depend on what else the machine does; it is that of all threads until the banner.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def start_once(program, words):
    """Milliseconds until the banner; and of processor time, all threads, when the process is killed at it."""
    with tempfile.TemporaryDirectory(prefix="dojima-start-") as folder:
        began = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = [program, "dev", "--port", "0", "--data", os.path.join(folder, "data"), "--json", *words]
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = process.stdout.readline()
        took = time.perf_counter() - began
        process.kill()
        process.wait()
        if not line.startswith(b"{"):
            sys.exit(f"benches/start.py: {program} did not start: {line!r}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return took * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=21)
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    parser.add_argument("--market", default="calm")
    options = parser.parse_args()
    both = [start_once(options.dojima, ["--market", options.market]) for _ in range(options.starts)]
    took, cpu = (sorted(column) for column in zip(*both))
    print(f"start: {statistics.median(took):.1f} ms from the start of the process to its banner, the fastest "
          f"{took[0]:.1f}, the slowest {took[-1]:.1f}; "
          f"{statistics.median(cpu):.1f} ms of processor time, the least {cpu[0]:.1f}; "
          f"{len(took)} starts on an empty folder, market {options.market}", flush=True)
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ start {statistics.median(took):.9g} 0", flush=True)


if __name__ == "__main__":
    main()
