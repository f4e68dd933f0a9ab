# SPDX-License-Identifier: MIT
"""Three nodes of tools/cluster: clients write through all of them while exchanges, PostgreSQL's primary and etcd are
killed; each write that was acknowledged is there afterwards, once, on every node, and the nodes agree."""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

from harness import BINARY, BUY, ROOT, Client, Reply, Wallet, compact, fresh_nonce, main, order

sys.path.insert(0, os.path.join(ROOT, "tools", "cluster.d"))
import layout  # noqa: E402  (the path comes first)

TOOL = os.path.join(ROOT, "tools", "cluster")
SECONDS = 90                                # for what takes some ten seconds on a quiet machine
BATCH = "/api/v1/spot/trade/orders/batch"


class Connection:
    """One request at a time to a node of the cluster; a new connection after each failure."""

    def __init__(self, url):
        self.host, self.http = urllib.parse.urlsplit(url).netloc, None

    def send(self, method, path, body=None, headers=()):
        """The reply, or None when there is none."""
        try:
            self.http = self.http or http.client.HTTPConnection(self.host, timeout=10)
            self.http.request(method, path, body, dict(headers))
            response = self.http.getresponse()
            return Reply(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException):
            self.close()
            return None

    def close(self):
        if self.http:
            self.http.close()
        self.http = None


class Writer(threading.Thread):
    """An account that places one resting order after the other, each through the next node. A write without an outcome
    (no answer, 503) is sent again with the same bytes until it has one."""

    def __init__(self, account, urls, first):
        super().__init__(daemon=True)
        self.client = Client(None, Wallet(account["privateKey"]), account["accountID"], connection=object())
        self.connections = [Connection(url) for url in urls]
        self.turn, self.number, self.ending = first, 0, threading.Event()
        self.acknowledged, self.again, self.failure = {}, 0, None

    def run(self):
        try:
            while not self.ending.is_set():
                self.number += 1
                self.place(f"w{self.client.id}-{self.number}")
                time.sleep(0.05 if self.number < 500 else 0.5)      # an account may have 1000 orders open
        except Exception as error:                              # shown by the test
            self.failure = error

    def place(self, name):
        body = compact({"accountID": self.client.id, "orders": [order(name, BUY, "50000", "0.0001")]})
        headers, deadline = self.client.headers("batchNewOrder", body, fresh_nonce()), time.monotonic() + SECONDS
        while True:
            self.turn = (self.turn + 1) % len(self.connections)
            reply = self.connections[self.turn].send("POST", BATCH, body, headers)
            if reply is not None and reply.status != 503:
                break
            if time.monotonic() > deadline:
                raise AssertionError(f"{name} has no outcome within {SECONDS} s: {reply}")
            self.again += 1
            time.sleep(0.1)
        if reply.status != 200:
            raise AssertionError(f"{name}: {reply}")
        if reply.code == 0 and reply.data[0]["code"] == 0:
            self.acknowledged[name] = reply.data[0]["orderID"]
        elif "nonce" in reply.json["error"]:                    # an earlier try happened, its answer was lost
            self.acknowledged[name] = None
        else:
            raise AssertionError(f"{name}: {reply}")


