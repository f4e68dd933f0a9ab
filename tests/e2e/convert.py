# SPDX-License-Identifier: MIT
"""dojima convert: folders that older versions wrote (data/README.md) become folders of this version with all their
contents, or are refused and not changed, with every difference from before in print."""
import contextlib
import ctypes
import ctypes.util
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tarfile

from harness import BINARY, BUY, Case, Client, Folder, Perps, Server, keccak, main, order, run
from oracle import CHAIN, TRADERS, wait_for

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def files(folder):
    """Every file below a folder, by its hash."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.join(place, name)] = hashlib.sha256(file.read()).hexdigest()
    return found


def last_batch(data):
    """Where a log's last batch begins (src/log/file/format.h)."""
    return max(place for place in range(8192, len(data), 4096) if data[place:place + 8] == b"DOJIMABT")


def last_block(path):
    """Number and hash of the block that a log's last batch names."""
    with open(path, "rb") as file:
        data = file.read()
    at = last_batch(data)
    return data[at + 40:at + 80]


def rename_last_block(path):
    """Changes the hash of the block that a log's closing batch names, and makes its checksum and trailer anew
    (src/log/file/format.h)."""
    library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    library.XXH3_64bits_withSeed.restype = ctypes.c_uint64
    with open(path, "r+b") as file:
        data = file.read()
        at = last_batch(data)
        header = bytearray(data[at:at + 120])
        header[48] ^= 1
        seed = (int.from_bytes(data[16:24], "little") + (1 << 40) + at) % 2 ** 64
        checksum = library.XXH3_64bits_withSeed(bytes(header), ctypes.c_size_t(120), ctypes.c_uint64(seed))
        header += checksum.to_bytes(8, "little")
        file.seek(at)
        file.write(header + keccak(bytes(header[80:112]) + bytes(header)))


class Convert(Case):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.old, self.new = os.path.join(self.folder.path, "data"), os.path.join(self.folder.path, "data.converted")
        self.results = os.path.join(self.folder.path, "results.txt")

    def unpack(self, name):
        with tarfile.open(os.path.join(DATA, name + ".tar.xz")) as archive:
            archive.extractall(self.folder.path)
        self.before = files(self.old)

    def convert(self, *words, code=0):
        """Its output; the old folder is never changed, and only success leaves anything."""
        done, out, err = run("convert", *words, self.old)
        self.assertEqual(done, code, (out[-2000:], err))
        self.assertEqual(files(self.old), self.before)
        self.assertEqual(os.path.exists(self.new), code == 0)
        self.assertFalse(os.path.exists(self.new + ".partial"))
        self.assertEqual(err.count("\n"), 0 if code == 0 else 1, err)
        return out, err

    def scenario(self, folder):
        done, out, err = run("log", "--scenario", folder)
        self.assertEqual(done, 0, err)
        return out.splitlines()

    def damage(self, name, at):
        path = os.path.join(self.old, name)
        with open(path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))
        self.before = files(self.old)


