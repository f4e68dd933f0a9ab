# SPDX-License-Identifier: MIT
"""What an environment is made from: its options, its symbols, and where things are in an observation."""

import ctypes
import dataclasses
import importlib.resources
import json
import numbers
from decimal import Decimal
from typing import Any, Dict, List, Optional

import gymnasium
import numpy as np
from numpy.typing import NDArray

from . import native

Observation = Dict[str, NDArray[np.int64]]
Action = NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A symbol; prices and quantities of observations are integers in units of 10^-decimals."""

    name: str
    market: str
    price_decimals: int
    quantity_decimals: int
    tick: int
    step: int

    def price(self, units: int) -> Decimal:
        return Decimal(int(units)).scaleb(-self.price_decimals)

    def quantity(self, units: int) -> Decimal:
        return Decimal(int(units)).scaleb(-self.quantity_decimals)


@dataclasses.dataclass(frozen=True)
class Options:
    market: str = "calm"
    levels: int = 10
    orders: int = 16
    actions: int = 1
    prices: str = "offset"
    warm_up: float = 10.0
    max_steps: int = 10_000
    genesis: Optional[str] = None
    log_bytes: int = 0


def market_text() -> str:
    """The genesis that is used when none is given: vBTC_vUSDC on spot and BTC-USD on perps."""
    return importlib.resources.files(__package__).joinpath("market.json").read_text()


LAST = {"levels": 256, "orders": 256, "actions": 100}
DAY = 86_400.0
BYTES_MAX = 2**48  # of a log; what the system has not is refused when it is asked for


def check(options: Options) -> None:
    """Error that names the option which is out of range."""
    if options.market not in native.PRESETS:
        raise native.Error(f"market {options.market!r} is none of {', '.join(native.PRESETS)}")
    if options.prices not in ("offset", "ticks"):
        raise native.Error("prices is 'offset' or 'ticks'")
    for name, last in LAST.items():
        native.in_range(name, getattr(options, name), last, first=1)
    native.in_range("max_steps", options.max_steps, 2**63 - 1)
    native.in_range("log_bytes", options.log_bytes, BYTES_MAX)
    if not isinstance(options.warm_up, numbers.Real) or not 0 <= options.warm_up <= DAY:
        raise native.Error(f"warm_up is 0 to {DAY:.0f} seconds, not {options.warm_up!r}")


class Layout:
    """The library, the genesis, and the shapes that follow from both."""

    def __init__(self, options: Options) -> None:
        check(options)
        text = options.genesis if options.genesis is not None else market_text()
        self.options = options
        self.library = native.load()
        self.genesis = native.Genesis(self.library, text)
        facts: Dict[str, Any] = json.loads(text)
        rows: List[Dict[str, Any]] = facts["spot"] + facts.get("perps", [])
        self.symbols = [Symbol(row["name"], row["market"], row["pricePrecision"], row["quantityPrecision"],
                               row["tickSize"], row["stepSize"]) for row in rows]
        self.coins = [str(coin["name"]) for coin in facts["coins"]]
        self.money = 10 ** int(facts["coins"][0]["precision"])
        self.words = int(self.library.market.dojima_environment_words(ctypes.byref(self.setup())))
        if self.words == 0:
            raise native.Error("the genesis is one of development with an account and 1 to 16 symbols")

    def setup(self) -> native.Setup:
        options = self.options
        return native.Setup(bytes=ctypes.sizeof(native.Setup), abi=native.ABI, genesis=self.genesis.address,
                            preset=native.PRESETS[options.market], levels=options.levels, orders=options.orders,
                            actions=options.actions, absolute=int(options.prices == "ticks"),
                            warm_up_ms=int(options.warm_up * 1000), max_steps=options.max_steps)

    def make(self, observation: int) -> native.Native:
        return native.Native(self.library, self.genesis, self.setup(), observation, self.options.log_bytes)

    def reject_name(self, reject: int) -> str:
        name: bytes = self.library.core.dojima_reject_name(reject)
        return name.decode()

    def shapes(self) -> "Dict[str, tuple[int, ...]]":
        """Parts of an observation in the order in which they lie."""
        symbols, options = len(self.symbols), self.options
        return {
            "account": (native.ACCOUNT_WORDS,),
            "symbols": (symbols, native.SYMBOL_WORDS),
            "books": (symbols, 2, options.levels, native.LEVEL_WORDS),
            "balances": (len(self.coins), native.BALANCE_WORDS),
            "positions": (symbols, native.POSITION_WORDS),
            "orders": (options.orders, native.ORDER_WORDS),
        }

    def views(self, words: NDArray[np.int64]) -> Observation:
        """The parts of one observation, or of a row of them, as views of the words: nothing is copied."""
        parts: Observation = {}
        at = 0
        for name, shape in self.shapes().items():
            size = int(np.prod(shape))
            parts[name] = words[..., at:at + size].reshape(words.shape[:-1] + shape)
            assert parts[name].base is not None, "a view, no copy"
            at += size
        assert at == self.words
        return parts

    def observation_space(self) -> "gymnasium.Space[Any]":
        whole = np.iinfo(np.int64)
        return gymnasium.spaces.Dict({name: gymnasium.spaces.Box(whole.min, whole.max, shape, np.int64)
                                      for name, shape in self.shapes().items()})

    def action_space(self) -> "gymnasium.Space[Any]":
        """Rows of kind, symbol, side, price, quantity, time in force, slot."""
        absolute = self.options.prices == "ticks"
        low = np.array([0, 0, 0, 1 if absolute else -1000, 0, 0, 0], np.int64)
        high = np.array([4, len(self.symbols) - 1, 1, 10**12 if absolute else 1000, 10**6, 2,
                         self.options.orders - 1], np.int64)
        rows = (self.options.actions, 1)
        return gymnasium.spaces.Box(np.tile(low, rows), np.tile(high, rows), dtype=np.int64)
