# SPDX-License-Identifier: MIT
"""Three exchanges with one log in PostgreSQL: one leads, the others follow; a leader that is killed, paused or asked to
hand over has a successor, nothing acknowledged is lost, and all come to the same state.

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

from harness import ROOT, Folder, Server, main, run

sys.path.append(os.path.join(ROOT, "tools", "cluster.d"))       # last: it has a cli and keys of its own
from layout import postgres_folder  # noqa: E402

SERVERS = os.path.join(ROOT, "tests", "support", "postgres.sh")
CONFIG = """[dojima]
listen = 127.0.0.1:{port}
data = {data}
chainIds = 77
accounts = 1000
orders = 10000
levels = 10000
signers = 1000
deposits = 100000
keys = 1000
transfers = 10000
{more}[log]
url = {url}
[cluster]
node = {node}
url = http://127.0.0.1:{port}
compareBlocks = 5
[coin A]
precision = 6
[coin B]
precision = 8
[market B_A]
baseCoin = B
quoteCoin = A
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
listingReferencePrice = 100
"""
# Debian's psql is a Perl script that looks for this one and takes longer than most queries.
PSQL = os.path.join(postgres_folder() or "", "psql")
PATIENCE = 90           # seconds: a busy machine only makes the test longer
UNKNOWN = 50303


PORT_FIRST, PORT_BLOCK, PORT_BLOCKS = 20000, 40, 300    # below those that the system gives to others; postgres.c too


def own_ports():
    """The ports of a block that no other test has, for as long as this process lives."""
    for turn in range(PORT_BLOCKS):
        block = (os.getpid() + turn) % PORT_BLOCKS
        try:
            file = open(f"/tmp/dojima-ports-{block}", "a")      # a generator keeps it open
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        yield from range(PORT_FIRST + block * PORT_BLOCK, PORT_FIRST + (block + 1) * PORT_BLOCK)
    raise AssertionError("no block of ports is free")


PORTS = own_ports()


def free_ports(count):
    """So many ports in a row that nothing listens on; none is given out twice."""
    ports = []
    while len(ports) < count:
        ports.append(next(PORTS))
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", ports[-1]))
            except OSError:
                ports.clear()
    return ports[0]


class Database:
    """A primary and two standbys, one of which confirms each commit."""

    def __init__(self, folder):
        self.dir, port = os.path.join(folder, "pg"), free_ports(3)
        self.port = port
        os.chmod(folder, 0o755)                 # the servers may run as another user
        started = subprocess.run(["sh", SERVERS, "start", self.dir, str(port), "2", str(os.getpid())],
                                 capture_output=True, text=True)
        if started.returncode == 77:
            print(started.stderr.strip(), file=sys.stderr)
            sys.exit(77)
        if started.returncode != 0:
            raise AssertionError(started.stderr)
        code, out, err = run("init-log", f"postgres://postgres@127.0.0.1:{port}/postgres")
        if code != 0:
            raise AssertionError(err)
        self.url, self.reader = (re.search(rf"^{role}\s+(\S+)", out, re.M).group(1) for role in ("writer", "reader"))

    def stop(self):
        subprocess.run(["sh", SERVERS, "stop", self.dir], capture_output=True)

    def control(self, number, *action):
        """pg_ctl of the primary (0) or of a standby (1, 2)."""
        done = subprocess.run(["sh", SERVERS, "control", self.dir, str(number), *action], capture_output=True)
        assert done.returncode == 0, done


class Node:
    def __init__(self, folder, name, url, more=""):
        self.name, self.data, self.port = name, os.path.join(folder, name), free_ports(1)
        self.config = os.path.join(folder, name + ".ini")
        with open(self.config, "w") as file:
            file.write(CONFIG.format(port=self.port, data=self.data, url=url, node=name, more=more))
        self.server, self.socket = None, None

    def start(self):
        self.server = Server("--config", self.config, command="serve", json_banner=False).wait_for_port()
        self.socket = None
        return self

    def ready(self):
        """Data of /readyz, {} when it does not answer."""
        try:
            return json.load(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2))["data"]
        except OSError:
            return {}

    def not_ready(self):
        """The answer of /readyz when it is refused, {} when it is not."""
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2).close()
        except urllib.error.HTTPError as error:
            return json.load(error)
        return {}

    def balance(self, owner):
        path = f"http://127.0.0.1:{self.port}/api/v1/spot/accounts/{owner}/balances"
        balances = json.load(urllib.request.urlopen(path, timeout=5))["data"]["balances"]
        return int(balances[0]["total"])

    def ask(self, kind, **params):
        """One line to the administration socket: the answer, or None when the exchange went away."""
        line = json.dumps({"type": kind, "params": params}, separators=(",", ":")).encode() + b"\n"
        try:
            if self.socket is None:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.settimeout(5)
                self.socket.connect(os.path.join(self.data, "admin.sock"))
            self.socket.sendall(line)
            answer = b""
            while not answer.endswith(b"\n"):
                part = self.socket.recv(65536)
                if not part:
                    raise OSError("it hung up")
                answer += part
            return json.loads(answer)
        except OSError:
            self.socket = None
            return None

    def signal(self, number):
        self.server.process.send_signal(number)


class Writer(threading.Thread):
    """Deposits with ever new ids, through whichever node takes them; the answers decide the lists."""

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes, self.acknowledged, self.unknown, self.wrong = nodes, [], [], []
        self.owner = "0x" + os.urandom(20).hex()
        self.times, self.stopped = [], threading.Event()

    def run(self):
        number, at = 0, 0
        while not self.stopped.is_set():
            number += 1
            answer = self.deposit(number, self.nodes[at])
            code = answer["code"] if answer else None
            if code == 0:
                self.acknowledged.append(number)
                self.times.append(time.monotonic())
                continue
            if code is None or code == UNKNOWN:
                self.unknown.append(number)
            elif code // 100 != 503:
                self.wrong.append(answer)
            at = (at + 1) % len(self.nodes)
            time.sleep(0.005)

    def deposit(self, number, node):
        return node.ask("deposit", id=f"{self.owner[:20]}-{number}", address=self.owner, engine="spot", coin="A",
                        amount="1")

    def stop(self):
        self.stopped.set()
        if self.is_alive():
            self.join()


def wait(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {PATIENCE} s")


def written(case, nodes, count=20):
    """So many acknowledged deposits of one account."""
    wait("a leader", lambda: any(node.ready().get("role") == "leader" for node in nodes))
    writer = Writer(nodes)
    writer.start()
    case.addCleanup(writer.stop)
    wait("acknowledged writes", lambda: len(writer.acknowledged) >= count)
    writer.stop()
    case.assertEqual(writer.wrong, [])
    return writer


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.database = Database(cls.folder.path)
        cls.nodes = [Node(cls.folder.path, name, cls.database.url).start() for name in ("n1", "n2", "n3")]

    @classmethod
    def tearDownClass(cls):
        for node in cls.nodes:
            node.server.kill()
        cls.database.stop()
        cls.folder.__exit__()

    def leader(self, other_than=None):
        def look():
            leading = [node for node in self.nodes if node is not other_than and node.ready().get("role") == "leader"]
            return leading[0] if leading else None
        return wait("a leader", look)

    def role(self, node):
        return wait("an answer", lambda: node.ready().get("role"))

    def writing(self):
        writer = Writer(self.nodes)
        writer.start()
        self.addCleanup(writer.stop)
        wait("acknowledged writes", lambda: len(writer.acknowledged) > 20)
        return writer

    def one_state(self):
        wait("one state", lambda: len({(r.get("sequence"), r.get("stateHash"))
                                       for r in (node.ready() for node in self.nodes)}) == 1)

    def judge(self, writer):
        """Each acknowledged deposit counts once; one of unknown outcome is asked again with its id, and then counts
        once. All nodes show that, and the same state."""
        writer.stop()
        self.assertEqual(writer.wrong, [])
        leader = self.leader()
        for number in writer.unknown:
            self.assertEqual(writer.deposit(number, leader)["code"], 0)
        want = len(writer.acknowledged) + len(writer.unknown)
        self.one_state()
        for node in self.nodes:
            self.assertEqual(node.balance(writer.owner), want, node.name)

    def paused(self, writer):
        """The longest time between two acknowledged writes, seconds; for the log of the test."""
        return max(b - a for a, b in zip(writer.times, writer.times[1:]))

    def test_1_one_node_leads_and_the_others_show_the_same(self):
        leader = self.leader()
        self.judge(self.writing())
        roles = sorted(node.ready()["role"] for node in self.nodes)
        self.assertEqual(roles, ["follower", "follower", "leader"])
        for node in self.nodes:
            wait("the leader's URL", lambda: node.ready().get("leader") == f"http://127.0.0.1:{leader.port}")
        self.assertGreater(leader.ready()["hashBlock"], 0)

    def test_2_hand_over(self):
        writer, leader = self.writing(), self.leader()
        heir = next(node for node in self.nodes if node is not leader)
        code, out, err = run("handover", "--data", leader.data, "--to", heir.name)
        self.assertEqual(code, 0, err)
        self.assertIn(f"node {heir.name} leads after", out)
        self.assertEqual([self.role(heir), self.role(leader)], ["leader", "follower"])
        before = len(writer.acknowledged)
        wait("writes of the new leader", lambda: len(writer.acknowledged) > before + 20)
        print(f"hand over: {self.paused(writer) * 1000:.0f} ms without a write", file=sys.stderr)
        self.judge(writer)

    def test_2_b_hand_over_to_and_fro(self):
        """What is printed is so when it is printed; and a node may get back at once what it has handed over."""
        leader = self.leader()
        heir = next(node for node in self.nodes if node is not leader)
        for _ in range(6):
            code, out, err = run("handover", "--data", leader.data, "--to", heir.name)
            self.assertEqual([code, self.role(heir), self.role(leader)], [0, "leader", "follower"], out + err)
            self.assertIn(f"node {heir.name} leads after", out)
            leader, heir = heir, leader

    def test_3_hand_over_is_refused_with_a_reason(self):
        leader = self.leader()
        other = next(node for node in self.nodes if node is not leader)
        code, _, err = run("handover", "--data", other.data)
        self.assertEqual(code, 1)
        self.assertIn(f"node {other.name} does not lead", err)
        code, _, err = run("handover", "--data", leader.data, "--to", "nowhere")
        self.assertEqual(code, 1)
        self.assertIn("no node nowhere was seen lately", err)
        wait("it leads on", lambda: leader.ready()["role"] == "leader")

    def test_3_an_operator_who_asks_a_follower_learns_who_leads(self):
        leader = self.leader()
        other = next(node for node in self.nodes if node is not leader)
        wait("the leader's URL", lambda: other.ready().get("leader") == f"http://127.0.0.1:{leader.port}")
        words = ("deposit", "0x" + "22" * 20, "A", "7", "--id", "asked:1")
        code, _, err = run(words[0], "--data", other.data, *words[1:])
        self.assertEqual(code, 1)
        self.assertIn("50302", err)
        self.assertIn("this node follows", err)
        self.assertIn(f"http://127.0.0.1:{leader.port}", err)
        self.assertNotIn("no node leads", err)
        self.assertEqual(run(words[0], "--data", leader.data, *words[1:])[0], 0)

    def test_4_a_killed_leader_has_a_successor(self):
        writer, leader = self.writing(), self.leader()
        leader.server.kill()
        self.leader(other_than=leader)
        before = len(writer.acknowledged)
        wait("writes of the new leader", lambda: len(writer.acknowledged) > before + 20)
        print(f"leader killed: {self.paused(writer) * 1000:.0f} ms without a write", file=sys.stderr)
        leader.start()
        wait("it follows", lambda: leader.ready().get("role") == "follower")
        self.judge(writer)

    def test_5_a_paused_leader_is_fenced_and_follows(self):
        writer, leader = self.writing(), self.leader()
        leader.signal(signal.SIGSTOP)
        heir = self.leader(other_than=leader)
        before = len(writer.acknowledged)
        wait("writes of the new leader", lambda: len(writer.acknowledged) > before + 20)
        leader.signal(signal.SIGCONT)
        wait("it follows", lambda: leader.ready().get("role") == "follower")
        self.assertEqual(heir.ready()["role"], "leader")
        self.judge(writer)

    def test_5_b_a_leader_that_stops_gives_up_its_lease(self):
        writer, leader = self.writing(), self.leader()
        self.assertEqual(leader.server.stop(), 0)
        self.leader(other_than=leader)
        before = len(writer.acknowledged)
        wait("writes of the new leader", lambda: len(writer.acknowledged) > before + 20)
        print(f"leader stopped: {self.paused(writer) * 1000:.0f} ms without a write", file=sys.stderr)
        leader.start()
        wait("it follows", lambda: leader.ready().get("role") == "follower")
        self.judge(writer)

    def test_6_without_a_quorum_no_write_is_acknowledged_and_reads_go_on(self):
        writer = self.writing()
        for standby in (1, 2):
            self.database.control(standby, "-m", "fast", "stop")
        wait("no leader", lambda: all(node.ready().get("role", "leader") != "leader" for node in self.nodes))
        count = len(writer.acknowledged)
        time.sleep(1)
        self.assertEqual(len(writer.acknowledged), count)
        for node in self.nodes:
            self.assertGreaterEqual(node.balance(writer.owner), count)
        for standby in (1, 2):
            self.database.control(standby, "start")
        wait("writes again", lambda: len(writer.acknowledged) > count + 20)
        self.judge(writer)

    def test_6_a_a_node_that_hears_nothing_of_the_log_is_not_ready(self):
        """A load balancer sends reads elsewhere: nobody knows how old they are."""
        writer = self.writing()
        self.database.control(0, "-m", "fast", "stop")
        try:
            stopped = time.monotonic()
            for node in self.nodes:
                wait("it is not ready", lambda node=node: "got" in node.not_ready().get("details", {}))
                self.assertGreater(time.monotonic() - stopped, 25)
                self.assertRegex(node.not_ready()["details"]["got"], r"^[3-9][0-9] s$")
                self.assertGreater(node.balance(writer.owner), 0)
        finally:
            self.database.control(0, "start")
        for node in self.nodes:
            wait("it is ready", node.ready)
        self.judge(writer)

    def test_6_b_a_log_that_grows_is_copied_as_far_as_it_was_read(self):
        writer, copied = self.writing(), os.path.join(self.folder.path, "copied")
        for _ in range(3):                      # the first begins the copy, the others continue it
            code, out, err = run("copy-log", self.database.reader, copied)
            self.assertEqual(code, 0, err)
            self.assertIn("the hashes of both logs agree", out)
        self.judge(writer)
        code, _, err = run("verify", copied)
        self.assertEqual(code, 0, err)

    def test_7_a_second_process_with_the_same_name_is_refused(self):
        twin = Node(self.folder.path, "twin", self.database.url)
        with open(twin.config) as file:
            text = file.read().replace("node = twin", "node = n1")
        with open(twin.config, "w") as file:
            file.write(text)
        code, _, err = run("serve", "--config", twin.config)
        self.assertEqual(code, 69, err)
        self.assertIn("another process runs as node n1", err)

    def test_8_another_genesis_is_refused(self):
        other = Node(self.folder.path, "n9", self.database.url, more="scheduleTriggersPerDay = 3\n")
        code, _, err = run("serve", "--config", other.config)
        self.assertEqual(code, 78, err)
        self.assertIn("scheduleTriggersPerDay", err)


if __name__ == "__main__":
    main()
