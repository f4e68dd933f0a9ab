# SPDX-License-Identifier: MIT
"""The Node client against a fresh server: its tour without limits, its last check with them. viem comes from the npm
registry into build/clients; without node, npm or the registry this is skipped with a message."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import INSTRUMENTED, Server
from node_packages import install


def play(script, folder, **server):
    with Server(**server) as running:
        done = subprocess.run(["node", os.path.join(HERE, script), json.dumps(running.banner)],
                              env={**os.environ, "COMPAT_CLIENTS": folder}, timeout=120)
        if done.returncode:
            raise SystemExit(done.returncode)


def main():
    folder = install("the Node client", "compat", "viem@2")
    play("node_tour.mjs", folder)
    if not INSTRUMENTED:                        # a slow build may need more than the minute whose budget it uses
        play("node_limits.mjs", folder, limits=True)


if __name__ == "__main__":
    main()
