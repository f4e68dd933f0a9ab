# SPDX-License-Identifier: MIT
"""The npm packages of clients/typescript, packed, installed from their tarballs into an empty folder, and used there:
the examples of the README trade under vitest, node:test and node, another program's types hold, and a bundle for
browsers has nothing of Node.js. On another folder npm installs the package for arm64, whose program qemu runs. Skipped
(77) where npm or its registry cannot be had."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
CLIENT = os.path.join(ROOT, "clients", "typescript")
# Packages of the README's reader, at the versions of our own lock file.
LOCK = json.load(open(os.path.join(CLIENT, "package-lock.json"), encoding="utf-8"))["packages"]
BESIDE = [f"{name}@{LOCK['node_modules/' + name]['version']}" for name in ("vitest", "vite", "viem", "typescript")]

TYPES = """
import { Account, Client, type Placed, type Spec, startExchange } from 'dojima';
import { test } from 'dojima/vitest';

export async function place(url: string, privateKey: string): Promise<Placed> {
  const account = new Account(new Client({ url, privateKey }));
  const symbols: Spec.SpotSymbol[] = await account.client.spot.symbols();
  // @ts-expect-error a price is never a number
  await account.spot.buy({ symbol: 'x', price: 1.5, quantity: '1' });
  return account.spot.buy({ symbol: symbols[0]!.name, price: 1n, quantity: '1' });
}
test('types', async ({ exchange }) => void exchange.accounts[0]!.address);
export const started = startExchange({ market: 'none' });
"""

BESIDE_AN_EXCHANGE = """
import { spawn } from 'node:child_process';
import { startExchange } from 'dojima';

const exchange = await startExchange();
const [first] = exchange.accounts;
const env = { ...process.env, DOJIMA_URL: exchange.url, DOJIMA_PRIVATE_KEY: first.privateKey };
const child = spawn(process.execPath, ['client.mjs'], { env, stdio: 'inherit' });
process.exitCode = await new Promise((done) => child.once('close', done));
await exchange.stop();
"""

TRADE = """
import { startExchange } from 'dojima';

