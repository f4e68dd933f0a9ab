# SPDX-License-Identifier: MIT
"""Connections that are kept alive, one request at a time on each; threads may share them."""
from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import List, Optional, Tuple

from dojima.errors import ConnectionLost
from dojima.http import Place, Reply, ReplyParser, request_bytes


def pause(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


class _Connection:
    def __init__(self, place: Place, timeout: float) -> None:
        plain = socket.create_connection((place.host, place.port), timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = ssl.create_default_context().wrap_socket(plain, server_hostname=place.host) if place.secure \
            else plain
        self._parser = ReplyParser()
        self.open = True

    def idle(self) -> bool:
        """Whether the other side has neither closed it nor sent what nobody asked for."""
        self._socket.settimeout(0)
        try:
            self._socket.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def send(self, data: bytes, timeout: Optional[float]) -> Reply:
        """Without a timeout the answer may take as long as it likes."""
        end = None if timeout is None else time.monotonic() + timeout
        self._socket.settimeout(timeout)
        self._socket.sendall(data)
        while True:
            self._socket.settimeout(None if end is None else max(end - time.monotonic(), 0.001))
            more = self._socket.recv(262_144)
            if not more:
                raise ConnectionResetError("the connection ended before an answer came")
            reply = self._parser.feed(more)
            if reply is not None:
                self.open = not self._parser.closes
                return reply

    def close(self) -> None:
        self._socket.close()


class Connections:
    """
    At most `limit` connections to one exchange; a thread waits for one.
    connecting, answering: seconds after which either has failed.
    """

    def __init__(self, place: Place, connecting: float, answering: Optional[float], limit: int = 4) -> None:
        self._place, self._connecting, self._answering = place, connecting, answering
        self._free: List[_Connection] = []
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(limit)

    def _connection(self) -> _Connection:
        while True:
            with self._lock:
                found = self._free.pop() if self._free else None
            if found is None:
                return _Connection(self._place, self._connecting)
            if found.idle():
                return found
            found.close()

    def send(self, method: str, path: str, headers: List[Tuple[str, str]], body: bytes = b"") -> Reply:
        """ConnectionLost when no answer came. Its `sent` says whether the request may have arrived."""
        data = request_bytes(self._place, method, path, headers, body)
        with self._slots:
            try:
                connection = self._connection()
            except OSError as error:
                lost = ConnectionLost(f"no connection to {self._place.host}:{self._place.port}: {error}")
                lost.sent = False
                raise lost from None
            try:
                reply = connection.send(data, self._answering)
            except OSError as error:
                connection.close()
                raise ConnectionLost(f"no answer: {error}") from None
            except BaseException:
                connection.close()
                raise
            if connection.open:
                with self._lock:
                    self._free.append(connection)
            else:
                connection.close()
            return reply

    def close(self) -> None:
        """Ends every connection."""
        with self._lock:
            for connection in self._free:
                connection.close()
            self._free.clear()
