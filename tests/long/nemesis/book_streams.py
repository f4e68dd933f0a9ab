# SPDX-License-Identifier: MIT
"""A subscriber of the book at each node: its updates follow each other without a gap (`U` is the `u` before plus 1),
and behind the same `u` the book is the same at each node, and in the model."""
import asyncio
import json
import threading

import websockets

from book_clients import NAME


class Contents:
    """Books behind update ids, as the nodes and the model have them. A book is (bids, asks): price → size."""

    def __init__(self):
        self.lock, self.books, self.frames, self.compared = threading.Lock(), {}, {}, 0

    def note(self, who, update, book):
        """What is wrong with it, or None."""
        return self.compare(self.books, who, f"the book at u={update}", update,
                            tuple(tuple(sorted(side.items())) for side in book))

    def note_frame(self, who, data):
        """Updates that cover the same ids are the same, but for `E`, when the node sent it; a node that catches up may
        put several into one."""
        return self.compare(self.frames, who, f"the update {data['U']} to {data['u']}", (data["U"], data["u"]),
                            json.dumps([data["a"], data["b"]]))

    def compare(self, known, who, what, key, value):
        with self.lock:
            first, seen = known.setdefault(key, (who, value))
            self.compared += first != who
        return None if seen == value else f"{what} is {seen} at {first}, and {value} at {who}"

    def forget(self):
        """All nodes are at the same command: nothing older comes any more."""
        with self.lock:
            self.books.clear()
            self.frames.clear()


class Watcher(threading.Thread):
    """Stays connected to one node as well as the faults permit. `gaps` has what was wrong, `frames` how much it saw."""

    def __init__(self, url, contents):
        super().__init__(daemon=True)
        self.url, self.contents, self.book = url.replace("http", "ws") + "/ws/spot", contents, ({}, {})
        self.ending, self.gaps, self.frames, self.connections, self.last = False, [], 0, 0, 0

    def run(self):
        asyncio.run(self.keep_watching())

    async def keep_watching(self):
        while not self.ending:
            try:
                async with websockets.connect(self.url, max_size=None, max_queue=None, compression=None,
                                              open_timeout=5, ping_interval=2, ping_timeout=6) as socket:
                    await socket.send(json.dumps({"op": "subscribe", "id": 1,
                                                  "params": {"channel": "l4Book", "symbol": NAME, "level": 1000}}))
                    self.connections += 1
                    await self.watch(socket)
            except (OSError, asyncio.TimeoutError, websockets.exceptions.WebSocketException):
                await asyncio.sleep(0.2)

    async def watch(self, socket):
        last = None
        while not self.ending:
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), 0.5))
            except asyncio.TimeoutError:
                continue
            data = message.get("data")
            if message.get("channel") != "l4Book" or not isinstance(data, dict) or "u" not in data:
                continue
            self.frames += 1
            first = data.get("U")
            if first is None and last is not None and data["u"] < last:
                self.gaps.append(f"{self.url}: a snapshot goes back from {last} to {data['u']}")
            if first is not None and last is not None and first != last + 1:
                self.gaps.append(f"{self.url}: after u={last} came U={first}, u={data['u']}")
            self.take(data)
            last = self.last = data["u"]

    def take(self, data):
        """A snapshot replaces the book, an update sets the size of prices; size 0 removes one."""
        wrong = None
        if "U" in data:
            wrong = self.contents.note_frame(self.url, data)
        else:
            self.book = ({}, {})
        for side, rows in zip(self.book, (data["b"], data["a"])):
            for price, size in rows:
                side[price] = size
                if size == "0":
                    del side[price]
        wrong = wrong or self.contents.note(self.url, data["u"], self.book)
        if wrong:
            self.gaps.append(wrong)
