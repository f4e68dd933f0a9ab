# SPDX-License-Identifier: MIT
"""What the exchange offers, as ccxt describes it: data only."""
from .platform import Platform
from ccxt.base.errors import (
    AccountNotEnabled, ArgumentsRequired, AuthenticationError, BadRequest, BadSymbol, DuplicateOrderId, ExchangeError,
    ExchangeNotAvailable, InsufficientFunds, InvalidNonce, InvalidOrder, MarketClosed, NotSupported,
    OperationRejected, OrderImmediatelyFillable, OrderNotFound, PermissionDenied, RateLimitExceeded, RequestTimeout)
from ccxt.base.decimal_to_precision import TICK_SIZE

# Paths below /api/v1 and what a request weighs.
API = {
    'public': {
        'get': {
            'time': 20,
            'status': 20,
            'user/{userAddress}/status': 20,
            'user/{userAddress}/subaccounts': 20,
            'user/{userAddress}/api-keys': 20,
            'user/{userAddress}/fee-rate': 20,
            'user/{userAddress}/ratelimit': 20,
            'spot/markets/symbols': 2,
            'spot/markets/coins': 2,
            'spot/markets/{symbol}/orderbook': {'cost': 5, 'byLimit': [[100, 5], [500, 10], [1000, 20]]},
            'spot/markets/tickers': 2,
            'spot/markets/miniTickers': 2,
            'spot/markets/bookTickers': 2,
            'spot/markets/{symbol}/klines': 20,
            'spot/markets/{symbol}/trades': 20,
            'spot/accounts/{userAddress}/balances': 5,
            'spot/accounts/{userAddress}/orders': 5,
            'spot/accounts/{userAddress}/state': 5,
            'spot/accounts/{userAddress}/api-keys': 5,
            'spot/accounts/{userAddress}/fee-rate': 2,
            'spot/accounts/{userAddress}/orders/history': 45,
            'spot/accounts/{userAddress}/trades': 45,
            'perps/markets/symbols': 2,
            'perps/markets/coins': 2,
            'perps/markets/{symbol}/orderbook': {'cost': 5, 'byLimit': [[100, 5], [500, 10], [1000, 20]]},
            'perps/markets/tickers': 2,
            'perps/markets/miniTickers': 2,
            'perps/markets/bookTickers': 2,
            'perps/markets/mark-prices': 2,
            'perps/markets/index-composition': 20,
            'perps/markets/{symbol}/klines': 20,
            'perps/markets/{symbol}/trades': 20,
            'perps/liquidations': 30,
            'perps/liquidations/ranking': 70,
            'perps/insurance-fund': 20,
            'perps/accounts/{userAddress}/balances': 5,
            'perps/accounts/{userAddress}/orders': 5,
            'perps/accounts/{userAddress}/positions': 5,
            'perps/accounts/{userAddress}/state': 5,
            'perps/accounts/{userAddress}/api-keys': 5,
            'perps/accounts/{userAddress}/fee-rate': 2,
            'perps/accounts/{userAddress}/orders/history': 45,
            'perps/accounts/{userAddress}/positions/history': 45,
            'perps/accounts/{userAddress}/fundings': 70,
            'perps/accounts/{userAddress}/liquidations': 30,
            'perps/accounts/{userAddress}/trades': 45,
        },
    },
    'private': {
        'post': {
            'spot/trade/orders/batch': 1,
            'spot/trade/orders/replace': 1,
            'spot/trade/orders/schedule-cancel': 1,
            'spot/accounts/transfers': 10,
            'perps/trade/orders': 1,
            'perps/trade/orders/replace': 1,
            'perps/trade/orders/modify': 1,
            'perps/trade/orders/schedule-cancel': 1,
            'perps/trade/leverage': 1,
            'perps/trade/margin': 1,
            'perps/accounts/transfers': 10,
        },
        'delete': {
            'spot/trade/orders/batch': 1,
            'perps/trade/orders': 1,
        },
    },
}

# `type` of the signed payload, by method and path (wire 2.1).
ACTIONS = {
    'POST spot/trade/orders/batch': 'batchNewOrder',
    'DELETE spot/trade/orders/batch': 'batchCancelOrder',
    'POST spot/trade/orders/replace': 'replaceOrder',
    'POST spot/trade/orders/schedule-cancel': 'scheduleCancel',
    'POST spot/accounts/transfers': 'transferAsset',
    'POST perps/trade/orders': 'newOrder',
    'DELETE perps/trade/orders': 'cancelOrder',
    'POST perps/trade/orders/replace': 'replaceOrder',
    'POST perps/trade/orders/modify': 'modifyOrder',
    'POST perps/trade/orders/schedule-cancel': 'scheduleCancel',
    'POST perps/trade/leverage': 'updateLeverage',
    'POST perps/trade/margin': 'updateMargin',
    'POST perps/accounts/transfers': 'transferAsset',
}

