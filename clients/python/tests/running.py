# SPDX-License-Identifier: MIT
"""Processes that were started with a mark in their environment."""
import os
from typing import List


def marked(mark: str) -> List[int]:
    """Numbers of the processes whose environment has the text."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(name))
        except OSError:
            pass
    return found
