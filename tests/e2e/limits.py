# SPDX-License-Identifier: MIT
"""Both rule sets of request limits, from outside: the weight of every row, the address it is charged to, the response
when the budget is used up, and its return."""
import os
import re
import threading
import time

from harness import (BUY, POOLS, Case, Client, Folder, Raw, ROOT, Server, Wallet, compact, fresh_nonce, main,
                     order)
from wall import Minutes

EXAMPLE = os.path.join(ROOT, "config", "example.ini")
SPOT, PERPS, GATEWAY = "/api/v1/spot", "/api/v1/perps", "/api/v1"
ALICE = Wallet("0x" + "31" * 32)
SYMBOLS = SPOT + "/markets/symbols"                                     # weighs 2
CHEAP = b'{}'                                                           # an unsigned batch of orders: refused, weighs 1
RPC = b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'


def request(method, path, headers=(), body=b""):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{n}: {v}" for n, v in headers)]
    if body or method in ("POST", "DELETE"):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def forwarded(address):
    return [("X-Forwarded-For", address)]


class Venue:
    """`dojima serve` with the example's configuration, behind a proxy on this machine by default."""

    def __init__(self, case, limits="", proxies="127.0.0.1", data=None, io_threads=1, settings=None, feeders=(),
                 wrapper=()):
        self.folder = Folder()
        folder = data or self.folder.path
        with open(EXAMPLE) as file:
            text = file.read()
        for pattern, value in [(r"(?m)^listen\s*=.*$", "listen = 127.0.0.1:0"),
                               (r"(?m)^data\s*=.*$", f"data = {folder}/data"),
                               (r"(?m)^ioThreads\s*=.*$", f"ioThreads = {io_threads}"),
                               (r"(?m)^\[limits\]$",
                                "[limits]" + (f"\ntrustedProxies = {proxies}" if proxies else "") + "\n" + limits)]:
            text, count = re.subn(pattern, value, text, count=1)
            case.assertEqual(count, 1, pattern)
        for key in re.findall(r"(?m)^(\w+) =", limits):                     # not a second time
            first = text.index(f"\n{key} =") + 1
            text = text[:first + 1] + re.sub(rf"(?m)^{key} =.*\n", "", text[first + 1:], count=1)
        for key, value in {**POOLS, **(settings or {})}.items():          # of [dojima], instead of the example's
            text = re.sub(rf"(?m)^{key}\s*=.*\n", "", text).replace("[dojima]\n", f"[dojima]\n{key} = {value}\n", 1)
        path = os.path.join(folder, "dojima.ini")
        with open(path, "w") as file:
            file.write(text + f"\n[account {ALICE.address}]\nvUSDC = 1000000\n" + "".join(f"[feeder {address}]\n"
                for address in feeders))
        self.server = Server("--config", path, command="serve", json_banner=False,
                             wrapper=wrapper).wait_for_port()
        self.port = self.server.port

    def __enter__(self):
        return self

    def __exit__(self, *trace):
        self.server.__exit__(*trace)
        self.folder.__exit__()

    def client(self):
        return Client(self.server, ALICE, 1001)


