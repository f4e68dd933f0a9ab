#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make_folders.py DOJIMA OUTPUT [whole|isolated|prices|early|seven|eight|funds|nine|details|back|ten|buckets...] —
makes the archives that README.md here names, or some of them, in the folder OUTPUT, with DOJIMA, the program of commit
02a0440 (engine version 6), of f5e52d86 for `seven` (engine version 7), of f9cee768 for `eight` and `funds` (engine
version 8), of 62d4426d for `nine`, `details` and `back` (engine version 9), or of 0b733cf3 for `ten` and `buckets`
(engine version 10); these eight are made only when they are named. Wallets, keys and ids are fixed; times are those of
the run.
"""
import os
import shutil
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["DOJIMA"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(HERE))
sys.argv[1:2] = []

from harness import (ATTACHED_STOP, BINARY, BRACKET, BUY, CROSS, GTX, ISOLATED, MARK_PRICE, MARKET, SELL,  # noqa: E402
                     STOP, STOP_LOSS, TAKE_PROFIT, Folder, Server, compact, fresh_nonce, order, perps_order)
from development import Rpc  # noqa: E402
from keys import EVM_WITHDRAW, PERPS_WITHDRAW, SPOT_WITHDRAW, KeyClient, new_wallet, sign_key  # noqa: E402
from oracle import CHAIN, TRADERS, Venue, index_state, perps_prices, wait_for  # noqa: E402

SMALL = """accounts = 200
orders = 2000
levels = 2000
signers = 300
deposits = 200
keys = 100
transfers = 2000
positions = 500
segmentMiB = {segment}
shadow = {shadow}
snapshotSeconds = 1
archiveSegments = on"""


def done(reply):
    assert reply.status == 200 and reply.code == 0, reply
    items = reply.json.get("data")
    for item in items if isinstance(items, list) else []:
        assert item["code"] == 0, reply
    return items


def ask(venue, *words):
    line = [BINARY, words[0], "--data", venue.data, *map(str, words[1:])]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)


def transfer(client, perps, kind, amount):
    """PERPS_WITHDRAW: from spot to perps; SPOT_WITHDRAW: back; EVM_WITHDRAW: from spot to the EVM ledger."""
    body = {"fromAccountID": client.id, "id": fresh_nonce(), "toAccountID": 999, "coinID": 0, "amount": amount,
            "type": kind}
    sender = perps if kind == SPOT_WITHDRAW else client
    return sender.write("POST", "/accounts/transfers", "transferAsset", body, chain_id=CHAIN)


def add_key(client, wallet, name):
    body = {"accountID": client.id, "name": name, "type": 1, "publicKey": wallet.address, "expiresAt": 0}
    nonce = fresh_nonce()
    headers = {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
               "X-API-Sign": sign_key(client.wallet, body, nonce, chain_id=CHAIN, message_chain=CHAIN)}
    done(client.connection.send("POST", "/api/v1/spot/accounts/api-keys", compact(body), headers))
    return KeyClient(client, wallet, name)


def spot(a, b):
    """Trades, resting orders, one that is cancelled, one that is refused, a scheduled cancel."""
    done(a.place(order("bid", BUY, "99990", "0.5"), order("low", BUY, "98000", "0.2"),
                 order("gone", BUY, "97500", "0.1"), chain_id=CHAIN))
    done(b.place(order("hit", SELL, "99990", "0.3"), chain_id=CHAIN))
    done(b.place(order("ask", SELL, "100010", "0.4", tif=GTX), order("far", SELL, "101000", "0.25"), chain_id=CHAIN))
    done(a.place(order("market", BUY, funds="5000", type=MARKET), chain_id=CHAIN))
    done(a.cancel({"symbolID": 1, "clOrdID": "gone"}, chain_id=CHAIN))
    a.place(order("poor", BUY, "100000", "999"), chain_id=CHAIN)
    done(b.schedule(int(time.time() * 1000) + 3600000, chain_id=CHAIN))


def stop(name, side, at, kind, **more):
    return perps_order(name, side, stop=(at, kind, MARK_PRICE), reduce=True, **more)


def perps(a, b, mode):
    """A position on each side, b's in that mode, a bracket, a stop that waits, one that fires, an order that rests."""
    leverage = {"accountID": b.id, "symbolID": 1, "leverage": 5, "marginMode": mode}
    done(b.write("POST", "/trade/leverage", "updateLeverage", leverage, chain_id=CHAIN))
    done(a.place(perps_order("in", BUY, "100000", "0.3"), chain_id=CHAIN))
    done(b.place(perps_order("in", SELL, "100000", "0.3"), chain_id=CHAIN))
    done(a.place(perps_order("parent", BUY, "99900", "0.2", modifier=BRACKET),
                 stop("profit", SELL, "104000", TAKE_PROFIT, price="104000", modifier=ATTACHED_STOP),
                 stop("loss", SELL, "95000", STOP_LOSS, type=MARKET, modifier=ATTACHED_STOP), chain_id=CHAIN))
    done(a.place(stop("guard", SELL, "90000", STOP_LOSS, type=MARKET, modifier=STOP), chain_id=CHAIN))
    done(b.place(stop("fires", BUY, "100100", STOP_LOSS, price="100400", quantity="0.05", modifier=STOP),
                 chain_id=CHAIN))
    done(a.place(perps_order("offer", SELL, "100300", "0.1"), chain_id=CHAIN))
    if mode == ISOLATED:
        margin = {"accountID": b.id, "symbolID": 1, "amount": "500"}
        done(b.write("POST", "/trade/margin", "updateMargin", margin, chain_id=CHAIN))


