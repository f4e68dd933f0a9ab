# SPDX-License-Identifier: MIT
"""Done when: a client that follows only the streams, and is disconnected now and then, has the same book, orders,
balances and positions as one that reads. Both engines, random trading; and a thousand listeners while two of them never
read."""
import json
import random
import selectors
import socket
import struct
import threading
import time
from decimal import Decimal

from harness import BUY, INSTRUMENTED, IOC, MARKET, SELL, Case, Perps, Server, main, order, perps_order
from streams import BTC_NAME, Stream, apply, frame, handshake, read_frames, rest_book

OPEN = ("NEW", "PARTIALLY_FILLED", "TRIGGERED")


class Rebuilt(Case):
    """A client that follows the streams has the same data as one that reads."""

    def trade(self, clients, count, seed):
        chance = random.Random(seed)
        for i in range(count):
            client = chance.choice(clients)
            side, price = chance.choice((BUY, SELL)), 100000 + chance.randrange(-40, 41)
            kind = chance.randrange(10)
            if kind < 6:
                reply = client.place(*(order(f"t{seed}-{i}-{k}", side, str(price + k), "0.0%d" % chance.randrange(1, 9))
                                       for k in range(chance.randrange(1, 4))))
            elif kind < 7:
                reply = client.place(order(f"t{seed}-{i}", side, str(price), "0.05", tif=IOC))
            elif kind < 8:
                reply = client.place(order(f"t{seed}-{i}", side, quantity="0.03", type=MARKET))
            else:
                mine = client.open_orders()
                if not mine:
                    continue
                rest = chance.choice(mine)
                if kind == 8:
                    reply = client.cancel({"symbolID": 1, "clOrdID": f"c{seed}-{i}", "orderID": rest["orderID"]})
                else:
                    reply = client.replace({"symbolID": 1, "clOrdID": f"r{seed}-{i}", "origOrderID": rest["orderID"],
                                            "price": str(price)})
            self.assertEqual(reply.code, 0, reply)

    def test_books_rebuilt_from_updates_are_the_books_that_are_asked_for(self):
        with Server("--seed", "7") as server:
            clients = server.accounts()[:3]
            self.items_ok(clients[0].place(order("first", SELL, "100000", "0.01")))
            self.items_ok(clients[1].place(order("second", BUY, "100000", "0.01")))
            done = threading.Event()
            errors, counts = [], {"compared": 0, "updates": 0, "cuts": 0}

            def follow(level, seed):
                chance, asker = random.Random(seed), server.accounts()[3]
                try:
                    while not done.is_set():
                        stream, books, book, last = Stream(server), {}, None, None
                        ack = stream.subscribe("l4Book", symbol=BTC_NAME, level=level)
                        assert ack["result"]["level"] == level, ack
                        until = time.monotonic() + chance.uniform(0.2, 1.0)
                        while time.monotonic() < until:
                            message = stream.nothing(0.02)
                            if message is not None:
                                data = message["data"]
                                if message["type"] == "snapshot":
                                    book = {side: {Decimal(p): Decimal(q) for p, q in data[side]} for side in "ab"}
                                else:
                                    assert data["U"] == last + 1 and data["u"] >= data["U"], (data, last)
                                    apply(book, data)
                                    counts["updates"] += 1
                                last = data["u"]
                                books[last] = {side: dict(book[side]) for side in "ab"}
                            update, rest = rest_book(asker, level)
                            while update not in books and last is not None and last < update:
                                message = stream.nothing(0.3)
                                if message is None:
                                    break
                                data = message["data"]
                                assert message["type"] == "update" and data["U"] == last + 1, data
                                apply(book, data)
                                last = data["u"]
                                books[last] = {side: dict(book[side]) for side in "ab"}
                            if update in books:
                                assert books[update] == rest, (update, books[update], rest)
                                counts["compared"] += 1
                        stream.end()
                        counts["cuts"] += 1
                except Exception as error:                      # published below
                    errors.append(error)

            threads = [threading.Thread(target=follow, args=(level, level)) for level in (10, 20, 100)]
            for thread in threads:
                thread.start()
            self.trade(clients, 250, 1)
            done.set()
            for thread in threads:
                thread.join(60)
            self.assertEqual(errors, [])
            self.assertGreater(counts["compared"], 30, counts)
            self.assertGreater(counts["updates"], 100, counts)
            self.assertGreater(counts["cuts"], 2, counts)

    def test_events_of_an_account_replayed_give_its_state(self):
        with Server("--seed", "9") as server:
            clients = server.accounts()[:3]
            self.trade(clients, 30, 2)
            stream = Stream(server)
            followed = clients[1]
            for channel in ("accountOrderUpdate", "accountUpdate", "accountTrade"):
                self.assertTrue(stream.subscribe(channel, user=followed.address)["success"])
            began = followed.mine("state").data
            orders, balances, fills = {o["i"]: o for o in began["O"]}, {b["i"]: b for b in began["B"]}, []
            already = {t["tradeID"] for t in followed.mine("trades", "?limit=1000").data}
            self.trade(clients, 150, 3)
            now = followed.mine("state").data
            while (message := stream.nothing(0.5)) is not None:
                data = message["data"]
                if message["channel"] == "accountUpdate":
                    balances.update({b["i"]: b for b in data["B"]})
                elif message["channel"] == "accountTrade":
                    fills.append((data["t"], data["i"], data["m"], data["q"], data["f"]))
                else:
                    if data["x"] in ("PARTIALLY_FILLED", "FILLED"):
                        before = Decimal(orders[data["i"]]["z"]) if data["i"] in orders else 0
                        # no execution is left out
                        self.assertEqual(Decimal(data["z"]), before + Decimal(data["l"]), data)
                    orders[data["i"]] = {key: data[key] for key in began["O"][0]} if began["O"] else data
            stream.end()
            opened = {i: o for i, o in orders.items() if o["X"] in ("NEW", "PARTIALLY_FILLED")}
            self.assertEqual(opened, {o["i"]: o for o in now["O"]})
            self.assertEqual(balances, {b["i"]: b for b in now["B"]})
            history = [t for t in followed.mine("trades", "?limit=1000").data if t["tradeID"] not in already]
            self.assertGreater(len(fills), 20)
            self.assertEqual(sorted(fills),
                             sorted((t["tradeID"], t["orderID"], t["isMaker"], t["quantity"], t["fee"])
                                    for t in history))


    def test_events_of_a_perps_account_replayed_give_its_state(self):
        with Server("--seed", "11") as server:
            a, b = server.accounts()[:2]
            stream = Stream(server, "/ws/perps")
            for channel in ("accountOrderUpdate", "accountUpdate", "accountTrade", "accountState"):
                self.assertTrue(stream.subscribe(channel, user=a.address)["success"])
            began = a.get(f"/accounts/{a.address}/state", base="/api/v1/perps").data
            self.assertEqual(stream.push("accountState")["data"]["B"], began["B"])
            orders, wallets, positions, fills, states = {}, {row["i"]: row["wb"] for row in began["B"]}, {}, [], []
            chance, price = random.Random(5), 100000
            for i in range(60):
                one, other = (a, b) if chance.randrange(2) else (b, a)
                side = chance.choice((BUY, SELL))
                for who, way, name in ((one, side, "m"), (other, BUY + SELL - side, "t")):
                    at = str(price + (chance.randrange(0, 5) if way == SELL else -chance.randrange(0, 5)) * (1
                        if name == "m" else -2))
                    self.assertEqual(Perps(who).place(perps_order(f"{name}{i}", way, at,
                        "0.0%d" % chance.randrange(1, 9))).code, 0)
                if i % 10 == 9:
                    for row in list(Perps(a).orders().values())[:2]:
                        self.assertEqual(Perps(a).cancel(row["orderID"]).code, 0)
            now = a.get(f"/accounts/{a.address}/state", base="/api/v1/perps").data
            while (message := stream.nothing(0.8)) is not None:
                data = message["data"]
                if message["channel"] == "accountUpdate":
                    wallets.update({row["i"]: row["wb"] for row in data["B"]})
                    positions.update({row["i"]: row for row in data["P"]})
                elif message["channel"] == "accountTrade":
                    fills.append((data["t"], data["d"], data["f"]))
                elif message["channel"] == "accountState":
                    states.append(data)
                else:
                    if data["x"] in ("PARTIALLY_FILLED", "FILLED"):
                        before = Decimal(orders[data["i"]]["z"]) if data["i"] in orders else 0
                        self.assertEqual(Decimal(data["z"]), before + Decimal(data["l"]), data)
                    self.assertIs(data["R"], False)
                    orders[data["i"]] = data
            stream.end()
            self.assertGreater(len(fills), 20)
            self.assertEqual(states[-1]["P"][0]["sz"] if states[-1]["P"] else None,
                             now["P"][0]["sz"] if now["P"] else None)
            keys = [key for key in (now["O"][0] if now["O"] else ()) if key != "M"]             # M follows the mark
            self.assertEqual({i: {key: o[key] for key in keys} for i, o in orders.items()
                              if o["X"] in ("NEW", "PARTIALLY_FILLED")},
                             {o["i"]: {key: o[key] for key in keys} for o in now["O"]})
            self.assertEqual(wallets, {row["i"]: row["wb"] for row in now["B"]})
            self.assertEqual({row["i"]: (row["sz"], row["ep"], row["iw"]) for row in positions.values()
                              if row["sz"] != "0"},
                             {row["i"]: (row["sz"], row["ep"], row["iw"]) for row in now["P"]})

    def test_prices_of_perps_are_those_that_are_asked_for(self):
        with Server("--market", "none") as server:
            a = server.accounts()[0]
            stream = Stream(server, "/ws/perps")
            self.assertTrue(stream.subscribe("allMarkPrice")["success"])
            rows = stream.push("allMarkPrice")["data"]
            rest = a.get("/markets/mark-prices", base="/api/v1/perps").data
            self.assertEqual([(r["s"], r["p"], r["i"], r["oi"], r["T"]) for r in rows],
                             [(r["symbol"], r["markPrice"], r["indexPrice"], r["openInterest"], r["nextFundingTime"])
                              for r in rest])
            self.assertTrue(stream.subscribe("coinPrice", coins=["vUSDC"])["success"])
            coin = stream.push("coinPrice")["data"][0]
            self.assertEqual((coin["i"], coin["a"], coin["p"], coin["mr"]), (0, "vUSDC", "1", "1"))
            self.assertEqual(stream.subscribe("markPrice", symbol="none")["error"], "symbol not found: none")
            self.assertTrue(stream.subscribe("markPrice", symbol=rows[0]["s"])["success"])
            stream.end()


