# SPDX-License-Identifier: MIT
"""The audit log: a line for every action of operators and of the process itself."""
import contextlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time

from durability import batches, segments
from harness import BUY, Case, Client, Connection, Folder, Server, Wallet, keccak, main, order, run

NOBODY = "0x" + "77" * 20
CHAIN = 77001
ANNA, BERT, EVE = (Wallet("0x" + byte * 32) for byte in ("a1", "b2", "e3"))
CONFIG = """[dojima]
listen = 127.0.0.1:0
data = {folder}/data
chainIds = 77001
accounts = 100
orders = 1000
levels = 1000
signers = 100
deposits = 100
keys = 100
transfers = 100
segmentMiB = 4
auditSeconds = {seconds}
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


def lines_of(data, heads=False):
    """The whole audit log, without the heads that the clock writes in between. Each line is one JSON object."""
    with open(os.path.join(data, "audit.log")) as file:
        text = file.read()
    assert text.endswith("\n"), text[-200:]
    return [line for line in map(json.loads, text.splitlines()) if heads or line["event"] != "head"]


def command_text(type, **params):
    return json.dumps({"type": type, "params": params}, separators=(",", ":"))


def deposit_params(operator_id, amount="5", coin="vUSDC", address=NOBODY):
    return {"id": operator_id, "address": address, "engine": "spot", "coin": coin, "amount": amount}


class Audit(Case):
    def ask(self, data, command, *words, code=0):
        done, out, err = run(command, "--data", data, "--json", *words)
        self.assertEqual(done, code, (out, err))
        return json.loads(out)

    def events(self, data, *names):
        return [line for line in lines_of(data, heads=True) if line["event"] in names]

    def last(self, data):
        return lines_of(data)[-1]

    def talk(self, data, *lines):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(20)
            peer.connect(os.path.join(data, "admin.sock"))
            peer.sendall(b"".join(line + b"\n" for line in lines))
            with peer.makefile("rb") as stream:
                return [json.loads(stream.readline()) for _ in lines]

    def in_log(self, data, word="deposit"):
        """The log's record of it; a TICK may be in between."""
        code, out, err = run("log", data)
        self.assertEqual(code, 0, err)
        return [line for line in out.splitlines() if f" {word} " in line]


