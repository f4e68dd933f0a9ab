# SPDX-License-Identifier: MIT
# Only here: the synchronous side has a module of its own.
"""Connections that are kept alive, one request at a time on each."""
from __future__ import annotations

import asyncio
import ssl
from collections import deque
from typing import Deque, List, Optional, Tuple

from dojima.errors import ConnectionLost, DojimaError, ProtocolError
from dojima.http import Place, Reply, ReplyParser, request_bytes

_DEPTH = 16


async def pause(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)


class _Connection(asyncio.Protocol):
    """Requests go out behind each other without waiting for answers, which come in the same order."""

    def __init__(self) -> None:
        self._transport: Optional[asyncio.Transport] = None
        self._parser = ReplyParser()
        self._waiting: Deque["asyncio.Future[Reply]"] = deque()
        self._buffer: List[bytes] = []
        self.open = True

    @property
    def in_flight(self) -> int:
        return len(self._waiting)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            reply = self._parser.feed(data)
            while reply is not None:
                if not self._waiting:
                    raise ProtocolError("an answer that nobody asked for")
                waiting = self._waiting.popleft()
                if not waiting.done():
                    waiting.set_result(reply)
                reply = self._parser.feed(b"")
        except DojimaError as error:
            self.fail(error)
            return
        if self._parser.closes:
            self.fail(ConnectionLost("the exchange closed the connection"))

    def connection_lost(self, error: Optional[BaseException]) -> None:
        self.fail(ConnectionLost(f"the connection ended before an answer came{f': {error}' if error else ''}"))

    def fail(self, error: Exception) -> None:
        """Ends the connection, and with it every request that has no answer."""
        self.close()
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_exception(error)

    async def send(self, data: bytes, timeout: Optional[float]) -> Reply:
        """Requests of one turn of the loop leave in one packet. Without a timeout the answer may take its time."""
        loop = asyncio.get_running_loop()
        waiting: "asyncio.Future[Reply]" = loop.create_future()
        self._waiting.append(waiting)
        if not self._buffer:
            loop.call_soon(self._flush)
        self._buffer.append(data)
        timer = None
        if timeout is not None:
            timer = loop.call_later(timeout, self.fail, ConnectionLost(f"no answer within {timeout} s"))
        try:
            return await waiting
        finally:
            if timer is not None:
                timer.cancel()

    def _flush(self) -> None:
        data, self._buffer = b"".join(self._buffer), []
        if self.open and self._transport is not None:
            self._transport.write(data)

    def close(self) -> None:
        self.open = False
        if self._transport is not None:
            self._transport.close()


class AsyncConnections:
    """
    At most `limit` connections to one exchange, and at most _DEPTH requests without an answer on each.
    connecting, answering: seconds after which either has failed.
    """

    def __init__(self, place: Place, connecting: float, answering: Optional[float], limit: int = 4) -> None:
        self._place, self._limit = place, limit
        self._connecting, self._answering = connecting, answering
        self._open: List[_Connection] = []
        self._slots: Optional[asyncio.Semaphore] = None
        self._opening: Optional[asyncio.Lock] = None
        self._context = ssl.create_default_context() if place.secure else None

    def _best(self) -> Optional[_Connection]:
        """The one with the fewest requests; None when another should be opened."""
        self._open = [connection for connection in self._open if connection.open]
        best = min(self._open, key=lambda connection: connection.in_flight, default=None)
        if best is not None and best.in_flight and len(self._open) < self._limit:
            return None
        return best

    async def _connection(self) -> _Connection:
        best = self._best()
        if best is not None:
            return best
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            best = self._best()
            if best is None:
                best = await self._connect()
                self._open.append(best)
            return best

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            _, made = await asyncio.wait_for(loop.create_connection(
                _Connection, self._place.host, self._place.port, ssl=self._context), self._connecting)
        except (OSError, asyncio.TimeoutError) as error:
            lost = ConnectionLost(f"no connection to {self._place.host}:{self._place.port}: {error}")
            lost.sent = False
            raise lost from None
        return made

    async def send(self, method: str, path: str, headers: List[Tuple[str, str]], body: bytes = b"") -> Reply:
        """ConnectionLost when no answer came. Its `sent` says whether the request may have arrived."""
        data = request_bytes(self._place, method, path, headers, body)
        if self._slots is None:
            self._slots = asyncio.Semaphore(self._limit * _DEPTH)
        async with self._slots:
            connection = await self._connection()
            return await connection.send(data, self._answering)

    async def aclose(self) -> None:
        """Ends every connection."""
        for connection in self._open:
            connection.fail(ConnectionLost("the client was closed"))
        self._open.clear()
