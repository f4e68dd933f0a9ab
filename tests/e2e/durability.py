# SPDX-License-Identifier: MIT
"""Every answered write is there after kill -9; one without an answer is there whole or not at all; a disk that says no
stops the process.

The clients keep a ledger: a line before each request is sent, and its reply when one came. After each kill the ledger
is compared with the state of the restarted exchange.
"""
import contextlib
import http.client
import os
import random
import re
import shutil
import struct
import threading
import time

from harness import (BTC, BUY, ETH, INSTRUMENTED, SELL, Case, Folder, Perps, Server, compact, fresh_nonce, main, order,
                     run)
from places import CONFIG
from wall import Minutes

ENDED = ("CANCELED", "FILLED", "EXPIRED")
SEED = int(os.environ.get("E2E_SEED", "0")) or int(time.time())
STATE_HASH = re.compile(r"0x[0-9a-f]{64}")


class Ledger:
    """One client's requests and their replies."""

    def __init__(self):
        self.acknowledged = []      # [kind, items, reply, signed request]
        self.unanswered = []        # the same, reply None
        self.refused = []           # answered "busy, not executed" by a server that was stopping
        self.asked = set()          # every clOrdID that was ever sent


SPOT_ORDERS, PERPS_ORDERS = "/api/v1/spot/trade/orders/", "/api/v1/perps/trade/orders"
WRITES = {"place": ("POST", SPOT_ORDERS + "batch", "batchNewOrder", "orders"),
          "trade": ("POST", SPOT_ORDERS + "batch", "batchNewOrder", "orders"),
          "cancel": ("DELETE", SPOT_ORDERS + "batch", "batchCancelOrder", "cancels"),
          "replace": ("POST", SPOT_ORDERS + "replace", "replaceOrder", "orders"),
          "perps": ("POST", PERPS_ORDERS, "newOrder", "orders"),
          "perps cancel": ("DELETE", PERPS_ORDERS, "cancelOrder", "cancels")}
PLACES, CANCELS = ("place", "trade", "perps"), ("cancel", "perps cancel")


def sign_request(client, kind, call):
    """The data of one request: method, path, body, headers. Kept, so that the same bytes can be sent again."""
    method, path, action, key = WRITES[kind]
    symbol = {"symbolID": BTC} if kind == "perps" else {}
    body = compact({"accountID": client.id, **symbol, key: call})
    return method, path, body, client.headers(action, body, domain="futures" if kind.startswith("perps") else "spot")


class Trader(threading.Thread):
    """Sends writes as fast as it can until the connection breaks; each is in the ledger."""

    def __init__(self, client, peer_side, ledger, stop, seed):
        super().__init__(daemon=True)
        self.client, self.side, self.ledger, self.stop, self.random = client, peer_side, ledger, stop, random.Random(
            seed)
        self.resting, self.error = [], None

    def run(self):
        try:
            while not self.stop.is_set():
                kind, call = self.choose()
                entry = [kind, call, None, sign_request(self.client, kind, call)]
                self.ledger.unanswered.append(entry)
                self.ledger.asked.update(item["clOrdID"] for item in call if "clOrdID" in item)
                reply = self.client.connection.send(*entry[3])
                self.ledger.unanswered.remove(entry)
                if reply.status == 503 and reply.code == 50301:
                    self.ledger.refused.append(entry)
                    continue
                assert reply.status == 200 and reply.code == 0, reply
                entry[2] = reply
                self.ledger.acknowledged.append(entry)
                self.remember(kind, call, reply)
        # the server was killed: the outcome of every request in `unanswered` is unknown
        except Exception as error:
            self.error = error

    def choose(self):
        dice = self.random.random()
        if (dice < 0.25 and self.resting) or len(self.resting) > 60:            # well below 1000 open orders
            chosen, self.resting = self.resting[:8], self.resting[8:]
            return "cancel", [{"symbolID": BTC, "clOrdID": f"c{fresh_nonce()}", "orderID": i} for i in chosen]
        if dice < 0.4 and self.resting:
            chosen = self.random.choice(self.resting)
            return "replace", [{"symbolID": BTC, "clOrdID": f"r{fresh_nonce()}", "origOrderID": chosen,
                                "quantity": "0.002"}]
        if dice < 0.7:      # a batch that rests: all or nothing after the kill
            price = str(self.random.randrange(96000, 97000)) if self.side == BUY else str(self.random.randrange(103000,
                104000))
            return "place", [order(f"b{fresh_nonce()}", self.side, price, "0.001") for _ in range(5)]
        return "trade", [order(f"t{fresh_nonce()}", self.side, "100000", "0.001")]     # meets the others'

    def remember(self, kind, call, reply):
        if kind == "place":
            assert all(item["code"] == 0 for item in reply.data), reply
            self.resting += [item["orderID"] for item in reply.data]
        if kind == "trade":
            self.resting += [item["orderID"] for item in reply.data if item.get("status") == "NEW"]


