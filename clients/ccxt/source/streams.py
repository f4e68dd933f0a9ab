# SPDX-License-Identifier: MIT
"""Streams: what ccxt calls pro. One connection to each of /ws/spot and /ws/perps."""
from .dojima import dojima as rest
from .caches import ArrayCache, ArrayCacheBySymbolById, ArrayCacheBySymbolBySide, ArrayCacheByTimestamp
from ccxt.base.errors import ArgumentsRequired, ExchangeError
from ccxt.base.precise import Precise

BOOK_LEVELS = 1000


class dojima(rest):

    def describe(self):
        return self.deep_extend(super().describe(), {
            'has': {
                'ws': True,
                'watchBalance': True,
                'watchBidsAsks': True,
                'watchMyTrades': True,
                'watchOHLCV': True,
                'watchOrderBook': True,
                'watchOrderBookForSymbols': True,
                'watchOrders': True,
                'watchPositions': True,
                'watchTicker': True,
                'watchTickers': True,
                'watchTrades': True,
                'watchTradesForSymbols': True,
            },
            'options': {
                'tradesLimit': 1000,
                'ordersLimit': 1000,
                'OHLCVLimit': 1000,
                'bookLevels': BOOK_LEVELS,
                'healPause': 1000,      # ms between two attempts to get a whole book again
            },
            'streaming': {
                'ping': self.ping,
                'keepAlive': 20000,
            },
        })

    def ping(self, client):
        return {'op': 'ping'}

    def stream_url(self, base):
        return self.implode_hostname(self.urls['api']['ws']) + '/' + base

    def base_of_url(self, url):
        return 'spot' if url.endswith('/spot') else 'perps'

    def type_of(self, client):
        return 'spot' if self.base_of_url(client.url) == 'spot' else 'swap'

    def subscription(self, params):
        """A request to subscribe, with an id by which its refusal finds those who wait."""
        id = self.safe_integer(self.options, 'requestId', 0) + 1
        self.options['requestId'] = id
        return {'op': 'subscribe', 'id': id, 'params': params}

    async def watch_markets(self, channel, prefix, symbols, more={}):
        """Waits for a message of one of the symbols of one base; subscribes to those that are new."""
        first = self.market(symbols[0])
        base = self.market_type_path(first)
        hashes = []
        ids = []
        for symbol in symbols:
            market = self.market(symbol)
            if self.market_type_path(market) != base:
                raise ArgumentsRequired(self.id + ' streams of spot and of perpetuals are watched apart')
            hashes.append(prefix + ':' + market['symbol'])
            ids.append(market['id'])
        request = self.subscription(self.extend({'channel': channel, 'symbols': ids}, more))
        asked = {'id': request['id'], 'hashes': hashes}
        return await self.watch_multiple(self.stream_url(base), hashes, request, hashes, asked)

    async def watch_account(self, channel, base, hash):
        """Waits for a message of the account on a base."""
        self.check_required_credentials()
        params = {'channel': channel, 'user': self.walletAddress}
        accountId = await self.account_id()
        params['accountID'] = self.parse_to_int(accountId)
        request = self.subscription(params)
        return await self.watch(
            self.stream_url(base), hash, request, channel, {'id': request['id'], 'hashes': [hash]})

    def handle_message(self, client, message):
        op = self.safe_string(message, 'op')
        if op == 'pong':
            client.lastPong = self.milliseconds()
            return
        if op is not None:
            self.handle_acknowledgement(client, message)
            return
        channel = self.safe_string(message, 'channel')
        if channel == 'ticker' or channel == 'allTicker':
            self.handle_tickers(client, message, 'ticker')
        elif channel == 'bookTicker' or channel == 'allBookTicker':
            self.handle_tickers(client, message, 'bidask')
        elif channel == 'trade':
            self.handle_trades(client, message)
        elif channel == 'l4Book':
            self.handle_order_book(client, message)
        elif channel == 'candle':
            self.handle_ohlcv(client, message)
        elif channel == 'accountState':
            self.handle_account_state(client, message)
        elif channel == 'accountOrderUpdate':
            self.handle_order(client, message)
        elif channel == 'accountTrade':
            self.handle_my_trade(client, message)

    def handle_acknowledgement(self, client, message):
        """A refused subscription ends the waits for it."""
        refused = self.safe_string(message, 'op') == 'error' or self.safe_bool(message, 'success') is False
        if not refused:
            return
        error = ExchangeError(self.id + ' ' + self.json(message))
        id = self.safe_string(message, 'id', '')
        names = list(client.subscriptions.keys())
        for name in names:
            # What the connection keeps of a subscription: the request that asked for it, and who waits for that.
            asked = self.safe_dict(client.subscriptions, name, {})
            if self.safe_string(asked, 'id') == id:
                del client.subscriptions[name]
                for hash in asked['hashes']:
                    client.reject(error, hash)

    async def watch_ticker(self, symbol, params={}):
        await self.load_markets()
        symbol = self.symbol(symbol)
        tickers = await self.watch_tickers([symbol], params)
        return tickers[symbol]

    async def watch_tickers(self, symbols=None, params={}):
        return await self.watch_all_or_some('ticker', 'allTicker', 'ticker', symbols, params)

    async def watch_bids_asks(self, symbols=None, params={}):
        return await self.watch_all_or_some('bookTicker', 'allBookTicker', 'bidask', symbols, params)

    async def watch_all_or_some(self, channel, all, prefix, symbols, params):
        await self.load_markets()
        symbols = self.market_symbols(symbols, None, True, True)
        if symbols is not None and len(symbols) > 0:
            ticker = await self.watch_markets(channel, prefix, symbols, params)
            if self.newUpdates:
                result = {}
                result[ticker['symbol']] = ticker
                return result
        else:
            base, rest = self.base_of('watchTickers', None, params)
            request = self.subscription(self.extend({'channel': all}, rest))
            changed = await self.watch(self.stream_url(base), prefix + 's', request, all)
            if self.newUpdates:
                return changed
        kept = self.tickers if prefix == 'ticker' else self.bidsasks
        return self.filter_by_array(kept, 'symbol', symbols)

    def handle_tickers(self, client, message, prefix):
        rows = self.safe_list(message, 'data', [])
        changed = {}
        for row in rows:
            market = self.safe_market(self.safe_string(row, 's'), None, None, self.type_of(client))
            symbol = market['symbol']
            ticker = self.parse_stream_ticker(row, market)
            changed[symbol] = ticker
            if prefix == 'ticker':
                self.tickers[symbol] = ticker
            else:
                self.bidsasks[symbol] = ticker
            client.resolve(ticker, prefix + ':' + symbol)
        client.resolve(changed, prefix + 's')

    def parse_stream_ticker(self, row, market):
        timestamp = self.safe_integer(row, 'E')
        last = self.omit_zero(self.safe_string(row, 'c'))
        return self.safe_ticker({
            'symbol': market['symbol'],
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'high': self.omit_zero(self.safe_string(row, 'h')),
            'low': self.omit_zero(self.safe_string(row, 'l')),
            'bid': self.omit_zero(self.safe_string(row, 'b')),
            'bidVolume': self.omit_zero(self.safe_string(row, 'B')),
            'ask': self.omit_zero(self.safe_string(row, 'a')),
            'askVolume': self.omit_zero(self.safe_string(row, 'A')),
            'vwap': None,
            'open': self.omit_zero(self.safe_string(row, 'o')),
            'close': last,
            'last': last,
            'previousClose': None,
            'change': self.safe_string(row, 'p'),
            'percentage': self.safe_string(row, 'P'),
            'average': None,
            'baseVolume': self.safe_string(row, 'v'),
            'quoteVolume': self.safe_string(row, 'q'),
            'info': row,
        }, market)

    async def watch_trades(self, symbol, since=None, limit=None, params={}):
        return await self.watch_trades_for_symbols([symbol], since, limit, params)

    async def watch_trades_for_symbols(self, symbols, since=None, limit=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, None, False, True)
        trades = await self.watch_markets('trade', 'trade', symbols, params)
        if self.newUpdates:
            first = self.safe_dict(trades, 0, {})
            limit = trades.getLimit(self.safe_string(first, 'symbol'), limit)
        return self.filter_by_since_limit(trades, since, limit, 'timestamp', True)

    def handle_trades(self, client, message):
        rows = self.safe_list(message, 'data', [])
        if self.safe_string(message, 'type') == 'snapshot':
            rows = self.reversed(rows)      # it comes newest first
        touched = {}
        for row in rows:
            market = self.safe_market(self.safe_string(row, 's'), None, None, self.type_of(client))
            symbol = market['symbol']
            if not (symbol in self.trades):
                self.trades[symbol] = ArrayCache(self.options['tradesLimit'])
            trade = self.parse_trade(row, market)
            if self.is_newer(self.trades[symbol], trade):
                self.trades[symbol].append(trade)
            touched[symbol] = True
        symbols = list(touched.keys())
        for name in symbols:
            client.resolve(self.trades[name], 'trade:' + name)

    def is_newer(self, trades, trade):
        """Whether a trade is not among those that are kept; a snapshot after a reconnect repeats some."""
        count = len(trades)
        if count == 0:
            return True
        return Precise.string_gt(trade['id'], trades[count - 1]['id'])

    async def watch_ohlcv(self, symbol, timeframe='1m', since=None, limit=None, params={}):
        await self.load_markets()
        market = self.market(symbol)
        interval = self.safe_string(self.timeframes, timeframe, timeframe)
        bars = await self.watch_markets(
            'candle', 'candle:' + interval, [market['symbol']], self.extend({'interval': interval}, params))
        if self.newUpdates:
            limit = bars.getLimit(market['symbol'], limit)
        return self.filter_by_since_limit(bars, since, limit, 0, True)

    def handle_ohlcv(self, client, message):
        row = self.safe_dict(message, 'data', {})
        market = self.safe_market(self.safe_string(row, 's'), None, None, self.type_of(client))
        symbol = market['symbol']
        interval = self.safe_string(row, 'i')
        timeframe = self.find_timeframe(interval)
        self.ohlcvs[symbol] = self.safe_dict(self.ohlcvs, symbol, {})
        if not (timeframe in self.ohlcvs[symbol]):
            self.ohlcvs[symbol][timeframe] = ArrayCacheByTimestamp(self.options['OHLCVLimit'])
        kept = self.ohlcvs[symbol][timeframe]
        kept.append(self.parse_ohlcv(row, market))
        client.resolve(kept, 'candle:' + interval + ':' + symbol)

    async def watch_order_book(self, symbol, limit=None, params={}):
        return await self.watch_order_book_for_symbols([symbol], limit, params)

    async def watch_order_book_for_symbols(self, symbols, limit=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, None, False, True)
        book = await self.watch_markets(
            'l4Book', 'book', symbols, self.extend({'level': self.options['bookLevels']}, params))
        return book.limit() if limit is None else self.limited(book, limit)

    def limited(self, book, limit):
        """The best levels of a book, which itself keeps all of them."""
        whole = book.limit()
        return self.extend(whole, {'bids': whole['bids'][0:limit], 'asks': whole['asks'][0:limit]})

    def handle_order_book(self, client, message):
        data = self.safe_dict(message, 'data', {})
        market = self.safe_market(self.safe_string(data, 's'), None, None, self.type_of(client))
        symbol = market['symbol']
        hash = 'book:' + symbol
        last = self.safe_integer(data, 'u')
        timestamp = self.safe_integer(data, 'E')
        if self.safe_string(message, 'type') == 'snapshot':
            book = self.order_book({})
            snapshot = self.parse_order_book(data, symbol, timestamp, 'b', 'a')
            snapshot['nonce'] = last
            book.reset(snapshot)
            self.orderbooks[symbol] = book
            client.resolve(book, hash)
            return
        if not (symbol in self.orderbooks):
            self.heal(client, market)   # it was given up and a snapshot is on its way, or was lost
            return
        kept = self.orderbooks[symbol]
        if last <= kept['nonce']:
            return                      # it came twice
        if self.safe_integer(data, 'U') != kept['nonce'] + 1:
            # A gap: the book is not right any more. A new subscription begins with a snapshot.
            del self.orderbooks[symbol]
            self.heal(client, market)
            return
        self.apply_levels(kept['asks'], self.safe_list(data, 'a', []))
        self.apply_levels(kept['bids'], self.safe_list(data, 'b', []))
        kept['nonce'] = last
        kept['timestamp'] = timestamp
        kept['datetime'] = self.iso8601(timestamp)
        client.resolve(kept, hash)

    def apply_levels(self, side, levels):
        for level in levels:
            side.storeArray([self.safe_number(level, 0), self.safe_number(level, 1)])

    def heal(self, client, market):
        """Subscribes to a book again, unless that was done less than healPause ago."""
        times = self.safe_dict(self.options, 'healedAt', {})
        now = self.milliseconds()
        if now - self.safe_integer(times, market['symbol'], 0) < self.options['healPause']:
            return
        times[market['symbol']] = now
        self.options['healedAt'] = times
        self.spawn(self.subscribe_again, client, market)

    async def subscribe_again(self, client, market):
        params = {'channel': 'l4Book', 'symbols': [market['id']], 'level': self.options['bookLevels']}
        request = self.subscription(params)
        await client.send(self.extend(request, {'op': 'unsubscribe'}))
        await client.send(request)

    async def watch_balance(self, params={}):
        await self.load_markets()
        base, rest = self.base_of('watchBalance', None, params)
        return await self.watch_account('accountState', base, 'balance:' + base)

    async def watch_positions(self, symbols=None, since=None, limit=None, params={}):
        """Open positions when they change; one that was closed comes once more with contracts 0."""
        await self.load_markets()
        symbols = self.market_symbols(symbols, 'swap', True)
        changed = await self.watch_account('accountState', 'perps', 'positions')
        if self.newUpdates:
            return self.filter_by_array(changed, 'symbol', symbols, False)
        return self.filter_by_symbols_since_limit(self.positions, symbols, since, limit, True)

    def handle_account_state(self, client, message):
        data = self.safe_dict(message, 'data', {})
        base = self.base_of_url(client.url)
        timestamp = self.safe_integer(data, 'blockTime')
        balance = {'info': data, 'timestamp': timestamp, 'datetime': self.iso8601(timestamp)}
        rows = self.safe_list(data, 'B', [])
        for row in rows:
            account = self.account()
            if base == 'spot':
                account['total'] = self.safe_string(row, 't')
                account['used'] = self.safe_string(row, 'l')
            else:
                account['total'] = self.safe_string(row, 'wb')
                account['free'] = self.safe_string(row, 'aw')
            balance[self.safe_currency_code(self.safe_string(row, 'a'))] = account
        self.balance = self.safe_balance(balance)
        client.resolve(self.balance, 'balance:' + base)
        if base == 'perps':
            self.handle_positions(client, data)

    def handle_positions(self, client, data):
        if self.positions is None:
            self.positions = ArrayCacheBySymbolBySide()
        open = {}
        changed = []
        rows = self.safe_list(data, 'P', [])
        for row in rows:
            position = self.parse_stream_position(row)
            open[position['symbol'] + position['side']] = True
            changed.append(position)
        for kept in self.positions:
            if not ((kept['symbol'] + kept['side']) in open) and kept['contracts'] != 0:
                changed.append(self.extend(kept, {'contracts': self.parse_number('0')}))
        for position in changed:
            self.positions.append(position)
        client.resolve(changed, 'positions')

    def parse_stream_position(self, row):
        """A position of the state: the mark is what its profit says."""
        size = self.safe_string(row, 'sz')
        entry = self.safe_string(row, 'ep')
        profit = self.safe_string(row, 'ur')
        mark = Precise.string_add(entry, Precise.string_div(profit, size))
        isolated = self.safe_string(row, 'iw')
        leverage = self.safe_string(row, 'l')
        notional = Precise.string_mul(Precise.string_abs(size), mark)
        margin = Precise.string_div(notional, leverage)
        return self.parse_position({
            'symbol': self.safe_string(row, 's'),
            'id': self.safe_string(row, 'i'),
            'size': size,
            'avgEntryPrice': entry,
            'markPrice': mark,
            'leverage': leverage,
            'initialMargin': margin,
            'margin': margin if isolated is None else isolated,
            'unrealizedPnl': profit,
            'realizedPnL': self.safe_string(row, 'cr'),
            'liquidationPrice': self.safe_string(row, 'lp'),
            'marginMode': self.safe_string(row, 'm'),
            'createdAt': self.safe_integer(row, 'ct'),
            'updatedAt': self.safe_integer(row, 'ut'),
        })

    async def watch_orders(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('watchOrders', symbol, params)
        hash = 'orders:' + base
        if market is not None:
            hash = 'orders:' + base + ':' + market['symbol']
        orders = await self.watch_account('accountOrderUpdate', base, hash)
        name = None if market is None else market['symbol']
        if self.newUpdates:
            limit = orders.getLimit(name, limit)
        return self.filter_by_symbol_since_limit(orders, name, since, limit, True)

    def handle_order(self, client, message):
        row = self.safe_dict(message, 'data', {})
        market = self.safe_market(self.safe_string(row, 's'), None, None, self.type_of(client))
        if self.orders is None:
            self.orders = ArrayCacheBySymbolById(self.options['ordersLimit'])
        self.orders.append(self.parse_order(row, market))
        base = self.base_of_url(client.url)
        client.resolve(self.orders, 'orders:' + base)
        client.resolve(self.orders, 'orders:' + base + ':' + market['symbol'])

    async def watch_my_trades(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('watchMyTrades', symbol, params)
        hash = 'myTrades:' + base
        if market is not None:
            hash = 'myTrades:' + base + ':' + market['symbol']
        trades = await self.watch_account('accountTrade', base, hash)
        name = None if market is None else market['symbol']
        if self.newUpdates:
            limit = trades.getLimit(name, limit)
        return self.filter_by_symbol_since_limit(trades, name, since, limit, True)

    def handle_my_trade(self, client, message):
        row = self.safe_dict(message, 'data', {})
        market = self.safe_market(self.safe_string(row, 's'), None, None, self.type_of(client))
        if self.myTrades is None:
            self.myTrades = ArrayCacheBySymbolById(self.options['tradesLimit'])
        self.myTrades.append(self.parse_trade(row, market))
        base = self.base_of_url(client.url)
        client.resolve(self.myTrades, 'myTrades:' + base)
        client.resolve(self.myTrades, 'myTrades:' + base + ':' + market['symbol'])
