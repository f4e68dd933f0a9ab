# SPDX-License-Identifier: MIT
"""action.yml as a GitHub runner would play it: the step, the steps of a job that trade, the step behind them."""
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
from harness import BINARY, ROOT, Case, Client, Folder, Wallet, main, order      # noqa: E402
from roles import free_ports                                                     # noqa: E402

NODE = shutil.which("node")
NAME = "dojima-linux-arm64" if os.uname().machine == "aarch64" else "dojima-linux-x86_64"


class Releases(http.server.ThreadingHTTPServer):
    """The files of a release, as a server of releases has them."""

    def __init__(self, files):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = outer.files.get(self.path)
                self.send_response(404 if body is None else 200)
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Action(Case):
    def setUp(self):
        if NODE is None or int(re.match(r"v(\d+)", subprocess.check_output([NODE, "-v"], text=True))[1]) < 18:
            self.skipTest("no node of version 18 or later")
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.told = {}

    def play(self, script, inputs, state=None):
        """A step of a job: what it printed and its exit code; what it told the runner is in self.told."""
        environment = {"PATH": os.environ["PATH"], "RUNNER_TEMP": self.folder.path}
        environment.update({f"INPUT_{name.upper()}": value for name, value in inputs.items()})
        environment.update({f"STATE_{name}": value for name, value in (state or {}).items()})
        for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STATE"):
            environment[name] = os.path.join(self.folder.path, name)
            with open(environment[name], "w", encoding="ascii"):
                pass
        with open(os.path.join(ROOT, "action.yml"), encoding="ascii") as file:
            path = re.search(rf"^  {script}: (\S+)$", file.read(), re.M)[1]
        done = subprocess.run([NODE, os.path.join(ROOT, path)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=60)
        for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STATE"):
            with open(environment[name], encoding="ascii") as file:
                self.told[name] = {found[1]: found[3]
                                   for found in re.finditer(r"(\w+)<<(\S+)\n(.*?)\n\2\n", file.read(), re.S)}
        return done.returncode, done.stdout + done.stderr

    def post(self, state):
        code, text = self.play("post", {}, state)
        self.assertEqual(code, 0, text)
        return text

    def started(self, **inputs):
        code, text = self.play("main", {"port": "0", "options": "--market none", **inputs})
        self.assertEqual(code, 0, text)
        state = self.told["GITHUB_STATE"]
        self.addCleanup(lambda: os.path.exists(f"/proc/{state['pid']}") and os.kill(int(state["pid"]), 9))
        return state

    def trade(self):
        about = json.loads(self.told["GITHUB_OUTPUT"]["json"])
        self.assertEqual(self.told["GITHUB_ENV"]["DOJIMA_URL"], about["url"])
        place = types.SimpleNamespace(port=int(about["url"].rsplit(":", 1)[1]))
        seller, buyer = (Client(place, Wallet(each["privateKey"]), each["accountID"]) for each in about["accounts"][:2])
        self.ok(seller.place(order("maker", 2, "100000", "0.01")))
        self.ok(buyer.place(order("taker", 1, "100000", "0.01")))
        self.assertEqual([row["status"] for row in buyer.history()], ["FILLED"])

    def ended(self, state):
        for _ in range(200):
            if not os.path.exists(f"/proc/{state['pid']}"):
                return
            time.sleep(0.05)
        self.fail("the exchange outlives the job")

    def refused(self, words, **inputs):
        code, text = self.play("main", {"port": "0", "options": "--market none", **inputs})
        self.assertEqual(code, 1, text)
        self.assertIn("::error title=dojima::", text)
        self.assertIn(words, text)
        self.assertEqual(self.told["GITHUB_OUTPUT"], {})

    def test_a_job_trades_between_step_and_post_step(self):
        state = self.started(binary=BINARY)
        self.trade()
        self.assertIn("::group::dojima", self.post(state))
        self.ended(state)

    def test_a_release_is_fetched_and_compared_with_its_sums(self):
        with open(BINARY, "rb") as file:
            program = file.read()
        sums = f"{'0' * 64}  another\n{hashlib.sha256(program).hexdigest()}  {NAME}\n".encode()
        releases = Releases({f"/r/v9.9.9/{NAME}": program, "/r/v9.9.9/SHA256SUMS": sums})
        self.addCleanup(releases.server_close)
        self.addCleanup(releases.shutdown)
        place = {"releases": f"http://127.0.0.1:{releases.server_port}/r/", "version": "v9.9.9"}
        state = self.started(**place)
        self.assertTrue(self.told["GITHUB_OUTPUT"]["binary"].startswith(self.folder.path))
        self.trade()
        self.post(state)
        self.ended(state)

        releases.files[f"/r/v9.9.9/{NAME}"] = program + b"!"
        self.refused("has the SHA-256", **place)
        releases.files["/r/v9.9.9/SHA256SUMS"] = b"nothing\n"
        self.refused(f"does not name {NAME}", **place)
        self.refused("answers 404", **{**place, "version": "v1.0.0"})

    def test_an_exchange_that_ended_meanwhile_is_told(self):
        state = self.started(binary=BINARY)
        os.kill(int(state["pid"]), 9)
        self.ended(state)
        self.assertIn("had ended before the job did", self.post(state))

    def test_what_cannot_start_fails_the_step_with_the_reason(self):
        self.refused("names /nowhere, which is not there", binary="/nowhere")
        self.refused("must be 0 to 65535", binary=BINARY, port="65536")
        self.refused("--no-such-option", binary=BINARY, options="--no-such-option")
        self.refused("name the input version")
        self.refused("cannot be fetched", version="v1", releases=f"http://127.0.0.1:{free_ports(1)}")
        state = self.started(binary=BINARY)
        port = self.told["GITHUB_OUTPUT"]["url"].rsplit(":", 1)[1]
        self.refused("in use", binary=BINARY, port=port)
        self.post(state)

    def test_the_step_behind_one_that_failed_says_nothing(self):
        self.assertEqual(self.post({}), "")


if __name__ == "__main__":
    main()
