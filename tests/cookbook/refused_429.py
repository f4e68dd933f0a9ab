# SPDX-License-Identifier: MIT
"""Survive a 429: wait as long as the venue says, and do not lose or double anything meanwhile.

A 429 was not executed, so it may be sent again as it is. Retry-After says when. A bot that sends again at once makes it
worse on a real venue: its address is blocked for longer.
"""
import time

from rehearsal import BUY, Exchange, order, orders_named, run


def place_politely(bot, new_order, waited):
    while True:
        answer = bot.place(new_order)
        if answer.status != 429:
            return answer
        seconds = int(answer.headers["retry-after"])
        waited.append(seconds)
        time.sleep(seconds)


def recipe():
    with Exchange() as exchange:
        bot, waited = exchange.bot(), []

        # Which requests are refused is drawn from the seed: the same ones in every run.
        rule = exchange.fault("429", path="orders", method="POST", probability=0.3, retryAfter=1, count=3, seed=2)
        began = time.monotonic()
        for i in range(12):
            assert place_politely(bot, order(f"polite-{i}", BUY, "50000", "0.001"), waited).code == 0
        assert time.monotonic() - began >= sum(waited)
        assert exchange.acted(rule) == len(waited) == 3
        assert all(len(orders_named(bot, f"polite-{i}")) == 1 for i in range(12))

        # The header tells a rehearsal from the real thing.
        exchange.fault("429", path="time", count=1, retryAfter=30)
        answer = bot.get("/time", base="/api/v1")
        assert answer.status == 429 and answer.headers["retry-after"] == "30" and "x-dojima-chaos" in answer.headers

    # The real limit, 1200 units of weight a minute and address: the same answer, without the header.
    with Exchange(limits=True) as exchange:
        bot, answers = exchange.bot(), 0
        while (answer := bot.get("/markets/vBTC_vUSDC/klines?interval=1m")).status == 200:
            answers += 1
            assert answers <= 60, "20 units each"
        assert answer.status == 429 and 1 <= int(answer.headers["retry-after"]) <= 61
        assert "x-dojima-chaos" not in answer.headers


if __name__ == "__main__":
    run(recipe)
