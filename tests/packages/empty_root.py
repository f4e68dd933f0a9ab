#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""empty_root.py ROOT DATA PROGRAM ARGUMENTS... — the program with ROOT as a root that cannot be written, DATA as its
/data, as a user without rights, without /proc, /dev and /tmp; of the variables of this process it gets DOJIMA_LISTEN,
TMPDIR, PATH and HOME. It takes the place of this process, so that signals reach it. It uses the machine's network."""
import ctypes
import os
import sys

USER = 10001
NEW_NAMESPACES = 0x10000000 | 0x00020000                                          # CLONE_NEWUSER, CLONE_NEWNS
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18
CANNOT = 77
libc = ctypes.CDLL(None, use_errno=True)


def ask(call, *arguments):
    if call(*arguments) != 0:
        sys.stderr.write(f"empty_root: {call.__name__}: {os.strerror(ctypes.get_errno())}\n")
        sys.exit(CANNOT)


def mount(source, target, flags):
    ask(libc.mount, source and source.encode(), target.encode(), None, ctypes.c_ulong(flags), None)


def put(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def main(root, data, program, *arguments):
    user, group = os.getuid(), os.getgid()
    ask(libc.unshare, NEW_NAMESPACES)
    put("/proc/self/setgroups", "deny")
    put("/proc/self/uid_map", f"{USER} {user} 1")
    put("/proc/self/gid_map", f"{USER} {group} 1")
    mount(None, "/", RECURSIVE | PRIVATE)
    mount(root, root, BIND)
    mount(data, os.path.join(root, "data"), BIND)
    mount(root, root, BIND | REMOUNT | READ_ONLY)
    os.chroot(root)
    os.chdir("/")
    kept = {name: os.environ[name] for name in ("DOJIMA_LISTEN", "TMPDIR", "PATH", "HOME") if name in os.environ}
    os.execve(program, [program, *arguments], kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
