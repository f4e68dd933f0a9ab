# SPDX-License-Identifier: MIT
"""dist/dojima-linux-*: the program in one file, where nothing else is, on old kernels and processors, and on arm64."""
import hashlib
import json
import os
import platform
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import Server, empty_root, made, needed, trade                        # noqa: E402
from harness import Case, Folder, main                                            # noqa: E402

HERE = "arm64" if platform.machine() == "aarch64" else "x86_64"
PROGRAM = f"dojima-linux-{HERE}"
FLOOR = 14_000_000
OLD_KERNEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_kernel.py")


class Alone(Case):
    def setUp(self):
        self.program = made(self, PROGRAM)
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.root, self.data = os.path.join(self.folder.path, "root"), os.path.join(self.folder.path, "data")
        os.makedirs(os.path.join(self.root, "data"))
        os.mkdir(self.data, 0o700)
        shutil.copy(self.program, os.path.join(self.root, "dojima"))

    def wrapper(self):
        return empty_root(self, self.root, self.data, "/dojima")

    def test_it_trades_in_a_root_that_has_nothing_else_and_keeps_what_it_did(self):
        with Server(binary="/dojima", data="/data/exchange", wrapper=self.wrapper()) as server:
            trade(self, server)
            before = server.accounts()[1].balance("vBTC")
            print(f"ready after {server.ready_seconds * 1000:.0f} ms", file=sys.stderr)
        with Server(binary="/dojima", data="/data/exchange", wrapper=self.wrapper()) as server:
            self.assertEqual(server.accounts()[1].balance("vBTC"), before)

    def test_the_terminal_is_in_it(self):
        with Server(binary="/dojima", data="/data/exchange", wrapper=self.wrapper()) as server:
            page = server.accounts()[0].connection.send("GET", "/")
            self.assertEqual(page.status, 200)
            self.assertIn(b"/assets/", page.raw)

    def test_a_folder_that_cannot_be_made_is_named(self):
        done = subprocess.run([*self.wrapper(), "/dojima", "dev", "--port", "0"], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^dojima: no temporary folder can be made: .+\n$")

    def test_https_and_the_shared_log_are_in_it(self):
        with Tls(self.folder.path) as port:
            done = subprocess.run([*self.wrapper(), "/dojima", "health", f"https://127.0.0.1:{port}"],
                                  capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "(?i)certificate")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        done = subprocess.run([*self.wrapper(), "/dojima", "init-log",
                               f"postgresql://dojima@127.0.0.1:{port}/dojima"],
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "(?i)refused")

    def test_names_are_resolved(self):
        os.mkdir(os.path.join(self.root, "etc"))
        with open(os.path.join(self.root, "etc", "hosts"), "w", encoding="ascii") as file:
            file.write("127.0.0.1 exchange.test\n")
        with Server(binary="/dojima", data="/data/exchange", wrapper=self.wrapper()) as server:
            done = subprocess.run([*self.wrapper(), "/dojima", "health", f"http://exchange.test:{server.port}"],
                                  capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Tls:
    """A server whose certificate nobody has signed."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        key, certificate = os.path.join(self.folder, "key.pem"), os.path.join(self.folder, "certificate.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "1", "-subj", "/CN=127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.greet, args=(context,), daemon=True).start()
        return self.socket.getsockname()[1]

    def greet(self, context):
        try:
            context.wrap_socket(self.socket.accept()[0], server_side=True).close()
        except OSError:
            pass

    def __exit__(self, *_):
        self.socket.close()


class Elsewhere(Case):
    def serves(self, *wrapper, program, **more):
        """It says which version it is, and a trade goes through it."""
        with Folder() as folder, Server(binary=program, data=folder, wrapper=wrapper, **more) as server:
            trade(self, server)
            return server.stderr()

    @unittest.skipUnless(HERE == "x86_64", "the numbers of calls are those of x86-64")
    def test_on_a_kernel_without_newer_calls(self):
        said = self.serves(sys.executable, OLD_KERNEL, program=made(self, PROGRAM))
        self.assertRegex(said, "no sandbox for system calls: Function not implemented")

    @unittest.skipUnless(HERE == "x86_64", "the kernel of an old machine")
    def test_the_old_kernel_of_these_tests_lacks_what_it_says(self):
        done = subprocess.run([sys.executable, OLD_KERNEL, sys.executable, "-c", "import os; os.getrandom(1)"],
                              capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr, "Function not implemented|Fatal Python error")

    def test_on_processors_without_avx(self):
        qemu, program = needed(self, "qemu-x86_64"), made(self, "dojima-linux-x86_64")
        for processor in ("qemu64", "Nehalem"):
            with self.subTest(processor):
                self.serves(qemu, "-cpu", processor, program=program)

    def test_on_arm64(self):
        program = made(self, "dojima-linux-arm64")
        self.serves(*(() if HERE == "arm64" else (needed(self, "qemu-aarch64"),)), program=program)


class File(Case):
    """Facts of each file, of the architecture of this machine or not."""

    def each(self):
        made(self, PROGRAM)
        for architecture, machine in (("x86_64", "X86-64"), ("arm64", "AArch64")):
            path = os.path.join(os.path.dirname(made(self, PROGRAM)), f"dojima-linux-{architecture}")
            if os.path.exists(path):
                yield path, machine

    def test_it_is_static_and_for_its_architecture(self):
        readelf = needed(self, "readelf")
        for path, machine in self.each():
            told = subprocess.run([readelf, "-hld", path], capture_output=True, text=True, check=True).stdout
            self.assertRegex(told, rf"Machine:.*{machine}")
            self.assertNotIn("NEEDED", told)
            self.assertNotIn("INTERP", told)
            self.assertRegex(told, "FLAGS_1.*PIE")
            self.assertRegex(told, "GNU_RELRO")

    def test_it_is_small(self):
        for path, _ in self.each():
            self.assertLess(os.path.getsize(path), FLOOR)
            print(f"{os.path.basename(path)}: {os.path.getsize(path):,} bytes", file=sys.stderr)

    def test_no_path_of_the_machine_that_built_it_is_in_it(self):
        for path, _ in self.each():
            with open(path, "rb") as file:
                self.assertNotIn(os.path.dirname(os.path.dirname(path)).encode(), file.read())

    def test_its_bill_of_materials_names_it_and_each_library(self):
        for path, _ in self.each():
            with open(path + ".spdx.json", encoding="utf-8") as file:
                bill = json.load(file)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            packages = {one["SPDXID"]: one for one in bill["packages"]}
            self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
            self.assertEqual(packages["SPDXRef-Program"]["checksums"],
                             [{"algorithm": "SHA256", "checksumValue": digest}])
            linked = {one["relatedSpdxElement"] for one in bill["relationships"]
                      if one["relationshipType"] == "STATIC_LINK"}
            self.assertEqual(linked, set(packages) - {"SPDXRef-Program"})
            for identifier in linked:
                self.assertRegex(packages[identifier]["versionInfo"], r"^\d")
                self.assertNotEqual(packages[identifier]["licenseConcluded"], "NOASSERTION")
            names = {one["name"] for one in bill["packages"]}
            self.assertLessEqual({"libcurl4-openssl-dev", "libssl-dev", "libpq-dev", "liblmdb-dev", "libc6-dev"}, names)


if __name__ == "__main__":
    main()
