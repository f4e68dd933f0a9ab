# SPDX-License-Identifier: MIT
"""Pools of the engine are filled over HTTP and at the administration socket, and the requests of another user and of
the operator still succeed (rulings 73 to 75)."""
import contextlib
import json
import os
import re
import resource
import subprocess

from harness import BINARY, BUY, INSTRUMENTED, Case, Client, Folder, Server, Wallet, main, order, run

CONFIG = """[dojima]
listen = 127.0.0.1:0
data = {folder}/data
chainIds = 286623
allowPublicChainIds = on
accounts = 4
orders = 3
levels = 3
signers = 3
deposits = 12
keys = 1
transfers = 2
segmentMiB = 4
shadow = off
[coin vUSDC]
precision = 6
[coin vBTC]
precision = 8
[market vBTC_vUSDC]
baseCoin = vBTC
quoteCoin = vUSDC
pricePrecision = 1
tickSize = 0.1
quantityPrecision = 5
stepSize = 0.00001
listingReferencePrice = 100000
"""
ANNA, BERT, STRANGER, FOURTH, FIFTH = (Wallet("0x" + byte * 32) for byte in ("a1", "b2", "c3", "d4", "e5"))


class Places(Case):
    @contextlib.contextmanager
    def serve(self, folder):
        server = Server("--config", os.path.join(folder, "exchange.ini"), command="serve", json_banner=False)
        try:
            server.wait_for_port()
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()

    def operate(self, *words, code=0):
        done, out, err = run(words[0], "--data", self.data, *words[1:])
        self.assertEqual(done, code, (words, out, err))
        return out + err

    def limits(self):
        return {line.split()[0]: (int(line.split()[1]), int(line.split()[3]))
                for line in self.operate("limits").splitlines()}

    def opened(self, server, wallet):
        out = run("deposit", "--data", self.data, "--json", wallet.address, "vUSDC", "10000")[1]
        return Client(server, wallet, json.loads(out)["data"]["accountID"])

    def withdraw(self, client, id):
        body = {"id": id, "fromAccountID": client.id, "toAccountID": 999, "coinID": 0, "amount": "1", "type": 2}
        return client.write("POST", "/accounts/transfers", "transferAsset", body)

    def goes_on(self, client, ids):
        """Another user signs, trades, cancels and withdraws; the operator's brake answers."""
        self.items_ok(client.place(order("s", BUY, "99000", "0.001")))
        self.items_ok(client.cancel({"symbolID": 1, "clOrdID": "s"}))
        for id in ids:
            self.ok(self.withdraw(client, id))
        self.operate("mode", "cancel-only")
        self.operate("market", "vBTC_vUSDC", "halt")
        self.operate("cancel", "--all")
        self.operate("market", "vBTC_vUSDC", "trade")
        self.operate("mode", "run")

    def read_by_every_command(self):
        """All readers of a log with raises of limits."""
        for words in (("verify", self.data), ("log", self.data), ("log", "--scenario", self.data),
                      ("log", "--receipts", self.data)):
            code, out, err = run(*words)
            self.assertEqual(code, 0, (words, out[-300:], err))
        player = os.path.join(os.path.dirname(BINARY), "tests", "scenarios", "scenario_run")
        if os.path.exists(player):
            story = self.data + ".txt"
            with open(story, "w", encoding="utf-8") as file:
                file.write(run("log", "--scenario", self.data)[1])
            done = subprocess.run([player, story], capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        code, out, err = run("explain-liquidation", self.data, "1")
        self.assertNotIn("memory", err)
        self.assertIn(code, (1, 2), (out, err))                         # there was none
        self.assertIn("liquidation", err)

    def test_full_pools_keep_nobody_out_and_grow(self):
        with Folder() as folder:
            with open(os.path.join(folder, "exchange.ini"), "w") as file:
                file.write(CONFIG.format(folder=folder))
            self.data = os.path.join(folder, "data")
            with self.serve(folder) as server:
                anna, bert, stranger = (self.opened(server, wallet) for wallet in (ANNA, BERT, STRANGER))
                for id in range(1, 8):
                    self.ok(self.withdraw(anna, id))                # one account, then another: transfer ids
                    self.ok(self.withdraw(bert, id))
                self.goes_on(stranger, range(1, 6))
                self.opened(server, FOURTH)
                # accounts
                self.assertIn("42026", self.operate("deposit", FIFTH.address, "vUSDC", "1", code=1))
                for _ in range(8):
                    self.operate("deposit", ANNA.address, "vUSDC", "1")
                # ids of deposits
                self.assertIn("42026", self.operate("deposit", ANNA.address, "vUSDC", "1", code=1))
                self.assertEqual(self.limits()["deposits"], (12, 12))
                self.goes_on(stranger, range(6, 9))
                # never lower
                self.assertIn("value", self.operate("limits", "orders", "2", code=1))
                self.operate("limits", "orders", "100000001", code=1)
                self.assertIn("not the name of a pool", self.operate("limits", "places", "9", code=2))
                for pool in ("deposits", "accounts", "transfers", "orders", "levels", "keys", "signers"):
                    self.operate("limits", pool, "40")
                fifth = self.opened(server, FIFTH)
                self.items_ok(fifth.place(*(order(f"o{i}", BUY, f"{99000 + i}", "0.001") for i in range(8))))
                self.goes_on(stranger, range(9, 12))
                self.items_ok(fifth.place(*(order(f"p{i}", BUY, f"{99000 + i}", "0.001") for i in range(8))))
                before, open_orders = self.limits(), len(fifth.open_orders())
                self.assertEqual(before["deposits"], (13, 40))
                self.assertEqual(open_orders, 8)
                server.kill()
            with self.serve(folder) as server:                          # from the log
                self.assertEqual(self.limits(), before)
                self.goes_on(Client(server, STRANGER, stranger.id), range(12, 14))
            self.read_by_every_command()
            self.assertEqual(run("shadow", "--once", self.data)[0], 0)
            with self.serve(folder) as server:                          # from a snapshot behind the raises
                self.assertEqual(self.limits()["accounts"], (5, 40))
                self.goes_on(Client(server, STRANGER, stranger.id), range(14, 16))

    def address_space(self, server):
        with open(f"/proc/{server.process.pid}/status") as file:
            return int(re.search(r"VmSize:\s+(\d+) kB", file.read()).group(1)) * 1024

    def starts_only_with_memory(self, config, space):
        """A machine with less memory than the log's raises need reports which raise it was, and how much it needs."""
        code, out, err = run("serve", "--config", config,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)))
        self.assertEqual(code, 1, err)
        self.assertRegex(err, r"not enough memory: command \d+ of the log raises orders to 2000000 places, for which "
                              r"all pools need \d{9,} bytes")

    def refused_start(self, config, needs, code=1, space=None):
        limit = None if space is None else lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space))
        done, out, err = run("serve", "--config", config, preexec_fn=limit)
        self.assertEqual((done, out), (code, ""), err)
        self.assertIn(needs, err)
        self.assertEqual(space is not None, "(ulimit -v)" in err, err)
        return err

    def founded(self):
        """All files but those that every start makes; an empty folder for the history may stay."""
        return sorted({name for _, _, names in os.walk(self.data) for name in names} - {"audit.log", "lock"})

    def test_a_first_start_that_is_refused_leaves_no_log(self):
        """The next one may have other pools: nothing was begun. A log that was there before is never taken back."""
        if INSTRUMENTED:
            self.skipTest("sanitizers take the address space for themselves")
        with Folder() as folder:
            config, self.data = os.path.join(folder, "exchange.ini"), os.path.join(folder, "data")

            def configure(accounts, more=""):
                with open(config, "w") as file:
                    file.write(CONFIG.format(folder=folder).replace("accounts = 4", f"accounts = {accounts}{more}", 1))
            endless = "\nadminSocket = /" + "long" * 40
            # too little for the history, for the pools, and for the connections
            for space, needs in ((256 << 20, "not enough memory"), (3 << 30, "not enough memory")):
                configure(100000)
                self.refused_start(config, needs, space=space)
                self.assertEqual(self.founded(), [])
            configure(100000, endless)
            self.refused_start(config, "the administration socket", code=78)
            self.assertEqual(self.founded(), [])
            with open(os.path.join(self.data, "audit.log")) as file:
                self.assertEqual([json.loads(line)["event"] for line in file], 3 * ["notStarted"])
            configure(50)
            with self.serve(folder) as server:
                stranger, before = self.opened(server, STRANGER), self.limits()
                self.assertEqual(before["accounts"][1], 50)
                server.kill()
            files = self.founded()
            self.assertIn("journal-00000001.log", files)
            self.refused_start(config, "not enough memory", space=256 << 20)
            configure(50, endless)
            self.refused_start(config, "the administration socket", code=78)
            self.assertEqual(self.founded(), files)
            configure(50)
            with self.serve(folder) as server:
                self.assertEqual(self.limits(), before)
                self.goes_on(Client(server, STRANGER, stranger.id), range(1, 3))

    def test_a_raise_without_memory_is_refused_before_the_log(self):
        if INSTRUMENTED:
            self.skipTest("sanitizers take the address space for themselves")
        with Folder() as folder:
            config = os.path.join(folder, "exchange.ini")
            with open(config, "w") as file:
                file.write(CONFIG.format(folder=folder).replace("[coin", "connections = 64\n[coin", 1))
            self.data = os.path.join(folder, "data")
            with self.serve(folder) as server:
                stranger, before = self.opened(server, STRANGER), self.limits()
                space = self.address_space(server) + (512 << 20)
                resource.prlimit(server.process.pid, resource.RLIMIT_AS, (space, resource.RLIM_INFINITY))
                for pool in ("orders", "positions", "accounts"):
                    answer = self.operate("limits", pool, "100000000", code=1)
                    self.assertRegex(answer, r"refused with 42026: the machine has not enough memory .*value is "
                                             rf"100000000; needed: \d{{9,}} bytes of memory for all pools, {pool} with")
                self.assertEqual(self.limits(), before)
                self.goes_on(stranger, range(1, 3))
                self.operate("limits", "orders", "4")                   # what there is memory for
                resource.prlimit(server.process.pid, resource.RLIMIT_AS,
                                 (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                self.operate("limits", "orders", "2000000")
                before = self.limits()
                server.kill()
            self.assertEqual(run("log", self.data)[1].count('"limits"') + run("log", self.data)[1].count("RAISE_LIMIT"),
                             2, run("log", self.data)[1])
            # the start before the raise had the history's 64 GiB and the rest; a bounded one has a quarter and the rest
            self.starts_only_with_memory(config, (space - (512 << 20) - (64 << 30)) * 4 // 3)
            with self.serve(folder) as server:
                self.assertEqual(self.limits(), before)
                self.goes_on(Client(server, STRANGER, stranger.id), range(3, 5))


if __name__ == "__main__":
    main()
