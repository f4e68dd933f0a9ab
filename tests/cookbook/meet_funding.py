# SPDX-License-Identifier: MIT
"""Meet funding: what does a position pay at the hour?

At each whole hour longs pay shorts, or the other way round: size times mark times the rate of that hour. Engine time
advances to the hour, the payment happens at it, and the bot finds the same number in three places: its fundings, the
position's realized result, and the account.
"""
from decimal import Decimal

from rehearsal import BUY, IOC, SELL, Exchange, Perps, perps_order, run


def value(account):
    return Decimal(account.mine("state").data["av"])


def recipe():
    with Exchange(market="none") as exchange:               # prices stand still, so that the numbers are round
        long, short = Perps(exchange.bot(0)), Perps(exchange.bot(1))
        short.place(perps_order("ask", SELL, "100000", "1"))
        assert long.place(perps_order("buy", BUY, "100000", "1", tif=IOC)).data[0]["status"] == "FILLED"
        before = value(long), value(short)

        hour = exchange.call("dojima_fundingNow")["fundingTime"]
        paid, = long.mine("fundings").data
        got, = short.mine("fundings").data
        mark = Decimal(long.get("/markets/mark-prices?symbol=BTC-USD").data[0]["markPrice"])

        assert paid["timestamp"] == got["timestamp"] == hour and hour % 3600000 == 0
        assert Decimal(paid["fundingFee"]) == mark * 1 * Decimal(paid["fundingRate"]) > 0
        assert Decimal(got["fundingFee"]) == -Decimal(paid["fundingFee"])
        assert value(long) == before[0] - Decimal(paid["fundingFee"])
        assert value(short) == before[1] + Decimal(paid["fundingFee"])

        # A day of it: 24 payments, and the position's result has them all.
        result = Decimal(long.position()["realizedPnL"])
        exchange.call("evm_increaseTime", 86400)
        day = long.mine("fundings").data
        assert len(day) == 25
        assert Decimal(long.position()["realizedPnL"]) == result - sum(Decimal(row["fundingFee"]) for row in day[:24])


if __name__ == "__main__":
    run(recipe)
