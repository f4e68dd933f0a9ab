# SPDX-License-Identifier: MIT
"""The streams through `ws` of npm, which is installed into build/clients; without node, npm or the registry this is
skipped with a message."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import ROOT, Server
from stir import stir

FOLDER = os.path.join(ROOT, "build", "clients", "ws")


def skip(why):
    print("SKIP the streams through ws: " + why)
    sys.exit(77)


def install():
    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    if os.path.isdir(os.path.join(FOLDER, "node_modules", "ws")):
        return
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "package.json"), "w") as file:
        json.dump({"name": "clients", "private": True}, file)
    try:
        failed = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", "ws@8"],
                                cwd=FOLDER,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=150).returncode
    except subprocess.TimeoutExpired:
        failed = True
    if failed:
        shutil.rmtree(FOLDER, ignore_errors=True)
        skip("npm cannot install ws")


if __name__ == "__main__":
    install()
    with Server() as running:
        tour = subprocess.Popen(["node", os.path.join(HERE, "ws_tour.mjs"), json.dumps(running.banner)],
                                stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "COMPAT_CLIENTS": FOLDER})
        try:
            if tour.stdout.readline().strip() == "ready":
                stir(running)
            print(tour.communicate(timeout=100)[0].strip())
        finally:
            tour.kill()
    sys.exit(tour.returncode)
