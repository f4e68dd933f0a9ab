# SPDX-License-Identifier: MIT
"""The wheel of clients/python, installed into an empty environment: the time from `pip install` to the first trade in a
test of pytest, and that two builds of the wheel are equal.

Packages of others come from PyPI, so this is skipped without a network. The program in the wheel is the one that is
tested, not one in PATH.
"""
import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOOR = 10.0
TEST = """
import dojima

def test_first_trade(exchange, account):
    assert "site-packages" in dojima.binary()
    exchange.connect(exchange.accounts[0]).spot.sell("vBTC_vUSDC", "0.5", price="100000")
    assert account.spot.buy("vBTC_vUSDC", "0.2", price="100000").status == "FILLED"
"""


def skip(why):
    print("SKIP packages/python: " + why)
    sys.exit(77)


def wheel(folder):
    """Builds the wheel; its path and its hash."""
    done = subprocess.run([str(ROOT / "tools/package.d/python")], stdout=subprocess.PIPE, cwd=ROOT, text=True,
                          env={**os.environ, "DIST": str(folder)})
    if done.returncode == 77:
        skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
    path = pathlib.Path(done.stdout.split()[-1])
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def run(line, **more):
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, **more)
    return done.returncode, done.stdout


def first_trade(folder, path):
    """Installs and trades; gives the seconds of the two steps."""
    clean = {name: value for name, value in os.environ.items() if name not in ("DOJIMA", "PYTHONPATH")}
    python = folder / "venv" / "bin" / "python3"
    code, said = run([sys.executable, "-m", "venv", str(folder / "venv")])
    assert code == 0, said
    (folder / "test_trade.py").write_text(TEST)
    begin = time.monotonic()
    code, said = run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(path),
                      "pytest"], env=clean)
    if code and "No matching distribution" in said or "NewConnectionError" in said:
        skip("cannot install: " + said.strip().splitlines()[-1])
    assert code == 0, said
    installed = time.monotonic()
    code, said = run([str(python), "-m", "pytest", "-q", "test_trade.py"], cwd=folder, env=clean)
    assert code == 0 and "1 passed" in said, said
    return installed - begin, time.monotonic() - installed


def main():
    if importlib.util.find_spec("ensurepip") is None:
        skip("the Debian package python3-venv is not installed")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dojima-python-"))
    try:
        path, one = wheel(folder / "one")
        _, two = wheel(folder / "two")
        assert one == two, "two builds of the wheel differ"
        install, trade = first_trade(folder, path)
        print(f"wheel {path.stat().st_size / 1e6:.1f} MB; pip install {install:.1f} s, first trade in a test "
              f"{trade:.1f} s; together {install + trade:.1f} s (floor {FLOOR:.0f} s, goal 4 s)")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
