#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of reads, compared with nginx that returns the same bytes.

    benches/reads.py [--rounds N] [--seconds S] [--only NAME]... [--file] [--dojima PATH]

Starts `dojima dev` and gives every read of both bases its longest response (reads_world.py); takes the bytes of each
response, gives them to nginx as `return 200 '<body>'` and lets wrk -t1 -c64 request both in turns of 0.1 s. Server and
nginx are pinned to the first core (one I/O thread, one worker), wrk to the second. The result is requests by second of
the processor time that the program or nginx took with all its threads, because wrk and not the server may be the
bottleneck; requests by second of the clock are printed beside. PIPELINED reads are measured again, 16 requests in one
piece, of both, on 15 connections: the program sheds (503) requests that are late behind 256 others. Three groups
(cached, account, history) have a figure of their slowest read, which table.py finds. With --file nginx has the bytes
in a file and sends them with sendfile: the kernel then copies nothing, which is impossible for a response that is
encoded on request. Needs wrk and nginx (tools/setup-bench) and the packages of the end-to-end tests (tools/setup
test).
"""
import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
PIPELINED = ("spot-orderbook", "spot-tickers", "perps-mark-prices")
DEPTH = 16                              # requests in one piece
TURN_SECONDS = 0.1                      # one load runs while the other is stopped
PIECE_BYTES = 3000                      # of a word of nginx's configuration

NGINX = """
daemon off; master_process on; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; tcp_nopush on; open_file_cache max=10; etag off;
    default_type application/json; server_tokens off;
    keepalive_requests 1000000000; keepalive_timeout 3600;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
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


def await_port(port):
    """Waits until a server listens there, ten seconds at most."""
    import socket
    for _ in range(200):
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("benches/reads.py: nginx does not start")


def answer_of(folder, body, file):
    """The directives that answer with these bytes."""
    if file:
        with open(os.path.join(folder, "body.json"), "wb") as out:
            out.write(body)
        return f"root {folder}; try_files /body.json =404;"
    text = body.decode()
    pieces = [text[at:at + PIECE_BYTES] for at in range(0, len(text), PIECE_BYTES)]
    sets = "".join(f"set $piece{number} '" + piece.replace("\\", "\\\\").replace("'", "\\'") + "'; "
                   for number, piece in enumerate(pieces))
    return sets + 'return 200 "' + "".join(f"${{piece{number}}}" for number in range(len(pieces))) + '";'


