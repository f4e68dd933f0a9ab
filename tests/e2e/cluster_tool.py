# SPDX-License-Identifier: MIT
"""tools/cluster: three PostgreSQL servers under Patroni and etcd come up, lose their primary without losing a row, are
paused and cut, and leave nothing behind."""
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from harness import ROOT, Folder, main

sys.path.insert(0, os.path.join(ROOT, "tools", "cluster.d"))
import database  # noqa: E402  (the path comes first)
import layout  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
import status  # noqa: E402

TOOL = os.path.join(ROOT, "tools", "cluster")
SECONDS = 90                                # for what takes some ten seconds on a quiet machine


def tool(*words, seconds=180, **more):
    """(exit code, stdout, stderr)"""
    done = subprocess.run([TOOL, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
                          check=False, **more)
    return done.returncode, done.stdout, done.stderr


def processes_in(folder):
    """All processes that work in a folder or know it from their environment, found without the tool's own search."""
    found, folder = [], os.path.realpath(folder)
    for pid in (name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                known = folder.encode() in file.read()
            if (known or os.readlink(f"/proc/{pid}/cwd").startswith(folder)) and process.state(pid) not in "ZX":
                found.append(int(pid))
        except OSError:
            pass
    return found


class BadInput(unittest.TestCase):
    def refused(self, *words, needs=(), code=2):
        done, out, err = tool(*words)
        self.assertEqual((done, out), (code, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        for word in needs:
            self.assertIn(word, err)

    def test_words(self):
        with Folder() as folder:
            self.refused(needs=("COMMAND",))
            self.refused("explode", folder, needs=("explode",))
            self.refused("up", needs=("DIR",))
            self.refused("kill", folder, "n1", needs=("PART",))
            self.assertEqual(os.listdir(folder), [])

    def test_a_folder_that_is_no_cluster(self):
        with Folder() as folder:
            for words in (("status",), ("down",), ("heal",), ("kill", "n1", "etcd"), ("cut", "n1", "n2"),
                          ("handover", "n2")):
                self.refused(words[0], folder, *words[1:], needs=("is not a cluster", folder))
            self.assertEqual(os.listdir(folder), [], "asking makes nothing")
            with open(folder + "/mine", "w") as file:
                file.write("x")
            self.refused("up", folder, "--without-exchanges", needs=("not empty",))
            self.assertEqual(os.listdir(folder), ["mine"])

    def test_a_damaged_description(self):
        with Folder() as folder:
            with open(folder + "/cluster.json", "w") as file:
                file.write("{")
            self.refused("status", folder, needs=("cannot be read",))

    def test_numbers_and_programs(self):
        with Folder() as folder:
            for count in ("0", "1", "2", "4", "11", "-3"):
                self.refused("up", folder, "--nodes", count, needs=("--nodes",))
            self.refused("up", folder, "--nodes", "three")
            self.refused("up", folder, "--binary", "/nonexistent/dojima", needs=("/nonexistent/dojima", "build it"))
            self.assertEqual(os.listdir(folder), [])

    def test_programs_that_are_not_installed(self):
        with Folder() as folder:
            done, out, err = tool("up", folder + "/c", "--without-exchanges", env={"PATH": empty_path(folder)})
            self.assertEqual((done, out), (4, ""), err)
            self.assertIn("etcd-server", err)
            self.assertIn("tools/setup", err)
            self.assertFalse(os.path.exists(folder + "/c"))


class Exchange(unittest.TestCase):
    """What status makes of an answer of /readyz (src/api/rest/market.c)."""

    class Node:
        address = "127.0.0.1"

        def __init__(self, code, answer):
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(code)
                    self.end_headers()
                    self.wfile.write(json.dumps(answer).encode())

                def log_message(self, *_):
                    pass
            self.server = http.server.HTTPServer((self.address, 0), Handler)
            self.thread = threading.Thread(target=self.server.handle_request, daemon=True)
            self.thread.start()

        def port(self, _):
            return self.server.server_port

    def state(self, code, answer, processes=None):
        node = self.Node(code, answer)
        found = status.exchange(node)
        node.server.server_close()
        return status.state_of(processes or {"exchange": "running", "postgres": "running"}, found)

    def test_a_node_that_is_up_is_ready_starting_or_may_be_old(self):
        self.assertEqual(self.state(200, {"code": 0, "data": {"status": "ok", "role": "follower"}}), "ready")
        error = {"code": 50301, "error": "not ready", "details": {"rule": "replay finished and log healthy"}}
        self.assertEqual(self.state(503, error), "starting")
        error = {"code": 50301, "error": "this node has not been up to date for too long; what it shows may be old",
                 "details": {"rule": "a node that hears from the log that it shares and keeps up with it",
                             "need": "at most 30 s", "got": "31 s"}}
        self.assertEqual(self.state(503, error), "may be old (31 s)")

    def test_of_a_node_that_is_not_up_its_processes_tell(self):
        for processes, state in (({"exchange": "paused", "postgres": "running"}, "paused"),
                                 ({"exchange": "down", "postgres": "running"}, "down"),
                                 ({"postgres": "running"}, "running")):
            self.assertEqual(status.state_of(processes, {}), state)
        self.assertEqual(status.state_of({"exchange": "running", "postgres": "running"}, {}), "starting", "no answer")


def empty_path(folder):
    """A PATH with nothing but the interpreter."""
    os.makedirs(folder + "/bin", exist_ok=True)
    os.symlink(sys.executable, folder + "/bin/python3")
    return folder + "/bin"


class FailedStart(unittest.TestCase):
    def test_nothing_survives_a_failed_start_and_a_taken_port_is_named(self):
        with Folder() as folder:
            path = empty_path(folder)
            with open(path + "/etcd", "w") as file:
                file.write("#!/bin/sh\necho no disk today >&2\nexit 7\n")
            os.chmod(path + "/etcd", 0o755)
            where = folder + "/c"
            words = ("up", where, "--without-exchanges", "--network", "loopback")
            done, out, err = tool(*words, env={"PATH": path + ":" + os.environ["PATH"]})
            self.assertEqual((done, out), (1, ""), err)
            self.assertIn("etcd of n", err)
            self.assertIn("no disk today", err)
            self.assertEqual(processes_in(where), [])
            with open(where + "/cluster.json") as file:
                port = json.load(file)["nodes"][1]["ports"]["etcd"]
            with socket.create_server(("127.0.0.1", port)):
                done, out, err = tool(*words)
            self.assertEqual((done, out), (2, ""), err)
            self.assertIn(f"port {port} of etcd of n2 is taken", err)
            self.assertEqual(processes_in(where), [])


class Processes(unittest.TestCase):
    def test_a_process_that_begins_a_program_is_found(self):
        """On a busy machine that takes a while, in which it has no environment: what is killed then must be found."""
        mark, busy = f"{process.MARK}={os.getpid()}", []
        environment = {process.MARK: str(os.getpid()), "PATH": os.environ["PATH"]}
        try:
            for _ in range(2 * os.cpu_count()):
                busy.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            for _ in range(300):
                with subprocess.Popen(["nice", "-n", "19", "sleep", "60"], env=environment) as child:
                    found = process.belongs(child.pid, mark.encode(), "/nowhere")
                    child.kill()
                self.assertTrue(found)
        finally:
            for child in busy:
                child.kill()
                child.wait()


class Servers(unittest.TestCase):
    """One cluster for all of it, in the order of the names; a start takes a while."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="dojima-e2e-")
        cls.folder = cls.temporary.name + "/c"
        try:
            done, out, err = tool("up", cls.folder, "--without-exchanges", "--json")
            if done != 0:
                raise AssertionError(f"up: exit {done}: {err}")
            cls.first = json.loads(out)
            cls.cluster = layout.read(cls.folder)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        if layout.exists(cls.folder):
            tool("down", cls.folder)
        cls.temporary.cleanup()

    def done(self, *words):
        code, out, err = tool(words[0], self.folder, *words[1:])
        self.assertEqual(code, 0, err)
        return out

    def refused(self, *words, code=2, needs=()):
        done, out, err = tool(words[0], self.folder, *words[1:])
        self.assertEqual((done, out), (code, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        for word in needs:
            self.assertIn(word, err)

    def nodes(self):
        return {node["name"]: node for node in json.loads(self.done("status", "--json"))["nodes"]}

    def primary(self):
        found = [name for name, node in self.nodes().items() if node["postgres"].get("role") == "primary"
                 and node["postgres"].get("state") == "running"]
        return found[0] if len(found) == 1 else None

    def until(self, what, done):
        deadline = time.monotonic() + SECONDS
        while not done():
            self.assertLess(time.monotonic(), deadline, what + "; " + self.done("status"))
            time.sleep(0.3)

    def sql(self, statement):
        return database.sql(database.admin_url(self.cluster), statement)

    def whole(self):
        """Three servers run, one leads, and a standby confirms its writes."""
        servers = [node["postgres"] for node in self.nodes().values()]
        return all(server.get("state") in ("running", "streaming") for server in servers) \
            and any(server.get("synchronous") for server in servers) and self.primary() is not None

    def test_1_it_is_up_and_commits_under_quorum(self):
        self.assertEqual([node["name"] for node in self.first["nodes"]], ["n1", "n2", "n3"])
        self.assertEqual(self.first["accounts"], [], "there are no exchanges")
        self.assertEqual(len({node["url"] for node in self.first["nodes"]}), 3)
        for node in self.first["nodes"]:
            self.assertEqual(node["processes"], {"etcd": "running", "postgres": "running"})
            self.assertTrue(node["etcd"]["healthy"])
        self.assertEqual(self.sql("SHOW synchronous_commit"), "on")
        self.assertNotEqual(self.sql("SHOW synchronous_standby_names"), "")
        self.assertEqual(self.sql("SHOW fsync"), "on")
        self.sql("CREATE TABLE kept (i int PRIMARY KEY)")
        self.sql("INSERT INTO kept VALUES (1)")
        names = [line.split()[0] for line in self.done("status").splitlines()]
        self.assertEqual(names, ["node", "n1", "n2", "n3"])

    def test_2_what_runs_is_left_alone_and_what_is_unknown_refused(self):
        before = {part: process.find(self.cluster.nodes[0], part) for part in ("etcd", "postgres")}
        self.done("up")
        for part, pids in before.items():
            self.assertEqual(process.find(self.cluster.nodes[0], part)[0], pids[0], part)
        self.refused("up", "--nodes", "5", needs=("3 nodes",))
        self.refused("kill", "n4", "etcd", needs=("n4", "n1, n2, n3"))
        self.refused("kill", "n1", "disk", needs=("disk",))
        self.refused("kill", "n1", "exchange", needs=("exchange",))
        self.refused("start", "n1", "etcd", needs=("running already",))
        self.refused("cut", "n1", "n1", needs=("two different",))
        self.refused("handover", "n1", needs=("no exchanges",))

    def test_3_the_primary_dies_and_nothing_acknowledged_is_lost(self):
        first = self.primary()
        self.sql("INSERT INTO kept VALUES (2)")
        self.done("kill", first, "postgres")
        self.assertEqual(process.find(self.cluster.node(first), "postgres"), [], "the whole part")
        self.refused("kill", first, "postgres", needs=("not running",))
        self.assertEqual(self.nodes()[first]["processes"]["postgres"], "down")
        self.until("another primary", lambda: self.primary() not in (None, first))
        self.until("a quorum", lambda: database.accepts_writes(self.cluster))
        self.assertEqual(self.sql("SELECT i FROM kept ORDER BY i"), "1\n2")
        self.sql("INSERT INTO kept VALUES (3)")
        self.done("start", first, "postgres")
        self.until("three servers again", self.whole)

    def test_4_pause_and_resume(self):
        self.done("pause", "n1", "etcd")
        self.assertEqual(self.nodes()["n1"]["processes"]["etcd"], "paused")
        self.sql("INSERT INTO kept VALUES (4)")
        self.done("resume", "n1", "etcd")
        self.until("n1 is healthy again", lambda: self.nodes()["n1"]["etcd"].get("healthy"))

    def test_5_a_paused_primary_does_not_take_the_lead_back(self):
        """Patroni 3.0 with etcd's third API does: the new primary steps down, and its rows are gone."""
        self.until("three servers", self.whole)
        first = self.primary()
        self.done("pause", first, "postgres")
        self.until("another primary", lambda: self.primary() not in (None, first))
        self.until("a quorum", lambda: database.accepts_writes(self.cluster))
        self.sql("INSERT INTO kept VALUES (5)")
        self.done("resume", first, "postgres")
        self.until("three servers again", self.whole)
        self.assertNotEqual(self.primary(), first)
        self.assertEqual(self.sql("SELECT i FROM kept ORDER BY i").split(), ["1", "2", "3", "4", "5"])

    def test_6_cut_and_heal(self):
        if self.cluster.facts["network"] != "namespaces":
            self.refused("cut", "n1", "n2", code=3, needs=("loopback",))
            self.refused("heal", code=3, needs=("loopback",))
            return
        one, two, three = self.cluster.nodes
        self.assertTrue(self.reaches(one, two) and self.reaches(two, one))
        self.done("cut", "n1", "n2", "--one-way")
        self.assertFalse(self.reaches(one, two), "the request is lost")
        self.done("cut", "n1", "n2")
        self.assertFalse(self.reaches(two, one))
        self.assertTrue(self.reaches(one, three) and self.reaches(three, two), "only this pair is cut")
        self.assertEqual(json.loads(self.done("status", "--json"))["cuts"], [["n1", "n2"], ["n2", "n1"]])
        self.done("heal")
        self.until("n1 and n2 reach each other", lambda: self.reaches(one, two) and self.reaches(two, one))
        self.assertEqual(json.loads(self.done("status", "--json"))["cuts"], [])

    @staticmethod
    def reaches(one, other):
        """Whether a process of one node gets a connection to etcd of another one."""
        script = f"import socket; socket.create_connection(('{other.address}', {other.port('etcd')}), 0.7)"
        return subprocess.run([*network.enter(one), sys.executable, "-c", script], capture_output=True,
                              check=False).returncode == 0

    @staticmethod
    def segment(node):
        """The id of the shared memory segment that a server takes for its interlock."""
        with open(node.folder("postgres") + "/data/postmaster.pid") as file:
            return file.read().splitlines()[6].split()[1]

    def test_7_nothing_is_left_after_down_and_the_data_stays(self):
        self.until("three servers again", self.whole)
        segments = {self.segment(node) for node in self.cluster.nodes}
        self.done("kill", self.primary(), "postgres")           # its shared memory is to be removed too
        self.done("down")
        self.assertEqual(processes_in(self.folder), [])
        with open("/proc/sysvipc/shm") as file:
            self.assertEqual(segments & {line.split()[1] for line in file.read().splitlines()[1:]}, set())
        if self.cluster.facts["network"] == "namespaces":
            prefix = f"dj{self.cluster.facts['group']}-"
            self.assertEqual([name for name in os.listdir("/sys/class/net") if name.startswith(prefix)], [])
        self.assertEqual({node["state"] for node in self.nodes().values()}, {"down"})
        self.refused("start", "n1", "exchange")
        self.done("down")                                       # once more changes nothing
        self.done("up")
        self.assertEqual(self.sql("SELECT i FROM kept ORDER BY i").split(), ["1", "2", "3", "4", "5"])


if __name__ == "__main__":
    lacking = layout.missing_programs()
    if lacking:
        print(f"skipped: {', '.join(lacking)} not installed (tools/setup test installs them)")
        sys.exit(77)
    main()
