# SPDX-License-Identifier: MIT
"""dojima doctor: the pools of a running exchange and of a folder at both sides of 80 %, the folder's permissions, file
numbers against connections, and exit codes (ruling 74)."""
import contextlib
import json
import os
import resource

from harness import Case, Folder, Server, Wallet, main, run
from places import ANNA, CONFIG

CHECKS = ["folder", "exchange", "clock", "disk sync", "disk room", "file numbers", "memory", "cores", "huge pages"]


class Doctor(Case):
    @contextlib.contextmanager
    def venue(self, deposits=49, connections=36):
        """A folder with a configuration; self.data, self.config."""
        with Folder() as folder:
            self.config, self.data = os.path.join(folder, "exchange.ini"), os.path.join(folder, "data")
            text = CONFIG.format(folder=folder).replace("deposits = 12",
                                                        f"deposits = {deposits}\nconnections = {connections}")
            with open(self.config, "w") as file:
                file.write(text.replace("accounts = 4", "accounts = 100"))
            yield

    @contextlib.contextmanager
    def serve(self):
        server = Server("--config", self.config, command="serve", json_banner=False)
        try:
            yield server.wait_for_port()
        finally:
            server.stop()

    def operate(self, *words):
        code, out, err = run(words[0], "--data", self.data, *words[1:])
        self.assertEqual(code, 0, (words, out, err))

    def deposit(self, count):
        for _ in range(count):
            self.operate("deposit", ANNA.address, "vUSDC", "1")

    def look(self, *words, **how):
        """Checks by name; the exit code is that of the worst one, each check that is not fine has an advice, and the
        text says the same."""
        words = words or ("--data", self.data)
        code, out, err = run("doctor", *words, "--json", **how)
        answer = json.loads(out)
        levels = [check["level"] for check in answer["checks"]]
        self.assertEqual(answer["level"], max(levels, key=["fine", "warning", "error"].index))
        self.assertEqual(code == 0, answer["level"] == "fine", (code, out))
        self.assertEqual(code in (74, 78), answer["level"] == "error", (code, out))
        for check in answer["checks"]:
            self.assertEqual(list(check), ["name", "level", "found", "advice"])
            self.assertEqual(check["advice"] == "", check["level"] == "fine", check)
        self.code = code
        return {check["name"]: check for check in answer["checks"]}

    def of_pool(self, name, used, places, level):
        found = self.look()[f"pool {name}"]
        self.assertEqual(found["level"], level, found)
        self.assertIn(f"{used} of {places} places", found["found"])
        if level != "fine":
            self.assertEqual(self.code, 1)
            self.assertIn("dojima limits", found["advice"])

    def test_a_pool_at_79_and_at_80_percent(self):
        with self.venue():
            with self.serve():
                self.deposit(39)
                self.of_pool("deposits", 39, 49, "fine")                        # 79.6 %
                self.operate("limits", "deposits", "50")
                self.deposit(1)
                self.of_pool("deposits", 40, 50, "warning")
                self.assertIn("at least 80 %", self.look()["pool deposits"]["found"])
                self.deposit(5)
                self.assertIn("at least 90 %", self.look()["pool deposits"]["found"])
            self.of_pool("deposits", 45, 50, "warning")                         # from the folder
            with self.serve():
                self.operate("limits", "deposits", "57")
                self.of_pool("deposits", 45, 57, "fine")
            self.of_pool("deposits", 45, 57, "fine")

    def test_checks_of_a_running_exchange_and_of_its_folder(self):
        with self.venue():
            with self.serve():
                running = self.look()
                self.assertEqual([name for name in running if not name.startswith("pool ")], CHECKS)
                self.assertEqual(running["exchange"]["found"], "runs")
                self.assertIn("of 36 places", running["pool connections"]["found"])
                self.assertIn("for 36 connections", running["file numbers"]["found"])
            still = self.look()
            self.assertIn("does not run", still["exchange"]["found"])
            self.assertEqual({name: check["found"] for name, check in still.items() if name.startswith("pool ")},
                             {name: check["found"] for name, check in running.items()
                              if name.startswith("pool ") and name != "pool connections"})
            self.assertEqual([name for name in os.listdir(self.data) if "doctor" in name], [])

    def test_permissions_of_the_folder(self):
        with self.venue():
            with self.serve():
                pass
            self.assertEqual(self.look()["folder"]["level"], "fine")
            for mode in (0o710, 0o701, 0o755):
                os.chmod(self.data, mode)
                found = self.look()["folder"]
                self.assertEqual(found["level"], "warning")
                self.assertIn(f"mode {mode:04o}", found["found"])

    def test_file_numbers_against_connections(self):
        def tight():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
        for connections, level in ((32, "fine"), (33, "warning")):              # and 68 others
            with self.venue(connections=connections):
                with self.serve():
                    pass
                found = self.look("--config", self.config, preexec_fn=tight)["file numbers"]
                self.assertEqual(found["level"], level, found)

    def test_the_limits_are_those_of_the_exchange_that_runs(self):
        """And without one those of a process that would be started from here; each line says whose they are."""
        cores = sorted(os.sched_getaffinity(0))
        narrow = lambda: (resource.setrlimit(resource.RLIMIT_NOFILE, (140, 140)), os.sched_setaffinity(0, cores[:1]))
        names = ("file numbers", "memory", "cores")
        with self.venue():
            server = Server("--config", self.config, command="serve", json_banner=False,
                            wrapper=("prlimit", "--nofile=180:180", "taskset", "-c", str(cores[0])))
            try:
                server.wait_for_port()
                running = self.look("--config", self.config)
            finally:
                server.stop()
            still = self.look("--config", self.config)
            tight = self.look("--config", self.config, preexec_fn=narrow)
        for name in names:
            self.assertIn("the exchange may ", running[name]["found"])
            self.assertIn("a process started from here may ", still[name]["found"])
        self.assertEqual(running["cores"]["found"], "the exchange may run on 1")
        self.assertIn("may have 180, for 36 connections", running["file numbers"]["found"])
        self.assertEqual(still["cores"]["found"], f"a process started from here may run on {len(cores)}")
        self.assertEqual(tight["cores"]["found"], "a process started from here may run on 1")
        self.assertIn("may have 140, for 36 connections", tight["file numbers"]["found"])

    def test_a_folder_that_is_none(self):
        with Folder() as folder:
            found = self.look("--data", os.path.join(folder, "nothing"))
            self.assertEqual((self.code, found["folder"]["level"]), (74, "error"))
            found = self.look("--data", folder)                                 # no server ever ran on it
            self.assertEqual(found["exchange"]["level"], "warning")
            self.assertNotIn("memory", found)

    def test_a_new_venue_is_fine(self):
        """dojima init names doctor as the next step: an empty folder is what it should find, until serve has been."""
        with Folder() as folder:
            self.config, self.data = os.path.join(folder, "venue.ini"), os.path.join(folder, "data")
            code, out, err = run("init", "--config", self.config, "--data", self.data, "--listen", "127.0.0.1:0")
            self.assertEqual((code, "dojima doctor --config" in out), (0, True), err)
            new = self.look("--config", self.config)
            self.assertEqual([name for name in new if not name.startswith("pool ")], CHECKS)
            self.assertEqual((new["exchange"]["level"], new["memory"]["level"]), ("fine", "fine"), new)
            self.assertIn("never started", new["exchange"]["found"])
            self.assertEqual(run("doctor", "--config", self.config)[2], "")
            self.assertEqual(self.look("--data", self.data)["exchange"]["level"], "warning")
            with open(os.path.join(self.data, "other"), "w"):
                pass
            self.assertEqual(self.look("--config", self.config)["exchange"]["level"], "warning")
            os.unlink(os.path.join(self.data, "other"))
            with self.serve():
                running = self.look("--config", self.config)
                self.assertEqual(running["exchange"]["found"], "runs")
                self.assertEqual(running["memory"]["found"].replace("the exchange", "a process started from here"),
                                 new["memory"]["found"])

    def test_what_it_is_asked(self):
        self.assertEqual(run("doctor")[0], 2)
        self.assertEqual(run("doctor", "--config", "/nowhere/at/all")[0], 78)
        code, out, _ = run("doctor", "--help")
        self.assertEqual(code, 0)
        for word in ("--data", "--config", "--json", "Exit code"):
            self.assertIn(word, out)


if __name__ == "__main__":
    main()
