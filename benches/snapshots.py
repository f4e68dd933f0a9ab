#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long snapshots and reverts of a development exchange take while its traders trade, after so much engine time:

    python3 benches/snapshots.py [BINARY] [--seconds 3600] [--rounds 50] [--many 10000]
"""
import argparse
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", nargs="?", default=os.path.join(ROOT, "build", "release", "dojima"))
    parser.add_argument("--seconds", type=int, default=3600, help="engine time before the first snapshot")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--many", type=int, default=10000, help="snapshots at the end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="snapshots-") as folder:
        process = subprocess.Popen([options.binary, "dev", "--port", "0", "--json", "--no-limits", "--data", folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            measure(process, options, folder)
        finally:
            process.terminate()
            process.wait()


def measure(process, options, folder):
    url = json.loads(process.stdout.readline())["url"]
    connection = http.client.HTTPConnection(url.split("//")[1], timeout=600)

    def call(method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
        began = time.monotonic()
        connection.request("POST", "/rpc", body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        took = (time.monotonic() - began) * 1000
        assert "result" in answer, (method, answer)
        return answer["result"], took

    def resident():
        with open(f"/proc/{process.pid}/status") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))

    def line(what, times):
        ordered = sorted(times)
        nine = ordered[int(len(ordered) * 0.9)]
        print(f"{what:28} {statistics.median(ordered):8.2f} ms in the middle, {nine:8.2f} ms "
              f"for nine of ten, {ordered[-1]:8.2f} ms at most, of {len(ordered)}", flush=True)

    _, took = call("evm_increaseTime", options.seconds)
    print(f"{options.seconds} s of engine time in {took / 1000:.1f} s; {resident()} MiB resident")
    time.sleep(3)
    idle = [call("eth_chainId")[1] for _ in range(options.rounds)]
    snapshots, reverts = [], []
    for _ in range(options.rounds):
        time.sleep(0.2)                                 # the traders go on
        number, took = call("evm_snapshot")
        snapshots.append(took)
        time.sleep(0.2)
        reverts.append(call("evm_revert", number)[1])
    line("a call that does nothing", idle)
    line("snapshot", snapshots)
    line("revert", reverts)
    many = [call("evm_snapshot")[1] for _ in range(options.many)]
    line(f"{options.many} snapshots in a row", many)
    line("and a revert to the first", [call("evm_revert", "0x1")[1]])
    print(f"{resident()} MiB resident; savepoints {os.path.getsize(os.path.join(folder, 'savepoints'))} bytes")


if __name__ == "__main__":
    main()
