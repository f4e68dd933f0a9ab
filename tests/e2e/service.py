# SPDX-License-Identifier: MIT
"""Under a service manager: the unit file is valid and has the promised settings; the program reports how far a long
start is, that it is ready, alive and stopping, and is silent when the engine's thread hangs."""
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from harness import BINARY, BUY, ROOT, Case, Folder, Server, main, order

UNIT = os.path.join(ROOT, "ops", "dojima.service")
USERS = os.path.join(ROOT, "ops", "dojima.sysusers")
# process 7
PROMISED = ("NoNewPrivileges=yes", "ProtectSystem=strict", "ReadWritePaths=/var/lib/dojima", "PrivateTmp=yes",
            "PrivateDevices=yes",
            "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectKernelLogs=yes",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
            "SystemCallFilter=", "MemoryMax=", "LimitNOFILE=", "LimitCORE=0", "OOMScoreAdjust=-900", "WatchdogSec=",
            "User=dojima", "Group=dojima", "StateDirectory=dojima",
            "StateDirectoryMode=0700", "CapabilityBoundingSet=", "MemoryDenyWriteExecute=yes", "StartLimitBurst=3",
            "Restart=on-failure")

STEP = re.compile(r"EXTEND_TIMEOUT_USEC=600000000\nSTATUS=reading the log: (\d+) %")


