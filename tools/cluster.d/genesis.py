# SPDX-License-Identifier: MIT
"""The exchanges' configuration: the markets and accounts of `dojima dev`. The keys are public; they hold play money."""
import functools
import os
import secrets

import keys
import layout

ACCOUNT_FIRST = 1001
MORE_KEYS = 0x5000                          # the first of --accounts; the next ones follow
BALANCES = "vUSDC = 1000000\nvBTC = 10\nvETH = 100\nperps = 1000000\n"
# Private keys of m/44'/60'/0'/0/0 to 9 of the words of src/app/dev_accounts.h.
KEYS = (
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
    "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
    "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
    "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
)
SETTINGS = """[dojima]
listen = {address}:{port}
data = {folder}/data
{socket}chainIds = 286623, 138565
allowPublicChainIds = on
connections = 1024
segmentMiB = 8
accounts = 10000
orders = 100000
levels = 100000
signers = 30000
deposits = 100000
keys = 10000
transfers = 100000
positions = 10000
settlementNoticeMs = 60000
settlementWindowMs = 10000

[limits]
weightPerMinute = {weight}

[log]
url = {url}

[cluster]
node = {node}
url = {own}
leaseMs = {lease}
compareBlocks = 200
secret = {secret}

"""
LEASE_MS = 1000
SOCKET_PATH_MAX = 107


@functools.lru_cache(maxsize=4)
def key_pairs(more):
    """(address, private key) of the development accounts, and of so many more."""
    numbers = [int(key, 16) for key in KEYS] + [MORE_KEYS + i for i in range(more)]
    return [(keys.address(number), f"0x{number:064x}") for number in numbers]


def accounts(cluster):
    """The funded accounts, the first ones as `dojima dev --json` lists them."""
    return [{"accountID": ACCOUNT_FIRST + i, "address": address, "privateKey": key}
            for i, (address, key) in enumerate(key_pairs(cluster.facts["moreAccounts"]))]


def feeder(node):
    """The key pair of the node's feeder: one of the last development accounts, of n1 the very last."""
    return key_pairs(node.cluster.facts["moreAccounts"])[len(KEYS) - node.number]


def socket_line(node):
    """The administration socket elsewhere, where the path in the data folder would be too long."""
    if len(node.folder("exchange") + "/data/admin.sock") <= SOCKET_PATH_MAX:
        return ""
    return f"adminSocket = /tmp/dojima-{node.cluster.facts['token']}-{node.name}.sock\n"


def secret_file(cluster):
    """The file with the secret that the nodes show each other; made at the first call."""
    path = os.path.join(cluster.folder, "secret")
    if not os.path.exists(path):
        with open(path, "w", opener=layout.private) as file:
            file.write(secrets.token_hex(32) + "\n")
    return path


def text(node):
    """The whole configuration of a node. Nodes differ in their first settings only, never in the genesis."""
    cluster = node.cluster
    parts = [SETTINGS.format(address=node.address, port=node.port("exchange"), folder=node.folder("exchange"),
                             socket=socket_line(node), weight=1200 if cluster.facts["limits"] else 0,
                             url=cluster.facts["log"]["writer"], node=node.name, own=node.url(), lease=LEASE_MS,
                             secret=secret_file(cluster))]
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "markets.ini")) as file:
        parts.append(file.read())
    parts += [f"\n[account {address}]\n{BALANCES}" for address, _ in key_pairs(cluster.facts["moreAccounts"])]
    parts += [f"\n[feeder {feeder(other)[0]}]\n" for other in cluster.nodes]
    return "".join(parts)


def write(node):
    path = os.path.join(node.folder("exchange"), "dojima.conf")
    with open(path, "w", opener=layout.private) as file:
        file.write(text(node))
