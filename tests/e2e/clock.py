#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real program under a wall clock that is set, jumps, stops and jitters (wall_clock.c): time never goes back,
nothing happens twice, nothing is left out, and the calendar is right (goal 30).

A busy machine takes seconds for what takes milliseconds elsewhere. So what must happen before a time happens while the
clock is frozen there, and what must have happened by then is waited for."""
import contextlib
import os
import random
import signal
import sys
import threading
import time
from datetime import datetime, timezone
from decimal import Decimal

from harness import (BINARY, BUY, INSTRUMENTED, IOC, SELL, Case, Connection, Folder, Perps, Server, main, order,
                     perps_order)
from klines import BTC_NAME, Bars
from wall import LIBRARY, Wall

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
# The time shown between two commands is the clock's; when that is set back, it is the last command's: a TICK's, at most
# about a second ago.
SHOWN_BACK = 1500
PATIENCE = 60           # seconds


def utc(*words):
    return int(datetime(*words, tzinfo=timezone.utc).timestamp()) * 1000


class Clock(Bars):
    """Everything a case needs; the judges of tickers and klines are those of klines.py."""

    def setUp(self):
        self.folder = Folder()
        self.wall = Wall(self.folder.path)
        self.data, self.trades, self.dice = os.path.join(self.folder.path, "data"), {}, random.Random(4)
        self.server = None

    def tearDown(self):
        if self.server:
            self.server.kill()
        self.folder.__exit__()

    def start(self, *words, **more):
        self.server = Server(*words, data=self.data, wrapper=self.wall.wrapper, **more)
        self.a, self.b, self.c, *self.others = self.server.accounts()

    def again(self):
        self.server.kill()
        self.start()

    @contextlib.contextmanager
    def exchange(self):
        """One on a folder of its own, which ends with its part of a case, whatever comes of it."""
        self.trades, self.number, self.last, self.data = {}, 0, 0, self.data + "'"
        self.start()
        try:
            yield
        finally:
            self.server.kill()
            self.server = None

    def becomes(self, wanted, look):
        """What is looked at is as wanted, at once or as soon as the exchange has had its turn."""
        deadline = time.monotonic() + PATIENCE
        while look() != wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(look(), wanted)

    def engine(self):
        return Connection(self.server.port).send("GET", "/api/v1/time").data["serverTime"]

    def place(self, client, *orders, nonce=None):
        return client.place(*orders, nonce=nonce or self.nonce())

    def nonce(self):
        self.last = max(getattr(self, "last", 0) + 1, self.engine())
        return self.last

    def trade(self, price, quantity, symbol=1):
        """As in klines.py, signed with nonces of the engine's time; and no trade is older than one before it."""
        self.number = getattr(self, "number", 0) + 1
        self.items_ok(self.place(self.a, order(f"m{self.number}", SELL, price, quantity)))
        self.items_ok(self.place(self.b, order(f"t{self.number}", BUY, price, quantity, tif=IOC)))
        row = self.ok(self.get(f"{BTC_NAME}/trades?limit=1"))[0]
        known = self.trades.setdefault(row["s"], [])
        self.assertGreaterEqual(row["T"], known[-1]["T"] if known else 0)
        known.append({"T": row["T"], "p": Decimal(price), "q": Decimal(quantity)})
        return row["T"]

    def some_trade(self):
        return self.trade(f"{self.dice.randrange(99000, 101000)}.{self.dice.randrange(1, 10)}",
                          f"0.00{self.dice.randrange(101, 299, 2)}")

    def check_bars(self):
        for interval in ("1m", "1h", "1D", "1W", "1M"):
            self.check_klines(BTC_NAME, interval)
        self.check_ticker(BTC_NAME)


