"""What an arena's metrics say of its ladder and of itself."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from fudaba_arena.api.messages.block_messages import VOIDS
from fudaba_arena.metrics import Metrics


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"fudaba_arena_{name}", labels)


def test_the_uncertainty_is_that_of_the_bots_that_are_rated_and_the_others_are_counted() -> None:
    metrics = Metrics()
    metrics.rated([float("inf"), 40.0, 60.0])
    assert value(metrics, "rating_uncertainty_elo", stat="max") == 60
    assert value(metrics, "rating_uncertainty_elo", stat="mean") == 50
    assert value(metrics, "bots_unrated") == 1
    metrics.rated([30.0, 40.0, 50.0])
    assert value(metrics, "rating_uncertainty_elo", stat="max") == 50
    assert value(metrics, "bots_unrated") == 0


def test_nothing_is_said_of_the_uncertainty_before_anybody_is_rated() -> None:
    metrics = Metrics()
    metrics.rated([float("inf"), float("inf")])
    assert value(metrics, "rating_uncertainty_elo", stat="max") is None
    assert value(metrics, "bots_unrated") == 2


def test_what_is_played_and_by_which_release_is_told() -> None:
    metrics = Metrics()
    metrics.about("spring", "naga")
    assert value(metrics, "info", tournament="spring", game="naga", version=version("fudaba")) == 1


def test_the_process_is_measured_too() -> None:
    seconds = Metrics().registry.get_sample_value("process_start_time_seconds")
    assert seconds is not None
    assert seconds > 0


@pytest.mark.parametrize("cause", VOIDS)
def test_a_cause_of_void_blocks_is_there_before_the_first_so_that_its_rise_is_seen(cause: str) -> None:
    assert value(Metrics(), "blocks_voided_total", cause=cause) == 0
