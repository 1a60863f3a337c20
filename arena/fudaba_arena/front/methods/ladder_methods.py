"""The ladders' part of ArenaService: see arena.proto."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any, Final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, arena_pb2_grpc, bots_pb2, errors_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.front.actions import found_unchanged
from fudaba_arena.front.guard import Context, Doorkeeper
from fudaba_arena.front.messages import ladder_messages, tournament_messages
from fudaba_arena.front.messages.submission_messages import pace
from fudaba_arena.front.methods import entry_checks
from fudaba_arena.front.methods.definition_checks import checked, checked_text
from fudaba_arena.front.methods.entry_checks import NOT_SUBMITTED, Submitted, Wish
from fudaba_arena.front.ratings import Ratings
from fudaba_arena.ladder.known import Rater
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.hosting.hosted_tournament import HostedTournament
from fudaba_arena.play.hosting.tournament_host import Exists, TournamentHost
from fudaba_arena.play.matches.match_play import clock_message
from fudaba_arena.play.tournaments.deleting import Played
from fudaba_arena.programs.program import submitted_as
from fudaba_arena.store.tournaments.entries import PLAYING, Entries, Entry, EntryChange
from fudaba_arena.submissions.uploads import Over
from fudaba_arena.tournament.ladder import Season, Span
from fudaba_serving.grpc.pages import Pages

__all__ = ["LadderServicer", "season_of"]

_PAGES: Final = Pages("ladders")
_ENTRIES: Final = Pages("entries")
_BATCH: Final = 100


class LadderServicer(arena_pb2_grpc.ArenaServiceServicer):
    """See arena.proto."""

    def __init__(self, host: TournamentHost, door: Doorkeeper, rater: Rater) -> None:
        self._host = host
        self._door = door
        self._ratings = Ratings(rater)
        self._stopping = asyncio.Event()

    def end_streams(self) -> None:
        """Ends the streams of followers: the arena is stopping."""
        self._stopping.set()

    # --- the organiser's

    async def CreateLadder(
        self, request: arena_pb2.CreateLadderRequest, context: Context
    ) -> arena_pb2.CreateLadderResponse:
        """See arena.proto."""
        source = self._host.source(checked_text(request.definition), Span())
        tournament = await checked(self._host, source)
        season = _checked_season(tournament.season)
        if request.validate_only:
            return arena_pb2.CreateLadderResponse(ladder=ladder_messages.planned(tournament, season))
        newest = await self._host.season(season.ladder)
        if newest is not None and newest.name != season.name:
            raise _exists(season.ladder)  # it has gone on to a later season
        try:
            made, began = await self._host.create(tournament, source, paused=request.paused)
        except Exists as error:
            raise _exists(season.ladder) from error
        if not began:
            found_unchanged()
        return arena_pb2.CreateLadderResponse(ladder=self._ladder(made, organiser=True))

    async def PauseLadder(
        self, request: arena_pb2.PauseLadderRequest, context: Context
    ) -> arena_pb2.PauseLadderResponse:
        """See arena.proto."""
        hosted = await self._open(request.ladder)
        if hosted.word != "paused":
            await hosted.pause()
        else:
            found_unchanged()
        return arena_pb2.PauseLadderResponse(ladder=self._ladder(hosted, organiser=True))

    async def ResumeLadder(
        self, request: arena_pb2.ResumeLadderRequest, context: Context
    ) -> arena_pb2.ResumeLadderResponse:
        """See arena.proto."""
        hosted = await self._open(request.ladder)
        await hosted.resume()
        return arena_pb2.ResumeLadderResponse(ladder=self._ladder(hosted, organiser=True))

    async def CloseSeason(
        self, request: arena_pb2.CloseSeasonRequest, context: Context
    ) -> arena_pb2.CloseSeasonResponse:
        """See arena.proto."""
        hosted = await self._newest(request.ladder)
        if hosted.word != "closed":
            await hosted.end_season()
        else:
            found_unchanged()
        return arena_pb2.CloseSeasonResponse(ladder=self._ladder(hosted, organiser=True))

    async def BeginSeason(
        self, request: arena_pb2.BeginSeasonRequest, context: Context
    ) -> arena_pb2.BeginSeasonResponse:
        """See arena.proto."""
        hosted = await self._newest(request.ladder)
        newest = season_of(hosted).number
        if request.season == newest:
            found_unchanged()
            return arena_pb2.BeginSeasonResponse(ladder=self._ladder(hosted, organiser=True))
        if request.season not in {0, newest + 1}:
            raise Refused.malformed(f"season is {request.season}, and the next one is {newest + 1}")
        if hosted.word != "closed":
            raise Refused(
                errors_pb2.REASON_SEASON_OPEN,
                f"season {hosted.name} is not closed; end it first with `fudaba ladder close {request.ladder}`",
            )
        begins, ends = request.begin_time.ToMilliseconds(), request.end_time.ToMilliseconds()
        if begins < 0 or ends < 0 or 0 < ends <= max(begins, int(time.time() * 1000)):
            raise Refused.malformed("end_time is before begin_time, or past; give a later one")
        source = self._host.next_season(hosted, begins, ends)
        tournament = await checked(self._host, source)
        try:
            begun, _ = await self._host.create(tournament, source, paused=False)
        except Exists as error:
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_EXISTS, f"a tournament is called {error}, as the season would be"
            ) from error
        return arena_pb2.BeginSeasonResponse(ladder=self._ladder(begun, organiser=True))

    async def DeleteLadder(
        self, request: arena_pb2.DeleteLadderRequest, context: Context
    ) -> arena_pb2.DeleteLadderResponse:
        """See arena.proto."""
        await self._newest(request.ladder)
        try:
            await self._host.delete(request.ladder)
        except Played as error:
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

    # --- the authors'

    async def EnterLadder(
        self, request: arena_pb2.EnterLadderRequest, context: Context
    ) -> arena_pb2.EnterLadderResponse:
        """See arena.proto."""
        hosted = await self._open(request.ladder)
        season, tournament = season_of(hosted), hosted.state.tournament
        wish = await self._wish(request.bot, context)
        version, games = await self._version(wish.bot, request.version), request.games
        submitted = await self._submitted(wish.bot.name, version, {game.game for game in tournament.games})
        wish.check_owner()
        warning = submitted.check_pace(tournament, anyway=request.anyway)
        entry = await self._changed(
            hosted,
            wish,
            lambda known: entry_checks.entering(wish, version, games, tournament, season, known, submitted),
        )
        response = arena_pb2.EnterLadderResponse(
            entry=entry, clock=clock_message(tournament.clock, tournament.connect_seconds), warning=warning
        )
        if submitted.slowest is not None:
            response.pace.CopyFrom(pace(submitted.slowest))
        return response

    async def PauseEntry(self, request: arena_pb2.PauseEntryRequest, context: Context) -> arena_pb2.PauseEntryResponse:
        """See arena.proto."""
        hosted, wish = await self._open(request.ladder), await self._wish(request.bot, context)
        entry = await self._changed(hosted, wish, lambda known: entry_checks.pausing(wish, known))
        return arena_pb2.PauseEntryResponse(entry=entry)

    async def ResumeEntry(
        self, request: arena_pb2.ResumeEntryRequest, context: Context
    ) -> arena_pb2.ResumeEntryResponse:
        """See arena.proto."""
        hosted, wish = await self._open(request.ladder), await self._wish(request.bot, context)
        withdrawn = hosted.state.stored.withdrawn
        entry = await self._changed(hosted, wish, lambda known: entry_checks.resuming(wish, withdrawn, known))
        return arena_pb2.ResumeEntryResponse(entry=entry)

    async def LeaveLadder(
        self, request: arena_pb2.LeaveLadderRequest, context: Context
    ) -> arena_pb2.LeaveLadderResponse:
        """See arena.proto."""
        hosted, wish = await self._open(request.ladder), await self._wish(request.bot, context)
        entry = await self._changed(hosted, wish, lambda known: entry_checks.leaving(wish, known))
        return arena_pb2.LeaveLadderResponse(entry=entry)

    async def _version(self, bot: bots_pb2.Bot, wanted: str) -> str:
        """The version of a bot that somebody wants; by default the newest but for submissions that are not accepted."""
        if not wanted:
            for version in reversed(bot.versions):
                tried, submission_id = await self._host.store.checks.submission_of(bot.name, version.label)
                if submission_id or not tried:
                    return version.label
        return entry_checks.version_of(bot, wanted)

    async def _submitted(self, bot: str, version: str, games: Collection[str]) -> Submitted:
        """What a version is that was submitted, as far as it plays these games. Refuses one that was not accepted."""
        tried, program = await submitted_as(self._host.store, bot, version)
        if not tried:
            return NOT_SUBMITTED
        if program is None:
            raise Refused(
                errors_pb2.REASON_ENTRY_CLOSED,
                f"version {version} of {bot} is a submission that was not accepted; fix it, and submit it again",
            )
        manifest = program.manifest
        kept = await self._host.store.submissions.get(program.submission_id)
        outcomes = Over.read(kept.over).outcomes if kept is not None and kept.over is not None else ()
        timed = [outcome for outcome in outcomes if outcome.slowest_ms and outcome.game in games]
        slowest = max(timed, key=lambda timed_outcome: timed_outcome.slowest_ms, default=None)
        about = not manifest.keeps, manifest.games, program.needs, manifest.ram_mb
        return Submitted(program.submission_id, *about, slowest)

    async def _wish(self, name: str, context: Context) -> Wish:
        return Wish(await self._door.caller(context), await self._bot(name), int(time.time() * 1000))

    async def _bot(self, name: str) -> bots_pb2.Bot:
        try:
            bot = await self._host.bot(name)
        except ServiceError as error:
            raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{error}; nothing was changed, try again") from error
        if bot is None:
            raise Refused(
                errors_pb2.REASON_BOT_NOT_FOUND,
                f"there is no bot {name!r}; `fudaba bot list` lists yours, `fudaba bot create` registers one",
            )
        return bot

    async def _changed(
        self, hosted: HostedTournament, wish: Wish, make: Callable[[Entries], list[EntryChange]]
    ) -> arena_pb2.Entry:
        await hosted.entered.change(make)
        entry = hosted.state.stored.entries.of[wish.bot.name]
        if entry.state == PLAYING:
            await hosted.presence.look_for(hosted.state.entrants[entry.entrant])
        return await self._entry(hosted, entry)

    async def _entry(self, hosted: HostedTournament, entry: Entry) -> arena_pb2.Entry:
        policies = await self._host.store.challenges.policies(season_of(hosted).ladder)
        looks_like = await self._lookalikes(hosted)
        return ladder_messages.entry(hosted, entry, policies.get(entry.bot), looks_like.get(entry.bot, ""))

    async def _lookalikes(self, hosted: HostedTournament) -> dict[str, str]:
        """By the bots' names. They are compared in a thread, since a ladder may have many."""
        return await asyncio.to_thread(lookalikes, hosted.state.tournament.bots)

    # --- everybody's

    async def GetLadder(self, request: arena_pb2.GetLadderRequest, context: Context) -> arena_pb2.GetLadderResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        return arena_pb2.GetLadderResponse(ladder=self._ladder(await self._newest(request.ladder), organiser=organiser))

    async def ListLadders(
        self, request: arena_pb2.ListLaddersRequest, context: Context
    ) -> arena_pb2.ListLaddersResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        page, following = _PAGES.page([*await self._host.ladders()], request.page_size, request.page_token)
        found = [self._ladder(await self._newest(name), organiser=organiser) for name in page]
        return arena_pb2.ListLaddersResponse(ladders=found, next_page_token=following)

    async def ListEntries(
        self, request: arena_pb2.ListEntriesRequest, context: Context
    ) -> arena_pb2.ListEntriesResponse:
        """See arena.proto."""
        hosted = await self._newest(request.ladder)
        if request.state not in arena_pb2.EntryState.values():
            raise Refused.malformed(f"state is {request.state}, which is not a value of that enum")
        policies = await self._host.store.challenges.policies(request.ladder)
        alike = await self._lookalikes(hosted)
        entries = hosted.state.stored.entries.of
        entry_messages = {
            name: ladder_messages.entry(hosted, bot_entry, policies.get(name), alike.get(name, ""))
            for name, bot_entry in entries.items()
        }
        names = sorted(name for name, entry in entry_messages.items() if request.state in {0, entry.state})
        page, following = _ENTRIES.page(names, request.page_size, request.page_token)
        return arena_pb2.ListEntriesResponse(entries=[entry_messages[name] for name in page], next_page_token=following)

    async def WatchLadder(
        self, request: arena_pb2.WatchLadderRequest, context: Context
    ) -> AsyncIterator[arena_pb2.WatchLadderResponse]:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        hosted = await self._newest(request.ladder)
        if request.season:
            of_number = await self._host.season(request.ladder, request.season)
            if of_number is None:
                await self._host.check_season_readable(request.ladder, request.season)
                raise Refused.malformed(f"season is {request.season}, and there were only {season_of(hosted).number}")
            hosted = of_number
        seen, answered = request.seen, False
        if seen > hosted.journal.length:
            raise Refused.malformed(f"seen is {seen}, and there were only {hosted.journal.length} changes")
        if request.tail:
            seen = max(seen, hosted.journal.length - request.tail)
        while True:
            new = await hosted.journal.after(seen, _BATCH)
            if new or not answered:
                seen, answered = seen + len(new), True
                yield arena_pb2.WatchLadderResponse(
                    season=season_of(hosted).number,
                    changes=[tournament_messages.change(hosted, change, organiser=organiser) for change in new],
                    seen=seen,
                    ladder=self._ladder(await self._newest(request.ladder), organiser=organiser),
                )
                continue
            following = None
            if hosted.journal.word == "closed":
                following = await self._host.season(request.ladder, season_of(hosted).number + 1)
            if following is not None:
                hosted, seen, answered = following, 0, False
            else:
                await self._news(hosted, seen)

    async def _news(self, hosted: HostedTournament, seen: int) -> None:
        """Waits for news; refuses to go on when the arena is stopping."""
        waiting: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(hosted.news(seen)), asyncio.ensure_future(self._stopping.wait())
        ]  # fmt: skip
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self._stopping.is_set():
                raise Refused(errors_pb2.REASON_SHUTTING_DOWN, "the arena is stopping; connect again")
            if waiting[0].done():
                waiting[0].result()
        finally:
            for task in waiting:
                task.cancel()

    async def _newest(self, name: str) -> HostedTournament:
        hosted = await self._host.season(name)
        if hosted is None:
            await self._host.check_season_readable(name)
            raise Refused(errors_pb2.REASON_LADDER_NOT_FOUND, f"there is no ladder {name!r}")
        return hosted

    async def _open(self, name: str) -> HostedTournament:
        """The newest season, which must not be over."""
        hosted = await self._newest(name)
        if hosted.word == "closed":
            raise Refused(errors_pb2.REASON_TOURNAMENT_CLOSED, f"season {hosted.name} is over; the next has not begun")
        return hosted

    def _ladder(self, hosted: HostedTournament, *, organiser: bool) -> arena_pb2.Ladder:
        return ladder_messages.ladder(hosted, season_of(hosted), self._ratings.parked(hosted), organiser=organiser)


def season_of(hosted: HostedTournament) -> Season:
    """What makes a tournament the season that it is."""
    return _checked_season(hosted.state.tournament.season)


def _checked_season(season: Season | None) -> Season:
    if season is None:
        raise ValueError("this tournament is not a season of a ladder")
    return season


def _exists(name: str) -> Refused:
    return Refused(
        errors_pb2.REASON_LADDER_EXISTS,
        f"there is another ladder or tournament {name}, or this one has gone on; give this one a name of its own",
    )
