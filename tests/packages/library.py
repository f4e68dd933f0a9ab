# SPDX-License-Identifier: MIT
"""libdojima installed below an empty prefix: found by pkg-config, linked both ways, and it matches the example."""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.dirname(os.environ["DOJIMA"])


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    for tool in ("cmake", "pkg-config", "cc"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    with open("examples/match.txt") as file:
        expected = file.read()
    with tempfile.TemporaryDirectory(prefix="dojima-library.") as prefix:
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", prefix)
        found = [folder for folder, _, names in os.walk(prefix) if "dojima.pc" in names]
        place = {**os.environ, "PKG_CONFIG_PATH": found[0]}
        flags = run("pkg-config", "--cflags", "--libs", "dojima", env=place).split()
        folder = os.path.dirname(found[0])
        source, programs = "examples/match.c", {}
        for name, words in (("shared", flags), ("static", [flags[0], os.path.join(folder, "libdojima.a")])):
            programs[name] = os.path.join(prefix, name)
            run("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", source, *words, "-o", programs[name])
        for name, program in programs.items():
            said = run(program, "examples/market.json", "examples/orders.txt",
                       env={**os.environ, "LD_LIBRARY_PATH": folder})
            if said != expected:
                sys.exit(f"{name}: the example says\n{said}")
            print(f"{name}: {said.count('trade')} trades")
        if not os.path.exists(os.path.join(prefix, "share/man/man3/dojima-engine.3")):
            sys.exit("no manual page")
        run("c++", "-x", "c++", "-fsyntax-only", flags[0], "-include", "dojima/engine.h", "/dev/null")


if __name__ == "__main__":
    main()
