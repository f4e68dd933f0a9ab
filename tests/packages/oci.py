# SPDX-License-Identifier: MIT
"""dist/dojima-oci.tar: what its layers and its configuration say, and a trade through it, as an unpacked root that
cannot be written; and as a container, where podman may run one."""
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import Server, empty_root, made, needed, trade                  # noqa: E402
from harness import ROOT, Case, Folder, main                                      # noqa: E402
from roles import free_ports                                                      # noqa: E402

FLOOR = 16_000_000
USER = 10001
IMAGE = os.path.join(ROOT, "packaging", "oci", "image")


def opened(path):
    """The files of an OCI layout: index, manifest, configuration, the layer's tar. Each digest and size is checked."""
    with tarfile.open(path) as tar:
        files = {entry.name: tar.extractfile(entry).read() for entry in tar}

    def blob(named):
        text = files["blobs/" + named["digest"].replace(":", "/")]
        assert named["digest"] == "sha256:" + hashlib.sha256(text).hexdigest() and named["size"] == len(text), named
        return text
    index = json.loads(files["index.json"])
    manifest = json.loads(blob(index["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    layer = gzip.decompress(blob(manifest["layers"][0]))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    return files, manifest, config, layer


class Image(Case):
    def setUp(self):
        self.path = made(self, "dojima-oci.tar")
        self.files, self.manifest, self.config, self.layer = opened(self.path)

    def test_it_is_small(self):
        self.assertLess(os.path.getsize(self.path), FLOOR)
        print(f"image: {os.path.getsize(self.path):,} bytes", file=sys.stderr)

    def test_it_says_how_it_is_run(self):
        config = self.config["config"]
        self.assertEqual(config["User"], f"{USER}:{USER}")
        self.assertEqual(config["Volumes"], {"/data": {}})
        self.assertEqual(config["ExposedPorts"], {"8080/tcp": {}})
        self.assertEqual((config["Entrypoint"], config["Cmd"]), (["/usr/bin/dojima"], ["dev"]))
        self.assertEqual(config["Healthcheck"]["Test"], ["CMD", "/usr/bin/dojima", "health"])
        self.assertIn("DOJIMA_LISTEN=0.0.0.0", config["Env"])

    def test_docker_finds_the_same_in_it(self):
        told = json.loads(self.files["manifest.json"])[0]
        self.assertEqual(told["Config"], "blobs/sha256/" + self.manifest["config"]["digest"][7:])
        self.assertEqual(told["Layers"], ["blobs/sha256/" + self.manifest["layers"][0]["digest"][7:]])
        self.assertIn("dojima:latest", told["RepoTags"])

    def test_nobody_but_root_may_change_what_is_in_it(self):
        with tarfile.open(fileobj=io.BytesIO(self.layer)) as tar:
            for entry in tar:
                if entry.name not in ("data", "tmp"):
                    self.assertEqual((entry.uid, entry.mode & 0o022), (0, 0), entry.name)

    def test_the_same_program_gives_the_same_bytes(self):
        with Folder() as folder:
            again = os.path.join(folder, "again.tar")
            with tarfile.open(self.path) as tar:
                created = tar.getmembers()[0].mtime
            subprocess.run([IMAGE, made(self, "dojima-linux-x86_64"), "x86_64", again], check=True,
                           env={**os.environ, "SOURCE_DATE_EPOCH": str(created)})
            with open(again, "rb") as one, open(self.path, "rb") as other:
                self.assertTrue(one.read() == other.read())

    def test_a_wrong_program_is_refused(self):
        with Folder() as folder:
            into = os.path.join(folder, "x.tar")
            for program, architecture, why in (
                    (made(self, "dojima-linux-x86_64"), "arm64", "is no program for arm64"),
                    (made(self, "dojima-linux-x86_64"), "riscv", "unknown architecture riscv"),
                    (os.path.join(ROOT, "run"), "x86_64", "is no program for x86_64"),
                    (sys.executable, "x86_64", "needs libraries of its own")):
                done = subprocess.run([IMAGE, program, architecture, into], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(why, done.stderr)
                self.assertEqual(os.listdir(folder), [])

    def test_umoci_reads_it(self):
        umoci = needed(self, "umoci")
        with Folder() as folder:
            with tarfile.open(self.path) as tar:
                tar.extractall(os.path.join(folder, "layout"))
            subprocess.run([umoci, "unpack", "--rootless", "--image", f"{folder}/layout:latest", f"{folder}/bundle"],
                           check=True, capture_output=True)
            with open(f"{folder}/bundle/config.json", encoding="utf-8") as file:
                process = json.load(file)["process"]
            self.assertEqual((process["user"]["uid"], process["cwd"]), (USER, "/data"))
            self.assertEqual(process["args"], ["/usr/bin/dojima", "dev"])

    def test_it_trades_in_a_root_that_cannot_be_written(self):
        with Folder() as folder:
            root, data = os.path.join(folder, "root"), os.path.join(folder, "data")
            os.mkdir(data, 0o700)
            with tarfile.open(fileobj=io.BytesIO(self.layer)) as tar:
                for entry in tar:
                    entry.uid, entry.gid = os.getuid(), os.getgid()
                    tar.extract(entry, root)
            variables = dict(one.split("=", 1) for one in self.config["config"]["Env"])
            before = {name: os.environ.get(name) for name in variables}
            os.environ.update(variables, PATH=before["PATH"])
            self.addCleanup(lambda: [os.environ.pop(name) if text is None else os.environ.update({name: text})
                                     for name, text in before.items()])
            wrapper = empty_root(self, root, data, "/usr/bin/dojima")
            with Server(binary="/usr/bin/dojima", wrapper=wrapper) as server:
                self.assertTrue(server.banner["data"].startswith("/data/"), server.banner["data"])
                trade(self, server)
                health = [*wrapper, "/usr/bin/dojima", "health", f"http://127.0.0.1:{server.port}"]
                self.assertEqual(subprocess.run(health, check=False, timeout=60).returncode, 0)
            self.assertEqual(os.listdir(data), [])
            self.assertEqual(subprocess.run(health, check=False, capture_output=True, timeout=60).returncode, 1)


class Container(Case):
    """Podman runs it as a user would; skipped where a container may not run."""

    def podman(self, *words):
        """With images and containers in a folder of this test."""
        place = ["--root", os.path.join(self.folder.path, "images"), "--runroot", os.path.join(self.folder.path, "run")]
        return subprocess.run(["podman", *place, *words], capture_output=True, text=True, check=False, timeout=120)

    def setUp(self):
        needed(self, "podman")
        path = made(self, "dojima-oci.tar")
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.addCleanup(self.podman, "rmi", "--all", "--force")
        done = self.podman("pull", "--quiet", f"docker-archive:{path}")
        if done.returncode != 0:
            self.skipTest("podman has no place for images: " + done.stderr.strip()[-200:])
        self.image = done.stdout.split()[-1]
        self.name = f"dojima-test-{os.getpid()}"
        self.addCleanup(self.podman, "rm", "--force", "--time", "0", "--volumes", self.name)

    def test_a_peer_outside_moves_time_and_trades(self):
        port = free_ports(1)
        done = self.podman("run", "--detach", "--name", self.name, "--read-only", "--cap-drop", "all", "--publish",
                           f"127.0.0.1:{port}:8080", self.image, "dev", "--market", "none", "--no-limits", "--json")
        if done.returncode != 0:
            self.skipTest("no container runs here: " + done.stderr.strip()[-200:])
        banner, deadline = "", time.monotonic() + 60
        while not banner.startswith("{") and time.monotonic() < deadline:
            banner = self.podman("logs", self.name).stdout
            time.sleep(0.1)
        server = Outside(port, json.loads(banner))
        trade(self, server)
        reply = server.accounts()[0].connection.send(
            "POST", "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "evm_increaseTime", "params": [5]}),
            {"Content-Type": "application/json"})
        self.assertIn("result", reply.json, reply)
        self.assertEqual(self.podman("healthcheck", "run", self.name).returncode, 0)
        self.assertEqual(self.podman("stop", "--time", "20", self.name).returncode, 0)
        code = self.podman("inspect", "--format", "{{.State.ExitCode}}", self.name).stdout.strip()
        self.assertEqual(code, "0")


class Outside:
    """The exchange of a container, as the harness's clients need it."""

    def __init__(self, port, banner):
        self.port, self.banner = port, banner

    accounts = Server.accounts


if __name__ == "__main__":
    main()
