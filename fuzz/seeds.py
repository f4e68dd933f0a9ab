#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz/seeds.py FOLDER — first inputs for the fuzzers, one folder each: requests, bodies, queries as clients send them,
made here from the interface. The signing vectors of docs/spec are added."""
import json
import os
import random
import sys

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "spec", "wire_vectors.json")
ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
SPOT = "/api/v1/spot"
BODIES = [      # in the order of the shapes of fuzz_body.c
    {"accountID": 1001, "orders": [{"symbolID": 1, "clOrdID": "a-1", "side": 1, "type": 1, "timeInForce": 1,
                                    "price": "95000", "quantity": "0.01"},
                                   {"symbolID": 1, "clOrdID": "a-2", "side": 1, "type": 2, "timeInForce": 3,
                                    "funds": "250.5"}]},
    {"accountID": 1001, "cancels": [{"symbolID": 1, "clOrdID": "c-1", "origClOrdID": "a-1"},
                                    {"symbolID": 1, "clOrdID": "c-2", "orderID": 7}]},
    {"accountID": 1001,
     "orders": [{"symbolID": 1, "clOrdID": "r-1", "origClOrdID": "a-1", "price": "95100", "quantity": "0.02"}]},
    {"accountID": 1001, "scheduledTimestamp": 1760000010000},
    {"id": 1760000000000, "fromAccountID": 1001, "toAccountID": 999, "coinID": 0, "amount": "10.5", "type": 2},
    {"accountID": 1001, "name": "api-1", "type": 1, "publicKey": ADDRESS, "expiresAt": 0, "permissions": 3},
    {"accountID": 1001, "name": "api-1"},
    {"accountID": 1001, "symbolID": 1,
     "orders": [{"clOrdID": "p-1", "modifier": 3, "side": 1, "type": 1, "timeInForce": 1, "price": "95000",
                 "quantity": "0.01", "positionSide": 1},
                                                  {"clOrdID": "p-2", "modifier": 4, "side": 2, "type": 2,
                                                   "timeInForce": 3, "quantity": "0.01", "stopPrice": "99000",
                                                   "stopType": 1, "triggerType": 1, "reduceOnly": True,
                                                   "positionSide": 1}]},
    {"accountID": 1001, "cancels": [{"symbolID": 1, "clOrdID": "p-1"}, {"symbolID": 1, "orderID": 9}]},
    {"accountID": 1001, "symbolID": 1, "clOrdID": "p-2", "stopPrice": "98000"},
    {"accountID": 1001, "symbolID": 1, "leverage": 20, "marginMode": 2},
    {"accountID": 1001, "symbolID": 1, "amount": "-12.5"},
    {"seq": 4, "timestamp": 1760000000000, "prices": [{"symbolID": 1, "price": "100000.5", "perpMid": "100001"}]},
]
ACTIONS = ["batchNewOrder", "batchCancelOrder", "replaceOrder", "scheduleCancel", "transferAsset", None, "revokeAPIKey",
           "newOrder", "cancelOrder",
           "modifyOrder", "updateLeverage", "updateMargin", None]


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def vectors():
    with open(VECTORS) as stream:
        return json.load(stream)


def bodies():
    seeds = [bytes([i]) + compact(body) for i, body in enumerate(BODIES)]
    seeds += [bytes([i]) + json.dumps(body, indent=1).encode() for i, body in enumerate(BODIES)]
    for row in vectors():
        action = json.loads(row["json"])["type"] if "body" in row else ""
        if action in ACTIONS:
            seeds.append(bytes([ACTIONS.index(action)]) + row["body"].encode())
    return seeds


def http():
    head = "Host: 127.0.0.1:8080\r\n"
    sign = ("X-API-Key: k1\r\nX-API-Nonce: 1760000000000\r\nX-API-Sign: 0x01" + "11" * 64
            + "00\r\nContent-Type: application/json\r\n")
    texts = [
        f"GET /healthz HTTP/1.1\r\n{head}\r\n",
        f"GET {SPOT}/market/orderbook?symbol=vBTC_vUSDC&limit=5 HTTP/1.1\r\n{head}Connection: close\r\n\r\n",
        f"GET /a HTTP/1.0\r\n\r\n", f"GET http://x/y?z HTTP/1.1\r\n{head}\r\nGET / HTTP/1.1\r\n{head}\r\n",
        f"POST {SPOT}/trade/orders/batch HTTP/1.1\r\n{head}{sign}Content-Length: 18\r\n\r\n" + '{"accountID":1001}',
        f"DELETE {SPOT}/trade/orders/batch HTTP/1.1\r\n{head}{sign}Transfer-Encoding: "
        "chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: x\r\n\r\n",
        f"POST /rpc HTTP/1.1\r\n{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n" + "{}",
        f"GET / HTTP/1.1\r\n{head}X-Forwarded-For: 1.2.3.4, 10.0.0.1\r\nForwarded: "
        "for=\"[2001:db8::1]:80\"\r\nX-Forwarded-For: 5.6.7.8\r\n\r\n",
        f"GET /ws/spot HTTP/1.1\r\n{head}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
        "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        f"POST / HTTP/1.1\r\n{head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        f"GET / HTTP/1.1\r\n{head}Content-Length: +5\r\n\r\nhello",
        f"OPTIONS * HTTP/1.1\r\n{head}Origin: http://a\r\n\r\n", f"GET / HTTP/1.1\nHost: x\n\n",
    ]
    return [bytes([piece]) + text.encode() for text in texts for piece in (0, 3)]


def heads():
    """Requests as bytes behind an odd byte; choices of pieces behind an even one, of which a small number of the later
    ones end the lines."""
    dice = random.Random(3)
    rows = [b"\1" + seed[1:] for seed in http()[::2]]
    for _ in range(150):
        lines = bytes(dice.randrange(8, 256) for _ in range(dice.randrange(5)))
        rows.append(b"\0" + bytes([dice.randrange(14), dice.randrange(25),
                                   dice.choice((0, 0, 0, 1, 2, dice.randrange(12)))]) + lines + b"\0"
                    + bytes(dice.randrange(30) for _ in range(dice.randrange(5))))
    return rows


def queries():
    reads = ["market/symbols?symbol=vBTC_vUSDC", "market/orderbook?symbol=vBTC_vUSDC&limit=10",
             "market/trades?symbol=vBTC_vUSDC&limit=3",
             "market/klines?symbol=vBTC_vUSDC&interval=1m&limit=2&startTime=1&endTime=2",
             f"accounts/{ADDRESS}/balances",
             f"accounts/{ADDRESS}/orders?symbol=vBTC_vUSDC&accountID=1001",
             f"accounts/{ADDRESS}/orders/history?limit=5&startTime=0", "markets/coins"]
    targets = [f"{base}/{read}" for read in reads for base in (SPOT, "/api/v1/perps")] + ["/", "/docs", "/healthz",
        "/readyz", "/openapi.json", "/api/v1/time"]
    texts = ["symbol=vBTC_vUSDC&limit=10", "limit=1&limit=2", "symbol=a%20b%",
             "interval=1h&startTime=5&endTime=7&limit=1000", "accountID=1001&zzz=1",
             "market=spot&symbol=x", "depth=5&symbol=vBTC_vUSDC", "name=api-1&accountID=18446744073709551615", ""]
    return [bytes([i]) + text.encode() for i in range(15) for text in texts] + [b"\x80" + target.encode()
        for target in targets]


def headers():
    signatures = ["0x01" + "11" * 64 + "00", "02" + "7f" * 64 + "1c", "0X01" + "11" * 64 + "1b",
                  "01" + "00" * 32 + "11" * 32 + "01", "", "0x"]
    addresses = ["1.2.3.4", "2001:db8::1", "::ffff:1.2.3.4", "10.0.0.0/8",
                 "for=1.2.3.4;proto=http, for=\"[2001:db8::1]:443\"", "1.2.3.4, 10.0.0.7\n10.1.1.1", "unknown"]
    lines = ["X-API-Nonce: 1760000000000\r\nX-API-Sign: 0x01" + "11" * 64 + "00", "X-API-Nonce: 05",
             "X-API-Chain: 286623\r\nX-API-Key: default",
             "Content-Type: text/plain\r\nOrigin: http://localhost:3000", "X-API-Sign: 1\r\nX-API-Sign: 2",
             "Connection: close, upgrade"]
    seeds = [b"\x00" + text.encode() for text in signatures] + [b"\x40" + text.encode() for text in addresses]
    return seeds + [bytes([128 + 2 * i + body]) + text.encode() for text in lines for i in range(0, 13, 3)
                    for body in (0, 1)]


def rpcs():
    quantity, block = '"0x1"', "true"
    calls = {"eth_chainId": "[]", "net_version": "[]", "net_listening": "[]", "eth_syncing": "[]", "eth_gasPrice": "[]",
             "eth_blockNumber": "[]",
             "eth_getBlockByNumber": f'["latest",{block}]', "eth_getBlockByHash": f'["0x{"ab" * 32}",false]',
             "eth_getBalance": f'["{ADDRESS}","latest"]',
             "eth_getTransactionReceipt": f'["0x{"cd" * 32}"]',
             "eth_getTransactionByBlockNumberAndIndex": f"[{quantity},{quantity}]",
             "eth_getTransactionCount": f'["{ADDRESS}","0x0"]', "evm_increaseTime": "[60]", "evm_mine": "[]",
             "evm_setNextBlockTimestamp": '["0x7fffffff"]',
             "dojima_deposit": f'["{ADDRESS}","vUSDC","10"]', "dojima_setIndexPrice": '["BTC-USD","100000"]',
             "web3_clientVersion": "{}"}
    texts = [f'{{"jsonrpc":"2.0","id":{i},"method":"{name}","params":{params}}}'
             for i, (name, params) in enumerate(calls.items())]
    texts += ["[" + ",".join(texts[:5]) + "]", "[" + ",".join(texts[-6:]) + "]",
              '{"jsonrpc":"2.0","method":"eth_chainId"}', "[]", "[1]", "{", '{"id":"a\\u0000"}']
    return [bytes([mode]) + text.encode() for text in texts for mode in (0, 1, 2, 4)]


def configs():
    with open("config/example.ini", "rb") as stream:
        text = stream.read()
    bare = b"\n".join(line for line in text.split(b"\n") if line and not line.startswith(b";"))
    sections = bare.split(b"\n[")
    return [b"\0" + bare, b"\1" + bare] + [b"\1" + bare[:cut]
                                           for cut in range(50, len(bare), 400)] + [b"\1[" + s.lstrip(b"[")
                                               for s in sections]


def journals():
    dice, seeds = random.Random(6), [b"\0", b"\1", b"\4", b"\2DOJIMASG", b"\5"]
    for _ in range(40):
        seed = bytes([dice.choice([0, 1, 1, 4, 5])])
        for _ in range(dice.randrange(1, 5)):
            length = dice.choice([1, 1, 4, 8, 32])
            seed += dice.randrange(7168).to_bytes(2, "big") + bytes([length]) + dice.randbytes(length)
        seeds.append(seed)
    return seeds


def commands():
    dice = random.Random(7)
    return [dice.randbytes(dice.choice([60, 200, 600, 1500])) for _ in range(60)]


def worlds():
    dice = random.Random(11)
    return [dice.randbytes(dice.choice([400, 1500, 4000, 8000])) for _ in range(120)]


def frame(payload, first=0x81, masked=True):
    head = bytes([first]) + (bytes([128 * masked | len(payload)]) if len(payload) < 126
                             else bytes([128 * masked | 126]) + len(payload).to_bytes(2, "big"))
    return head + b"\1\2\3\4" + bytes(b ^ (1 + i % 4) for i, b in enumerate(payload)) if masked else head + payload


def frames():
    bytes_of = [frame(b'{"op":"ping"}'), frame(b'{"op":', 1) + frame(b"", 0x89) + frame(b'"ping"}', 0x80),
                frame(b"are you there", 0x89) + frame(b"", 0x8a) + frame(b"x" * 125, 0x89),
                frame(b"x" * 4096) + frame(b"y" * 200), frame(b"x" * 4097),
                frame(b"x" * 4000, 1) + frame(b"y" * 97, 0x80), b"\x81\xff" + bytes(5) + b"\1\0\0\1\2\3\4abc",
                b"\x81\xfe\0\5\1\2\3\4abcde", frame(b"{}", masked=False), frame(b"{}", 0xc1), frame(b"x", 0x83),
                frame(b"x", 0x82), frame(b"x", 0x80), frame(b"\xc0\xaf"),
                frame(b"\xc3\xa9\xe2\x82", 1) + frame(b"\xac\xf0\x9f\x98\x80", 0x80), frame(b"\3\xe8bye", 0x88),
                frame(b"x", 0x88), frame(b"\3\xed", 0x88)]
    return [bytes([piece]) + one for one in bytes_of for piece in (0, 4)]


def subscriptions():
    params = [{"channel": "trade", "symbols": ["vBTC_vUSDC", "vETH_vUSDC"]},
              {"channel": "candle", "symbol": "vBTC_vUSDC", "interval": "1m", "pushInterval": "2000ms"},
              {"channel": "l4Book", "symbol": "BTC-USD", "level": 5},
              {"channel": "l2Book", "symbols": "BTC-USD", "tickSize": "0.1", "level": "20"},
              {"channel": "accountOrderUpdate", "user": ADDRESS, "accountID": 1001, "symbols": None},
              {"channel": "coinPrice", "coins": ["vUSDC"]},
              {"channel": "ticker", "symbols": ["s%d" % i for i in range(130)]}, None]
    texts = [compact({"op": op, "id": id, "params": one}) for op in ("subscribe", "unsubscribe")
             for id, one in zip((1, "x", -1500.5, None, [1], {"a": 2}, True, 2 ** 63), params)]
    return texts + [b'{"op":"ping"}', b' {"op" : "nonsense" , "more":[{"\\u00e9":null}]}\r\n',
                    b'{"op":"subscribe","params":{"channel":"tra']


def jsons():
    texts = [b'{"a":[1,-2.5e3,"x\\u00e9\\ud83d\\ude00\\n",true,false,null,{}]}', b"[[[[[[]]]]]]", b'"\\ud800"', b"-0",
             b"01", b"1e999", b'{"a":1,"a":2}',
             b"\xef\xbb\xbf{}", b' [ 1 , 2 ] ', b'"\xc3\xa9\xf0\x9f\x98\x80"', b'"\xed\xa0\x80"', b'{"\\u0000":0}',
             b"tru", b"[1,]", b"[" * 130 + b"]" * 130]
    return texts + [compact(body) for body in BODIES]


def decimals():
    texts = ["0", "-0", "1", "-1", "0.1", "1.10", "00", "01", "1.", ".5", "1e5", "+1", "999999999999999999",
             "1000000000000000000", "0.000000000000000001",
             "0.0000000000000000010", "123456789.123456789", "-0.0", "1" + "0" * 30, "0." + "0" * 25]
    return [bytes([scale, width]) + text.encode() for text in texts for scale, width in ((8, 0), (2, 20), (18, 3))]


def recoveries():
    """Rows of signatures (fuzz_recover.c): how each is made, and its choices."""
    dice = random.Random(7)
    order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
    edges = [n.to_bytes(32, "big") for n in (0, 1, order - 1, order, order // 2, order // 2 + 1, 2 ** 256 - 1)]

    def any_bytes(count):
        return bytes(dice.randrange(256) for _ in range(count))
    kinds = [lambda: b"\0" + dice.choice(edges) + dice.choice(edges) + dice.choice(edges) + any_bytes(1),
             lambda: b"\0" + any_bytes(97), lambda: b"\1" + any_bytes(5),
             lambda: b"\2" + any_bytes(9), lambda: b"\3" + any_bytes(5), lambda: b"\4" + any_bytes(5),
             lambda: b"\5" + any_bytes(1)]
    rows = [b"".join(kind() for _ in range(count)) for kind in kinds for count in (1, 2, 9)]
    return rows + [b"".join(dice.choice(kinds)() for _ in range(count)) for count in (8, 17, 33, 40) for _ in range(5)]


SEEDS = {"recover": recoveries, "body": bodies, "http": http, "head": heads, "query": queries, "headers": headers,
         "rpc": rpcs, "config": configs, "journal": journals, "commands": commands, "worlds": worlds,
         "json": jsons, "decimal": decimals, "frame": frames, "subscribe": subscriptions}

if __name__ == "__main__":
    for name, make in SEEDS.items():
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        for i, seed in enumerate(make()):
            with open(os.path.join(folder, f"seed-{i:03}"), "wb") as stream:
                stream.write(seed)
