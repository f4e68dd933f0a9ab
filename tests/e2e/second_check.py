# SPDX-License-Identifier: MIT
"""Every accepted signature is verified again by libsecp256k1, from the log (decision 243). A program whose recovery in
lanes has a fault accepts forged signatures: it stops with 70, also when it is killed before the check and started
again, with the fault or without."""
import os
import re
import signal
import subprocess
import threading
import time
import unittest
import urllib.request

from harness import BUY, Case, Client, Connection, Folder, Server, compact, main, order, run, signature_text
from shadow import CONFIG, wait_for as wait_so_long

FORGED = os.environ["FORGED"]
DAMAGE = 70
THREADS = {"check", "check-idle"}


class Forger:
    """Signs as anyone, for a program that believes it."""

    def __init__(self, address):
        self.address = address

    def sign(self, *_, **__):
        return signature_text(0xfeed, int(self.address, 16), 0)


def figure(server, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=20) as reply:
        return float(re.search(rf"^{name} (\S+)$", reply.read().decode(), re.M).group(1))


def threads(server):
    folder = f"/proc/{server.process.pid}/task"
    return {open(f"{folder}/{task}/comm").read().strip() for task in os.listdir(folder)}


def together(server, writes):
    """The replies to writes that all are there when the server looks: it recovers their signers at once."""
    replies = [None] * len(writes)

    def send(index):
        try:
            replies[index] = writes[index]()
        except OSError as error:
            replies[index] = error

    workers = [threading.Thread(target=send, args=(index,)) for index in range(len(writes))]
    server.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)             # else a thread may still take the first one alone
    for worker in workers:
        worker.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGCONT)
    for worker in workers:
        worker.join()
    return replies


def forge(server):
    """Transfers that nobody signed, out of every account. One was accepted at least, or the check was faster than its
    reply."""
    forgers = []
    for account in server.accounts():
        client = Client(server, Forger(account.address), account.id, Connection(server.port))
        body = {"id": 1, "fromAccountID": client.id, "toAccountID": 999, "coinID": 0, "amount": "50", "type": 2}
        client.get("/symbols")                                       # the connection is open
        forgers.append(lambda client=client, body=body:
            client.write("POST", "/accounts/transfers", "transferAsset", body))
    replies = together(server, forgers)
    assert any(isinstance(reply, OSError) or getattr(reply, "code", None) == 0 for reply in replies), replies
    return replies


# The check runs where a processor has nothing else to do; where none ever has, another thread does it after a minute.
SECONDS = 150


def wait_for(what):
    return wait_so_long(what, SECONDS)


def ends(server):
    code = server.process.wait(SECONDS)
    server._close()
    return code, server.stderr()


class SecondCheck(Case):
    def test_what_was_accepted_is_checked_again(self):
        with Folder() as folder, Server("--data", os.path.join(folder, "data")) as server:
            a = server.accounts()[0]
            for number in range(5):
                self.items_ok(a.place(order(f"c-{number}", BUY, "30000", "0.001")))
            wait_for(lambda: figure(server, "dojima_signatures_checked_total") == 5)
            for unit in ("commands", "seconds"):        # a TICK may come between the two
                wait_for(lambda of=unit: figure(server, f"dojima_signatures_unchecked_{of}") == 0)
            self.assertEqual(figure(server, "dojima_signatures_check_running"), 1)
            self.assertEqual(figure(server, "dojima_signatures_mismatches_total"), 0)
            self.assertLessEqual(THREADS, threads(server))

    def test_a_restart_continues_where_the_check_was(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--data", data)
            a = server.accounts()[0]
            self.items_ok(a.place(order("r-1", BUY, "30000", "0.001")))
            wait_for(lambda: figure(server, "dojima_signatures_checked_total") == 1)
            server.stop()
            server = Server("--data", data)
            self.items_ok(a.on(server).place(order("r-2", BUY, "30000", "0.001")))
            wait_for(lambda: figure(server, "dojima_signatures_unchecked_commands") == 0)
            self.assertEqual(figure(server, "dojima_signatures_checked_total"), 1)    # r-1 is not checked a third time
            server.stop()
            os.remove(os.path.join(data, "checked-signatures"))
            with Server("--data", data) as server:
                self.items_ok(a.on(server).place(order("r-3", BUY, "30000", "0.001")))
                wait_for(lambda: figure(server, "dojima_signatures_checked_total") == 3)

    def test_a_mark_that_the_log_does_not_have_leaves_nothing_out(self):
        with Folder() as folder:
            data, other = os.path.join(folder, "data"), os.path.join(folder, "other")
            for path in (data, other):
                with Server("--data", path) as server:
                    a = server.accounts()[0]
                    self.items_ok(a.place(order("m-1", BUY, "30000", "0.001")))
                    wait_for(lambda: figure(server, "dojima_signatures_checked_total") == 1)
            mark = os.path.join(data, "checked-signatures")
            with open(os.path.join(other, "checked-signatures"), "rb") as file:
                foreign = file.read()
            with open(mark, "rb") as file:
                own = file.read()
            for content in (foreign, own[:50], own[:-1] + bytes([own[-1] ^ 1]), b""):
                with open(mark, "wb") as file:
                    file.write(content)
                with Server("--data", data) as server:
                    wait_for(lambda: figure(server, "dojima_signatures_checked_total") == 1)

    def test_a_forged_signature_stops_the_exchange(self):
        server = Server(binary=FORGED)
        forge(server)
        code, said = ends(server)
        self.assertEqual(code, DAMAGE, said)
        self.assertIn("ALARM: command", said)

    def test_a_kill_before_the_check_hides_nothing(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--data", data, binary=FORGED)
            forge(server)
            server.kill()
            for binary in ({}, {"binary": FORGED}, {}):               # it is in the log, so every start finds it
                try:
                    server = Server("--data", data, **binary)
                    code, said = ends(server)
                except AssertionError as error:                       # before the banner was read
                    code, said = DAMAGE, str(error)
                self.assertEqual(code, DAMAGE, said)
                self.assertIn("ALARM: command", said)

    def test_the_library_alone_needs_no_second_check(self):
        with Folder() as folder:
            config = os.path.join(folder, "dojima.ini")
            with open(config, "w", encoding="ascii") as file:
                text = CONFIG.format(data=os.path.join(folder, "data")).replace("shadow = on\n", "")
                file.write(text.replace("[coin vUSDC]", "signatures = library\n[coin vUSDC]", 1))
            with Server("--config", config, command="serve", json_banner=False) as server:
                server.wait_for_port()
                self.assertEqual(THREADS & threads(server), set())
                self.assertEqual(figure(server, "dojima_signatures_check_running"), 0)
                self.assertEqual(figure(server, "dojima_signatures_lanes"), 0)


if __name__ == "__main__":
    main()
