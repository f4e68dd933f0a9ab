#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time from the start of the process to its banner, in development mode, on an empty folder.

    benches/start.py [--starts N] [--dojima PATH]

As `./run` starts it: request limits on, the built-in feeder on, state in a folder of its own. Each start has a new
folder; the clock runs from just before the process is made until its banner, one line of JSON, is there.
"""
import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def start_once(program):
    with tempfile.TemporaryDirectory(prefix="dojima-start-") as folder:
        began = time.perf_counter()
        process = subprocess.Popen([program, "dev", "--port", "0", "--data", os.path.join(folder, "data"), "--json"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = process.stdout.readline()
        took = time.perf_counter() - began
        process.send_signal(signal.SIGINT)
        if not line.startswith(b"{") or process.wait(20) != 0:
            sys.exit(f"benches/start.py: {program} did not start: {line!r}")
        return took * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=21)
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    took = sorted(start_once(options.dojima) for _ in range(options.starts))
    print(f"start: {statistics.median(took):.1f} ms from the start of the process to its banner, the fastest "
          f"{took[0]:.1f}, the slowest {took[-1]:.1f}; "
          f"{len(took)} starts on an empty folder", flush=True)
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ start {statistics.median(took):.9g} 0", flush=True)


if __name__ == "__main__":
    main()
