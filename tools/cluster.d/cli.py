# SPDX-License-Identifier: MIT
"""The command line of tools/cluster."""
import argparse
import os
import signal
import subprocess
import sys

import layout
import lifecycle
import network
import process
import status
from layout import EXIT_MISSING, EXIT_USAGE, PARTS, Problem, usage

BINARY = os.path.join(layout.ROOT, "build", "release", "dojima")
ACCOUNTS_MAX = 5000
ABOUT = """Three nodes on this machine: etcd, PostgreSQL under Patroni with quorum commit, and an exchange on each.

exit codes: 0 done; 1 it failed; 2 wrong usage (unknown node or part, a DIR that is no cluster, a port that is taken);
3 this cluster is on plain loopback, where links cannot be cut; 4 a needed program is not installed"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise usage(f"{message} (see tools/cluster --help)")


def build_parser():
    parser = Parser(prog="tools/cluster", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def add(name, text, *words):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("dir", metavar="DIR", help="the cluster's folder")
        for word in words:
            command.add_argument(word.lower(), metavar=word)
        return command

    up = add("up", "start what is not running; a new DIR becomes a cluster")
    up.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    up.add_argument("--nodes", type=int, metavar="N", help="3 when not given; only for a new DIR")
    up.add_argument("--market", choices=("calm", "none"),
                    help="calm (when not given): feeders post index prices that move a little; none: no feeders")
    up.add_argument("--accounts", type=int, metavar="N", help="so many more funded accounts; only for a new DIR")
    up.add_argument("--binary", metavar="FILE", help="the program; build/release/dojima when not given")
    up.add_argument("--network", choices=("auto", "namespaces", "loopback"), default="auto",
                    help="auto: one network namespace per node where that is permitted, else plain loopback")
    up.add_argument("--limits", action="store_true", help="with request limits; only for a new DIR")
    up.add_argument("--without-exchanges", action="store_true", help="etcd and PostgreSQL only; only for a new DIR")
    add("status", "what is up: roles, terms, sequences, state hashes").add_argument("--json", action="store_true")
    parts = "|".join(PARTS)
    add("kill", f"SIGKILL to all processes of a part: {parts}", "NODE", "PART")
    add("start", "start a part that is down", "NODE", "PART")
    add("pause", "SIGSTOP to all processes of a part", "NODE", "PART")
    add("resume", "SIGCONT to them", "NODE", "PART")
    add("cut", "nothing passes any more between two nodes", "A", "B") \
        .add_argument("--one-way", action="store_true", help="only from A to B")
    add("heal", "undo all cuts")
    add("handover", "make NODE the leader, as planned work", "NODE")
    add("down", "end all processes; the data stays")
    return parser


def say(text):
    print(text, file=sys.stderr, flush=True)


def need_programs():
    lacking = layout.missing_programs()
    if lacking:
        raise Problem(f"not installed: {', '.join(lacking)} (tools/setup test installs them)", EXIT_MISSING)


def chosen(options):
    """The cluster for `up`: that of the folder, or a new one."""
    binary = os.path.realpath(options.binary or BINARY)
    exchanges = not options.without_exchanges
    if layout.exists(options.dir):
        cluster = layout.read(options.dir)
        if options.nodes not in (None, len(cluster.nodes)):
            raise usage(f"this cluster has {len(cluster.nodes)} nodes, and that does not change")
        if options.limits or options.accounts or (options.without_exchanges and cluster.facts["exchanges"]):
            raise usage("--limits, --accounts and --without-exchanges are for a new DIR only")
        exchanges = cluster.facts["exchanges"]
        cluster.facts["binary"] = binary if options.binary else cluster.facts["binary"]
        cluster.facts["market"] = options.market or cluster.facts["market"]
    else:
        if not 0 <= (options.accounts or 0) <= ACCOUNTS_MAX:
            raise usage(f"--accounts {options.accounts}: from 0 to {ACCOUNTS_MAX}")
        cluster = layout.make(options.dir, options.nodes if options.nodes is not None else 3, binary=binary,
                              market=options.market or "calm", exchanges=exchanges, limits=options.limits,
                              moreAccounts=options.accounts or 0, preload=None, cuts=[])
    cluster.facts["preload"] = os.environ.get("CLUSTER_PRELOAD") or cluster.facts["preload"]
    if exchanges and not os.access(cluster.facts["binary"], os.X_OK):
        raise usage(f"no program at {cluster.facts['binary']}: build it (./run builds it), or name it with --binary")
    return cluster


def do_up(options):
    need_programs()
    cluster = chosen(options)
    with layout.lock(cluster.folder):
        cluster.save()
        for node in cluster.nodes:
            os.makedirs(os.path.join(cluster.folder, node.name), exist_ok=True)
        lifecycle.up(cluster, options.network, say)
    show(cluster, options.json, with_accounts=True)


def show(cluster, as_json, with_accounts=False):
    found = status.collect(cluster)
    if as_json:
        print(status.to_json(found))
        return
    print(status.table(cluster, found))
    if with_accounts and found["accounts"]:
        print("accounts (public keys of play money):")
        for account in found["accounts"]:
            print(f"  {account['accountID']}  {account['address']}  {account['privateKey']}")


def do_status(options):
    show(layout.read(options.dir), options.json)


def part_of(options):
    cluster = layout.read(options.dir)
    node = cluster.node(options.node)
    known = [part for part in PARTS if part in lifecycle.wanted(cluster)]
    if options.part not in known:
        raise usage(f"there is no part {options.part} here; the parts are {', '.join(known)}")
    return node, options.part


def do_kill(options):
    node, part = part_of(options)
    if process.kill(node, part) == 0:
        raise usage(f"{part} of {node.name} is not running")


def do_start(options):
    need_programs()
    node, part = part_of(options)
    with layout.lock(options.dir):
        lifecycle.start_part(node.cluster, node, part)


def do_pause(options):
    node, part = part_of(options)
    if process.condition(node, part) == "down":
        raise usage(f"{part} of {node.name} is not running")
    if not process.pause(node, part):
        raise Problem(f"not all processes of {part} of {node.name} could be stopped")


def do_resume(options):
    node, part = part_of(options)
    if process.condition(node, part) == "down":
        raise usage(f"{part} of {node.name} is not running")
    process.resume(node, part)


def do_cut(options):
    with layout.lock(layout.read(options.dir).folder):
        cluster = layout.read(options.dir)
        one, other = cluster.node(options.a), cluster.node(options.b)
        if one is other:
            raise usage("a cut is between two different nodes")
        network.cut(cluster, one, other, options.one_way)
        cluster.save()


def do_heal(options):
    with layout.lock(layout.read(options.dir).folder):
        cluster = layout.read(options.dir)
        network.heal(cluster)
        cluster.save()


def do_handover(options):
    cluster = layout.read(options.dir)
    node = cluster.node(options.node)
    if not cluster.facts["exchanges"]:
        raise usage("this cluster has no exchanges")
    leader = next((cluster.node(one["name"]) for one in status.collect(cluster)["nodes"] if one["role"] == "leader"),
                  None)
    if leader is None:
        raise Problem("no exchange leads at the moment; tools/cluster status tells more")
    if leader is node:
        raise usage(f"{node.name} leads already")
    argv = [cluster.facts["binary"], "handover", "--data", leader.folder("exchange") + "/data", "--to", node.name]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise Problem(f"dojima handover: {(done.stderr.strip() or f'exit {done.returncode}').splitlines()[-1]}")
    if done.stdout.strip():
        print(done.stdout.strip())


def do_down(options):
    cluster = layout.read(options.dir)
    with layout.lock(cluster.folder):
        lifecycle.down(layout.read(options.dir), say)


COMMANDS = {"up": do_up, "status": do_status, "kill": do_kill, "start": do_start, "pause": do_pause,
            "resume": do_resume, "cut": do_cut, "heal": do_heal, "handover": do_handover, "down": do_down}


def interrupted(_number, _frame):
    raise Problem("interrupted")


def main(words):
    """Runs one command; its exit code."""
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    try:
        options = build_parser().parse_args(words)
        COMMANDS[options.command](options)
        return 0
    except Problem as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return problem.code
    except BrokenPipeError:
        return EXIT_USAGE
