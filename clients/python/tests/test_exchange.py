# SPDX-License-Identifier: MIT
"""Start, fixtures and clients against a running exchange."""
import asyncio
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal

import pytest

import dojima
from dojima import AsyncClient, Client, Exchange, MarginMode, Side, StopType, refusals
from dojima.errors import refusal

SPOT, PERP = "vBTC_vUSDC", "BTC-USD"
pytest_plugins: list = []


# ---- the process

def test_two_exchanges_at_once_know_nothing_of_each_other() -> None:
    with dojima.start() as one, dojima.start() as two:
        one.connect(one.accounts[0]).spot.buy(SPOT, "0.1", price="99000")
        assert one.url != two.url
        assert two.connect(two.accounts[0]).spot.orders().orders == []
    assert not one.running and not two.running


def test_a_port_in_use_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(dojima.StartError, match=f"(?s)exit code.*{port}"):
            dojima.start(port=port)


def test_a_program_for_another_processor_is_said(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "dojima"
    header = bytearray(pathlib.Path(dojima.binary()).read_bytes()[:4096])
    header[18:20] = b"\xb7\x00" if header[18] != 0xb7 else b"\x3e\x00"      # e_machine: the other one
    program.write_bytes(header)
    program.chmod(0o755)
    with pytest.raises(dojima.StartError, match="another processor"):
        dojima.start(program=str(program))


def test_a_program_that_is_not_there_or_another_one_is_said(tmp_path: pathlib.Path) -> None:
    with pytest.raises(dojima.StartError, match="no program at"):
        dojima.start(program=str(tmp_path / "none"))
    with pytest.raises(dojima.StartError, match="not the exchange"):
        dojima.start(program="/bin/echo")
    with pytest.raises(dojima.StartError, match="exit code.*--colour"):
        dojima.start(options=["--colour"])


def test_a_file_that_is_no_program_is_said_and_stays_as_it_is(tmp_path: pathlib.Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("buy low\n")
    text.chmod(0o644)
    with pytest.raises(dojima.StartError, match="cannot be started: Permission denied"):
        dojima.start(program=str(text))
    assert text.stat().st_mode & 0o777 == 0o644
    text.chmod(0o755)
    with pytest.raises(dojima.StartError, match="cannot be started: Exec format error"):
        dojima.start(program=str(text))
    with pytest.raises(dojima.StartError, match="it is no file"):
        dojima.start(program=str(tmp_path))


@pytest.mark.parametrize("line", ["{}", "[]", "7", '{"url": "x", "chainIds": []}',
                                  '{"url": "x", "chainIds": [1], "accounts": [{}]}'])
def test_a_program_with_another_banner_is_said_and_ended(line: str, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "other"
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\necho '{line}'\nexec sleep 600\n")
    program.chmod(0o755)
    with pytest.raises(dojima.StartError, match="not the exchange"):
        dojima.start(program=str(program))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_reason_is_said_when_the_disk_is_full(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "full"
    program.write_text("#!/bin/sh\necho 'the log cannot be written' >&2\nexit 74\n")
    program.chmod(0o755)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "w+b", buffering=0))
    with pytest.raises(dojima.StartError, match="exit code 74: the log cannot be written"):
        dojima.start(program=str(program))


def test_reading_what_a_program_says_loses_none_of_it() -> None:
    writes = "import os\nfor i in range(50_000): os.write(2, b'%05d' % i)"
    with dojima.process._file_of_lines() as file:
        process = subprocess.Popen([sys.executable, "-c", writes], stderr=file)
        while process.poll() is None:
            dojima.process._end_of(file)
        file.seek(0)
        assert file.read() == b"".join(b"%05d" % i for i in range(50_000))


def test_a_process_that_dies_is_an_exception_and_leaves_no_folder() -> None:
    exchange = dojima.start()
    folder, client = exchange.banner["data"], exchange.connect(exchange.accounts[0])
    client.spot.balances()
    assert os.path.isdir(folder)
    os.kill(exchange.process.pid, signal.SIGKILL)
    exchange.process.wait()
    with pytest.raises(dojima.ProcessDied, match="SIGKILL"):
        client.spot.balances()
    with pytest.raises(dojima.ProcessDied, match="SIGKILL"):
        client.spot.buy(SPOT, "0.1", price="99000")
    exchange.stop()
    assert not os.path.exists(folder)


_PARENT = """
import dojima, sys, time
exchange = dojima.start()
print(exchange.process.pid, exchange.banner["data"], flush=True)
time.sleep(600)
"""


def test_a_parent_that_is_killed_leaves_neither_process_nor_folder() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        number, folder = parent.stdout.readline().split()
        assert os.path.isdir(folder)
    finally:
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 60
    while os.path.exists(folder) or os.path.exists(f"/proc/{number}"):
        assert time.monotonic() < deadline, "the exchange outlives its parent"
        time.sleep(0.02)


def test_data_that_was_named_stays(tmp_path: pathlib.Path) -> None:
    with dojima.start(data=tmp_path / "kept") as exchange:
        exchange.connect(exchange.accounts[0]).spot.buy(SPOT, "0.1", price="99000")
    with dojima.start(data=tmp_path / "kept") as exchange:
        assert len(exchange.connect(exchange.accounts[0]).spot.orders().orders) == 1


# ---- fixtures

@pytest.mark.parametrize("turn", [1, 2, 3])
def test_each_test_begins_with_a_fresh_market(exchange: Exchange, account: Client, turn: int) -> None:
    assert account.spot.orderbook(SPOT).bids == [] and account.spot.orders().orders == []
    account.spot.buy(SPOT, "0.5", price="99000")
    exchange.control.chaos("429", path="nothing-has-this")
    assert len(account.spot.orderbook(SPOT).bids) == 1


def test_faults_of_the_test_before_are_gone(exchange: Exchange) -> None:
    assert exchange.control.chaos_list() == []


def test_a_test_may_end_the_process(exchange: Exchange) -> None:
    exchange.kill()


def test_and_the_next_one_has_another(exchange: Exchange, account: Client) -> None:
    exchange.check()
    assert account.spot.buy(SPOT, "0.5", price="99000").code == 0


# ---- clients

def test_a_trade_on_spot(exchange: Exchange, account: Client) -> None:
    maker = exchange.connect(exchange.accounts[0])
    resting = maker.spot.sell(SPOT, Decimal("0.5"), price=Decimal("100000"))
    assert resting.status == "NEW"
    assert account.spot.buy(SPOT, "0.2", price=100000).status == "FILLED"
    mine, = account.spot.account_trades()
    assert (mine.price, mine.quantity, mine.side) == (Decimal("100000"), Decimal("0.2"), "BUY")
    assert maker.spot.replace(SPOT, resting.orderID or 0, price="100001").code == 0
    assert maker.spot.cancel(SPOT, resting.orderID or 0).code == 0
    with pytest.raises(refusals.OrderNotFound) as refused:
        maker.spot.cancel(SPOT, resting.orderID or 0)
    assert refused.value.code == 40402
    assert account.spot.buy(SPOT, funds="10000").status in ("EXPIRED", "CANCELED")     # nobody sells any more


def test_a_position_with_stops_leverage_and_margin(exchange: Exchange, account: Client) -> None:
    maker = exchange.connect(exchange.accounts[0])
    number = account.perps.symbol_id(PERP)
    assert account.perps.set_leverage(number, 10, MarginMode.ISOLATED).leverage == 10
    maker.perps.sell(PERP, "1", price="100000")
    account.perps.buy(PERP, "0.5", price="100000")
    position, = account.perps.positions().positions
    assert position.size == Decimal("0.5")
    account.perps.set_margin(number, "100")
    stop = account.perps.place(PERP, dojima.perps_stop(Side.SELL, StopType.STOP_LOSS, "95000"))
    account.perps.modify_order(number, order_id=stop.orderID, stop_price="96000")
    exchange.control.set_index_price(PERP, "100500")
    exchange.control.step(2_000)
    assert account.perps.mark_prices(symbol=PERP)[0].indexPrice == Decimal("100500")
    exchange.control.funding_now()
    assert len(account.perps.fundings()) == 1
    assert account.perps.cancel(PERP, stop.orderID or 0).code == 0


def test_refusals_have_code_field_and_details(account: Client) -> None:
    with pytest.raises(refusals.InvalidPrice) as refused:
        account.spot.buy(SPOT, "0.1", price="99000.123456")
    assert (refused.value.code, refused.value.field) == (42201, "price")
    with pytest.raises(refusals.InsufficientBalance):
        account.spot.buy(SPOT, "100", price="99000")
    with pytest.raises(refusals.SymbolNotFound):
        account.spot.buy("DOGE_vUSDC", "1", price="1")
    with pytest.raises(TypeError, match="is a float"):
        account.spot.buy(SPOT, 0.1, price="99000")  # type: ignore[arg-type]
    with pytest.raises(refusals.InvalidBatchSize):
        account.spot.place_orders([])
    assert account.spot.orders().orders == []


def test_keys_are_added_used_and_revoked(exchange: Exchange, account: Client) -> None:
    secret = "0x" + "42" * 32
    address = dojima.Signer(secret).address
    account.gateway.add_api_key("bot", dojima.bodies.KeyType.EVM, address, 0)
    account.spot.add_api_key("limited", dojima.bodies.KeyType.EVM, dojima.Signer("0x" + "43" * 32).address, 0,
                             permissions=1)
    assert [key.name for key in account.spot.api_keys()] == ["bot", "limited"]
    with Client(exchange.url, secret, key_name="bot", owner=account.address, chain_id=exchange.chain_id) as bot:
        assert bot.spot.buy(SPOT, "0.1", price="99000").code == 0
        account.gateway.revoke_api_key("bot")
        with pytest.raises(refusals.UnknownApiKey):
            bot.spot.buy(SPOT, "0.1", price="99000")
    account.spot.revoke_api_key("limited")
    assert account.gateway.api_keys().spot == []


def test_transfers_and_scheduled_cancels(account: Client) -> None:
    assert account.spot.transfer(1, 999, 0, "10.5", dojima.TransferType.PERPS_WITHDRAW).id == 1
    account.spot.schedule_cancel(scheduled_timestamp=account.gateway.time().serverTime + 60_000)
    account.spot.schedule_cancel()


def test_a_client_without_a_key_reads_and_does_not_write(exchange: Exchange) -> None:
    with Client(exchange.url) as reader:
        assert reader.spot.symbols() and reader.process.version().name == "dojima"
        assert "dojima" in reader.process.metrics() and reader.process.openapi()["openapi"].startswith("3.")
        with pytest.raises(ValueError, match="no key"):
            reader.spot.buy(SPOT, "0.1", price="1")
        with pytest.raises(ValueError, match="name the address"):
            reader.spot.balances()
    with pytest.raises(dojima.ConnectionLost, match="no connection"):
        Client("http://127.0.0.1:9").spot.symbols()


# ---- lost replies

@pytest.mark.parametrize("fault", ["drop-reply", "reset-after", "reset-before"])
def test_a_lost_reply_is_found_out_and_nothing_is_done_twice(exchange: Exchange, fault: str) -> None:
    client = exchange.connect(exchange.new_account(), timeout=2.0)     # of a slow machine, too
    client.spot.symbol_id(SPOT)
    exchange.control.chaos(fault, path="orders", method="POST", count=1)
    result = client.spot.buy(SPOT, "0.1", price="99000")
    order, = client.spot.orders().orders
    assert (result.code, result.orderID) == (0, order.orderID)
    exchange.control.chaos(fault, path="leverage", count=1)
    if fault == "reset-before":
        assert client.perps.set_leverage(1, 7, MarginMode.CROSS).leverage == 7
    else:
        with pytest.raises(dojima.ReplyLost) as lost:
            client.perps.set_leverage(1, 7, MarginMode.CROSS)
        assert lost.value.succeeded
    exchange.control.chaos(fault, path="orders", method="DELETE", count=1)
    assert client.spot.cancel(SPOT, result.orderID or 0).code == 0
    assert client.spot.orders().orders == []


@pytest.mark.parametrize("fault", ["429", "503", "500"])
def test_a_read_that_fails_behind_a_lost_reply_is_no_refusal_of_the_write(exchange: Exchange, fault: str) -> None:
    client = exchange.connect(exchange.new_account(), timeout=2.0)
    client.spot.symbol_id(SPOT), client.perps.symbol_id(PERP)
    for place in (client.spot.buy, client.perps.buy):
        symbol = SPOT if place == client.spot.buy else PERP
        exchange.control.chaos("reset-after", path="orders", method="POST", count=1)
        exchange.control.chaos(fault, path="orders", method="GET")
        with pytest.raises(dojima.ReplyLost) as lost:       # Refused would say that it was not executed
            place(symbol, "0.1", price="99000")
        assert lost.value.succeeded and isinstance(lost.value.__cause__, dojima.Refused)
        exchange.control.chaos_clear()
    assert len(client.spot.orders().orders) == len(client.perps.orders().orders) == 1


@pytest.mark.parametrize("error", [
    refusal(42901, "rate limit exceeded", {}, 429), refusal(50301, "server is busy", {}, 503),
    dojima.RpcError(-32005, "limit exceeded"), dojima.ConnectionLost("gone"), KeyError("code"),
])
def test_a_receipt_that_cannot_be_read_leaves_open_what_succeeded(exchange: Exchange, monkeypatch: pytest.MonkeyPatch,
                                                                  error: Exception) -> None:
    client = exchange.connect(exchange.new_account(), timeout=2.0)
    client.spot.symbol_id(SPOT)

    def fails(*_: object) -> None:
        raise error
    monkeypatch.setattr(client.session, "_call", fails)
    exchange.control.chaos("reset-after", path="leverage", count=1)
    with pytest.raises(dojima.ReplyLost, match="cannot be read") as lost:
        client.perps.set_leverage(1, 7, MarginMode.CROSS)
    assert lost.value.succeeded is None
    exchange.control.chaos("reset-after", path="orders", method="POST", count=1)
    found = client.spot.buy(SPOT, "0.1", price="99000")      # the order itself can be read
    exchange.control.chaos("reset-after", path="orders", method="DELETE", count=1)
    with pytest.raises(dojima.ReplyLost):
        client.spot.cancel(SPOT, found.orderID or 0)


def test_an_outcome_that_cannot_be_found_out_is_said(exchange: Exchange) -> None:
    mine = exchange.new_account()
    patient, client = exchange.connect(mine), exchange.connect(mine, timeout=0.3, outcome_timeout=0.5)
    client.spot._ids = {SPOT: patient.spot.symbol_id(SPOT)}
    rule = exchange.control.chaos("drop-reply", path="orders", method="POST")
    with pytest.raises(dojima.OutcomeUnknown) as unknown:
        client.spot.buy(SPOT, "0.1", price="99000")
    exchange.control.chaos_remove(rule)
    with pytest.raises(dojima.ReplyLost) as lost:       # the same bytes again: executed once
        patient.session.until_known(unknown.value.request)
    assert lost.value.succeeded and len(patient.spot.orders().orders) == 1


def slow_rpc(seconds: float) -> int:
    """The port of an exchange whose one answer of /rpc takes so long."""
    taken = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with taken, taken.accept()[0] as connection:
            connection.recv(65_536)
            time.sleep(seconds)
            body = b'{"jsonrpc":"2.0","id":1,"result":"0x1c20"}'
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    threading.Thread(target=answer, daemon=True).start()
    return int(taken.getsockname()[1])


def test_a_leap_in_time_takes_as_long_as_it_takes() -> None:
    with Client(f"http://127.0.0.1:{slow_rpc(0.6)}", timeout=0.2) as client:
        client.control.increase_time(7200)
    with Client(f"http://127.0.0.1:{slow_rpc(2)}", rpc_timeout=0.2) as client:
        with pytest.raises(dojima.ConnectionLost):
            client.control.increase_time(7200)

    async def advance() -> None:
        async with AsyncClient(f"http://127.0.0.1:{slow_rpc(0.6)}", timeout=0.2) as client:
            await client.control.increase_time(7200)
        async with AsyncClient(f"http://127.0.0.1:{slow_rpc(2)}", rpc_timeout=0.2) as client:
            with pytest.raises(dojima.ConnectionLost):
                await client.control.increase_time(7200)
    asyncio.run(advance())


def test_a_clock_that_is_wrong_learns_from_the_refusal(exchange: Exchange, account: Client) -> None:
    exchange.control.increase_time(4 * 86_400)
    assert account.spot.buy(SPOT, "0.1", price="99000").code == 0


def test_limits_are_exceptions_with_their_time(exchange: Exchange, account: Client) -> None:
    exchange.control.chaos("429", path="orders", count=1, retryAfter=7)
    with pytest.raises(refusals.RateLimited) as refused:
        account.spot.orders()
    assert refused.value.status == 429 and refused.value.retry_after == 7


def test_many_orders_at_once(exchange: Exchange) -> None:
    async def trade(client: AsyncClient) -> int:
        async with client:
            found = await asyncio.gather(*(client.spot.buy(SPOT, "0.001", price="99000") for _ in range(300)))
            return len({result.orderID for result in found})
    assert asyncio.run(trade(exchange.connect_async(exchange.new_account()))) == 300
