# SPDX-License-Identifier: MIT
"""The faults of the nemesis: each has a beginning, and all of them end together (Cluster.heal)."""
import json
import os
import struct
import subprocess
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOL = os.path.join(ROOT, "tools", "cluster")
PARTS = ("etcd", "postgres", "exchange")
SYNC_US, FULL, AHEAD_MS = 0, 1, 2           # places in the file of faults (cluster_faults.c)


class Failed(Exception):
    """tools/cluster could not do it."""


class Cluster:
    """A cluster as tools/cluster has it."""

    def __init__(self, folder, binary, library):
        self.folder, self.library = folder, library
        self.environment = {**os.environ, "CLUSTER_PRELOAD": library}
        self.tool("up", "--market", "none", "--binary", binary, seconds=180)
        self.about = self.status()
        self.names = [node["name"] for node in self.about["nodes"]]
        self.urls = {node["name"]: node["url"] for node in self.about["nodes"]}

    def tool(self, command, *words, seconds=90):
        done = subprocess.run([TOOL, command, self.folder, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, env=self.environment, check=False)
        if done.returncode != 0:
            raise Failed(f"tools/cluster {command} {' '.join(words)}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def status(self):
        return json.loads(self.tool("status", "--json"))

    def ready(self, name):
        """The data of /readyz of a node, whatever its status."""
        try:
            with urllib.request.urlopen(self.urls[name] + "/readyz", timeout=3) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            return json.load(error).get("data") or {}
        except (OSError, ValueError, KeyError):
            return {}

    # ---- who is who

    def leader(self):
        return next((name for name in self.names if self.ready(name).get("role") == "leader"), self.names[0])

    def primary(self):
        return next((node["name"] for node in self.status()["nodes"] if node["postgres"].get("role") == "primary"),
                    self.names[0])

    def others(self, name):
        return [each for each in self.names if each != name]

    # ---- what is done to it

    def set_fault(self, name, part, place, value):
        with open(os.path.join(self.folder, name, part + ".faults"), "r+b") as file:
            file.seek(8 * place)
            file.write(struct.pack("<q", value))

    def heal(self):
        """Ends every fault and starts what is down."""
        for name in self.names:
            for part in ("postgres", "exchange"):
                for place in (SYNC_US, FULL, AHEAD_MS):
                    self.set_fault(name, part, place, 0)
        try:
            self.tool("heal")
        except Failed:
            if self.about["network"] != "loopback":
                raise
        self.tool("up", seconds=180)

    def settled(self, seconds=120):
        """Waits until all nodes are at the same command and block: their facts."""
        until, seen = time.monotonic() + seconds, []
        while time.monotonic() < until:
            seen = [self.ready(name) for name in self.names]
            if all(one.get("role") in ("leader", "follower") for one in seen) and \
                    sum(one["role"] == "leader" for one in seen) == 1 and len({one["sequence"] for one in seen}) == 1:
                return seen
            time.sleep(0.1)
        raise Failed(f"the nodes do not agree within {seconds} s: {seen}")


# ---- the faults: name → function(cluster, dice); each returns what it did

def of_part(kind, part, whom):
    def begin(cluster, dice):
        first = cluster.leader() if part == "exchange" else cluster.primary()
        name = first if whom else dice.choice(cluster.others(first))
        cluster.tool(kind, name, part)
        return f"{kind} {part} of {name}"
    return begin


def cut_pair(one_way):
    def begin(cluster, dice):
        one, other = dice.sample(cluster.names, 2)
        cluster.tool("cut", one, other, *(["--one-way"] if one_way else []))
        return f"cut {one} {'->' if one_way else '-'} {other}"
    return begin


def cut_off(whom):
    def begin(cluster, dice):
        name = {"leader": cluster.leader, "primary": cluster.primary}[whom]() if whom else dice.choice(cluster.names)
        for other in cluster.others(name):
            cluster.tool("cut", name, other)
        return f"cut off {name}"
    return begin


def disk(place, values, part, whom):
    def begin(cluster, dice):
        name = {"leader": cluster.leader, "primary": cluster.primary}[whom]() if whom else dice.choice(cluster.names)
        value = dice.choice(values)
        cluster.set_fault(name, part, place, value)
        return f"{('sync_us', 'full', 'ahead_ms')[place]} {value} for {part} of {name}"
    return begin


def handover(cluster, dice):
    name = dice.choice(cluster.others(cluster.leader()))
    cluster.tool("handover", name)
    return f"handover to {name}"


CLOCKS = (-3600000, -5000, 900, 5000, 3600000)
FAULTS = {
    "kill leader": of_part("kill", "exchange", "leader"),
    "kill follower": of_part("kill", "exchange", None),
    "pause leader": of_part("pause", "exchange", "leader"),
    "pause follower": of_part("pause", "exchange", None),
    "kill primary": of_part("kill", "postgres", "primary"),
    "kill standby": of_part("kill", "postgres", None),
    "pause primary": of_part("pause", "postgres", "primary"),
    "pause standby": of_part("pause", "postgres", None),
    "kill etcd": of_part("kill", "etcd", None),
    "pause etcd": of_part("pause", "etcd", None),
    "cut a pair": cut_pair(False),
    "cut one way": cut_pair(True),
    "cut off the leader": cut_off("leader"),
    "cut off the primary": cut_off("primary"),
    "cut off a node": cut_off(None),
    "slow disk of the primary": disk(SYNC_US, (20000, 200000, 2000000), "postgres", "primary"),
    "slow disk of a node": disk(SYNC_US, (20000, 200000, 2000000), "postgres", None),
    "full disk of the primary": disk(FULL, (1,), "postgres", "primary"),
    "full disk of the leader": disk(FULL, (1,), "exchange", "leader"),
    "clock of the leader": disk(AHEAD_MS, CLOCKS, "exchange", "leader"),
    "clock of a node": disk(AHEAD_MS, CLOCKS, "exchange", None),
    "clock of the primary": disk(AHEAD_MS, CLOCKS, "postgres", "primary"),
    "handover": handover,
}
NEEDS_CUTS = {name for name in FAULTS if name.startswith("cut")}