class Limits(Case):
    def one(self, port, method, path, headers=(), body=b""):
        with Raw(port) as raw:
            return raw.send(request(method, path, headers, body)).reply()

    def many(self, port, count, *what):
        """The statuses of `count` requests sent in one go."""
        with Raw(port) as raw:
            statuses, data = [], request(*what)
            for start in range(0, count, 200):
                some = min(200, count - start)
                raw.send(data * some)
                statuses += [raw.reply().status for _ in range(some)]
        return statuses

    def left(self, port, headers=()):
        """The remaining units, by spending them until some are refused: by twenty, then one by one."""
        spent = 0
        for weight, what in ((20, ("GET", GATEWAY + "/nowhere", headers)),
                             (1, ("POST", SPOT + "/trade/orders/batch", headers, CHEAP))):
            passed = count = 20
            while passed == count:
                statuses = self.many(port, count, *what)
                passed = count - statuses.count(429)
                self.assertEqual(statuses, [404 if weight == 20 else 200] * passed + [429] * (count - passed))
                spent += weight * passed
                self.assertLessEqual(spent, 1200)
        return spent

    def is_limited(self, reply, limit=1200, window="1m", text="rate limit exceeded"):
        self.assertEqual(reply.status, 429, reply)
        self.assertEqual(list(reply.json), ["code", "message", "error", "timestamp", "details"], reply)
        self.assertEqual(list(reply.details), ["limit", "window", "retry_after"], reply)
        self.assertEqual((reply.code, reply.json["message"], reply.json["error"]), (42901, text, text))
        self.assertEqual((reply.details["limit"], reply.details["window"]), (limit, window))
        wait = reply.details["retry_after"]
        self.assertIsInstance(wait, int)
        self.assertGreaterEqual(wait, 1)
        self.assertEqual(reply.headers["retry-after"], str(wait))
        self.assertEqual(reply.headers["connection"], "keep-alive")
        return wait


class Defaults(Limits):
    def test_the_1201st_unit_is_refused_and_the_budget_comes_back(self):
        with Folder() as folder, Server(limits=True, wrapper=(minutes := Minutes(folder)).wrapper) as server:
            began = minutes.now()
            self.assertEqual(self.many(server.port, 300, "GET", SYMBOLS), [200] * 300)
            minutes.wait_until(began + 5)                                   # 600 units now, 600 five seconds later
            self.assertEqual(self.many(server.port, 300, "GET", SYMBOLS), [200] * 300)
            with Raw(server.port) as raw:
                refused = raw.send(request("GET", SYMBOLS)).reply()
                wait = self.is_limited(refused)
                asked = minutes.now()
                self.assertLessEqual(wait, 61)
                # A refused write is read and skipped, whatever its body; the connection continues.
                raw.send(request("POST", SPOT + "/trade/orders/batch", [("Content-Type", "application/json")],
                                 b"GET / HTTP/1.1\r\n\r\n" * 4000))
                raw.send(request("GET", "/healthz"))
                self.is_limited(raw.reply())
                self.assertEqual(raw.reply().status, 200)
                # What weighs nothing is answered although nothing is left (ruling 53), one in each millisecond of a
                # connection (decision 307).
                free = request("GET", "/healthz") + request("GET", "/readyz") + request("GET", "/version") \
                    + request("OPTIONS", SYMBOLS)
                sent = time.monotonic()
                raw.send(free * 25)
                self.assertEqual([raw.reply().status for _ in range(100)], [200, 200, 200, 204] * 25)
                self.assertGreaterEqual(time.monotonic() - sent, 0.098)
                self.is_limited(raw.send(request("GET", SYMBOLS)).reply())
                for spoofed in ("203.0.113.9", "127.0.0.1", "::1"):
                    self.is_limited(raw.send(request("GET", SYMBOLS,
                                                     [*forwarded(spoofed), ("Forwarded", f"for={spoofed}"),
                                                      ("X-Real-IP", spoofed)])).reply())
            # A signed order is refused before its checks: its nonce stays free.
            a = server.accounts()[0]
            body, nonce = {"accountID": a.id, "orders": [order("later", BUY, "96000", "0.01")]}, fresh_nonce()
            body = compact(body)
            self.is_limited(a.write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce))
            minutes.wait_until(asked + wait - 1.5)
            self.assertEqual(self.one(server.port, "GET", SYMBOLS).status, 429, "back too early")
            minutes.wait_until(asked + wait)
            self.items_ok(server.accounts()[0].write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce))
            self.assertLess(minutes.now() - began, 63)
            left = self.left(server.port)
            self.assertIn(left, range(1, 600), "what was spent later must not be back yet")
            minutes.wait_until(began + 5 + 62)
            self.assertGreaterEqual(self.left(server.port), 598)

    def test_an_api_key_on_the_chain_node(self):
        with Server(limits=True) as server:
            key = [("X-API-Key", "mine"), ("Content-Type", "application/json")]
            with Raw(server.port) as raw:
                before = time.time() * 1000
                for i in range(20):
                    reply = raw.send(request("POST", "/rpc", key, RPC)).reply()
                    self.assertEqual(reply.status, 200, reply)
                    self.assertEqual(reply.headers["x-ratelimit-limit"], "20")
                    self.assertEqual(reply.headers["x-ratelimit-remaining"], str(19 - i))
                    self.assertAlmostEqual(int(reply.headers["x-ratelimit-reset"]), before + 60000, delta=5000)
                reply = raw.send(request("POST", "/rpc", key, RPC)).reply()
                self.is_limited(reply, limit=20, text="rate limit of the API key exceeded")
                self.assertEqual(reply.headers["x-ratelimit-remaining"], "0")
                reply = raw.send(request("POST", "/rpc", key[1:], RPC)).reply()
                self.assertEqual(reply.status, 200, "without a name nothing is counted")
                self.assertNotIn("x-ratelimit-limit", reply.headers)
                self.assertEqual(raw.send(request("POST", "/rpc", [("X-API-Key", "his"), key[1]], RPC)).reply().status,
                                 200)

    def test_no_limits(self):
        with Server("--no-limits") as server:
            self.assertEqual(self.many(server.port, 2000, "GET", SYMBOLS), [200] * 2000)


