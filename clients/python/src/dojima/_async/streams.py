# SPDX-License-Identifier: MIT
# Only here: the synchronous side has a module of its own.
"""Streams: subscriptions that survive cut connections, and books that heal themselves."""
from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Dict, List, Optional, Set, Tuple, Type, Union

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from dojima.book import Book
from dojima.errors import ConnectionLost, DojimaError, ProtocolError
from dojima.http import Place
from dojima.push import (
    Push, StreamClosed, StreamOverflow, SubscriptionRefused, decode_push, part_for, record_of, route_of, routes_of,
)
from dojima.record import Level

Route = Tuple[str, str, str]
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0
_SNAPSHOT_WITHIN = 2.0


class AsyncSubscription:
    """An asynchronous iterator of pushes."""

    def __init__(self, stream: AsyncStream, channel: str, parameters: Dict[str, Any], capacity: int) -> None:
        self._stream, self.channel = stream, channel
        self.parameters = {"channel": channel, **parameters}
        self.route: Route = route_of(channel, parameters)
        self._capacity = capacity
        self._queue: "asyncio.Queue[Union[Push, DojimaError]]" = asyncio.Queue()
        self._ended: Optional[DojimaError] = None
        self.acknowledged: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
        self.request = 0
        self.live = False

    def give(self, push: Union[Push, DojimaError]) -> None:
        """Takes a push of the stream."""
        if 0 < self._capacity <= self._queue.qsize():
            while not self._queue.empty():
                self._queue.get_nowait()
            push = StreamOverflow(f"{self.channel}: more than {self._capacity} pushes wait")
        self._queue.put_nowait(push)

    def end(self, error: DojimaError) -> None:
        """The stream has ended: everybody who waits gets the error, behind the pushes that came, and so do later
        calls."""
        self._ended = error
        if not self.acknowledged.done():
            self.acknowledged.set_exception(error)
        self._queue.put_nowait(error)

    def said(self, error: Optional[str]) -> None:
        """Takes the answer to the subscription."""
        first = not self.acknowledged.done()
        if error is not None:
            refusal = SubscriptionRefused(f"{self.channel}: {error}")
            self.acknowledged.set_exception(refusal) if first else self.give(refusal)
            return
        self.live = True
        if first:
            self.acknowledged.set_result(None)

    def cut(self) -> None:
        """The connection ended."""

    def resumed(self) -> None:
        """The subscription was made again behind a cut."""
        self.give(Push(self.channel, "resumed", None))

    def __aiter__(self) -> AsyncIterator[Push]:
        return self

    async def __anext__(self) -> Push:
        found = await self._queue.get()
        if found is self._ended:
            self._queue.put_nowait(found)       # for the next one who asks
        if isinstance(found, DojimaError):
            raise found
        return found

    async def next(self, timeout: Optional[float] = None) -> Push:
        """The next push; TimeoutError when none comes in time."""
        return await asyncio.wait_for(self.__anext__(), timeout)

    async def aclose(self) -> None:
        """Ends the subscription."""
        await self._stream.drop(self)


class AsyncBook(AsyncSubscription):
    """A book that is kept up to date; it asks for a new snapshot when an update is missing or the connection is cut."""

    def __init__(self, stream: AsyncStream, symbol: str, level: int) -> None:
        super().__init__(stream, "l4Book", {"symbol": symbol, "level": level}, 1)
        self._book = Book(symbol, level)
        self._changed = asyncio.Event()
        self._waits = True          # for a snapshot
        self._timer: Optional[asyncio.TimerHandle] = None
        self._broken: Optional[DojimaError] = None
        self.healed = 0             # how often a snapshot was asked for behind a gap

    @property
    def update_id(self) -> int:
        """Number of the last change."""
        return self._book.update_id

    @property
    def bids(self) -> List[Level]:
        """Buying levels, highest first."""
        return self._book.bids

    @property
    def asks(self) -> List[Level]:
        """Selling levels, lowest first."""
        return self._book.asks

    @property
    def current(self) -> bool:
        """False while a snapshot is waited for: the levels are old."""
        return not self._waits

    async def changed(self, timeout: Optional[float] = None) -> None:
        """Waits for the next change; TimeoutError when none comes in time."""
        self._changed.clear()
        self._check()
        await asyncio.wait_for(self._changed.wait(), timeout)
        self._check()

    def _check(self) -> None:
        if self._broken is not None:
            raise self._broken

    async def reaches(self, update_id: int, timeout: Optional[float] = None) -> None:
        """Waits until the book has this change."""
        async def until() -> None:
            while self._waits or self.update_id < update_id:
                self._check()
                self._changed.clear()
                await self._changed.wait()
        await asyncio.wait_for(until(), timeout)

    def give(self, push: Union[Push, DojimaError]) -> None:
        if isinstance(push, DojimaError):
            self._broken = push
        elif push.type == "snapshot":
            self._book.snapshot(push.data)
            self._waits = False
            self._stop()
        elif self._waits or not self._book.update(push.data):
            if not self._waits:
                self._heal()
            return
        self._changed.set()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _heal(self) -> None:
        self.healed += 1
        self._waits = True
        self._stream.renew(self)

    def said(self, error: Optional[str]) -> None:
        super().said(error)
        if error is None and self._waits:       # the snapshot itself may be missing
            self._stop()
            self._timer = asyncio.get_running_loop().call_later(_SNAPSHOT_WITHIN, self._heal)

    def cut(self) -> None:
        self._stop()
        self._waits = True

    def resumed(self) -> None:
        pass

    def end(self, error: DojimaError) -> None:
        self.cut()
        super().end(error)
        self.give(error)

    async def aclose(self) -> None:
        self._stop()
        await super().aclose()


