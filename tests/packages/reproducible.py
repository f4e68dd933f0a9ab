# SPDX-License-Identifier: MIT
"""The program in one file is the same, to the byte, when the same commit is built in another folder."""
import hashlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import ROOT, made                                                     # noqa: E402
from harness import Case, Folder, main                                            # noqa: E402


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Reproducible(Case):
    def copy(self, into):
        """The files of git as they are here, and what was built or fetched before the program is linked."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            self.skipTest("no git here")
        for name in filter(None, listed.stdout.split("\0")):
            if os.path.isfile(os.path.join(ROOT, name)):
                os.makedirs(os.path.dirname(os.path.join(into, name)), exist_ok=True)
                shutil.copy2(os.path.join(ROOT, name), os.path.join(into, name))
        if os.path.exists(os.path.join(ROOT, ".git")):
            os.symlink(os.path.join(ROOT, ".git"), os.path.join(into, ".git"))
        for built in ("build/package/sysroot-x86_64", "build/release/terminal", "web/node_modules"):
            if os.path.isdir(os.path.join(ROOT, built)):
                os.makedirs(os.path.dirname(os.path.join(into, built)), exist_ok=True)
                os.symlink(os.path.join(ROOT, built), os.path.join(into, built))

    def test_two_folders_give_one_hash(self):
        first = made(self, "dojima-linux-x86_64")
        with Folder() as folder:
            place = os.path.join(folder, "another", "place")
            self.copy(place)
            done = subprocess.run(["tools/package.d/static", "x86_64"], cwd=place, capture_output=True, text=True,
                                  check=False)
            if done.returncode == 77:
                self.skipTest(done.stdout.strip())
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            for name in ("dojima-linux-x86_64", "dojima-linux-x86_64.spdx.json"):
                here = os.path.join(os.path.dirname(first), name)
                self.assertEqual(digest(os.path.join(place, "dist", name)), digest(here), name)


if __name__ == "__main__":
    main()
