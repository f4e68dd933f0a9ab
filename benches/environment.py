#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps of an environment a second and core, in C and in Python, beside the bare engine with the same commands.

    benches/environment.py [--steps N] [--build DIR]

Seconds are those of the processor, on one thread, so that other work counts less. `calm`, one account, no actions but
an array of zeros. Python needs numpy and gymnasium; without them only C is measured.
"""
import argparse
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENESIS = os.path.join(ROOT, "clients/environment/dojima_environment/market.json")


def measure(step, count):
    began = time.process_time()
    for _ in range(count):
        step()
    return count / (time.process_time() - began)


def show(name, what, value, engine):
    print(f"environment: {value:,.0f} steps/s {what}: {value / engine:.2f} of the bare engine")
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ {name} {value:.9g} {engine:.9g}", flush=True)


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--steps", type=int, default=200000)
    reader.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    options = reader.parse_args()
    program = os.path.join(options.build, "benches", "bench_environment")
    said = subprocess.run([program, GENESIS, str(options.steps)], check=True, capture_output=True, text=True).stdout
    print(said, end="", flush=True)
    engine = float(re.search(r"bare engine (\d+)", said)[1])
    os.environ.setdefault("DOJIMA_LIBRARY", options.build)
    sys.path.insert(0, os.path.join(ROOT, "clients", "environment"))
    try:
        import numpy as np
        import dojima_environment as dojima
    except ImportError as error:
        print(f"environment: not measured in Python: {error}")
        return
    none = np.zeros((1, 7), np.int64)
    for reuse, name, what in ((True, "environment-python", "in Python, one place for observations"),
                              (False, "environment-python-kept", "in Python, observations of their own")):
        one = dojima.Environment(reuse=reuse, max_steps=0)
        one.reset(seed=7)
        show(name, what, measure(lambda: one.step(none), options.steps), engine)
    for count in (8, 64):
        many = dojima.VectorEnvironment(count, threads=1, max_steps=0, reuse=True)
        many.reset(seed=7)
        rows = np.zeros((count, 1, 7), np.int64)
        show(f"environment-vector-{count}", f"in Python, {count} in one call",
             count * measure(lambda: many.step(rows), options.steps // count), engine)


if __name__ == "__main__":
    main()
