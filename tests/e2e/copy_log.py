# SPDX-License-Identifier: MIT
"""dojima init-log and copy-log, with a PostgreSQL server of the test: a log goes into the database and back, and is the
same; what would lose or mix something is refused."""
import functools
import itertools
import os
import re
import signal
import stat
import subprocess
import tarfile
import time
import unittest

from development import Rpc
from harness import BINARY, BUY, ROOT, Case, Folder, Server, main, order, run
from roles import PSQL, free_ports

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
SERVERS = os.path.join(ROOT, "tests", "support", "postgres.sh")


class CopyLog(Case):
    """One server and one log to copy for all tests; a folder and, where it is asked for, a database for each."""

    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls):
        common = Folder()
        cls.addClassCleanup(common.__exit__)
        port, place = free_ports(2), os.path.join(common.path, "postgres")
        os.chmod(common.path, 0o755)
        done = subprocess.run([SERVERS, "start", place, str(port), "1", str(os.getpid())], check=False)
        if done.returncode == 77:
            raise unittest.SkipTest("no PostgreSQL server here")
        assert done.returncode == 0
        cls.addClassCleanup(subprocess.run, [SERVERS, "stop", place], check=False)
        cls.server = f"postgres://postgres@127.0.0.1:{port}/"
        with tarfile.open(os.path.join(DATA, "engine6.tar.xz")) as archive:
            archive.extractall(common.path)
        assert run("convert", os.path.join(common.path, "data"))[0] == 0
        cls.old = os.path.join(common.path, "data.converted")

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)

    @functools.cached_property
    def admin(self):
        name = f"test{next(self.numbers)}"
        self.sql(f"CREATE DATABASE {name}", self.server + "postgres")
        return self.server + name

    def path(self, name):
        return os.path.join(self.folder.path, name)

    def urls(self):
        code, out, err = run("init-log", self.admin, "--writer-password-file", self.path("password"))
        self.assertEqual(code, 0, err)
        return [line.split()[1] for line in out.splitlines()]

    def copy(self, one, other, code=0):
        done, out, err = run("copy-log", one, other)
        self.assertEqual(done, code, err)
        return out + err

    def facts(self, folder):
        """What verify says about the contents."""
        code, out, err = run("verify", folder)
        self.assertEqual(code, 0, err)
        return [line for line in out.splitlines() if "last" in line or "hash" in line or "money" in line]

    def test_a_log_goes_into_the_database_and_back(self):
        writer, reader = self.urls()
        self.assertEqual(stat.S_IMODE(os.stat(self.path("password")).st_mode), 0o600)
        self.assertEqual(self.urls()[0], writer)                    # the same file, the same password
        reader = self.urls()[1]
        self.assertIn("of them 261 copied", self.copy(self.old, writer))
        self.assertIn("of them 0 copied", self.copy(self.old, writer))
        self.assertIn("of them 261 copied", self.copy(reader, self.path("back")))
        self.assertEqual(self.facts(self.path("back")), self.facts(self.old))
        self.assertIn("of them 0 copied", self.copy(self.path("back"), writer))

    def test_a_password_file_is_its_owners_alone(self):
        """As every file with a secret; the longest password fits, and one that is longer is not cut."""
        def told(mode, text, option="--writer-password-file"):
            with open(self.path("secret"), "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(self.path("secret"), mode)
            return run("init-log", self.admin, option, self.path("secret"))
        for option in ("--writer-password-file", "--reader-password-file"):
            for mode in (0o644, 0o640, 0o606, 0o660):
                code, out, err = told(mode, "sharedpassword\n", option)
                self.assertEqual((code, out), (1, ""))
                self.assertIn(f"secret has mode {mode:04o}, so other users can read or change it; chmod 600", err)
            for mode in (0o600, 0o400):
                code, out, err = told(mode, "p" * 64 + "\n", option)
                self.assertEqual(code, 0, err)
                self.assertIn(f":{'p' * 64}@", out)
                os.unlink(self.path("secret"))
        for text in ("p" * 65, "p" * 65 + "\n", "p" * 66 + "\n"):
            self.assertEqual(told(0o600, text)[0], 1, text)
        self.assertEqual(told(0o600, "p" * 64 + "\r\n")[0], 0)

    def test_a_copy_that_was_broken_off_continues(self):
        writer, _ = self.urls()
        self.copy(self.old, writer)
        self.sql("DELETE FROM dojima.log WHERE seq > 101")
        self.assertIn("of them 161 copied", self.copy(self.old, writer))

    def sql(self, text, url=None):
        done = subprocess.run([PSQL, "-qXAt", url or self.admin, "-c", text], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_a_copy_that_fails_says_how_it_goes_on(self):
        """The database refuses a row in the middle; without that the same command ends with the whole log."""
        writer, reader = self.urls()
        self.sql("ALTER TABLE dojima.log ADD CONSTRAINT short CHECK (seq < 101)")
        text = self.copy(self.old, writer, 74)
        self.assertIn("the database cannot be written", text)
        held = int(re.search(r"not whole: the database holds at least the first (\d+) batches of ", text)[1])
        self.assertIn("the same command, once what stopped it is gone, continues behind them", text)
        self.sql("ALTER TABLE dojima.log DROP CONSTRAINT short")
        self.assertIn(f"of them {261 - held} copied", self.copy(self.old, writer))
        self.assertIn("of them 261 copied", self.copy(reader, self.path("back")))
        self.assertEqual(self.facts(self.path("back")), self.facts(self.old))

    def stopped(self, one, other, signal_number, when):
        """Runs a copy and stops it by a signal after `when` has returned; exit code and output."""
        with subprocess.Popen([BINARY, "copy-log", one, other], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as process:
            when()
            process.send_signal(signal_number)
            out, _ = process.communicate(timeout=60)
        return process.returncode, out

    def rows(self):
        return int(self.sql("SELECT count(*) FROM dojima.log"))

    def test_a_copy_that_a_signal_stops_says_how_it_goes_on(self):
        """Ctrl-C or kill in the middle of the copy, which the database makes slow from row 101 on."""
        writer, reader = self.urls()
        self.sql("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; "
                 "END'; CREATE TRIGGER slow BEFORE INSERT ON dojima.log FOR EACH ROW WHEN (NEW.seq > 100) "
                 "EXECUTE FUNCTION slow()")

        def in_the_middle():
            while self.rows() < before + 100:
                time.sleep(0.05)
        for number, before in ((signal.SIGINT, 0), (signal.SIGTERM, 5)):
            code, text = self.stopped(self.old, writer, number, in_the_middle)
            self.assertEqual(code, 1, text)
            said = re.fullmatch(r"dojima: a signal stopped the copy: the database holds at least the first (\d+) "
                                rf"batches of {self.old}, (\d+) of them copied now; the same command continues "
                                r"behind them and compares all\n", text)
            self.assertIsNotNone(said, text)
            held, added = map(int, said.groups())
            self.assertTrue(100 <= held < 261, text)
            self.assertTrue(0 < added <= held, text)
        self.sql("DROP TRIGGER slow ON dojima.log")
        self.assertIn(f"of them {261 - held} copied", self.copy(self.old, writer))
        self.assertIn("of them 261 copied", self.copy(reader, self.path("back")))
        self.assertEqual(self.facts(self.path("back")), self.facts(self.old))

    def test_a_copy_that_a_signal_stops_at_any_moment_continues(self):
        """Between folders: it ends by itself, or by the signal before it began, or says what it left."""
        copy = self.path("stopped")
        for moment in range(12):
            code, text = self.stopped(self.old, copy, signal.SIGINT, lambda: time.sleep(moment * 0.003))
            said = {0: "compared   all", 1: "a signal stopped the copy: ", -signal.SIGINT: ""}
            self.assertIn(code, said, text)
            self.assertIn(said[code], text)
        self.assertIn("batches    261, of them", self.copy(self.old, copy))
        self.assertEqual(self.facts(copy), self.facts(self.old))

    def test_a_copy_that_was_killed_continues(self):
        """At any moment, again and again: the last copy is whole, and no call before it mixes something."""
        copy = self.path("killed")
        for moment in range(12):
            with subprocess.Popen([BINARY, "copy-log", self.old, copy], stdout=subprocess.DEVNULL) as process:
                time.sleep(moment * 0.003)
                process.kill()
        self.assertIn("batches    261, of them", self.copy(self.old, copy))
        self.assertEqual(self.facts(copy), self.facts(self.old))

    def test_a_disk_that_is_full(self):
        """A small file system that grows afterwards; with no room for a folder, for the journal, for some batches."""
        small = self.path("small")
        os.mkdir(small)
        for size, inodes, word in ((4, 2, "cannot be used: "), (8, 100, "a new journal cannot be written: "),
                                   (400, 100, "the copy is not whole: ")):
            script = (f"mount -t tmpfs -o size={size}k,nr_inodes={inodes} tmpfs $0 || exit 77; $1 copy-log $2 $0/copy; "
                      "echo code $?; mount -o remount,size=80m,nr_inodes=100 $0; $1 copy-log $2 $0/copy || exit; "
                      "$1 verify $0/copy")
            for flags in ("-m", "-rm"):
                done = subprocess.run(["unshare", flags, "sh", "-c", script, small, BINARY, self.old],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
                if "unshare" not in done.stderr and done.returncode != 77:
                    break
            else:
                self.skipTest("no mount namespace can be made")
            self.assertIn(word, done.stderr)
            self.assertIn("No space left", done.stderr)
            self.assertIn("code 74", done.stdout)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("batches    261, of them", done.stdout)
            self.assertEqual([line for line in done.stdout.splitlines() if "hash" in line and "hashes" not in line],
                             [line for line in self.facts(self.old) if "hash" in line and "hashes" not in line])

    def test_a_target_that_holds_more(self):
        """As when source and target are named the wrong way round."""
        longer, shorter = self.path("longer"), self.path("shorter")
        with Server(data=longer) as server:
            self.items_ok(server.accounts()[0].place(order("first", BUY, "99000", "0.1")))
        self.copy(longer, shorter)
        with Server(data=longer) as server:
            self.items_ok(server.accounts()[0].place(order("more", BUY, "99000", "0.1")))
        before = self.facts(longer)
        self.assertRegex(self.copy(shorter, longer, 1), "longer holds all [1-9][0-9]* batches of .*shorter and more")
        self.assertEqual(self.facts(longer), before)
        self.copy(longer, shorter)
        self.assertEqual(self.facts(shorter), before)

    def test_places_that_are_no_target(self):
        """The source itself under any name, a file, a folder that is not there."""
        os.symlink(self.old, self.path("link"))
        for target in (self.old, self.old + "/.", self.path("link")):
            self.assertIn("the source and the target are the same folder", self.copy(self.old, target, 2))
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        self.assertIn("Not a directory", self.copy(self.old, self.path("file"), 1))
        self.assertIn("No such file", self.copy(self.old, self.path("no/such"), 1))
        self.assertFalse(os.path.exists(self.path("no")))
        with Server(data=self.path("running")):
            self.assertIn("in use", self.copy(self.old, self.path("running"), 69))
            self.assertIn("in use", self.copy(self.path("running"), self.path("copy"), 69))
        self.assertFalse(os.path.exists(self.path("copy")))

    def test_what_would_mix_logs_is_refused(self):
        writer, reader = self.urls()
        self.assertIn("superuser", self.copy(self.old, self.admin, 1))
        self.assertIn("may not write", self.copy(self.old, reader, 1))
        with Server(data=self.path("other")):
            pass
        self.copy(self.path("other"), writer)
        self.assertIn("another", self.copy(self.old, writer, 1))
        self.sql("UPDATE dojima.lease SET holder = 'n7', expires = clock_timestamp() + interval '1 hour'")
        self.assertIn("n7 leads", self.copy(self.path("other"), writer, 69))

    def test_a_log_that_went_back_is_refused_before_anything_is_written(self):
        writer, reader = self.urls()
        gone = self.path("gone")
        with Server("--clock", "0", data=gone) as server:
            rpc, (a, *_) = Rpc(server), server.accounts()
            self.items_ok(a.place(order("kept", BUY, "99000", "0.1")))
            snapshot = rpc.call("evm_snapshot")
            self.items_ok(a.place(order("void", BUY, "99000", "0.1")))
            rpc.call("evm_revert", snapshot)
        text = "went back at command 3"
        self.assertIn(text, self.copy(gone, writer, 1))
        self.assertIn("no log", self.copy(reader, self.path("back"), 1))
        self.assertIn(text, self.copy(gone, self.path("back"), 1))
        self.assertFalse(os.path.exists(os.path.join(self.path("back"), "journal-00000001.log")))
        code, _, err = run("shadow", "--once", gone)
        self.assertEqual(code, 1, err)
        self.assertIn(text, err)
        self.assertIn("of them 261 copied", self.copy(self.old, writer))


if __name__ == "__main__":
    main()
