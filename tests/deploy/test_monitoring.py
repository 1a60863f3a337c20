"""A real Prometheus watches a real service and a real arena while matches are played."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.deploy.deployment import METRICS, alerts, panels, queries
from tests.support.deploy.stack import SCRAPE_SECONDS, Prometheus, stack
from tests.support.patience import wait_until

MAX_PLAYING_SECONDS = 400.0
"""The number of seconds that the demo's tournament may take."""
NAME = re.compile(r"\b(?:fudaba|process)_[a-z_]+\b|\bup\b")
SELECTOR = re.compile(r"\b((?:fudaba|process)_[a-z_]+|up)\{([^}]*)\}")
BUSY = (
    *("up", "fudaba_streams", "fudaba_decisions", "fudaba_decision_seconds", "fudaba_matches_created"),
    *("fudaba_matches{", "fudaba_redis_round_trip", "fudaba_redis_batch", "fudaba_redis_memory", "fudaba_data_free"),
    *("fudaba_build_info", "process_", "fudaba_arena_matches_counted", "fudaba_arena_matches_running"),
    *("fudaba_arena_matches_scheduled", "fudaba_arena_matches_finished", "fudaba_arena_rating_uncertainty"),
)
"""What is above zero while matches are played."""
RAISED = {"FudabaStoreSilent", "FudabaDown", "FudabaReplicaDown"}
"""The alerts that the test of real faults raises. Others may be true for long on a machine that has much else to do."""


def asked(expression: str) -> str:
    """Returns a dashboard's expression with its variables filled in as Grafana would."""
    return expression.replace("$__rate_interval", f"{5 * SCRAPE_SECONDS}s").replace("$game", ".+")


@pytest.mark.timeout(MAX_PLAYING_SECONDS + 60)
@pytest.mark.nightly(
    "every metric is on the dashboard and no rule asks for another one, below; real faults raise their alerts"
)
def test_a_prometheus_finds_all_that_dashboard_and_rules_ask_for_while_a_tournament_is_played(
    need_tool: Callable[[str], Path],
) -> None:
    started = time.monotonic()
    with stack(need_tool("prometheus")) as running:
        arena = running.start("tournament")
        while arena.running:
            assert time.monotonic() - started < MAX_PLAYING_SECONDS, arena.log
            time.sleep(0.2)
        assert arena.wait() == 0, arena.log
        seconds = time.monotonic() - started + 5
        every_query_is_answered_with_data(running.prometheus, seconds)
        every_metric_label_and_value_exists(running.prometheus, seconds)
        every_rule_is_evaluated_and_none_fires(running.prometheus, seconds)
        every_metric_is_explained(running.prometheus)


@pytest.mark.exhaustive
def test_arena_and_worker_play_the_ladder_that_is_created_in_the_service_s_container(
    need_tool: Callable[[str], Path],
) -> None:
    with stack(need_tool("prometheus")) as running:
        arena, worker = running.start("arena"), running.start("worker")
        wait_until(lambda: "arena serves on" in arena.log or not arena.running, "the start of the arena")
        assert arena.running, arena.log
        assert running.command("ladder", "create", "/tournaments/open.toml") == "open\n"

        def played() -> bool:
            assert arena.running, arena.log
            assert worker.running, worker.log
            table = json.loads(running.command("ladder", "standings", "open", "--json"))
            return any(row.get("matches") for ladder in table.get("standings", ()) for row in ladder["rows"])

        wait_until(played, "that the worker has played a block")
        wait_until(lambda: {"fudaba-arena", "fudaba-worker"} <= running.prometheus.up(), "that both are monitored")
        assert running.command("health", "--server", "arena:7711")


def every_query_is_answered_with_data(prometheus: Prometheus, seconds: float) -> None:
    wrong = []
    for title, expression in queries():
        values = prometheus.values(asked(expression), seconds)
        busy = any(name in expression for name in BUSY) and "limit" not in expression
        if not values or (busy and max(values) <= 0):
            wrong.append(f"{title}: {expression} gives {values[:5]}")
    assert wrong == []


