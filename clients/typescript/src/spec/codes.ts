// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.

/** Each code of the interface and the first of its texts. */
export const CODES = {
  40001: 'invalid request',
  40002: 'invalid combination of fields',
  40003: 'batch size is invalid',
  40004: 'clOrdID is invalid',
  40005: 'not supported',
  40006: 'invalid interval',
  40007: 'invalid time range',
  40090: 'malformed HTTP request',
  40101: 'X-API-Sign is invalid',
  40102: 'nonce is invalid',
  40103: 'unknown API key',
  40104: 'API key has expired',
  40105: 'API key may not do this',
  40390: 'origin is not allowed',
  40391: 'not for this address',
  40401: 'symbol not found',
  40402: 'order not found',
  40403: 'account not found',
  40404: 'coin not found',
  40405: 'API key not found',
  40406: 'liquidation not found',
  40490: 'path not found',
  40590: 'method not allowed',
  40890: 'request took too long',
  40901: 'clOrdID is already in use',
  40902: 'order cannot be replaced',
  40903: 'quantity is not above the executed quantity',
  40904: 'transfer id was used for another transfer',
  40905: 'order has already triggered',
  40906: 'transfer id is too old',
  40907: 'API key name is taken',
  40908: 'order is not a TP/SL order',
  40909: 'a settlement is announced already',
  40910: 'another revert happened meanwhile',
  41390: 'body too large',
  41490: 'request line too long',
  42001: 'insufficient balance',
  42002: 'insufficient margin',
  42003: 'position is too large for the leverage',
  42004: 'open interest cap reached',
  42005: 'reduce-only order would not reduce',
  42006: 'the position is covered by reduce-only orders',
  42007: 'post-only order would cross',
  42008: 'stop would trigger at once',
  42009: 'stop price is on the wrong side',
  42010: 'no position',
  42011: 'a global TP/SL exists',
  42012: 'leverage is locked',
  42013: 'too many scheduled cancels today',
  42014: 'symbol is halted',
  42015: 'index price is stale',
  42016: 'account is in liquidation',
  42017: 'withdrawals are suspended',
  42018: 'timeInForce is not supported',
  42019: 'symbol has no reference price',
  42020: 'too many API keys',
  42021: 'too many open orders',
  42022: 'too many armed stops',
  42023: 'scheduled time is too soon',
  42024: 'order value is too large',
  42025: 'supply limit of the coin reached',
  42026: 'the exchange is at capacity',
  42027: 'not possible in the current mode',
  42028: 'prices are not live',
  42029: 'leverage is invalid',
  42030: 'position is not isolated',
  42201: 'price is invalid',
  42202: 'quantity is invalid',
  42203: 'quantity is invalid',
  42204: 'order value is invalid',
  42205: 'price is outside the limit band',
  42690: 'this path is a WebSocket',
  42901: 'rate limit exceeded',
  43190: 'headers too large',
  50001: 'internal error',
  50190: 'method not implemented',
  50301: 'server is busy, the request was not executed',
  50302: 'no node leads now, the request was not executed',
  50303: 'outcome unknown: ask again with the same nonce and clOrdID',
} as const;

export type Code = keyof typeof CODES;

/** Keys of bodies that are decimals. */
export const DECIMALS: ReadonlySet<string> = new Set(['amount', 'funds', 'perpMid', 'price', 'quantity', 'stopPrice']);

/** Methods of /rpc of every exchange. */
export type ChainMethod =
  | 'eth_getTransactionByBlockNumberAndIndex'
  | 'eth_getTransactionByBlockHashAndIndex'
  | 'eth_getTransactionByHash'
  | 'eth_getTransactionReceipt'
  | 'eth_getBlockByNumber'
  | 'eth_getBlockByHash'
  | 'eth_getBlockTransactionCountByNumber'
  | 'eth_getBlockTransactionCountByHash'
  | 'eth_getBalance'
  | 'eth_getTransactionCount'
  | 'web3_clientVersion'
  | 'net_version'
  | 'net_listening'
  | 'eth_syncing'
  | 'eth_chainId'
  | 'eth_gasPrice'
  | 'eth_blockNumber'
  | 'anvil_getAutomine'
  | 'txpool_content'
  | 'txpool_inspect'
  | 'txpool_status';

/** Methods of /rpc of a development exchange. */
export type DevelopmentMethod =
  | 'dojima_deposit'
  | 'dojima_setIndexPrice'
  | 'evm_increaseTime'
  | 'evm_setNextBlockTimestamp'
  | 'dojima_step'
  | 'dojima_setClock'
  | 'dojima_clear'
  | 'dojima_history'
  | 'evm_snapshot'
  | 'evm_revert'
  | 'anvil_reset'
  | 'dojima_snapshots'
  | 'anvil_dumpState'
  | 'anvil_loadState'
  | 'evm_mine'
  | 'anvil_mine'
  | 'evm_setAutomine'
  | 'anvil_setBalance'
  | 'dojima_setBalance'
  | 'dojima_setStakingTier'
  | 'dojima_halt'
  | 'dojima_resume'
  | 'dojima_setMarket'
  | 'dojima_setMode'
  | 'dojima_setTraders'
  | 'dojima_settle'
  | 'dojima_cancelOrders'
  | 'dojima_openAccount'
  | 'dojima_redeem'
  | 'dojima_raiseLimit'
  | 'dojima_fundingNow'
  | 'dojima_chaosAdd'
  | 'dojima_chaosList'
  | 'dojima_chaosRemove'
  | 'dojima_chaosClear'
  | 'dojima_scenarioList'
  | 'dojima_scenarioStart'
  | 'dojima_scenarioStatus'
  | 'dojima_scenarioStop'
  | 'anvil_impersonateAccount'
  | 'anvil_stopImpersonatingAccount'
  | 'anvil_autoImpersonateAccount'
  | 'dojima_explainSignature'
  | 'dojima_explainOrder';
