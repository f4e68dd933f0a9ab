# SPDX-License-Identifier: MIT
"""Public data: markets, currencies, tickers, books, trades, bars, funding."""
from .signing import Signing
from ccxt.base.errors import BadSymbol
from ccxt.base.precise import Precise


class Markets(Signing):

    async def fetch_time(self, params={}):
        response = await self.ask('time', params, 20)
        return self.safe_integer(self.safe_dict(response, 'data', {}), 'serverTime')

    async def fetch_status(self, params={}):
        response = await self.ask('status', params, 20)
        return {
            'status': 'ok' if self.safe_string(response, 'data') == 'ok' else 'error',
            'updated': self.safe_integer(response, 'timestamp'),
            'eta': None,
            'url': None,
            'info': response,
        }

    async def read(self, path, params={}, cost=1):
        """The `data` of a public path."""
        response = await self.ask(path, params, cost)
        return self.safe_value(response, 'data')

    def safe_currency_code(self, currencyId, currency=None):
        """vBTC is BTC here: the first letter marks the exchange's own coins."""
        if currencyId is None:
            return None
        code = currencyId
        second = currencyId[1:2]
        if currencyId[0:1] == 'v' and second != '' and second == second.upper():
            code = currencyId[1:]
        return self.common_currency_code(code.upper())

    async def fetch_currencies(self, params={}):
        """Coins, and the bases of perpetuals that are names only."""
        coins = await self.read('spot/markets/coins', params, 2)
        perps = await self.read('perps/markets/symbols', params, 2)
        result = {}
        for coin in coins:
            name = self.safe_string(coin, 'name')
            code = self.safe_currency_code(name)
            precision = self.parse_number(self.parse_precision(self.safe_string(coin, 'precision')))
            result[code] = self.currency_of(name, code, 'crypto', precision, coin)
        for row in perps:
            name = self.safe_string(row, 'baseCoin')
            code = self.safe_currency_code(name)
            if not (code in result):
                result[code] = self.currency_of(name, code, 'other', self.safe_number(row, 'stepSize'), row)
        return result

    def currency_of(self, id, code, type, precision, info):
        coin = type == 'crypto'
        return {
            'id': id,
            'numericId': self.safe_integer(info, 'id') if coin else None,
            'code': code,
            'name': id,
            'type': type,
            'active': coin,
            'deposit': False,           # money comes and goes through the EVM ledger of the owner
            'withdraw': False,
            'fee': None,
            'precision': precision,
            'limits': {
                'amount': {'min': None, 'max': None},
                'deposit': {'min': None, 'max': None},
                'withdraw': {'min': None, 'max': None},
            },
            'networks': {},
            'info': info,
        }

    async def fetch_markets(self, params={}):
        spot = await self.read('spot/markets/symbols', params, 2)
        perps = await self.read('perps/markets/symbols', params, 2)
        result = []
        ids = {}
        for row in spot:
            ids[self.safe_currency_code(self.safe_string(row, 'baseCoin'))] = self.safe_string(row, 'baseCoin')
            result.append(self.parse_market(self.extend({'venue': 'spot'}, row)))
        for row in perps:
            # The base of a contract is a name only; where a coin has the same code its id is that of the coin.
            name = self.safe_string(row, 'baseCoin')
            coin = self.safe_string(ids, self.safe_currency_code(name), name)
            result.append(self.parse_market(self.extend({'venue': 'perps', 'coin': coin}, row)))
        return result

    def bound(self, row, key):
        """A bound of a symbol; "0" is none."""
        return self.parse_number(self.omit_zero(self.safe_string(row, key)))

    def parse_market(self, market):
        id = self.safe_string(market, 'name')
        spot = self.safe_string(market, 'venue') == 'spot'
        baseId = self.safe_string_2(market, 'coin', 'baseCoin')
        quoteId = self.safe_string(market, 'quoteCoin')
        base = self.safe_currency_code(baseId)
        quote = self.safe_currency_code(quoteId)
        symbol = base + '/' + quote
        if not spot:
            symbol = symbol + ':' + quote
        return self.safe_market_structure({
            'id': id,
            'numericId': self.safe_integer(market, 'id'),
            'symbol': symbol,
            'base': base,
            'quote': quote,
            'settle': None if spot else quote,
            'baseId': baseId,
            'quoteId': quoteId,
            'settleId': None if spot else quoteId,
            'type': 'spot' if spot else 'swap',
            'spot': spot,
            'margin': False,
            'swap': not spot,
            'future': False,
            'option': False,
            'active': self.safe_string(market, 'status') == 'TRADING',
            'contract': not spot,
            'linear': None if spot else True,
            'inverse': None if spot else False,
            'subType': None if spot else 'linear',
            'contractSize': None if spot else self.parse_number('1'),
            'expiry': None,
            'expiryDatetime': None,
            'strike': None,
            'optionType': None,
            'taker': self.safe_number(market, 'takerFee'),
            'maker': self.safe_number(market, 'makerFee'),
            'precision': {
                'amount': self.safe_number(market, 'stepSize'),
                'price': self.safe_number(market, 'tickSize'),
                'cost': self.parse_number(self.parse_precision(self.safe_string(market, 'quoteCoinPrecision'))),
                'base': self.parse_number(self.parse_precision(self.safe_string(market, 'baseCoinPrecision'))),
                'quote': self.parse_number(self.parse_precision(self.safe_string(market, 'quoteCoinPrecision'))),
            },
            'limits': {
                'leverage': {
                    'min': None if spot else self.parse_number('1'),
                    'max': None if spot else self.safe_number(market, 'maxLeverage'),
                },
                'amount': {'min': self.bound(market, 'minQuantity'), 'max': self.bound(market, 'maxQuantity')},
                'price': {'min': self.bound(market, 'minPrice'), 'max': self.bound(market, 'maxPrice')},
                'cost': {'min': self.bound(market, 'minNotional'), 'max': self.bound(market, 'maxNotional')},
                'market': {
                    'min': self.bound(market, 'marketMinQuantity'), 'max': self.bound(market, 'marketMaxQuantity')},
            },
            'marginModes': {'cross': None if spot else True, 'isolated': None if spot else True},
            'created': None,
            'info': self.omit(market, ['venue', 'coin']),
        })

    def base_of(self, method, symbols, params):
        """The base (spot or perps) of a request about several symbols, and the rest of its parameters."""
        market = None
        if symbols is not None and len(symbols) > 0:
            market = self.market(symbols[0])
        type, rest = self.handle_market_type_and_params(method, market, params)
        return ['spot' if type == 'spot' else 'perps', rest]

    async def rows_of_bases(self, method, symbols, path, params):
        """The rows of a path on the base of the symbols or of params.type, else on both, each with its market."""
        bases = ['spot', 'perps']
        rest = self.omit(params, ['type', 'subType', 'defaultType'])
        if symbols is not None and len(symbols) > 0 or self.safe_string_2(params, 'type', 'defaultType') is not None:
            base, left = self.base_of(method, symbols, params)
            bases = [base]
            rest = left
        result = []
        for base in bases:
            rows = await self.read(base + path, rest, 2)
            for row in rows:
                type = 'spot' if base == 'spot' else 'swap'
                market = self.safe_market(self.safe_string(row, 'symbol'), None, None, type)
                result.append([row, market])
        return result

    async def fetch_tickers(self, symbols=None, params={}):
        """Tickers of symbols of one base, or of all."""
        await self.load_markets()
        symbols = self.market_symbols(symbols, None, True, True)
        pairs = await self.rows_of_bases('fetchTickers', symbols, '/markets/tickers', params)
        return self.tickers_of(pairs, symbols)

    def tickers_of(self, pairs, symbols):
        tickers = {}
        for pair in pairs:
            ticker = self.parse_ticker(pair[0], pair[1])
            tickers[ticker['symbol']] = ticker
        return self.filter_by_array_tickers(tickers, 'symbol', symbols)

    async def fetch_ticker(self, symbol, params={}):
        await self.load_markets()
        market = self.market(symbol)
        path = self.market_type_path(market) + '/markets/tickers'
        rows = await self.read(path, self.extend({'symbol': market['id']}, params), 2)
        return self.parse_ticker(self.safe_dict(rows, 0, {}), market)

    def parse_ticker(self, ticker, market=None):
        timestamp = self.safe_integer(ticker, 'closeTime')
        last = self.omit_zero(self.safe_string(ticker, 'lastPx'))
        return self.safe_ticker({
            'symbol': self.safe_symbol(self.safe_string(ticker, 'symbol'), market),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'high': self.omit_zero(self.safe_string(ticker, 'highPx')),
            'low': self.omit_zero(self.safe_string(ticker, 'lowPx')),
            'bid': self.omit_zero(self.safe_string(ticker, 'bidPx')),
            'bidVolume': self.omit_zero(self.safe_string(ticker, 'bidSz')),
            'ask': self.omit_zero(self.safe_string(ticker, 'askPx')),
            'askVolume': self.omit_zero(self.safe_string(ticker, 'askSz')),
            'vwap': None,
            'open': self.omit_zero(self.safe_string(ticker, 'openPx')),
            'close': last,
            'last': last,
            'previousClose': None,
            'change': self.safe_string(ticker, 'change'),
            'percentage': self.safe_string(ticker, 'changePct'),
            'average': None,
            'baseVolume': self.safe_string(ticker, 'volume'),
            'quoteVolume': self.safe_string(ticker, 'quoteVolume'),
            'markPrice': self.safe_string(ticker, 'markPrice'),
            'indexPrice': self.safe_string(ticker, 'indexPrice'),
            'info': ticker,
        }, market)

    async def fetch_bids_asks(self, symbols=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, None, True, True)
        pairs = await self.rows_of_bases('fetchBidsAsks', symbols, '/markets/bookTickers', params)
        return self.tickers_of(pairs, symbols)

    async def fetch_order_book(self, symbol, limit=None, params={}):
        await self.load_markets()
        market = self.market(symbol)
        levels = 10 if limit is None else limit
        cost = 20
        if levels <= 500:
            cost = 10
        if levels <= 100:
            cost = 5
        path = self.market_type_path(market) + '/markets/{symbol}/orderbook'
        data = await self.read(path, self.extend({'symbol': market['id'], 'limit': levels}, params), cost)
        book = self.parse_order_book(data, market['symbol'], self.safe_integer(data, 'blockTime'))
        book['nonce'] = self.safe_integer(data, 'updateID')
        return book

    async def fetch_trades(self, symbol, since=None, limit=None, params={}):
        await self.load_markets()
        market = self.market(symbol)
        request = {'symbol': market['id']}
        if limit is not None:
            request['limit'] = min(limit, 500)
        path = self.market_type_path(market) + '/markets/{symbol}/trades'
        data = await self.read(path, self.extend(request, params), 20)
        return self.parse_trades(data, market, since, limit)

    def fee_coin(self, market, side, fee):
        """The coin of a fee that a stream does not name: what the taker receives (wire UserTrade)."""
        if not market['spot']:
            return market['settle']
        received = side == 'buy'
        if Precise.string_lt(fee, '0'):
            received = not received     # a maker's rebate is in the coin that its taker received
        return market['base'] if received else market['quote']

    def parse_trade(self, trade, market=None):
        """A public trade, one of the account, or one of the account from a stream."""
        if self.safe_string(trade, 'tradeID') is not None:
            return self.parse_my_trade(trade, market)
        market = self.safe_market(self.safe_string(trade, 's'), market)
        timestamp = self.safe_integer(trade, 'T')
        side = self.safe_string_lower(trade, 'S')
        fee = self.safe_string(trade, 'f')
        takerOrMaker = None
        if self.safe_bool(trade, 'm') is not None:
            takerOrMaker = 'maker' if self.safe_bool(trade, 'm') else 'taker'
        return self.safe_trade({
            'id': self.safe_string(trade, 't'),
            'order': self.safe_string(trade, 'i'),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'symbol': market['symbol'],
            'type': None,
            'side': side,
            'takerOrMaker': takerOrMaker,
            'price': self.safe_string(trade, 'p'),
            'amount': self.safe_string(trade, 'q'),
            'cost': None,
            'fee': None if fee is None else {'cost': fee, 'currency': self.fee_coin(market, side, fee)},
            'info': trade,
        }, market)

    def parse_my_trade(self, trade, market=None):
        market = self.safe_market(self.safe_string(trade, 'symbol'), market)
        timestamp = self.safe_integer(trade, 'time')
        return self.safe_trade({
            'id': self.safe_string(trade, 'tradeID'),
            'order': self.safe_string(trade, 'orderID'),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'symbol': market['symbol'],
            'type': None,
            'side': self.safe_string_lower(trade, 'side'),
            'takerOrMaker': 'maker' if self.safe_bool(trade, 'isMaker') else 'taker',
            'price': self.safe_string(trade, 'price'),
            'amount': self.safe_string(trade, 'quantity'),
            'cost': None,
            'fee': {
                'cost': self.safe_string(trade, 'fee'),
                'currency': self.safe_currency_code(self.safe_string(trade, 'feeCoin')),
            },
            'info': trade,
        }, market)

    async def fetch_ohlcv(self, symbol, timeframe='1m', since=None, limit=None, params={}):
        await self.load_markets()
        market = self.market(symbol)
        request = {
            'symbol': market['id'],
            'interval': self.safe_string(self.timeframes, timeframe, timeframe),
        }
        until = self.safe_integer(params, 'until')
        if since is not None:
            request['startTime'] = since
        if until is not None:
            request['endTime'] = until
        if limit is not None:
            request['limit'] = min(limit, 1500 if market['spot'] else 1000)
        path = self.market_type_path(market) + '/markets/{symbol}/klines'
        data = await self.read(path, self.extend(request, self.omit(params, 'until')), 20)
        return self.parse_ohlcvs(data, market, timeframe, since, limit)

    def parse_ohlcv(self, ohlcv, market=None):
        return [
            self.safe_integer(ohlcv, 't'),
            self.safe_number(ohlcv, 'o'),
            self.safe_number(ohlcv, 'h'),
            self.safe_number(ohlcv, 'l'),
            self.safe_number(ohlcv, 'c'),
            self.safe_number(ohlcv, 'v'),
        ]

    async def fetch_funding_rates(self, symbols=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, 'swap', True)
        rows = await self.read('perps/markets/mark-prices', params, 2)
        rates = {}
        for row in rows:
            rate = self.parse_funding_rate(row)
            rates[rate['symbol']] = rate
        return self.filter_by_array(rates, 'symbol', symbols)

    def require_swap(self, method, symbol):
        self.require_symbol(method, symbol)
        market = self.market(symbol)
        if market['spot']:
            raise BadSymbol(self.id + ' ' + method + '() is for perpetuals, not for ' + symbol)
        return market

    async def fetch_funding_rate(self, symbol, params={}):
        await self.load_markets()
        market = self.require_swap('fetchFundingRate', symbol)
        rows = await self.read('perps/markets/mark-prices', self.extend({'symbol': market['id']}, params), 2)
        return self.parse_funding_rate(self.safe_dict(rows, 0, {}), market)

    def parse_funding_rate(self, contract, market=None):
        funding = self.safe_integer(contract, 'nextFundingTime')
        return {
            'info': contract,
            'symbol': self.safe_symbol(self.safe_string(contract, 'symbol'), market, None, 'swap'),
            'markPrice': self.safe_number(contract, 'markPrice'),
            'indexPrice': self.safe_number(contract, 'indexPrice'),
            'interestRate': None,
            'estimatedSettlePrice': None,
            'timestamp': None,
            'datetime': None,
            'fundingRate': self.safe_number(contract, 'fundingRate'),
            'fundingTimestamp': funding,
            'fundingDatetime': self.iso8601(funding),
            'nextFundingRate': None,
            'nextFundingTimestamp': None,
            'nextFundingDatetime': None,
            'previousFundingRate': None,
            'previousFundingTimestamp': None,
            'previousFundingDatetime': None,
            'interval': '1h',
        }

    async def fetch_open_interest(self, symbol, params={}):
        await self.load_markets()
        market = self.require_swap('fetchOpenInterest', symbol)
        rows = await self.read('perps/markets/mark-prices', self.extend({'symbol': market['id']}, params), 2)
        row = self.safe_dict(rows, 0, {})
        return self.safe_open_interest({
            'symbol': market['symbol'],
            'openInterestAmount': self.safe_string(row, 'openInterest'),
            'openInterestValue': Precise.string_mul(
                self.safe_string(row, 'openInterest'), self.safe_string(row, 'markPrice')),
            'timestamp': None,
            'datetime': None,
            'info': row,
        }, market)

    async def fetch_leverage_tiers(self, symbols=None, params={}):
        await self.load_markets()
        rows = await self.read('perps/markets/symbols', params, 2)
        symbols = self.market_symbols(symbols, 'swap', True)
        result = {}
        for row in rows:
            market = self.safe_market(self.safe_string(row, 'name'), None, None, 'swap')
            if symbols is None or self.in_array(market['symbol'], symbols):
                result[market['symbol']] = self.parse_market_leverage_tiers(row, market)
        return result

    def parse_market_leverage_tiers(self, info, market=None):
        tiers = []
        floor = '0'
        rows = self.safe_list(info, 'marginTiers', [])
        for i in range(0, len(rows)):
            row = rows[i]
            top = self.safe_string(row, 'maxNotionalValue')
            tiers.append({
                'tier': self.sum(i, 1),
                'symbol': market['symbol'],
                'currency': market['quote'],
                'minNotional': self.parse_number(floor),
                'maxNotional': self.parse_number(top),
                'maintenanceMarginRate': self.safe_number(row, 'maintenanceMarginRate'),
                'maxLeverage': self.safe_number(row, 'maxLeverage'),
                'info': row,
            })
            floor = top
        return tiers
