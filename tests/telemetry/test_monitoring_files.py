"""The files for Prometheus and Grafana name existing metrics, and Prometheus accepts them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from assistant.telemetry.definitions import METRICS, Metric
from assistant.telemetry.metrics import Metrics

_HERE, _ROOT = Path(__file__).parent, Path(__file__).parents[2]
FILES = _ROOT / "deploy" / "monitoring"
GUIDE = _ROOT / "docs" / "guides" / "monitoring.md"
ALERTS = {
    rule["alert"]: rule
    for group in yaml.safe_load((FILES / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
}
PANELS = [
    panel
    for panel in json.loads((FILES / "grafana-dashboard.json").read_text())["panels"]
    if "targets" in panel
]
QUERIES = [
    *((name, str(rule["expr"])) for name, rule in ALERTS.items()),
    *((str(panel["title"]), str(target["expr"])) for panel in PANELS for target in panel["targets"]),
]
_SUFFIXES = {"histogram": ("_bucket", "_count", "_sum"), "counter": ("",), "gauge": ("",)}
SERIES: dict[str, Metric] = {
    metric.name + suffix: metric for metric in METRICS for suffix in _SUFFIXES[metric.kind]
}
_OF_PROMETHEUS = {"instance", "job", "le"}


def used(query: str) -> Iterator[tuple[Metric, str]]:
    """Each metric of a query with its selector."""
    for name, selector in re.findall(r"(meanwhile_\w+)(?:\{([^}]*)\})?", query):
        assert name in SERIES, f"there is no metric {name}"
        yield SERIES[name], selector


@pytest.mark.parametrize(("where", "query"), QUERIES)
def test_each_metric_and_label_of_a_query_exists(where: str, query: str) -> None:
    for metric, selector in used(query):
        values = {label.name: label.values for label in metric.labels}
        for name, given in re.findall(r'(\w+)=~?"([^"]*)"', selector):
            assert name in values.keys() | _OF_PROMETHEUS, f"{where}: {metric.name} has no label {name}"
            if values.get(name):
                assert set(given.split("|")) <= {*values[name]}, (
                    f"{where}: {metric.name} has no {name} {given}"
                )
        for names in re.findall(r"\bby \(([^)]*)\)", query):
            asked = {name.strip() for name in names.split(",")} - _OF_PROMETHEUS
            assert asked <= values.keys(), f"{where}: {metric.name} has no label {asked - values.keys()}"


def test_each_alert_is_explained_to_operators() -> None:
    explained = re.findall(r"^### (Meanwhile\w+)$", GUIDE.read_text(), re.MULTILINE)

    assert explained == list(ALERTS)


def test_each_alert_is_tried() -> None:
    tried = set(re.findall(r'alertname="(\w+)"', (_HERE / "alerts_test.yml").read_text()))

    assert tried == {*ALERTS}


def test_panels_are_next_to_each_other() -> None:
    taken = [
        (x, y)
        for panel in PANELS
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) == 23


@pytest.fixture
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.skip("promtool is not installed; on Debian: apt-get install prometheus")
    return found


def said_by(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def test_prometheus_accepts_rules_and_configuration(promtool: str) -> None:
    assert said_by(promtool, "check", "config", str(FILES / "prometheus.yml")) == ""


def test_names_follow_the_rules_of_prometheus(promtool: str) -> None:
    values = Metrics()
    values.add_tenant("shop")

    ran = subprocess.run(
        [promtool, "check", "metrics"], input=values.render(), capture_output=True, check=False
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_alerts_are_raised_in_time_and_not_without_a_reason(promtool: str, tmp_path: Path) -> None:
    tests = (_HERE / "alerts_test.yml").read_text().replace("ALERTS\n", f"{FILES / 'alerts.yml'}\n", 1)
    (tmp_path / "tests.yml").write_text(tests)

    assert said_by(promtool, "test", "rules", str(tmp_path / "tests.yml")) == ""


def test_prometheus_understands_each_query_of_the_dashboard(promtool: str, tmp_path: Path) -> None:
    queries = [str(target["expr"]) for panel in PANELS for target in panel["targets"]]
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "1m").replace("$", "")}
        for number, query in enumerate(queries)
    ]
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))

    assert said_by(promtool, "check", "rules", str(file)) == ""
