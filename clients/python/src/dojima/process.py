# SPDX-License-Identifier: MIT
"""A whole exchange as a child of this program: started, used and always ended."""
from __future__ import annotations

import errno
import json
import os
import platform
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Dict, List, Optional, Sequence, Type, Union

from dojima._async.client import AsyncClient
from dojima._sync.client import Client
from dojima._sync.control import Control
from dojima.amount import Amount
from dojima.errors import ProcessDied, StartError
from dojima.signing import Signer, keccak

_LINES = 4_000      # bytes of the last lines of a process that ended
_INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", "dojima")


@dataclass(frozen=True)
class Account:
    """An account of a development exchange and its key, which is public."""

    id: int
    address: str
    key: str = field(repr=False)


def binary() -> str:
    """Path of the program: DOJIMA of the environment, the one in this package, or the one in PATH."""
    named = os.environ.get("DOJIMA")
    if named:
        return named
    found = _INSIDE if os.path.exists(_INSIDE) else shutil.which("dojima")
    if found is None:
        raise StartError("this package has no program for this system, and there is no dojima in PATH; "
                         "set DOJIMA to the path of one")
    return found


def _executable(path: str) -> str:
    """Some installers drop the bit that makes the program of this package executable. Other files stay as they are."""
    try:
        mode = os.stat(path).st_mode
        if path == _INSIDE and not os.access(path, os.X_OK):
            os.chmod(path, mode | 0o111)
    except OSError as error:
        raise StartError(f"no program at {path}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise StartError(f"no program at {path}: it is no file")
    return path


def _is_program(path: str) -> bool:
    """Whether the kernel knows its form, for whatever processor it is."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _file_of_lines() -> IO[bytes]:
    """What the program says goes into memory, because the disk may be what is full. Old systems have no such files."""
    try:
        return os.fdopen(os.memfd_create("dojima"), "w+b")
    except (AttributeError, OSError):
        return tempfile.TemporaryFile(prefix="dojima-")


def _end_of(file: IO[bytes]) -> bytes:
    """Its last bytes. The program writes where the position is that both share, so that it must not move."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), _LINES, max(0, size - _LINES))


class Exchange:
    """A running exchange. Use it as a context, or call stop(). See start()."""

    def __init__(self, line: Sequence[str], start_timeout: float, keeps_data: bool) -> None:
        self._line, self._keeps_data = list(line), keeps_data
        self._errors = _file_of_lines()
        self._lock = threading.Lock()
        self._made = 0
        self._clients: List[Client] = []
        self.banner: Dict[str, Any] = {}
        try:
            self.process = subprocess.Popen(self._line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self._errors, start_new_session=True)
        except OSError as error:
            self._errors.close()
            if error.errno == errno.ENOEXEC and _is_program(line[0]):
                raise StartError(f"{line[0]} is a program for another processor than this "
                                 f"{platform.machine()}") from None
            raise StartError(f"{line[0]} cannot be started: {error.strerror}") from None
        try:
            self._take_banner(self._read_banner(start_timeout))
        except BaseException:
            self.kill()
            raise
        self.client = self.connect(None)
        self.control: Control = self.client.control

    # ---- start and end

    def _read_banner(self, seconds: float) -> bytes:
        """One line of JSON, which the program prints when it is ready."""
        assert self.process.stdout is not None
        deadline, text, out = time.monotonic() + seconds, b"", self.process.stdout.fileno()
        while b"\n" not in text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                raise StartError(f"the exchange was not ready within {seconds} s: {self._last_lines()}")
            more = os.read(out, 65_536)
            if not more:
                self.process.wait()
                raise StartError(f"the exchange ended before it was ready, {self._end_text()}: {self._last_lines()}")
            text += more
        return text

    def _take_banner(self, text: bytes) -> None:
        try:
            banner = json.loads(text)
            self.url, self.chain_id = str(banner["url"]), int(banner["chainIds"][0])
            self.accounts = [Account(row["accountID"], row["address"].lower(), row["privateKey"])
                             for row in banner["accounts"]]
            self.banner = banner
        except (ValueError, TypeError, LookupError, AttributeError):
            raise StartError(f"{self._line[0]} is not the exchange: it printed {text[:200]!r}") from None

    def _last_lines(self) -> str:
        if self._errors.closed:
            return "no line"
        return _end_of(self._errors).decode(errors="replace").strip() or "it printed nothing"

    def _end_text(self) -> str:
        code = self.process.returncode
        return f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self.process.poll() is None

    def check(self) -> None:
        """Raises ProcessDied when the process has ended by itself."""
        if not self.running:
            raise ProcessDied(f"the exchange ended, {self._end_text()}: {self._last_lines()}")

    def stop(self, timeout: float = 20.0) -> None:
        """Ends the exchange and waits for it; its folder is gone then, unless it was given one."""
        for client in self._clients:
            client.close()
        if self.running and self.process.stdin is not None:
            self.process.stdin.close()      # --until-stdin-closes
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                pass
        self.kill()

    def kill(self) -> None:
        """Ends the process at once, as a crash does, and removes what it left."""
        with self._lock:
            if self.running:
                self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            folder = self.banner.get("data")
            if folder and not self._keeps_data:
                shutil.rmtree(folder, ignore_errors=True)
            if self.process.returncode == 0:
                self._errors.close()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.stop()

    def __del__(self) -> None:
        if hasattr(self, "process") and self.process.poll() is None:
            self.kill()

    # ---- users

    def connect(self, account: Optional[Account], **options: Any) -> Client:
        """A client of this exchange with the key of an account. Options are those of Client."""
        options.setdefault("chain_id", self.chain_id)
        options.setdefault("alive", self.check)
        made = Client(self.url, account.key if account else None, account_id=account.id if account else None, **options)
        self._clients.append(made)
        return made

    def close_clients(self) -> None:
        """Closes all clients that `connect` gave, and their streams. `client` and `control` stay."""
        made, self._clients = self._clients, [self.client]
        for client in made:
            if client is not self.client:
                client.close()

    def connect_async(self, account: Optional[Account], **options: Any) -> AsyncClient:
        """The same for asyncio; close it, or use it as a context."""
        options.setdefault("chain_id", self.chain_id)
        options.setdefault("alive", self.check)
        return AsyncClient(self.url, account.key if account else None, account_id=account.id if account else None,
                           **options)

    def new_account(self, spot: Optional[Dict[str, Amount]] = None, perps: Amount = 1_000_000) -> Account:
        """A user of its own: `spot` says how much of which coin, `perps` how much vUSDC."""
        self._made += 1
        key = "0x" + keccak(f"dojima account {self._made}".encode()).hex()
        address, number = Signer(key).address, 0
        for coin, amount in ({"vUSDC": 1_000_000, "vBTC": 10, "vETH": 100} if spot is None else spot).items():
            number = self.control.deposit(address, coin, amount)
        if perps:
            number = self.control.deposit(address, "vUSDC", perps, "perps")
        return Account(number, address, key)


def start(
    *, market: str = "none", seed: Optional[int] = None, clock: Optional[Amount] = None,
    timestamp: Optional[int] = None, history: Optional[str] = None, limits: bool = False,
    data: Optional[Union[str, "os.PathLike[str]"]] = None, state: Optional[Union[str, "os.PathLike[str]"]] = None,
    port: int = 0, program: Optional[str] = None, options: Sequence[str] = (), start_timeout: float = 30.0,
) -> Exchange:
    """Starts an exchange of its own on 127.0.0.1 (`dojima dev`) and waits until it is ready. Raises StartError.

    market: "none" (prices stand, nobody trades), "calm", "trend", "volatile", "crash", "thin", "empty" or "silent".
    seed, clock, timestamp, history: as of `dojima dev`. limits: whether requests are limited.
    data: a folder to keep; else one that is removed. state: a file to go on from and to keep the state in.
    port: 0 takes a free one. program: path of the program. options: more of its options.

    The process ends with this one, however this one ends, because it holds a pipe to it.
    """
    line = [_executable(program or binary()), "dev", "--json", "--until-stdin-closes", "--port", str(port),
            "--market", market]
    if not limits:
        line.append("--no-limits")
    for name, value in (("--seed", seed), ("--clock", clock), ("--timestamp", timestamp), ("--history", history)):
        if value is not None:
            line += [name, str(value)]
    for name, path in (("--data", data), ("--state", state)):
        if path is not None:
            line += [name, os.fspath(path)]
    return Exchange([*line, *options], start_timeout, data is not None)
