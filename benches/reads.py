#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast are market reads, compared with nginx that returns the very same bytes?

    benches/reads.py [--rounds N] [--seconds S] [--only NAME] [--file] [--dojima PATH]

Starts `dojima dev`, fills a book, trades over 1,500 minutes of engine time, takes the bytes of each answer, gives
them to nginx as `return 200 '<body>'` and lets wrk -t1 -c64 ask each in turn. Server and nginx are pinned to the first
core (one I/O thread, one worker), wrk to the second. Prints the median of the rounds' ratios, and the processor time of
a request on both sides, which a busy machine does not change; per read. With --file nginx has the bytes in a file and
sends them with sendfile: the kernel then copies nothing, which an answer made for this moment cannot have.
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
PIECE_BYTES = 3000                      # of a word of nginx's configuration

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


def answer_of(folder, body, file):
    """The directives that answer with these bytes."""
    if file:
        with open(os.path.join(folder, "body.json"), "wb") as out:
            out.write(body)
        return f"root {folder}; try_files /body.json =404;"
    text = body.decode()
    pieces = [text[at:at + PIECE_BYTES] for at in range(0, len(text), PIECE_BYTES)]
    sets = "".join(f"set $piece{number} '" + piece.replace("\\", "\\\\").replace("'", "\\'") + "'; " for number, piece in enumerate(pieces))
    return sets + 'return 200 "' + "".join(f"${{piece{number}}}" for number in range(len(pieces))) + '";'


def start_nginx(folder, body, headers, cores, file=False):
    """nginx with the same body, and with the headers it would not send by itself, so that both write as many bytes."""
    port = free_port()
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as out:
        out.write(NGINX.format(folder=folder, port=port, answer=answer_of(folder, body, file), headers=headers))
    process = subprocess.Popen(["taskset", "-c", cores[0], "/usr/sbin/nginx", "-p", folder, "-c", config],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, port


def processor_seconds(pid):
    """Of a process with all its threads and children."""
    children = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE).stdout.split()
    total = 0
    for one in (pid, *map(int, children)):
        with open(f"/proc/{one}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def wrk(port, pid, path, seconds, cores):
    """Requests per second, and the server's processor time per request in microseconds; none may fail."""
    before = processor_seconds(pid)
    out = subprocess.run(["taskset", "-c", cores[1], "wrk", "-t1", "-c64", f"-d{seconds}s", f"http://127.0.0.1:{port}{path}"],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit("benches/reads.py: " + out)
    spent = processor_seconds(pid) - before
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), spent / int(re.search(r"(\d+) requests in", out).group(1)) * 1e6


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
    nginx, port = start_nginx(folder, reply.raw, extra_headers(reply), cores, options.file)
    try:
        time.sleep(0.5)
        same = Connection(port).send("GET", path)
        assert same.raw == reply.raw, f"{name}: nginx does not return the same bytes"
        rounds = []
        for number in range(options.rounds):
            order = (server.port, port) if number % 2 == 0 else (port, server.port)     # nobody always goes first
            pids = {server.port: server.process.pid, port: nginx.pid}
            seen = {which: wrk(which, pids[which], path, options.seconds, cores) for which in order}
            rounds.append((seen[server.port][0] / seen[port][0], *seen[server.port], *seen[port]))
        return len(reply.raw), rounds
    finally:
        nginx.terminate()
        nginx.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", help="one of " + ", ".join(name for name, _, _ in READS))
    parser.add_argument("--file", action="store_true", help="nginx sends a file")
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
                ours, our_us, theirs, their_us = (statistics.median(r[column] for r in rounds) for column in range(1, 5))
                print(f"reads: {name}: {statistics.median(ratios):.3f} of nginx returning the same {size} bytes (goal {goal:.2f}): "
                      f"{ours:.0f} against {theirs:.0f} requests/s, {len(rounds)} rounds from {ratios[0]:.3f} to {ratios[-1]:.3f}; "
                      f"processor time {our_us:.2f} against {their_us:.2f} us, ratio {their_us / our_us:.2f}", flush=True)


if __name__ == "__main__":
    main()
