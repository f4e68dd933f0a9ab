#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Why requests are late: each request over 2 ms by the wait for a core that overlapped it most.

    benches/late.py [--runs N] [--seconds S] [--rate R] [--sync] [--dojima PATH]

Runs `bench_open_loop causes` while perf(1) records who has which core (as root, in which threads waited for longer than
0.1 ms), and prints the shares over all runs. A wait begins when a thread is woken or loses its core, and is laid to
whoever had that core for most of it; to nobody of this machine where the load's core saw no event for half a
millisecond, although the load sleeps for 50 us there and goes first. A request that no wait overlaps stood behind
others that had been late, or behind work.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(ROOT, "build", "release", "benches", "bench_open_loop")
FRONT = ("io-0", "engine", "journal")
BACK = ("keeper", "check-idle", "check", "admin")
WAIT_S = 0.0001
STILL_S = 0.0005  # the load naps for 50 us on its core, before all others: so long no interrupt came at all
LINE = re.compile(r"\s*(.*?)\s+(\d+)\s+\[(\d+)\]\s+([\d.]+):\s+sched:(\w+):\s+(.*)")
SWITCH = re.compile(r".*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+) ")
WAKING = re.compile(r".*pid=(\d+) prio=")


def threads_of(bench):
    """Names of the threads of the exchange that `bench` has started, and of its own, by number."""
    names = {}
    shown = subprocess.run(["ps", "-eLo", "pid=,ppid=,lwp=,comm="], capture_output=True, text=True).stdout
    for line in shown.split("\n"):
        word = line.split(None, 3)
        if len(word) == 4 and int(word[0]) == bench: names[int(word[2])] = "load"
        if len(word) == 4 and int(word[1]) == bench: names[int(word[2])] = word[3]
    return names


def record(options, folder):
    """The trace's lines, names of threads, and requests that were late as (due, answered)."""
    data, late = os.path.join(folder, "sched"), os.path.join(folder, "late")
    words = [BENCH, "causes", "--dojima", os.path.abspath(options.dojima), "--seconds", str(options.seconds), "--rate",
             str(options.rate), "--late", late] + ([] if options.sync else ["--nosync"])
    if shutil.which("perf") is None: sys.exit("late.py: perf is not installed")
    perf = subprocess.Popen(["perf", "record", "-q", "-a", "-k", "CLOCK_MONOTONIC", "-m", "4096", "-e",
                             "sched:sched_switch,sched:sched_waking", "-o", data], stderr=subprocess.DEVNULL)
    bench = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    names = {}
    while bench.poll() is None:
        names.update(threads_of(bench.pid))
        time.sleep(0.2)
    perf.terminate()
    perf.wait()
    if bench.returncode != 0: sys.exit("late.py: bench_open_loop failed")
    for line in bench.stdout:
        if line.startswith("open-loop causes: at"): print(line.strip(), flush=True)
    trace = subprocess.run(["perf", "script", "-i", data, "-F", "comm,tid,cpu,time,event,trace"], capture_output=True,
                           text=True, errors="replace").stdout
    if "sched:sched_switch" not in trace: sys.exit("late.py: perf has recorded no switch; it must run as root")
    return trace.split("\n"), names, [tuple(map(float, line.split())) for line in open(late)]


def waits_of(lines, names):
    """(from, to, thread, holder) of each wait of a thread that is named."""
    ready, last, held, waits = {}, {}, collections.defaultdict(collections.deque), []
    on, load_core = {}, None
    for line in lines:
        found = LINE.match(line)
        if not found: continue
        now, cpu, event, rest = float(found[4]), found[3], found[5], found[6]
        who = names.get(on.get(cpu), "other programs") if on.get(cpu) != 0 else "nobody"
        if cpu == load_core and who != "load" and now - last.get(cpu, now) > STILL_S: who = "a core that stood still"
        held[cpu].append((last.get(cpu, now), now, who))
        while now - held[cpu][0][1] > 0.1: held[cpu].popleft()
        last[cpu] = now
        if event == "sched_waking":
            woken = WAKING.match(rest)
            if woken and int(woken[1]) in names: ready.setdefault(int(woken[1]), now)
            continue
        switch = SWITCH.match(rest)
        if not switch: continue
        old, state, new = int(switch[1]), switch[2], int(switch[3])
        on[cpu] = new
        if names.get(new) == "load": load_core = cpu
        if old in names:
            if state.startswith("R"): ready[old] = now
            else: ready.pop(old, None)
        since = ready.pop(new, None)
        if since is None or now - since < WAIT_S: continue
        by = collections.Counter()
        for begun, ended, holder in held[cpu]:
            if ended > since: by[holder] += ended - max(begun, since)
        waits.append((since, now, names[new], by.most_common(1)[0][0]))
    return waits


def cause_of(due, answered, waits):
    best, cause = WAIT_S, "no wait: behind requests that were late, or work"
    for since, until, thread, holder in waits:
        overlap = min(until, answered) - max(since, due)
        if overlap > best and (thread in FRONT or thread == "load"): best, cause = overlap, f"{thread} behind {holder}"
    return cause


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rate", type=int, default=15000)
    parser.add_argument("--sync", action="store_true")
    parser.add_argument("--dojima", default=os.path.join(ROOT, "build", "release", "dojima"))
    options = parser.parse_args()
    late, longest, count = collections.Counter(), collections.Counter(), collections.Counter()
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            lines, names, requests = record(options, folder)
        waits = waits_of(lines, names)
        if not requests: continue
        first, last = requests[0][0], requests[-1][1]
        for since, until, thread, holder in waits:
            if thread not in FRONT or since < first - 1 or until > last + 1 or until - since < 0.0005: continue
            count[f"{thread} behind {holder}"] += 1
            longest[f"{thread} behind {holder}"] = max(longest[f"{thread} behind {holder}"], until - since)
        for due, answered in requests: late[cause_of(due, answered, waits)] += 1
    total = sum(late.values())
    requests = options.runs * options.seconds * options.rate
    print(f"late: {total} requests over 2 ms, {total / requests * 100:.2f} % of {requests:.0f}, in {options.runs} runs")
    print("  share of them, requests, waits over 0.5 ms, the longest in ms: cause")
    for cause in sorted(set(late) | set(count), key=lambda cause: (-late[cause], -count[cause])):
        print(f"  {late[cause] / max(total, 1) * 100:5.1f} %  {late[cause]:6}  {count[cause]:4}  "
              f"{longest[cause] * 1000:5.1f}: {cause}")


if __name__ == "__main__":
    main()
