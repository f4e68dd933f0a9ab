# SPDX-License-Identifier: MIT
"""Clients that write through all nodes of a cluster, and find out what became of each write."""
import http.client
import random
import threading
import time
import urllib.parse

from book_model import BOOK, ORDERS
from harness import BTC, BUY, SELL, Client, Reply, compact, order

NAME, WRITE = "vBTC_vUSDC", "write"
BATCH = "/api/v1/spot/trade/orders/batch"
NONCE_USED, NO_LEADER = 40102, 50302
PATIENCE_S = 240                # how long a write may stay without an outcome
TIMEOUT_S = 8


class Unanswered(Exception):
    """A write has no outcome after PATIENCE_S, although the faults are over."""


class Node:
    """A connection to one node, made again when it breaks."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.http = parts.hostname, parts.port, None

    def send(self, method, path, body=None, headers=()):
        if self.http is None:
            self.http = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)
        try:
            self.http.request(method, path, body, dict(headers))
            response = self.http.getresponse()
            return Reply(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self):
        if self.http is not None:
            self.http.close()
        self.http = None


class Worker(threading.Thread):
    """An account that does one thing after the other, each through a node drawn by its dice. `seen` has what it saw;
    `gate` is open while it may begin something new."""

    def __init__(self, number, account, urls, chain, seed, gate):
        super().__init__(daemon=True)
        self.number, self.chain, self.gate = number, chain, gate
        self.client = Client(None, account["wallet"], account["accountID"], self)
        self.nodes, self.dice = [Node(url) for url in urls], random.Random(f"{seed} {number}")
        self.side, self.count, self.nonce = (BUY, SELL)[number % 2], 0, int(time.time() * 1000)
        self.open, self.seen, self.last_seq, self.failure = [], [], 0, None
        self.busy, self.ending, self.again, self.unexecuted = False, False, 0, 0

    # ---- what it does

    def name(self):
        self.count += 1
        return f"n{self.number}-{self.count}-{self.nonce}"

    def a_write(self):
        """(action, method, key of the items, items)."""
        if len(self.open) > 8 or (self.open and self.dice.random() < 0.3):
            chosen = self.dice.sample(self.open, min(len(self.open), self.dice.choice((1, 1, 4))))
            return "batchCancelOrder", "DELETE", "cancels", \
                [{"symbolID": BTC, "clOrdID": self.name(), "origClOrdID": each} for each in chosen]
        return "batchNewOrder", "POST", "orders", [self.an_order() for _ in range(self.dice.choice((1, 1, 1, 3)))]

    def an_order(self):
        away = self.dice.randrange(-3, 12) * (1 if self.side == SELL else -1)
        return order(self.name(), self.side, str(100000 + away), f"0.000{self.dice.randrange(1, 10)}")

    def cancels_of_all(self):
        return "batchCancelOrder", "DELETE", "cancels", \
            [{"symbolID": BTC, "clOrdID": self.name(), "origClOrdID": each} for each in self.open[:20]]

    # ---- how it asks

    def ask(self, method, path, body, headers):
        """Sends the same bytes until there is an outcome: (reply, whether an earlier attempt may have run)."""
        unknown, until = False, time.monotonic() + PATIENCE_S
        while True:
            if time.monotonic() > until:
                raise Unanswered(f"client {self.number}: no outcome of {body!r} in {PATIENCE_S} s")
            try:
                reply = self.dice.choice(self.nodes).send(method, path, body, headers)
            except (OSError, http.client.HTTPException):
                unknown = True
                self.again += 1
                time.sleep(0.05)
                continue
            if reply.status != 503:
                return reply, unknown
            if reply.json is None or reply.code != NO_LEADER:
                unknown = True
            elif not unknown and self.dice.random() < 0.05:
                return reply, False             # told that nothing was done: it must never appear
            self.again += 1
            time.sleep(0.05)

    def write(self, what=None):
        action, method, key, items = what or self.a_write()
        self.nonce = max(self.nonce + 1, int(time.time() * 1000))
        body = compact({"accountID": self.client.id, key: items})
        headers = self.client.headers(action, body, self.nonce, chain_id=self.chain)
        began = time.monotonic_ns()
        reply, unknown = self.ask(method, BATCH, body, headers)
        entry = {"kind": WRITE, "who": self.number, "key": key, "items": items, "began": began,
                 "ended": time.monotonic_ns()}
        if reply.status == 503:
            self.unexecuted += 1
            return
        if reply.code == NONCE_USED and unknown:            # it had run; its answer was lost
            entry.update(place=None, tx=reply.details["hash"], results=None)
        elif reply.code == 0:
            entry.update(place=(int(reply.chain["x-chain-block"], 16), int(reply.chain["x-chain-index"], 16)),
                         tx=reply.chain["x-chain-tx"],
                         results=[(item["code"], item["status"]) for item in reply.data])
            self.last_seq = max(self.last_seq, int(reply.headers.get("x-dojima-seq", 0)))
        else:
            raise AssertionError(f"client {self.number}: {method} {body!r} was answered {reply}")
        self.remember(key, items, reply)
        self.seen.append(entry)

    def remember(self, key, items, reply):
        if key == "cancels":
            gone = {item["origClOrdID"] for item in items}
            self.open = [each for each in self.open if each not in gone]
        elif reply.code == 0:
            self.open += [item["clOrdID"] for item in reply.data if item["status"] in ("NEW", "PARTIALLY_FILLED")]

    def read(self):
        """A book or the client's own orders from any node, not older than its own last answered write."""
        about = None if self.dice.random() < 0.5 else self.number
        path = f"/api/v1/spot/markets/{NAME}/orderbook?limit=1000" if about is None \
            else f"/api/v1/spot/accounts/{self.client.address}/orders"
        wanted = self.last_seq
        try:
            reply = self.dice.choice(self.nodes).send(
                "GET", path, headers={"Accept": "application/json", "X-Dojima-Min-Seq": str(wanted)})
        except (OSError, http.client.HTTPException):
            return
        if reply.status != 200:
            return
        data, entry = reply.data, {"block": reply.data["blockHeight"], "mine": self.last_block()}
        if about is None:
            entry.update(kind=BOOK, says=(data["updateID"], [tuple(row) for row in data["bids"]],
                                          [tuple(row) for row in data["asks"]]))
        else:
            entry.update(kind=ORDERS, who=about,
                         says=sorted((one["clOrdID"], one["executedQty"]) for one in data["orders"]))
        self.seen.append(entry)

    def last_block(self):
        """The block of its own last answered write: a read that asks for it is not older."""
        return max((entry["place"][0] for entry in reversed(self.seen[-8:])
                    if entry["kind"] == WRITE and entry["place"]), default=0)

    def run(self):
        try:
            while not self.ending:
                if not self.gate.wait(0.2):
                    continue
                self.busy = True
                if self.gate.is_set():
                    self.write() if self.dice.random() < 0.6 else self.read()
                self.busy = False
                time.sleep(self.dice.random() * 0.02)
        except Exception as error:                          # the judge reports it
            self.failure = error
        self.busy = False

    def change_side(self):
        """Cancels everything and trades on the other side from now on; the gate is closed."""
        while self.open:
            self.write(self.cancels_of_all())
        self.side = SELL if self.side == BUY else BUY
