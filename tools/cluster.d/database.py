# SPDX-License-Identifier: MIT
"""The database of the log: made once, by PostgreSQL's administrator, before the first exchange starts."""
import os
import subprocess

import process
from layout import Problem, postgres_folder

DATABASE = "dojima"


def admin_url(cluster, database=DATABASE, any_server=False):
    """The administrator's URL; the server that accepts writes, or any one."""
    attributes = "any" if any_server else "read-write"
    return (f"postgres://postgres:{cluster.password('postgres')}@{cluster.hosts('postgres')}/{database}"
            f"?target_session_attrs={attributes}&connect_timeout=3")


def sql(url, statement, seconds=30):
    """The rows of a statement as text, a line each."""
    argv = [os.path.join(postgres_folder(), "psql"), "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", url, "-c",
            statement]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=seconds, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Problem(f"psql: no answer within {seconds} s to: {statement}") from None
    if done.returncode != 0:
        raise Problem(f"psql: {(done.stderr.strip() or 'failed').splitlines()[0]}")
    return done.stdout.strip()


def make(cluster):
    """The database; returns whether it had to be made."""
    server = admin_url(cluster, "postgres")
    if sql(server, f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'") == "1":
        return False
    sql(server, f"CREATE DATABASE {DATABASE}")
    return True


def wait_for_standbys(cluster, seconds=30):
    """Waits until every standby shows what the primary has now: a client that asks a standby first, and hears that
    there is no such database or role, asks no other server."""
    here = sql(admin_url(cluster, "postgres"), "SELECT pg_current_wal_lsn()")
    there = f"SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= '{here}'"

    def shown():
        return int(sql(admin_url(cluster, "postgres"), there)) >= len(cluster.nodes) - 1

    if not process.until(shown, seconds, 0.1):
        raise Problem("the standbys do not follow the primary")


def init_log(cluster):
    """`dojima init-log`: schema and roles; keeps the two URLs that it prints."""
    argv = [cluster.facts["binary"], "init-log", admin_url(cluster)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    urls = [word for word in done.stdout.split() if word.startswith("postgres")]
    if done.returncode != 0 or len(urls) != 2:
        last = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
        raise Problem(f"dojima init-log failed (exit {done.returncode}): {last}")
    cluster.facts["log"] = {"writer": urls[0], "reader": urls[1]}
    cluster.save()


def accepts_writes(cluster):
    """Whether the primary confirms a write with its quorum. No statement_timeout: its end would look like success."""
    try:
        sql(admin_url(cluster, "postgres"), "SELECT pg_logical_emit_message(true, 'dojima', 'quorum')", 5)
    except Problem:
        return False
    return True


def wait_for_quorum(cluster, seconds):
    if not process.until(lambda: accepts_writes(cluster), seconds, 0.25):
        raise Problem("PostgreSQL's primary has no quorum: a write is not confirmed")
