# SPDX-License-Identifier: MIT
"""dojima replay of files of Tardis and LOBSTER: what they mean, and that whatever is wrong with a file, with the symbol
or with the exchange is said before anything is changed (decision 146)."""
import bz2
import gzip
import lzma
import os
import signal
import subprocess
import time
import unittest

from harness import BINARY, Folder, Server, run, size_pools
from replay import MARKETS, PERPS, SPOT, blocks, book, replay, trades
from roles import free_ports

YEAR_US = 1767225600000000
TARDIS_BOOK = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n"
TARDIS_TRADES = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n"


class FilesOfOthers(unittest.TestCase):
    """Samples made by hand after the public descriptions."""

    def setUp(self):
        self.folder = Folder()
        self.server = Server()
        self.addCleanup(self.server.stop)

    def tearDown(self):
        self.folder.__exit__()

    def write(self, name, text):
        path = os.path.join(self.folder.path, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def tardis(self, rows, name="book.csv", header=TARDIS_BOOK):
        """Rows behind the exchange and the symbol; local_timestamp counts from 2026."""
        text = header
        for row in rows:
            exchange_time, time_us, rest = row.split(",", 2)
            text += f"made-up,XBT,{exchange_time},{YEAR_US + int(time_us)},{rest}\n"
        return self.write(name, text)

    def test_tardis(self):
        """At a price far from that of the exchange, which comes along first."""
        path = self.tardis(["1,1000000,true,bid,60000,0.5", "1,1000000,true,bid,59990.5,0.25",
                            "1,1000000,true,ask,60010,0.75", "2,1500000,false,ask,60010,0.7",
                            "3,1600000,false,bid,60000,0.4", "4,1700000,false,bid,60000,0",
                            "5,1800000,true,bid,60001,1", "5,1800000,true,ask,60009,2",
                            "6,1900000,false,ask,60009,1.5"])
        trades_path = self.tardis(["3,1600000,7,sell,60000,0.1", "4,1700000,8,sell,60000,1e-1",
                                   "5,1700000,9,unknown,60000,0.3"], "trades.csv", TARDIS_TRADES)
        for base, symbol in MARKETS:
            report = replay(self.server, "--speed", "0", "--map", f"XBT={symbol}", path, trades_path)
            self.assertEqual(book(self.server.port, base, symbol), ([["60001", "1"]], [["60009", "1.5"]]), report)
            self.assertEqual(trades(self.server.port, base, symbol)[-3:],
                             [("SELL", "60000", "0.1"), ("SELL", "60000", "0.1"), ("SELL", "60000", "0.3")], report)

    def test_tardis_refusals(self):
        good = "1,1000000,true,bid,100000,0.5"
        for rows, word in (([good, "1,1,true,bid,100000,0.5"], "before that of the line above"),
                           (["1,1000000,true,bid,100000"], "not 8 columns"), (["1,1,true,buy,100000,1"], "side"),
                           (["1,1,true,bid,x,1"], "price"),
                           ([good, "1,1000000,true,bid,100000.05,1"],
                            "book.csv:3: price 100000.05 is no multiple of 0.1, the tick of BTC-USD"),
                           ([good, "1,1000000,true,bid,100000,1.000001"],
                            "book.csv:3: amount 1.000001 is no multiple of 0.00001, the step of BTC-USD"),
                           ([good, "1,1000001,true,ask,100000000000000.1,1"],
                            "book.csv:3: price 100000000000000.1 is above 100000000000000, the largest price of"),
                           ([good, "1,1000001,true,ask,100000,10000000000"],
                            "book.csv:3: amount 10000000000 is above 9999999999.99999, the largest quantity of")):
            path = self.tardis(rows)
            before = blocks(self.server.port)
            code, _, err = run("replay", "--to", f"http://127.0.0.1:{self.server.port}", "--map", "XBT=BTC-USD", path)
            self.assertEqual((code, blocks(self.server.port)), (1, before), err)
            self.assertIn(word, err)
        path = self.tardis(["1,1000000,true,bid,99999.97,0.5", "1,1000000,true,bid,99999.91,0.3000019",
                            "1,1000000,true,ask,100000.01,1"])
        replay(self.server, "--round", "--map", "XBT=BTC-USD", path)
        self.assertEqual(book(self.server.port, PERPS, "BTC-USD"), ([["99999.9", "0.8"]], [["100000.1", "1"]]))
        code, _, err = run("replay", "--to", f"http://127.0.0.1:{self.server.port}", self.tardis([good]))
        self.assertEqual(code, 1)
        self.assertIn("no symbol XBT; --map XBT=NAME", err)

    def test_tardis_times_of_another_unit(self):
        """Refused, with the unit that the times have; the last row of a file too."""
        for time_us, unit in (("1767225600000", ", but milliseconds: 1767225600000"), ("1767225600", ", but seconds"),
                              ("1767225600000000000", ", but nanoseconds"), ("1000000", " of 2000 to 2099: 1000000")):
            path = self.write("unit.csv", f"{TARDIS_BOOK}made-up,XBT,1,{YEAR_US},true,bid,100000,0.5\n"
                              f"made-up,XBT,1,{time_us},true,bid,99999,0.5\n")
            err = self.refused("--map", "XBT=BTC-USD", path)
            self.assertIn("unit.csv:3: local_timestamp is no microseconds", err)
            self.assertIn(unit, err)

    def test_a_price_that_the_market_does_not_come_to(self):
        """Known from the terms: 5 % of 19 ticks is no tick, and 1 % of 99 units of the mark no unit."""
        for price, symbol, comes in (("1.9", "vBTC_vUSDC", True), ("1.8", "vBTC_vUSDC", False),
                                     ("10.5", "BTC-USD", True), ("9.8", "BTC-USD", False)):
            path = self.tardis([f"1,1000000,true,bid,{price},10", f"1,2000000,false,bid,{price},20"])
            with self.subTest(price), Server() as self.server:
                if not comes:
                    self.assertIn(f"book.csv:2: the recording begins at the price {price}, to which {symbol} does not "
                                  "come from 100000", self.refused("--map", f"XBT={symbol}", path))
                    continue
                replay(self.server, "--speed", "0", "--map", f"XBT={symbol}", path)
                base = SPOT if "v" in symbol else PERPS
                self.assertEqual(book(self.server.port, base, symbol), ([[price, "20"]], []))

    def test_a_symbol_that_is_not_open(self):
        """Halted, or with a phase of its own or the venue's: known from its terms."""
        path, data = self.tardis(["1,1000000,true,bid,100000,0.5"]), os.path.join(self.folder.path, "data")
        with Server(data=data) as self.server:
            trade, go_on = ("market", "BTC-USD", "trade"), ("mode", "run")
            for change, back, word in ((("market", "BTC-USD", "halt"), trade, "does not trade"),
                                       (("market", "BTC-USD", "reduce"), trade,
                                        "not open to new orders: its phase is REDUCE_ONLY"),
                                       (("mode", "reduce-only"), go_on, "its phase is REDUCE_ONLY"),
                                       (("mode", "cancel-only"), go_on, "does not trade")):
                self.assertEqual(run(change[0], "--data", data, *change[1:])[0], 0)
                self.assertIn(word, self.refused("--map", "XBT=BTC-USD", path))
                self.assertEqual(run(back[0], "--data", data, *back[1:])[0], 0)
            self.assertEqual(replay(self.server, "--map", "XBT=BTC-USD", path)["refusals"], [])

    def test_tardis_symbols_of_two_exchanges(self):
        """Two markets with one name are not mixed, in one file or in two."""
        row = f"one,XBT,1,{YEAR_US},true,bid,100000,0.5\n"
        other = row.replace("one", "two").replace("100000", "90000")
        one, both, two = (self.write(name, TARDIS_BOOK + rows) for name, rows in (
            ("one.csv", row), ("both.csv", row + other), ("two.csv", other)))
        for paths, word in (((both,), "both.csv:3: XBT of two, and above or in another file of one"),
                            ((one, two), "two.csv:2: XBT of two, and")):
            with self.subTest(paths):
                self.assertIn(word, self.refused("--map", "XBT=BTC-USD", *paths))
        self.write("two.csv", TARDIS_BOOK + other.replace("XBT", "ABC"))
        self.write("both.csv", TARDIS_BOOK + row + TARDIS_BOOK + row)
        self.assertIn("both.csv:3: the names of the columns once more", self.refused("--map", "XBT=BTC-USD", both))
        report = replay(self.server, "--speed", "0", "--map", "XBT=BTC-USD,ABC=vBTC_vUSDC", one, two)
        self.assertEqual(len(report["symbols"]), 2)

    def test_tardis_files_of_the_same_time(self):
        """Days follow each other, in any order of the names; two files of one time are refused, and other formats."""
        first = self.tardis(["1,1000000,true,bid,100000,0.5", "1,3000000,false,bid,100000,0.7"], "first.csv")
        next_day = self.tardis(["1,3000001,true,bid,99999,0.5"], "next.csv")
        within = self.tardis(["1,2000000,false,bid,99998,0.5"], "within.csv")
        trades_path = self.tardis(["1,2000000,7,sell,100000,0.1"], "trades.csv", TARDIS_TRADES)
        self.assertIn("first.csv:3: XBT is in within.csv as well", self.refused("--map", "XBT=BTC-USD", first, within))
        message = self.write("AAX_message_1.csv", "34200.5,1,11,5,2001000,1\n")
        lines = self.write("AAX_orderbook_1.csv", "2002000,10,2001000,5\n")
        for paths in ((message, lines, first), (first, lines, message)):
            self.assertIn("have no date", self.refused("--map", "XBT=BTC-USD,AAX=SOL-USD", *paths))
        report = replay(self.server, "--speed", "0", "--map", "XBT=BTC-USD", next_day, first, trades_path)
        self.assertEqual(book(self.server.port, PERPS, "BTC-USD"), ([["99999", "0.5"]], []), report)

    def test_lobster(self):
        messages = self.write("SOLX_2026-01-02_message_2.csv", "34200.5,1,11,5,2001000,1\n34201,4,12,3,2002000,-1\n"
                              "34202.25,2,11,2,2001000,1\n34203,5,0,4,2001500,1\n34204,7,0,0,-1,-1\n")
        books = self.write("SOLX_2026-01-02_orderbook_2.csv",
                           "2002000,10,2001000,5,2003000,7,-9999999999,0\n2002000,7,2001000,5,2003000,7,-9999999999,0\n"
                           "2002000,7,2001000,3,2003000,7,2000000,9\n2002000,7,2001000,3,2003000,7,2000000,9\n"
                           "2002000,7,2001000,3,2003000,7,2000000,9\n")
        report = replay(self.server, "--speed", "0", "--map", "SOLX=SOL-USD", books, messages)
        self.assertEqual(book(self.server.port, PERPS, "SOL-USD"),
                         ([["200.1", "3"], ["200", "9"]], [["200.2", "7"], ["200.3", "7"]]), report)
        self.assertEqual(trades(self.server.port, PERPS, "SOL-USD"),
                         [("BUY", "200.2", "3"), ("SELL", "200.15", "4")], report)
        code, _, err = run("replay", "--to", f"http://127.0.0.1:{self.server.port}", messages)
        self.assertEqual(code, 1)
        self.assertIn("needs its order book file", err)

    def refused(self, *args):
        """The message of a replay that changes nothing."""
        before = blocks(self.server.port)
        code, _, err = run("replay", "--to", f"http://127.0.0.1:{self.server.port}", *args)
        self.assertEqual((code, blocks(self.server.port)), (1, before), err)
        return err

    def test_the_names_of_columns(self):
        for text, word in ((TARDIS_BOOK.replace("side,price", "price,side"), "column 6 is not side"),
                           ("made-up,XBT,1,1000000,true,bid,100000,0.5\n", "column 1 is not exchange"),
                           ("exchange,symbol,timestamp,local_timestamp,asks[0].price\n", "column 5 is not is_sna")):
            self.assertIn(word, self.refused("--map", "XBT=BTC-USD", self.write("columns.csv", text)))

    def test_maps(self):
        path = self.tardis(["1,1000000,true,bid,100000,0.5"])
        url = f"http://127.0.0.1:{self.server.port}"
        for maps in ("XBT=", "=BTC-USD", "XBT=BTC-USD,", ",XBT=BTC-USD", "XBT=BTC-USD=SOL-USD", "A,,B", ",",
                     "XBT=BTC-USD,XBT=SOL-USD", "XBT,XBT=BTC-USD"):
            code, _, err = run("replay", "--to", url, "--map", maps, path)
            self.assertEqual(code, 2, (maps, err))
            self.assertIn("each recorded symbol once", err)
        code, _, err = run("replay", "--to", url, "--map", "XBT=BTC-USD,XBTT=SOL-USD,X", path)
        self.assertEqual(code, 0, err)
        self.assertIn("--map names XBTT, which is not recorded", err)
        self.assertIn("--map names X, which", err)
        self.assertNotIn("names XBT,", err)

    def test_files_that_are_no_plain_text(self):
        """What they are is said, by their first bytes."""
        text = (TARDIS_BOOK + f"made-up,XBT,1,{YEAR_US},true,bid,100000,0.5\n").encode()
        for content, word in ((gzip.compress(text), "gunzip"), (bz2.compress(text), "bunzip2"),
                              (lzma.compress(text), "unxz"), (b"\x28\xb5\x2f\xfdrest", "unzstd"),
                              (b"PK\x03\x04rest", "unzip"), (("\ufeff" + text.decode()).encode(), "byte order mark"),
                              (text.decode().encode("utf-16"), "UTF-16"), (b"\0" * 9999, "neither a recording")):
            path = os.path.join(self.folder.path, "some.csv")
            with open(path, "wb") as file:
                file.write(content)
            self.assertIn(word, self.refused("--map", "XBT=BTC-USD", path))

    def test_all_accounts_have_money(self):
        """A book that nearly all 64 makers are needed for, and one of another symbol with the same quote coin."""
        for symbol, high, tick, levels in (("BTC-USD", 100000, 0.1, 63000), ("ETH-USD", 3500, 0.01, 30000)):
            path = self.tardis([f"1,1000000,true,bid,{high - n * tick:.2f},0.1" for n in range(levels)])
            symbols = replay(self.server, "--speed", "0", "--map", f"XBT={symbol}", path)["symbols"]
            self.assertEqual((symbols[0]["noAccount"], symbols[0]["refused"]), (0, 0), symbols)

    def test_more_levels_than_the_exchange_has(self):
        """The pool of a development exchange has 100,000: known before it is full, at the start or later."""
        rows = [f"1,1000000,true,bid,{99999 - n * 0.5:.1f},0.1" for n in range(99998)]
        rows += [f"1,1000000,true,ask,{100001 + n},0.1" for n in range(2)]
        full = [*rows, "1,2000000,false,ask,100009,1"]
        freed = [*rows, "1,2000000,false,ask,100002,0", "1,2000001,false,ask,100009,1"]
        self.assertIn("book.csv:100002: more than 100000 levels at once",
                      self.refused("--map", "XBT=BTC-USD", self.tardis(full)))
        self.assertIn("more than 100000 levels at once", self.refused(
            "--map", "XBT=BTC-USD", self.tardis([*rows, "1,1000000,true,ask,100009,1"])))
        report = replay(self.server, "--speed", "0", "--map", "XBT=BTC-USD", self.tardis(freed))
        self.assertGreater(report["symbols"][0]["places"], 63000)
        self.assertEqual(report["refusals"], [])

    def test_lobster_refusals(self):
        """The two files belong together line by line, and the message names the file that is wrong."""
        message, halt = "34200.5,1,11,5,2001000,1\n34201,6,-1,100,2002000,-1\n", "34204,7,0,0,-1,-1\n"
        line = "2002000,10,2001000,5,2003000,7,2000000,9\n"
        for messages, books, word in (
                (message, line, "orderbook_2.csv:2: this line is missing"),
                (message, 3 * line, "message_2.csv:2: the last line, but"),
                (message, line + "2002000,10,2001000,5\n", "orderbook_2.csv:2: another number of columns"),
                (message, line + line.replace("7", "x"), "orderbook_2.csv:2: no size: x"),
                (message.replace("000,1\n", "000,1\n34200.6,4,11,1,2001001,1\n"), 3 * line,
                 "message_2.csv:2: column 5, price 200.1001 is no multiple of 0.01, the tick of SOL-USD"),
                (message, 2 * line.replace("2003000", "2003001"), "orderbook_2.csv:1: price 200.3001 is no multiple"),
                (message + halt.replace("-1", "9"), 3 * line, "message_2.csv:3: direction"),
                (message + halt.replace("7,0", "1,-1"), 3 * line, "message_2.csv:3: no order id: -1")):
            paths = (self.write("SOLX_2026-01-02_message_2.csv", messages),
                     self.write("SOLX_2026-01-02_orderbook_2.csv", books))
            self.assertIn(word, self.refused("--map", "SOLX=SOL-USD", *paths))
        self.write("SOLX_2026-01-02_message_2.csv", message + halt)
        self.write("SOLX_2026-01-02_orderbook_2.csv", 3 * line)
        report = replay(self.server, "--speed", "0", "--map", "SOLX=SOL-USD", *paths)
        self.assertEqual(report["symbols"][0]["trades"], 0)

    def test_which_files_belong_together(self):
        """Two symbols in any order; no two days of one symbol, no file twice, none that can be read only once."""
        message, line = "34200.5,1,11,5,2001000,1\n", "2002000,10,2001000,5\n"
        names = ("AAX_2026-01-02", "SOLX_2026-01-02", "SOLX_2026-01-05")
        m, b = ([self.write(f"{name}_{kind}_1.csv", text) for name in names]
                for kind, text in (("message", message), ("orderbook", line)))
        self.write(os.path.basename(b[0]), line.replace("2002000", "2009000"))
        replay(self.server, "--speed", "0", "--map", "SOLX=SOL-USD", m[0], m[1], b[1], b[0])
        self.assertEqual(book(self.server.port, PERPS, "SOL-USD"), ([["200.1", "5"]], [["200.2", "10"]]))
        one = self.tardis(["1,1000000,true,bid,100000,0.5"])
        os.mkfifo(os.path.join(self.folder.path, "pipe"))
        with open(os.path.join(self.folder.path, "pipe"), "r+b", buffering=0) as pipe:
            pipe.write(open(one, "rb").read())
            for paths, word in (((m[1], b[1], m[2], b[2]), "05_message_1.csv: its times have no date"),
                                ((m[1], b[2]), "message_1.csv: needs its order book file"),
                                ((b[1], b[1], m[1]), "orderbook_1.csv: is named twice"), ((one, one), "is named twice"),
                                ((pipe.name,), "pipe: is no plain file"), ((self.folder.path,), "is no plain file")):
                with self.subTest(paths):
                    self.assertIn(word, self.refused("--map", "SOLX=SOL-USD,XBT=BTC-USD", *paths))

    def test_an_exchange_that_stops_answering(self):
        """Stopped in the middle, as by a debugger: the replay ends by itself."""
        path = self.tardis([f"1,{1000000 + n * 2000},false,ask,{100001 + n % 50},0.{n % 9 + 1}" for n in range(5000)])
        process = subprocess.Popen([BINARY, "replay", "--to", f"http://127.0.0.1:{self.server.port}", "--map",
                                    "XBT=BTC-USD", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            time.sleep(3)
            self.server.process.send_signal(signal.SIGSTOP)
            _, err = process.communicate(timeout=75)
        finally:
            self.server.process.send_signal(signal.SIGCONT)
            process.kill()
        self.assertEqual(process.returncode, 1, err)
        self.assertRegex(err.decode(), "does not answer|timed out|Timeout")

    def test_two_replays_of_one_symbol(self):
        """They have the same accounts: that is said, and not played into one another. Other symbols have others."""
        path = self.tardis([f"1,{1000000 + n * 2000},false,ask,{100001 + n % 50},0.{n % 9 + 1}" for n in range(2000)])
        ends = []
        for names in (("BTC-USD", "BTC-USD"), ("BTC-USD", "vBTC_vUSDC")):
            both = [subprocess.Popen([BINARY, "replay", "--to", f"http://127.0.0.1:{self.server.port}", "--map",
                                      f"XBT={name}", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE) for name in names]
            ends.append([(process.communicate(timeout=60)[1].decode(), process.returncode) for process in both])
        same, different = ends
        self.assertIn(1, [code for _, code in same], same)
        self.assertIn("BTC-USD: a nonce of the replay's accounts was refused: another replay plays it now",
                      same[0][0] + same[1][0])
        self.assertEqual([code for _, code in different], [0, 0], different)

    def test_a_signal_while_the_files_are_read(self):
        path = os.path.join(self.folder.path, "long.csv")
        with open(path, "w") as file:
            file.write(TARDIS_BOOK)
            for second in range(200):
                file.write("".join(f"made-up,XBT,1,{YEAR_US + second * 1000000 + n},false,ask,{100001 + n % 50},1\n"
                                   for n in range(10000)))
        before = blocks(self.server.port)
        process = subprocess.Popen([BINARY, "replay", "--to", f"http://127.0.0.1:{self.server.port}", "--map",
                                    "XBT=BTC-USD", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertIn(b"nothing was changed: stopped by a signal while the files were read", err)
        self.assertEqual((process.returncode, blocks(self.server.port)), (1, before))

    def test_an_exchange_that_is_none_of_development(self):
        """It gives no money, and stays as it is."""
        config, port = os.path.join(self.folder.path, "venue.ini"), free_ports(1)
        self.assertEqual(run("init", "--config", config, "--data", os.path.join(self.folder.path, "venue"), "--listen",
                             f"127.0.0.1:{port}")[0], 0)
        size_pools(config)
        path = self.tardis(["1,1000000,true,bid,100000,0.5"])
        with Server("--config", config, command="serve", json_banner=False) as server:
            server.wait_for_port()
            before = blocks(port)
            code, _, err = run("replay", "--to", f"http://127.0.0.1:{port}", "--map", "XBT=BTC-USD", path)
            self.assertEqual(code, 1, err)
            self.assertIn("BTC-USD: only a development exchange gives the replay its accounts and money", err)
            self.assertEqual(blocks(port), before)

    def test_quantities_of_a_wrong_unit(self):
        """A level or a trade is at most 64 * 990 orders: 100 each on BTC-USD at 500,000, where an order has 50,000,000.
        A trade of more was millions of orders at once."""
        begin = "1,1000000,true,bid,500000,0.5"
        most, more = "6335999.99999", "6336000"
        maps = ("--speed", "0", "--map", "XBT=BTC-USD")
        path = self.tardis([begin, f"1,2000000,false,ask,500000,{more}"])
        self.assertIn("book.csv:3: amount is too large: it would be more than 63360 orders", self.refused(*maps, path))
        path, trades_path = self.tardis([begin]), self.tardis([f"1,2000000,1,buy,500000,{more}"], "trades.csv",
                                                              TARDIS_TRADES)
        self.assertIn("trades.csv:2: amount is too large: it would be", self.refused(*maps, path, trades_path))
        path = self.tardis([begin, f"1,2000000,false,ask,500000,{most}"])
        self.assertEqual(replay(self.server, *maps, path)["symbols"][0]["places"], 63360)

    def test_limits_of_requests(self):
        """An exchange that limits requests says so, and how to start it."""
        path = self.tardis([f"1,{1000000 + n * 300000},false,bid,{99990 - n},0.5" for n in range(1300)])
        with Server(limits=True) as server:
            code, _, err = run("replay", "--to", f"http://127.0.0.1:{server.port}", "--speed", "0", "--map",
                               "XBT=BTC-USD", path, self.tardis([f"1,{1000001 + n * 300000},{n},sell,99990,0.01"
                                                                 for n in range(1300)], "trades.csv", TARDIS_TRADES))
            self.assertEqual(code, 1, err)
            self.assertIn("--no-limits", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
