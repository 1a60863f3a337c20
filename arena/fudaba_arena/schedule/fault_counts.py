"""Counts the void blocks and forfeited matches of each bot, and says why blocks are parked."""

from __future__ import annotations

from collections.abc import Iterator

from fudaba_arena.schedule.state import NOBODY, ScheduledTournament
from fudaba_arena.schedule.wording import void_cause
from fudaba_arena.store.blocks.closed_block import VoidBlock
from fudaba_arena.store.blocks.kinds import block_kinds, forfeited

__all__ = ["forfeit_counts", "parked_causes", "void_cause_counts", "void_counts"]


def void_counts(state: ScheduledTournament, *, named: bool = False) -> dict[str, dict[str, int]]:
    """Returns the number of void blocks that are attributed to each bot, by game.

    With `named`, it leaves out those whose bots only the organiser may know.
    """
    counts = {
        game.game: {bot.name: 0 for bot in state.tournament.bots if bot.plays(game.game)}
        for game in state.tournament.games
    }
    for void in _voids(state, named=named):
        of_game = counts[state.schedule.game_of(void.block)]
        for bot in void.bots:
            of_game[bot] = of_game.get(bot, 0) + 1
    return counts


def void_cause_counts(state: ScheduledTournament, *, named: bool = False) -> dict[str, dict[str, int]]:
    """Counts the void blocks of each bot, by cause, regardless of fault. `named` is as for `void_counts`.

    Bots without any are left out.
    """
    counts: dict[str, dict[str, int]] = {}
    for void in _voids(state, named=named):
        for bot in state.bots_of_void(void):
            causes = counts.setdefault(bot, {})
            causes[void.cause] = causes.get(void.cause, 0) + 1
    return counts


def _voids(state: ScheduledTournament, *, named: bool) -> Iterator[VoidBlock]:
    """Yields the void blocks; with `named`, without those whose bots only the organiser may know."""
    for void in list(state.stored.blocks.void.values()):
        if not named or not state.hides_names(void.slot):
            yield void


def forfeit_counts(state: ScheduledTournament) -> dict[str, dict[str, int]]:
    """Returns each bot's number of forfeited counting matches, by cause; bots without any are left out."""
    counts: dict[str, dict[str, int]] = {}
    # Of most nobody forfeited anything, which is seen sooner than they are read.
    kinds = state.stored.blocks.kinds().items()
    for of_blocks in block_kinds({kind: times for kind, times in kinds if forfeited(kind)}):
        for result in of_blocks.matches:
            for bot in result.absent or filter(None, [result.forfeited]):
                causes = counts.setdefault(bot, {})
                causes[result.forfeit_cause] = causes.get(result.forfeit_cause, 0) + of_blocks.times
    return counts


def parked_causes(state: ScheduledTournament) -> dict[int, list[str]]:
    """Returns why the attempts at each parked block failed, by block number, in the order of the attempts.

    Empty for a block whose bots are withdrawn.
    """
    causes: dict[int, list[str]] = {slot: [] for slot in state.parked_slots}
    for _, void in sorted(state.stored.blocks.void.items()):
        if void.slot in causes and void.cause not in NOBODY:
            causes[void.slot].append(void_cause(void.cause, void.bots))
    return {block.number: causes[block.slot] for block in state.parked_blocks}
