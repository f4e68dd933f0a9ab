# SPDX-License-Identifier: MIT
"""What ccxt's routines do not look at: signatures, errors, lost replies, the parameters of orders, a book that heals.
One text for the class with async, without it and in JavaScript.

checks.py CONFIG MODE, MODE one of sync, async, javascript. CONFIG: {hostname, accounts, folder, vectors}.
"""
import asyncio
import http.server
import inspect
import json
import sys
import threading
import urllib.request

import ccxt
from dojima_ccxt import dojima
from dojima_ccxt.async_support.description import ERRORS, HAS
from dojima_ccxt.pro import dojima as streaming

SPOT, SWAP, OTHER = 'BTC/USDC', 'BTC/USDC:USDC', 'ETH/USDC:USDC'


async def answer(outcome):
    return await outcome if inspect.isawaitable(outcome) else outcome


async def refused(kind, outcome):
    """The exception that must come, of this very kind; its text."""
    try:
        got = await answer(outcome())
    except ccxt.BaseError as error:
        assert type(error) is kind, f'{type(error).__name__} in place of {kind.__name__}: {error}'
        return str(error)
    raise AssertionError(f'{kind.__name__} did not come: {got}')


class Venue:
    """Power over the development exchange."""

    def __init__(self, hostname):
        self.url = f'http://{hostname}/rpc'

    def rpc(self, method, *params):
        body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params}).encode()
        request = urllib.request.Request(self.url, body, {'Content-Type': 'application/json'})
        reply = json.load(urllib.request.urlopen(request, timeout=20))
        assert 'error' not in reply, reply
        return reply['result']

    def fault(self, kind, **rule):
        return self.rpc('dojima_chaosAdd', {'fault': kind, **rule})


