"""The methods of ArenaService about tournaments and their blocks: see arena.proto."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.actions import ToldActions, found_unchanged
from fudaba_arena.api.checks.definition_checks import checked, checked_text, with_bots
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.hidden_names import (
    hide_in_blocks,
    hide_in_matches,
    hide_in_queue,
    hide_voids,
)
from fudaba_arena.api.messages import definition_messages, standing_messages, tournament_messages
from fudaba_arena.api.messages.annulment_messages import annulment_page, block_choice, checked_reason, effect
from fudaba_arena.api.messages.definition_messages import bracket_of
from fudaba_arena.api.messages.list_messages import block_page, match_page
from fudaba_arena.api.messages.queue_messages import queue
from fudaba_arena.api.messages.standing_messages import network_credits
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.api.streams import Streams
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.ladder.ladders import OVERALL
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.tournament_registry import Exists, TournamentRegistry
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
    """The methods about tournaments. arena.proto describes each of them."""

    def __init__(
        self,
        registry: TournamentRegistry,
        door: Doorkeeper,
        finder: Finder,
        ratings: Ratings,
        frozen_ratings: Ratings,
        frozen: FrozenSeasons,
        streams: Streams,
    ) -> None:
        """`frozen_ratings` are those of the seasons whose standings are frozen, as they were then."""
        self._registry = registry
        self._door = door
        self._finder = finder
        self._ratings = ratings
        self._frozen_ratings = frozen_ratings
        self._frozen = frozen
        self._streams = streams

    async def CreateTournament(
        self, request: arena_pb2.CreateTournamentRequest, context: Context
    ) -> arena_pb2.CreateTournamentResponse:
        """See arena.proto."""
        text = await with_bots(checked_text(request.definition), self._registry, self._ratings)
        source = self._registry.source(text)
        tournament = await checked(self._registry, source)
        if request.validate_only:
            planned = arena_pb2.Tournament(name=tournament.name, definition=definition_messages.definition(tournament))
            expected = await asyncio.to_thread(forecast, tournament, source_schedule(tournament, source))
            return arena_pb2.CreateTournamentResponse(tournament=planned, plan=definition_messages.plan(expected))
        try:
            made, begun = await self._registry.create(tournament, source, paused=request.paused)
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
        arena_tournament = await self._steered(request.tournament)
        if arena_tournament.state_name == "closed":
            raise _closed(arena_tournament)
        if arena_tournament.state_name != "paused":
            await arena_tournament.pause()
        else:
            found_unchanged()
        return arena_pb2.PauseTournamentResponse(tournament=self._message(arena_tournament, organiser=True))

    async def ResumeTournament(
        self, request: arena_pb2.ResumeTournamentRequest, context: Context
    ) -> arena_pb2.ResumeTournamentResponse:
        """See arena.proto."""
        arena_tournament = await self._steered(request.tournament)
        if arena_tournament.state_name == "closed":
            raise _closed(arena_tournament)
        await arena_tournament.resume()
        return arena_pb2.ResumeTournamentResponse(tournament=self._message(arena_tournament, organiser=True))

    async def CloseTournament(
        self, request: arena_pb2.CloseTournamentRequest, context: Context
    ) -> arena_pb2.CloseTournamentResponse:
        """See arena.proto."""
        arena_tournament = await self._steered(request.tournament)
        if arena_tournament.state_name != "closed":
            await arena_tournament.close()
        else:
            found_unchanged()
        return arena_pb2.CloseTournamentResponse(tournament=self._message(arena_tournament, organiser=True))

    async def AnnulBlocks(
        self, request: arena_pb2.AnnulBlocksRequest, context: Context
    ) -> arena_pb2.AnnulBlocksResponse:
        """See arena.proto."""
        meant, reason = block_choice(request), checked_reason(request.reason)
        arena_tournament = await self._finder.tournament(request.tournament)
        with _annulling():
            found = await arena_tournament.annulments.annul(meant, reason, preview=request.validate_only)
        return arena_pb2.AnnulBlocksResponse(
            blocks=found.annulment.blocks,
            tournament=self._message(arena_tournament, organiser=True),
            effect=effect(found.effect),
            annulment=found.number,
        )

    async def UndoAnnulment(
        self, request: arena_pb2.UndoAnnulmentRequest, context: Context
    ) -> arena_pb2.UndoAnnulmentResponse:
        """See arena.proto."""
        reason = checked_reason(request.reason)
        arena_tournament = await self._finder.tournament(request.tournament)
        with _annulling():
            found = await arena_tournament.annulments.undo(request.annulment, reason, preview=request.validate_only)
        tournament_message = self._message(arena_tournament, organiser=True)
        return arena_pb2.UndoAnnulmentResponse(tournament=tournament_message, effect=effect(found.effect))

    async def ListArenaActions(
        self, request: arena_pb2.ListArenaActionsRequest, context: Context
    ) -> arena_pb2.ListArenaActionsResponse:
        """See arena.proto."""
        actions = await listed_actions(ToldActions(self._registry.store.actions), request)
        return arena_pb2.ListArenaActionsResponse(actions=actions)

    async def _steered(self, name: str) -> ArenaTournament:
        arena_tournament = await self._finder.tournament(name)
        if arena_tournament.source is None and arena_tournament.state_name != "closed":
            raise Refused(
                errors_pb2.REASON_TOURNAMENT_NOT_HOSTED,
                f"tournament {name} was begun by `fudaba arena run`; go on with it, or end it, with that",
            )
        return arena_tournament

    async def GetTournament(
        self, request: arena_pb2.GetTournamentRequest, context: Context
    ) -> arena_pb2.GetTournamentResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        message = await self._frozen.message(arena_tournament, organiser=organiser)
        return arena_pb2.GetTournamentResponse(tournament=message)

    async def ListTournaments(
        self, request: arena_pb2.ListTournamentsRequest, context: Context
    ) -> arena_pb2.ListTournamentsResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        _check_enum(arena_pb2.TournamentState, "state", request.state)
        found = [
            arena_tournament
            for arena_tournament in await self._registry.all()
            if arena_tournament.state.tournament.season is None
        ]
        all_of = {
            arena_tournament.name: self._message(arena_tournament, organiser=organiser) for arena_tournament in found
        }
        names = [name for name, message in sorted(all_of.items()) if request.state in {0, message.state}]
        page, following = _PAGES.page(names, request.page_size, request.page_token)
        return arena_pb2.ListTournamentsResponse(tournaments=[all_of[name] for name in page], next_page_token=following)

    async def WatchTournament(
        self, request: arena_pb2.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[arena_pb2.WatchTournamentResponse]:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        seen, answered = request.seen, False
        followed = await self._frozen.followed(arena_tournament, organiser=organiser)
        followed.check_seen(seen)
        while True:
            new = await followed.changes_after(seen, _CHANGES_PER_BATCH)
            if new or not answered:
                seen, answered = seen + len(new), True
                yield arena_pb2.WatchTournamentResponse(
                    changes=followed.messages(new),
                    seen=seen,
                    tournament=await self._frozen.message(arena_tournament, organiser=organiser),
                )
            elif arena_tournament.journal.state_name == "closed":
                return
            else:
                await self._streams.wait_for_news(arena_tournament, followed.known(seen))
            earlier, followed = followed, await self._frozen.followed(arena_tournament, organiser=organiser)
            seen = followed.seen_since(earlier, seen)

    async def GetStandings(
        self, request: arena_pb2.GetStandingsRequest, context: Context
    ) -> arena_pb2.GetStandingsResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        if request.game:
            _check_game(arena_tournament, request.game)
        shown = await self._frozen.shown(arena_tournament, organiser=organiser)
        ratings = self._ratings_of(shown, arena_tournament)
        game_standings = standing_messages.standings(await ratings.ladders(shown))
        if request.game == OVERALL and len(game_standings) == 1:
            game_standings[0].game = OVERALL
        answer = arena_pb2.GetStandingsResponse(
            tournament=await self._frozen.message(arena_tournament, organiser=organiser),
            standings=[standings for standings in game_standings if request.game in {"", standings.game}],
            forfeits=await ratings.forfeits(shown),
            voids=standing_messages.voids(shown.state),
            network_credits=network_credits(shown.state),
            swiss=[
                swiss_standings
                for swiss_standings in standing_messages.swiss(shown.state)
                if request.game in {"", swiss_standings.game}
            ],
            bracket=None if request.game == OVERALL else bracket_of(arena_tournament.state),
        )
        if not organiser:
            hide_voids(shown.state, answer)
        return answer

    async def GetRatingHistory(
        self, request: arena_pb2.GetRatingHistoryRequest, context: Context
    ) -> arena_pb2.GetRatingHistoryResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.tournament(request.tournament)
        game = request.game or OVERALL
        _check_game(arena_tournament, game)
        shown = await self._frozen.shown(arena_tournament, organiser=await self._door.is_organiser(context))
        return await self._ratings_of(shown, arena_tournament).history(shown, game, request.every_blocks)

    async def ListBlocks(self, request: arena_pb2.ListBlocksRequest, context: Context) -> arena_pb2.ListBlocksResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.tournament(request.tournament)
        _check_enum(arena_pb2.BlockState, "state", request.state)
        organiser = await self._door.is_organiser(context)
        shown = await self._frozen.shown(arena_tournament, organiser=organiser)
        answer = block_page(shown, shown.state.parked_numbers, request)
        if not organiser:
            hide_in_blocks(shown.state, answer.blocks)
        answer.looks_like.update(await _lookalikes(shown, (bot for block in answer.blocks for bot in block.bots)))
        return answer

    async def ListAnnulments(
        self, request: arena_pb2.ListAnnulmentsRequest, context: Context
    ) -> arena_pb2.ListAnnulmentsResponse:
        """See arena.proto."""
        arena_tournament = await self._finder.tournament(request.tournament)
        shown = await self._frozen.shown(arena_tournament, organiser=await self._door.is_organiser(context))
        return annulment_page(shown.state.stored.blocks, request)

    async def ListTournamentMatches(
        self, request: arena_pb2.ListTournamentMatchesRequest, context: Context
    ) -> arena_pb2.ListTournamentMatchesResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        shown = await self._frozen.shown(arena_tournament, organiser=organiser)
        answer = await match_page(shown, request, organiser=organiser)
        if not organiser:
            hide_in_matches(shown.state, answer.matches)
        answer.looks_like.update(await _lookalikes(shown, (bot for match in answer.matches for bot in match.bots)))
        return answer

    async def GetQueue(self, request: arena_pb2.GetQueueRequest, context: Context) -> arena_pb2.GetQueueResponse:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        if arena_tournament.state.tournament.queue_hidden and not organiser:
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                f"the organiser shows nobody else what {arena_tournament.name} plays next",
            )
        self._frozen.check_shown(arena_tournament, organiser=organiser, answer="what is played")
        answer = queue(arena_tournament, arena_tournament.state.parked_numbers, request)
        if not organiser:
            hide_in_queue(arena_tournament.state, answer)
        bots = {bot for queued in answer.blocks for bot in queued.block.bots}
        answer.looks_like.update(await _lookalikes(arena_tournament, bots | {share.entry for share in answer.shares}))
        return answer

    def _ratings_of(self, shown: ShownTournament, arena_tournament: ArenaTournament) -> Ratings:
        return self._ratings if shown is arena_tournament else self._frozen_ratings

    def _message(self, arena_tournament: ArenaTournament, *, organiser: bool) -> arena_pb2.Tournament:
        return tournament_messages.tournament(
            arena_tournament, arena_tournament.state.parked_numbers, organiser=organiser
        )


async def _lookalikes(arena_tournament: ShownTournament, shown: Iterable[str]) -> dict[str, str]:
    """Finds the shown bots whose names look alike. It compares them in a thread, since there may be many."""
    found = await asyncio.to_thread(lookalikes, arena_tournament.state.tournament.bots)
    return {name: found[name] for name in map(entry_of, shown) if name in found}


@contextmanager
def _annulling() -> Iterator[None]:
    """Turns an `ArenaError` in its block into the refusal of an annulment, or of its undoing."""
    try:
        yield
    except BadStored:
        raise
    except ArenaError as error:
        raise Refused(errors_pb2.REASON_NOTHING_TO_ANNUL, str(error)) from error


def _closed(arena_tournament: ArenaTournament) -> Refused:
    return Refused(errors_pb2.REASON_TOURNAMENT_CLOSED, f"tournament {arena_tournament.name} is over")


def _check_game(arena_tournament: ArenaTournament, game: str) -> None:
    games = [game.game for game in arena_tournament.state.tournament.games]
    if game not in {OVERALL, *games}:
        raise Refused(
            errors_pb2.REASON_GAME_NOT_FOUND,
            f"tournament {arena_tournament.name} has no game {game!r}; it has: {', '.join(games)}",
        )


def _check_enum(enum: type, field: str, value: int) -> None:
    if value not in enum.values():  # type: ignore[attr-defined]  # the wrapper of an enum
        raise Refused.malformed(f"{field} is {value}, which is not a value of that enum")
