# SPDX-License-Identifier: MIT
"""The compose files of packaging/oci, started by docker compose: the development exchange is scraped and keeps its
data, and three nodes go on without one of them. Skipped, with a line, where there is no docker, no image of what a file
names (tests/packages/stand_ins makes some), or a port is taken. The projects have names of their own, so that nobody's
data is met."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import ROOT, made                                                     # noqa: E402
from harness import BUY, SELL, Case, Client, Folder, Wallet, main, order, run     # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None
OCI = os.path.join(ROOT, "packaging", "oci")
SECONDS = 180                               # for what takes some ten seconds on a quiet machine
# Address and private key; `dojima serve` refuses the keys of development accounts.
SELLER = ("0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a", "0x" + 32 * "11")
BUYER = ("0x1563915e194d8cfba1943570603f7606a3115508", "0x" + 32 * "22")


def docker(*words, seconds=600, **options):
    return subprocess.run(["docker", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=seconds, **options)


def ask(url):
    """The JSON behind a URL and its status, or None and 0 when nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer), answer.status
    except urllib.error.HTTPError as error:
        return None, error.code
    except (OSError, ValueError):
        return None, 0


class Started(Case):
    FILE, PORTS, words = (), (), ()

    def setUp(self):
        if yaml is None:
            self.skipTest("no python3-yaml")
        if shutil.which("docker") is None or docker("compose", "version").returncode != 0:
            self.skipTest("no docker compose")
        if docker("version").returncode != 0:
            self.skipTest("no daemon of docker")
        for port in self.PORTS:
            with socket.socket() as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    trial.bind(("127.0.0.1", port))
                except OSError:
                    self.skipTest(f"port {port} is taken")
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.load()
        with open(os.path.join(OCI, *self.FILE), encoding="utf-8") as file:
            self.services = yaml.safe_load(file)["services"]
        self.words = ["-p", f"dojima-test-{os.getpid()}", "-f", os.path.join(OCI, *self.FILE)]

    def load(self):
        """The image of this tree is dojima:latest for the time of the test."""
        before = docker("image", "inspect", "--format", "{{.Id}}", "dojima:latest").stdout.strip()
        done = docker("load", "-i", made(self, "dojima-oci.tar"))
        self.assertEqual(done.returncode, 0, done.stderr)
        if before:
            self.addCleanup(docker, "tag", before, "dojima:latest")

    def there(self, image):
        return docker("image", "inspect", image).returncode == 0 or docker("pull", "--quiet", image).returncode == 0

    def compose(self, *words, seconds=1200):
        done = docker("compose", *self.words, *words, seconds=seconds)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        return done.stdout

    def end(self):
        docker("compose", *self.words, "down", "--volumes", "--timeout", "5")

    def until(self, what, done):
        deadline = time.monotonic() + SECONDS
        while True:
            found = done()
            if found:
                return found
            if time.monotonic() > deadline:
                logs = docker("compose", *self.words, "logs", "--tail", "15").stdout
                self.fail(f"{what}: not within {SECONDS} s\n{self.compose('ps', '--all')}\n{logs}")
            time.sleep(0.5)


