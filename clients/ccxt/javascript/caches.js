// SPDX-License-Identifier: MIT
// ccxt's caches of streams, which its package does not export: they are loaded from its folder.
const { ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp } = await import(
  new URL('./src/base/ws/Cache.js', import.meta.resolve('ccxt')).href
);

export { ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp };
