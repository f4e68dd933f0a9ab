# SPDX-License-Identifier: MIT
"""dist/*.deb: lintian has no error and no warning, and in a root of Debian 12 and one of 13 the package is installed,
runs as its unit says and as its user, trades, is upgraded and reinstalled with its data, removed and purged. The roots
are kept in DOJIMA_ROOTS, by default /var/cache/dojima-packages; each run works on a copy."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOTS = os.environ.get("DOJIMA_ROOTS", "/var/cache/dojima-packages")
MIRROR = "http://deb.debian.org/debian"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
CONFIG, DATA = "etc/dojima/dojima.ini", "var/lib/dojima"
# Address and private key; the program refuses the keys of development accounts here.
SELLER = ("0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a", "0x" + 32 * "11")
BUYER = ("0x1563915e194d8cfba1943570603f7606a3115508", "0x" + 32 * "22")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def newest(pattern):
    files = sorted(glob.glob(os.path.join(ROOT, "dist", pattern)), key=os.path.getmtime)
    return files[-1] if files else None


def base(release):
    """The root of a release, made once: with the package's dependencies, so that a test downloads nothing more."""
    place = os.path.join(ROOTS, release)
    if not os.path.isdir(place):
        os.makedirs(ROOTS, exist_ok=True)
        part = f"{place}.{os.getpid()}"
        done = subprocess.run(["debootstrap", "--variant=minbase", release, part, MIRROR], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=900)
        if done.returncode != 0:
            shutil.rmtree(part, ignore_errors=True)
            skip(f"no root of {release}: {done.stdout.decode().strip().splitlines()[-1]}")
        os.rename(part, place)
    return place


class Root:
    """A copy of a root of Debian, without a service manager."""

    def __init__(self, release):
        self.path = tempfile.mkdtemp(prefix=f"dojima-{release}-")
        self.running = None
        subprocess.run(["cp", "-a", "--reflink=auto", base(release) + "/.", self.path], check=True, timeout=300)
        shutil.copy("/etc/resolv.conf", self.at("etc/resolv.conf"))
        with open(self.at("usr/sbin/policy-rc.d"), "w") as file:
            file.write("#!/bin/sh\nexit 101\n")
        os.chmod(self.at("usr/sbin/policy-rc.d"), 0o755)

    def close(self):
        if self.running is not None:
            self.stop()
        shutil.rmtree(self.path, ignore_errors=True)

    def at(self, *names):
        return os.path.join(self.path, *names)

    def run(self, *words, check=True, user=False, timeout=600):
        """What it prints; with `user` as the user of the package."""
        who = ["--userspec=%d:%d" % self.user()] if user else []
        done = subprocess.run(["chroot", *who, self.path, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=ENVIRONMENT, timeout=timeout)
        text = done.stdout.decode()
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.returncode}\n{text[-3000:]}")
        return text

    def install(self, file):
        shutil.copy(file, self.at("tmp"))
        return self.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "/tmp/" + os.path.basename(file))

    def user(self):
        with open(self.at("etc/passwd")) as file:
            row = [line.split(":") for line in file if line.startswith("dojima:")][0]
        return int(row[2]), int(row[3])

    def command_line(self):
        """User and ExecStart of the unit."""
        unit = next(path for path in (self.at("lib/systemd/system/dojima.service"),
                                      self.at("usr/lib/systemd/system/dojima.service")) if os.path.exists(path))
        with open(unit) as file:
            text = file.read()
        assert re.search("^User=(.*)$", text, re.MULTILINE).group(1) == "dojima"
        return re.search("^ExecStart=(.*)$", text, re.MULTILINE).group(1).split()

    def start(self):
        """As the service manager would: that user, that command line, in the unit's state folder."""
        words, (uid, gid) = self.command_line(), self.user()
        with open(self.at("tmp/log"), "w") as log:
            self.running = subprocess.Popen(["chroot", f"--userspec={uid}:{gid}", self.path, *words], stdout=log,
                                            stderr=log, env=ENVIRONMENT)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with open(self.at("tmp/log")) as file:
                text = file.read()
            found = re.search(r"serving on [^ \"]*:(\d+)", text)
            if found:
                return int(found.group(1))
            if self.running.poll() is not None:
                raise AssertionError(text)
            time.sleep(0.1)
        raise AssertionError("it does not serve: " + text)

    def stop(self):
        self.running.send_signal(signal.SIGTERM)
        code = self.running.wait(60)
        self.running = None
        return code


