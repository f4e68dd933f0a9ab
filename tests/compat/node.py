# SPDX-License-Identifier: MIT
"""The Node client against a fresh server: its tour without limits, its last check with them. viem comes from the npm
registry into build/clients; without node, npm or the registry this is skipped with a message."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import INSTRUMENTED, ROOT, Server

FOLDER = os.path.join(ROOT, "build", "clients", "compat")


def skip(why):
    print("SKIP the Node client: " + why)
    sys.exit(77)


def install():
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    if os.path.isdir(os.path.join(FOLDER, "node_modules", "viem")):
        return
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


def play(script, **server):
    with Server(**server) as running:
        done = subprocess.run(["node", os.path.join(HERE, script), json.dumps(running.banner)],
                              env={**os.environ, "COMPAT_CLIENTS": FOLDER}, timeout=120)
        if done.returncode:
            raise SystemExit(done.returncode)


def main():
    install()
    play("node_tour.mjs")
    if not INSTRUMENTED:                        # a slow build may need more than the minute whose budget it uses
        play("node_limits.mjs", limits=True)


if __name__ == "__main__":
    main()