# Wire 5.1; (weight, method, path behind the base).
USER = ALICE.address
MARKET = [(2, "GET", "/markets/symbols"), (2, "GET", "/markets/coins"), (2, "GET", "/markets/tickers"),
          (2, "GET", "/markets/miniTickers"),
          (2, "GET", "/markets/bookTickers"),
          (5, "GET", "/markets/{symbol}/orderbook"), (5, "GET", "/markets/{symbol}/orderbook?limit=100"),
          (10, "GET", "/markets/{symbol}/orderbook?limit=101"),
          (10, "GET", "/markets/{symbol}/orderbook?limit=500"), (20, "GET", "/markets/{symbol}/orderbook?limit=501"),
          (20, "GET", "/markets/{symbol}/klines?interval=1m"), (20, "GET", "/markets/{symbol}/trades")]
ACCOUNT = [(5, "GET", f"/accounts/{USER}/balances"), (5, "GET", f"/accounts/{USER}/orders"),
           (5, "GET", f"/accounts/{USER}/state"),
           (5, "GET", f"/accounts/{USER}/api-keys"), (2, "GET", f"/accounts/{USER}/fee-rate"),
           (20, "GET", f"/accounts/{USER}/orders/history"),
           (20, "GET", f"/accounts/{USER}/trades"), (10, "POST", "/accounts/transfers")]
TRADE = [(1, "POST", "/trade/orders/batch"), (1, "DELETE", "/trade/orders/batch"), (1, "POST", "/trade/orders/replace"),
         (1, "POST", "/trade/orders/schedule-cancel")]
PERPS_ONLY = [(2, "GET", "/markets/mark-prices"), (5, "GET", f"/accounts/{USER}/positions"),
              (20, "GET", f"/accounts/{USER}/positions/history"),
              (20, "GET", f"/accounts/{USER}/fundings"), (1, "POST", "/trade/orders"), (1, "DELETE", "/trade/orders"),
              (1, "POST", "/trade/orders/modify"),
              (1, "POST", "/trade/leverage"), (1, "POST", "/trade/margin")]
OTHERS = [(20, "GET", f"/user/{USER}/ratelimit"), (20, "GET", "/time"), (20, "GET", "/nonsense"),
          (20, "POST", "/spot/markets/symbols")]
FREE = [(0, "GET", "/healthz"), (0, "GET", "/readyz"), (0, "GET", "/version"), (0, "OPTIONS", SYMBOLS),
        (20, "GET", "/"), (20, "POST", "/rpc")]


