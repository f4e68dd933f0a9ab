# SPDX-License-Identifier: MIT
"""Orders: placing, changing, canceling, reading."""
from .markets import Markets
from ccxt.base.decimal_to_precision import DECIMAL_PLACES, TRUNCATE
from ccxt.base.errors import ArgumentsRequired, InvalidOrder, NotSupported, OrderNotFound, RequestTimeout

TIMES_IN_FORCE = {'GTC': 1, 'IOC': 3, 'PO': 4, 'GTX': 4}
TRIGGER_TYPES = {'last': 1, 'mark': 2, 'index': 3}
STOP_LOSS = 1
TAKE_PROFIT = 2


class Orders(Markets):

    def client_order_id(self, params):
        given = self.safe_string_2(params, 'clientOrderId', 'clOrdID')
        return self.uuid22() if given is None else given

    def account_body(self, accountId, body):
        """A body with the account in front; without an account the signer's primary one is meant."""
        if accountId is None:
            return body
        return self.extend({'accountID': self.parse_to_int(accountId)}, body)

    async def account_id(self):
        """The account that trades: the option accountId, or the primary account of walletAddress."""
        if self.options['accountId'] is None:
            self.check_required_credentials()
            data = await self.read(
                'user/{userAddress}/subaccounts', {'userAddress': self.walletAddress}, 20)
            self.options['accountId'] = self.safe_string(data, 'primaryAccountID')
        return self.options['accountId']

    async def account_params(self, params={}):
        """The parameters of a read of the account."""
        request = {'userAddress': self.walletAddress}
        self.check_required_credentials()
        if self.options['accountId'] is not None:
            request['accountID'] = self.options['accountId']
        return self.extend(request, params)

    def time_in_force(self, type, params):
        """The number of timeInForce, which a market order has as IOC."""
        postOnly = self.safe_bool(params, 'postOnly', False)
        text = self.safe_string_upper(params, 'timeInForce')
        if type == 'market':
            if postOnly or (text is not None and text != 'IOC'):
                raise InvalidOrder(self.id + ' createOrder() a market order is IOC')
            return TIMES_IN_FORCE['IOC']
        if postOnly:
            if text is not None and text != 'PO' and text != 'GTX' and text != 'GTC':
                raise InvalidOrder(self.id + ' createOrder() a post-only order cannot be ' + text)
            return TIMES_IN_FORCE['PO']
        if text is None:
            return TIMES_IN_FORCE['GTC']
        if not (text in TIMES_IN_FORCE):
            raise InvalidOrder(self.id + ' createOrder() timeInForce ' + text + ' is not supported')
        return TIMES_IN_FORCE[text]

    def order_core(self, market, type, side, amount, price, params):
        """type, timeInForce and the amounts of an order, in the order of the interface."""
        if type != 'limit' and type != 'market':
            raise InvalidOrder(self.id + ' createOrder() the type is limit or market, not ' + type)
        if side != 'buy' and side != 'sell':
            raise InvalidOrder(self.id + ' createOrder() the side is buy or sell')
        item = {
            'side': 1 if side == 'buy' else 2,
            'type': 1 if type == 'limit' else 2,
            'timeInForce': self.time_in_force(type, params),
        }
        if type == 'limit':
            if price is None:
                raise ArgumentsRequired(self.id + ' createOrder() requires a price for a limit order')
            item['price'] = self.price_to_precision(market['symbol'], price)
        else:
            worst = self.safe_value(params, 'worstPrice')
            if worst is not None:
                item['price'] = self.price_to_precision(market['symbol'], worst)
        cost = self.safe_string(params, 'cost')
        if cost is not None:
            if type != 'market' or side != 'buy':
                raise InvalidOrder(self.id + ' createOrder() cost is for market buys only')
            decimals = self.safe_integer(market['info'], 'quoteCoinPrecision')
            item['funds'] = self.decimal_to_precision(cost, TRUNCATE, decimals, DECIMAL_PLACES)
        elif amount is not None:
            item['quantity'] = self.amount_to_precision(market['symbol'], amount)
        return item

    def spot_item(self, market, type, side, amount, price, params):
        names = ['triggerPrice', 'stopPrice', 'stopLossPrice', 'takeProfitPrice', 'stopLoss', 'takeProfit']
        for name in names:
            if self.safe_value(params, name) is not None:
                raise NotSupported(self.id + ' createOrder() ' + name + ' is not offered on spot')
        if self.safe_bool(params, 'reduceOnly', False):
            raise NotSupported(self.id + ' createOrder() reduceOnly is not offered on spot')
        named = {'symbolID': market['numericId'], 'clOrdID': self.client_order_id(params)}
        return self.extend(named, self.order_core(market, type, side, amount, price, params))

    def trigger_of(self, side, params):
        """stopPrice and stopType of an order that waits for a price; None without one."""
        stopLoss = self.safe_value(params, 'stopLossPrice')
        takeProfit = self.safe_value(params, 'takeProfitPrice')
        trigger = self.safe_value_2(params, 'triggerPrice', 'stopPrice')
        if stopLoss is not None:
            return [stopLoss, STOP_LOSS]
        if takeProfit is not None:
            return [takeProfit, TAKE_PROFIT]
        if trigger is None:
            return None
        # A buy fires above and a sell below as a STOP_LOSS, the other way round as a TAKE_PROFIT (mechanics 4.1).
        direction = self.safe_string(params, 'triggerDirection')
        if direction is None:
            return [trigger, STOP_LOSS]
        ascending = direction == 'ascending' or direction == 'up'
        return [trigger, STOP_LOSS if ascending == (side == 'buy') else TAKE_PROFIT]

    def stop_fields(self, market, trigger, params):
        kind = self.safe_string(params, 'triggerPriceType', self.options['triggerPriceType'])
        if not (kind in TRIGGER_TYPES):
            raise InvalidOrder(self.id + ' createOrder() triggerPriceType is last, mark or index, not ' + kind)
        return {
            'stopPrice': self.price_to_precision(market['symbol'], trigger[0]),
            'stopType': trigger[1],
            'triggerType': TRIGGER_TYPES[kind],
        }

    def perps_items(self, market, type, side, amount, price, params):
        """The items of one order: itself, or a BRACKET and its one or two ATTACHED_STOPs."""
        core = self.order_core(market, type, side, amount, price, params)
        trigger = self.trigger_of(side, params)
        stopLoss = self.safe_dict(params, 'stopLoss')
        takeProfit = self.safe_dict(params, 'takeProfit')
        bracket = stopLoss is not None or takeProfit is not None
        if bracket and trigger is not None:
            raise InvalidOrder(self.id + ' createOrder() a trigger order cannot have stopLoss or takeProfit attached')
        # A stop that a price of its own closes positions with only reduces; a trigger order does what it says.
        closing = self.safe_value_2(params, 'stopLossPrice', 'takeProfitPrice') is not None
        reduceOnly = self.safe_bool(params, 'reduceOnly', closing)
        modifier = 1
        stop = {}
        if trigger is not None:
            modifier = 2
            stop = self.stop_fields(market, trigger, params)
        elif bracket:
            modifier = 3
        clientOrderId = self.client_order_id(params)
        end = {'reduceOnly': reduceOnly, 'positionSide': 1}
        item = self.extend({'clOrdID': clientOrderId, 'modifier': modifier}, core, stop, end)
        items = [item]
        if takeProfit is not None:
            items.append(self.attached_item(market, side, takeProfit, TAKE_PROFIT, params))
        if stopLoss is not None:
            items.append(self.attached_item(market, side, stopLoss, STOP_LOSS, params))
        return items

    def attached_item(self, market, side, attached, stopType, params):
        price = self.safe_value_2(attached, 'price', 'limitPrice')
        type = self.safe_string(attached, 'type', 'market' if price is None else 'limit')
        opposite = 'sell' if side == 'buy' else 'buy'
        core = self.order_core(market, type, opposite, self.safe_value(attached, 'amount'), price, attached)
        trigger = [self.safe_value_2(attached, 'triggerPrice', 'stopPrice'), stopType]
        if trigger[0] is None:
            raise ArgumentsRequired(self.id + ' createOrder() stopLoss and takeProfit require a triggerPrice')
        named = {'clOrdID': self.client_order_id(attached), 'modifier': 4}
        stop = self.stop_fields(market, trigger, self.extend(self.trigger_type_of(params), attached))
        return self.extend(named, core, stop, {'reduceOnly': True, 'positionSide': 1})

    def trigger_type_of(self, params):
        kind = self.safe_string(params, 'triggerPriceType')
        if kind is None:
            return {}
        return {'triggerPriceType': kind}

    async def place(self, items, markets):
        """
        Sends orders, each of the market in its place; the result of each. After a lost reply the orders themselves are
        the answer.
        """
        market = markets[0]
        accountId = await self.account_id()
        cost = 1 + self.parse_to_int(len(items) / 40)
        body = {}
        path = None
        if market['spot']:
            path = 'spot/trade/orders/batch'
            body = {'orders': items}
        else:
            path = 'perps/trade/orders'
            body = {'symbolID': market['numericId'], 'orders': items}
        response = await self.write(path, 'POST', self.account_body(accountId, body), cost)
        if self.safe_value(response, 'executedBefore') is None:
            return self.safe_list(response, 'data', [])
        results = []
        for i in range(0, len(items)):
            results.append(await self.found_order(markets[i], items[i]['clOrdID']))
        return results

    async def found_order(self, market, clientOrderId):
        """The result of an order whose reply was lost."""
        order = await self.raw_order_again(market, None, clientOrderId)
        if order is None:
            return {
                'code': '40402',
                'clOrdID': clientOrderId,
                'error': 'the order was refused; the reply with the reason was lost',
            }
        return self.extend({'code': '0'}, order)

    async def raw_order_again(self, market, id, clientOrderId):
        """
        find_raw_order after a lost reply. The request was executed, and the exception of a read that fails would say
        that it was not.
        """
        try:
            return await self.find_raw_order(market, id, clientOrderId)
        except Exception as e:
            name = id if clientOrderId is None else clientOrderId
            raise RequestTimeout(
                self.id + ' the request was executed, but its reply was lost and the order ' + name
                + ' cannot be read: ask for it before you send it again: ' + self.message_of(e))

    def placed_order(self, result, item, market):
        """The order of a result of placing."""
        if self.safe_string(result, 'status') is not None and self.safe_string(result, 'executedQty') is not None:
            return self.parse_order(result, market)
        marker = self.safe_integer(item, 'type')
        refused = self.safe_string(result, 'code') != '0'
        status = self.safe_string(result, 'status')
        # The answer tells how much was executed where that is nothing or all of it.
        filled = None
        if status == 'NEW':
            filled = '0'
        elif status == 'FILLED':
            filled = self.safe_string(item, 'quantity')
        stop = self.safe_number(item, 'stopPrice')
        isLoss = self.safe_integer(item, 'stopType') == STOP_LOSS
        return self.safe_order({
            'id': self.safe_string(result, 'orderID'),
            'clientOrderId': self.safe_string(item, 'clOrdID'),
            'symbol': market['symbol'],
            'type': 'limit' if marker == 1 else 'market',
            'side': 'buy' if self.safe_integer(item, 'side') == 1 else 'sell',
            'timeInForce': self.parse_time_in_force(self.safe_string(item, 'timeInForce')),
            'postOnly': self.safe_integer(item, 'timeInForce') == 4,
            'reduceOnly': self.safe_bool(item, 'reduceOnly'),
            'price': self.safe_string(item, 'price') if marker == 1 else None,
            'amount': self.safe_string(item, 'quantity'),
            'triggerPrice': stop,
            'stopLossPrice': stop if isLoss else None,
            'takeProfitPrice': None if isLoss else stop,
            'filled': filled,
            'status': 'rejected' if refused else self.parse_order_status(status),
            'info': result,
        }, market)

    async def create_order(self, symbol, type, side, amount, price=None, params={}):
        await self.load_markets()
        market = self.market(symbol)
        items = []
        if market['spot']:
            items = [self.spot_item(market, type, side, amount, price, params)]
        else:
            items = self.perps_items(market, type, side, amount, price, params)
        markets = []
        for item in items:
            markets.append(market)
        results = await self.place(items, markets)
        first = self.safe_dict(results, 0, {})
        self.item_error(first)
        return self.placed_order(first, items[0], market)

    async def create_market_buy_order_with_cost(self, symbol, cost, params={}):
        return await self.create_order(symbol, 'market', 'buy', None, None, self.extend({'cost': cost}, params))

    async def create_orders(self, orders, params={}):
        """One request, one market, 1 to 100 orders; each succeeds or fails alone, one that fails is `rejected`."""
        await self.load_markets()
        market = None
        items = []
        markets = []
        for order in orders:
            symbol = self.safe_string(order, 'symbol')
            if market is None:
                market = self.market(symbol)
            if self.market(symbol)['symbol'] != market['symbol'] and not (market['spot'] and self.market(symbol)['spot']):
                raise InvalidOrder(self.id + ' createOrders() takes orders of one perpetual, or of spot symbols')
            markets.append(self.market(symbol))
            own = self.extend(params, self.safe_dict(order, 'params', {}))
            type = self.safe_string(order, 'type')
            side = self.safe_string(order, 'side')
            amount = self.safe_value(order, 'amount')
            price = self.safe_value(order, 'price')
            if market['spot']:
                items.append(self.spot_item(self.market(symbol), type, side, amount, price, own))
            else:
                made = self.perps_items(market, type, side, amount, price, own)
                if len(made) > 1:
                    raise NotSupported(self.id + ' createOrders() a bracket is placed alone: use createOrder()')
                items.append(made[0])
        if market is None:
            raise ArgumentsRequired(self.id + ' createOrders() requires orders')
        results = await self.place(items, markets)
        placed = []
        for i in range(0, len(results)):
            placed.append(self.placed_order(results[i], items[i], markets[i]))
        return placed

    async def edit_order(self, id, symbol, type, side, amount=None, price=None, params={}):
        """
        Changes a limit order, or, with triggerPrice, stopLossPrice, takeProfitPrice or trigger, a stop that has not
        fired. The order keeps its id.
        """
        await self.load_markets()
        self.require_symbol('editOrder', symbol)
        market = self.market(symbol)
        accountId = await self.account_id()
        stop = self.safe_value_n(params, ['triggerPrice', 'stopPrice', 'stopLossPrice', 'takeProfitPrice'])
        if stop is not None or self.safe_bool(params, 'trigger', False):
            return await self.modify_stop(market, id, accountId, type, amount, price, stop, params)
        alias = self.safe_string(params, 'newClientOrderId')
        item = {
            'symbolID': market['numericId'],
            'clOrdID': self.uuid22() if alias is None else alias,
        }
        item = self.extend(item, self.target_of(id, params, 'origOrderID', 'origClOrdID'))
        if price is not None:
            item['price'] = self.price_to_precision(symbol, price)
        if amount is not None:
            item['quantity'] = self.amount_to_precision(symbol, amount)
        path = self.market_type_path(market) + '/trade/orders/replace'
        response = await self.write(path, 'POST', self.account_body(accountId, {'orders': [item]}))
        result = self.safe_dict(self.safe_list(response, 'data', []), 0)
        if result is None:
            return await self.fetch_order(id, symbol, params)
        self.item_error(result)
        return self.safe_order({
            'id': self.safe_string(result, 'orderID'),
            'clientOrderId': self.safe_string(params, 'clientOrderId'),
            'symbol': market['symbol'],
            'type': type,
            'side': side,
            'amount': self.safe_string(item, 'quantity'),
            'price': self.safe_string(item, 'price'),
            'status': self.parse_order_status(self.safe_string(result, 'status')),
            'info': result,
        }, market)

    async def modify_stop(self, market, id, accountId, type, amount, price, stop, params):
        if market['spot']:
            raise NotSupported(self.id + ' editOrder() there are no stops on spot')
        request = {'symbolID': market['numericId']}
        request = self.extend(request, self.target_of(id, params, 'orderID', 'clOrdID'))
        # Of a market order the interface has the worst price there, which createOrder calls worstPrice too.
        limit = self.safe_value(params, 'worstPrice') if type == 'market' else price
        if limit is not None:
            request['price'] = self.price_to_precision(market['symbol'], limit)
        if amount is not None:
            request['quantity'] = self.amount_to_precision(market['symbol'], amount)
        if stop is not None:
            request['stopPrice'] = self.price_to_precision(market['symbol'], stop)
        await self.write('perps/trade/orders/modify', 'POST', self.account_body(accountId, request))
        return await self.fetch_order(id, market['symbol'], params)

    def target_of(self, id, params, idKey, clientKey):
        """The key of a request that names an order."""
        result = {}
        clientOrderId = self.safe_string_2(params, 'clientOrderId', 'clOrdID')
        if clientOrderId is not None:
            result[clientKey] = clientOrderId
        elif id is None:
            raise ArgumentsRequired(self.id + ' requires an order id or a clientOrderId')
        else:
            result[idKey] = self.parse_to_int(id)
        return result

    async def cancel_order(self, id, symbol=None, params={}):
        ids = [id]
        results = await self.cancel_targets('cancelOrder', symbol, [self.cancel_item_params(ids[0], params)])
        self.item_error(results[0]['info'])
        return results[0]

    def cancel_item_params(self, id, params):
        return {'id': id, 'params': params}

    async def cancel_orders(self, ids, symbol=None, params={}):
        """Cancels orders of one symbol by id, or by params.clientOrderIds; each succeeds or fails alone."""
        targets = []
        clientOrderIds = self.safe_list(params, 'clientOrderIds')
        if clientOrderIds is not None:
            for clientOrderId in clientOrderIds:
                targets.append(self.cancel_item_params(None, {'clientOrderId': clientOrderId}))
        else:
            for id in ids:
                targets.append(self.cancel_item_params(id, {}))
        return await self.cancel_targets('cancelOrders', symbol, targets)

    async def cancel_targets(self, method, symbol, targets):
        await self.load_markets()
        self.require_symbol(method, symbol)
        market = self.market(symbol)
        accountId = await self.account_id()
        items = []
        for target in targets:
            item = {'symbolID': market['numericId']}
            if market['spot']:
                item['clOrdID'] = self.uuid22()
                item = self.extend(item, self.target_of(target['id'], target['params'], 'orderID', 'origClOrdID'))
            else:
                item = self.extend(item, self.target_of(target['id'], target['params'], 'orderID', 'clOrdID'))
            items.append(item)
        path = 'spot/trade/orders/batch' if market['spot'] else 'perps/trade/orders'
        cost = 1 + self.parse_to_int(len(items) / 40)
        response = await self.write(path, 'DELETE', self.account_body(accountId, {'cancels': items}), cost)
        results = self.safe_list(response, 'data')
        orders = []
        for i in range(0, len(items)):
            result = {'code': '0'}
            clientOrderId = self.safe_string(targets[i]['params'], 'clientOrderId')
            if results is None:
                # The reply was lost and the request executed: what the order became is its answer.
                raw = await self.raw_order_again(market, targets[i]['id'], clientOrderId)
                result = self.extend({'code': '0' if self.is_canceled(raw) else '40402'}, raw)
            else:
                result = results[i]
            canceled = self.safe_string(result, 'code') == '0'
            orders.append(self.safe_order({
                'id': self.safe_string(result, 'orderID', targets[i]['id']),
                'clientOrderId': clientOrderId,
                'symbol': market['symbol'],
                'status': 'canceled' if canceled else None,
                'info': result,
            }, market))
        return orders

    def is_canceled(self, raw):
        """One that was filled before the cancel came was not."""
        return raw is not None and self.parse_order_status(self.safe_string(raw, 'status')) == 'canceled'

    async def cancel_all_orders(self, symbol=None, params={}):
        """Cancels every open order of a symbol, or of all symbols of a market type, in batches."""
        await self.load_markets()
        market = None
        if symbol is not None:
            market = self.market(symbol)
        open = await self.fetch_open_orders(symbol, None, None, params)
        bySymbol = self.group_by(open, 'symbol')
        symbols = list(bySymbol.keys())
        result = []
        for name in symbols:
            ids = []
            for order in bySymbol[name]:
                ids.append(order['id'])
            for start in range(0, len(ids), 100):
                batch = ids[start:start + 100]
                result = self.array_concat(result, await self.cancel_orders(batch, name))
        return result

    async def cancel_all_orders_after(self, timeout, params={}):
        """The dead man's switch of a market type: cancels all orders `timeout` ms from now; 0 takes that back."""
        await self.load_markets()
        type, rest = self.handle_market_type_and_params('cancelAllOrdersAfter', None, params)
        accountId = await self.account_id()
        request = {}
        if timeout > 0:
            request['scheduledTimestamp'] = self.milliseconds() - self.options['timeDifference'] + timeout
        base = 'spot' if type == 'spot' else 'perps'
        body = self.account_body(accountId, self.extend(request, rest))
        return await self.write(base + '/trade/orders/schedule-cancel', 'POST', body)

    async def raw_open_orders(self, base, market):
        request = await self.account_params()
        if market is not None:
            request['symbol'] = market['id']
        data = await self.read(base + '/accounts/{userAddress}/orders', request, 5)
        return self.safe_list(data, 'orders', [])

    async def raw_ended_orders(self, base, market, since, limit, params):
        request = await self.account_params()
        if market is not None:
            request['symbol'] = market['id']
        if since is not None:
            request['startTime'] = since
        until = self.safe_integer(params, 'until')
        if until is not None:
            request['endTime'] = until
        if limit is not None:
            request['limit'] = min(limit, 500)
        path = base + '/accounts/{userAddress}/orders/history'
        return await self.read(path, self.extend(request, self.omit(params, 'until')), 45)

    async def find_raw_order(self, market, id, clientOrderId):
        """An order by its id or its client id: open, or ended, however long ago; None when there is none."""
        base = self.market_type_path(market)
        key = 'orderID' if clientOrderId is None else 'clOrdID'
        wanted = id if clientOrderId is None else clientOrderId
        rows = await self.raw_open_orders(base, market)
        more = {}
        for row in rows:
            if self.safe_string(row, key) == wanted:
                return row
        while True:
            rows = await self.raw_ended_orders(base, market, None, 500, more)
            for row in rows:
                if self.safe_string(row, key) == wanted:
                    return row
            if len(rows) == 0:
                return None
            more = {'fromID': self.safe_string(rows[len(rows) - 1], 'orderID')}

    async def fetch_order(self, id, symbol=None, params={}):
        await self.load_markets()
        self.require_symbol('fetchOrder', symbol)
        market = self.market(symbol)
        clientOrderId = self.safe_string_2(params, 'clientOrderId', 'clOrdID')
        raw = await self.find_raw_order(market, id, clientOrderId)
        if raw is None:
            raise OrderNotFound(
                self.id + ' fetchOrder() there is no order ' + (id if clientOrderId is None else clientOrderId))
        return self.parse_order(raw, market)

    async def market_and_base(self, method, symbol, params):
        await self.load_markets()
        market = None
        if symbol is not None:
            market = self.market(symbol)
        type, rest = self.handle_market_type_and_params(method, market, params)
        return [market, 'spot' if type == 'spot' else 'perps', rest]

    async def fetch_open_orders(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('fetchOpenOrders', symbol, params)
        return self.parse_orders(await self.raw_open_orders(base, market), market, since, limit)

    async def fetch_canceled_and_closed_orders(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('fetchCanceledAndClosedOrders', symbol, params)
        return self.parse_orders(await self.raw_ended_orders(base, market, since, limit, rest), market, since, limit)

    async def fetch_closed_orders(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('fetchClosedOrders', symbol, params)
        orders = self.parse_orders(await self.raw_ended_orders(base, market, since, 500, rest), market, since)
        closed = self.filter_by(orders, 'status', 'closed')
        return self.filter_by_since_limit(closed, since, limit)

    async def fetch_orders(self, symbol=None, since=None, limit=None, params={}):
        market, base, rest = await self.market_and_base('fetchOrders', symbol, params)
        open = await self.raw_open_orders(base, market)
        ended = await self.raw_ended_orders(base, market, since, limit, rest)
        return self.parse_orders(self.array_concat(ended, open), market, since, limit)

    def parse_order_status(self, status):
        statuses = {
            'NEW': 'open',
            'PENDING_NEW': 'open',
            'PARTIALLY_FILLED': 'open',
            'TRIGGERED': 'open',
            'FILLED': 'closed',
            'CANCELED': 'canceled',
            'EXPIRED': 'canceled',
            'REJECTED': 'rejected',
        }
        return self.safe_string(statuses, status, status)

    def parse_time_in_force(self, text):
        times = {'1': 'GTC', '3': 'IOC', '4': 'PO', 'GTX': 'PO'}
        return self.safe_string(times, text, text)

    def parse_order(self, order, market=None):
        """An order of a read, whose keys are words, or of a stream, whose keys are letters."""
        if self.safe_string(order, 'orderID') is None:
            order = self.order_of_stream(order)
        market = self.safe_market(self.safe_string(order, 'symbol'), market)
        timestamp = self.safe_integer(order, 'createdAt')
        time = self.safe_string(order, 'timeInForce')
        stop = self.omit_zero(self.safe_string(order, 'stopPrice'))
        stopType = self.safe_string(order, 'stopType')
        status = self.parse_order_status(self.safe_string(order, 'status'))
        updated = self.safe_integer(order, 'updatedAt')
        filled = self.safe_string(order, 'executedQty')
        # The worst price of a market order is in info.
        limited = self.safe_string(order, 'type') == 'LIMIT'
        return self.safe_order({
            'id': self.safe_string(order, 'orderID'),
            'clientOrderId': self.safe_string(order, 'clOrdID'),
            'timestamp': timestamp,
            'datetime': self.iso8601(timestamp),
            'lastTradeTimestamp': None,
            'lastUpdateTimestamp': updated,
            'symbol': market['symbol'],
            'type': self.safe_string_lower(order, 'type'),
            'timeInForce': self.parse_time_in_force(time),
            'postOnly': time == 'GTX',
            'reduceOnly': self.safe_bool(order, 'reduceOnly'),
            'side': self.safe_string_lower(order, 'side'),
            'price': self.omit_zero(self.safe_string(order, 'price')) if limited else None,
            'triggerPrice': stop,
            'stopLossPrice': stop if stopType == 'STOP_LOSS' else None,
            'takeProfitPrice': stop if stopType == 'TAKE_PROFIT' else None,
            'amount': self.omit_zero(self.safe_string(order, 'origQty')),
            'cost': self.safe_string(order, 'executedValue'),
            'filled': filled,
            'remaining': None,
            'average': None,
            'status': status,
            'fee': None,
            'trades': None,
            'info': self.safe_dict(order, 'raw', order),
        }, market)

    def order_of_stream(self, order):
        """The words of an order's letters."""
        return {
            'symbol': self.safe_string(order, 's'),
            'orderID': self.safe_string(order, 'i', ''),
            'clOrdID': self.safe_string(order, 'c'),
            'side': self.safe_string(order, 'S'),
            'type': self.safe_string(order, 'o'),
            'timeInForce': self.safe_string(order, 'f'),
            'price': self.safe_string(order, 'p'),
            'origQty': self.safe_string(order, 'q'),
            'status': self.safe_string(order, 'X'),
            'executedQty': self.safe_string(order, 'z'),
            'executedValue': self.safe_string(order, 'v'),
            'reduceOnly': self.safe_bool(order, 'R'),
            'stopPrice': self.safe_string(order, 'sp'),
            'stopType': self.safe_string(order, 'st'),
            'createdAt': self.safe_integer(order, 'ct'),
            'updatedAt': self.safe_integer(order, 'ut'),
            'raw': order,
        }
