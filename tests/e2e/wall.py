# SPDX-License-Identifier: MIT
"""The clocks of a program, set by the test (wall_clock.c)."""
import os
import struct
import time

from harness import BINARY, INSTRUMENTED

LIBRARY = os.environ.get("WALL_CLOCK_LIBRARY",
                         os.path.join(os.path.dirname(BINARY), "tests", "e2e", "libwall_clock.so"))


class Wall:
    """The clocks as programs started with `wrapper` see them."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "wall")
        self.ahead = self.monotonic = 0
        self.write()
        self.wrapper = ["env", f"LD_PRELOAD={LIBRARY}", f"WALL_CLOCK={self.path}"]

    def write(self, frozen=0):
        data = struct.pack("<qqq", self.ahead, frozen, self.monotonic)
        with open(self.path, "r+b" if os.path.exists(self.path) else "w+b") as file:
            file.write(data)

    def step(self, ms):
        self.ahead += ms
        self.write()

    def pass_by(self, ms):
        """Both clocks are set forward: what they have measured until now happened that much earlier."""
        self.ahead += ms
        self.monotonic += ms
        self.write()

    def now(self):
        return int(time.time() * 1000) + self.ahead

    def at(self, ms):
        """The clock is set to that time, and runs from there."""
        self.ahead = ms - int(time.time() * 1000)
        self.write()

    def freeze(self, ms):
        """The clock shows that time and no other until it is set or stepped: how long a busy machine takes for what
        follows makes no difference."""
        self.write(frozen=ms)

    def wait_until(self, ms):
        time.sleep(max(0, ms - self.now()) / 1000)


class Minutes:
    """The clocks of a program that is started with `wrapper`, and waits for them: all but the last second of a wait is
    skipped. Where no library can be loaded before a sanitizer's, all of it passes."""

    def __init__(self, folder):
        self.wall = None if INSTRUMENTED else Wall(folder)
        self.wrapper = self.wall.wrapper if self.wall else ()

    def now(self):
        return time.monotonic() + (self.wall.monotonic / 1000 if self.wall else 0)

    def step(self, seconds):
        """So many are skipped. Where they cannot be, whoever asks again and again waits longer."""
        if self.wall:
            self.wall.pass_by(int(seconds * 1000))

    def wait_until(self, seconds):
        left = seconds - self.now()
        if self.wall and left > 1:
            self.wall.pass_by(int((left - 1) * 1000))
        time.sleep(max(0, seconds - self.now()))
