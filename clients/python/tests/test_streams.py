# SPDX-License-Identifier: MIT
"""Streams and books that heal, compared with reads."""
import asyncio
import os
import pathlib
import signal
import threading
import time
from decimal import Decimal
from typing import Any, Callable, List

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


def _outcomes(*works: Callable[[], Any]) -> Callable[[], List[Any]]:
    """Starts each in a thread of its own; what is returned waits for what they give or raise, and fails when one
    does not end."""
    found: List[Any] = [None] * len(works)

    def run(at: int) -> None:
        try:
            found[at] = works[at]()
        except BaseException as error:
            found[at] = error
    threads = [threading.Thread(target=run, args=(at,), daemon=True) for at in range(len(works))]
    for thread in threads:
        thread.start()

    def outcomes() -> List[Any]:
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive(), "it waits for ever"
        return found
    return outcomes


def _stand_still(number: int) -> None:
    """Stops a process; no thread of it runs any more when this returns."""
    os.kill(number, signal.SIGSTOP)
    for thread in pathlib.Path(f"/proc/{number}/task").iterdir():
        while (thread / "stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)


def test_closing_a_stream_ends_every_wait_for_it(account: Client) -> None:
    stream = account.stream("spot").open()
    trades, book = stream.subscribe("trade", symbol=SPOT), stream.book(SPOT)
    ticker = stream.subscribe("ticker", symbol=SPOT)
    assert trades.next(10).type == ticker.next(10).type == "snapshot"
    ticker.close()      # nothing comes for it, and it does not hold the stream up
    ends = _outcomes(lambda: list(trades), lambda: trades.next(), lambda: trades.next(60), lambda: book.changed(),
                     lambda: book.reaches(1 << 40), ticker.next)
    time.sleep(0.2)
    closed = _outcomes(stream.close, stream.close)
    for error in ends():
        assert isinstance(error, dojima.StreamClosed), error
    assert closed() == [None, None]
    for use in (lambda: stream.subscribe("trade", symbol=SPOT), trades.next, lambda: next(trades), book.changed):
        error, = _outcomes(use)()
        assert isinstance(error, dojima.StreamClosed), error
    trades.close()
    book.close()


def test_closing_an_asynchronous_stream_ends_every_wait_for_it(exchange: Exchange) -> None:
    async def tour() -> None:
        async with exchange.connect_async(exchange.new_account()) as client:
            stream = await client.stream("spot").open()
            trades, book = await stream.subscribe("trade", symbol=SPOT), await stream.book(SPOT)
            assert (await trades.next(10)).type == "snapshot"
            waits = [asyncio.ensure_future(work) for work in (
                trades.next(), trades.next(60), book.changed(), book.reaches(1 << 40))]
            await asyncio.sleep(0.1)
            await stream.aclose()
            waits += [asyncio.ensure_future(work) for work in (
                trades.next(), book.changed(), stream.subscribe("trade", symbol=SPOT), stream.book(SPOT))]
            for error in await asyncio.wait_for(asyncio.gather(*waits, return_exceptions=True), 30):
                assert isinstance(error, dojima.StreamClosed), error
    asyncio.run(tour())


def test_pushes_that_wait_are_taken_before_the_end(exchange: Exchange, account: Client) -> None:
    async def tour() -> None:
        async with exchange.connect_async(exchange.new_account()) as client:
            stream = await client.stream("spot").open()
            trades = await stream.subscribe("trade", symbol=SPOT, capacity=1)
            book = await stream.book(SPOT)      # its snapshot comes behind that of the trades
            await stream.aclose()
            assert not book.current and (await trades.next(10)).type == "snapshot"
            for _ in range(2):
                with pytest.raises(dojima.StreamClosed):
                    await trades.next(10)
    asyncio.run(tour())


def test_a_process_that_died_is_said_to_every_later_use() -> None:
    with dojima.start() as exchange, exchange.connect(exchange.accounts[0]) as client, client.stream("spot") as stream:
        orders, book = stream.subscribe("accountOrderUpdate"), stream.book(SPOT)
        _stand_still(exchange.process.pid)
        ends = _outcomes(lambda: stream.subscribe("trade", symbol=SPOT), lambda: stream.book("vETH_vUSDC"),
                         orders.next, orders.next, book.changed)
        time.sleep(0.2)
        exchange.kill()
        later = ends() + _outcomes(orders.next, book.changed, lambda: stream.subscribe("ticker", symbol=SPOT),
                                   lambda: stream.book("vETH_vUSDC"))()
        for error in later:
            assert isinstance(error, dojima.ProcessDied) and "SIGKILL" in str(error), error


def test_a_client_that_is_closed_closes_its_streams(exchange: Exchange) -> None:
    before = threading.active_count()
    client = exchange.connect(exchange.accounts[0])
    never, closed, left = (client.stream("spot") for _ in range(3))
    closed.open().close()
    orders = left.open().subscribe("accountOrderUpdate")
    client.close()
    with pytest.raises(dojima.StreamClosed):
        orders.next(5)
    assert threading.active_count() == before
    with never, pytest.raises(TimeoutError):                # a closed client connects again when it is used
        never.subscribe("accountOrderUpdate").next(0.01)

    async def same() -> None:
        async with exchange.connect_async(exchange.accounts[0]) as user:
            orders = await (await user.stream("perps").open()).subscribe("accountOrderUpdate")
        with pytest.raises(dojima.StreamClosed):
            await orders.next(5)
    asyncio.run(same())
