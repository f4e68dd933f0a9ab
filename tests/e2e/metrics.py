# SPDX-License-Identifier: MIT
"""/metrics from outside: the text is valid for Prometheus, counts exactly the requests made and nothing else, is
readable only by its readers, and does not grow with its input. The text is parsed by a strict parser of this file, and
by prometheus_client where it is installed."""
import http.client
import json
import re
import socket
import subprocess
import time
from decimal import Decimal

from harness import (BTC, BUY, SELL, Case, Connection, Folder, Perps, Raw, ROOT, Server, compact, fresh_nonce, main,
                     order, perps_order, STOP, STOP_LOSS, MARK_PRICE)
from limits import Venue, request

try:
    from streams import Stream, frame, handshake
except SystemExit:                                              # python3-websockets is not installed
    Stream = None
try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
HEAD = re.compile(rf"# (HELP|TYPE) ({NAME}) (.+)")
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (-?\d+(?:\.\d*[1-9])?)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"')
STAGES = ("parse", "verify", "queue", "durable", "apply", "answer")
ESCAPES = {"\\\\": "\\", "\\n": "\n", '\\"': '"'}


class Malformed(Exception):
    pass


def demand(truth, text):
    if not truth:
        raise Malformed(text)


def labels_of(text, line):
    labels, at = {}, 0
    while at < len(text or ""):
        match = LABEL.match(text, at)
        demand(match, f"labels of {line!r}")
        demand(match.group(1) not in labels, f"twice the same label: {line!r}")
        labels[match.group(1)] = re.sub(r'\\[\\n"]', lambda m: ESCAPES[m.group()], match.group(2))
        at = match.end()
        demand(at == len(text) or text[at] == ",", f"labels of {line!r}")
        at += at < len(text)
        demand(at < len(text) or text[-1] != ",", f"labels of {line!r}")
    return frozenset(labels.items())


class Scrape:
    """One response: `types` by family, `values` by (name, labels)."""

    def __init__(self, text):
        self.types, self.helps, self.values, family = {}, {}, {}, None
        demand(text.endswith("\n") and "\n\n" not in text and "\r" not in text, "lines")
        for line in text[:-1].split("\n"):
            head = HEAD.fullmatch(line)
            if head:
                kind, name, rest = head.groups()
                table = self.helps if kind == "HELP" else self.types
                demand(name not in table, f"twice {line!r}")
                demand(kind == "TYPE" and family == name or kind == "HELP", f"out of order: {line!r}")
                demand(kind == "HELP" or rest in ("counter", "gauge", "histogram"), line)
                table[name], family = rest, name
                continue
            sample = SAMPLE.fullmatch(line)
            demand(sample, f"no sample: {line!r}")
            name, labels, value = sample.groups()
            base = re.sub("_(bucket|sum|count)$", "", name) if self.types.get(family) == "histogram" else name
            demand(base == family and family in self.types, f"outside its family: {line!r}")
            key = (name, labels_of(labels, line))
            demand(key not in self.values, f"twice {line!r}")
            self.values[key] = Decimal(value)
        demand(set(self.types) == set(self.helps), "HELP and TYPE of each")
        for family, kind in self.types.items():
            demand((kind == "counter") == family.endswith("_total"), f"{family} is a {kind}")
            if kind == "histogram":
                self._check_histogram(family)

    def _check_histogram(self, family):
        groups = {}
        for (name, labels), value in self.values.items():
            if name == family + "_bucket":
                rest = frozenset(pair for pair in labels if pair[0] != "le")
                groups.setdefault(rest, []).append((Decimal(dict(labels)["le"].replace("+Inf", "Infinity")), value))
        demand(groups, f"{family} has no buckets")
        for rest, buckets in groups.items():
            bounds, counts = zip(*buckets)
            count, total = self.values[(family + "_count", rest)], self.values[(family + "_sum", rest)]
            demand(list(bounds) == sorted(set(bounds)) and bounds[-1] == Decimal("Infinity"), f"bounds of {family}")
            demand(list(counts) == sorted(counts), f"{family}: buckets go back")
            demand(counts[-1] == count, f"{family}: {counts[-1]} in the last bucket, {count} counted")
            lows = (Decimal(0),) + bounds[:-1]
            alone = [b - a for a, b in zip((0,) + counts[:-1], counts)]
            demand(sum(n * low for n, low in zip(alone, lows)) <= total, f"{family}: sum below its buckets")
            if alone[-1] == 0:
                demand(total <= sum(n * high for n, high in zip(alone[:-1], bounds)),
                       f"{family}: sum above its buckets")

    def of(self, name, **labels):
        """The sum of all samples that have these labels."""
        return sum((value for (sample, have), value in self.values.items()
                    if sample == name and labels.items() <= dict(have).items()), Decimal(0))

    def one(self, name, **labels):
        return self.values[(name, frozenset(labels.items()))]


