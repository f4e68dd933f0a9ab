# SPDX-License-Identifier: MIT
"""Decimals as the interface writes them: plain notation, exact, never a float."""
from __future__ import annotations

import re
from decimal import Decimal
from typing import Optional, Union

Amount = Union[Decimal, int, str]
"""A price, quantity or amount of money. A str is a decimal in plain notation, such as "0.25"."""

_PLAIN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)


def amount_text(value: object) -> str:
    """The decimal as it is signed and sent: no exponent, no zeros at the end. TypeError for a float, ValueError for
    what is no number."""
    if isinstance(value, bool) or isinstance(value, float):
        raise TypeError(f"{value!r} is a {type(value).__name__}; "
                        f"give a Decimal, an int or a str such as {str(value)!r}")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a finite number")
        text = format(value, "f")
    elif isinstance(value, int):
        return str(int(value))
    elif isinstance(value, str):
        if not _PLAIN.fullmatch(value):
            raise ValueError(f"{value!r} is not a decimal in plain notation, such as '0.25'")
        text = value
    else:
        raise TypeError(f"a {type(value).__name__} is no amount; give a Decimal, an int or a str")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def maybe_amount(value: object) -> Optional[str]:
    """amount_text of an amount that may be left out."""
    return None if value is None else amount_text(value)