def start_nginx(folder, body, headers, cores, file=False):
    """nginx with the same body, and with the headers it would not send by itself, so that both write as many bytes."""
    port = free_port()
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as out:
        out.write(NGINX.format(folder=folder, port=port, answer=answer_of(folder, body, file), headers=headers))
    process = subprocess.Popen(["taskset", "-c", cores[0], "/usr/sbin/nginx", "-p", folder, "-c", config],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_port(port)
    return process, port


def processor_seconds(pid):
    """Processor time of a process with all its threads and children."""
    children = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE).stdout.split()
    total = 0
    for one in (pid, *map(int, children)):
        for thread in os.listdir(f"/proc/{one}/task"):
            with open(f"/proc/{one}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def write_script(folder):
    """Lets wrk send DEPTH requests in one piece."""
    path = os.path.join(folder, "pipeline.lua")
    with open(path, "w") as out:
        out.write(f"local piece\ninit = function() local all = {{}} for i = 1, {DEPTH} do all[i] = wrk.format() end "
                  "piece = table.concat(all) end\n"
                  "request = function() return piece end\n")
    return path


def in_turns(loads):
    """Lets loads that have started run one at a time, TURN_SECONDS each, until they end: the machine is faster in one
    second than in the next, so the two of a comparison share every second. The seconds that each ran."""
    ran = [0.0] * len(loads)
    try:
        for load in loads:
            load.send_signal(signal.SIGSTOP)
        while any(load.poll() is None for load in loads):
            for number, load in enumerate(loads):
                begun = time.monotonic()
                load.send_signal(signal.SIGCONT)
                try:
                    load.wait(TURN_SECONDS)
                except subprocess.TimeoutExpired:
                    load.send_signal(signal.SIGSTOP)
                ran[number] += time.monotonic() - begun
        return ran
    finally:
        for load in loads:
            load.kill()                     # one that is stopped would stay


def wrk(servers, path, seconds, cores, script=None):
    """Of each of `servers` (port, pid), in turns: requests per second that its load ran, and the server's processor
    time per request in microseconds; none may fail. On a machine that does not schedule it the program sheds requests
    (503): then the measurement is repeated, a few times."""
    for _ in range(5):
        before = [processor_seconds(pid) for _, pid in servers]
        loads = [subprocess.Popen(["taskset", "-c", cores[1], "wrk", "-t1", "-c15" if script else "-c64",
                                   f"-d{seconds * len(servers)}s", *(["-s", script] if script else []),
                                   f"http://127.0.0.1:{port}{path}"], stdout=subprocess.PIPE) for port, _ in servers]
        ran = in_turns(loads)
        spent = [processor_seconds(pid) - was for (_, pid), was in zip(servers, before)]
        outs = [load.communicate()[0].decode() for load in loads]
        if any(load.returncode != 0 for load in loads):
            break
        if not any("Non-2xx" in out or "Socket errors" in out for out in outs):
            counts = [int(re.search(r"(\d+) requests in", out).group(1)) for out in outs]
            return [(count / turn, used / count * 1e6) for count, turn, used in zip(counts, ran, spent)]
    sys.exit("benches/reads.py: wrk failed, or requests did: " + "".join(outs))


def extra_headers(reply):
    """The headers of the program's response beyond nginx's own Server, Date, Content-Type, Content-Length,
    Connection."""
    own = {"server", "date", "content-type", "content-length", "connection"}
    return " ".join(f'add_header {name} "{value}";' for name, value in reply.headers.items() if name not in own)


def measure(options, server, name, path, rows, folder):
    """The bytes of a response, and of each round (our requests/s, our us, theirs, theirs), of pieces of requests
    last."""
    from harness import Connection
    cores = ("0", "1" if (os.cpu_count() or 1) > 1 else "0")
    subprocess.run(["taskset", "-a", "-c", "-p", cores[0], str(server.process.pid)], stdout=subprocess.DEVNULL,
                   check=True)
    reply = Connection(server.port).send("GET", path)
    assert reply.code == 0 and reply.raw.count(b"{") > rows, (name, rows, reply)
    nginx, port = start_nginx(folder, reply.raw, extra_headers(reply), cores, options.file)
    try:
        same = Connection(port).send("GET", path)
        assert same.raw == reply.raw, f"{name}: nginx does not return the same bytes"
        scripts = (None, write_script(folder)) if name in PIPELINED else (None,)
        rounds = {script is not None: [] for script in scripts}
        servers = ((server.port, server.process.pid), (port, nginx.pid))
        for _ in range(options.rounds):
            for script in scripts:
                ours, theirs = wrk(servers, path, options.seconds, cores, script)
                rounds[script is not None].append((*ours, *theirs))
        return len(reply.raw), rounds
    finally:
        nginx.terminate()
        nginx.wait()


def figure(name, value, against):
    if os.environ.get("DOJIMA_FIGURES"):
        print(f"@ {name} {value:.9g} {against:.9g}", flush=True)


def tell(name, size, rounds, piped):
    """Prints one line; (a core's requests per second, nginx's), of the round in the middle by their ratio: what the
    machine does beside changes from round to round, and the two of one round share its time."""
    _, our_us, _, their_us = sorted(rounds, key=lambda r: r[3] / r[1])[(len(rounds) - 1) // 2]
    ours, theirs = (statistics.median(r[column] for r in rounds) for column in (0, 2))
    print(f"get: {name}{f', {DEPTH} in a piece' if piped else ''}: {their_us / our_us:.3f} of nginx returning the "
          f"same {size} bytes, by processor time ({our_us:.2f} against {their_us:.2f} us); "
          f"{ours / theirs:.3f} by the clock: {ours:.0f} against {theirs:.0f} requests/s; {len(rounds)} rounds",
          flush=True)
    return 1e6 / our_us, 1e6 / their_us


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", action="append", help="the name of a read, as its line calls it")
    parser.add_argument("--file", action="store_true", help="nginx sends a file")
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    os.environ["DOJIMA"] = options.dojima
    from harness import Server
    from reads_world import World, reads
    with tempfile.TemporaryDirectory(prefix="dojima-reads-") as folder:
        os.chmod(folder, 0o755)             # nginx's worker runs as another user
        with Server("--no-limits", "--market", "none", binary=options.dojima) as server:
            everything = list(reads(World(server).maker.address))
            chosen = [read for read in everything if options.only is None or read[1] in options.only]
            if not chosen or len(chosen) < len(options.only or ()):
                parser.error("there is only " + ", ".join(name for _, name, _, _ in everything))
            for group, name, path, rows in chosen:
                size, rounds = measure(options, server, name, path, rows, folder)
                figure(f"get-{group}/{name}", *tell(name, size, rounds[False], False))
                if True in rounds:
                    figure(f"get-pipelined/{name}", *tell(name, size, rounds[True], True))


if __name__ == "__main__":
    main()
