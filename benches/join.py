#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long a new node takes to join two that share a log, and to read the whole log instead.

    benches/join.py [--orders N]

The log is in a PostgreSQL server with two standbys; servers and nodes share the cores and the disk of this machine.
The orders come in signed batches of 100; each rests for a while and is then cancelled, so most of them are history.
A start is timed from the start of the process until it serves.
"""
import argparse
import os
import re
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from harness import BUY, Client, Folder, Wallet, order, run  # noqa: E402
from roles import Database, Node, wait                      # noqa: E402

BATCH, ACCOUNT = 100, 1001
SECRET = "only-for-this-measurement"
REST = """[limits]
weightPerMinute = 0
ordersPerMinute = 0
[account {address}]
A = 1000000000
"""


class Orders:
    def __init__(self, node, wallet):
        self.client, self.sent = Client(node.server, wallet, ACCOUNT), 0

    def batch(self):
        names = [f"o{self.sent + i}" for i in range(BATCH)]
        orders = [order(name, BUY, f"{96 + i * 0.01:.1f}", "0.01") for i, name in enumerate(names)]
        replies = [self.client.place(*orders, chain_id=77),
                   self.client.cancel(*({"symbolID": 1, "clOrdID": "c" + name[1:], "origClOrdID": name}
                                        for name in names), chain_id=77)]
        for reply in replies:
            assert reply.code == 0 and all(one["code"] == 0 for one in reply.data), reply
        self.sent += BATCH


def node(folder, name, url, address):
    made = Node(folder, name, url, more="shadow = on\nsnapshotSeconds = 5\n")
    with open(made.config, encoding="ascii") as file:
        text = file.read()
    with open(os.path.join(folder, "secret"), "w", encoding="ascii") as file:
        file.write(SECRET)
    with open(made.config, "w", encoding="ascii") as file:
        file.write(text.replace("compareBlocks", f"secret = {folder}/secret\nleaseMs = 10000\ncompareBlocks") +
                   REST.format(address=address))
    return made


def started(one):
    began = time.monotonic()
    one.start()
    return time.monotonic() - began


def joined(one, giver):
    began = time.monotonic()
    code, out, err = run("join", "--from", f"http://127.0.0.1:{giver.port}", "--config", one.config, seconds=600)
    assert code == 0, err
    print(out, end="")
    return time.monotonic() - began


def measure(folder, database, count):
    wallet = Wallet(os.urandom(32).hex())
    nodes = [node(folder, "n1", database.url, wallet.address)]
    nodes[0].start()
    wait("a leader", lambda: nodes[0].ready().get("role") == "leader")
    orders = Orders(nodes[0], wallet)
    while orders.sent < count:
        orders.batch()
    command = nodes[0].ready()["sequence"]
    wait("a snapshot", lambda: re.search(rf"snapshot-[ab] holds command {command},", nodes[0].server.stderr()))
    orders.batch()                                                  # the tail
    nodes.append(node(folder, "n2", database.url, wallet.address))
    whole = started(nodes[1])
    nodes.append(node(folder, "n3", database.url, wallet.address))
    join, start = joined(nodes[2], nodes[0]), started(nodes[2])
    wait("it follows", lambda: len({one.ready().get("sequence") for one in nodes}) == 1)
    print(f"join: {orders.sent} orders and as many cancels, {command} commands: joined in {join:.2f} s, started from "
          f"the snapshot in {start:.2f} s; a start that reads the whole log takes {whole:.2f} s")
    for one in nodes:
        one.server.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orders", type=int, default=100000)
    options = parser.parse_args()
    with Folder() as folder:
        database = Database(folder)
        try:
            measure(folder, database, options.orders)
        finally:
            database.stop()


if __name__ == "__main__":
    main()
