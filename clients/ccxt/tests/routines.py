# SPDX-License-Identifier: MIT
"""ccxt's own published test routines (ccxt/test and ccxt/pro/test of its wheel) over the exchange class: without async,
async, streams, and the class in JavaScript.

routines.py CONFIG MODE, MODE one of sync, async, javascript, streams, javascript-streams. CONFIG is a JSON file with
{hostname, accounts, folder}, folder being that of bridge.mjs. Runs in an environment with ccxt and dojima_ccxt.
"""
import asyncio
import importlib
import inspect
import json
import sys

from dojima_ccxt import dojima
from dojima_ccxt.async_support import dojima as asynchronous
from dojima_ccxt.pro import dojima as streaming

SPOT, SWAP = 'BTC/USDC', 'BTC/USDC:USDC'
# What the routines presume of a large exchange: a development exchange has three coins, and money comes and goes
# through the EVM ledger. These are names of ccxt's own skip-tests.json.
SKIPS = {'fetch_currencies': {'amountOfCurrencies': True, 'activeMajorCurrencies': True}}

PUBLIC = {'features': [], 'after_construct': [], 'load_markets': [], 'fetch_currencies': [],
          'fetch_ticker': ['symbol'], 'fetch_tickers': ['symbol'], 'fetch_ohlcv': ['symbol'], 'fetch_trades': ['symbol'],
          'fetch_order_book': ['symbol'], 'fetch_l2_order_book': ['symbol'], 'fetch_status': []}
PRIVATE = {'fetch_balance': [], 'fetch_accounts': [], 'fetch_trading_fee': ['symbol'], 'fetch_trading_fees': [],
           'create_order': ['symbol'], 'fetch_orders': ['symbol'], 'fetch_open_orders': ['symbol'],
           'fetch_closed_orders': ['symbol'], 'fetch_my_trades': ['symbol']}
SWAP_ONLY = {'fetch_positions': ['symbol'], 'fetch_leverage_tiers': ['symbol'], 'fetch_margin_mode': ['symbol'],
             'fetch_market_leverage_tiers': ['symbol']}
STREAMS = {'watch_ticker': ['symbol'], 'watch_tickers': ['symbol'], 'watch_bids_asks': ['symbol'],
           'watch_ohlcv': ['symbol'], 'watch_trades': ['symbol'], 'watch_trades_for_symbols': ['symbols'],
           'watch_order_book': ['symbol'], 'watch_order_book_for_symbols': ['symbols'], 'watch_balance': ['code'],
           'watch_my_trades': ['symbol'], 'watch_orders': ['symbol']}
STREAMS_OF_SWAP = {'watch_positions': ['symbol']}


def routine(form, name):
    folder = 'ccxt.pro.test.Exchange' if form == 'streams' else f'ccxt.test.exchange.{form}'
    return getattr(importlib.import_module(f'{folder}.test_{name}'), f'test_{name}')


def plan(form, symbol):
    tables = [STREAMS] if form == 'streams' else [PUBLIC, PRIVATE]
    if symbol == SWAP:
        tables.append(STREAMS_OF_SWAP if form == 'streams' else SWAP_ONLY)
    words = {'symbol': symbol, 'symbols': [symbol, symbol.replace('BTC', 'ETH')], 'code': 'USDC'}
    for table in tables:
        for name, args in table.items():
            yield name, [words[arg] for arg in args]


def report(mode, symbol, name):
    print(f'{mode} {symbol} {name}: passed', flush=True)


def run_sync(config):
    for symbol in (SPOT, SWAP):
        exchange = dojima(config)
        exchange.options['defaultType'] = 'spot' if symbol == SPOT else 'swap'
        exchange.load_markets()
        for name, args in plan('sync', symbol):
            if name == 'create_order':
                asyncio.run(orders_of_all_kinds(exchange, symbol))
            else:
                routine('sync', name)(exchange, SKIPS.get(name, {}), *args)
            report('sync', symbol, name)


async def made(mode, config, folder, symbol):
    config = {**config, 'options': {'defaultType': 'spot' if symbol == SPOT else 'swap'}}
    if not mode.startswith('javascript'):
        return (streaming if mode == 'streams' else asynchronous)(config)
    from javascript import JavaScript
    return await JavaScript(config).start(folder, config)


