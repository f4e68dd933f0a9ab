# SPDX-License-Identifier: MIT
"""Quotes both sides of a spot market around the middle of its book, and leans against its own position."""
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from dojima import Client, TimeInForce

HALF_SPREAD = Decimal("0.001")          # of the middle, on each side


class Maker:
    """One market, one order a side. `step` brings the orders to where they should be; call it again and again.

    middle: the price to quote around while one side of the book is empty.
    most: how much of the base coin it may gain or lose; a side that would go beyond is not quoted.
    """

    def __init__(self, client: Client, symbol: str, middle: Decimal, size: Decimal, most: Decimal) -> None:
        self.client, self.symbol, self.size, self.most = client, symbol, size, most
        self.middle = middle
        about = next(row for row in client.spot.symbols() if row.name == symbol)
        self.tick, self.coin = about.tickSize, about.baseCoin
        self.began_with = self._held()

    def _held(self) -> Decimal:
        return next((row.total for row in self.client.spot.balances().balances if row.coin == self.coin), Decimal(0))

    def _others_middle(self, own: set) -> Decimal:
        """The middle of what others offer; the last one while a side is empty."""
        book = self.client.spot.orderbook(self.symbol, limit=20)
        bids = [level.price for level in book.bids if level.price not in own]
        asks = [level.price for level in book.asks if level.price not in own]
        return (bids[0] + asks[0]) / 2 if bids and asks else self.middle

    def _wanted(self) -> dict:
        """Side -> price; a side that would take the position beyond its bound is left out."""
        gained = self._held() - self.began_with
        wanted = {}
        if gained + self.size <= self.most:
            price = self.middle * (1 - HALF_SPREAD)
            wanted["BUY"] = (price / self.tick).to_integral_value(ROUND_FLOOR) * self.tick
        if gained - self.size >= -self.most:
            price = self.middle * (1 + HALF_SPREAD)
            wanted["SELL"] = (price / self.tick).to_integral_value(ROUND_CEILING) * self.tick
        return wanted

    def step(self) -> None:
        """Cancels what stands wrong, and places what is missing."""
        spot, there = self.client.spot, {}
        orders = [row for row in spot.orders(symbol=self.symbol).orders]
        self.middle = self._others_middle({row.price for row in orders})
        wanted = self._wanted()
        for row in orders:
            if wanted.get(row.side) == row.price and row.side not in there:
                there[row.side] = row
            else:
                spot.cancel(self.symbol, row.orderID)
        for side, price in wanted.items():
            if side not in there:
                place = spot.buy if side == "BUY" else spot.sell
                place(self.symbol, self.size, price, time_in_force=TimeInForce.GTX)     # never takes
