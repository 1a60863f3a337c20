"""Hides names in messages: where names are hidden, only the organiser learns who plays a block before it is over.

So nothing that others are shown may depend on the bots of such a block: neither its own message nor a count by bot that
changes when it is chosen or becomes void.
"""

from __future__ import annotations

from collections.abc import Iterable

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages.standing_messages import voids
from fudaba_arena.ladder.ladders import OVERALL
from fudaba_arena.schedule.fault_counts import void_counts
from fudaba_arena.schedule.state import ScheduledTournament

__all__ = ["hide_in_blocks", "hide_in_changes", "hide_in_matches", "hide_in_queue", "hide_voids"]


def hide_in_blocks(state: ScheduledTournament, blocks: Iterable[arena_pb2.Block]) -> None:
    """Removes the names of blocks that are not over."""
    for block in blocks:
        if state.hides_names(block.slot):
            block.names_hidden = True
            block.ClearField("bots")
            block.ClearField("absent_bots")


def hide_in_changes(state: ScheduledTournament, changes: Iterable[arena_pb2.TournamentChange]) -> None:
    """Removes the names of the void blocks among changes."""
    hide_in_blocks(state, (change.block for change in changes if change.HasField("block")))


def hide_in_matches(state: ScheduledTournament, matches: Iterable[arena_pb2.TournamentMatch]) -> None:
    """Removes the names of matches of blocks that are not over, and how their seats were run."""
    for match in matches:
        if state.hides_names(state.schedule.block(match.block).slot):
            match.names_hidden = True
            match.ClearField("bots")
            match.ClearField("seat_uses")


def hide_in_queue(state: ScheduledTournament, queue: arena_pb2.GetQueueResponse) -> None:
    """Removes the names of all blocks of the queue, and the shares of entries, which say who plays."""
    hide_in_blocks(state, (queued.block for queued in queue.blocks))
    for queued in queue.blocks:
        if queued.block.names_hidden:
            queued.ClearField("waits_for")
            queued.ClearField("chosen_for")
    if state.tournament.names_hidden:
        queue.ClearField("shares")
        queue.ClearField("more_shares")


def hide_voids(state: ScheduledTournament, answer: arena_pb2.GetStandingsResponse) -> None:
    """Counts void blocks only once the next attempt at them is over."""
    if not state.tournament.names_hidden:
        return
    by_game = void_counts(state, named=True)
    for standings in answer.standings:
        games = by_game if standings.game == OVERALL else (standings.game,)
        for row in standings.rows:
            row.void_blocks = sum(by_game.get(game, {}).get(row.bot, 0) for game in games)
    answer.ClearField("voids")
    answer.voids.extend(voids(state, named=True))
