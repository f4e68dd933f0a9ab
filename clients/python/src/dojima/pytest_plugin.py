# SPDX-License-Identifier: MIT
"""Fixtures for pytest: `exchange`, a fresh market for each test, and `account`, a funded user of its own.

One process serves all tests of a session (of a worker of pytest-xdist). A snapshot is taken once, and each test begins
with a revert to it.
"""
from __future__ import annotations

from typing import Any, Iterator, Optional

import pytest

from dojima._sync.client import Client
from dojima.process import Exchange, start

_OPTIONS = (
    ("dojima_market", "market of the exchange: none (default), calm, trend, volatile, crash, thin, empty, silent"),
    ("dojima_seed", "seed of all that is random"),
    ("dojima_clock", "how fast time runs: 1 like the wall clock, 0 stands"),
    ("dojima_timestamp", "engine time that the exchange begins at, Unix seconds"),
    ("dojima_history", "candles of the time before the beginning, such as 24h"),
    ("dojima_options", "more options of `dojima dev`, separated by blanks"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options in pytest.ini, pyproject.toml or tox.ini."""
    for name, text in _OPTIONS:
        parser.addini(name, text, default="")
    parser.addini("dojima_limits", "whether requests are limited", type="bool", default=False)


class _Shared:
    """The process of a session and the snapshot that its tests begin with."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._exchange: Optional[Exchange] = None
        self._snapshot = ""

    def _start(self) -> Exchange:
        read = self._config.getini
        seed, timestamp = read("dojima_seed"), read("dojima_timestamp")
        made = start(market=read("dojima_market") or "none", seed=int(seed) if seed else None,
                     clock=read("dojima_clock") or None, timestamp=int(timestamp) if timestamp else None,
                     history=read("dojima_history") or None, limits=bool(read("dojima_limits")),
                     options=str(read("dojima_options")).split())
        self._snapshot = made.control.snapshot()
        return made

    def fresh(self) -> Exchange:
        """The exchange as it was at its beginning; a new process when a test ended the one before."""
        if self._exchange is not None and not self._exchange.running:
            self.stop()
        if self._exchange is None:
            self._exchange = self._start()
        else:
            self._exchange.control.clear()
            self._exchange.control.revert(self._snapshot)
        return self._exchange

    def stop(self) -> None:
        if self._exchange is not None:
            self._exchange.stop()
            self._exchange = None


@pytest.fixture(scope="session")
def _dojima_process(request: pytest.FixtureRequest) -> Iterator[_Shared]:
    shared = _Shared(request.config)
    yield shared
    shared.stop()


@pytest.fixture
def exchange(_dojima_process: Any) -> Iterator[Exchange]:
    """A running exchange whose market is fresh: no orders, no trades, no accounts but those of its beginning. Clients
    that a test gets from it are closed behind the test."""
    found: Exchange = _dojima_process.fresh()
    yield found
    found.close_clients()


@pytest.fixture
def account(exchange: Exchange) -> Iterator[Client]:
    """A client with a funded account of its own: `account.address`, `account.account_id`."""
    with exchange.connect(exchange.new_account()) as made:
        yield made
