# SPDX-License-Identifier: MIT
"""The nodes' network.

namespaces: each node has a network namespace of its own. Every pair of nodes, and every node and the host, is joined by
a veth pair of its own, so a cut between two nodes touches nothing else. The addresses are 127.77.K.N, routed between
the namespaces (route_localnet), so they cannot collide with a network of the machine; K is free on this machine. The
link addresses are entered by hand; a cut sets one that does not exist, and packets vanish without an answer, as they do
when a cable is pulled. Only `ip`, `nsenter` and `unshare` are used; a process that sleeps holds each namespace.

loopback: all nodes are on 127.0.0.1, for users who may not make namespaces. There is no cut.
"""
import os
import shutil
import subprocess

import process
from layout import EXIT_NO_CUTS, Problem

HOST = 254                                  # the host's number among the nodes
NOWHERE = "02:ff:ff:ff:ff:ff"
NO_CUTS = "cut and heal need one network namespace per node, which takes root, CAP_SYS_ADMIN and CAP_NET_ADMIN"


def address(group, number):
    return f"127.77.{group}.{number}"


def link(group, number, other):
    """The link address of the end of `number` towards `other`."""
    return f"02:77:{group:02x}:{number:02x}:{other:02x}:01"


def device(group, number, other):
    """The name of that end: in the host's namespace djK-N, elsewhere toN."""
    return f"dj{group}-{other}" if number == HOST else f"to{other}"


def holder(node):
    """The process that holds the node's namespace, or None."""
    return next(iter(process.find(node, "network")), None)


def enter(node):
    """The words before a command line that run it in the node's network."""
    if node.cluster.facts.get("network") == "loopback":
        return []
    pid = holder(node)
    if pid is None:
        raise Problem(f"the network of {node.name} is gone; tools/cluster up makes it again")
    return ["nsenter", f"--net=/proc/{pid}/ns/net", "--"]


