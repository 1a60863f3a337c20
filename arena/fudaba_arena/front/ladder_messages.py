"""Ladders and their entries as messages."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.front import definition_messages, messages
from fudaba_arena.front.challenge_messages import POLICIES, policy_of
from fudaba_arena.play.hosted import HostedTournament
from fudaba_arena.schedule.chosen import ChosenSchedule
from fudaba_arena.store.challenges import Policy
from fudaba_arena.store.entries import LEFT, PAUSED, PLAYING, Entry
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.ladder import ANYONE, LISTED, NOBODY, Season

__all__ = ["entry", "ladder", "planned"]

_WHO: Final[Mapping[str, arena_pb2.LadderEntry.ValueType]] = {
    ANYONE: arena_pb2.LADDER_ENTRY_ANYONE,
    LISTED: arena_pb2.LADDER_ENTRY_LISTED,
    NOBODY: arena_pb2.LADDER_ENTRY_ORGANISER,
}
_WORDS: Final[Mapping[str, arena_pb2.LadderState.ValueType]] = {
    "playing": arena_pb2.LADDER_STATE_PLAYING,
    "paused": arena_pb2.LADDER_STATE_PAUSED,
    "stalled": arena_pb2.LADDER_STATE_STALLED,
    "closed": arena_pb2.LADDER_STATE_CLOSED,
}
_STATES: Final[Mapping[str, arena_pb2.EntryState.ValueType]] = {
    PLAYING: arena_pb2.ENTRY_STATE_PLAYING,
    PAUSED: arena_pb2.ENTRY_STATE_PAUSED,
    LEFT: arena_pb2.ENTRY_STATE_LEFT,
}


def _definition(of: Season) -> arena_pb2.LadderDefinition:
    """What makes a tournament a season."""
    ladder_definition = arena_pb2.LadderDefinition(
        entry=_WHO[of.enter],
        entries_per_author=of.entries_per_author,
        provisional_blocks=of.provisional_blocks,
        narrow=of.narrow,
        final_blocks=of.final_blocks,
        final_wait_seconds=of.final_wait_seconds,
        challenges=POLICIES[of.challenges],
        challengers=of.challengers,
        memory_kept=bool(of.keeps_in),
    )
    if of.begins_ms:
        ladder_definition.begin_time.FromMilliseconds(of.begins_ms)
    if of.ends_ms:
        ladder_definition.end_time.FromMilliseconds(of.ends_ms)
    return ladder_definition


def planned(of: Tournament, season: Season) -> arena_pb2.Ladder:
    """A ladder that could be created."""
    tournament = arena_pb2.Tournament(name=of.name, definition=definition_messages.definition(of))
    return arena_pb2.Ladder(
        name=season.ladder, season=season.number, tournament=tournament, definition=_definition(season)
    )


def ladder(of: HostedTournament, season: Season, parked: Collection[int], *, organiser: bool) -> arena_pb2.Ladder:
    """A ladder, with its newest season."""
    state = _WORDS[of.word]
    if state == arena_pb2.LADDER_STATE_PLAYING:
        if season.begins_ms > time.time() * 1000:
            state = arena_pb2.LADDER_STATE_WAITING
        elif of.state.stored.entries.frozen_ms is not None:
            state = arena_pb2.LADDER_STATE_FINAL
    rules = of.state.tournament.limits.rules(keeps=bool(season.keeps_in))
    return arena_pb2.Ladder(
        name=season.ladder,
        state=state,
        season=season.number,
        tournament=messages.tournament(of, parked, organiser=organiser),
        definition=_definition(season),
        entries_playing=len(of.state.stored.entries.playing()),
        isolations=[
            arena_pb2.Isolation(
                mode=isolation.mode,
                version=isolation.version,
                workers=workers,
                not_enforced=isolation.not_enforced(rules),
                enforcement_told=bool(isolation.enforces),
            )
            for isolation, workers in sorted(of.presence.isolations(of.state).items())
        ],
    )


def entry(of_season: HostedTournament, of: Entry, said: Policy | None, looks_like: str) -> arena_pb2.Entry:
    """An entry as it is now. `said` is what its author says of challenges, if anything."""
    state, presence = of_season.state, of_season.presence
    entry_message = arena_pb2.Entry(
        bot=of.bot,
        version=of.version,
        versions=of.versions,
        state=_STATES[of.state],
        author=of.author,
        games=of.games,
        kind=definition_messages.KINDS[state.entrants[of.entrant].kind],
        looks_like=looks_like,
    )
    if of.state == PLAYING and of.entrant in state.stored.withdrawn:
        entry_message.state = arena_pb2.ENTRY_STATE_WITHDRAWN
    elif of.state == PLAYING and not state.stored.closed:
        entry_message.absent_because = presence.why_absent(state.entrants[of.entrant])
        if presence.suspended(state.entrants[of.entrant]):
            entry_message.state = arena_pb2.ENTRY_STATE_SUSPENDED
        elif entry_message.absent_because or presence.known_absent(state.entrants[of.entrant]):
            entry_message.state = arena_pb2.ENTRY_STATE_ABSENT
    if state.tournament.season is not None:
        policy = policy_of(state.tournament.season, said)
        entry_message.challenges = POLICIES[policy.challenges]
        entry_message.challengers.extend(policy.challengers)
    if isinstance(state.schedule, ChosenSchedule):
        entry_message.blocks = sum(state.schedule.blocks_of(game)[of.entrant] for game in state.schedule.games)
    return entry_message
