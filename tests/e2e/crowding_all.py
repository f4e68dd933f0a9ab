# SPDX-License-Identifier: MIT
"""Everything at once (rulings 73 to 76): the connections from one address and from many, the WebSockets and
subscriptions of an address, the slots at the administration socket, and the orders, keys, nonces and transfer ids of an
account are all taken, and are taken again when they are lost. Meanwhile another user opens a WebSocket, signs, trades,
cancels and withdraws, and mode, market and cancel work."""
import base64
import contextlib
import json
import os
import re

from crowding import CHAIN, SMALL, STRANGER, Crowd, Crowding, From, Operators, dial
from harness import BUY, Client, Wallet, compact, fresh_nonce, main, order, run
from keys import new_wallet, sign_key
from limits import Venue, request
from streams import frame, read_frames

MALLORY, STREAMER = "127.8.0.1", "127.8.0.2"
POOLS = {"keys": 4, "signers": 12, "transfers": 20}
NAME = "vBTC_vUSDC"


def open_stream(port, address):
    """A WebSocket from an address: the socket, and the status of its handshake."""
    peer = dial(port, address)
    peer.sendall((f"GET /ws/spot HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: "
                  "Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                  f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        more = peer.recv(1)
        if not more:
            return peer, 0
        head += more
    return peer, int(head.split()[1])


def subscribe(number):
    """One of many different subscriptions: the book in price steps that no other subscription has."""
    return frame(json.dumps({"op": "subscribe", "id": number,
                             "params": {"channel": "l2Book", "symbol": NAME,
                                        "tickSize": f"{number // 10}.{number % 10}"}}).encode())


def acknowledged(peer, seconds=2):
    """(subscriptions acknowledged, errors)."""
    texts = [payload for first, payload in read_frames(peer, seconds=seconds) if first == 0x81]
    return sum(b'"success":true' in text for text in texts), [text for text in texts if b'"success":false' in text]


class Everything(Crowding):
    def fills_streams(self, port):
        """Ten WebSockets of one address with a thousand subscriptions among them, and no more."""
        peers, told = [], 0
        for i in range(10):
            peer, status = open_stream(port, STREAMER)
            self.assertEqual(status, 101)
            peer.sendall(b"".join(subscribe(1 + 100 * i + k) for k in range(100)))
            peers.append(peer)
        for peer in peers:
            count, errors = acknowledged(peer, seconds=1)
            self.assertEqual(errors, [])
            told += count
        self.assertEqual(told, 1000)
        peers[0].sendall(subscribe(2000))
        self.assertTrue(acknowledged(peers[0], seconds=1)[1], "a subscription above the address's bound")
        self.assertEqual(open_stream(port, STREAMER)[1], 429)
        return peers

    def adds_key(self, client, name):
        wallet, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": client.id, "name": name, "type": 1, "publicKey": wallet.address, "expiresAt": 0}
        return client.connection.send("POST", "/api/v1/spot/accounts/api-keys", compact(body), {
            "Content-Type": "application/json", "X-API-Nonce": str(nonce),
            "X-API-Sign": sign_key(client.wallet, body, nonce, "AddAPIKey", CHAIN)})

    def fills_an_account(self, venue):
        """Uses up its keys, transfer ids and nonces."""
        wallet = Wallet("0x" + "66" * 32)
        code, out, err = run("deposit", "--data", f"{venue.folder.path}/data", "--json", wallet.address, "vUSDC",
                             "20000")
        self.assertEqual(code, 0, err)
        client = Client(venue.server, wallet, json.loads(out)["data"]["accountID"], From(venue.port, MALLORY))
        replies = [self.adds_key(client, f"key-{i}") for i in range(6)]
        self.assertEqual([reply.code for reply in replies], [0] * 4 + [42026] * 2)
        for _ in range(25):
            self.ok(client.write("POST", "/accounts/transfers", "transferAsset",
                                 {"id": fresh_nonce(), "fromAccountID": client.id, "toAccountID": 999, "coinID": 0,
                                  "amount": "1", "type": 2}, chain_id=CHAIN))
        for _ in range(75):
            # with requests signed before more than 100 nonces
            client.cancel({"symbolID": 1, "clOrdID": "none"}, chain_id=CHAIN)

        return client

    def fills_its_orders(self, client, name):
        for batch in range(10):
            self.items_ok(client.place(*(order(f"{name}-{batch}-{i}", BUY, "50000", "0.0002") for i in range(100)),
                                       chain_id=CHAIN))
        full = client.place(order("more", BUY, "50000", "0.0002"), chain_id=CHAIN)
        self.assertEqual([item["code"] for item in full.data], [42021], full)
        self.assertEqual([full.data[0]["details"][key] for key in ("field", "got", "need")], ["orders", "1001", "1000"])

    def pools(self, venue):
        code, out, err = run("limits", "--data", f"{venue.folder.path}/data")
        self.assertEqual(code, 0, err)
        return {row[0]: (int(row[1]), int(row[2])) for row in re.findall(r"(\w+)\s+(\d+) of\s+(\d+)", out)}

    def streams(self, venue):
        """Another user opens a WebSocket and receives its subscription."""
        peer, status = open_stream(venue.port, STRANGER)
        self.assertEqual(status, 101)
        peer.sendall(subscribe(20))
        count, errors = acknowledged(peer, seconds=1)
        self.assertEqual((count, errors), (1, []))
        peer.close()

    def test_all_tables_are_full_at_the_same_time(self):
        with contextlib.ExitStack() as stack:
            venue = stack.enter_context(Venue(self, "weightPerMinute = 60000\n", proxies="",
                                              settings={**SMALL, **POOLS}))
            mallory = self.fills_an_account(venue)
            pools = self.pools(venue)
            for name in ("keys", "signers", "transfers"):
                self.assertGreaterEqual(pools[name][0] * 100, pools[name][1] * 95, (name, pools))
            peers = self.fills_streams(venue.port)
            crowds = [stack.enter_context(Crowd(venue.port, *what))
                      for what in ((1, 16), (32, 16), (32, 16, request("GET", "/healthz")))]
            operators = stack.enter_context(Operators(f"{venue.folder.path}/data", 16))
            for round in range(3):
                # the operator cancels them at the end of each round
                self.fills_its_orders(mallory, f"m{round}")
                self.assertEqual(self.pools(venue)["orders"][0], 1000)
                self.streams(venue)
                self.trades(venue, f"all-{round}")
                code, out, err = run("mode", "--data", f"{venue.folder.path}/data", ("run", "cancel-only")[round % 2])
                self.assertEqual(code, 0, err)
                self.operates(venue, f"all-{round}")
            self.assertGreater(sum(crowd.lost for crowd in crowds), 0, "nobody went for the stranger")
            self.assertGreater(operators.lost, 0, "no operator's place was taken by a newcomer")
            for peer in peers:
                peer.close()


# crowding.py runs the tests of this class's base.
for name in [name for name in dir(Crowding) if name.startswith("test_")]:
    setattr(Everything, name, None)
del Crowding

if __name__ == "__main__":
    main()