class Schedules(Clock):
    def schedule(self, distance):
        """An order, and a schedule at so many milliseconds; the clock is frozen before it."""
        self.start()
        self.items_ok(self.place(self.a, order("x", BUY, "96000", "0.01")))
        now = self.engine() + 30 * SECOND
        self.wall.freeze(now)
        self.ok(self.a.schedule(now + distance, nonce=self.nonce()))
        return now + distance

    def fired(self):
        return [(row["status"], row["updatedAt"]) for row in self.a.history()]

    def test_due_while_it_was_down_it_fires_once_at_its_own_time(self):
        due = self.schedule(6000)
        self.server.kill()
        self.wall.at(due + 3 * HOUR)
        for _ in range(2):
            self.again()
            self.becomes([("CANCELED", due)], self.fired)
            self.assertEqual(self.a.open_orders(), [])

    def test_due_while_it_stood_still_it_fires_when_it_goes_on(self):
        due = self.schedule(6000)
        os.killpg(self.server.process.pid, signal.SIGSTOP)
        self.wall.at(due + 10 * MINUTE)
        os.killpg(self.server.process.pid, signal.SIGCONT)
        self.becomes([("CANCELED", due)], self.fired)

    def test_a_clock_set_back_delays_it_and_fires_it_once(self):
        due = self.schedule(5500)
        self.wall.at(due - 5500 - 3 * SECOND)
        self.wall.wait_until(due - 600)
        self.wall.freeze(due - 600)
        self.assertEqual(len(self.a.open_orders()), 1, "not yet")
        self.wall.freeze(due + 300)
        self.becomes([("CANCELED", due + 300)], self.fired)     # by the TICK that came then
        self.wall.at(due + 300 - 2 * SECOND)
        time.sleep(0.2)
        self.items_ok(self.place(self.a, order("y", BUY, "96000", "0.01")))
        self.wall.wait_until(due + 300)
        self.assertEqual(len(self.a.open_orders()), 1, "it does not fire again")