const exchange = await startExchange({ market: 'none' });
await exchange.account(1).spot.sell({ symbol: 'vBTC_vUSDC', price: '100000', quantity: '0.5' });
const { status } = await exchange.account(0).spot.buy({ symbol: 'vBTC_vUSDC', price: '100000', quantity: '0.2' });
const trades = await exchange.account(0).spot.trades();
await exchange.stop();
console.log(status, trades.length);
"""

PAGE = """
import { Account, Client, decimal } from 'dojima';
const client = new Client({ url: location.origin, privateKey: `0x${'1'.repeat(64)}` });
void new Account(client).spot.buy({ symbol: 'vBTC_vUSDC', price: decimal('1'), quantity: '1' });
"""


def run(folder, *command, seconds=300, **more):
    """What a program printed; it must succeed. Without DOJIMA_BINARY: the installed program is meant."""
    env = {name: value for name, value in os.environ.items() if name not in ("DOJIMA_BINARY", "NODE_PATH")}
    env.update(more)
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds)
    assert done.returncode == 0, f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def packed(into):
    done = subprocess.run([os.path.join(ROOT, "tools", "package.d", "typescript"), into], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode == 77:
        print(done.stdout.strip().splitlines()[-1])
        sys.exit(77)
    assert done.returncode == 0, done.stdout
    return sorted(glob.glob(os.path.join(into, "*.tgz")))


def install(folder, *what, **wanted):
    """The last lines of npm when it cannot."""
    write(folder, "package.json", json.dumps({"private": True, "type": "module", **wanted}))
    done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error",
                           *what], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return done.stdout.strip().splitlines()[-3:] if done.returncode != 0 else None


def examples(folder):
    """The programs of the README; each names its file in its first line."""
    text = open(os.path.join(CLIENT, "README.md"), encoding="utf-8").read()
    found = re.findall(r"```js\n// (\S+)\n(.*?)```", text, re.DOTALL)
    for name, body in found:
        write(folder, name, body)
    assert [name for name, _ in found] == ["trade.test.mjs", "stop.test.mjs", "alone.mjs", "client.mjs"], found


def trade(folder):
    vitest = os.path.join("node_modules", ".bin", "vitest")
    assert re.search(r"Tests\s+2 passed", re.sub(r"\x1b\[\d+m", "", run(folder, vitest, "run", "trade.test.mjs")))
    assert "fail 0" in run(folder, "node", "--test", "stop.test.mjs")
    run(folder, "node", "alone.mjs")
    write(folder, "with.mjs", BESIDE_AN_EXCHANGE)
    said = run(folder, "node", "with.mjs")
    assert "42001" in said and "99000" in said, said


def types(folder):
    write(folder, "types.ts", TYPES)
    tsc = os.path.join("node_modules", ".bin", "tsc")
    for resolution in (["--module", "NodeNext"], ["--module", "ESNext", "--moduleResolution", "bundler"]):
        run(folder, tsc, "--noEmit", "--strict", "--target", "ES2022", "--lib", "ES2023,DOM", "--skipLibCheck",
            "--types", "", *resolution, "types.ts")


def bundle(folder):
    write(folder, "page.js", PAGE)
    write(folder, "index.html", '<script type="module" src="/page.js"></script>\n')
    said = run(folder, os.path.join("node_modules", ".bin", "vite"), "build")
    assert "externalized" not in said, said
    built = glob.glob(os.path.join(folder, "dist", "assets", "*.js"))
    text = "".join(open(file, encoding="utf-8").read() for file in built)
    assert "batchNewOrder" in text and "ExchangeAction" in text
    for word in ("node:", "__vite-browser-external", "child_process"):
        assert word not in text, word
    return sum(os.path.getsize(file) for file in built)


def lacking_for_arm64(tarballs):
    if not any("linux-arm64" in file for file in tarballs):
        return "there is no dist/dojima-linux-arm64: tools/package static makes it"
    if shutil.which("qemu-aarch64") is None:
        return "no qemu-aarch64: tools/setup package installs it"
    version = subprocess.run(["npm", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    # Older ones look at the machine they run on.
    return None if int(version.split(".")[0]) >= 9 else f"npm {version} installs for this machine only"


def arm64(folder, tarballs):
    """Of both platforms' packages npm takes that processor's, and its program serves and trades. They are optional, as
    in the package dojima: npm holds one that is not against the processor it runs on."""
    why = lacking_for_arm64(tarballs)
    if why is None:
        names = {file: re.sub(r"^dojima-(linux-\w+)-.*", r"@dojima/\1", os.path.basename(file)) for file in tarballs}
        optional = {name: f"file:{file}" for file, name in names.items() if name.startswith("@")}
        mine, = [file for file in tarballs if not names[file].startswith("@")]
        why = install(folder, "--cpu=arm64", "--os=linux", dependencies={"dojima": f"file:{mine}"},
                      optionalDependencies=optional)
    if why is not None:
        print("arm64: skipped:", why)
        return
    platforms = os.path.join(folder, "node_modules", "@dojima")
    assert os.listdir(platforms) == ["linux-arm64"], os.listdir(platforms)
    program, wrapper = os.path.join(platforms, "linux-arm64", "bin", "dojima"), os.path.join(folder, "dojima")
    with open(program, "rb") as file:
        assert file.read(20)[18] == 183, "not a program for AArch64"
    write(folder, "dojima", f'#!/bin/sh\nexec qemu-aarch64 {shlex.quote(program)} "$@"\n')
    os.chmod(wrapper, 0o755)
    write(folder, "trade.mjs", TRADE)
    said = run(folder, "node", "trade.mjs", DOJIMA_BINARY=wrapper)
    assert said == "FILLED 1\n", said
    print("arm64: installed, and its program trades")
    nothing_stays(folder)


def nothing_stays(folder):
    for file in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            line = open(file, "rb").read()
        except OSError:
            continue
        assert folder.encode() not in line, line
    assert not glob.glob(os.path.join(folder, "tmp", "dojima-*"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tarballs = packed(os.path.join(folder, "packages"))
        machine = {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]
        mine = [file for file in tarballs if "linux" not in file or f"linux-{machine}" in file]
        assert len(mine) == 2, tarballs
        empty = os.path.join(folder, "empty")
        os.makedirs(os.path.join(empty, "tmp"))
        os.environ["TMPDIR"] = os.path.join(empty, "tmp")
        began = time.monotonic()
        why = install(empty, *mine, *BESIDE)
        if why is not None:
            print("skipped: npm cannot install the packages:", why)
            sys.exit(77)
        installed = time.monotonic()
        examples(empty)
        trade(empty)
        print(f"installed in {installed - began:.1f} s, examples in {time.monotonic() - installed:.1f} s")
        types(empty)
        print(f"bundle for browsers: {bundle(empty)} bytes, packages: "
              + ", ".join(f"{os.path.basename(file)} {os.path.getsize(file)}" for file in tarballs))
        nothing_stays(empty)
        other = os.path.join(folder, "arm64")
        os.mkdir(other)
        arm64(other, tarballs)


main()
