# SPDX-License-Identifier: MIT
"""Dashboard, alert rules and the scrape configuration against the rows of /metrics: every name and every label that
they use exists, counters are used through a rate, every expression is understood, and promtool agrees where it is
installed."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from promql import Reader, Wrong

try:
    import yaml
except ImportError:
    print("SKIP monitoring: python3-yaml is not installed")
    sys.exit(77)

METRICSDOC = os.environ.get("METRICSDOC", "build/release/metricsdoc")
ALERTS, COLLECT, DASHBOARD = "ops/prometheus/alerts.yml", "ops/prometheus/prometheus.yml", "ops/grafana/dojima.json"
OF_PROMETHEUS = {"up": ("gauge", set())}
EVERYWHERE = {"instance", "job"}                                # added by the collector


def rows():
    """name -> (type, labels), as metricsdoc prints the table."""
    text = subprocess.run([METRICSDOC], stdout=subprocess.PIPE, check=True, timeout=20).stdout.decode()
    found = {}
    for name, kind, labels in re.findall(
        r"^### `(\w+)`\n\n.*\n\n(counter|gauge|histogram).*?\. Labels: (.*?)\. Counted by", text, re.M):
        found[name] = (kind, set(re.sub(r" \([^()]*\)", "", labels).split(", ")) - {"none"})
    assert len(found) == text.count("\n### ") > 40
    return found


ROWS = rows()


def row_of(name):
    """(row's type, its labels) of a series, those of histograms by their parts."""
    if name in OF_PROMETHEUS:
        return OF_PROMETHEUS[name]
    if name in ROWS and ROWS[name][0] != "histogram":
        return ROWS[name]
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        if name.endswith(suffix) and ROWS.get(base, ("",))[0] == "histogram":
            return "counter", ROWS[base][1] | ({"le"} if suffix == "_bucket" else set())
    raise Wrong(f"there is no metric {name}")


def check(expression):
    read = Reader(expression)
    if not read.selectors:
        raise Wrong("it names no metric")
    offered = set()
    for selector in read.selectors:
        kind, labels = row_of(selector.name)
        unknown = set(selector.labels) - labels - EVERYWHERE
        if unknown:
            raise Wrong(f"{selector.name} has no label {unknown}")
        if kind == "counter" and not selector.ranged:
            raise Wrong(f"{selector.name} is a counter and stands without a rate")
        offered |= labels
    if read.grouped - offered - EVERYWHERE:
        raise Wrong(f"grouped by {read.grouped - offered - EVERYWHERE}, which nothing in it has")
    return read


def labels_in(template):
    return {a or b for a, b in re.findall(r"\$labels\.(\w+)|\{\{ ?(\w+) ?\}\}", template)}


def documents():
    with open(ALERTS) as file:
        alerts = yaml.safe_load(file)
    with open(DASHBOARD) as file:
        return alerts, json.load(file)


class Alerts(unittest.TestCase):
    def test_every_rule_is_whole_and_names_only_what_there_is(self):
        alerts, _ = documents()
        names = [rule["alert"] for group in alerts["groups"] for rule in group["rules"]]
        self.assertGreater(len(names), 15)
        self.assertEqual(len(names), len(set(names)))
        for group in alerts["groups"]:
            for rule in group["rules"]:
                with self.subTest(rule["alert"]):
                    self.assertLessEqual(set(rule), {"alert", "expr", "for", "labels", "annotations"})
                    self.assertIn(rule["labels"]["severity"], ("page", "ticket"))
                    self.assertEqual(set(rule["annotations"]), {"summary", "description"})
                    self.assertRegex(rule.get("for", "1s"), r"^\d+[smh]$")
                    read = check(rule["expr"])
                    offered = set().union(*(row_of(s.name)[1] for s in read.selectors)) | EVERYWHERE
                    for text in rule["annotations"].values():
                        self.assertLessEqual(labels_in(text), offered)

    def test_rules_that_name_a_reject_name_one_that_there_is(self):
        with open("src/model/rejects.h") as file:
            rejects = set(re.findall(r"^X\((\w+),", file.read(), re.M))
        alerts, _ = documents()
        for group in alerts["groups"]:
            for rule in group["rules"]:
                for selector in Reader(rule["expr"]).selectors:
                    if selector.name == "dojima_refusals_total" and "rule" in selector.labels:
                        self.assertIn(selector.labels["rule"], rejects)


class Dashboard(unittest.TestCase):
    def test_every_panel_draws_what_there_is(self):
        _, dashboard = documents()
        seen, targets = set(), 0
        for panel in dashboard["panels"]:
            self.assertNotIn(panel["id"], seen)
            seen.add(panel["id"])
            for target in panel.get("targets", []):
                with self.subTest(panel["title"]):
                    read = check(target["expr"])
                    targets += 1
                    for selector in read.selectors:
                        self.assertEqual(selector.labels.get("instance"), "$instance")
                    offered = set().union(*(row_of(s.name)[1] for s in read.selectors)) | EVERYWHERE
                    self.assertLessEqual(labels_in(target["legendFormat"]), offered)
        self.assertGreater(targets, 30)

    def test_panels_do_not_lie_on_each_other(self):
        _, dashboard = documents()
        taken = set()
        for panel in dashboard["panels"]:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            taken |= cells

    def test_every_metric_is_drawn_or_alerted_or_has_its_reason(self):
        alerts, dashboard = documents()
        used = set()
        for text in [r["expr"] for g in alerts["groups"] for r in g["rules"]] + [t["expr"] for p in dashboard["panels"]
            for t in p.get("targets", [])]:
            for selector in Reader(text).selectors:
                used.add(selector.name if selector.name in ROWS else re.sub("_(bucket|sum|count)$", "", selector.name))
        silent = {"dojima_api_keys", "dojima_block_time_seconds"}         # for queries by hand
        self.assertEqual(set(ROWS) - used, silent)


class TheCheckItself(unittest.TestCase):
    def test_what_is_wrong_is_found(self):
        for expression in ("dojima_nothing", "rate(dojima_nothing_total[5m])", "dojima_trades_total",
                           "rate(dojima_trades_total)", "rate(dojima_trades_total[5m)",
                           'dojima_open_orders{account="1"}', "sum by (account) (dojima_open_orders)",
                           "dojima_open_orders +", "(dojima_open_orders",
                           "dojima_stage_seconds", 'rate(dojima_stage_seconds_bucket{stage=parse}[5m])',
                           "dojima_open_orders )", "1 + 1", "nonsense(dojima_open_orders)"):
            with self.subTest(expression), self.assertRaises(Wrong):
                check(expression)
        check('histogram_quantile(0.9, sum by (le, stage) (rate(dojima_stage_seconds_bucket{stage=~"a|b"}[1m]))) > '
              '0.5 and on (instance) up == 1')


class Promtool(unittest.TestCase):
    def test_promtool_agrees(self):
        if not shutil.which("promtool"):
            print("SKIP promtool: the Debian package prometheus is not installed")
            self.skipTest("promtool is not installed")
        for words in (["rules", ALERTS], ["config", COLLECT]):
            done = subprocess.run(["promtool", "check", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=30)
            self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_the_collector_reads_the_rules_and_the_usual_port(self):
        with open(COLLECT) as file:
            settings = yaml.safe_load(file)
        self.assertEqual([os.path.join("ops/prometheus", name) for name in settings["rule_files"]], [ALERTS])
        self.assertEqual(settings["scrape_configs"][0]["job_name"], "dojima")
        self.assertEqual(settings["scrape_configs"][0]["static_configs"][0]["targets"], ["127.0.0.1:8080"])


if __name__ == "__main__":
    unittest.main()
