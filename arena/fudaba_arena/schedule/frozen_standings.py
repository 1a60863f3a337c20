"""Frozen standings: a season as it was when they were frozen, which is all that others than organisers see of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import replace
from itertools import takewhile

from fudaba_arena.schedule.block_numbers import GROWING
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlocks
from fudaba_arena.store.tournaments.entries import Entries
from fudaba_arena.tournament.definition import stored_tournament

__all__ = ["as_frozen", "frozen_blocks", "frozen_out"]


def frozen_blocks(state: ScheduledTournament, now_ms: int) -> int | None:
    """Returns the number of blocks that were closed before the standings were frozen; None if they are not frozen."""
    season = state.tournament.season
    if season is None or not season.standings_frozen(now_ms):
        return None
    return state.stored.blocks.length_before(season.standings_freeze_ms)


def frozen_out(state: ScheduledTournament, numbers: Collection[int], now_ms: int) -> set[int]:
    """Returns which of some blocks were closed after the standings were frozen; none if they are not frozen."""
    length = frozen_blocks(state, now_ms) if numbers else None
    if length is None:
        return set()
    places = {number: state.stored.blocks.places.get(number) for number in numbers}
    return {number for number, place in places.items() if place is None or place >= length}


def as_frozen(state: ScheduledTournament, length: int, freeze_ms: int) -> ScheduledTournament:
    """Returns a season as if nothing had happened since its first `length` blocks were closed, at `freeze_ms`.

    It depends on nothing later. `state` has to keep the lines of its blocks. The result is open, and plays nothing.
    """
    stored = state.stored
    if stored.blocks.lines is None:
        raise ValueError(f"the lines of {state.tournament.name} are not kept")
    blocks = ClosedBlocks(lines={})
    blocks.add([*stored.blocks.lines.values()][:length])
    blocks.hold(tuple(takewhile(lambda annulment: annulment.at_ms < freeze_ms, stored.blocks.annulments)))
    entries = Entries()
    entries.add(takewhile(lambda change: change.at_ms < freeze_ms, stored.entries.changes))
    frozen = replace(
        stored,
        blocks=blocks,
        results={},
        created=set(),
        unreleased=set(),
        withdrawn={},
        no_shows={},
        pardons=0,
        closed=False,
        chosen=_chosen_before(state, blocks, freeze_ms),
        entries=entries,
        handed_out=set(),
    )
    tournament = stored_tournament(state.tournament.name, stored.definition, stored.attempts)
    return ScheduledTournament(tournament, frozen)


def _chosen_before(state: ScheduledTournament, blocks: ClosedBlocks, freeze_ms: int) -> ChosenBlocks:
    """Returns the blocks that were chosen before a time, and at least those of the closed blocks."""
    chosen = state.stored.chosen
    early = bisect_left(range(len(chosen)), freeze_ms, key=lambda slot: chosen[slot].at_ms)
    closed = max((GROWING.slot(number) for number in blocks.lines or ()), default=-1)
    return ChosenBlocks(chosen[: max(early, closed + 1)])
