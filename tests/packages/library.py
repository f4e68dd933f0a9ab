# SPDX-License-Identifier: MIT
"""libdojima installed below an empty prefix: found by pkg-config, linked both ways, and it matches the example. The two
commands of the site's first page do the same as they stand there."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD = os.path.dirname(os.environ["DOJIMA"])


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def first_page():
    """The commands of the tab `C` of the documentation site's first page."""
    with open("packaging/docs/index.md") as file:
        tab = re.search(r'^=== "C"\n\n    ```\n(.*?)^    ```$', file.read(), re.DOTALL | re.MULTILINE).group(1)
    lines = [line.strip() for line in tab.splitlines()]
    if [line.split()[0] for line in lines] != ["dojima", "cc"]:
        sys.exit(f"the first page has other commands than were thought of here: {lines}")
    return lines


def builds_what_is_installed(prefix):
    """The line with ninja in docs/library.md makes each library that the line below it installs, in a new tree too."""
    with open("docs/library.md") as file:
        targets = re.search(r"ninja -C build/release ([a-z_ ]+)$", file.read(), re.MULTILINE).group(1).split()
    made = run("ninja", "-C", BUILD, "-t", "commands", *targets)
    installed = [name for _, _, names in os.walk(prefix) for name in names]
    names = [name for name in installed if re.search(r"\.(a|so\.[0-9.]+\.[0-9]+)$", name)]
    missing = [name for name in names if name not in made]
    if len(names) != 3 or missing:
        sys.exit(f"docs/library.md builds {targets}; what is installed is {names}, and these are not made: {missing}")


def as_on_the_first_page(prefix, place):
    """With the program in the PATH, an exchange's folder that is called DIR, and match.c beside it."""
    folder = os.path.join(prefix, "first page")
    os.mkdir(folder)
    shutil.copy("examples/match.c", folder)
    place = {**place, "PATH": f"{BUILD}:{os.environ['PATH']}"}
    words = ["dojima", "dev", "--port", "0", "--market", "none", "--json", "--data", "DIR"]
    exchange = subprocess.Popen(words, cwd=folder, env=place, stdout=subprocess.PIPE, text=True)
    exchange.stdout.readline()
    exchange.send_signal(signal.SIGTERM)
    exchange.communicate(timeout=60)
    for line in first_page():
        run("sh", "-ec", line, cwd=folder, env=place)
    orders = os.path.join(folder, "orders.txt")
    with open(orders, "w") as file:                     # the accounts of an exchange for development, at its prices
        file.write("1001 vBTC_vUSDC sell 100000 0.01\n1002 vBTC_vUSDC buy 100000 0.01\n")
    said = run(os.path.join(folder, "match"), os.path.join(folder, "market.json"), orders, env=place)
    if "  trade 0.01 at 100000, 1002 buys from 1001\n" not in said:
        sys.exit(f"the commands of the first page give a program that says\n{said}")
    print("first page: 1 trade")


def main():
    for tool in ("cmake", "pkg-config", "cc"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    with open("examples/match.txt") as file:
        expected = file.read()
    with tempfile.TemporaryDirectory(prefix="dojima-library.") as prefix:
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", prefix)
        builds_what_is_installed(prefix)
        found = [folder for folder, _, names in os.walk(prefix) if "dojima.pc" in names]
        place = {**os.environ, "PKG_CONFIG_PATH": found[0]}
        flags = run("pkg-config", "--cflags", "--libs", "dojima", env=place).split()
        folder = os.path.dirname(found[0])
        source, programs = "examples/match.c", {}
        for name, words in (("shared", flags), ("static", [flags[0], os.path.join(folder, "libdojima.a")])):
            programs[name] = os.path.join(prefix, name)
            run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", source, *words, "-o", programs[name])
        for name, program in programs.items():
            said = run(program, "examples/market.json", "examples/orders.txt",
                       env={**os.environ, "LD_LIBRARY_PATH": folder})
            if said != expected:
                sys.exit(f"{name}: the example says\n{said}")
            print(f"{name}: {said.count('trade')} trades")
        market = "#include <dojima/market.h>\nint main(void) { return dojima_market_abi() != DOJIMA_MARKET_ABI; }\n"
        run("cc", "-Wall", "-Wextra", "-Werror", "-x", "c", "-", *flags, "-ldojima_market", "-o",
            os.path.join(prefix, "market"), input=market)
        run(os.path.join(prefix, "market"), env={**os.environ, "LD_LIBRARY_PATH": folder})
        as_on_the_first_page(prefix, {**place, "LD_LIBRARY_PATH": folder})
        if not os.path.exists(os.path.join(prefix, "share/man/man3/dojima-engine.3")):
            sys.exit("no manual page")
        run("c++", "-x", "c++", "-fsyntax-only", flags[0], "-include", "dojima/market.h", "/dev/null")


if __name__ == "__main__":
    main()
