# SPDX-License-Identifier: MIT
"""A signed request that is sent again by whoever has seen it, as the chain node shows each of them: it spends nothing
of its signer's, writes nothing to the log, and gets the answer that the engine gives (decision 245)."""
import re

from harness import BUY, Case, Connection, Perps, Raw, Server, compact, fresh_nonce, main, order
from limits import Venue

CHAIN = 77001                                                                # of config/example.ini

PATH = "/api/v1/spot/trade/orders/batch"


def orders(count, price="10000", symbol=1):
    stamp = fresh_nonce()
    return [order(f"r{stamp}-{i}", BUY, price, "0.01", symbol=symbol) for i in range(count)]


class Signed:
    """A batch of orders, signed once and sent as often as wanted."""

    def __init__(self, client, items, nonce=None, chain=None):
        self.nonce = fresh_nonce() if nonce is None else nonce
        self.body = compact({"accountID": client.id, "orders": items})
        self.headers = client.headers("batchNewOrder", self.body, self.nonce, **({"chain_id": chain} if chain else {}))

    def send(self, port, address=None):
        more = {} if address is None else {"X-Forwarded-For": address}
        connection = Connection(port)
        try:
            return connection.send("POST", PATH, self.body, {**self.headers, **more})
        finally:
            connection.close()


class Live(Signed):
    """The same for the chain id of the example's configuration."""

    def __init__(self, client, items, nonce=None):
        super().__init__(client, items, nonce, CHAIN)


def logged(server, what):
    """Of `bytes` or `records`: what this process has written to the log."""
    text = Connection(server.port).send("GET", "/metrics").raw.decode()
    return int(re.search(rf"(?m)^dojima_log_{what}_total (\d+)", text).group(1))


