# SPDX-License-Identifier: MIT
"""The tours of viem_tour.mjs and viem_powers.mjs, each against a fresh server; viem comes from
the npm registry into build/clients."""
import json
import os
import subprocess
import sys

from harness import ROOT, Server
from node_packages import install


def main():
    folder = install("the viem tour", "viem", "viem@2")
    for script, words in (("viem_tour.mjs", ()), ("viem_powers.mjs", ("--clock", "0"))):
        with Server(*words) as server:
            done = subprocess.run(["node", os.path.join(ROOT, "tests", "e2e", script), json.dumps(server.banner)],
                                  env={**os.environ, "E2E_CLIENTS": folder}, timeout=60)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
