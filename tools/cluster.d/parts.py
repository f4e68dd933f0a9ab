# SPDX-License-Identifier: MIT
"""What runs on a node: etcd, PostgreSQL under Patroni, the exchange, and a feeder of index prices for trying out.

Each part has a function that writes its files and starts it. The settings of PostgreSQL and Patroni are those of
ops/cluster, with less memory.
"""
import functools
import json
import os
import pwd
import re
import shutil
import subprocess
import sys

import genesis
import network
import process
from layout import Problem, postgres_folder, private

# Time without writes after the death of the primary's machine: at most ttl, and what the promotion takes.
# loop_wait + 2 * retry_timeout must not exceed ttl. Patroni 3.2 and later raise ttl to 20.
PATRONI_TIMES = {"ttl": 8, "loop_wait": 2, "retry_timeout": 3}


def account():
    """The user PostgreSQL runs as: ours, or `postgres` when we are root, as which it refuses to run."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        raise Problem("PostgreSQL does not run as root, and there is no user postgres") from None


def start_etcd(node):
    os.makedirs(node.folder("etcd"), exist_ok=True)
    cluster = node.cluster
    peers = ",".join(f"{other.name}={other.url('etcdPeer')}" for other in cluster.nodes)
    argv = [shutil.which("etcd"), "--name", node.name, "--data-dir", node.folder("etcd") + "/data",
            "--listen-client-urls", node.url("etcd"), "--advertise-client-urls", node.url("etcd"),
            "--listen-peer-urls", node.url("etcdPeer"), "--initial-advertise-peer-urls", node.url("etcdPeer"),
            "--initial-cluster", peers, "--initial-cluster-state", "new",
            "--initial-cluster-token", cluster.facts["token"], "--heartbeat-interval", "100",
            "--election-timeout", "1000", "--auto-compaction-retention", "1", "--log-level", "warn"]
    argv += ["--enable-v2=true"] if needs_etcd_v2() else []
    # Elections measure time: where cores are short, etcd goes first. `nice` runs it anyhow where that is not permitted.
    return process.spawn(node, "etcd", [*network.enter(node), "nice", "-n", "-10", *argv], extra={"GOMAXPROCS": "2"})


def database_settings():
    """Small, and never less durable than the real thing."""
    return {"synchronous_commit": "on", "fsync": "on", "full_page_writes": "on", "wal_level": "replica",
            "shared_buffers": "16MB", "max_connections": 40, "max_wal_senders": 8, "max_replication_slots": 8,
            "max_worker_processes": 4, "max_parallel_workers": 0, "wal_keep_size": "128MB", "min_wal_size": "32MB",
            "max_wal_size": "512MB", "hot_standby": "on", "wal_log_hints": "on", "jit": "off",
            "wal_sender_timeout": "3s", "wal_receiver_timeout": "3s", "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms", "tcp_keepalives_idle": 2, "tcp_keepalives_interval": 1,
            "tcp_keepalives_count": 3, "tcp_user_timeout": "3s", "unix_socket_directories": "",
            "shared_memory_type": "mmap", "dynamic_shared_memory_type": "mmap", "statement_timeout": 0,
            "log_min_messages": "warning", "lc_messages": "C"}


@functools.lru_cache(maxsize=1)
def patroni_version():
    """As (major, minor)."""
    text = subprocess.run(["patroni", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.(\d+)", text)
    if not found:
        raise Problem("patroni --version says no version")
    return int(found[1]), int(found[2])


def needs_etcd_v2():
    """Before 3.1 Patroni's etcd3 puts the leader key without a comparison when its lease is over: a primary that was
    paused or cut off takes the lead back, and what the new one acknowledged is lost. Its version 2 compares."""
    return patroni_version() < (3, 1)


def patroni_file(node):
    """Patroni's configuration; JSON is YAML too."""
    cluster = node.cluster
    login = {name: {"username": name, "password": cluster.password(name)} for name in ("postgres", "replication")}
    access = ["host replication replication 127.0.0.0/8 scram-sha-256", "host all all 127.0.0.0/8 scram-sha-256"]
    folder = node.folder("postgres")
    dcs = {**PATRONI_TIMES, "primary_start_timeout": 0, "maximum_lag_on_failover": 1048576, "failsafe_mode": True,
           "synchronous_mode": "quorum" if patroni_version() >= (4, 0) else True, "synchronous_mode_strict": True,
           "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": database_settings()}}
    return {"scope": "dojima", "namespace": f"/{cluster.facts['token']}/", "name": node.name,
            "restapi": {"listen": node.at("patroni"), "connect_address": node.at("patroni")},
            "etcd" if needs_etcd_v2() else "etcd3": {"hosts": [other.at("etcd") for other in cluster.nodes]},
            "bootstrap": {"dcs": dcs, "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
                          "pg_hba": access},
            "postgresql": {"listen": node.at("postgres"), "connect_address": node.at("postgres"),
                           "data_dir": folder + "/data", "bin_dir": postgres_folder(), "pgpass": folder + "/pgpass",
                           "authentication": {"superuser": login["postgres"], "replication": login["replication"]},
                           "pg_hba": access, "parameters": {"unix_socket_directories": ""},
                           "remove_data_directory_on_rewind_failure": True,
                           "remove_data_directory_on_diverged_timelines": True},
            "watchdog": {"mode": "off"}, "tags": {"nofailover": False, "clonefrom": False}}


