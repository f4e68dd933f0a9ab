# SPDX-License-Identifier: MIT
"""examples/testcontainers against Podman's interface, with the image of dist/dojima-oci.tar: in Python, and with
CONTAINERS=all in Java and Go too, which fetch and compile for minutes. Skipped where tools are missing."""
import os
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import made, needed                                                   # noqa: E402
from harness import ROOT, Case, Folder, main                                      # noqa: E402

EXAMPLES = os.path.join(ROOT, "examples", "testcontainers")
ALL = os.environ.get("CONTAINERS") == "all"


class Containers(Case):
    def setUp(self):
        needed(self, "podman")
        path = made(self, "dojima-oci.tar")
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        done = subprocess.run(["podman", "pull", "--quiet", f"docker-archive:{path}"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            self.skipTest("podman has no place for images: " + done.stderr.strip()[-200:])
        image = done.stdout.split()[-1]
        trial = subprocess.run(["podman", "run", "--rm", image, "version"], capture_output=True, check=False)
        if trial.returncode != 0:
            self.skipTest("no container runs here")
        name = f"localhost/dojima-test:{os.getpid()}"       # by a name: some would fetch what is named by its hash
        subprocess.run(["podman", "tag", image, name], check=True)
        self.addCleanup(subprocess.run, ["podman", "untag", image, name], check=False)
        place = os.path.join(self.folder.path, "podman.sock")
        self.environment = {**os.environ, "DOCKER_HOST": f"unix://{place}", "DOJIMA_IMAGE": name,
                            "TESTCONTAINERS_RYUK_DISABLED": "true", "TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1",
                            "TESTCONTAINERS_CONNECTION_MODE": "docker_host"}
        service = subprocess.Popen(["podman", "system", "service", "--time", "600", f"unix://{place}"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(service.wait)
        self.addCleanup(service.kill)
        for _ in range(100):
            if os.path.exists(place):
                break
            time.sleep(0.1)

    def copied(self, name):
        """The example in a place of its own: its tools write beside it."""
        return shutil.copytree(os.path.join(EXAMPLES, name), os.path.join(self.folder.path, name),
                               ignore=shutil.ignore_patterns("target", "__pycache__", ".pytest_cache"))

    def passes(self, folder, *words):
        done = subprocess.run(words, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=900)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        return done.stdout

    def test_python(self):
        folder, place = self.copied("python"), os.path.join(self.folder.path, "venv")
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        done = subprocess.run([f"{place}/bin/pip", "-q", "install", "-r", "requirements.txt"], cwd=folder,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("pip cannot install testcontainers: " + done.stderr.strip()[-200:])
        self.assertIn("2 passed", self.passes(folder, f"{place}/bin/pytest", "-q"))

    @unittest.skipUnless(ALL, "only with CONTAINERS=all")
    def test_java(self):
        self.passes(self.copied("java"), needed(self, "mvn"), "-q", "-B", "test")

    @unittest.skipUnless(ALL, "only with CONTAINERS=all")
    def test_go(self):
        self.passes(self.copied("go"), needed(self, "go"), "test", "./...")


if __name__ == "__main__":
    main()
