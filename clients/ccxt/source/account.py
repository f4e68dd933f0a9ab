# SPDX-License-Identifier: MIT
"""The account: balances, trades, positions, leverage, fees, transfers."""
from .orders import Orders
from ccxt.base.errors import ArgumentsRequired, BadRequest, InvalidOrder
from ccxt.base.precise import Precise

BRIDGE = 999
MARGIN_MODES = {'isolated': 1, 'cross': 2}


class Account(Orders):

    async def fetch_accounts(self, params={}):
        self.check_required_credentials()
        request = {'userAddress': self.walletAddress}
        data = await self.read('user/{userAddress}/subaccounts', self.extend(request, params), 20)
        rows = self.safe_list(data, 'subaccounts', [])
        primary = self.safe_string(data, 'primaryAccountID')
        result = []
        for row in rows:
            id = self.safe_string(row, 'id')
            result.append({
                'id': id,
                'type': 'main' if id == primary else 'subaccount',
                'code': None,
                'name': None,
                'info': row,
            })
        return result

    async def fetch_balance(self, params={}):
        await self.load_markets()
        type, rest = self.handle_market_type_and_params('fetchBalance', None, params)
        base = 'spot' if type == 'spot' else 'perps'
        data = await self.read(base + '/accounts/{userAddress}/balances', await self.account_params(rest), 5)
        return self.parse_balance(data)

    def parse_balance(self, response):
        timestamp = self.safe_integer(response, 'blockTime')
        result = {'info': response, 'timestamp': timestamp, 'datetime': self.iso8601(timestamp)}
        rows = self.safe_list(response, 'balances', [])
        for row in rows:
            account = self.account()
            account['total'] = self.safe_string(row, 'total')
            account['used'] = self.safe_string(row, 'locked')
            result[self.safe_currency_code(self.safe_string(row, 'coin'))] = account
        return self.safe_balance(result)

    async def raw_my_trades(self, base, market, since, limit, params):
        request = await self.account_params()
        if market is not None:
            request['symbol'] = market['id']
        if since is not None:
            request['startTime'] = since
        until = self.safe_integer(params, 'until')
        if until is not None:
            request['endTime'] = until
        if limit is not None:
            request['limit'] = min(limit, 1000)
        path = base + '/accounts/{userAddress}/trades'
        return await self.read(path, self.extend(request, self.omit(params, 'until')), 45)

    async def fetch_my_trades(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('fetchMyTrades', symbol, params)
        return self.parse_trades(await self.raw_my_trades(base, market, since, limit, rest), market, since, limit)

    async def fetch_order_trades(self, id, symbol=None, since=None, limit=None, params={}):
        return await self.fetch_my_trades(symbol, since, limit, self.extend({'orderID': id}, params))

    async def fetch_positions(self, symbols=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, 'swap', True)
        data = await self.read('perps/accounts/{userAddress}/positions', await self.account_params(params), 5)
        return self.parse_positions(self.safe_list(data, 'positions', []), symbols)

    async def fetch_position(self, symbol, params={}):
        await self.load_markets()
        market = self.require_swap('fetchPosition', symbol)
        positions = await self.fetch_positions([symbol], self.extend({'symbol': market['id']}, params))
        return self.safe_value(positions, 0)

    async def fetch_positions_history(self, symbols=None, since=None, limit=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, 'swap', True)
        request = await self.account_params(params)
        if since is not None:
            request['startTime'] = since
        if limit is not None:
            request['limit'] = min(limit, 500)
        rows = await self.read('perps/accounts/{userAddress}/positions/history', request, 45)
        return self.filter_by_since_limit(self.parse_positions(rows, symbols), since, limit)

    def maintenance_margin(self, market, notional):
        """Maintenance margin of a notional by the tiers of the symbol, as a string."""
        tiers = self.safe_list(market['info'], 'marginTiers', [])
        for tier in tiers:
            if Precise.string_le(notional, self.safe_string(tier, 'maxNotionalValue')):
                rate = self.safe_string(tier, 'maintenanceMarginRate')
                return Precise.string_sub(
                    Precise.string_mul(notional, rate), self.safe_string(tier, 'maintenanceDeduction'))
        return None

    def parse_position(self, position, market=None):
        market = self.safe_market(self.safe_string(position, 'symbol'), market, None, 'swap')
        size = self.safe_string(position, 'size')
        created = self.safe_integer(position, 'createdAt')
        mark = self.omit_zero(self.safe_string(position, 'markPrice'))
        contracts = Precise.string_abs(size)
        notional = None
        maintenance = None
        if mark is not None:
            notional = Precise.string_mul(contracts, mark)
            maintenance = self.maintenance_margin(market, notional)
        rate = None
        if maintenance is not None and Precise.string_gt(notional, '0'):
            rate = Precise.string_div(maintenance, notional)
        leverage = self.safe_string(position, 'leverage')
        return self.safe_position({
            'info': position,
            'id': self.safe_string(position, 'id'),
            'symbol': market['symbol'],
            'timestamp': created,
            'datetime': self.iso8601(created),
            'lastUpdateTimestamp': self.safe_integer(position, 'updatedAt'),
            'hedged': False,
            'side': 'short' if size.startswith('-') else 'long',
            'contracts': self.parse_number(contracts),
            'contractSize': self.parse_number('1'),
            'entryPrice': self.safe_number(position, 'avgEntryPrice'),
            'markPrice': self.parse_number(mark),
            'notional': self.parse_number(notional),
            'leverage': self.parse_number(leverage),
            'collateral': self.safe_number(position, 'margin'),
            'initialMargin': self.parse_number(self.omit_zero(self.safe_string(position, 'initialMargin'))),
            'initialMarginPercentage': self.parse_number(Precise.string_div('1', leverage)),
            'maintenanceMargin': self.parse_number(maintenance),
            'maintenanceMarginPercentage': self.parse_number(rate),
            'unrealizedPnl': self.safe_number(position, 'unrealizedPnl'),
            'realizedPnl': self.safe_number(position, 'realizedPnL'),
            'liquidationPrice': self.parse_number(self.omit_zero(self.safe_string(position, 'liquidationPrice'))),
            'marginMode': self.safe_string_lower(position, 'marginMode'),
            'marginRatio': None,
            'stopLossPrice': None,
            'takeProfitPrice': None,
        })

    async def perps_settings(self):
        """Leverage and margin mode by the id of a market, as the account chose them."""
        data = await self.read('perps/accounts/{userAddress}/state', await self.account_params(), 5)
        return self.index_by(self.safe_list(data, 'S', []), 's')

    def parse_leverage(self, leverage, market=None):
        number = self.safe_integer(leverage, 'l', self.safe_integer(market['info'], 'initLeverage'))
        return {
            'info': leverage,
            'symbol': market['symbol'],
            'marginMode': self.safe_string_lower(leverage, 'm', 'cross'),
            'longLeverage': number,
            'shortLeverage': number,
        }

    async def fetch_leverages(self, symbols=None, params={}):
        await self.load_markets()
        symbols = self.market_symbols(symbols, 'swap', True)
        settings = await self.perps_settings()
        result = {}
        for symbol in self.symbols:
            market = self.market(symbol)
            if market['swap'] and (symbols is None or self.in_array(symbol, symbols)):
                result[symbol] = self.parse_leverage(self.safe_dict(settings, market['id'], {}), market)
        return result

    async def fetch_leverage(self, symbol, params={}):
        await self.load_markets()
        market = self.require_swap('fetchLeverage', symbol)
        settings = await self.perps_settings()
        return self.parse_leverage(self.safe_dict(settings, market['id'], {}), market)

    async def fetch_margin_mode(self, symbol, params={}):
        leverage = await self.fetch_leverage(symbol, params)
        return {'info': leverage['info'], 'symbol': leverage['symbol'], 'marginMode': leverage['marginMode']}

    async def set_leverage(self, leverage, symbol=None, params={}):
        """Sets the leverage, and params.marginMode or the margin mode that there is."""
        await self.load_markets()
        market = self.require_swap('setLeverage', symbol)
        mode = self.safe_string(params, 'marginMode')
        if mode is None:
            current = await self.fetch_leverage(symbol)
            mode = current['marginMode']
        return await self.update_leverage(market, leverage, mode)

    async def set_margin_mode(self, marginMode, symbol=None, params={}):
        """Sets the margin mode, and params.leverage or the leverage that there is."""
        await self.load_markets()
        market = self.require_swap('setMarginMode', symbol)
        leverage = self.safe_integer(params, 'leverage')
        if leverage is None:
            current = await self.fetch_leverage(symbol)
            leverage = current['longLeverage']
        return await self.update_leverage(market, leverage, marginMode.lower())

    async def update_leverage(self, market, leverage, mode):
        if not (mode in MARGIN_MODES):
            raise BadRequest(self.id + ' the margin mode is isolated or cross, not ' + mode)
        request = {
            'symbolID': market['numericId'],
            'leverage': self.parse_to_int(leverage),
            'marginMode': MARGIN_MODES[mode],
        }
        accountId = await self.account_id()
        return await self.write('perps/trade/leverage', 'POST', self.account_body(accountId, request))

    async def add_margin(self, symbol, amount, params={}):
        return await self.modify_margin(symbol, self.number_to_string(amount), 'add')

    async def reduce_margin(self, symbol, amount, params={}):
        return await self.modify_margin(symbol, Precise.string_neg(self.number_to_string(amount)), 'reduce')

    async def modify_margin(self, symbol, amount, type):
        await self.load_markets()
        market = self.require_swap(type + 'Margin', symbol)
        accountId = await self.account_id()
        request = {'symbolID': market['numericId'], 'amount': amount}
        response = await self.write('perps/trade/margin', 'POST', self.account_body(accountId, request))
        return {
            'info': response,
            'type': type,
            'marginMode': 'isolated',
            'symbol': market['symbol'],
            'amount': self.parse_number(Precise.string_abs(amount)),
            'total': None,
            'code': market['settle'],
            'status': 'ok',
            'timestamp': self.safe_integer(response, 'timestamp'),
            'datetime': self.iso8601(self.safe_integer(response, 'timestamp')),
        }

    async def fetch_trading_fee(self, symbol, params={}):
        await self.load_markets()
        market = self.market(symbol)
        path = self.market_type_path(market) + '/accounts/{userAddress}/fee-rate'
        request = await self.account_params(self.extend({'symbol': market['id']}, params))
        return self.parse_trading_fee(await self.read(path, request, 2), market)

    async def fetch_trading_fees(self, params={}):
        await self.load_markets()
        result = {}
        for symbol in self.symbols:
            result[symbol] = await self.fetch_trading_fee(symbol, params)
        return result

    def parse_trading_fee(self, fee, market=None):
        return {
            'info': fee,
            'symbol': market['symbol'],
            'maker': self.safe_number(fee, 'makerFeeRate'),
            'taker': self.safe_number(fee, 'takerFeeRate'),
            'percentage': True,
            'tierBased': True,
        }

    async def fetch_funding_history(self, symbol=None, since=None, limit=None, params={}):
        """What positions paid (below 0) and got (above 0) at each hour."""
        await self.load_markets()
        request = await self.account_params(params)
        market = None
        if symbol is not None:
            market = self.require_swap('fetchFundingHistory', symbol)
            request['symbol'] = market['id']
        if since is not None:
            request['startTime'] = since
        if limit is not None:
            request['limit'] = min(limit, 1000)
        rows = await self.read('perps/accounts/{userAddress}/fundings', request, 70)
        result = []
        for row in rows:
            result.append(self.parse_income(row, market))
        sorted = self.sort_by(result, 'timestamp')
        return self.filter_by_since_limit(sorted, since, limit)

    def parse_income(self, info, market=None):
        timestamp = self.safe_integer(info, 'timestamp')
        position = self.safe_string(info, 'positionID')
        return {
            'info': info,
            'symbol': self.safe_symbol(self.safe_string(info, 'symbol'), market, None, 'swap'),
            'code': self.safe_currency_code(self.safe_string(info, 'feeCoin')),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'id': position + '-' + self.number_to_string(timestamp),
            'amount': self.parse_number(Precise.string_neg(self.safe_string(info, 'fundingFee'))),
            'rate': self.safe_number(info, 'fundingRate'),
        }

    async def transfer(self, code, amount, fromAccount, toAccount, params={}):
        """Moves money between `spot` and `swap`, or from `spot` to `evm`, the ledger of the owner."""
        await self.load_markets()
        currency = self.currency(code)
        types = {'spot>swap': 3, 'swap>spot': 5, 'spot>evm': 2}
        way = fromAccount + '>' + toAccount
        if not (way in types):
            raise BadRequest(self.id + ' transfer() moves from spot to swap, swap to spot or spot to evm, not ' + way)
        base = 'perps' if fromAccount == 'swap' else 'spot'
        text = self.currency_to_precision(code, amount)
        request = {
            'id': self.safe_integer(params, 'id', self.nonce()),
            'fromAccountID': self.parse_to_int(await self.account_id()),
            'toAccountID': BRIDGE,
            'coinID': currency['numericId'],
            'amount': text,
            'type': types[way],
        }
        response = await self.write(base + '/accounts/transfers', 'POST', request, 10)
        timestamp = self.safe_integer(response, 'timestamp')
        return {
            'info': response,
            'id': self.number_to_string(request['id']),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'currency': code,
            'amount': self.parse_number(text),
            'fromAccount': fromAccount,
            'toAccount': toAccount,
            'status': 'ok',
        }
