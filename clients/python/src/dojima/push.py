# SPDX-License-Identifier: MIT
"""Pushes of streams as records."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from dojima.errors import DojimaError
from dojima.events import CHANNELS
from dojima.record import decoder


class SubscriptionRefused(DojimaError):
    """The exchange refuses a subscription; the text says why."""


class StreamOverflow(DojimaError):
    """Pushes came faster than they were taken, so some were left out: subscribe again."""


class StreamClosed(DojimaError):
    """The stream has ended: it was closed, and nothing comes any more."""


class Push(NamedTuple):
    """One push. `type` is snapshot, update or resumed: the connection was cut and is there again, and whatever has no
    snapshot was missed meanwhile (read orders and histories); `data` is None then."""

    channel: str
    type: str
    data: Any


_decoders: Dict[Tuple[str, str], Callable[[Any], Any]] = {}


def record_of(engine: str, channel: str) -> Optional[type]:
    """The record of a channel, None where there is no such channel."""
    row = CHANNELS.get(channel)
    if row is None:
        return None
    return row[1] if engine == "perps" else row[0]


def decode_push(engine: str, channel: str, data: Any) -> Any:
    """The record, or the list of records, of a push."""
    key = (engine, channel)
    decode = _decoders.get(key)
    if decode is None:
        record = record_of(engine, channel)
        if record is None:
            return data
        decode = decoder(List[record] if CHANNELS[channel][2] else record)  # type: ignore[valid-type]
        _decoders[key] = decode
    return decode(data)


def route_of(channel: str, parameters: Dict[str, Any]) -> Tuple[str, str, str]:
    """What a push of this subscription says of itself; of several symbols each push names its own."""
    if channel.startswith(("account", "all")):
        return channel, "", ""
    one = parameters.get("symbol") or parameters.get("coin") or ""
    return channel, str(one), str(parameters.get("interval", "")) if channel == "candle" else ""


def routes_of(channel: str, data: Any) -> List[Tuple[str, str, str]]:
    """The routes that a push may belong to."""
    if channel.startswith(("account", "all")):
        return [(channel, "", "")]
    if isinstance(data, list):
        names = {str(row.get("symbol") or row.get("s") or row.get("a") or "") for row in data}
        return [(channel, name, "") for name in sorted(names)]
    return [(channel, str(data.get("s", "")), str(data.get("i", "")) if channel == "candle" else "")]


def part_for(route: Tuple[str, str, str], data: Any) -> Any:
    """The rows of a push that belong to a route."""
    if not route[1] or not isinstance(data, list):
        return data
    return [row for row in data if str(row.get("symbol") or row.get("s") or row.get("a")) == route[1]]