def thread_named(pid, name):
    """Its number; other threads may end during the search."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/comm") as file:
            if file.read().strip() == name:
                return task
    raise AssertionError(f"no thread {name}")


class Unit(Case):
    def test_it_says_what_was_promised(self):
        with open(UNIT) as stream:
            lines = stream.read().splitlines()
        for promise in PROMISED:
            self.assertTrue(any(line.startswith(promise) for line in lines), promise)
        self.assertFalse(any(line.startswith("DynamicUser") for line in lines),
                         "nobody could become that user, and only it is answered at the administration socket")
        self.assertFalse(any(line.startswith("ProcSubset") for line in lines),
                         "it hides the boot id, without which a power cut looks like a kill (decision 134)")

    def test_its_user_can_be_made(self):
        """Of the name in the unit, with the data folder as its home, and nobody logs in as it."""
        if not shutil.which("systemd-sysusers"):
            self.skipTest("SKIP systemd-sysusers is not installed: nobody reads the file of users")
        with Folder() as folder:
            os.mkdir(os.path.join(folder, "etc"))
            done = subprocess.run(["systemd-sysusers", "--root=" + folder, USERS], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            with open(os.path.join(folder, "etc", "passwd")) as stream:
                row = [line.strip().split(":") for line in stream if line.startswith("dojima:")][0]
            with open(os.path.join(folder, "etc", "group")) as stream:
                self.assertIn("dojima:", stream.read())
        self.assertEqual(row[5], "/var/lib/dojima")
        self.assertIn("nologin", row[6])

    def analyse(self, text, *arguments):
        """The verdict of systemd-analyze on a unit; the program it starts is one that exists here."""
        if not shutil.which("systemd-analyze"):
            self.skipTest("SKIP systemd-analyze is not installed: nobody judges the unit file")
        with Folder() as folder:
            path = os.path.join(folder, "dojima.service")
            with open(path, "w") as stream:
                stream.write(re.sub(r"/usr/local/bin/dojima", "/bin/true", text))
            done = subprocess.run(["systemd-analyze", *arguments, path], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout.decode()

    def test_systemd_takes_it(self):
        with open(UNIT) as stream:
            text = stream.read()
        code, said = self.analyse(text, "verify")
        self.assertNotIn("dojima.service", said, said)
        self.assertEqual(code, 0, said)
        _, said = self.analyse(text.replace("ProtectSystem=strict", "ProtectSystems=strict"), "verify")
        self.assertIn("ProtectSystems", said, "a mistake would be seen")

    def test_systemd_finds_it_tight(self):
        with open(UNIT) as stream:
            text = stream.read()
        code, said = self.analyse(text, "security", "--offline=yes", "--threshold=25")
        if "nrecognized option" in said or "nknown" in said:
            self.skipTest("SKIP this systemd-analyze looks at loaded units only")
        self.assertEqual(code, 0, said[-2000:])
        loose = "\n".join(line for line in text.splitlines()
                          if not re.match(r"Protect|Private|Restrict|System|NoNew|Cap", line))
        self.assertNotEqual(self.analyse(loose, "security", "--offline=yes", "--threshold=25")[0], 0,
                            "a loose one would be seen")


class SystemCalls(Case):
    """The filters of the unit and of the program hold at once: what the first forbids, the second cannot give."""

    def calls_of(self, name):
        if not name.startswith("@"):
            return {name}
        done = subprocess.run(["systemd-analyze", "syscall-filter", name], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=60)
        names = [line.strip() for line in done.stdout.decode().splitlines()[1:]]
        self.assertTrue(names, name)
        return set().union(*(self.calls_of(one) for one in names if one and not one.startswith("#")))

    def given_by(self, unit):
        given = set()
        for line in re.findall(r"^SystemCallFilter=(.*)$", unit, re.M):
            names = set().union(*(self.calls_of(name) for name in line.lstrip("~").split()))
            given = given - names if line.startswith("~") else given | names
        return given

    def test_the_unit_gives_what_the_program_takes(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("SKIP systemd-analyze is not installed: nobody knows its groups of system calls")
        with open(os.path.join(ROOT, "src", "io", "sandbox.c")) as stream:
            table = stream.read().split("int allowed[] = {")[1].split("};")[0]
        taken = set(re.findall(r"SYS_(\w+)", table))
        self.assertGreater(len(taken), 100)
        with open(UNIT) as stream:
            given = self.given_by(stream.read())
        self.assertNotIn("mount", given)
        self.assertEqual(taken - given, set())


class BootId(Case):
    """What a unit with ProcSubset=pid would do: /proc has processes only."""
    HIDDEN = ("unshare", "-m", "--propagation", "private", "sh", "-c", "mount -t proc -o subset=pid proc /proc && "
              "exec \"$@\"", "sh")
    SAYS = "boot_id cannot be read"

    def test_it_is_said_once_that_it_cannot_be_read(self):
        if subprocess.run([*self.HIDDEN, "true"], capture_output=True).returncode != 0:
            self.skipTest("SKIP this user may not mount: nobody hides the boot id")
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data, wrapper=self.HIDDEN) as server:
                self.assertEqual(server.stderr().count(self.SAYS), 1, server.stderr())
            with Server(data=data) as server:
                self.assertNotIn(self.SAYS, server.stderr())


class Threads(Case):
    def test_a_start_that_gets_too_few_ends_with_1(self):
        """A tracer refuses the n-th of them and all behind it, and holds the end up, so that those that run, run on."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: nothing refuses a thread")
        ended, some = 0, 4
        with concurrent.futures.ThreadPoolExecutor(some) as many:
            for first in range(1, 40, 2 * some):
                started = list(many.map(self.refused_from, range(first, first + 2 * some, 2)))
                ended += sum(started)
                if not all(started):
                    break
        self.assertGreaterEqual(ended, 3)

    def refused_from(self, number):
        """Whether it ended as it should; False: it has as many as it needs."""
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data, json_banner=False, wrapper=(
                "strace", "-f", "-o", os.devnull, "-e", "trace=clone,clone3,exit_group", "-e",
                f"inject=clone,clone3:error=EAGAIN:when={number}+", "-e",
                "inject=exit_group:delay_enter=1500000"))
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(5)
            code, said = server.process.returncode, server.stderr()
            server.kill()
            if code is None:
                return False
            if "strace:" in said:
                self.skipTest("SKIP strace may not trace here: " + said[-500:])
            self.assertEqual(code, 1, said)
            self.assertIn("cannot start a thread", said)
            with open(os.path.join(data, "audit.log")) as stream:
                self.assertIn('"event":"notStarted"', stream.read())
            return True


