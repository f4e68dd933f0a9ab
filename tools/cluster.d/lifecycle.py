# SPDX-License-Identifier: MIT
"""up, down and start: the order of the parts, and what each waits for."""
import os
import subprocess
import time

import asking
import database
import network
import parts
import process
from layout import Problem, is_free, usage

PORTS_OF = {"etcd": ("etcd", "etcdPeer"), "postgres": ("postgres", "patroni"), "exchange": ("exchange",), "feeder": ()}
STOP_SECONDS = {"feeder": 5, "exchange": 15, "postgres": 20, "etcd": 10}
ORDER = ("etcd", "postgres", "exchange", "feeder")


def wanted(cluster):
    """The parts that this cluster has, in the order of their start."""
    with_exchanges = ("exchange", "feeder") if cluster.facts["market"] == "calm" else ("exchange",)
    return ("etcd", "postgres") + (with_exchanges if cluster.facts["exchanges"] else ())


def check_ports(node, part):
    for name in PORTS_OF[part]:
        if node.cluster.facts["network"] == "loopback" and not is_free(node.address, node.port(name)):
            raise usage(f"port {node.port(name)} of {part} of {node.name} is taken by another process")


def last_line(node, part):
    path = os.path.join(node.cluster.folder, node.name, part + ".log")
    lines = process.read(path).decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it printed nothing")[:400]


class Start:
    """What one command starts; all of it ends when the command fails."""

    def __init__(self, cluster):
        self.cluster, self.started, self.running = cluster, [], {}

    def part(self, part):
        """Starts a part on each node where it is not running."""
        for node in self.cluster.nodes:
            if process.condition(node, part) != "down":
                process.resume(node, part)
                continue
            check_ports(node, part)
            self.started.append((node, part))
            self.running[node, part] = parts.START[part](node)

    def check(self):
        """A program that has ended by itself ends the waiting."""
        for (node, part), popen in self.running.items():
            if popen.poll() is not None:
                raise Problem(f"{part} of {node.name} ended with exit code {popen.returncode}: "
                              f"{last_line(node, part)} (see {self.cluster.folder}/{node.name}/{part}.log)")

    def wait(self, what, done, seconds):
        deadline = time.monotonic() + seconds
        while not done():
            self.check()
            if time.monotonic() > deadline:
                raise Problem(f"{what} within {seconds} s; the logs are {self.cluster.folder}/n*/*.log")
            time.sleep(0.1)

    def undo(self):
        for node, part in reversed(self.started):
            process.kill(node, part)
            if part == "postgres":
                parts.free_shared_memory(node)


def etcd_ready(cluster):
    return all(asking.get_json(node, "etcd", "/health")[1].get("health") == "true" for node in cluster.nodes)


def members(cluster):
    """Patroni's own list of the servers, from the first one that answers."""
    for node in cluster.nodes:
        found = asking.get_json(node, "patroni", "/cluster")[1].get("members")
        if found:
            return found
    return []


def postgres_ready(cluster):
    """A primary, all others streaming from it, at least one of them synchronous."""
    found = members(cluster)
    roles = [member.get("role") for member in found]
    fine = [member for member in found if member.get("state") in ("running", "streaming")]
    return len(fine) == len(cluster.nodes) and "leader" in roles and \
        any(role in ("sync_standby", "quorum_standby") for role in roles)


def exchanges_ready(cluster):
    return all(asking.get(node, "exchange", "/readyz")[0] == 200 for node in cluster.nodes)


def up(cluster, wish, say):
    """Starts all that is not running, in order. After a failure nothing of what it started runs."""
    start, had_network = Start(cluster), "network" in cluster.facts and \
        all(network.holder(node) for node in cluster.nodes)
    try:
        bring_up(cluster, start, wish, say)
    except BaseException:
        start.undo()
        if not had_network:
            network.remove(cluster)
        raise


def bring_up(cluster, start, wish, say):
    network.up(cluster, wish)
    cluster.save()
    say(f"network: {cluster.facts['network']}" +
        (f" ({cluster.facts['networkReason']})" if cluster.facts["network"] == "loopback" else ""))
    start.part("etcd")
    start.part("postgres")
    start.wait("the members of etcd do not agree", lambda: etcd_ready(cluster), 30)
    say(f"etcd: {len(cluster.nodes)} members")
    start.wait("PostgreSQL has no primary with a synchronous standby", lambda: postgres_ready(cluster), 120)
    database.wait_for_quorum(cluster, 20)
    say(f"postgres: primary {primary(cluster)}, {len(cluster.nodes) - 1} standbys, quorum")
    if database.make(cluster):
        database.wait_for_standbys(cluster)
    if not cluster.facts["exchanges"]:
        return
    if "log" not in cluster.facts:
        database.init_log(cluster)
        database.wait_for_standbys(cluster)
    start.part("exchange")
    start.wait("the exchanges are not ready", lambda: exchanges_ready(cluster), 120)
    say("exchanges: " + ", ".join(node.url() for node in cluster.nodes))
    if "feeder" in wanted(cluster):
        start.part("feeder")
        start.check()


def primary(cluster):
    return next((member["name"] for member in members(cluster) if member.get("role") == "leader"), None)


def start_part(cluster, node, part):
    """Starts one part that is down, without waiting until it is ready."""
    if process.condition(node, part) != "down":
        raise usage(f"{part} of {node.name} is running already")
    if not network_is_there(cluster):
        raise Problem("the cluster is down; start it with tools/cluster up")
    check_ports(node, part)
    popen = parts.START[part](node)
    try:
        popen.wait(0.5)
    except subprocess.TimeoutExpired:
        return
    raise Problem(f"{part} of {node.name} ended with exit code {popen.returncode}: {last_line(node, part)}")


def network_is_there(cluster):
    return cluster.facts.get("network") == "loopback" or all(network.holder(node) for node in cluster.nodes)


def down(cluster, say):
    """Ends everything, orderly where that is possible in time."""
    for part in reversed(ORDER):
        there = [node for node in cluster.nodes if process.find(node, part)]
        for node in there:
            process.resume(node, part)
            process.terminate(node, part)
        deadline = time.monotonic() + STOP_SECONDS[part]
        for node in there:
            if not process.end(node, part, deadline - time.monotonic()):
                say(f"{part} of {node.name} did not end within {STOP_SECONDS[part]} s and was killed")
    for node in cluster.nodes:
        parts.free_shared_memory(node)
    network.remove(cluster)
    cluster.facts["cuts"] = []
    cluster.save()
