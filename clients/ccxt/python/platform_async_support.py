# SPDX-License-Identifier: MIT
"""What differs between languages: here for Python with async."""
from ccxt.async_support.base.exchange import Exchange

from dojima_ccxt.implicit import Common


class Platform(Common, Exchange):
    pass
