# SPDX-License-Identifier: MIT
"""The same market again: a run that repeats, trade by trade.

With a clock that stands, time moves only when the bot says so, and everything that is random comes from the seed. Two
exchanges with one seed then have the same market, and a bot that does the same at the same times meets the same trades,
ids and prices: a failure can be repeated, and a change of the bot is the only difference between two runs.
"""
from rehearsal import BUY, CROSS, IOC, MARKET, Exchange, Perps, compact, perps_order, run

BEGINS = 1790000000                                         # engine time of the first block, Unix seconds


def play(seed):
    """What a bot does in a market of traders, and what becomes of it."""
    with Exchange("--clock", "0", "--seed", str(seed), "--timestamp", str(BEGINS), market="volatile") as exchange:
        bot, nonce = Perps(exchange.bot()), BEGINS * 1000
        exchange.call("dojima_step", 30000)                 # the traders fill the books
        bot.leverage(10, CROSS, nonce=nonce)
        for i in range(5):
            nonce += 1
            bot.place(perps_order(f"same-{i}", BUY, quantity="0.01", type=MARKET, tif=IOC), nonce=nonce)
            exchange.call("dojima_step", 20000)
        trades = bot.mine("trades").data
        market = bot.get("/markets/BTC-USD/trades?limit=500").data
        book = bot.get("/markets/BTC-USD/orderbook?limit=100").data
        return {"mine": trades, "market": market, "book": book, "position": bot.position()}


def recipe():
    one, again, other = play(seed=7), play(seed=7), play(seed=8)
    assert one["mine"] and len(one["market"]) > 20, "there is no market"
    for part in one:
        assert compact(one[part]) == compact(again[part]), f"{part} differs"
    assert compact(one["market"]) != compact(other["market"])


if __name__ == "__main__":
    run(recipe)
