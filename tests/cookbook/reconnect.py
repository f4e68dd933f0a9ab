# SPDX-License-Identifier: MIT
"""Reconnect without a gap: a local book that is never wrong without knowing it.

Each update of l4Book begins where the one before it ended: its U is the u of the last one plus 1. A client that sees
anything else has lost a message, and one whose connection ends has lost all that follow: both subscribe again, and the
snapshot begins a new book. A message that came already (u not above the last one) is left out. That the last message
was lost shows when the next one comes; who cannot wait for it compares with the book of GET.
"""
import socket

from rehearsal import BUY, SELL, Exchange, order, run, wait_for

SYMBOL = "vBTC_vUSDC"


class Book:
    """The levels of one symbol, as a stream tells of them."""

    def __init__(self, exchange):
        self.exchange, self.gaps, self.cuts, self.repeats = exchange, 0, 0, 0
        self.connect()

    def connect(self):
        self.stream = self.exchange.stream()
        self.subscribe()

    def subscribe(self):
        self.levels, self.last = None, 0
        self.stream.subscribe("l4Book", symbols=[SYMBOL], level="1000")

    def again(self):
        """After a gap: the same connection, a new subscription."""
        self.gaps += 1
        self.stream.tell({"op": "unsubscribe", "params": {"channel": "l4Book", "symbols": [SYMBOL], "level": "1000"}})
        self.subscribe()

    def take(self):
        """One message; False when there is none for a second."""
        self.stream.socket.settimeout(1)
        try:
            message = self.stream.message("l4Book")
        except socket.timeout:
            return False
        except (EOFError, ConnectionError):
            self.cuts += 1
            self.connect()
            return True
        self.apply(message["type"], message["data"])
        return True

    def apply(self, kind, data):
        if kind == "snapshot":
            self.levels, self.last = {"a": {}, "b": {}}, data["u"]
        elif self.levels is None:
            return                                          # from before the subscription was renewed
        elif data["u"] <= self.last:
            self.repeats += 1
            return
        elif data["U"] != self.last + 1:
            self.again()
            return
        self.last = data["u"]
        for side, levels in self.levels.items():
            for price, size in data[side]:
                levels[price] = size
                if size == "0":
                    del levels[price]

    def catch_up(self, update):
        wait_for(lambda: self.last == update or (self.take() and self.last == update))


def recipe():
    with Exchange() as exchange:
        maker, book = exchange.bot(1), Book(exchange)
        exchange.fault("skip", channel="l4Book", every=7)
        exchange.fault("repeat", channel="l4Book", every=5)
        exchange.fault("cut", channel="l4Book", at=25)

        for i in range(60):
            side, price = (BUY, 50000 - i) if i % 2 else (SELL, 51000 + i)
            assert maker.place(order(f"level-{i}", side, str(price), "0.001")).code == 0
            if i % 3 == 2:
                maker.cancel({"symbolID": 1, "clOrdID": f"cancel-{i}", "origClOrdID": f"level-{i - 1}"})
            book.take()

        # No rule any more, and one more change: the message before it may be one that was left out.
        exchange.rules.clear()
        assert maker.place(order("last", BUY, "49000", "0.001")).code == 0
        truth = maker.get(f"/markets/{SYMBOL}/orderbook?limit=1000").data
        book.catch_up(truth["updateID"])
        assert book.gaps and book.cuts and book.repeats, (book.gaps, book.cuts, book.repeats)
        assert book.levels["b"] == dict(map(tuple, truth["bids"])), "the bids differ"
        assert book.levels["a"] == dict(map(tuple, truth["asks"])), "the asks differ"


if __name__ == "__main__":
    run(recipe)
