# SPDX-License-Identifier: MIT
"""A reply that never came: sending again without trading twice.

Asking is one way (timed_out_order.py). The other is to send the order again with the same clOrdID until there is an
answer: an open order of that id refuses the second one (40901), so at most one is open. A signed request as a whole can
be repeated too: its nonce is used up (40102), so the copy has no effect.
"""
from rehearsal import BUY, LOST, Exchange, fresh_nonce, order, orders_named, reconnect, run

ALREADY_IN_USE, NONCE = 40901, 40102


def place_once(bot, new_order, tries=10):
    """Sends until there is an answer; how many times it was sent."""
    for sent in range(1, tries + 1):
        try:
            answer = bot.place(new_order)
        except LOST:
            reconnect(bot)
            continue
        item = answer.data[0] if answer.code == 0 else answer.json
        assert item["code"] in (0, ALREADY_IN_USE), answer
        return sent
    raise AssertionError("the venue does not answer")


def recipe():
    with Exchange() as exchange:
        bot = exchange.bot(seconds=1)

        # Two in three requests lose their connection, half of them after the order was placed.
        exchange.fault("reset-before", path="orders", method="POST", probability=0.33, seed=5)
        exchange.fault("reset-after", path="orders", method="POST", probability=0.5, seed=6)
        sent = [place_once(bot, order(f"once-{i}", BUY, "50000", "0.001")) for i in range(10)]
        assert sum(sent) > 10, "no request was lost: nothing was rehearsed"
        for i in range(10):
            assert len(orders_named(bot, f"once-{i}")) == 1
        exchange.rules.clear()

        # The copy of a signed request has no effect, whatever became of the original.
        exchange.fault("drop-reply", path="orders", method="POST", count=1)
        nonce = fresh_nonce()
        try:
            raise AssertionError(bot.place(order("copied", BUY, "50000", "0.001"), nonce=nonce))
        except LOST:
            reconnect(bot)
        assert bot.place(order("copied", BUY, "50000", "0.001"), nonce=nonce).code == NONCE
        assert len(orders_named(bot, "copied")) == 1

        # A cancel may be sent again without care: the second one finds nothing to cancel.
        cancel = {"symbolID": 1, "clOrdID": "cancel-1", "origClOrdID": "copied"}
        exchange.fault("reset-after", path="orders", method="DELETE", count=1)
        try:
            raise AssertionError(bot.cancel(cancel))
        except LOST:
            reconnect(bot)
        assert bot.cancel(cancel).data[0]["code"] == 40402
        assert orders_named(bot, "copied")[0]["status"] == "CANCELED"


if __name__ == "__main__":
    run(recipe)
