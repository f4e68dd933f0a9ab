# SPDX-License-Identifier: MIT
"""Clock skew: nonces are times, and somebody's clock is wrong.

A nonce must lie between two days ago and a day ahead, by the venue's clock. A bot whose own clock is wrong asks for the
venue's time and adds the difference. When that is wrong too (a proxy's cached answer, a node behind), the refusal
itself has the time that decided, in details.serverTime: the bot corrects itself by it and sends again.
"""
import time

from rehearsal import BUY, Exchange, order, run

DAY_MS = 86400000
NONCE = 40102


class Clock:
    """The venue's time, as far as the bot knows: its own clock, which may be wrong, and a difference."""

    def __init__(self, wrong_ms=0):
        self.wrong_ms, self.difference_ms, self.last = wrong_ms, 0, 0

    def own_ms(self):
        return int(time.time() * 1000) + self.wrong_ms

    def learn(self, server_ms):
        self.difference_ms = server_ms - self.own_ms()

    def nonce(self):
        self.last = max(self.last + 1, self.own_ms() + self.difference_ms)
        return self.last


def place(bot, clock, new_order):
    """The answer, and how many refusals taught the clock."""
    for lessons in range(3):
        answer = bot.place(new_order, nonce=clock.nonce())
        if answer.code != NONCE:
            return answer, lessons
        clock.learn(answer.details["serverTime"])
        clock.last = 0                                      # a nonce that was too far ahead is not used up
    raise AssertionError("the clock does not learn")


def recipe():
    with Exchange() as exchange:
        bot = exchange.bot()

        # The bot's own clock is a week behind: the venue's time repairs it before the first order.
        clock = Clock(wrong_ms=-7 * DAY_MS)
        clock.learn(bot.get("/time", base="/api/v1").data["serverTime"])
        answer, lessons = place(bot, clock, order("repaired", BUY, "50000", "0.001"))
        assert (answer.code, lessons) == (0, 0), answer

        # The time that the venue shows is three days ahead: the bot learns it, is refused, and learns from the refusal.
        exchange.fault("skew", ms=3 * DAY_MS)
        clock = Clock()
        clock.learn(bot.get("/time", base="/api/v1").data["serverTime"])
        assert clock.difference_ms > 2 * DAY_MS
        answer, lessons = place(bot, clock, order("learned", BUY, "50000", "0.001"))
        assert (answer.code, lessons) == (0, 1), answer
        assert abs(clock.difference_ms) < 60000

        # Half an hour is no matter for nonces; whoever computes with `timestamp` sees it.
        exchange.rules.clear()
        exchange.fault("skew", ms=-1800000)
        answer, lessons = place(bot, Clock(), order("unharmed", BUY, "50000", "0.001"))
        assert (answer.code, lessons) == (0, 0), answer
        assert abs(answer.json["timestamp"] + 1800000 - time.time() * 1000) < 60000


if __name__ == "__main__":
    run(recipe)