def house(venue, a, pa):
    ask(venue, "deposit", TRADERS[0].address, "vUSDC", "1234.5", "--id", "first")
    ask(venue, "deposit", "0x" + "77" * 20, "vBTC", "0.75", "--id", "stranger")
    ask(venue, "account", TRADERS[1].address, "--id", "more")
    ask(venue, "staking", TRADERS[0].address, "2", "--id", "tier")
    done(transfer(a, None, PERPS_WITHDRAW, "250"))
    done(transfer(a, pa, SPOT_WITHDRAW, "100"))
    done(transfer(a, None, EVM_WITHDRAW, "60"))
    ask(venue, "redeem", TRADERS[0].address, "vUSDC", "20", "--id", "out")


def post(venue, price):
    for feeder in venue.feeders[:2]:
        feeder.seq = int(time.time() * 1000)
        done(feeder.post((1, price)))


def live(venue, price):
    post(venue, price)
    assert wait_for(lambda: perps_prices(venue.server.port)["indexPrice"] == price), price


def fill(a, rounds):
    """Large batches, until a segment ends."""
    for i in range(rounds):
        names = [f"fill-{i}-{n}" for n in range(100)]
        done(a.place(*(order(name, BUY, "96000", "0.0001") for name in names), chain_id=CHAIN))
        done(a.cancel(*({"symbolID": 1, "clOrdID": name} for name in names), chain_id=CHAIN))


def pack(folder, name, output):
    data = os.path.join(folder, "data")
    with open(os.path.join(folder, "results.txt"), "wb") as file:
        subprocess.run([BINARY, "log", "--scenario", data], check=True, stdout=file)
    subprocess.run([BINARY, "shadow", "--once", data], check=True)
    store(folder, name, output, ("data", "results.txt", "venue.ini"))


def store(folder, name, output, parts):
    data = os.path.join(folder, "data")
    shutil.rmtree(os.path.join(data, "history"))
    for gone in ("ballast", "admin.sock"):
        if os.path.exists(os.path.join(data, gone)):
            os.remove(os.path.join(data, gone))
    with tarfile.open(os.path.join(output, name), "w:xz", preset=9) as archive:
        for part in parts:
            archive.add(os.path.join(folder, part), part)


def start(folder, perps="", **settings):
    """A venue that has prices before the first trade, its clients on spot and on perps."""
    venue = Venue(folder, more=SMALL.format(**settings), perps=perps)
    live(venue, "100001")
    traders = venue.traders()
    return venue, [trader.client for trader in traders], traders


def whole(output, name="engine6.tar.xz", rounds=110):
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, segment=4, shadow="on")
        spot(a, b)
        perps(pa, pb, CROSS)
        house(venue, a, pa)
        key = add_key(a, new_wallet(), "desk")
        done(key.place(order("by-key", BUY, "97000", "0.1"), chain_id=CHAIN))
        live(venue, "100200")
        assert wait_for(lambda: "fires" not in pb.orders(), 20)
        fill(a, rounds)
        if rounds > 100:
            assert wait_for(lambda: any(part.endswith(".zst") for part in os.listdir(venue.data)), 30)
        venue.server.stop()
        venue.start()
        live(venue, "100150")
        a = venue.traders()[0].client
        done(a.place(order("last", BUY, "97100", "0.1"), chain_id=CHAIN))
        venue.server.stop()
        pack(folder, name, output)


def isolated(output):
    """The bucket of an isolated position after a partial close is rounded differently today."""
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, segment=4, shadow="off")
        spot(a, b)
        perps(pa, pb, ISOLATED)
        live(venue, "100200")
        assert wait_for(lambda: "fires" not in pb.orders(), 20)
        venue.server.stop()
        pack(folder, "engine6-isolated.tar.xz", output)


def prices(output):
    """TICKs that make other prices today share a batch with orders."""
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, segment=4, shadow="off")
        spot(a, b)
        perps(pa, pb, CROSS)
        done(pb.cancel("fires", chain_id=CHAIN))
        live(venue, "100200")
        until = time.time() + 4
        while time.time() < until:
            done(a.place(order(f"o{time.time_ns()}", BUY, "96000", "0.0001"), chain_id=CHAIN))
            time.sleep(0.05)
        venue.server.stop()
        pack(folder, "engine6-prices.tar.xz", output)


