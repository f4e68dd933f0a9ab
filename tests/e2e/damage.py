# SPDX-License-Identifier: MIT
"""Damage to the folder of the log, and remains of one: refused, or cut where a crash can have torn it, and never
repaired by guessing."""
import hashlib
import os
import random
import shutil

from harness import BUY, IOC, SELL, Case, Folder, Server, fresh_nonce, main, order, run
from durability import SEED, batches, copy, everything, fingerprint, holds, segments, verify


class Absent(Case):
    """The files of the log are gone, and the rest of the folder is there."""

    REMAINS = ("history", "snapshot-a", "audit.log")

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.data = os.path.join(cls.folder.path, "data")
        with Server("--no-limits", data=cls.data) as server:
            a = server.accounts()[0]
            assert a.place(order("is-there", BUY, "96000", "0.001")).code == 0
        assert run("shadow", "--once", cls.data, seconds=60)[0] == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder.path, ignore_errors=True)

    def left(self, name, remains):
        """A copy with these remains alone."""
        path = copy(self.folder.path, self.data, name)
        for each in os.listdir(path):
            if each not in remains:
                full = os.path.join(path, each)
                shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)
        self.assertEqual(sorted(os.listdir(path)), sorted(remains))
        return path

    def test_a_folder_with_remains_begins_no_other_log(self):
        for remains in (self.REMAINS, *((each,) for each in self.REMAINS)):
            with self.subTest(remains):
                path = self.left("-".join(remains), remains)
                code, out, err = run("dev", "--port", "0", "--data", path, seconds=60)
                self.assertEqual((code, out), (70, ""), err)
                self.assertIn(f"has {remains[0]}", err)
                self.assertIn("its log is missing", err)
                self.assertLessEqual(set(os.listdir(path)), {*remains, "audit.log", "lock"})

    def test_the_whole_folder_starts(self):
        path = copy(self.folder.path, self.data, "whole")
        with Server("--no-limits", data=path) as server:
            self.assertNotIn("missing", server.stderr())

    def test_without_the_files_that_a_snapshot_names_none_is_begun(self):
        unknown = [{"symbolID": 1, "clOrdID": "x" * 36, "origClOrdID": "y" * 36, "price": "99000.1",
                    "quantity": "0.00123"}] * 100
        data, second = os.path.join(self.folder.path, "two"), "journal-00000002.log"
        with Server("--no-limits", data=data) as server:
            a = server.accounts()[0]
            while not self.has_begun(os.path.join(data, second)):
                self.assertEqual(len(a.replace(*unknown).data), 100)
        with Server("--no-limits", data=data) as server:
            self.assertEqual(len(a.on(server).replace(*unknown).data), 100)
        self.assertEqual(run("shadow", "--once", data, seconds=60)[0], 0)
        for first, history in ((second, True), (second, False), ("journal-00000001.log", True),
                               ("journal-00000001.log", False)):
            with self.subTest(first, history=history):
                path = self.without(data, first, history)
                before = set(os.listdir(path))
                code, out, err = run("dev", "--port", "0", "--data", path, seconds=60)
                self.assertEqual((code, out), (70, ""), err)
                if first == second and not history:
                    said = (r"journal-00000001\.log, offset \d+, after seq \d+: the log ends here, but snapshot-a "
                            r"holds command \d+")
                    self.assertRegex(err, said)
                    self.assertRegex(err, r"snapshot-a is passed over: .* the log, which must reach it, is read")
                    code, _, err = run("copy-log", path, path + "-copied", seconds=60)
                    self.assertEqual(code, 70, err)
                    self.assertRegex(err, said)
                    code, _, err = run("verify", path, seconds=60)
                    self.assertEqual(code, 70, err)
                if first == second and history:
                    self.assertIn("snapshot-a is good and the log contradicts it", err)
                    self.assertIn("(put the right log back, or remove history and snapshots to go on", err)
                    self.assertNotIn("--from-genesis", err)     # the history would be refused likewise
                self.assertLessEqual({name for name in os.listdir(path) if name.startswith("journal-")}, before)
        os.remove(os.path.join(path := self.without(data, second, False), "snapshot-a"))
        with Server("--no-limits", data=path) as server:        # who gives up the end of the log removes what names it
            self.assertNotIn("gone", server.stderr())

    def without(self, data, first, history):
        """A copy without the files of the log from this one on."""
        path = copy(self.folder.path, data, f"without-{fresh_nonce()}")
        for name in os.listdir(path):
            if name.startswith("journal-") and name >= first:
                os.remove(os.path.join(path, name))
        if not history:
            shutil.rmtree(os.path.join(path, "history"))
        return path

    def test_the_log_of_another_copy_is_refused_beside_a_history(self):
        """Two copies of a folder went on apart; the one has the history of the other, up to the same command."""
        one, other = (os.path.join(self.folder.path, name) for name in ("one", "other"))
        shutil.copytree(self.data, one, ignore=shutil.ignore_patterns("*.sock", "snapshot-*"))
        shutil.copytree(one, other)
        for data, name in ((one, "one"), (other, "other")):
            with Server("--no-limits", "--market", "none", "--clock", "0", data=data) as server:
                for number in range(5):
                    item, = server.accounts()[1].place(order(f"{name}-{number}", BUY, "90000", "0.001", tif=IOC)).data
                    self.assertEqual(item["code"], 0)
        kept = {name: open(os.path.join(one, name), "rb").read() for name in os.listdir(one)
                if name.startswith("journal-")}
        for name in kept:
            with open(os.path.join(other, name), "rb") as file, open(os.path.join(one, name), "r+b") as into:
                into.write(file.read())
        for _ in range(2):              # what was refused once did not become right by that
            code, out, err = run("dev", "--port", "0", "--data", one, seconds=60)
            self.assertEqual((code, out), (70, ""), err)
            self.assertRegex(err, r"the history holds another block \d+ than the log comes to")
        for name, data in kept.items():
            with open(os.path.join(one, name), "r+b") as into:
                into.write(data)
        with Server("--no-limits", "--market", "none", "--clock", "0", data=one) as server:
            ended = [row["clOrdID"] for row in server.accounts()[1].mine("orders/history").data]
            self.assertEqual(ended[:5], [f"one-{number}" for number in range(4, -1, -1)])
            self.assertNotIn("anew", server.stderr())

    def has_begun(self, name):
        """A spare file of the log is full of zeros."""
        if not os.path.exists(name):
            return False
        with open(name, "rb") as file:
            return file.read(8) != bytes(8)

    def test_a_refused_first_start_is_no_remain(self):
        path = os.path.join(self.folder.path, "refused")
        with Server("--no-limits") as other:
            code, _, err = run("dev", "--port", str(other.port), "--data", path, seconds=60)
            self.assertEqual(code, 69, err)
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "audit.log"), "a", encoding="ascii") as file:
            for _ in range(1000):
                file.write('{"time":1,"event":"notStarted","exit":69,"reason":"\\"event\\":\\"started\\""}\n')
        with Server("--no-limits", data=path):
            self.assertIn("journal-00000001.log", os.listdir(path))

    def test_a_start_is_found_wherever_it_stands(self):
        """The audit log is read in pieces."""
        for before in (0, 16 * 1024 - 10, 16 * 1024, 40000):
            with self.subTest(before):
                path = os.path.join(self.folder.path, f"at-{before}")
                os.makedirs(path)
                with open(os.path.join(path, "audit.log"), "w", encoding="ascii") as file:
                    file.write(" " * before + '{"time":1,"event":"started"}\n')
                code, _, err = run("dev", "--port", "0", "--data", path, seconds=60)
                self.assertEqual(code, 70, err)
                self.assertIn("has audit.log", err)


