# SPDX-License-Identifier: MIT
"""A market maker of one page, to begin a bot of your own with."""
from maker.maker import Maker

__all__ = ["Maker"]
