# SPDX-License-Identifier: MIT
"""An idle exchange writes at most one TICK a minute (ruling 28), of one block of disk each; a change is followed by a
TICK of its own second."""
import os
import sys
import time
import urllib.request

from clock import LIBRARY, Wall
from harness import INSTRUMENTED, ROOT, Case, Folder, Server, main, pools

BLOCK = 4096
STEP_MS, STEPS = 30_000, 20                   # ten minutes
FIGURES = ("dojima_log_records_total", "dojima_log_batches_total", "dojima_log_position_bytes")


def settings(folder):
    """A venue as in config/example.ini, whose index begins with its own spot books."""
    path = os.path.join(folder, "venue.ini")
    with open(os.path.join(ROOT, "config", "example.ini")) as stream:
        text = stream.read()
    for old, new in (("127.0.0.1:8080", "127.0.0.1:0"), ("[dojima]\n", "[dojima]\n" + pools()),
                     ("./dojima-data", os.path.join(folder, "data"))):
        text = text.replace(old, new, 1)
    with open(path, "w") as stream:
        stream.write(text)
    return path


def figures(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=20) as reply:
        lines = reply.read().decode().splitlines()
    return [int(float(line.split()[1])) for name in FIGURES for line in lines if line.split(" ")[0] == name]


class Idle(Case):
    def measure(self, server, wall):
        """The growth of the log in ten minutes: records, batches, bytes."""
        before = figures(server)
        for _ in range(STEPS):
            wall.step(STEP_MS)
            time.sleep(1.2)                     # the engine reads the wall clock once a second
        return [after - was for after, was in zip(figures(server), before)]

    def test_it_writes_two_blocks_a_minute(self):
        with Folder() as folder:
            wall = Wall(folder)
            with Server("--config", settings(folder), command="serve", json_banner=False,
                        wrapper=wall.wrapper) as server:
                server.wait_for_port()
                time.sleep(2.5)                 # commands of the start
                records, batches, written = self.measure(server, wall)
                minutes = STEPS * STEP_MS // 60_000
                print(f"idle: {records} records, {batches} batches, {written} bytes in {minutes} minutes: "
                      f"{written / minutes * 1440 / 1e6:.1f} MB a day", flush=True)
                self.assertGreaterEqual(records, minutes - 1)
                self.assertLessEqual(records, minutes + 2)
                self.assertLessEqual(batches, 2 * records)
                self.assertLessEqual(written, batches * BLOCK)


if __name__ == "__main__":
    if INSTRUMENTED or not os.path.exists(LIBRARY):
        print("skipped: a sanitizer's library and the clock's do not go together")
        sys.exit(77)
    main()