class Replays(Case):
    def used(self, reply, first):
        """The answer to a nonce that this very request has used, whole."""
        chain = first.chain
        self.assertEqual(reply.status, 200, reply)
        self.assertEqual(list(reply.json), ["code", "timestamp", "error", "details"], reply)
        self.assertEqual((reply.code, reply.json["error"]), (40102, "nonce is invalid"), reply)
        details = dict(reply.details)
        self.assertLess(abs(details.pop("serverTime") - reply.json["timestamp"]), 5000)
        self.assertEqual({key: details[key] for key in ("reason", "hash", "field")},
                         {"reason": "used", "hash": chain["x-chain-tx"], "field": "X-API-Nonce"}, reply)
        self.assertEqual((details["block"], details["index"]),
                         (int(chain["x-chain-block"], 16), int(chain["x-chain-index"], 16)), reply)
        self.assertNotIn("nonce", details)
        return reply

    def test_a_stranger_spends_no_orders_of_the_signer(self):
        with Venue(self, "ordersPerMinute = 100") as venue:
            request = Live(venue.client(), orders(50))
            first = request.send(venue.port, "10.0.0.1")
            self.items_ok(first)
            for i in range(30):
                self.used(request.send(venue.port, f"10.66.0.{i}"), first)
            self.items_ok(Live(venue.client(), orders(50)).send(venue.port, "10.0.0.1"))  # what is left of 100
            self.assertEqual(Live(venue.client(), orders(1)).send(venue.port, "10.0.0.1").status, 429)

    def test_a_stranger_spends_no_requests_of_the_key(self):
        with Venue(self, "keyLimitSpot = on") as venue:
            request = Live(venue.client(), orders(1))
            first = request.send(venue.port, "10.0.0.1")
            left = int(first.headers["x-ratelimit-remaining"])
            for i in range(30):
                self.used(request.send(venue.port, f"10.66.0.{i}"), first)
            reply = Live(venue.client(), orders(1)).send(venue.port, "10.0.0.1")
            self.items_ok(reply)
            self.assertEqual(int(reply.headers["x-ratelimit-remaining"]), left - 1)

    def test_nothing_is_spent_and_written_behind_a_restart(self):
        with Venue(self, "ordersPerMinute = 100", settings={"ioThreads": 2}) as venue:
            old = [Live(venue.client(), orders(5)) for _ in range(10)]
            firsts = [request.send(venue.port) for request in old]
            for first in firsts:
                self.items_ok(first)
            self.assertEqual(venue.server.stop(), 0)
            again = Venue(self, "ordersPerMinute = 100", data=venue.folder.path, settings={"ioThreads": 2})
            with again:
                before = logged(again.server, "records")
                for i in range(4):
                    for request, first in zip(old, firsts):
                        self.used(request.send(again.port, f"10.66.0.{i}"), first)
                self.assertLess(logged(again.server, "records") - before, 40)
                for _ in range(2):
                    self.items_ok(Live(again.client(), orders(50)).send(again.port))

    def test_the_log_does_not_grow(self):
        with Server() as server:
            client = server.accounts()[0]
            request = Signed(client, orders(100, "1." + "0" * 1000, symbol=99))
            self.assertGreater(len(request.body), 100000)
            first = request.send(server.port)
            self.item_refused(first, 40401)
            before, seq = logged(server, "bytes"), int(first.headers["x-dojima-seq"])
            for _ in range(40):
                self.used(request.send(server.port), first)
            self.assertLess(logged(server, "bytes") - before, len(request.body))
            self.assertLess(int(Signed(client, orders(1)).send(server.port).headers["x-dojima-seq"]), seq + 40)

    def test_both_sides_of_the_set(self):
        """Fresh ones below others pass, the hundred highest are used, those below are too small."""
        with Server() as server:
            client = server.accounts()[0]
            base = fresh_nonce()
            firsts = {}
            for step in range(0, 202, 2):                                   # 101 nonces: base itself falls out
                request = Signed(client, orders(1, "1000"), base + step)
                firsts[step] = request, request.send(server.port)
                self.items_ok(firsts[step][1])
            for step in (4, 100, 200):
                self.used(firsts[step][0].send(server.port), firsts[step][1])
            for _ in range(2):
                reply = firsts[0][0].send(server.port)
                details = self.refused(reply, 40102)
                self.assertEqual((details["reason"], details["nonce"], details["need"]),
                                 ("too small", "not used", f"more than {base + 2}"), reply)
                self.assertNotIn("hash", details)
            late = Signed(client, orders(1, "1000"), base + 5)              # between two that are kept: fresh
            first = late.send(server.port)
            self.items_ok(first)
            for _ in range(2):
                self.used(late.send(server.port), first)
            other = Signed(client, orders(1, "1001"), base + 5)             # another payload under a used nonce
            for _ in range(2):
                details = self.refused(other.send(server.port), 40102)
                self.assertEqual((details["reason"], "hash" in details, "nonce" in details), ("used", False, False))
            self.assertEqual(self.refused(Signed(client, orders(1), base - 2 * 86400000 - 5000).send(server.port),
                                          40102)["reason"], "too old")

    def test_what_was_refused_before_has_not_used_its_nonce(self):
        with Venue(self, "ordersPerMinute = 100") as venue:
            client = venue.client()
            low = fresh_nonce() + 1000
            self.items_ok(Live(client, orders(60), low).send(venue.port))
            late = Live(client, orders(60), low + 1)                      # no budget: 429, the nonce is not used
            for _ in range(2):
                self.assertEqual(late.send(venue.port).status, 429)
            fits = Live(client, orders(40), low + 1)
            first = fits.send(venue.port)
            self.items_ok(first)
            self.used(fits.send(venue.port), first)
            self.assertEqual(self.refused(late.send(venue.port), 40102)["reason"], "used")

    def test_a_rejected_item_has_used_its_nonce(self):
        with Server() as server:
            client = server.accounts()[0]
            request = Signed(client, orders(1, "100000000"))                # refused by a rule: no transaction passes
            first = request.send(server.port)
            self.assertNotEqual(first.data[0]["code"], 0)
            self.used(request.send(server.port), first)

    def test_in_flight_the_engine_answers(self):
        """Copies that come before the first one is applied are answered by the engine, in their order."""
        with Server() as server, Raw(server.port) as raw:
            client = server.accounts()[0]
            for _ in range(20):
                request = Signed(client, orders(1))
                lines = [f"POST {PATH} HTTP/1.1", "Host: localhost", *(f"{n}: {v}" for n, v in request.headers.items()),
                         f"Content-Length: {len(request.body)}", "", ""]
                raw.send(("\r\n".join(lines).encode() + request.body) * 5)
                first = raw.reply()
                self.items_ok(first)
                for _ in range(4):
                    self.used(raw.reply(), first)

    def test_sets_are_of_a_domain(self):
        with Server() as server:
            client = server.accounts()[0]
            nonce = fresh_nonce()
            self.items_ok(client.place(*orders(1), nonce=nonce))
            self.assertEqual(Perps(client).schedule(None, nonce=nonce).code, 0)
            self.assertEqual(self.refused(Perps(client).schedule(None, nonce=nonce), 40102)["reason"], "used")
            self.assertEqual(self.refused(client.place(*orders(1), nonce=nonce), 40102)["reason"], "used")


if __name__ == "__main__":
    main()
