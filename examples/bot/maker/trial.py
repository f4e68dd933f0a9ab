# SPDX-License-Identifier: MIT
"""python -m maker.trial --url URL --seconds N: makes a market at a development exchange, and says what came of it.
BANNER in the environment is the exchange's line of JSON, which names funded accounts and their keys."""
import argparse
import json
import os
import time
from decimal import Decimal

from dojima import Client
from maker import Maker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    asked = parser.parse_args()
    account = json.loads(os.environ["BANNER"])["accounts"][0]
    with Client(asked.url, account["privateKey"], account_id=account["accountID"]) as client:
        maker = Maker(client, "vBTC_vUSDC", Decimal(100000), Decimal("0.01"), Decimal("0.1"))
        until, steps = time.monotonic() + asked.seconds, 0
        while time.monotonic() < until:
            maker.step()
            steps += 1
            time.sleep(2)             # a development exchange limits requests as a venue does
        fills = client.spot.account_trades(symbol="vBTC_vUSDC")
        print(f"{steps} steps, {len(fills)} fills, {maker._held() - maker.began_with} {maker.coin} gained")


if __name__ == "__main__":
    main()
