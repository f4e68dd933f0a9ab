# SPDX-License-Identifier: MIT
"""Nonces: the time in milliseconds, each once, moved to the exchange's time where the two clocks differ."""
from __future__ import annotations

import re
import threading
import time
from typing import Any, ClassVar, Dict


class NonceClock:
    """Nonces of one key. All clients of a key in a process share one (of); several processes need several keys."""

    _all: ClassVar[Dict[str, NonceClock]] = {}

    @classmethod
    def of(cls, address: str) -> NonceClock:
        """The nonces of the key with this address."""
        return cls._all.setdefault(address, cls())

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._ahead = 0

    def next(self) -> int:
        """A nonce above every one before."""
        with self._lock:
            self._last = max(self._last + 1, int(time.time() * 1000) + self._ahead)
            return self._last

    def learn(self, details: Dict[str, Any], nonce: int, attempt: int) -> None:
        """Takes what the refusal of a nonce says: the exchange's time, or that it or larger ones were used. Behind each
        attempt in vain the next nonce is farther ahead of those that another process of this key has used."""
        with self._lock:
            reason, server_time = details.get("reason"), details.get("serverTime")
            if reason in ("too old", "too far ahead") and isinstance(server_time, int):
                self._ahead = server_time - int(time.time() * 1000)
                self._last = min(self._last, server_time) if reason == "too far ahead" else self._last
            elif reason == "used":
                self._last = max(self._last, nonce + 16 ** attempt)
            elif reason == "too small":     # "more than N"
                self._last = max([self._last, *map(int, re.findall(r"[0-9]+", str(details.get("need", ""))))])