class Follower:
    """All that streams alone give about a book and an account. After a disconnect it begins again with snapshots."""

    def __init__(self, server, path, symbol, user):
        self.server, self.path, self.symbol, self.user = server, path, symbol, user
        self.cuts = self.updates = 0
        self.books = {}                     # by update id, since the last snapshot
        self.connect()

    def connect(self):
        self.stream, self.book, self.last, self.state = Stream(self.server, self.path), None, None, None
        self.books.clear()
        # the state after which its changes come
        for channel in ("accountOrderUpdate", "accountUpdate", "accountTrade", "accountState"):
            self.say("subscribe", channel=channel, user=self.user)
        self.say("unsubscribe", channel="accountState", user=self.user)                 # from here on by its changes
        self.say("subscribe", channel="l4Book", symbol=self.symbol, level=20)

    def say(self, op, **params):
        """Waits until it is acknowledged; no message in between is lost."""
        self.stream.say(op, 1, **params)
        while "channel" in (message := self.stream.next()):
            self.take(message)
        assert (message["op"], message["success"]) == (op, True), message

    def cut(self):
        """Ends without a close frame, like a cable that is pulled."""
        self.stream.loop.call_soon_threadsafe(self.stream.socket.transport.abort)
        self.stream.thread.join(20)
        self.cuts += 1
        self.connect()

    def follow(self, seconds):
        """The messages until then, or (0) until there are none."""
        until = time.monotonic() + seconds
        while seconds == 0 or time.monotonic() < until:
            message = self.stream.nothing(0.5 if seconds == 0 else 0.02)
            if message is not None and "channel" in message:
                self.take(message)
            elif message is None and seconds == 0:
                return

    def take(self, message):
        channel, data = message["channel"], message["data"]
        self.updates += 1
        if channel == "accountState":
            self.state = data
            self.orders = {row["i"]: row for row in data["O"]}
            self.balances = {row["i"]: self.balance(row) for row in data["B"]}
            self.positions = {row["i"]: self.position(row) for row in data.get("P", ())}
        elif channel == "l4Book":
            if message["type"] == "snapshot":
                self.book = {side: {Decimal(p): Decimal(q) for p, q in data[side]} for side in "ab"}
            else:
                assert data["U"] == self.last + 1, (data, self.last)
                apply(self.book, data)
            self.last = data["u"]
            self.books[self.last] = {side: dict(self.book[side]) for side in "ab"}
        elif self.state is None:
            pass                            # before the state, and so in it
        elif channel == "accountOrderUpdate":
            self.orders[data["i"]] = data
        elif channel == "accountUpdate":
            self.balances.update({row["i"]: self.balance(row) for row in data["B"]})
            self.positions.update({row["i"]: self.position(row) for row in data.get("P", ())})

    @staticmethod
    def balance(row):
        return (row["t"], row["l"]) if "t" in row else row["wb"]

    @staticmethod
    def position(row):
        return row["s"], row["sz"], row["ep"], row["iw"]

    def judge(self, case, client, base):
        """The streams against the reads, while nothing changes."""
        now, data = client.get(f"/accounts/{self.user}/state",
                               base=base).data, client.get(f"/markets/{self.symbol}/orderbook?limit=20", base=base).data
        shown = lambda row: tuple(row[key]
                                  for key in ("s", "c", "S", "o", "f", "p", "q", "F", "X", "z", "v", "ct", "ut"))
        case.assertEqual({i: shown(row) for i, row in self.orders.items() if row["X"] in OPEN},
                         {row["i"]: shown(row) for row in now["O"]})
        case.assertEqual(self.balances, {row["i"]: self.balance(row) for row in now["B"]})
        case.assertEqual({i: row for i, row in self.positions.items() if row[1] != "0"},
                         {row["i"]: self.position(row) for row in now.get("P", ())})
        case.assertEqual(self.last, data["updateID"])
        case.assertEqual(self.book,
                         {side[0]: {Decimal(p): Decimal(q) for p, q in data[side]} for side in ("asks", "bids")})


