# SPDX-License-Identifier: MIT
"""dojima trim-log: the beginning of a shared log goes into an archive, and out of the database; the nodes run on, start
again, new ones join, and the whole history can be read from genesis.

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest
import urllib.request

from harness import BINARY, INSTRUMENTED, Folder, Server, main, run
from roles import PSQL, Database, Node, wait, written

SHADOW = "shadow = on\nsnapshotSeconds = 1\n"
PATIENCE = 400          # seconds: a busy machine only makes the test longer
SECRET = "a-word-that-is-long-enough"


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


class Trim(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.database = Database(cls.folder.path)
        cls.addClassCleanup(cls.folder.__exit__)
        cls.addClassCleanup(cls.database.stop)
        cls.owner = f"postgres://postgres@127.0.0.1:{cls.database.port}/postgres"
        cls.archive = os.path.join(cls.folder.path, "archive")
        cls.nodes = [cls.made(name).start() for name in ("n1", "n2")]

    @classmethod
    def made(cls, name, more=SHADOW):
        """A node with the secret, which has not been started."""
        node = Node(cls.folder.path, name, cls.database.url, more=more)
        secret = os.path.join(cls.folder.path, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write(SECRET + "\n")
        with open(node.config, encoding="ascii") as file:
            text = file.read()
        with open(node.config, "w", encoding="ascii") as file:
            file.write(text.replace("compareBlocks", f"secret = {secret}\ncompareBlocks"))
        cls.addClassCleanup(lambda: node.server and node.server.kill())
        return node

    def path(self, name):
        return os.path.join(self.folder.path, name)

    def sql(self, text):
        done = subprocess.run([PSQL, "-qtAX", self.owner, "-c", text], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    @contextlib.contextmanager
    def held(self, locks):
        """Another connection that takes locks and sleeps with them, for as long as the block goes on."""
        with subprocess.Popen([PSQL, "-qtAX", self.owner, "-c", locks], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as other:
            try:
                yield
            finally:
                other.kill()
                self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' "
                         "AND pid <> pg_backend_pid()")

    def first(self):
        """The first row of the table behind the genesis."""
        return int(self.sql("SELECT min(seq) FROM dojima.log WHERE seq > 0"))

    def told(self, *nodes, above=None):
        """Waits until each of the nodes has told of an older snapshot above a row: that of now."""
        above = above or int(self.sql("SELECT max(seq) FROM dojima.log"))
        end = time.monotonic() + PATIENCE
        for node in nodes:
            older = f"SELECT coalesce(max(older), 0) FROM dojima.snapshots WHERE node = '{node.name}'"
            while int(self.sql(older)) < above:
                self.assertLess(time.monotonic(), end, f"{node.name} tells of no snapshots")
                written(self, self.nodes, 1)
                time.sleep(0.2)

    def trim(self, *args, code=0, url=None, archive=None, **more):
        done, out, err = run("trim-log", "--archive", archive or self.archive, *args, url or self.owner,
                             seconds=PATIENCE, **more)
        self.assertEqual(done, code, out + err)
        return out + err

    def facts(self, folder):
        done, out, err = run("verify", "--json", folder, seconds=PATIENCE)
        self.assertEqual(done, 0, err)
        return json.loads(out)

    def block(self, node, number):
        body = f'{{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["{number:#x}",true]}}'
        return json.load(urllib.request.urlopen(urllib.request.Request(
            f"http://127.0.0.1:{node.port}/rpc", body.encode(), {"Content-Type": "application/json"})))

    # ---- the tests, in this order ----

    def test_1_what_may_not_be_trimmed_is_refused(self):
        written(self, self.nodes, 5)
        rows = self.first()
        self.assertIn("dojima_writer may not remove rows of the log; use the URL of its owner",
                      self.trim(code=1, url=self.database.url))
        self.assertIn("dojima_reader may not remove rows", self.trim(code=1, url=self.database.reader))
        self.assertIn("is no postgres://", self.trim(code=2, url="/tmp"))
        self.assertIn("--archive", run("trim-log", self.owner)[2])
        self.sql("DELETE FROM dojima.snapshots")
        self.assertRegex(self.trim(code=1), "node n[12] holds the trim: it has told of no two verified snapshots")
        self.told(*self.nodes)
        self.assertIn("knows no node \"n7\"", self.trim("--without", "n7", code=1))
        self.assertIn("ran within the last minute", self.trim("--without", "n1,n2", code=1))
        self.assertIn("is more than may go", self.trim("--below", "1000000", code=1))
        self.sql("INSERT INTO dojima.progress SELECT 'n9', 'http://n9', 0, 0, 0, 0, 0, '', 'epoch'")
        self.assertIn("node n9 holds the trim", self.trim(code=1))
        self.sql("INSERT INTO dojima.snapshots VALUES ('n9', 5, 6, 10, 'epoch')")
        self.assertIn("n9 holds the trim: it has applied command 0, and its older snapshot stands at 10",
                      self.trim(code=1))
        self.assertIn("may go", self.trim("--without", "n9", "--plan"))
        self.sql("DELETE FROM dojima.progress WHERE node = 'n9'; DELETE FROM dojima.snapshots WHERE node = 'n9'")
        self.assertFalse(os.path.exists(self.archive))
        self.assertEqual(self.first(), rows)

    def test_2_an_archive_that_cannot_be_used_removes_nothing(self):
        written(self, self.nodes, 200)                       # more than the small files hold
        self.told(*self.nodes)
        rows = self.first()
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        self.assertIn("cannot be used: Not a directory", self.trim(code=1, archive=self.path("file/archive")))
        out = self.trim(code=74, archive=self.path("full"), preexec_fn=small_files)
        self.assertIn("File too large", out)
        with Server(data=self.path("other")):
            pass
        self.assertIn("another genesis", self.trim(code=1, archive=self.path("other")))
        self.assertIn("in use", self.trim(code=69, archive=self.nodes[0].data))
        self.assertEqual(self.first(), rows)
        with self.held("SELECT pg_advisory_lock(hashtext('dojima trim'), 0), pg_sleep(600)"):
            wait("the lock", lambda: self.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted "
                                              "AND objid = 0 AND objsubid = 2") != "0")
            self.assertIn("another process trims", self.trim(code=69))

    def test_3_a_trim_keeps_the_whole_history(self):
        self.told(*self.nodes)
        plan = self.trim("--plan")
        last = int(re.search(r"may go +rows 1 to (\d+)", plan).group(1))
        out = self.trim("--below", str(last // 2))      # less than may go
        self.assertIn("rows; the log in the database begins at row", out)
        self.assertLessEqual(self.first(), last // 2)
        half = self.first()
        self.assertEqual(self.sql("SELECT count(*) FROM dojima.log WHERE seq = 0"), "1")
        self.trim()                                     # and the rest into the same archive
        self.assertGreater(self.first(), half)
        self.assertRegex(self.trim("--below", "2"), "removed +nothing")
        written(self, self.nodes, 10)                                # the nodes run on
        self.whole_history()

    def whole_history(self):
        """A copy of the archive, completed from the database, is the whole log, and ends in the nodes' state."""
        archived = self.facts(self.archive)
        self.assertTrue(archived["invariants"])
        shutil.rmtree(self.path("whole"), ignore_errors=True)
        shutil.copytree(self.archive, self.path("whole"))
        code, out, err = run("copy-log", self.database.reader, self.path("whole"), seconds=PATIENCE)
        self.assertEqual(code, 0, out + err)
        whole = self.facts(self.path("whole"))
        self.assertGreater(whole["seq"], archived["seq"])
        for node in self.nodes:
            wait("it has all", lambda: node.ready().get("block", 0) >= whole["blockNumber"])
            block = self.block(node, whole["blockNumber"])
            self.assertEqual(block["result"]["hash"], whole["blockHash"])

    def test_4_reading_without_the_archive_is_refused(self):
        for place in ("empty", "other"):
            code, out, err = run("copy-log", self.database.reader, self.path(place))
            self.assertEqual(code, 1, out + err)
            self.assertIn("what came before was trimmed" if place == "empty" else "another genesis", err)
        self.told(*self.nodes)
        rows = self.first()
        self.assertIn("what came before was trimmed", self.trim(code=1, archive=self.path("elsewhere")))
        digest = self.sql("SELECT encode(digest, 'hex') FROM dojima.beginning")
        self.sql("UPDATE dojima.beginning SET digest = decode(repeat('ab', 32), 'hex')")    # of other batches
        self.assertIn("is no archive of the database: its first", self.trim(code=1))
        self.sql(f"UPDATE dojima.beginning SET digest = decode('{digest}', 'hex')")
        self.assertEqual(self.first(), rows)

    def test_5_nodes_after_a_trim(self):
        """They answer, start from their snapshots; a new one needs a join."""
        node = self.nodes[0]
        answer = self.block(node, 1)
        self.assertEqual(answer["error"]["code"], 4444)
        self.assertIn("trimmed", answer["error"]["message"])
        self.assertIn("result", self.block(node, node.ready()["block"]))
        for one in self.nodes:
            self.assertEqual(one.server.stop(), 0)
            one.start()
            self.assertIn("the log is read from there", one.server.stderr())
        writer = written(self, self.nodes, 10)
        fresh = self.made("n3")
        code, _, err = run("serve", "--config", fresh.config, seconds=PATIENCE)
        self.assertEqual(code, 1, err)
        self.assertIn("what came before was trimmed", err)
        self.assertIn("dojima join", err)
        shutil.rmtree(fresh.data)
        code, out, err = run("join", "--from", f"http://127.0.0.1:{node.port}", "--config", fresh.config,
                             seconds=PATIENCE)
        self.assertEqual(code, 0, out + err)
        fresh.start()
        wait("it follows", lambda: fresh.ready().get("sequence", 0) >= node.ready()["sequence"])
        self.assertEqual(fresh.balance(writer.owner), node.balance(writer.owner))
        self.nodes.append(fresh)

    def test_6_a_follower_that_was_away(self):
        """It holds the trim, by its name; one that was left out is refused, and told to join."""
        away = self.nodes.pop()
        self.told(away)
        self.assertEqual(away.server.stop(), 0)
        older = int(self.sql("SELECT older FROM dojima.snapshots WHERE node = 'n3'"))
        written(self, self.nodes, 20)
        self.told(*self.nodes)
        self.assertIn(f"stands at row {older} (n3)", self.trim())
        self.assertLessEqual(self.first(), older)
        self.sql("UPDATE dojima.progress SET seen = seen - interval '1 hour' WHERE node = 'n3'")
        self.trim("--without", "n3")
        self.assertGreater(self.first(), older)
        newer = int(self.sql("SELECT newer FROM dojima.snapshots WHERE node = 'n3'"))
        self.assertGreater(self.first(), newer)
        code, _, err = run("serve", "--config", away.config, seconds=PATIENCE)
        self.assertEqual(code, 1, err)
        self.assertIn("dojima join", err)
        self.whole_history()

    def test_7_a_trim_that_is_killed_loses_nothing(self):
        for delay in (0.02, 0.05, 0.1, 0.2, 0.4):
            written(self, self.nodes, 10)
            self.told(*self.nodes)
            with subprocess.Popen([BINARY, "trim-log", "--archive", self.archive, "--without", "n3", self.owner],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as trim:
                time.sleep(delay)
                trim.kill()
            first = self.first()
            wait("its session has ended", lambda: self.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dojima trim'") == "0")
            self.assertIn("removed", self.trim("--without", "n3"))
            self.assertGreaterEqual(self.first(), first)
            self.whole_history()

    def test_7_b_a_trim_that_is_killed_before_its_transaction(self):
        """A lock on the mark keeps it there: everything is in the archive, and nothing is removed."""
        written(self, self.nodes, 10)
        self.told(*self.nodes)
        first = self.first()
        with self.held("BEGIN; LOCK TABLE dojima.beginning IN SHARE MODE; SELECT pg_sleep(600)"):
            waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = '{}'"
            wait("the lock", lambda: self.sql("SELECT count(*) FROM pg_locks WHERE mode = 'ShareLock' AND granted AND "
                                              "relation = 'dojima.beginning'::regclass") == "1")
            with subprocess.Popen([BINARY, "trim-log", "--archive", self.archive, "--without", "n3", self.owner],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as trim:
                wait("it waits", lambda: self.sql(waits.format("dojima trim")) == "1")
                trim.kill()
            self.assertEqual(self.first(), first)
            written(self, self.nodes, 5)                     # nothing else waits
            self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dojima trim'")
        self.assertEqual(self.first(), first)
        self.assertIn("of them 0 copied now", self.trim("--without", "n3", "--below", str(self.archived_row())))
        self.assertGreater(self.first(), first)
        self.whole_history()

    def archived_row(self):
        """The first row that the archive lacks."""
        return int(self.sql(f"SELECT min(seq) FROM dojima.log WHERE kind = 1 AND first_command > "
                            f"{self.facts(self.archive)['seq']}"))

    def test_7_c_a_power_cut_of_all_nodes(self):
        """Behind a trim: each starts from its snapshot, although its history was open when the machine went down."""
        library = os.environ.get("POWER_LIFE")
        if not library or INSTRUMENTED:
            self.skipTest("SKIP without POWER_LIFE, or instrumented: no machine gets another boot id")
        written(self, self.nodes, 20)
        self.told(*self.nodes)
        self.trim("--without", "n3")
        writer = written(self, self.nodes, 20)
        for node in self.nodes:
            node.server.kill()
        with open(self.path("boot"), "w", encoding="ascii") as file:
            file.write("another boot\n")
        os.environ.update(LD_PRELOAD=library, POWER_BOOT_ID=self.path("boot"))
        try:
            for node in self.nodes:
                node.start()
                said = node.server.stderr()
                self.assertRegex(said, r"the disk may lack pages of the history store .* it goes on behind command")
                self.assertIn("the log is read from there", said)
        finally:
            del os.environ["LD_PRELOAD"], os.environ["POWER_BOOT_ID"]
        for node in self.nodes:
            wait("it has all", lambda: node.balance(writer.owner) >= len(writer.acknowledged))
        written(self, self.nodes, 10)
        self.told(*self.nodes)
        self.whole_history()

    def test_8_a_database_of_an_earlier_version(self):
        self.sql("ALTER TABLE dojima.beginning RENAME TO beginning_away")
        self.assertIn("run dojima init-log URL again", self.trim(code=1))
        self.sql("ALTER TABLE dojima.beginning_away RENAME TO beginning")


if __name__ == "__main__":
    main()
