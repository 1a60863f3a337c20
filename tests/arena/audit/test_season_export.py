"""The export of a season of a ladder: entries, who was chosen, and standings that anybody can make again."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from fudaba_arena.api.export_lines import exported, standings_lines
from fudaba_arena.audit.verify import verify
from fudaba_arena.play.matches.absences import absence_result
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.next_block import Situation, next_block
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulment_effects import disqualifying, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, VoidBlock
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock, ChosenBlocks, ChosenStretch
from fudaba_arena.store.tournaments.entries import (
    DISQUALIFY,
    ENTER,
    FREEZE,
    LEAVE,
    REINSTATE,
    Entries,
    EntryChange,
)
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import APART, FRESH, BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.panel import Panel, PanelBot
from fudaba_arena.tournament.season import Season
from tests.support.arena.audit.exports import MASTER, Lines, count, end_again, first, texts

SEASON = Season("open", provisional_blocks=2, final_blocks=2)
ENTERED = ("random", "first", "alice", "bob")
OWN = (BotEntry("random", "random", stateless=True), BotEntry("first", "first", stateless=True))


def season(sittings: str = APART, rules: Season = SEASON, entered: Sequence[str] = ENTERED) -> ScheduledTournament:
    """Returns a season in its final, with a version that was replaced, a bot that left, a void block and an annulled
    one.
    """
    entries = Entries()
    entries.add(EntryChange(ENTER, 1, bot, "1", account=f"of-{bot}") for bot in entered)
    stored = StoredTournament(
        {}, MASTER, ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
    )
    games = (TournamentGame("naga"),)
    state = ScheduledTournament(
        Tournament("open.1", games, OWN, season=rules, sittings=sittings),
        stored,
    )
    for number in range(14):
        if number == 5:
            submitted = EntryChange(ENTER, 2, "bob", "2", account="of-bob", submission="s-1", stateless=True)
            state.note_entries([submitted, EntryChange(LEAVE, 3, "alice")])
        if number == 9:
            state.note_entries([EntryChange(FREEZE, 4)])
        if (chosen := next_block(state, Situation(), 5)) is None:
            break
        assert isinstance(state.schedule, ChosenSchedule)
        block = state.schedule.add(chosen)
        if number == 1:
            at_ms = 1_767_225_700_000
            void = VoidBlock(block.number, block.slot, "no_show", block.matches[0].match_id, block.bots[:1], at_ms)
            state.close(ClosedBlock(block.number, block.slot, block.game, void=void, at_ms=at_ms))
            block = state.schedule.turn(block.slot, stored.blocks.attempts)
        count(state, block.number)
    stored.blocks.hold([Annulment((0,), "the network failed", 6)])
    return state


def lines_of(state: ScheduledTournament) -> Lines:
    return [json.loads(json.dumps(line)) for line in exported(state)]


def codes(lines: Lines, **more: Any) -> set[str]:
    return {fault.code for fault in verify(texts(lines), rate=standings_lines, **more).faults}


def closed() -> Lines:
    state = season()
    state.stored.closed = True
    return lines_of(state)


def test_a_closed_season_is_right_and_its_standings_follow_from_its_results() -> None:
    lines = closed()
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.unchecked, report.rated) == ([], [], 1)
    kinds = {line["kind"] for line in lines}
    assert kinds == {"tournament", "entry", "chosen", "annulment", "block", "deal", "match", "standings", "end"}
    assert lines[0]["complete"]
    assert {line["final"] for line in lines if line["kind"] == "chosen"} == {False, True}
    assert "of-bob" not in json.dumps(lines)


def test_a_season_with_matches_that_were_forfeited_by_absence_is_right_and_names_no_network() -> None:
    state = season()
    state.tournament = replace(
        state.tournament, season=replace(SEASON, absence=AbsenceRule(network=("of-alice", "of-bob")))
    )
    number = next(number for number in range(2, 9) if state.stored.blocks.counts(number))
    line = (state.stored.blocks.lines or {})[number]
    closed_block = ClosedBlock.from_line(line)
    *others, last = closed_block.results
    spec = BlockSpec.from_block(state, state.schedule.block(number))
    gone = absence_result(spec, PlannedMatch(last.match_id, last.deal, last.bots), last.bots[:1], "")
    gone = replace(gone, ended_ms=last.ended_ms)
    assert (gone.absent, gone.present) == (last.bots[:1], last.bots[1:])
    lines = list((state.stored.blocks.lines or {}).values())
    lines[lines.index(line)] = replace(closed_block, results=(*others, gone)).line()
    state.stored.blocks = ClosedBlocks(lines={})
    state.stored.blocks.add(lines)
    state.stored.closed = True
    exported_lines = lines_of(state)
    report = verify(texts(exported_lines), rate=standings_lines)
    assert (report.faults, report.unchecked, report.rated) == ([], [], 1)
    assert first(exported_lines, "match", match_id=last.match_id)["result"]["forfeit_cause"] == "absent"
    assert "of-alice" not in json.dumps(exported_lines)


def test_a_season_with_a_panel_is_right_by_the_strengths_that_it_names_and_not_by_others() -> None:
    panel = Panel("naga", 2.0, (PanelBot("sensible", 1500.0, 0.0), PanelBot("random", 1100.0, 30.0)))
    state = season(
        rules=replace(SEASON, panels=(panel,)), entered=(*ENTERED, "panel-sensible", "panel-random", "carol", "dan")
    )
    state.stored.closed = True
    lines = lines_of(state)
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.unchecked, report.rated) == ([], [], 1)
    assert lines[0]["definition"]["season"]["panels"] == [panel.definition()]
    rows = {row["bot"]: row for row in first(lines, "standings", ladder="naga")["standings"]}
    assert (rows["panel-random@1"]["rating"], rows["panel-random@1"]["rank"]) == (1100.0, None)
    lines[0]["definition"]["season"]["panels"][0]["bots"][1]["rating"] = 1000.0
    assert "STANDINGS" in codes(lines)


def test_a_season_whose_deals_are_fresh_is_right_and_so_are_its_standings() -> None:
    state = season(FRESH)
    state.stored.closed = True
    lines = lines_of(state)
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.unchecked, report.rated) == ([], [], 1)
    assert not any(line["shared"] for line in lines if line["kind"] == "chosen")
    deals = [(line["block"], line["deal"]) for line in lines if line["kind"] == "match"]
    assert len(set(deals)) == len(deals)
    lines[0]["definition"]["sittings"] = APART
    assert "MATCH" in codes(lines)


def test_a_season_that_goes_on_is_right_as_far_as_it_can_be_checked() -> None:
    state = season()
    lines = lines_of(state)
    assert MASTER.hex() not in json.dumps(lines)
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, len(report.unchecked), report.rated) == ([], 1, 1)
    assert codes(lines, master=MASTER) == set()


def test_what_was_chosen_and_not_played_is_left_out_when_a_season_closes() -> None:
    state = season()
    assert isinstance(state.schedule, ChosenSchedule)
    state.schedule.add(state.schedule.chosen[-1])
    state.stored.closed = True
    lines = lines_of(state)
    assert lines[0]["left_out"] == [len(state.schedule) - 1]
    assert codes(lines) == set()
    lines[0]["left_out"] = []
    assert codes(lines) == {"BLOCK_MISSING"}


def in_groups() -> tuple[ScheduledTournament, int, str]:
    """Returns a season of six bots that remember, a block of several groups, and a bot of one of them."""
    entries = Entries()
    entries.add(
        EntryChange(ENTER, 1, bot, "1", account=f"of-{bot}") for bot in ("ann", "ben", "cat", "dan", "eve", "fay")
    )
    stored = StoredTournament(
        {}, MASTER, ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
    )
    season = Season("open", provisional_blocks=1, final_blocks=1)
    state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=season), stored)
    assert isinstance(state.schedule, ChosenSchedule)
    for _ in range(5):
        chosen = next_block(state, Situation(), 5)
        assert chosen is not None
        count(state, state.schedule.add(chosen).number)
    several = next(slot for slot, chosen in enumerate(state.schedule.chosen) if len(chosen.groups) > 1)
    return state, state.schedule.block(several).number, state.schedule.chosen[several].groups[0][0]


def test_groups_without_the_bot_whose_results_are_annulled_still_count_in_the_export_and_its_standings() -> None:
    state, number, cheat = in_groups()
    before = state.stored.blocks.matches
    state.stored.blocks.hold([Annulment((number,), "it cheated", 6, (cheat,))])
    assert 0 < state.stored.blocks.matches < before
    lines = lines_of(state)
    block_line = next(line for line in lines if line["kind"] == "block" and line["block"] == number)
    assert (block_line["state"], block_line["annulled"]) == (
        "counted",
        {"reason": "it cheated", "at_ms": 6, "bots": [cheat]},
    )
    of_block = [line for line in lines if line["kind"] == "match" and line["block"] == number]
    assert {line["counts"] for line in of_block if cheat in line["bots"]} == {False}
    assert {line["counts"] for line in of_block if cheat not in line["bots"]} == {True}
    assert codes(lines) == set()
    wrong = next(line for line in of_block if cheat in line["bots"])
    wrong["counts"] = True
    assert "RESULT" in codes(lines)
    wrong["counts"] = False
    block_line["annulled"]["bots"] = ["nobody"]
    assert {"BLOCK", "RESULT"} <= codes(lines)


def test_what_an_undone_annulment_took_back_counts_in_the_export_as_before_it() -> None:
    state, number, cheat = in_groups()
    before = lines_of(state)
    annulled = Annulment((number,), "it cheated", 6, (cheat,))
    state.stored.blocks.hold([annulled])
    assert lines_of(state) != before
    state.stored.blocks.hold([annulled, Annulment((number,), "it did not", 7, (cheat,), undoes=1)])
    undone = lines_of(state)
    noted = [line for line in undone if line["kind"] == "annulment"]
    assert [(line["number"], line["blocks"], line["undoes"]) for line in noted] == [(1, [number], 0), (2, [number], 1)]
    assert [{**line, "point": 0} for line in undone[:-1] if line not in noted] == [
        {**line, "point": 0} for line in before[:-1]
    ]
    assert codes(undone) == set()


def another_rating(lines: Lines) -> set[str]:
    first(lines, "standings")["standings"][0]["rating"] += 0.1
    return {"STANDINGS"}


def another_rank(lines: Lines) -> set[str]:
    first(lines, "standings")["standings"][0]["rank"] = 2
    return {"STANDINGS"}


def a_ladder_of_no_game(lines: Lines) -> set[str]:
    first(lines, "standings")["ladder"] = "napoleon"
    return {"STANDINGS"}


def another_result_with_its_digest(lines: Lines) -> set[str]:
    line = first(lines, "match", counts=True)
    line["result"]["scores"] = [3, -3]
    return {"DIGEST"}


def another_opponent(lines: Lines) -> set[str]:
    chosen = first(lines, "chosen")
    others = {"random@1", "first@1", "alice@1", "bob@1"}.difference(*chosen["groups"])
    chosen["groups"][0][0] = min(others) if others else chosen["groups"][1][0]
    return {"SEATS", "DIGEST"} if others else {"CHOSEN"}


def a_stranger(lines: Lines) -> set[str]:
    first(lines, "chosen")["groups"][0][0] = "stranger@1"
    return {"CHOSEN"}


def a_slot_that_is_gone(lines: Lines) -> set[str]:
    lines.remove(first(lines, "chosen"))
    return {"CHOSEN"}


def an_entry_that_is_gone(lines: Lines) -> set[str]:
    lines.remove(first(lines, "entry", bot="alice"))
    return {"ENTRY", "CHOSEN"}


def an_entry_after_the_freeze(lines: Lines) -> set[str]:
    last = first(lines, "entry", change=FREEZE)
    lines.insert(lines.index(last) + 1, first(lines, "entry") | {"number": last["number"] + 1})
    return {"ENTRY"}


def a_final_before_the_freeze(lines: Lines) -> set[str]:
    first(lines, "chosen")["final"] = True
    return {"CHOSEN"}


def a_closed_block_that_is_gone(lines: Lines) -> set[str]:
    number = first(lines, "block", sequence=3)["block"]
    lines[:] = [line for line in lines if line.get("block") != number]
    end_again(lines)
    lines[0]["complete"] = False
    lines[0]["left_out"] = [number]
    return {"BLOCK_MISSING"}


@pytest.mark.parametrize(
    "doctor",
    [
        another_rating,
        another_rank,
        a_ladder_of_no_game,
        another_result_with_its_digest,
        another_opponent,
        a_stranger,
        a_slot_that_is_gone,
        an_entry_that_is_gone,
        an_entry_after_the_freeze,
        a_final_before_the_freeze,
        a_closed_block_that_is_gone,
    ],
)
def test_what_was_changed_is_found(doctor: Callable[[Lines], set[str]]) -> None:
    lines = closed()
    expected = doctor(lines)
    assert expected <= codes(lines)


def test_a_result_from_before_its_block_was_chosen_is_another_matchs() -> None:
    lines = closed()
    chosen = first(lines, "chosen", slot=0)
    chosen["at_ms"] = first(lines, "match", block=0)["result"]["ended_ms"] + 600_000
    assert any("s before its block was chosen" in text for text in timed(lines))


def test_a_result_from_after_its_block_was_closed_is_another_matchs() -> None:
    lines = closed()
    first(lines, "block", block=0)["closed_ms"] = first(lines, "match", block=0)["result"]["ended_ms"] - 60_000
    assert any("60 s after its block was closed" in fault.text for fault in verify(texts(lines)).faults)


@pytest.mark.parametrize("ahead_ms", [60_000, -3_600_000])
def test_a_service_whose_clock_is_off_all_the_time_makes_no_result_another_matchs(ahead_ms: int) -> None:
    state, number, _ = in_groups()
    lines = lines_of(state)
    blocks = [line for line in lines if line["kind"] == "block"]
    for line in blocks:
        ended = [
            match_line["result"]["ended_ms"]
            for match_line in lines
            if match_line["kind"] == "match" and match_line["block"] == line["block"]
        ]
        line["closed_ms"] = max(ended) - ahead_ms
    for line in lines:
        if line["kind"] == "chosen":
            line["at_ms"] -= ahead_ms
    assert len(blocks) >= 5
    assert timed(lines) == []
    wrong = next(line for line in blocks if line["block"] == number)
    wrong["closed_ms"] -= 90_000
    assert timed(lines)
    assert all("90 s after its block was closed" in text for text in timed(lines))


def timed(lines: Lines) -> list[str]:
    """Returns the faults that tell of when something ended."""
    return [fault.text for fault in verify(texts(lines)).faults if "that of another match" in fault.text]


def test_blocks_of_another_generation_have_ids_and_deals_of_their_own() -> None:
    state = season()
    assert isinstance(state.schedule, ChosenSchedule)
    again = state.schedule.add(replace(state.schedule.chosen[-1], generation="0123abcd"))
    count(state, again.number)
    state.stored.closed = True
    lines = lines_of(state)
    assert codes(lines) == set()
    assert all(match.match_id.startswith(f"{state.id}-0123abcd-b{again.number}-") for match in again.matches)
    seed = bytes.fromhex(first(lines, "block", block=again.number)["seed"])
    assert seed == hmac.digest(MASTER, b"fudaba-block-v1" + again.number.to_bytes(8, "big") + b"0123abcd", "sha256")
    first(lines, "chosen", slot=again.slot)["generation"] = ""
    assert {"BLOCK_SEED", "DEAL_SEED", "MATCH_MISSING"} <= codes(lines)


def test_a_generation_is_kept_whether_blocks_are_read_one_by_one_or_sealed() -> None:
    chosen = [ChosenBlock("naga", (("a", "b"),), shared=False, at_ms=at_ms) for at_ms in range(4)]
    chosen[2:] = [replace(choice, generation="0123abcd") for choice in chosen[2:]]
    lines = [choice.line().encode() for choice in chosen]
    assert b"generation" not in lines[0], "releases before read what no restored backup has gone on from"
    opened = ChosenStretch.opened(ChosenStretch.from_lines(lines).sealed())
    assert opened is not None
    sealed = ChosenBlocks()
    sealed.add_stretch(opened)
    assert list(sealed) == chosen == list(ChosenBlocks(map(ChosenBlock.from_line, lines)))


def disqualified() -> ScheduledTournament:
    """Returns the season after `bob` is disqualified, before its last block is closed."""
    state = season()
    blocks, lines = state.stored.blocks, list((state.stored.blocks.lines or {}).values())
    state.stored.blocks = ClosedBlocks(lines={})
    state.stored.blocks.add(lines[:-1])
    made = replace(disqualifying(state.stored.blocks, "bob", ("bob@1", "bob@2"), 7), after=state.stored.blocks.length)
    state.stored.blocks.hold([replace(blocks.annulments[0], after=made.after), made])
    state.stored.blocks.add(lines[-1:])
    state.note_entries([EntryChange(DISQUALIFY, 7, "bob", reason="a copy of alice")])
    state.stored.closed = True
    return state


def test_a_season_with_a_disqualified_bot_is_right_and_its_reason_stays_private() -> None:
    lines = lines_of(disqualified())
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.unchecked, report.rated) == ([], [], 1)
    assert "a copy of alice" not in json.dumps(lines)
    made = first(lines, "annulment", disqualifies="bob")
    assert made["reason"] == "bob is disqualified"
    table = first(lines, "standings")["standings"]
    assert [row["rank"] for row in table if row["bot"].startswith("bob@")] == [None, None]
    assert all(row["blocks"] == 0 for row in table if row["bot"].startswith("bob@"))


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: first(lines, "annulment", disqualifies="bob").update(disqualifies=""),
        lambda lines: first(lines, "annulment", disqualifies="bob").update(disqualifies="random"),
        lambda lines: first(lines, "annulment", disqualifies="bob").update(bots=["bob@1", "bob@2", "first@1"]),
        lambda lines: first(lines, "entry", change="disqualify").update(bot="random"),
    ],
)
def test_a_disqualification_that_was_changed_is_found(change: Callable[[Lines], None]) -> None:
    lines = lines_of(disqualified())
    change(lines)
    assert codes(lines) & {"ANNULMENT", "STANDINGS"}


def test_a_season_is_as_before_when_its_disqualification_is_undone() -> None:
    untouched, state = season(), disqualified()
    untouched.stored.closed = True
    blocks = state.stored.blocks
    undone = replace(undoing(blocks.annulments, 2, "wrongly", 8), after=blocks.length)
    blocks.hold([*blocks.annulments, undone])
    state.note_entries([EntryChange(REINSTATE, 8, "bob")])
    lines = lines_of(state)
    assert verify(texts(lines), rate=standings_lines).faults == []
    assert first(lines, "standings")["standings"] == first(lines_of(untouched), "standings")["standings"]
