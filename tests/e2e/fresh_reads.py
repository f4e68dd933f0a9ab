# SPDX-License-Identifier: MIT
"""Read your writes: X-Dojima-Seq on the answer to a write, X-Dojima-Min-Seq on a read that waits for it."""
import socket
import threading
import time
import unittest

from harness import BTC, BUY, INSTRUMENTED, Connection, Server, compact, order

WAIT_SECONDS = 0.05


class FreshReads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.alice, cls.bob = cls.server.accounts()[:2]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.connection = Connection(self.server.port)

    def tearDown(self):
        self.connection.close()

    def read(self, seq, path="/api/v1/time", method="GET", body=None):
        headers = {"X-Dojima-Min-Seq": str(seq)} if seq is not None else {}
        return self.connection.send(method, path, body, headers)

    def place(self, client_id):
        return self.alice.place(order(client_id, BUY, "50000", "0.001"))

    def last_seq(self):
        self.place("last")
        return int(self.alice.cancel({"symbolID": BTC, "clOrdID": "x", "origClOrdID": "last"})
                   .headers["x-dojima-seq"])

    def test_an_answer_to_a_write_has_the_number_of_its_command(self):
        first, second = self.place("seq-1"), self.place("seq-2")
        self.assertLess(int(first.headers["x-dojima-seq"]), int(second.headers["x-dojima-seq"]))

    def test_a_repeated_command_has_the_number_of_the_first(self):
        nonce = int(time.time() * 1000) + 5000
        first = self.alice.place(order("once", BUY, "50000", "0.001"), nonce=nonce)
        for _ in range(2):                                                  # nothing of it is in the log (decision 245)
            again = self.alice.place(order("once", BUY, "50000", "0.001"), nonce=nonce)
            self.assertEqual(again.code, 40102)
            self.assertEqual(again.headers["x-dojima-seq"], first.headers["x-dojima-seq"])
        other = self.alice.place(order("other", BUY, "50000", "0.001"), nonce=nonce)
        self.assertEqual(other.code, 40102)
        self.assertNotIn("x-dojima-seq", other.headers)

    def test_what_never_reached_the_log_has_no_number(self):
        answer = self.alice.place(order("bad id!", BUY, "50000", "0.001"))
        self.assertEqual(answer.code, 40004)
        self.assertNotIn("x-dojima-seq", answer.headers)
        self.assertNotIn("x-dojima-seq", self.read(None).headers)

    def test_json_rpc_tells_the_last_of_its_commands(self):
        call = {"jsonrpc": "2.0", "id": 1, "method": "evm_mine"}
        one = self.connection.send("POST", "/rpc", compact(call))
        three = self.connection.send("POST", "/rpc", compact([dict(call, id=i) for i in range(3)]))
        self.assertGreaterEqual(int(three.headers["x-dojima-seq"]), int(one.headers["x-dojima-seq"]) + 3)
        read = self.connection.send("POST", "/rpc", compact(dict(call, method="eth_chainId")))
        self.assertNotIn("x-dojima-seq", read.headers)

    def test_a_read_behind_its_write_is_answered(self):
        for i in range(20):
            seq = int(self.place(f"mine-{i}").headers["x-dojima-seq"])
            answer = self.read(seq, f"/api/v1/spot/accounts/{self.alice.address}/orders")
            self.assertEqual(answer.status, 200, answer)
            self.assertIn(f"mine-{i}", [row["clOrdID"] for row in answer.data["orders"]])

    def test_a_read_waits_for_a_command_that_is_on_its_way(self):
        """The command is sent while the read waits; on a busy machine it may come too late, hence the tries."""
        for _ in range(50):
            seq = self.last_seq() + 1
            writer = threading.Timer(0.01, self.bob.place, [order("wake", BUY, "50000", "0.001")])
            writer.start()
            answer = self.read(seq)
            writer.join()
            if answer.status == 200:
                return
            self.assertEqual((answer.status, answer.code), (503, 50301))
        self.fail("no read saw a command that was sent while it waited")

    def test_a_command_that_does_not_come_ends_the_wait(self):
        seq = self.last_seq()
        began = time.monotonic()
        answer = self.read(seq + 1_000_000)
        took = time.monotonic() - began
        self.assertEqual((answer.status, answer.code, answer.headers["retry-after"]), (503, 50301, "1"), answer)
        self.assertIn("X-Dojima-Min-Seq", answer.json["error"])
        self.assertEqual(answer.details["field"], "X-Dojima-Min-Seq")
        self.assertEqual(answer.details["got"], str(seq + 1_000_000))
        self.assertGreaterEqual(int(answer.details["need"].removeprefix("at most ")), seq)
        self.assertGreaterEqual(took, WAIT_SECONDS - 0.002)
        self.assertLess(took, 10 if INSTRUMENTED else 5)
        self.assertEqual(self.read(seq).status, 200)        # the connection goes on

    def test_a_value_that_is_no_number_is_refused_by_name(self):
        for value in ("", "-1", "1.5", "0x1", "01", "1 2", "18446744073709551616", "abc"):
            answer = self.read(value)
            self.assertEqual((answer.status, answer.code), (400, 40090), value)
            self.assertEqual(answer.details["field"], "X-Dojima-Min-Seq", value)
        for value in ("0", "1"):
            self.assertEqual(self.read(value).status, 200)

    def test_the_header_twice_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            raw.sendall(b"GET /api/v1/time HTTP/1.1\r\nHost: a\r\nX-Dojima-Min-Seq: 1\r\nX-Dojima-Min-Seq: 1\r\n\r\n")
            self.assertTrue(raw.recv(4096).startswith(b"HTTP/1.1 400 "))

    def test_it_holds_for_head_and_json_rpc_and_not_for_writes(self):
        far = 1 << 60
        self.assertEqual(self.read(far, method="HEAD").status, 503)
        call = compact({"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber"})
        self.assertEqual(self.read(far, "/rpc", "POST", call).status, 503)
        self.assertEqual(self.read(1, "/rpc", "POST", call).status, 200)
        body = compact({"accountID": self.alice.id, "orders": [order("free", BUY, "50000", "0.001")]})
        headers = dict(self.alice.headers("batchNewOrder", body), **{"X-Dojima-Min-Seq": str(far)})
        answer = self.connection.send("POST", "/api/v1/spot/trade/orders/batch", body, headers)
        self.assertEqual((answer.status, answer.code), (200, 0))

    def test_requests_behind_a_waiting_read_keep_their_order(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            raw.sendall(b"GET /api/v1/time HTTP/1.1\r\nHost: a\r\nX-Dojima-Min-Seq: 99999999999\r\n\r\n"
                        b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
                        b"GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            text = b""
            while chunk := raw.recv(65536):
                text += chunk
        self.assertEqual(text.count(b"HTTP/1.1 "), 3, text)
        places = [text.index(b"HTTP/1.1 503"), text.index(b"HTTP/1.1 200"), text.index(b"HTTP/1.1 404")]
        self.assertEqual(places, sorted(places), text)

    def test_many_may_wait_at_once_and_one_may_leave(self):
        """Two hundred wait for the next command; the sockets of some are closed meanwhile."""
        seq = self.last_seq() + 1
        text = f"GET /api/v1/time HTTP/1.1\r\nHost: a\r\nX-Dojima-Min-Seq: {seq}\r\n\r\n".encode()
        sockets = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(200)]
        for raw in sockets:
            raw.sendall(text)
        for raw in sockets[::7]:
            raw.close()
        self.bob.place(order("all", BUY, "50000", "0.001"))
        for i, raw in enumerate(sockets):
            if i % 7 != 0:
                raw.settimeout(20)
                self.assertIn(raw.recv(4096)[:13], (b"HTTP/1.1 200 ", b"HTTP/1.1 503 "))
                raw.close()
        self.assertEqual(self.read(seq).status, 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
