# SPDX-License-Identifier: MIT
"""What a round must leave behind: every answered write once and in an order that explains all answers, no other
write, and reads that show what the writes before their block have made."""
import collections

from book_clients import WRITE, Node
from book_model import Model, Wrong
from harness import BUY, SELL, compact


class Blocks:
    """The transactions of a node's chain, read once and in order."""

    def __init__(self):
        self.number, self.places = 0, {}

    def ask(self, node, method, *params):
        reply = node.send("POST", "/rpc", compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                   "params": list(params)}), {"Content-Type": "application/json"})
        if reply.json is None or "result" not in reply.json:
            raise Wrong(f"{node.host}:{node.port} answered {method} {params} with {reply}")
        return reply.json["result"]

    def read(self, url, only):
        """Continues up to the newest block: hash → (block, index) of the new transactions of the senders `only`."""
        node, found = Node(url), {}
        newest = int(self.ask(node, "eth_blockNumber"), 16)
        while self.number < newest:
            self.number += 1
            block = self.ask(node, "eth_getBlockByNumber", hex(self.number), True)
            for index, sent in enumerate(block["transactions"]):
                if sent["from"].lower() not in only:
                    continue
                if sent["hash"] in self.places:
                    first = self.places[sent["hash"]]
                    raise Wrong(f"{sent['hash']} is in the chain twice: {first} and block {self.number}")
                self.places[sent["hash"]] = found[sent["hash"]] = (self.number, index)
        node.close()
        return found


class Judge:
    """The whole history so far as one book, extended round by round."""

    def __init__(self, contents):
        self.model, self.blocks, self.ended, self.contents = Model(), Blocks(), 0, contents
        self.writes = self.reads = 0

    def round(self, entries, places):
        writes = [entry for entry in entries if entry["kind"] == WRITE]
        reads = [entry for entry in entries if entry["kind"] != WRITE]
        for entry in writes:
            entry["place"] = self.place_of(entry, places)
        writes.sort(key=lambda entry: entry["place"])
        if len({entry["tx"] for entry in writes}) != len(writes):
            raise Wrong("two answers name the same transaction")
        strange = set(places) - {entry["tx"] for entry in writes}
        if strange:
            raise Wrong(f"in the log, and no client was told so: {[(tx, places[tx]) for tx in sorted(strange)][:3]}")
        self.order(writes)
        self.tell(writes, collections.deque(sorted(reads, key=lambda entry: entry["block"])))
        self.writes += len(writes)
        self.reads += len(reads)

    @staticmethod
    def place_of(entry, places):
        found = places.get(entry["tx"])
        if found is None:
            raise Wrong(f"acknowledged and not in the log: {entry}")
        if entry["place"] not in (None, found):
            raise Wrong(f"acknowledged at {entry['place']}, and it is at {found}: {entry}")
        return found

    @staticmethod
    def order(writes):
        """A write that was answered before another one was sent stands before it."""
        earliest = None
        for entry in reversed(writes):
            if earliest is not None and earliest["ended"] < entry["began"]:
                raise Wrong(f"{earliest} was answered when {entry} was sent, and stands behind it")
            if earliest is None or entry["ended"] < earliest["ended"]:
                earliest = entry

    def tell(self, writes, reads):
        at = 0
        while reads or at < len(writes):
            block = writes[at]["place"][0] if at < len(writes) else 1 << 62
            while reads and reads[0]["block"] < block:
                self.look(reads.popleft())
            if at < len(writes):
                results = self.model.tell(writes[at])
                if writes[at]["results"] not in (None, results):
                    raise Wrong(f"the model gives {results} for {writes[at]}")
                at += 1
                self.compare_streams(writes[at - 1], writes[at] if at < len(writes) else None)

    def compare_streams(self, write, following):
        """Behind a block, the book that the streams gave at the model's update id is the model's."""
        if following is not None and following["place"][0] == write["place"][0]:
            return
        book = [dict(self.model.levels(side)) for side in (BUY, SELL)]
        wrong = self.contents.note("the model", self.model.updates, book)
        if wrong:
            raise Wrong(f"block {write['place'][0]}: {wrong}")

    def look(self, read):
        if read["block"] < read["mine"]:
            raise Wrong(f"block {read['mine']} was asked for, and a node answered with {read['block']}: {read}")
        says = self.model.says(read)
        if says != read["says"]:
            raise Wrong(f"block {read['block']} gives {says}, and a node said {read['says']}")
