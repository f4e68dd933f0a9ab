# SPDX-License-Identifier: MIT
"""Writes on a node that does not lead: they go to the leader as they are, and its answers come back as they are.

The node is tests/e2e/follower.c. Its leader is a `dojima dev`, another such node, or a program of a few lines below
that records the bytes it gets and answers, is silent or dies as a test wants it.
"""
import os
import re
import resource
import select
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BTC, BUY, Client, Connection, Folder, Server, Wallet, all_of, compact, fresh_nonce, order

FOLLOWER = os.environ["FOLLOWER"]
SECRET = "a-word-that-all-nodes-have"
BATCH = "/api/v1/spot/trade/orders/batch"
BUSY, NO_LEADER, UNKNOWN = 50301, 50302, 50303


class Follower:
    """One running follower.c."""

    def __init__(self, secret=None, limits=False, role="follower"):
        self.folder = tempfile.TemporaryDirectory(prefix="dojima-follower-")
        path = "-"
        if secret is not None:
            path = os.path.join(self.folder.name, "secret")
            with open(path, "w", encoding="ascii") as file:
                file.write(secret + "\n")
        line = [FOLLOWER, os.path.join(self.folder.name, "data"), path] + (["--limits"] if limits else [])
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True)
        self.port = int(self.process.stdout.readline() or self.fail())
        self.url = f"http://127.0.0.1:{self.port}"
        if role != "follower":
            self.tell("role", role)

    def fail(self):
        raise AssertionError(f"follower: {all_of(self.errors).decode()}")

    def tell(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n"

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(20)
        self.process.stdout.close()
        if code != 0:
            self.fail()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None and not self.process.stdin.closed:
            self.close()


ANSWER = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: keep-alive\r\n"
          b"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nX-Chain-Tx: 0xab\r\nX-Dojima-Seq: 7\r\nX-Odd:  kept \r\n\r\n%b")


def answer_of(body):
    return ANSWER % (len(body), body)


class Leader:
    """Records each request as (head, body); `reply(leader, connection, head, body)` sends what it likes and returns
    whether the connection goes on."""

    def __init__(self, reply):
        self.reply, self.requests, self.connections = reply, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.over = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        text = b""
        with connection:
            while not self.over.is_set():
                while b"\r\n\r\n" not in text:
                    more = connection.recv(65536)
                    if not more:
                        return
                    text += more
                head, text = text.split(b"\r\n\r\n", 1)
                found = re.search(rb"\r\nContent-Length: (\d+)", head, re.I)
                length = int(found.group(1)) if found else 0
                while len(text) < length:
                    text += connection.recv(1 << 20)
                body, text = text[:length], text[length:]
                self.requests.append((head, body))
                if not self.reply(self, connection, head, body):
                    return

    def close(self):
        self.over.set()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def echo(_, connection, head, body):
    connection.sendall(answer_of(body))
    return True


def silent(leader, *_):
    leader.over.wait(60)
    return False


def raw(port, text, seconds=30):
    """Sends bytes on a new connection and reads until it ends."""
    with socket.create_connection(("127.0.0.1", port), seconds) as connection:
        connection.sendall(text)
        got = b""
        while more := connection.recv(1 << 20):
            got += more
    return got