# Every code of the table of errors (docs/api.md).
ERRORS = {
    '40001': BadRequest,
    '40002': InvalidOrder,              # invalid combination of fields, invalid bracket
    '40003': BadRequest,
    '40004': InvalidOrder,              # clOrdID
    '40005': NotSupported,
    '40006': BadRequest,                # interval
    '40007': BadRequest,                # times
    '40090': BadRequest,
    '40101': AuthenticationError,
    '40102': InvalidNonce,
    '40103': AuthenticationError,       # unknown API key
    '40104': AuthenticationError,       # expired API key
    '40105': PermissionDenied,
    '40390': PermissionDenied,          # origin
    '40391': PermissionDenied,
    '40401': BadSymbol,
    '40402': OrderNotFound,
    '40403': AccountNotEnabled,
    '40404': BadRequest,                # coin
    '40405': AuthenticationError,       # API key not found
    '40406': BadRequest,                # liquidation
    '40490': BadRequest,
    '40590': BadRequest,
    '40890': RequestTimeout,
    '40901': DuplicateOrderId,
    '40902': InvalidOrder,              # cannot be replaced
    '40903': InvalidOrder,              # not above the executed quantity
    '40904': OperationRejected,         # transfer id
    '40905': InvalidOrder,              # has already triggered
    '40906': OperationRejected,         # transfer id
    '40907': BadRequest,
    '40908': InvalidOrder,              # no TP/SL order
    '40909': OperationRejected,         # settlement
    '40910': OperationRejected,         # reverted meanwhile
    '41390': BadRequest,
    '41490': BadRequest,
    '42001': InsufficientFunds,
    '42002': InsufficientFunds,
    '42003': InvalidOrder,              # tier of the leverage
    '42004': OperationRejected,         # open interest cap
    '42005': InvalidOrder,              # reduce-only
    '42006': InvalidOrder,              # reduce-only
    '42007': OrderImmediatelyFillable,
    '42008': OrderImmediatelyFillable,  # stop would trigger at once
    '42009': InvalidOrder,              # stop price
    '42010': InvalidOrder,              # no position
    '42011': InvalidOrder,              # a global TP/SL exists
    '42012': OperationRejected,         # leverage is locked
    '42013': OperationRejected,         # scheduled cancels
    '42014': MarketClosed,
    '42015': MarketClosed,              # stale index
    '42016': OperationRejected,         # account is in liquidation
    '42017': OperationRejected,         # withdrawals
    '42018': InvalidOrder,              # timeInForce
    '42019': MarketClosed,              # no reference price
    '42020': OperationRejected,         # API keys
    '42021': OperationRejected,         # open orders
    '42022': OperationRejected,         # armed stops
    '42023': BadRequest,                # scheduled time
    '42024': InvalidOrder,              # value
    '42025': OperationRejected,         # supply limit
    '42026': OperationRejected,         # capacity
    '42027': OperationRejected,         # mode
    '42028': MarketClosed,              # prices are not live
    '42029': BadRequest,                # leverage
    '42030': OperationRejected,         # position is not isolated
    '42201': InvalidOrder,              # price
    '42202': InvalidOrder,              # quantity
    '42203': InvalidOrder,              # quantity of a market order
    '42204': InvalidOrder,              # value
    '42205': InvalidOrder,              # limit band
    '42690': BadRequest,
    '42901': RateLimitExceeded,
    '43190': BadRequest,
    '50001': ExchangeError,
    '50190': NotSupported,
    '50301': ExchangeNotAvailable,
    '50302': ExchangeNotAvailable,
    '50303': RequestTimeout,            # outcome unknown
}

HAS = {
    'CORS': True,
    'spot': True,
    'margin': False,
    'swap': True,
    'future': False,
    'option': False,
    'addMargin': True,
    'cancelAllOrders': True,
    'cancelAllOrdersAfter': True,
    'cancelOrder': True,
    'cancelOrders': True,
    'createMarketBuyOrderWithCost': True,
    'createOrder': True,
    'createOrders': True,
    'createPostOnlyOrder': True,
    'createReduceOnlyOrder': True,
    'createStopLossOrder': True,
    'createTakeProfitOrder': True,
    'createOrderWithTakeProfitAndStopLoss': True,
    'createTriggerOrder': True,
    'editOrder': True,
    'fetchAccounts': True,
    'fetchBalance': True,
    'fetchBidsAsks': True,
    'fetchCanceledAndClosedOrders': True,
    'fetchClosedOrders': True,
    'fetchCurrencies': True,
    'fetchDepositAddress': False,
    'fetchFundingHistory': True,
    'fetchFundingRate': True,
    'fetchFundingRateHistory': False,
    'fetchFundingRates': True,
    'fetchLeverage': True,
    'fetchLeverages': True,
    'fetchLeverageTiers': True,
    'fetchMarginMode': True,
    'fetchMarketLeverageTiers': 'emulated',
    'fetchMarkets': True,
    'fetchMyTrades': True,
    'fetchOHLCV': True,
    'fetchOpenInterest': True,
    'fetchOpenOrders': True,
    'fetchOrder': True,
    'fetchOrderBook': True,
    'fetchOrders': True,
    'fetchOrderTrades': True,
    'fetchPosition': True,
    'fetchPositionMode': False,
    'fetchPositions': True,
    'fetchPositionsHistory': True,
    'fetchStatus': True,
    'fetchTicker': True,
    'fetchTickers': True,
    'fetchTime': True,
    'fetchTrades': True,
    'fetchTradingFee': True,
    'fetchTradingFees': True,
    'reduceMargin': True,
    'setLeverage': True,
    'setMarginMode': True,
    'setPositionMode': False,
    'transfer': True,
    'withdraw': False,
}

