#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Index prices: feeders that sign with a signer of their own, their median, refusals, silence and its consequences, the
built-in feeder, prices by hand, and hours that pass while no server runs."""
import http.server
import json
import os
import shutil
import ssl
import threading
import time
import unittest

from development import Rpc
from harness import (BUY, SELL, Client, Connection, Folder, Perps, Server, Wallet, compact, domain_separator, keccak,
                     order, perps_order, pools, run, signature_text, word)

PRICE_TYPE = b"OraclePrice(uint32 symbolID,uint64 price,uint64 perpMid)"
POST_TYPE = b"OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices)" + PRICE_TYPE
FEEDERS = [Wallet("0x" + f"{n:02x}" * 32) for n in (0x11, 0x22, 0x33)]
STRANGER = Wallet("0x" + "44" * 32)
TRADERS = [Wallet("0x" + f"{n:02x}" * 32) for n in (0x55, 0x66)]
CHAIN = 77001
UNITS = {1: 10, 2: 100, 3: 100}                 # price units in one, by symbol id
HOUR = 3600

CONFIG = """[dojima]
listen = 127.0.0.1:0
data = {folder}/data
chainIds = 77001
oracleStaleMs = {stale}
{more}
[limits]
weightPerMinute = 0
[coin vUSDC]
precision = 6
[coin vBTC]
precision = 8
[market vBTC_vUSDC]
baseCoin = vBTC
quoteCoin = vUSDC
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
listingReferencePrice = 100000
[perps BTC-USD]
baseCoin = BTC
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
listingReferencePrice = 100000
marginTiers = 4000000:25, 10000000:20, 50000000:10
{perps}
"""


def digest(seq, timestamp, prices, chain_id):
    """prices: (symbol id, price, perpMid or 0) in price units."""
    rows = b"".join(keccak(keccak(PRICE_TYPE) + b"".join(map(word, row))) for row in prices)
    struct = keccak(keccak(POST_TYPE) + word(seq) + word(timestamp) + keccak(rows))
    return keccak(b"\x19\x01" + domain_separator("oracle", chain_id) + struct)


def units(price, symbol):
    whole, _, part = price.partition(".")
    digits = len(str(UNITS[symbol])) - 1
    return int(whole + part.ljust(digits, "0"))


class Feeder:
    """Posts by the interface document, without code of the program."""

    def __init__(self, port, wallet, chain_id=CHAIN):
        self.connection, self.wallet, self.chain_id, self.seq = Connection(port), wallet, chain_id, 0

    def post(self, *prices, seq=None, timestamp=None, wallet=None, domain_of=None, mangle=None):
        """prices: (symbol id, price[, perpMid]) with decimals as strings."""
        self.seq = self.seq + 1 if seq is None else seq
        timestamp = int(time.time() * 1000) if timestamp is None else timestamp
        signed = [(row[0], units(row[1], row[0]), units(row[2], row[0]) if len(row) > 2 else 0) for row in prices]
        body = {"seq": self.seq, "timestamp": timestamp,
                "prices": [dict(symbolID=row[0], price=row[1], **({"perpMid": row[2]} if len(row) > 2 else {}))
                           for row in prices]}
        sign = (wallet or self.wallet).sign_digest(digest(self.seq, timestamp, signed, domain_of or self.chain_id))
        if mangle:
            mangle(body)
        return self.connection.send("POST", "/api/v1/oracle", compact(body),
                                    {"Content-Type": "application/json", "X-API-Sign": signature_text(*sign)})


def perps_prices(port, symbol="BTC-USD"):
    return Connection(port).send("GET", f"/api/v1/perps/markets/mark-prices?symbol={symbol}").data[0]


def index_state(port, symbol="BTC-USD"):
    """LIVE, FALLBACK, BOOTSTRAP or STALE."""
    return Connection(port).send("GET", f"/api/v1/perps/markets/index-composition?symbol={symbol}").data[0]["state"]


def wait_for(what, seconds=8):
    deadline = time.monotonic() + seconds
    while True:
        value = what()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.1)


class Venue:
    """dojima serve with feeders and two funded traders."""

    def __init__(self, folder, feeders=FEEDERS, stale=60000, more="", perps=""):
        self.config = os.path.join(folder, "venue.ini")
        self.data = os.path.join(folder, "data")
        with open(self.config, "w") as file:
            file.write(CONFIG.format(folder=folder, stale=stale, more=pools(more) + more, perps=perps))
            for wallet in feeders:
                file.write(f"[feeder {wallet.address}]\n")
            for wallet in TRADERS:
                file.write(f"[account {wallet.address}]\nvUSDC = 1000000\nvBTC = 100\nperps = 1000000\n")
        self.start()

    def start(self):
        self.server = Server("--config", self.config, command="serve", json_banner=False).wait_for_port()
        self.feeders = [Feeder(self.server.port, wallet) for wallet in FEEDERS]
        return self.server

    def traders(self):
        return [Perps(Client(self.server, wallet, 1001 + i)) for i, wallet in enumerate(TRADERS)]

    def index(self):
        return perps_prices(self.server.port)["indexPrice"]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.server.process.poll() is None:
            self.server.kill() if kind else self.server.stop()


def state_hash(case, data, *more):
    code, out, err = run("verify", *more, data)
    case.assertEqual(code, 0, out + err)
    return out.split("state hash")[1].split()[0]


class Posts(unittest.TestCase):
    def test_one_feeder_speaks_and_the_index_follows(self):
        with Folder() as folder, Venue(folder) as venue:
            self.assertEqual(venue.index(), "100000")
            reply = venue.feeders[0].post((1, "100123.4", "100120"))
            self.assertEqual((reply.status, reply.code), (200, 0), reply.raw)
            self.assertIn("x-chain-tx", reply.headers)
            self.assertTrue(wait_for(lambda: venue.index() == "100123.4"), venue.index())
            tx = Connection(venue.server.port).send("POST", "/rpc", compact(
                {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionByHash",
                 "params": [reply.headers["x-chain-tx"]]})).json["result"]
            self.assertEqual(tx["to"], "0x" + "0" * 36 + "1003")
            self.assertEqual(tx["from"], FEEDERS[0].address)
            self.assertEqual((tx["type"], tx["domain"], tx["typedData"], tx["nonce"]),
                             ("0x53", "0x2", "OraclePrices", "0x1"))
            said = json.loads(bytes.fromhex(tx["input"][2:]))
            self.assertEqual((said["type"], said["params"]["prices"][0]["price"]), ("oraclePrices", "100123.4"))
            venue.server.stop()
            state_hash(self, venue.data, "--signatures")

    def test_the_index_is_the_median_of_three(self):
        with Folder() as folder, Venue(folder, more="oracleQuorum = 2") as venue:
            for feeder, price in zip(venue.feeders, ("100300", "100100", "100200")):
                self.assertEqual(feeder.post((1, price)).code, 0)
            self.assertTrue(wait_for(lambda: venue.index() == "100200"), venue.index())
            self.assertEqual(venue.feeders[0].post((1, "104000")).code, 0)           # a wrong one moves nothing far
            self.assertEqual(venue.feeders[1].post((1, "100250")).code, 0)
            self.assertTrue(wait_for(lambda: venue.index() == "100250"), venue.index())

    def test_less_than_the_quorum_is_nobody(self):
        with Folder() as folder, Venue(folder, more="oracleQuorum = 2") as venue:
            self.assertEqual(venue.feeders[0].post((1, "101000")).code, 0)
            time.sleep(2.2)
            self.assertEqual(venue.index(), "100000")
            self.assertEqual(venue.feeders[2].post((1, "101010")).code, 0)
            self.assertTrue(wait_for(lambda: venue.index() == "101005"), venue.index())     # of two the mean

    def test_a_jump_is_held_back_until_it_is_confirmed(self):
        with Folder() as folder, Venue(folder) as venue:
            self.assertEqual(venue.feeders[0].post((1, "100000")).code, 0)
            time.sleep(1.5)
            self.assertEqual(venue.feeders[0].post((1, "110000.1")).code, 0)         # just more than 10 %
            seen = []
            wait_for(lambda: seen.append(venue.index()) or seen[-1] != "100000")
            self.assertEqual(seen[-1], "110000.1")
            self.assertGreater(len(seen), 10, "two TICKs at least still had the old price")
            self.assertEqual(venue.feeders[0].post((1, "99000.1")).code, 0)          # less than 10 %: at once
            self.assertTrue(wait_for(lambda: venue.index() == "99000.1", 2.5), venue.index())

    def test_what_is_refused_leaves_no_trace(self):
        with Folder() as folder, Venue(folder) as venue:
            feeder, now = venue.feeders[0], lambda: int(time.time() * 1000)
            self.assertEqual(feeder.post((1, "100010"), seq=5).code, 0)
            block = lambda: Connection(venue.server.port).send("POST", "/rpc", compact(
                {"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": []})).json["result"]
            before = block()

            def refused(code, field, reply):
                self.assertEqual((reply.status, reply.code, reply.details["field"]), (200, code, field), reply.raw)
                self.assertNotIn("x-chain-tx", reply.headers)

            refused(40102, "seq", feeder.post((1, "1"), seq=5))
            refused(40102, "seq", feeder.post((1, "1"), seq=4))
            refused(40102, "timestamp", feeder.post((1, "1"), seq=6, timestamp=now() - 31000))
            refused(40102, "timestamp", feeder.post((1, "1"), seq=6, timestamp=now() + 6500))
            refused(40101, "X-API-Sign", feeder.post((1, "1"), seq=6, wallet=STRANGER))
            refused(40101, "X-API-Sign", feeder.post((1, "1"), seq=6, wallet=TRADERS[0]))
            refused(40101, "X-API-Sign", feeder.post((1, "1"), seq=6, domain_of=286623))
            refused(40101, "X-API-Sign",
                    feeder.post((1, "1"), seq=6, mangle=lambda body: body["prices"][0].update(price="2")))
            refused(40401, "symbolID", feeder.post((2, "1"), seq=6))
            refused(42201, "price",
                    feeder.post((1, "1"), seq=6, mangle=lambda body: body["prices"][0].update(price="1.01")))
            refused(40001, "prices[0].price",
                    feeder.post((1, "1"), seq=6, mangle=lambda body: body["prices"][0].update(price=1)))
            refused(40001, "prices[0].price",
                    feeder.post((1, "1"), seq=6, mangle=lambda body: body["prices"][0].update(price="0")))
            refused(40001, "prices[0].perpMid",
                    feeder.post((1, "1"), seq=6, mangle=lambda body: body["prices"][0].update(perpMid="0")))
            self.assertEqual(feeder.post(seq=6).code, 40003, "a post of nothing")
            refused(40001, "seq", feeder.post((1, "1"), seq=0))
            self.assertEqual(block(), before)
            time.sleep(1.2)
            self.assertEqual(venue.index(), "100010")
            self.assertEqual(feeder.post((1, "100020"), seq=6, timestamp=now() - 29000).code, 0,
                             "at the edge it passes")
            self.assertEqual(feeder.post((1, "100030"), seq=7, timestamp=now() + 4000).code, 0)
            self.assertTrue(wait_for(lambda: venue.index() == "100030"), venue.index())

    def test_the_same_post_many_times_at_once_counts_once(self):
        with Folder() as folder, Venue(folder) as venue:
            feeder, stamp = venue.feeders[0], int(time.time() * 1000)
            codes = [feeder.post((1, "100010"), seq=9, timestamp=stamp).code for _ in range(20)]
            self.assertEqual((codes[0], set(codes[1:])), (0, {40102}))

    def test_in_development_the_last_account_is_a_feeder(self):
        with Server() as server:
            feeder = Feeder(server.port, Wallet(server.banner["accounts"][-1]["privateKey"]), 286623)
            self.assertEqual(feeder.post((1, "100500"), (3, "201.25")).code, 0)
            self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100500"))
            self.assertEqual(perps_prices(server.port, "SOL-USD")["indexPrice"], "201.25")
            self.assertEqual(server.accounts()[0].connection.send("POST", "/rpc", compact(
                {"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime", "params": [7200]})).json["result"], 7200)
            self.assertEqual(feeder.post((1, "100600")).code, 0, "who signs by the clock goes on after an advance")
            self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100600"))


class Silence(unittest.TestCase):
    def open(self, trader, name, side, quantity="0.01", price="100000"):
        return trader.place(perps_order(name, side, price, quantity), chain_id=CHAIN)

    def test_a_stale_index_opens_nothing_and_closes_everything(self):
        with Folder() as folder, Venue(folder, stale=2000) as venue:
            buyer, seller = venue.traders()
            venue.feeders[0].post((1, "100000"))
            time.sleep(1.2)
            self.assertEqual(self.open(buyer, "in", BUY).data[0]["code"], 0)
            self.assertEqual(self.open(seller, "in", SELL).data[0]["code"], 0)
            self.assertEqual(buyer.size(), "0.01")
            time.sleep(3.2)                                                         # no feeder posts
            result = self.open(buyer, "more", BUY).data[0]
            self.assertEqual(result["code"], 42015, result)
            self.assertEqual(self.open(buyer, "out", SELL).data[0]["code"], 0, "closing is possible")
            self.assertEqual(self.open(seller, "out", BUY).data[0]["code"], 0)
            self.assertEqual(buyer.size(), "0")
            venue.feeders[0].seq = 10
            venue.feeders[0].post((1, "100000"))
            self.assertTrue(wait_for(lambda: self.open(buyer, "again" + str(time.monotonic_ns()),
                                                       BUY).data[0]["code"] == 0))

    def test_the_own_spot_book_stands_in(self):
        with Folder() as folder, Venue(folder, stale=2000,
                                       perps="spotMarket = vBTC_vUSDC\nspotImpactNotional = 1000\n") as venue:
            buyer, seller = venue.traders()
            venue.feeders[0].post((1, "100000"))
            time.sleep(1.2)
            for client, side, price in ((buyer.client, BUY, "100900"), (seller.client, SELL, "101100")):
                client.write("POST", "/trade/orders/batch", "batchNewOrder",
                             {"accountID": client.id, "orders": [order(f"s{side}", side, price, "0.5")]},
                             chain_id=CHAIN)
            time.sleep(3.2)                                                         # stale: the book's middle is 101000
            moving = [float(venue.index()) for _ in range(3) if not time.sleep(1.1)]
            self.assertTrue(100000 < moving[0] < moving[1] < moving[2] < 100020, moving)
            self.assertEqual(self.open(buyer, "in", BUY).data[0]["code"], 0,
                             "with a stand-in new positions are possible")


class Program(unittest.TestCase):
    """dojima oracle against dojima dev, whose last account is a feeder."""

    def key(self, folder, server, index=-1):
        path = os.path.join(folder, "key")
        with open(path, "w") as file:
            os.chmod(path, 0o600)
            file.write(server.banner["accounts"][index]["privateKey"] + "\n")
        return path

    def test_once_from_a_file_a_command_and_a_url(self):
        with Folder() as folder, Server() as server:
            to = ["--to", f"http://127.0.0.1:{server.port}", "--key", self.key(folder, server), "--once"]
            prices = os.path.join(folder, "prices")
            with open(prices, "w") as file:
                file.write("# symbol price\nBTC-USD 100001.19\nSOL-USD 201 200.5\nDOGE 1\n")
            code, out, err = run("oracle", *to, "--file", prices)
            self.assertEqual((code, out), (0, ""), err)
            self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100001.1"))
            self.assertEqual(perps_prices(server.port, "SOL-USD")["indexPrice"], "201")
            code, _, err = run("oracle", *to, "--command", "echo '{\"BTC-USD\": 100002}'")
            self.assertEqual(code, 0, err)
            self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100002"))
            with http_source(b'{"BTC-USD":{"price":"100003"}}') as port:
                code, _, err = run("oracle", *to, "--url", f"http://127.0.0.1:{port}/prices?all")
            self.assertEqual(code, 0, err)
            self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100003"))

    def test_an_exchange_of_another_time_tells_it_its_time(self):
        for beginning, clock in ((1767571200, "1"), (1767571200, "0"), (4102444800, "1")):
            with self.subTest(beginning=beginning, clock=clock), Folder() as folder, \
                    Server("--timestamp", str(beginning), "--clock", clock) as server:
                to = ["--to", f"http://127.0.0.1:{server.port}", "--key", self.key(folder, server), "--once"]
                for price in ("100001", "100002"):
                    code, _, err = run("oracle", *to, "--command", f"echo BTC-USD {price}")
                    self.assertEqual(code, 0, err)
                    Rpc(server).call("dojima_step", 1000)
                    self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == price))
                    Rpc(server).call("evm_increaseTime", 3 * 86400)        # leaps move no times of posts

    def test_it_goes_on_and_recovers(self):
        with Folder() as folder, Server() as server:
            prices, key = os.path.join(folder, "prices"), self.key(folder, server)
            feeder = Server("--to", f"http://127.0.0.1:{server.port}", "--key", key, "--file", prices, "--every", "1",
                            command="oracle", json_banner=False)
            try:
                self.assertTrue(wait_for(lambda: "No such file" in feeder.stderr()), feeder.stderr())
                for price in ("100011", "100012"):
                    with open(prices + ".new", "w") as file:
                        file.write(f"BTC-USD {price}\n")
                    os.replace(prices + ".new", prices)
                    self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == price), feeder.stderr())
            finally:
                feeder.stop()
            self.assertNotIn(server.banner["accounts"][-1]["privateKey"][2:], feeder.stderr())

    def test_a_certificate_that_nobody_vouches_for_is_refused(self):
        with Folder() as folder, Server() as server, http_source(b'{"BTC-USD":100044}',
            os.path.join(folder, "certificate")) as port:
            feeder = Server("--to", f"http://127.0.0.1:{server.port}", "--key", self.key(folder, server), "--url",
                            f"https://127.0.0.1:{port}/", command="oracle", json_banner=False)
            try:
                self.assertTrue(wait_for(lambda: "certificate" in feeder.stderr()), feeder.stderr())
            finally:
                feeder.stop()
            self.assertEqual(perps_prices(server.port)["indexPrice"], "100000")

    def test_what_is_wrong_is_said(self):
        with Folder() as folder, Server() as server:
            prices = os.path.join(folder, "prices")
            with open(prices, "w") as file:
                file.write("BTC-USD 100000\n")
            os.chmod(prices, 0o600)
            to, key = f"http://127.0.0.1:{server.port}", self.key(folder, server)
            open_key = os.path.join(folder, "open-key")
            shutil.copyfile(key, open_key)
            os.chmod(open_key, 0o640)
            for arguments, code, words in (
                    ([], 2, "--to URL and --key FILE"), (["--to", to, "--key", key], 2, "exactly one of"),
                    (["--to", to, "--key", prices, "--file", prices], 2, "no key"),
                    (["--to", to, "--key", open_key, "--file", prices], 2, "has mode 0640"),
                    (["--to", to, "--key", folder, "--file", prices], 2, "is no plain file"),
                    (["--to", to + "/", "--key", key, "--file", prices], 2, "without a path"),
                    (["--to", to, "--key", key, "--file", prices, "--every", "0"], 2, "--every")):
                got, _, err = run("oracle", "--once", *arguments)
                self.assertEqual(got, code, err)
                self.assertIn(words, err)
            got, _, err = run("oracle", "--once", "--to", to, "--key", self.key(folder, server, 0), "--file", prices)
            self.assertEqual(got, 1, err)
            self.assertIn("40101", err)


class Halt(unittest.TestCase):
    def test_an_operator_halts_and_lets_trade(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            status = lambda base, name: server.accounts()[0].get(f"/markets/symbols?symbol={name}",
                f"/api/v1/{base}").data[0]["status"]
            code, out, err = run("market", "--data", data, "--id", "stop-1", "BTC-USD", "halt")
            self.assertEqual(code, 0, err)
            self.assertIn("BTC-USD is HALT", out)
            self.assertEqual((status("perps", "BTC-USD"), status("perps", "ETH-USD"), status("spot", "vBTC_vUSDC")),
                             ("HALT", "TRADING", "TRADING"))
            trader = Perps(server.accounts()[0])
            self.assertEqual(trader.place(perps_order("no", BUY, "100000", "0.01")).data[0]["code"], 42014)
            self.assertEqual(run("market", "--data", data, "vBTC_vUSDC", "halt")[0], 0)
            self.assertEqual(status("spot", "vBTC_vUSDC"), "HALT")
            for words in (("BTC-USD", "stop"), ("DOGE", "halt"), ("--engine", "spot", "BTC-USD", "halt")):
                self.assertNotEqual(run("market", "--data", data, *words)[0], 0, words)
            server.kill()
            server = Server(data=data)
            self.assertEqual((status("perps", "BTC-USD"), status("spot", "vBTC_vUSDC")), ("HALT", "HALT"),
                             "it survives")
            self.assertEqual(run("market", "--data", data, "BTC-USD", "trade")[0], 0)
            self.assertEqual(Perps(server.accounts()[0]).place(perps_order("yes", BUY, "100000",
                "0.01")).data[0]["code"], 0)
            server.stop()
            state_hash(self, data, "--signatures")


# Of 127.0.0.1, signed by itself, until 2126; made for this test by `openssl req -x509`.
CERTIFICATE = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqtM1VnFNKZIqpcvL
A7cwmRgosQz+ZoGakV3tDsAMVwuhRANCAAQ59Y9YftaqcHBLUkCqQmDIlXNzlaK9
9rOASK8p/h8suF57wZnzt51L6tx2P1MmWoPGgPkTYzbTm8tY+OO4wryl
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUJTR7ZKeMpQUzwMHq+ECuMpJjcWQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzA0MDIxOVoYDzIxMjYxMDMw
MDQwMjE5WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ59Y9YftaqcHBLUkCqQmDIlXNzlaK99rOASK8p/h8suF57wZnzt51L
6tx2P1MmWoPGgPkTYzbTm8tY+OO4wrylo2QwYjAdBgNVHQ4EFgQUu14XZWXRl1i7
Ijb9teBmRFfawX8wHwYDVR0jBBgwFoAUu14XZWXRl1i7Ijb9teBmRFfawX8wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQCWvBE9s4yeQ7u2hbJjhwkEVzpx2ZgGetHBDpnhMP0cQwIgH2ShNhSh4Yh/D7SU
6pHjQFfxU4m4tEqpzxra0q8h8/A=
-----END CERTIFICATE-----
"""


