"""An export of a Swiss or a knockout has the rounds that its results lead to, and verifying it finds any others."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from fudaba_arena.audit.rebuilt import rebuilt
from fudaba_arena.audit.verify import BadExport, verify
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import (
    DOCTORS,
    VOID_DOCTORS,
    Doctor,
    Lines,
    doctored,
    first,
    lines_of,
    played,
    texts,
)
from tests.support.arena.audit.verifying import codes

CUP = Format("single-elimination", seeds=("bob", "alice", "first", "random"), third_place=True, tiebreak_blocks=1)


def swiss_lines() -> Lines:
    return lines_of(played(form=Format("swiss", rounds=3)))


def test_an_export_of_a_swiss_is_right_and_has_its_rounds() -> None:
    lines = swiss_lines()
    assert codes(lines) == set()
    assert [line["round"] for line in lines if line["kind"] == "round"] == [0, 1, 2]
    assert {line["attempt"] for line in lines if line["kind"] == "block"} == {0, 1}


@pytest.mark.parametrize("doctor", [*DOCTORS, *VOID_DOCTORS])
def test_what_is_wrong_with_a_swiss_is_found(doctor: Doctor) -> None:
    lines, expected = doctored(swiss_lines(), doctor)
    assert expected <= codes(lines) | {"ORDER"}


def test_a_round_that_results_do_not_lead_to_is_found() -> None:
    lines = swiss_lines()
    last = first(lines, "round", round=2)
    group, other = groups_of(last)
    group[0], other[0] = other[0], group[0]
    (fault, *_) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == (
        "ROUND",
        "round 2: it has other groups or byes than the results before it lead to",
    )


def test_other_results_than_those_that_a_round_was_drawn_from_are_found() -> None:
    lines = swiss_lines()
    opening, second = (groups_of(first(lines, "round", round=number)) for number in (0, 1))
    entrant = opening[0][0]
    met_next = next(set(group) - {entrant} for group in second if entrant in group)
    winners = {entrant, *(set(opening[1]) - met_next)}  # these would meet instead
    for line in lines:
        if line["kind"] == "match" and line["counts"] and first(lines, "block", block=line["block"])["round"] == 0:
            line["result"]["scores"] = [2 if bot in winners else -2 for bot in line["bots"]]
    assert {"DIGEST", "ROUND", "SEATS"} <= codes(lines)


def groups_of(line: dict[str, Any]) -> list[list[str]]:
    """The groups of a round."""
    return [group for block in line["blocks"] for group in block["groups"]]


@pytest.mark.parametrize("change", ["one more", "one less", "another number", "no such bot", "in a round robin"])
def test_rounds_that_cannot_be_are_found(change: str) -> None:
    lines = swiss_lines()
    last = first(lines, "round", round=2)
    if change == "one more":
        lines.insert(4, deepcopy(last) | {"round": 3})
    elif change == "one less":
        lines.remove(last)
    elif change == "another number":
        last["round"] = 7
    elif change == "no such bot":
        last["out"] = ["alice", "bob", "first"]
    else:
        lines[0]["definition"]["format"] = "round-robin"
    assert codes(lines) & {"ROUND", "DEFINITION"}


def test_an_annulled_block_stays_what_a_round_was_drawn_from() -> None:
    state = played(form=Format("swiss", rounds=3))
    number = next(closed.block for closed in state.stored.blocks.blocks() if closed.void is None)
    state.stored.blocks.hold([Annulment((number,), "the network failed", 1)])
    lines = lines_of(state)
    assert not any(line["counts"] for line in lines if line["kind"] == "match" and line["block"] == number)
    assert codes(lines) == set()


def test_an_export_of_a_knockout_is_right_and_rebuilds_its_bracket() -> None:
    state = played(form=CUP)
    lines = lines_of(state)
    assert codes(lines) == set()
    rounds = [line for line in lines if line["kind"] == "round"]
    assert [line.get("bracket_round") for line in rounds] == [0, 0, 1, None]
    again = rebuilt(lines[0], lines[1:])
    assert again.bracket() == state.bracket()
    assert [place.rank for place in again.bracket().places] == [1, 2, 3, 4]  # type: ignore[union-attr]


def test_an_export_of_a_double_elimination_is_right_and_rebuilds_its_bracket() -> None:
    state = played(form=replace(CUP, kind="double-elimination", third_place=False, tiebreak_blocks=0))
    lines = lines_of(state)
    assert codes(lines) == set()
    assert rebuilt(lines[0], lines[1:]).bracket() == state.bracket()


@pytest.mark.parametrize("doctor", [*DOCTORS, *VOID_DOCTORS])
def test_what_is_wrong_with_a_knockout_is_found(doctor: Doctor) -> None:
    lines, expected = doctored(lines_of(played(form=CUP)), doctor)
    assert expected <= codes(lines) | {"ORDER"}


@pytest.mark.parametrize("change", ["another winner", "other seeds", "no end", "another round of the bracket"])
def test_a_bracket_that_cannot_be_is_found(change: str) -> None:
    lines = lines_of(played(form=CUP))
    final, end = (first(lines, "round", round=number) for number in (2, 3))
    if change == "another winner":
        group, other, *_ = groups_of(final)
        group[0], other[0] = other[0], group[0]
    elif change == "other seeds":
        lines[0]["definition"]["seeds"].reverse()
        lines[0]["definition"]["seeds"][1:3] = lines[0]["definition"]["seeds"][2:0:-1]
    elif change == "no end":
        lines.remove(end)
    else:
        final["bracket_round"] = 0
    assert codes(lines) & {"ROUND", "END"}


def test_a_decided_bracket_stays_as_it_is_when_a_block_is_annulled() -> None:
    state = played(form=CUP)
    before = state.bracket()
    number = next(closed.block for closed in state.stored.blocks.blocks() if closed.void is None)
    state.stored.blocks.hold([Annulment((number,), "the network failed", 1)])
    assert state.bracket() == before
    assert codes(lines_of(state)) == set()


@pytest.mark.parametrize("wrong", [{"seeds": 4}, {"third_place": "yes"}, {"tiebreak_blocks": "2"}])
def test_rules_of_a_knockout_that_are_of_another_type_are_refused(wrong: dict[str, Any]) -> None:
    lines = lines_of(played(form=CUP))
    lines[0]["definition"] |= wrong
    with pytest.raises(BadExport, match=r"line 1"):
        codes(lines)


def test_a_knockout_of_more_blocks_than_anybody_plays_is_refused_at_once() -> None:
    lines = lines_of(played(form=CUP))
    lines[0]["definition"]["games"][0]["blocks"] = 2**60
    assert codes(lines) == {"DEFINITION"}


def test_a_knockout_without_a_game_is_found() -> None:
    lines = lines_of(played(form=CUP))
    lines[0]["definition"]["games"] = []
    assert "DEFINITION" in codes(lines)