class Nodes(unittest.TestCase):
    """One cluster for all of it, in the order of the names."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="dojima-e2e-")
        cls.folder, cls.writers = cls.temporary.name + "/c", []
        try:
            began = time.monotonic()
            cls.about = json.loads(cls.run_tool("up", "--json", "--market", "none", "--binary", BINARY))
            cls.seconds = time.monotonic() - began
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        for writer in cls.writers:
            writer.ending.set()
        if layout.exists(cls.folder):
            subprocess.run([TOOL, "down", cls.folder], capture_output=True, check=False)
        cls.temporary.cleanup()

    @classmethod
    def run_tool(cls, *words):
        done = subprocess.run([TOOL, words[0], cls.folder, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=240)
        if done.returncode != 0:
            raise AssertionError(f"tools/cluster {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def nodes(self):
        return json.loads(self.run_tool("status", "--json"))["nodes"]

    def leader(self):
        found = [node["name"] for node in self.nodes() if node["role"] == "leader"]
        return found[0] if len(found) == 1 else None

    def primary(self):
        return next(node["name"] for node in self.nodes() if node["postgres"].get("role") == "primary")

    def until(self, what, done):
        deadline = time.monotonic() + SECONDS
        while not done():
            self.assertLess(time.monotonic(), deadline, what + "; " + self.run_tool("status"))
            time.sleep(0.2)

    def progress(self, count=3):
        """Waits until each writer has that many more acknowledged writes."""
        before = [len(writer.acknowledged) for writer in self.writers]

        def more():
            self.assertEqual([writer.failure for writer in self.writers if writer.failure], [])
            return all(len(writer.acknowledged) >= count + old for writer, old in zip(self.writers, before))

        self.until("writes go on", more)

    def kill(self, name, part):
        """A part dies while clients write; they get on without it, and it comes back."""
        self.run_tool("kill", name, part)
        self.progress()
        self.run_tool("start", name, part)
        self.until("all nodes are ready again", lambda: all(node["state"] == "ready" for node in self.nodes()))
        self.progress()

    def test_1_three_nodes_and_their_accounts(self):
        self.assertLess(self.seconds, 240)
        self.assertEqual([node["name"] for node in self.about["nodes"]], ["n1", "n2", "n3"])
        self.assertEqual(len(self.about["accounts"]), 10)
        self.until("one node leads", lambda: self.leader())
        self.assertEqual(sorted(node["role"] for node in self.nodes()), ["follower", "follower", "leader"])
        dev = subprocess.Popen([BINARY, "dev", "--json", "--port", "0", "--market", "none"], stdout=subprocess.PIPE)
        try:
            self.assertEqual(json.loads(dev.stdout.readline())["accounts"], self.about["accounts"])
        finally:
            dev.terminate()
            dev.wait()
            dev.stdout.close()

    def test_2_clients_write_through_all_nodes(self):
        urls = [node["url"] for node in self.about["nodes"]]
        self.writers += [Writer(account, urls, i) for i, account in enumerate(self.about["accounts"][:3])]
        for writer in self.writers:
            writer.start()
        self.progress(10)

    def test_3_the_leader_dies(self):
        self.until("one node leads", lambda: self.leader())
        self.kill(self.leader(), "exchange")

    def test_4_a_follower_dies(self):
        self.until("one node leads", lambda: self.leader())
        leader = self.leader()
        self.kill(next(node["name"] for node in self.nodes() if node["name"] != leader), "exchange")

    def test_5_a_member_of_etcd_dies(self):
        self.kill("n2", "etcd")

    def test_6_the_primary_dies(self):
        self.kill(self.primary(), "postgres")

    def test_7_planned_work(self):
        self.until("one node leads", lambda: self.leader())
        to = next(node["name"] for node in self.nodes() if node["role"] == "follower")
        self.run_tool("handover", to)
        self.until(f"{to} leads", lambda: self.leader() == to)
        self.progress()

    def test_8_everything_is_there_once_on_every_node(self):
        for writer in self.writers:
            writer.ending.set()
        for writer in self.writers:
            writer.join(SECONDS)
            self.assertIsNone(writer.failure)
        self.until("all nodes are at the same command", lambda: len({node["sequence"] for node in self.nodes()}) == 1)
        self.until("all have compared a block", lambda: all(node["stateHash"] for node in self.nodes()))
        hashes = {}
        for node in self.nodes():
            hashes.setdefault(node["hashBlock"], set()).add(node["stateHash"])
        self.assertTrue(all(len(found) == 1 for found in hashes.values()), hashes)
        for node in self.about["nodes"]:
            for writer in self.writers:
                reply = Connection(node["url"]).send("GET", f"/api/v1/spot/accounts/{writer.client.address}/orders")
                orders = {row["clOrdID"]: row["orderID"] for row in reply.data["orders"]}
                self.assertEqual(len(orders), len(reply.data["orders"]), "each once")
                self.assertEqual(set(orders), set(writer.acknowledged), node["name"])
                for name, number in writer.acknowledged.items():
                    self.assertIn(number, (None, orders[name]), name)


if __name__ == "__main__":
    lacking = layout.missing_programs()
    if lacking:
        print(f"skipped: {', '.join(lacking)} not installed (tools/setup test installs them)")
        sys.exit(77)
    main()
