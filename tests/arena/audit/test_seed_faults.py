"""The seeds of a knockout beside the export of the season that they were taken from."""

from __future__ import annotations

from typing import Any

import pytest

from fudaba_arena.audit.seed_faults import seed_faults

SOURCE = {"ladder": "open", "season": 1, "id": "open.1-0123abcd", "game": "naga", "point": 3}
DEFINITION: dict[str, Any] = {
    "seeded_from": SOURCE,
    "seeds": ["ann", "ben"],
    "bots": [{"bot": "ann", "version": "2"}, {"bot": "ben", "version": "1"}],
}
ROWS = [
    {"bot": "ann@2", "rank": 1},
    {"bot": "ann@1", "rank": 2},
    {"bot": "ben@1", "rank": 3},
    {"bot": "x@1", "rank": 4},
]


def season(**head: Any) -> list[dict[str, Any]]:
    """Returns a season's export, as far as seeds are concerned: of two blocks and an annulment."""
    return [
        {"kind": "tournament", "id": SOURCE["id"], "master": "00"} | head,
        *({"kind": kind} for kind in ("block", "match", "annulment", "block")),
        {"kind": "standings", "ladder": "naga", "standings": ROWS},
    ]


def texts(definition: dict[str, Any], lines: list[dict[str, Any]]) -> list[str]:
    return [fault.text for fault in seed_faults(definition, lines)]


def test_the_best_version_of_each_of_the_best_bots_is_right() -> None:
    assert texts(DEFINITION, season()) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seeds": ["ben", "ann"]}, "which are ann@2, ben@1"),
        ({"seeds": ["ann", "nobody"]}, "which are ann@2, ben@1"),
        ({"seeds": []}, "not the best"),
        ({"bots": [{"bot": "ann", "version": "1"}, DEFINITION["bots"][1]]}, "which are ann@2, ben@1"),
        ({"seeded_from": SOURCE | {"point": 4}}, "of point 4 of the season's sequence, and the export is of point 3"),
        ({"seeded_from": SOURCE | {"game": "nerts"}}, "no table of nerts"),
    ],
)
def test_other_seeds_are_found(change: dict[str, Any], why: str) -> None:
    [text] = texts(DEFINITION | change, season())
    assert why in text


@pytest.mark.parametrize(("head", "why"), [({"id": "other.1-4"}, "is of other.1-4"), ({"master": None}, "not over")])
def test_another_export_shows_nothing(head: dict[str, Any], why: str) -> None:
    [text] = texts(DEFINITION, season(**head))
    assert why in text


def test_a_definition_without_seeds_is_found() -> None:
    without = {key: value for key, value in DEFINITION.items() if key != "seeds"}
    assert "not the best" in texts(without, season())[0]
