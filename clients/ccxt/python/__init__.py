# SPDX-License-Identifier: MIT
"""The exchange class `dojima` of ccxt, kept outside of ccxt.

    from dojima_ccxt import dojima                  # without async
    from dojima_ccxt.async_support import dojima    # async
    from dojima_ccxt.pro import dojima              # async, with streams

`import dojima_ccxt; dojima_ccxt.register()` makes it ccxt.dojima, ccxt.async_support.dojima and ccxt.pro.dojima.
"""
from .sync import dojima

__version__ = '@VERSION@'
__all__ = ['dojima', 'register']


def register():
    """Adds the class to the three namespaces of ccxt, for programs that look exchanges up by their name."""
    import ccxt
    import ccxt.async_support
    import ccxt.pro

    from .async_support import dojima as asynchronous
    from .pro import dojima as streaming
    for module, cls in ((ccxt, dojima), (ccxt.async_support, asynchronous), (ccxt.pro, streaming)):
        module.dojima = cls
        if 'dojima' not in module.exchanges:
            module.exchanges.append('dojima')