def run_ip(lines, before=()):
    """Lines of `ip`, in one process."""
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([*before, "ip", "-batch", "-"], input=text, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Problem(f"ip: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else done.returncode}")


def allow_local_routes(name, before=()):
    """127.0.0.0/8 may travel over this device."""
    text = f"echo 1 > /proc/sys/net/ipv4/conf/{name}/route_localnet"
    done = subprocess.run([*before, "sh", "-c", text], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"route_localnet of {name}: {done.stderr.strip()}")


def neighbour(group, number, other, lladdr=None):
    return (f"neigh replace {address(group, other)} lladdr {lladdr or link(group, other, number)} "
            f"dev {device(group, number, other)} nud permanent")


def end_lines(group, number, other):
    """What `ip` does at the end of `number` towards `other`."""
    name = device(group, number, other)
    return [f"link set {name} up",
            f"addr add {address(group, number)}/32 dev {name}",
            f"route add {address(group, other)}/32 dev {name} src {address(group, number)} table local",
            neighbour(group, number, other)]


def pairs(cluster):
    """Each pair of ends once, as (number, process or None) twice; the host is the end without a process."""
    ends = [(node.number, holder(node)) for node in cluster.nodes]
    for i, one in enumerate(ends):
        yield (HOST, None), one
        for other in ends[i + 1:]:
            yield one, other


def place(pid):
    """Where `ip link` puts an end."""
    return f" netns {pid}" if pid else ""


def before(pid):
    return ["nsenter", f"--net=/proc/{pid}/ns/net", "--"] if pid else []


def build(cluster, group):
    for node in cluster.nodes:
        os.makedirs(node.folder("network"), exist_ok=True)
        process.spawn(node, "network", ["unshare", "--net", "sleep", "infinity"])
    own = os.readlink("/proc/self/ns/net")
    for node in cluster.nodes:
        process.until(lambda node=node: namespace_of(node) not in (None, own), 5)
        if namespace_of(node) in (None, own):
            raise Problem("unshare --net is not permitted")
        run_ip(["link set lo up"], enter(node))
    for (a, pid_a), (b, pid_b) in pairs(cluster):
        run_ip([f"link add {device(group, a, b)} address {link(group, a, b)}{place(pid_a)} type veth "
                f"peer name {device(group, b, a)} address {link(group, b, a)}{place(pid_b)}"])
        for number, other, pid in ((a, b, pid_a), (b, a, pid_b)):
            allow_local_routes(device(group, number, other), before(pid))
            run_ip(end_lines(group, number, other), before(pid))


def namespace_of(node):
    pid = holder(node)
    try:
        return os.readlink(f"/proc/{pid}/ns/net") if pid else None
    except OSError:
        return None


def groups_in_use():
    text = subprocess.run(["ip", "-o", "-4", "addr"], capture_output=True, text=True, check=False).stdout
    return {int(word.split(".")[2]) for word in text.split() if word.startswith("127.77.")}


def remove(cluster):
    """Ends the namespaces; the veth pairs, also their ends on the host, go with them."""
    for node in cluster.nodes:
        process.kill(node, "network")
    group = cluster.facts.get("group")
    if group is not None:
        for node in cluster.nodes:
            name = device(group, HOST, node.number)
            process.until(lambda name=name: not os.path.exists(f"/sys/class/net/{name}"), 5)
            if os.path.exists(f"/sys/class/net/{name}"):
                subprocess.run(["ip", "link", "del", name], capture_output=True, check=False)


def try_namespaces(cluster):
    """Makes the namespaces; the reason when that is not possible."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    for program in ("ip", "nsenter", "unshare"):
        if not shutil.which(program):
            return f"the program {program} is missing"
    wish = cluster.facts.get("group")
    free = [wish] if wish is not None else [k for k in range(1, 250) if k not in groups_in_use()]
    reason = "all of 127.77.0.0/16 is in use"
    for group in free[:3]:
        try:
            cluster.facts["group"] = group
            build(cluster, group)
            return None
        except Problem as problem:
            reason = str(problem)
            remove(cluster)
    if wish is None:
        del cluster.facts["group"]
    return reason


def up(cluster, wish):
    """Makes what is missing of the network. `wish` is namespaces, loopback or auto, and counts at the first time."""
    chosen = cluster.facts.get("network")
    if chosen == "loopback" or (chosen == "namespaces" and all(holder(node) for node in cluster.nodes)):
        return
    if chosen is None and wish == "loopback":
        cluster.facts.update(network="loopback", networkReason="asked for")
        return
    if chosen == "namespaces":
        remove(cluster)
    reason = try_namespaces(cluster)
    if reason and (chosen == "namespaces" or wish == "namespaces"):
        raise Problem(f"no network namespaces: {reason}")
    if reason:
        cluster.facts.update(network="loopback", networkReason=reason)
        return
    cluster.facts.update(network="namespaces", cuts=[])
    for node in cluster.nodes:
        node.record["address"] = address(cluster.facts["group"], node.number)


def need_cuts(cluster):
    if cluster.facts["network"] != "namespaces":
        raise Problem(f"this cluster is on plain loopback ({cluster.facts['networkReason']}); {NO_CUTS}", EXIT_NO_CUTS)


def set_link(cluster, one, other, lladdr=None):
    run_ip([neighbour(cluster.facts["group"], one.number, other.number, lladdr)], enter(one))


def cut(cluster, one, other, one_way=False):
    """Nothing arrives any more from `one` at `other`, nor back unless one_way."""
    need_cuts(cluster)
    for a, b in ((one, other),) if one_way else ((one, other), (other, one)):
        set_link(cluster, a, b, NOWHERE)
        if [a.name, b.name] not in cluster.facts["cuts"]:
            cluster.facts["cuts"].append([a.name, b.name])


def heal(cluster):
    need_cuts(cluster)
    for a, b in cluster.facts["cuts"]:
        set_link(cluster, cluster.node(a), cluster.node(b))
    cluster.facts["cuts"] = []
