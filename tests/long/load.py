# SPDX-License-Identifier: MIT
"""Shared by the long runs against the real binary: load on both markets with a ledger, and waiting until a folder is
free."""
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from durability import Trader, batches, segments                            # noqa: E402
from harness import BUY, SELL, fresh_nonce, perps_order                     # noqa: E402


class Both(Trader):
    """A trader of both markets."""

    def choose(self):
        dice = self.random.random()
        if dice < 0.55:
            return super().choose()
        if dice < 0.63 and self.perps:
            chosen, self.perps = self.perps[:4], self.perps[4:]
            return "perps cancel", [{"symbolID": 1, "orderID": i} for i in chosen]
        if dice < 0.85:
            price = self.random.randrange(97000, 98000) if self.side == BUY else self.random.randrange(102000, 103000)
            return "perps", [perps_order(f"p{fresh_nonce()}", self.side, str(price), "0.001") for _ in range(3)]
        return "perps", [perps_order(f"q{fresh_nonce()}", self.side, "100000", "0.001")]

    perps = ()

    def remember(self, kind, call, reply):
        super().remember(kind, call, reply)
        if kind == "perps":
            self.perps = list(self.perps) + [item["orderID"] for item in reply.data if item.get("status") == "NEW"]


def can_trace():
    """Whether there is a strace that may trace."""
    try:
        return subprocess.run(["strace", "-o", os.devnull, "true"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


class Load:
    """Traders of some clients on a server, until it ends or they are stopped."""

    def __init__(self, server, clients, ledgers, dice):
        self.stop, self.ledgers = threading.Event(), ledgers
        self.before = sum(len(ledger.acknowledged) for ledger in ledgers)
        self.traders = [Both(client.on(server), (BUY, SELL)[i % 2], ledgers[i], self.stop, dice.random())
                        for i, client in enumerate(clients)]
        for trader in self.traders:
            trader.start()

    def end(self, judge):
        """The number of acknowledged writes; an invalid reply is an error."""
        self.stop.set()
        for trader in self.traders:
            trader.join(20)
        for trader in self.traders:
            judge.assertNotIsInstance(trader.error, AssertionError, trader.error)
        return sum(len(ledger.acknowledged) for ledger in self.ledgers) - self.before


def gone(data):
    """Waits until no process holds the folder: the tracee of a dying strace may outlive it for a moment."""
    with open(os.path.join(data, "lock"), "a") as lock:
        for _ in range(200):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                time.sleep(0.02)
    raise AssertionError("a killed exchange still holds its folder")


def forget(data):
    """Removes two batches, as if they had never been made durable."""
    file = [name for name in segments(data) if batches(name)][-1]
    with open(file, "r+b") as stream:
        for at, size in batches(file)[-2:]:
            stream.seek(at)
            stream.write(b"\0" * ((size + 4095) // 4096 * 4096))
    shutil.rmtree(os.path.join(data, "history"), ignore_errors=True)        # it has their rows


# Of the sources when the run began.
COMMIT = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL).stdout.decode().strip()


def result_line(goal, **facts):
    """One line of JSON."""
    print(json.dumps({"goal": goal, **facts, "commit": COMMIT}), flush=True)
