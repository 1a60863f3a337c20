"""The methods of ArenaService that are about tournaments and their blocks: see arena.proto."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.actions import ToldActions, found_unchanged
from fudaba_arena.api.checks.definition_checks import checked, checked_text
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages import definition_messages, tournament_messages
from fudaba_arena.api.messages.annulment_messages import annulment_page, checked_reason, effect, which
from fudaba_arena.api.messages.credit_messages import network_credits
from fudaba_arena.api.messages.list_messages import block_page, match_page
from fudaba_arena.api.messages.queue_messages import queue
from fudaba_arena.api.methods.streams import Streams
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.ladder.ladders import OVERALL
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.hosting.hosted_tournament import HostedTournament
from fudaba_arena.play.hosting.tournament_host import Exists, TournamentHost
from fudaba_arena.schedule.forecast import forecast
from fudaba_arena.schedule.planning import source_schedule
from fudaba_arena.store.usage.time_use import entry_of
from fudaba_serving.grpc.action_log import listed_actions
from fudaba_serving.grpc.pages import Pages

__all__ = ["TournamentMethods"]

_PAGES: Final = Pages("tournaments")
_CHANGES_PER_BATCH: Final = 100


@final
class TournamentMethods:
    """The methods that are about tournaments. Each is described in arena.proto."""

    def __init__(
        self, host: TournamentHost, door: Doorkeeper, finder: Finder, ratings: Ratings, streams: Streams
    ) -> None:
        self._host = host
        self._door = door
        self._finder = finder
        self._ratings = ratings
        self._streams = streams

    async def CreateTournament(
        self, request: arena_pb2.CreateTournamentRequest, context: Context
    ) -> arena_pb2.CreateTournamentResponse:
        """See arena.proto."""
        source = self._host.source(checked_text(request.definition))
        tournament = await checked(self._host, source)
        if request.validate_only:
            planned = arena_pb2.Tournament(name=tournament.name, definition=definition_messages.definition(tournament))
            expected = await asyncio.to_thread(forecast, tournament, source_schedule(tournament, source))
            return arena_pb2.CreateTournamentResponse(tournament=planned, plan=definition_messages.plan(expected))
        try:
            made, begun = await self._host.create(tournament, source, paused=request.paused)
        except Exists as error:
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_EXISTS,
                f"there is another tournament {tournament.name}; give this one a name of its own",
            ) from error
        if not begun:
            found_unchanged()
        return arena_pb2.CreateTournamentResponse(tournament=self._message(made, organiser=True))

    async def PauseTournament(
        self, request: arena_pb2.PauseTournamentRequest, context: Context
    ) -> arena_pb2.PauseTournamentResponse:
        """See arena.proto."""
        hosted = await self._steered(request.tournament)
        if hosted.word == "closed":
            raise _closed(hosted)
        if hosted.word != "paused":
            await hosted.pause()
        else:
            found_unchanged()
        return arena_pb2.PauseTournamentResponse(tournament=self._message(hosted, organiser=True))

    async def ResumeTournament(
        self, request: arena_pb2.ResumeTournamentRequest, context: Context
    ) -> arena_pb2.ResumeTournamentResponse:
        """See arena.proto."""
        hosted = await self._steered(request.tournament)
        if hosted.word == "closed":
            raise _closed(hosted)
        await hosted.resume()
        return arena_pb2.ResumeTournamentResponse(tournament=self._message(hosted, organiser=True))

    async def CloseTournament(
        self, request: arena_pb2.CloseTournamentRequest, context: Context
    ) -> arena_pb2.CloseTournamentResponse:
        """See arena.proto."""
        hosted = await self._steered(request.tournament)
        if hosted.word != "closed":
            await hosted.close()
        else:
            found_unchanged()
        return arena_pb2.CloseTournamentResponse(tournament=self._message(hosted, organiser=True))

    async def AnnulBlocks(
        self, request: arena_pb2.AnnulBlocksRequest, context: Context
    ) -> arena_pb2.AnnulBlocksResponse:
        """See arena.proto."""
        meant, reason = which(request), checked_reason(request.reason)
        hosted = await self._finder.tournament(request.tournament)
        with _annulling():
            found = await hosted.annul(meant, reason, preview=request.validate_only)
        return arena_pb2.AnnulBlocksResponse(
            blocks=found.annulment.blocks,
            tournament=self._message(hosted, organiser=True),
            effect=effect(found.effect),
            annulment=found.number,
        )

    async def UndoAnnulment(
        self, request: arena_pb2.UndoAnnulmentRequest, context: Context
    ) -> arena_pb2.UndoAnnulmentResponse:
        """See arena.proto."""
        reason = checked_reason(request.reason)
        hosted = await self._finder.tournament(request.tournament)
        with _annulling():
            found = await hosted.undo_annulment(request.annulment, reason, preview=request.validate_only)
        tournament_message = self._message(hosted, organiser=True)
        return arena_pb2.UndoAnnulmentResponse(tournament=tournament_message, effect=effect(found.effect))

    async def ListArenaActions(
        self, request: arena_pb2.ListArenaActionsRequest, context: Context
    ) -> arena_pb2.ListArenaActionsResponse:
        """See arena.proto."""
        actions = await listed_actions(ToldActions(self._host.store.actions), request)
        return arena_pb2.ListArenaActionsResponse(actions=actions)

    async def _steered(self, name: str) -> HostedTournament:
        hosted = await self._finder.tournament(name)
        if hosted.source is None and hosted.word != "closed":
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_NOT_HOSTED,
                f"tournament {name} was begun by `fudaba arena run`; go on with it, or end it, with that",
            )
        return hosted

    async def GetTournament(
        self, request: arena_pb2.GetTournamentRequest, context: Context
    ) -> arena_pb2.GetTournamentResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        hosted = await self._finder.tournament(request.tournament)
        return arena_pb2.GetTournamentResponse(tournament=self._message(hosted, organiser=organiser))

    async def ListTournaments(
        self, request: arena_pb2.ListTournamentsRequest, context: Context
    ) -> arena_pb2.ListTournamentsResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        _check_enum(arena_pb2.TournamentState, "state", request.state)
        found = [hosted for hosted in await self._host.all() if hosted.state.tournament.season is None]
        all_of = {hosted.name: self._message(hosted, organiser=organiser) for hosted in found}
        names = [name for name, message in sorted(all_of.items()) if request.state in {0, message.state}]
        page, following = _PAGES.page(names, request.page_size, request.page_token)
        return arena_pb2.ListTournamentsResponse(tournaments=[all_of[name] for name in page], next_page_token=following)

    async def WatchTournament(
        self, request: arena_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[arena_pb2.WatchTournamentResponse]:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        hosted = await self._finder.tournament(request.tournament)
        seen, answered = request.seen, False
        if seen > hosted.journal.length:
            raise Refused.malformed(f"seen is {seen}, and there were only {hosted.journal.length} changes")
        while True:
            new = await hosted.journal.after(seen, _CHANGES_PER_BATCH)
            if new or not answered:
                seen, answered = seen + len(new), True
                yield arena_pb2.WatchTournamentResponse(
                    changes=[tournament_messages.change(hosted, change, organiser=organiser) for change in new],
                    seen=seen,
                    tournament=self._message(hosted, organiser=organiser),
                )
            elif hosted.journal.word == "closed":
                return
            else:
                await self._streams.wait_for_news(hosted, seen)

    async def GetStandings(
        self, request: arena_pb2.GetStandingsRequest, context: Context
    ) -> arena_pb2.GetStandingsResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        hosted = await self._finder.tournament(request.tournament)
        if request.game:
            _check_game(hosted, request.game)
        game_standings = tournament_messages.standings(await self._ratings.ladders(hosted))
        if request.game == OVERALL and len(game_standings) == 1:
            game_standings[0].game = OVERALL
        return arena_pb2.GetStandingsResponse(
            tournament=self._message(hosted, organiser=organiser),
            standings=[standings for standings in game_standings if request.game in {"", standings.game}],
            forfeits=await self._ratings.forfeits(hosted),
            voids=tournament_messages.voids(hosted.state),
            network_credits=network_credits(hosted.state),
            swiss=[
                swiss_standings
                for swiss_standings in tournament_messages.swiss(hosted.state)
                if request.game in {"", swiss_standings.game}
            ],
        )

    async def GetRatingHistory(
        self, request: arena_pb2.GetRatingHistoryRequest, context: Context
    ) -> arena_pb2.GetRatingHistoryResponse:
        """See arena.proto."""
        hosted = await self._finder.tournament(request.tournament)
        game = request.game or OVERALL
        _check_game(hosted, game)
        return await self._ratings.history(hosted, game, request.every_blocks)

    async def ListBlocks(self, request: arena_pb2.ListBlocksRequest, context: Context) -> arena_pb2.ListBlocksResponse:
        """See arena.proto."""
        hosted = await self._finder.tournament(request.tournament)
        _check_enum(arena_pb2.BlockState, "state", request.state)
        answer = block_page(hosted, self._ratings.parked(hosted), request)
        answer.looks_like.update(await _lookalikes(hosted, (bot for block in answer.blocks for bot in block.bots)))
        return answer

    async def ListAnnulments(
        self, request: arena_pb2.ListAnnulmentsRequest, context: Context
    ) -> arena_pb2.ListAnnulmentsResponse:
        """See arena.proto."""
        hosted = await self._finder.tournament(request.tournament)
        return annulment_page(hosted.state.stored.blocks.annulments, request)

    async def ListTournamentMatches(
        self, request: arena_pb2.ListTournamentMatchesRequest, context: Context
    ) -> arena_pb2.ListTournamentMatchesResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        hosted = await self._finder.tournament(request.tournament)
        answer = await match_page(hosted, request, organiser=organiser)
        answer.looks_like.update(await _lookalikes(hosted, (bot for match in answer.matches for bot in match.bots)))
        return answer

    async def GetQueue(self, request: arena_pb2.GetQueueRequest, context: Context) -> arena_pb2.GetQueueResponse:
        """See arena.proto."""
        hosted = await self._finder.tournament(request.tournament)
        if hosted.state.tournament.queue_hidden and not await self._door.is_organiser(context):
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY, f"the organiser shows nobody else what {hosted.name} plays next"
            )
        answer = queue(hosted, self._ratings.parked(hosted), request)
        bots = {bot for queued in answer.blocks for bot in queued.block.bots}
        answer.looks_like.update(await _lookalikes(hosted, bots | {share.entry for share in answer.shares}))
        return answer

    def _message(self, hosted: HostedTournament, *, organiser: bool) -> arena_pb2.Tournament:
        return tournament_messages.tournament(hosted, self._ratings.parked(hosted), organiser=organiser)


async def _lookalikes(hosted: HostedTournament, shown: Iterable[str]) -> dict[str, str]:
    """Of the bots that are shown, those whose names look alike. They are compared in a thread: there may be many."""
    found = await asyncio.to_thread(lookalikes, hosted.state.tournament.bots)
    return {name: found[name] for name in map(entry_of, shown) if name in found}


@contextmanager
def _annulling() -> Iterator[None]:
    """Refuses what cannot be annulled, or undone."""
    try:
        yield
    except BadStored:
        raise
    except ArenaError as error:
        raise Refused(errors_pb2.REASON_NOTHING_TO_ANNUL, str(error)) from error


def _closed(hosted: HostedTournament) -> Refused:
    return Refused(errors_pb2.REASON_TOURNAMENT_CLOSED, f"tournament {hosted.name} is over")


def _check_game(hosted: HostedTournament, game: str) -> None:
    games = [game.game for game in hosted.state.tournament.games]
    if game not in {OVERALL, *games}:
        raise Refused(
            errors_pb2.REASON_GAME_NOT_FOUND,
            f"tournament {hosted.name} has no game {game!r}; it has: {', '.join(games)}",
        )


def _check_enum(enum: type, field: str, value: int) -> None:
    if value not in enum.values():  # type: ignore[attr-defined]  # the wrapper of an enum
        raise Refused.malformed(f"{field} is {value}, which is not a value of that enum")
