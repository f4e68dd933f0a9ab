#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the instruction counts of the hot paths with recorded ones.

    benches/guard.py [--update] [--plant] [--build DIR] [--compiler NAME] [PATH...]

callgrind counts the instructions of small fixed runs; benches/guard.txt has a row for each: its name, instructions of
one operation, tolerance in per cent. A higher count fails; a lower one passes with the advice to renew the row.
--update writes the rows. --plant runs with a planted detour and succeeds when the comparison fails. Without valgrind,
or with another compiler than the one in the file, it says so and ends with 77; rows whose program is not built are left
out.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBERS = os.path.join(ROOT, "benches", "guard.txt")
SKIP = 77
TOLERANCE = 3.0
RECOVERY = "recover_signer"             # counting stops inside it
RECOVERIES = "recover_signers"          # of many at once

# path: (program and arguments, functions between whose entry and exit instructions count, operations)
PATHS = {
    **{row: (f"bench_engine {workload} --commands 20000 --runs 1 --bench-only".split(), ["apply_timed*"], 20000)
       for row, workload in (("engine-spot", "W2"), ("engine-w3", "W3"), ("engine-w4", "W4"), ("engine-w5", "W5"),
                             ("engine-perps", "perps"))},
    "order":        (["bench_guard", "order", "300"], ["guard_order", RECOVERY], 300),
    "batch":        (["bench_guard", "batch", "20"], ["guard_order", RECOVERY], 20),
    "group":        (["bench_guard", "group", "5"], ["guard_group", RECOVERIES], 40),
    "reply":        (["bench_guard", "reply", "1000"], ["guard_reply"], 1000),
    "book":         (["bench_guard", "book", "1000"], ["guard_book"], 1000),
    "state":        (["bench_guard", "state", "1000"], ["guard_state"], 1000),
}
PLANTED = "order"


def callgrind(program, arguments, functions, out, *settings):
    """Runs the program once and counts between entries and exits of the functions, into the file; what it said."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *settings,
               *(f"--toggle-collect={name}" for name in functions), program, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{said[-2000:]}"
                 f"{done.stdout.decode(errors='replace')[-500:]}")
    return said


def collected(program, arguments, functions):
    """Instructions between entries and exits of the functions."""
    with tempfile.TemporaryDirectory(prefix="guard-") as folder:
        said = callgrind(program, arguments, functions, f"{folder}/out")
    found = re.search(r"Collected : (\d+)", said)
    if not found:
        sys.exit(f"guard: {program} {' '.join(arguments)}: valgrind tells no count\n{said[-2000:]}")
    return int(found[1])


def count(program, arguments, functions, operations):
    """Instructions of one operation."""
    total = collected(program, arguments, functions)
    # once more without operations: the instructions of the start that are counted inside it
    if RECOVERY in functions or RECOVERIES in functions:
        total -= collected(program, [arguments[0], "0"], functions)
    if total <= 0:
        sys.exit(f"guard: {program}: nothing counted inside {functions}")
    return total / operations


def read_numbers(path=NUMBERS):
    """(compiler, {name: (instructions, tolerance in per cent)})"""
    compiler, rows = None, {}
    with open(path) as file:
        for line in file:
            if line.startswith("# compiler: "):
                compiler = line[len("# compiler: "):].strip()
            elif line.strip() and not line.startswith("#"):
                name, instructions, tolerance = line.split()
                rows[name] = (float(instructions), float(tolerance))
    return compiler, rows


def write_numbers(compiler, rows, path=NUMBERS):
    with open(path, "w") as file:
        file.write("# Instructions of one operation, and how many per cent more are accepted; `benches/guard.py "
                   f"--update` writes it.\n# compiler: {compiler}\n")
        file.writelines(f"{name:<13} {instructions:>9.0f} {tolerance:g}\n"
                        for name, (instructions, tolerance) in rows.items())


def compare(name, measured, instructions, tolerance):
    """(passes, line)"""
    change = 100 * (measured - instructions) / instructions
    line = (f"guard: {name}: {measured:.0f} instructions, {instructions:.0f} committed "
            f"({change:+.2f} %, at most +{tolerance:g})")
    if change > tolerance:
        return False, line + ": MORE"
    return True, line + (": less, --update keeps it" if change < -tolerance else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", help=" ".join(PATHS))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--compiler", help="that built it; else gcc as it is installed")
    options = parser.parse_args()
    unknown = [name for name in options.paths if name not in PATHS]
    if unknown:
        parser.error(f"there is no path {unknown[0]}")
    if not shutil.which("valgrind"):
        print("SKIP guard: valgrind is not installed (tools/setup test)")
        return SKIP
    compiler, rows = read_numbers()
    if options.compiler is None:
        options.compiler = "gcc " + subprocess.run(["gcc", "-dumpfullversion"], stdout=subprocess.PIPE,
                                                   text=True).stdout.strip()
    if options.compiler != compiler and not options.update:
        print(f"SKIP guard: the numbers are of {compiler}, this is {options.compiler}")
        return SKIP
    good, seen = True, 0
    for name in [PLANTED] if options.plant else options.paths or PATHS:
        (program, *arguments), functions, operations = PATHS[name]
        program = os.path.join(options.build, "benches", program)
        if not os.path.exists(program):
            print(f"SKIP guard: {name}: {program} is not built")
            continue
        measured = count(program, arguments + (["--plant"] if options.plant else []), functions, operations)
        seen += 1
        if options.update:
            rows[name] = (measured, rows.get(name, (0, TOLERANCE))[1])
            print(f"guard: {name}: {measured:.0f}")
            continue
        if name not in rows:
            sys.exit(f"guard: {name} has no row in {NUMBERS}")
        passes, line = compare(name, measured, *rows[name])
        print(line)
        good = good and passes
    if options.update:
        write_numbers(options.compiler, {name: rows[name] for name in PATHS if name in rows})
    return SKIP if seen == 0 else 1 if good == options.plant else 0


if __name__ == "__main__":
    sys.exit(main())
