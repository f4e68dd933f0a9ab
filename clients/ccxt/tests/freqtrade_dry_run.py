# SPDX-License-Identifier: MIT
"""A dry run of freqtrade over the class: it reads the market of a running exchange, buys and sells on paper.

freqtrade_dry_run.py HOSTNAME, in an environment with freqtrade (2026.9 was tried, which brings ccxt 4.5.90) and dojima_ccxt. By hand
only: freqtrade's installation is too large for a test. Succeeds when a trade was opened and closed.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

STRATEGY = '''
from freqtrade.strategy import IStrategy


class Once(IStrategy):
    INTERFACE_VERSION, timeframe, startup_candle_count = 3, '1m', 1
    minimal_roi, stoploss = {'0': -1}, -0.5

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe['enter_long'] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe['exit_long'] = 0
        return dataframe

    def custom_exit(self, *args, **more):
        return 'done'
'''
START = '''
import sys
import dojima_ccxt
dojima_ccxt.register()
from freqtrade.main import main
main(sys.argv[1:])
'''


def config(hostname, folder):
    pricing = {'price_side': 'other', 'use_order_book': True, 'order_book_top': 1}
    return {
        'dry_run': True, 'dry_run_wallet': 10000, 'stake_currency': 'USDC', 'stake_amount': 500, 'max_open_trades': 2,
        'timeframe': '1m', 'trading_mode': 'spot', 'entry_pricing': pricing, 'exit_pricing': pricing,
        'pairlists': [{'method': 'StaticPairList'}], 'initial_state': 'running',
        'internals': {'process_throttle_secs': 2}, 'db_url': f'sqlite:///{folder}/trades.sqlite',
        'exchange': {'name': 'dojima', 'key': '', 'secret': '', 'ccxt_config': {'hostname': hostname},
                     'pair_whitelist': ['BTC/USDC', 'ETH/USDC'], 'pair_blacklist': []}}


def main():
    with tempfile.TemporaryDirectory(prefix='dojima-freqtrade-') as folder:
        for name, text in (('once.py', STRATEGY), ('start.py', START),
                           ('config.json', json.dumps(config(sys.argv[1], folder)))):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                file.write(text)
        line = [sys.executable, f'{folder}/start.py', 'trade', '--config', f'{folder}/config.json', '--strategy', 'Once',
                '--strategy-path', folder, '--userdir', folder]
        done = subprocess.run(['timeout', '--signal=INT', '60', *line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        rows = sqlite3.connect(f'{folder}/trades.sqlite').execute(
            'select pair, open_rate, close_rate, amount from trades where is_open = 0').fetchall()
        print(rows)
        assert rows, done.stdout[-4000:]


if __name__ == '__main__':
    main()
