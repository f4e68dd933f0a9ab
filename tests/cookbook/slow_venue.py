# SPDX-License-Identifier: MIT
"""A slow venue: know the round trip, wait long enough, and have orders canceled when you cannot.

Latency has a long tail, so a timeout from the mean gives up on requests that are on their way. The bot measures, takes
a high percentile for its timeout, and keeps a dead man's switch (schedule-cancel) that cancels its orders when it is
cut off for longer than that.
"""
import time

from rehearsal import BUY, LOST, Exchange, order, reconnect, run, wait_for


def measure(bot, count):
    """Round trips in seconds, sorted."""
    times = []
    for _ in range(count):
        began = time.monotonic()
        bot.get("/time", base="/api/v1")
        times.append(time.monotonic() - began)
    return sorted(times)


def recipe():
    with Exchange() as exchange:
        bot = exchange.bot()
        exchange.fault("latency", **{"in": "lognormal:15:1.2", "out": "10"}, seed=3)
        times = measure(bot, 60)
        median, high = times[30], times[57]
        assert times[0] >= 0.010, "nothing is faster than the way back"
        assert median >= 0.018 and high >= 0.080, "half take 25 ms, one in twenty 118 ms"

        # With the mean as timeout some requests would be given up that are on their way; with three times the 95th
        # percentile none is.
        bot = exchange.bot(seconds=max(1.0, 3 * high))
        for i in range(10):
            assert bot.place(order(f"slow-{i}", BUY, "50000", "0.001")).code == 0
        assert len(bot.open_orders()) == 10

        # Cut off: every answer and every connection fails. The switch, set before, cancels at its time.
        until = bot.get("/time", base="/api/v1").data["serverTime"] + 6000
        assert bot.schedule(until).code == 0
        exchange.fault("reset-before", account=bot.id)
        for _ in range(3):
            try:
                raise AssertionError(bot.cancel({"symbolID": 1, "clOrdID": "c", "origClOrdID": "slow-1"}))
            except LOST:
                reconnect(bot)
        exchange.call("evm_increaseTime", 7)                # time passes; nobody waits for it here
        exchange.rules.clear()
        assert wait_for(lambda: bot.open_orders() == [])


if __name__ == "__main__":
    run(recipe)
