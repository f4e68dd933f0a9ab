# SPDX-License-Identifier: MIT
"""Nodes with one log in PostgreSQL write snapshots, start from them, and give them to new nodes (dojima join).

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import os
import shutil
import unittest

from harness import Folder, Server, main, run
from roles import Database, Node, Writer, wait

SHADOW = "shadow = on\nsnapshotSeconds = 1\n"


class Join(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.database = Database(cls.folder.path)
        cls.addClassCleanup(cls.folder.__exit__)
        cls.addClassCleanup(cls.database.stop)
        cls.nodes = [cls.begun(name) for name in ("n1", "n2")]

    @classmethod
    def begun(cls, name):
        node = Node(cls.folder.path, name, cls.database.url, more=SHADOW)
        cls.addClassCleanup(lambda: node.server and node.server.kill())
        return node.start()

    def path(self, name):
        return os.path.join(self.folder.path, name)

    def written(self, count=20):
        """So many acknowledged deposits of one account."""
        wait("a leader", lambda: any(node.ready().get("role") == "leader" for node in self.nodes))
        writer = Writer(self.nodes)
        writer.start()
        self.addCleanup(writer.stop)
        wait("acknowledged writes", lambda: len(writer.acknowledged) >= count)
        writer.stop()
        self.assertEqual(writer.wrong, [])
        return writer

    def snapshots(self, node):
        """Waits for two snapshots that were made from now on."""
        places = [os.path.join(node.data, name) for name in ("snapshot-a", "snapshot-b")]
        before = [os.stat(place).st_ino if os.path.exists(place) else 0 for place in places]
        for at, place in enumerate(places):
            while not os.path.exists(place) or os.stat(place).st_ino == before[at]:
                self.written(1)

    def test_1_a_node_starts_from_its_snapshot(self):
        writer = self.written()
        for node in self.nodes:
            self.snapshots(node)
            self.assertEqual(node.server.stop(), 0)
            node.start()
            self.assertRegex(node.server.stderr(), r"snapshot-[ab]: command \d+, block \d+; the log is read from there")
        self.assertEqual(self.nodes[0].balance(writer.owner), self.nodes[1].balance(writer.owner))
        self.assertGreaterEqual(self.nodes[0].balance(writer.owner), len(writer.acknowledged))

    def test_2_a_snapshot_of_another_log_is_refused(self):
        with Server(data=self.path("other")):
            self.assertEqual(run("deposit", "--data", self.path("other"), "--id", "d1", "0x" + "ab" * 20, "vUSDC",
                                 "5")[0], 0)
        self.assertEqual(run("shadow", "--once", self.path("other"))[0], 0)
        node = Node(self.folder.path, "n3", self.database.url, more=SHADOW)
        os.mkdir(node.data)
        shutil.copy(os.path.join(self.path("other"), "snapshot-a"), node.data)
        code, _, err = run("serve", "--config", node.config)
        self.assertEqual(code, 70, err)
        self.assertIn("snapshot-a is a snapshot of another log", err)


if __name__ == "__main__":
    main()
