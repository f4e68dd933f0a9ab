#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines of memory a command needs that no look ahead has fetched.

    benches/lines.py [WORKLOAD...] [--commands N] [--level 1|2] [--rows N]

valgrind's model of a cache does not know prefetches. So the engine is built once more, in build/lines, with a read in
place of each (FETCH_READS in src/base/base.h), and callgrind counts the misses of a cache like the first (32 KiB) or
the second level (1 MiB, the default) in a workload of bench_engine. Printed are the misses of one command: all, those
that no look ahead and no FETCH made, and each place in the source with more than 0.01 of these, the most first.
"""
import argparse
import collections
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import guard

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "lines")
BYTES = {1: 32 << 10, 2: 1 << 20}
LEAST = 0.01
MISSES = ("D1mr", "D1mw")  # of reads, of writes
LOOKS = ("engine_prefetch", "level_far", "level_ahead", "look_far")  # the functions of src/core/engine/prefetch.c
NAME = re.compile(r"(c?(?:fn|fi|fe|fl))=\((\d+)\)(?: (.*))?$")


def build():
    for words in (["cmake", "--preset", "release", "-B", FOLDER, "-DDOJIMA_BENCH=ON",
                   "-DCMAKE_C_FLAGS=-O2 -DFETCH_READS"],
                  ["ninja", "-C", FOLDER, "bench_engine", "bench_generate"]):
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0: sys.exit(f"lines.py: {' '.join(words)}:\n{done.stdout}{done.stderr}")


def collect(workload, commands, level, out):
    guard.callgrind(os.path.join(FOLDER, "benches", "bench_engine"),
                    [workload, "--commands", str(commands), "--runs", "1", "--bench-only"], ["apply_timed*"], out,
                    "--cache-sim=yes", "--I1=32768,8,64", f"--D1={BYTES[level]},8,64")


def line_of(word, line):
    """Lines are given as numbers, as steps from the one before, or as the same again."""
    return line + int(word) if word[0] in "+-" else line if word == "*" else int(word)


def misses(path):
    """{(function, file, line): misses}, what callees do left out."""
    names, sums = {}, collections.Counter()
    function = file = None
    line, of_callee, columns = 0, False, []
    for text in open(path, encoding="utf-8"):
        named = NAME.match(text)
        if named:
            key, number, name = named.groups()
            kind = "function" if key.endswith("fn") else "file"
            if name: names[kind, number] = name
            if key == "fn": function = names[kind, number]
            elif kind == "file" and key != "cfi": file = names[kind, number]
            continue
        if text.startswith("events:"):
            columns = [1 + text.split()[1:].index(name) for name in MISSES]
        elif text.startswith("calls="):
            of_callee = True
        elif text[0].isdigit() or text[0] in "+-*":
            words = text.split()
            line = line_of(words[0], line)
            if not of_callee:
                sums[function, file, line] += sum(int(words[at]) for at in columns if at < len(words))
            of_callee = False
    return sums


@functools.lru_cache(None)
def source(path):
    return open(path, encoding="utf-8").read().split("\n") if os.path.exists(path) else []


def text_at(path, line):
    return source(path)[line - 1].strip() if 0 < line <= len(source(path)) else ""


def is_fetched(place):
    """Whether a look ahead missed there, or what stands for a prefetch."""
    function, path, line = place
    return function.startswith(LOOKS) or "FETCH(" in text_at(path, line)


def show(workload, options):
    with tempfile.TemporaryDirectory(prefix="lines-") as folder:
        out = os.path.join(folder, "out")
        collect(workload, options.commands, options.level, out)
        sums = misses(out)
    if sum(sums.values()) == 0: sys.exit("lines.py: valgrind counted nothing")
    bare = [row for row in sums.most_common() if not is_fetched(row[0])]
    print(f"{workload}, level {options.level}: {sum(sums.values()) / options.commands:.2f} misses a command, "
          f"{sum(count for _, count in bare) / options.commands:.2f} of them not fetched ahead")
    for (function, path, line), count in bare[:options.rows]:
        if count / options.commands < LEAST: break
        print(f"  {count / options.commands:5.2f}  {function}  {os.path.basename(path)}:{line}  "
              f"{text_at(path, line)[:90]}")


def main():
    parser = argparse.ArgumentParser(description="lines that no look ahead has fetched")
    parser.add_argument("workloads", nargs="*", default=["W2"])
    parser.add_argument("--commands", type=int, default=100000)
    parser.add_argument("--level", type=int, choices=sorted(BYTES), default=2)
    parser.add_argument("--rows", type=int, default=20)
    options = parser.parse_args()
    if options.commands < 1: parser.error("--commands is at least 1")
    if not shutil.which("valgrind"): sys.exit("lines.py: valgrind is not installed (tools/setup test)")
    build()
    for workload in options.workloads: show(workload, options)


if __name__ == "__main__":
    main()
