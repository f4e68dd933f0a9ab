# SPDX-License-Identifier: MIT
"""The tours of viem_tour.mjs and viem_powers.mjs, each against a fresh server; viem comes from
the npm registry into build/clients."""
import json
import os
import shutil
import subprocess
import sys

from harness import ROOT, Server

FOLDER = os.path.join(ROOT, "build", "clients", "viem")


def skip(why):
    print("SKIP the viem tour: " + why)
    sys.exit(77)


def main():
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    if not os.path.isdir(os.path.join(FOLDER, "node_modules", "viem")):
        os.makedirs(FOLDER, exist_ok=True)
        with open(os.path.join(FOLDER, "package.json"), "w") as file:
            json.dump({"name": "clients", "private": True}, file)
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", "viem@2"],
                                  cwd=FOLDER,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
        except subprocess.TimeoutExpired:
            shutil.rmtree(FOLDER, ignore_errors=True)
            skip("the npm registry did not answer in time")
        if done.returncode:
            shutil.rmtree(FOLDER, ignore_errors=True)
            lines = [line for line in done.stdout.decode(errors="replace").splitlines() if "error" in line]
            skip("npm cannot install viem: " + "; ".join(lines[:3]))
    for script, words in (("viem_tour.mjs", ()), ("viem_powers.mjs", ("--clock", "0"))):
        with Server(*words) as server:
            done = subprocess.run(["node", os.path.join(ROOT, "tests", "e2e", script), json.dumps(server.banner)],
                                  env={**os.environ, "E2E_CLIENTS": FOLDER}, timeout=60)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
