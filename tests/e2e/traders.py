# SPDX-License-Identifier: MIT
"""The command line as a client: markets, orders, keys and keystores, against an exchange at a URL."""
import contextlib
import fcntl
import http.server
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

from harness import BINARY, BUY, Case, Folder, Perps, Server, Wallet, action_digest, main, perps_order, run

DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
OWN_KEY = "0x" + "42" * 32
PASSWORD = "testpassword"                   # of the vectors of Web3 Secret Storage

# The two test vectors of the definition of Web3 Secret Storage, version 3.
VECTORS = {
    "pbkdf2": {"crypto": {
        "cipher": "aes-128-ctr", "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
        "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46", "kdf": "pbkdf2",
        "kdfparams": {"c": 262144, "dklen": 32, "prf": "hmac-sha256",
                      "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},
        "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"}, "version": 3},
    "scrypt": {"crypto": {
        "cipher": "aes-128-ctr", "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
        "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c", "kdf": "scrypt",
        "kdfparams": {"dklen": 32, "n": 262144, "p": 8, "r": 1,
                      "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
        "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"}, "version": 3}}
VECTOR_KEY = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d"


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOJIMA_")}
    return {**kept, **more}


class Traders(Case):
    def setUp(self):
        self.folder = Folder()
        self.path = self.folder.__enter__()
        self.addCleanup(self.folder.__exit__)
        self.environment = clean_environment(DOJIMA_KEYS=os.path.join(self.path, "keys"))

    def serve(self):
        server = Server()
        self.addCleanup(server.stop)
        self.environment["DOJIMA_URL"] = server.banner["url"]
        return server

    def do(self, *words, code=0, **environment):
        done, out, err = run(*words, env={**self.environment, **environment})
        self.assertEqual(done, code, (words, out, err))
        return out if code == 0 else err

    def json(self, *words, code=0, **environment):
        done, out, err = run(*words, "--json", env={**self.environment, **environment})
        self.assertEqual((done, len(out.splitlines())), (code, 1), (words, out, err))
        return json.loads(out)

    def refused(self, *words, needs, code=1, **environment):
        """One line that names the cause, nothing on standard output."""
        done, out, err = run(*words, env={**self.environment, **environment})
        self.assertEqual((done, out, len(err.splitlines())), (code, "", 1), (words, out, err))
        for need in needs:
            self.assertIn(need, err)
        return err

    def file(self, name, text, mode=0o600):
        path = os.path.join(self.path, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


class Trading(Traders):
    def test_the_first_run_needs_no_option(self):
        self.serve()
        self.assertRegex(self.do("markets"), r"BTC-USD +perps")
        self.assertRegex(self.do("balances"), r"vUSDC +spot +1000000 +0\n")
        self.assertIn("There are no open positions.", self.do("positions"))
        self.assertRegex(self.do("buy", "0.01", "BTC-USD", "@", "90000"), r"^order \d+ NEW  \(cli-[0-9a-f]{16}\)\n$")
        self.assertRegex(self.do("orders"), r"BTC-USD +BUY +LIMIT +90000 +0.01 +0 +NEW +GTC")
        self.assertNotIn("\x1b", self.do("orders"), "no colours where there is no terminal")

    def test_an_order_trades_and_makes_a_position(self):
        self.serve()
        self.do("sell", "0.02", "btc-usd", "@100000", "--account", "1002", "--post-only")
        rows = self.json("buy", "0.01", "BTC-USD", "market", "--client-id", "mine")
        self.assertEqual((rows["outcome"], rows["code"], rows["data"][0]["status"]), ("done", 0, "FILLED"))
        self.assertRegex(rows["tx"], "^0x[0-9a-f]{64}$")
        self.assertGreater(rows["block"], 0)
        self.assertEqual(self.json("positions")["positions"][0]["size"], "0.01")
        self.assertRegex(self.do("positions"), r"BTC-USD +LONG +0.01 +100000")
        self.assertRegex(self.do("trades", "--mine"), r"BTC-USD +BUY +100000 +0.01")
        self.assertRegex(self.do("trades", "BTC-USD"), r"BTC-USD +BUY +100000 +0.01")
        self.assertEqual(self.json("book", "BTC-USD")["asks"], [["100000", "0.01"]])
        self.do("sell", "0.01", "BTC-USD", "@", "99000", "--reduce-only")
        self.assertEqual(self.json("orders", "--history")["perps"][0]["clOrdID"], "mine")

    def test_spot_by_funds_and_by_size(self):
        self.serve()
        self.do("sell", "1", "vBTC_vUSDC", "@", "100000", "--account", "1002")
        self.do("buy", "--funds", "250", "BTC/USDC", "market")
        self.do("buy", "0.01", "vBTC_vUSDC", "@", "100000", "--ioc")
        self.refused("buy", "0.01", "vBTC_vUSDC", "@", "100000", "--post-only",
                     needs=("post-only order would cross", "42007", "price"))
        self.refused("buy", "0.01", "vBTC_vUSDC", "@", "90000", "--reduce-only", needs=("perps",), code=2)

    def test_a_bracket_its_changes_and_cancels(self):
        self.serve()
        out = self.do("bracket", "buy", "0.01", "BTC-USD", "@", "95000", "--tp", "110000", "--sl", "90000",
                      "--client-id", "one")
        self.assertEqual(re.findall(r"\((.*)\)", out), ["one", "one-tp", "one-sl"])
        self.do("replace", "one", "@", "94000", "--size", "0.02")
        self.do("replace", "one-tp", "--stop", "111000")
        rows = {row["clOrdID"]: row for row in self.json("orders")["perps"]["orders"]}
        self.assertEqual((rows["one"]["price"], rows["one"]["origQty"], rows["one-tp"]["stopPrice"]),
                         ("94000", "0.02", "111000"))
        self.do("buy", "0.01", "vBTC_vUSDC", "@", "90000")
        self.do("cancel", str(rows["one-sl"]["orderID"]))
        outcomes = self.json("cancel", "--all")
        self.assertEqual([one["outcome"] for one in outcomes], ["done", "done"])
        self.assertEqual(self.json("cancel", "--all"), [])
        self.assertEqual(self.json("orders")["perps"]["orders"], [])
        self.refused("cancel", "one", needs=('no open order "one"',))
        self.refused("replace", "one", "@", "1", needs=('no open order "one"',))
        self.refused("bracket", "buy", "0.01", "BTC-USD", "market", "--sl", "9", needs=("--tp",), code=2)

    def test_a_stop_moves_by_its_trigger_alone(self):
        """The price of a MARKET stop is the worst one it takes: beyond the trigger it would fire and sell nothing."""
        self.serve()
        self.do("sell", "0.02", "BTC-USD", "@", "100000", "--account", "1002")
        self.do("buy", "0.01", "BTC-USD", "market", "--tp", "105000", "--sl", "97000", "--client-id", "one")
        shown = self.do("orders")
        self.assertRegex(shown, r"TYPE +PRICE +STOP +SIZE")
        self.assertRegex(shown, r"STOP_LOSS +97000 +0.01")
        for words in (("@", "98500"), ("@98500",), ("@", "96000")):
            self.refused("replace", "one-sl", *words, needs=("MARKET stop", "--stop moves the trigger"), code=2)
        self.refused("replace", "one-sl", "--price", "97000.5", needs=("97000.5", "--stop moves"), code=2)
        self.assertNotIn("price", self.json("orders")["perps"]["orders"][0], "nothing was sent")
        self.do("replace", "one-sl", "--price", "96000")
        self.assertRegex(self.do("orders"), r"STOP_LOSS +96000 +97000 +0.01")
        self.refused("replace", "one-sl", "--stop", "95999.9", needs=("would fire at 95999.9", "96000"), code=2)
        self.do("replace", "one-sl", "--stop", "98500", "--price", "98500")
        self.assertRegex(self.do("orders"), r"STOP_LOSS +98500 +98500 +0.01")

    def test_money_moves_between_the_sides(self):
        self.serve()
        self.assertIn("moved, transfer 7\n", self.do("transfer", "10.5", "vUSDC", "spot", "perps", "--id", "7"))
        self.do("transfer", "10.5", "vUSDC", "spot", "perps", "--id", "7")
        self.assertEqual(self.json("balances")["perps"]["balances"][0]["total"], "1000010.5",
                         "the same again moves nothing again")
        self.refused("transfer", "1", "vUSDC", "perps", "evm", needs=("spot to evm",), code=2)
        self.refused("transfer", "1", "vX", "spot", "perps", needs=('"vX"',))

    def test_env_for_a_shell_a_file_and_programs(self):
        server = self.serve()
        shell = subprocess.run(["sh", "-c", f'eval "$({BINARY} env)"; echo "$DOJIMA_WS_URL $DOJIMA_KEY"'],
                               env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(shell.stdout, f"ws://127.0.0.1:{server.port}/ws {DEVELOPMENT_KEY}\n")
        values = self.json("env", "--account", "1002")
        self.assertEqual((values["DOJIMA_ACCOUNT"], values["DOJIMA_CHAIN_ID"]), ("1002", "286623"))
        self.assertIn(f"DOJIMA_URL={server.banner['url']}\n", self.do("env", "--dotenv"))
        self.assertNotIn("DOJIMA_KEY", self.do("env", DOJIMA_KEY=OWN_KEY), "a key that is not public stays where it is")
        again = self.do("buy", "0.01", "BTC-USD", "@", "90000", **self.json("env", "--account", "1003"))
        self.assertIn("NEW", again)
        self.assertEqual(len(self.json("orders", "--account", "1003")["perps"]["orders"]), 1)
        self.environment.update(self.json("env"))
        self.assertEqual(len(self.json("orders", "--account", "1003")["perps"]["orders"]), 1, "an option comes first")
        self.do("cancel", "--all", "--account", "1003")
        self.assertEqual(self.json("orders", "--account", "1003")["perps"]["orders"], [])

    def test_a_dry_run_signs_and_sends_nothing(self):
        self.serve()
        shown = self.json("buy", "0.01", "BTC-USD", "@", "90000", "--dry-run", "--client-id", "dry")
        self.assertEqual(self.json("orders")["perps"]["orders"], [])
        headers, body = shown["headers"], shown["body"].encode()
        nonce = int(headers["X-API-Nonce"])
        digest = action_digest(b'{"type":"newOrder","params":' + body + b"}", nonce, "futures")
        self.assertEqual(shown["digest"], "0x" + digest.hex())
        self.assertEqual(shown["typedData"]["message"]["nonce"], nonce)
        self.assertEqual(headers["X-API-Sign"], Wallet(DEVELOPMENT_KEY).sign("newOrder", body, nonce, "futures"))
        text = self.do("cancel", "--all", "--dry-run")
        self.assertIn("There are no open orders.", text)
        self.assertIn("Nothing was sent.", self.do("transfer", "1", "vUSDC", "spot", "perps", "--dry-run"))

    def test_a_lost_reply_is_asked_for_until_the_outcome_is_known(self):
        server = self.serve()
        fault = ("chaos", "--url", server.banner["url"], "--path", "orders", "--method", "POST", "--count", "1")
        for kind, outcome in (("drop-reply", "done-before"), ("reset-before", "done")):
            with self.subTest(kind):
                self.do(*fault, kind)
                done, out, err = run("buy", "0.01", "BTC-USD", "@", "90000", "--client-id", kind, "--json",
                                     env=self.environment)
                self.assertEqual((done, json.loads(out)["outcome"]), (0, outcome), (out, err))
                self.assertIn("asking again with the same nonce", err)
                rows = self.json("orders")["perps"]["orders"]
                self.assertEqual([row["clOrdID"] for row in rows].count(kind), 1)

    def test_the_clock_of_the_exchange_decides(self):
        server = Server("--clock", "0", "--timestamp", "1890000000")
        self.addCleanup(server.stop)
        self.environment["DOJIMA_URL"] = server.banner["url"]
        self.assertIn("NEW", self.do("buy", "0.01", "BTC-USD", "@", "90000"))

    def test_a_clock_that_stands_is_no_hindrance(self):
        """Each command finds a nonce above those of the ones before, and above those that a bot has used."""
        server = Server("--clock", "0", "--timestamp", "1767571200")
        self.addCleanup(server.stop)
        self.environment["DOJIMA_URL"] = server.banner["url"]
        for _ in range(12):
            self.assertIn("NEW", self.do("buy", "0.01", "BTC-USD", "@", "99000"))
        bot = Perps(server.accounts()[1])
        for nonce in range(1767571200000, 1767571200130):
            self.items_ok(bot.place(perps_order(f"o{nonce}", BUY, "99000", "0.001"), nonce=nonce))
        for _ in range(3):
            self.assertIn("NEW", self.do("buy", "0.01", "BTC-USD", "@", "99000", "--account", "1002"))


class OnATerminal(Traders):
    """A screen of its own, which is gone when the program ends, however it is told to."""

    def start(self, *words):
        child, terminal = pty.fork()
        if child == 0:
            os.execve(BINARY, [BINARY, *words], {**self.environment, "TERM": "xterm"})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 100, 0, 0))
        self.addCleanup(os.close, terminal)
        return child, terminal

    def read_until(self, terminal, *needs, seen=b""):
        deadline = time.monotonic() + 60
        while not all(need in seen for need in needs):
            self.assertLess(time.monotonic(), deadline, seen[-2000:])
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 65536)
                except OSError:                                 # the other end is closed
                    self.assertTrue(all(need in seen for need in needs), (needs, seen[-2000:]))
        return seen

    def end(self, child, terminal, how):
        before = termios.tcgetattr(terminal)
        os.write(terminal, how) if isinstance(how, bytes) else os.kill(child, how)
        self.read_until(terminal, b"\x1b[?25h\x1b[?1049l")
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        self.assertFalse(before[3] & termios.ECHO, "keys are not shown while it runs")
        self.assertTrue(termios.tcgetattr(terminal)[3] & termios.ECHO)

    def test_prices_are_live_and_the_screen_is_restored(self):
        self.serve()
        self.do("sell", "0.02", "BTC-USD", "@", "100000", "--account", "1002")
        child, terminal = self.start("watch")
        seen = self.read_until(terminal, b"\x1b[?1049h", b"SYMBOL", b"BTC-USD", b"q quits", b"live")
        self.assertIn(b"FUNDING", seen)
        self.do("buy", "0.01", "BTC-USD", "@", "100000")
        self.do("sell", "0.01", "BTC-USD", "@", "99001.5")
        seen = self.read_until(terminal, b"99001.5")
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 30, 0, 0))
        deadline, frames = time.monotonic() + 60, [b"FUNDING"]
        while not frames or any(b"FUNDING" in frame for frame in frames):      # only what fits
            self.assertLess(time.monotonic(), deadline, seen[-2000:])
            seen = self.read_until(terminal, b"\x1b[J")
            frames = re.findall(rb"\x1b\[H(.*?)\x1b\[J", seen, re.DOTALL)
        self.end(child, terminal, b"q")

    def test_a_book_and_the_ends_by_signals(self):
        self.serve()
        self.do("sell", "0.02", "BTC-USD", "@", "100000", "--account", "1002")
        for how in (b"\x03", signal.SIGTERM):
            child, terminal = self.start("watch", "btc-usd")
            self.read_until(terminal, b"BUY", b"100000", b"live")
            self.end(child, terminal, how)

    def test_colours_and_their_refusal(self):
        self.serve()
        self.do("buy", "0.01", "BTC-USD", "@", "90000")
        for more, coloured in (((), True), (("NO_COLOR",), False)):
            self.environment.update({name: "1" for name in more})
            child, terminal = self.start("orders")
            seen = self.read_until(terminal, b"CLIENT ID", b"cli-")
            self.assertEqual(b"\x1b[32mBUY" in seen, coloured)
            os.waitpid(child, 0)

    def test_watch_without_a_terminal(self):
        self.serve()
        self.refused("watch", needs=("no terminal", "--json"), code=2)
        self.refused("watch", "NOPE", "--json", needs=('"NOPE"',))
        process = subprocess.Popen([BINARY, "watch", "BTC-USD", "--json"], env=self.environment,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        line = json.loads(process.stdout.readline())
        self.assertIn(line["channel"], ("l2Book", "trade"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 0)


class Mistakes(Traders):
    def test_a_refusal_says_its_rule(self):
        """What was got is not always the field itself: decimals, or the value of an order."""
        self.serve()
        for words, needs in (
                (("transfer", "0.0000001", "vUSDC", "spot", "perps"), ("amount is invalid (code 42202, amount): ",
                                                                       "as many decimals as the coin")),
                (("buy", "0.001", "BTC/USDC", "@", "99999.11"), ("pricePrecision decimals", "got 99999.11; needed: 1")),
                (("buy", "0.00001", "BTC/USDC", "@", "99999"), ("at least minNotional", "needed: 5"))):
            with self.subTest(words):
                self.assertNotIn(" is 0", self.refused(*words, needs=needs))

    def test_words_that_are_not_understood(self):
        for words, need in ((("buy", "0.01", "BTC-USD"), "market"), (("buy", "BTC-USD"), "size"),
                            (("buy", "1e5", "BTC-USD", "market"), "1e5"), (("buy", "-1", "X", "market"), "-1"),
                            (("buy", "1", "X", "market", "--funds", "9"), "SIZE is left out: buy --funds 9 SYMBOL"),
                            (("sell", "0", "X", "market"), '"0"'), (("buy", "1", "X", "at", "5"), '"at"'),
                            (("buy", "1", "X", "@", "5", "--price", "6"), "twice"),
                            (("buy", "1", "X", "market", "--post-only"), "post-only"),
                            (("buy", "1", "X", "@", "1", "--ioc", "--post-only"), "only one"),
                            (("buy", "1", "X", "@", "1", "--client-id", "a b"), "--client-id"),
                            (("cancel",), "--all"), (("cancel", "1", "--all"), "--all"), (("replace", "1"), "--size"),
                            (("cancel", "--data", "x", "--url", "y"), "--data"), (("trades",), "--mine"),
                            (("keys",), "show-address"), (("keys", "new", "../x"), "name"),
                            (("balances", "--address", "0x12"), "40 hex"), (("env", "--dotenv", "--json"), "--dotenv"),
                            (("markets", "--url", "ftp://x"), "http://"), (("markets", "--url", "http://x/y"), "path"),
                            (("markets", "--url", "http://me:secret@x"), "no user")):
            with self.subTest(words):
                self.refused(*words, needs=(need,), code=2)

    def test_a_private_key_in_an_argument_is_refused(self):
        for words in (("buy", "1", "X", "market", OWN_KEY), ("balances", "--key-file", OWN_KEY[2:]),
                      ("balances", f"--keystore={OWN_KEY}"), ("keys", "import", OWN_KEY), ("sell", "--key", OWN_KEY)):
            with self.subTest(words):
                err = self.refused(*words, needs=("command line", "history", "DOJIMA_KEY"), code=2)
                self.assertNotIn("4242", err)

    def test_an_exchange_that_is_away_and_a_symbol_that_is_not_there(self):
        for words in (("markets",), ("balances",), ("buy", "1", "BTC-USD", "market")):
            self.refused(*words, "--url", "http://127.0.0.1:1", needs=("127.0.0.1:1", "dojima dev"))
        self.serve()
        self.refused("buy", "1", "NOPE", "market", needs=('"NOPE"', "BTC-USD"))
        self.refused("book", "x\x1b[2Jy", needs=('"x?[2Jy"',))
        self.refused("balances", needs=("0x and 64 hex digits", "DOJIMA_KEY"), DOJIMA_KEY="0x12")
        self.refused("orders", "--account", "2000", needs=("--account 1001 to 1010",), code=2)
        self.refused("buy", "1", "BTC-USD", "market", needs=("no account",), DOJIMA_KEY=OWN_KEY)


class Hostile(http.server.BaseHTTPRequestHandler):
    """Answers that would draw on a terminal, and no development exchange."""

    def do_GET(self):                                           # noqa: N802
        bad = "A\x1b]0;owned\x07\u202e\x9b2J\x7f"
        ticker = {"symbol": bad, "lastPx": "1\r\x1b[31m", "changePct": 0.1}
        symbol = {"id": 1, "name": "X", "displayName": bad}
        data = {"/api/v1/spot/markets/tickers": [ticker], "/api/v1/perps/markets/tickers": [],
                "/api/v1/spot/markets/symbols": [symbol], "/api/v1/perps/markets/symbols": [],
                "/version": {"chainID": 1}, "/docs/settings.json": {}}.get(self.path)
        answer = {"code": 0, "timestamp": 1, "data": data} if data is not None else {
            "code": 1, "timestamp": 1, "error": bad, "details": {"field": bad}}
        raw = json.dumps(answer, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def hosting(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Forgetful(http.server.BaseHTTPRequestHandler):
    """Answers reads; of writes what `answers` says in turn, the last one again and again: None is no answer at all."""

    answers, seen = (None,), []
    READS = {"/api/v1/perps/markets/symbols": [{"id": 1, "name": "BTC-USD", "displayName": "BTC-USD"}],
             "/api/v1/spot/markets/symbols": [], "/version": {"chainID": 286623},
             "/docs/settings.json": None}

    def send(self, status, answer):
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self):                                           # noqa: N802
        accounts = [{"address": Wallet(DEVELOPMENT_KEY).address}]
        if self.path == "/docs/settings.json":
            self.send(200, {"accounts": accounts})
        else:
            self.send(200, {"code": 0, "timestamp": 1, "data": self.READS[self.path]})

    def do_POST(self):                                          # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/rpc":
            self.send(200, {"jsonrpc": "2.0", "id": 1, "result": {"status": "0x1"}})
            return
        answer = self.answers[min(len(self.seen), len(self.answers) - 1)]
        self.seen.append((self.headers["X-API-Nonce"], self.headers["X-API-Sign"], body))
        if answer is not None:
            self.send(*answer)
        self.close_connection = True

    def log_message(self, *_):
        pass


def refusal(code, **details):
    return {"code": code, "timestamp": 1, "error": "no", "details": details}


class Lost(Traders):
    BUY = ("buy", "0.01", "BTC-USD", "@", "1")

    def forgetful(self, *answers):
        return type("Fresh", (Forgetful,), {"answers": answers, "seen": []})

    def test_only_an_answer_that_knows_the_outcome_ends_the_question(self):
        """429, 503 and a proxy's 502 tell nothing of the attempt before them."""
        handler = self.forgetful(None, (429, refusal(42901)), (503, refusal(50301)), (502, "<html>"),
                                 (503, refusal(50303)), (200, refusal(40102, hash="0x" + "ab" * 32, block=7, index=1)))
        with hosting(handler) as url:
            code, out, err = run(*self.BUY, "--json", "--url", url, env=self.environment)
        outcome = json.loads(out)
        self.assertEqual((code, outcome["outcome"], outcome["block"]), (0, "done-before", 7), err)
        self.assertEqual((len(handler.seen), len(set(handler.seen))), (6, 1), "the same bytes and nonce each time")

    def test_a_first_answer_is_taken_as_it_is(self):
        for answer in ((429, refusal(42901)), (503, refusal(50301)), (200, refusal(42001, field="quantity"))):
            handler = self.forgetful(answer)
            with hosting(handler) as url:
                outcome = self.json(*self.BUY, "--url", url, code=1)
            self.assertEqual((outcome["outcome"], outcome["code"]), ("refused", answer[1]["code"]))
            self.assertEqual(len(handler.seen), 1)

    def test_another_nonce_only_where_nothing_was_executed(self):
        handler = self.forgetful((200, refusal(40102, reason="too old", serverTime=1890000000000)),
                                 (200, {"code": 0, "timestamp": 1, "data": []}))
        with hosting(handler) as url:
            self.assertEqual(self.json(*self.BUY, "--url", url)["outcome"], "done")
        self.assertEqual(handler.seen[1][0], "1890000000000")
        handler = self.forgetful(None, (200, refusal(40102, reason="used", serverTime=1890000000000)))
        with hosting(handler) as url:
            code, out, _ = run(*self.BUY, "--json", "--url", url, env=self.environment)
        self.assertEqual((code, json.loads(out)["outcome"], len(handler.seen)), (1, "refused", 2))

    def test_a_nonce_that_is_forgotten_behind_a_lost_reply_tells_nothing(self):
        """Behind a hundred newer nonces an executed one is refused as any other, without its transaction."""
        for code, reason in ((40102, "too small"), (40102, "too old"), (40103, "")):
            handler = self.forgetful(None, (200, refusal(code, reason=reason, serverTime=1890000000000)))
            with self.subTest(code=code, reason=reason), hosting(handler) as url:
                status, out, err = run(*self.BUY, "--json", "--url", url, env=self.environment)
                self.assertEqual((status, json.loads(out)["outcome"], len(handler.seen)), (1, "unknown", 2), err)
                self.assertIn("the outcome is unknown", err)

    def test_who_stops_asking_is_told_that_the_outcome_is_unknown(self):
        with hosting(self.forgetful(None)) as url:
            code, out, err = run(*self.BUY, "--json", "--url", url, "--give-up", "1", env=self.environment)
            self.assertEqual((code, json.loads(out)["outcome"]), (1, "unknown"))
            self.assertIn("the outcome is unknown", err)
            process = subprocess.Popen([BINARY, *self.BUY, "--url", url], env=self.environment, text=True,
                                       stderr=subprocess.PIPE)
            line = process.stderr.readline()
            self.assertIn("asking again", line)
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
            process.stderr.close()
            self.assertEqual(process.wait(60), 1)
            self.assertIn("the outcome is unknown", rest)


class NotTrusted(Traders):
    def test_text_of_an_exchange_never_reaches_the_terminal_raw(self):
        with hosting(Hostile) as url:
            for words in (("markets",), ("markets", "--json"), ("markets", "nope"), ("book", "X"), ("trades", "X"),
                          ("balances", "--address", "0x" + "11" * 20), ("buy", "1", "X", "market")):
                with self.subTest(words):
                    _, out, err = run(*words, "--url", url, env=self.environment)
                    self.assertRegex(out + err, r"^[ -~\n]+$")
            self.assertIn('"changePct":0.1}', run("markets", "--json", "--url", url, env=self.environment)[1])

    def test_public_keys_sign_for_development_only(self):
        with hosting(Hostile) as url:
            self.refused("buy", "1", "X", "market", "--url", url, needs=("no key",))
            self.refused("buy", "1", "X", "market", "--url", url, "--account", "1001", needs=("public", "development"))
            self.refused("buy", "1", "X", "market", "--url", url, needs=("public",), DOJIMA_KEY=DEVELOPMENT_KEY)


class Keys(Traders):
    def test_a_key_file_is_for_its_owner_alone(self):
        good, open_to_all = self.file("good", OWN_KEY + "\n"), self.file("open", OWN_KEY, 0o644)
        address = Wallet(OWN_KEY).address
        self.assertEqual(self.do("keys", "show-address", "--key-file", good), address + "\n")
        self.assertEqual(self.do("keys", "show-address", DOJIMA_KEY_FILE=good), address + "\n")
        self.assertEqual(self.do("keys", "show-address", DOJIMA_KEY=OWN_KEY[2:]), address + "\n")
        self.refused("keys", "show-address", "--key-file", open_to_all, needs=("0644", "chmod 600"))
        self.refused("keys", "show-address", "--key-file", self.path, needs=("plain file",))
        self.refused("keys", "show-address", "--key-file", self.file("bad", "0x12"), needs=("64 hex digits",))
        self.refused("keys", "show-address", "--key-file", good + "x", needs=("No such file",))
        self.refused("keys", "show-address", needs=("DOJIMA_KEY",))

    def test_keystores_of_other_wallets_open(self):
        for kind, text in VECTORS.items():
            with self.subTest(kind):
                path = self.file(kind + ".json", json.dumps(text))
                self.assertEqual(self.do("keys", "show-address", path, DOJIMA_PASSWORD=PASSWORD),
                                 Wallet(VECTOR_KEY).address + "\n")

    def test_keystores_that_do_not_open(self):
        vector = json.loads(json.dumps(VECTORS["pbkdf2"]))
        vector["crypto"]["kdfparams"]["c"] = 1
        text = json.dumps(vector)
        good = self.file("a.json", text)
        self.refused("keys", "show-address", good, needs=("password",), DOJIMA_PASSWORD="wrong")
        self.refused("keys", "show-address", self.file("b.json", text, 0o640), needs=("0640",), DOJIMA_PASSWORD="x")
        changes = ((('"version": 3', '"version": 1'), "version 3"), (("aes-128-ctr", "aes-256-ctr"), "cipher"),
                   (("hmac-sha256", "hmac-md5"), "hmac-sha256"), (('"c": 1', '"c": 0'), "impossible"),
                   (('"dklen": 32', '"dklen": 16'), "dklen"), (('"mac": "51', '"mac": "'), "mac"),
                   (("{", "["), "version 3"))
        for change, need in changes:
            with self.subTest(change):
                self.refused("keys", "show-address", self.file("c.json", text.replace(*change)), needs=(need,),
                             DOJIMA_PASSWORD="x")
        scrypt = json.dumps(VECTORS["scrypt"])
        for change in (('"n": 262144', '"n": 262143'), ('"n": 262144', f'"n": {1 << 40}'), ('"p": 8', '"p": 0'),
                       ('"r": 1', '"r": -1')):
            with self.subTest(change):
                self.refused("keys", "show-address", self.file("d.json", scrypt.replace(*change)),
                             needs=("impossible",), DOJIMA_PASSWORD="x")

    def test_a_keystore_is_made_listed_and_signs(self):
        server = self.serve()
        secret = self.file("password", "correct horse\n")
        made = self.do("keys", "import", "main", "--light", "--password-file", secret, DOJIMA_KEY=DEVELOPMENT_KEY)
        self.assertIn(server.banner["accounts"][0]["address"].lower(), made)
        path = os.path.join(self.environment["DOJIMA_KEYS"], "main.json")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path) as file:
            self.assertNotIn(DEVELOPMENT_KEY[2:], file.read())
        self.refused("keys", "import", "main", "--light", "--password-file", secret, DOJIMA_KEY=DEVELOPMENT_KEY,
                     needs=("exists already",))
        new = self.json("keys", "new", "fresh", "--light", "--password-file", secret)
        self.assertEqual([row["name"] for row in self.json("keys", "list")],
                         ["fresh", "main"])
        self.assertEqual(self.do("keys", "show-address", "fresh"), new["address"] + "\n", "without a password")
        self.assertIn("NEW", self.do("buy", "0.01", "BTC-USD", "@", "90000", "--keystore", "main",
                                     "--password-file", secret))
        self.refused("buy", "0.01", "BTC-USD", "@", "90000", "--keystore", "main", needs=("password",),
                     DOJIMA_PASSWORD="wrong horse")
        self.refused("keys", "new", "weak", "--light", needs=("8 characters",), DOJIMA_PASSWORD="short")

    def test_sign_has_its_key_from_where_the_others_have_it(self):
        words = ("sign", "spot", "batchNewOrder", "{}", "--nonce", "5")
        secret, key = self.file("password", "correct horse\n"), self.file("key", OWN_KEY)
        self.do("keys", "import", "own", "--light", "--password-file", secret, DOJIMA_KEY=OWN_KEY)
        signed = self.do(*words, DOJIMA_PRIVATE_KEY=OWN_KEY)
        self.assertNotEqual(signed, self.do(*words, "--account", "1001"))
        for more, environment in ((("--key-file", key), {"DOJIMA_PRIVATE_KEY": DEVELOPMENT_KEY}),
                                  (("--keystore", "own", "--password-file", secret), {"DOJIMA_KEY": DEVELOPMENT_KEY}),
                                  ((), {"DOJIMA_KEY": OWN_KEY}),
                                  ((), {"DOJIMA_KEYSTORE": "own", "DOJIMA_PASSWORD": "correct horse"}),
                                  ((), {"DOJIMA_PRIVATE_KEY": OWN_KEY, "DOJIMA_KEY": DEVELOPMENT_KEY})):
            with self.subTest(more, **environment):
                self.assertEqual(self.do(*words, *more, **environment), signed)
        self.refused(*words, needs=("no key", "--key-file", "--keystore", "--account"), code=2)
        self.refused(*words, "--keystore", "own", needs=("password",), code=2, DOJIMA_PASSWORD="wrong horse")
        self.refused(*words, "--account", "1001", "--key-file", key, needs=("--account", "own"), code=2)
        self.refused(*words, "--account", "1011", needs=("1001 to 1010",), code=2)
        self.refused(*words, needs=("DOJIMA_PRIVATE_KEY", "0x and 64 hex digits"), code=2, DOJIMA_PRIVATE_KEY="0x12")
        self.assertEqual(self.do(*words, DOJIMA_PRIVATE_KEY="", DOJIMA_KEY=OWN_KEY), signed, "empty is not set")
        self.refused(*words, needs=("no key", "--key-file"), code=2, DOJIMA_PRIVATE_KEY="", DOJIMA_KEY="")

    def test_a_folder_that_others_can_change_has_no_keystores(self):
        """Who may write there exchanges one keystore of its owner for another."""
        secret, folder = self.file("password", "correct horse\n"), self.environment["DOJIMA_KEYS"]
        self.do("keys", "import", "main", "--light", "--password-file", secret, DOJIMA_KEY=OWN_KEY)
        address = self.do("keys", "show-address", "main")
        self.assertEqual(os.stat(folder).st_mode & 0o7777, 0o700)
        for mode in (0o755, 0o750, 0o1755):                     # others read names; each file is its owner's alone
            os.chmod(folder, mode)
            self.assertEqual(self.do("keys", "show-address", "main"), address)
            self.assertIn("main", self.do("keys", "list"))
        for mode in (0o770, 0o720, 0o702, 0o777, 0o1777):
            os.chmod(folder, mode)
            with self.subTest(oct(mode)):
                for words in (("keys", "list"), ("keys", "show-address", "main"),
                              ("keys", "new", "other", "--light", "--password-file", secret)):
                    self.refused(*words, needs=(folder, f"{mode:04o}", "chmod go-w"))
                self.assertEqual(os.listdir(folder), ["main.json"])
        os.chmod(folder, 0o700)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
            self.refused("keys", "list", needs=(folder, "belongs to another user"))
            os.chown(folder, 0, 0)
        self.assertEqual(self.do("keys", "show-address", "main"), address)

    def test_a_password_is_asked_for_and_not_shown(self):
        self.do("keys", "new", "asked", "--light", DOJIMA_PASSWORD="typed by hand")
        path = os.path.join(self.environment["DOJIMA_KEYS"], "asked.json")
        with open(path) as file:
            text = json.load(file)
        address = "0x" + text.pop("address")
        path = self.file("nameless.json", json.dumps(text))
        child, terminal = pty.fork()
        if child == 0:
            os.execve(BINARY, [BINARY, "keys", "show-address", path], self.environment)
        seen, deadline, typed = b"", time.monotonic() + 30, False
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    part = os.read(terminal, 4096)
                except OSError:
                    break
                seen += part
            if b"Password" in seen and not typed:
                typed = True
                os.write(terminal, b"typed by hand\n")
        os.waitpid(child, 0)
        self.assertIn(address.encode(), seen)
        self.assertNotIn(b"typed", seen)


if __name__ == "__main__":
    main()
