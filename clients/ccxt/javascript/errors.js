// SPDX-License-Identifier: MIT
// What the modules take from ccxt.
import ccxt from 'ccxt';

export const {
  AccountNotEnabled, ArgumentsRequired, AuthenticationError, BadRequest, BadSymbol, DuplicateOrderId, ExchangeError,
  ExchangeNotAvailable, InsufficientFunds, InvalidNonce, InvalidOrder, MarketClosed, NetworkError, NotSupported,
  OperationFailed, OperationRejected, OrderImmediatelyFillable, OrderNotFound, PermissionDenied, RateLimitExceeded,
  RequestTimeout, Precise, DECIMAL_PLACES, TICK_SIZE, TRUNCATE,
} = ccxt;
