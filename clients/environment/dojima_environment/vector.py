# SPDX-License-Identifier: MIT
"""Many environments in one call, on as many threads as wanted."""

import concurrent.futures
import os
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple, Union

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import native
from .layout import Action, Layout, Observation, Options

Many = Tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Dict[str, Any]]
NEXT_SEED = np.uint64(0x9E3779B97F4A7C15)  # what is added to an environment's seed for its next episode


class VectorEnvironment(gymnasium.vector.VectorEnv[Observation, Action, NDArray[Any]]):
    """Rows of observations, one for each environment, in one array.

    With `reuse` it is the array that the library writes, and one step changes what the last one gave; otherwise it is
    copied, as a whole.

    An environment whose episode has ended begins another in the next step (AutoresetMode.NEXT_STEP), with a seed
    that follows from its first one. Threads share the environments; what each gives does not depend on their number.
    """

    metadata: Dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, num_envs: int = 1, market: str = "calm", *, threads: Optional[int] = None, levels: int = 10,
                 orders: int = 16, actions: int = 1, prices: str = "offset", warm_up: float = 10.0,
                 max_steps: int = 10_000, genesis: Optional[str] = None, reuse: bool = False) -> None:
        if num_envs < 1:
            raise native.Error("num_envs is at least 1")
        self.layout = Layout(Options(market, levels, orders, actions, prices, warm_up, max_steps, genesis))
        self.num_envs = num_envs
        self.single_observation_space = self.layout.observation_space()
        self.single_action_space = self.layout.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._shape = (num_envs, actions, native.ACTION_WORDS)
        self._reuse = reuse
        self._words = np.zeros((num_envs, self.layout.words), np.int64)
        self._observation = self.layout.views(self._words)
        row = self.layout.words * 8
        self._natives = [self.layout.make(self._words.ctypes.data + i * row) for i in range(num_envs)]
        self._handles = np.array([made.address for made in self._natives], np.uint64)
        self._rewards = np.zeros(num_envs, np.int64)
        self._episodes = np.zeros(num_envs, np.uint8)
        self._seeds = np.zeros(num_envs, np.uint64)
        self._begun = False
        self._parts = self._split(max(1, min(num_envs, threads or len(os.sched_getaffinity(0)))))
        self._pool = concurrent.futures.ThreadPoolExecutor(len(self._parts) - 1) if len(self._parts) > 1 else None

    def _split(self, threads: int) -> "List[Tuple[int, int]]":
        """First environment and their number, for each thread."""
        ends = [self.num_envs * i // threads for i in range(threads + 1)]
        return [(first, last - first) for first, last in zip(ends, ends[1:])]

    def _run(self, part: "Tuple[int, int]", actions: int) -> None:
        first, count = part
        row = self.layout.options.actions * native.ACTION_WORDS * 8
        self.layout.library.market.dojima_environments_step(
            self._handles.ctypes.data + first * 8, count, actions + first * row if actions else None,
            self._seeds.ctypes.data + first * 8, self._rewards.ctypes.data + first * 8,
            self._episodes.ctypes.data + first)

    def _run_all(self, actions: int) -> None:
        waiting = [self._pool.submit(self._run, part, actions) for part in self._parts[1:]] if self._pool else []
        self._run(self._parts[0], actions)
        for future in waiting:
            future.result()

    def _given(self, seed: Any) -> "List[Optional[int]]":
        """The seed of each environment; None: it is drawn."""
        if self.closed:
            raise native.Error("this environment is closed")
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [native.seed_of(int(seed) + i) for i in range(self.num_envs)]
        if not isinstance(seed, (list, tuple, np.ndarray)) or len(seed) != self.num_envs:
            raise native.Error(f"seed is a whole number, or {self.num_envs} of them, not {seed!r}")
        return [None if one is None else native.seed_of(one) for one in seed]

    def reset(self, *, seed: Union[int, Sequence[Optional[int]], None] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Observation, Dict[str, Any]]:
        given = self._given(seed)
        super().reset(seed=given[0] if isinstance(seed, (int, np.integer)) else None)
        drawn = self.np_random.integers(0, 2**63, self.num_envs)
        for i in range(self.num_envs):
            one = given[i]
            self._seeds[i] = drawn[i] if one is None else one
        self._episodes[:] = native.TRUNCATED  # each begins anew
        used = self._seeds.copy()
        self._run_all(0)
        self._seeds += NEXT_SEED
        self._begun = True
        return self._seen(), {"seed": used}

    def step(self, actions: Action) -> Many:
        if not self._begun or self.closed:
            raise native.Error("this environment is closed" if self.closed else "reset comes before the first step")
        rows = np.ascontiguousarray(native.whole_numbers(actions, self._shape), np.int64)
        again = self._episodes != native.GOES_ON
        self._run_all(rows.ctypes.data)
        if again.any():
            self._seeds[again] += NEXT_SEED
        return (self._seen(), self._rewards / self.layout.money, self._episodes == native.TERMINATED,
                self._episodes == native.TRUNCATED, self._refusals())

    def _refusals(self) -> Dict[str, Any]:
        """What the info of a single environment has, as Gymnasium's own vectors give it."""
        refused = self._observation["account"][:, 7].copy()
        if not refused.any():
            return {}
        names = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(refused):
            names[i] = self.layout.reject_name(self._observation["account"].item(i, 4))
        return {"refused": refused, "_refused": refused != 0, "reject": names, "_reject": refused != 0}

    def __reduce__(self) -> NoReturn:
        native.refuse_copies(self)

    def state_hashes(self) -> "List[bytes]":
        """The hash of each exchange's state."""
        return [made.state_hash() for made in self._natives]

    def close_extras(self, **kwargs: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _seen(self) -> Observation:
        """The rows, of which the next step writes others only with `reuse`."""
        return self._observation if self._reuse else self.layout.views(self._words.copy())
