# SPDX-License-Identifier: MIT
"""An observation as text for people."""

import datetime
from decimal import Decimal
from typing import List

from .layout import Layout, Observation

DEPTH = 5


def render(layout: Layout, seen: Observation) -> str:
    account = seen["account"]
    time = datetime.datetime.fromtimestamp(int(account[0]) / 1000, datetime.timezone.utc)
    value = Decimal(int(account[1])) / layout.money
    lines = [f"{time:%Y-%m-%d %H:%M:%S}.{int(account[0]) % 1000:03d}  value {value:,.2f}  step {account[2]}"]
    for index in range(len(layout.symbols)):
        lines += _symbol(layout, seen, index)
    for row in seen["orders"]:
        if row[0] != 0:
            symbol = layout.symbols[int(row[1]) - 1]
            lines.append(f"order {row[0]}: {'sell' if row[2] else 'buy'} {symbol.quantity(row[4] - row[5])} "
                         f"{symbol.name} at {symbol.price(row[3])}")
    return "\n".join(lines)


def _symbol(layout: Layout, seen: Observation, index: int) -> List[str]:
    symbol = layout.symbols[index]
    size = symbol.quantity(seen["positions"][index][0])
    lines = [f"{symbol.name}  last {symbol.price(seen['symbols'][index][0])}  position {size}"]
    bids, asks = seen["books"][index][0], seen["books"][index][1]
    for bid, ask in zip(bids[:DEPTH], asks[:DEPTH]):
        lines.append(f"  {symbol.quantity(bid[1]):>12} {symbol.price(bid[0]):>10} | "
                     f"{symbol.price(ask[0]):<10} {symbol.quantity(ask[1]):<12}")
    return lines
