# SPDX-License-Identifier: MIT
"""Makes the synchronous modules out of the asynchronous ones, word by word."""
from __future__ import annotations

import re

HERE = "# Only here: the synchronous side has a module of its own."
_WORDS = (
    (r"\basync def\b", "def"), (r"\basync with\b", "with"), (r"\basync for\b", "for"), (r"\bawait ", ""),
    (r"\bAsync(?=[A-Z])", ""), (r"__aenter__", "__enter__"), (r"__aexit__", "__exit__"), (r"__aiter__", "__iter__"),
    (r"__anext__", "__next__"), (r"\bStopAsyncIteration\b", "StopIteration"), (r"\baclose\b", "close"),
    (r"\bAwaitable\[(\w+)\]", r"\1"), (r"\basynchronous", "synchronous"), (r"dojima\._async\b", "dojima._sync"),
)
HEAD = "# Made from {} by `python3 -m generate`; do not edit.\n"


def converted(text: str) -> str:
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    licence, rest = text.split("\n", 1)
    return f"{licence}\n# Made from the module of the same name in _async; do not edit.\n{rest}"
