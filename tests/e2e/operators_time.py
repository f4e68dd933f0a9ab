# SPDX-License-Identifier: MIT
"""Clock advances in development, from outside: what falls due on the way, restarts and kills, and limits."""
import http.client
import json
import os
import threading
import time

from harness import BUY, INSTRUMENTED, Connection, Folder, Server, main, order, run
from operators import DAY, HOUR, OperatorCase, block_number, call, engine_ms


class Time(OperatorCase):
    def test_time_leaps_and_goes_on(self):
        with Server() as server:
            before = engine_ms(server)
            self.assertEqual(self.rpc(server, "evm_increaseTime", HOUR), HOUR)
            self.assertEqual(self.rpc(server, "evm_increaseTime", hex(HOUR)), 2 * HOUR, "all that time is ahead")
            self.assertEqual(self.rpc(server, "evm_increaseTime", 0), 2 * HOUR)
            after = engine_ms(server)
            self.assertGreaterEqual(after - before, 2 * HOUR * 1000)
            self.assertLess(after - before, 2 * HOUR * 1000 + 20000)
            time.sleep(0.3)
            self.assertGreaterEqual(engine_ms(server), after + 250)
            a = server.accounts()[0]
            self.items_ok(a.place(order("o", BUY, "96000", "0.01")))
            self.assertGreaterEqual(a.open_orders()[0]["createdAt"], after)
            self.assertGreaterEqual(a.mine("orders").json["timestamp"], after)
            for bad in ((-1,), ("x",), (1.5,), (), (1, 2), (None,), ("0x01",)):
                self.rpc_refused(server, -32602, "evm_increaseTime", *bad)

    def test_leaps_at_once_add_up(self):
        with Server() as server:
            threads = [threading.Thread(target=self.rpc, args=(server, "evm_increaseTime", 100 + i)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(self.rpc(server, "evm_increaseTime", 0), sum(100 + i for i in range(8)))

    def test_the_next_command_has_exactly_the_time_that_was_set(self):
        with Server() as server:
            a = server.accounts()[0]
            target = engine_ms(server) // 1000 + 5000
            self.assertIsNone(self.rpc(server, "evm_setNextBlockTimestamp", target))
            self.assertEqual(engine_ms(server), target * 1000)
            time.sleep(1.2)
            self.assertEqual(engine_ms(server), target * 1000, "it stands still until then")
            self.items_ok(a.place(order("o", BUY, "96000", "0.01")))
            self.assertEqual(a.open_orders()[0]["createdAt"], target * 1000)
            self.assertGreaterEqual(engine_ms(server), target * 1000 + 1000, "and goes on as if nothing had been")
            self.items_ok(a.place(order("p", BUY, "96000", "0.01")))
            self.assertGreater(a.open_orders()[0]["createdAt"], target * 1000)

            then = engine_ms(server)
            for past in (target, then // 1000 - 1, 0, 1):
                self.assertIn("past", self.rpc_refused(server, -32000, "evm_setNextBlockTimestamp", past)["message"])
            self.assertLess(engine_ms(server) - then, 20000)
            # one second after another, faster than the clock
            first = engine_ms(server) // 1000 + 100
            for step in range(3):
                self.rpc(server, "evm_setNextBlockTimestamp", first + step)
                self.assertEqual(self.rpc(server, "evm_mine"), "0x0")
                time.sleep(0.05)
            self.items_ok(a.place(order("q", BUY, "96000", "0.01")))

    def test_what_falls_due_on_the_way_happens_at_its_own_time(self):
        with Server() as server:
            a, b, c = server.accounts()[:3]
            now = engine_ms(server)
            due = {a: now + 90000, b: now + 3600000, c: now + 2 * 86400000}
            for client, at in due.items():
                self.items_ok(client.place(order("x", BUY, "96000", "0.01"), order("y", BUY, "95999", "0.01")))
                self.ok(client.schedule(at))
            self.rpc(server, "evm_increaseTime", DAY)
            for client in (a, b):
                self.assertEqual(client.open_orders(), [])
                self.assertEqual({row["updatedAt"] for row in client.history()}, {due[client]})
                self.assertEqual({row["status"] for row in client.history()}, {"CANCELED"})
            self.assertEqual(len(c.open_orders()), 2, "that one is not due yet")
            self.rpc(server, "evm_setNextBlockTimestamp", due[c] // 1000 + 1)
            self.assertEqual(c.open_orders(), [])
            self.assertEqual({row["updatedAt"] for row in c.history()}, {due[c]})

    def test_a_schedule_on_each_side_of_midnight(self):
        """Ten may fire on one UTC day; after midnight ten more."""
        with Server() as server:
            a = server.accounts()[0]
            # a fresh day
            self.rpc(server, "evm_setNextBlockTimestamp", (engine_ms(server) // 86400000 + 1) * DAY + 10)
            for fired in range(10):
                self.ok(a.schedule(engine_ms(server) + 6000))
                self.rpc(server, "evm_increaseTime", 10)
            self.refused_schedule(a, engine_ms(server) + 6000)
            midnight = (engine_ms(server) // 86400000 + 1) * 86400000
            self.ok(a.schedule(midnight + 5000))                        # of tomorrow: fine
            self.items_ok(a.place(order("x", BUY, "96000", "0.01")))
            self.rpc(server, "evm_increaseTime", DAY)
            self.assertEqual(a.history()[0]["updatedAt"], midnight + 5000)
            self.ok(a.schedule(engine_ms(server) + 6000))

    def refused_schedule(self, client, at):
        self.assertEqual(client.schedule(at).code, 42013)

    def test_wallets_that_sign_by_the_clock_go_on_after_months(self):
        with Server() as server:
            a = server.accounts()[0]
            self.items_ok(a.place(order("before", BUY, "96000", "0.01")))
            for month in range(3):
                self.rpc(server, "evm_increaseTime", 30 * DAY)
                self.items_ok(a.place(order(f"m-{month}", BUY, "96000", "0.01")))
            now = int(time.time() * 1000)
            self.assertEqual(a.place(order("z", BUY, "96000", "0.01"), nonce=engine_ms(server)).code, 40102,
                             "the window is the clock's")
            self.assertEqual(a.place(order("z", BUY, "96000", "0.01"), nonce=now - 2 * 86400000 - 60000).code, 40102)
            self.items_ok(a.place(order("z", BUY, "96000", "0.01"), nonce=now + 86400000 - 60000))

    def test_a_leap_that_is_too_long_leaves_no_trace(self):
        with Server() as server:
            a = server.accounts()[0]
            self.items_ok(a.place(order("x", BUY, "96000", "0.01")))
            self.ok(a.schedule(engine_ms(server) + 3600000))
            before, block = engine_ms(server), block_number(server)
            for seconds in (10001 * HOUR, 30 * 365 * DAY, 2 ** 63, 2 ** 64 - 1):
                error = self.rpc_refused(server, -32000, "evm_increaseTime", hex(seconds))
                self.assertEqual(error["data"]["code"], 40007)
                self.assertIn("10000", error["message"])
            self.rpc_refused(server, -32000, "evm_setNextBlockTimestamp", before // 1000 + 10002 * HOUR)
            self.assertLess(engine_ms(server) - before, 20000)
            self.assertEqual(block_number(server), block)
            self.assertEqual(len(a.open_orders()), 1)
            self.assertEqual(self.rpc(server, "evm_increaseTime", 0), 0)
            if not INSTRUMENTED:
                started = time.monotonic()
                # an advance of some 400 days at once is promised
                self.rpc(server, "evm_increaseTime", 400 * DAY)
                print(f"      (400 days in {(time.monotonic() - started) * 1000:.0f} ms)", flush=True)
                self.assertEqual(a.open_orders(), [])

    def test_time_survives_a_restart_and_a_kill(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            a = server.accounts()[0]
            self.items_ok(a.place(order("x", BUY, "96000", "0.01")))
            self.rpc(server, "evm_increaseTime", 30 * DAY)
            due = engine_ms(server) + 3600000
            self.ok(a.schedule(due))
            then = engine_ms(server)
            server.kill()
            with Server(data=data) as server:
                self.assertGreaterEqual(engine_ms(server), then)
                self.assertLess(engine_ms(server) - then, 60000)
                b = a.on(server)
                self.items_ok(b.place(order("y", BUY, "96000", "0.01")))    # signed by the wall's clock
                self.assertEqual(self.rpc(server, "evm_increaseTime", 2 * HOUR), 30 * DAY + 2 * HOUR)
                self.assertEqual({row["updatedAt"] for row in b.history()}, {due})
            code, out, err = run("verify", data, "--signatures", "--json")
            self.assertEqual(code, 0, err)

    def test_killed_in_the_middle_of_a_leap(self):
        """The advance is in the log or it is not; when it is, the work that it made due is done before the server is
        ready."""
        with Folder() as folder:
            for wait in (0.005, 0.02, 0.06, 0.2):
                data = os.path.join(folder, f"data-{wait}")
                server = Server(data=data)
                clients = server.accounts()[:6]
                now = engine_ms(server)
                for i, client in enumerate(clients):
                    self.items_ok(client.place(order("x", BUY, "96000", "0.01")))
                    self.ok(client.schedule(now + (i + 1) * 50 * 86400000))
                thread = threading.Thread(target=self.try_leap, args=(server,))
                thread.start()
                time.sleep(wait)
                server.kill()
                thread.join()
                with Server(data=data) as server:
                    far = engine_ms(server) - now > 350 * 86400000
                    for i, client in enumerate(clients):
                        client = client.on(server)
                        self.assertEqual(len(client.open_orders()), 0 if far else 1, f"{wait}: far {far}")
                        if far:
                            self.assertEqual(client.history()[0]["updatedAt"], now + (i + 1) * 50 * 86400000)

    def try_leap(self, server):
        try:
            call(server, "evm_increaseTime", 360 * DAY)
        except (OSError, http.client.HTTPException):
            pass                                                        # it was killed

    def test_the_rolling_minute_leaps_along(self):
        with Server(limits=True) as server:
            def get(status):
                reply = Connection(server.port).send("GET", "/api/v1/spot/markets/vBTC_vUSDC/trades")      # weighs 20
                self.assertEqual(reply.status, status)
                return status == 200

            for _ in range(60):
                get(200)
            get(429)
            other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20, source_address=("127.0.0.9", 0))
            other.request("POST", "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime",
                                                      "params": [61]}), {"Content-Type": "application/json"})
            self.assertEqual(json.loads(other.getresponse().read())["result"], 61)
            other.close()
            for _ in range(60):
                get(200)
            get(429)

    def test_orders_go_on_while_time_leaps(self):
        """Writers and advances at once: every write is answered, and no time is ever before the previous one."""
        with Server() as server:
            failures = []

            def trade(client):
                try:
                    for i in range(60):
                        self.items_ok(client.place(order(f"o-{i}", BUY, "96000", "0.0001")))
                        self.assertEqual(client.cancel({"symbolID": 1, "clOrdID": f"c-{i}",
                                                        "origClOrdID": f"o-{i}"}).data[0]["code"], 0)
                except AssertionError as failure:
                    failures.append(failure)

            threads = [threading.Thread(target=trade, args=(client,)) for client in server.accounts()[:4]]
            for thread in threads:
                thread.start()
            last = engine_ms(server)
            for advance in range(25):
                self.rpc(server, "evm_increaseTime", 7 * HOUR)
                now = engine_ms(server)
                self.assertGreaterEqual(now, last + 7 * HOUR * 1000)
                last = now
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertEqual(self.rpc(server, "evm_increaseTime", 0), 25 * 7 * HOUR)


if __name__ == "__main__":
    main()
