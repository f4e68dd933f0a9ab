#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast are market reads, compared with nginx that returns the very same bytes?

    bench/reads.py [--rounds N] [--seconds S] [--only NAME] [--dojima PATH]

Starts `dojima dev`, fills a book, trades over 1,500 minutes of engine time, takes the bytes of each answer, gives
them to nginx and lets wrk -t1 -c64 ask each in turn. What fits a line of nginx's configuration is `return 200
'<body>'`, longer answers are a file it sends with sendfile from the page cache. Server and nginx are pinned to the
first core (one I/O thread, one worker), wrk to the second. Prints the median of the rounds' ratios, per read.
Needs wrk and nginx (tools/setup-bench) and the packages of the end-to-end tests (tools/setup test).
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
BASE = "/api/v1/spot/markets/"
READS = (                               # name, path, least ratio to nginx
    ("orderbook", "vBTC_vUSDC/orderbook?limit=10", 0.90),
    ("tickers", "tickers", 0.90),
    ("ticker", "tickers?symbol=vBTC_vUSDC", 0.90),
    ("miniTickers", "miniTickers", 0.90),
    ("bookTickers", "bookTickers", 0.90),
    ("klines-100", "vBTC_vUSDC/klines?interval=1m&limit=100", 0.90),
    ("klines-500", "vBTC_vUSDC/klines?interval=1m", 0.90),
    ("klines-1500", "vBTC_vUSDC/klines?interval=1m&limit=1500", 0.50),
)
INLINE_BYTES = 3500                     # of a line of nginx's configuration

NGINX = """
daemon off; master_process on; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; tcp_nopush on; open_file_cache max=10; etag off; default_type application/json; server_tokens off;
    keepalive_requests 1000000000; keepalive_timeout 3600;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{ {headers} {answer} }}
    }}
}}
"""


def free_port():
    import socket
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def fill(server, order):
    """Twelve levels a side, so that ten are a full answer."""
    account = server.accounts()[0]
    for side, base, step in ((1, 99990, -3), (2, 100010, 3)):
        reply = account.place(*[order(f"l{side}-{i}", side, f"{base + step * i}.5", f"0.{1000 + i * 7}") for i in range(12)])
        assert all(item["code"] == 0 for item in reply.data), reply
    return account


def start_nginx(folder, body, headers, cores):
    """nginx with the same body, and with the headers it would not send by itself, so that both write as many bytes."""
    port = free_port()
    config = os.path.join(folder, "nginx.conf")
    answer = "return 200 '" + body.decode().replace("\\", "\\\\").replace("'", "\\'") + "';"
    if len(body) > INLINE_BYTES:
        with open(os.path.join(folder, "body.json"), "wb") as file:
            file.write(body)
        answer = f"root {folder}; try_files /body.json =404;"
    with open(config, "w") as file:
        file.write(NGINX.format(folder=folder, port=port, answer=answer, headers=headers))
    process = subprocess.Popen(["taskset", "-c", cores[0], "/usr/sbin/nginx", "-p", folder, "-c", config],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, port


def wrk(port, path, seconds, cores):
    """Requests per second; none may fail."""
    out = subprocess.run(["taskset", "-c", cores[1], "wrk", "-t1", "-c64", f"-d{seconds}s", f"http://127.0.0.1:{port}{path}"],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit("bench/reads.py: " + out)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def extra_headers(reply):
    """What the program's answer says beyond nginx's own Server, Date, Content-Type, Content-Length, Connection."""
    own = {"server", "date", "content-type", "content-length", "connection"}
    return " ".join(f'add_header {name} "{value}";' for name, value in reply.headers.items() if name not in own)


def trade(server, maker, order):
    """A trade every ten minutes of 1,500: the rows between repeat the close."""
    from harness import Client, Connection, IOC
    taker, chain = server.accounts()[1], Connection(server.port)
    assert isinstance(taker, Client)
    body = b'{"jsonrpc":"2.0","id":1,"method":"evm_increaseTime","params":[600]}'
    for number in range(151):
        rest = maker.place(order(f"t{number}", 2, f"{100000 + number % 7}.5", f"0.0{1111 + number * 13}"))
        take = taker.place(order(f"t{number}", 1, f"{100000 + number % 7}.5", f"0.0{1111 + number * 13}", tif=IOC))
        assert rest.data[0]["code"] == take.data[0]["code"] == 0, (rest, take)
        reply = chain.send("POST", "/rpc", body, {"Content-Type": "application/json"})
        assert b'"result"' in reply.raw, reply


def measure(options, server, name, path, folder):
    from harness import Connection
    cores = ("0", "1" if (os.cpu_count() or 1) > 1 else "0")
    subprocess.run(["taskset", "-a", "-c", "-p", cores[0], str(server.process.pid)], stdout=subprocess.DEVNULL, check=True)
    reply = Connection(server.port).send("GET", path)
    assert reply.code == 0, reply
    nginx, port = start_nginx(folder, reply.raw, extra_headers(reply), cores)
    try:
        time.sleep(0.5)
        same = Connection(port).send("GET", path)
        assert same.raw == reply.raw, f"{name}: nginx does not return the same bytes"
        rounds = []
        for number in range(options.rounds):
            order = (server.port, port) if number % 2 == 0 else (port, server.port)     # nobody always goes first
            rate = {which: wrk(which, path, options.seconds, cores) for which in order}
            rounds.append((rate[server.port] / rate[port], rate[server.port], rate[port]))
        return len(reply.raw), rounds
    finally:
        nginx.terminate()
        nginx.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", help="one of " + ", ".join(name for name, _, _ in READS))
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    os.environ["DOJIMA"] = options.dojima
    from harness import Server, order
    with tempfile.TemporaryDirectory(prefix="dojima-reads-") as folder:
        os.chmod(folder, 0o755)             # nginx's worker is another user
        with Server("--no-limits", "--market", "none", binary=options.dojima) as server:
            trade(server, fill(server, order), order)
            for name, path, goal in READS:
                if options.only not in (None, name):
                    continue
                size, rounds = measure(options, server, name, BASE + path, folder)
                ratios = sorted(r[0] for r in rounds)
                print(f"reads: {name}: {statistics.median(ratios):.3f} of nginx returning the same {size} bytes (goal {goal:.2f}): "
                      f"{statistics.median(r[1] for r in rounds):.0f} against {statistics.median(r[2] for r in rounds):.0f} requests/s, "
                      f"{len(rounds)} rounds from {ratios[0]:.3f} to {ratios[-1]:.3f}; GET {path}, wrk -t1 -c64", flush=True)


if __name__ == "__main__":
    main()
