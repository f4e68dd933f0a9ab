# SPDX-License-Identifier: MIT
"""Tests of the package beside it import each other by name."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