class Same(Convert):
    ARCHIVE = "engine6"

    def setUp(self):
        super().setUp()
        self.unpack(self.ARCHIVE)

    def commands(self, lines):
        """Sequence number and cause, and command and payload, of each."""
        return [line for line in lines if line.startswith(("# ", "command "))]

    def outcomes(self, lines):
        return [line for line in lines if line.startswith(("  result", "  refused"))]

    def test_everything_is_there(self):
        out, _ = self.convert()
        self.assertIn("all have the same events as then", out)
        self.assertIn("0 of 6 differ", out)
        code, report, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)
        with open(self.results) as file:
            then = file.read().splitlines()
        now = self.scenario(self.new)
        self.assertGreater(len(self.commands(then)), 400)
        self.assertEqual(self.commands(now), self.commands(then), "the same commands, times, nonces and signers")
        self.assertEqual(self.outcomes(now), self.outcomes(then))
        with open(os.path.join(self.old, "audit.log")) as old, open(os.path.join(self.new, "audit.log")) as new:
            self.assertEqual(new.read(), old.read())
        self.assertIn("segments, 0 of them archived", report)

    def serve(self):
        path = os.path.join(self.folder.path, "new.ini")
        with open(os.path.join(self.folder.path, "venue.ini")) as file:
            text = re.sub(r"^data = .*$", f"data = {self.new}", file.read(), flags=re.M)
        with open(path, "w") as file:
            file.write(text.replace("shadow = on", "shadow = off"))
        return Server("--config", path, command="serve", json_banner=False).wait_for_port()

    def test_the_venue_goes_on(self):
        self.convert()
        with self.serve() as server:
            a, b = (Client(server, wallet, 1001 + i) for i, wallet in enumerate(TRADERS))
            self.assertEqual([row["clOrdID"] for row in a.open_orders()], ["last", "by-key", "low", "bid"])
            self.assertEqual(b.balance("vBTC"), ("99.65001", "0"), "its scheduled cancel fell due long ago")
            self.assertEqual((Perps(a).size(), Perps(b).size()), ("0.25", "-0.25"))
            self.assertEqual([row["name"] for row in self.ok(a.get(f"/accounts/{a.address}/api-keys"))], ["desk"])
            self.assertGreaterEqual(len(a.history()), 3)
            used = self.nonce_of("last")
            again = a.place(order("again", BUY, "96000", "0.1"), nonce=used, chain_id=CHAIN)
            self.assertNotEqual(again.code, 0, "a nonce stays used")
            self.items_ok(a.place(order("fresh", BUY, "96000", "0.1"), chain_id=CHAIN))
            before = a.balance("vUSDC")[0]
            done, _, err = run("deposit", "--data", self.new, TRADERS[0].address, "vUSDC", "1234.5", "--id", "first")
            self.assertEqual((done, a.balance("vUSDC")[0]), (0, before), "an operator's id stays used: " + err)
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)

    def nonce_of(self, name):
        """The nonce under which an order was placed in the old log."""
        with open(self.results) as file:
            lines = file.read().splitlines()
        at = next(i for i, line in enumerate(lines)
                  if line.startswith("# ") and f'"clOrdID":"{name}"' in line and "batchNewOrder" in line)
        return int(lines[at + 1].split(" ")[6])

    def test_results_tell_of_prices_too(self):
        out, _ = self.convert("--results", self.results)
        self.assertIn("0 have another result, 0 the same result and another effect", out)
        self.assertRegex(out, r"prices +[0-9]+ TICKs")

    def test_another_name(self):
        place = os.path.join(self.folder.path, "elsewhere")
        done, _, err = run("convert", "--to", place, self.old)
        self.assertEqual((done, os.path.exists(self.new)), (0, False), err)
        self.assertEqual(run("verify", place)[0], 0)

    def test_a_folder_of_this_version_is_refused(self):
        self.convert()
        done, out, err = run("convert", self.new)
        self.assertEqual((done, out), (1, ""), err)
        self.assertIn("is of engine version 11 already", err)
        self.assertFalse(os.path.exists(self.new + ".converted"))

    def test_nothing_is_overwritten(self):
        for name, text in (("data.converted", "is there already"), ("data.converted.partial", "remove it first")):
            path = os.path.join(self.folder.path, name)
            os.mkdir(path)
            done, _, err = run("convert", self.old)
            self.assertEqual((done, os.listdir(path)), (1, []), err)
            self.assertIn(text, err)
            os.rmdir(path)

    def test_a_stopped_one_leaves_nothing(self):
        """The results come through a pipe: a signal reaches it when it has begun and waits for the rest of them."""
        with open(self.results, "rb") as file:
            text = file.read()
        for number in (signal.SIGTERM, signal.SIGINT):
            pipe = os.path.join(self.folder.path, f"pipe-{number}")
            os.mkfifo(pipe)
            process = subprocess.Popen([BINARY, "convert", "--results", pipe, self.old], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            with open(pipe, "wb", buffering=0) as file, contextlib.suppress(BrokenPipeError):
                file.write(text[:len(text) // 2])
                self.assertTrue(wait_for(lambda: os.path.exists(self.new + ".partial/journal-00000001.log")))
                process.send_signal(number)
                file.write(text[len(text) // 2:])
            _, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err.count(b"\n")), (1, 1), err)
            self.assertIn(b"is not converted: a signal stopped it; what was made was removed", err)
            self.assertEqual([os.path.exists(self.new + end) for end in ("", ".partial")], [False, False])
            self.assertEqual(files(self.old), self.before)
        self.convert("--results", self.results)

    def test_damage_is_refused(self):
        for name, at in (("journal-00000002.log", 8192 + 200), ("journal-00000001.log.zst", 60000)):
            self.damage(name, at)
            _, err = self.convert(code=70)
            self.assertIn("damaged" if name.endswith("log") else "cannot be", err)
            self.damage(name, at)

    def test_one_copy_of_a_header_is_enough(self):
        self.damage("journal-00000002.log", 83)
        out, _ = self.convert()
        self.assertRegex(out, "damage .*journal-00000002.log.*one copy of the header is damaged")

    def test_a_log_that_was_not_closed_is_refused(self):
        path, zeros = os.path.join(self.old, "journal-00000002.log"), bytes(4096)
        with open(path, "r+b") as file:
            data = file.read()
            last = max(at for at in range(8192, len(data), 4096) if data[at:at + 4096] != zeros)
            file.seek(last)
            file.write(zeros)                                   # the closing batch
        self.before = files(self.old)
        _, err = self.convert(code=1)
        self.assertIn("was not closed", err)

    def test_a_file_of_another_log_is_refused(self):
        with open(self.results) as file:
            text = file.read()
        for changed in (text.replace('"clOrdID":"low"', '"clOrdID":"law"', 1), text[:len(text) // 2],
                        "genesis {}\n" + text.split("\n", 1)[1]):
            with open(self.results, "w") as file:
                file.write(changed)
            _, err = self.convert("--results", self.results, code=70)
            self.assertIn("is not what `dojima log --scenario` prints", err)

    def test_a_folder_in_use_is_refused(self):
        with open(os.path.join(self.old, "lock"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.convert(code=69)

    def test_every_reader_names_the_versions_and_what_to_do(self):
        for words in (("verify", self.old), ("log", self.old), ("shadow", "--once", self.old),
                      ("explain-liquidation", self.old, "1")):
            done, _, err = run(*words)
            self.assertEqual(done, 70, (words, err))
            for text in ("engine version 6", "engine version 11", f"dojima convert {self.old}"):
                self.assertIn(text, err, words)


class Seven(Convert):
    """Of version 7 only the blocks' hashes differ: whole events were hashed (decision 940)."""
    ARCHIVE, NUMBER = "engine7", 7

    def setUp(self):
        super().setUp()
        self.unpack(self.ARCHIVE)

    def test_everything_is_there(self):
        _, _, err = run("verify", self.old)
        for text in (f"engine version {self.NUMBER}", "engine version 11", f"dojima convert {self.old}"):
            self.assertIn(text, err)
        out, _ = self.convert()
        self.assertIn(f"engine version {self.NUMBER}, ", out)
        self.assertIn("all have the same events as then", out)
        self.assertNotIn("genesis ", out)
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)
        with open(self.results) as file:
            self.assertEqual(self.scenario(self.new), file.read().splitlines())

    def test_a_block_that_comes_out_otherwise_is_refused(self):
        """The last batch names another block: its checksums and the chain are made anew, so only the replay sees it."""
        rename_last_block(os.path.join(self.old, "journal-00000001.log"))
        self.before = files(self.old)
        _, err = self.convert(code=1)
        self.assertRegex(err, "otherwise from block [0-9]+ on, and the differences are not known")
        self.assertNotIn("shadow", err)
        _, err = self.convert("--results", self.results, "--accept-differences", code=1)
        self.assertRegex(err, "its blocks come out otherwise from block [0-9]+ on, and every command as it did")


class Eight(Seven):
    """Of version 8 nothing differs where no command meets what decision 143 changed: the blocks are the same."""
    ARCHIVE, NUMBER = "engine8", 8

    def test_blocks_keep_their_hashes(self):
        self.convert()
        self.assertEqual(last_block(os.path.join(self.new, "journal-00000001.log")),
                         last_block(os.path.join(self.old, "journal-00000001.log")))


class Nine(Eight):
    """Of version 9 nothing differs where no command meets what decision 150 changed."""
    ARCHIVE, NUMBER = "engine9", 9

    def test_snapshots_to_go_back_to_are_left_behind(self):
        self.assertNotIn("snapshots", self.convert()[0])
        shutil.rmtree(self.new)
        with tarfile.open(os.path.join(DATA, "engine9-back.tar.xz")) as archive:
            archive.extract("data/savepoints", self.folder.path)
        self.before = files(self.old)
        self.assertIn("  snapshots    1 of evm_snapshot are left behind", self.convert()[0])
        self.assertFalse(os.path.exists(os.path.join(self.new, "savepoints")))


class Ten(Eight):
    """Of version 10 nothing differs where no money went into a bucket at an unknown price (decision 154)."""
    ARCHIVE, NUMBER = "engine10", 10


class Back(Convert):
    """A development folder that went back (decision 131)."""

    def setUp(self):
        super().setUp()
        self.unpack("engine9-back")

    def test_a_log_that_went_back_is_refused(self):
        out, err = self.convert(code=1)
        self.assertEqual(out, "")
        self.assertIn("which went back at command 3", err)


class Funds(Convert):
    """A purchase by funds that closes a short is refused by version 8 and filled today (decision 143)."""

    def setUp(self):
        super().setUp()
        self.unpack("engine8-funds")

    def test_what_differs_is_printed_and_accepted_by_name_only(self):
        _, err = self.convert(code=1)
        self.assertRegex(err, "this version decides otherwise from block [0-9]+ on, and the differences are not known")
        out, err = self.convert("--results", self.results, code=1)
        self.assertIn("--accept-differences", err)
        self.assertIn("  result 0 ORDER_MARGIN", out)
        self.assertIn("1 have another result", out)
        again, _ = self.convert("--accept-differences", "--results", self.results)
        self.assertTrue(again.startswith(out))
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)


class Details(Convert):
    """A refusal has other details since version 10 (decision 150): the same result with other effects."""

    def setUp(self):
        super().setUp()
        self.unpack("engine9-details")

    def test_what_differs_is_printed_and_accepted_by_name_only(self):
        _, err = self.convert(code=1)
        self.assertRegex(err, "this version decides otherwise from block [0-9]+ on, and the differences are not known")
        out, err = self.convert("--results", self.results, code=1)
        self.assertIn("--accept-differences", err)
        self.assertRegex(out, "command [0-9]+ transferAsset: the same result with other effects")
        self.assertIn("0 have another result, 1 the same result and another effect", out)
        again, _ = self.convert("--accept-differences", "--results", self.results)
        self.assertTrue(again.startswith(out))
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)


class Buckets(Convert):
    """Margin and an order into a bucket of ETH-USD while BTC-USD is halted: refused since version 11 (decision 154)."""

    def setUp(self):
        super().setUp()
        self.unpack("engine10-buckets")

    def test_what_differs_is_printed_and_accepted_by_name_only(self):
        _, err = self.convert(code=1)
        self.assertRegex(err, "this version decides otherwise from block [0-9]+ on, and the differences are not known")
        out, err = self.convert("--results", self.results, code=1)
        self.assertIn("--accept-differences", err)
        self.assertIn("  result 0 PRICES_NOT_LIVE", out)
        self.assertIn("2 have another result", out)
        again, _ = self.convert("--accept-differences", "--results", self.results)
        self.assertTrue(again.startswith(out))
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)


class Other(Convert):
    def setUp(self):
        super().setUp()
        self.unpack("engine6-early")

    def test_what_differs_must_be_known(self):
        _, err = self.convert(code=1)
        for text in ("otherwise from block 1 on", f"dojima log --scenario {self.old}",
                     f"dojima shadow --once {self.old}"):
            self.assertIn(text, err)
        os.remove(os.path.join(self.old, "snapshot-a"))
        self.before = files(self.old)
        _, err = self.convert("--accept-differences", "--results", self.results, code=1)
        self.assertIn("the differences are not known", err)

    def test_a_snapshot_that_is_damaged_proves_nothing(self):
        self.damage("snapshot-a", 5000)
        _, err = self.convert("--accept-differences", "--results", self.results, code=70)
        self.assertIn("the snapshot at the end of the log cannot be used", err)

    def test_all_of_it_is_printed_and_accepted_by_name_only(self):
        out, err = self.convert("--results", self.results, code=1)
        self.assertIn("--accept-differences", err)
        self.assertRegex(out, "command [0-9]+ newOrder: then\n  result 0 ok #1 NEW\nnow\n  result 0 ORACLE_STALE\n")
        self.assertIn("account 1001: position in BTC-USD then 0.3, now 0\n", out)
        self.assertIn("account 1001: in the perps wallet vUSDC then 999996.4, now 1000000\n", out)
        self.assertIn("3 of 4 differ", out)
        again, _ = self.convert("--accept-differences", "--results", self.results)
        self.assertTrue(again.startswith(out))
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)


class Prices(Convert):
    """TICKs of version 6 made other marks; a block with one of them has another hash, and nothing else differs."""

    def setUp(self):
        super().setUp()
        self.unpack("engine6-prices")

    def test_the_old_results_and_state_prove_what_blocks_cannot(self):
        _, err = self.convert(code=1)
        self.assertIn("otherwise from block 93 on, and the differences are not known", err)
        out, _ = self.convert("--results", self.results)
        self.assertIn("0 have another result, 0 the same result and another effect", out)
        self.assertIn("5 TICKs without a transaction have other prices", out)
        self.assertIn("0 of 4 differ", out)
        code, _, err = run("verify", "--signatures", self.new)
        self.assertEqual(code, 0, err)

    def test_one_of_them_alone_proves_nothing(self):
        os.remove(os.path.join(self.old, "snapshot-a"))
        self.before = files(self.old)
        _, err = self.convert("--results", self.results, code=1)
        self.assertIn("the differences are not known", err)


class Money(Convert):
    def test_a_fraction_of_a_balance_is_not_lost_in_silence(self):
        self.unpack("engine6-isolated")
        _, err = self.convert(code=1)
        self.assertIn("otherwise from block 12 on", err)
        out, err = self.convert("--results", self.results, code=1)
        self.assertIn("account 1002: in the perps wallet vUSDC then 994554.327333, now 994554.027333\n", out)
        self.assertIn("account 1002: isolated margin in BTC-USD then 5416.666667, now 5416.966667\n", out)
        self.assertIn("0 have another result, 3 the same result and another effect", out)
        self.assertIn("1 of 4 differ", out)


if __name__ == "__main__":
    main()
