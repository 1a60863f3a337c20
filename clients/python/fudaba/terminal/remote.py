"""A match on a service: one seat of it, over connections that may break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final, final

import grpc

from fudaba._backoff import delays
from fudaba.answers import game_codec, match_info, result_of
from fudaba.bot import MatchInfo
from fudaba.client import AsyncClient, translated
from fudaba.codec import GameCodec
from fudaba.errors import ServiceError
from fudaba.terminal.person_seat import AnswerRefused, PersonSeat, PutDecision, SeatNews
from fudaba.v1 import matches_pb2, play_pb2

__all__ = ["RemoteSeat"]

_DELIVERY: Final = play_pb2.Delivery(
    legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TYPED, events=play_pb2.EVENT_DELIVERY_AT_ONCE, acknowledge=True, views=True
)
_CALL_TIMEOUT_SECONDS: Final = 10.0
_FIRST_DELAY_SECONDS: Final = 0.3
_DELAYS: Final = partial(delays, _FIRST_DELAY_SECONDS, longest=5.0)


@final
class RemoteSeat(PersonSeat):
    """The caller's seat in a match whose seats are all taken. The first news fills in `info`."""

    def __init__(self, client: AsyncClient, match_id: str) -> None:
        self._client = client
        self._match_id = match_id
        self.info = MatchInfo(match_id, "", 0, ())
        self._codec: GameCodec[Any, Any, Any] | None = None
        self._seen = 0
        self._history = 0

    async def news(self) -> AsyncIterator[SeatNews]:
        """See `PersonSeat`."""
        pauses = _DELAYS()
        while True:
            request = play_pb2.WatchSeatRequest(
                match_id=self._match_id, seen=self._seen, history=self._history, delivery=_DELIVERY
            )
            try:
                call = self._client.play.WatchSeat(request)
                async for response in translated(call, self._client.endpoint.address):
                    pauses = _DELAYS()
                    news = self._news(response.update)
                    yield news
                    if news.result is not None:
                        return
                error = ServiceError("UNAVAILABLE", "the service ended the stream")
            except ServiceError as lost:
                if not lost.retryable:
                    raise
                error = lost
            yield SeatNews(trouble=str(error))
            await asyncio.sleep(next(pauses))

    async def answer(self, decision_id: str, move: Any) -> None:
        """See `PersonSeat`."""
        assert self._codec is not None  # noqa: S101 - a decision has come
        request = play_pb2.SubmitMoveRequest()
        request.answer.match_id, request.answer.decision_id = self._match_id, decision_id
        self._codec.move_to_proto(move, request.answer.move)
        await self._with_retry(self._client.play.SubmitMove, request)

    async def resign(self) -> None:
        """See `PersonSeat`."""
        await self._with_retry(
            self._client.matches.ResignMatch, matches_pb2.ResignMatchRequest(match_id=self._match_id)
        )

    async def close(self) -> None:
        """See `PersonSeat`."""
        await self._client.close()

    async def _with_retry(self, method: Any, request: Any) -> None:
        """Calls until the service answers, since repeating an answer is harmless. Raises `AnswerRefused`."""
        while True:
            try:
                await method(request, timeout=_CALL_TIMEOUT_SECONDS)
            except ServiceError as error:
                if not error.retryable:
                    raise AnswerRefused(str(error)) from None
                await asyncio.sleep(_FIRST_DELAY_SECONDS)
            except grpc.RpcError as error:
                raise AnswerRefused(str(error)) from None
            else:
                return

    def _news(self, update: play_pb2.SeatUpdate) -> SeatNews:
        if update.HasField("started"):
            self.info = match_info(update.started, update.seat)
            self._codec = game_codec(update.started.game)
        codec = self._codec
        assert codec is not None  # noqa: S101 - the first update of a stream has `started`
        news = SeatNews(events=[codec.event_from_proto(event) for event in update.events])
        before = update.seen - len(update.events)
        if update.rewound or before < self._seen:
            news.kept = before
        self._seen, self._history = update.seen, update.history
        news.closed = frozenset((*update.accepted, *update.timed_out))
        news.timed_out = len(update.timed_out)
        if update.HasField("view"):
            news.view = codec.view_from_proto(update.view)
        if update.HasField("decision"):
            asked = update.decision
            news.view = codec.view_from_proto(asked.view)
            legal = [codec.move_from_proto(move) for move in asked.legal_moves]
            news.asked = PutDecision(asked.decision_id, legal, asked.required, asked.time_ms, asked.bank_ms)
        if update.HasField("over"):
            news.result = result_of(update.over)
            self.info.result = news.result
        return news
