# SPDX-License-Identifier: MIT
"""Processes of a part: start, find, kill, pause, continue.

They outlive the command that starts them, so each command finds them anew in /proc.
"""
import os
import signal
import subprocess
import time

MARK = "DOJIMA_CLUSTER_PART"
POLL_SECONDS = 0.05
KEPT = ("PATH", "TZ", "LD_LIBRARY_PATH")


def mark(node, part):
    return f"{node.cluster.folder}:{node.name}:{part}"


def spawn(node, part, argv, folder=None, extra=None):
    """Starts a program as a part, in a session of its own; its output goes to PART.log. Returns its Popen."""
    folder = folder or node.folder(part)
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment.update({"LANG": "C.UTF-8", "HOME": folder, **(extra or {}), MARK: mark(node, part)})
    with open(os.path.join(node.cluster.folder, node.name, part + ".log"), "ab") as log:
        return subprocess.Popen(argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                start_new_session=True)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def state(pid):
    """The letter of /proc/PID/stat; Z and X count as gone."""
    text = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return text[0].decode() if text else "X"


def has_program(pid):
    """A thread of the kernel and a process that has ended have none."""
    try:
        os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    return True


def environment(pid):
    """NAME=VALUE of a process. Where it begins a program, which takes long on a busy machine, those of the program."""
    text = b""
    for _ in range(3):                                          # a program like `nice` begins another one
        text = read(f"/proc/{pid}/environ")
        if text or not has_program(pid):
            break
        until(lambda: read(f"/proc/{pid}/cmdline") or not has_program(pid), 1, 0.001)   # it has neither until then
    return text.split(b"\0")


def belongs(pid, wanted, data):
    """Whether a process has the part's mark, or is a PostgreSQL server that works in its data folder."""
    if wanted in environment(pid):
        return True
    try:
        return os.readlink(f"/proc/{pid}/cwd") == data and \
            os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "postgres"
    except OSError:
        return False


def find(node, part):
    """The living processes of a part, ascending."""
    wanted, data = f"{MARK}={mark(node, part)}".encode(), os.path.join(node.folder(part), "data")
    pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if pid != os.getpid() and belongs(pid, wanted, data) and state(pid) not in "ZX"]


def condition(node, part):
    """running, paused or down."""
    pids = find(node, part)
    if not pids:
        return "down"
    return "paused" if all(state(pid) in "Tt" for pid in pids) else "running"


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def until(done, seconds, step=POLL_SECONDS):
    """Whether done() became true in time."""
    deadline = time.monotonic() + seconds
    while True:
        found = done()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(step)


def kill(node, part):
    """SIGKILL to all processes of a part, again and again until none is left; returns how many there were."""
    first = find(node, part)

    def gone():
        left = find(node, part)
        send(left, signal.SIGKILL)
        return not left

    send(first, signal.SIGKILL)
    until(gone, 20)
    return len(first)


def pause(node, part):
    """SIGSTOP to all processes of a part, until the last one stands."""
    def stand():
        moving = [pid for pid in find(node, part) if state(pid) not in "Tt"]
        send(moving, signal.SIGSTOP)
        return not moving

    return until(stand, 20)


def resume(node, part):
    """SIGCONT; the youngest first, so that no parent finds a child that still stands."""
    send(reversed(find(node, part)), signal.SIGCONT)


def terminate(node, part):
    """SIGTERM to the part's program. PostgreSQL's own processes are ended by Patroni."""
    wanted = f"{MARK}={mark(node, part)}".encode()
    send([pid for pid in find(node, part) if wanted in environment(pid)], signal.SIGTERM)


def end(node, part, seconds):
    """Waits for the end and kills what is left then. Whether it ended by itself."""
    if until(lambda: not find(node, part), max(seconds, 0)):
        return True
    kill(node, part)
    return False
