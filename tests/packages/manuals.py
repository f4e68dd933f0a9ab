# SPDX-License-Identifier: MIT
"""Every command has its manual page and its completions, with each of its options, and groff has no complaint."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ["DOJIMA"]


def say(*words):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="dojima-manuals-")
        subprocess.run([os.path.join(ROOT, "packaging/manuals/manuals"), PROGRAM, cls.folder], check=True, timeout=120)
        # The names as the program itself lists them where it is asked for one that it does not know.
        said = subprocess.run([PROGRAM, "no-such-command"], stderr=subprocess.PIPE, timeout=60).stderr.decode()
        cls.commands = re.split(r", | and ", said.strip().split("there are ")[1])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def test_each_command_has_its_page_and_no_other_has(self):
        self.assertGreater(len(self.commands), 40)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "man1"))),
                         sorted(["dojima.1", *(f"dojima-{name}.1" for name in self.commands)]))
        for name in self.commands:
            self.assertIn(f"dojima\\-{name} ".replace("-", "\\-").replace("\\\\-", "\\-"), self.read("man1/dojima.1"))

    def test_each_option_is_on_the_page_and_in_the_completions(self):
        shells = {name: self.read(f"completions/{name}") for name in ("dojima", "_dojima", "dojima.fish")}
        for command in self.commands:
            help_text, page = say(command, "--help"), self.read(f"man1/dojima-{command}.1")
            for option in re.findall(r"^  --([a-z0-9-]+)", help_text, re.MULTILINE):
                self.assertIn("\\-\\-" + option.replace("-", "\\-") + "\\fR", page, command)
                rows = [line for line in shells["dojima"].splitlines() if line.startswith(f"        {command})")]
                self.assertIn(f"--{option}", rows[0], command)
                rows = [line for line in shells["_dojima"].splitlines() if line.startswith(f"    {command})")]
                self.assertIn(f"--{option}[", rows[0], command)
                self.assertIn(f"'__fish_seen_subcommand_from {command}' -l {option} ", shells["dojima.fish"])

    def test_groff_and_shells_take_them(self):
        if shutil.which("groff"):
            for name in sorted(os.listdir(os.path.join(self.folder, "man1"))):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(self.folder, "man1", name)],
                                      stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(done.stderr.decode(), "", name)
        for shell, name in (("bash", "dojima"), ("zsh", "_dojima"), ("fish", "dojima.fish")):
            if shutil.which(shell):
                subprocess.run([shell, "-n", os.path.join(self.folder, "completions", name)], check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
