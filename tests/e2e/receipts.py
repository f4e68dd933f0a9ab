# SPDX-License-Identifier: MIT
"""Reads of liquidations by an outside client: for one of each kind its reason, its price and its account. Equity,
maintenance margin, bankruptcy price, shares and account hashes are computed again from the records alone."""
import re
import time
from decimal import ROUND_CEILING, Decimal

from harness import BTC, BUY, ETH, ISOLATED, main, keccak, perps_order, run
from perps_case import PerpsCase
from streams import Stream

SOL = 3
FUND = 1
DAY_MS = 86400000


class Receipts(PerpsCase):
    def until(self, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline, "it never came")
            time.sleep(0.1)
        return found

    def receipts(self, query=""):
        return self.ok(self.a.get(f"/liquidations{query}"))

    def error(self, path, code, *words):
        reply = self.a.get(path).json
        self.assertEqual(reply["code"], code, reply)
        for word in words:
            self.assertIn(word, str(reply["details"]))

    def index(self, symbol, price):
        self.rpc("dojima_setIndexPrice", {"symbol": symbol, "price": price})

    def isolate(self, trader, symbol, leverage):
        self.ok(trader.leverage(leverage, ISOLATED, symbol=symbol))

    # ---- the story

    def test_each_kind_of_liquidation_can_be_worked_out_again(self):
        self.chain = int(self.rpc("eth_chainId"), 16)
        self.contracts = {row["name"]: row for row in self.ok(self.a.get("/markets/symbols"))}
        stream = Stream(self.server, "/ws/perps")
        self.assertTrue(stream.subscribe("allLiquidation")["success"])
        self.nothing_has_happened_yet()
        book, taken, adl = self.is_sold_in_the_book(), self.is_taken_over(), self.is_deleveraged()
        self.the_lists_have_them(book, taken, adl)
        self.the_pages_are_the_events()
        self.what_is_wrong_is_said()
        told = {}
        while len(told) < len(self.receipts()):
            told.update({row["receiptID"]: row for row in stream.push("allLiquidation")["data"]})
        self.assertEqual([told[number] for number in sorted(told, reverse=True)], self.receipts())
        self.a_restart_changes_nothing()

    def nothing_has_happened_yet(self):
        self.assertEqual(self.receipts(), [])
        fund = self.ok(self.a.get("/insurance-fund"))
        self.assertEqual((fund["coin"], fund["balance"], fund["insolvent"]), ("vUSDC", "1000000", False))
        self.assertEqual([row["symbol"] for row in fund["symbols"]], ["BTC-USD", "ETH-USD", "SOL-USD"])
        self.assertEqual((fund["days"][0]["end"], fund["days"][-1]["begin"], fund["days"][-1]["received"]),
                         ("1000000", "0", "1000000"))

    def is_sold_in_the_book(self):
        self.isolate(self.a, ETH, 20)
        self.trade(self.a, self.b, "10", "4000", symbol=ETH)
        self.items_ok(self.c.place(perps_order("bid", BUY, "3878", "20"), symbol=ETH))
        self.index("ETH-USD", "3880")
        receipt = self.until(lambda: self.receipts("?symbol=ETH-USD"))[-1]
        self.judge(receipt, "BOOK", self.a)
        self.assertEqual(receipt["price"], "3878")
        self.assertGreaterEqual(Decimal(receipt["price"]), Decimal(receipt["limitPrice"]))
        self.assertEqual(receipt["fundCharge"], "0")
        self.carries_the_number(self.a, receipt, None, "LIQUIDATION")
        # the bid belongs to no liquidation
        self.assertEqual([row for row in self.list_of(self.c, "trades") if "liquidationID" in row], [])
        return receipt

    def is_taken_over(self):
        self.isolate(self.a, BTC, 25)
        self.trade(self.a, self.b, "1", "100000")
        self.index("BTC-USD", "97200")
        receipt = self.until(lambda: self.receipts("?symbol=BTC-USD"))[0]
        self.judge(receipt, "TAKEOVER", self.a)
        self.assertEqual(receipt["quantity"], "1")
        self.carries_the_number(self.a, receipt, "TAKEOVER", "TAKEOVER")
        fund = self.ok(self.a.get("/insurance-fund"))
        self.assertEqual({row["symbol"]: row["size"] for row in fund["symbols"]}["BTC-USD"], "1")
        self.assertEqual(Decimal(receipt["fundAfter"]) - Decimal(receipt["fundBefore"]),
                         Decimal(fund["balance"]) - Decimal(receipt["fundBefore"]))
        return receipt

    def is_deleveraged(self):
        """More than the fund may hold of SOL-USD: two others, short, take it between them."""
        self.isolate(self.a, SOL, 10)
        self.trade(self.a, self.b, "8000", "200", symbol=SOL)
        self.trade(self.a, self.d, "4000", "200", symbol=SOL)
        self.index("SOL-USD", "183")
        receipt = self.until(lambda: [row for row in self.receipts("?symbol=SOL-USD") if row["stage"] == "ADL"])[0]
        self.judge(receipt, "ADL", self.a)
        self.assertIn("NO_INVENTORY", receipt["fundRefusal"])
        self.assertGreater(Decimal(receipt["fundInventory"]), Decimal(receipt["fundInventoryLimit"]))
        ranking = self.ok(self.a.get(f"/liquidations/ranking?receiptID={receipt['receiptID']}"))
        self.judge_ranking(receipt, ranking)
        hashes = {self.hash_of(trader, receipt): trader for trader in self.traders}
        shares = {hashes[row["account"]].id: row["taken"] for row in ranking}
        self.assertEqual(shares, {self.b.id: "8000", self.d.id: "4000"})
        own, = [row for row in self.list_of(self.d, "liquidations") if row["receiptID"] == receipt["receiptID"]]
        self.assertEqual((own["role"], own["accountID"]), ("DELEVERAGED", self.d.id))
        self.assertEqual(own["own"], [row for row in ranking if row["taken"] == "4000"])
        self.assertNotIn("positionID", own)
        for trader, reason in ((self.a, "ADL_BANKRUPT"), (self.b, "ADL"), (self.d, "ADL")):
            self.carries_the_number(trader, receipt, reason, "ADL")
        return receipt

    # ---- one record

    def carries_the_number(self, trader, receipt, ended, reason):
        """The account's own history names the liquidation: its trades, and its position if the liquidation ended it."""
        number = receipt["liquidationID"]
        trades = [row for row in self.list_of(trader, "trades")
                  if row["symbol"] == receipt["symbol"] and row.get("reason") is not None]
        self.assertEqual({(row["reason"], row["liquidationID"]) for row in trades}, {(reason, number)})
        self.assertEqual([row for row in self.list_of(trader, "trades")
                          if "reason" not in row and "liquidationID" in row], [])
        rows = [row for row in self.list_of(trader, "positions/history") if row["symbol"] == receipt["symbol"]]
        self.assertEqual([(row["reason"], row.get("liquidationID")) for row in rows[:1]],
                         [] if ended is None else [(ended, number)])

    def hash_of(self, trader, receipt):
        number = lambda value: value.to_bytes(8, "big")
        return "0x" + keccak(b"dojima liquidation" + number(self.chain) + number(receipt["receiptID"])
                             + bytes.fromhex(trader.address[2:]) + number(trader.id)).hex()

    def maintenance(self, symbol, value):
        tiers = self.contracts[symbol]["marginTiers"]
        tier = next((tier for tier in tiers if value <= Decimal(tier["maxNotionalValue"])), tiers[-1])
        exact = value * Decimal(tier["maintenanceMarginRate"]) - Decimal(tier["maintenanceDeduction"])
        return max(Decimal(0), exact.quantize(Decimal("0.000001"), ROUND_CEILING))

    def judge(self, receipt, stage, trader):
        size, mark, index = (Decimal(receipt[key]) for key in ("sizeBefore", "markPrice", "indexPrice"))
        equity, share, price = (Decimal(receipt[key]) for key in ("equity", "share", "price"))
        self.assertEqual((receipt["stage"], receipt["side"], receipt["marginMode"], receipt["fund"]),
                         (stage, "SELL", "ISOLATED", False))
        self.assertEqual(receipt["account"], self.hash_of(trader, receipt))
        own, = [row for row in self.list_of(trader, "liquidations") if row["receiptID"] == receipt["receiptID"]]
        self.assertEqual((own["role"], own["accountID"]), ("LIQUIDATED", trader.id))
        self.assertEqual({key: own[key] for key in receipt}, receipt)

        self.assertEqual(Decimal(receipt["maintenance"]), self.maintenance(receipt["symbol"], mark * size))
        self.assertLess(equity, Decimal(receipt["maintenance"]))
        self.assertEqual(Decimal(receipt["worsePrice"]), min(mark, index))
        self.assertEqual(Decimal(receipt["equityAtWorse"]), equity - (mark - min(mark, index)) * size)
        if stage != "BOOK":
            self.assertLess(3 * equity, 2 * Decimal(receipt["maintenance"]))
        if stage != "ADL":
            self.assertEqual(share, equity)
            tick = Decimal(self.contracts[receipt["symbol"]]["tickSize"])
            self.assertLess(abs(Decimal(receipt["bankruptcyPrice"]) - (mark - share / size)), tick)
        self.assertLessEqual(price * Decimal(receipt["quantity"]), Decimal(receipt["value"]))
        self.assertLess(abs(Decimal(receipt["slippage"]) - (mark - price) / mark), Decimal("0.00000002"))
        self.judge_composition(receipt)
        block = self.rpc("eth_getBlockByNumber", hex(receipt["block"]), False)
        self.assertIn(receipt["txHash"], block["transactions"])

    def judge_composition(self, receipt):
        made = receipt["composition"]
        self.assertEqual((made["symbol"], made["state"], made["indexPrice"], made["markPrice"]),
                         (receipt["symbol"], receipt["indexState"], receipt["indexPrice"], receipt["markPrice"]))
        valid = [source for source in made["sources"] if source["valid"] and source["type"] != "SPOT_BOOK"]
        self.assertEqual((len(valid), made["medianPrice"]), (made["validSources"], valid[0]["price"]))
        self.assertEqual(made["indexPrice"], made["medianPrice"])
        three = sorted(Decimal(made[key]) for key in ("basisPrice", "bookPrice", "feederPrice"))
        self.assertEqual(Decimal(made["rawMarkPrice"]), three[1])

    def judge_ranking(self, receipt, ranking):
        self.assertEqual((len(ranking), [row["rank"] for row in ranking]),
                         (receipt["candidates"], list(range(len(ranking)))))
        self.assertEqual(sorted(ranking, key=lambda row: (row["group"], -Decimal(row["score"]))), ranking)
        self.assertEqual(sum(Decimal(row["taken"]) for row in ranking), Decimal(receipt["quantity"]))
        self.assertEqual(sum(Decimal(row["value"]) for row in ranking), Decimal(receipt["value"]))
        others = [row for row in ranking if not row.get("fund")]
        winners = sum(Decimal(row["score"]) > 0 for row in others)
        self.assertEqual([row["group"] for row in others],
                         [1 + 5 * rank // winners if rank < winners else 6 for rank in range(len(others))])
        self.assertEqual([row["group"] for row in ranking if row.get("fund")], [0] * (len(ranking) - len(others)))
        step = Decimal(self.contracts[receipt["symbol"]]["stepSize"])
        for group in {row["group"] for row in ranking if row["reached"]}:
            rows = [row for row in ranking if row["group"] == group]
            whole, taken = sum(Decimal(row["bears"]) for row in rows), sum(Decimal(row["taken"]) for row in rows)
            for row in rows:
                self.assertLess(abs(Decimal(row["taken"]) - taken * Decimal(row["bears"]) / whole), step * len(rows))

    # ---- lists, errors, a restart

    def the_lists_have_them(self, *receipts):
        every = self.receipts()
        self.assertEqual([row["receiptID"] for row in every], sorted((row["receiptID"] for row in every), reverse=True))
        for receipt in receipts:
            number = receipt["receiptID"]
            self.assertEqual(self.receipts(f"?fromID={number + 1}&limit=1"), [receipt])
            self.assertIn(receipt, self.receipts(f"?liquidationID={receipt['liquidationID']}"))
            self.assertIn(receipt, self.receipts(f"?startTime={receipt['time']}&endTime={receipt['time']}"))
            self.assertNotIn(receipt, self.receipts(f"?endTime={receipt['time'] - 1}"))
        self.assertEqual(self.list_of(self.c, "liquidations"), [])
        nobody = "0x" + "17" * 20
        self.assertEqual(self.ok(self.a.get(f"/accounts/{nobody}/liquidations")), [])

    # Lines of `dojima log`, which replays the log and prints each event.
    LINE = re.compile(r"\d+ (\d+) receipt (\d+) liquidation (\d+) (book|take-over|ADL) (\S+) account (\d+) "
                      r"(sells|buys) (\S+) at (\S+) mark (\S+) index (\S+) fund (\S+) -> (\S+)")
    STAGES = {"book": "BOOK", "take-over": "TAKEOVER", "ADL": "ADL"}

    def events(self):
        """The events of each receipt in the log, newest first, in the words of the record."""
        code, out, err = run("log", "--receipts", self.data)
        self.assertEqual(code, 0, err)
        accounts = {trader.id: trader for trader in self.traders}
        rows = []
        for at, number, liquidation, stage, symbol, account, side, quantity, price, mark, index, before, after in map(
            lambda row: row.groups(), self.LINE.finditer(out)):
            rows.append({"time": int(at), "receiptID": int(number), "liquidationID": int(liquidation),
                         "stage": self.STAGES[stage], "symbol": symbol,
                         "side": "SELL" if side == "sells" else "BUY", "quantity": quantity, "price": price,
                         "markPrice": mark, "indexPrice": index,
                         "fundBefore": before, "fundAfter": after, "fund": int(account) == FUND})
            if not rows[-1]["fund"]:
                rows[-1]["account"] = self.hash_of(accounts[int(account)], rows[-1])
        self.assertEqual(len(rows), len(out.splitlines()))
        return rows[::-1]

    def pages(self, limit, query=""):
        rows, page = [], self.receipts(f"?limit={limit}{query}")
        while page:
            self.assertLessEqual(len(page), limit)
            rows += page
            page = self.receipts(f"?limit={limit}&fromID={page[-1]['receiptID']}{query}")
        return rows

    def the_pages_are_the_events(self):
        """Pages of any size, of all symbols and of each, are the events of the log: none is missing, none is
        repeated."""
        events = self.events()
        self.assertGreaterEqual(len(events), 3)
        for limit in (1, 2, 3, 200):
            for symbol in (None, "BTC-USD", "ETH-USD", "SOL-USD"):
                wanted = [row for row in events if symbol in (None, row["symbol"])]
                rows = self.pages(limit, f"&symbol={symbol}" if symbol else "")
                self.assertEqual([{key: row[key] for key in event} for row, event in zip(rows, wanted)], wanted)
                self.assertEqual(len(rows), len(wanted))

    def what_is_wrong_is_said(self):
        self.error("/liquidations?symbol=NONE-USD", 40401, "NONE-USD")
        self.error("/liquidations?limit=0", 40001, "limit")
        self.error("/liquidations?limit=many", 40001, "limit")
        self.error("/liquidations?startTime=2&endTime=1", 40007, "startTime")
        self.error("/liquidations?liquidationID=0", 40001, "liquidationID")
        self.error("/liquidations/ranking", 40001, "receiptID")
        self.error("/liquidations/ranking?receiptID=999999", 40406, "999999")
        self.error("/markets/index-composition?symbol=NONE-USD", 40401, "NONE-USD")
        self.error("/accounts/0x12/liquidations", 40001, "0x12")

    def a_restart_changes_nothing(self):
        """Two days later, after a restart by the log: the receipts and the fund's days are unchanged, and each day
        begins with the end of the one before."""
        first = self.ok(self.a.get("/insurance-fund"))["days"]
        day = first[0]["day"]
        self.rpc("evm_setNextBlockTimestamp", (day + 2 * DAY_MS) // 1000 + 60)
        self.until(lambda: self.ok(self.a.get("/insurance-fund"))["day"] == day + 2 * DAY_MS)
        fund = self.ok(self.a.get("/insurance-fund"))
        days = fund["days"]
        self.assertEqual([row["day"] for row in days[:3]], [day + 2 * DAY_MS, day + DAY_MS, day])
        self.assertEqual((len(days), days[2]["loss"]), (len(first) + 2, first[0]["loss"]))
        # funding and its fractions are booked in between
        self.assertGreaterEqual(Decimal(days[2]["received"]), Decimal(first[0]["received"]))
        self.assertEqual((fund["dayLoss"], days[0]["loss"], days[1]["loss"]), ("0", "0", "0"))
        for later, earlier in zip(days, days[1:]):
            self.assertEqual(later["begin"], earlier["end"])
            self.assertEqual(Decimal(later["end"]),
                             Decimal(later["begin"]) - Decimal(later["paid"]) + Decimal(later["received"]))
        before = self.receipts(), self.list_of(self.d, "liquidations"), self.list_of(self.a, "positions/history")
        self.server.stop()
        self.start()
        self.assertEqual((self.receipts(), self.list_of(self.d, "liquidations"),
                          self.list_of(self.a, "positions/history")), before)
        again = self.ok(self.a.get("/insurance-fund"))["days"]
        self.assertEqual(again[-len(days) + 1:], days[1:])                          # the newest one continues

    def test_compositions_are_shown_of_every_symbol(self):
        rows = self.ok(self.a.get("/markets/index-composition"))
        self.assertEqual([row["symbol"] for row in rows], ["BTC-USD", "ETH-USD", "SOL-USD"])
        btc, = self.ok(self.a.get("/markets/index-composition?symbol=BTC-USD"))
        self.assertEqual((btc["state"], btc["heldBack"], btc["indexPrice"], btc["quorum"]),
                         ("LIVE", False, "100000", 1))
        hand, = [source for source in btc["sources"] if source["type"] == "HAND"]
        self.assertEqual((hand["price"], hand["valid"]), ("100000", True))
        self.index("BTC-USD", "120000")
        held = self.until(lambda: [row for row in self.ok(self.a.get("/markets/index-composition?symbol=BTC-USD"))
                                   if row["heldBack"] or row["indexPrice"] == "120000"])[0]
        if held["heldBack"]:
            self.assertEqual((held["candidatePrice"], held["candidateNeeded"], held["indexPrice"]),
                             ("120000", 3, "100000"))
            self.assertLess(held["candidateSeen"], 3)


if __name__ == "__main__":
    main()
