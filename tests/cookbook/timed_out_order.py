# SPDX-License-Identifier: MIT
"""My order timed out: was it placed?

A request without an answer was executed or was not; its client cannot know which. The bot gives each order a clOrdID of
its own, and when no answer comes it asks for that id: among the open orders, then among the ended ones.
"""
from rehearsal import BUY, LOST, Exchange, order, orders_named, reconnect, run


def place_and_know(bot, new_order):
    """"placed", "refused", or "not placed": never "I do not know"."""
    try:
        answer = bot.place(new_order)
        return "placed" if answer.code == 0 and answer.data[0]["code"] == 0 else "refused"
    except LOST:
        reconnect(bot)
        return "placed" if orders_named(bot, new_order["clOrdID"]) else "not placed"


def recipe():
    with Exchange() as exchange:
        bot = exchange.bot(seconds=1)

        # The order is executed, its answer is dropped.
        exchange.fault("drop-reply", path="orders", method="POST", count=1)
        assert place_and_know(bot, order("one", BUY, "50000", "0.001")) == "placed"

        # The connection is reset after the order is durable, and before it is looked at: the same error for the client.
        exchange.fault("reset-after", path="orders", method="POST", count=1)
        assert place_and_know(bot, order("two", BUY, "50000", "0.001")) == "placed"
        exchange.fault("reset-before", path="orders", method="POST", count=1)
        assert place_and_know(bot, order("three", BUY, "50000", "0.001")) == "not placed"

        # A 503 is an answer: it says that the order was not executed.
        exchange.fault("503", path="orders", method="POST", count=1)
        assert place_and_know(bot, order("four", BUY, "50000", "0.001")) == "refused"

        assert sorted(row["clOrdID"] for row in bot.open_orders()) == ["one", "two"]


if __name__ == "__main__":
    run(recipe)
