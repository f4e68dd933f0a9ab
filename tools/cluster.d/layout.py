# SPDX-License-Identifier: MIT
"""The folder of a cluster and DIR/cluster.json, which keeps all that is chosen once: nodes, ports and passwords."""
import contextlib
import fcntl
import glob
import json
import os
import random
import secrets
import shutil
import socket

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PARTS = ("exchange", "postgres", "etcd")
NODES_MAX = 9
PORTS = ("etcd", "etcdPeer", "postgres", "patroni", "exchange")
# Below the range from which the kernel takes the ports of outgoing connections.
PORT_FIRST, PORT_LAST = 10000, 19999

EXIT_FAILED, EXIT_USAGE, EXIT_NO_CUTS, EXIT_MISSING = 1, 2, 3, 4


class Problem(Exception):
    """An error for the user: one line, and the exit code."""

    def __init__(self, text, code=EXIT_FAILED):
        super().__init__(text)
        self.code = code


def usage(text):
    return Problem(text, EXIT_USAGE)


def postgres_folder():
    """The newest installed PostgreSQL server's programs, or None."""
    found = [path for path in glob.glob("/usr/lib/postgresql/*/bin") if os.access(path + "/initdb", os.X_OK)]
    return max(found, key=lambda path: float(path.split("/")[4]), default=None)


def missing_programs():
    """The Debian packages without which no cluster can be started."""
    wanted = {"patroni": shutil.which("patroni"), "etcd-server": shutil.which("etcd"),
              "postgresql": postgres_folder()}
    return [package for package, found in wanted.items() if not found]


class Node:
    def __init__(self, cluster, record):
        self.cluster, self.record = cluster, record
        self.name = record["name"]
        self.number = int(self.name[1:])

    @property
    def address(self):
        return self.record["address"]

    def port(self, name):
        return self.record["ports"][name]

    def at(self, name):
        """HOST:PORT of one of PORTS."""
        return f"{self.address}:{self.port(name)}"

    def url(self, name="exchange"):
        return f"http://{self.at(name)}"

    def folder(self, part):
        return os.path.join(self.cluster.folder, self.name, part)


class Cluster:
    """What cluster.json says."""

    def __init__(self, folder, facts):
        self.folder, self.facts = folder, facts
        self.nodes = [Node(self, record) for record in facts["nodes"]]

    def node(self, name):
        for node in self.nodes:
            if node.name == name:
                return node
        raise usage(f"there is no node {name}; the nodes are {', '.join(node.name for node in self.nodes)}")

    def others(self, node):
        return [other for other in self.nodes if other is not node]

    def hosts(self, port):
        return ",".join(node.at(port) for node in self.nodes)

    def password(self, name):
        return self.facts["passwords"][name]

    def save(self):
        path = os.path.join(self.folder, "cluster.json")
        with open(path + ".new", "w", opener=private) as file:
            json.dump(self.facts, file, indent=1)
            file.write("\n")
        os.replace(path + ".new", path)


def private(path, flags):
    return os.open(path, flags, 0o600)


def read(folder):
    """The cluster of a folder."""
    folder = os.path.realpath(folder)
    try:
        with open(os.path.join(folder, "cluster.json")) as file:
            return Cluster(folder, json.load(file))
    except FileNotFoundError:
        raise usage(f"{folder} is not a cluster: it has no cluster.json (tools/cluster up DIR makes one)") from None
    except (OSError, ValueError, KeyError) as error:
        raise usage(f"{folder}/cluster.json cannot be read: {error}") from None


def exists(folder):
    return os.path.exists(os.path.join(folder, "cluster.json"))


def make(folder, count, **choices):
    """A new cluster: everything that is chosen once, nothing started."""
    folder = os.path.realpath(folder)
    if not 3 <= count <= NODES_MAX or count % 2 == 0:
        raise usage(f"--nodes {count}: an odd number from 3 to {NODES_MAX}, because a majority decides")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.listdir(folder):
            raise usage(f"{folder} is not empty and not a cluster; name another folder")
    except OSError as error:
        raise usage(f"{folder} cannot be made: {error.strerror}") from None
    ports = free_ports(count * len(PORTS))
    nodes = [{"name": f"n{i + 1}", "address": "127.0.0.1", "ports": {name: next(ports) for name in PORTS}}
             for i in range(count)]
    facts = {"version": 1, "token": secrets.token_hex(4), "nodes": nodes, **choices,
             "passwords": {name: secrets.token_hex(16) for name in ("postgres", "replication")}}
    return Cluster(folder, facts)


def free_ports(count):
    """So many different ports on which nothing listens on 127.0.0.1."""
    found = set()
    while len(found) < count:
        port = random.randint(PORT_FIRST, PORT_LAST)
        if port not in found and is_free("127.0.0.1", port):
            found.add(port)
    return iter(sorted(found))


def is_free(address, port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def lock(folder):
    """One change at a time: up, down, start, cut and heal of a folder wait for each other."""
    with open(os.path.join(os.path.realpath(folder), "lock"), "w", opener=private) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
