"""A bot whose play changes with time is marked: the halves of its season differ by more than chance explains."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.commands.tournament_reports import ladders_from
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.ladder.ratings import Rated, Rows, rate
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

FIELD = tuple(f"bot-{number}@1" for number in range(6))
PAIRS = tuple(combinations(FIELD, 2))
ELO_FORM_POINTS = 100.0


def seasons_blocks(chance: np.random.Generator, blocks: int, lasts: int) -> list[tuple[str, str, tuple[int, int]]]:
    """Returns blocks of two matches, won or lost, of equal bots whose form is drawn anew after so many of their blocks.

    With `lasts` 0 nobody has a form.
    """
    form, played = dict.fromkeys(FIELD, 0.0), dict.fromkeys(FIELD, 0)
    found = []
    for number in range(blocks):
        first, other = PAIRS[number % len(PAIRS)]
        for bot in (first, other):
            if lasts and played[bot] % lasts == 0:
                form[bot] = chance.normal(0, ELO_FORM_POINTS)
            played[bot] += 1
        wins = chance.random(2) < 1 / (1 + 10 ** ((form[other] - form[first]) / 400))
        found.append((first, other, (1 if wins[0] else -1, 1 if wins[1] else -1)))
    return found


def fitted(blocks: list[tuple[str, str, tuple[int, int]]]) -> Rated:
    rows = Rows()
    for number, (first, other, won) in enumerate(blocks):
        matches = [[0, [first, other], [won[0], -won[0]], "", ""], [0, [other, first], [-won[1], won[1]], "", ""]]
        rows.add(matches, 1, int(number < len(blocks) // 2))
    return rate(rows.results())


def test_at_most_one_field_in_a_hundred_in_which_nothing_changes_has_a_mark() -> None:
    chance = np.random.default_rng(34)
    marked = [bool(fitted(seasons_blocks(chance, 240, 0)).changing) for _ in range(60)]
    assert sum(marked) <= 2


def test_most_fields_with_a_form_that_lasts_have_a_mark() -> None:
    chance = np.random.default_rng(35)
    marked = [bool(fitted(seasons_blocks(chance, 600, 100)).changing) for _ in range(20)]
    assert sum(marked) >= 15


def test_results_of_which_the_order_is_not_known_have_no_mark() -> None:
    rows = Rows()
    for _ in range(100):
        rows.add([[0, ["a", "b"], [1, -1], "", ""]], 1)
        rows.add([[0, ["a", "b"], [-1, 1], "", ""]], 1)
    assert rate(rows.results()).changing == frozenset()


class Played:
    """A season of Naga in which a bot wins everything until it loses everything, and two others draw."""

    def __init__(self) -> None:
        self.blocks = ClosedBlocks()
        lines = []
        for number in range(120):
            won = 1 if number < 60 else -1
            pairs = [("changing@1", "a@1", won), ("a@1", "b@1", 0), ("changing@1", "b@1", won), ("b@1", "a@1", 0)]
            first, other, score = pairs[number % 4]
            result = MatchResult(f"m{number}", number, 0, (first, other), (score, -score))
            lines.append(ClosedBlock(number, number, "naga", (result,), 1, at_ms=number).line())
        self.blocks.add(lines)

    def ladders(self) -> Ladders:
        entries = Entries()
        entries.add([EntryChange(ENTER, 1, bot, "1") for bot in ("changing", "a", "b")])
        stored = StoredTournament({}, bytes(32), self.blocks, {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries)
        season = Season("open", provisional_blocks=1)
        state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=season), stored)
        return ladders_of(state, block_results(state))


def test_the_mark_is_on_the_row_and_goes_over_the_wire() -> None:
    ladders = Played().ladders()
    marks = {row.bot: row.changes for row in ladders.overall.rows}
    assert marks["changing@1"]
    messages = standing_messages.standings(ladders)
    read_back = ladders_from(arena_pb2.Standings.FromString(message.SerializeToString()) for message in messages)
    assert {row.bot: row.changes for row in read_back.overall.rows} == marks


def test_halves_are_of_the_blocks_that_count() -> None:
    played = Played()
    played.blocks.hold([Annulment(tuple(range(60, 120)), "the second half", 1, after=120)])
    assert not any(row.changes for row in played.ladders().overall.rows)
