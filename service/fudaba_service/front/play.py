"""PlayService: the stream of a bot's process, and the same for one seat at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, final

from fudaba.v1 import errors_pb2, play_pb2, play_pb2_grpc
from fudaba_service.accounts import Owner
from fudaba_service.front.flood import Callers
from fudaba_service.front.guard import Context, Doorkeeper, first_of
from fudaba_service.front.stream import PlayStream
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.changes import Proposal
from fudaba_service.sessions.followers import Delivery, SeatFollower
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.session import Session

__all__ = ["PlayServicer"]


def _new_watch() -> tuple[play_pb2.WatchSeatResponse, play_pb2.SeatUpdate]:
    message = play_pb2.WatchSeatResponse()
    return message, message.update


@final
class PlayServicer(play_pb2_grpc.PlayServiceServicer):
    """See play.proto."""

    def __init__(self, host: Host, door: Doorkeeper, callers: Callers) -> None:
        self._host = host
        self._door = door
        self._callers = callers

    async def Play(  # type: ignore[override]  # grpc.aio lets a method read and write by hand; the stubs do not say so
        self, _requests: Any, context: Context
    ) -> None:
        """See play.proto."""
        owner = await self._door.bot(context)
        with self._host.metrics.streams.labels("play").track_inprogress():
            await PlayStream(self._host, owner, context, lambda: self._door.bot(context), self._callers).run()

    async def WatchSeat(
        self, request: play_pb2.WatchSeatRequest, context: Context
    ) -> AsyncIterator[play_pb2.WatchSeatResponse]:
        """See play.proto."""
        delivery = Delivery(request.delivery)
        owner = await self._door.bot(context)
        session, seat = await self._seat(request.match_id, owner)
        queue: asyncio.Queue[tuple[Any, str, bool]] = asyncio.Queue()
        follower = SeatFollower(
            seat,
            delivery,
            request.seen,
            _new_watch,
            lambda message, decision_id, over: queue.put_nowait((message, decision_id, over)),
            lambda: 0.0,
            request.history,
        )
        session.submit(proposals.ready(seat), lambda _: None)
        session.follow(follower)
        with (
            self._host.metrics.streams.labels("seat").track_inprogress(),
            self._host.roster.call(owner.player) as ended,
        ):
            try:
                while True:
                    message, decision_id, over = await first_of(queue.get(), ended)
                    yield message
                    if decision_id:
                        session.sent(seat, decision_id)
                    if over:
                        return
            finally:
                session.unfollow(follower)

    async def SubmitMove(self, request: play_pb2.SubmitMoveRequest, context: Context) -> play_pb2.SubmitMoveResponse:
        """See play.proto."""
        received = time.monotonic()
        answer = request.answer
        session, seat = await self._seat(answer.match_id, await self._door.bot(context))
        response = play_pb2.SubmitMoveResponse()
        judge = proposals.answer(seat, answer, received)

        def propose(session: Session) -> Proposal:
            response.repeated_call = session.replay.match.answered(seat, answer.decision_id) is not None
            return judge(session)

        await self._host.change(session, propose, session.hand_busy_seconds(seat))
        session.replay.codec.move_to_proto(session.replay.match.answered(seat, answer.decision_id), response.move)
        return response

    async def _seat(self, match_id: str, owner: Owner) -> tuple[Session, int]:
        """The session of a match, live or over, and the caller's seat in it. Refuses callers without one."""
        session = await self._host.register.session_or_end(match_id)
        seat = session.seat_of(owner.player)
        if seat is None:
            raise Refused(errors_pb2.REASON_NOT_YOUR_MATCH, f"{owner.player} has no seat in match {match_id}")
        return session, seat