class Development(Started):
    FILE, PORTS = ("compose.yml",), (8080, 9090, 3000)

    def up(self):
        wanted = [name for name, one in self.services.items() if self.there(one["image"])]
        if "exchange" not in wanted or "prometheus" not in wanted:
            self.skipTest("no images: only " + ", ".join(wanted))
        self.compose("up", "--detach", "--wait", *wanted)
        return wanted

    def metrics(self, path, **query):
        found, _ = ask(f"http://127.0.0.1:9090/api/v1/{path}?{urllib.parse.urlencode(query)}")
        return found and found["data"]

    def is_up(self, **query):
        found = self.metrics("query", query="up", **query)
        return found and [one["value"][1] for one in found["result"]] == ["1"] and time.time()

    def clients(self):
        """Two accounts, by the keys that the exchange prints."""
        said = self.compose("logs", "--no-log-prefix", "exchange")
        found = re.findall(r"^ *(\d{4}) +(0x[0-9a-fA-F]{40}) +(0x[0-9a-f]{64})", said, re.MULTILINE)
        self.port = self.PORTS[0]
        return [Client(self, Wallet(key), int(number)) for number, _, key in found[:2]]

    def test_it_is_scraped_trades_and_keeps_its_data(self):
        self.addCleanup(self.end)
        wanted = self.up()
        seller, buyer = self.clients()
        # Traders of the exchange may take the first; the second has somebody to buy from.
        self.items_ok(seller.place(order("ours-1", SELL, "101000", "0.01")))
        self.items_ok(buyer.place(order("ours-2", BUY, "101000", "0.02")))
        self.assertEqual([one["clOrdID"] for one in buyer.history() if one["status"] == "FILLED"], ["ours-2"])
        at = self.until("Prometheus scrapes the exchange", self.is_up)
        names = self.metrics("label/__name__/values")
        self.assertTrue([name for name in names if name.startswith("dojima_")], names)
        with open(os.path.join(ROOT, "ops", "prometheus", "alerts.yml"), encoding="utf-8") as file:
            alerts = [rule["alert"] for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
        loaded = [rule["name"] for group in self.metrics("rules")["groups"] for rule in group["rules"]]
        self.assertEqual(loaded, alerts)
        self.published_to_this_machine_alone(wanted)
        if "grafana" in wanted:
            self.until("Grafana shows its dashboard", lambda: ask("http://127.0.0.1:3000/api/search?query=dojima")[0])
        else:
            print("without Grafana: there is no image of it", file=sys.stderr)
        self.compose("down")
        self.up()
        again = self.clients()[1]
        self.assertEqual([one["clOrdID"] for one in again.history() if one["status"] == "FILLED"], ["ours-2"])
        self.assertTrue(self.until("Prometheus has what it had", lambda: self.is_up(time=at)))

    def published_to_this_machine_alone(self, wanted):
        for name in wanted:
            one = json.loads(docker("inspect", self.compose("ps", "--quiet", name).strip()).stdout)[0]
            found = [row["HostIp"] for rows in one["NetworkSettings"]["Ports"].values() for row in rows or ()]
            self.assertEqual(found, ["127.0.0.1"] * len(self.services[name]["ports"]), name)


class Cluster(Started):
    FILE, PORTS = ("cluster", "compose.yml"), (8081, 8082, 8083)

    def up(self):
        with open(os.path.join(OCI, "cluster", "Containerfile"), encoding="utf-8") as file:
            base = re.search("^FROM (.*)$", file.read(), re.MULTILINE).group(1)
        if not self.there(base):
            self.skipTest(f"no image {base}")
        nodes = os.path.join(self.folder.path, "nodes")
        subprocess.run([os.path.join(OCI, "cluster", "prepare"), nodes], check=True, capture_output=True)
        self.words += ["--env-file", os.path.join(nodes, ".env")]
        self.addCleanup(self.end)
        self.compose("up", "--detach")

    def url(self, number):
        return f"http://127.0.0.1:{8080 + number}"

    def nodes(self):
        """Number and role of each node that is ready."""
        states = {number: ask(self.url(number) + "/readyz") for number in (1, 2, 3)}
        return {number: found["data"]["role"] for number, (found, status) in states.items() if status == 200}

    def leader(self):
        found = [number for number, role in self.nodes().items() if role == "leader"]
        return found[0] if len(found) == 1 else None

    def deposit(self, *words):
        leader = self.until("one node leads", self.leader)
        self.compose("exec", "-T", f"exchange{leader}", "/usr/bin/dojima", "deposit", "--data", "/data/exchange",
                     *words)

    def place(self, number, account, *words):
        """Through one node; a leader that is being replaced refuses (503), which the program says with an exit code."""
        def placed():
            return run(*words, "vBTC_vUSDC", "@", "100000", "--url", self.url(number),
                       env={**os.environ, "DOJIMA_KEY": account[1]})[0] == 0
        self.until(f"{' '.join(words)} through node {number}", placed)

    def trades(self, number):
        code, said, _ = run("trades", "vBTC_vUSDC", "--json", "--url", self.url(number))
        return len(json.loads(said)) if code == 0 else None

    def test_nodes_go_on_without_their_leader_and_it_comes_back(self):
        self.up()
        self.until("three nodes are ready", lambda: len(self.nodes()) == 3)
        self.assertEqual([self.restarted(f"exchange{number}") for number in (1, 2, 3)], [0, 0, 0])
        self.deposit(SELLER[0], "vBTC", "1")
        self.deposit(BUYER[0], "vUSDC", "5000")
        self.place(1, SELLER, "sell", "0.01")
        self.place(2, BUYER, "buy", "0.01")
        self.until("the third node has the trade", lambda: self.trades(3) == 1)
        self.restarts("etcd2")
        gone = self.until("one node leads", self.leader)
        parts = [f"{part}{gone}" for part in ("node", "etcd", "patroni", "exchange")]
        self.compose("kill", *parts)
        one, other = [number for number in (1, 2, 3) if number != gone]
        self.until("another node leads", lambda: self.leader() in (one, other))
        self.place(one, SELLER, "sell", "0.01")
        self.place(other, BUYER, "buy", "0.01")
        for number in (one, other):
            self.until(f"node {number} has both trades", lambda: self.trades(number) == 2)
        self.compose("start", *parts)
        self.until("all nodes are ready again", lambda: len(self.nodes()) == 3)
        self.until("the node that was gone has both trades", lambda: self.trades(gone) == 2)

    def restarted(self, name):
        number = self.compose("ps", "--all", "--quiet", name).strip()
        return int(docker("inspect", "--format", "{{.RestartCount}}", number).stdout)

    def restarts(self, name):
        """A program that ends is started again, and its node is still reached."""
        self.compose("exec", "-T", name, "sh", "-c", "kill -TERM 1")
        self.until(f"{name} is started again", lambda: self.restarted(name))
        self.until("three nodes are ready", lambda: len(self.nodes()) == 3)


if __name__ == "__main__":
    main()