def snapshot(client):
    """Everything that an account and the public can read, without the envelope's clock."""
    seen = {what: client.mine(what, query).data for what, query in (
        ("balances", ""), ("orders", ""), ("state", ""), ("fee-rate", ""), ("orders/history", "?limit=500"),
        ("trades", "?limit=1000"))}
    for name in ("vBTC_vUSDC", "vETH_vUSDC"):
        for what in ("orderbook?limit=1000", "trades?limit=500"):
            seen[name + what] = client.get(f"/markets/{name}/{what}").data
    seen["symbols"] = client.get("/markets/symbols").data
    return seen


def everything(clients):
    return [snapshot(client) for client in clients]


def verify(case, path, *arguments):
    """`dojima verify` passes; its state hash."""
    code, out, err = run("verify", *arguments, path, seconds=120)
    case.assertEqual(code, 0, out + err)
    for line in (out + err).splitlines():
        if re.search(r"state.?hash|state", line, re.I) and STATE_HASH.search(line):
            return STATE_HASH.search(line).group(0)
    case.fail("no state hash in " + out + err)


def holds(case, path):
    """The counts of `dojima verify`: a running exchange has a TICK each second, which changes its state hash but not
    these."""
    code, out, err = run("verify", path, seconds=120)
    case.assertEqual(code, 0, out + err)
    return re.search(r"holds +(.*)", out + err).group(1)


def copy(folder, data, name):
    path = os.path.join(folder, name)
    shutil.copytree(data, path, ignore=shutil.ignore_patterns("*.sock"))      # of a process that was killed
    return path


def segments(path):
    """The journal's segment files, oldest first (log/file/format.h)."""
    return [os.path.join(base, name) for base, _, names in sorted(os.walk(path))
            for name in sorted(names) if re.fullmatch(r"journal-\d+\.log", name)]


def batches(file):
    """(offset, bytes) of each batch of a segment."""
    with open(file, "rb") as stream:
        data = stream.read()
    return [(at, struct.unpack_from("<I", data, at + 8)[0]) for at in range(0, len(data), 4096)
            if data[at:at + 8] == b"DOJIMABT"]


