# SPDX-License-Identifier: MIT
"""The program in one file and the Debian packages are the same, to the byte, when the same commit is built in another
folder."""
import glob
import hashlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import ROOT, copy_tree, made                                          # noqa: E402
from harness import Case, Folder, main                                            # noqa: E402


BUILT = ("build/package/sysroot-x86_64", "build/release/terminal", "build/release/terminal.stamp", "web/node_modules")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Reproducible(Case):
    def equal_elsewhere(self, names, *command):
        """Runs the command in a copy of the tree in another folder, and compares what it puts into dist/."""
        here = [made(self, name) for name in names]
        with Folder() as folder:
            place = os.path.join(folder, "another", "place")
            copy_tree(self, place, BUILT)
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
            if done.returncode == 77:
                self.skipTest(done.stdout.strip())
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            for name, path in zip(names, here):
                self.assertEqual(digest(os.path.join(place, "dist", name)), digest(path), name)

    def test_two_folders_give_one_program(self):
        self.equal_elsewhere(("dojima-linux-x86_64", "dojima-linux-x86_64.spdx.json"),
                             "tools/package.d/static", "x86_64")

    def test_two_folders_give_one_pair_of_debian_packages(self):
        names = [os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "dist", "dojima*.deb"))]
        if len(names) != 2:
            self.skipTest("dist/ has no pair of Debian packages: tools/package deb makes it")
        self.equal_elsewhere(names, "tools/package.d/deb")


if __name__ == "__main__":
    main()
