#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power over a development exchange through /rpc: its clock, and that equal runs end in equal states."""
import json
import os
import time

from harness import BUY, GTC, IOC, SELL, Case, Connection, Folder, Perps, Server, main, order, perps_order, run

START = 1767571200                              # Monday, 5 January 2026, 00:00 UTC
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000


class Rpc:
    """Calls of /rpc; an error is raised as RpcError."""

    def __init__(self, server):
        self.connection = Connection(server.port)

    def call(self, method, *params, headers=()):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        reply = self.connection.send("POST", "/rpc", body, {"Content-Type": "application/json", **dict(headers)})
        answer = json.loads(reply.raw)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.message, self.data = error["code"], error["message"], error.get("data")


def server_time(server):
    return Connection(server.port).send("GET", "/api/v1/time").data["serverTime"]


class Clocks(Case):
    def refused_call(self, rpc, code, text, method, *params):
        with self.assertRaises(RpcError) as raised:
            rpc.call(method, *params)
        self.assertEqual(raised.exception.code, code, raised.exception.message)
        self.assertIn(text, raised.exception.message)

    def test_a_clock_that_stands_moves_only_when_it_is_told(self):
        with Server("--clock", "0", "--timestamp", str(START)) as server:
            rpc = Rpc(server)
            self.assertEqual(server_time(server), START * SECOND)
            time.sleep(0.05)
            self.assertEqual(server_time(server), START * SECOND)
            self.assertEqual(rpc.call("dojima_step", 250), START * SECOND + 250)
            self.assertEqual(rpc.call("dojima_step", "0xfa"), START * SECOND + 500)
            self.assertEqual(rpc.call("evm_increaseTime", 60), 60)
            self.assertEqual(server_time(server), START * SECOND + 500 + MINUTE)
            rpc.call("evm_setNextBlockTimestamp", START + 100)
            rpc.call("evm_mine")
            self.assertEqual(server_time(server), (START + 100) * SECOND)

    def test_its_rate_can_change_while_it_runs(self):
        with Server("--clock", "0") as server:
            rpc, began = Rpc(server), server_time(server)
            self.assertEqual(began % HOUR, 0)
            self.assertTrue(rpc.call("dojima_setClock", 1000))
            while server_time(server) < began + 10 * SECOND:
                time.sleep(0.001)
            self.assertTrue(rpc.call("dojima_setClock", "0"))
            stands = server_time(server)
            time.sleep(0.02)
            self.assertEqual(server_time(server), stands)
            for bad in (-1, 1001, "fast", 0.0000001, None, {"rate": 1}):
                self.refused_call(rpc, -32602, "rate", "dojima_setClock", bad)
            self.refused_call(rpc, -32602, "ms", "dojima_step", -5)
            self.refused_call(rpc, -32602, "ms is missing", "dojima_step")
            self.assertEqual(server_time(server), stands)

    def test_it_goes_on_where_the_log_ends(self):
        with Folder() as folder:
            with Server("--clock", "0", "--timestamp", str(START), data=folder) as server:
                Rpc(server).call("evm_increaseTime", 90)
            with Server("--clock", "0", data=folder) as server:
                self.assertEqual(server_time(server), (START + 90) * SECOND)
            with Server("--timestamp", str(START + 5), data=folder) as server:
                self.assertTrue(0 <= server_time(server) - (START + 90) * SECOND < MINUTE)

    def test_the_command_line_names_what_is_wrong(self):
        for words in (["--clock", "1001"], ["--clock", "x"], ["--clock", "-1"], ["--timestamp", "x"]):
            code, _, errors = run("dev", "--port", "0", *words)
            self.assertEqual(code, 2, errors)
            self.assertIn(words[0][2:], errors)


class Equal(Case):
    """Two runs of one seed with the same commands at the same engine times."""

    def play(self, folder, market, pause):
        words = ["--clock", "0", "--timestamp", str(START), "--seed", "9", "--market", market]
        with Server(*words, data=folder) as server:
            rpc, (a, b, *_) = Rpc(server), server.accounts()
            nonce, seen = START * SECOND, []
            for turn in range(6):
                price = str(100000 + 10 * turn)
                for client, side, tif in ((a, SELL, GTC), (b, BUY, IOC)):
                    nonce += 1
                    seen.append(client.place(order(f"s{nonce}", side, price, "0.01", tif=tif), nonce=nonce).data)
                    nonce += 1
                    seen.append(Perps(client).place(perps_order(f"p{nonce}", side, price, "0.01", tif=tif),
                                                    nonce=nonce).data)
                    time.sleep(pause)
                rpc.call("evm_increaseTime", 17 * 60)
            seen.append(Connection(server.port).send("GET", "/api/v1/spot/markets/vBTC_vUSDC/trades?limit=100").data)
            seen.append(Connection(server.port).send("GET", "/api/v1/perps/markets/BTC-USD/trades?limit=100").data)
            seen.append(Connection(server.port).send("GET", "/api/v1/perps/markets/BTC-USD/orderbook?limit=20").data)
        code, text, errors = run("verify", "--json", folder)
        self.assertEqual(code, 0, errors)
        return seen, json.loads(text)["stateHash"]

    def equal(self, market):
        with Folder() as one, Folder() as two:
            first, first_hash = self.play(os.path.join(one, "data"), market, 0)
            second, second_hash = self.play(os.path.join(two, "data"), market, 0.03)
        self.assertEqual(first, second)
        self.assertEqual(first_hash, second_hash)
        self.assertEqual(len(first[-3]), 6, first)

    def test_without_a_market(self):
        self.equal("none")

    def test_with_moving_prices(self):
        self.equal("calm")


if __name__ == "__main__":
    main()
