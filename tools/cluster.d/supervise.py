#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""supervise.py FOLDER NODE -- PROGRAM…: runs Patroni; when its loop hangs, kills it and PostgreSQL and starts it again.

Patroni plans its next run by the wall clock. When that is set back, the loop sleeps until the clock is there again,
while its REST interface still answers the other nodes that the primary lives: nothing takes the lead, and no commit is
acknowledged. On a real machine the watchdog of ops/cluster/patroni.yml resets the machine then. Each run of the loop
writes a line; this process looks for it by a clock that nobody sets.
"""
import os
import re
import signal
import subprocess
import sys
import time

import layout
import process

HANG_SECONDS = 15       # without a run of the loop, which has one each 2 s
LOOP = re.compile(rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ", re.MULTILINE)      # PostgreSQL's lines have a point


def watch(child, log):
    """Waits for the program's end (its exit code), or for a loop that hangs (None)."""
    last = looked = time.monotonic()
    while True:
        try:
            return child.wait(1)
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if LOOP.search(log.read()) or now - looked > 3:         # the whole part was paused
            last = now
        looked = now
        if now - last > HANG_SECONDS:
            return None


def main():
    folder, name, dashes, *argv = sys.argv[1:]
    assert dashes == "--"
    node = layout.read(folder).node(name)
    ending = []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(True))     # the program has got it too
    with open(os.path.join(folder, name, "postgres.log"), "rb") as log:
        while True:
            log.seek(0, os.SEEK_END)
            child = subprocess.Popen(argv)
            code = watch(child, log)
            if code is not None or ending:
                return child.wait()
            print("Patroni's loop hangs; it and PostgreSQL are started again", flush=True)
            process.kill(node, "postgres")
            child.wait()


if __name__ == "__main__":
    sys.exit(main())
