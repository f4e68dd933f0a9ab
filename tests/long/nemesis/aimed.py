# SPDX-License-Identifier: MIT
"""Faults that aim at one sentence of the commit rule: moments that faults drawn by chance rarely meet."""
import importlib.util
import os
import signal
import time
import types

import psycopg2

from cluster_under_test import ROOT, Failed

SEPARATED_S = 1.0               # standbys hear nothing; after wal_sender_timeout, 3 s, none might be promoted
ELECTION_S = 40
OVER_S = 8                      # for another node to lead


def load_process():
    """tools/cluster.d/process.py under a name of its own."""
    path = os.path.join(ROOT, "tools", "cluster.d", "process.py")
    about = importlib.util.spec_from_file_location("cluster_process", path)
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


process = load_process()


def node_of(cluster, name):
    """A node as process.py takes it."""
    folder = os.path.realpath(cluster.folder)
    return types.SimpleNamespace(cluster=types.SimpleNamespace(folder=folder), name=name,
                                 folder=lambda part: os.path.join(folder, name, part))


def walreceivers(cluster, name):
    return [pid for pid in process.find(node_of(cluster, name), "postgres")
            if b"walreceiver" in process.read(f"/proc/{pid}/cmdline")]


def connect(cluster):
    """The primary, as the writer of the log: it may look at its own sessions and cancel their statements."""
    try:
        connection = psycopg2.connect(cluster.about["log"]["writer"], target_session_attrs="read-write",
                                      connect_timeout=3)
        connection.autocommit = True
        return connection
    except psycopg2.Error as error:
        raise Failed(f"the primary cannot be reached: {error}") from None


def column(connection, statement):
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return [row[0] for row in cursor.fetchall()]
    except psycopg2.Error as error:
        raise Failed(f"the primary does not answer: {error}") from None


WAITING = "FROM pg_stat_activity WHERE application_name = 'dojima log' AND wait_event = 'SyncRep'"
APPENDING = ("SELECT pid FROM pg_stat_activity WHERE application_name = 'dojima log' "
             "AND query ~ 'INSERT INTO dojima.log|dojima_waited' ORDER BY query_start DESC LIMIT 1")
IDLE = "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = "


def lose_unconfirmed(cluster, _dice):
    """The standbys hear nothing for a while, the waits of commits are broken off with a warning, so that the rows can
    be read on the primary alone; then the primary dies, and a standby is promoted that never had these rows."""
    primary = cluster.primary()
    deaf = [pid for name in cluster.others(primary) for pid in walreceivers(cluster, name)]
    connection = connect(cluster)
    try:
        process.send(deaf, signal.SIGSTOP)
        until, broken = time.monotonic() + SEPARATED_S, 0
        while time.monotonic() < until:
            broken += len(column(connection, "SELECT pg_cancel_backend(pid) " + WAITING))
            time.sleep(0.03)
        time.sleep(SEPARATED_S / 2)                     # followers look for rows once more
        process.kill(node_of(cluster, primary), "postgres")
    finally:
        process.send(deaf, signal.SIGTERM)              # what arrived for them meanwhile is never read
        process.send(deaf, signal.SIGCONT)
        connection.close()
    promoted = wait_for_primary(cluster, primary)
    return f"broke off {broken} commits and killed the primary {primary}; {promoted or 'none'} was promoted"


def wait_for_primary(cluster, former):
    until = time.monotonic() + ELECTION_S
    while time.monotonic() < until:
        for node in cluster.status()["nodes"]:
            if node["name"] != former and node["postgres"].get("role") == "primary":
                return node["name"]
        time.sleep(0.2)
    return None


def stop_between_appends(connection, tries=60):
    """Stops the process of the database that appends for the leader, between two INSERTs: in the middle of one it would
    keep the row's number, and no fence could get it. Its pid, in a list."""
    backends = column(connection, APPENDING)
    for _ in range(tries if backends else 0):
        process.send(backends, signal.SIGSTOP)
        if column(connection, IDLE + str(backends[0])) == [True]:
            return backends
        process.send(backends, signal.SIGCONT)
        time.sleep(0.005)
    return []


def stall_append(cluster, _dice):
    """The leader's INSERT does not get a turn in the database while another node takes the lead; the leader stands
    still too, so it finds the late answer first of all. The INSERT must have been fenced."""
    leader, connection = cluster.leader(), connect(cluster)
    exchange, backends = node_of(cluster, leader), []
    try:
        backends = stop_between_appends(connection)
        if not backends:
            raise Failed("the append was never between two")
        time.sleep(0.3)                                 # clients write meanwhile: an INSERT is on its way
        process.pause(exchange, "exchange")
        until, follower = time.monotonic() + OVER_S, None
        while follower is None and time.monotonic() < until:
            time.sleep(0.05)
            leads = [name for name in cluster.others(leader) if cluster.ready(name).get("role") == "leader"]
            follower = leads[0] if leads else None
    finally:
        connection.close()
        process.send(backends, signal.SIGCONT)
        time.sleep(0.3)
        process.resume(exchange, "exchange")
    return f"stalled an append of {leader} until {follower or 'nobody'} led"


def cut_follower(cluster, dice):
    """Exchange from exchange only: neither of the two nodes has the primary, so both reach the log."""
    primary = cluster.primary()
    if cluster.leader() == primary:
        cluster.tool("handover", dice.choice(cluster.others(primary)))
    leader = cluster.leader()
    follower = next(name for name in cluster.names if name not in (leader, primary))
    cluster.tool("cut", leader, follower)
    return f"cut the follower {follower} from the leader {leader}; the primary is {primary}"
