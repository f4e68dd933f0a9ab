# SPDX-License-Identifier: MIT
"""The second check of signatures (decision 243) on nodes with one log: each node checks what it has applied, as long as
it runs, so a redemption passes and the lanes stay on.

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import os
import re
import time
import unittest
import urllib.request

from harness import BUY, WHOLE, Client, Connection, Folder, Wallet, main, order
from roles import Database, Node, wait

CHAIN = 77              # of the nodes' configuration
LATE = 62               # seconds after which a check that stands still has switched the lanes off
OUT = 999               # the account from which money is redeemed


def figure(node, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{node.port}/metrics", timeout=20) as reply:
        return float(re.search(rf"^dojima_signatures_{name} (\S+)$", reply.read().decode(), re.M).group(1))


class SecondCheckOfASharedLog(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.__exit__)
        cls.database = Database(cls.folder.path)
        cls.addClassCleanup(cls.database.stop)
        cls.nodes = [Node(cls.folder.path, name, cls.database.url) for name in ("n1", "n2")]
        for node in cls.nodes:
            cls.addClassCleanup(lambda node=node: node.server and node.server.kill())
            node.start()
        cls.wallet, cls.signed = Wallet(os.urandom(31).hex()), 0

    def leader(self):
        return wait("a leader", lambda: next((one for one in self.nodes if one.ready().get("role") == "leader"), None))

    def account(self):
        """The wallet's account at the node that leads, with money."""
        node, name = self.leader(), os.urandom(8).hex()
        answer = node.ask("deposit", id=name, address=self.wallet.address, engine="spot", coin="A", amount="1000")
        self.assertEqual(answer["code"], 0, answer)
        client = Client(node.server, self.wallet, 0, Connection(node.port))
        answer["data"]["accountID"]
        return client

    def sign(self, client, count):
        """So many commands with a signature, one after the other."""
        for _ in range(count):
            type(self).signed += 1
            reply = client.place(order(f"s-{self.signed}", BUY, "90", "0.001"), chain_id=CHAIN)
            self.assertEqual(reply.data[0]["code"], 0, reply)

    def all_is_checked(self, node):
        return wait(f"{node.name} has checked all", lambda:
                    figure(node, "checked_total") == self.signed
                    and figure(node, "unchecked_commands") == 0)

    def test_1_each_node_goes_on_checking(self):
        client = self.account()
        for count in (1, 3, 20, 1):
            self.sign(client, count)
            for node in self.nodes:
                self.all_is_checked(node)

    def test_2_a_redemption_passes(self):
        client, leader = self.account(), self.leader()
        body = {"id": 1, "fromAccountID": client.id, "toAccountID": OUT, "coinID": 0, "amount": "5", "type": 2}
        reply = client.write("POST", "/accounts/transfers", "transferAsset", body, chain_id=CHAIN)
        self.assertEqual(reply.code, 0, reply)
        type(self).signed += 1
        redeem = {"id": os.urandom(8).hex(), "address": client.address, "coin": "A", "amount": "5"}
        wait("the redemption", lambda: leader.ask("redeem", **redeem)["code"] == 0)     # 50301: not yet

    @unittest.skipUnless(WHOLE, "takes a minute")
    def test_3_the_lanes_stay_on(self):
        client, end = self.account(), time.monotonic() + LATE
        while time.monotonic() < end:
            self.sign(client, 1)
            time.sleep(1)
        for node in self.nodes:
            self.assertNotIn("recovered by libsecp256k1 alone", node.server.stderr())
            self.all_is_checked(node)

    def test_4_after_a_change_of_the_leader(self):
        leader = self.leader()
        self.assertEqual(leader.server.stop(), 0)
        client, done = self.account(), self.signed
        self.sign(client, 3)
        self.all_is_checked(self.leader())
        leader.start()                                  # behind its mark
        wait("it has checked what it missed", lambda:
             figure(leader, "checked_total") == self.signed - done
             and figure(leader, "unchecked_commands") == 0)


if __name__ == "__main__":
    main()
