#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/run.py [--write] [whole]: the tests of clients/python in an environment of their own under build/clients.

First the generated files are compared with the interface of the running program (with --write they are written, and that
is all). `whole` adds mypy --strict, an installation from the wheel into an empty environment, and the tests in it.
Exit code 77 with a line where the packages cannot be installed.
"""
import ast
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
BINARY = os.environ.get("DOJIMA", str(ROOT / "build" / "release" / "dojima"))
PLACE = ROOT / "build" / "clients" / "python"
PYTHON = PLACE / "bin" / "python3"


def skip(why):
    print("SKIP clients/python: " + why)
    sys.exit(77)


def install():
    """The environment with the pinned packages; made once for each version of requirements.txt."""
    stamp, wanted = PLACE / "requirements.txt", (HERE / "requirements.txt").read_bytes()
    if stamp.exists() and stamp.read_bytes() == wanted:
        return
    if importlib.util.find_spec("ensurepip") is None:
        skip("the Debian package python3-venv is not installed")
    for line in ([sys.executable, "-m", "venv", "--clear", str(PLACE)],
                 [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes",
                  "--only-binary=:all:", "-r", str(HERE / "requirements.txt")]):
        try:
            done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(str(error))
        if done.returncode:
            skip("cannot install: " + (done.stdout.decode(errors="replace").strip().splitlines() or ["?"])[-1])
    stamp.write_bytes(wanted)


def generated(write):
    """Compares (or writes) the generated files with what the program says of its interface."""
    process = subprocess.Popen([BINARY, "dev", "--json", "--port", "0", "--market", "none", "--no-limits",
                                "--until-stdin-closes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        url = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(url + "/openapi.json", timeout=30) as reply:
            text = reply.read()
    finally:
        process.stdin.close()
        process.wait(30)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text)
        file.flush()
        line = [sys.executable, "-B", "-m", "generate", file.name, str(ROOT / "docs" / "api.md")]
        return subprocess.run(line + ([] if write else ["--check"]), cwd=HERE).returncode


def parses_as_39():
    """No file uses the grammar of a later Python than 3.9."""
    for path in sorted((HERE / "src").rglob("*.py")):
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))


def main():
    if "--write" in sys.argv:
        return generated(True)
    parses_as_39()
    if generated(False):
        print("the package differs from the interface: clients/python/tests/run.py --write")
        return 1
    install()
    environment = {**os.environ, "DOJIMA": BINARY, "PYTHONPATH": str(HERE / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    whole = "whole" in sys.argv
    line = [str(PYTHON), "-m", "pytest", "-q", "-p", "dojima.pytest_plugin", "-p", "no:cacheprovider"]
    if whole:
        checked = subprocess.run([str(PYTHON), "-m", "mypy", "--cache-dir", str(PLACE / "mypy")], cwd=HERE,
                                 env=environment)
        if checked.returncode:
            return checked.returncode
    else:
        line += ["--ignore", "tests/test_readme.py", "--ignore", "tests/test_plugin.py"]
    return subprocess.run(line, cwd=HERE, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
