# SPDX-License-Identifier: MIT
"""The cluster of the nemesis, as tools/cluster has it: its facts, its faults, and the end of all faults (heal)."""
import json
import os
import re
import struct
import subprocess
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOL = os.path.join(ROOT, "tools", "cluster")
SYNC_US, FULL, AHEAD_MS = 0, 1, 2           # places in the file of faults (cluster_faults.c)

# A node says so when it finds that its state, or the log that it has read, is not that of the others.
STOPPED = re.compile(r".*(the log is damaged|makes other blocks than the log names|was answered and is in"
                     r"|the state of this node is another one|Assertion .* failed).*")


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
        self.read_to = {name: os.path.getsize(self.log_of(name)) for name in self.names}

    def tool(self, command, *words, seconds=90):
        try:
            done = subprocess.run([TOOL, command, self.folder, *words], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=seconds, env=self.environment, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"tools/cluster {command} {' '.join(words)}: no end within {seconds} s") from None
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

    def log_of(self, name):
        return os.path.join(self.folder, name, "exchange.log")

    def complaints(self):
        """What exchanges have said since the last call when they stopped by themselves."""
        found = []
        for name in self.names:
            with open(self.log_of(name), errors="replace") as file:
                file.seek(self.read_to[name])
                text = file.read()
                self.read_to[name] = file.tell()
            found += [f"{name}: {match[0].strip()}" for match in STOPPED.finditer(text)]
        return found

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
