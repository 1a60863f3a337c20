"""A fair-play report in words: what each line means, and what to look at."""

from __future__ import annotations

import pytest

from fudaba.cli._fair_play_words import fair_play_sentences, fair_play_table
from fudaba.v1 import arena_pb2

LINE = arena_pb2.FairPlayLine(
    kind=arena_pb2.FAIR_PLAY_KIND_PAIR,
    game="naga",
    gaining=["ada"],
    giving=["bob", "carol"],
    blocks=9,
    share=0.91,
    expected_share=0.48,
    effect=402,
    effect_error=120,
    probability=0.0312,
    match_ids=[f"t-b{number}-a" for number in range(6)],
    match_count=18,
)


def line(**changed: object) -> arena_pb2.FairPlayLine:
    found = arena_pb2.FairPlayLine()
    found.CopyFrom(LINE)
    for name, value in changed.items():
        setattr(found, name, value)
    return found


def test_a_table_has_the_numbers_of_a_line() -> None:
    [_, row] = fair_play_table([LINE]).splitlines()
    cells = row.split("  ")
    assert [cell.strip() for cell in cells if cell.strip()] == [
        *("1", "pair", "naga", "ada", "bob, carol", "9", "91%", "48%", "+402 ± 120", "3.12%")
    ]
    assert fair_play_table([]) == ""


def test_what_has_no_effect_in_points_has_none_in_the_table() -> None:
    without = line(kind=arena_pb2.FAIR_PLAY_KIND_FORFEITS, probability=1e-9)
    without.ClearField("effect")
    assert fair_play_table([without]).splitlines()[1].split()[-3:] == ["-", "<", "0.01%"]


@pytest.mark.parametrize("kind", [number for number in arena_pb2.FairPlayKind.values() if number])
def test_each_kind_says_who_gains_and_where_to_look(kind: arena_pb2.FairPlayKind.ValueType) -> None:
    [sentence] = fair_play_sentences([line(kind=kind, worker="east")])
    assert sentence.startswith("1. ")
    assert "ada" in sentence
    assert "ook" in sentence
    assert "{" not in sentence
    assert sentence.endswith("Newest matches: t-b2-a, t-b3-a, t-b4-a, t-b5-a and 14 more.")


def test_a_kind_of_a_later_release_is_said_to_be_one() -> None:
    [sentence] = fair_play_sentences([line(kind=99)])
    assert "a later release" in sentence
    assert "unknown" in fair_play_table([line(kind=99)])


def test_a_worker_and_an_entry_at_another_table_are_named() -> None:
    at_table, on_worker, on_arena = fair_play_sentences(
        [
            line(kind=arena_pb2.FAIR_PLAY_KIND_DEALS),
            line(kind=arena_pb2.FAIR_PLAY_KIND_WORKER, worker="east"),
            line(kind=arena_pb2.FAIR_PLAY_KIND_WORKER),
        ]
    )
    assert "bob and carol played the same deals" in at_table
    assert "that east played" in on_worker
    assert "that the arena itself played" in on_arena
