"""The methods of ArenaService about ladders and their seasons: see arena.proto."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.actions import found_unchanged
from fudaba_arena.api.checks.definition_checks import checked, checked_text, edited
from fudaba_arena.api.checks.finder import Finder, checked_season, season_of
from fudaba_arena.api.checks.time_checks import checked_time
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages import fair_play_messages, ladder_messages
from fudaba_arena.api.streams import Streams
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.ladder.fairplay import Report, fair_play, played_season
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.season_edits import MAX_EDITS, SeasonOver, TooManyEdits
from fudaba_arena.play.standing_arena.tournament_registry import Exists, TournamentRegistry
from fudaba_arena.play.tournaments.deleting import LadderPlayed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.tournament.season import Span
from fudaba_serving.grpc.pages import Pages

__all__ = ["LadderMethods"]

_PAGES: Final = Pages("ladders")
_CHANGES_PER_BATCH: Final = 100


@final
class LadderMethods:
    """The methods about ladders. arena.proto describes each of them."""

    def __init__(
        self, registry: TournamentRegistry, door: Doorkeeper, finder: Finder, frozen: FrozenSeasons, streams: Streams
    ) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder
        self._frozen = frozen
        self._streams = streams
        self._reporting = asyncio.Lock()
        """A fair-play report holds all results of its season in memory, so they are made one by one."""

    async def CreateLadder(
        self, request: arena_pb2.CreateLadderRequest, context: Context
    ) -> arena_pb2.CreateLadderResponse:
        """See arena.proto."""
        source = self._registry.source(checked_text(request.definition), Span())
        tournament = await checked(self._registry, source)
        season = checked_season(tournament.season)
        if request.validate_only:
            return arena_pb2.CreateLadderResponse(ladder=ladder_messages.planned(tournament, season))
        newest = await self._registry.season(season.ladder)
        if newest is not None and newest.name != season.name:
            raise _exists(season.ladder)  # the ladder has gone on to a later season
        try:
            made, began = await self._registry.create(tournament, source, paused=request.paused)
        except Exists as error:
            raise _exists(season.ladder) from error
        if not began:
            found_unchanged()
        return arena_pb2.CreateLadderResponse(ladder=self._message(made, organiser=True))

    async def GetLadderFile(
        self, request: arena_pb2.GetLadderFileRequest, context: Context
    ) -> arena_pb2.GetLadderFileResponse:
        """See arena.proto."""
        season = await self._finder.newest_season(request.ladder)
        text, etag = await self._registry.edits(season).file()
        return arena_pb2.GetLadderFileResponse(definition=text, etag=etag)

    async def EditLadder(self, request: arena_pb2.EditLadderRequest, context: Context) -> arena_pb2.EditLadderResponse:
        """See arena.proto."""
        season = await self._finder.newest_season(request.ladder)
        done = await edited(self._registry.edits(season), request)
        if done.etag == request.etag:
            found_unchanged()
        return arena_pb2.EditLadderResponse(
            ladder=self._message(season, organiser=True),
            changes=[ladder_messages.change(change, done.phase) for change in done.changes],
            etag=done.etag,
            outside=done.outside,
        )

    async def PauseLadder(
        self, request: arena_pb2.PauseLadderRequest, context: Context
    ) -> arena_pb2.PauseLadderResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.open_season(request.ladder)
        if arena_tournament.state_name != "paused":
            await arena_tournament.pause()
        else:
            found_unchanged()
        return arena_pb2.PauseLadderResponse(ladder=self._message(arena_tournament, organiser=True))

    async def ResumeLadder(
        self, request: arena_pb2.ResumeLadderRequest, context: Context
    ) -> arena_pb2.ResumeLadderResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.open_season(request.ladder)
        await arena_tournament.resume()
        return arena_pb2.ResumeLadderResponse(ladder=self._message(arena_tournament, organiser=True))

    async def CloseSeason(
        self, request: arena_pb2.CloseSeasonRequest, context: Context
    ) -> arena_pb2.CloseSeasonResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.newest_season(request.ladder)
        if arena_tournament.state_name != "closed":
            await arena_tournament.end_season()
        else:
            found_unchanged()
        return arena_pb2.CloseSeasonResponse(ladder=self._message(arena_tournament, organiser=True))

    async def BeginSeason(
        self, request: arena_pb2.BeginSeasonRequest, context: Context
    ) -> arena_pb2.BeginSeasonResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.newest_season(request.ladder)
        newest = season_of(arena_tournament).number
        if request.season == newest:
            found_unchanged()
            return arena_pb2.BeginSeasonResponse(ladder=self._message(arena_tournament, organiser=True))
        if request.season not in {0, newest + 1}:
            raise Refused.malformed(f"season is {request.season}, but the next season is {newest + 1}")
        if arena_tournament.state_name != "closed":
            raise Refused(
                errors_pb2.REASON_SEASON_OPEN,
                f"season {arena_tournament.name} is not closed;"
                f" end it first with `fudaba ladder close {request.ladder}`",
            )
        begins, ends = request.begin_time.ToMilliseconds(), request.end_time.ToMilliseconds()
        if begins < 0 or ends < 0 or 0 < ends <= max(begins, int(time.time() * 1000)):
            raise Refused.malformed("end_time is before begin_time, or past; give a later one")
        for field, at, zone in (
            ("begin_time", request.begin_time, request.begin_zone),
            ("end_time", request.end_time, request.end_zone),
        ):
            if zone or at.ToMilliseconds():
                checked_time(field, at, zone)
        zones = request.begin_zone, request.end_zone
        span = Span(newest + 1, begins, ends, *zones, standings_freeze_ms=0, standings_open_ms=0)
        source = self._registry.next_season(arena_tournament, span)
        tournament = await checked(self._registry, source)
        try:
            begun, _ = await self._registry.create(tournament, source, paused=False)
        except Exists as error:
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_EXISTS, f"a tournament is called {error}, as the season would be"
            ) from error
        return arena_pb2.BeginSeasonResponse(ladder=self._message(begun, organiser=True))

    async def FreezeStandings(
        self, request: arena_pb2.FreezeStandingsRequest, context: Context
    ) -> arena_pb2.FreezeStandingsResponse:
        """See arena.proto."""
        opens = None
        if request.HasField("open_time"):
            opens = checked_time("open_time", request.open_time, request.open_zone)
            if opens.ms <= time.time() * 1000:
                raise Refused.malformed(f"open_time is {opens}, which is past; give a later time, or none")
        elif request.open_zone:
            raise Refused.malformed("open_zone is set, but open_time is not")
        season = await self._finder.newest_season(request.ladder)
        await _set_standings(season, self._registry.edits(season).freeze(opens))
        return arena_pb2.FreezeStandingsResponse(ladder=self._message(season, organiser=True))

    async def OpenStandings(
        self, request: arena_pb2.OpenStandingsRequest, context: Context
    ) -> arena_pb2.OpenStandingsResponse:
        """See arena.proto."""
        season = await self._finder.season(request.ladder, request.season)
        await _set_standings(season, self._registry.edits(season).open())
        return arena_pb2.OpenStandingsResponse(
            ladder=self._message(await self._finder.newest_season(request.ladder), organiser=True)
        )

    async def DeleteLadder(
        self, request: arena_pb2.DeleteLadderRequest, context: Context
    ) -> arena_pb2.DeleteLadderResponse:
        """See arena.proto."""
        await self._finder.newest_season(request.ladder)
        try:
            await self._registry.delete(request.ladder)
        except LadderPlayed as error:
            raise Refused(
                errors_pb2.REASON_LADDER_PLAYED,
                f"blocks of {request.ladder} count, or were annulled, so it stays; end its season with"
                f" `fudaba ladder close {request.ladder}`",
            ) from error
        except BadStored:
            raise
        except (ArenaError, ServiceError) as error:
            raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{error}; nothing was deleted, try again") from error
        return arena_pb2.DeleteLadderResponse()

    async def GetLadder(self, request: arena_pb2.GetLadderRequest, context: Context) -> arena_pb2.GetLadderResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        return arena_pb2.GetLadderResponse(ladder=await self._newest(request.ladder, organiser=organiser))

    async def ListLadders(
        self, request: arena_pb2.ListLaddersRequest, context: Context
    ) -> arena_pb2.ListLaddersResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        page, following = _PAGES.page([*await self._registry.ladders()], request.page_size, request.page_token)
        found = [await self._newest(name, organiser=organiser) for name in page]
        return arena_pb2.ListLaddersResponse(ladders=found, next_page_token=following)

    async def WatchLadder(
        self, request: arena_pb2.WatchLadderRequest, context: Context
    ) -> AsyncIterator[arena_pb2.WatchLadderResponse]:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.season(request.ladder, request.season)
        seen, answered = request.seen, False
        followed = await self._frozen.followed(arena_tournament, organiser=organiser)
        followed.check_seen(seen)
        if request.tail:
            seen = max(seen, followed.length - request.tail)
        while True:
            earlier, followed = followed, await self._frozen.followed(arena_tournament, organiser=organiser)
            seen = followed.seen_since(earlier, seen)
            new = await followed.changes_after(seen, _CHANGES_PER_BATCH)
            if new or not answered:
                seen, answered = seen + len(new), True
                yield arena_pb2.WatchLadderResponse(
                    season=season_of(arena_tournament).number,
                    changes=followed.messages(new),
                    seen=seen,
                    ladder=await self._newest(request.ladder, organiser=organiser),
                )
                continue
            following = None
            if arena_tournament.journal.state_name == "closed":
                following = await self._registry.season(request.ladder, season_of(arena_tournament).number + 1)
            if following is not None:
                arena_tournament, seen, answered = following, 0, False
            else:
                await self._streams.wait_for_news(arena_tournament, followed.known(seen))

    async def GetFairPlay(
        self, request: arena_pb2.GetFairPlayRequest, context: Context
    ) -> arena_pb2.GetFairPlayResponse:
        """See arena.proto."""
        season = await self._finder.season(request.ladder, request.season)
        await self._reporting.acquire()
        # The thread goes on when the caller has left, and only then may the next one begin.
        making = asyncio.ensure_future(self._made_report(season.name))
        making.add_done_callback(lambda _: self._reporting.release())
        report = await asyncio.shield(making)
        return fair_play_messages.fair_play(season_of(season).number, report)

    async def _made_report(self, season: str) -> Report:
        state = await self._registry.stored(season)  # a copy that nothing changes meanwhile
        return await asyncio.to_thread(_report, state)

    async def _newest(self, ladder: str, *, organiser: bool) -> arena_pb2.Ladder:
        """Returns the message about a ladder for a caller."""
        arena_tournament = await self._finder.newest_season(ladder)
        message = self._message(arena_tournament, organiser=organiser)
        await self._frozen.hide_progress(arena_tournament, message.tournament, organiser=organiser)
        return message

    def _message(self, arena_tournament: ArenaTournament, *, organiser: bool) -> arena_pb2.Ladder:
        return ladder_messages.ladder(
            arena_tournament, season_of(arena_tournament), arena_tournament.state.parked_numbers, organiser=organiser
        )


async def _set_standings(season: ArenaTournament, setting: Awaitable[bool]) -> None:
    """Freezes or opens the standings of a season. Refuses if that is impossible."""
    try:
        changed = await setting
    except SeasonOver as error:
        raise Refused(
            errors_pb2.REASON_TOURNAMENT_CLOSED,
            f"season {season.name} is over, and its standings were shown; nothing that comes later could be hidden",
        ) from error
    except TooManyEdits as error:
        raise Refused(
            errors_pb2.REASON_QUOTA_EXCEEDED,
            f"season {season.name} was edited {MAX_EDITS} times, and takes no more",
        ) from error
    if not changed:
        found_unchanged()


def _report(state: ScheduledTournament) -> Report:
    return fair_play(played_season(state))


def _exists(name: str) -> Refused:
    return Refused(
        errors_pb2.REASON_LADDER_EXISTS,
        f"there is another ladder or tournament {name}, or this one has gone on; give this one a name of its own",
    )
