# SPDX-License-Identifier: MIT
"""Shared by all end-to-end tests: a server that is started and always ended, a signer that shares no code with the
program, HTTP through the standard library and HTTP by hand.

The signer is written from the interface document alone (EIP-712 over ExchangeAction): keccak comes from pycryptodome,
the curve from python-ecdsa. So a mistake in our own hashing cannot hide here.
"""
import atexit
import hashlib
import http.client
import json
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

try:
    from Cryptodome.Hash import keccak as _keccak
except ImportError:
    from Crypto.Hash import keccak as _keccak
import ecdsa
from ecdsa.rfc6979 import generate_k

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("DOJIMA", os.path.join(ROOT, "build", "release", "dojima"))
INSTRUMENTED = bool(os.environ.get("E2E_INSTRUMENTED"))     # sanitizer builds: times are not judged
WHOLE = INSTRUMENTED or bool(os.environ.get("WHOLE"))      # else the slice of a test that is for ./test
SKIPPED = 77                                                # exit code: nothing could be tested here
START_SECONDS = 60                                          # a machine may have to find the pools' memory first
STOP_SECONDS = 60                                           # … and a busy disk all that is not durable yet

ORDER = ecdsa.SECP256k1.order
MNEMONIC_ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
BTC, ETH = 1, 2                                             # symbol ids of ruling 31
BUY, SELL = 1, 2
LIMIT, MARKET = 1, 2
GTC, FOK, IOC, GTX = 1, 2, 3, 4
DECIMAL = re.compile(r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$")


# ---- signing -------------------------------------------------------------------------------------

def keccak(data):
    h = _keccak.new(digest_bits=256)
    h.update(data)
    return h.digest()


def word(number):
    return number.to_bytes(32, "big")


DOMAIN_TYPE = keccak(b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
ACTION_TYPE = keccak(b"ExchangeAction(bytes32 payloadHash,uint64 nonce)")


def domain_separator(domain, chain_id, version=b"1", contract=0):
    return keccak(DOMAIN_TYPE + keccak(domain.encode()) + keccak(version) + word(chain_id) + word(contract))


def action_digest(payload, nonce, domain="spot", chain_id=286623, **other):
    struct = keccak(ACTION_TYPE + keccak(payload) + word(nonce))
    return keccak(b"\x19\x01" + domain_separator(domain, chain_id, **other) + struct)


class Wallet:
    """A key pair that signs digests deterministically (RFC 6979), low s, with the recovery bit."""

    def __init__(self, private_key):
        self.key = int(private_key, 16)
        point = ecdsa.SECP256k1.generator * self.key
        self.address = "0x" + keccak(word(point.x()) + word(point.y()))[-20:].hex()

    def sign_digest(self, digest):
        k = generate_k(ORDER, self.key, hashlib.sha256, digest)
        point = ecdsa.SECP256k1.generator * k
        r = point.x() % ORDER
        s = pow(k, -1, ORDER) * (int.from_bytes(digest, "big") + r * self.key) % ORDER
        v = point.y() & 1
        if s > ORDER // 2:
            s, v = ORDER - s, v ^ 1
        return r, s, v

    def sign(self, action, body, nonce, domain="spot", chain_id=286623, **other):
        """X-API-Sign for a body (bytes): 01, r, s, v in hex."""
        payload = b'{"type":"' + action.encode() + b'","params":' + body + b"}"
        return signature_text(*self.sign_digest(action_digest(payload, nonce, domain, chain_id, **other)))


def signature_text(r, s, v, prefix=1):
    return "0x" + (bytes([prefix]) + word(r) + word(s) + bytes([v])).hex()


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


_nonce_lock = threading.Lock()
_nonce_last = 0


def fresh_nonce():
    """The clock in milliseconds, never the same twice in this process."""
    global _nonce_last
    with _nonce_lock:
        _nonce_last = max(_nonce_last + 1, int(time.time() * 1000))
        return _nonce_last


# ---- the program ---------------------------------------------------------------------------------

_running = []


def _end_all():
    for process in list(_running):
        if process.poll() is None:
            process.kill()
            process.wait()


atexit.register(_end_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # ctest's time limit: still end our servers


def all_of(file):
    """The bytes of a file that another process writes with the same file position, which stays where it is."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)


class Server:
    """One running `dojima`. Stderr goes to a file, so that no pipe can ever fill. Request limits and the built-in
    feeder are off by default."""

    def __init__(self, *args, command="dev", data=None, json_banner=True, port=0, binary=BINARY, wrapper=(),
                 limits=False):
        self.line = [*wrapper, binary, command]
        if command == "dev":
            self.line += ["--port", str(port)]
            if data:
                self.line += ["--data", data]
            if json_banner:
                self.line += ["--json"]
            if not limits and "--no-limits" not in args:
                self.line += ["--no-limits"]
            if "--market" not in args:              # tests that need moving prices request them
                self.line += ["--market", "none"]
        self.line += list(args)
        self.errors = tempfile.TemporaryFile(prefix="e2e-err-")
        self.started = time.monotonic()
        self.group = bool(wrapper)              # a process started by a wrapper must not outlive it
        self.process = subprocess.Popen(self.line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.errors, cwd=ROOT, start_new_session=self.group,
                                        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"} if wrapper else None)
        _running.append(self.process)
        self.banner = None
        if json_banner:
            self.banner = self._read_banner()
            self.port = int(self.banner["url"].rsplit(":", 1)[1].strip("/"))

    def _read_banner(self):
        text = self.read_line(START_SECONDS)
        try:
            return json.loads(text)
        except ValueError:
            self.kill()
            raise AssertionError(f"no JSON banner from {self.line}: stdout {text!r}, stderr {self.stderr()!r}, "
                                 f"exit {self.process.returncode}") from None

    def read_line(self, seconds):
        """The next line of stdout, or the bytes so far when time is up or the program ends."""
        deadline, text = time.monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in text:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    break
                byte = os.read(self.process.stdout.fileno(), 1)
                if not byte:
                    break
                text += byte
        self.ready_seconds = time.monotonic() - self.started
        return text.decode()

    def wait_for_port(self):
        """`dojima serve` prints its port on stderr."""
        deadline, found = time.monotonic() + START_SECONDS, None
        while not found and time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"serving on [0-9.]+:(\d+)", self.stderr())
            if not found:
                time.sleep(0.02)
        if not found:
            self.kill()
            raise AssertionError(f"it does not serve: {self.stderr()!r}")
        self.port = int(found.group(1))
        return self

    def stderr(self):
        """What it has said. Read by place: the server writes where a shared file position is."""
        return all_of(self.errors).decode(errors="replace")

    def metric(self, name):
        """The value of a metric without labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M).group(1))

    def history_is_written(self):
        """Whether no row of it is in memory alone: a start passes over a snapshot ahead of the history."""
        return self.metric("dojima_history_waiting_rows") == 0

    def stop(self, seconds=STOP_SECONDS):
        """Ctrl-C and wait; the exit code, which must be 0 (a sanitizer's report has another)."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                self._close()
                raise AssertionError(f"did not stop within {seconds} s of SIGINT: {self.stderr()!r}") from None
        if self._close() != 0:
            raise AssertionError(f"exit {self.process.returncode} after SIGINT: {self.stderr()[-4000:]}")
        return 0

    def kill(self):
        """kill -9, at once."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL) if self.group else self.process.kill()
        self.process.wait()
        return self._close()

    def _close(self):
        if self.process in _running:
            _running.remove(self.process)
            self.process.stdout.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.kill()
            print("stderr of the server:", self.stderr()[-4000:], file=sys.stderr)
        else:
            self.stop()

    def accounts(self):
        return [Client(self, Wallet(a["privateKey"]), a["accountID"]) for a in self.banner["accounts"]]


POOLS = {"accounts": 1000, "orders": 10000, "levels": 10000, "signers": 1000, "deposits": 10000, "keys": 1000,
         "transfers": 10000}


def pools(more=""):
    """Settings of [dojima] for `dojima serve`, whose pools take their memory at the start: 20 MB in place of 900. Those
    that `more` has keep its sizes."""
    return "".join(f"{key} = {size}\n" for key, size in POOLS.items() if not re.search(rf"(?m)^{key} =", more))


def size_pools(config):
    """Gives a file of `dojima init` these pools."""
    with open(config) as file:
        text = file.read()
    with open(config, "w") as file:
        file.write(text.replace("[dojima]\n", "[dojima]\n" + pools(text), 1))


def run(*args, seconds=60, **more):
    """The program to its end: (exit code, stdout, stderr)."""
    done = subprocess.run([BINARY, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds, cwd=ROOT, **more)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


class Folder:
    """A temporary folder that is removed after the test."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="dojima-e2e-")

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


# ---- HTTP ----------------------------------------------------------------------------------------

class Reply:
    def __init__(self, status, headers, raw):
        self.status, self.raw = status, raw
        self.headers = {name.lower(): value for name, value in headers}
        try:
            self.json = json.loads(raw) if raw else None
        except ValueError:
            self.json = None

    @property
    def code(self):
        return self.json["code"]

    @property
    def data(self):
        return self.json["data"]

    @property
    def details(self):
        return self.json.get("details") or {}

    @property
    def chain(self):
        return {name: value for name, value in self.headers.items() if name.startswith("x-chain-")}

    def __repr__(self):
        return f"<{self.status} {self.raw[:600]!r}>"


class Connection:
    """A keep-alive connection through http.client; reconnects when the server closed it."""

    def __init__(self, port, timeout=20):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def send(self, method, path, body=None, headers=()):
        self.http.request(method, path, body, dict(headers))
        response = self.http.getresponse()
        return Reply(response.status, response.getheaders(), response.read())

    def close(self):
        self.http.close()


class Client:
    """An account with its wallet, sending to one server."""

    def __init__(self, server, wallet, account_id, connection=None):
        self.server, self.wallet, self.id = server, wallet, account_id
        self.address = wallet.address
        self.connection = connection or Connection(server.port)

    def on(self, server):
        """The same account on another (restarted) server."""
        return Client(server, self.wallet, self.id)

    # reads

    def get(self, path, base="/api/v1/spot"):
        return self.connection.send("GET", base + path, headers={"Accept": "application/json"})

    def mine(self, what, query=""):
        return self.get(f"/accounts/{self.address}/{what}{query}")

    def balance(self, coin):
        """(total, locked) as sent."""
        for row in self.mine("balances").data["balances"]:
            if row["coin"] == coin:
                return row["total"], row["locked"]
        return "0", "0"

    def open_orders(self):
        return self.mine("orders").data["orders"]

    def history(self, query=""):
        return self.mine("orders/history", query).data

    # writes

    def headers(self, action, body, nonce=None, **how):
        nonce = fresh_nonce() if nonce is None else nonce
        return {"Content-Type": "application/json", "Accept": "application/json",
                "X-API-Key": "default", "X-API-Nonce": str(nonce),
                "X-API-Sign": self.wallet.sign(action, body, nonce, **how)}

    def write(self, method, path, action, body, nonce=None, **how):
        body = body if isinstance(body, bytes) else compact(body)
        return self.connection.send(method, "/api/v1/spot" + path, body, self.headers(action, body, nonce, **how))

    def place(self, *orders, nonce=None, **how):
        return self.write("POST", "/trade/orders/batch", "batchNewOrder",
                          {"accountID": self.id, "orders": list(orders)}, nonce, **how)

    def cancel(self, *cancels, nonce=None, **how):
        return self.write("DELETE", "/trade/orders/batch", "batchCancelOrder",
                          {"accountID": self.id, "cancels": list(cancels)}, nonce, **how)

    def replace(self, *orders, nonce=None, **how):
        return self.write("POST", "/trade/orders/replace", "replaceOrder",
                          {"accountID": self.id, "orders": list(orders)}, nonce, **how)

    def schedule(self, at=None, nonce=None, **how):
        body = {"accountID": self.id}
        if at is not None:
            body["scheduledTimestamp"] = at
        return self.write("POST", "/trade/orders/schedule-cancel", "scheduleCancel", body, nonce, **how)


def order(client_id, side, price=None, quantity=None, funds=None, type=LIMIT, tif=None, symbol=BTC):
    """A new order with its keys in the order of the interface."""
    body = {"symbolID": symbol, "clOrdID": client_id, "side": side, "type": type,
            "timeInForce": tif or (GTC if type == LIMIT else IOC)}
    for key, value in (("price", price), ("quantity", quantity), ("funds", funds)):
        if value is not None:
            body[key] = value
    return body


PERPS_BASE = "/api/v1/perps"
NORMAL, STOP, BRACKET, ATTACHED_STOP = 1, 2, 3, 4
STOP_LOSS, TAKE_PROFIT = 1, 2
LAST_PRICE, MARK_PRICE, INDEX_PRICE = 1, 2, 3
BOTH, LONG, SHORT = 1, 2, 3
ISOLATED, CROSS = 1, 2


class Perps:
    """The perps side of a client: the same wallet or key, the domain futures."""

    def __init__(self, client):
        self.client, self.id, self.address = client, client.id, client.address

    def get(self, path):
        return self.client.get(path, PERPS_BASE)

    def mine(self, what, query=""):
        return self.client.get(f"/accounts/{self.address}/{what}{query}", PERPS_BASE)

    def orders(self, symbol="BTC-USD"):
        """Open orders of a symbol by their clOrdID."""
        return {order["clOrdID"]: order for order in self.mine("orders", f"?symbol={symbol}").data["orders"]}

    def position(self, symbol="BTC-USD"):
        """The open position in a symbol, or None."""
        return next((row for row in self.mine("positions").data["positions"] if row["symbol"] == symbol), None)

    def size(self, symbol="BTC-USD"):
        return (self.position(symbol) or {"size": "0"})["size"]

    def write(self, method, path, action, body, nonce=None, domain="futures", **how):
        body = body if isinstance(body, bytes) else compact(body)
        headers = self.client.headers(action, body, nonce, domain=domain, **how)
        return self.client.connection.send(method, PERPS_BASE + path, body, headers)

    def place(self, *orders, symbol=BTC, nonce=None, **how):
        return self.write("POST", "/trade/orders", "newOrder",
                          {"accountID": self.id, "symbolID": symbol, "orders": list(orders)}, nonce, **how)

    def cancel(self, *targets, symbol=BTC, nonce=None, **how):
        """Each target is an orderID or a clOrdID."""
        cancels = [{"symbolID": symbol, "orderID" if isinstance(target, int) else "clOrdID": target}
                   for target in targets]
        return self.write("DELETE", "/trade/orders", "cancelOrder", {"accountID": self.id, "cancels": cancels}, nonce,
                          **how)

    def replace(self, *orders, nonce=None, **how):
        return self.write("POST", "/trade/orders/replace", "replaceOrder",
                          {"accountID": self.id, "orders": list(orders)}, nonce, **how)

    def modify(self, target, symbol=BTC, nonce=None, **changes):
        name = "orderID" if isinstance(target, int) else "clOrdID"
        return self.write("POST", "/trade/orders/modify", "modifyOrder",
                          {"accountID": self.id, "symbolID": symbol, name: target, **changes}, nonce)

    def leverage(self, leverage, mode=CROSS, symbol=BTC, nonce=None):
        return self.write("POST", "/trade/leverage", "updateLeverage",
                          {"accountID": self.id, "symbolID": symbol, "leverage": leverage, "marginMode": mode}, nonce)

    def margin(self, amount, symbol=BTC, nonce=None):
        return self.write("POST", "/trade/margin", "updateMargin",
                          {"accountID": self.id, "symbolID": symbol, "amount": amount}, nonce)

    def schedule(self, at=None, nonce=None):
        body = {"accountID": self.id} if at is None else {"accountID": self.id, "scheduledTimestamp": at}
        return self.write("POST", "/trade/orders/schedule-cancel", "scheduleCancel", body, nonce)


def perps_order(client_id, side, price=None, quantity=None, funds=None, type=LIMIT, tif=None, modifier=NORMAL,
                stop=None, reduce=False, position=BOTH):
    """A perps order with its keys in the order of the interface; `stop` is (stopPrice, stopType, triggerType)."""
    body = {"clOrdID": client_id, "modifier": modifier, "side": side, "type": type,
            "timeInForce": tif or (GTC if type == LIMIT else IOC)}
    for key, value in zip(("price", "quantity", "funds", "stopPrice", "stopType", "triggerType"),
                          (price, quantity, funds, *(stop or (None,) * 3))):
        if value is not None:
            body[key] = value
    return {**body, "reduceOnly": reduce, "positionSide": position}


class Raw:
    """A bare socket for requests that no library would send."""

    def __init__(self, port, timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass                    # the response, if any, is still to be read
        return self

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def reply(self, head=False):
        """The next response, or None when the connection ends before one."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                return None
        block, rest = self.buffer.split(b"\r\n\r\n", 1)
        lines = block.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
        length = 0 if head or status in (100, 204,
                                         304) else int(dict((n.lower(), v) for n, v in headers)["content-length"])
        while len(rest) < length:
            start = len(block) + 4
            if not self._more():
                return None
            rest = self.buffer[start:]
        self.buffer = rest[length:]
        return Reply(status, headers, rest[:length])

    def closed(self, seconds=3):
        """Whether the server closes within so many seconds, without another byte."""
        self.socket.settimeout(seconds)
        try:
            return self.buffer == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return self.buffer == b""
        except socket.timeout:
            return False

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# ---- judging -------------------------------------------------------------------------------------

# Every string under one of these keys is a decimal and must be in canonical form (wire 0.2 rule 2).
DECIMAL_KEYS = set("""tickSize minPrice maxPrice stepSize minQuantity maxQuantity marketMinQuantity
marketMaxQuantity minNotional maxNotional buyLimitUpRatio sellLimitDownRatio marketDeviationRatio makerFee
takerFee feeDiscount lastTradePrice total locked price origQty funds executedQty executedValue marginFrozen
makerFeeRate takerFeeRate quantity fee builderFee p q F z v M t l""".split())


class Case(unittest.TestCase):
    """Assertions about the interface."""

    maxDiff = None

    def assert_canonical(self, value, key=None):
        """No null list, no exponent, no trailing zero, no -0, anywhere in a response."""
        if isinstance(value, dict):
            for name, inner in value.items():
                self.assert_canonical(inner, name)
        elif isinstance(value, list):
            for inner in value:
                self.assert_canonical(inner, "p" if key in ("bids", "asks") and isinstance(inner, str) else key)
        elif isinstance(value, float) and key != "changePct":       # the one ratio that is a number (wire 0.2)
            self.fail(f"{key} is a JSON number with a fraction: {value}")
        elif isinstance(value, str) and key in DECIMAL_KEYS:
            self.assertRegex(value, DECIMAL, key)
            self.assertNotEqual(value, "-0", key)

    def ok(self, reply):
        """Success envelope; returns data (None when there is none)."""
        self.assertEqual(reply.status, 200, reply)
        self.assertEqual(reply.headers.get("content-type", "").split(";")[0], "application/json", reply)
        self.assertEqual(reply.code, 0, reply)
        self.assertIsInstance(reply.json["timestamp"], int)
        self.assertNotIn("error", reply.json)
        self.assert_canonical(reply.json)
        return reply.json.get("data")

    def items_ok(self, reply):
        """Success envelope whose items all passed."""
        items = self.ok(reply)
        for item in items:
            self.assertEqual(item["code"], 0, reply)
            self.assertIsInstance(item["orderID"], int, reply)
            self.assertNotIn("error", item)
        return items

    def refused(self, reply, code, text=None, status=200):
        """Failure envelope for the whole request: nothing ran, so no X-Chain-* headers (ruling 29)."""
        self.assertEqual(reply.status, status, reply)
        self.assertIsInstance(reply.json, dict, reply)
        self.assertEqual(reply.code, code, reply)
        self.assertIsInstance(reply.json["timestamp"], int, reply)
        self.assertTrue(reply.json["error"], reply)
        self.assertNotIn("data", reply.json, reply)
        if text:
            self.assertEqual(reply.json["error"], text, reply)
        if code != 40102:
            self.assertEqual(reply.chain, {}, reply)
        return reply.details

    def item_refused(self, reply, code, index=0, text=None):
        """Success envelope with an item that was rejected by a rule."""
        item = self.ok(reply)[index]
        self.assertEqual(item["code"], code, reply)
        self.assertTrue(item["error"], reply)
        self.assertIn("clOrdID", item, reply)
        self.assertNotIn("orderID", item, reply)
        if text:
            self.assertEqual(item["error"], text, reply)
        return item.get("details") or {}

    def keys(self, record, required, optional=()):
        self.assertEqual(set(required) - set(record), set(), f"missing in {record}")
        self.assertEqual(set(record) - set(required) - set(optional), set(), f"unknown in {record}")


def main():
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"e2e: no program at {BINARY}; build it or set DOJIMA")
    done = unittest.main(verbosity=2, warnings="ignore", exit=False).result    # a killed server's sockets stay open
    if not done.wasSuccessful():
        sys.exit(1)
    if done.skipped and len(done.skipped) >= done.testsRun:
        sys.exit(SKIPPED)
    if done.testsRun == 0:
        sys.exit("e2e: no test ran")
