"""PlayService: the stream of a bot's process, and single calls for one seat."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, final

from fudaba.v1 import play_pb2, play_pb2_grpc
from fudaba_service.api.guard import Context, Doorkeeper
from fudaba_service.api.outbox import on_the_wire
from fudaba_service.api.quota import AccountStreams
from fudaba_service.api.stream import PlayStream
from fudaba_service.api.watch_limits import Watchers
from fudaba_service.sessions import proposals
from fudaba_service.sessions.changes import Proposal
from fudaba_service.sessions.followers import Delivery, SeatFollower
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.submitting import change
from fudaba_service.sessions.watches import WatchMessage
from fudaba_serving.grpc.rate_limit import Callers

__all__ = ["PlayServicer"]


def _new_watch() -> tuple[play_pb2.WatchSeatResponse, play_pb2.SeatUpdate]:
    message = play_pb2.WatchSeatResponse()
    return message, message.update


def _delivered(message: Any, decision_id: str, over: bool) -> WatchMessage:  # as followers deliver it
    return WatchMessage(on_the_wire(message), decision_id, over)


@final
class PlayServicer(play_pb2_grpc.PlayServiceServicer):
    """See play.proto."""

    def __init__(
        self, host: Host, streams: AccountStreams, door: Doorkeeper, callers: Callers, watchers: Watchers
    ) -> None:
        self._host = host
        self._streams = streams
        self._door = door
        self._callers = callers
        self._watchers = watchers

    async def Play(  # type: ignore[override]  # grpc.aio lets a method read and write by hand; the stubs do not say so
        self, _requests: Any, context: Context
    ) -> None:
        """See play.proto."""
        opening = self._host.store.streams.opening()
        owner = await self._door.known(context)
        async with self._streams.counted(owner):
            identified = self._host.live.delay.since(self._door.called)
            with self._host.metrics.streams.labels("play").track_inprogress():
                recheck = partial(self._door.recheck, context)
                await PlayStream(self._host, owner, context, recheck, self._callers, identified, opening).run()

    async def WatchSeat(self, request: play_pb2.WatchSeatRequest, context: Context) -> AsyncIterator[Any]:
        """See play.proto."""
        delivery = Delivery(request.delivery)
        owner, payer = await self._door.known(context), self._door.payer
        with self._watchers.counted(owner, self._door.address(context)) as watch:
            session, seat = await self._host.register.seat(request.match_id, owner, payer)
            await self._host.live.note_outages()
            made: list[WatchMessage] = []
            follower = SeatFollower(
                seat,
                delivery,
                request.seen,
                _new_watch,
                lambda *parts: made.append(_delivered(*parts)),
                lambda: 0.0,
                request.history,
                anywhere=True,
                wake=watch.wake,
            )

            def tell() -> WatchMessage | None:
                session.audience.tell_seat(follower)
                return made.pop() if made else None

            payer.charge(len(session.copy.replay.match.shown(seat)) - request.seen)
            session.submit(proposals.ready(seat), lambda _: None)
            session.audience.follow(follower, [self._host.live.delay.since(self._door.called)])
            with (
                self._host.metrics.streams.labels("seat").track_inprogress(),
                self._host.roster.call(owner, lambda: self._door.recheck(context)) as ended,
            ):
                ended.add_done_callback(lambda end: watch.end(end.result()))
                try:
                    # The token may have been revoked before this call was known to be there.
                    await self._door.recheck(context)
                    while True:
                        message = await watch.next_message(tell)
                        yield message.raw
                        if message.decision_id:
                            session.copy.clocks.sent(seat, message.decision_id, self._host.live.delay.moment())
                        if message.last:
                            return
                finally:
                    session.audience.unfollow(follower)

    async def SubmitMove(self, request: play_pb2.SubmitMoveRequest, context: Context) -> play_pb2.SubmitMoveResponse:
        """See play.proto."""
        received = self._door.called.at
        answer = request.answer
        owner = await self._door.known(context)
        session, seat = await self._host.register.seat(answer.match_id, owner, self._door.payer)
        if not session.audience.follows(seat):
            # Its stream is, or was, at another replica, which may have died only now.
            await self._host.live.note_outages()
        response = play_pb2.SubmitMoveResponse()
        judge = proposals.answer(seat, answer, received)

        def propose(copy: MatchCopy) -> Proposal:
            response.repeated_call = copy.replay.match.answered(seat, answer.decision_id) is not None
            return judge(copy)

        await change(session, propose, session.copy.pause_seconds(seat))
        replay = session.copy.replay
        replay.codec.move_to_proto(replay.match.answered(seat, answer.decision_id), response.move)
        return response
