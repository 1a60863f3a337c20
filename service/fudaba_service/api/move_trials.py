"""Trial moves from a position of a finished match. They are not stored, and all hands are open.

Each call rebuilds the position from the record and the earlier trial moves, so any replica can answer, and nothing
needs tidying up.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from itertools import islice
from typing import Any, Final, final

from fudaba.codec import outcome_to_proto
from fudaba.replay import Replay
from fudaba.v1 import errors_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_games.match import Match, NotYourDecision, OpenDecision
from fudaba_service.api.paying import CallPayer
from fudaba_service.refusals import Refused
from fudaba_service.sessions.followers import MAX_LISTED_MOVES
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.proposals import chosen

__all__ = ["MoveTrials"]

_MAX_TRIED_MOVES: Final = 500
"""The number of moves that can be tried from one position, replies of house bots included. The contract states it, too.
"""
_MAX_REPLIES: Final = 60
"""The number of house bots' moves in one call. The next call goes on from there."""
_EVENTS_PER_REPLY: Final = 100
"""The number of events, sent at once, that cost as much as a house bot's move, which takes some 15 ms."""
_MAX_CALLS_WITH_REPLIES: Final = 8
"""The number of calls, each of a different caller, in which house bots reply at once. Their decisions wait for one
another.
"""
_WORK_SECONDS: Final = 0.001
"""The time for which trial moves run before the matches in play get their turn."""
_YIELD_SECONDS: Final = 0.002
"""The time that the matches in play get then."""
_HOUSE_BOT: Final = "house-sensible"


@final
class MoveTrials:
    """Makes the moves of calls, one after another."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._calls_with_replies = 0

    async def after(
        self, request: matches_pb2.TryMovesRequest, record: record_pb2.MatchRecord, payer: CallPayer
    ) -> matches_pb2.TryMovesResponse:
        """Tries moves in a match whose record the caller may see. Refuses illegal moves.

        A caller tries one line at a time: further calls wait.
        """
        if len(request.moves) > _MAX_TRIED_MOVES:
            raise Refused.malformed(f"{len(request.moves)} moves are tried; at most {_MAX_TRIED_MOVES} are allowed")
        seats = len(record.header.players)
        if request.HasField("seat") and request.seat >= seats:
            raise Refused.malformed(f"seat is {request.seat}; the match has {seats} seats, from 0")
        if request.entries > len(record.log):
            raise Refused.malformed(f"entries is {request.entries}; the record has {len(record.log)}")
        async with payer.trying:
            return await self._tried(request, record, payer)

    async def _tried(
        self, request: matches_pb2.TryMovesRequest, record: record_pb2.MatchRecord, payer: CallPayer
    ) -> matches_pb2.TryMovesResponse:
        replay = await self._host.register.replays.at(record, request.entries, payer)
        if not replay.shows or replay.over:
            raise Refused.malformed(
                f"nothing is played after {request.entries} entries: choose a position between the deal and the end"
            )
        tried = _Tried(replay)
        payer.charge(len(request.moves))
        since = time.perf_counter()
        for move in request.moves:
            tried.make(move)
            if time.perf_counter() - since > _WORK_SECONDS:
                await asyncio.sleep(_YIELD_SECONDS)
                since = time.perf_counter()
        if request.HasField("seat"):
            if self._calls_with_replies >= _MAX_CALLS_WITH_REPLIES:
                raise Refused(
                    errors_pb2.REASON_TOO_FAST,
                    f"house bots reply to {_MAX_CALLS_WITH_REPLIES} callers who try moves, and to no more at once; try "
                    "again a little later, or leave out `seat` and move for all seats",
                    retry_seconds=1.0,
                )
            self._calls_with_replies += 1
            try:
                await self._reply(tried, request.seat, payer)
            finally:
                self._calls_with_replies -= 1
        return tried.response()

    async def _reply(self, tried: _Tried, seat: int, payer: CallPayer) -> None:
        """Lets house bots move for all other seats until it is this seat's turn. Each move is paid for before it is
        made.
        """
        for _ in range(_MAX_REPLIES):
            match = tried.match
            if match.over or match.open(seat) is not None or len(tried.moves) >= _MAX_TRIED_MOVES:
                return
            decision = next(iter(match.open_decisions()), None)
            if decision is None:
                tried.make(matches_pb2.TriedMove())
                continue
            payer.charge(_EVENTS_PER_REPLY)
            answer = await self._host.house.think(tried.update(decision))
            tried.play(decision, tried.chosen(decision, answer))


@final
class _Tried:
    """A position, and the moves tried from there."""

    def __init__(self, replay: Replay) -> None:
        begun = replay.match
        self.match: Match[Any, Any, Any, Any] = Match(
            begun.game, begun.seats, begun.options, b"", at=begun.state.clone()
        )
        self._header, self._codec = replay.header, replay.codec
        self.moves: list[matches_pb2.TriedMove] = []
        """All moves so far, as text."""
        self._name = f"tried-{secrets.token_hex(8)}"

    def make(self, tried: matches_pb2.TriedMove) -> None:
        """Makes a move of the caller. Raises the errors of a refused answer in play."""
        match = self.match
        if tried.WhichOneof("choice") is None:
            match.pass_time()
            self.moves.append(matches_pb2.TriedMove())
            return
        decision = match.open(tried.seat) if tried.seat < match.seats else None
        if decision is None:
            raise NotYourDecision(f"seat {tried.seat} is not asked anything in this position")
        move = self.chosen(decision, tried)
        match.game.check(match.state, tried.seat, move)
        self.play(decision, move)

    def chosen(self, decision: OpenDecision[Any], answer: play_pb2.Answer | matches_pb2.TriedMove) -> object:
        """Returns the move of an answer."""
        return chosen(self.match.game, self._codec, decision, answer)

    def play(self, decision: OpenDecision[Any], move: object) -> None:
        """Plays a legal move."""
        text = self.match.game.text.format_move(move)
        self.match.play(decision.seat, move)
        self.moves.append(matches_pb2.TriedMove(seat=decision.seat, text=text))

    def update(self, decision: OpenDecision[Any]) -> play_pb2.SeatUpdate:
        """Returns a decision as a house bot's update."""
        update = play_pb2.SeatUpdate(match_id=self._name, seat=decision.seat)
        update.started.CopyFrom(self._header)
        update.started.match_id = self._name
        for player in update.started.players:
            player.bot, player.version = _HOUSE_BOT, "1"
        asked = update.decision
        asked.decision_id, asked.required = f"{len(self.moves)}.{decision.id}", decision.required
        asked.legal_count = len(decision.legal)
        self._codec.view_to_proto(self.match.view(decision.seat), asked.view)
        for move in islice(decision.legal, MAX_LISTED_MOVES):
            self._codec.move_to_proto(move, asked.legal_moves.add())
        return update

    def response(self) -> matches_pb2.TryMovesResponse:
        """Returns what all seats see now."""
        match, codec = self.match, self._codec
        response = matches_pb2.TryMovesResponse(moves=self.moves)
        for seat in range(match.seats):
            shown = response.seats.add()
            codec.view_to_proto(match.view(seat), shown.view)
            for event in match.shown(seat):
                codec.event_to_proto(event, shown.events.add())
            decision = match.open(seat)
            if decision is not None:
                asked = shown.decision
                asked.required, asked.legal_count = decision.required, len(decision.legal)
                for move in islice(decision.legal, MAX_LISTED_MOVES):
                    codec.move_to_proto(move, asked.legal_moves.add())
        if match.outcome is not None:
            outcome_to_proto(match.outcome, response.outcome)
        return response
