# SPDX-License-Identifier: MIT
"""The JavaScript class as an object of Python, so that one text of tests judges both languages."""
import asyncio
import json
import os

import ccxt
from dojima_ccxt.pro import dojima

DRIVEN = ('fetch_', 'watch_', 'create_order', 'create_market', 'cancel_', 'edit_', 'set_leverage', 'set_margin', 'transfer', 'add_margin',
          'reduce_margin', 'describe_of', 'sign_action')
SPELLED = {'fetch_ohlcv': 'fetchOHLCV', 'watch_ohlcv': 'watchOHLCV', 'describe_of': 'describe'}
OF_BASE = ('watch_multiple', 'fetch_history_cache_size')


def camel(name):
    first, *rest = name.split('_')
    return SPELLED.get(name) or first + ''.join(word.capitalize() for word in rest)


class JavaScript(dojima):
    """Every unified method is carried out by the class in JavaScript; what Python keeps are ccxt's helpers."""

    async def start(self, folder, config):
        self.waiting, self.count, self.config = {}, 0, config
        self.process = await asyncio.create_subprocess_exec(
            'node', os.path.join(folder, 'bridge.mjs'), cwd=folder, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, limit=1 << 26)
        self.tell(config)
        self.reader = asyncio.ensure_future(self.read_answers())
        return self

    def tell(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b'\n')

    async def read_answers(self):
        while line := await self.process.stdout.readline():
            answer = json.loads(line)
            waiting = self.waiting.pop(answer['id'])
            if waiting.cancelled():
                continue
            if 'error' in answer:
                kind = getattr(ccxt, answer['error']['name'], RuntimeError)
                waiting.set_exception(kind(answer['error']['message']))
            else:
                waiting.set_result(answer['result'])

    async def drive(self, method, args):
        self.count += 1
        self.waiting[self.count] = asyncio.get_running_loop().create_future()
        self.tell({'id': self.count, 'method': method, 'args': list(args)})
        return await self.waiting[self.count]

    def __getattribute__(self, name):
        if not name.startswith(DRIVEN) or name in OF_BASE or 'process' not in object.__getattribute__(self, '__dict__'):
            return super().__getattribute__(name)
        drive = object.__getattribute__(self, 'drive')
        return lambda *args: drive(camel(name), args)

    async def load_markets(self, reload=False, params={}):
        if self.markets is None or reload:
            markets = await self.drive('loadMarkets', [reload])
            currencies = await self.drive('fetchCurrencies', [])
            self.set_markets(list(markets.values()), currencies)
        return self.markets

    async def close(self):
        self.process.stdin.close()
        await self.process.wait()
        self.reader.cancel()
        await super().close()
