# SPDX-License-Identifier: MIT
"""The streams through a Go client: encoding/json ignores the case of letters, unlike all other decoders.
gorilla/websocket comes from the module proxy into build/clients; without Go of 1.24 or newer, or without the proxy,
this is skipped with a message."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from golang import Go
from harness import ROOT, Server
from stir import stir

FOLDER = os.path.join(ROOT, "build", "clients", "go_streams")


def build():
    go = Go(FOLDER, "the streams in Go")
    os.makedirs(FOLDER, exist_ok=True)
    for name in ("go.mod", "tour.go"):
        shutil.copy(os.path.join(HERE, "go_streams", name), FOLDER)
    go.fetch("github.com/gorilla/websocket")
    go.build("tour", ".")


if __name__ == "__main__":
    build()
    with Server() as server:
        tour = subprocess.Popen([os.path.join(FOLDER, "tour"), server.banner["url"].replace("http", "ws") + "/ws",
                                 server.accounts()[0].address], stdout=subprocess.PIPE, text=True)
        try:
            if tour.stdout.readline().strip() == "ready":
                stir(server)
            print(tour.communicate(timeout=60)[0].strip())
        finally:
            tour.kill()
    sys.exit(tour.returncode)
