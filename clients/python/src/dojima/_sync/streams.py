# SPDX-License-Identifier: MIT
"""Streams for programs without an event loop: a thread of its own runs one."""
from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from types import TracebackType
from typing import Any, Callable, Coroutine, Iterator, List, Optional, Set, Type, TypeVar

from dojima._async.streams import AsyncBook, AsyncStream, AsyncSubscription
from dojima.http import Place
from dojima.push import Push, StreamClosed
from dojima.record import Level

T = TypeVar("T")
_END_WITHIN = 1.0


class Subscription:
    """An iterator of pushes."""

    def __init__(self, stream: Stream, inner: AsyncSubscription) -> None:
        self._stream, self._inner = stream, inner

    def __iter__(self) -> Iterator[Push]:
        return self

    def __next__(self) -> Push:
        return self._stream.run(self._inner.__anext__())

    def next(self, timeout: Optional[float] = None) -> Push:
        """The next push; TimeoutError when none comes in time."""
        return self._stream.run(self._inner.next(timeout))

    def close(self) -> None:
        """Ends the subscription."""
        self._stream.drop(self._inner)


class LiveBook:
    """A book that is kept up to date; it asks for a new snapshot when an update is missing or the connection is cut."""

    def __init__(self, stream: Stream, inner: AsyncBook) -> None:
        self._stream, self._inner = stream, inner

    @property
    def update_id(self) -> int:
        """Number of the last change."""
        return self._inner.update_id

    @property
    def healed(self) -> int:
        """How often a snapshot was asked for behind a gap."""
        return self._inner.healed

    @property
    def current(self) -> bool:
        """False while a snapshot is waited for: the levels are old."""
        return self._inner.current

    @property
    def bids(self) -> List[Level]:
        """Buying levels, highest first."""
        return self._stream.run(_of(lambda: self._inner.bids))

    @property
    def asks(self) -> List[Level]:
        """Selling levels, lowest first."""
        return self._stream.run(_of(lambda: self._inner.asks))

    def changed(self, timeout: Optional[float] = None) -> None:
        """Waits for the next change; TimeoutError when none comes in time."""
        self._stream.run(self._inner.changed(timeout))

    def reaches(self, update_id: int, timeout: Optional[float] = None) -> None:
        """Waits until the book has this change."""
        self._stream.run(self._inner.reaches(update_id, timeout))

    def close(self) -> None:
        """Ends the subscription."""
        self._stream.drop(self._inner)


async def _of(read: Any) -> Any:
    """Reads in the thread of the loop, between two messages."""
    return read()


async def _end_of(inner: AsyncStream) -> None:
    """Ends a stream. Everybody who waits for it hears of that before the loop stops."""
    await inner.aclose()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=_END_WITHIN)
        for task in left:       # it waits for a subscription that had ended before
            task.cancel()
        await asyncio.wait(others, timeout=_END_WITHIN)


class Stream:
    """One WebSocket of an engine. It connects again when it is cut, and subscribes again to everything."""

    def __init__(self, place: Place, engine: str, user: Optional[str] = None,
                 alive: Callable[[], None] = lambda: None, among: Optional[Set[Stream]] = None) -> None:
        self._inner = AsyncStream(place, engine, user, alive)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._lock = threading.Lock()       # nothing is given to a loop that is about to stop
        self._closed = False
        self._among: Set[Stream] = set() if among is None else among    # the streams of its client that are open

    @property
    def reconnects(self) -> int:
        """How often the connection was made again."""
        return self._inner.reconnects

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in the thread of the stream."""
        with self._lock:
            if self._loop is None:
                work.close()
                raise self._unusable()
            pending = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return pending.result()
        except asyncio.TimeoutError:
            raise TimeoutError("nothing came in time") from None
        except concurrent.futures.CancelledError:
            raise self._unusable() from None
        except BaseException:
            pending.cancel()
            raise

    def _unusable(self) -> Exception:
        if self._closed:
            return StreamClosed(f"the stream of {self._inner.engine} is closed")
        return RuntimeError("the stream is not open; use it as a context: with client.stream('spot') as stream")

    def drop(self, inner: AsyncSubscription) -> None:
        """Ends a subscription; that of a closed stream has ended."""
        try:
            self.run(inner.aclose())
        except StreamClosed:
            pass

    def open(self) -> Stream:
        """Connects; ConnectionLost when that is not possible."""
        loop = self._loop = asyncio.new_event_loop()
        self._closed = False
        self._thread = threading.Thread(target=loop.run_forever, name="dojima-stream", daemon=True)
        self._thread.start()
        self._among.add(self)
        try:
            self.run(self._inner.open())
        except BaseException:
            self.close()
            raise
        return self

    def subscribe(self, channel: str, *, capacity: int = 10_000, **parameters: Any) -> Subscription:
        """Subscribes, and waits for the acknowledgement. Parameters are those of docs/api.md; `user` is the client's
        own address where it is not given. SubscriptionRefused says what the exchange refuses."""
        return Subscription(self, self.run(self._inner.subscribe(channel, capacity=capacity, **parameters)))

    def book(self, symbol: str, level: int = 100) -> LiveBook:
        """A book of the best 10, 20, 100, 500 or 1000 levels a side; it has its first snapshot when this returns."""
        return LiveBook(self, self.run(self._inner.book(symbol, level)))

    def close(self) -> None:
        """Ends the connection, and with StreamClosed every wait for it, also in other threads."""
        self._among.discard(self)
        with self._lock:
            loop, self._loop = self._loop, None
            self._closed = self._closed or loop is not None
        if loop is not None and self._thread is not None:
            asyncio.run_coroutine_threadsafe(_end_of(self._inner), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    def __enter__(self) -> Stream:
        return self.open()

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()
