# SPDX-License-Identifier: MIT
"""The go command, for tests that build a client with it, or the reason why there is none."""
import glob
import os
import re
import shutil
import subprocess
import sys


NEEDED = (1, 24)


def version_of(program):
    found = re.search(r"go(\d+)\.(\d+)",
                      subprocess.run([program, "version"], stdout=subprocess.PIPE, timeout=60).stdout.decode())
    return (int(found[1]), int(found[2])) if found else (0, 0)


def programs():
    """The go of the PATH, then those of Debian's packages golang-*-go, which it does not lead to."""
    return [found for found in (shutil.which("go"), *glob.glob("/usr/lib/go-*/bin/go")) if found]


class Go:
    def __init__(self, folder, what):
        """`what` is skipped where there is no Go of 1.24 or newer."""
        self.folder, self.what = folder, what
        found = {program: version_of(program) for program in programs()}
        self.program = next((program for program, version in found.items() if version >= NEEDED), None)
        if not found:
            self.skip("go is not installed")
        if not self.program:
            self.skip("go 1.24 or newer is needed, this is " + ", ".join(f"{a}.{b}" for a, b in found.values()))

    def skip(self, why):
        print(f"SKIP {self.what}: {why}")
        sys.exit(77)

    def run(self, *args):
        try:
            return subprocess.run([self.program, *args], cwd=self.folder, timeout=240,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})
        except subprocess.TimeoutExpired:
            self.skip("the module proxy did not answer in time")

    def fetch(self, module):
        """A failed download is a skip; a failed build or run is a failure."""
        fetched = self.run("mod", "download", module)
        if fetched.returncode:
            self.skip(f"{module} cannot be fetched: " + " ".join(fetched.stdout.decode(errors="replace").split())[:300])

    def build(self, target, package):
        built = self.run("build", "-tags", "compat", "-o", target, package)
        if built.returncode:
            raise SystemExit(f"{package} does not build:\n" + built.stdout.decode(errors="replace"))
