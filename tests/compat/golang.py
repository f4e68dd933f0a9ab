# SPDX-License-Identifier: MIT
"""The go command, for tests that build a client with it, or the reason why there is none."""
import os
import re
import shutil
import subprocess
import sys


class Go:
    def __init__(self, folder, what):
        """`what` is skipped where there is no Go of 1.24 or newer."""
        self.folder, self.what = folder, what
        if not shutil.which("go"):
            self.skip("go is not installed")
        version = re.search(r"go(\d+)\.(\d+)",
                            subprocess.run(["go", "version"], stdout=subprocess.PIPE, timeout=60).stdout.decode())
        if not version or (int(version[1]), int(version[2])) < (1, 24):
            self.skip(f"go 1.24 or newer is needed, this is {version[0] if version else 'unknown'}")

    def skip(self, why):
        print(f"SKIP {self.what}: {why}")
        sys.exit(77)

    def run(self, *args):
        try:
            return subprocess.run(["go", *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=240,
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
