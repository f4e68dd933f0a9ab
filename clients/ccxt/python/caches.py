# SPDX-License-Identifier: MIT
from ccxt.async_support.base.ws.cache import (
    ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp)

__all__ = ['ArrayCache', 'ArrayCacheBySymbolById', 'ArrayCacheBySymbolBySide', 'ArrayCacheByTimestamp']
