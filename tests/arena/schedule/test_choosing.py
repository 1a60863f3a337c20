"""A season of a ladder: its slots are chosen one by one, from what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.next_block import KnownRating, Ratings, Situation, idle_reason, next_block
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import (
    AWAIT,
    DISQUALIFY,
    ENTER,
    FREEZE,
    LEAVE,
    PAUSE,
    RESUME,
    Entries,
    EntryChange,
)
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.panel import Panel, PanelBot
from fudaba_arena.tournament.season import Season

OWN = (BotEntry("random", "random", stateless=True), BotEntry("first", "first", stateless=True))


def entered(*bots: str, version: str = "1", at_ms: int = 1) -> list[EntryChange]:
    return [EntryChange(ENTER, at_ms, bot, version) for bot in bots]


def season(*changes: EntryChange, **rules: Any) -> ScheduledTournament:
    """Returns a season of two games, with these entries."""
    entries = Entries()
    entries.add(changes)
    stored = StoredTournament(
        {}, bytes(32), ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
    )
    games = (TournamentGame("naga"), TournamentGame("napoleon", seats=5))
    tournament = Tournament("open.1", games, OWN, season=Season("open", **rules))
    return ScheduledTournament(tournament, stored)


def choose(
    state: ScheduledTournament,
    ratings: Ratings | None = None,
    busy: Collection[str] = (),
    now_ms: int = 2,
    absent: Collection[str] = (),
    held_up: Collection[int] = (),
) -> bool:
    """Returns whether a block is chosen, which is noted."""
    chosen = next_block(state, Situation(ratings or {}, absent, busy, held_up), now_ms)
    if chosen is not None:
        state.add_chosen(chosen)
    return chosen is not None


def chosen_of(state: ScheduledTournament) -> Sequence[ChosenBlock]:
    assert isinstance(state.schedule, ChosenSchedule)
    return state.schedule.chosen


def blocks_of(state: ScheduledTournament, first: int = 0) -> Counter[str]:
    return Counter(bot for block in list(state.schedule)[first:] for bot in block.bots)


def count(state: ScheduledTournament, number: int) -> None:
    block = state.schedule.block(number)
    results = [
        MatchResult(match.match_id, number, match.deal, match.bots, (1, *(0 for _ in match.bots[2:]), -1))
        for match in block.matches
    ]
    state.close(ClosedBlock(number, block.slot, block.game, tuple(results), len(results)))


def test_equal_seasons_choose_equal_blocks_and_spread_those_of_everybody_over_the_games() -> None:
    first, other = (season(*entered("random", "first", "a", "b", "c", "d")) for _ in range(2))
    for _ in range(20):
        assert choose(first)
        assert choose(other)
    assert list(first.schedule) == list(other.schedule)
    for bot in ("random@1", "first@1", "a@1", "b@1", "c@1", "d@1"):
        played = Counter(block.game for block in first.schedule if bot in block.bots)
        assert played["naga"] >= 4
        assert played["napoleon"] >= 4
    other.stored.chosen = [ChosenBlock.from_line(block.line().encode()) for block in chosen_of(first)]
    assert list(ScheduledTournament(first.tournament, other.stored).schedule) == list(first.schedule)


def of_three_games(*changes: EntryChange, **rules: Any) -> ScheduledTournament:
    """Returns a season of three games of two seats."""
    state = season(*changes, **rules)
    games = tuple(TournamentGame(game) for game in ("namto", "mokkaik", "naga"))
    tournament = Tournament("open.1", games, OWN, season=Season("open", **rules))
    return ScheduledTournament(tournament, state.stored)


def settled(state: ScheduledTournament, blocks: int, **newcomers: Mapping[str, KnownRating]) -> Ratings:
    """Ratings in which everybody has an interval of ± 20 in each game, but for newcomers, for whom it is said."""
    names = {entry.entrant for entry in state.stored.entries.by_bot.values()}
    return {
        game: {
            name: newcomers.get(name.partition("@")[0], {}).get(game, KnownRating(1500.0, 20.0, blocks))
            for name in names
        }
        for game in state.schedule.games
    }


def test_the_first_blocks_of_a_newcomer_go_round_the_games_however_much_was_played_of_each() -> None:
    old = ("a", "b", "c", "d")
    state = of_three_games(*entered("random", "first", *old), provisional_blocks=3)
    assert isinstance(state.schedule, ChosenSchedule)
    for game, blocks in (("namto", 6), ("mokkaik", 30), ("naga", 60)):
        for number in range(blocks):
            pair = [f"{bot}@1" for bot in (old[number % 4], old[(number + 1) % 4])]
            state.schedule.add(ChosenBlock(game, (tuple(pair),), shared=True, chosen_for=pair[0]))
        for bot in ("random@1", "first@1"):
            for other in old[:3]:
                state.schedule.add(ChosenBlock(game, ((bot, f"{other}@1"),), shared=True, chosen_for=bot))
    before = len(state.schedule)
    state.note_entries(entered("new"))
    unknown = {game: KnownRating(1500.0, inf) for game in state.schedule.games}
    ratings = settled(state, 30, new=unknown)
    for _ in range(9):
        assert choose(state, ratings)
    chosen = [block.game for block in chosen_of(state)[before:]]
    assert chosen == ["namto", "mokkaik", "naga"] * 3
    assert {block.chosen_for for block in chosen_of(state)[before:]} == {"new@1"}


def test_later_blocks_go_to_the_game_in_which_the_rank_is_least_known_until_it_is_not() -> None:
    state = of_three_games(*entered("random", "first", "a", "b", "new"), provisional_blocks=0)
    halves = {"namto": 40.0, "mokkaik": 80.0, "naga": 30.0}
    ratings = settled(state, 8, new={game: KnownRating(1900.0, half, 8) for game, half in halves.items()})
    assert isinstance(state.schedule, ChosenSchedule)
    for game in state.schedule.games:
        for _ in range(8):
            state.schedule.add(ChosenBlock(game, (("a@1", "new@1"),), shared=True, chosen_for="new@1"))
            state.schedule.add(ChosenBlock(game, (("random@1", "first@1"),), shared=True, chosen_for="first@1"))
            state.schedule.add(ChosenBlock(game, (("b@1", "first@1"),), shared=True, chosen_for="first@1"))
    before = len(state.schedule)
    for _ in range(30):
        assert choose(state, ratings)
    played = Counter(block.game for block in chosen_of(state)[before:])
    # Its interval shrinks as the root of its blocks: 80 is as narrow as 40 after four times as many.
    assert [block.game for block in chosen_of(state)[before : before + 20]] == ["mokkaik"] * 20
    assert played["mokkaik"] < 30


def test_who_is_here_is_chosen_before_it_would_be_taken_for_idle() -> None:
    day_ms = 86_400_000
    state = season(*entered("random", "first", "a", "b"), idle_days=8, provisional_blocks=0, narrow=50.0)
    ratings = {
        game: {f"{bot}@1": KnownRating(1500.0, 20.0, 9) for bot in ("random", "first", "a", "b")} for game in ("naga",)
    }
    ratings["napoleon"] = ratings["naga"]

    def played(number: int, bots: tuple[str, str], day: float) -> None:
        result = MatchResult(f"m{number}", number, 0, bots, (1, -1))
        state.close(ClosedBlock(number, number, "naga", (result,), 1, at_ms=int(day * day_ms)))

    played(0, ("a@1", "b@1"), 1)
    played(1, ("random@1", "first@1"), 4)
    assert not choose(state, ratings)
    played(2, ("random@1", "first@1"), 5.5)
    assert choose(state, ratings)
    assert chosen_of(state)[-1].chosen_for in {"a@1", "b@1"}


def test_a_rank_is_known_less_where_others_are_within_reach() -> None:
    state = of_three_games(*entered("random", "first", "a", "b", "new"), provisional_blocks=0)
    near = {
        "namto": KnownRating(2300.0, 40.0, 8),
        "mokkaik": KnownRating(1530.0, 40.0, 8),
        "naga": KnownRating(2300.0, 60.0, 8),
    }
    assert choose(state, settled(state, 8, new=near))
    assert chosen_of(state)[-1].game == "mokkaik"


def test_everybody_plays_about_equally_often() -> None:
    state = season(*entered("random", "first", "a", "b", "c"))
    for _ in range(60):
        assert choose(state)
    for game in state.schedule.games:
        played = Counter(bot for block in state.schedule if block.game == game for bot in block.bots)
        assert max(played.values()) - min(played.values()) <= 12, played


def test_a_new_version_plays_instead_of_the_old_one_and_catches_up() -> None:
    state = season(*entered("random", "first", "a", "b"))
    for _ in range(10):
        assert choose(state)
    state.note_entries(entered("b", version="2"))
    assert {bot.name: bot.bot for bot in state.tournament.bots}["b@1"] == "b"
    for _ in range(6):
        assert choose(state)
    after = blocks_of(state, 10)
    assert after["b@2"] == 6
    assert not after["b@1"]
    state.note_entries(entered("b", version="1"))
    assert choose(state)
    assert state.stored.entries.by_bot["b"].versions == ("2", "1")
    assert not blocks_of(state, 16)["b@2"]


@pytest.mark.parametrize("gone", [PAUSE, LEAVE])
def test_who_is_paused_or_has_left_is_not_chosen_until_it_is_back(gone: str) -> None:
    state = season(*entered("random", "first", "a"), EntryChange(gone, 2, "a"))
    for _ in range(5):
        assert choose(state)
    assert not blocks_of(state)["a@1"]
    back = EntryChange(RESUME, 3, "a") if gone == PAUSE else entered("a")[0]
    state.note_entries([back])
    assert choose(state)
    assert blocks_of(state)["a@1"]


def test_who_is_busy_or_withdrawn_is_not_chosen() -> None:
    state = season(*entered("random", "first", "a", "b"))
    state.stored.withdrawn["a@1"] = "it did not connect"
    assert choose(state, busy={"b@1"})
    assert set(blocks_of(state)) == {"random@1", "first@1"}
    assert not choose(state, busy={"b@1", "first@1"})
    state.readmit("a@1")
    assert choose(state, busy={"b@1", "first@1"})


def test_who_is_not_here_is_not_chosen_and_comes_first_when_it_is_back() -> None:
    state = season(*entered("random", "first", "a", "b"))
    for _ in range(12):
        assert choose(state, absent={"a@1"})
    assert not blocks_of(state)["a@1"]
    assert choose(state)
    assert chosen_of(state)[-1].chosen_for == "a@1"


def test_the_reason_why_nothing_is_played_is_what_is_so() -> None:
    nobody = season(*entered("a"), EntryChange(PAUSE, 2, "a"))
    assert str(idle_reason(nobody, Situation())) == "everybody who is entered is paused"
    state = season(*entered("random", "first"), provisional_blocks=1, narrow=0)
    certain = {"naga": {f"{bot}@1": KnownRating(1500.0, 10.0) for bot in ("random", "first")}}
    assert choose(state, certain)
    count(state, 0)
    assert str(idle_reason(state, Situation(certain))) == "a block of naga is about to begin"
    assert str(idle_reason(state, Situation(certain, busy={"random@1", "first@1"}))).startswith(
        "random@1 needs a block of"
    )
    state.stored.withdrawn["first@1"] = "it did not connect"
    too_few = idle_reason(state, Situation(certain))
    assert "but for first@1, who is withdrawn, there is 1" in str(too_few)
    assert (too_few.bots_needed, too_few.bots_found, too_few.withdrawn) == (2, 1, ("first@1",))
    narrow = season(*entered("random", "first"), provisional_blocks=1)
    assert choose(narrow, certain)
    uncertain = {"naga": {f"{bot}@1": KnownRating(1500.0, 90.0) for bot in ("random", "first")}}
    assert str(idle_reason(narrow, Situation(uncertain))) == "a block of naga is about to begin"
    assert str(idle_reason(narrow, Situation(certain))) == (
        "every entry has played 1 block or more, and has an interval of ± 25 or less"
    )


def test_a_block_that_waits_for_somebody_is_as_if_it_were_not_chosen() -> None:
    state = season(*entered("random", "first"), provisional_blocks=1)
    ratings = {"naga": {f"{bot}@1": KnownRating(1500.0, 10.0) for bot in ("random", "first")}}
    assert choose(state, ratings)
    assert not choose(state, ratings)
    assert choose(state, ratings, held_up={0})


def test_which_blocks_are_of_the_final_does_not_depend_on_clocks() -> None:
    state = season(*entered("a", "b"), final_blocks=2)
    assert choose(state, now_ms=9)
    state.note_entries([EntryChange(FREEZE, 5)])
    while choose(state, now_ms=1):
        assert len(state.schedule) < 20
    assert [block.final for block in chosen_of(state)] == [False, True, True]


def test_who_is_rated_well_enough_plays_only_as_others_need_it() -> None:
    state = season(*entered("random", "first", "a"), provisional_blocks=1)
    for _ in range(6):
        assert choose(state)
    ratings = {"naga": {f"{bot}@1": KnownRating(1500.0, 10.0) for bot in ("random", "first", "a")}}
    assert not choose(state, ratings)
    ratings["naga"]["a@1"] = KnownRating(1500.0, inf)
    assert choose(state, ratings)
    assert chosen_of(state)[-1].chosen_for == "a@1"


def test_a_void_block_is_not_played_again_by_a_version_that_was_replaced() -> None:
    state = season(*entered("random", "a"))
    for _ in range(2):
        assert choose(state)
    for number, replaced in ((0, False), (1, True)):
        if replaced:
            state.note_entries(entered("a", version="2"))
        state.close(ClosedBlock(number, number, "naga", void=VoidBlock(number, number, "no_show", "x", ("a@1",))))
        assert (number in state.parked_slots) == replaced


def test_what_has_not_begun_is_parked_while_a_bot_of_it_plays_no_more_and_what_has_goes_on() -> None:
    state = season(*entered("random", "a"))
    for _ in range(3):
        assert choose(state)
    state.opened.add(0)
    state.close(ClosedBlock(1, 1, "naga", void=VoidBlock(1, 1, "no_show", "x", ("a@1",))))
    assert state.parked_slots == set()
    for gone, back in ((PAUSE, RESUME), (LEAVE, ENTER)):
        state.note_entries([EntryChange(gone, 2, "a")])
        assert state.parked_slots == {1, 2}
        assert state.stuck == ""
        state.note_entries([EntryChange(back, 3, "a", "1" if back == ENTER else "")])
        assert state.parked_slots == set()
    count(state, 0)
    state.note_entries([EntryChange(LEAVE, 4, "a")])
    assert [state.parked(block) for block in state.unfinished()] == [True, True]
    again = ScheduledTournament(state.tournament, state.stored)
    assert again.parked_slots == state.parked_slots == {1, 2}


@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 8))
def test_in_the_final_all_get_equally_many_blocks(bots: int, each: int, before: int) -> None:
    state = season(*entered(*(f"bot-{n}" for n in range(bots))), final_blocks=each)
    for _ in range(before):
        choose(state)
    first = len(state.schedule)
    state.note_entries([EntryChange(FREEZE, 5)])
    assert not state.goes_on
    while choose(state, now_ms=6):
        assert len(state.schedule) < 200
    played = Counter(bot for block in list(state.schedule)[first:] if block.game == "naga" for bot in block.bots)
    assert set(played) == {f"bot-{n}@1" for n in range(bots)}
    assert min(played.values()) == each
    assert max(played.values()) <= each + 2  # who fills the last groups


def test_a_block_whose_bot_left_while_its_choice_was_stored_is_parked_at_once() -> None:
    state = season(*entered("a", "b"))
    chosen = next_block(state, Situation({}, absent=("first@1", "random@1")), 2)
    assert chosen is not None
    assert set(chain.from_iterable(chosen.groups)) == {"a@1", "b@1"}
    state.note_entries([EntryChange(LEAVE, 3, "a")])
    assert state.parked_numbers == set()
    block = state.add_chosen(chosen)
    assert block in state.parked_blocks
    assert state.parked_numbers == {block.number}


def test_the_opponents_in_the_final_are_drawn_without_regard_to_ratings() -> None:
    bots = [f"bot-{number}" for number in range(12)]
    apart = {f"{bot}@1": KnownRating(1000.0 + 200.0 * place, 20.0, 40) for place, bot in enumerate(bots)}
    level = {name: KnownRating(1500.0, 20.0, 40) for name in apart}
    state = season(*entered(*bots), EntryChange(FREEZE, 5), final_blocks=8)
    assert isinstance(state.schedule, ChosenSchedule)
    for _ in range(10):
        chosen = next_block(state, Situation({"naga": apart, "napoleon": apart}), 6)
        assert chosen is not None
        assert chosen == next_block(state, Situation({"naga": level, "napoleon": level}), 6)
        state.schedule.add(chosen)


def test_the_number_of_a_block_stays_its_own_while_slots_are_added() -> None:
    state = season(*entered("random", "first", "a", "b"))
    for _ in range(3):
        assert choose(state)
    first = state.schedule.block(0)
    again = state.schedule.replacement(first)
    for _ in range(3):
        assert choose(state)
    assert state.schedule.block(again.number) == again
    assert (again.slot, again.attempt) == (0, 1)
    assert [match.bots for match in again.matches] == [match.bots for match in first.matches]
    ids = [match.match_id for block in (*state.schedule, again) for match in block.matches]
    assert len(set(ids)) == len(ids) == state.schedule.matches + len(again.matches)
    assert all(len(match_id) <= 80 for match_id in ids)
    for wrong in (-1, 6):
        with pytest.raises(ValueError, match="no block"):
            state.schedule.block(wrong)


def test_what_is_pending_is_what_does_not_count_yet() -> None:
    state = season(*entered("random", "first", "a", "b"), EntryChange(FREEZE, 0))
    for _ in range(4):
        assert choose(state)
    count(state, 0)
    state.close(ClosedBlock(2, 2, "naga", void=VoidBlock(2, 2, "lost", "x", ())))
    assert [block.number for block in state.unfinished()] == [1, 2**32 + 2, 3]
    for number in (1, 2**32 + 2, 3):
        assert not state.complete
        count(state, number)
    assert state.complete


def test_ratings_as_after_a_disqualification_leave_the_season_and_its_awaited_submissions_as_they_are() -> None:
    state = season(*entered("a"), EntryChange(AWAIT, 2, "a", submission="next"))
    after = state.under((), EntryChange(DISQUALIFY, 3, "a", reason="copied"))
    assert after.stored.entries.awaited == []
    assert [asked.submission for asked in state.stored.entries.awaited] == ["next"]
    assert [entry.bot for entry in state.stored.entries.playing()] == ["a"]


def test_the_panel_plays_along_in_a_season_and_its_final_and_never_needs_a_block_itself() -> None:
    panel = Panel("naga", 2.0, (PanelBot("sensible", 1500.0, 0.0), PanelBot("random", 1100.0, 30.0)))
    bots = ("a", "b", "c", "d", "e", "f")
    rules = {"pair_share": 0.25, "author_share": 0.4, "narrow": 1000.0, "final_blocks": 20, "provisional_blocks": 20}
    entrants = [
        EntryChange(ENTER, 1, bot, "1", submission=bot, stateless=True)
        for bot in (*bots, "panel-sensible", "panel-random")
    ]
    state = season(*entrants, panels=(panel,), **rules)
    state = ScheduledTournament(replace(state.tournament, games=(TournamentGame("naga"),)), state.stored)
    known = {"naga": {f"{bot}@1": KnownRating(1500.0, 20.0, 5) for bot in bots}}
    for frozen in (False, True):
        before = len(state.schedule)
        if frozen:
            state.note_entries([EntryChange(FREEZE, 3)])
        while choose(state, known):
            assert len(state.schedule) < before + 200
        played = blocks_of(state, before)
        assert all(played[f"{bot}@1"] >= 20 for bot in bots)
        assert not frozen or max(played[f"{bot}@1"] for bot in bots) <= 24
        assert played["panel-sensible@1"] > 0
        assert 2 <= played["panel-sensible@1"] + played["panel-random@1"] <= 0.35 * (len(state.schedule) - before)
        assert all(any(not bot.startswith("panel-") for bot in block.bots) for block in state.schedule)