class Losing:
    """Passes requests on to the exchange, but for the replies to new orders: the first is lost, and those behind it
    refuse the nonce."""

    def __init__(self, hostname, details):
        losing = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):                                   # noqa: N802
                self.passed(None)

            def do_DELETE(self):                                # noqa: N802
                self.do_POST()

            def do_POST(self):                                  # noqa: N802
                body = self.rfile.read(int(self.headers['Content-Length']))
                order = self.command == 'POST' and 'orders' in self.path
                losing.writes += order
                if not order or losing.writes == 1:
                    self.passed(body, lost=order)
                else:
                    self.reply(200, json.dumps({'code': 40102, 'timestamp': 1, 'error': 'nonce is invalid',
                                                'details': details}).encode())

            def passed(self, body, lost=False):
                """Carries a request out."""
                headers = {name: value for name, value in self.headers.items()
                           if name.startswith('X-') or name == 'Content-Type'}
                url = f'http://{hostname}{self.path}'
                request = urllib.request.Request(url, body, headers, method=self.command)
                with urllib.request.urlopen(request, timeout=20) as answer:
                    self.close_connection = True
                    if not lost:
                        self.reply(answer.status, answer.read())

            def reply(self, status, raw):
                self.send_response(status)
                self.send_header('Content-Type', 'application/json')
                self.send_header('Content-Length', str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.writes = 0
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.hostname = f'127.0.0.1:{self.server.server_port}'

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Checks:

    def __init__(self, given, mode):
        self.given, self.mode, self.venue = given, mode, Venue(given['hostname'])
        self.account = given['accounts'][5 + ['sync', 'async', 'javascript'].index(mode)]
        self.config = {'hostname': given['hostname'], 'enableRateLimit': False, 'timeout': 3000,
                       'walletAddress': self.account['address'], 'privateKey': self.account['privateKey']}
        self.open = []

    async def exchange(self, **more):
        config = {**self.config, **more}
        if self.mode == 'sync':
            return dojima(config)
        if self.mode == 'javascript':
            from javascript import JavaScript
            made = await JavaScript(config).start(self.given['folder'], config)
        else:
            made = streaming(config)
        self.open.append(made)
        return made

    async def signatures(self):
        """Every vector of an action verifies bit for bit."""
        vectors = [row for row in json.load(open(self.given['vectors'])) if row.get('domain') in ('spot', 'futures')]
        exchange = await self.exchange(privateKey='0x' + '0123456789' * 6 + '0123')
        seen = 0
        for row in vectors:
            payload = json.loads(row['json'])
            if not row['json'].startswith('{"type":"' + str(payload.get('type'))) or row.get('xApiSign') is None:
                continue
            body = row['json'][len('{"type":"' + payload['type'] + '","params":'):-1]
            made = await answer(exchange.sign_action(payload['type'], body, row['domain'], int(row['nonce']),
                                                     int(row['chainId'])))
            assert made == row['xApiSign'], row['label']
            seen += 1
        assert seen >= 15, seen

    async def refusals(self):
        x = await self.exchange()
        await answer(x.load_markets())
        await refused(ccxt.BadSymbol, lambda: x.fetch_ticker('NO/USDC'))
        text = await refused(ccxt.InvalidOrder, lambda: x.create_order(SPOT, 'limit', 'buy', 0.001, 1960000))
        assert 'price is outside the limit band' in text and '"field":"price"' in text, text
        await refused(ccxt.InsufficientFunds, lambda: x.create_order('ETH/USDC', 'limit', 'sell', 2000, 4100))
        await refused(ccxt.InsufficientFunds, lambda: x.create_order(SWAP, 'limit', 'buy', 300, 99000))
        await refused(ccxt.OrderNotFound, lambda: x.cancel_order('999999999', SPOT))
        await refused(ccxt.OrderNotFound, lambda: x.fetch_order('999999999', SPOT))
        await refused(ccxt.InvalidOrder, lambda: x.create_order(SPOT, 'limit', 'buy', 1, 9e4, {'timeInForce': 'FOK'}))
        await refused(ccxt.NotSupported, lambda: x.create_order(SPOT, 'market', 'buy', 1, None, {'triggerPrice': 1}))
        await refused(ccxt.OrderImmediatelyFillable,
                      lambda: x.create_order(SWAP, 'limit', 'buy', 0.01, 104000, {'postOnly': True}))
        await refused(ccxt.InvalidOrder, lambda: x.create_order(SWAP, 'market', 'buy', 1, None, {'reduceOnly': True}))
        one = {'clientOrderId': 'twice-' + self.mode}
        await answer(x.create_order(SPOT, 'limit', 'buy', 0.001, 97000, one))
        await refused(ccxt.DuplicateOrderId, lambda: x.create_order(SPOT, 'limit', 'buy', 0.001, 97000, one))
        await answer(x.cancel_order(None, SPOT, one))
        wrong = await self.exchange(privateKey='0x' + '11' * 32)
        await refused(ccxt.AuthenticationError, lambda: wrong.create_order(SPOT, 'market', 'buy', 0.001))
        named = await self.exchange(apiKey='nobody', options={'accountId': self.account['accountID']})
        await refused(ccxt.AuthenticationError, lambda: named.create_order(SPOT, 'market', 'buy', 0.001))

    async def away(self):
        """An exchange that is not there is a NetworkError, for reads and, after asking again, for writes."""
        x = await self.exchange(hostname='127.0.0.1:9', options={
            'lostReplyRetries': 1, 'lostReplyPause': 10, 'accountId': self.account['accountID']})
        try:
            await answer(x.fetch_time())
            raise AssertionError('there is an exchange at port 9')
        except ccxt.NetworkError:
            pass
        body = {'accountID': self.account['accountID'], 'cancels': []}
        if self.mode != 'javascript':
            text = await refused(ccxt.RequestTimeout, lambda: x.write('spot/trade/orders/batch', 'DELETE', body))
            assert 'outcome unknown' in text and 'nonce' in text, text

    async def lost_replies(self):
        """The outcome of a write without a reply is found out, and nothing is executed twice."""
        x = await self.exchange(timeout=1000)
        await answer(x.load_markets())
        before = await answer(x.fetch_balance())
        for fault in ('drop-reply', 'reset-after', 'reset-before'):
            rule = self.venue.fault(fault, path='orders', method='POST', count=1)
            order = await answer(x.create_order(SPOT, 'limit', 'buy', 0.001, 96000))
            assert order['id'] is not None, order
            assert (order['status'], order['filled'], order['remaining']) == ('open', 0, 0.001), (fault, order)
            mine = await answer(x.fetch_open_orders(SPOT))
            assert [row['id'] for row in mine] == [order['id']], (fault, mine)
            self.acted(rule)
            rule = self.venue.fault(fault, path='orders', method='DELETE', count=1)
            gone = await answer(x.cancel_order(order['id'], SPOT))
            assert gone['status'] == 'canceled', gone
            assert await answer(x.fetch_open_orders(SPOT)) == []
            self.acted(rule)
        # A refusal whose reply was lost: the order is not there, and that is said.
        rule = self.venue.fault('drop-reply', path='orders', method='POST', count=1)
        await refused(ccxt.OrderNotFound, lambda: x.create_order(SPOT, 'limit', 'buy', 0.001, 1960000))
        self.acted(rule)
        rule = self.venue.fault('reset-after', path='transfers', method='POST', count=1)
        await answer(x.transfer('USDC', 25, 'spot', 'swap'))
        self.acted(rule)
        after = await answer(x.fetch_balance())
        assert before['USDC']['total'] - after['USDC']['total'] == 25, (before['USDC'], after['USDC'])
        await answer(x.transfer('USDC', 25, 'swap', 'spot'))

    async def lost_and_read(self):
        """What became of each order of a request without a reply, and that a read which fails is no refusal of it."""
        x = await self.exchange(timeout=1000)
        await answer(x.load_markets())
        orders = [{'symbol': 'ETH/USDC', 'type': 'limit', 'side': 'buy', 'amount': 0.01, 'price': 3500},
                  {'symbol': SPOT, 'type': 'limit', 'side': 'buy', 'amount': 0.001, 'price': 96000}]
        for given in (orders, orders[::-1]):        # of two symbols
            rule = self.venue.fault('reset-after', path='orders', method='POST', count=1)
            placed = await answer(x.create_orders(given))
            assert all(row['status'] == 'open' and row['id'] is not None for row in placed), placed
            self.acted(rule)
            await answer(x.cancel_all_orders('ETH/USDC'))
            await answer(x.cancel_all_orders(SPOT))
        filled = await answer(x.create_order(SPOT, 'market', 'buy', 0.001))
        self.venue.fault('reset-after', path='orders', method='DELETE', count=1)
        gone = await answer(x.cancel_orders([filled['id']], SPOT))
        assert [row['status'] for row in gone] == [None], gone      # it was filled before
        self.venue.fault('reset-after', path='orders', method='DELETE', count=1)
        await refused(ccxt.OrderNotFound, lambda: x.cancel_order(filled['id'], SPOT))
        self.venue.rpc('dojima_chaosClear')
        for fault in ('429', '503', '500'):
            self.venue.fault('reset-after', path='orders', method='POST', count=1)
            self.venue.fault(fault, path='orders', method='GET')
            name = f'unread-{fault}-{self.mode}'
            text = await refused(ccxt.RequestTimeout, lambda: x.create_order(
                SPOT, 'limit', 'buy', 0.001, 96000, {'clientOrderId': name}))
            assert 'executed' in text and name in text, text
            self.venue.rpc('dojima_chaosClear')
            order = await answer(x.fetch_order(None, SPOT, {'clientOrderId': name}))
            self.venue.fault('reset-after', path='orders', method='DELETE', count=1)
            self.venue.fault(fault, path='orders', method='GET')
            await refused(ccxt.RequestTimeout, lambda: x.cancel_order(order['id'], SPOT))
            self.venue.rpc('dojima_chaosClear')
            assert await answer(x.fetch_open_orders(SPOT)) == []

    async def forgotten(self):
        """A nonce that the exchange has forgotten behind newer ones says nothing of the write whose reply was lost."""
        for details in ({'reason': 'too small', 'need': 'more than 7'}, {'reason': 'too old'}, {'reason': 'used'}):
            with Losing(self.given['hostname'], details) as losing:
                x = await self.exchange(hostname=losing.hostname, options={'lostReplyPause': 10})
                await answer(x.load_markets())
                kind = ccxt.InvalidNonce if details['reason'] == 'used' else ccxt.RequestTimeout
                text = await refused(kind, lambda: x.create_order(SPOT, 'limit', 'buy', 0.001, 96000))
                assert kind == ccxt.InvalidNonce or 'outcome unknown' in text and 'clOrdID' in text, text
                assert losing.writes == 2, losing.writes
                await answer(x.cancel_all_orders(SPOT))

    async def many_watches(self):
        """What is kept of subscriptions does not grow with the number of watches, and one that is refused is told."""
        if self.mode == 'sync':
            return
        wrong = await self.exchange()
        for _ in range(2):
            text = await refused(ccxt.ExchangeError, lambda: asyncio.wait_for(wrong.watch_ohlcv(SPOT, '7m'), 20))
            assert 'interval' in text, text
        if self.mode == 'javascript':
            return          # what it keeps cannot be reached from here; the text is the same
        x = await self.exchange()
        await x.load_markets()
        kept = []
        for _ in range(2):
            await asyncio.wait_for(asyncio.gather(*(x.watch_ticker(SPOT) for _ in range(1000))), 60)
            subscriptions = x.client(x.stream_url('spot')).subscriptions
            kept.append(sum(len(value) for value in x.options.values() if isinstance(value, dict)) + len(subscriptions))
        assert kept[0] == kept[1] and kept[0] < 100, kept

    def acted(self, rule):
        row = next(row for row in self.venue.rpc('dojima_chaosList') if row['id'] == rule['id'])
        assert row['acted'] == 1, row
        self.venue.rpc('dojima_chaosRemove', rule['id'])

    async def parameters(self):
        """What an order says arrives."""
        x = await self.exchange()
        await answer(x.load_markets())

        async def placed(symbol, type, side, amount, price, params):
            order = await answer(x.create_order(symbol, type, side, amount, price, params))
            return await answer(x.fetch_order(order['id'], symbol))

        order = await placed(SPOT, 'limit', 'buy', 0.001, 97000.04, {'postOnly': True, 'clientOrderId': 'po-' + self.mode})
        assert order['postOnly'] and order['timeInForce'] == 'PO' and order['price'] == 97000.0, order
        assert order['clientOrderId'] == 'po-' + self.mode
        answers = [await answer(x.create_order(SPOT, 'limit', 'buy', 0.001, 97000)),
                   await answer(x.create_order(SWAP, 'limit', 'buy', 0.01, 109000, {'triggerPrice': 109000})),
                   await answer(x.create_order(SPOT, 'market', 'buy', 0.001)),
                   await answer(x.create_order(SPOT, 'limit', 'buy', 0.001, 97000, {'timeInForce': 'IOC'}))]
        told = [(row['status'], row['filled']) for row in answers]
        assert told == [('open', 0), ('open', 0), ('closed', 0.001), ('canceled', None)], told
        moved = await answer(x.edit_order(answers[0]['id'], SPOT, 'limit', 'buy', 0.002, 97000))
        assert (moved['status'], moved['amount']) == ('open', 0.002), moved
        for row in answers[:2]:
            await answer(x.cancel_order(row['id'], row['symbol']))
        order = await placed(SPOT, 'limit', 'buy', 0.001, 97000, {'timeInForce': 'IOC'})
        assert (order['status'], order['filled'], order['timeInForce']) == ('canceled', 0, 'IOC'), order
        order = await answer(x.create_market_buy_order_with_cost(SPOT, 50))
        spent = await answer(x.fetch_order(order['id'], SPOT))
        assert 45 < spent['cost'] <= 50, spent
        order = await placed(SWAP, 'market', 'buy', 0.02, None, {})
        assert order['status'] == 'closed' and order['filled'] == 0.02, order
        stop = await placed(SWAP, 'market', 'sell', 0.01, None, {'stopLossPrice': 91000, 'triggerPriceType': 'index'})
        assert stop['reduceOnly'] and stop['stopLossPrice'] == 91000 and stop['info']['triggerType'] == 'INDEX_PRICE'
        moved = await answer(x.edit_order(stop['id'], SWAP, 'market', 'sell', None, None, {'stopLossPrice': 90500}))
        assert moved['id'] == stop['id'] and moved['triggerPrice'] == 90500, moved
        # The price of a market order is ignored, as in createOrder; its worst price has a name of its own.
        moved = await answer(x.edit_order(stop['id'], SWAP, 'market', 'sell', None, 90450, {'stopLossPrice': 90450}))
        assert moved['triggerPrice'] == 90450 and moved['info'].get('price') is None, moved
        moved = await answer(x.edit_order(stop['id'], SWAP, 'market', 'sell', None, None, {'trigger': True, 'worstPrice': 89000}))
        assert moved['triggerPrice'] == 90450 and moved['info']['price'] == '89000', moved
        assert moved['price'] is None, moved
        up = await placed(SWAP, 'limit', 'buy', 0.01, 109000, {'triggerPrice': 109000})
        moved = await answer(x.edit_order(up['id'], SWAP, 'limit', 'buy', 0.01, 109100, {'triggerPrice': 109050}))
        assert (moved['price'], moved['triggerPrice']) == (109100, 109050), moved
        assert up['info']['stopType'] == 'STOP_LOSS' and not up['reduceOnly'], up
        down = await placed(SWAP, 'limit', 'buy', 0.01, 95000, {'triggerPrice': 95000, 'triggerDirection': 'descending'})
        assert down['info']['stopType'] == 'TAKE_PROFIT', down
        await answer(x.create_order(SWAP, 'limit', 'buy', 0.01, 97000, {
            'takeProfit': {'triggerPrice': 112000, 'price': 111900}, 'stopLoss': {'triggerPrice': 89000}}))
        rows = await answer(x.fetch_open_orders(SWAP))
        kinds = sorted(row['info']['modifier'] for row in rows)
        assert kinds == ['ATTACHED_STOP', 'ATTACHED_STOP', 'BRACKET', 'STOP', 'STOP', 'STOP'], kinds
        position = await answer(x.fetch_position(SWAP))
        assert position['contracts'] == 0.02 and position['side'] == 'long' and position['marginMode'] == 'cross'
        await answer(x.cancel_all_orders(SWAP))
        assert await answer(x.fetch_open_orders(SWAP)) == []
        order = await placed(SWAP, 'market', 'sell', 0.02, None, {'reduceOnly': True})
        assert order['reduceOnly'] and order['filled'] == 0.02, order
        many = await answer(x.create_orders([
            {'symbol': SPOT, 'type': 'limit', 'side': 'buy', 'amount': 0.001, 'price': 97000 + i} for i in range(3)] + [
            {'symbol': SPOT, 'type': 'limit', 'side': 'buy', 'amount': 0.001, 'price': 1960000}]))
        assert [row['status'] for row in many] == ['open', 'open', 'open', 'rejected'], many
        gone = await answer(x.cancel_orders([row['id'] for row in many[:3]], SPOT))
        assert [row['status'] for row in gone] == ['canceled'] * 3, gone
        await answer(x.cancel_all_orders(SPOT))

    async def settings(self):
        x = await self.exchange()
        await answer(x.load_markets())
        await answer(x.set_leverage(7, OTHER))
        await answer(x.set_margin_mode('isolated', OTHER))
        leverage = await answer(x.fetch_leverage(OTHER))
        assert (leverage['longLeverage'], leverage['marginMode']) == (7, 'isolated'), leverage
        await answer(x.create_order(OTHER, 'market', 'buy', 0.1))
        before = (await answer(x.fetch_position(OTHER)))['collateral']
        await answer(x.add_margin(OTHER, 10))
        await answer(x.reduce_margin(OTHER, 4))
        assert abs((await answer(x.fetch_position(OTHER)))['collateral'] - before - 6) < 0.000001
        await answer(x.create_order(OTHER, 'market', 'sell', 0.1, None, {'reduceOnly': True}))
        rates = await answer(x.fetch_funding_rates())
        assert set(rates) >= {SWAP, OTHER} and rates[SWAP]['interval'] == '1h'
        rate = await answer(x.fetch_funding_rate(SWAP))
        assert rate['markPrice'] > 0 and rate['fundingTimestamp'] > 0
        assert (await answer(x.fetch_open_interest(SWAP)))['openInterestAmount'] > 0
        asks = await answer(x.fetch_bids_asks([SPOT]))
        assert asks[SPOT]['bid'] < asks[SPOT]['ask']
        trades = await answer(x.fetch_my_trades(OTHER))
        assert len(await answer(x.fetch_order_trades(trades[0]['order'], OTHER))) >= 1
        assert len(await answer(x.fetch_positions_history([OTHER]))) >= 1
        assert abs((await answer(x.fetch_time())) - x.milliseconds()) < 60000
        await answer(x.cancel_all_orders_after(60000))
        await answer(x.cancel_all_orders_after(0))

    async def clock(self):
        """A local clock that is days behind is corrected by the first refusal."""
        if self.mode == 'javascript':
            return          # its clock cannot be reached from here; the text is the same
        x = await self.exchange(options={'timeDifference': 4 * 86400 * 1000})
        order = await answer(x.create_order(SPOT, 'limit', 'buy', 0.001, 97000))
        await answer(x.cancel_order(order['id'], SPOT))
        assert abs(x.options['timeDifference']) < 60000, x.options['timeDifference']

    async def healing(self):
        """A book whose updates were left out is right again."""
        if self.mode == 'sync':
            return
        x = await self.exchange()
        await answer(x.load_markets())
        await x.watch_order_book(SWAP)
        rule = self.venue.fault('skip', channel='l4Book', every=5)
        for _ in range(40):
            await asyncio.wait_for(x.watch_order_book(SWAP), 20)
        acted = next(row for row in self.venue.rpc('dojima_chaosList') if row['id'] == rule['id'])['acted']
        self.venue.rpc('dojima_chaosRemove', rule['id'])
        assert acted > 0
        for _ in range(200):
            book = await asyncio.wait_for(x.watch_order_book(SWAP), 20)
            read = await x.fetch_order_book(SWAP, 1000)
            if read['nonce'] == book['nonce']:
                assert book['bids'] == read['bids'] and book['asks'] == read['asks']
                return
        raise AssertionError('the book is never where the read is')

    async def described(self):
        """Both languages describe the same."""
        if self.mode != 'javascript':
            return
        x = await self.exchange()
        theirs, ours = await x.describe_of(), streaming(self.config).describe()
        for key in ('id', 'name', 'version', 'rateLimit', 'hostname', 'urls', 'timeframes', 'api', 'requiredCredentials',
                    'precisionMode', 'fees', 'features'):
            assert theirs[key] == json.loads(json.dumps(ours[key])), key
        for key in ('has', 'options'):
            for name, value in ours[key].items():
                if key == 'options' or name in HAS or name.startswith('watch'):
                    assert theirs[key].get(name) == value, (key, name, theirs[key].get(name), value)
        assert theirs['exceptions']['exact'] == {code: kind.__name__ for code, kind in ERRORS.items()}

    async def run(self):
        for name in sys.argv[3:] or ('signatures', 'refusals', 'away', 'lost_replies', 'lost_and_read', 'forgotten',
                                     'parameters', 'settings', 'clock', 'healing', 'many_watches', 'described'):
            self.venue.rpc('dojima_chaosClear')
            await getattr(self, name)()
            print(f'{self.mode} {name}: passed', flush=True)
            for exchange in self.open:
                await exchange.close()
            self.open.clear()


if __name__ == '__main__':
    asyncio.run(Checks(json.load(open(sys.argv[1])), sys.argv[2]).run())
