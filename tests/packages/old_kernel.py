#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""old_kernel.py PROGRAM ARGUMENTS... — the program on a kernel that has no call of Linux 3.14 or later: none of
sched_setattr, renameat2, seccomp, getrandom, memfd_create, membarrier, copy_file_range, statx, rseq, io_uring, pidfd,
clone3, openat2, close_range, faccessat2, landlock. Such calls have the numbers from 314; each gets ENOSYS."""
import ctypes
import os
import struct
import sys

FIRST_NEW, ENOSYS = 314, 38
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, AT_LEAST, RETURN = 0x20, 0x35, 0x06
ERRNO, ALLOW = 0x00050000, 0x7fff0000


def line(code, when, otherwise, k):
    return struct.pack("HBBI", code, when, otherwise, k)


def main():
    lines = (line(LOAD, 0, 0, 0) + line(AT_LEAST, 0, 1, FIRST_NEW) + line(RETURN, 0, 0, ERRNO | ENOSYS)
             + line(RETURN, 0, 0, ALLOW))
    room = ctypes.create_string_buffer(lines, len(lines))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines) // 8, ctypes.addressof(room)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0):
        sys.exit("old_kernel: " + os.strerror(ctypes.get_errno()))
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
