# SPDX-License-Identifier: MIT
"""The ccxt packages, installed into an empty place: the programs of their README, ccxt's own test routines, our checks,
each in all languages and modes. Skipped without python3-venv, npm or the network."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "clients", "ccxt", "tests")
BINARY = os.environ.get("DOJIMA", os.path.join(ROOT, "build", "release", "dojima"))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*line, cwd, seconds=400, env=None):
    """A program to its end; its output, and a failure when it fails."""
    done = subprocess.run(line, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds)
    if done.returncode != 0:
        raise AssertionError(f"{line} ended with {done.returncode}:\n{done.stdout[-6000:]}")
    return done.stdout


class Exchange:
    """A development exchange with a calm market, which ends with this process, however that ends."""

    def __enter__(self):
        line = [BINARY, "dev", "--port", "0", "--json", "--market", "calm", "--no-limits", "--until-stdin-closes"]
        self.process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        banner = json.loads(self.process.stdout.readline())
        self.accounts, self.hostname = banner["accounts"], banner["url"].split("//")[1].rstrip("/")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def package():
    """Both packages; the same bytes when they are made again."""
    made = []
    for _ in range(2):
        paths = run(os.path.join(ROOT, "tools", "package.d", "ccxt"), cwd=ROOT).split()
        made.append([(os.path.join(ROOT, path), hashlib.sha256(open(os.path.join(ROOT, path), "rb").read()).digest())
                     for path in paths])
    assert made[0] == made[1], "two packages differ"
    return [path for path, _ in made[0]]


def reached(*line, cwd, env=None):
    """An installation; whether it failed for want of the network."""
    try:
        run(*line, cwd=cwd, env=env)
    except AssertionError as error:
        if re.search(r"Temporary failure in name resolution|No matching distribution|Connection|ENOTFOUND|EAI_AGAIN|"
                     r"ECONNREFUSED|ETIMEDOUT|Network is unreachable", str(error)):
            skip(f"the registry is not reached: {line[0]}")
        raise


def install_python(folder, wheel):
    venv.create(os.path.join(folder, "python"), with_pip=True)
    python = os.path.join(folder, "python", "bin", "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    pinned = os.path.join(HERE, "requirements.txt")
    reached(*pip, "--only-binary", ":all:", "--require-hashes", "-r", pinned, cwd=folder)
    run(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
    return python


def install_javascript(folder, tarball):
    place = os.path.join(folder, "javascript")
    shutil.copytree(os.path.join(HERE, "npm"), place)
    shutil.copy(os.path.join(HERE, "bridge.mjs"), place)
    quiet = ["--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
    reached("npm", "ci", *quiet, cwd=place)
    # The registry's list of ccxt's versions is read, because ours names a range of them.
    reached("npm", "install", *quiet, "--no-save", "--no-package-lock", "--prefer-offline", tarball, cwd=place)
    return place


def programs(python, place, exchange):
    """The programs of the README trade as they stand, but for the port."""
    text = open(os.path.join(ROOT, "clients", "ccxt", "README.md"), encoding="utf-8").read()
    found = re.findall(r"```(python|js)\n(.*?)```", text, re.S)
    assert [language for language, _ in found] == ["python", "python", "js"], found
    for i, (language, program) in enumerate(found):
        name = os.path.join(place, f"program{i}." + ("py" if language == "python" else "mjs"))
        with open(name, "w", encoding="utf-8") as file:
            file.write(program.replace("127.0.0.1:8080", exchange.hostname))
        print(run(python if language == "python" else "node", name, cwd=place, seconds=60)[-300:])


def judge(python, place, program, modes, exchange):
    """A program of clients/ccxt/tests in some modes, one after the other."""
    config = os.path.join(place, f"{program}.{modes[0]}.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"hostname": exchange.hostname, "accounts": exchange.accounts, "folder": place,
                   "vectors": os.path.join(ROOT, "docs", "spec", "wire_vectors.json")}, file)
    for mode in modes:
        out = run(python, os.path.join(HERE, program), config, mode, cwd=place)
        print("\n".join(line for line in out.splitlines() if line.endswith(": passed")))


def main():
    if shutil.which("npm") is None or shutil.which("node") is None:
        skip("no npm")
    if int(subprocess.check_output(["node", "-p", "process.versions.node.split('.')[0]"])) < 20:
        skip("no node of version 20 or later: ccxt's class in JavaScript needs import.meta.resolve")
    if sys.version_info < (3, 11):
        skip("no Python of version 3.11 or later")
    try:
        import ensurepip                                                                   # noqa: F401
    except ImportError:
        skip("no python3-venv")
    wheel, tarball = package()
    with tempfile.TemporaryDirectory(prefix="dojima-ccxt-") as folder:
        python, place = install_python(folder, wheel), install_javascript(folder, tarball)
        with Exchange() as one, Exchange() as other:
            programs(python, place, one)
            # Faults on demand belong to the checks alone, so they have an exchange of their own.
            with concurrent.futures.ThreadPoolExecutor() as pool:
                rest = ["sync", "async", "javascript"]
                lanes = [pool.submit(judge, python, place, *lane) for lane in (
                    ("routines.py", rest, one), ("routines.py", ["streams"], one),
                    ("routines.py", ["javascript-streams"], one), ("checks.py", rest, other))]
                for lane in lanes:
                    lane.result()


if __name__ == "__main__":
    main()
