# SPDX-License-Identifier: MIT
"""The exchange of `./bench get`, in which every read has its longest response. Two accounts of `dojima dev` trade on
both markets, keep some orders open, close positions, and pay or receive funding for a thousand hours."""
import harness
from harness import BUY, IOC, SELL, Connection, Perps, order, perps_order

HOURS = 1001                # of funding
ROUNDS = 11                 # of a hundred trades on spot, and on perps
# resting orders a side of the maker, and the taker's behind them: a book of more than ten levels
OPEN, BEYOND = 5, 10
# One every ten minutes. Behind whole hundreds that share a time they let a page of 500 end between two times.
KLINE_TRADES = 200
LOT = "0.001"


class World:
    def __init__(self, server):
        self.maker, self.taker, *_ = server.accounts()
        self.chain = Connection(server.port)
        self.fund()
        self.trade_spot()
        self.trade_perps()
        self.keep_open()
        self.trade_for_klines()

    def pass_time(self, seconds):
        """Advances engine time; nonces stay on the wall clock."""
        for method, params in (("evm_increaseTime", [seconds]), ("evm_mine", [])):
            body = harness.compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            reply = self.chain.send("POST", "/rpc", body, {"Content-Type": "application/json"})
            assert b'"result"' in reply.raw, reply

    @staticmethod
    def good(reply):
        assert reply.code == 0 and all(item["code"] == 0 for item in reply.data), reply

    def fund(self):
        """Opens the one position that stays, for as long as the hours take."""
        maker, taker = Perps(self.maker), Perps(self.taker)
        self.good(maker.place(perps_order("f", SELL, "100000", LOT)))
        self.good(taker.place(perps_order("f", BUY, "100000", LOT, tif=IOC)))
        self.pass_time(HOURS * 3600)            # each hour in it has its own TICK

    def trade_spot(self):
        for number in range(ROUNDS):
            self.good(self.maker.place(*[order(f"s{number}-{i}", SELL, "100000", "0.0001") for i in range(100)]))
            self.good(self.taker.place(*[order(f"s{number}-{i}", BUY, "100000", "0.0001", tif=IOC)
                                         for i in range(100)]))

    def trade_perps(self):
        """Opens and closes by the other side: a position of the ETH market ends with each round trip."""
        maker, taker = Perps(self.maker), Perps(self.taker)
        symbol = 2
        low, high = "3999", "4001"
        for number in range(ROUNDS):
            self.good(maker.place(*[perps_order(f"p{number}s{i}", SELL, high, "0.01") for i in range(50)],
                                  symbol=symbol))
            self.good(maker.place(*[perps_order(f"p{number}b{i}", BUY, low, "0.01") for i in range(50)], symbol=symbol))
            self.good(taker.place(*[perps_order(f"p{number}{side}{i}", side, high if side == BUY else low, "0.01",
                                                tif=IOC)
                                    for i in range(50) for side in (BUY, SELL)], symbol=symbol))

    def keep_open(self):
        for client, first, count in ((self.maker, 0, OPEN), (self.taker, OPEN, BEYOND)):
            for side, base, step in ((BUY, 99990, -3), (SELL, 100010, 3)):
                rows = [(f"l{side}-{i}", side, f"{base + step * i}.5", f"0.0{100 + i * 7}")
                        for i in range(first, first + count)]
                self.good(client.place(*[order(*row) for row in rows]))
                self.good(Perps(client).place(*[perps_order(*row) for row in rows]))

    def trade_for_klines(self):
        """The rows between the trades repeat the close."""
        for number in range(KLINE_TRADES):
            price, size = f"{100000 + number % 7}.5", f"0.0{1111 + number * 13}"
            self.good(self.maker.place(order(f"t{number}", SELL, price, size)))
            self.good(self.taker.place(order(f"t{number}", BUY, price, size, tif=IOC)))
            self.good(Perps(self.maker).place(perps_order(f"k{number}", SELL, price, LOT)))
            self.good(Perps(self.taker).place(perps_order(f"k{number}", BUY, price, LOT, tif=IOC)))
            self.pass_time(600)


MARKETS = (("spot", "vBTC_vUSDC", "vBTC_vUSDC", 1500, ("symbols", "coins", "tickers", "miniTickers", "bookTickers")),
           ("perps", "BTC-USD", "ETH-USD", 1000,
            ("symbols", "coins", "tickers", "miniTickers", "bookTickers", "mark-prices")))
OF_ACCOUNTS = {"spot": ("balances", "orders", "state", "api-keys", "fee-rate"),
               "perps": ("balances", "orders", "positions", "state", "api-keys", "fee-rate")}
OF_HISTORY = {"spot": (("orders/history", 500), ("trades", 1000)),
              "perps": (("orders/history", 500), ("positions/history", 500), ("fundings", 1000), ("trades", 1000))}


def reads(address):
    """(group, name, path, least number of rows in the answer)"""
    for base, symbol, most_traded, bars, cached in MARKETS:
        root = f"/api/v1/{base}"
        for what in cached:
            yield "cached", f"{base}-{what}", f"{root}/markets/{what}", 1
        yield "cached", f"{base}-ticker", f"{root}/markets/tickers?symbol={symbol}", 1
        yield "cached", f"{base}-orderbook", f"{root}/markets/{symbol}/orderbook?limit=10", 1
        yield "history", f"{base}-klines", f"{root}/markets/{symbol}/klines?interval=1m&limit={bars}", bars
        yield "history", f"{base}-market-trades", f"{root}/markets/{most_traded}/trades?limit=500", 500
        for what in OF_ACCOUNTS[base]:
            yield "account", f"{base}-{what}", f"{root}/accounts/{address}/{what}", 0
        for what, limit in OF_HISTORY[base]:
            yield ("history", f"{base}-{what.replace('/', '-')}", f"{root}/accounts/{address}/{what}?limit={limit}",
                   limit)
    for what in ("status", "subaccounts", "api-keys", "fee-rate", "ratelimit"):
        yield "account", f"user-{what}", f"/api/v1/user/{address}/{what}", 0