class Funding(Clock):
    def begin(self):
        """Minutes before an hour, a long and a short position; and a sample of the premium."""
        self.hour = (self.wall.now() // HOUR + 1) * HOUR
        self.wall.at(self.hour - 10 * MINUTE)
        self.start()
        self.buyer, self.seller = Perps(self.a), Perps(self.b)
        self.items_ok(self.buyer.place(perps_order("in", BUY, "100000", "0.5"), nonce=self.nonce()))
        self.items_ok(self.seller.place(perps_order("in", SELL, "100000", "0.5"), nonce=self.nonce()))
        self.wall.step(2 * SECOND)                              # a TICK comes before the next command
        self.items_ok(self.place(self.c, order("next", BUY, "96000", "0.01")))

    def hours(self):
        rows = Perps(self.a.on(self.server)).mine("fundings").data
        return sorted(row["timestamp"] - row["timestamp"] % HOUR for row in rows)

    def test_an_hour_is_paid_once_when_the_clock_goes_back_over_it(self):
        self.begin()
        self.wall.at(self.hour - 500)
        self.wall.wait_until(self.hour + 1200)
        self.becomes([self.hour], self.hours)
        self.wall.at(self.hour - 1500)
        self.wall.wait_until(self.hour + 1500)
        self.assertEqual(self.hours(), [self.hour])
        self.wall.at(self.hour + HOUR - 500)
        self.wall.wait_until(self.hour + HOUR + 1500)
        self.becomes([self.hour, self.hour + HOUR], self.hours)

    def test_hours_of_a_pause_are_paid_each_and_hours_of_a_downtime_once(self):
        self.begin()
        os.killpg(self.server.process.pid, signal.SIGSTOP)
        self.wall.at(self.hour + 2 * HOUR + 1000)
        os.killpg(self.server.process.pid, signal.SIGCONT)
        self.becomes([self.hour, self.hour + HOUR, self.hour + 2 * HOUR], self.hours)
        self.server.kill()
        self.wall.step(5 * HOUR)
        self.start()
        self.becomes(4, lambda: len(self.hours()))
        for _ in range(2):
            time.sleep(1.2)
            self.assertEqual(len(self.hours()), 4)
            self.again()


class Windows(Clock):
    def used(self, client, nonce):
        reply = client.place(order(f"n{nonce}", BUY, "96000", "0.001"), nonce=nonce)
        return None if reply.code == 0 else (reply.code, reply.details.get("reason"))

    def test_the_window_of_nonces_while_the_clock_steps(self):
        """It depends on engine time: it moves forward with the clock and never back."""
        for step in (1, -1, HOUR, -HOUR, 2 * DAY, -2 * DAY):
            with self.subTest(step), self.exchange():
                self.some_trade()
                before = self.engine()
                self.wall.step(step)
                self.some_trade()
                now = self.engine()
                self.assertGreaterEqual(now, before + max(0, step) - SHOWN_BACK)
                self.assertLess(now, before + max(0, step) + 30 * SECOND)
                low, inside, high, beyond = self.others[:4]
                self.assertEqual(self.used(low, now - 2 * DAY - 5 * SECOND), (40102, "too old"))
                self.assertIsNone(self.used(inside, now - 2 * DAY + MINUTE))
                self.assertIsNone(self.used(high, now + DAY - MINUTE))
                self.assertEqual(self.used(beyond, now + DAY + MINUTE)[0], 40102)

    def test_the_rolling_minute_does_not_come_back_with_the_clock(self):
        self.start(limits=True)
        path = "/api/v1/spot/markets/vBTC_vUSDC/trades"         # weighs 20 of 1200
        answers = [Connection(self.server.port).send("GET", path).status for _ in range(61)]
        self.assertEqual(answers, [200] * 60 + [429])
        for step in (-30 * SECOND, -HOUR, -1):
            self.wall.step(step)
            self.assertEqual(Connection(self.server.port).send("GET", path).status, 429, step)

    def test_the_day_of_a_ticker_across_a_backward_step(self):
        self.start()
        for step in (0, -2 * HOUR, 3 * HOUR, -1, 30 * HOUR, -29 * HOUR):
            self.wall.step(step)
            self.check_bars() if self.trades else None
            self.some_trade()
            self.some_trade()
            self.check_bars()


class Calendar(Clock):
    def test_years_end_and_numbers_are_wide_enough(self):
        """The last millisecond of a leap February, of a year, of 31 bits and of 32, and the first one behind it: a
        trade in each, bars of the calendar, and a kill."""
        for at in (utc(2028, 2, 29, 0, 0, 0), utc(2028, 3, 1, 0, 0, 0), utc(2027, 3, 1, 0, 0, 0),
                   utc(2029, 1, 1, 0, 0, 0), utc(2038, 1, 19, 3, 14, 8), utc(2106, 2, 7, 6, 28, 16)):
            self.wall.at(at - 10 * MINUTE)
            with self.subTest(at), self.exchange():
                for ms in (at - 1, at):
                    self.wall.freeze(ms)
                    self.assertEqual(self.some_trade(), ms)
                self.wall.at(at + 20)
                self.assertGreaterEqual(self.some_trade(), at + 20)
                self.check_bars()
                self.again()
                self.check_bars()

    def test_a_second_that_is_repeated_and_one_that_is_smeared(self):
        midnight = utc(2027, 1, 1, 0, 0, 0)
        self.wall.at(midnight - 10 * MINUTE)
        self.start()
        self.wall.at(midnight - 600)
        self.some_trade()
        self.wall.wait_until(midnight + 100)
        self.some_trade()
        self.wall.freeze(self.wall.now() - SECOND)              # 23:59:60 is 23:59:59 again
        first, *others = [self.some_trade() for _ in range(3)]
        self.assertGreaterEqual(first, midnight)
        self.assertEqual(others, [first] * 2, "it waits")
        self.wall.step(-SECOND)
        for _ in range(20):                                     # and a second that takes longer
            self.wall.step(-25)
            self.some_trade()
        self.check_bars()


class Ticking(Clock):
    def test_a_frozen_clock_keeps_the_order_of_arrival(self):
        self.start()
        self.some_trade()
        frozen = self.engine() + 30 * SECOND
        self.wall.freeze(frozen)
        names = []
        for number in range(12):
            names.append(f"f{number}")
            self.items_ok(self.place(self.c, order(names[-1], BUY, "90000", "0.001")))
        self.assertEqual({row["createdAt"] for row in self.c.open_orders()}, {frozen})
        ids = {row["clOrdID"]: row["orderID"] for row in self.c.open_orders()}
        self.assertEqual(sorted(names, key=ids.get), names)
        times = [self.some_trade() for _ in range(5)]
        self.assertEqual(set(times), {frozen})
        rows = self.ok(self.get(f"{BTC_NAME}/trades?limit=5"))
        self.assertEqual([row["t"] for row in rows], sorted((row["t"] for row in rows), reverse=True),
                         "newest first, by number")
        self.wall.at(frozen + 10)
        self.assertGreaterEqual(self.some_trade(), frozen)
        self.check_bars()

    def test_a_clock_that_shakes_by_half_a_second(self):
        self.start()
        stop = threading.Event()

        def shake():
            side = 1
            while not stop.wait(0.1):
                self.wall.step(500 * side)
                side = -side
        thread = threading.Thread(target=shake)
        thread.start()
        try:
            for _ in range(40):
                self.assertLessEqual(self.some_trade(), self.engine(), "a time before the last trade")
        finally:
            stop.set()
            thread.join()
        self.check_bars()
        self.again()
        self.check_bars()


if __name__ == "__main__":
    if INSTRUMENTED or not os.path.exists(LIBRARY):
        print("SKIP the wall's clock: a library cannot be loaded before a sanitizer's, or is not built")
        sys.exit(77)
    main()
