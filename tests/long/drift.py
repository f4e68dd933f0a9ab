# SPDX-License-Identifier: MIT
"""Whether an exchange that has run for hours responds later than a new one: both get the same requests in turn, read
for read and write for write, so that all other effects of the machine and its disk are the same for both. The measure
is the p99 of all responses of the one by that of the other, with the interval in which it lies when blocks of
neighbouring rounds are drawn again (bootstrap).
"""
import random
import time

from harness import BTC, BUY, SELL, Server, compact, fresh_nonce, order

WHATS = {"read": 8, "write": 1}              # of a round
BLOCK = 50                                  # rounds that are drawn together: a disturbance lasts for more than one
LEAST_BLOCKS = 40
WIDTH = 0.1                                 # of the interval: a narrower one is not needed
BOOK = "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=20"
ORDERS = "/api/v1/spot/trade/orders/batch"


def p99(values):
    return sorted(values)[len(values) * 99 // 100]


def drawn_p99(whole, late, chosen):
    """The p99 of the chosen blocks' values. Late values are kept separately, for speed; a draw of quiet blocks may have
    too few of them."""
    of = 1 + sum(len(whole[i]) for i in chosen) // 100
    values = sorted(value for i in chosen for value in late[i])
    return values[-of] if len(values) >= of else p99([value for i in chosen for value in whole[i]])


def changes(blocks, what, draws=200):
    """Blocks are [({kind: [ms of the aged one]}, {kind: [ms of the young one]})]. How much later the aged one is at the
    p99 (0.1: a tenth), and its bounds in nine of ten draws of as many blocks: (change, low, high).
    """
    def prepared(side):
        whole = [block[side][what] for block in blocks]
        least = sorted(value for values in whole for value in values)[sum(map(len, whole)) * 9 // 10]
        return whole, [[value for value in values if value >= least] for values in whole]
    aged, young = prepared(0), prepared(1)
    change = lambda chosen: drawn_p99(*aged, chosen) / drawn_p99(*young, chosen) - 1
    dice, everything = random.Random(0), range(len(blocks))
    seen = sorted(change(dice.choices(everything, k=len(blocks))) for _ in range(draws))
    return change(everything), seen[draws // 20], seen[-1 - draws // 20]


class One:
    """An exchange and a client of it that places an order and cancels it."""

    def __init__(self, server, client):
        self.client, self.placed = client.on(server), None

    def timed(self, *request):
        began = time.monotonic()
        reply = self.client.connection.send(*request)
        took = (time.monotonic() - began) * 1000
        assert reply.status == 200 and reply.code == 0, reply
        return took, reply

    def read(self):
        return self.timed("GET", BOOK)[0]

    def write(self):
        if self.placed:
            action, method = "batchCancelOrder", "DELETE"
            body = {"accountID": self.client.id,
                    "cancels": [{"symbolID": BTC, "clOrdID": f"c{fresh_nonce()}", "orderID": self.placed}]}
        else:
            action, method, body = "batchNewOrder", "POST", {"accountID": self.client.id,
                "orders": [order(f"m{fresh_nonce()}", BUY, "90000", "0.001")]}
        body = compact(body)
        took, reply = self.timed(method, ORDERS, body, self.client.headers(action, body))
        self.placed = None if self.placed else reply.data[0]["orderID"]
        return took

    def copy_book(self, other):
        """The same levels as the other one's, each as one order."""
        book = other.client.connection.send("GET", BOOK).data
        orders = [order(f"b{fresh_nonce()}", side, price, quantity)
                  for side, levels in ((BUY, book["bids"]), (SELL, book["asks"])) for price, quantity in levels]
        if orders:
            body = compact({"accountID": self.client.id, "orders": orders})
            self.timed("POST", ORDERS, body, self.client.headers("batchNewOrder", body))


class Pair:
    """The aged exchange beside a new one, on a folder of its own on the same disk."""

    def __init__(self, server, client, folder, *options):
        self.server = Server(*options, data=folder)
        self.aged, self.young = One(server, client), One(self.server, self.server.accounts()[0])
        self.young.copy_book(self.aged)

    def block(self):
        """The times of both; the first one changes every time."""
        told = tuple({what: [] for what in WHATS} for _ in range(2))
        for number in range(BLOCK):
            for what, times in WHATS.items():
                for turn in range(times):
                    for side, one in ((0, self.aged), (1, self.young))[::1 if (number + turn) % 2 else -1]:
                        told[side][what].append(getattr(one, what)())
        return told

    def compare(self, seconds):
        """The blocks, until both intervals are narrow or the time is over."""
        for _ in range(4):
            self.block()
        until, blocks = time.monotonic() + seconds, []
        while time.monotonic() < until:
            blocks.append(self.block())
            if len(blocks) % LEAST_BLOCKS == 0 and max(high - low
                                                       for _, low, high in (changes(blocks, what)
                                                           for what in WHATS)) < WIDTH:
                break
        return blocks

    def end(self):
        self.server.stop()


def judge(blocks, bound):
    """({kind: {change, low, high}}, sentences about kinds that are later by `bound` or more, or may be)."""
    told, wrong = {}, []
    if len(blocks) < LEAST_BLOCKS:
        return told, wrong
    for what in WHATS:
        seen, low, high = changes(blocks, what)
        told[what] = {"change": round(seen, 3), "low": round(low, 3), "high": round(high, 3)}
        if seen >= bound or high >= 2 * bound:
            wrong.append(f"the p99 of a {what} is {seen:+.1%} of a newborn's ({low:+.1%} to {high:+.1%})")
    return told, wrong