def read(server, **how):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20, **how)
    connection.request("GET", "/metrics")
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, reply.headers, text


def scrape(server):
    status, _, text = read(server)
    assert status == 200, text
    return Scrape(text)


class Counted:
    """The increase from one scrape to the next; the scrape before counts as one request."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    def of(self, name, **labels):
        return self.after.of(name, **labels) - self.before.of(name, **labels)


def settle(server, wanted, seconds=10):
    """Scrapes until the predicate holds: gauges of other threads follow within their time."""
    until = time.monotonic() + seconds
    while True:
        now = scrape(server)
        if wanted(now) or time.monotonic() > until:
            return now
        time.sleep(0.05)


class Text(Case):
    def test_the_text_is_what_prometheus_reads_and_names_every_row(self):
        with Server() as server:
            status, headers, text = read(server)
            self.assertEqual(status, 200)
            self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            self.assertEqual(headers["Cache-Control"], "no-store")
            with open(f"{ROOT}/docs/METRICS.md") as file:
                rows = re.findall(r"^### `(\w+)`", file.read(), re.M)
            found = Scrape(text)
            self.assertEqual(list(found.types), rows)                   # the table's own order
            for name in rows:
                self.assertTrue(any(key[0].startswith(name) for key in found.values), f"{name} has no sample")
            if text_string_to_metric_families is None:
                print("SKIP prometheus_client: python3-prometheus-client is not installed")
            else:
                theirs = {sample.name: sample.value for family in text_string_to_metric_families(text)
                          for sample in family.samples}
                self.assertEqual(set(theirs), {name for name, _ in found.values})

    def test_the_parser_finds_what_is_wrong(self):
        good = "# HELP a_total x\n# TYPE a_total counter\na_total{b=\"c\"} 1\n"
        Scrape(good)
        histogram = ("# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} %s\nh_bucket{le=\"+Inf\"} %s\n"
                     "h_sum %s\nh_count %s\n")
        Scrape(histogram % (1, 2, "1.5", 2))
        for bad in (good[:-1], good + "\n", good.replace("counter", "gauge"), good.replace("1\n", "1.50\n"),
                    good.replace("1\n", "x\n"), good + good,
                    good.replace('"c"', '"c'), good.replace('"c"', '"c",'), good.replace('b="c"', 'b="c",b="d"'),
                    good.replace("# TYPE a_total counter\n", ""),
                    good + "b 1\n", good + 'a_total{b="c"} 2\n', histogram % (2, 1, "1.5", 1),
                    histogram % (1, 2, "1.5", 3), histogram % (1, 2, "0.5", 2),
                    histogram % (2, 2, "2.5", 2), good.replace('"c"', '"\\c"')):
            with self.subTest(bad), self.assertRaises(Malformed):
                Scrape(bad)

    def test_head_options_and_other_methods(self):
        with Server() as server, Raw(server.port) as raw:
            head = raw.send(request("HEAD", "/metrics")).reply(head=True)
            self.assertEqual((head.status, head.headers["content-type"]),
                             (200, "text/plain; version=0.0.4; charset=utf-8"))
            self.assertGreater(int(head.headers["content-length"]), 10000)
            self.assertEqual(raw.send(request("POST", "/metrics")).reply().status, 405)
            asked = raw.send(request("GET", "/metrics", [("Origin", "https://example.org")])).reply()
            self.assertEqual(asked.status, 200)
            self.assertNotIn("access-control-allow-origin", asked.headers)


class Traffic(Case):
    def test_known_traffic_is_counted_exactly(self):
        with Server() as server:
            a, b = server.accounts()[:2]
            before, began = scrape(server), time.monotonic()
            self.items_ok(a.place(order("m1", BUY, "90000", "0.01"), order("m2", BUY, "91000", "0.01"),
                                  order("m3", SELL, "101000", "0.01")))
            mixed = self.ok(a.place(order("m4", BUY, "90000.05", "0.01"), order("m5", BUY, "90000", "0.01"),
                                    order("m6", BUY, "90000", "0.000001")))
            self.assertEqual([item["code"] for item in mixed], [42201, 0, 42202])
            self.items_ok(b.place(order("t1", BUY, "101000", "0.01")))                          # a trade
            self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "x1", "origClOrdID": "m1"}))
            nonce, body = fresh_nonce(), {"accountID": a.id, "orders": [order("n1", BUY, "90000", "0.01")]}
            self.ok(a.write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce))
            used = a.write("POST", "/trade/orders/batch", "batchNewOrder", body, nonce=nonce)   # the engine refuses
            self.assertEqual(used.code, 40102, used)
            forged = a.write("POST", "/trade/orders/batch", "somethingElse", body)
            self.assertNotEqual(forged.code, 0)
            # before the signature
            self.assertEqual(a.write("POST", "/trade/orders/batch", "batchNewOrder", b'{"orders":').code, 40001)
            for _ in range(3):
                self.ok(a.get("/markets/symbols"))
            self.ok(a.get("/markets/symbols", "/api/v1/perps"))
            self.assertEqual(a.get("/accounts/0x12/balances").code, 40001)
            self.assertEqual(a.connection.send("GET", "/nothing/here").status, 404)
            self.assertEqual(a.connection.send("DELETE", "/version").status, 405)
            with Raw(server.port) as raw:
                self.assertEqual(raw.send(b"GET / HTTP/1.1\r\nbad header\r\n\r\n").reply().status, 400)
            elapsed, after = time.monotonic() - began, scrape(server)
            more = Counted(before, after)

            spot = "/api/v1/spot"
            requests = lambda method, route, code: more.of("dojima_http_requests_total", method=method, route=route,
                                                           code=str(code))
            self.assertEqual(requests("POST", spot + "/trade/orders/batch", 0), 4)
            self.assertEqual(requests("POST", spot + "/trade/orders/batch", used.code), 1)
            self.assertEqual(requests("POST", spot + "/trade/orders/batch", forged.code), 1)
            self.assertEqual(requests("POST", spot + "/trade/orders/batch", 40001), 1)
            self.assertEqual(requests("DELETE", spot + "/trade/orders/batch", 0), 1)
            self.assertEqual(requests("GET", spot + "/markets/symbols", 0), 3)
            self.assertEqual(requests("GET", "/api/v1/perps/markets/symbols", 0), 1)
            self.assertEqual(requests("GET", spot + "/accounts/{userAddress}/balances", 40001), 1)
            self.assertEqual(requests("other", "none", 40490), 1)
            self.assertEqual(requests("other", "none", 40590), 1)
            self.assertEqual(requests("other", "none", 40090), 1)
            self.assertEqual(requests("GET", "/metrics", 0), 1)                                 # the scrape before
            total = more.of("dojima_http_requests_total")
            self.assertEqual(total, 4 + 1 + 1 + 1 + 1 + 3 + 1 + 1 + 1 + 1 + 1 + 1)

            for rule, count in (("PRICE_TICK", 0), ("PRICE_DECIMALS", 1), ("BAD_NONCE", 1), ("BAD_JSON", 1),
                                ("BAD_ADDRESS", 1),
                                ("PATH_NOT_FOUND", 1), ("METHOD_NOT_ALLOWED", 1), ("BAD_HTTP", 1)):
                self.assertEqual(more.of("dojima_refusals_total", rule=rule), count, rule)
            self.assertEqual(more.of("dojima_refusals_total", code="42202"), 1)
            self.assertEqual(more.of("dojima_refusals_total", code=str(forged.code)), 1 + (forged.code == used.code))
            self.assertEqual(more.of("dojima_refusals_total"), 9)

            stage = lambda name: more.of("dojima_stage_seconds_count", stage=name)
            commands = 4 + 1                   # fresh ones, the cancel; the used nonce and the forged one end before
            self.assertEqual({name: stage(name) for name in STAGES}, {
                "parse": total, "answer": total, "verify": commands + 2, "queue": commands, "durable": commands,
                "apply": commands})
            for name in STAGES:
                spent = more.of("dojima_stage_seconds_sum", stage=name)
                self.assertGreater(spent, 0, name)
                self.assertLess(spent, Decimal(elapsed) * (1 if name in ("parse", "verify") else 3), name)

            self.assertEqual(more.of("dojima_open_orders", market="spot", symbol="vBTC_vUSDC"), 3)      # m2, m5, n1
            self.assertEqual(more.of("dojima_open_orders"), 3)
            self.assertEqual(more.of("dojima_pool_used", pool="orders"), 3)
            self.assertEqual(more.of("dojima_pool_used", pool="levels"), 2)
            self.assertEqual(more.of("dojima_trades_total", market="spot", symbol="vBTC_vUSDC"), 1)
            self.assertGreaterEqual(more.of("dojima_log_records_total"), commands)
            self.assertGreaterEqual(more.of("dojima_block_height"), 5)
            self.assertEqual(more.of("dojima_log_records_total"), more.of("dojima_engine_seq"))
            self.assertGreater(more.of("dojima_log_bytes_total"), 500)
            self.assertEqual(more.of("dojima_log_append_seconds_count"), more.of("dojima_log_batches_total"))
            self.assertGreaterEqual(more.of("dojima_log_sync_seconds_count"), more.of("dojima_log_batches_total"))
            self.assertGreater(more.of("dojima_log_position_bytes"), 0)
            self.assertEqual(after.one("dojima_accounts"), len(server.banner["accounts"]))
            self.assertAlmostEqual(float(after.one("dojima_engine_time_seconds")), time.time(), delta=60)
            done = settle(server, lambda now: now.one("dojima_history_waiting_rows") == 0)
            self.assertEqual((done.one("dojima_history_waiting_rows"), done.one("dojima_history_lag_commands")), (0, 0))

    def test_pipelined_and_parked_requests_are_counted_once(self):
        with Server() as server:
            a = server.accounts()[0]
            before = scrape(server)
            body = compact({"accountID": a.id, "orders": [order("p1", BUY, "90000", "0.01")]})
            writes = b"".join(request("POST", "/api/v1/spot/trade/orders/batch",
                                      list(a.headers("batchNewOrder", line).items()), line)
                              for line in (body, body.replace(b"p1", b"p2"), body.replace(b"p1", b"p3")))
            with Raw(server.port) as raw:
                raw.send(writes + request("GET", "/version") * 5 + writes.replace(b"p1", b"p9"))
                replies = [raw.reply() for _ in range(11)]
            self.assertEqual([reply.status for reply in replies], [200] * 11)
            more = Counted(before, scrape(server))
            self.assertEqual(more.of("dojima_http_requests_total"), 12)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="parse"), 12)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="answer"), 12)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="verify"), 6)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="apply"),
                             more.of("dojima_stage_seconds_count", stage="queue"))

    def test_commands_of_the_chain_node_are_one_request(self):
        with Server() as server:
            before = scrape(server)
            a = server.accounts()[0]
            calls = [{"jsonrpc": "2.0", "id": i, "method": "dojima_faucet", "params": [a.address]} for i in range(3)]
            reply = a.connection.send("POST", "/rpc", compact(calls), {"Content-Type": "application/json"})
            self.assertEqual(len(reply.json), 3, reply)
            more = Counted(before, scrape(server))
            self.assertEqual(more.of("dojima_http_requests_total", route="/rpc"), 1)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="parse"), 2)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="answer"), 2)
            self.assertEqual(more.of("dojima_stage_seconds_count", stage="queue"),
                             more.of("dojima_stage_seconds_count", stage="apply"))

    def test_what_the_log_counts_is_there_after_a_kill_and_the_rest_begins_anew(self):
        with Folder() as folder:
            server = Server(data=folder)
            a, b = server.accounts()[:2]
            self.items_ok(a.place(order("k1", SELL, "101000", "0.02")))
            self.items_ok(b.place(order("k2", BUY, "101000", "0.01")))
            before = scrape(server)
            server.kill()
            with Server(data=folder) as server:
                after = scrape(server)
                for name in ("dojima_trades_total", "dojima_open_orders", "dojima_accounts", "dojima_block_height"):
                    self.assertEqual(after.of(name), before.of(name), name)
                self.assertEqual(after.of("dojima_http_requests_total"), 0)
                self.assertEqual(after.of("dojima_stage_seconds_count"), 0)
                self.assertGreaterEqual(after.one("dojima_engine_seq"), before.one("dojima_engine_seq"))
                self.assertGreaterEqual(after.one("process_start_time_seconds"),
                                        before.one("process_start_time_seconds"))


class PerpsFigures(Case):
    def test_positions_stops_prices_and_the_fund_are_those_of_the_reads(self):
        with Server() as server:
            a, b = (Perps(client) for client in server.accounts()[:2])
            before = scrape(server)
            for client in (a, b):
                self.ok(client.leverage(10))
            self.items_ok(a.place(perps_order("pa", SELL, "100000", "0.5")))
            self.items_ok(b.place(perps_order("pb", BUY, "100000", "0.2")))
            stop = b.place(perps_order("ps", SELL, None, "0.1", type=2, modifier=STOP,
                                       stop=("90000", STOP_LOSS, MARK_PRICE), reduce=True))
            self.items_ok(stop)
            now = settle(server, lambda now: now.of("dojima_open_interest", symbol="BTC-USD") == Decimal("0.2"))
            more = Counted(before, now)
            self.assertEqual(more.of("dojima_positions", symbol="BTC-USD"), 2)
            self.assertEqual(more.of("dojima_waiting_stops", symbol="BTC-USD"), 1)
            self.assertEqual(more.of("dojima_open_orders", market="perps", symbol="BTC-USD"), 2)
            self.assertEqual(more.of("dojima_trades_total", market="perps"), 1)
            row = next(row for row in a.get("/markets/mark-prices").data if row["symbol"] == "BTC-USD")
            self.assertEqual(now.of("dojima_index_price", symbol="BTC-USD"), Decimal(row["indexPrice"]))
            self.assertEqual(now.of("dojima_open_interest", symbol="BTC-USD"), Decimal(row["openInterest"]))
            states = {dict(labels)["state"]: value for (name, labels), value in now.values.items()
                      if name == "dojima_oracle_state" and dict(labels)["symbol"] == "BTC-USD"}
            self.assertEqual(set(states), {"BOOTSTRAP", "LIVE", "FALLBACK", "STALE"})
            self.assertEqual(sum(states.values()), 1)
            self.assertGreater(now.one("dojima_insurance_fund"), 0)
            self.items_ok(b.cancel("ps"))
            self.items_ok(b.place(perps_order("pc", SELL, "100000", "0.1")))
            self.items_ok(a.cancel("pa"))
            self.items_ok(a.place(perps_order("pd", BUY, "100000", "0.1")))
            self.assertEqual(Counted(before, scrape(server)).of("dojima_waiting_stops"), 0)


class Limited(Case):
    def test_each_limit_is_counted_under_its_rule_and_metrics_weigh_nothing(self):
        with Server(limits=True) as server, Raw(server.port) as raw:
            before = scrape(server)
            call = request("POST", "/rpc", [("Content-Type", "application/json"), ("X-API-Key", "k")],
                           b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
            self.assertEqual([raw.send(call).reply().status for _ in range(22)], [200] * 20 + [429] * 2)
            book = request("GET", "/api/v1/spot/markets/vBTC_vUSDC/orderbook?limit=1000")
            statuses = [raw.send(book).reply().status for _ in range(60)]
            more = Counted(before, scrape(server))                      # and it may still be read
            self.assertEqual(more.of("dojima_rate_limited_total", rule="key_minute"), 2)
            self.assertEqual(more.of("dojima_rate_limited_total", rule="address"), statuses.count(429))
            self.assertGreater(statuses.count(429), 10)
            self.assertEqual(more.of("dojima_rate_limited_total"), 2 + statuses.count(429))
            self.assertEqual(more.of("dojima_refusals_total", rule="RATE_LIMIT"), 2 + statuses.count(429))
            self.assertEqual(more.of("dojima_http_requests_total", code="42901"), 2 + statuses.count(429))


class Doors(Case):
    def test_the_setting_says_who_reads(self):
        with Venue(self, io_threads=2, settings={"metrics": "127.0.0.2, 127.0.0.64/26"}, proxies="127.0.0.9") as venue:
            for source, status in (("127.0.0.1", 403), ("127.0.0.2", 200), ("127.0.0.3", 403), ("127.0.0.63", 403),
                                   ("127.0.0.64", 200),
                                   ("127.0.0.127", 200), ("127.0.0.128", 403)):
                self.assertEqual(read(venue, source_address=(source, 0))[0], status, source)
            with Raw(venue.port) as raw:
                refused = raw.send(request("GET", "/metrics", [("X-Forwarded-For", "127.0.0.2")])).reply()
                self.assertEqual((refused.status, refused.code), (403, 40391))
            text = Scrape(read(venue, source_address=("127.0.0.2", 0))[2])
            self.assertEqual(text.of("dojima_refusals_total", rule="NOT_A_READER"), 5)
        with Venue(self, settings={"metrics": ""}) as venue:
            self.assertEqual(read(venue)[0], 403)
        with Venue(self) as venue:                                      # this machine
            self.assertEqual([read(venue, source_address=(source, 0))[0] for source in ("127.0.0.1", "127.1.2.3")],
                             [200, 200])

    def test_who_is_turned_away_at_the_door_is_counted(self):
        with Venue(self, proxies="", settings={"connectionsPerAddress": 3}) as venue:
            kept = [socket.create_connection(("127.0.0.1", venue.port), 10) for _ in range(3)]
            for connection in kept:
                connection.sendall(request("GET", "/healthz"))
                self.assertIn(b"200", connection.recv(4096))
            for _ in range(2):
                extra = socket.create_connection(("127.0.0.1", venue.port), 10)
                self.assertIn(b" 503 ", extra.recv(4096))
                extra.close()
            now = Scrape(read(venue, source_address=("127.0.0.8", 0))[2])
            self.assertEqual(now.one("dojima_connections_refused_total"), 2)
            self.assertEqual(now.one("dojima_connections"), 4)
            for connection in kept:
                connection.close()

    def test_nobody_can_make_it_grow(self):
        with Server() as server:
            a = server.accounts()[0]
            first = scrape(server)
            mark = "Zebra9Quagga"
            for i in range(300):
                a.connection.send("GET", f"/{mark}{i}/x")
                a.connection.send("GET", f"/api/v1/spot/markets/{mark}{i}/orderbook?{mark}={i}",
                                  headers={"User-Agent": mark, "X-API-Key": f"{mark}{i}"})
                a.connection.send("GET", f"/api/v1/spot/accounts/0x{i:040x}/balances")
            series, heavy = scrape(server), scrape(server)
            _, _, text = read(server)
            self.assertNotIn(mark, text)
            self.assertNotIn(a.address[2:].lower(), text.lower())
            self.assertNotRegex(text, r"0x[0-9a-f]{8}|127\.0\.0\.1")
            grown = set(heavy.values) - set(first.values)
            # codes that were used for the first time
            self.assertLessEqual({name for name, _ in grown}, {"dojima_http_requests_total"})
            self.assertLess(len(grown), 6, grown)
            self.assertEqual(set(series.values), set(heavy.values))


class Streams(Case):
    def setUp(self):
        if Stream is None:
            print("SKIP streams of metrics: python3-websockets is not installed")
            self.skipTest("python3-websockets is not installed")

    def test_connections_subscriptions_and_handshakes(self):
        with Server() as server:
            before = scrape(server)
            streams = [Stream(server), Stream(server), Stream(server, "/ws/perps")]
            for stream in streams[:2]:
                self.assertTrue(stream.subscribe("trade", symbol="vBTC_vUSDC")["success"])
                self.assertTrue(stream.subscribe("bookTicker", symbol="vBTC_vUSDC")["success"])
            self.assertFalse(streams[2].subscribe("nothing", symbol="BTC-USD").get("success", False))
            for headers in ({"Sec_WebSocket_Version": "12"}, {"Sec_WebSocket_Key": "short"}, {"Origin": "no origin"}):
                handshake(server.port, **headers)[0].close()
            Connection(server.port).send("GET", "/ws/spot")             # an ordinary request
            more = Counted(before, scrape(server))
            self.assertEqual(more.of("dojima_stream_connections"), 3)
            self.assertEqual(more.of("dojima_stream_subscriptions"), 4)
            results = {dict(labels)["result"]: value for (name, labels), value in more.after.values.items()
                       if name == "dojima_stream_handshakes_total" and dict(labels)["market"] == "spot"}
            self.assertEqual(results, {"accepted": 2, "UPGRADE_REQUIRED": 1, "BAD_HTTP": 1, "BAD_ORIGIN": 1})
            self.assertEqual(more.of("dojima_stream_handshakes_total", market="perps", result="accepted"), 1)
            self.assertEqual(more.of("dojima_http_requests_total", route="/ws/spot"), 1)
            self.assertGreater(more.of("dojima_stream_messages_total"), 0)
            streams[0].say("unsubscribe", 5, channel="trade", symbol="vBTC_vUSDC")
            streams[0].next(lambda message: message.get("op") == "unsubscribe")
            streams[1].end()
            now = settle(server, lambda now: now.one("dojima_stream_connections") == 2)
            self.assertEqual((now.one("dojima_stream_connections"), now.one("dojima_stream_subscriptions")), (2, 1))

    def test_a_slow_reader_is_conflated_and_a_fast_one_is_not(self):
        with Server() as server:
            a, eager = server.accounts()[0], Stream(server)
            for i in range(40):
                self.items_ok(a.place(*(order(f"c{i}-{k}", BUY, str(90000 + i * 25 + k), "0.001") for k in range(25))))
            ask = lambda op, i: json.dumps({"op": op, "id": i,
                                            "params": {"channel": "l4Book", "symbol": "vBTC_vUSDC",
                                                       "level": 1000}}).encode()
            for i in range(60):                                         # the reader gets every snapshot
                eager.raw(ask("subscribe", i).decode())
                self.assertEqual(len(eager.push("l4Book")["data"]["b"]), 1000)
                eager.raw(ask("unsubscribe", i).decode())
            told = scrape(server)
            self.assertEqual(told.one("dojima_stream_conflations_total"), 0)
            lazy, _ = handshake(server.port)
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            for i in range(600):                                        # snapshots without readers
                lazy.sendall(frame(ask("subscribe", i)) + frame(ask("unsubscribe", i)))
            now = settle(server, lambda now: now.one("dojima_stream_conflations_total") > 0)
            self.assertGreater(now.one("dojima_stream_conflations_total"), 0)
            self.assertLessEqual(Counted(told, now).of("dojima_stream_conflations_total") + Counted(told,
                now).of("dojima_stream_messages_total"), 600)
            self.assertTrue(eager.subscribe("l4Book", 99, symbol="vBTC_vUSDC", level=20)["success"])
            lazy.close()
            eager.end()


class Process(Case):
    def test_figures_of_the_process_are_those_of_the_system(self):
        with Server() as server:
            time.sleep(1.3)
            now = scrape(server)
            folder = f"/proc/{server.process.pid}"
            with open(folder + "/statm") as file:
                resident = int(file.read().split()[1]) * 4096
            handles = int(subprocess.run(["sh", "-c", f"ls {folder}/fd | wc -l"], stdout=subprocess.PIPE,
                                         check=True).stdout)
            self.assertAlmostEqual(float(now.one("process_resident_memory_bytes")), resident, delta=resident / 4)
            self.assertAlmostEqual(int(now.one("process_open_fds")), handles, delta=3)
            self.assertGreater(now.one("process_max_fds"), handles)
            self.assertGreater(now.one("process_cpu_seconds_total"), 0)
            self.assertAlmostEqual(float(now.one("process_start_time_seconds")),
                                   time.time() - (time.monotonic() - server.started), delta=2)
            self.assertEqual(now.of("dojima_build_info"), 1)


if __name__ == "__main__":
    main()