def every_metric_label_and_value_exists(prometheus: Prometheus, seconds: float) -> None:
    rules = [rule["expr"] for rule in alerts()]
    expressions = rules + [asked(expression) for _, expression in queries()]
    names = {name for expression in expressions for name in NAME.findall(expression)}
    assert names - set(prometheus.ask("label/__name__/values")) == set()
    for name, matchers in {found for expression in expressions for found in SELECTOR.findall(expression)}:
        for label in re.findall(r"(\w+)\s*[=!]", matchers):
            assert prometheus.values(f'{name}{{{label}!=""}}', seconds), f"{name} has no label {label}"
    for name, matchers in {found for expression in rules for found in SELECTOR.findall(expression)}:
        assert prometheus.values(f"{name}{{{matchers}}}", seconds), f"there is never a {name}{{{matchers}}}"


def every_rule_is_evaluated_and_none_fires(prometheus: Prometheus, seconds: float) -> None:
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    assert {rule["name"] for rule in rules} == {rule["alert"] for rule in alerts()}
    assert {rule["health"] for rule in rules} == {"ok"}
    assert prometheus.values('ALERTS{alertstate="firing"}', seconds) == []


def plain(name: str) -> str:
    """Returns a metric's name as it is declared."""
    return re.sub(r"_(bucket|sum|count|created|total)$", "", name)


def explained() -> set[str]:
    """Returns the metrics that docs/metrics.md explains."""
    lines = re.findall(r"^\| (`fudaba_[^|]*)\|", METRICS.read_text(), re.MULTILINE)
    return {name for line in lines for name in re.findall(r"`(\w+)`", line)}


def every_metric_is_explained(prometheus: Prometheus) -> None:
    """In docs/metrics.md, and nothing else is."""
    sampled = {name for name in prometheus.ask("label/__name__/values") if name.startswith("fudaba_")}
    exported = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in sampled}
    exported -= {name.removesuffix("_total") for name in exported if name.endswith("_total")}
    assert exported == explained()


def silent_and_up(alerts: Mapping[str, str]) -> bool:
    """Returns whether the store is said to be silent, and the service not to be down."""
    return "FudabaStoreSilent" in alerts and "FudabaDown" not in alerts


@pytest.mark.exhaustive
def test_real_faults_raise_their_alerts(need_tool: Callable[[str], Path]) -> None:
    with stack(need_tool("prometheus")) as running:
        prometheus = running.prometheus
        wait_until(
            lambda: prometheus.values('up{job="fudaba"} == 1', 5) and not RAISED & prometheus.alerts().keys(),
            lambda: f"that the service is up, and none of {RAISED} is there: {prometheus.alerts()}",
        )

        running.redis.freeze()
        # A service that was only slow to tell is up again at the next look.
        wait_until(lambda: silent_and_up(prometheus.alerts()), "the alert of a silent store, and no other")
        running.redis.thaw()

        running.service.kill()
        wait_until(lambda: RAISED - {"FudabaStoreSilent"} <= prometheus.alerts().keys(), "the alert of no service")


def test_every_panel_has_a_query_a_unit_and_a_description_and_none_overlaps_another() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        assert panel["targets"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["description"].endswith(".")
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        fields = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not fields & taken, panel["title"]
        taken |= fields


def test_every_metric_is_on_the_dashboard_and_nothing_that_is_none() -> None:
    shown = {plain(name) for _, expression in queries() for name in NAME.findall(expression) if "fudaba_" in name}
    assert shown == {plain(name) for name in explained()}


def test_no_rule_asks_for_what_is_no_metric() -> None:
    asked_for = {plain(name) for rule in alerts() for name in NAME.findall(rule["expr"]) if "fudaba_" in name}
    assert asked_for - {plain(name) for name in explained()} == set()
