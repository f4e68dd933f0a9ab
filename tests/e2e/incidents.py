# SPDX-License-Identifier: MIT
"""Incidents of other exchanges whose tests need sockets (docs/TESTING.md has the whole list; the others are scenarios,
tests/scenarios/incident-*.txt)."""
import threading

from harness import BTC, BUY, Case, Client, Connection, Server, compact, fresh_nonce, main, order

THREADS, EACH = 24, 12
LATE = {40102}                  # a hundred of the other threads' nonces were faster


class Incidents(Case):
    def all_at_once(self, jobs):
        """The replies of all jobs, each job in a thread with a connection of its own, all started together."""
        gate, replies, lock = threading.Barrier(len(jobs)), [], threading.Lock()

        def run(job):
            gate.wait()
            for reply in job():
                with lock:
                    replies.append(reply)

        threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return replies

    def test_01_withdrawals_all_at_once_take_what_is_there_and_no_more(self):
        """Incident 1: as many transfers of three fifths of a balance as can be sent at the same moment: one of them
        passes."""
        with Server("--no-limits") as server:
            a, b, *_ = server.accounts()
            total = float(a.balance("vUSDC")[0])
            amount = f"{total * 0.6:.6f}"

            def withdraw(connection, type):
                client = Client(server, a.wallet, a.id, connection)
                for _ in range(EACH):
                    body = {"id": fresh_nonce(), "fromAccountID": a.id, "toAccountID": 999, "coinID": 0,
                            "amount": amount, "type": type}
                    yield client.write("POST", "/accounts/transfers", "transferAsset", body)

            replies = self.all_at_once([lambda type=(2, 3)[i % 2]: withdraw(Connection(server.port), type)
                                        for i in range(THREADS)])
            self.assertEqual(len(replies), THREADS * EACH)
            self.assertEqual(sum(reply.code == 0 for reply in replies), 1)
            self.assertEqual({reply.code for reply in replies} - LATE, {0, 42001})
            self.assertAlmostEqual(float(a.balance("vUSDC")[0]), total * 0.4, 6)

    def test_01_the_same_transfer_from_everywhere_moves_once(self):
        """Incident 1: one id, many nonces: the money moves once, and each reply says so."""
        with Server("--no-limits") as server:
            a, *_ = server.accounts()
            total, number = float(a.balance("vUSDC")[0]), fresh_nonce()
            body = compact({"id": number, "fromAccountID": a.id, "toAccountID": 999, "coinID": 0, "amount": "7",
                            "type": 3})

            def again(connection):
                client = Client(server, a.wallet, a.id, connection)
                for _ in range(EACH):
                    yield client.write("POST", "/accounts/transfers", "transferAsset", body)

            replies = self.all_at_once([lambda: again(Connection(server.port)) for _ in range(THREADS)])
            self.assertEqual({reply.code for reply in replies} - LATE, {0})
            self.assertAlmostEqual(float(a.balance("vUSDC")[0]), total - 7, 6)

    def test_01_orders_all_at_once_hold_what_is_there_and_no_more(self):
        """Incident 1: a hold is money too."""
        with Server("--no-limits") as server:
            a, *_ = server.accounts()
            total = float(a.balance("vUSDC")[0])
            quantity = f"{total * 0.6 / 96000:.5f}"

            def place(connection):
                client = Client(server, a.wallet, a.id, connection)
                for _ in range(EACH):
                    yield client.place(order(f"i{fresh_nonce()}", BUY, "96000", quantity))

            replies = self.all_at_once([lambda: place(Connection(server.port)) for _ in range(THREADS)])
            codes = [reply.data[0]["code"] if reply.code == 0 else reply.code for reply in replies]
            self.assertEqual(codes.count(0), 1)
            self.assertEqual(set(codes) - LATE, {0, 42001})
            resting, = a.open_orders()
            free, held = (float(part) for part in a.balance("vUSDC"))
            self.assertGreaterEqual(free, held)
            self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": resting["clOrdID"]}))
            self.assertEqual(float(a.balance("vUSDC")[1]), 0)


if __name__ == "__main__":
    main()
