# SPDX-License-Identifier: MIT
"""The plugin in sessions of its own: with workers of pytest-xdist, with options, and how long a fresh market takes."""
import os
import pathlib
import statistics
import subprocess
import sys
import time
import uuid

import pytest
import running

from dojima import Exchange

TESTS = """
import pytest
@pytest.mark.parametrize("turn", range(6))
def test_fresh(exchange, account, turn):
    assert account.spot.orderbook("vBTC_vUSDC").bids == []
    account.spot.buy("vBTC_vUSDC", "0.5", price="99000")
def test_time_stands(exchange):
    now = exchange.client.gateway.time().serverTime
    assert now == 1767571200000 and exchange.client.gateway.time().serverTime == now
"""
INI = "[pytest]\ndojima_clock = 0\ndojima_timestamp = 1767571200\n"


def test_workers_have_an_exchange_each_and_none_is_left(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(INI)
    mark = f"DOJIMA_MARK={uuid.uuid4()}"
    name, value = mark.split("=")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-p",
                           "dojima.pytest_plugin"], cwd=tmp_path, capture_output=True, text=True, timeout=90,
                          env={**os.environ, name: value})
    assert done.returncode == 0 and "7 passed" in done.stdout, done.stdout + done.stderr
    assert running.marked(mark) == []


def test_a_wrong_option_is_said(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(exchange): pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ndojima_market = sideways\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
                           "dojima.pytest_plugin"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "StartError" in done.stdout and "sideways" in done.stdout, done.stdout


def test_a_fresh_market_is_quick(exchange: Exchange, request: pytest.FixtureRequest) -> None:
    shared, times = request.getfixturevalue("_dojima_process"), []
    for _ in range(20):
        begin = time.perf_counter()
        shared.fresh()
        times.append((time.perf_counter() - begin) * 1000)
    print(f"fresh exchange: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms "
          "(floor 150 ms, goal 15 ms)")
    assert min(times) < 150
