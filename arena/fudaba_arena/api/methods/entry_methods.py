"""The methods of ArenaService about the entries of ladders: see arena.proto."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.awaited_entries import AwaitedEntries
from fudaba_arena.api.checks import challenge_checks, entry_checks
from fudaba_arena.api.checks.entry_checks import EntryRequest
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages import ladder_messages
from fudaba_arena.api.messages.submission_messages import pace
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.matches.match_play import clock_message
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.tournaments.entries import LEFT, PLAYING, Entries, Entry, EntryChange
from fudaba_arena.submissions.submission_forms import ACCEPTED, Announced, CheckProgress
from fudaba_serving.grpc.pages import Pages

__all__ = ["EntryMethods"]

_PAGES: Final = Pages("entries")
_AWAITED_PAGES: Final = Pages("awaited entries")


@final
class EntryMethods:
    """The methods about entries. arena.proto describes each of them."""

    def __init__(
        self,
        registry: TournamentRegistry,
        door: Doorkeeper,
        finder: Finder,
        awaited: AwaitedEntries,
        frozen: FrozenSeasons,
    ) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder
        self._awaited = awaited
        self._frozen = frozen

    async def EnterLadder(
        self, request: arena_pb2.EnterLadderRequest, context: Context
    ) -> arena_pb2.EnterLadderResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.open_season(request.ladder)
        season, tournament = season_of(arena_tournament), arena_tournament.state.tournament
        asked = await self._entry_request(request.bot, context)
        if request.submission_id:
            label = await self._accepted(request, asked)
            if not label:
                return await self._await(arena_tournament, request, asked)
        else:
            label = request.version
        version, games = await self._finder.version(asked.bot, label), request.games
        submitted = await self._finder.submitted(asked.bot.name, version, {game.game for game in tournament.games})
        asked.check_owner()
        warning = submitted.check_pace(tournament, anyway=request.anyway)
        entry = await self._changed(
            arena_tournament,
            asked,
            lambda known: entry_checks.entering(asked, version, games, tournament, season, known, submitted),
        )
        response = arena_pb2.EnterLadderResponse(
            entry=entry, clock=clock_message(tournament.clock, tournament.connect_seconds), warning=warning
        )
        if submitted.slowest is not None:
            response.pace.CopyFrom(pace(submitted.slowest))
        return response

    async def _accepted(self, request: arena_pb2.EnterLadderRequest, asked: EntryRequest) -> str:
        """Returns the version that a submission has become; empty while it is uploaded or checked. Refuses one that
        will not be a version.
        """
        if request.version:
            raise Refused.malformed("both version and submission_id are set; a submission has a version of its own")
        asked.check_owner()
        kept = await self._registry.store.submissions.get(request.submission_id)
        if kept is None or Announced.read(kept.announced_line).bot != asked.bot.name:
            raise Refused(
                errors_pb2.REASON_SUBMISSION_NOT_FOUND,
                f"bot {asked.bot.name} has no submission {request.submission_id!r}",
            )
        if kept.over is None:
            return ""
        if not kept.version or CheckProgress.read(kept.over).state != ACCEPTED:
            raise Refused(
                errors_pb2.REASON_ENTRY_CLOSED,
                f"submission {request.submission_id} of {asked.bot.name} is not a version that a worker runs; submit it"
                " again",
            )
        return kept.version

    async def _await(
        self, arena_tournament: ArenaTournament, request: arena_pb2.EnterLadderRequest, asked: EntryRequest
    ) -> arena_pb2.EnterLadderResponse:
        """Notes that a submission is to be entered once its check has passed."""
        season, tournament = season_of(arena_tournament), arena_tournament.state.tournament
        submission_id, games, anyway = request.submission_id, request.games, request.anyway
        await arena_tournament.entered.change(
            lambda known: entry_checks.awaiting(asked, submission_id, games, tournament, season, known, anyway=anyway)
        )
        entries = arena_tournament.state.stored.entries
        response = arena_pb2.EnterLadderResponse(clock=clock_message(tournament.clock, tournament.connect_seconds))
        if submission_id in entries.asked:
            response.awaited.CopyFrom(await self._awaited.message(arena_tournament, entries.asked[submission_id]))
        if asked.bot.name in entries.by_bot:
            response.entry.CopyFrom(await self._entry(arena_tournament, entries.by_bot[asked.bot.name], asked.caller))
        return response

    async def PauseEntry(self, request: arena_pb2.PauseEntryRequest, context: Context) -> arena_pb2.PauseEntryResponse:
        """See arena.proto."""
        arena_tournament, asked = (
            await self._finder.open_season(request.ladder),
            await self._entry_request(request.bot, context),
        )
        entry = await self._changed(arena_tournament, asked, lambda known: entry_checks.pausing(asked, known))
        return arena_pb2.PauseEntryResponse(entry=entry)

    async def ResumeEntry(
        self, request: arena_pb2.ResumeEntryRequest, context: Context
    ) -> arena_pb2.ResumeEntryResponse:
        """See arena.proto."""
        arena_tournament, asked = (
            await self._finder.open_season(request.ladder),
            await self._entry_request(request.bot, context),
        )
        withdrawn = arena_tournament.state.stored.withdrawn
        entry = await self._changed(
            arena_tournament, asked, lambda known: entry_checks.resuming(asked, withdrawn, known)
        )
        return arena_pb2.ResumeEntryResponse(entry=entry)

    async def LeaveLadder(
        self, request: arena_pb2.LeaveLadderRequest, context: Context
    ) -> arena_pb2.LeaveLadderResponse:
        """See arena.proto."""
        arena_tournament, asked = (
            await self._finder.open_season(request.ladder),
            await self._entry_request(request.bot, context),
        )
        await arena_tournament.entered.change(lambda known: entry_checks.leaving(asked, known))
        entry = arena_tournament.state.stored.entries.by_bot.get(asked.bot.name)
        if entry is None:
            return arena_pb2.LeaveLadderResponse()
        return arena_pb2.LeaveLadderResponse(entry=await self._entry(arena_tournament, entry, asked.caller))

    async def ListAwaitedEntries(
        self, request: arena_pb2.ListAwaitedEntriesRequest, context: Context
    ) -> arena_pb2.ListAwaitedEntriesResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        arena_tournament = await self._finder.newest_season(request.ladder)
        asked = {
            f"{awaited.asked.at_ms:020d}:{submission}": awaited
            for submission, awaited in arena_tournament.state.stored.entries.asked.items()
            if caller.organiser or (caller.account and caller.account == awaited.asked.account)
        }
        page, following = _AWAITED_PAGES.page(sorted(asked), request.page_size, request.page_token)
        found = [await self._awaited.message(arena_tournament, asked[name]) for name in page]
        return arena_pb2.ListAwaitedEntriesResponse(awaited=found, next_page_token=following)

    async def ListEntries(
        self, request: arena_pb2.ListEntriesRequest, context: Context
    ) -> arena_pb2.ListEntriesResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.newest_season(request.ladder)
        if request.state not in arena_pb2.EntryState.values():
            raise Refused.malformed(f"state is {request.state}, which is not a value of that enum")
        caller = await self._door.reader(context)
        policies = await self._registry.store.challenges.policies(request.ladder)
        alike = await self._lookalikes(arena_tournament)
        entries = arena_tournament.state.stored.entries.by_bot
        frozen = await self._frozen.state(arena_tournament, organiser=caller.organiser)
        entry_messages = {
            name: ladder_messages.entry(
                arena_tournament, bot_entry, policies.get(name), alike.get(name, ""), caller, frozen
            )
            for name, bot_entry in entries.items()
        }
        names = sorted(name for name, entry in entry_messages.items() if request.state in {0, entry.state})
        page, following = _PAGES.page(names, request.page_size, request.page_token)
        return arena_pb2.ListEntriesResponse(entries=[entry_messages[name] for name in page], next_page_token=following)

    async def SetEntryChallenges(
        self, request: arena_pb2.SetEntryChallengesRequest, context: Context
    ) -> arena_pb2.SetEntryChallengesResponse:
        """See arena.proto."""
        policy = challenge_checks.wanted_policy(request)
        arena_tournament, asked = (
            await self._finder.newest_season(request.ladder),
            await self._entry_request(request.bot, context),
        )
        asked.check_owner()
        entry = arena_tournament.state.stored.entries.by_bot.get(request.bot)
        if entry is None or entry.state == LEFT:
            raise Refused(errors_pb2.REASON_ENTRY_NOT_FOUND, f"bot {request.bot} is not entered in {request.ladder}")
        await self._registry.store.challenges.set_policy(request.ladder, request.bot, policy)
        return arena_pb2.SetEntryChallengesResponse(entry=await self._entry(arena_tournament, entry, asked.caller))

    async def _entry_request(self, name: str, context: Context) -> EntryRequest:
        return EntryRequest(await self._door.caller(context), await self._finder.bot(name), int(time.time() * 1000))

    async def _changed(
        self, arena_tournament: ArenaTournament, asked: EntryRequest, make: Callable[[Entries], list[EntryChange]]
    ) -> arena_pb2.Entry:
        await arena_tournament.entered.change(make)
        entry = arena_tournament.state.stored.entries.by_bot[asked.bot.name]
        if entry.state == PLAYING:
            state = arena_tournament.state
            await arena_tournament.presence.look_for(state, state.entrants[entry.entrant])
        return await self._entry(arena_tournament, entry, asked.caller)

    async def _entry(self, arena_tournament: ArenaTournament, entry: Entry, caller: TokenOwner) -> arena_pb2.Entry:
        policies = await self._registry.store.challenges.policies(season_of(arena_tournament).ladder)
        looks_like = await self._lookalikes(arena_tournament)
        alike = looks_like.get(entry.bot, "")
        frozen = await self._frozen.state(arena_tournament, organiser=caller.organiser)
        return ladder_messages.entry(arena_tournament, entry, policies.get(entry.bot), alike, caller, frozen)

    async def _lookalikes(self, arena_tournament: ArenaTournament) -> dict[str, str]:
        """Finds bots with look-alike names. It compares them in a thread, since a ladder may have many."""
        return await asyncio.to_thread(lookalikes, arena_tournament.state.tournament.bots)
