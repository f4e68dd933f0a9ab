#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What three nodes on this machine do: times without writes, the lag of followers, reads.

    benches/cluster.py [--leader N] [--handover N] [--primary N] [--seconds S] [--binary FILE]

The three nodes of tools/cluster share the cores and the disk of this machine. A time without writes is the longest
pause between two acknowledgements that three writers get, one through each node, around a kill or a handover. The lag
of a follower is from the leader's acknowledgement of a batch of 100 orders, 100 times a second, to the follower's
answer to a read that asks for it (X-Dojima-Min-Seq), less the time of the same read when there is nothing to wait for.
Reads are counted by processor time of the node that answers, while orders come.
"""
import argparse
import http.client
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for folder in ("tests/e2e", "tests/long", "tests/long/nemesis", "tools/cluster.d"):
    sys.path.insert(0, os.path.join(ROOT, folder))
import layout                                                               # noqa: E402
import process                                                              # noqa: E402
from book_clients import BATCH, NAME, Node                                  # noqa: E402
from cluster_under_test import Cluster                                      # noqa: E402
from harness import BINARY, BTC, BUY, Client, Wallet, compact, order  # noqa: E402

BOOK = f"/api/v1/spot/markets/{NAME}/orderbook?limit=20"


def figure(name, value, against=0):
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ {name} {value:.9g} {against:.9g}", flush=True)


def p99(values):
    return sorted(values)[max(0, -(-99 * len(values) // 100) - 1)]


class Signer:
    """Batches of orders of one account that never trade."""

    def __init__(self, account, chain):
        self.client = Client(None, Wallet(account["privateKey"]), account["accountID"], self)
        self.chain, self.nonce, self.count = chain, int(time.time() * 1000), 0

    def batch(self, orders):
        """(client ids, body, headers)."""
        self.nonce = max(self.nonce + 1, int(time.time() * 1000))
        items = []
        for _ in range(orders):
            self.count += 1
            items.append(order(f"b{self.nonce}-{self.count}", BUY, str(90000 - self.count % 500), "0.0001"))
        return ([item["clOrdID"] for item in items],
                *self.signed("batchNewOrder", {"accountID": self.client.id, "orders": items}))

    def cancel(self, names):
        return self.signed("batchCancelOrder", {"accountID": self.client.id, "cancels": [
            {"symbolID": BTC, "clOrdID": "c" + name[1:], "origClOrdID": name} for name in names]})

    def signed(self, action, body):
        self.nonce = max(self.nonce + 1, int(time.time() * 1000))
        body = compact(body)
        return body, self.client.headers(action, body, self.nonce, chain_id=self.chain)


class Writer(threading.Thread):
    """Places an order and cancels it, through one node after the other when one fails; `acks` has the times."""

    def __init__(self, account, urls, first, chain):
        super().__init__(daemon=True)
        self.signer, self.nodes, self.at = Signer(account, chain), [Node(url) for url in urls], first
        self.acks, self.ending = [], False

    def send(self, method, body, headers):
        while not self.ending:
            try:
                reply = self.nodes[self.at].send(method, BATCH, body, headers)
                if reply.status == 200 and reply.code in (0, 40102):
                    self.acks.append(time.monotonic())
                    return
            except (OSError, http.client.HTTPException):    # the node ended, perhaps in the middle of an answer
                pass
            self.at = (self.at + 1) % len(self.nodes)
            time.sleep(0.005)

    def run(self):
        while not self.ending:
            names, body, headers = self.signer.batch(1)
            self.send("POST", body, headers)
            self.send("DELETE", *self.signer.cancel(names))


def longest_pause(writers, began, ended):
    acks = sorted(at for writer in writers for at in writer.acks[-4000:] if began - 1 <= at <= ended)
    inside = [began] + [at for at in acks if at > began] + [ended]
    return max(later - earlier for earlier, later in zip(inside, inside[1:]))


def settle(cluster):
    cluster.settled(120)
    time.sleep(1.0)


def around(cluster, writers, act, patience):
    """The longest pause from the moment of `act`, until all writers were acknowledged again."""
    began = time.monotonic()
    act()
    until = began + patience
    while time.monotonic() < until:
        lately = time.monotonic() - 0.5
        if lately - began > 2.5 and all(writer.acks and writer.acks[-1] > lately for writer in writers):
            break
        time.sleep(0.05)
    return longest_pause(writers, began, time.monotonic())


def failovers(asked, cluster, writers):
    pauses = {"leader": [], "handover": [], "primary": []}
    for _ in range(asked.leader):
        leader = cluster.leader()
        pauses["leader"].append(around(cluster, writers, lambda: cluster.tool("kill", leader, "exchange"), 30))
        cluster.tool("start", leader, "exchange")
        settle_with(writers, cluster)
    for _ in range(asked.handover):
        to = cluster.others(cluster.leader())[0]
        pauses["handover"].append(around(cluster, writers, lambda: cluster.tool("handover", to), 20))
        settle_with(writers, cluster)
    for _ in range(asked.primary):
        primary = cluster.primary()
        pauses["primary"].append(around(cluster, writers, lambda: cluster.tool("kill", primary, "postgres"), 60))
        cluster.tool("start", primary, "postgres")
        time.sleep(8)
        cluster.tool("up", seconds=180)
        settle_with(writers, cluster)
    for name, unit in (("leader", "s"), ("handover", "ms"), ("primary", "s")):
        found = pauses[name]
        if not found:
            continue
        scale = 1000 if unit == "ms" else 1
        print(f"{name}: time without writes p50 {statistics.median(found) * scale:.3g} {unit}, "
              f"p99 {p99(found) * scale:.3g}, longest {max(found) * scale:.3g}; {len(found)} times", flush=True)
        figure(f"cluster-{name}", p99(found) * scale)


def settle_with(writers, cluster):
    """All nodes have their role again; the writers go on."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        roles = [cluster.ready(name).get("role") for name in cluster.names]
        if roles.count("leader") == 1 and roles.count("follower") == len(roles) - 1:
            break
        time.sleep(0.1)
    time.sleep(1.5)
    for number, writer in enumerate(writers):
        writer.at = number


