# SPDX-License-Identifier: MIT
"""The public Go SDK and its command line against a fresh server, as a module dependency and unchanged. Skipped with one
line where there is no Go of 1.24 or newer, or where the module proxy does not serve the module."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
from golang import Go
from harness import BUY, ROOT, SELL, Server, compact, fresh_nonce, order
from keys import new_wallet, sign_key

FOLDER = os.path.join(ROOT, "build", "clients", "go")
MODULE = "github.com/sodex-tech/sodex-go-sdk-public"


def build():
    go = Go(FOLDER, "the Go client")
    if not os.path.exists(os.path.join(FOLDER, "sodex")):
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(os.path.join(HERE, "go"), FOLDER)
    go.fetch(MODULE)
    for target, package in (("tour", "."), ("sodex", MODULE + "/cmd/sodex")):
        go.build(target, package)


def tour(*args):
    subprocess.run([os.path.join(FOLDER, "tour"), *map(str, args)], check=True, timeout=60)


class CommandLine:
    """`sodex` with the account's settings in its environment."""

    def __init__(self, server, account):
        self.env = {**os.environ, "SODEX_BASE_URL": server.banner["url"],
                    "SODEX_PRIVATE_KEY": account.wallet.key.to_bytes(32, "big").hex(),
                    "SODEX_ACCOUNT_ID": str(account.id)}

    def __call__(self, *args, fails=False):
        done = subprocess.run([os.path.join(FOLDER, "sodex"), *args], env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        if (done.returncode != 0) != fails:
            raise SystemExit(f"sodex {args}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
        return done.stdout.decode()

    def json(self, *args):
        return json.loads(self(*args, "--format", "json"))


def command_line(server, account):
    sodex = CommandLine(server, account)
    assert [row["id"] for row in sodex.json("markets", "spot")] == [1, 2]
    assert {row["symbol"] for row in sodex.json("tickers", "spot")} == {"vBTC_vUSDC", "vETH_vUSDC"}
    assert len(sodex.json("orderbook", "btc/usdc", "--depth", "3")["bids"]) <= 3
    assert sodex.json("account-id")["aid"] == account.id
    assert [row["coin"] for row in sodex.json("balance", "spot")] == ["vUSDC", "vBTC", "vETH"]
    sodex("orders", "place", "spot", "--symbol", "BTC/USDC", "--side", "buy", "--price", "98000", "--qty", "0.01")
    sodex("orders", "place", "spot", "--symbol", "vBTC_vUSDC", "--side", "buy", "--price", "97000", "--qty", "0.01",
          "--tif", "gtx")
    # GTC
    sodex("orders", "place", "spot", "--symbol", "BTC/USDC", "--side", "buy", "--type", "market", "--qty", "0.01",
          fails=True)
    low, high = sodex.json("orders", "list", "spot")
    sodex("orders", "cancel", "spot", "--symbol-id", "1", "--order-id", str(high["orderID"]))
    sodex("orders", "cancel", "spot", "--symbol-id", "1", "--cl-ord-id", low["clOrdID"])
    assert sodex.json("orders", "list", "spot") in ([], None)
    sodex("transfer", "--from", str(account.id), "--to", "999", "--coin", "2", "--amount", "0.5", "--type", "2")
    # internal
    sodex("transfer", "--from", str(account.id), "--to", "1002", "--coin", "2", "--amount", "0.5", fails=True)
    assert account.balance("vETH") == ("99.5", "0")
    print("ok the Go command line: markets, tickers, orderbook, account-id, balance, orders, transfer")


def main():
    build()
    with Server() as server:
        a, b, c, d = server.accounts()[:4]
        assert a.place(order("offer", SELL, "100000", "0.2")).code == 0 and b.place(order("taker", BUY, "100000",
            "0.1")).code == 0
        tour(server.banner["url"], hex(c.wallet.key), c.id)
        key, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": d.id, "name": "go-key", "type": 1, "publicKey": key.address, "expiresAt": 0}
        added = d.connection.send("POST", "/api/v1/spot/accounts/api-keys", compact(body),
                                  {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                   "X-API-Sign": sign_key(d.wallet, body, nonce)})
        assert added.code == 0, added
        tour(server.banner["url"], hex(key.key), d.id, "go-key", d.address)
        command_line(server, server.accounts()[4])


if __name__ == "__main__":
    main()
