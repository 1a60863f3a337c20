"""What followers are told of a tournament, and what not."""

from __future__ import annotations

import pytest

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.api.messages import block_messages, definition_messages, standing_messages
from fudaba_arena.commands.display import ladder_tables
from fudaba_arena.commands.tournament_reports import ladders_from, lists_of, match_json
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.ladder.standings import as_csv, as_json
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from tests.support.arena.audit.exports import count, played

SECRETS = ("secret", "KEY", "./bob")


def several_games() -> ScheduledTournament:
    """Returns a tournament of two games in which somebody plays only one, and somebody has not played yet."""
    source = played()
    bots = (
        BotEntry("a", "first", stateless=True),
        BotEntry("b", "random", stateless=True),
        BotEntry("c", "random", stateless=True, games=("mokkaik",)),
        BotEntry("d", author="x", games=("naga",)),
    )
    tournament = Tournament("several", (TournamentGame("naga", blocks=3), TournamentGame("mokkaik", blocks=2)), bots)
    source.stored.results.clear()
    source.stored.blocks = ClosedBlocks(lines={})
    state = ScheduledTournament(tournament, source.stored)
    for block in state.schedule:
        if "d" not in block.bots:
            count(state, block.number)
    return state


@pytest.mark.parametrize("state", [played(), played(closed=False), several_games()], ids=["over", "played", "several"])
def test_standings_that_were_told_are_shown_as_those_that_were_not(state: ScheduledTournament) -> None:
    here = ladders_of(state, block_results(state))
    there = ladders_from(standing_messages.standings(here))
    assert ladder_tables(there) == ladder_tables(here)
    assert shown(there) == shown(here)


def shown(ladders: Ladders) -> tuple[object, str]:
    named = ladders.named()
    return (
        {name: as_json(ladder.fit, ladder.rows) for name, ladder in named.items()},
        as_csv({name: ladder.rows for name, ladder in named.items()}),
    )


def test_how_bots_are_started_is_not_told() -> None:
    message = str(definition_messages.definition(played().tournament))
    assert "bob" in message
    assert not any(secret in message for secret in SECRETS)


def test_seeds_are_told_when_the_tournament_is_over() -> None:
    for closed in (True, False):
        state = played(closed=closed)
        blocks = [block_messages.block(state, block) for block in state.schedule if block.number != 1]
        assert {len(block.seed) for block in blocks} == {32 if closed else 0}


def test_a_void_block_tells_why_and_its_replacement_what_it_replaces() -> None:
    state = played()
    lists = lists_of(state)
    by_number = {block.number: block for block in lists.blocks}
    void = by_number[1]
    assert (void.state, void.void_cause) == (arena_pb2.BLOCK_STATE_VOID, arena_pb2.VOID_CAUSE_NO_SHOW)
    assert list(void.absent_bots) == ["alice"]
    again = by_number[1 + len(state.schedule)]
    assert (again.slot, again.attempt, again.state) == (1, 1, arena_pb2.BLOCK_STATE_COUNTED)


def test_results_of_a_block_in_play_are_told_to_the_organiser_only() -> None:
    state = played(closed=False, left_out=[0])
    block = state.schedule.block(0)
    for planned in block.matches:
        result = MatchResult(planned.match_id, block.number, planned.deal, planned.bots, (1, -1))
        state.stored.results[planned.match_id] = result
    for organiser in (True, False):
        matches = [
            block_messages.match(state, block, state.stored.blocks.block(block.number), planned, organiser=organiser)
            for planned in block.matches
        ]
        assert {match.counting for match in matches} == {arena_pb2.MATCH_COUNTING_OPEN}
        assert all(bool(match.scores) == match.HasField("deal") == organiser for match in matches)
    assert block_messages.begun(state) == {0}


@pytest.mark.parametrize("cause", sorted(block_messages.FORFEITS))
def test_each_cause_of_a_forfeit_is_told_to_programs_by_its_word(cause: str) -> None:
    state = played(closed=False, left_out=[0])
    block = state.schedule.block(0)
    planned = block.matches[0]
    result = MatchResult(planned.match_id, 0, planned.deal, planned.bots, (1, -1), planned.bots[1], cause)
    state.stored.results[planned.match_id] = result
    shown_word = match_json(block_messages.match(state, block, None, planned, organiser=True))
    assert (shown_word["forfeited"], shown_word["forfeit_cause"]) == (planned.bots[1], cause)


def test_every_cause_that_the_contract_knows_has_a_word() -> None:
    for words, enum in (
        (block_messages.FORFEITS, record_pb2.ForfeitCause),
        (block_messages.VOIDS, arena_pb2.VoidCause),
    ):
        assert {0, *words.values()} == {*enum.values()}