class Trader:
    """Random orders of an engine: resting, crossing, market, cancelled."""

    def __init__(self, case, clients, perps, seed):
        self.case, self.perps, self.dice, self.count = case, perps, random.Random(seed), 0
        self.clients = [Perps(client) for client in clients] if perps else clients

    def step(self):
        dice, who = self.dice, self.dice.choice(self.clients)
        make = perps_order if self.perps else order
        side, price, kind = dice.choice((BUY, SELL)), 100000 + dice.randrange(-40, 41), dice.randrange(10)
        self.count += 1
        name = f"t{self.count}"
        if kind < 6:
            reply = who.place(*(make(f"{name}-{k}", side, str(price + k), "0.0%d" % dice.randrange(1, 9))
                                for k in range(dice.randrange(1, 4))))
        elif kind < 7:
            reply = who.place(make(name, side, str(price), "0.05", tif=IOC))
        elif kind < 8:
            reply = who.place(make(name, side, quantity="0.03", type=MARKET))
        else:
            mine = who.orders() if self.perps else {row["clOrdID"]: row for row in who.open_orders()}
            if not mine:
                return
            target = dice.choice(sorted(mine))
            reply = who.cancel(target) if self.perps else who.cancel({"symbolID": 1, "clOrdID": "c" + name,
                "orderID": mine[target]["orderID"]})
        self.case.assertEqual(reply.code, 0, reply)


