# SPDX-License-Identifier: MIT
"""Every row of the service document, requested from outside. The document is parsed here: paths, parameters, defaults
and maxima come out of its tables, and a row that no test requests is a failure."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
from harness import BTC, BUY, IOC, MARKET, ROOT, SELL, Case, Server, compact, main, order

DOCUMENT = os.path.join(ROOT, "docs", "spec", "service.md")
SPOT, PERPS = "/api/v1/spot", "/api/v1/perps"
NAMES = {SPOT: "vBTC_vUSDC", PERPS: "BTC-USD"}
NOT_UINT32 = ("0", "-1", "4294967296", "99999999999999999999", "1.5", "1e3", "0x10", "ten", "%20", "")
NOT_UINT64 = ("-1", "18446744073709551616", "1.5", "1e3", "0x10", "ten", "%20")
ENOUGH = 1100                                       # more rows than every maximum but that of klines
PERPS_SINCE_NOW = {"/accounts/{userAddress}/balances", "/accounts/{userAddress}/state",
                   "/accounts/{userAddress}/api-keys",
                   # of the perps base; the others come with its trading
                   "/accounts/{userAddress}/fee-rate", "/markets/coins"}


class Document:
    """The rows in the tables and sentences of the service document."""

    def __init__(self, text):
        self.text = text
        self.reads, self.writes = [], []
        base, section = None, ""
        for line in text.splitlines():
            if line.startswith("### "):
                section = re.sub(r"^[0-9.]+ ", "", line[4:])
                base = SPOT if section.startswith("Spot") else PERPS if section.startswith("Perps") else None
            row = re.match(r"\| (GET|POST) \| `([^`]+)` \| (.*) \| (.*) \|$", line)
            if base and row:
                method, path, parameters, data = row.groups()
                if method == "GET":
                    self.reads.append((base, path, self.parameters(path, parameters), data))
                else:
                    self.writes.append((base, method, path))
            extra = re.match(r"- Additional `GET ([^`]+)`", line)
            if base and extra:
                self.reads.append((base, extra[1], {"symbol": {}}, "Array"))
            for method, path in re.findall(r"^\*\*[^:]+: (POST|DELETE) `([^`]+)`\*\*", line) if base else []:
                self.writes.append((base, method, path))
        self.reads += [(PERPS, *row[1:]) for row in self.reads if row[0] == SPOT and row[1].startswith("/markets")]
        self.intervals = self.listed(r"Spot kline `interval` values: (.*)\.")
        self.perps_intervals = self.listed(r"`interval` is one of (.*?);")
        pages = re.search(r"Page-size limits \(default / max\): (.*)\.", text)[1]
        self.pages = {name.strip(): (int(default), int(most))
                      for name, default, most in re.findall(r"([a-z][a-z ]+?) (\d+) / (\d+)", pages)}
        self.batch = tuple(map(int, re.search(r"\| Batch size [^|]*\| (\d+) to (\d+) items", text).groups()))
        self.weight = int(re.search(r"\| REST request weight \| (\d+) per", text)[1])

    def listed(self, pattern):
        return re.findall(r"`([^`]+)`", re.search(pattern, self.text)[1])

    def parameters(self, path, text):
        """name -> {default, max}; those in braces are of the path."""
        found = {}
        for part in re.split(r"[;,] (?=`)", text):
            name = re.match(r"(?:path )?`(\w+)`", part)
            if name and "{" + name[1] + "}" not in path:
                found[name[1]] = {key: int(value) for key, value in re.findall(r"(default|max) (\d+)", part)}
        return found


# A history's page without a starting id continues to the end of its last millisecond.
FROM_THE_TOP = "fromID=9007199254740991"


class Rows(Case):
    @classmethod
    def setUpClass(cls):
        with open(DOCUMENT) as file:
            cls.document = Document(file.read())
        cls.server = Server("--no-limits")
        cls.a, cls.b, cls.c, cls.d, cls.e = cls.server.accounts()[:5]
        cls.fill()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    @classmethod
    def fill(cls):
        """ENOUGH trades of c with a and b, orders of theirs that ended, levels on both sides, and a day of minutes."""
        def batches(account, side, first, step, count, quantity="0.00006"):
            for start in range(0, count, 100):
                reply = account.place(*[order(f"r-{side}-{i}", side, f"{(first + step * i) / 10:.1f}".replace(".0", ""),
                                              quantity)
                                        for i in range(start, min(start + 100, count))])
                assert all(item["code"] == 0 for item in reply.data), reply
        batches(cls.a, SELL, 1000001, 1, ENOUGH // 2)
        batches(cls.b, SELL, 1000001 + ENOUGH // 2, 1, ENOUGH // 2)
        reply = cls.c.place(order("sweep", BUY, None, f"{ENOUGH * 6 / 100000:.5f}".rstrip("0"), type=MARKET, tif=IOC))
        assert reply.data[0]["code"] == 0, reply
        for account, count in ((cls.d, 600), (cls.e, ENOUGH - 600)):
            batches(account, BUY, 990000 if account is cls.d else 980000, -1, count)
        reply = cls.c.connection.send("POST", "/rpc",
                                      compact({"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime",
                                               "params": [1510 * 60]}),
                                      {"Content-Type": "application/json"})
        assert "result" in reply.json, reply
        for account in (cls.a, cls.b):
            batches(account, SELL, 1000001 if account is cls.a else 1000001 + ENOUGH // 2, 1, ENOUGH // 2)

    # ---- helpers

    def read(self, base, path, query=""):
        path = path.replace("{symbol}", NAMES[base]).replace("{userAddress}", self.c.address)
        return self.c.connection.send("GET", base + path + query, headers={"Accept": "application/json"})

    def built(self, base, path):
        """Whether the row exists: all of spot; of perps those that work without its trading."""
        reply = self.read(base, path, "?interval=1m")
        if reply.status == 404:
            self.assertEqual(base, PERPS, path)
            self.assertNotIn(path, PERPS_SINCE_NOW)
            self.assertEqual(reply.code, 40490)
            return False
        return True

    def count(self, path, data):
        return max(len(data["bids"]), len(data["asks"])) if path.endswith("orderbook") else len(data)

    def rows(self):
        for base, path, parameters, data in self.document.reads:
            with self.subTest(base + path):
                if self.built(base, path):
                    yield base, path, parameters, data

    # ---- contents of the document

    def test_the_document_was_understood(self):
        """Numbers that a reader of the document counts; they change only with the document."""
        rows = [(base, path) for base, path, *_ in self.document.reads]
        self.assertEqual(len(rows), len(set(rows)))
        self.assertEqual([sum(base == one for base, _ in rows) for one in (SPOT, PERPS)], [15, 19])
        self.assertEqual(len(self.document.writes), 5 + 8)
        self.assertEqual((len(self.document.intervals), len(self.document.perps_intervals)), (12, 9))
        self.assertEqual(self.document.pages,
                         {"order book": (10, 1000), "klines": (500, 1500), "recent trades": (50, 500),
                          "order history": (50, 500),
                                               "position history": (50, 500), "account trades": (100, 1000),
                                               "fundings": (100, 1000)})
        self.assertEqual((self.document.batch, self.document.weight), ((1, 100), 1200))

    def test_each_read_answers_with_its_kind_of_data(self):
        for base, path, _, data in self.rows():
            answer = self.ok(self.read(base, path, "?interval=1m"))
            self.assertIsInstance(answer, list if data.startswith("Array") else dict)
            for method in ("POST", "DELETE", "PUT"):
                if (base, method, path) not in self.document.writes:
                    reply = self.c.connection.send(method,
                                                   base + path.replace("{symbol}", NAMES[base]).replace("{userAddress}",
                                                       self.c.address), b"{}")
                    self.refused(reply, 40590, status=405)
                    self.assertIn("GET", reply.headers["allow"])
            self.ok(self.read(base, path, "?interval=1m&nobody=knows&this=parameter"))

    def test_each_limit_has_its_default_and_its_maximum(self):
        seen = 0
        for base, path, parameters, _ in self.rows():
            if "limit" not in parameters:
                continue
            default, most = parameters["limit"]["default"], parameters["limit"].get("max")
            if base == PERPS:                       # its defaults and maxima: tested together with its trading
                for good in (1, default, 4294967295):
                    self.ok(self.read(base, path, f"?interval=1m&limit={good}"))
                for bad in NOT_UINT32:
                    self.assertEqual(self.refused(self.read(base, path, f"?interval=1m&limit={bad}"),
                                                  40001).get("field"), "limit", bad)
                continue
            self.assertIn((default, most), self.document.pages.values())
            with self.subTest(path):
                seen += 1
                owner = self.a if path.endswith("history") else self.c
                ask = lambda query: owner.get(path.replace("{symbol}", NAMES[base]).replace("{userAddress}",
                    owner.address) + f"?interval=1m&{FROM_THE_TOP}" + query)
                for query, count in (("", default), ("&limit=1", 1), (f"&limit={default}", default),
                                     (f"&limit={most - 1}", most - 1), (f"&limit={most}", most),
                                     (f"&limit={most + 1}", most), ("&limit=4294967295", most)):
                    self.assertEqual(self.count(path, self.ok(ask(query))), count, query)
                for bad in NOT_UINT32:
                    self.assertEqual(self.refused(ask(f"&limit={bad}"), 40001).get("field"), "limit", bad)
                self.refused(ask("&limit=5&limit=5"), 40001)
        self.assertEqual(seen, 5)

    def test_each_parameter_is_read(self):
        for base, path, parameters, _ in self.rows():
            name = self.read(base, path, "?interval=1m").json["data"]
            for parameter in parameters:
                with self.subTest(parameter):
                    step = "" if parameter == "interval" else "interval=1m&"
                    ask = lambda value: self.read(base, path, f"?{step}{parameter}={value}")
                    if parameter in ("startTime", "endTime", "orderID", "positionID"):
                        for bad in NOT_UINT64:
                            self.assertEqual(self.refused(ask(bad), 40001).get("field"), parameter, bad)
                        self.ok(ask("18446744073709551615" if parameter == "endTime" else "1"))
                    elif parameter == "symbol":
                        self.refused(ask("none"), 40401)
                        if base == PERPS and not self.built(base, "/markets/symbols"):
                            continue                                            # there is no market to read
                        rows = self.ok(ask(NAMES[base]))
                        if isinstance(rows, list) and "/markets" in path:
                            self.assertEqual([row.get("symbol", row.get("name")) for row in rows], [NAMES[base]])
                    elif parameter == "coin":
                        self.refused(ask("none"), 40404)
                        self.assertEqual([row["name"] for row in self.ok(ask("vUSDC"))], ["vUSDC"])
                    elif parameter == "interval":
                        known = self.document.intervals if base == SPOT else self.document.perps_intervals
                        for value in known:
                            self.ok(ask(value))
                        for bad in ("1s", "2m", "3m", "2h", "6h", "1H", "1y", "", "01m",
                                    *(set(self.document.intervals) - set(known))):
                            self.refused(ask(bad), 40006)
                        self.refused(self.read(base, path), 40001)                     # required
                    elif parameter == "name":
                        self.assertEqual(self.ok(ask("nobody")), [])
                    else:
                        self.assertEqual(parameter, "limit")
            if "startTime" in parameters:
                self.refused(self.read(base, path, "?interval=1m&startTime=2&endTime=1"), 40007)
            if path.startswith("/accounts"):
                self.assertEqual(self.read(base, path, f"?accountID={self.c.id}").json["data"], name)
                self.refused(self.read(base, path, f"?accountID={self.d.id}"), 40403)
                for bad in NOT_UINT64:
                    self.assertEqual(self.refused(self.read(base, path, f"?accountID={bad}"), 40001).get("field"),
                                     "accountID", bad)
                for bad in ("0x12", "me", self.c.address + "0", self.c.address[:-1] + "g"):
                    self.refused(self.c.connection.send("GET", base + path.replace("{userAddress}", bad)), 40001)
            if "{symbol}" in path:
                self.refused(self.c.connection.send("GET", base + path.replace("{symbol}", "none") + "?interval=1m"),
                             40401)

    def test_each_write_wants_its_signature(self):
        """The headers that the document requires; X-API-Key may be missing when the main wallet signs."""
        for base, method, path in self.document.writes:
            with self.subTest(f"{method} {base}{path}"):
                body = compact({"accountID": self.c.id})
                plain = self.c.connection.send(method, base + path, body, {"Content-Type": "application/json"})
                if plain.status in (404, 405):
                    self.assertEqual(base, PERPS)
                    self.assertNotEqual(path, "/accounts/transfers")
                    continue
                self.assertNotEqual(plain.code, 0)
        full = self.c.headers("scheduleCancel", compact({"accountID": self.c.id}))
        for missing in ("X-API-Sign", "X-API-Nonce"):
            reply = self.c.connection.send("POST", SPOT + "/trade/orders/schedule-cancel",
                                           compact({"accountID": self.c.id}),
                                           {name: value for name, value in full.items() if name != missing})
            self.assertIn(reply.code, (40101, 40102, 40001), reply)
            self.assertIn(missing, str(reply.json), reply)
        for optional in ("X-API-Key", "Accept", "Content-Type"):
            body, headers = compact({"accountID": self.c.id}), self.c.headers("scheduleCancel",
                compact({"accountID": self.c.id}))
            headers.pop(optional)
            self.assertEqual(self.c.connection.send("POST", SPOT + "/trade/orders/schedule-cancel", body, headers).code,
                             0, optional)

    def test_each_batch_has_its_size(self):
        least, most = self.document.batch
        items = {"place": lambda i: order(f"b-{i}", BUY, "96000", "0.001"),
                 "replace": lambda i: {"symbolID": BTC, "clOrdID": f"x-{i}", "origClOrdID": f"b-{i}", "price": "95999"},
                 "cancel": lambda i: {"symbolID": BTC, "clOrdID": f"b-{i}"}}
        for action, item in items.items():
            with self.subTest(action):
                send = getattr(self.c, action)
                self.refused(send(), 40003)
                self.refused(send(*[item(i) for i in range(most + 1)]), 40003)
                done = self.items_ok(send(*[item(i) for i in range(most)]))
                self.assertEqual([one["clOrdID"] for one in done], [item(i)["clOrdID"] for i in range(most)])
        self.assertEqual(self.c.open_orders(), [])


if __name__ == "__main__":
    main()
