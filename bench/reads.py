#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast is an order book read, compared with nginx that returns the very same bytes from memory?

    bench/reads.py [--rounds N] [--seconds S] [--dojima PATH]

Starts `dojima dev`, fills a book, takes the bytes of GET .../orderbook?limit=10, gives them to nginx as
`return 200 '<body>'`, and lets wrk -t1 -c64 ask each in turn. Server and nginx are pinned to the first
core (one I/O thread, one worker), wrk to the second. Prints the median of the rounds' ratios.
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
PATH = "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=10"

NGINX = """
daemon off; master_process on; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; default_type application/json; server_tokens off;
    keepalive_requests 1000000000; keepalive_timeout 3600;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{ {headers} return 200 '{body}'; }}
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
    with open(config, "w") as file:
        file.write(NGINX.format(folder=folder, port=port, body=body.replace("\\", "\\\\").replace("'", "\\'"), headers=headers))
    process = subprocess.Popen(["taskset", "-c", cores[0], "/usr/sbin/nginx", "-p", folder, "-c", config],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, port


def wrk(port, seconds, cores):
    """Requests per second; none may fail."""
    out = subprocess.run(["taskset", "-c", cores[1], "wrk", "-t1", "-c64", f"-d{seconds}s", f"http://127.0.0.1:{port}{PATH}"],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit("bench/reads.py: " + out)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))


def extra_headers(reply):
    """What the program's answer says beyond nginx's own Server, Date, Content-Type, Content-Length, Connection."""
    own = {"server", "date", "content-type", "content-length", "connection"}
    return " ".join(f'add_header {name} "{value}";' for name, value in reply.headers.items() if name not in own)


def measure(options, server, account, folder):
    cores = ("0", "1" if (os.cpu_count() or 1) > 1 else "0")
    subprocess.run(["taskset", "-a", "-c", "-p", cores[0], str(server.process.pid)], stdout=subprocess.DEVNULL, check=True)
    reply = account.get("/markets/vBTC_vUSDC/orderbook?limit=10")
    assert len(reply.data["bids"]) == len(reply.data["asks"]) == 10, reply
    nginx, port = start_nginx(folder, reply.raw.decode(), extra_headers(reply), cores)
    try:
        time.sleep(0.5)
        from harness import Connection
        same = Connection(port).send("GET", PATH)
        assert same.raw == reply.raw, "nginx does not return the same bytes"
        rounds = []
        for number in range(options.rounds):
            order = (server.port, port) if number % 2 == 0 else (port, server.port)     # nobody always goes first
            rate = {which: wrk(which, options.seconds, cores) for which in order}
            rounds.append((rate[server.port] / rate[port], rate[server.port], rate[port]))
        return len(reply.raw), rounds
    finally:
        nginx.terminate()
        nginx.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    os.environ["DOJIMA"] = options.dojima
    from harness import Server, order
    with tempfile.TemporaryDirectory(prefix="dojima-reads-") as folder:
        os.chmod(folder, 0o755)             # nginx's worker is another user
        with Server("--no-limits", "--market", "none", binary=options.dojima) as server:
            size, rounds = measure(options, server, fill(server, order), folder)
    ratios = sorted(r[0] for r in rounds)
    print(f"reads: {statistics.median(ratios):.3f} of nginx returning the same {size} bytes (goal 0.90): "
          f"{statistics.median(r[1] for r in rounds):.0f} against {statistics.median(r[2] for r in rounds):.0f} requests/s, "
          f"{len(rounds)} rounds from {ratios[0]:.3f} to {ratios[-1]:.3f}; GET orderbook?limit=10, wrk -t1 -c64")


if __name__ == "__main__":
    main()
