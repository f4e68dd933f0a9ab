# SPDX-License-Identifier: MIT
"""What HTTP/1.1 needs on both sides of the client: addresses, requests as bytes, answers out of bytes."""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from dojima.errors import ProtocolError


_MOST_HEAD = 65_536             # bytes of status and headers
_MOST_BODY = 64 * 1024 * 1024   # bytes; every answer of the interface is far shorter


class Reply(NamedTuple):
    """One answer; names of headers are in lower case."""

    status: int
    headers: Dict[str, str]
    body: bytes


class Place(NamedTuple):
    """Where an exchange listens."""

    host: str
    port: int
    secure: bool
    prefix: str


def place_of(url: str) -> Place:
    """The parts of an http or https address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{url!r} is no address of an exchange, such as 'http://127.0.0.1:8080'")
    secure = parts.scheme == "https"
    return Place(parts.hostname, parts.port or (443 if secure else 80), secure, parts.path.rstrip("/"))


def request_bytes(place: Place, method: str, path: str, headers: List[Tuple[str, str]], body: bytes) -> bytes:
    """The request as it goes over the wire. Text of callers is quoted before, so no line can be forged."""
    lines = [f"{method} {place.prefix}{path} HTTP/1.1", f"Host: {place.host}:{place.port}", "Accept: application/json"]
    lines += [f"{name}: {value}" for name, value in headers]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    text = "\r\n".join(lines)
    if text.count("\n") != len(lines) - 1 or text.count("\r") != len(lines) - 1:
        raise ValueError("a line break in a header or a path")
    return text.encode("latin-1") + b"\r\n\r\n" + body


class ReplyParser:
    """Takes the bytes of a connection and gives the answer when it is whole."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._head: Optional[Tuple[int, Dict[str, str]]] = None
        self._length = 0
        self.closes = False

    @property
    def empty(self) -> bool:
        """Whether not a byte of an answer has come."""
        return not self._bytes and self._head is None

    def feed(self, data: bytes) -> Optional[Reply]:
        """The answer, or None while some of it is missing. ProtocolError for what is not HTTP."""
        self._bytes += data
        if self._head is None:
            end = self._bytes.find(b"\r\n\r\n")
            if (end if end >= 0 else len(self._bytes)) > _MOST_HEAD:
                raise ProtocolError(f"the headers of an answer have more than {_MOST_HEAD} bytes")
            if end < 0:
                return None
            self._read_head(bytes(self._bytes[:end]).decode("latin-1"))
            del self._bytes[:end + 4]
        if self._head is None or len(self._bytes) < self._length:
            return None
        reply = Reply(*self._head, bytes(self._bytes[:self._length]))
        del self._bytes[:self._length]
        self._head = None
        return reply

    def _read_head(self, text: str) -> None:
        first, *lines = text.split("\r\n")
        try:
            version, status = first.split(" ", 2)[:2]
            headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
            self._length = 0 if status == "204" else int(headers["content-length"])
            self._head = int(status), headers
        except (ValueError, KeyError):
            raise ProtocolError(f"not an answer of this interface: {text[:200]!r}") from None
        if not 0 <= self._length <= _MOST_BODY:
            raise ProtocolError(f"an answer of {self._length} bytes is no answer of this interface")
        self.closes = headers.get("connection", "").lower() == "close" or version != "HTTP/1.1"
