# SPDX-License-Identifier: MIT
"""Nodes with one log in PostgreSQL write snapshots, start from them, and give them to new nodes (dojima join).

Needs PostgreSQL's server programs (tests/support/postgres.sh); without them it is skipped.
"""
import http.server
import os
import re
import resource
import shutil
import signal
import threading
import unittest
import urllib.error
import urllib.request

from harness import Folder, Server, main, run
from roles import Database, Node, wait, written

SHADOW = "shadow = on\nsnapshotSeconds = 1\n"
PATIENCE = 400          # seconds: a busy machine only makes the test longer
SECRET = "a word that is long enough".replace(" ", "-")


class Join(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.database = Database(cls.folder.path)
        cls.addClassCleanup(cls.folder.__exit__)
        cls.addClassCleanup(cls.database.stop)
        cls.nodes = [cls.begun(name) for name in ("n1", "n2")]

    @classmethod
    def made(cls, name, more=SHADOW):
        """A node with the secret, which has not been started."""
        node = Node(cls.folder.path, name, cls.database.url, more=more)
        node.secret = os.path.join(cls.folder.path, "secret")
        with open(node.secret, "w", encoding="ascii") as file:
            file.write(SECRET + "\n")
        with open(node.config, encoding="ascii") as file:
            text = file.read()
        with open(node.config, "w", encoding="ascii") as file:
            file.write(text.replace("compareBlocks", f"secret = {node.secret}\ncompareBlocks"))
        cls.addClassCleanup(lambda: node.server and node.server.kill())
        return node

    @classmethod
    def begun(cls, name):
        return cls.made(name).start()

    def path(self, name):
        return os.path.join(self.folder.path, name)

    def snapshots(self, node):
        """Waits for two snapshots that were made from now on."""
        places = [os.path.join(node.data, name) for name in ("snapshot-a", "snapshot-b")]
        before = [os.stat(place).st_ino if os.path.exists(place) else 0 for place in places]
        for at, place in enumerate(places):
            while not os.path.exists(place) or os.stat(place).st_ino == before[at]:
                written(self, self.nodes, 1)

    def test_1_a_node_starts_from_its_snapshot(self):
        writer = written(self, self.nodes)
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
        node = self.made("foreign")
        os.mkdir(node.data)
        shutil.copy(os.path.join(self.path("other"), "snapshot-a"), node.data)
        code, _, err = run("serve", "--config", node.config)
        self.assertEqual(code, 70, err)
        self.assertIn("snapshot-a is a snapshot of another log", err)

    # ---- a new node ----

    def join(self, node, giver=None, code=0, **more):
        url = more.pop("url", None) or f"http://127.0.0.1:{(giver or self.nodes[0]).port}"
        args = [word for name, value in more.items() for word in (f"--{name.replace('_', '-')}", value)]
        done, out, err = run("join", "--from", url, *(args or ("--config", node.config)), seconds=PATIENCE)
        self.assertEqual(done, code, out + err)
        return out + err

    def nothing_is_left(self, node):
        self.assertLessEqual(set(os.listdir(node.data)) if os.path.exists(node.data) else set(), {"lock"})
        self.assertNotIn("giving", os.listdir(self.nodes[0].data))

    def test_3_a_new_node_begins_with_the_snapshot_of_another(self):
        writer = written(self, self.nodes, 50)
        for node in self.nodes:
            self.snapshots(node)
        for name, giver in (("n3", self.nodes[0]), ("n4", self.nodes[1])):
            node = self.made(name)
            out = self.join(node, giver)
            command = int(re.search(r"snapshot +command (\d+)", out).group(1))
            self.assertGreaterEqual(int(re.search(r"up to command (\d+)", out).group(1)), command)
            self.assertEqual(sorted(os.listdir(node.data)), ["history", "lock", "snapshot-a"])
            written(self, self.nodes, 5)                     # the tail
            node.start()
            self.assertIn(f"snapshot-a: command {command}, block", node.server.stderr())
            self.assertNotIn("history store", node.server.stderr())
            wait("it follows", lambda: node.ready().get("sequence", 0) >= giver.ready()["sequence"] > command)
            self.assertEqual(node.balance(writer.owner), giver.balance(writer.owner))
            self.same_history(node, giver)
            self.assertEqual(node.server.stop(), 0)

    def same_history(self, node, other):
        """Blocks from before and behind the snapshot are the same, transactions included."""
        height = node.ready()["block"]
        for number in (1, height // 2, height):
            body = f'{{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["{number:#x}",true]}}'
            answers = [urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{one.port}/rpc", body.encode(), {"Content-Type": "application/json"})).read()
                for one in (node, other)]
            self.assertIn(b'"transactions":[{', answers[0])
            self.assertEqual(answers[0], answers[1])

    def test_4_what_is_wrong_is_refused_and_leaves_nothing(self):
        written(self, self.nodes, 1)
        self.snapshots(self.nodes[0])
        node = self.made("n5")
        with open(self.path("wrong"), "w", encoding="ascii") as file:
            file.write("another-word-of-the-nodes\n")
        self.assertIn("the secret is not", self.join(node, code=1, data=node.data, secret_file=self.path("wrong")))
        self.assertIn("secret", self.join(node, code=2, data=node.data))
        other = self.made("n6", more=SHADOW + "scheduleTriggersPerDay = 3\n")
        self.assertIn("scheduleTriggersPerDay differs", self.join(other, code=78))
        self.assertIn("does not answer", self.join(node, code=1, url="http://127.0.0.1:1"))
        self.nothing_is_left(node)
        self.nothing_is_left(other)
        os.makedirs(node.data, exist_ok=True)
        with open(os.path.join(node.data, "key-usage"), "w", encoding="ascii") as file:
            file.write("x")
        self.assertIn("is not empty (key-usage)", self.join(node, code=1))
        self.assertEqual(os.listdir(node.data), ["key-usage"])
        self.assertIn("is not empty", self.join(self.nodes[1], code=1))
        with Server(data=self.path("alone")) as alone:
            self.assertIn("HTTP 404", self.join(other, code=1, url=f"http://127.0.0.1:{alone.port}"))

    def test_5_a_connection_that_ends_in_the_middle(self):
        """Through a proxy that ends, garbles, or loses the giver, at each part."""
        written(self, self.nodes, 1)
        self.snapshots(self.nodes[0])
        node = self.made("n7")
        for fault in ("cut", "short", "garbled", "gone"):
            for part in (b"/0/0/", b"/1/0/", b"/2/0/"):
                with Proxy(self.nodes[0].port, part, fault) as proxy:
                    said = self.join(node, code=70 if fault == "garbled" else 1, url=f"http://127.0.0.1:{proxy.port}")
                self.assertRegex(said, {"cut": "does not answer", "short": "instead of", "garbled": "another hash",
                                        "gone": "no such copy any more"}[fault])
                self.nothing_is_left(node)
        os.makedirs(os.path.join(node.data, "joining", "history"))      # as after kill -9
        os.makedirs(os.path.join(node.data, "history"))
        with open(os.path.join(node.data, "history", "data.mdb"), "w", encoding="ascii") as file:
            file.write("half")
        self.join(node)
        node.start()
        self.assertIn("the log is read from there", node.server.stderr())
        self.assertEqual(node.server.stop(), 0)

    def test_5_b_a_disk_that_is_full(self):
        written(self, self.nodes, 1)
        self.snapshots(self.nodes[0])
        node = self.made("n9")

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

        code, out, err = run("join", "--from", f"http://127.0.0.1:{self.nodes[0].port}", "--config", node.config,
                             seconds=PATIENCE, preexec_fn=small_files)
        self.assertEqual(code, 74, out + err)
        self.assertIn("cannot be written: File too large", err)
        self.nothing_is_left(node)

    def test_6_the_giver_is_killed_in_the_middle(self):
        written(self, self.nodes, 1)
        self.snapshots(self.nodes[1])
        node = self.made("n8")
        with Proxy(self.nodes[1].port, b"/1/0/", "kill", self.nodes[1].server.kill) as proxy:
            self.assertIn("does not answer", self.join(node, code=1, url=f"http://127.0.0.1:{proxy.port}"))
        self.nothing_is_left(node)
        self.nodes[1].start()
        self.assertNotIn("giving", os.listdir(self.nodes[1].data))
        self.join(node, self.nodes[1])


class Proxy:
    """Passes requests on, but for those whose path contains `part`."""

    def __init__(self, port, part, fault, act=None):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def serve(self):
                if part in self.path.encode() and act:
                    act()
                if part in self.path.encode() and fault == "cut":
                    self.connection.close()
                    return
                length = int(self.headers.get("Content-Length") or 0)
                request = urllib.request.Request(f"http://127.0.0.1:{port}{proxy.path(self.path, part, fault)}",
                                                 self.rfile.read(length) if self.command == "POST" else None,
                                                 dict(self.headers), method=self.command)
                try:
                    status, body = 200, urllib.request.urlopen(request).read()
                except urllib.error.HTTPError as error:
                    status, body = error.code, error.read()
                except OSError:
                    self.connection.close()
                    return
                if part in self.path.encode():
                    body = body[:-1] if fault == "short" else b"x" + body[1:] if fault == "garbled" else body
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = serve

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    @staticmethod
    def path(path, part, fault):
        """Of another copy, which is gone."""
        return re.sub(r"copy/\d+", "copy/7", path) if fault == "gone" and part in path.encode() else path

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *ignored):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    main()
