# SPDX-License-Identifier: MIT
"""The C interface of libdojima_market (include/dojima/market.h), called through ctypes.

A call releases the interpreter's lock. Memory is a private mapping, which is touched only where it is used.
"""

import contextlib
import ctypes
import mmap
import operator
import os
import pathlib
from typing import Any, NoReturn, Optional

import numpy as np
from numpy.typing import NDArray

ABI = 1
ALIGN = 64
ACCOUNT_WORDS, SYMBOL_WORDS, LEVEL_WORDS, BALANCE_WORDS, POSITION_WORDS, ORDER_WORDS, ACTION_WORDS = 8, 8, 2, 2, 4, 8, 7
PRESETS = {"calm": 1, "trend": 2, "volatile": 3, "crash": 4, "thin": 5}
GOES_ON, TERMINATED, TRUNCATED = 0, 1, 2


class Error(RuntimeError):
    """The library is missing, has another version, or does not accept what it was given."""


def whole_numbers(actions: Any, shape: "tuple[int, ...]") -> NDArray[Any]:
    """Actions as an array of this shape. Error where its type is not of integers: a cast would cut 1.5 to 1 and say
    nothing. One row for several would be taken several times."""
    rows = np.asarray(actions)
    if rows.dtype.kind not in "iu":
        raise Error(f"actions are whole numbers (int64), not {rows.dtype}: {rows.tolist()}")
    if rows.shape != shape:
        raise Error(f"actions have the shape {rows.shape}, not {shape}")
    if rows.dtype == np.uint64 and rows.max() > np.iinfo(np.int64).max:
        raise Error(f"actions are whole numbers (int64), not {rows.max()}")
    return rows


def in_range(name: str, value: Any, last: int, first: int = 0) -> int:
    """A whole number of this range; a wider one would lose its upper bits on its way into C."""
    try:
        found = operator.index(value)
    except TypeError:
        found = first - 1
    if not first <= found <= last:
        raise Error(f"{name} is a whole number from {first} to {last}, not {value!r}")
    return found


def seed_of(seed: Any) -> int:
    return in_range("a seed", seed, 2**64 - 1)


def refuse_copies(environment: object) -> NoReturn:
    """Its state is memory of this process with addresses in it."""
    raise TypeError(f"{type(environment).__name__} cannot be copied or pickled: make another one with the same "
                    "options; it gives the same for the same seed and actions")


class Setup(ctypes.Structure):
    """struct dojima_environment_setup"""

    _fields_ = [
        ("bytes", ctypes.c_uint32), ("abi", ctypes.c_uint32), ("genesis", ctypes.c_void_p),
        ("preset", ctypes.c_uint32), ("levels", ctypes.c_uint32), ("orders", ctypes.c_uint32),
        ("actions", ctypes.c_uint32), ("absolute", ctypes.c_uint32), ("warm_up_ms", ctypes.c_uint32),
        ("max_steps", ctypes.c_uint64), ("memory", ctypes.c_void_p), ("memory_bytes", ctypes.c_size_t),
        ("observation", ctypes.c_void_p), ("log", ctypes.c_void_p), ("log_bytes", ctypes.c_size_t),
        ("reserved", ctypes.c_uint64 * 8),
    ]


class Fault(ctypes.Structure):
    """struct dojima_error"""

    _fields_ = [("text", ctypes.c_char * 256), ("at", ctypes.c_size_t)]


class Library:
    """Both libraries."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.core = ctypes.CDLL(str(folder / "libdojima.so.1"))
        self.market = ctypes.CDLL(str(folder / "libdojima_market.so.1"))
        _declare(self.core, self.market)
        found = self.market.dojima_market_abi()
        if found != ABI:
            raise Error(f"libdojima_market in {folder} has interface {found}, this package wants {ABI}")


class Memory:
    """Zeroed memory of the process, aligned to a page; freed with the object.

    `large`: in huge pages where the system has them. A step touches some fifty pages of four kilobytes.
    """

    def __init__(self, size: int, large: bool = False) -> None:
        try:
            self._map = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, OverflowError) as error:
            raise Error(f"no memory of {size} bytes: {error}") from error
        if large and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):
                self._map.madvise(mmap.MADV_HUGEPAGE)
        self._first = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._first)
        self.size = size


def _folders() -> "list[pathlib.Path]":
    """Where the libraries may be: a folder that is named, the package, the build of a source tree."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("DOJIMA_LIBRARY")
    return [pathlib.Path(named)] if named else [here / "lib", here.parents[2] / "build" / "release"]


