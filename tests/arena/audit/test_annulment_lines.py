"""Annulments and their undoing stand in an export, and what counts follows from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fudaba_arena.api.export_lines import standings_lines
from fudaba_arena.audit.export import export
from fudaba_arena.audit.verify import verify
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from tests.support.arena.audit.exports import Lines, first, played, texts

Change = Callable[[Lines], None]


def annulled() -> ScheduledTournament:
    """Returns a tournament in which block 0 was annulled, and after more blocks that was undone, and 2 annulled."""
    state = played()
    length = state.stored.blocks.length
    state.stored.blocks.hold(
        [
            Annulment((0,), "the network failed", 1, after=length - 1),
            Annulment((0,), "it did not", 2, undoes=1, after=length),
            Annulment((2,), "this was meant", 3, after=length),
        ]
    )
    return state


def exported(state: ScheduledTournament) -> Lines:
    return list(export(state, standings_lines(state)))


def codes(lines: Lines) -> set[str]:
    return {fault.code for fault in verify(texts(lines), rate=standings_lines).faults}


def of_number(lines: Lines, number: int) -> dict[str, Any]:
    return first(lines, "annulment", number=number)


def test_each_annulment_stands_after_the_blocks_that_were_closed_and_standings_name_their_point() -> None:
    state = annulled()
    lines, length = exported(state), state.stored.blocks.length
    stated = [(line["number"], line["after"], line["undoes"]) for line in lines if line["kind"] == "annulment"]
    assert stated == [(1, length - 1, 0), (2, length, 1), (3, length, 0)]
    assert first(lines, "standings")["point"] == length + 3
    assert first(lines, "end")["annulments"] == 3
    assert codes(lines) == set()


def test_an_export_of_an_earlier_release_has_annulments_in_its_blocks_only_and_is_verified() -> None:
    lines = [line for line in exported(annulled()) if line["kind"] != "annulment"]
    del first(lines, "end")["annulments"], first(lines, "standings")["point"]
    assert codes(lines) == set()


def forgotten(lines: Lines) -> None:
    lines.remove(of_number(lines, 3))


def forgotten_and_the_end_says_so(lines: Lines) -> None:
    forgotten(lines)
    first(lines, "end")["annulments"] = 2


def all_forgotten_and_the_end_says_so(lines: Lines) -> None:
    lines[:] = [line for line in lines if line["kind"] != "annulment"]
    first(lines, "end")["annulments"] = 0


def of_another_block(lines: Lines) -> None:
    of_number(lines, 3)["blocks"] = [1]


def for_another_reason(lines: Lines) -> None:
    of_number(lines, 3)["reason"] = "none"


def that_undoes_itself(lines: Lines) -> None:
    of_number(lines, 2)["undoes"] = 2


def that_undoes_an_undone_one(lines: Lines) -> None:
    of_number(lines, 3).update(undoes=1, blocks=[0])


def that_undoes_other_blocks(lines: Lines) -> None:
    of_number(lines, 2)["blocks"] = [1]


def before_an_earlier_one(lines: Lines) -> None:
    of_number(lines, 2)["after"] = 1


def after_blocks_that_are_not_there(lines: Lines) -> None:
    of_number(lines, 3)["after"] += 1


def before_its_block_was_closed(lines: Lines) -> None:
    of_number(lines, 1)["after"] = 0


@pytest.mark.parametrize(
    "change",
    [
        forgotten_and_the_end_says_so,
        all_forgotten_and_the_end_says_so,
        of_another_block,
        for_another_reason,
        that_undoes_itself,
        that_undoes_an_undone_one,
        that_undoes_other_blocks,
        before_an_earlier_one,
        after_blocks_that_are_not_there,
        before_its_block_was_closed,
    ],
)
def test_an_annulment_that_makes_no_sense_or_leads_elsewhere_is_found(change: Change) -> None:
    lines = exported(annulled())
    change(lines)
    for standings in [line for line in lines if line["kind"] == "standings"]:
        standings["point"] = sum(line["kind"] in {"block", "annulment"} for line in lines)
    assert codes(lines) == {"ANNULMENT"}


def test_an_annulment_that_is_left_out_is_missed_at_the_end() -> None:
    lines = exported(annulled())
    forgotten(lines)
    assert codes(lines) == {"END", "STANDINGS"}


def test_standings_of_another_point_of_the_sequence_are_found() -> None:
    lines = exported(annulled())
    first(lines, "standings")["point"] -= 1
    assert codes(lines) == {"STANDINGS"}