def request(body=b"{}", path=BATCH, method="POST", close=True, lines=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: door", f"Content-Length: {len(body)}", *lines]
    if close:
        lines.append("Connection: close")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Doors(unittest.TestCase):
    """One follower for all tests; each gives it its leader."""

    @classmethod
    def setUpClass(cls):
        cls.node = Follower(SECRET)

    @classmethod
    def tearDownClass(cls):
        cls.node.close()

    def setUp(self):
        self.node.tell("role", "follower")
        self.connection = Connection(self.node.port)

    def tearDown(self):
        self.connection.close()

    def lead(self, reply=echo):
        leader = Leader(reply)
        self.addCleanup(leader.close)
        self.node.tell("leader", leader.url)
        return leader

    def send(self, body=b"{}", **more):
        return self.connection.send("POST", BATCH, body, **more)

    def expect_refused(self, answer, code):
        self.assertEqual((answer.status, answer.code), (503, code), answer)
        self.assertEqual(answer.headers["retry-after"], "1")
        self.assertEqual(answer.details.get("nonce"), "not used" if code != UNKNOWN else None)

    # ---- bytes ----

    def test_the_leader_gets_the_bytes_of_the_client(self):
        leader = self.lead()
        body = b' {"a" : "\xc3\xa9\\u00e9" ,\r\n"b":[1.50,  2]}'
        raw(self.node.port, request(body, BATCH + "?x=%2f%20&y", "DELETE", lines=(
            "x-api-KEY: default", "X-API-Sign: 0x01" + "ab" * 65, "X-API-Sign: twice", "X-API-Nonce:\t17",
            "X-API-Chain:", "Content-Type: application/json ; charset=utf-8", "Origin: http://page.example",
            "User-Agent: me/1", "Accept: */*", "Accept-Encoding: gzip")))
        head, got = leader.requests[0]
        self.assertEqual(got, body)
        lines = head.decode().split("\r\n")
        self.assertEqual(lines[0], f"DELETE {BATCH}?x=%2f%20&y HTTP/1.1")
        for line in ("x-api-KEY: default", "X-API-Sign: 0x01" + "ab" * 65, "X-API-Sign: twice", "X-API-Nonce:\t17",
                     "Content-Type: application/json ; charset=utf-8", "Origin: http://page.example",
                     "User-Agent: me/1", "Accept: */*", "Accept-Encoding: gzip",
                     "X-Dojima-Forwarded: door " + "00" * 10 + "ffff7f000001", "X-Dojima-Secret: " + SECRET,
                     f"Content-Length: {len(body)}"):
            self.assertEqual(lines.count(line), 1, (line, lines))
        self.assertEqual(sum(line.lower().startswith("x-api-chain:") for line in lines), 1)
        self.assertEqual(len(lines), 15, lines)           # nothing else but Host

    def test_the_client_cannot_write_what_only_nodes_write(self):
        leader = self.lead()
        raw(self.node.port, request(lines=("X-Dojima-Secret: mine", "X-Dojima-Min-Seq: 9", "X-Dojima-Other: 1",
                                           "X-Forwarded-For: 9.9.9.9", "Forwarded: for=9.9.9.9")))
        head = leader.requests[0][0]
        self.assertEqual(head.count(b"X-Dojima-"), 2, head)
        self.assertIn(b"X-Dojima-Secret: " + SECRET.encode(), head)
        self.assertNotIn(b"9.9.9.9", head)

    def test_the_answer_is_the_leaders_byte_for_byte(self):
        self.lead()
        body = b'{"code":0,"x":"' + os.urandom(20).hex().encode() * 5000 + b'"}'
        wanted = answer_of(body[:100_000])
        with socket.create_connection(("127.0.0.1", self.node.port)) as connection:
            connection.sendall(request(body[:100_000], close=False))
            got = b""
            while len(got) < len(wanted):
                got += connection.recv(1 << 20)
        self.assertEqual(got, wanted)
        self.assertEqual(raw(self.node.port, request(b"{}")),
                         answer_of(b"{}").replace(b"Connection: keep-alive", b"Connection: close"))

    def test_statuses_and_ends_of_connections_pass_too(self):
        text = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\nConnection: close\r\nRetry-After: 3\r\n\r\nno"
        self.lead(lambda leader, connection, *_: connection.sendall(text))
        self.assertEqual(raw(self.node.port, request(close=False)), text)       # it ends, though the client did not ask

    def test_an_answer_in_chunks_gets_its_length(self):
        self.lead(lambda leader, connection, *_: connection.sendall(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n"
            b"2\r\nab\r\n1\r\nc\r\n0\r\nTrailer: x\r\n\r\n"))
        self.assertEqual(raw(self.node.port, request()),
                         b"HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc")

    def test_a_body_in_chunks_arrives_whole(self):
        leader = self.lead()
        raw(self.node.port, b"POST " + BATCH.encode() + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n")
        head, body = leader.requests[0]
        self.assertEqual(body, b'{"a":1}')
        self.assertNotIn(b"Transfer-Encoding", head)

    def test_reads_stay_here_and_json_rpc_goes_with_a_command(self):
        leader = self.lead()
        self.assertEqual(self.connection.send("GET", "/api/v1/spot/markets/symbols").status, 200)
        call = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}
        self.assertEqual(self.connection.send("POST", "/rpc", compact(call)).json["result"], "0x45f9f")
        self.assertEqual(leader.requests, [])
        mine = compact([call, dict(call, method="evm_mine")])
        self.assertEqual(self.connection.send("POST", "/rpc", mine).raw, mine)
        self.assertEqual([body for _, body in leader.requests], [mine])

    # ---- order ----

    def test_a_pipelined_connection_keeps_its_order(self):
        leader = self.lead()
        bodies = [b'{"n":%d}' % i for i in range(40)]
        text = b"".join(request(body, close=False) + request(b"", "/healthz", "GET", close=False) for body in bodies)
        got = raw(self.node.port, text + request(b"", "/nothing", "GET"))
        self.assertEqual([body for _, body in leader.requests], bodies)
        places = [got.index(body) for body in bodies]
        self.assertEqual(places, sorted(places))
        self.assertEqual(got.count(b"HTTP/1.1 200 OK"), 80)
        self.assertIn(b"HTTP/1.1 404 ", got)
        for before, behind in zip(places, places[1:]):      # the read that was sent between two writes is between them
            self.assertEqual(got[before:behind].count(b"X-Chain-Tx"), 1)
            self.assertEqual(got[before:behind].count(b"HTTP/1.1 200 OK"), 2)

    def test_a_thousand_at_once(self):
        leader = self.lead()
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        sockets = [socket.create_connection(("127.0.0.1", self.node.port), 60) for _ in range(1000)]
        for i, connection in enumerate(sockets):
            connection.sendall(request(b'{"n":%d}' % i, close=False))
        for i, connection in enumerate(sockets):
            got = b""
            while not got.endswith(b"}"):
                got += connection.recv(4096)
            self.assertEqual(got, answer_of(b'{"n":%d}' % i))
            connection.close()
        self.assertEqual(sorted(body for _, body in leader.requests), sorted(b'{"n":%d}' % i for i in range(1000)))
        self.assertLessEqual(leader.connections, 64)

    def test_its_connections_are_used_again(self):
        leader = self.lead()
        for _ in range(50):
            self.assertEqual(self.send().status, 200)
        self.assertEqual(leader.connections, 1)

    # ---- failures ----

    def test_without_a_leader_nothing_was_done(self):
        self.node.tell("leader", "-")
        self.expect_refused(self.send(), NO_LEADER)

    def test_a_node_that_is_about_to_lead_takes_no_write_yet(self):
        self.lead()
        self.node.tell("role", "leading")
        self.expect_refused(self.send(), NO_LEADER)

    def test_a_leader_that_refuses_the_connection_did_nothing(self):
        self.node.tell("leader", f"http://127.0.0.1:{closed_port()}")
        self.expect_refused(self.send(), NO_LEADER)
        self.expect_refused(self.send(), NO_LEADER)         # the client's connection goes on

    def test_a_url_that_is_none_did_nothing(self):
        for url in ("ftp://127.0.0.1:1", "nonsense", "http://user:word@127.0.0.1:1", "http://no-such-host.invalid:1"):
            self.node.tell("leader", url)
            self.expect_refused(self.send(), NO_LEADER)

    def test_a_leader_that_dies_before_or_in_its_answer_leaves_the_outcome_open(self):
        whole = answer_of(b'{"code":0}')
        pieces = (b"", whole[:7], whole[:60], whole[:whole.index(b"\r\n\r\n") + 2], whole[:-3],
                  b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", b"HTTP/1.1 100 Continue\r\n\r\n",
                  b"HTTP/1.1 200 OK\r\nContent-Type: a\r\n\r\n{\"code\":", b"nonsense\r\n\r\n", b"{}\r\n")
        for piece in pieces:
            leader = self.lead(lambda _, connection, *__, text=piece: connection.sendall(text))
            self.expect_refused(self.send(), UNKNOWN)
            self.assertEqual(len(leader.requests), 1, piece)
            leader.close()

    def test_what_may_have_been_received_is_not_sent_again(self):
        """The second request goes over the connection of the first one, which dies without a byte: a client library
        would send it again on a new connection."""
        def reply(leader, connection, head, body):
            if body == b"{}":
                return echo(leader, connection, head, body)
            return False
        leader = self.lead(reply)
        for method in ("POST", "DELETE"):
            self.assertEqual(self.send().status, 200)
            self.expect_refused(self.connection.send(method, BATCH, b'{"n":1}'), UNKNOWN)
        self.assertEqual([body for _, body in leader.requests], [b"{}", b'{"n":1}'] * 2)
        self.assertEqual(self.send().status, 200)

    def test_an_answer_that_is_too_long_leaves_the_outcome_open(self):
        self.lead(lambda _, connection, *__: connection.sendall(answer_of(b"x" * 2_200_000)))
        self.expect_refused(self.send(), UNKNOWN)

    def test_a_silent_leader_is_not_waited_for_when_another_one_leads(self):
        leader = self.lead(silent)
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.send()))
        waiting.start()
        while not leader.requests:
            time.sleep(0.01)
        other = self.lead()
        began = time.monotonic()
        waiting.join()
        self.assertLess(time.monotonic() - began, 10)       # not the 15 s that an answer may take
        self.expect_refused(answers[0], UNKNOWN)
        self.assertEqual(self.send().status, 200)
        self.assertEqual(len(other.requests), 1)

    def test_clients_may_leave_while_their_request_is_there(self):
        leader = self.lead(lambda *given: time.sleep(0.3) or echo(*given))
        for i in range(30):
            with socket.create_connection(("127.0.0.1", self.node.port)) as connection:
                connection.sendall(request(b'{"n":%d}' % i))
        while len(leader.requests) < 30:
            time.sleep(0.01)
        self.assertEqual(self.send().status, 200)

    def test_a_full_queue_is_answered_like_overload(self):
        """The bodies of six hundred requests are more than what may wait."""
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        leader = self.lead(silent)
        text = request(b" " * 131_000, close=False)
        sockets = [socket.create_connection(("127.0.0.1", self.node.port), 60) for _ in range(600)]
        for connection in sockets:
            connection.sendall(text)
        poll = select.poll()
        for connection in sockets:
            poll.register(connection, select.POLLIN)
        self.assertNotEqual(poll.poll(60_000), [])          # the first answer is the one of the queue
        while len(leader.requests) < 64:                    # each connection has sent one
            time.sleep(0.01)
        leader.close()
        codes = []
        for connection in sockets:
            got = connection.recv(65536)
            self.assertTrue(got.startswith(b"HTTP/1.1 503 "), got)
            codes.append(int(re.search(rb'"code":(\d+)', got).group(1)))
            connection.close()
        self.assertEqual(set(codes), {BUSY, NO_LEADER, UNKNOWN})
        self.assertGreaterEqual(codes.count(UNKNOWN), 64)   # those that had a connection
        self.lead()
        self.assertEqual(self.send().status, 200)

    # ---- roles ----

    def test_a_forwarded_request_is_not_forwarded_again(self):
        leader = self.lead()
        other = "X-Dojima-Forwarded: other " + "0" * 32
        for lines in ((other,), (other, "X-Dojima-Secret: " + SECRET), ("X-Dojima-Forwarded:",)):
            self.assertIn(b'"code":%d' % NO_LEADER, raw(self.node.port, request(lines=lines)))
        self.assertEqual(leader.requests, [])
        self.node.tell("leader", self.node.url)             # two nodes that take each other for the leader
        self.expect_refused(self.send(), NO_LEADER)

    def test_the_role_may_change_between_two_requests(self):
        self.lead()
        self.assertEqual(self.send(b"{}").raw, b"{}")
        self.node.tell("role", "leader")
        self.assertEqual(self.send(b"{}").code, 40102)      # judged here: there is no nonce
        self.node.tell("role", "follower")
        self.assertEqual(self.send(b"{}").raw, b"{}")

    def test_what_was_forwarded_is_counted(self):
        def count(outcome):
            text = self.connection.send("GET", "/metrics").raw.decode()
            return int(re.search(r'dojima_forwarded_total\{outcome="%s"\} (\d+)' % outcome, text).group(1))
        self.lead()
        before = count("answered")
        self.send()
        self.assertEqual(count("answered"), before + 1)
        before = count("not_sent")
        self.node.tell("leader", f"http://127.0.0.1:{closed_port()}")
        self.send()
        self.assertEqual(count("not_sent"), before + 1)


