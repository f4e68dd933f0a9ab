# SPDX-License-Identifier: MIT
"""The switches that make the api as strict as the public venue's: without them such requests pass, with them they are
refused by the request alone, and such a client's orders still trade."""
from harness import BUY, Case, Perps, compact, fresh_nonce, main, order, perps_order
from limits import Venue
from oracle import FEEDERS, Feeder, index_state, wait_for

CHAIN = 77001                                                               # of the example's configuration
LONG, SHORT = 2, 3


class Strict(Case):
    def price(self, venue):
        """BTC-USD has an index of 100000 that a feeder signed."""
        self.assertEqual(Feeder(venue.port, FEEDERS[0]).post((1, "100000")).code, 0)
        self.assertTrue(wait_for(lambda: index_state(venue.port) == "LIVE"))

    def without_header(self, client, *orders):
        """Places spot orders without X-API-Key."""
        body, nonce = compact({"accountID": client.id, "orders": list(orders)}), fresh_nonce()
        headers = client.headers("batchNewOrder", body, nonce, chain_id=CHAIN)
        del headers["X-API-Key"]
        return client.connection.send("POST", "/api/v1/spot/trade/orders/batch", body, headers)

    def fund(self, client):
        """Deposits money to the perps side."""
        return client.write("POST", "/accounts/transfers", "transferAsset",
                            {"id": fresh_nonce(), "fromAccountID": client.id, "toAccountID": 999, "coinID": 0,
                             "amount": "50000", "type": 3}, chain_id=CHAIN)

    def test_off_everything_passes(self):
        with Venue(self, feeders=[FEEDERS[0].address]) as venue:
            a = venue.client()
            self.price(venue)
            self.ok(self.fund(a))
            self.items_ok(self.without_header(a, order("h", BUY, "96000", "0.01")))
            self.items_ok(a.place(order("z", BUY, "96000.0", "0.0100"), chain_id=CHAIN))
            self.items_ok(Perps(a).place(perps_order("l", BUY, "96000", "0.01", position=LONG), chain_id=CHAIN))

    def test_on_each_refuses_what_it_is_for(self):
        with Venue(self, settings={"strictKeyHeader": "on", "strictDecimals": "on", "strictPositionSide": "on"},
                   feeders=[FEEDERS[0].address]) as venue:
            a = venue.client()
            self.price(venue)
            perps = Perps(a)
            self.ok(self.fund(a))
            self.assertEqual(self.refused(self.without_header(a, order("h", BUY, "96000", "0.01")), 40103)["field"],
                             "X-API-Key")
            for code, text, field, what in ((42201, "price is invalid", "orders[0].price", ("96000.0", "0.01")),
                                            (42202, "quantity is invalid", "orders[0].quantity", ("96000", "0.010"))):
                self.assertEqual(self.refused(a.place(order("z", BUY, *what), chain_id=CHAIN), code, text)["field"],
                                 field)
            refused = self.refused(perps.place(perps_order("z", BUY, "96000.50", "0.01"), chain_id=CHAIN), 42201,
                                   "price is invalid")
            self.assertEqual((refused["field"], refused["got"]), ("orders[0].price", '"96000.50"'))
            for side in (LONG, SHORT):
                refused = self.refused(perps.place(perps_order("l", BUY, "96000", "0.01", position=side),
                                                   chain_id=CHAIN), 40002)
                self.assertEqual((refused["field"], refused["got"]), ("orders[0].positionSide", str(side)))
            self.assertEqual((a.open_orders(), perps.orders()), ([], {}))
            self.items_ok(a.place(order("s", BUY, "96000", "0.01"), chain_id=CHAIN))
            self.items_ok(perps.place(perps_order("p", BUY, "96000.5", "0.01"), chain_id=CHAIN))


if __name__ == "__main__":
    main()