class Damage(Case):
    """Copies of one folder, each damaged in its own way."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.data = os.path.join(cls.folder.path, "data")
        server = Server("--no-limits", data=cls.data)
        try:
            a, b, *_ = server.accounts()
            for index in range(40):
                a.place(*[order(f"d-{index}-{i}", BUY, "96000", "0.001") for i in range(4)])
                b.place(order(f"d-{index}", SELL, "96000", "0.002"))
            cls.before_last = everything([a])
            cls.last = a.place(order("the-last", BUY, "95500", "0.001"))
            assert cls.last.code == 0, cls.last
            server.kill()           # at once, so that the last command's batch is the end of the log
        finally:
            server.kill()
        cls.account = a
        cls.hash = None

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder.path, ignore_errors=True)

    def hurt(self, name, history=False):
        """A copy, its last segment with batches, and those batches. Without the history, which has rows of durable
        batches only: a batch that a crash tore was never durable, so no history has rows of it.
        """
        path = copy(self.folder.path, self.data, name)
        if not history:
            shutil.rmtree(os.path.join(path, "history"))
        files = [file for file in segments(path) if batches(file)]
        self.assertTrue(files, f"no batches found in {os.listdir(path)}")
        found = batches(files[-1])
        self.assertGreater(len(found), 40)
        return path, files[-1], found

    def write(self, file, offset, data):
        with open(file, "r+b") as stream:
            stream.seek(offset)
            stream.write(data)

    def assert_cut_and_reported(self, path, survivors):
        """verify and start both report the torn tail; start continues with the whole batches and keeps a copy."""
        code, out, err = run("verify", path, seconds=60)
        self.assertEqual(code, 0, out + err)
        self.assertIn("torn", (out + err).lower())
        server = Server("--no-limits", data=path)
        try:
            self.assertIn("torn", server.stderr().lower())
            ids = [o["clOrdID"] for o in self.account.on(server).open_orders()]
            self.assertEqual("the-last" in ids, survivors)
            self.items_ok(self.account.on(server).place(order("goes-on", BUY, "95400", "0.001")))
            server.kill()
            kept = [name for base, _, names in os.walk(path) for name in names if ".torn" in name]
            self.assertTrue(kept, "the cut bytes are kept")
            server = Server("--no-limits", data=path)
            self.assertNotIn("torn", server.stderr().lower(), "cut once, whole afterwards")
            self.assertIn("goes-on", [o["clOrdID"] for o in self.account.on(server).open_orders()])
        finally:
            server.kill()

    def assert_refused(self, path, file):
        """Exit 70 with a message that names the place; the folder is not written to."""
        before = fingerprint(path)
        code, out, err = run("verify", path, seconds=60)
        self.assertEqual(code, 70, out + err)
        self.assertIn(os.path.basename(file), out + err)
        self.assertRegex(out + err, r"\d{4,}", "and says where")
        code, out, err = run("dev", "--port", "0", "--data", path, seconds=60)
        self.assertEqual((code, out), (70, ""), err)
        self.assertIn(os.path.basename(file), err)
        self.assertEqual(fingerprint(path), before, "a damaged folder is left as it is")

    def test_the_copy_itself_is_whole(self):
        path, _, _ = self.hurt("whole")
        hash_value = verify(self, path)
        self.assertEqual(verify(self, path, "--signatures"), hash_value)
        before = fingerprint(path)
        verify(self, path)
        self.assertEqual(fingerprint(path), before, "verify never writes")
        held = holds(self, path)
        server = Server("--no-limits", data=path)
        try:
            self.assertNotIn("torn", server.stderr().lower())
            self.assertIn("the-last", [o["clOrdID"] for o in self.account.on(server).open_orders()])
        finally:
            server.kill()
        self.assertEqual(holds(self, path), held)

    def test_half_a_last_batch_is_cut(self):
        for name, keep in (("header", 0.02), ("half", 0.5), ("nearly", 0.97)):
            with self.subTest(name):
                path, file, found = self.hurt("torn-" + name)
                start, size = found[-1]
                cut = start + int(size * keep)
                self.write(file, cut, b"\0" * (start + size - cut))
                self.assert_cut_and_reported(path, survivors=False)

    def test_a_flipped_byte_in_the_last_batch_is_a_torn_tail(self):
        path, file, found = self.hurt("flip-last")
        self.flip(file, found[-1][0] + found[-1][1] - 20)
        self.assert_cut_and_reported(path, survivors=False)

    def test_a_lost_end_that_the_history_knows_refuses_to_start(self):
        """Zeros from some batch on look as if nothing had been written there; the history has the rows of it."""
        path, _, _ = self.hurt("known", history=True)
        server = Server("--no-limits", data=path)
        self.items_ok(self.account.on(server).place(order("known", BUY, "90000", "0.001", tif=IOC)))
        server.stop()                                   # pending rows are written to the history
        file = [name for name in segments(path) if batches(name)][-1]
        self.write(file, batches(file)[-2][0], b"\0" * 65536)
        before, whole = fingerprint(path), every_file(path)
        code, out, err = run("verify", path, seconds=60)
        self.assertEqual((code, out), (70, ""), err)
        self.assertIn("the history holds command", err)
        code, _, err = run("copy-log", path, path + "-copied", seconds=60)
        self.assertEqual(code, 70, err)
        self.assertIn("the history holds command", err)
        self.assertEqual(every_file(path), whole, "verify and copy-log write nothing there")
        code, out, err = run("dev", "--port", "0", "--data", path, seconds=60)
        self.assertEqual((code, out), (70, ""), err)
        self.assertIn("the history holds command", err)
        self.assertEqual(fingerprint(path), before, "a damaged folder is left as it is")
        shutil.rmtree(os.path.join(path, "history"))
        self.assertEqual(run("verify", path, seconds=60)[0], 0, "nothing else names the end")
        self.assertEqual(run("copy-log", path, path + "-copied", seconds=60)[0], 0, "and what was copied is continued")

    def test_bytes_that_fill_a_block_are_looked_at(self):
        path, file, found = self.hurt("padding")
        start, size = found[len(found) // 2]
        self.flip(file, (start + size + 4095) // 4096 * 4096 - 1)
        self.assert_refused(path, file)

    def test_noise_behind_the_last_batch_is_cut(self):
        path, file, found = self.hurt("noise")
        end = (sum(found[-1]) + 4095) // 4096 * 4096
        self.write(file, end, random.Random(1).randbytes(3000))
        self.assert_cut_and_reported(path, survivors=True)

    def flip(self, file, offset):
        with open(file, "rb") as stream:
            stream.seek(offset)
            byte = stream.read(1)[0]
        self.write(file, offset, bytes([byte ^ 0x10]))

    def test_damage_in_the_middle_refuses_to_start(self):
        dice, number = random.Random(SEED), 0
        for where in ("magic", "length", "header", "record", "signed bytes", "trailer", "anywhere", "anywhere",
                      "anywhere"):
            path, file, found = self.hurt(f"middle-{number}")
            start, size = found[dice.randrange(2, len(found) - 5)]
            offset = start + {"magic": 3, "length": 8, "header": 90, "record": 130, "signed bytes": size // 2,
                              "trailer": size - 7,
                              "anywhere": dice.randrange(size)}[where]
            with self.subTest(where=where, offset=offset):
                self.flip(file, offset)
                self.assert_refused(path, file)
            shutil.rmtree(path)
            number += 1

    def test_damage_in_both_headers_of_the_segment_refuses_to_start(self):
        path, file, _ = self.hurt("headers")
        self.flip(file, 20)
        one = verify(self, path)                        # one good copy is enough
        self.assertTrue(one)
        self.flip(file, 4096 + 20)
        self.assert_refused(path, file)

    def test_a_changed_genesis_refuses_to_start(self):
        path, file, _ = self.hurt("genesis")
        self.flip(segments(path)[0], 8192 + 30)
        self.assert_refused(path, segments(path)[0])

    def test_a_missing_block_in_the_middle_refuses_to_start(self):
        path, file, found = self.hurt("hole")
        self.write(file, found[len(found) // 2][0], b"\0" * 4096)
        self.assert_refused(path, file)

    def test_two_batches_swapped_refuse_to_start(self):
        path, file, found = self.hurt("swapped")
        middle = found[len(found) // 2][0]
        with open(file, "rb") as stream:
            stream.seek(middle)
            first, second = stream.read(4096), stream.read(4096)
        self.assertEqual(second[:8], b"DOJIMABT")
        self.write(file, middle, second + first)
        self.assert_refused(path, file)

    def test_a_batch_repeated_over_the_next_refuses_to_start(self):
        path, file, found = self.hurt("repeated")
        middle = found[len(found) // 2][0]
        with open(file, "rb") as stream:
            stream.seek(middle)
            first = stream.read(4096)
        self.write(file, middle + 4096, first)
        self.assert_refused(path, file)

    def test_a_lost_history_is_built_again_from_the_log(self):
        for name, lost in (("whole", None), ("rows", "data.mdb"), ("note", "state")):
            with self.subTest(name):
                path = copy(self.folder.path, self.data, "no-" + name)
                store = os.path.join(path, "history")
                os.remove(os.path.join(store, lost)) if lost else shutil.rmtree(store)
                server = Server("--no-limits", data=path)
                try:
                    a = self.account.on(server)
                    self.assertEqual(a.mine("trades", "?limit=1000").data, self.before_last[0]["trades"])
                    self.assertEqual(a.mine("orders/history", "?limit=500").data, self.before_last[0]["orders/history"])
                finally:
                    server.kill()


def every_file(data):
    """All files of a folder: their bytes, and when they were changed."""
    found = {}
    for place, _, names in os.walk(data):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[path] = (os.stat(path).st_mtime_ns, hashlib.sha256(file.read()).hexdigest())
    return found


if __name__ == "__main__":
    main()