class http_source:
    """A web server with one fixed response; over TLS when it is given the path of a key and certificate."""

    def __init__(self, body, certificate=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            with open(certificate, "w") as file:
                file.write(CERTIFICATE)
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1]

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Built(unittest.TestCase):
    def rpc(self, server, method, *params):
        return Connection(server.port).send("POST", "/rpc",
                                            compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                     "params": list(params)})).json

    def test_prices_by_hand(self):
        with Server() as server:
            self.assertIs(self.rpc(server, "dojima_setIndexPrice", {"symbol": "ETH-USD", "price": "4100.25"})["result"],
                          True)
            self.assertTrue(wait_for(lambda: perps_prices(server.port, "ETH-USD")["indexPrice"] == "4100.25"))
            self.assertEqual(perps_prices(server.port)["indexPrice"], "100000")
            for params in ({"symbol": "ETH-USD", "price": 4100}, {"symbol": "ETH-USD", "price": "4100.255"},
                           {"symbol": "ETH", "price": "1"},
                           {"symbol": "ETH-USD"}, {"symbol": "ETH-USD", "price": "0"},
                           {"symbol": "ETH-USD", "price": "-1"}):
                self.assertEqual(self.rpc(server, "dojima_setIndexPrice", params)["error"]["code"], -32602, params)
            self.rpc(server, "evm_increaseTime", 3 * HOUR)
            time.sleep(1.2)
            self.assertEqual(perps_prices(server.port, "ETH-USD")["indexPrice"], "4100.25",
                             "it stays, however far time advances")

    def test_the_built_in_feeder_is_calm_and_silenced_by_hand(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server("--market", "empty", "--seed", "7", data=data) as server:
                seen = set()
                wait_for(lambda: seen.add(perps_prices(server.port)["indexPrice"]) or len(seen) > 4, 12)
                self.assertGreater(len(seen), 4, seen)
                self.assertTrue(all(99400 < float(price) < 100600 for price in seen), seen)
                self.assertEqual(self.rpc(server, "eth_blockNumber")["result"], "0x0", "nobody has done anything")
                self.rpc(server, "dojima_setIndexPrice", {"symbol": "BTC-USD", "price": "100777.7"})
                self.assertTrue(wait_for(lambda: perps_prices(server.port)["indexPrice"] == "100777.7"))
                other = perps_prices(server.port, "ETH-USD")["indexPrice"]
                self.assertTrue(wait_for(lambda: perps_prices(server.port, "ETH-USD")["indexPrice"] != other, 12))
                self.assertEqual(perps_prices(server.port)["indexPrice"], "100777.7")
            self.assertEqual(state_hash(self, data), state_hash(self, data, "--signatures"))


class Time(unittest.TestCase):
    def rpc(self, server, method, *params):
        return Connection(server.port).send("POST", "/rpc",
                                            compact({"jsonrpc": "2.0", "id": 1, "method": method,
                                                     "params": list(params)})).json["result"]

    def positions(self, server):
        buyer, seller = [Perps(client) for client in server.accounts()[:2]]
        for trader, side in ((buyer, BUY), (seller, SELL)):
            result = trader.place(perps_order(f"p{side}", side, "100000", "0.5"))
            self.assertEqual(result.data[0]["code"], 0, result.raw)
        return buyer, seller

    def fundings(self, trader):
        return trader.mine("fundings").data

    def test_each_hour_of_a_leap_settles_and_the_sum_is_zero(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data) as server:
                buyer, seller = self.positions(server)
                time.sleep(5.5)                                                     # a premium sample
                self.rpc(server, "evm_increaseTime", 3 * HOUR)
                paid, got = self.fundings(buyer), self.fundings(seller)
                self.assertEqual((len(paid), len(got)), (3, 3), paid)
                self.assertEqual({int(row["timestamp"]) % (HOUR * 1000) for row in paid}, {0}, "each at its own hour")
                for one, other in zip(paid, got):
                    self.assertGreaterEqual(float(one["fundingFee"]) + float(other["fundingFee"]), 0)
                    self.assertLess(float(one["fundingFee"]) + float(other["fundingFee"]), 0.000002)
            state_hash(self, data)

    def test_kill_and_restart_keep_the_state(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--market", "empty", data=data)
            buyer, _ = self.positions(server)
            self.rpc(server, "evm_increaseTime", 2 * HOUR)
            time.sleep(2)
            paid = self.fundings(buyer)
            server.kill()
            first = state_hash(self, data)
            self.assertEqual(state_hash(self, data, "--signatures"), first)
            with Server("--market", "empty", data=data) as server:
                again = Perps(server.accounts()[0])
                self.assertEqual(again.size(), "0.5")
                self.assertEqual(self.fundings(again), paid)
                time.sleep(1.5)
            self.assertNotEqual(state_hash(self, data), first, "it has gone on")

    def test_an_idle_log_rests_for_up_to_a_minute(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data):
                time.sleep(6)
            code, out, _ = run("verify", data)
            self.assertEqual(code, 0)
            batches = int(out.split(" batches")[0].split()[-1])
            # the first TICK, perhaps a minute's, and the commands that close them
            self.assertTrue(2 <= batches <= 5, out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