class Truth(Case):
    def follow_with_cuts(self, path, base, symbol, perps):
        with Server("--seed", "21") as server:
            clients = server.accounts()[:4]
            trader, dice = Trader(self, clients[:3], perps, 4), random.Random(5)
            follower = Follower(server, path, symbol, clients[1].address)
            errors, done = [], threading.Event()

            def trade():
                try:
                    for _ in range(220):
                        trader.step()
                except Exception as error:          # published below
                    errors.append(error)
                done.set()

            compared = 0
            for _ in range(2):                      # random trading, then a pause
                done.clear()
                thread = threading.Thread(target=trade)
                thread.start()
                while not done.is_set():
                    follower.follow(dice.uniform(0.05, 0.2))
                    data = clients[3].get(f"/markets/{symbol}/orderbook?limit=20", base=base).data
                    follower.follow(0.05)
                    if data["updateID"] in follower.books:
                        self.assertEqual(follower.books[data["updateID"]],
                                         {side[0]: {Decimal(p): Decimal(q) for p, q in data[side]}
                                          for side in ("asks", "bids")})
                        compared += 1
                    follower.cut()
                thread.join(60)
                self.assertEqual(errors, [])
                follower.follow(0)
                follower.judge(self, clients[3], base)
            self.assertGreater(follower.cuts, 2)
            self.assertGreater(follower.updates, 100)
            self.assertGreater(compared, 1)
            follower.stream.end()

    def test_spot_by_streams_alone(self):
        self.follow_with_cuts("/ws/spot", "/api/v1/spot", "vBTC_vUSDC", False)

    def test_perps_by_streams_alone(self):
        self.follow_with_cuts("/ws/perps", "/api/v1/perps", "BTC-USD", True)