class Lines(Audit):
    def test_a_command_is_there_twice_before_it_is_answered(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            data = server.banner["data"]
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(data, "audit.log")).st_mode), 0o600)
            before = int(time.time() * 1000)
            line = command_text("deposit", **deposit_params("d-1", "12.5"))
            answer = self.talk(data, line.encode())[0]
            asked, answered = lines_of(data)[-2:]
            for record, event in ((asked, "asked"), (answered, "answered")):
                self.assertEqual(record["event"], event)
                self.assertEqual((record["number"], record["pid"], record["uid"]), (1, os.getpid(), os.geteuid()))
                self.assertEqual(record["command"], json.loads(line))
                self.assertLess(abs(record["engineTime"] - record["time"]), 60000)
                self.assertGreaterEqual(record["time"], before)
                self.assertNotIn("signer", record)
            self.assertNotIn("code", asked)
            self.assertEqual(answered["code"], 0)
            self.assertEqual((answered["tx"], answered["block"], answered["index"]),
                             tuple(answer["data"][key] for key in ("tx", "block", "index")))
            self.assertNotIn("repeated", answered)
            self.assertTrue(any(text.startswith(f"{answered['seq']} ") for text in self.in_log(data)))

    def test_the_same_again_is_told_as_repeated(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            data = server.banner["data"]
            for again in range(2):
                self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "once")
            # a new id, though nothing changes
            self.ask(data, "market", "vBTC_vUSDC", "trade", "--id", "as-it-is")
            self.assertEqual(self.ask(data, "deposit", NOBODY, "vUSDC", "6", "--id", "once", code=1)["code"], 40904)
            told = [(line["number"], line["code"], line.get("repeated")) for line in self.events(data, "answered")]
            self.assertEqual(told, [(1, 0, None), (2, 0, True), (3, 0, None), (4, 40904, None)])
            seqs = [line["seq"] for line in self.events(data, "answered")]
            self.assertEqual(seqs, sorted(set(seqs)))

    def test_refusals_of_either_kind(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            data = server.banner["data"]
            owner = server.accounts()[0].address
            self.ask(data, "deposit", NOBODY, "vDOGE", "1", "--id", "a", code=1)                        # before the log
            refused = self.last(data)
            self.assertEqual((refused["event"], refused["code"], refused["error"]),
                             ("refused", 40404, "coin not found"))
            self.assertEqual(refused["command"]["params"]["coin"], "vDOGE")
            self.assertNotIn("number", refused)
            self.ask(data, "redeem", owner, "vUSDC", "1", "--id", "b", code=1)                          # by the engine
            answered = self.last(data)
            self.assertEqual((answered["event"], answered["code"]), ("answered", 42001))
            self.assertGreater(answered["seq"], 0)
            for line in (b"nonsense", b"\xff\x00\"\\", b"", b'{"type":"advanceTime","params":{"offset":1}}',
                         b'{"type":"deposit","params":{"id":"a"}}', b"x" * 4000):
                count = len(lines_of(data))
                self.assertEqual(self.talk(data, line)[0]["code"], 40001)
                self.assertEqual(len(lines_of(data)), count + 1)
                record = self.last(data)
                self.assertEqual((record["event"], record["code"]), ("refused", 40001))
                self.assertNotIn("command", record)
                self.assertEqual(record["line"][:20], line.decode(errors="replace")[:20])
                self.assertLessEqual(len(record["line"]), 120)
            count = len(lines_of(data))
            self.talk(data, b'{"type":"describe"}')
            self.assertEqual(len(lines_of(data)), count, "who only looks leaves no line")

    def test_a_life_has_a_beginning_and_an_end(self):
        with Folder() as folder:
            venue = Venue(self, folder)
            with venue.serve():
                self.ask(venue.data, "deposit", NOBODY, "vUSDC", "5", "--id", "a")
            with venue.serve():
                pass
            first, second = self.events(venue.data, "started")
            stopped = self.events(venue.data, "stopped")
            for record in (first, second):
                self.assertRegex(record["version"], r"^\d+\.\d+\.\d+$")
                self.assertRegex(record["commit"], r"^([0-9a-f]{7,40}(-dirty)?|unknown)$")
                for key in ("genesis", "config", "chain", "state", "blockHash"):
                    self.assertRegex(record[key], "^0x[0-9a-f]{64}$")
                self.assertEqual(record["operators"], 0)
            with open(venue.path, "rb") as file:
                self.assertEqual(first["config"], "0x" + keccak(file.read()).hex())
            self.assertEqual((first["seq"], first["block"]), (0, 0))
            self.assertEqual([record["exit"] for record in stopped], [0, 0])
            self.assertGreaterEqual(stopped[0]["seq"], 1)
            for key in ("seq", "block", "blockHash", "chain"):
                self.assertEqual(second[key], stopped[0][key], "it goes on where it stopped")
            code, out, err = run("verify", "--json", venue.data)
            self.assertEqual(code, 0, err)
            verified = json.loads(out)
            self.assertEqual([verified[key].removeprefix("0x") for key in ("chain", "blockHash")],
                             [stopped[1][key].removeprefix("0x") for key in ("chain", "blockHash")])
            self.assertEqual((verified["seq"], verified["blockNumber"]), (stopped[1]["seq"], stopped[1]["block"]))
            if verified["seq"] == second["seq"]:                                # else there is a midnight in between
                self.assertEqual(verified["stateHash"].removeprefix("0x"), second["state"].removeprefix("0x"))

    def test_after_a_kill_what_was_answered_is_there(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            for index in range(5):
                self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", f"k-{index}")
            server.kill()
            with Server(data=data):
                self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "after")
                # a TICK may have been cut off
                told = [line["event"] for line in lines_of(data) if line["event"] != "torn"]
                self.assertEqual(told, ["started", *["asked", "answered"] * 5, "started", "asked", "answered"],
                                 "no end: it was killed")
                self.assertEqual(self.last(data)["number"], 1, "each process counts from 1")

    def test_a_torn_tail_is_told_once(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            server = Server(data=data)
            self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "a")
            server.kill()
            file = [name for name in segments(data) if batches(name)][-1]
            last = batches(file)[-1]
            with open(file, "r+b") as stream:                                   # noise behind the last batch
                stream.seek((sum(last) + 4095) // 4096 * 4096)
                stream.write(b"torn" * 700)
            for _ in range(2):
                Server(data=data).stop()
            torn, = self.events(data, "torn")
            self.assertGreaterEqual(torn["bytes"], 2800)
            self.assertTrue(os.path.exists(os.path.join(data, torn["kept"])), torn)
            self.assertGreaterEqual(torn["afterSeq"], 1)
            told = [line["event"] for line in lines_of(data)]
            self.assertEqual(told[told.index("torn") + 1], "started")

    def test_a_start_that_is_refused_says_why(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            with Server(data=data):
                for index in range(5):                                          # a batch each
                    self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", f"r-{index}")
                code, _, err = run("dev", "--port", "0", "--data", data, seconds=60)    # two on one folder
                self.assertEqual(code, 69, err)
                record = self.last(data)
                self.assertEqual((record["event"], record["exit"]), ("notStarted", 69))
                self.assertIn(record["reason"], err)
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                taken.listen()
                code, _, err = run("dev", "--port", str(taken.getsockname()[1]), "--data", data, seconds=60)
            self.assertEqual((code, self.last(data)["exit"]), (69, 69))
            self.assertIn(self.last(data)["reason"], err)
            file = [name for name in segments(data) if batches(name)][-1]
            with open(file, "r+b") as stream:                                   # damage in the middle
                stream.seek(batches(file)[0][0] + 100)
                byte = stream.read(1)
                stream.seek(-1, os.SEEK_CUR)
                stream.write(bytes([byte[0] ^ 0xff]))
            self.ask_refused_start(data)
            absent = os.path.join(folder, "a", "b")
            code, _, err = run("dev", "--port", "0", "--data", absent, seconds=60)
            self.assertNotEqual(code, 0)
            self.assertEqual(err.count("\n"), 1, "where there is no folder nothing is said of the audit log")

    def ask_refused_start(self, data):
        code, _, err = run("dev", "--port", "0", "--data", data, seconds=60)
        self.assertEqual(code, 70, err)
        record = self.last(data)
        self.assertEqual((record["event"], record["exit"]), ("notStarted", 70))
        self.assertIn(record["reason"], err)

    def test_the_newest_block_is_told_now_and_then(self):
        with Folder() as folder:
            venue = Venue(self, folder, seconds=1)
            with venue.serve() as server:
                block = self.ask(venue.data, "deposit", NOBODY, "vUSDC", "5", "--id", "a")["data"]["block"]
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and not self.events(venue.data, "head"):
                    time.sleep(0.1)
                head = self.events(venue.data, "head")[0]
                self.assertEqual(head["block"], block)
                self.assertEqual(head["seq"], self.events(venue.data, "answered")[0]["seq"])
                body = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": [hex(block), False]}
                reply = Connection(server.port).send("POST", "/rpc", json.dumps(body).encode(),
                                                     {"Content-Type": "application/json"})
                self.assertEqual(head["blockHash"], reply.json["result"]["hash"])

    def test_somebody_else_is_told_of(self):
        if os.geteuid() != 0:
            self.skipTest("SKIP only root can be somebody else")
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            data = server.banner["data"]
            path = os.path.join(data, "admin.sock")
            for name in (folder, data):
                os.chmod(name, 0o755)
            os.chmod(path, 0o666)                                               # as if an operator had been careless
            code = "import socket,sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(1))"
            done = subprocess.Popen([sys.executable, "-c", code, path], user=65534, stdout=subprocess.PIPE, cwd="/")
            out, _ = done.communicate(timeout=60)
            self.assertEqual((done.returncode, out.strip()), (0, b"b''"))
            record = self.last(data)
            self.assertEqual((record["event"], record["uid"], record["pid"]), ("stranger", 65534, done.pid))


class Unwritable(Audit):
    def wrong_answer(self, data, *words):
        code, out, err = run("deposit", "--data", data, NOBODY, "vUSDC", "5", *words)
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn("the audit log cannot be written", err)
        self.assertIn("50301", err)

    def test_nothing_unaudited_happens_and_trading_goes_on(self):
        with Folder() as folder:
            venue = Venue(self, folder, seconds=0)
            venue.write(venue.text + f"[account {EVE.address}]\nvUSDC = 10000\n", ())
            with venue.serve() as server:
                self.refuse_and_go_on(venue.data, server, Client(server, EVE, 1001))

    def refuse_and_go_on(self, data, server, client):
        path, aside = os.path.join(data, "audit.log"), os.path.join(data, "audit.aside")
        self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "before")
        os.rename(path, aside)
        for number, (make, undo) in enumerate(((lambda: os.mkdir(path), lambda: os.rmdir(path)),
                                               (lambda: os.symlink(aside, path), lambda: os.unlink(path)),
                                               (lambda: os.mkfifo(path), lambda: os.unlink(path)))):
            make()
            self.wrong_answer(data, "--id", "meanwhile")
            self.wrong_answer(data, "--id", "meanwhile")
            self.items_ok(client.place(order(f"o-{number}", BUY, "96000", "0.001"), chain_id=CHAIN))
            undo()
        self.assertEqual(len(self.in_log(data)), 1)
        self.assertEqual(server.stderr().count("audit.log cannot be written"), 1, "said once, not each time")
        text = Connection(server.port).send("GET", "/metrics").raw.decode()
        self.assertEqual(re.findall(r"(?m)^dojima_audit_failures_total (\d+)$", text), ["12"],
                         "a question and a refusal each")
        self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "meanwhile")
        self.assertIn("is written again", server.stderr())
        self.assertEqual([line["event"] for line in lines_of(data)], ["asked", "answered"],
                         "a new file, after the old one was renamed")
        self.assertEqual(len(self.in_log(data)), 2)
        with open(aside) as file:
            self.assertEqual(len(file.read().splitlines()), 3, "nothing went where the link led")

    def test_a_start_does_not_need_it(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            os.makedirs(os.path.join(data, "audit.log"))
            with Server(data=data) as server:
                self.assertIn("audit.log cannot be written", server.stderr())
                self.wrong_answer(data, "--id", "a")
                self.items_ok(server.accounts()[0].place(order("o", BUY, "96000", "0.001")))

    def test_half_a_line_stands_alone(self):
        with Folder() as folder, Server(data=os.path.join(folder, "data")) as server:
            data = server.banner["data"]
            with open(os.path.join(data, "audit.log"), "a") as file:
                file.write('{"time":1,"event":"as')                             # as a power failure leaves it
            self.ask(data, "deposit", NOBODY, "vUSDC", "5", "--id", "a")
            with open(os.path.join(data, "audit.log")) as file:
                told = file.read().splitlines()
            self.assertEqual(told[1], '{"time":1,"event":"as')
            self.assertEqual([json.loads(line)["event"] for line in told[2:]], ["asked", "answered"])


class Venue:
    """dojima serve with keys of second persons; spot alone, so that only midnight happens by itself."""

    def __init__(self, case, folder, operators=(), seconds=60):
        self.case, self.path, self.data = case, os.path.join(folder, "venue.ini"), os.path.join(folder, "data")
        self.write(CONFIG.format(folder=folder, seconds=seconds), operators)

    def write(self, text, operators):
        self.text = text
        with open(self.path, "w") as file:
            file.write(text + "".join(f"[operator {wallet.address}]\nname = {name}\n" for name, wallet in operators))

    @contextlib.contextmanager
    def serve(self):
        with Server("--config", self.path, command="serve", json_banner=False) as server:
            server.wait_for_port()
            yield server


if __name__ == "__main__":
    main()
