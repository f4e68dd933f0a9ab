# SPDX-License-Identifier: MIT
"""Packages of the npm registry, in build/clients, for tests that run programs of Node."""
import json
import os
import shutil
import subprocess
import sys

from harness import ROOT


def install(what, name, *packages):
    """The folder build/clients/NAME with these packages ("viem@2"); without node, npm or the registry `what` is skipped
    with a message."""
    folder = os.path.join(ROOT, "build", "clients", name)

    def skip(why):
        print(f"SKIP {what}: {why}")
        sys.exit(77)

    if not shutil.which("node") or not shutil.which("npm"):
        skip("node and npm are not installed")
    if all(os.path.isdir(os.path.join(folder, "node_modules", package.split("@")[0])) for package in packages):
        return folder
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "package.json"), "w") as file:
        json.dump({"name": "clients", "private": True}, file)
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", *packages],
                              cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
    except subprocess.TimeoutExpired:
        shutil.rmtree(folder, ignore_errors=True)
        skip("the npm registry did not answer in time")
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        lines = [line for line in done.stdout.decode(errors="replace").splitlines() if "error" in line]
        skip(f"npm cannot install {' and '.join(packages)}: " + "; ".join(lines[:3]))
    return folder
