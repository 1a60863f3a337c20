"""The alert rules: each fires where it must and not where it must not, and each is explained."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.support.deploy.deployment import ALERTS, PROMETHEUS, RUNBOOKS, alerts, read_yaml
from tests.support.sizes import exhaustive

TESTS = Path(__file__).with_name("alerts_test.yml")
NAMES = [rule["alert"] for rule in alerts()]


def promtool(need_tool: Callable[[str], Path], *arguments: str | Path) -> str:
    done = subprocess.run([need_tool("promtool"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_takes_the_configuration_and_the_rules(need_tool: Callable[[str], Path]) -> None:
    said = promtool(need_tool, "check", "config", PROMETHEUS)
    assert f"{len(NAMES)} rules found" in said


@pytest.mark.exhaustive
def test_the_rules_fire_where_they_must_and_nowhere_else(need_tool: Callable[[str], Path], tmp_path: Path) -> None:
    assert "SUCCESS" in promtool(need_tool, "test", "rules", *([TESTS] if exhaustive() else alone(tmp_path)))


def alone(folder: Path) -> Iterator[Path]:
    """Files of one test each, with the rules alone that it looks at: all rules at each of its moments take long."""
    whole = YAML(typ="base", pure=True).load(TESTS)  # as text: `0x40` is no number, but a series
    for number, test in enumerate(whole["tests"]):
        names = {look["alertname"] for look in test["alert_rule_test"]}
        groups = [
            group | {"rules": kept}
            for group in read_yaml(ALERTS)["groups"]
            if (kept := [rule for rule in group["rules"] if rule["alert"] in names])
        ]
        rules, file = folder / f"rules-{number}.yml", folder / f"test-{number}.yml"
        rules.write_text(json.dumps({"groups": groups}))  # which is YAML too
        file.write_text(json.dumps(whole | {"rule_files": [rules.name], "tests": [test]}))
        yield file


def expectations() -> dict[str, list[bool]]:
    """Of each alert, whether it is expected to fire, at every look of the tests."""
    found: dict[str, list[bool]] = {}
    for test in read_yaml(TESTS)["tests"]:
        for look in test["alert_rule_test"]:
            found.setdefault(look["alertname"], []).append(bool(look["exp_alerts"]))
    return found


def test_every_rule_is_tested_where_it_fires_and_where_it_does_not() -> None:
    assert {name: set(looks) for name, looks in expectations().items()} == {name: {True, False} for name in NAMES}


def test_every_alert_has_a_runbook_with_what_to_do_and_every_runbook_an_alert() -> None:
    _, *runbooks = re.split(r"^## ", RUNBOOKS.read_text(), flags=re.MULTILINE)
    assert sorted(text.partition("\n")[0] for text in runbooks) == sorted(NAMES)
    for text in runbooks:
        assert len(text.split()) > 25, text
        assert "**Do**" in text, text


def test_every_alert_has_a_severity_and_a_summary_in_one_sentence() -> None:
    for rule in alerts():
        assert rule["labels"] == {"severity": rule["labels"]["severity"]}
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert set(rule["annotations"]) == {"summary"}
        assert rule["annotations"]["summary"].endswith(".")
