# SPDX-License-Identifier: MIT
"""One account in the market of `dojima dev` as a Gymnasium environment."""

import ctypes
from typing import Any, Dict, NoReturn, Optional, Tuple

import gymnasium
import numpy as np

from . import native
from .layout import Action, Layout, Observation, Options
from .text import render


BLOCK = 64  # observations in one allocation


class Environment(gymnasium.Env[Observation, Action]):
    """A step is the account's actions and then the next message of the market (docs/environment.md).

    The library writes each observation where its arrays lie: nothing is copied in Python. With `reuse` it writes them
    to one place, and the arrays of one step change in the next. Equal seeds and actions give equal observations, byte
    for byte.
    """

    metadata: Dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 10}

    def __init__(self, market: str = "calm", *, levels: int = 10, orders: int = 16, actions: int = 1,
                 prices: str = "offset", warm_up: float = 10.0, max_steps: int = 10_000,
                 genesis: Optional[str] = None, log_bytes: int = 0, reuse: bool = False,
                 render_mode: Optional[str] = None) -> None:
        if render_mode not in (None, "ansi"):
            raise native.Error("render_mode is 'ansi' or None")
        self.layout = Layout(Options(market, levels, orders, actions, prices, warm_up, max_steps, genesis, log_bytes))
        self.render_mode = render_mode
        self.observation_space: gymnasium.Space[Observation] = self.layout.observation_space()
        self.action_space: gymnasium.Space[Action] = self.layout.action_space()
        self._block_rows = 1 if reuse else BLOCK
        self._begin_block()
        self._action = np.zeros((actions, native.ACTION_WORDS), np.int64)
        self._reward = ctypes.c_int64()
        self._native = self.layout.make(self._place)
        self._step = self.layout.library.market.dojima_environment_step
        self._address, self._money, self._row = self._native.address, self.layout.money, self.layout.words * 8
        self._places = (self._action.ctypes.data, ctypes.addressof(self._reward))
        self._begun = False

    def _begin_block(self) -> None:
        """Memory for the next observations; what was given away keeps the block before alive."""
        words = np.empty((self._block_rows, self.layout.words), np.int64)
        parts = self.layout.views(words)
        self._seen: "list[Observation]" = [
            {"account": account, "symbols": symbols, "books": books, "balances": balances, "positions": positions,
             "orders": orders} for account, symbols, books, balances, positions, orders in zip(*parts.values())]
        self._next, self._place = 0, words.ctypes.data

    def _advance(self) -> int:
        """Where the next observation goes."""
        if self._block_rows != 1:
            self._next += 1
            if self._next == BLOCK:
                self._begin_block()
        return self._place + self._next * self._row

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observation, Dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            native.seed_of(seed)
        drawn = seed if seed is not None else int(self.np_random.integers(0, 2**63))
        self.layout.library.market.dojima_environment_reset(self._address, drawn, self._advance())
        self._begun = True
        return self._seen[self._next], {"seed": drawn}

    def step(self, action: Action) -> Tuple[Observation, float, bool, bool, Dict[str, Any]]:
        if not self._begun:
            raise native.Error("reset comes before the first step")
        self._action[...] = native.whole_numbers(action, self._action.shape)
        episode = self._step(self._address, self._places[0], self._advance(), self._places[1])
        seen = self._seen[self._next]
        info = self._refusals(seen) if seen["account"].item(7) else {}
        return seen, self._reward.value / self._money, episode == 1, episode == 2, info

    def render(self) -> Optional[str]:  # type: ignore[override, unused-ignore]
        if not self._begun:
            raise native.Error("reset comes before the first look at an episode")
        return render(self.layout, self._seen[self._next]) if self.render_mode == "ansi" else None

    def __reduce__(self) -> NoReturn:
        native.refuse_copies(self)

    def state_hash(self) -> bytes:
        """The hash of the exchange's state, as `dojima verify` prints it."""
        return self._native.state_hash()

    def log(self) -> bytes:
        """The commands of the episode so far; needs log_bytes."""
        return self._native.log()

    def _refusals(self, seen: Observation) -> Dict[str, Any]:
        return {"refused": seen["account"].item(7), "reject": self.layout.reject_name(seen["account"].item(4))}
