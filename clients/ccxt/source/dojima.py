# SPDX-License-Identifier: MIT
"""The exchange for REST."""
from .account import Account


class dojima(Account):
    pass
