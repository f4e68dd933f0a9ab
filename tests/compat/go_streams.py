# SPDX-License-Identifier: MIT
"""The streams through a Go client: encoding/json folds letters, which no other decoder does. gorilla/websocket comes from the module
proxy into build/clients; without Go of 1.24 or newer, or without the proxy, this is skipped and says so."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import ROOT, Server
from stir import stir

FOLDER = os.path.join(ROOT, "build", "clients", "go_streams")


def skip(why):
    print("SKIP the streams in Go: " + why)
    sys.exit(77)


def go(*args):
    try:
        return subprocess.run(["go", *args], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
                              env={**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})
    except subprocess.TimeoutExpired:
        skip("the module proxy did not answer in time")


def build():
    if not shutil.which("go"):
        skip("go is not installed")
    version = re.search(r"go(\d+)\.(\d+)", subprocess.run(["go", "version"], stdout=subprocess.PIPE, timeout=60).stdout.decode())
    if not version or (int(version[1]), int(version[2])) < (1, 24):
        skip(f"go 1.24 or newer is needed, this is {version[0] if version else 'unknown'}")
    os.makedirs(FOLDER, exist_ok=True)
    for name in ("go.mod", "tour.go"):
        shutil.copy(os.path.join(HERE, "go_streams", name), FOLDER)
    fetched = go("mod", "download", "github.com/gorilla/websocket")
    if fetched.returncode:
        skip("github.com/gorilla/websocket cannot be fetched: " + " ".join(fetched.stdout.decode(errors="replace").split())[:300])
    built = go("build", "-tags", "compat", "-o", "tour", ".")
    if built.returncode:
        raise SystemExit("the tour does not build:\n" + built.stdout.decode(errors="replace"))


if __name__ == "__main__":
    build()
    with Server() as server:
        tour = subprocess.Popen([os.path.join(FOLDER, "tour"), server.banner["url"].replace("http", "ws") + "/ws", server.accounts()[0].address], stdout=subprocess.PIPE, text=True)
        try:
            if tour.stdout.readline().strip() == "ready":
                stir(server)
            print(tour.communicate(timeout=60)[0].strip())
        finally:
            tour.kill()
    sys.exit(tour.returncode)
