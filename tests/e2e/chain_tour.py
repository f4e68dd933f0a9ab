# SPDX-License-Identifier: MIT
"""The tour of chain_tour.mjs over a chain that has a trade; viem and ethers come from the npm registry into
build/clients."""
import json
import os
import shutil
import subprocess
import sys

from harness import BUY, ROOT, SELL, Server, order

FOLDER = os.path.join(ROOT, "build", "clients", "chain")


def skip(why):
    print("SKIP the chain tour: " + why)
    sys.exit(77)


def install():
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    if all(os.path.isdir(os.path.join(FOLDER, "node_modules", name)) for name in ("viem", "ethers")):
        return
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "package.json"), "w") as file:
        json.dump({"name": "clients", "private": True}, file)
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", "viem@2",
                               "ethers@6"], cwd=FOLDER,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
    except subprocess.TimeoutExpired:
        shutil.rmtree(FOLDER, ignore_errors=True)
        skip("the npm registry did not answer in time")
    if done.returncode:
        shutil.rmtree(FOLDER, ignore_errors=True)
        lines = [line for line in done.stdout.decode(errors="replace").splitlines() if "error" in line]
        skip("npm cannot install viem and ethers: " + "; ".join(lines[:3]))


def main():
    install()
    with Server("--no-limits") as server:
        a, b = server.accounts()[:2]
        assert a.place(order("maker", SELL, "100000", "0.2")).code == 0
        taken = b.place(order("taker", BUY, "100000", "0.1"))
        assert taken.code == 0 and taken.data[0]["code"] == 0, taken
        done = subprocess.run(["node", os.path.join(ROOT, "tests", "e2e", "chain_tour.mjs"), json.dumps(server.banner),
                               taken.chain["x-chain-tx"]],
                              env={**os.environ, "E2E_CLIENTS": FOLDER}, timeout=60)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
