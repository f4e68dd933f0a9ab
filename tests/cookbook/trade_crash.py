# SPDX-License-Identifier: MIT
"""Trade yesterday's crash: record a market that falls, play it into a fresh exchange, and let a bot trade in it.

The recording is what the venue published: books and trades. The replay makes them again by orders of accounts of its
own, so the bot meets a real queue: the recorded sellers hit its resting bid, and what it takes is gone. A replay may be
repeated, from the same file, with another bot.
"""
import json
import os
import subprocess
from decimal import Decimal

from rehearsal import BINARY, BTC, BUY, IOC, Exchange, Folder, order, run, wait_for

SYMBOL = "vBTC_vUSDC"
FALL = Decimal("0.94")                      # of the price before: there the bot wants to buy


def price_of(bot):
    return Decimal(bot.get(f"/markets/tickers?symbol={SYMBOL}").data[0]["lastPx"])


def record(path):
    """Twelve seconds of a market in which two minutes and a half pass, and the crash with them."""
    with Exchange("--clock", "12", "--no-limits", market="crash") as exchange:
        exchange.call("evm_increaseTime", 100)              # the crash begins 120 s behind the genesis
        subprocess.run([BINARY, "record", f"http://127.0.0.1:{exchange.port}", "--out", path, "--symbols", SYMBOL,
                        "--seconds", "12"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bars = exchange.bot().get(f"/markets/{SYMBOL}/klines?interval=1m").data
    assert min(Decimal(bar["l"]) for bar in bars) < Decimal("0.92") * Decimal(bars[0]["o"]), bars


def replay_into(exchange, path):
    return subprocess.Popen([BINARY, "replay", path, "--to", f"http://127.0.0.1:{exchange.port}", "--speed", "1"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def trade(exchange, path):
    """A bid far below, which the falling market comes to; and a purchase when it has fallen so far."""
    bot = exchange.bot()
    playing = replay_into(exchange, path)
    before = wait_for(lambda: playing.poll() is None and bot.get(f"/markets/{SYMBOL}/trades?limit=20").data
                      and price_of(bot))
    tick = Decimal("0.1")
    bid = (before * Decimal("0.96") / tick).to_integral_value() * tick
    assert bot.place(order("bid", BUY, f"{bid:f}", "0.05", symbol=BTC)).code == 0
    wait_for(lambda: price_of(bot) < before * FALL)
    low = price_of(bot)
    limit = (low * Decimal("1.01") / tick).to_integral_value() * tick
    assert bot.place(order("dip", BUY, f"{limit:f}", "0.01", tif=IOC, symbol=BTC)).code == 0
    report = json.loads(playing.communicate(timeout=60)[0])
    assert playing.returncode == 0
    fills = bot.get(f"/accounts/{bot.address}/trades").data
    return before, bid, [(Decimal(fill["price"]), Decimal(fill["quantity"])) for fill in fills], report


def recipe():
    with Folder() as folder:
        path = os.path.join(folder, "crash.rec")
        record(path)
        with Exchange("--no-limits", market="none") as exchange:
            before, bid, fills, report = trade(exchange, path)
        # The falling market came to the bid, all of it; the recorded sellers did not see it, and sold to it.
        assert sum(quantity for price, quantity in fills if price == bid) == Decimal("0.05"), fills
        assert all(price < before * FALL * Decimal("1.01") for price, _ in fills if price != bid), fills
        symbol = report["symbols"][0]
        assert (symbol["userGave"], symbol["userTook"]) == ("0.05", "0.01"), report
        assert symbol["refused"] == 0 and report["gaps"] == 0, report


if __name__ == "__main__":
    run(recipe)
