# SPDX-License-Identifier: MIT
"""The faults of the nemesis: each has a beginning, and all of them end together (Cluster.heal)."""
import aimed
from cluster_under_test import AHEAD_MS, FULL, SYNC_US

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


# ---- all of them

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
    "cut a follower from the leader": aimed.cut_follower,
    "handover": handover,
    "lose an unconfirmed commit": aimed.lose_unconfirmed,
    "stall an append": aimed.stall_append,
}
NEEDS_CUTS = {name for name in FAULTS if name.startswith("cut")}
