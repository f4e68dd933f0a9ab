# SPDX-License-Identifier: MIT
"""dojima init: a venue that starts from defaults alone, values that are taken over, and what it refuses to touch."""
import os
import stat

from harness import Case, Folder, Server, main, run

ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


class Init(Case):
    def init(self, folder, *words):
        return run("init", "--config", os.path.join(folder, "venue.ini"), "--data", os.path.join(folder, "data"),
                   *words)

    def text(self, folder):
        with open(os.path.join(folder, "venue.ini")) as file:
            return file.read()

    def line(self, folder, key):
        return [line for line in self.text(folder).splitlines() if line.startswith(f"{key} = ")]

    def test_a_venue_from_defaults_starts(self):
        with Folder() as folder:
            code, out, err = self.init(folder, "--listen", "127.0.0.1:0")
            self.assertEqual((code, err), (0, ""))
            self.assertIn("venue.ini: chain id", out)
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(folder, "venue.ini")).st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(folder, "data")).st_mode), 0o700)
            server = Server("--config", os.path.join(folder, "venue.ini"), command="serve", json_banner=False)
            try:
                server.wait_for_port()
            finally:
                server.stop()

    def test_each_venue_has_its_own_chain_id(self):
        with Folder() as one, Folder() as other:
            self.assertEqual((self.init(one)[0], self.init(other)[0]), (0, 0))
            self.assertNotEqual(self.line(one, "chainIds"), self.line(other, "chainIds"))

    def test_values_are_taken_over(self):
        with Folder() as folder:
            self.assertEqual(self.init(folder, "--chain-id", "4242", "--feeder", ADDRESS, "--operator", ADDRESS)[0], 0)
            self.assertEqual(self.line(folder, "chainIds"), ["chainIds = 4242"])
            self.assertEqual(self.line(folder, "bootstrap"), ["bootstrap = off"])
            self.assertIn(f"[feeder {ADDRESS}]\nweight = 1\n", self.text(folder))
            self.assertIn(f"[operator {ADDRESS}]\n", self.text(folder))

    def test_nothing_is_overwritten(self):
        with Folder() as folder:
            self.assertEqual(self.init(folder)[0], 0)
            before = self.text(folder)
            code, _, err = self.init(folder)
            self.assertEqual(code, 1)
            self.assertIn("is there already", err)
            self.assertEqual(self.text(folder), before)
            os.unlink(os.path.join(folder, "venue.ini"))
            with open(os.path.join(folder, "data", "journal"), "w"):
                pass
            code, _, err = self.init(folder)
            self.assertEqual(code, 1)
            self.assertIn("is not empty", err)
            self.assertFalse(os.path.exists(os.path.join(folder, "venue.ini")))

    def test_wrong_values_leave_nothing(self):
        for words in (("--chain-id", "286623"), ("--feeder", "0x12"), ("--operator", "anna"), ("--listen", "nowhere"),
                      ("--chain-id", "2147483648")):
            with Folder() as folder:
                code, _, err = self.init(folder, *words)
                self.assertEqual(code, 2, (words, err))
                self.assertEqual(err.count("\n"), 1, err)
                self.assertEqual(os.listdir(folder), [], words)
        with Folder() as folder:
            code, _, err = run("init", "--config", os.path.join(folder, "x.ini"), "--data", folder + "/a ; b")
            self.assertEqual((code, os.listdir(folder)), (2, []), err)

    def test_a_folder_that_cannot_be_made(self):
        with Folder() as folder:
            code, _, err = run("init", "--config", os.path.join(folder, "x.ini"), "--data", folder + "/no/where")
            self.assertEqual((code, os.listdir(folder)), (1, []), err)
            self.assertEqual(run("init", "--config", folder + "/no/x.ini", "--data", folder + "/data")[0], 1)


if __name__ == "__main__":
    main()
