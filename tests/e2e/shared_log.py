# SPDX-License-Identifier: MIT
"""A shared log that `dojima serve` must not use: it says what is wrong and what to set, and writes nothing into the
database, and into the folder only the line of the audit log about a start that was refused.

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import os
import subprocess
import unittest

from harness import Folder, main, run
from roles import PSQL, Database, Node

REFUSED, DAMAGED, NO_DISK, IN_USE, MISSET = 1, 70, 74, 69, 78
TABLES = ("log", "lease", "progress")


class SharedLog(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.database = Database(cls.folder.path)
        cls.writer = cls.database.url
        cls.password = cls.writer.split(":")[2].split("@")[0]
        cls.admin = f"postgres://postgres@127.0.0.1:{cls.database.port}/postgres"

    @classmethod
    def tearDownClass(cls):
        cls.database.stop()
        cls.folder.__exit__()

    def sql(self, text):
        done = subprocess.run([PSQL, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", self.admin, "-c", text],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def rows(self):
        """All that a node could have written, as text."""
        return [self.sql(f"SELECT md5(coalesce(string_agg(t::text, ';' ORDER BY t::text), '')) FROM dojima.{name} t")
                for name in TABLES]

    def refused(self, code, *words, url=None, node="n7", more="", log=""):
        """`serve` with such a log ends with the code, and names the words; nothing was written."""
        one = Node(self.folder.path, node, (url or self.writer) + (f"\n{log}" if log else ""), more=more)
        before = self.rows()
        found, out, err = run("serve", "--config", one.config)
        self.assertEqual(found, code, err + out)
        for word in words:
            self.assertIn(word, err)
        self.assertEqual(self.rows(), before)
        there = set(os.listdir(one.data)) if os.path.exists(one.data) else set()
        self.assertLessEqual(there, {"lock", "audit.log"})
        if "audit.log" in there:
            with open(os.path.join(one.data, "audit.log")) as file:
                err += file.read()
        self.assertNotIn(self.password, err)

    def part(self, old, new):
        self.assertIn(old, self.writer)
        return self.writer.replace(old, new)

    def test_1_an_url_that_leads_nowhere(self):
        wrong = (NO_DISK, "[log] url, cannot be reached")
        self.refused(*wrong, "Connection refused", url="postgres://dojima_writer@127.0.0.1:1/postgres")
        self.refused(*wrong, '"nowhere" does not exist', url=self.part("/postgres", "/nowhere"))
        self.refused(*wrong, url=self.part("dojima_writer", "stranger"))
        for url in ("http://127.0.0.1/", "postgres", "host=127.0.0.1"):
            self.refused(MISSET, "[log] url", "does not begin with postgres://", url=url)

    def test_2_a_database_that_acknowledges_what_is_on_one_machine(self):
        self.addCleanup(self.sql, "ALTER ROLE dojima_writer RESET synchronous_commit")
        self.sql("ALTER ROLE dojima_writer SET synchronous_commit = off")
        self.refused(REFUSED, "synchronous_commit is off", "set it to on")
        self.sql("ALTER ROLE dojima_writer RESET synchronous_commit")
        names = self.sql("SHOW synchronous_standby_names")
        self.addCleanup(self.set_standbys, names)
        self.set_standbys("")
        self.refused(REFUSED, "synchronous_standby_names is empty", "quorum = off")

    def set_standbys(self, names):
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.sql("SELECT pg_reload_conf()")
        while self.sql("SHOW synchronous_standby_names") != names:
            pass

    def test_3_a_role_that_may_do_too_much_or_too_little(self):
        self.refused(REFUSED, "postgres may do more", "init-log", url=self.admin)
        self.refused(REFUSED, "may not write", "writer", url=self.database.reader)
        self.addCleanup(self.sql, "REVOKE DELETE ON dojima.log FROM dojima_writer")
        self.sql("GRANT DELETE ON dojima.log TO dojima_writer")
        self.refused(REFUSED, "change or remove rows", "init-log")

    def test_4_a_log_of_another_version_or_genesis(self):
        one = Node(self.folder.path, "n1", self.writer).start()
        self.addCleanup(one.server.kill)
        while one.ready().get("role") != "leader":
            pass
        self.assertEqual(one.server.stop(), 0)
        self.refused(MISSET, "[log] url", "scheduleTriggersPerDay differs", more="scheduleTriggersPerDay = 3\n")
        kept = self.sql("SELECT encode(payload, 'hex') FROM dojima.log WHERE seq = 0")
        for place, number, word in ((12, 99, "engine version 99"), (8, 9, "format 9")):
            self.sql(f"UPDATE dojima.log SET payload = set_byte(payload, {place}, {number}) WHERE seq = 0")
            self.refused(DAMAGED, word, "this program reads")
            self.sql(f"UPDATE dojima.log SET payload = decode('{kept}', 'hex') WHERE seq = 0")

    def test_5_a_database_without_tables(self):
        self.sql("DROP SCHEMA dojima CASCADE; CREATE SCHEMA kept")
        one = Node(self.folder.path, "n7", self.writer)
        code, _, err = run("serve", "--config", one.config)
        self.assertEqual(code, REFUSED, err)
        self.assertIn("init-log", err)
        self.assertEqual(self.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'dojima'"), "0")


if __name__ == "__main__":
    main()