def connect_from(address, port):
    """A handshake from one of the loopback addresses, because connections per address are limited."""
    connect, socket.create_connection = socket.create_connection, lambda to, timeout: connect(to, timeout, (address, 0))
    try:
        return handshake(port)[0]
    finally:
        socket.create_connection = connect


class Crowd(Case):
    def test_a_thousand_listen_and_two_of_them_never_read(self):
        with Server() as server:
            a, b = server.accounts()[:2]
            crowd = [connect_from(f"127.0.1.{1 + i // 200}", server.port) for i in range(990)]
            ask = lambda channel, **more: frame(json.dumps({"op": "subscribe",
                                                            "params": {"channel": channel, **more}}).encode())
            for one in crowd:
                one.sendall(ask("trade", symbol="vBTC_vUSDC"))
            deaf_book, deaf_account = (connect_from("127.0.1.99", server.port) for _ in range(2))
            deaf_book.sendall(ask("l4Book", symbol="vBTC_vUSDC", level=20))
            deaf_account.sendall(ask("accountOrderUpdate", user=a.address))
            slowest, trades = 0, 0
            for i in range(150):
                began = time.monotonic()
                self.items_ok(a.place(*(order(f"x{i}-{'y' * 20}-{k}", BUY, str(98000 + k), "0.001")
                                        for k in range(100))))
                self.ok(a.cancel(*({"symbolID": 1, "clOrdID": f"z{i}-{k}", "origClOrdID": f"x{i}-{'y' * 20}-{k}"}
                                   for k in range(100))))
                if i % 8 == 0:
                    self.items_ok(b.place(order(f"s{i}", SELL, "100000", "0.01")))
                    self.items_ok(a.place(order(f"b{i}", BUY, "100000", "0.01")))
                    trades += 1
                slowest = max(slowest, time.monotonic() - began)
            self.assertLess(slowest, 30 if INSTRUMENTED else 5)
            self.items_ok(a.place(order("last", BUY, "99000", "0.5")))

            got = [b""] * len(crowd)                # every client that reads got every trade
            with selectors.DefaultSelector() as selector:
                for i, one in enumerate(crowd):
                    one.setblocking(False)
                    selector.register(one, selectors.EVENT_READ, i)
                until = time.monotonic() + 20
                while time.monotonic() < until and (ready := selector.select(1)):
                    for key, _ in ready:
                        got[key.data] += key.fileobj.recv(1 << 20)
            self.assertEqual({data.count(b'"bi":') for data in got}, {trades})

            ends = read_frames(deaf_account, 2)     # subscriptions with every event ended with a reason
            self.assertEqual(ends[-1][0], 0x88)
            self.assertEqual(struct.unpack(">H", ends[-1][1][:2])[0], 1008)
            self.assertIn(b"too slow", ends[-1][1])
            book, last = {side: {} for side in "ab"}, None
            for _, payload in read_frames(deaf_book, 2):
                message = json.loads(payload)
                if message.get("channel") == "l4Book":
                    book = {side: {} for side in "ab"} if message["type"] == "snapshot" else book
                    apply(book, message["data"])
                    last = message["data"]["u"]
            data = b.get("/markets/vBTC_vUSDC/orderbook?limit=20").data
            self.assertEqual(last, data["updateID"])
            self.assertEqual(book["b"], {Decimal(p): Decimal(q) for p, q in data["bids"]})
            for one in (*crowd, deaf_book, deaf_account):
                one.close()


if __name__ == "__main__":
    main()