def early(output):
    """An account trades perps before the first price (ruling 64 refuses that today)."""
    with Folder() as folder:
        venue = Venue(folder, more=SMALL.format(segment=4, shadow="off"))
        a, b = venue.traders()
        done(a.place(perps_order("in", BUY, "100000", "0.3"), chain_id=CHAIN))
        done(b.place(perps_order("in", SELL, "100000", "0.3"), chain_id=CHAIN))
        spot(a.client, b.client)
        venue.server.stop()
        pack(folder, "engine6-early.tar.xz", output)


def seven(output):
    whole(output, "engine7.tar.xz", 3)


def eight(output):
    whole(output, "engine8.tar.xz", 3)


def nine(output):
    whole(output, "engine9.tar.xz", 3)


def funds(output):
    """A short that has lost its margin is closed by funds, which version 8 refuses (decision 143)."""
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, segment=4, shadow="off")
        spot(a, b)
        done(pb.place(perps_order("short", SELL, "100000", "0.3"), chain_id=CHAIN))
        done(pa.place(perps_order("in", BUY, "100000", "0.3"), chain_id=CHAIN))
        done(transfer(b, pb, SPOT_WITHDRAW, "996000"))
        live(venue, "107000")
        assert wait_for(lambda: perps_prices(venue.server.port)["markPrice"].startswith("106"), 30)
        done(pa.place(perps_order("offer", SELL, "107000", "1"), chain_id=CHAIN))
        pb.place(perps_order("close", BUY, funds="32100", type=MARKET), chain_id=CHAIN)
        venue.server.stop()
        pack(folder, "engine8-funds.tar.xz", output)


def details(output):
    """A refusal of which version 9 says other details: the number of decimals, where the amount is said today."""
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, segment=4, shadow="off")
        spot(a, b)
        reply = a.write("POST", "/accounts/transfers", "transferAsset",
                        {"fromAccountID": a.id, "id": fresh_nonce(), "toAccountID": 999, "coinID": 0,
                         "amount": "0.0000001", "type": PERPS_WITHDRAW}, chain_id=CHAIN)
        assert reply.code != 0, reply
        live(venue, "100200")
        spot_orders = [order(f"last-{n}", BUY, "96000", "0.0001") for n in range(3)]
        done(a.place(*spot_orders, chain_id=CHAIN))
        venue.server.stop()
        pack(folder, "engine9-details.tar.xz", output)


def back(output):
    """A development exchange that went back once (decision 131)."""
    with Folder() as folder:
        with Server("--clock", "0", data=os.path.join(folder, "data")) as server:
            rpc, (a, *_) = Rpc(server), server.accounts()
            done(a.place(order("kept", BUY, "99000", "0.1")))
            snapshot = rpc.call("evm_snapshot")
            done(a.place(order("void", BUY, "99000", "0.1")))
            rpc.call("evm_revert", snapshot)
            done(a.place(order("behind", BUY, "99000", "0.1")))
        store(folder, "engine9-back.tar.xz", output, ("data",))


def ten(output):
    whole(output, "engine10.tar.xz", 3)


ETH_MARKET = """[perps ETH-USD]
baseCoin = ETH
pricePrecision = 2
tickSize = 0.01
quantityPrecision = 4
stepSize = 0.0001
listingReferencePrice = 4000
marginTiers = 4000000:25, 10000000:20, 50000000:10"""


def buckets(output):
    """While BTC-USD is halted, money of a cross account with BTC goes into a bucket of ETH-USD (decision 154)."""
    with Folder() as folder:
        venue, (a, b), (pa, pb) = start(folder, perps=ETH_MARKET, segment=4, shadow="off")
        done(venue.feeders[0].post((2, "4000")))
        done(venue.feeders[1].post((2, "4000")))
        assert wait_for(lambda: index_state(venue.server.port, "ETH-USD") == "LIVE")
        spot(a, b)
        done(pa.write("POST", "/trade/leverage", "updateLeverage",
                      {"accountID": pa.id, "symbolID": 2, "leverage": 20, "marginMode": ISOLATED}, chain_id=CHAIN))
        for symbol, price in ((1, "100000"), (2, "4000")):
            done(pb.place(perps_order("in", SELL, price, "1"), symbol=symbol, chain_id=CHAIN))
            done(pa.place(perps_order("in", BUY, price, "1"), symbol=symbol, chain_id=CHAIN))
        ask(venue, "market", "BTC-USD", "halt", "--engine", "perps")
        done(pa.write("POST", "/trade/margin", "updateMargin",
                      {"accountID": pa.id, "symbolID": 2, "amount": "1000"}, chain_id=CHAIN))
        done(pa.place(perps_order("more", BUY, "4000", "0.5"), symbol=2, chain_id=CHAIN))
        ask(venue, "market", "BTC-USD", "trade", "--engine", "perps")
        venue.server.stop()
        pack(folder, "engine10-buckets.tar.xz", output)


OLDER = (whole, isolated, prices, early)
for make in (*OLDER, seven, eight, funds, nine, details, back, ten, buckets):
    if make.__name__ in sys.argv[2:] or (len(sys.argv) == 2 and make in OLDER):
        make(sys.argv[1])
