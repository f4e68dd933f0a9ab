# SPDX-License-Identifier: MIT
"""Go back and try again: two ways to trade from one and the same moment.

A snapshot names a moment; a revert goes back to it, as often as one likes, with books, positions, money and time. What
was tried in between is gone for reads, and stays in the log.
"""
from rehearsal import BUY, IOC, MARKET, Exchange, Perps, compact, order, orders_named, perps_order, run


def result(exchange, trade):
    """The position after a way to trade, and back to the beginning."""
    bot = Perps(exchange.bot())
    trade(bot)
    position = bot.position()
    return position["avgEntryPrice"], position["size"]


def at_once(bot):
    bot.place(perps_order("whole", BUY, quantity="1", type=MARKET, tif=IOC))


def in_parts(bot):
    for i in range(10):
        bot.place(perps_order(f"part-{i}", BUY, quantity="0.1", type=MARKET, tif=IOC))


def recipe():
    with Exchange("--clock", "0", market="calm") as exchange:
        exchange.call("dojima_step", 30000)
        bot = exchange.bot()
        book = bot.get("/markets/BTC-USD/orderbook?limit=50", base="/api/v1/perps").data
        money = Perps(bot).mine("balances").data

        exchange.call("evm_snapshot", "before")
        one = result(exchange, at_once)
        assert exchange.call("evm_revert", "before") is True
        bot = exchange.bot()
        back = bot.get("/markets/BTC-USD/orderbook?limit=50", base="/api/v1/perps").data
        assert (compact(back["bids"]), compact(back["asks"])) == (compact(book["bids"]), compact(book["asks"]))
        assert Perps(bot).position() is None
        assert compact(Perps(bot).mine("balances").data["balances"]) == compact(money["balances"])

        # The same moment again, and another way; then the first one once more, with the same outcome.
        two = result(exchange, in_parts)
        assert exchange.call("evm_revert", "before") is True
        assert result(exchange, at_once) == one
        assert one[1] == two[1] == "1"


if __name__ == "__main__":
    run(recipe)
