# SPDX-License-Identifier: MIT
"""The venue restarts: what is still mine?

What was answered is durable, so after a crash and a restart it is all there: orders, trades, balances, and nonces that
were used. Streams are not: their connections end, and a subscription begins with a snapshot. The bot compares what it
believes with what the venue says, and takes the venue's word.
"""
from rehearsal import BUY, IOC, LOST, SELL, Exchange, Folder, order, orders_named, run, wait_for


def connect(exchange, number=0):
    """A bot on a new connection, when the venue answers again."""
    def ready():
        try:
            bot = exchange.bot(number)
            return bot if bot.connection.send("GET", "/readyz").status == 200 else None
        except LOST:
            return None
    return wait_for(ready)


def recipe():
    with Folder() as folder, Exchange(folder=folder) as exchange:
        maker, bot = exchange.bot(1), exchange.bot()
        believed = {}
        for i in range(5):
            believed[f"rest-{i}"] = "NEW"
            assert bot.place(order(f"rest-{i}", BUY, str(50000 + i), "0.001")).code == 0
        maker.place(order("ask", SELL, "97000", "0.01"))
        assert bot.place(order("taken", BUY, "97000", "0.001", tif=IOC)).data[0]["status"] == "FILLED"
        believed["taken"] = "FILLED"
        money = bot.balance("vUSDC")

        # The last order is on its way, and slow to be durable, when the process dies: nobody was told about it.
        exchange.fault("drop-reply", path="orders", method="POST", count=1)
        lost = exchange.bot(seconds=0.5)
        try:
            raise AssertionError(lost.place(order("unknown", BUY, "40000", "0.001")))
        except LOST:
            pass
        exchange.kill()

        bot = connect(exchange)
        known = {name: orders_named(bot, name)[0]["status"] for name in believed}
        assert known == believed
        assert bot.balance("vUSDC")[0] == money[0]
        assert len(orders_named(bot, "unknown")) == 1       # it was durable: only its answer was lost

        stream = exchange.stream()
        stream.subscribe("accountOrderUpdate", user=bot.address)
        stream.subscribe("l4Book", symbols=["vBTC_vUSDC"])
        assert stream.message("l4Book")["type"] == "snapshot"
        assert bot.place(order("goes-on", BUY, "50000", "0.001")).code == 0


if __name__ == "__main__":
    run(recipe)
