#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The market of a development exchange: its banner, its idle share, a day at full speed, and what it takes from a user.

    benches/market.py [banner] [idle] [day] [orders] [--hours H] [--starts N] [--seconds S] [--dojima PATH]

Without words all of them. banner: as benches/start.py, with the market calm. idle: processor time of the whole process
over --seconds while the market trades. day: --hours (24) of calm by advances of an hour with a clock that stands,
views, history and log included; the processor time too. orders: signed orders a second of ten accounts, each over a
connection of its own with 100 requests under way, all of them accepted; with the market calm and with none, in turns;
the ratio is the median of those of the turns, one of which takes a tenth of a second.
"""
import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

TICKS = os.sysconf("SC_CLK_TCK")
WORDS = ("banner", "idle", "day", "orders")
ORDERS = 400                           # of an account and a turn
UNDER_WAY = 100
TURNS = 15


class Exchange:
    def __init__(self, program, *words):
        self.folder = tempfile.TemporaryDirectory(prefix="dojima-market-")
        data = os.path.join(self.folder.name, "data")
        began = time.perf_counter()
        self.process = subprocess.Popen([program, "dev", "--port", "0", "--json", "--data", data, *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline()
        self.took = time.perf_counter() - began
        if not line.startswith(b"{"):
            sys.exit(f"benches/market.py: {program} did not start: {line!r}")
        self.about = json.loads(line)
        self.port = int(self.about["url"].rsplit(":", 1)[1])

    def rpc(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.about["rpc"], body, {"Content-Type": "application/json"})
        answer = json.loads(urllib.request.urlopen(request, timeout=600).read())
        if "error" in answer:
            sys.exit(f"benches/market.py: {method}: {answer['error']}")
        return answer["result"]

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICKS

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.folder.cleanup()


def figure(name, value):
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ market-{name} {value:.9g} 0", flush=True)


def banner(options):
    took = []
    for _ in range(options.starts):
        with Exchange(options.dojima) as exchange:
            took.append(exchange.took * 1000)
    print(f"market banner: {statistics.median(took):.1f} ms, the fastest {min(took):.1f}, the slowest {max(took):.1f}",
          flush=True)
    figure("banner", statistics.median(took))


def idle(options):
    with Exchange(options.dojima) as exchange:
        time.sleep(3)
        before = exchange.cpu()
        time.sleep(options.seconds)
        share = (exchange.cpu() - before) / options.seconds
    print(f"market idle: {100 - 100 * share:.1f} % of a core is idle while calm trades", flush=True)
    figure("idle", 100 - 100 * share)


def day(options):
    with Exchange(options.dojima, "--clock", "0", "--timestamp", "1767225600") as exchange:
        began, before = time.perf_counter(), exchange.cpu()
        for _ in range(options.hours):
            exchange.rpc("evm_increaseTime", 3600)
        took, cpu = time.perf_counter() - began, exchange.cpu() - before
    print(f"market day: {took * 24 / options.hours:.1f} s for a day of calm, {cpu * 24 / options.hours:.1f} s of "
          f"processor time; measured over {options.hours} hours", flush=True)
    figure("day", took * 24 / options.hours)


def requests_of(wallet, account, first_nonce):
    """The bytes of ORDERS requests: bids far below the market, which expire at once."""
    parts = []
    for i in range(ORDERS):
        nonce = first_nonce + i
        price = 95500 + i % 500
        body = (f'{{"accountID":{account},"orders":[{{"symbolID":1,"clOrdID":"b{nonce}","side":1,"type":1,'
                f'"timeInForce":3,"price":"{price}","quantity":"0.0001"}}]}}').encode()
        sign = wallet.sign("batchNewOrder", body, nonce)
        head = (f"POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Nonce: {nonce}\r\n"
                f"X-API-Sign: {sign}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        parts.append(head.encode() + body)
    return parts


def send_all(port, parts, wrong):
    """Keeps UNDER_WAY requests under way on one connection."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        sent = answered = 0
        rest = b""
        while answered < len(parts):
            if sent - answered <= UNDER_WAY // 2 and sent < len(parts):
                batch = parts[sent:answered + UNDER_WAY]
                connection.sendall(b"".join(batch))
                sent += len(batch)
            got = connection.recv(1 << 18)
            if not got:
                wrong.append("the connection was closed")
                return
            text = rest + got
            answered += text.count(b"\"orderID\":")
            if b"\"error\"" in text:
                wrong.append(text[:600])
                return
            rest = text[-16:] if not text.endswith(b"}") else b""


def one_turn(exchange, wallets):
    nonce = int(time.time() * 1000) - 3600000 + exchange.turn * ORDERS
    exchange.turn += 1
    plans = [requests_of(wallet, account, nonce) for wallet, account in wallets]
    wrong = []
    threads = [threading.Thread(target=send_all, args=(exchange.port, parts, wrong)) for parts in plans]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    if wrong:
        sys.exit(f"benches/market.py: {wrong[0]!r}")
    return len(wallets) * ORDERS / took


def orders(options):
    import harness
    rates = {"calm": [], "none": []}
    with Exchange(options.dojima, "--no-limits") as calm, \
            Exchange(options.dojima, "--no-limits", "--market", "none") as none:
        for exchange in (calm, none):
            exchange.turn = 0
            exchange.wallets = [(harness.Wallet(a["privateKey"]), a["accountID"]) for a in exchange.about["accounts"]]
        pair = [("calm", calm), ("none", none)]
        for _ in range(TURNS):
            pair.reverse()                      # neither is always the second
            for name, exchange in pair:
                rates[name].append(one_turn(exchange, exchange.wallets))
    ratio = statistics.median(one / other for one, other in zip(rates["calm"], rates["none"]))
    print(f"market orders: {statistics.median(rates['calm']):.0f} signed orders a second while calm trades, "
          f"{statistics.median(rates['none']):.0f} without: {ratio:.3f}", flush=True)
    figure("orders", ratio)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", choices=[*WORDS, []])
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--starts", type=int, default=11)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    for word in options.words or WORDS:
        globals()[word](options)


if __name__ == "__main__":
    main()
