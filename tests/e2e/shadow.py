# SPDX-License-Identifier: MIT
"""Snapshots by a second process: kill -9 of either at any moment, damage, a disk that takes no snapshot. Whatever
happens, the exchange answers, the next start continues from the newest good snapshot, and `dojima verify`, which reads
the whole log, computes the state that the start reported."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import BINARY, BUY, SELL, GTC, IOC, Folder, Server, main, order, run

SEED = int(os.environ.get("E2E_SEED", "7"))
SCENARIO_RUN = os.path.join(os.path.dirname(BINARY), "tests", "scenarios", "scenario_run")
CONFIG = """[dojima]
data = {data}
listen = 127.0.0.1:0
chainIds = 77
accounts = 5000
orders = 1000
levels = 1000
signers = 100
deposits = 100000
keys = 100
transfers = 1000
segmentMiB = 4
shadow = on
snapshotSeconds = 1
[coin vUSDC]
precision = 6
[coin B]
precision = 8
[market B_vUSDC]
baseCoin = B
quoteCoin = vUSDC
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
listingReferencePrice = 100
"""


def wait_for(what, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = what()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come to pass in time")


def children(pid):
    """Processes whose parent is `pid`."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                        found.append(int(name))
            except OSError:
                pass
    return found


def worker(server):
    """The shadow itself: the child of the one that starts it again."""
    for keeper in children(server.process.pid):
        for child in children(keeper):
            return child
    return None


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        top = self.folder.__enter__()
        self.addCleanup(self.folder.__exit__, None, None, None)
        self.data = os.path.join(str(top), "data")
        self.config = os.path.join(str(top), "dojima.ini")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(CONFIG.format(data=self.data))
        self.number = 0
        self.dice = random.Random(SEED)

    def serve(self, *more):
        return Server("--config", self.config, *more, command="serve", json_banner=False).wait_for_port()

    def deposits(self, count):
        for _ in range(count):
            self.number += 1
            code, _, err = run("deposit", "--data", self.data, "--id", f"d{self.number}",
                               f"0x{0xaa00000 + self.number % 4000:040x}", "vUSDC", "5")
            self.assertEqual(code, 0, err)

    def snapshot_of(self, server, seq):
        """The name of the snapshot that holds command `seq`; how long commands take decides which of the two it is."""
        found = wait_for(lambda: re.search(rf"shadow: (snapshot-[ab]) holds command {seq},", server.stderr()))
        return found[1]

    def path(self, name):
        return os.path.join(self.data, name)

    def verified(self):
        code, out, err = run("verify", self.data, "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def traced(self, name, *rest):
        """The program under strace, which traces the calls on one file of the folder alone."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no faults can be injected")
        done = subprocess.run(["strace", "-f", "-P", self.path(name), *rest], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              # it cannot trace under another tracer
                              timeout=60, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if b"ptrace" in done.stderr:
            self.skipTest("SKIP strace may not trace here: " + done.stderr.decode())
        return done

    def with_a_fault(self, name, nth, *command):
        """As when the disk fails from the nth read of a file on."""
        return self.traced(name, "-o", os.devnull, "-e", f"inject=pread64:error=EIO:when={nth}+", BINARY, *command)

    def times_read(self, name, *command):
        calls = self.path(os.pardir + "/calls")
        done = self.traced(name, "-o", calls, "-e", "trace=pread64", BINARY, *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(calls, encoding="ascii") as file:
            return sum("pread64(" in line for line in file)

    def started_with(self, server):
        """The start's report: (its line about a snapshot or None, last command, state hash)."""
        text = server.stderr()
        line = [each for each in text.splitlines() if "the log is read from there" in each and "shadow:" not in each]
        found = re.search(r"command (\d+), block \d+, \d+ accounts.*state hash (0x[0-9a-f]{64})", text)
        return line[0] if line else None, int(found[1]), found[2]


class Snapshots(Case):
    def test_the_next_start_goes_on_from_the_newest(self):
        server = self.serve()
        self.deposits(5)
        self.snapshot_of(server, 5)
        self.deposits(3)
        newest = self.snapshot_of(server, 8)
        server.stop()
        report = self.verified()
        self.assertEqual([each["name"] for each in report["snapshots"]], ["snapshot-a", "snapshot-b"])
        server = self.serve()
        line, seq, state = self.started_with(server)
        self.assertIn(newest, line)
        self.assertEqual((seq, state), (8, report["stateHash"]))
        server.stop()
        server = self.serve("--from-genesis")
        line, seq, state = self.started_with(server)
        self.assertEqual((seq, state), (8, report["stateHash"]))
        # the shadow may start from it
        self.assertNotIn(newest + ": command", server.stderr().split("serving on")[0])
        server.stop()

    def test_damage_costs_time_and_nothing_else(self):
        server = self.serve()
        self.deposits(4)
        self.snapshot_of(server, 4)
        self.deposits(4)
        newest = self.snapshot_of(server, 8)
        older = "snapshot-a" if newest == "snapshot-b" else "snapshot-b"
        server.stop()
        state = self.verified()["stateHash"]
        for name, left in ((newest, older), (older, None)):
            with open(self.path(name), "r+b") as file:
                file.seek(-30, os.SEEK_END)
                byte = file.read(1)[0]
                file.seek(-30, os.SEEK_END)
                file.write(bytes([byte ^ 8]))
            code, _, err = run("verify", self.data)
            self.assertEqual(code, 70)
            self.assertIn(name, err)
            with open(self.config, encoding="ascii") as file:
                text = file.read()
            with open(self.config, "w", encoding="ascii") as file:
                file.write(text.replace("shadow = on", "shadow = off"))
            server = self.serve()
            line, seq, now = self.started_with(server)
            self.assertIn(f"{name} is passed over", server.stderr())
            self.assertEqual((seq, now), (8, state))
            self.assertTrue(line is None if left is None else left in line)
            server.stop()

    def test_a_snapshot_of_another_log_is_refused(self):
        server = self.serve()
        self.deposits(3)
        wait_for(lambda: os.path.exists(self.path("snapshot-a")))
        server.stop()
        os.rename(self.path("snapshot-a"), self.data + ".kept")
        for name in os.listdir(self.data):
            if name.startswith(("journal-", "snapshot-", "audit.log")):
                os.remove(self.path(name))
        subprocess.run(["rm", "-rf", self.path("history")], check=True)
        time.sleep(0.01)
        self.serve().kill()
        for name in ("snapshot-a", "snapshot-b"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        os.rename(self.data + ".kept", self.path("snapshot-a"))
        server = Server("--config", self.config, command="serve", json_banner=False)
        self.assertEqual(server.process.wait(20), 70)
        self.assertIn("another log", server.stderr())
        server.kill()

    def test_a_disk_that_takes_no_snapshot_leaves_the_exchange_alone(self):
        server = self.serve()
        os.makedirs(os.path.join(self.path("snapshot.tmp"), "in the way"))
        self.deposits(3)
        wait_for(lambda: "no snapshot could be written" in server.stderr())
        self.deposits(3)
        subprocess.run(["rm", "-rf", self.path("snapshot.tmp")], check=True)
        self.deposits(1)
        wait_for(lambda: os.path.exists(self.path("snapshot-a")))
        server.stop()
        self.assertEqual(self.verified()["seq"], 7)

    def test_a_snapshot_that_cannot_be_read_back_is_no_damage(self):
        """The simulator's seed 601673: the shadow ended with 70 when the disk failed while it read its own file."""
        server = self.serve()
        self.deposits(3)
        server.stop()
        for name in ("snapshot-a", "snapshot-b"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        for nth in (1, 2):
            done = self.with_a_fault("snapshot.tmp", nth, "shadow", "--once", self.data)
            self.assertIn(b"cannot be read: Input/output error", done.stderr)
            self.assertEqual(done.returncode, 74, done.stderr)
        code, _, err = run("shadow", "--once", self.data)
        self.assertEqual(code, 0, err)
        self.assertEqual([each["name"] for each in self.verified()["snapshots"]], ["snapshot-a"])


class Unreadable(Case):
    """`dojima verify` does not judge unreadable files: 74, the disk, and not 70, damage."""

    def expect_74(self, name, nth, *words):
        done = self.with_a_fault(name, nth, "verify", self.data)
        for word in (*words, "Input/output error"):
            self.assertIn(word, done.stderr.decode())
        self.assertEqual(done.returncode, 74, done.stderr)

    def test_a_snapshot(self):
        server = self.serve()
        self.deposits(3)
        wait_for(lambda: os.path.exists(self.path("snapshot-a")))
        server.stop()
        times = self.times_read("snapshot-a", "verify", self.data)
        self.assertGreater(times, 1)
        for nth in sorted({1, 2, times}):                       # its header, and the bytes after it
            self.expect_74("snapshot-a", nth, "snapshot-a", "cannot be read")
        self.verified()

    def has_begun(self, name):
        """A spare file of the log is full of zeros."""
        if not os.path.exists(self.path(name)):
            return False
        with open(self.path(name), "rb") as file:
            return file.read(8) != bytes(8)

    def test_an_archive(self):
        unknown = [{"symbolID": 1, "clOrdID": "x" * 36, "origClOrdID": "y" * 36, "price": "99000.1",
                    "quantity": "0.00123"}] * 100
        with Server(data=self.data) as server:
            a = server.accounts()[0]
            while not self.has_begun("journal-00000002.log"):
                self.assertEqual(len(a.replace(*unknown).data), 100)
        # two snapshots after the first file, which no reader needs then
        for _ in range(2):
            with Server(data=self.data) as server:
                self.assertEqual(len(a.on(server).replace(*unknown).data), 100)
            code, _, err = run("shadow", "--once", "--archive", self.data)
            self.assertEqual(code, 0, err)
        archived = self.verified()["archived"]
        self.assertGreater(archived, 0)
        name = "journal-00000001.log.zst"
        times = self.times_read(name, "verify", self.data)
        self.assertGreater(times, 4)
        self.expect_74(name, 1)                                 # as the log is opened
        self.expect_74(name, times // 2)                        # as it is read
        self.expect_74(name, times, name + " cannot be read")   # as all of each archive is read once more
        self.assertEqual(self.verified()["archived"], archived)


class FullDisk(Case):
    def test_the_log_comes_first_where_room_is_short(self):
        """A small file system of its own: the log has its ballast, and no snapshot may use the rest of it."""
        os.makedirs(self.data)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m", "none", self.data],
                          stderr=subprocess.DEVNULL).returncode != 0:
            print("SKIP a full disk: this process may not mount one")
            self.skipTest("no mount")
        self.addCleanup(subprocess.run, ["umount", "-l", self.data])
        server = self.serve()                                   # 64 MiB of ballast, two segments of 4: 28 are left
        with open(self.path("filler"), "wb") as file:
            file.write(bytes(20 << 20))
        self.deposits(3)
        wait_for(lambda: "no snapshot could be written: No space left" in server.stderr())
        self.assertFalse(os.path.exists(self.path("snapshot.tmp")))
        self.deposits(3)
        self.assertNotIn("no room on the disk", server.stderr())
        server.stop()
        self.assertEqual(self.verified()["seq"], 6)


class Kills(Case):
    def test_the_shadow_is_killed_again_and_again(self):
        server = self.serve()
        for _ in range(3):                                      # it pauses 1, 2, 4 s before it comes back
            self.deposits(4)
            time.sleep(self.dice.random() * 1.2)
            pid = wait_for(lambda: worker(server))
            os.kill(pid, signal.SIGKILL)
            self.deposits(2)                                    # the exchange was not affected
            self.assertIsNone(server.process.poll())
            wait_for(lambda old=pid: worker(server) not in (None, old))
            self.assertEqual(len(children(server.process.pid)), 1)
        for name in ("snapshot-a", "snapshot-b"):
            self.deposits(1)
            wait_for(lambda: os.path.exists(self.path(name)))
        server.stop()
        self.assertEqual(len(self.verified()["snapshots"]), 2)

    def test_the_exchange_is_killed_and_its_shadow_goes_with_it(self):
        for _ in range(5):
            server = self.serve()
            line, seq, state = self.started_with(server)
            self.assertEqual(seq, self.number)
            shadow = wait_for(lambda: worker(server))
            keeper = children(server.process.pid)[0]
            self.deposits(5)
            time.sleep(self.dice.random() * 1.5)
            server.kill()
            wait_for(lambda: not is_alive(shadow) and not is_alive(keeper), 10)
            self.assertEqual(self.verified()["seq"], self.number)
        server = self.serve()
        self.deposits(1)
        wait_for(lambda: "shadow: snapshot-" in server.stderr())
        wait_for(server.history_is_written)
        server.kill()
        server = self.serve()
        line, seq, state = self.started_with(server)
        self.assertIsNotNone(line, server.stderr())
        server.stop()
        self.assertEqual((seq, state), (self.number, self.verified()["stateHash"]))


class Log(Case):
    def test_a_log_is_printed_and_played_again(self):
        data = self.data + ".dev"
        with Server(data=data) as server:
            alice, bob = server.accounts()[:2]
            for i in range(12):
                alice.place(order(f"a{i}", SELL, str(100000 + i), "0.01", tif=GTC),
                            order(f"b{i}", SELL, "1", "0.01", tif=GTC))
                bob.place(order(f"c{i}", BUY, str(100003 + i), "0.005", tif=IOC if i % 2 else GTC))
                if i % 3 == 0:
                    alice.cancel({"symbolID": 1, "clOrdID": f"a{i}", "origClOrdID": f"a{i}"})
            time.sleep(1.2)
            code, out, err = run("log", data, "--to", "5")      # beside the running exchange
            self.assertEqual((code, len(out.splitlines())), (0, 5), err)
        code, out, err = run("log", data)
        self.assertEqual(code, 0, err)
        report = json.loads(run("verify", data, "--json")[1])
        lines = out.splitlines()
        self.assertEqual([int(line.split()[0]) for line in lines], list(range(1, report["seq"] + 1)))
        self.assertTrue(any(" batchNewOrder spot 0x" in line and '"clOrdID":"c7"' in line for line in lines))
        self.assertTrue(any(" tick " in line for line in lines))
        self.assertEqual(run("log", data, "--from", "3", "--to", "4")[1].splitlines(), lines[2:4])
        self.assertEqual(run("log", data, "--scenario", "--from", "2")[0], 2)

        if not os.path.exists(SCENARIO_RUN):
            print("SKIP the round trip: no", SCENARIO_RUN)
            return
        code, story, err = run("log", data, "--scenario")
        self.assertEqual(code, 0, err)
        self.assertEqual(story.splitlines()[-1], "state " + report["stateHash"][2:])
        self.assertIn("result 0 ok", story)
        path = self.data + ".txt"
        self.assertEqual(self.play(path, story), (0, ""))
        for before, after in (("result 0 ok #1 NEW", "result 0 ok #1 FILLED"), ("\nstate ", "\nstate 00"),
                              ("told ", "told 1")):
            self.assertIn(before, story)                        # a scenario with another result is detected
            self.assertEqual(self.play(path, story.replace(before, after, 1))[0], 1)

    def play(self, path, story):
        with open(path, "w", encoding="utf-8") as file:
            file.write(story)
        done = subprocess.run([SCENARIO_RUN, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stderr.decode()


if __name__ == "__main__":
    main()
