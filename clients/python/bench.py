# SPDX-License-Identifier: MIT
"""python3 clients/python/bench.py [SECONDS]: signed orders a second of one process with asyncio, one order a request.

The same run signs the same orders without sending them, so that the ratio says what HTTP and the exchange add. The
exchange runs on the same machine. Set DOJIMA to the program; the package must be installed or in PYTHONPATH.
"""
import asyncio
import gc
import sys
import time

import dojima
from dojima.writes import Action, body_bytes, signed

SYMBOL, IN_FLIGHT = "vBTC_vUSDC", 32
CHAIN = 286623
ACTION = Action("POST", "/api/v1/spot/trade/orders/batch", "batchNewOrder", "spot")


def order(number, symbol_id):
    return dojima.NewSpotOrder(symbolID=symbol_id, clOrdID=f"bench-{number}", side=dojima.Side.BUY, price="99000",
                               quantity="0.001", type=dojima.OrderType.LIMIT, timeInForce=dojima.TimeInForce.IOC)


def bare(account, symbol_id, seconds):
    """Bodies made and signed a second."""
    signer, count, begin = dojima.Signer(account.key), 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        fields = {"accountID": account.id, "orders": [order(count, symbol_id)]}
        signed(ACTION, body_bytes(fields), fields, 1_760_000_000_000 + count, signer, CHAIN)
        count += 1
    return count / (time.perf_counter() - begin)


async def sent(exchange, account, seconds):
    """Orders placed and answered a second."""
    async with exchange.connect_async(account) as client:
        symbol_id, done, begin = await client.spot.symbol_id(SYMBOL), 0, time.perf_counter()

        async def trade(lane):
            nonlocal done
            count = 0
            while time.perf_counter() - begin < seconds:
                result, = await client.spot.place_orders([order(f"{lane}-{count}", symbol_id)])
                assert result.code == 0, result
                count, done = count + 1, done + 1
        await asyncio.gather(*(trade(lane) for lane in range(IN_FLIGHT)))
        return done / (time.perf_counter() - begin)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    gc.freeze()
    with dojima.start() as exchange:
        account = exchange.new_account()
        before = bare(account, exchange.client.spot.symbol_id(SYMBOL), seconds / 2)
        rate = asyncio.run(sent(exchange, account, seconds))
        after = bare(account, 1, seconds / 2)
    alone = (before + after) / 2
    print(f"python: {rate:,.0f} signed orders/s with {IN_FLIGHT} in flight (floor 2,000, goal 6,000); "
          f"signing alone {alone:,.0f}/s; ratio {rate / alone:.2f}")
    return 0 if rate >= 2000 else 1


if __name__ == "__main__":
    sys.exit(main())
