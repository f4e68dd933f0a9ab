# SPDX-License-Identifier: MIT
"""The compose files, as far as they can be judged without the images of others: what they mount is there, their metrics
are scraped where the exchange is, and the configuration that is written for three nodes is accepted by the program."""
import configparser
import os
import re
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from places import ROOT, empty_root, made                                         # noqa: E402
from harness import Case, Folder, main, run                               # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None
OCI = os.path.join(ROOT, "packaging", "oci")


def read(*names):
    with open(os.path.join(OCI, *names), encoding="utf-8") as file:
        return yaml.safe_load(file)


class Compose(Case):
    def setUp(self):
        if yaml is None:
            self.skipTest("no python3-yaml")

    def test_all_that_is_mounted_is_there(self):
        for one in read("compose.yml")["services"].values():
            for volume in one["volumes"]:
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue(os.path.isfile(os.path.join(OCI, source)), source)
                else:
                    self.assertIn(source, read("compose.yml")["volumes"])

    def test_images_have_a_version_and_ports_are_for_this_machine(self):
        for folder in (("compose.yml",), ("cluster", "compose.yml")):
            for name, one in read(*folder)["services"].items():
                if "/" in one["image"]:
                    self.assertRegex(one["image"], r":v?\d+\.\d+\.\d+$", name)
                for port in one.get("ports", []):
                    self.assertTrue(port.startswith("127.0.0.1:"), (name, port))

    def test_the_metrics_are_those_of_ops(self):
        with open(os.path.join(ROOT, "ops", "prometheus", "prometheus.yml"), encoding="utf-8") as file:
            wanted = yaml.safe_load(file)
        found = read("prometheus.yml")
        self.assertEqual(found["scrape_configs"][0]["static_configs"], [{"targets": ["exchange:8080"]}])
        found["scrape_configs"][0]["static_configs"] = wanted["scrape_configs"][0]["static_configs"]
        self.assertEqual(found, wanted)
        self.assertIn("exchange", read("compose.yml")["services"])

    def test_its_command_is_one_of_the_program(self):
        command = read("compose.yml")["services"]["exchange"]["command"]
        code, _, err = run(*command, "--listen", "nowhere")     # all words before it were understood
        self.assertEqual((code, err.split(":")[1:3]), (2, [" dev", " --listen nowhere"]))


class Cluster(Case):
    def setUp(self):
        if yaml is None:
            self.skipTest("no python3-yaml")
        self.folder = Folder()
        self.addCleanup(self.folder.__exit__)
        self.into = os.path.join(self.folder.path, "nodes")
        self.prepare(0)

    def prepare(self, code):
        done = subprocess.run([os.path.join(OCI, "cluster", "prepare"), self.into], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def settings(self, node):
        found = configparser.ConfigParser(delimiters="=", comment_prefixes=";", interpolation=None, strict=True)
        found.optionxform = str
        self.assertEqual(len(found.read(os.path.join(self.into, node, "dojima.ini"))), 1)
        return found

    def test_each_node_has_its_name_and_address_and_the_same_markets(self):
        nodes = {node: self.settings(node) for node in ("n1", "n2", "n3")}
        for number, (node, one) in enumerate(nodes.items(), 11):
            self.assertEqual((one["cluster"]["node"], one["cluster"]["url"]), (node, f"http://172.30.77.{number}:8080"))
            self.assertEqual((one["dojima"]["listen"], one["dojima"]["data"]), ("0.0.0.0:8080", "/data/exchange"))
            self.assertEqual(one["cluster"]["secret"], "/etc/dojima/secret")
            one["cluster"]["node"] = one["cluster"]["url"] = ""
        self.assertEqual({**nodes["n1"]}, {**nodes["n2"]})
        self.assertEqual({**nodes["n1"]}, {**nodes["n3"]})

    def test_the_program_accepts_it_and_asks_for_the_database(self):
        root, data = os.path.join(self.folder.path, "root"), os.path.join(self.folder.path, "data")
        os.makedirs(os.path.join(root, "etc", "dojima"))
        os.mkdir(os.path.join(root, "data"))
        os.mkdir(data, 0o700)
        shutil.copy(made(self, "dojima-linux-x86_64"), os.path.join(root, "dojima"))
        shutil.copy(os.path.join(self.into, "n1", "secret"), os.path.join(root, "etc", "dojima"))
        with open(os.path.join(self.into, "n1", "dojima.ini"), encoding="utf-8") as file:
            text = re.sub(r"172\.30\.77\.1\d:5432", "127.0.0.1:1", file.read())     # where nothing listens
        with open(os.path.join(root, "etc", "dojima", "dojima.ini"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*empty_root(self, root, data, "/dojima"), "/dojima", "serve", "--config",
                               "/etc/dojima/dojima.ini"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertRegex(done.stderr, r"the database of the log, \[log\] url, cannot be reached: .*refused")

    def test_what_the_services_mount_is_written(self):
        services = read("cluster", "compose.yml")["services"]
        self.assertEqual(len([name for name in services if re.fullmatch(r"(etcd|patroni|exchange)[123]", name)]), 9)
        for name, one in services.items():
            for volume in one.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("${CONFIGURATION}"):
                    self.assertTrue(os.path.exists(source.replace("${CONFIGURATION}", self.into)), (name, source))
        for number in "123":
            for part in ("etcd", "patroni", "exchange"):
                self.assertEqual(services[f"{part}{number}"]["network_mode"], f"service:node{number}")
            address = services[f"node{number}"]["networks"]["nodes"]["ipv4_address"]
            with open(os.path.join(self.into, f"n{number}", "etcd.env"), encoding="ascii") as file:
                self.assertIn(f"ETCD_ADVERTISE_CLIENT_URLS=http://{address}:2379", file.read())

    def test_the_writers_password_becomes_a_file_of_the_user_of_the_image(self):
        with open(os.path.join(OCI, "image"), encoding="utf-8") as file:
            user = re.search(r"^USER = (\d+)$", file.read(), re.M)[1]
        services = read("cluster", "compose.yml")["services"]
        self.assertIn(f"install -m 600 -o {user} -g {user} /etc/node/writer.password /password/writer",
                      services["database"]["command"][-1])
        self.assertEqual(services["tables"]["command"][-1], "/password/writer")

    def test_passwords_are_new_each_time_and_nothing_is_written_twice(self):
        with open(os.path.join(self.into, "cluster.env"), encoding="ascii") as file:
            before = file.read()
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.into, "cluster.env")).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.into, "writer.password")).st_mode), 0o600)
        self.assertEqual(len(set(re.findall(r"=([0-9a-f]{48})$", before, re.M))), 5)
        self.assertIn("is there", self.prepare(1))
        with open(os.path.join(self.into, "cluster.env"), encoding="ascii") as file:
            self.assertEqual(file.read(), before)
        shutil.rmtree(self.into)
        self.prepare(0)
        with open(os.path.join(self.into, "cluster.env"), encoding="ascii") as file:
            self.assertNotEqual(file.read(), before)


if __name__ == "__main__":
    main()
