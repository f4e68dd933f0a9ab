# SPDX-License-Identifier: MIT
"""The streams through `ws` of npm, which is installed into build/clients; without node, npm or the registry this is
skipped with a message."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import Server
from node_packages import install
from stir import stir


if __name__ == "__main__":
    folder = install("the streams through ws", "ws", "ws@8")
    with Server() as running:
        tour = subprocess.Popen(["node", os.path.join(HERE, "ws_tour.mjs"), json.dumps(running.banner)],
                                stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "COMPAT_CLIENTS": folder})
        try:
            if tour.stdout.readline().strip() == "ready":
                stir(running)
            print(tour.communicate(timeout=100)[0].strip())
        finally:
            tour.kill()
    sys.exit(tour.returncode)
