# SPDX-License-Identifier: MIT
"""The examples of the API page as a reader copies them: for each operation the one in curl, Python and TypeScript is
run against an exchange, in the order of the contract; those in Go are all compiled, and some are run.
web/tools/samples.mjs prints them. A language is left out, with a line, where its tools or libraries cannot be had.
Operands name languages."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from eth_account_tour import install as install_eth_account
from harness import BINARY, INSTRUMENTED, ROOT, Server

VIEM = os.path.join(ROOT, "build", "clients", "viem")
GO_MODULE = """module samples

go 1.24

require (
	github.com/ethereum/go-ethereum v1.16.7
	github.com/gorilla/websocket v1.5.3
)
"""
RUN_IN_GO = ("markets/{symbol}/orderbook", "trade/orders/batch", "/perps/trade/orders", "/spot/accounts/api-keys",
             "/rpc", "/ws/spot")

# What is asked for is not there in a new exchange: no liquidation, no position.
REFUSED = (("/liquidations/ranking", 40406), ("/trade/margin", 42010))


def skip(why):
    print("SKIP the examples of the API page: " + why)
    sys.exit(77)


def shown(done):
    return done.stdout.decode(errors="replace")


def run(line, folder, key, **more):
    environment = {**os.environ, "DOJIMA_PRIVATE_KEY": key, "PATH": os.path.dirname(BINARY) + ":" + os.environ["PATH"]}
    try:
        return subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
                              env={**environment, **more})
    except subprocess.TimeoutExpired as late:
        raise SystemExit(f"{line}: no end: {(late.stdout or b'').decode(errors='replace')}") from None


def samples_of(url):
    if not shutil.which("node") or not os.path.isdir(os.path.join(ROOT, "web", "node_modules", "esbuild")):
        skip("node or the packages of web/ are not there (tools/terminal)")
    done = subprocess.run(["node", "web/tools/samples.mjs", url], cwd=ROOT, stdout=subprocess.PIPE, timeout=120)
    if done.returncode:
        raise SystemExit("web/tools/samples.mjs fails")
    return json.loads(done.stdout)


def judge(language, sample, text):
    """What the program printed is the answer of the exchange to a right request."""
    what = f"{language}, {sample['method']} {sample['path']} {sample['signed']}"
    if sample["kind"] == "stream":
        good = "101 Switching" in text if language == "curl" else '"success":true' in text and '"snapshot"' in text
    elif text.startswith('{"code":'):
        good = json.loads(text)["code"] == next((code for end, code in REFUSED if sample["path"].endswith(end)), 0)
    else:
        good = len(text.strip()) > 0 and "Traceback" not in text and "panic" not in text and "Error" not in text[:200]
    if not good:
        raise SystemExit(f"{what}:\n{sample['texts'][language]}\nprinted:\n{text[:2000]}")


class Curl:
    def __init__(self, folder):
        self.folder = folder
        if not shutil.which("bash") or not shutil.which("curl"):
            raise LookupError("bash or curl is not installed")

    def run(self, sample, key):
        done = run(["bash", "-c", sample["texts"]["curl"].replace("curl ", "curl -sS ", 1)], self.folder, key)
        return shown(done)


class Python:
    def __init__(self, folder):
        self.folder, self.python = folder, self.interpreter()
        if subprocess.run([self.python, "-m", "pip", "install", "--quiet", "websockets"], timeout=180).returncode:
            raise LookupError("pip cannot install websockets")

    @staticmethod
    def interpreter():
        try:
            return install_eth_account()
        except SystemExit:
            raise LookupError("eth-account cannot be installed") from None

    def run(self, sample, key):
        path = os.path.join(self.folder, "sample.py")
        with open(path, "w") as file:
            file.write(sample["texts"]["Python"])
        done = run([self.python, "-I", path], self.folder, key)
        if done.returncode:
            raise SystemExit(f"{sample['path']}:\n{sample['texts']['Python']}\n{shown(done)}")
        return shown(done)


class TypeScript:
    """Without its types, which the compiler checks in web/unit."""
    def __init__(self, folder):
        self.folder = folder
        if not os.path.isdir(os.path.join(VIEM, "node_modules", "viem")):
            done = subprocess.run(["npm", "install", "--prefix", VIEM, "--no-audit", "--no-fund", "viem@2"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)
            if done.returncode:
                raise LookupError("npm cannot install viem")
        os.symlink(os.path.join(VIEM, "node_modules"), os.path.join(folder, "node_modules"))
        self.flags = ["--experimental-websocket"] if self.has_no_websocket() else []
        self.has_streams = not self.flags or subprocess.run(["node", *self.flags, "-e", "new WebSocket('ws://a')"],
            stderr=subprocess.PIPE).stderr.find(b"bad option") < 0

    @staticmethod
    def has_no_websocket():
        return subprocess.run(["node", "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]).returncode == 1

    def run(self, sample, key):
        if sample["kind"] == "stream" and not self.has_streams:
            return None
        path = os.path.join(self.folder, "sample.mjs")
        with open(path, "w") as file:
            file.write(sample["texts"]["JavaScript"])
        done = run(["node", "--no-warnings", *self.flags, path], self.folder, key)
        if done.returncode:
            raise SystemExit(f"{sample['path']}:\n{sample['texts']['TypeScript']}\n{shown(done)}")
        return shown(done)


class Go:
    def __init__(self, folder):
        self.folder = folder
        if not shutil.which("go"):
            raise LookupError("go is not installed")
        with open(os.path.join(folder, "go.mod"), "w") as file:
            file.write(GO_MODULE)
        for module in ("github.com/ethereum/go-ethereum", "github.com/gorilla/websocket"):
            if self.go("mod", "download", module).returncode:
                raise LookupError(f"{module} cannot be fetched")

    def go(self, *words, key=""):
        return run(["go", *words], self.folder, key, GOFLAGS="-mod=mod", GOTOOLCHAIN="local")

    def write(self, samples):
        for number, sample in enumerate(samples):
            place = os.path.join(self.folder, f"s{number}")
            os.mkdir(place)
            with open(os.path.join(place, "main.go"), "w") as file:
                file.write(sample["texts"]["Go"])
            sample["go"] = f"./s{number}"
        done = self.go("vet", "./...")
        if done.returncode:
            raise SystemExit("the examples in Go do not compile:\n" + shown(done))

    def run(self, sample, key):
        if not sample["path"].endswith(RUN_IN_GO):
            return None
        done = self.go("run", sample["go"], key=key)
        if done.returncode:
            raise SystemExit(f"{sample['path']}:\n{sample['texts']['Go']}\n{shown(done)}")
        return shown(done)


def tour(kind):
    """All examples in one language; how many were run."""
    name = "curl" if kind is Curl else kind.__name__
    with tempfile.TemporaryDirectory(prefix="samples-") as folder:
        try:
            language = kind(folder)
        except (LookupError, OSError, subprocess.TimeoutExpired) as error:
            print(f"skipped: {name}: {error}")
            return 0
        with Server("--market", "empty") as server:
            key = server.banner["accounts"][0]["privateKey"]
            samples = [one for one in samples_of(server.banner["url"]) if one["kind"] != "feeder"]
            if kind is Go:
                language.write(samples)
            count = 0
            for sample in samples:
                text = language.run(sample, key)
                if text is not None:
                    judge(name, sample, text)
                    count += 1
    print(f"{name}: {count} examples of {len(samples)} were answered")
    return count


if __name__ == "__main__":
    if INSTRUMENTED:
        skip("they are about the page, not about this build")
    wanted = sys.argv[1:] or os.environ.get("SAMPLES", "").split()
    kinds = [kind for kind in (Curl, Python, TypeScript, Go) if not wanted or kind.__name__ in wanted]
    if sum(tour(kind) for kind in kinds) == 0:
        skip("no language could be tried")