def load() -> Library:
    """The libraries, from the first folder that has them."""
    for folder in _folders():
        if (folder / "libdojima_market.so.1").exists():
            try:
                return Library(folder)
            except (OSError, AttributeError) as error:
                raise Error(f"libdojima_market in {folder} cannot be used: {error}") from error
    raise Error("libdojima_market.so.1 is not in " + " or ".join(str(folder) for folder in _folders()))


def _declare(core: ctypes.CDLL, market: ctypes.CDLL) -> None:
    pointer, size, u32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
    setup = ctypes.POINTER(Setup)
    rows: "list[tuple[ctypes.CDLL, str, Any, list[Any]]]" = [
        (market, "dojima_market_abi", u32, []),
        (market, "dojima_environment_words", u32, [setup]),
        (market, "dojima_environment_bytes", size, [setup]),
        (market, "dojima_environment_create", ctypes.c_int, [setup, ctypes.POINTER(pointer)]),
        (market, "dojima_environment_reset", None, [pointer, ctypes.c_uint64, pointer]),
        (market, "dojima_environment_step", ctypes.c_int, [pointer, pointer, pointer, pointer]),
        (market, "dojima_environments_step", None, [pointer, u32, pointer, pointer, pointer, pointer]),
        (market, "dojima_environment_engine", pointer, [pointer]),
        (market, "dojima_environment_logged", size, [pointer]),
        (core, "dojima_genesis_bytes", size, []),
        (core, "dojima_genesis_read", ctypes.c_int,
         [pointer, size, ctypes.c_char_p, size, ctypes.POINTER(pointer), ctypes.POINTER(Fault)]),
        (core, "dojima_status_name", ctypes.c_char_p, [u32]),
        (core, "dojima_reject_name", ctypes.c_char_p, [ctypes.c_uint16]),
        (core, "dojima_engine_hash", None, [pointer, ctypes.c_char_p]),
    ]
    for owner, name, result, arguments in rows:
        function = getattr(owner, name)
        function.restype, function.argtypes = result, arguments


class Genesis:
    """A genesis that environments share."""

    def __init__(self, library: Library, text: str) -> None:
        core, fault, found = library.core, Fault(), ctypes.c_void_p()
        self._memory = Memory(core.dojima_genesis_bytes())
        if not isinstance(text, str):
            raise Error(f"genesis is a text of JSON, not {text!r}")
        json = text.encode()
        status = core.dojima_genesis_read(self._memory.address, self._memory.size, json, len(json),
                                          ctypes.byref(found), ctypes.byref(fault))
        if status != 0:
            raise Error("the genesis is not valid: " + fault.text.decode())
        self.address = found.value


class Native:
    """One environment in memory of its own, which writes its observation to `observation` (an address)."""

    def __init__(self, library: Library, genesis: Genesis, setup: Setup, observation: int, log_bytes: int) -> None:
        self._library, self._genesis = library, genesis
        self._memory = Memory(library.market.dojima_environment_bytes(ctypes.byref(setup)), large=True)
        self._log = Memory(log_bytes) if log_bytes else None
        setup.memory, setup.memory_bytes, setup.observation = self._memory.address, self._memory.size, observation
        setup.log, setup.log_bytes = (self._log.address, log_bytes) if self._log else (None, 0)
        made = ctypes.c_void_p()
        status = library.market.dojima_environment_create(ctypes.byref(setup), ctypes.byref(made))
        if status != 0:
            raise Error("no environment: " + library.core.dojima_status_name(status).decode())
        assert made.value is not None
        self.address: int = made.value

    def state_hash(self) -> bytes:
        """The engine's hash of its state."""
        into = ctypes.create_string_buffer(32)
        self._library.core.dojima_engine_hash(self._engine(), into)
        return into.raw

    def _engine(self) -> int:
        engine: Optional[int] = self._library.market.dojima_environment_engine(self.address)
        if engine is None:
            raise Error("reset comes before the first look at an episode")
        return engine

    def log(self) -> bytes:
        """The commands of the episode so far, as the exchange's log has them."""
        self._engine()
        length = self._library.market.dojima_environment_logged(self.address)
        if self._log is None or length > self._log.size:
            raise Error("the episode has no log, or a longer one than log_bytes")
        return ctypes.string_at(self._log.address, length)
