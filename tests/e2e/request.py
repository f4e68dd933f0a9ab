# SPDX-License-Identifier: MIT
"""dojima request: any operator's command by its type and fields, and the lines of the console."""
import json
import os
import pty
import re
import select
import subprocess
import time

from harness import BINARY, Case, Folder, Server, main, run


def total(account, account_id):
    rows = account.mine("balances", f"?accountID={account_id}").data["balances"]
    return next((row["total"] for row in rows if row["coin"] == "vUSDC"), "0")


class Request(Case):
    def request(self, *words, code=0, json_output=False):
        done, out, err = run("request", "--data", self.server.banner["data"], *(["--json"] if json_output else []),
                             *words)
        self.assertEqual(done, code, (out, err))
        if code == 0:
            self.assertEqual(err, "")
        else:
            self.assertEqual((out, len(err.strip().splitlines())), ("", 1), err)
        return err if code else json.loads(out)["data"] if json_output else out

    def refused(self, *words, needs, code=2):
        err = self.request(*words, code=code)
        for need in needs:
            self.assertIn(need, err)

    def test_types_and_fields_are_listed(self):
        code, out, err = run("request", "--help")
        self.assertEqual((code, err), (0, ""))
        for name in ("account", "deposit", "transferBetween", "cancelOrders", "keep", "fromAccountID=",
                     "[accountID=]"):
            self.assertIn(name, out)
        self.assertNotIn("id=", out.replace("ID=", ""), "the id is an option")
        self.assertNotIn("batchNewOrder", out)

    def test_commands_are_sent_and_mistakes_are_not(self):
        with Server() as self.server:
            owner = self.server.accounts()[0]
            self.assertIn(" is open", self.request("account", f"address={owner.address}"))
            opened = self.request("account", f"address={owner.address}", json_output=True)["accountID"]

            to_opened = ("deposit", f"address={owner.address}", "engine=spot", "coin=vUSDC", "amount=7.5",
                         f"accountID={opened}")
            out = self.request(*to_opened, "--id", "first")
            self.assertIn(f"7.5 vUSDC to {owner.address}, account {opened}, spot\n  id  first\n  tx  0x", out)
            self.request(*to_opened, "--id", "first")
            self.assertEqual(total(owner, opened), "7.5", "the same again changes nothing")

            move = ("transferBetween", f"fromAccountID={opened}", f"toAccountID={owner.id}", "engine=spot",
                    "coin=vUSDC", "amount=2")
            data = self.request(*move, "--id", "move", json_output=True)
            self.assertEqual((data["type"], data["params"]["id"], data["accountID"]),
                             ("transferBetween", "move", owner.id))
            self.assertIn(f"2 vUSDC from account {opened} to account {owner.id}, spot", self.request(*move))
            self.assertEqual(total(owner, opened), "3.5")

            self.refused("transferBetwixt", needs=("transferBetwixt", "transferBetween", "deposit"))
            self.refused("batchNewOrder", needs=("batchNewOrder", "deposit"))
            self.refused(*move, "fee=1", needs=('"fee"', "fromAccountID", "amount"))
            self.refused(*move, "id=mine", needs=('"id"', "fromAccountID"))
            self.refused(*move, "amount", needs=("KEY=VALUE",))
            self.refused(*move, "amount=3", needs=("amount",))
            self.refused(*move[:-1], needs=("amount=", "How much"))
            self.refused(*move[:-1], "amount=-2", needs=("amount",))
            self.refused(*move[:-3], "engine=both", *move[-2:], needs=("engine", "spot, perps"))
            self.refused(move[0], 'fromAccountID=1,"toAccountID":2', *move[2:], needs=("a whole number",))
            self.refused(*move[:-1], "amount=100", needs=("42001", "3.5"), code=1)
            self.assertEqual(total(owner, opened), "3.5", "what was refused changed nothing")

            digest = run("request", "--data", self.server.banner["data"], *move, "--id", "signed", "--digest")
            self.assertEqual(digest[0], 0, digest)
            self.assertRegex(digest[1], r"^dojima sign operator transferBetween '\{.*\}' --chain \d+\n0x[0-9a-f]{64}\n")
            self.assertEqual(total(owner, opened), "3.5")

    def test_without_words_or_exchange(self):
        self.assertEqual(run("request")[0], 2)
        with Folder() as folder:
            code, out, err = run("request", "--data", folder, "mode", "mode=RUN")
            self.assertEqual((code, out), (1, ""), err)
            self.assertIn("no exchange is running", err)


class Console(Case):
    def read_until(self, terminal, pattern, seconds=30):
        text, deadline = "", time.monotonic() + seconds
        while not re.search(pattern, text) and time.monotonic() < deadline:
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536).decode(errors="replace")
        self.assertRegex(text, pattern)
        return text

    def test_a_command_without_a_text_of_its_own_shows_its_params(self):
        with Folder() as folder:
            data = os.path.join(folder, "data")
            terminal, theirs = pty.openpty()
            process = subprocess.Popen([BINARY, "dev", "--port", "0", "--data", data], stdout=theirs,
                                       stderr=subprocess.DEVNULL)
            os.close(theirs)
            try:
                self.read_until(terminal, "/api/v1/spot")
                code, _, err = run("request", "--data", data, "market", "symbol=vBTC_vUSDC", "status=HALT", "--id", "h")
                self.assertEqual((code, err), (0, ""))
                line = r'market \{"id":"h","symbol":"vBTC_vUSDC","status":"HALT"\} -> ok'
                self.read_until(terminal, line)
                code, _, err = run("request", "--data", data, "mode", "mode=CANCEL_ONLY")
                self.assertEqual((code, err), (0, ""))
                self.read_until(terminal, "mode CANCEL_ONLY -> ok")
            finally:
                process.terminate()
                process.wait(30)
                os.close(terminal)


if __name__ == "__main__":
    main()
