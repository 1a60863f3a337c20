"""Tournaments as messages. Only the organiser sees what could give away a block still in play."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages.block_messages import block
from fudaba_arena.api.messages.definition_messages import definition
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.obstacles import Obstacle
from fudaba_arena.play.tournaments.journal import JournalChange
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import (
    DISQUALIFY,
    ENTER,
    FREEZE,
    LEAVE,
    PAUSE,
    REINSTATE,
    RESUME,
    EntryChange,
)

__all__ = ["change", "progress", "tournament"]

_STATES: Final[Mapping[str, arena_pb2.TournamentState.ValueType]] = {
    "playing": arena_pb2.TOURNAMENT_STATE_PLAYING,
    "paused": arena_pb2.TOURNAMENT_STATE_PAUSED,
    "stalled": arena_pb2.TOURNAMENT_STATE_STALLED,
    "closed": arena_pb2.TOURNAMENT_STATE_CLOSED,
}
_CHANGES: Final[Mapping[str, arena_pb2.EntryChangeKind.ValueType]] = {
    ENTER: arena_pb2.ENTRY_CHANGE_KIND_ENTERED,
    PAUSE: arena_pb2.ENTRY_CHANGE_KIND_PAUSED,
    RESUME: arena_pb2.ENTRY_CHANGE_KIND_RESUMED,
    LEAVE: arena_pb2.ENTRY_CHANGE_KIND_LEFT,
    FREEZE: arena_pb2.ENTRY_CHANGE_KIND_FROZEN,
    DISQUALIFY: arena_pb2.ENTRY_CHANGE_KIND_DISQUALIFIED,
    REINSTATE: arena_pb2.ENTRY_CHANGE_KIND_REINSTATED,
}
_ABSENT: Final = "it did not connect"


def tournament(arena_tournament: ArenaTournament, parked: Collection[int], *, organiser: bool) -> arena_pb2.Tournament:
    """Returns a tournament as it is now. `parked` has the numbers of its parked blocks."""
    state = arena_tournament.state
    stored = state.stored
    stalled = arena_tournament.obstacle if organiser and arena_tournament.state_name == "stalled" else None
    message = arena_pb2.Tournament(
        name=arena_tournament.name,
        tournament_id=state.id,
        state=_STATES[arena_tournament.state_name],
        stalled_because=stalled.text if stalled is not None else "",
        stall_reason=_stall_reason(stalled) if stalled is not None else None,
        definition=definition(state.tournament),
        commitment=bytes.fromhex(state.commitment),
        master=stored.master if stored.closed else b"",
        progress=progress(state, parked, arena_tournament.matches_playing),
        withdrawals=[_withdrawal(state, bot, organiser=organiser) for bot in sorted(stored.withdrawn)],
    )
    season = state.tournament.season
    if season is not None and season.standings_frozen(int(time.time() * 1000)):
        message.standings_frozen_time.FromMilliseconds(season.standings_freeze_ms)
        if season.standings_open_ms:
            message.standings_open_time.FromMilliseconds(season.standings_open_ms)
    return message


def progress(state: ScheduledTournament, parked: Collection[int], playing: int = 0) -> arena_pb2.TournamentProgress:
    """Returns how far a tournament is. `playing` is the number of its matches in play."""
    stored = state.stored
    return arena_pb2.TournamentProgress(
        matches_counted=state.matches_counted,
        matches_planned=state.schedule.matches if state.schedule.whole else None,
        matches_playing=playing,
        blocks_counted=stored.blocks.counted - len(stored.blocks.annulled),
        blocks_planned=len(state.schedule) if state.schedule.whole else None,
        blocks_void=len(stored.blocks.void),
        blocks_parked=len(parked),
        complete=state.complete,
    )


def _stall_reason(stalled: Obstacle) -> arena_pb2.StallReason:
    return arena_pb2.StallReason(
        cause=arena_pb2.StallCause.Value(f"STALL_CAUSE_{stalled.cause.name}"),
        blocks_parked=stalled.parked,
        blocks=stalled.blocks,
        round=stalled.round_number,
        rounds=stalled.rounds,
        fault=stalled.fault,
    )


def _withdrawal(state: ScheduledTournament, bot: str, *, organiser: bool) -> arena_pb2.Withdrawal:
    why = state.stored.withdrawn.get(bot, "")
    cause = arena_pb2.WITHDRAWAL_CAUSE_UNSPECIFIED  # the withdrawal may be long past, and the bot plays again
    if why:
        absent = why.startswith(_ABSENT)
        cause = arena_pb2.WITHDRAWAL_CAUSE_NO_SHOW if absent else arena_pb2.WITHDRAWAL_CAUSE_PROCESS_ENDED
    return arena_pb2.Withdrawal(bot=bot, cause=cause, message=why if organiser else "")


def change(arena_tournament: ShownTournament, noted: JournalChange, *, organiser: bool) -> arena_pb2.TournamentChange:
    """Returns a change as followers see it."""
    tournament_change = arena_pb2.TournamentChange()
    tournament_change.time.FromMilliseconds(noted.at_ms)
    if noted.kind in {"block", "annulled", "restored"}:
        tournament_change.block.CopyFrom(
            block(arena_tournament.state, arena_tournament.state.schedule.block(int(noted.subject)))
        )
    elif noted.kind == "entry":
        tournament_change.entry.CopyFrom(
            _entry_change(arena_tournament.state.stored.entries.changes[int(noted.subject)])
        )
    elif noted.kind == "withdrawal":
        tournament_change.withdrawal.CopyFrom(
            _withdrawal(arena_tournament.state, str(noted.subject), organiser=organiser)
        )
    else:
        tournament_change.state = _STATES[str(noted.subject)]
    return tournament_change


def _entry_change(change: EntryChange) -> arena_pb2.EntryChange:
    return arena_pb2.EntryChange(kind=_CHANGES[change.kind], bot=change.bot, version=change.version)
