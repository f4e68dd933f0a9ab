# SPDX-License-Identifier: MIT
"""The program on the command line: its output, its exit codes, and its speed."""
import contextlib
import glob
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from harness import (BINARY, BUY, INSTRUMENTED, MNEMONIC_ADDRESS, ROOT, Case, Client, Connection, Folder, Raw, Server,
                     Wallet, main, order, pools, run)

def processor_ms(pid):
    """Of all threads that exist."""
    spent = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with contextlib.suppress(OSError), open(path) as file:      # a thread that has ended since
            spent += int(file.read().split()[0])
    return spent / 1e6


SUBCOMMANDS = ("dev", "serve", "verify")
EXAMPLE = os.path.join(ROOT, "config", "example.ini")


class OneLine(Case):
    def one_line(self, text, *words):
        """An error is one clear line that names the cause."""
        lines = [line for line in text.strip().splitlines() if line.strip()]
        self.assertEqual(len(lines), 1, text)
        for word in words:
            self.assertIn(word, text)


class CommandLine(OneLine):
    def test_version(self):
        code, out, err = run("version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\b\d+\.\d+\.\d+")

    def test_help(self):
        for arguments in (["--help"], *[[name, "--help"] for name in SUBCOMMANDS + ("version",)]):
            with self.subTest(arguments):
                code, out, err = run(*arguments)
                self.assertEqual((code, err), (0, ""))
                self.assertIn("dojima", out)
        _, out, _ = run("--help")
        for name in SUBCOMMANDS + ("version",):
            self.assertIn(name, out)
        _, out, _ = run("dev", "--help")
        for flag in ("--port", "--data", "--seed", "--market", "--no-limits", "--json", "--quiet"):
            self.assertIn(flag, out)
        self.assertIn("--config", run("serve", "--help")[1])

    def test_help_of_a_command_by_either_word_order(self):
        for name in ("dev", "verify", "buy", "help", "version"):
            with self.subTest(name):
                self.assertEqual(run("help", name), run(name, "--help"))
        code, out, err = run("help", "nonsense")
        self.assertEqual((code, out), (2, ""))
        self.one_line(err, "nonsense")

    def test_missing_words_are_named(self):
        code, out, err = run("book")
        self.assertEqual((code, out), (2, ""))
        self.one_line(err, "SYMBOL")
        self.one_line(run("transfer", "1", "vUSDC")[2], "AMOUNT COIN FROM TO")

    def test_no_exchange_is_said_in_whole(self):
        code, _, err = run("markets", "--url", "http://127.0.0.1:1")
        self.assertEqual(code, 1)
        self.one_line(err, "connect to server")

    def test_every_command_is_named_to_whoever_names_none(self):
        names = re.findall(r"^  dojima (\w+) ", run("help")[1], re.MULTILINE)
        self.assertIn("staking", names)
        self.assertIn("mode", names)
        for arguments in ((), ("nonsense",)):
            code, out, err = run(*arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", err)], [], err)

    def test_what_it_does_not_understand_is_exit_2(self):
        for arguments, word in ((["--nonsense"], "--nonsense"), (["fly"], "fly"), (["dev", "--nonsense"], "nonsense"),
                                (["dev", "-q"], "q"),
                                (["dev", "--port"], "port"), (["dev", "--port", "x"], "x"),
                                (["dev", "--port", "65536"], "65536"),
                                (["dev", "--port", "-1"], "-1"), (["dev", "--seed", "x"], "x"),
                                (["dev", "stray"], "stray"),
                                (["serve"], "--config"), (["serve", "--nonsense"], "nonsense"), (["verify"], ""),
                                (["verify", "a", "b"], ""),
                                (["version", "stray"], "stray")):
            with self.subTest(arguments):
                code, out, err = run(*arguments, seconds=10)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(word, err)
                self.assertLessEqual(len(err.strip().splitlines()), 2, err)
        code, out, err = run(seconds=10)
        self.assertEqual(code, 2)
        self.assertIn("dev", out + err)

    def test_a_port_in_use_is_exit_69(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            code, out, err = run("dev", "--port", str(port), seconds=10)
        self.assertEqual((code, out), (69, ""), err)
        self.one_line(err, str(port))

    def test_a_folder_it_cannot_use(self):
        with Folder() as folder:
            file = os.path.join(folder, "file")
            open(file, "w").close()
            for path in (file, os.path.join(folder, "a", "b", "c") if os.getuid() else file, "/proc/nothing/here"):
                with self.subTest(path):
                    code, out, err = run("dev", "--port", "0", "--data", path, seconds=10)
                    self.assertNotIn(code, (0, -6, -11, 134, 139), err)
                    self.assertEqual(out, "")
                    self.one_line(err, path)
            if os.getuid():
                locked = os.path.join(folder, "locked")
                os.mkdir(locked, 0)
                code, _, err = run("dev", "--port", "0", "--data", locked, seconds=10)
                self.assertNotEqual(code, 0)
                self.one_line(err, locked)
            code, _, err = run("verify", os.path.join(folder, "absent"), seconds=10)
            self.assertNotIn(code, (0, -6, -11), err)
            self.one_line(err, "absent")

    def test_output_that_is_lost_is_exit_74(self):
        """Standard output on a full disk: no command ends as if it had been read, and dev does not run on unseen."""
        _, listed, _ = run("help")
        names = re.findall(r"^  dojima ([a-z-]+) ", listed, re.MULTILINE)
        self.assertGreater(len(names), 50)
        words = [(name, "--help") for name in names] + [("--help",), ("help", "dev"), ("version",), ("--version",)]
        words += [("dev", "--port", "0", *more) for more in (("--json",), ())]
        with open("/dev/full", "wb") as full:
            for line in words:
                with self.subTest(line):
                    done = subprocess.run([BINARY, *line], stdin=subprocess.DEVNULL, stdout=full,
                                          stderr=subprocess.PIPE, timeout=20, cwd=ROOT, check=False)
                    self.assertEqual(done.returncode, 74, done.stderr)
                    self.assertIn("the output cannot be written", done.stderr.decode())

    def test_the_json_banner(self):
        with Server() as server:
            banner = server.banner
            self.assertEqual(set(banner), {"url", "spot", "perps", "rpc", "ws", "data", "historyMinutes",
                                           "chainIds", "accounts"})
            self.assertRegex(banner["url"], r"^http://127\.0\.0\.1:\d+$")
            self.assertEqual(banner["spot"], banner["url"] + "/api/v1/spot")
            self.assertEqual(banner["perps"], banner["url"] + "/api/v1/perps")
            self.assertEqual(banner["rpc"], banner["url"] + "/rpc")
            self.assertTrue(os.path.isdir(banner["data"]))
            self.assertEqual(banner["chainIds"], [286623, 138565])
            self.assertEqual(banner["ws"], banner["url"].replace("http", "ws") + "/ws")
            self.assertGreaterEqual(len(banner["accounts"]), 10)
            self.assertEqual(banner["accounts"][0]["address"].lower(), MNEMONIC_ADDRESS)
            for index, account in enumerate(banner["accounts"]):
                self.assertEqual(set(account), {"accountID", "address", "privateKey"})
                self.assertEqual(account["accountID"], 1001 + index)
                self.assertRegex(account["privateKey"], "^0x[0-9a-f]{64}$")
                self.assertEqual(Wallet(account["privateKey"]).address, account["address"].lower())
            # ready means ready
            self.assertEqual(Connection(server.port).send("GET", "/readyz").status, 200)

    def test_the_banner_for_people(self):
        server = Server(json_banner=False)
        try:
            text, deadline = "", time.monotonic() + 10
            while "/api/v1/spot" not in text and time.monotonic() < deadline:
                text += server.read_line(5)
            os.set_blocking(server.process.stdout.fileno(), False)
            time.sleep(0.3)
            text += (server.process.stdout.read() or b"").decode()
        finally:
            code = server.stop()
        self.assertEqual(code, 0, server.stderr())
        for word in ("dojima", "test test test test test test test test test test test junk", "1001",
                     MNEMONIC_ADDRESS[2:6],
                     "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", "286623", "138565",
                     "vBTC_vUSDC", "vETH_vUSDC", "BTC-USD",
                     "curl", "/api/v1/perps", "/rpc", "/docs", "perps"):
            self.assertIn(word.lower(), text.lower())
        for later in ("web terminal", "--dev", "sodex"):
            self.assertNotIn(later, text, "only what works today")

    def test_quiet_prints_nothing(self):
        # a sanitizer's build has none, which is a warning
        server = Server("--quiet", *(["--no-sandbox"] if INSTRUMENTED else []), json_banner=False)
        time.sleep(0.5)
        self.assertIsNone(server.process.poll(), server.stderr())
        self.assertEqual(server.stop(), 0)
        self.assertEqual((server.process.stdout.closed, server.stderr()), (True, ""))

    def test_control_c_ends_cleanly_and_leaves_no_folder(self):
        with Folder() as folder:
            environment = {**os.environ, "TMPDIR": folder}
            for number in (signal.SIGINT, signal.SIGTERM):
                process = subprocess.Popen([BINARY, "dev", "--port", "0", "--json"], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, env=environment)
                try:
                    banner = json.loads(process.stdout.readline())
                    self.assertEqual(len(os.listdir(folder)), 1, "the state lives in a temporary folder")
                    mode = os.stat(os.path.join(folder, os.listdir(folder)[0])).st_mode
                    self.assertEqual(stat.S_IMODE(mode), 0o700)
                    busy = Raw(int(banner["url"].rsplit(":", 1)[1]))           # an open connection does not delay it
                    busy.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").reply()
                    began = time.monotonic()
                    process.send_signal(number)
                    self.assertEqual(process.wait(10), 0, process.stderr.read())
                    self.assertLess(time.monotonic() - began, 5)
                    self.assertEqual(os.listdir(folder), [])
                    busy.close()
                finally:
                    process.kill()
                    process.wait()
                    process.stdout.close()
                    process.stderr.close()

    def test_it_stops_when_standard_input_ends(self):
        """Also when the program that started it was killed: nothing runs on, and no folder stays."""
        parent = ("import subprocess, sys\nchild = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
                  "child.wait()\n")
        with Folder() as folder:
            process = subprocess.Popen(
                [sys.executable, "-c", parent, BINARY, "dev", "--port", "0", "--json", "--until-stdin-closes"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder})
            with process.stdout:
                self.assertIn(b"url", process.stdout.readline())
                self.assertEqual(len(os.listdir(folder)), 1)
                process.kill()
                process.wait()
                self.assertEqual(process.stdout.read(), b"")                    # ends when the exchange has ended
            self.assertEqual(os.listdir(folder), [])
            code, _, err = run("dev", "--port", "0", "--until-stdin-closes", "--quiet", seconds=30)
            self.assertEqual(code, 0, err)                                      # here it has no bytes at all

    def test_a_data_folder_stays_and_can_be_in_use_once(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data) as server:
                account = server.accounts()[0]
                self.items_ok(account.place(order("stays", BUY, "96000", "0.1")))
                code, out, err = run("dev", "--port", "0", "--data", data, seconds=10)
                self.assertEqual((code, out), (69, ""), err)
                self.one_line(err, data)
                code, _, err = run("verify", data, seconds=10)
                self.assertEqual(code, 69, err)
                self.one_line(err, data)
                self.assertEqual([o["clOrdID"] for o in account.open_orders()], ["stays"])
            with Server(data=data) as server:
                account = server.accounts()[0]
                self.assertEqual([o["clOrdID"] for o in account.open_orders()], ["stays"])
            code, out, err = run("verify", data)
            self.assertEqual(code, 0, err)
            self.assertRegex(out + err, r"0x[0-9a-f]{64}")

    def test_sign_makes_the_headers_of_a_write(self):
        """The banner's suggestion: sign on the command line, send with any HTTP client."""
        body = ('{"accountID":1001,"orders":[{"symbolID":1,"clOrdID":"by-hand","side":1,"type":1,"timeInForce":1,'
                '"price":"96000","quantity":"0.1"}]}')
        with Server() as server:
            code, out, err = run("sign", "--account", "1001", "spot", "batchNewOrder", body)
            self.assertEqual((code, err), (0, ""))
            headers = dict(line.split(": ", 1) for line in out.strip().splitlines())
            account = server.accounts()[0]
            self.assertEqual(account.wallet.sign("batchNewOrder", body.encode(), int(headers["X-API-Nonce"])),
                             headers["X-API-Sign"])
            reply = account.connection.send("POST", "/api/v1/spot/trade/orders/batch", body, headers)
            self.items_ok(reply)
        begins = (("--timestamp", "1767571200"), ("--timestamp", "2050000000"), ())
        for words, leap in [(words, leap) for words in begins for leap in (0, 9 * 86400)]:
            with self.subTest(words=words, leap=leap), Server(*words) as server:    # --url asks it for its time
                account = server.accounts()[0]
                if leap != 0:
                    rpc = {"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime", "params": [leap]}
                    self.assertIn(b"result", account.connection.send("POST", "/rpc", json.dumps(rpc)).raw)
                for more, code in ([], 40102 if words else 0), (["--url", f"http://127.0.0.1:{server.port}"], 0):
                    ended, out, err = run("sign", "--account", "1001", *more, "spot", "batchNewOrder", body)
                    self.assertEqual((ended, err), (0, ""))
                    headers = dict(line.split(": ", 1) for line in out.strip().splitlines())
                    reply = account.connection.send("POST", "/api/v1/spot/trade/orders/batch", body, headers)
                    self.assertEqual(json.loads(reply.raw)["code"], code, reply.raw)
        code, out, err = run("sign", "--account", "1001", "--url", f"http://127.0.0.1:{server.port}", "spot",
                             "batchNewOrder", body)
        self.assertEqual((code, out), (1, ""), "nobody answers there any more")
        self.one_line(err)
        for arguments in (["--account", "1011", "spot", "batchNewOrder", body],
                          ["--account", "1001", "moon", "batchNewOrder", body],
                          ["--account", "1001", "spot", "batchNewOrder", "{"], ["--account", "1001", "spot"],
                          ["spot", "batchNewOrder", body], ["--account", "1001", "spot", "batchNewOrders", body],
                          ["--account", "1001", "futures", "batchNewOrder", body],
                          ["--account", "1001", "universal", "batchNewOrder", body],
                          ["--account", "1001", "spot", "newOrder", body], ["--account", "1001", "spot", "tick", body],
                          ["--account", "1001", "--typed", "AddAPIKey", "spot", "batchNewOrder", body]):
            with self.subTest(arguments):
                code, out, err = run("sign", *arguments)
                self.assertEqual((code, out), (2, ""), err)
                self.one_line(err)
        for domain, action in (("spot", "transferAsset"), ("futures", "transferAsset"), ("universal", "revokeAPIKey"),
                               ("spot", "revokeAPIKey"), ("futures", "scheduleCancel"), ("futures", "newOrder")):
            self.assertEqual(run("sign", "--account", "1001", domain, action, "{}")[0], 0, (domain, action))

    def test_the_same_seed_gives_the_same_exchange(self):
        symbols = []
        for _ in range(2):
            with Server("--seed", "7", "--market", "none", "--no-limits") as server:
                symbols.append((server.accounts()[0].get("/markets/symbols").data, server.banner["accounts"]))
        self.assertEqual(*symbols)

    def test_it_is_there_within_100_ms(self):
        """From the start of the process to its banner, on an empty folder. The bound is on the processor time of the
        best of several tries: other programs may run meanwhile. By the clock it is `./bench start`."""
        times, spent = [], []
        for _ in range(8):
            with Server() as server:
                spent.append(processor_ms(server.process.pid))
                times.append(server.ready_seconds * 1000)
        print(f"      (banner after {min(times):.0f} ms at best, {min(spent):.0f} ms of processor time)", flush=True)
        self.assertGreater(min(spent), 0)
        if not INSTRUMENTED:
            self.assertLess(min(spent), 100)


class Serve(OneLine):
    def example(self, folder, replace=(), sizes=pools()):
        with open(EXAMPLE) as file:
            text = file.read().replace("[dojima]\n", "[dojima]\n" + sizes, 1)
        for pattern, value in [(r"(?m)^\s*;?\s*listen\s*=.*$", "listen = 127.0.0.1:0"),
                               (r"(?m)^\s*;?\s*data\s*=.*$", f"data = {os.path.join(folder, 'data')}"), *replace]:
            text, count = re.subn(pattern, value, text, count=1)
            self.assertEqual(count, 1, f"{pattern} is not in {EXAMPLE}")
        path = os.path.join(folder, "dojima.ini")
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_a_first_start_without_memory_begins_no_log(self):
        """The next one, with smaller pools, is a first start as well."""
        with Folder() as folder:
            big = self.example(folder, sizes="accounts = 100000000\norders = 100000000\n")
            code, out, err = run("serve", "--config", big)
            self.assertEqual((code, out), (1, ""), err)
            self.one_line(err, "not enough memory", "the pools of the configuration")
            data = os.path.join(folder, "data")
            self.assertFalse([name for name in os.listdir(data) if name.startswith("journal-")]
                             if os.path.exists(data) else [])
            server = Server("--config", self.example(folder), command="serve", json_banner=False)
            try:
                self.find_port(server)
            finally:
                self.assertEqual(server.stop(), 0)

    def test_the_example_serves(self):
        with Folder() as folder:
            server = Server("--config", self.example(folder, sizes=""), command="serve", json_banner=False)
            try:
                port = self.find_port(server)
                reply = Connection(port).send("GET", "/api/v1/spot/markets/symbols")
                self.assertGreaterEqual(len(self.ok(reply)), 1)
            finally:
                code = server.stop()
            self.assertEqual(code, 0, server.stderr())

    def test_a_venue_of_ones_own(self):
        """Own chain id, funded account, no details for strangers, JSON lines without secrets in the log."""
        wallet = Wallet("0x" + "11" * 32)
        with Folder() as folder:
            path = self.example(folder)
            with open(path, "a") as file:
                file.write(f"\n[account {wallet.address}]\nvUSDC = 5000\n")
            server = Server("--config", path, command="serve", json_banner=False)
            try:
                server.port = self.find_port(server)
                a = Client(server, wallet, 1001)
                self.assertEqual(a.balance("vUSDC"), ("5000", "0"))
                for chain in (286623, 138565, 1):
                    reply = a.place(order("x", BUY, "96000", "0.01"), chain_id=chain)
                    self.refused(reply, 40101, "X-API-Sign is invalid")
                    for explained in ("digest", "hashed", "recovered", "cause"):
                        self.assertNotIn(explained, reply.json.get("details", {}), "only development mode explains")
                self.items_ok(a.place(order("x", BUY, "96000", "0.01"), chain_id=77001))
                unknown = Wallet("0x" + "22" * 32)
                reply = Client(server, unknown, 1001).place(order("x", BUY, "96000", "0.01"), chain_id=77001)
                self.refused(reply, 40101, "X-API-Sign is invalid")
                server.kill()
                server = Server("--config", path, command="serve", json_banner=False)
                server.port = self.find_port(server)
                self.assertEqual([o["clOrdID"] for o in a.on(server).open_orders()], ["x"])
                self.assertEqual(a.on(server).balance("vUSDC"), ("5000", "960"))
            finally:
                server.stop()
            lines = [line for line in server.stderr().splitlines() if line]
            self.assertTrue(lines)
            for line in lines:
                self.assertIn("message", json.loads(line), "JSON lines where there is no terminal")
            # another genesis than the one the folder was made with is not silently ignored or mixed in
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("vUSDC = 5000", "vUSDC = 6000"))
            server = Server("--config", path, command="serve", json_banner=False)
            try:
                server.process.wait(3)
            except subprocess.TimeoutExpired:
                server.port = self.find_port(server)
                self.assertEqual(a.on(server).balance("vUSDC")[0], "5000", "the folder's genesis holds")
                self.assertRegex(server.stderr().lower(), "genesis|configuration", "and the difference is told")
            finally:
                server.kill()

    def test_perps_without_feeders_must_be_meant(self):
        with Folder() as folder:
            path = self.example(folder)
            with open(path) as file:
                text = file.read()
            self.assertIn("bootstrap = on", text)
            with open(path, "w") as file:
                file.write(text.replace("bootstrap = on", "bootstrap = off"))
            code, out, err = run("serve", "--config", path)
            self.assertEqual((code, out), (78, ""))
            self.assertIn("no [feeder] that posts their index prices", err)
            self.assertIn("bootstrap = on", err)
            self.assertEqual(os.listdir(folder), [os.path.basename(path)], "nothing was founded")
            with open(path, "w") as file:
                file.write(text.replace("bootstrap = on", "bootstrap = off") + "\n[feeder 0x" + "11" * 20 + "]\n")
            server = Server("--config", path, command="serve", json_banner=False).wait_for_port()
            server.stop()

    def test_public_chain_ids_need_a_word(self):
        with Folder() as folder:
            path = self.example(folder, [(r"(?m)^chainIds\s*=.*$", "chainIds = 286623")])
            code, out, err = run("serve", "--config", path, seconds=10)
            self.assertEqual((code, out), (78, ""), err)
            self.one_line(err, "286623", "allowPublicChainIds")
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("chainIds = 286623", "chainIds = 286623\nallowPublicChainIds = on"))
            server = Server("--config", path, command="serve", json_banner=False)
            self.find_port(server)
            self.assertEqual(server.stop(), 0)

    def find_port(self, server):
        """The address is in the first lines that are logged."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and server.process.poll() is None:
            found = re.search(r"127\.0\.0\.1:(\d+)", server.stderr())
            if found and found.group(1) != "0":
                return int(found.group(1))
            time.sleep(0.02)
        self.fail(f"no address in {server.stderr()!r}")

    def test_what_is_wrong_in_a_configuration_is_exit_78(self):
        with Folder() as folder:
            path = self.example(folder)
            with open(path) as file:
                good = file.read()
            for name, text, words in (("unknown key", good.replace("listen", "colour = red\nlisten", 1), ["colour"]),
                                      ("unknown section", good + "\n[weather]\nsun = 1\n", ["weather"]),
                                      ("no section", "colour = red\n" + good, ["colour"]),
                                      ("no tick size", re.sub(r"(?m)^tickSize = 0.1$", "", good, count=1),
                                       ["tickSize"]),
                                      ("not a number", good.replace("precision = 6", "precision = six", 1), ["six"]),
                                      ("unknown coin", good.replace("quoteCoin = vUSDC", "quoteCoin = vDOGE", 1),
                                       ["vDOGE"]),
                                      ("a key twice", good.replace("precision = 6", "precision = 6\nprecision = 6", 1),
                                       ["precision"]),
                                      ("a rebate above the fee", good.replace("takerFee = 0.00065",
                                          "takerFee = 0.00001\nfeeDiscount = 2", 1), []),
                                      ("not INI", "[[[\n" + good, []), ("nothing in it", "", [])):
                with self.subTest(name):
                    with open(path, "w") as file:
                        file.write(text)
                    code, out, err = run("serve", "--config", path, seconds=10)
                    self.assertEqual((code, out), (78, ""), err)
                    self.one_line(err, *words)
            code, _, err = run("serve", "--config", os.path.join(folder, "absent.ini"), seconds=10)
            self.assertEqual(code, 78, err)
            self.one_line(err, "absent.ini")


if __name__ == "__main__":
    main()