def as_user(user, folder):
    """The words that change to a user. One who may not enter the folder, because a folder above it is closed, gets the
    right to pass all folders; root starts it, so there is nothing that the caller could not do."""
    words = ["setpriv", "--reuid", user.pw_name, "--regid", str(user.pw_gid), "--clear-groups"]
    for right in ((), ("dac_read_search",), ("dac_override",)):
        given = [word for name in right for word in (f"--inh-caps=+{name}", f"--ambient-caps=+{name}")]
        done = subprocess.run([*words, *given, "ls", folder + "/."], capture_output=True, check=False)
        if done.returncode == 0:
            return words + given
    raise Problem(f"the user {user.pw_name}, as whom PostgreSQL runs, cannot enter {folder}; name another folder")


def start_postgres(node):
    folder, user = node.folder("postgres"), account()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "patroni.yml")
    with open(path, "w", opener=private) as file:
        json.dump(patroni_file(node), file, indent=1)
    become = []
    if user:
        for name in (folder, path):
            os.chown(name, user.pw_uid, user.pw_gid)
        become = as_user(user, folder)
    more = preload(node, "postgres")
    watched = [sys.executable, "-B", os.path.join(os.path.dirname(os.path.realpath(__file__)), "supervise.py"),
               node.cluster.folder, node.name, "--"]
    return process.spawn(node, "postgres", network.enter(node) + watched + become + [shutil.which("patroni"), path],
                         extra={"PATH": postgres_folder() + ":" + os.environ.get("PATH", "/usr/bin:/bin"),
                                "PYTHONDONTWRITEBYTECODE": "1", **more})


def free_shared_memory(node):
    """A killed PostgreSQL leaves its interlock segment of 56 bytes; the server's next start or this removes it."""
    lines = process.read(os.path.join(node.folder("postgres"), "data", "postmaster.pid")).split(b"\n")
    words = lines[6].split() if len(lines) > 6 else []
    if len(words) != 2:
        return
    for line in process.read("/proc/sysvipc/shm").splitlines()[1:]:
        fields = line.split()
        if fields[:2] == words and fields[6] == b"0":
            subprocess.run(["ipcrm", "-m", words[1].decode()], capture_output=True, check=False)


def preload(node, part):
    """For tests: CLUSTER_PRELOAD at `up` names a library that disturbs a part's files and clock, as the file of faults
    says: 4 KiB of zeros at first, which every process of the part may open."""
    library = node.cluster.facts.get("preload")
    if not library:
        return {}
    path = os.path.join(node.cluster.folder, node.name, part + ".faults")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(bytes(4096))
        os.chmod(path, 0o666)
    return {"LD_PRELOAD": library, "FAULTS_FILE": path}


def start_exchange(node):
    os.makedirs(node.folder("exchange"), mode=0o700, exist_ok=True)
    genesis.write(node)
    argv = [node.cluster.facts["binary"], "serve", "--config", node.folder("exchange") + "/dojima.conf"]
    return process.spawn(node, "exchange", network.enter(node) + argv,
                         extra={**os.environ, **preload(node, "exchange")})


def start_feeder(node):
    """Index prices that move a little, posted with a development account's key."""
    os.makedirs(node.folder("feeder"), mode=0o700, exist_ok=True)
    key = os.path.join(node.folder("feeder"), "key")
    with open(key, "w", opener=private) as file:
        file.write(genesis.feeder(node)[1] + "\n")
    prices = os.path.join(os.path.dirname(os.path.realpath(__file__)), "prices.py")
    argv = [node.cluster.facts["binary"], "oracle", "--to", node.url(), "--key", key, "--every", "2",
            "--command", f"{sys.executable} {prices}"]
    return process.spawn(node, "feeder", network.enter(node) + argv)


START = {"etcd": start_etcd, "postgres": start_postgres, "exchange": start_exchange, "feeder": start_feeder}
