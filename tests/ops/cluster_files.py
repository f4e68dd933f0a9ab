# SPDX-License-Identifier: MIT
"""ops/cluster: the files that `fill` writes are complete, are read by the programs they are for (where these are
installed), and agree with tools/cluster in all that durability rests on. What README.md says to do with these files
works."""
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

try:
    import yaml
except ImportError:
    print("SKIP cluster_files: python3-yaml is not installed")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "ops", "cluster")
sys.path.insert(0, os.path.join(ROOT, "tools", "cluster.d"))
import parts  # noqa: E402  (the path comes first)

FACTS = {"N1": "10.9.0.1", "N2": "10.9.0.2", "N3": "10.9.0.3", "POSTGRES_PASSWORD": "pg1",
         "REPLICATION_PASSWORD": "re2", "PATRONI_PASSWORD": "pa3", "WRITER_PASSWORD": "wr4", "CLUSTER_SECRET": "se5",
         "DEBIAN": "12"}
SECRETS = ("pg1", "re2", "pa3", "wr4", "se5")
# Sizes differ between three machines and one; what is durable and how fast a dead server is noticed does not.
SIZES = {"shared_buffers", "max_connections", "wal_keep_size", "max_wal_size"}


class Filled(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="dojima-ops-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def fill(self, node, facts=None, out="out"):
        env = os.path.join(self.folder, "cluster.env")
        with open(env, "w") as file:
            file.writelines(f"{name}={value}\n" for name, value in (facts or FACTS).items())
        return subprocess.run([FOLDER + "/fill", *([node] if node else []), os.path.join(self.folder, out)],
                              env={**os.environ, "CLUSTER_ENV": env}, capture_output=True, text=True, check=False)

    def filled(self, node):
        """path below / → text"""
        done = self.fill(node, out=node)
        self.assertEqual(done.returncode, 0, done.stderr)
        root, found = os.path.join(self.folder, node), {}
        for path in done.stdout.split():
            with open(path) as file:
                found[path[len(root):]] = file.read()
        return found


class Files(Filled):
    def test_every_node_gets_every_file(self):
        for number, node in enumerate(("n1", "n2", "n3"), 1):
            files = self.filled(node)
            self.assertEqual(len(files), 8)
            for path, text in files.items():
                self.assertNotRegex(text, "@[A-Z_0-9]+@", path)
                known = stat.S_IMODE(os.stat(os.path.join(self.folder, node) + path).st_mode)
                self.assertEqual(known, 0o600 if any(secret in text for secret in SECRETS) else 0o644, path)
            self.assertIn(f"ETCD_LISTEN_PEER_URLS=http://10.9.0.{number}:2380\n", files["/etc/default/etcd"])
            self.assertIn(f"listen = 10.9.0.{number}:8080\n", files["/etc/dojima.cluster.ini"])
            self.assertIn("dojima_writer:wr4@10.9.0.1:5432,10.9.0.2:5432,10.9.0.3:5432/dojima?",
                          files["/etc/dojima.cluster.ini"])

    def test_patroni_promises_what_the_tool_tests(self):
        patroni = yaml.safe_load(self.filled("n2")["/etc/patroni/config.yml"])
        dcs = patroni["bootstrap"]["dcs"]
        self.assertEqual({name: dcs[name] for name in parts.PATRONI_TIMES}, parts.PATRONI_TIMES)
        self.assertLessEqual(dcs["loop_wait"] + 2 * dcs["retry_timeout"], dcs["ttl"])
        self.assertIs(dcs["synchronous_mode"], True)
        self.assertIs(dcs["synchronous_mode_strict"], True)
        self.assertEqual((dcs["failsafe_mode"], dcs["primary_start_timeout"]), (True, 0))
        given, tested = dcs["postgresql"]["parameters"], parts.database_settings()
        for name, value in given.items():
            if name not in SIZES:
                self.assertEqual(value, tested[name], name)
        self.assertLessEqual({"synchronous_commit", "fsync", "full_page_writes", "statement_timeout"}, set(given))
        self.assertEqual((patroni["name"], patroni["postgresql"]["connect_address"]), ("n2", "10.9.0.2:5432"))

    def test_each_debian_has_its_patroni(self):
        """Before Patroni 3.1 etcd's third API loses acknowledged rows (decision 919); from 4 on a quorum counts."""
        for debian, mode, api, second in (("12", True, "etcd", "true"), ("13", "quorum", "etcd3", "false")):
            self.assertEqual(self.fill("n1", {**FACTS, "DEBIAN": debian}).returncode, 0)
            with open(self.folder + "/out/etc/patroni/config.yml") as file:
                patroni = yaml.safe_load(file)
            dcs = patroni["bootstrap"]["dcs"]
            self.assertEqual((dcs["synchronous_mode"], dcs["synchronous_mode_strict"]), (mode, True))
            self.assertEqual([key for key in patroni if key.startswith("etcd")], [api])
            with open(self.folder + "/out/etc/default/etcd") as file:
                self.assertIn(f"ETCD_ENABLE_V2={second}\n", file.read())
        self.assertEqual(self.fill("n1", {**FACTS, "DEBIAN": "11"}).returncode, 2)

    def test_an_existing_file_is_kept(self):
        self.filled("n1")
        path = os.path.join(self.folder, "n1", "etc", "dojima.secret")
        with open(path, "w") as file:
            file.write("mine\n")
        self.filled("n1")
        with open(path + ".before") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_what_is_missing_is_told(self):
        for node in (None, "n4", "all"):
            done = self.fill(node)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for name in FACTS:
            done = self.fill("n1", {**FACTS, name: ""})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(name, done.stderr)
        done = self.fill("n1", {**FACTS, "WRITER_PASSWORD": "a|b"})
        self.assertEqual(done.returncode, 2)
        self.assertFalse(os.path.exists(self.folder + "/out"))

    def test_haproxy_reads_its_file(self):
        if not shutil.which("haproxy"):
            self.skipTest("haproxy is not installed")
        self.filled("n1")
        done = subprocess.run(["haproxy", "-c", "-f", self.folder + "/n1/etc/haproxy/haproxy.cfg"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


class Etcd:
    """One member with both APIs, of a version that has both."""

    def __init__(self, folder):
        ports = []
        for _ in range(2):
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                ports.append(taken.getsockname()[1])
        self.url, peer = (f"http://127.0.0.1:{port}" for port in ports)
        self.process = subprocess.Popen(
            ["etcd", "--data-dir", folder + "/etcd", "--enable-v2=true", "--log-level", "error", "--listen-client-urls",
             self.url, "--advertise-client-urls", self.url, "--listen-peer-urls", peer,
             "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while self.second("GET", "") is None and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def second(self, method, key, data=None):
        """A request of the second API; None when there is no such key, or no etcd."""
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.url}/v2/keys{key}", data, method=method),
                                        timeout=10) as answer:
                return answer.read()
        except urllib.error.URLError:
            return None

    def third(self, *words):
        """A command of the third API."""
        return subprocess.run(["etcdctl", "--endpoints", self.url, *words], capture_output=True, text=True, check=True,
                              timeout=30, env={**os.environ, "ETCDCTL_API": "3"}).stdout

    def has(self, key):
        return self.second("GET", key) is not None or key in self.third("get", "--prefix", key)


class Restored(Filled):
    """The keys that a new cluster would take for those of an old one are gone, whichever API Patroni has."""
    KEY = "/dojima/dojima/initialize"

    def remove(self, etcd, debian):
        """The command of README.md, for the files of a release."""
        with open(FOLDER + "/README.md") as file:
            command = re.search("Patroni's keys[^`]*`([^`]*)`", file.read()).group(1)
        self.assertEqual(self.fill("n1", {**FACTS, "DEBIAN": debian}).returncode, 0)
        path = self.folder + "/out/etc/patroni/config.yml"
        with open(path) as file:
            text = re.sub(r"hosts: \[.*\]", f"hosts: ['{etcd.url.split('//')[1]}']", file.read())
        with open(path, "w") as file:
            file.write(text)
        command = command.replace("/etc/patroni/config.yml", path).replace("http://127.0.0.1:2379", etcd.url)
        return subprocess.run(["sh", "-c", command], input="dojima\nYes I am aware\n", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
                              env={**os.environ, "ETCDCTL_API": "3"}).stdout

    def test_no_key_of_the_old_cluster_is_left(self):
        for program in ("etcd", "etcdctl", "patronictl"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        etcd = Etcd(self.folder)
        self.addCleanup(etcd.stop)
        if etcd.second("GET", "") is None:
            self.skipTest("this etcd has no second API")
        for debian in ("12", "13"):
            if debian == "12":
                self.assertIsNotNone(etcd.second("PUT", self.KEY, b"value=1"))
            else:
                etcd.third("put", self.KEY, "1")
            self.assertTrue(etcd.has(self.KEY))
            said = self.remove(etcd, debian)
            self.assertFalse(etcd.has(self.KEY), f"Debian {debian}: {said}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
