"""The methods of ArenaService that disqualify and reinstate entries of ladders: see arena.proto."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages import ladder_messages
from fudaba_arena.api.messages.annulment_messages import checked_reason
from fudaba_arena.api.messages.disqualification_messages import disqualification_effect
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.disqualifications import Judgement, NotJudged
from fudaba_arena.store.tournaments.entries import DISQUALIFIED

__all__ = ["DisqualificationMethods"]


@final
class DisqualificationMethods:
    """The methods about disqualifications. arena.proto describes each of them."""

    def __init__(self, registry: TournamentRegistry, door: Doorkeeper, finder: Finder, ratings: Ratings) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder
        self._ratings = ratings

    async def DisqualifyEntry(
        self, request: arena_pb2.DisqualifyEntryRequest, context: Context
    ) -> arena_pb2.DisqualifyEntryResponse:
        """See arena.proto."""
        reason = _reason(request)
        season = await self._finder.newest_season(request.ladder)
        effect = await self._judged(
            season,
            lambda: season.disqualifications.disqualify(request.bot, reason, preview=request.validate_only),
            preview=request.validate_only,
        )
        entry = await self._entry(season, request, context)
        return arena_pb2.DisqualifyEntryResponse(entry=entry, effect=effect, season=season_of(season).number)

    async def ReinstateEntry(
        self, request: arena_pb2.ReinstateEntryRequest, context: Context
    ) -> arena_pb2.ReinstateEntryResponse:
        """See arena.proto."""
        reason = _reason(request)
        season = await self._finder.newest_season(request.ladder)
        effect = await self._judged(
            season,
            lambda: season.disqualifications.reinstate(request.bot, reason, preview=request.validate_only),
            preview=request.validate_only,
        )
        entry = await self._entry(season, request, context)
        return arena_pb2.ReinstateEntryResponse(entry=entry, effect=effect, season=season_of(season).number)

    async def _judged(
        self, season: ArenaTournament, judge: Callable[[], Awaitable[Judgement]], *, preview: bool
    ) -> arena_pb2.DisqualificationEffect:
        before = await self._ratings.ladders(season)
        try:
            judgement = await judge()
        except NotJudged as error:
            raise _refusal(error, season.name) from error
        if preview:
            after = await self._ratings.ladders_after(season, judgement.annulment, judgement.change)
        else:
            after = await self._ratings.ladders(season)
        return disqualification_effect(judgement, before, after)

    async def _entry(
        self,
        season: ArenaTournament,
        request: arena_pb2.DisqualifyEntryRequest | arena_pb2.ReinstateEntryRequest,
        context: Context,
    ) -> arena_pb2.Entry:
        policies = await self._registry.store.challenges.policies(request.ladder)
        alike = await asyncio.to_thread(lookalikes, season.state.tournament.bots)
        entry = season.state.stored.entries.by_bot[request.bot]
        caller = await self._door.reader(context)
        return ladder_messages.entry(season, entry, policies.get(entry.bot), alike.get(entry.bot, ""), caller)


def _reason(request: arena_pb2.DisqualifyEntryRequest | arena_pb2.ReinstateEntryRequest) -> str:
    """Returns the organiser's reason. Refuses a request without a bot, or without a reason for a change."""
    if not request.bot:
        raise Refused.malformed("bot is empty; name the entry")
    reason = checked_reason(request.reason).strip()
    if not reason and not request.validate_only:
        raise Refused.malformed(
            "reason is empty; give one, which organisers and, of a disqualification, its author see"
        )
    return reason


def _refusal(error: NotJudged, season: str) -> Refused:
    entry = error.entry
    if entry is None:
        return Refused(errors_pb2.REASON_ENTRY_NOT_FOUND, f"no such bot was entered in {season}; nothing has changed")
    if entry.state == DISQUALIFIED:
        return Refused(
            errors_pb2.REASON_ENTRY_DISQUALIFIED, f"bot {entry.bot} is disqualified already; nothing has changed"
        )
    return Refused(
        errors_pb2.REASON_ENTRY_NOT_DISQUALIFIED, f"bot {entry.bot} is not disqualified; nothing has changed"
    )
