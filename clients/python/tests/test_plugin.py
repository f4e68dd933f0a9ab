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
# What a revert leaves, and what a test forgets.
LEAVES = """
import threading, time, urllib.request
import dojima, pytest
def connections(exchange):
    text = urllib.request.urlopen(exchange.url.rstrip("/") + "/metrics").read().decode()
    return int(next(line for line in text.splitlines() if line.startswith("dojima_connections ")).split()[1])
@pytest.mark.parametrize("turn", range(4))
def test_leaves(exchange, turn):
    control, maker = exchange.control, exchange.accounts[3]
    now = exchange.client.gateway.time().serverTime
    time.sleep(0.05)
    assert exchange.client.gateway.time().serverTime == now, "the clock of another test"
    assert control.chaos_list() == [] and threading.active_count() == 1 and connections(exchange) <= 3
    explained = {"method": "POST", "path": "/api/v1/spot/trade/orders/batch", "headers": {"X-Dojima-As": maker.address},
                 "body": '{"accountID":%d,"orders":[{"symbolID":1,"clOrdID":"a","side":1,"type":1,"timeInForce":1,'
                         '"price":"99000","quantity":"0.01"}]}' % maker.id}
    assert control.call("dojima_explainOrder", explained)["accepted"] is False, "the impersonation of another test"
    control.set_clock(100)
    control.chaos("429", path="orders")
    control.call("anvil_impersonateAccount", maker.address)
    assert control.call("dojima_explainOrder", explained)["accepted"] is True
    if turn % 2:
        control.call("anvil_autoImpersonateAccount", True)
    control.call("dojima_scenarioStart", "flash-crash")
    stream = exchange.connect(maker).stream("spot").__enter__()
    stream.subscribe("allBookTicker")
    for account in exchange.accounts:
        exchange.connect(account).spot.balances()
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


def test_nothing_of_a_test_is_in_the_next(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(LEAVES)
    (tmp_path / "pytest.ini").write_text(INI)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
                           "dojima.pytest_plugin"], cwd=tmp_path, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout + done.stderr


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