class Kill(Case):
    def all_orders(self, reader):
        """Every order, open or ended, by its id. A page of `limit` orders may be shorter though more follow: it ends
        with a whole millisecond. Only an empty page behind the last order is the end."""
        orders = reader.mine("orders").data["orders"]
        known, query = {o["orderID"]: o for o in orders}, ""
        while True:
            page = reader.mine("orders/history", "?limit=500" + query).data
            if not page:
                return known
            known.update({o["orderID"]: o for o in page})
            query = f"&fromID={page[-1]['orderID']}"

    def check(self, server, clients, ledgers):
        """Compares the restarted exchange with the ledgers."""
        for client, ledger in zip(clients, ledgers):
            fresh = client.on(server)
            spot, perps = self.all_orders(fresh), self.all_orders(Perps(fresh))
            for kind, call, reply, _ in ledger.acknowledged:
                known = perps if kind.startswith("perps") else spot
                for item, answer in zip(call, reply.data):
                    if answer["code"] != 0:
                        continue
                    self.assertIn(answer["orderID"], known, f"acknowledged {kind} is gone: {answer}")
                    if kind in PLACES:
                        self.assertEqual(known[answer["orderID"]]["clOrdID"], item["clOrdID"])
                    if kind in CANCELS:
                        self.assertIn(known[answer["orderID"]]["status"], ENDED, "an acknowledged cancel was undone")
            here = {o["clOrdID"] for known in (spot, perps) for o in known.values()}
            self.assertLessEqual(here, ledger.asked, "an order that nobody asked for")
            for kind, call, *_ in ledger.refused:
                self.assertFalse(kind in PLACES and here & {item["clOrdID"] for item in call},
                                 f"refused and there: {call}")
            for kind, call, _, request in ledger.unanswered:
                there = None
                if kind in PLACES:
                    there = [item["clOrdID"] in here for item in call]
                    self.assertIn(sum(there), (0, len(there)), f"half a request survived: {call}")
                later = any(int(other[3]["X-API-Nonce"]) > int(request[3]["X-API-Nonce"])
                            for *_, other in ledger.acknowledged + ledger.unanswered)
                self.send_again(fresh, request, there, ("used", "too small") if later else ("used",))
            for *_, request in ledger.acknowledged[-3:]:
                self.send_again(fresh, request, [True], ("used",))

    def send_again(self, client, request, there, reasons):
        """A client without a reply sends the same bytes again: they run exactly once, before or now. A request of a
        life before the last one may be below every stored nonce by now (service 5 (5)): it does not run now, and then
        it may have run or not."""
        reply = client.connection.send(*request)
        self.assertIn(reply.code, (0, 40102), reply)
        reason = reply.details["reason"] if reply.code == 40102 else "used"
        self.assertIn(reason, reasons, reply)
        if reply.code == 40102 and reason == "used":
            self.assertIn("hash", reply.details, reply)
        if there is None or reason != "used":
            return
        if reply.code == 40102 and not all(there):      # it ran and left no order, so all its items were refused
            self.assertEqual(self.receipt(client, reply.details["hash"])["status"], "0x0", f"{reply} although {there}")
        else:
            self.assertEqual(reply.code == 40102, all(there), f"{reply} although {there}")

    def receipt(self, client, hash):
        """The receipt of a transaction that the log has; the history may have it a moment later."""
        body = compact({"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionReceipt", "params": [hash]})
        for _ in range(200):
            found = client.connection.send("POST", "/rpc", body, {"Content-Type": "application/json"}).json["result"]
            if found is not None:
                return found
            time.sleep(0.05)
        self.fail(f"no receipt of {hash}")
        again = client.connection.send(*request)
        self.assertEqual((again.code, again.details.get("reason")), (40102, reason), again)

    def test_kill_under_load(self):
        print(f"      (seed {SEED}; E2E_SEED={SEED} repeats it)", flush=True)
        dice = random.Random(SEED)
        rounds = 3 if INSTRUMENTED else 6
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--no-limits", data=data)
            clients = server.accounts()[:4]
            ledgers = [Ledger() for _ in clients]
            try:
                for number in range(rounds):
                    stop = threading.Event()
                    traders = [Trader(client.on(server), (BUY, SELL)[i % 2], ledgers[i], stop, SEED + number * 10 + i)
                               for i, client in enumerate(clients)]
                    for trader in traders:
                        trader.start()
                    time.sleep(dice.uniform(0.05, 1.2))
                    server.kill()
                    stop.set()
                    for trader in traders:
                        trader.join(20)
                    self.assertFalse(any(isinstance(t.error, AssertionError) for t in traders),
                                     [t.error for t in traders])
                    hash_before, held = verify(self, data), holds(self, data)
                    self.assertEqual(verify(self, data), hash_before, "a replay always ends in the same state")
                    server = Server("--no-limits", data=data)
                    if number == 0:
                        server.stop()
                        self.assertEqual(holds(self, data), held, "restart and stop change nothing")
                        server = Server("--no-limits", data=data)
                    self.check(server, clients, ledgers)
                    for ledger in ledgers:
                        ledger.unanswered.clear()
                acknowledged = sum(len(ledger.acknowledged) for ledger in ledgers)
                print(f"      ({acknowledged} acknowledged writes over {rounds} kills)", flush=True)
                self.assertGreater(acknowledged, 50)
                fills = sum(len(client.on(server).mine("trades").data) for client in clients)
                self.assertGreater(fills, 0, "the load must trade")
                self.conserved(server, clients)
            finally:
                server.kill()

    def conserved(self, server, clients):
        """No account's money grew: all accounts together hold their deposits less the fees."""
        everyone = [client.on(server) for client in clients]
        whole = server.accounts()
        for coin, least in (("vUSDC", 0), ("vBTC", 0)):
            total = sum(float(client.balance(coin)[0]) for client in whole)
            untouched = float(whole[-1].balance(coin)[0])
            self.assertLessEqual(total, untouched * len(whole) + 1e-6)
            self.assertGreater(total, untouched * len(whole) * 0.999)
        self.assertEqual(len(everyone), len(clients))

    def test_restart_keeps_everything(self):
        """Balances, orders, history, trades, nonces, schedules and block heights, after kill -9 and after a clean
        stop."""
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--no-limits", data=data)
            try:
                a, b, c, *_ = clients = server.accounts()
                self.items_ok(a.place(*[order(f"a-{i}", BUY, str(99000 + i), "0.1") for i in range(20)]))
                self.items_ok(b.place(order("b-1", SELL, "99015", "0.33")))
                self.items_ok(a.replace({"symbolID": BTC, "clOrdID": "a-rep", "origClOrdID": "a-3", "price": "98000"}))
                self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "a-5"}))
                nonce = fresh_nonce()
                signed = self.items_ok(c.place(order("c-1", BUY, "3999", "1", symbol=ETH), nonce=nonce))
                self.ok(c.schedule(int(time.time() * 1000) + 3600000))
                used = c.place(order("c-1", BUY, "3999", "1", symbol=ETH), nonce=nonce)
                self.assertEqual(used.code, 40102)
                for how in ("kill", "stop", "kill"):
                    with self.subTest(how):
                        before = everything(clients[:4])
                        self.assertIn(server.kill() if how == "kill" else server.stop(), (0, -9))
                        server = Server("--no-limits", data=data)
                        clients = [client.on(server) for client in clients]
                        a, b, c = clients[:3]
                        self.assertEqual(everything(clients[:4]), before)
                        again = c.place(order("c-1", BUY, "3999", "1", symbol=ETH), nonce=nonce)
                        self.assertEqual((again.code, again.details["reason"]), (40102, "used"))
                        self.assertIn(used.details.get("tx", used.details.get("hash", "0x")), again.raw.decode())
                # order ids, trade ids and blocks continue from there
                item, = self.items_ok(a.place(order("later", BUY, "98000", "0.1")))
                self.assertGreater(item["orderID"], signed[0]["orderID"])
                # the alias of the replaced order survived
                self.assertEqual(self.items_ok(a.cancel({"symbolID": BTC, "clOrdID": "x",
                                                         "origClOrdID": "a-rep"}))[0]["origClOrdID"], "a-3")
            finally:
                server.kill()

    def test_a_schedule_that_came_due_while_down_fires_once(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server("--no-limits", data=data)
            try:
                a = server.accounts()[0]
                self.items_ok(a.place(order("due", BUY, "96000", "0.1")))
                at = int(time.time() * 1000) + 5100
                self.ok(a.schedule(at))
                server.kill()
                time.sleep(max(0, at / 1000 + 0.3 - time.time()))
                server = Server("--no-limits", data=data)
                a = a.on(server)
                deadline = time.monotonic() + 5
                while a.open_orders() and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.assertEqual(a.open_orders(), [])
                row, = a.history()
                self.assertEqual((row["clOrdID"], row["status"]), ("due", "CANCELED"))
                self.assertGreaterEqual(row["updatedAt"], at)
                self.items_ok(a.place(order("after", BUY, "96000", "0.1")))
                time.sleep(1.5)
                self.assertEqual([o["clOrdID"] for o in a.open_orders()], ["after"])
            finally:
                server.kill()


class Disk(Case):
    def test_a_disk_that_says_no_stops_the_process_without_an_answer(self):
        """The write or the fdatasync of some batch fails: exit 74, no acknowledgement, and no acknowledged write is
        lost."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no faults can be injected")
        for call in ("fdatasync", "pwrite64"):
            with self.subTest(call), Folder() as folder:
                data, acknowledged = os.path.join(folder, "data"), []
                server = Server("--no-limits", data=data, wrapper=[
                    "strace", "-f", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when=14"])
                try:
                    a = server.accounts()[0]
                    with self.assertRaises((ConnectionError, http.client.HTTPException)):
                        for index in range(60):
                            self.items_ok(a.place(order(f"e-{index}", BUY, "96000", "0.001")))
                            acknowledged.append(f"e-{index}")
                    self.assertEqual(server.process.wait(20), 74, server.stderr())
                    self.assertIn("Input/output error", server.stderr())
                finally:
                    server.kill()
                self.assertGreater(len(acknowledged), 0)
                with Server("--no-limits", data=data) as server:
                    there = {o["clOrdID"] for o in a.on(server).open_orders()}
                    self.assertLessEqual(set(acknowledged), there)
                    self.assertLessEqual(len(there), len(acknowledged) + 1, "at most the one whose answer nobody got")


    def test_behind_a_page_that_the_disk_refused_no_history_is_kept(self):
        """One write back of the history fails: the exchange goes on, says so until its end, and the next start makes
        the history anew from the log."""
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no faults can be injected")
        with Folder() as folder:
            data = os.path.join(folder, "data")
            minutes = Minutes(folder)           # the history is gone through in 20 s
            server = Server("--no-limits", data=data, wrapper=[
                "strace", "-f", "-o", os.devnull, "-e", "trace=sync_file_range",
                "-e", "inject=sync_file_range:error=EIO:when=1", *minutes.wrapper])
            try:
                a, b = server.accounts()[:2]
                self.trade(a, b, "before")
                self.wait("the history's write back has failed", lambda: minutes.step(1) or "the disk refused a "
                          "part of the history: Input/output error" in server.stderr(), 60)
                first = server.metric("dojima_history_unkept_seconds")
                self.assertGreater(first, 0)
                self.trade(a, b, "behind")
                time.sleep(1.2)
                self.assertGreaterEqual(server.metric("dojima_history_unkept_seconds"), first + 1)
                self.assertGreater(server.metric("dojima_history_unkept_bytes"), 0)
                self.assertEqual(server.stderr().count("the disk refused"), 1, server.stderr())
                trades = a.mine("trades", "?limit=1000").data
                self.assertEqual(len(trades), 2)
                self.wait("the history is written", server.history_is_written)
            finally:
                server.kill()
            with Server("--no-limits", data=data, wrapper=minutes.wrapper) as server:
                self.assertIn("is not used (the disk did not take all that was written to it); it is made anew",
                              server.stderr())
                self.assertEqual(a.on(server).mine("trades", "?limit=1000").data, trades)
                self.wait("the disk has it", lambda: minutes.step(1)
                          or server.metric("dojima_history_unkept_seconds") == 0, 60)
            with Server("--no-limits", data=data) as server:
                self.assertNotIn("is not used", server.stderr())
                self.assertEqual(a.on(server).mine("trades", "?limit=1000").data, trades)

    def wait(self, what, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.1)

    def trade(self, a, b, name):
        self.items_ok(a.place(order(f"{name}-a", SELL, "96000", "0.001")))
        self.items_ok(b.place(order(f"{name}-b", BUY, "96000", "0.001")))

    def test_a_limit_on_the_size_of_files_is_a_disk_that_says_no(self):
        with Folder() as folder:
            data, acknowledged = os.path.join(folder, "data"), 0
            with Server("--no-limits", data=data):
                pass
            server = Server("--no-limits", data=data, wrapper=["prlimit", f"--fsize={256 << 10}"])
            try:
                a = server.accounts()[0]
                with self.assertRaises((ConnectionError, http.client.HTTPException)):
                    for index in range(400):
                        self.items_ok(a.place(order(f"l-{index}", BUY, "96000", "0.001")))
                        acknowledged += 1
                self.assertEqual(server.process.wait(20), 74, server.stderr())
                self.assertIn("File too large", server.stderr())
            finally:
                server.kill()
            self.assertGreater(acknowledged, 0)
            with Server("--no-limits", data=data) as server:
                self.assertGreaterEqual(len(a.on(server).open_orders()), min(acknowledged, 100))

    def test_it_says_once_that_a_spare_segment_has_no_room(self):
        if not shutil.which("strace"):
            self.skipTest("SKIP strace is not installed: no faults can be injected")
        with Folder() as folder:
            config = os.path.join(folder, "exchange.ini")
            with open(config, "w") as file:
                file.write(CONFIG.format(folder=folder))
            with Server("--config", config, command="serve", json_banner=False).wait_for_port():
                pass
            for name in ("ballast", "spare", "journal-00000002.log"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, "data", name))
            server = Server("--config", config, command="serve", json_banner=False, wrapper=[
                "strace", "-f", "-o", os.devnull, "-e", "trace=fallocate", "-e", "inject=fallocate:error=ENOSPC"])
            try:
                server.wait_for_port()
                time.sleep(3.5)                 # it is tried again each second
                self.assertEqual(server.stderr().count("there is no room on the disk for a spare segment"), 1,
                                 server.stderr())
            finally:
                server.kill()


def blocks(file):
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            yield block


def fingerprint(path):
    """Names, sizes and bytes of the journal files (lock and history files may differ)."""
    return {file: hash(b"".join(blocks(file))) for file in segments(path)}


if __name__ == "__main__":
    main()
