# SPDX-License-Identifier: MIT
"""Commands on both engines that give every channel a message about the first account: trades, and on perps a
liquidation into the book."""
import json
import time

from harness import BUY, ISOLATED, SELL, Perps, order, perps_order


def ask(client, method, *params):
    reply = client.connection.send("POST", "/rpc",
                                   json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                                               "params": list(params)}).encode(),
                                   {"Content-Type": "application/json"})
    assert "error" not in reply.json, reply


def done(reply):
    assert reply.code == 0 and all(row.get("code", 0) == 0 for row in reply.data or []), reply


def stir(server):
    a, b, c = server.accounts()[:3]
    done(b.place(order("s1", SELL, "100000", "0.3"), order("s2", SELL, "100001", "0.2")))
    done(a.place(order("b1", BUY, "100001", "0.4")))
    assert Perps(a).leverage(25, ISOLATED).code == 0
    done(Perps(b).place(perps_order("short", SELL, "100000", "10")))
    done(Perps(a).place(perps_order("long", BUY, "100000", "10")))
    done(Perps(c).place(perps_order("bid", BUY, "97800", "20")))
    ask(a, "dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "97900"})
    until = time.monotonic() + 20
    while Perps(a).size() == "10":
        assert time.monotonic() < until, "no liquidation"
        ask(a, "evm_mine")
        time.sleep(0.05)
