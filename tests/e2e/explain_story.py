# SPDX-License-Identifier: MIT
"""One liquidation of each kind (book, take-over, ADL) over HTTP, and then an auditor's reading of them in the folder:
the receipts in `dojima log --receipts`, and `dojima explain-liquidation` for each, which computes their numbers again.
Unknown numbers, another folder and a folder in use are refused with their own exit codes, and the folder is not written
to."""
import hashlib
import os
import re
import time

from harness import BUY, ISOLATED, main, perps_order, run
from perps_case import PerpsCase


class ExplainStory(PerpsCase):
    def tearDown(self):
        self.folder.__exit__()                          # the story ends its server itself

    def until(self, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline, "it never came")
            time.sleep(0.1)
        return found

    def index(self, price):
        self.rpc("dojima_setIndexPrice", {"symbol": "BTC-USD", "price": str(price)})

    def closed(self, trader):
        rows = self.list_of(trader, "positions/history")
        return rows[0]["reason"] if rows and trader.position() is None else None

    def test_each_kind_is_explained(self):
        e, f, g = self.traders[4:7]
        for trader, leverage, size in ((self.a, 25, "5"), (self.c, 25, "1"), (self.d, 10, "60")):
            self.ok(trader.leverage(leverage, ISOLATED))
            for part in range(6 if size == "60" else 1):
                self.trade(trader, (self.b, e, f, g)[part % 4], "10" if size == "60" else size)
        # 5 at 100000 with 26000 of money: E8. The bids are for that alone.
        self.ok(self.a.margin("6000"))
        self.ok(self.c.margin("3000"))
        self.items_ok(self.b.place(perps_order("near", BUY, "96690", "0.5"), perps_order("far", BUY, "96650", "3")))
        self.index(96700)
        self.until(lambda: self.a.position()["size"] != "5")
        self.ok(self.b.cancel(*self.b.orders()))
        self.ok(self.a.margin("100000"))
        # The book is empty: one goes to the fund, then one that the fund cannot bear goes to the other side.
        self.index(94000)
        self.assertEqual(self.until(lambda: self.closed(self.c)), "TAKEOVER")
        self.index(91000)
        self.assertEqual(self.until(lambda: self.closed(self.d)), "ADL_BANKRUPT")
        code, _, err = run("explain-liquidation", self.data, "1")
        self.assertEqual(code, 69, err)                 # in use
        self.server.stop()
        self.is_read_by_an_auditor()

    def tells_the_prices(self, out):
        """Each step names its sources, the candidate and the mark's inputs; the index of the receipt is the source that
        counts."""
        steps = out.split("  step ")[1:]
        for step in steps:
            index, = re.findall(r"    index        (\S+), LIVE; the median of the sources that count is (\S+), 1 "
                                r"count and 1 are needed", step)
            source, = re.findall(r"    source       set by hand, weight 1: (\S+), posted (\S+) s before, its perp "
                                 r"price none, counts", step)
            self.assertEqual(index[0], source[0])
            self.assertGreaterEqual(float(source[1]), 0)
            self.assertIn(f"index {index[0]} (LIVE)", step)
            self.assertIn("    candidate    none is held back", step)
            bid, ask = re.search(r"mark's book  bid (\S+), ask (\S+), last \S+, perp price of the feeders none",
                                 step).groups()
            mark, *three, raw = re.search(
                r"    mark         (\S+): the median of (\S+) by the basis, (\S+) by the book, (\S+) by the feeders "
                r"is (\S+),", step).groups()
            self.assertEqual(float(raw), sorted(map(float, three))[1])
            self.assertIn(f"mark {mark}, index {index[0]}", step)

    def content(self):
        return {name: hashlib.sha256(open(os.path.join(root, name), "rb").read()).hexdigest()
                for root, _, names in os.walk(self.data) for name in sorted(names) if name != "lock"}

    def is_read_by_an_auditor(self):
        before = self.content()
        code, out, err = run("log", "--receipts", self.data)
        self.assertEqual(code, 0, err)
        receipts = re.findall(r"receipt (\d+) liquidation (\d+) (\S+) BTC-USD", out)
        self.assertEqual([int(number) for number, _, _ in receipts], list(range(1, len(receipts) + 1)))
        kinds = {kind: number for _, number, kind in receipts}
        self.assertEqual(set(kinds), {"book", "take-over", "ADL"}, out)
        says = {"book": ("the shortage goes into the book", "fill ", "no worse than", "shortage ",
                         "quantity of the order"),
                "take-over": ("no limit of the fund is against it", "day's budget", "inventory"),
                "ADL": ("the fund may not take it over because of what its equity carries", "rank 0", "takes",
                        "equity of its unit",
                        "score of each candidate", "leverage of each candidate")}
        for kind, number in kinds.items():
            code, out, err = run("explain-liquidation", self.data, number)
            self.assertEqual((code, err), (0, ""), out)
            self.assertNotIn("DISAGREES", out)
            for words in (*says[kind], "follow the rules", "begins", "worse of both", "agrees "):
                self.assertIn(words, out)
            self.tells_the_prices(out)
            agreed = set(", ".join(re.findall(r"agrees       (.*)", out)).split(", "))
            self.assertLessEqual({"index", "median of the sources", "which sources count", "mark", "price by the book",
                                  "worse of mark and index"}, agreed)
            print(out)
        for words, expected in (((self.data, "999"), 1), ((self.data, "x"), 2), ((self.data,), 2),
                                ((self.data, "0"), 2), ((self.data + "-none", "1"), None)):
            code, out, err = run("explain-liquidation", *words)
            self.assertNotEqual(code, 0, out)
            self.assertTrue(err.startswith("dojima: "), err)
            if expected is not None:
                self.assertEqual(code, expected, err)
        self.assertEqual(self.content(), before)


if __name__ == "__main__":
    main()
