# SPDX-License-Identifier: MIT
"""What the recipes share: an exchange of one's own, rules of faults, and bots with an account each.

A bot here is tests/e2e/harness.py's Client: HTTP of the standard library, and a signer of forty lines. Any other client
of the interface does the same.
"""
import http.client
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from chaos import Rules, Stream                                                                       # noqa: E402
from harness import (BINARY, BTC, BUY, CROSS, IOC, MARKET, SELL, Client, Connection, Folder, Perps,  # noqa: E402
                     Server, compact, fresh_nonce, order, perps_order)

# No answer: the client knows nothing about its request. TimeoutError: it waited as long as it wanted to.
LOST = (TimeoutError, ConnectionError, http.client.HTTPException)

__all__ = ["BINARY", "BTC", "BUY", "CROSS", "IOC", "LOST", "MARKET", "SELL", "Connection", "Exchange", "Folder",
           "Perps", "Stream", "compact", "fresh_nonce", "order", "orders_named", "perps_order", "reconnect", "run",
           "wait_for"]


class Exchange:
    """`dojima dev` on a free port, its rules of faults, and its accounts. `folder` keeps the state for a restart."""

    def __init__(self, *arguments, market="empty", folder=None, limits=False):
        self.arguments, self.folder = [*arguments, "--market", market], folder
        self.server = Server(*self.arguments, data=folder, limits=limits)
        self.rules = Rules(self.server)
        self.port = self.server.port

    def __enter__(self):
        return self

    def __exit__(self, *how):
        self.server.__exit__(*how)

    def fault(self, fault, **rule):
        """Like `dojima chaos FAULT …`; the rule's id."""
        return self.rules.add(fault, **rule)

    def acted(self, rule):
        return self.rules.list()[rule]["acted"]

    def call(self, method, *params):
        answer = self.rules.call(method, *params).json
        assert "result" in answer, answer
        return answer["result"]

    def bot(self, number=0, seconds=10):
        """One of the development accounts, on a connection of its own that waits so long for an answer."""
        account = self.server.accounts()[number]
        return Client(self.server, account.wallet, account.id, Connection(self.port, seconds))

    def stream(self, path="/ws/spot"):
        return Stream(self.port, path)

    def kill(self):
        """kill -9, and the same exchange again on the same port."""
        self.server.kill()
        self.server = Server(*self.arguments, data=self.folder, port=self.port)
        self.rules = Rules(self.server)


def reconnect(bot):
    """A new connection: whatever came on the old one is lost."""
    seconds = bot.connection.http.timeout
    bot.connection.close()
    bot.connection = Connection(bot.server.port, seconds)


def orders_named(bot, client_id):
    """All orders of the account with this clOrdID, open and ended."""
    return [row for row in bot.open_orders() + bot.history("?limit=1000") if row["clOrdID"] == client_id]


def wait_for(what, seconds=60):
    """The first true value of what(), or an AssertionError."""
    until = time.monotonic() + seconds
    while not (value := what()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)
    return value


def run(recipe):
    recipe()
    print("as it should be")
