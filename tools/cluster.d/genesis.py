# SPDX-License-Identifier: MIT
"""The exchanges' configuration: the markets and accounts of `dojima dev`. The keys are public; they hold play money."""
import os
import secrets

import layout

ACCOUNT_FIRST = 1001
BALANCES = "vUSDC = 1000000\nvBTC = 10\nvETH = 100\nperps = 1000000\n"
# Address and private key of m/44'/60'/0'/0/0 to 9 of the words of src/app/dev_accounts.h.
ACCOUNTS = (
    ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
     "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"),
    ("0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
     "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"),
    ("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
     "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"),
    ("0x90F79bf6EB2c4f870365E785982E1f101E93b906",
     "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"),
    ("0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
     "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a"),
    ("0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
     "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba"),
    ("0x976EA74026E726554dB657fA54763abd0C3a0aa9",
     "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e"),
    ("0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
     "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356"),
    ("0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
     "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97"),
    ("0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
     "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6"),
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
secret = {secret}

"""
LEASE_MS = 1000
SOCKET_PATH_MAX = 107


def accounts():
    """The development accounts, as `dojima dev --json` lists them."""
    return [{"accountID": ACCOUNT_FIRST + i, "address": address, "privateKey": key}
            for i, (address, key) in enumerate(ACCOUNTS)]


def feeder_secret(node):
    """The last accounts are the feeders, of n1 the very last."""
    return ACCOUNTS[len(ACCOUNTS) - node.number][1]


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
    parts += [f"\n[account {address}]\n{BALANCES}" for address, _ in ACCOUNTS]
    parts += [f"\n[feeder {ACCOUNTS[len(ACCOUNTS) - other.number][0]}]\n" for other in cluster.nodes]
    return "".join(parts)


def write(node):
    path = os.path.join(node.folder("exchange"), "dojima.conf")
    with open(path, "w", opener=layout.private) as file:
        file.write(text(node))