class AsyncStream:
    """One WebSocket of an engine. It connects again when it is cut, and subscribes again to everything."""

    def __init__(self, place: Place, engine: str, user: Optional[str] = None,
                 alive: Callable[[], None] = lambda: None, among: Optional[Set[AsyncStream]] = None) -> None:
        if engine not in ("spot", "perps"):
            raise ValueError(f"{engine!r} is neither 'spot' nor 'perps'")
        scheme = "wss" if place.secure else "ws"
        host = f"[{place.host}]" if ":" in place.host else place.host
        self._url = f"{scheme}://{host}:{place.port}{place.prefix}/ws/{engine}"
        self.engine, self._user, self._alive = engine, user, alive
        self._task: Optional["asyncio.Task[None]"] = None
        self._opened: Optional["asyncio.Future[None]"] = None
        self._by_route: Dict[Route, AsyncSubscription] = {}
        self._requests: Dict[int, AsyncSubscription] = {}
        self._unfed: List[AsyncSubscription] = []      # asked for, and without a snapshot so far
        self._number = 0
        self._outbox: Optional["asyncio.Queue[str]"] = None
        self._ended: Optional[DojimaError] = None
        self._among: Set[AsyncStream] = set() if among is None else among   # the streams of its client that are open
        self.reconnects = 0

    # ---- use

    async def open(self) -> AsyncStream:
        """Connects; ConnectionLost when that is not possible."""
        self._opened, self._ended = asyncio.get_running_loop().create_future(), None
        self._task = asyncio.ensure_future(self._run())
        self._among.add(self)
        await self._opened
        return self

    async def subscribe(self, channel: str, *, capacity: int = 10_000, **parameters: Any) -> AsyncSubscription:
        """Subscribes, and waits for the acknowledgement. Parameters are those of docs/api.md; `user` is the client's
        own address where it is not given. SubscriptionRefused says what the exchange refuses."""
        if record_of(self.engine, channel) is None:
            raise ValueError(f"{self.engine} has no channel {channel!r}")
        if "symbols" in parameters or "coins" in parameters:
            raise ValueError("one symbol for each subscription, or the channel of all")
        if channel.startswith("account"):
            parameters.setdefault("user", self._user)
        made = AsyncSubscription(self, channel, _plain(parameters), capacity)
        await self._add(made)
        return made

    async def book(self, symbol: str, level: int = 100) -> AsyncBook:
        """A book of the best 10, 20, 100, 500 or 1000 levels a side; it has its first snapshot when this returns."""
        made = AsyncBook(self, symbol, level)
        await self._add(made)
        await made.reaches(0, 30.0)
        return made

    async def _add(self, made: AsyncSubscription) -> None:
        if self._ended is not None:
            raise self._ended
        if made.route in self._by_route:
            raise ValueError(f"this stream has {made.channel} already; a second one needs a stream of its own")
        self._by_route[made.route] = made
        self._ask(made)
        try:
            await made.acknowledged
        except BaseException:
            self._by_route.pop(made.route, None)
            raise

    async def drop(self, subscription: AsyncSubscription) -> None:
        """Ends a subscription."""
        if self._by_route.get(subscription.route) is subscription:
            del self._by_route[subscription.route]
            self._say("unsubscribe", subscription.parameters)

    def renew(self, subscription: AsyncSubscription) -> None:
        """Ends a subscription on the wire and makes it again, for a fresh snapshot."""
        if self._by_route.get(subscription.route) is subscription:
            self._say("unsubscribe", subscription.parameters)
            self._ask(subscription)

    async def aclose(self) -> None:
        """Ends the connection, and with StreamClosed every wait for it."""
        self._among.discard(self)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._end(StreamClosed(f"the stream of {self.engine} is closed"))

    def _end(self, error: DojimaError) -> None:
        """Nothing comes any more: every subscription says why, and every later use of the stream."""
        if self._ended is not None:
            return
        self._ended, self._outbox = error, None
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(error)
        for subscription in list(self._by_route.values()):
            subscription.end(error)

    async def __aenter__(self) -> AsyncStream:
        return await self.open()

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.aclose()

    # ---- the wire

    def _say(self, op: str, parameters: Dict[str, Any]) -> int:
        self._number += 1
        if self._outbox is not None:
            self._outbox.put_nowait(json.dumps({"op": op, "id": self._number, "params": parameters}))
        return self._number

    def _ask(self, subscription: AsyncSubscription) -> None:
        if self._outbox is not None:
            self._requests[self._say("subscribe", subscription.parameters)] = subscription
            self._unfed.append(subscription)

    async def _run(self) -> None:
        """Nobody is left waiting for a stream that has ended, whatever ended it."""
        try:
            await self._keep()
        except DojimaError as error:
            self._end(error)
        except Exception as error:
            self._end(StreamClosed(f"the stream of {self.engine} ended: {error!r}"))

    async def _keep(self) -> None:
        """Connects again and again. Raises ConnectionLost when the first attempt fails, and what `alive` raises when
        the process behind the address is gone for good."""
        wait = _FIRST_PAUSE
        while True:
            try:
                async with connect(self._url, max_size=None, ping_interval=15, ping_timeout=10, close_timeout=1,
                                   compression=None, proxy=None) as socket:
                    wait = _FIRST_PAUSE
                    await self._use(socket)
            except (OSError, WebSocketException, asyncio.TimeoutError, ValueError) as error:
                if self._opened is not None and not self._opened.done():
                    raise ConnectionLost(f"no connection to {self._url}: {error}") from None
            self._outbox = None
            self._requests.clear()
            for subscription in self._by_route.values():
                subscription.cut()
            self._alive()
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_PAUSE)

    async def _use(self, socket: ClientConnection) -> None:
        """One connection from its beginning to its end."""
        outbox: "asyncio.Queue[str]" = asyncio.Queue()
        self._outbox, self._unfed = outbox, []
        for subscription in self._by_route.values():
            self._ask(subscription)
        if self._opened is not None and not self._opened.done():
            self._opened.set_result(None)
        else:
            self.reconnects += 1
        writer = asyncio.ensure_future(self._write(socket, outbox))
        try:
            async for text in socket:
                self._receive(json.loads(text, parse_float=Decimal))
        finally:
            writer.cancel()

    @staticmethod
    async def _write(socket: ClientConnection, outbox: "asyncio.Queue[str]") -> None:
        while True:
            await socket.send(await outbox.get())

    def _receive(self, message: Any) -> None:
        if not isinstance(message, dict):
            raise ValueError("not a message of this interface")
        channel = message.get("channel")
        if channel is not None:
            self._deliver(str(channel), str(message.get("type")), message.get("data"))
            return
        subscription = self._requests.pop(message.get("id", 0), None)
        if subscription is None or message.get("op") != "subscribe":
            return
        again = subscription.live
        subscription.said(None if message.get("success") else str(message.get("error")))
        if again and message.get("success"):
            subscription.resumed()

    def _deliver(self, channel: str, kind: str, data: Any) -> None:
        try:
            routes = routes_of(channel, data)
        except (AttributeError, TypeError):
            raise ValueError(f"not a push of {channel}: {str(data)[:200]}") from None
        if not routes:      # an empty list names no symbol: the answer to the oldest subscription without one
            routes = [one.route for one in self._unfed if one.channel == channel][:1]
        for route in routes:
            self._unfed = [one for one in self._unfed if one.route != route]
            subscription = self._by_route.get(route)
            if subscription is not None:
                subscription.give(self._push(channel, kind, route, data))

    def _push(self, channel: str, kind: str, route: Route, data: Any) -> Union[Push, DojimaError]:
        try:
            return Push(channel, kind, decode_push(self.engine, channel, part_for(route, data)))
        except ProtocolError as error:
            return error


def _plain(parameters: Dict[str, Any]) -> Dict[str, Any]:
    from dojima.record import encoded
    found: Dict[str, Any] = encoded(parameters)
    return found
