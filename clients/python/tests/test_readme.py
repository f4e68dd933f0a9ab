# SPDX-License-Identifier: MIT
"""The examples of README.md run as they stand there."""
import pathlib
import re
import subprocess
import sys

import pytest

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.M | re.S)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number: int, tmp_path: pathlib.Path) -> None:
    text = EXAMPLES[number]
    test = "def test_" in text
    program = tmp_path / "test_example.py"
    program.write_text(text)
    line = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "dojima.pytest_plugin"] if test else []
    done = subprocess.run([sys.executable, *line, str(program)], capture_output=True, text=True, timeout=60,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() or not test


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
