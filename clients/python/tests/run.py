#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/run.py [--write | --planted | whole]: the tests of clients/python.

The generated files are compared with the interface of the running program (--write writes them, --planted shows that an
endpoint without a method and a changed record are found). Then the tests run, in the environment build/clients/python.
`whole` makes that environment (exit code 77 with a line where it cannot) and adds mypy --strict, the plugin's sessions,
the examples of README.md and the tests of examples/bot; without it, tests are left out where the environment is missing.
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


def interface():
    """What the program says of its interface."""
    process = subprocess.Popen([BINARY, "dev", "--json", "--port", "0", "--market", "none", "--no-limits",
                                "--until-stdin-closes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        url = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(url + "/openapi.json", timeout=30) as reply:
            return json.load(reply)
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


def generated(openapi, *, write=False, quiet=False):
    """Compares the generated files with the interface, or writes them; 0 when nothing differs."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(openapi, file)
        file.flush()
        line = [sys.executable, "-B", "-m", "generate", file.name, str(ROOT / "docs" / "api.md")]
        silence = subprocess.DEVNULL if quiet else None
        return subprocess.run(line + ([] if write else ["--check"]), cwd=HERE, stdout=silence,
                              stderr=silence).returncode


def planted(openapi):
    """0 when an endpoint without a method, an endpoint that is gone and a new key of a record are all found."""
    paths, schemas = openapi["paths"], openapi["components"]["schemas"]
    more = {**openapi, "paths": {**paths, "/api/v1/spot/new": paths["/api/v1/time"]}}
    less = {**openapi, "paths": {path: value for path, value in paths.items() if path != "/api/v1/time"}}
    trade = {**schemas["Trade"], "properties": {**schemas["Trade"]["properties"], "new": {"type": "string"}}}
    record = {**openapi, "components": {**openapi["components"], "schemas": {**schemas, "Trade": trade}}}
    missed = [name for name, changed in (("an endpoint", more), ("an end", less), ("a key", record))
              if generated(changed, quiet=True) == 0]
    print("\n".join(f"not found: {name}" for name in missed))
    return 1 if missed else 0


def parses_as_39():
    """No file uses the grammar of a later Python than 3.9."""
    for path in sorted((HERE / "src").rglob("*.py")):
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))


def main():
    openapi, whole = interface(), "whole" in sys.argv
    if "--write" in sys.argv:
        return generated(openapi, write=True)
    if "--planted" in sys.argv:
        return planted(openapi)
    parses_as_39()
    if generated(openapi):
        print("the package differs from the interface: clients/python/tests/run.py --write")
        return 1
    if whole:
        install()
    elif not PYTHON.exists():
        print(f"no {PYTHON.relative_to(ROOT)}: only the contract was tested (tests/run.py whole makes it)")
        return 0
    environment = {**os.environ, "DOJIMA": BINARY, "PYTHONPATH": str(HERE / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    line = [str(PYTHON), "-m", "pytest", "-q", "-p", "dojima.pytest_plugin", "-p", "no:cacheprovider"]
    if whole:
        checked = subprocess.run([str(PYTHON), "-m", "mypy", "--cache-dir", str(PLACE / "mypy")], cwd=HERE,
                                 env=environment)
        if checked.returncode:
            return checked.returncode
    else:
        line += ["--ignore", "tests/test_readme.py", "--ignore", "tests/test_plugin.py"]
    code = subprocess.run(line, cwd=HERE, env=environment).returncode
    if code or not whole:
        return code
    return subprocess.run([*line, "-o", "pythonpath=."], cwd=ROOT / "examples" / "bot", env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
