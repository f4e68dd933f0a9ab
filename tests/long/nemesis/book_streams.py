# SPDX-License-Identifier: MIT
"""A subscriber of the book at each node: its updates follow each other without a gap (`U` is the `u` before plus 1)."""
import asyncio
import json
import threading

import websockets

from book_clients import NAME


class Watcher(threading.Thread):
    """Stays connected to one node as well as the faults permit. `gaps` has what was wrong, `frames` how much it saw."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url = url.replace("http", "ws") + "/ws/spot"
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
            last = self.last = data["u"]
