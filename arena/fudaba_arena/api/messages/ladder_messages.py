"""Ladders and their entries as messages."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import definition_messages, tournament_messages
from fudaba_arena.api.messages.challenge_messages import POLICIES, policy_of
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.challenges.challenge_store import ChallengePolicy
from fudaba_arena.store.tournaments.entries import DISQUALIFIED, LEFT, PAUSED, PLAYING, Entry
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.edits import Effect, Phase, effect_of
from fudaba_arena.tournament.panel import Panel
from fudaba_arena.tournament.season import ANYONE, LISTED, NOBODY, Season
from fudaba_arena.tournament.terms import Change

__all__ = ["change", "entry", "ladder", "planned"]

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
    DISQUALIFIED: arena_pb2.ENTRY_STATE_DISQUALIFIED,
}
_EFFECTS: Final[Mapping[Effect, arena_pb2.LadderChangeEffect.ValueType]] = {
    Effect.AT_ONCE: arena_pb2.LADDER_CHANGE_EFFECT_AT_ONCE,
    Effect.NEXT_BLOCK: arena_pb2.LADDER_CHANGE_EFFECT_NEXT_BLOCK,
    Effect.NEW_ENTRIES: arena_pb2.LADDER_CHANGE_EFFECT_NEW_ENTRIES,
    Effect.NEW_CHALLENGES: arena_pb2.LADDER_CHANGE_EFFECT_NEW_CHALLENGES,
    Effect.FINAL: arena_pb2.LADDER_CHANGE_EFFECT_FINAL,
    Effect.NEXT_SEASON: arena_pb2.LADDER_CHANGE_EFFECT_NEXT_SEASON,
}


def _definition(season: Season, *, names_hidden: bool) -> arena_pb2.LadderDefinition:
    """Returns the message about what makes a tournament a season."""
    ladder_definition = arena_pb2.LadderDefinition(
        description=season.description,
        entry=_WHO[season.enter],
        entries_per_author=season.entries_per_author,
        provisional_blocks=season.provisional_blocks,
        narrow=season.narrow,
        final_blocks=season.final_blocks,
        final_wait_seconds=season.final_wait_seconds,
        challenges=POLICIES[season.challenges],
        challengers=season.challengers,
        memory_kept=bool(season.keeps_in),
        rank_half=season.rank_half,
        idle_days=season.idle_days,
        final_apart_blocks=season.final_apart_blocks,
        overall_shares=season.overall_shares,
        pair_share=season.pair_share,
        author_share=season.author_share,
        begin_zone=season.begins_zone,
        end_zone=season.ends_zone,
        standings_freeze_zone=season.standings_freeze_zone,
        standings_open_zone=season.standings_open_zone,
        names_hidden=names_hidden,
        panels=map(_panel, season.panels),
    )
    if season.absence is not None:
        ladder_definition.absence.grace_seconds = season.absence.grace_seconds
        ladder_definition.absence.graces = season.absence.graces
        ladder_definition.absence.network.extend(season.absence.network)
    if season.begins_ms:
        ladder_definition.begin_time.FromMilliseconds(season.begins_ms)
    if season.ends_ms:
        ladder_definition.end_time.FromMilliseconds(season.ends_ms)
    if season.standings_freeze_ms:
        ladder_definition.standings_freeze_time.FromMilliseconds(season.standings_freeze_ms)
    if season.standings_open_ms:
        ladder_definition.standings_open_time.FromMilliseconds(season.standings_open_ms)
    return ladder_definition


def _panel(panel: Panel) -> arena_pb2.RatingPanel:
    bots = [arena_pb2.PanelBot(bot=bot.name, rating=bot.rating, half=bot.half) for bot in panel.bots]
    return arena_pb2.RatingPanel(game=panel.game, spread=panel.spread, bots=bots)


def change(made: Change, phase: Phase) -> arena_pb2.LadderChange:
    """Returns a change that an edit of a ladder makes."""
    return arena_pb2.LadderChange(
        key=made.key, before=made.before, after=made.after, effect=_EFFECTS[effect_of(made.key, phase)]
    )


def planned(planned_tournament: Tournament, season: Season) -> arena_pb2.Ladder:
    """Returns a ladder that could be created."""
    tournament = arena_pb2.Tournament(
        name=planned_tournament.name, definition=definition_messages.definition(planned_tournament)
    )
    definition = _definition(season, names_hidden=planned_tournament.names_hidden)
    return arena_pb2.Ladder(name=season.ladder, season=season.number, tournament=tournament, definition=definition)


def ladder(
    arena_tournament: ArenaTournament, season: Season, parked: Collection[int], *, organiser: bool
) -> arena_pb2.Ladder:
    """Returns a ladder, with its newest season."""
    state = _WORDS[arena_tournament.state_name]
    if state == arena_pb2.LADDER_STATE_PLAYING:
        if season.begins_ms > time.time() * 1000:
            state = arena_pb2.LADDER_STATE_WAITING
        elif arena_tournament.state.stored.entries.frozen_ms is not None:
            state = arena_pb2.LADDER_STATE_FINAL
    rules = arena_tournament.state.tournament.limits.rules(keeps=bool(season.keeps_in))
    return arena_pb2.Ladder(
        name=season.ladder,
        state=state,
        season=season.number,
        tournament=tournament_messages.tournament(arena_tournament, parked, organiser=organiser),
        definition=_definition(season, names_hidden=arena_tournament.state.tournament.names_hidden),
        entries_playing=len(arena_tournament.state.stored.entries.playing()),
        isolations=[
            arena_pb2.Isolation(
                mode=isolation.mode,
                version=isolation.version,
                workers=workers,
                not_enforced=isolation.not_enforced(rules),
                enforcement_told=bool(isolation.enforces),
            )
            for isolation, workers in sorted(arena_tournament.presence.isolations(arena_tournament.state).items())
        ],
    )


def entry(
    of_season: ArenaTournament,
    ladder_entry: Entry,
    said: ChallengePolicy | None,
    looks_like: str,
    caller: TokenOwner,
    frozen: ScheduledTournament | None = None,
) -> arena_pb2.Entry:
    """Returns an entry as it is now, for a caller. `said` is its author's policy on challenges, if there is one.

    While the standings are frozen, `frozen` is the season as it was then: others than the author learn only how much
    the entry had played by then.
    """
    state, presence = of_season.state, of_season.presence
    own = bool(caller.account) and caller.account == ladder_entry.account
    played = state if frozen is None or own else frozen
    entry_message = arena_pb2.Entry(
        bot=ladder_entry.bot,
        version=ladder_entry.version,
        versions=ladder_entry.versions,
        state=_STATES[ladder_entry.state],
        author=ladder_entry.author,
        games=ladder_entry.games,
        kind=definition_messages.KINDS[state.entrants[ladder_entry.entrant].kind],
        looks_like=looks_like,
    )
    if ladder_entry.disqualified_ms:
        entry_message.disqualify_time.FromMilliseconds(ladder_entry.disqualified_ms)
        if caller.organiser or own:
            entry_message.disqualify_reason = ladder_entry.disqualified_because
    if ladder_entry.state == PLAYING and ladder_entry.entrant in played.stored.withdrawn:
        entry_message.state = arena_pb2.ENTRY_STATE_WITHDRAWN
    elif ladder_entry.state == PLAYING and not state.stored.closed:
        entry_message.absent_because = presence.why_absent(state.entrants[ladder_entry.entrant])
        if presence.suspended(state.entrants[ladder_entry.entrant]):
            entry_message.state = arena_pb2.ENTRY_STATE_SUSPENDED
        elif entry_message.absent_because or presence.known_absent(state.entrants[ladder_entry.entrant]):
            entry_message.state = arena_pb2.ENTRY_STATE_ABSENT
    if state.tournament.season is not None:
        policy = policy_of(state.tournament.season, said)
        entry_message.challenges = POLICIES[policy.challenges]
        entry_message.challengers.extend(policy.challengers)
    if isinstance(played.schedule, ChosenSchedule):
        entry_message.blocks = sum(
            played.schedule.blocks_of(game)[ladder_entry.entrant] for game in played.schedule.games
        )
        if played.tournament.names_hidden and not caller.organiser:
            entry_message.blocks -= played.unfinished_blocks_of(ladder_entry.entrant)
    return entry_message