def lag(asked, cluster, account, chain):
    """Followers behind the leader's acknowledgements, milliseconds, p99 over both."""
    signer, leader = Signer(account, chain), cluster.leader()
    bodies, nodes = [], {name: Node(cluster.urls[name]) for name in cluster.names}
    for _ in range(int(asked.seconds * 100) // 2):
        names, body, headers = signer.batch(100)
        bodies += [("POST", body, headers), ("DELETE", *signer.cancel(names))]
    waits, bare, began, sent = [], [], time.monotonic(), 0
    followers = cluster.others(leader)
    for number, (method, body, headers) in enumerate(bodies):
        time.sleep(max(0, began + number * 0.01 - time.monotonic()))
        reply = nodes[leader].send(method, BATCH, body, headers)
        assert reply.code == 0, reply
        sent += 1
        name, seq, at = followers[number % len(followers)], reply.headers["x-dojima-seq"], time.monotonic()
        answer = nodes[name].send("GET", BOOK, headers={"X-Dojima-Min-Seq": seq})
        waits.append(time.monotonic() - at if answer.status == 200 else 0.05 + time.monotonic() - at)
        at = time.monotonic()
        nodes[name].send("GET", BOOK, headers={"X-Dojima-Min-Seq": seq})
        bare.append(time.monotonic() - at)
    rate = sent * 100 / (time.monotonic() - began)
    behind = p99([max(0.0, one - statistics.median(bare)) for one in waits]) * 1000
    alone = statistics.median(bare) * 1000
    print(f"lag: a follower is behind the leader's answer by {behind:.3g} ms at p99 "
          f"({statistics.median(waits) * 1000 - alone:.3g} ms at p50), {rate:.0f} orders/s; the read alone takes "
          f"{alone:.3g} ms", flush=True)
    figure("cluster-lag", behind)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pid_of(cluster, name):
    return process.find(layout.read(cluster.folder).node(name), "exchange")[0]


def reads_of(cluster, name, seconds):
    """Reads of a node by second of its processor time, as many as it can do."""
    pid = pid_of(cluster, name)
    began = cpu_seconds(pid)
    done = subprocess.run(["wrk", "-t1", "-c16", f"-d{int(seconds)}s", cluster.urls[name] + BOOK], capture_output=True,
                          text=True, check=True)
    return int(re.search(r"(\d+) requests in", done.stdout)[1]) / (cpu_seconds(pid) - began)


def reads(asked, cluster):
    """Two followers, over the node that takes the orders; they come meanwhile, the same for both."""
    leader = cluster.leader()
    one = reads_of(cluster, leader, asked.seconds)
    two = sum(reads_of(cluster, name, asked.seconds) for name in cluster.others(leader))
    print(f"reads: {two:.0f} 1/s of two followers, {one:.0f} of the leader, each by its own processor time, while "
          f"three clients write: {two / one:.3g} times", flush=True)
    figure("cluster-reads", two, one)


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--leader", type=int, default=50)
    asked.add_argument("--handover", type=int, default=20)
    asked.add_argument("--primary", type=int, default=20)
    asked.add_argument("--seconds", type=float, default=10)
    asked.add_argument("--binary", default=BINARY)
    asked = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="cluster-bench-") as folder:
        os.chmod(folder, 0o755)
        cluster = Cluster(folder, asked.binary, "")
        try:
            chain = int(Node(cluster.urls[cluster.names[0]]).send(
                "POST", "/rpc", b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
                {"Content-Type": "application/json"}).json["result"], 16)
            accounts, urls = cluster.about["accounts"], list(cluster.urls.values())
            settle(cluster)
            lag(asked, cluster, accounts[9], chain)
            writers = [Writer(accounts[number], urls, number % len(urls), chain) for number in range(3)]
            for writer in writers:
                writer.start()
            time.sleep(1)
            reads(asked, cluster)
            failovers(asked, cluster, writers)
            for writer in writers:
                writer.ending = True
        finally:
            cluster.tool("down")


if __name__ == "__main__":
    main()