FEATURES = {
    'spot': {
        'sandbox': False,
        'createOrder': {
            'marginMode': False,
            'triggerPrice': False,
            'triggerPriceType': None,
            'triggerDirection': False,
            'stopLossPrice': False,
            'takeProfitPrice': False,
            'attachedStopLossTakeProfit': None,
            'timeInForce': {'GTC': True, 'IOC': True, 'FOK': False, 'PO': True, 'GTD': False},
            'hedged': False,
            'trailing': False,
            'leverage': False,
            'marketBuyByCost': True,
            'marketBuyRequiresPrice': False,
            'selfTradePrevention': False,
            'iceberg': False,
        },
        'createOrders': {'max': 100},
        'fetchMyTrades': {
            'marginMode': False, 'limit': 1000, 'daysBack': None, 'untilDays': None, 'symbolRequired': False},
        'fetchOrder': {'marginMode': False, 'trigger': False, 'trailing': False, 'symbolRequired': True},
        'fetchOpenOrders': {
            'marginMode': False, 'limit': None, 'trigger': False, 'trailing': False, 'symbolRequired': False},
        'fetchOrders': {
            'marginMode': False, 'limit': 500, 'daysBack': None, 'untilDays': None, 'trigger': False,
            'trailing': False, 'symbolRequired': False},
        'fetchClosedOrders': {
            'marginMode': False, 'limit': 500, 'daysBack': None, 'daysBackCanceled': None, 'untilDays': None,
            'trigger': False, 'trailing': False, 'symbolRequired': False},
        'fetchOHLCV': {'limit': 1500},
    },
    'swap': {
        'linear': {
            'extends': 'spot',
            'createOrder': {
                'triggerPrice': True,
                'triggerPriceType': {'last': True, 'mark': True, 'index': True},
                'triggerDirection': True,
                'stopLossPrice': True,
                'takeProfitPrice': True,
                'attachedStopLossTakeProfit': {
                    'triggerPriceType': {'last': True, 'mark': True, 'index': True}, 'price': True},
            },
            'fetchOHLCV': {'limit': 1000},
        },
        'inverse': None,
    },
}


class Description(Platform):

    def describe(self):
        return self.deep_extend(super().describe(), {
            'id': 'dojima',
            'name': 'Dojima',
            'countries': [],
            'version': 'v1',
            'rateLimit': 50,            # 1200 of weight in a minute, so 1 of weight every 50 ms
            'certified': False,
            'pro': True,
            'dex': True,
            'hostname': '127.0.0.1:8080',
            'urls': {
                'api': {
                    'rest': 'http://{hostname}',
                    'ws': 'ws://{hostname}/ws',
                },
            },
            'requiredCredentials': {
                'apiKey': False,
                'secret': False,
                'walletAddress': True,
                'privateKey': True,
            },
            'precisionMode': TICK_SIZE,
            'timeframes': {
                '1m': '1m',
                '5m': '5m',
                '15m': '15m',
                '30m': '30m',
                '1h': '1h',
                '4h': '4h',
                '8h': '8h',             # spot only, like 12h and 3d
                '12h': '12h',
                '1d': '1D',
                '3d': '3D',
                '1w': '1W',
                '1M': '1M',
            },
            'fees': {
                'trading': {'tierBased': True, 'percentage': True},
            },
            'has': HAS,
            'features': FEATURES,
            'api': API,
            'exceptions': {'exact': ERRORS, 'broad': {}},
            'options': {
                'defaultType': 'spot',
                'accountId': None,      # the primary account of walletAddress
                'chainId': 286623,
                'timeDifference': 0,    # of the local clock to engine time, ms; learned from the exchange
                'triggerPriceType': 'mark',
                'lostReplyRetries': 6,  # how often a write without a reply is asked again
                'lostReplyPause': 250,  # ms before the first time, then twice as long each time, 4 s at most
            },
        })

    def market_type_path(self, market):
        """The base of a market's paths."""
        return 'spot' if market['spot'] else 'perps'

    def require_symbol(self, method, symbol):
        if symbol is None:
            raise ArgumentsRequired(self.id + ' ' + method + '() requires a symbol argument')
