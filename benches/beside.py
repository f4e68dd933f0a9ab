#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges floors that are times and rates on a machine that is not the one for which they were set.

    benches/beside.py OTHER [NAME...] [--runs N]

The floors of THEN were set at 02a0440, which had the figures of THEN on the machine of that time. A floor over
its figure is the share of 02a0440's time, or the multiple of its rate, that is required. OTHER is a folder in which
02a0440 was built with its benchmarks. Each run (5) is made there and then here, and the median of the runs' shares is
judged. NAME is engine or durable; without one both run. Prints a table in Markdown. Exit code 1: a floor does not hold
by its share; 2: a program failed or did not print its figures.
"""
import argparse
import os
import statistics
import sys

import table

THEN = {  # the middle where it was a range
    "engine-w2": 150, "engine-perps": 215, "engine-w3": 250, "engine-w4": 205, "engine-w5": 245, "engine-big": 405,
    "durable-hundred": 2440000, "durable-single": 1380000, "durable-history": 660000,
}
PROGRAMS = {  # as ./bench runs them, without the workloads that have no figure in THEN
    "engine": ["taskset", "-c", "0", "build/release/benches/bench_engine", "W2", "W3", "W4", "W5", "perps", "big",
               "--runs", "3", "--bench-only"],
    "durable": ["build/release/benches/bench_durable", "hundred", "single", "history"],
}


def row(name, there, here):
    """The row of a figure from its values of each run, and whether its floor holds by its share."""
    _, unit, _, _, direction, floor, _ = table.FIGURES[name]
    share = floor / THEN[name]
    found = [value / other for value, other in zip(here, there)]
    judged = statistics.median(found)
    holds = table.verdict(judged, direction, share, None) != "short"
    medians = [f"{table.number(statistics.median(values))} {unit}" for values in (there, here)]
    cells = [name, f"{table.number(THEN[name])} {unit}", table.bound(floor, direction, unit),
             table.bound(share, direction, None), *medians,
             f"{judged:.3g} ({min(found):.3g} to {max(found):.3g})", "holds" if holds else "short"]
    return "| " + " | ".join(cells) + " |", holds


def measure(names, folders, runs):
    """{figure: [[value there], [value here]]}; None when a program failed or did not print a figure of THEN."""
    values = {folder: {} for folder in folders}
    for name in names:
        for _ in range(runs):
            if not all(table.run_once(PROGRAMS[name], True, values[folder], folder) for folder in folders):
                return None
    wanted = [figure for figure in THEN if figure.split("-")[0] in names]
    for folder, figures in values.items():
        for figure in wanted:
            if figure not in figures:
                table.say(True, f"{folder} printed no {figure}")
                return None
    return {figure: [[value for value, _ in values[folder][figure]] for folder in folders] for figure in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(PROGRAMS))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in PROGRAMS]
    if unknown or options.runs < 1:
        parser.error(f"there is no {unknown[0]}; there are {' '.join(PROGRAMS)}" if unknown else "at least one run")
    figures = measure(options.names or PROGRAMS, (os.path.abspath(options.other), table.ROOT), options.runs)
    if figures is None:
        return 2
    print("| figure | 02a0440 then | floor | its share | 02a0440 here | this commit | share | |")
    print("|---|---|---|---|---|---|---|---|")
    all_hold = True
    for name, sides in figures.items():
        line, holds = row(name, *sides)
        print(line)
        all_hold = all_hold and holds
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