def higher(package, folder):
    """The same package under a higher version."""
    place, made = os.path.join(folder, "tree"), os.path.join(folder, "dojima_99_amd64.deb")
    subprocess.run(["dpkg-deb", "-R", package, place], check=True)
    path = os.path.join(place, "DEBIAN", "control")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(re.sub("^Version: .*$", "Version: 99", text, flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", place, made], check=True, stdout=subprocess.DEVNULL)
    return made


class Deb(unittest.TestCase):
    package, docs = newest("dojima_*.deb"), newest("dojima-doc_*.deb")

    def test_lintian(self):
        if not shutil.which("lintian"):
            self.skipTest("SKIP lintian is not installed")
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", self.package, self.docs],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def trade(self, root, port):
        """The operator deposits, one user sells and another one buys it; how many trades there are then."""
        url = f"http://127.0.0.1:{port}"

        def client(key, *words):
            root.run("env", f"DOJIMA_KEY={key}", "dojima", *words)
        for address, coin, amount in ((SELLER[0], "vBTC", "1"), (BUYER[0], "vUSDC", "5000")):
            root.run("dojima", "deposit", "--data", "/" + DATA, address, coin, amount, user=True)
        client(SELLER[1], "sell", "0.01", "vBTC_vUSDC", "@", "100000", "--url", url)
        client(BUYER[1], "buy", "0.01", "vBTC_vUSDC", "@", "100000", "--url", url)
        return len(json.loads(root.run("dojima", "trades", "vBTC_vUSDC", "--json", "--url", url)))

    def story(self, release):
        root = Root(release)
        self.addCleanup(root.close)
        root.run("apt-get", "update", "-q")
        root.install(self.package)
        self.assertIn("dojima", root.run("dojima", "version"))
        info = os.stat(root.at(DATA))
        self.assertEqual((info.st_uid, info.st_mode & 0o7777), (root.user()[0], 0o700))
        self.assertEqual(os.stat(root.at(CONFIG)).st_mode & 0o7777, 0o640)
        self.assertIn(f"/{CONFIG}", root.run("dpkg-query", "-W", "-f=${Conffiles}", "dojima"))
        self.assertFalse(os.path.lexists(root.at("etc/systemd/system/multi-user.target.wants/dojima.service")))
        self.own_port(root)
        if os.path.exists(root.at("usr/bin/systemd-analyze")):
            said = root.run("systemd-analyze", "--man=no", "verify", "dojima.service", check=False)
            self.assertNotIn("dojima.service:", said)
        self.assertEqual(self.served(root), 1)
        with tempfile.TemporaryDirectory(prefix="dojima-deb-") as folder:
            root.install(higher(self.package, folder))
        self.assertIn("99", root.run("dpkg-query", "-W", "-f=${Version}", "dojima"))
        self.assertEqual(self.served(root), 2)
        files = sorted(os.listdir(root.at(DATA)))
        root.run("dpkg", "--remove", "dojima")
        self.assertFalse(os.path.exists(root.at("usr/bin/dojima")))
        self.assertTrue(os.path.exists(root.at(CONFIG)))
        self.assertEqual(sorted(os.listdir(root.at(DATA))), files)
        self.assertIn("stays", root.run("dpkg", "--purge", "dojima"))
        self.assertFalse(os.path.exists(root.at("etc/dojima")))
        self.assertEqual(sorted(os.listdir(root.at(DATA))), files)
        root.install(self.package)
        self.own_port(root)
        self.assertEqual(self.served(root), 3)
        root.install(self.docs)
        self.assertTrue(os.path.exists(root.at("usr/share/doc/dojima/OPERATIONS.md")))

    def test_what_it_asks_of_a_service_manager(self):
        """Nothing when it is installed, one restart of what runs when it is upgraded, a stop when it is removed."""
        root = Root("bookworm")
        self.addCleanup(root.close)
        root.run("apt-get", "update", "-q")
        os.makedirs(root.at("run/systemd/system"), exist_ok=True)
        for name, line in (("deb-systemd-invoke", 'echo "$@" >>/tmp/asked'), ("systemctl", "")):
            with open(root.at("usr/bin", name), "w") as file:
                file.write(f"#!/bin/sh\n{line}\n")
            os.chmod(root.at("usr/bin", name), 0o755)

        def asked():
            with open(root.at("tmp/asked"), "a+") as file:
                file.seek(0)
                lines = file.read().split("\n")[:-1]
                file.truncate(0)
            return [line for line in lines if "dojima" in line]
        root.install(self.package)
        self.assertEqual(asked(), [])
        with tempfile.TemporaryDirectory(prefix="dojima-deb-") as folder:
            root.install(higher(self.package, folder))
        self.assertEqual(asked(), ["try-restart dojima.service"])
        root.run("dpkg", "--remove", "dojima")
        self.assertEqual(asked(), ["stop dojima.service"])

    def own_port(self, root):
        """An operator's change of the configuration, which upgrades keep: a free port."""
        with open(root.at(CONFIG)) as file:
            text = file.read()
        with open(root.at(CONFIG), "w") as file:
            file.write(re.sub("^listen = .*$", "listen = 127.0.0.1:0\nterminal = on", text.replace(
                "terminal = off\n", ""), flags=re.MULTILINE))

    def served(self, root):
        """Starts it, trades once, reads the terminal, and stops it; how many trades there are then."""
        port = root.start()
        trades = self.trade(root, port)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            self.assertIn(b"<html", answer.read())
        self.assertEqual(root.stop(), 0)
        return trades

    def test_debian_12(self):
        self.story("bookworm")

    def test_debian_13(self):
        self.story("trixie")


def main():
    if os.geteuid() != 0:
        skip("roots of Debian need root")
    for tool in ("debootstrap", "chroot", "dpkg-deb"):
        if shutil.which(tool) is None:
            skip(f"{tool} is missing (tools/setup package)")
    if Deb.package is None or Deb.docs is None:
        skip("dist/ has no Debian packages (tools/package deb)")
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/trixie/InRelease", timeout=20).read(1)
    except OSError as error:
        skip(f"no network: {error}")
    unittest.main()


if __name__ == "__main__":
    main()