class Stacks(Case):
    """`ulimit -s`, soft and hard: threads have stacks of their own size, and the main one needs 256 kB."""

    @staticmethod
    def limited(kib):
        return "/bin/sh", "-c", f'ulimit -s {kib} && exec "$@"', "sh"

    def said(self, kib, *words):
        done = subprocess.run([*self.limited(kib), BINARY, *words], capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_an_exchange_runs_with_the_least(self):
        for kib in (256, 1024):
            with self.subTest(kib), Folder() as folder:
                with Server("--market", "crash", "--history", "2h", data=folder, wrapper=self.limited(kib)) as server:
                    client = server.accounts()[0]
                    self.ok(client.place(order("little", BUY, "90000", "0.001")))
                    url = server.banner["url"]
                    for words in (("markets",), ("balances",), ("sell", "0.001", "vBTC_vUSDC", "@", "95000")):
                        code, _, errors = self.said(kib, words[0], "--url", url, *words[1:])
                        self.assertIn(code, (0, 1), errors)
                for words in (("verify", folder), ("log", folder), ("doctor", "--data", folder)):
                    code, _, errors = self.said(kib, *words)
                    self.assertIn(code, (0, 1), errors)

    def test_with_less_it_says_what_is_needed(self):
        for words in (("dev", "--port", "0"), ("version",)):
            code, output, errors = self.said(255, *words)
            self.assertEqual((code, output), (1, ""))
            self.assertIn("the stack may have 255 kB (ulimit -s); at least 256 kB are needed", errors)


class Notify(Case):
    def setUp(self):
        self.name = f"\0dojima-notify-{os.getpid()}-{time.monotonic_ns()}"
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(self.name)
        os.environ.update(NOTIFY_SOCKET="@" + self.name[1:], WATCHDOG_USEC="800000")
        os.environ.pop("WATCHDOG_PID", None)

    def tearDown(self):
        del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
        self.manager.close()

    def heard(self, seconds):
        """All messages within so many seconds."""
        words, until = [], time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.manager.settimeout(left)
            try:
                words.append(self.manager.recv(256).decode())
            except socket.timeout:
                break
        return words

    def test_ready_alive_and_stopping(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            words = self.heard(2)
            self.assertEqual(words[0], "READY=1")
            self.assertGreaterEqual(words.count("WATCHDOG=1"), 3)
            server.stop()
            self.assertEqual([word for word in self.heard(0.5) if word != "WATCHDOG=1"], ["STOPPING=1"])

    def test_a_long_start_asks_for_more_time(self):
        """A tracer holds the start for 0.2 s behind each batch of the log."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no start can be made long")
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data) as server:
                client = server.accounts()[0]
                for index in range(25):
                    self.ok(client.place(order(f"long-{index}", BUY, "10000", "0.001")))
            self.heard(0.5)
            server = Server(data=data, json_banner=False, wrapper=(
                "strace", "-o", os.devnull, "-e", "trace=rt_sigtimedwait", "-e",
                "inject=rt_sigtimedwait:delay_enter=200000"))
            words = self.until_ready(30)
            server.kill()
        if not words:
            self.skipTest("SKIP strace may not trace here: " + server.stderr()[-500:])
        self.assertEqual(words[-1], "READY=1")
        steps = [int(match[1]) for match in map(STEP.fullmatch, words) if match]
        self.assertGreaterEqual(len(steps), 3, words)
        self.assertLessEqual(len(steps), time.monotonic() - server.started, "one each second, not one for each batch")
        self.assertEqual(steps, sorted(steps), "none is behind the one before")
        self.assertEqual(words[-2], "STATUS=", "what was said of the log is withdrawn at its end")

    def until_ready(self, seconds):
        """All messages up to READY=1, or within so many seconds."""
        words, until = [], time.monotonic() + seconds
        while "READY=1" not in words and time.monotonic() < until:
            words += self.heard(0.2)
        return words[:words.index("READY=1") + 1] if "READY=1" in words else words

    def test_silent_when_the_engine_hangs(self):
        """A tracer stops the engine's thread alone, in its next wait."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no thread can be held")
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            engine = thread_named(server.process.pid, "engine")
            tracer = subprocess.Popen(["strace", "-o", os.devnull, "-p", engine, "-e",
                                       "inject=futex:delay_enter=4000000"], stderr=subprocess.PIPE)
            try:
                time.sleep(1)
                if tracer.poll() is not None:
                    self.skipTest("SKIP strace may not trace here: " + tracer.stderr.read().decode())
                self.heard(0.3)
                self.assertEqual(self.heard(1.5), [], "nobody answers for the engine")
            finally:
                tracer.send_signal(signal.SIGINT)
                tracer.wait()
            self.assertIn("WATCHDOG=1", self.heard(6), "and then it goes on")


if __name__ == "__main__":
    main()
