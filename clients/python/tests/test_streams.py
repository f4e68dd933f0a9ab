# SPDX-License-Identifier: MIT
"""Streams and books that heal, compared with reads."""
import asyncio
from decimal import Decimal

import pytest

import dojima
from dojima import Client, Exchange

SPOT, PERP = "vBTC_vUSDC", "BTC-USD"


def test_trades_and_own_orders_arrive_as_records(exchange: Exchange, account: Client) -> None:
    maker = exchange.connect(exchange.accounts[0])
    with account.stream("spot") as stream:
        trades, orders = stream.subscribe("trade", symbol=SPOT), stream.subscribe("accountOrderUpdate")
        assert trades.next(10).type == "snapshot"
        maker.spot.sell(SPOT, "0.5", price="100000")
        account.spot.buy(SPOT, "0.2", price="100000")
        trade, = trades.next(10).data
        assert (trade.p, trade.q, trade.S) == (Decimal("100000"), Decimal("0.2"), "BUY")
        assert orders.next(10).data.X in ("NEW", "FILLED")
        trades.close()
        with pytest.raises(TimeoutError):
            trades.next(0.01)


def test_what_is_refused_or_unknown_is_said(account: Client) -> None:
    with account.stream("spot") as stream:
        with pytest.raises(dojima.SubscriptionRefused, match="symbol"):
            stream.subscribe("trade", symbol="DOGE_vUSDC")
        with pytest.raises(ValueError, match="no channel"):
            stream.subscribe("markPrice", symbol=SPOT)
        stream.subscribe("trade", symbol=SPOT)
        with pytest.raises(ValueError, match="stream of its own"):
            stream.subscribe("trade", symbol=SPOT)
    with pytest.raises(dojima.ConnectionLost):
        Client("http://127.0.0.1:9").stream("spot").open()
    with pytest.raises(ValueError, match="neither"):
        account.stream("futures")


def _trade_on(client: Client, rounds: int) -> None:
    for turn in range(rounds):
        price = 95000 + turn % 40
        client.spot.buy(SPOT, "0.001", price=price)
        if turn % 3 == 2:
            client.spot.cancel(SPOT, client.spot.orders(limit=1).orders[0].orderID)


@pytest.mark.parametrize("fault,keys", [
    ("skip", {"every": 5}), ("repeat", {"every": 3}), ("cut", {"at": 7}), ("skip", {"at": 1}), (None, {}),
])
def test_a_book_heals_and_equals_the_read(exchange: Exchange, account: Client, fault: str, keys: dict) -> None:
    if fault:
        exchange.control.chaos(fault, channel="l4Book", **keys)
    with account.stream("spot") as stream:
        book = stream.book(SPOT, level=20)
        _trade_on(account, 30)
        exchange.control.chaos_clear()
        account.spot.buy(SPOT, "0.002", price="94000")      # a last gap shows by what follows it
        account.spot.buy(SPOT, "0.002", price="94001")
        read = account.spot.orderbook(SPOT, limit=20)
        book.reaches(read.updateID, 30)
        assert (book.update_id, book.bids, book.asks) == (read.updateID, read.bids, read.asks)
        healed = book.healed + stream.reconnects
        assert (healed > 0) == (fault in ("skip", "cut")), (fault, healed)


def test_a_revert_cuts_streams_and_they_resume(exchange: Exchange, account: Client) -> None:
    with account.stream("spot") as stream:
        book, orders = stream.book(SPOT), stream.subscribe("accountOrderUpdate")
        snapshot = exchange.control.snapshot()
        account.spot.buy(SPOT, "0.5", price="99000")
        exchange.control.revert(snapshot)
        types = [orders.next(30).type for _ in range(2)]
        assert types == ["update", "resumed"]
        account.spot.buy(SPOT, "0.25", price="98000")
        read = account.spot.orderbook(SPOT)
        book.reaches(read.updateID, 30)
        assert book.bids == read.bids and stream.reconnects >= 1


def test_asynchronous_streams_iterate(exchange: Exchange) -> None:
    async def tour() -> list:
        client = exchange.connect_async(exchange.new_account())
        async with client, client.stream("perps") as stream:
            marks = await stream.subscribe("markPrice", symbol=PERP)
            book = await stream.book(PERP)
            await client.perps.buy(PERP, "0.01", price="90000")
            await book.reaches(1, 10)
            async for push in marks:
                return [push.data[0].s, book.bids]
            return []
    assert asyncio.run(tour()) == [PERP, [(Decimal("90000"), Decimal("0.01"))]]


def test_a_process_that_dies_ends_its_streams_with_an_exception() -> None:
    with dojima.start() as exchange, exchange.connect(exchange.accounts[0]) as client, client.stream("spot") as stream:
        book, orders = stream.book(SPOT), stream.subscribe("accountOrderUpdate")
        exchange.kill()
        with pytest.raises(dojima.ProcessDied, match="SIGKILL"):
            orders.next(30)
        with pytest.raises(dojima.ProcessDied, match="SIGKILL"):
            book.reaches(10, 30)
