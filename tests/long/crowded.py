# SPDX-License-Identifier: MIT
"""The exchange of overload_load."""
import os
import subprocess

from load import ROOT
from harness import Server

LOAD = os.environ.get("OVERLOAD_LOAD", os.path.join(ROOT, "build", "release", "tests", "long", "overload_load"))
CONFIG = """[dojima]
listen = 127.0.0.1:0
data = {data}
chainIds = 31337
ioThreads = 1
connections = 2048
connectionsPerAddress = 2048
openOrdersPerAccount = 0
{more}[limits]
weightPerMinute = 0
[coin vUSDC]
precision = 6
[coin vBTC]
precision = 8
[market vBTC_vUSDC]
baseCoin = vBTC
quoteCoin = vUSDC
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
minNotional = 5
listingReferencePrice = 100000
"""


def serve(folder, connections, more="", wrapper=()):
    """An exchange with the accounts of overload_load, which is what LOAD names."""
    path = os.path.join(folder, "dojima.ini")
    owners = subprocess.run([LOAD, "--addresses", str(connections)], stdout=subprocess.PIPE,
                            check=True).stdout.decode().split()
    with open(path, "w", encoding="ascii") as file:
        file.write(CONFIG.format(data=os.path.join(folder, "data"), more=more))
        for owner in owners:
            file.write(f"[account {owner}]\nvUSDC = 10000000\n")
    return Server("--config", path, command="serve", json_banner=False, wrapper=wrapper).wait_for_port()
