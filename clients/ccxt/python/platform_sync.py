# SPDX-License-Identifier: MIT
"""What differs between languages: here for Python without async."""
from ccxt.base.exchange import Exchange

from dojima_ccxt.implicit import Common


class Platform(Common, Exchange):
    pass