async def run_async(mode, config, folder):
    for symbol in (SPOT, SWAP):
        exchange = await made(mode, config, folder, symbol)
        try:
            await exchange.load_markets()
            for name, args in plan('async', symbol):
                if name == 'create_order':
                    await orders_of_all_kinds(exchange, symbol)
                else:
                    await answer(routine('async', name)(exchange, SKIPS.get(name, {}), *args))
                report(mode, symbol, name)
        finally:
            await exchange.close()


async def answer(outcome):
    return await outcome if inspect.isawaitable(outcome) else outcome


async def orders_of_all_kinds(exchange, symbol):
    """
    What test_create_order does, judged by ccxt's test_order. That routine itself cannot run in Python in ccxt 4.5.84: it
    adds numbers to texts, names Error and indexes the exchange as JavaScript does.
    """
    test_order = importlib.import_module('ccxt.test.exchange.base.test_order').test_order

    def judge(order, status):
        test_order(exchange, {}, 'createOrder', order, symbol, exchange.milliseconds())
        assert order['status'] == status, order
        return order['id']

    book = await answer(exchange.fetch_order_book(symbol))
    for side, price in (('buy', book['bids'][0][0] * 0.96), ('sell', book['asks'][0][0] * 1.04)):
        price = float(exchange.price_to_precision(symbol, price))
        if side == 'buy' or symbol == SWAP:
            id = judge(await answer(exchange.create_order(symbol, 'limit', side, 0.001, price)), 'open')
            judge(await answer(exchange.fetch_order(id, symbol)), 'open')
            judge(await answer(exchange.edit_order(id, symbol, 'limit', side, 0.002, price)), 'open')
            judge(await answer(exchange.cancel_order(id, symbol)), 'canceled')
            judge(await answer(exchange.fetch_order(id, symbol)), 'canceled')
        id = judge(await answer(exchange.create_order(symbol, 'market', side, 0.001)), 'closed')
        filled = await answer(exchange.fetch_order(id, symbol))
        assert filled['status'] == 'closed' and filled['filled'] == filled['amount'] == 0.001, filled
        judge(filled, 'closed')
    await answer(exchange.create_order(symbol, 'market', 'buy', 0.001))         # something to own
    await answer(exchange.create_order(symbol, 'limit', 'buy', 0.001, price * 0.9))   # something open


async def trade_meanwhile(config, symbol):
    """Orders and trades of the account, so that its streams have something to say."""
    exchange = asynchronous(config)
    try:
        await exchange.load_markets()
        while True:
            for side in ('buy', 'sell'):
                await exchange.create_order(symbol, 'market', side, 0.002 if side == 'buy' else 0.001)
                await asyncio.sleep(0.4)
    finally:
        await exchange.close()


async def run_streams(mode, config, folder):
    for symbol in (SPOT, SWAP):
        exchange = await made(mode, config, folder, symbol)
        trader = asyncio.ensure_future(trade_meanwhile(config, symbol))
        try:
            await exchange.load_markets()
            # They watch for 15 seconds each, so all at once, as ccxt runs them.
            tests = [(name, routine('streams', name)(exchange, SKIPS.get(name, {}), *args))
                     for name, args in plan('streams', symbol)]
            await asyncio.wait_for(asyncio.gather(*(test for _, test in tests)), 100)
            for name, _ in tests:
                report(mode, symbol, name)
            assert not trader.done(), trader.exception()
        finally:
            trader.cancel()
            await exchange.close()


def main():
    given, mode = json.load(open(sys.argv[1])), sys.argv[2]
    account = given['accounts'][['sync', 'async', 'javascript', 'streams', 'javascript-streams'].index(mode)]
    config = {'hostname': given['hostname'], 'enableRateLimit': False, 'timeout': 30000,
              'walletAddress': account['address'], 'privateKey': account['privateKey']}
    if mode == 'sync':
        run_sync(config)
    elif mode.endswith('streams'):
        asyncio.run(run_streams(mode, config, given['folder']))
    else:
        asyncio.run(run_async(mode, config, given['folder']))


if __name__ == '__main__':
    main()
