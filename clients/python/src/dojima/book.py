# SPDX-License-Identifier: MIT
"""An order book that is kept by a snapshot and updates (channel l4Book). No gap is ever passed over."""
from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal
from typing import Dict, List

from dojima.events import WsBook
from dojima.record import Level


class _Side:
    """Levels by price, best first; `sign` is -1 for bids, whose best price is the highest."""

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self._keys: List[Decimal] = []
        self._sizes: Dict[Decimal, Decimal] = {}

    def fill(self, levels: List[Level]) -> None:
        self._sizes = {level.price: level.size for level in levels if level.size}
        self._keys = sorted(self._sign * price for price in self._sizes)

    def change(self, level: Level) -> None:
        key = self._sign * level.price
        at = bisect_left(self._keys, key)
        there = at < len(self._keys) and self._keys[at] == key
        if level.size:
            if not there:
                self._keys.insert(at, key)
            self._sizes[level.price] = level.size
        elif there:
            del self._keys[at]
            del self._sizes[level.price]

    def cut(self, depth: int) -> None:
        while len(self._keys) > depth:
            del self._sizes[self._sign * self._keys.pop()]

    def levels(self) -> List[Level]:
        prices = (self._sign * key for key in self._keys)
        return [Level(price, self._sizes[price]) for price in prices]


class Book:
    """The best `depth` levels a side of a symbol."""

    def __init__(self, symbol: str, depth: int) -> None:
        self.symbol, self.depth = symbol, depth
        self.update_id = 0      # 0 before the first snapshot
        self.time = 0           # of the last frame, Unix ms
        self._bids, self._asks = _Side(-1), _Side(1)

    @property
    def bids(self) -> List[Level]:
        """Buying levels, highest first."""
        return self._bids.levels()

    @property
    def asks(self) -> List[Level]:
        """Selling levels, lowest first."""
        return self._asks.levels()

    def snapshot(self, frame: WsBook) -> None:
        """Begins anew."""
        self._bids.fill(frame.b)
        self._asks.fill(frame.a)
        self.update_id, self.time = frame.u, frame.E

    def update(self, frame: WsBook) -> bool:
        """Applies an update; one that the book has already changes nothing. False: it does not follow, there is a gap,
        and the book stays as it is and needs a snapshot."""
        if frame.u <= self.update_id:
            return True
        if frame.U != self.update_id + 1:
            return False
        for side, levels in ((self._bids, frame.b), (self._asks, frame.a)):
            for level in levels:
                side.change(level)
            side.cut(self.depth)
        self.update_id, self.time = frame.u, frame.E
        return True
