"""Published ratings stand in an export, and follow from the entries of the sequence up to their points."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from fudaba_arena.api.export_lines import exported, published_line, standings_lines
from fudaba_arena.audit.verify import verify
from fudaba_arena.ladder.published import is_numbered, ladders_at, newest_numbered, published
from fudaba_arena.store.blocks.annulments import Annulment
from tests.support.arena.audit.exports import Lines, count, first, played, texts


def published_then() -> Lines:
    """Returns the export of a tournament of which a block was annulled: its ratings were published before and after."""
    state = played(left_out=[2])
    before = state.stored.blocks.length
    points = [published(state.stored.blocks, ladders_at(state, before), before)]
    state.stored.blocks.hold([Annulment((0,), "the network failed", 1, after=before)])
    points.append(replace(points[0], newest=(points[0].newest[0], 1)))  # of entries that a store has lost
    points.append(published(state.stored.blocks, ladders_at(state, before + 1), before + 1))
    count(state, 2)
    return [json.loads(json.dumps(line)) for line in exported(state, points)]


def faults(lines: Lines) -> list[str]:
    return [str(fault) for fault in verify(texts(lines), rate=standings_lines, rate_at=published_line).faults]


def test_points_are_verified_with_what_was_annulled_by_then_and_without_what_came_later() -> None:
    lines = published_then()
    before, after = (line for line in lines if line["kind"] == "published")
    assert after["point"] == before["point"] + 1
    assert after["blocks"] == before["blocks"] - 1
    assert before["tables"] != after["tables"]
    report = verify(texts(lines), rate=standings_lines, rate_at=published_line)
    assert (report.faults, report.published) == ([], 2)


def to_another_rating(line: dict[str, Any]) -> None:
    line["tables"][0]["ratings"][0]["rating"] += 0.03


def to_the_next_point(line: dict[str, Any]) -> None:
    line["point"] += 1


def to_a_point_after_the_end(line: dict[str, Any]) -> None:
    line["point"] = 63


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (to_another_rating, "ratings[0].rating is"),
        (to_the_next_point, "is"),
        (to_a_point_after_the_end, "it is no numbered point"),
    ],
)
def test_a_point_that_does_not_follow_from_the_results_is_a_fault(
    change: Callable[[dict[str, Any]], None], why: str
) -> None:
    lines = published_then()
    change(first(lines, "published"))
    [fault] = faults(lines)
    assert fault.startswith("in the published ratings of point ")
    assert why in fault


def test_numbered_points_are_dense_and_their_distance_is_at_most_a_32nd_of_the_entries() -> None:
    points = [point for point in range(1, 5_000) if is_numbered(point)]
    assert points[:63] == list(range(1, 64))
    assert all(after - before <= max(1, before / 32) for before, after in pairwise(points))
    assert sum(512 <= point < 1_024 for point in points) == 32
    assert [newest_numbered(point) for point in (0, 1, 63, 65, 67, 1_000, 5_000_000)] == [
        0,
        1,
        63,
        64,
        66,
        992,
        4_980_736,
    ]