class RealLeader(unittest.TestCase):
    """A `dojima dev` behind the follower."""

    def test_a_client_trades_through_the_follower(self):
        with Server() as leader, Follower() as node:
            node.tell("leader", f"http://127.0.0.1:{leader.port}")
            alice = leader.accounts()[0]
            there = Client(node, alice.wallet, alice.id)
            for i in range(20):
                answer = there.place(order(f"a-{i}", BUY, "50000", "0.001"))
                self.assertEqual((answer.status, answer.code, answer.data[0]["status"]), (200, 0, "NEW"), answer)
                self.assertIn("x-chain-tx", answer.headers)
                read = alice.connection.send("GET", f"/api/v1/spot/accounts/{alice.address}/orders",
                                             headers={"X-Dojima-Min-Seq": answer.headers["x-dojima-seq"]})
                self.assertIn(f"a-{i}", [row["clOrdID"] for row in read.data["orders"]])
            nonce = fresh_nonce()
            first = there.place(order("once", BUY, "50000", "0.001"), nonce=nonce)
            again = there.place(order("once", BUY, "50000", "0.001"), nonce=nonce)
            self.assertEqual((first.code, again.code), (0, 40102))
            self.assertEqual(again.details["hash"], first.headers["x-chain-tx"])   # which tells what became of it
            gone = there.cancel({"symbolID": BTC, "clOrdID": "x", "origClOrdID": "once"})
            self.assertEqual(gone.data[0]["status"], "CANCELED")
            mined = there.connection.send("POST", "/rpc", compact(
                {"jsonrpc": "2.0", "id": 1, "method": "evm_mine"}))
            self.assertEqual(mined.json["result"], "0x0")

    def test_a_leader_that_is_killed_and_started_again(self):
        with Folder() as folder, Follower() as node:
            leader = Server(data=folder)
            node.tell("leader", f"http://127.0.0.1:{leader.port}")
            alice = leader.accounts()[0]
            there = Client(node, alice.wallet, alice.id)
            self.assertEqual(there.place(order("k-1", BUY, "50000", "0.001")).code, 0)
            leader.kill()
            self.assertEqual(there.place(order("k-2", BUY, "50000", "0.001")).code, NO_LEADER)
            with Server(data=folder, port=leader.port):
                self.assertEqual(there.place(order("k-3", BUY, "50000", "0.001")).code, 0)


