# SPDX-License-Identifier: MIT
"""The streams through Debian's python3-websockets, as the public Python client uses it: a ping as a text frame, one
acknowledgement per symbol with success exactly true, pushes by channel and by `s` inside of `data`; every channel of
both engines."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from harness import Server
from stir import stir
from streams import Stream

SPOT, PERPS = ["vBTC_vUSDC", "vETH_vUSDC"], ["BTC-USD", "ETH-USD"]


def wishes(symbols, user, perps):
    """The subscriptions, and the types of message that have to arrive."""
    both = [({"channel": channel, "symbols": symbols}, {"snapshot", "update"})
            for channel in ("ticker", "miniTicker", "bookTicker", "trade")]
    both += [({"channel": channel}, {"snapshot", "update"})
             for channel in ("allTicker", "allMiniTicker", "allBookTicker")]
    both += [({"channel": "l2Book", "symbol": symbols[0]}, {"snapshot"}),
             ({"channel": "l4Book", "symbol": symbols[0]}, {"snapshot", "update"}),
             ({"channel": "candle", "symbol": symbols[0], "interval": "1m"}, {"update"}),
             ({"channel": "accountState", "user": user}, {"snapshot"})]
    both += [({"channel": channel, "user": user}, {"update"})
             for channel in ("accountUpdate", "accountOrderUpdate", "accountTrade")]
    if perps:
        both += [({"channel": "markPrice", "symbols": symbols}, {"snapshot", "update"}),
                 ({"channel": "allMarkPrice"}, {"snapshot", "update"}),
                 ({"channel": "coinPrice", "coins": ["vUSDC"]}, {"snapshot"}),
                 ({"channel": "allCoinPrice"}, {"snapshot"}), ({"channel": "accountEvent", "user": user}, {"update"})]
    return both


class Tour:
    def __init__(self, server, path, symbols, user):
        self.stream, self.symbols, self.missing = Stream(server, path), symbols, set()
        self.stream.raw('{"op":"ping"}')
        assert self.stream.next() == {"op": "pong"}
        for number, (params, types) in enumerate(wishes(symbols, user, path == "/ws/perps")):
            self.missing |= {(params["channel"], one) for one in types}
            self.stream.say("subscribe", number, **params)
            left = set(params.get("symbols", params.get("coins", [params.get("symbol")])))
            while left:
                message = self.stream.next()
                if "channel" in message:
                    self.take(message)
                    continue
                assert (message["op"], message["id"], message["success"], message["error"]) == ("subscribe", number,
                    True, None), message
                left.remove(message["result"].get("symbol", message["result"].get("coin")))

    def take(self, message):
        channel, data = message["channel"], message["data"]
        rows = data if isinstance(data, list) else [data]
        if not channel.startswith("account") and "oinPrice" not in channel:
            assert all(row["s"] in self.symbols or channel.startswith("all") for row in rows), message
        self.missing.discard((channel, message["type"]))

    def finish(self):
        while self.missing:
            self.take(self.stream.next(lambda message: "channel" in message, 20))
        self.stream.end()


if __name__ == "__main__":
    with Server() as server:
        address = server.accounts()[0].address
        tours = [Tour(server, "/ws/spot", SPOT, address), Tour(server, "/ws/perps", PERPS, address)]
        stir(server)
        for tour in tours:
            tour.finish()
    print("ok websockets: every channel of both engines")
