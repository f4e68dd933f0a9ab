# SPDX-License-Identifier: MIT
"""Each test has an exchange of its own: the fixtures `exchange` and `account` come with the package dojima."""
from decimal import Decimal

import pytest
from dojima import ProcessDied
from maker import Maker

SYMBOL = "vBTC_vUSDC"


def make(client):
    return Maker(client, SYMBOL, middle=Decimal(100000), size=Decimal("0.01"), most=Decimal("0.02"))


@pytest.fixture
def maker(account):
    return make(account)


@pytest.fixture
def other(exchange):
    with exchange.connect(exchange.new_account()) as made:
        yield made


def quotes(maker):
    return sorted((row.side, row.price) for row in maker.client.spot.orders(symbol=SYMBOL).orders)


def test_it_quotes_both_sides(maker):
    maker.step()
    assert quotes(maker) == [("BUY", Decimal(99900)), ("SELL", Decimal(100100))]
    maker.step()
    assert len(quotes(maker)) == 2


def test_it_follows_the_middle_of_others(maker, other):
    maker.step()
    other.spot.buy(SYMBOL, Decimal("0.01"), Decimal(99950))
    other.spot.sell(SYMBOL, Decimal("0.01"), Decimal(100090))
    maker.step()
    assert quotes(maker) == [("BUY", Decimal("99919.9")), ("SELL", Decimal("100120.1"))]


def test_it_quotes_again_behind_a_fill_and_stops_at_its_bound(maker, other):
    for _ in range(2):
        maker.step()
        other.spot.sell(SYMBOL, Decimal("0.01"), Decimal(99900))
    maker.step()
    assert [side for side, _ in quotes(maker)] == ["SELL"]


def test_a_lost_reply_leaves_one_order_a_side(exchange):
    with exchange.connect(exchange.new_account(), timeout=0.5) as client:
        maker = make(client)
        exchange.control.chaos("drop-reply", path="trade/orders", count=1)
        maker.step()
        maker.step()
        assert [side for side, _ in quotes(maker)] == ["BUY", "SELL"]


def test_an_exchange_that_goes_away_is_said(exchange, maker):
    exchange.kill()
    with pytest.raises(ProcessDied):
        maker.step()