class Trust(unittest.TestCase):
    """What a leader believes of a request that says it was forwarded."""

    FORWARDED = "X-Dojima-Forwarded: n2 " + "00" * 10 + "ffff%02x000001"

    def fill(self, leader, lines, most=1300):
        """Requests of weight 1 until one is refused; how many were not."""
        text = request(close=False, lines=lines)
        with socket.create_connection(("127.0.0.1", leader.port), 30) as connection:
            for i in range(most):
                connection.sendall(text)
                if connection.recv(65536).startswith(b"HTTP/1.1 429 "):
                    return i
        return most

    def test_the_secret_frees_of_the_weight_that_the_other_node_has_charged(self):
        with Follower(SECRET, limits=True, role="leader") as leader:
            lines = (self.FORWARDED % 1, "X-Dojima-Secret: " + SECRET)
            self.assertEqual(self.fill(leader, lines), 1300)
            self.assertEqual(self.fill(leader, ()), 1200)       # the address of the sender has all of its weight

    def test_without_the_secret_the_sender_is_a_stranger(self):
        wrong = (("X-Dojima-Secret: " + SECRET[:-1] + "X",), ("X-Dojima-Secret: " + SECRET[:-1],),
                 ("X-Dojima-Secret: " + SECRET + "X",), ("X-Dojima-Secret:",), (),
                 ("X-Dojima-Secret: " + SECRET, "X-Dojima-Secret: " + SECRET))
        with Follower(SECRET, limits=True, role="leader") as leader:
            left = 1200
            for i, lines in enumerate(wrong):               # each from another address that it makes up
                left -= self.fill(leader, (self.FORWARDED % i,) + lines, 150)
            self.assertEqual(left, 300)
            for bad in ("X-Dojima-Forwarded: n2", "X-Dojima-Forwarded: n2 127.0.0.1", self.FORWARDED % 1 + "00",
                        "X-Dojima-Forwarded:"):
                left -= self.fill(leader, (bad, "X-Dojima-Secret: " + SECRET), 50)
            self.assertEqual(left, 100)
            self.assertEqual(self.fill(leader, ()), 100)

    def test_a_node_without_a_secret_believes_nobody(self):
        with Follower(None, limits=True, role="leader") as leader:
            for lines in (("X-Dojima-Secret:",), ("X-Dojima-Secret: " + SECRET,)):
                self.assertEqual(self.fill(leader, (self.FORWARDED % 1,) + lines, 600), 600)
            self.assertEqual(self.fill(leader, ()), 0)

    def test_the_follower_charges_its_clients_and_the_leader_does_not(self):
        with Follower(SECRET, limits=True, role="leader") as leader, Follower(SECRET, limits=True) as node:
            node.tell("leader", leader.url)
            self.assertEqual(self.fill(node, ()), 1200)
            self.assertEqual(self.fill(leader, ()), 1200)

    def test_a_bad_secret_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "secret")
            for text in ("short", "two words of some length", "x" * 257, "", "caf\u00e9" * 8):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                done = subprocess.run([FOLLOWER, os.path.join(folder, "data"), path], stdin=subprocess.DEVNULL,
                                      capture_output=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 78, (text, done))
                self.assertIn(b"[cluster] secret: ", done.stderr)
            os.unlink(path)
            done = subprocess.run([FOLLOWER, os.path.join(folder, "data"), path], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 78)
            self.assertIn(b"cannot be read: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
