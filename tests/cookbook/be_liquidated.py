# SPDX-License-Identifier: MIT
"""Be liquidated: how far is it, and how does a bot learn of it?

A position is closed for its owner when its margin is below the maintenance margin, at the mark price. The bot knows how
far it is from that before it happens; when it happens, its stream says so, and a receipt has every number of the
decision.
"""
from decimal import Decimal

from rehearsal import BUY, IOC, SELL, Exchange, Perps, perps_order, run, wait_for

ISOLATED = 1


def recipe():
    with Exchange(market="none") as exchange:
        bot, other = Perps(exchange.bot(0)), Perps(exchange.bot(1))
        other.place(perps_order("ask", SELL, "100000", "1"))
        assert bot.leverage(25, ISOLATED).code == 0
        assert bot.place(perps_order("buy", BUY, "100000", "1", tif=IOC)).data[0]["status"] == "FILLED"

        # 4000 of margin for a position of 100000: before a fall of 4 % the venue closes it.
        position = bot.position()
        margin, size, entry = (Decimal(position[key]) for key in ("initialMargin", "size", "avgEntryPrice"))
        assert margin / size == entry / 25
        estimated = Decimal(position["liquidationPrice"])
        assert entry - margin / size < estimated < entry

        stream = exchange.stream("/ws/perps")
        stream.subscribe("accountEvent", user=bot.address)

        # The index falls by 3 %: the mark follows it, and the order books have no bid.
        exchange.call("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "97000"})
        wait_for(lambda: bot.position() is None)

        receipt = bot.mine("liquidations").data[0]
        assert receipt["role"] == "LIQUIDATED" and receipt["marginMode"] == "ISOLATED"
        assert Decimal(receipt["equity"]) < Decimal(receipt["maintenance"]), "why it happened"
        assert Decimal(receipt["markPrice"]) <= estimated, "when it happened"
        pushed = stream.message("accountEvent")
        assert pushed["channel"] == "accountEvent"

        # Only the margin of the position was at stake: the rest of the account is untouched.
        assert Decimal(bot.mine("state").data["av"]) > Decimal("995000")


if __name__ == "__main__":
    run(recipe)
