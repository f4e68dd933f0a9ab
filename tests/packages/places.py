# SPDX-License-Identifier: MIT
"""What tests of packages have in common: what is in dist/, an empty root, a trade."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
from harness import ROOT, Server, order                                           # noqa: E402

def made(case, name):
    """A file that tools/package has made."""
    path = os.path.join(ROOT, "dist", name)
    if not os.path.exists(path):
        case.skipTest(f"there is no dist/{name}: tools/package makes it")
    return path


def needed(case, program):
    return shutil.which(program) or case.skipTest(f"no {program}: tools/setup package installs it")


def copy_tree(case, into, built):
    """The files of git as they are here, and links to `built`: what was made or fetched before."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        case.skipTest("no git here")
    for name in filter(None, listed.stdout.split("\0")):
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(into, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(into, name))
    if os.path.exists(os.path.join(ROOT, ".git")):
        os.symlink(os.path.join(ROOT, ".git"), os.path.join(into, ".git"))
    for name in built:
        if os.path.exists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(into, name)), exist_ok=True)
            os.symlink(os.path.join(ROOT, name), os.path.join(into, name))


def empty_root(case, root, data, program):
    """Words that run a program with `root` as its root (empty_root.py)."""
    words = (sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "empty_root.py"), root, data)
    done = subprocess.run([*words, program, "version"], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 77:
        case.skipTest("no namespaces here: " + done.stderr.strip())
    case.assertEqual((done.returncode, done.stderr), (0, ""))
    return words


def trade(case, server):
    """A sell order, an order that takes it, and both fills."""
    seller, buyer = server.accounts()[:2]
    mark = time.time_ns() // 1000
    case.items_ok(seller.place(order(f"s{mark}", 2, "100000", "0.01")))
    case.items_ok(buyer.place(order(f"b{mark}", 1, "100000", "0.01")))
    case.assertEqual([one["status"] for one in buyer.history()][:1], ["FILLED"])
    case.assertEqual(seller.open_orders(), [])

