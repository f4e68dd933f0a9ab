# SPDX-License-Identifier: MIT
"""The system calls left to the running process (process 7): the filter covers all its threads, does not disturb it, and
can be left out. All other tests here run with it."""
import contextlib
import os
import subprocess

from harness import BUY, INSTRUMENTED, Case, Folder, Server, main, order


def facts(pid):
    """Seccomp and NoNewPrivs of each thread."""
    seen = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as stream:
            lines = dict(line.split(":", 1) for line in stream.read().splitlines() if ":" in line)
        seen.add((lines.get("Seccomp", "").strip(), lines.get("NoNewPrivs", "").strip()))
    return seen


def filters(pid):
    """The number of filters of each thread, by its name; none where the kernel does not report it (before 5.9)."""
    told = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as stream:
            lines = dict(line.split(":", 1) for line in stream.read().splitlines() if ":" in line)
        if "Seccomp_filters" in lines:
            told[lines["Name"].strip()] = int(lines["Seccomp_filters"])
    return told


class Sandbox(Case):
    def setUp(self):
        if INSTRUMENTED:
            self.skipTest("SKIP the sandbox: left out of sanitizer builds")
        if not os.path.exists("/proc/self/status") or subprocess.run(["grep", "-q", "^Seccomp:",
            "/proc/self/status"]).returncode != 0:
            self.skipTest("SKIP the sandbox: this system has no seccomp filters")

    def test_every_thread_is_bound_and_the_exchange_works(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            self.assertEqual(facts(server.process.pid), {("2", "1")})
            self.items_ok(server.accounts()[0].place(order("in-a-sandbox", BUY, "95000", "0.001")))
            self.assertNotIn("sandbox", server.stderr())

    def test_who_reads_requests_has_a_narrower_one(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            self.items_ok(server.accounts()[0].place(order("through-the-door", BUY, "95000", "0.001")))
            around = filters(server.process.pid)
            if not around:
                self.skipTest("SKIP the sandbox of I/O threads: the kernel does not count filters")
            self.assertIn("io-0", around)
            for name, count in around.items():
                self.assertEqual(count - around["engine"], name.startswith("io-"), name)

    def test_it_can_be_left_out(self):
        with Server() as server:
            bound = filters(server.process.pid)
        with Server("--no-sandbox") as server:
            around = filters(server.process.pid)
            if not around:
                self.assertNotIn("2", {filtered for filtered, _ in facts(server.process.pid)} - facts_of_ourselves())
            # the filter against io_uring is left (net_listen)
            for name in around:
                self.assertLess(around[name], bound.get(name, bound["engine"]), name)
            self.items_ok(server.accounts()[0].place(order("in-the-open", BUY, "95000", "0.001")))

    def test_no_handle_is_inherited(self):
        """Every file is closed on exec, for a program that a process would start."""
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            server.accounts()[0].mine("balances")
            left, seen = [], 0
            for fd in os.listdir(f"/proc/{server.process.pid}/fd"):
                with contextlib.suppress(FileNotFoundError):        # closed since it was listed
                    with open(f"/proc/{server.process.pid}/fdinfo/{fd}") as stream:
                        flags = int(dict(line.split(":", 1) for line in stream.read().splitlines()
                                         if ":" in line)["flags"], 8)
                    if int(fd) > 2 and not flags & os.O_CLOEXEC:
                        left.append(os.readlink(f"/proc/{server.process.pid}/fd/{fd}"))
                    seen += 1
            self.assertGreater(seen, 10)
            self.assertEqual(left, [])

    def test_the_folder_is_ours_alone(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")):
            self.assertEqual(os.stat(os.path.join(folder, "data")).st_mode & 0o777, 0o700)


def facts_of_ourselves():
    """A container may have a filter of its own around everything."""
    return {filtered for filtered, _ in facts(os.getpid())}


if __name__ == "__main__":
    main()