class Proxied(Limits):
    def test_what_every_row_weighs(self):
        """Each row is requested once from an address of its own, which then spends the rest."""
        rows = [(weight, method, SPOT + path.replace("{symbol}", "vBTC_vUSDC"), True)
                for weight, method, path in MARKET + ACCOUNT + TRADE]
        rows += [(weight, method, PERPS + path.replace("{symbol}", "BTC-USD"), True)
                 for weight, method, path in MARKET + ACCOUNT + TRADE[2:] + PERPS_ONLY]
        rows += [(weight, method, GATEWAY + path, False) for weight, method, path in OTHERS]
        rows += [(weight, method, path, False) for weight, method, path in FREE]
        with Venue(self) as venue:
            for number, (weight, method, path, built) in enumerate(rows):
                with self.subTest(f"{method} {path}"):
                    who = forwarded(f"203.0.{number // 250}.{number % 250}")
                    reply = self.one(venue.port, method, path, [*who, ("Content-Type", "application/json")],
                                     RPC if path == "/rpc" else b"{}" if method == "POST" else b"")
                    self.assertIn(reply.status, (200, 204, 302, 404, 405))
                    if reply.status == 404:                                 # is no row: weighs as every unlisted path
                        self.assertFalse(built, path)
                        weight = 20
                    self.assertEqual(1200 - self.left(venue.port, who), weight)

    def test_a_refused_handshake_weighs_as_an_unlisted_path(self):
        """Ruling 53. A stream itself weighs nothing: its address has so many (wire 5.3)."""
        good = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        rows = [("GET", {}, 101, 0), ("GET", {"Sec-WebSocket-Key": "AAAA"}, 400, 20), ("POST", {}, 405, 20),
                ("GET", {"Sec-WebSocket-Version": "12"}, 426, 20), ("GET", {"Origin": "nowhere"}, 403, 20)]

        def shake(venue, who, method, other):
            with Raw(venue.port) as raw:
                return raw.send(request(method, "/ws/spot", [*who, *(good | other).items()])).reply(head=True)
        with Venue(self) as venue:
            for number, (method, other, status, weight) in enumerate(rows):
                with self.subTest(f"{method} {other}"):
                    who = forwarded(f"203.0.113.{number}")
                    self.assertEqual(shake(venue, who, method, other).status, status)
                    self.assertEqual(1200 - self.left(venue.port, who), weight)
                    reply = shake(venue, who, method, other)
                    self.assertEqual(reply.status, 429 if weight else 101)
                    if weight:
                        self.assertGreaterEqual(int(reply.headers["retry-after"]), 1)

    def test_a_history_charges_its_rows_behind_the_answer(self):
        with Venue(self) as venue:
            a = venue.client()
            for start in range(0, 80, 40):
                self.items_ok(a.place(*[order(f"o-{start + i}", BUY, "96000", "0.001") for i in range(40)],
                                      chain_id=77001))
                self.items_ok(a.cancel(*[{"symbolID": 1, "clOrdID": f"c-{start + i}", "origClOrdID": f"o-{start + i}"}
                                         for i in range(40)], chain_id=77001))
                time.sleep(0.002)                                           # the next ones end in another millisecond
            newest, = self.items_ok(a.place(order("newest", BUY, "96000", "0.001"), chain_id=77001))
            self.items_ok(a.cancel({"symbolID": 1, "clOrdID": "c-newest", "origClOrdID": "newest"}, chain_id=77001))
            # a page behind an order is cut anywhere
            history, behind = f"{SPOT}/accounts/{USER}/orders/history", f"&fromID={newest['orderID']}"
            for number, (limit,
                         weight) in enumerate([(1, 20), (19, 20), (20, 21), (39, 21), (40, 22), (80, 24), (500, 24)]):
                who = forwarded(f"198.51.100.{number}")
                reply = self.one(venue.port, "GET", f"{history}?limit={limit}{behind}", who)
                self.assertEqual(len(self.ok(reply)), min(limit, 80))
                self.assertEqual(1200 - self.left(venue.port, who), weight)
            # others end with a whole millisecond
            for number, (limit, rows, weight) in enumerate([(2, 41, 22), (41, 41, 22), (42, 81, 24)]):
                who = forwarded(f"198.51.101.{number}")
                self.assertEqual(len(self.ok(self.one(venue.port, "GET", f"{history}?limit={limit}", who))), rows)
                self.assertEqual(1200 - self.left(venue.port, who), weight)
            # the last units buy a whole response, and then a debt
            who = forwarded("198.51.100.99")
            self.assertEqual(set(self.many(venue.port, 59, "GET", f"{SPOT}/markets/vBTC_vUSDC/trades", who)), {200})
            self.assertEqual(len(self.ok(self.one(venue.port, "GET", f"{history}?limit=80{behind}", who))), 80)
            self.assertEqual(self.left(venue.port, who), 0)

    def test_who_is_charged(self):
        with Venue(self, proxies="127.0.0.1, 10.0.0.0/8") as venue:
            def spend(*headers):
                self.assertEqual(self.one(venue.port, "GET", SPOT + "/markets/vBTC_vUSDC/trades",
                                          [("X-Forwarded-For", h) for h in headers]).status, 200)
            for headers, charged in [(["192.0.2.1"], "192.0.2.1"), (["198.51.100.7, 192.0.2.2"], "192.0.2.2"),
                                     (["192.0.2.3, 10.1.2.3"], "192.0.2.3"),
                                     (["198.51.100.7", "192.0.2.4"], "192.0.2.4"),
                                     (["192.0.2.5", "10.9.9.9, 127.0.0.1"], "192.0.2.5"),
                                     (["::ffff:192.0.2.6"], "192.0.2.6"), (["192.0.2.8:4711"], "192.0.2.8"),
                                     (["2001:db8:1:1::1"], "2001:db8:1:1:ffff::2")]:
                with self.subTest(headers):
                    spend(*headers)
                    self.assertEqual(self.left(venue.port, forwarded(charged)), 1180)
            self.assertEqual(self.left(venue.port, forwarded("198.51.100.7")), 1200,
                             "what a client claims is not charged to others")
            self.assertEqual(self.left(venue.port, forwarded("2001:db8:1:2::1")), 1200, "another /64")
            for headers in (["nonsense"], ["192.0.2.9,"], ["unknown"], ["1.2.3.4.5"], []):
                spend(*headers)                                             # the proxy's own address
            self.assertEqual(self.left(venue.port), 1100)

    def test_more_addresses_than_rows(self):
        """1,000 are served, to the unit; later ones are refused, and memory stays constant."""
        with Venue(self, "addresses = 1000\n") as venue:
            def ask(start, count, weight_path="/markets/coins"):
                statuses = []
                with Raw(venue.port) as raw:
                    for block in range(start, start + count, 250):
                        raw.send(b"".join(request("GET", SPOT + weight_path,
                                                  forwarded(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"))
                                                  for i in range(block, block + 250)))
                        statuses += [raw.reply().status for _ in range(250)]
                return statuses
            self.assertEqual(ask(0, 1000), [200] * 1000)
            before = self.resident(venue)
            self.assertEqual(set(ask(1000, 100000)), {429})
            self.assertLess(self.resident(venue) - before, 2048, "KiB")
            self.assertEqual(ask(0, 1000), [200] * 1000)
            self.assertEqual(self.left(venue.port, forwarded("10.0.1.7")), 1196)
            self.assertGreaterEqual(self.is_limited(self.one(venue.port, "GET", SYMBOLS, forwarded("192.0.2.1"))), 1)

    def test_threads_share_one_budget(self):
        with Venue(self, io_threads=4) as venue:
            who, passed = forwarded("192.0.2.44"), []
            # 2,080 requests: fewer than the 1,000 refusals that close a connection
            threads = [threading.Thread(target=lambda: passed.append(self.many(venue.port, 260, "POST",
                SPOT + "/trade/orders/batch", who, CHEAP).count(200)))
                       for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(passed), 8)
            self.assertEqual(sum(passed), 1200)

    def resident(self, venue):
        with open(f"/proc/{venue.server.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


class Keys(Limits):
    def test_signed_requests_are_counted_behind_the_signature(self):
        with Folder() as folder, Venue(self, "keyLimitSpot = on\nkeyRequestsPerMinute = 5\n",
                                       wrapper=(minutes := Minutes(folder)).wrapper) as venue:
            a = venue.client()
            for _ in range(6):                                              # no other client uses up this budget
                self.refused(a.place(order("x", BUY, "96000", "0.01"), chain_id=1), 40101)
            for i in range(5):
                reply = a.place(order(f"k-{i}", BUY, "96000", "0.01"), chain_id=77001)
                self.items_ok(reply)
                self.assertEqual(reply.headers["x-ratelimit-limit"], "5")
                self.assertEqual(reply.headers["x-ratelimit-remaining"], str(4 - i))
                self.assertIn("x-chain-tx", reply.headers)
            nonce, body = fresh_nonce(), compact({"accountID": 1001, "orders": [order("k-5", BUY, "96000", "0.01")]})
            reply = a.write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce, chain_id=77001)
            asked = minutes.now()
            wait = self.is_limited(reply, limit=5, text="rate limit of the API key exceeded")
            self.assertEqual(reply.headers["x-ratelimit-remaining"], "0")
            self.assertEqual(len(a.open_orders()), 5)
            self.assertEqual(self.ok(a.get("/markets/symbols"))[0]["name"], "vBTC_vUSDC")       # reads have no key
            self.assertGreaterEqual(wait, 50)
            minutes.wait_until(asked + wait)
            self.items_ok(venue.client().write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce,
                                               chain_id=77001))

    def test_the_month_survives_a_restart_and_damage_is_said(self):
        def ask(port, count):
            with Raw(port) as raw:
                return [raw.send(request("POST", "/rpc", [("X-API-Key", "m"), ("Content-Type", "application/json")],
                                         RPC)).reply() for _ in range(count)]
        limits = "keyRequestsPerMonth = 15\nkeyRequestsPerMinute = 1000\n"
        with Folder() as folder:
            with Venue(self, limits, data=folder) as venue:
                self.assertEqual([r.status for r in ask(venue.port, 10)], [200] * 10)
            with Venue(self, limits, data=folder) as venue:
                replies = ask(venue.port, 7)
                self.assertEqual([r.status for r in replies], [200] * 5 + [429] * 2)
                self.assertLessEqual(self.is_limited(replies[6], limit=15, window="1M",
                                                     text="rate limit of the API key exceeded"), 31 * 86400)
            path = os.path.join(folder, "data", "key-usage")
            with open(path, "r+b") as file:
                file.seek(30)
                other = file.read(1)[0] ^ 0xff
                file.seek(30)
                file.write(bytes([other]))
            with Venue(self, limits, data=folder) as venue:
                self.assertIn("key-usage is damaged", venue.server.stderr())
                self.assertEqual([r.status for r in ask(venue.port, 16)], [200] * 15 + [429])

    def test_orders_per_minute(self):
        with Venue(self, "ordersPerMinute = 100\n") as venue:
            a = venue.client()
            orders = [order(f"n-{i}", BUY, "96000", "0.001") for i in range(101)]
            self.items_ok(a.place(*orders[:60], chain_id=77001))
            self.is_limited(a.place(*orders[60:], chain_id=77001), limit=100, text="order rate limit exceeded")
            self.items_ok(a.place(*orders[60:100], chain_id=77001))
            self.is_limited(a.place(orders[100], chain_id=77001), limit=100, text="order rate limit exceeded")
            # cancels are no orders
            self.items_ok(a.cancel({"symbolID": 1, "clOrdID": "c", "origClOrdID": "n-1"}, chain_id=77001))


if __name__ == "__main__":
    main()
