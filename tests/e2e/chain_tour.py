# SPDX-License-Identifier: MIT
"""The tour of chain_tour.mjs over a chain that has a trade; viem and ethers come from the npm registry into
build/clients."""
import json
import os
import subprocess
import sys

from harness import BUY, ROOT, SELL, Server, order
from node_packages import install


def main():
    folder = install("the chain tour", "chain", "viem@2", "ethers@6")
    with Server("--no-limits") as server:
        a, b = server.accounts()[:2]
        assert a.place(order("maker", SELL, "100000", "0.2")).code == 0
        taken = b.place(order("taker", BUY, "100000", "0.1"))
        assert taken.code == 0 and taken.data[0]["code"] == 0, taken
        done = subprocess.run(["node", os.path.join(ROOT, "tests", "e2e", "chain_tour.mjs"), json.dumps(server.banner),
                               taken.chain["x-chain-tx"]],
                              env={**os.environ, "E2E_CLIENTS": folder}, timeout=60)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
