"""The seats of house bots. They are followed like any other seats, and answered by one worker process.

Every replica that holds a match plays its house bots. A decision that is answered twice counts once, so replicas need
not agree. The worker is a process of its own, so that no bot's thinking delays the service; it starts when it is first
needed, and restarts whenever it has ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.house.decision_queue import DecisionKey, DecisionQueue, PendingDecision
from fudaba_service.house.worker_process import WorkerProcess, forked, started
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.followers import Delivery, SeatFollower
from fudaba_service.sessions.session import Session
from fudaba_serving.process.tasks import cancel, spawn

__all__ = ["House"]

log = logging.getLogger(__name__)

_DELIVERY: Final = play_pb2.Delivery(
    legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TYPED, events=play_pb2.EVENT_DELIVERY_NEVER, acknowledge=False
)
_WRONG: Final = frozenset(
    {errors_pb2.REASON_ILLEGAL_MOVE, errors_pb2.REASON_MALFORMED_MOVE, errors_pb2.REASON_MALFORMED}
)
"""Refusals that show a faulty house bot. For other refusals, the answer was late: the match went on, or was put
back.
"""
_ANSWER_TIMEOUT_SECONDS: Final = 30.0
"""The time after which a house bot's decision is assumed to last for ever. It counts from the answer to the decision
before.
"""
_POLL_SECONDS: Final = 5.0
_RESTART_SECONDS: Final = 0.25
_MAX_PAUSE_SECONDS: Final = 30.0

_MAX_WAIT_SECONDS: Final = 10.0
"""The wait after which a decision of trial moves is refused, because live matches need the house bots."""


class _WorkerEnded(Exception):
    """The worker process has ended."""


@final
class House:
    """The house bots of this process. They answer only while `run` is running."""

    def __init__(self) -> None:
        self._queue = DecisionQueue()
        self._wake = asyncio.Event()
        self._ahead: WorkerProcess | None = None
        """The worker that was started before it was needed."""
        self.answers = 0
        """The number of times that the worker has answered."""

    def start_ahead(self) -> None:
        """Starts the first worker before it is needed, if this process can still fork: then no match waits for it."""
        self._ahead = forked()

    def close(self) -> None:
        """Ends a worker that was started before it was needed, and never was. Call it when `run` has ended."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.process.kill()
            ahead.process.wait()
            ahead.line.close()

    def sit(self, session: Session) -> None:
        """Takes the house bots' seats in a match."""
        for seat, player in enumerate(session.copy.header.players):
            if is_house(player.bot) and not session.copy.replay.over:
                deliver = partial(self._deliver, session, seat)
                session.submit(proposals.ready(seat), lambda _: None)
                session.audience.follow(SeatFollower(seat, Delivery(_DELIVERY), 0, _new_update, deliver, lambda: 0.0))

    async def run(self) -> None:
        """Answers until cancelled."""
        pause = _RESTART_SECONDS
        while True:
            await self._wake.wait()
            answers = self.answers
            try:
                await self._one_worker()
            except (_WorkerEnded, OSError) as error:
                log.error("the house bots' process ended (%s); starting it again", error)
            except Exception:  # whatever befalls house bots, all other matches go on
                log.exception("a fault of the house bots; starting their process again")
            self._queue.restart()
            if self._queue.waits:
                self._wake.set()
            # One that never gets as far as an answer is not started again and again without end.
            pause = _RESTART_SECONDS if self.answers > answers else min(2 * pause, _MAX_PAUSE_SECONDS)
            await asyncio.sleep(pause)

    def _deliver(self, session: Session, seat: int, update: Any, decision_id: str, _over: bool) -> None:
        """Queues a decision of a house bot's seat. It replaces the seat's earlier decision."""
        self._queue.drop_seat(session.match_id, seat)
        if not decision_id:
            return
        update.started.CopyFrom(session.copy.header)
        key = session.match_id, seat, decision_id
        self._ask(key, update, partial(_submit, session, seat), _leave_to_its_clock)

    async def think(self, update: play_pb2.SeatUpdate) -> play_pb2.Answer:
        """Lets a house bot answer a decision outside live matches. Returns the default move if the bot does not answer
        in time.

        The update's `match_id` is the caller's own, and no other decision has it. Decisions of live matches come first.
        Refuses the decision if that takes long.
        """
        decision_id = update.decision.decision_id
        default = play_pb2.Answer(match_id=update.match_id, decision_id=decision_id, index=0)
        answered: asyncio.Future[play_pb2.Answer] = asyncio.get_running_loop().create_future()

        def take(answer: play_pb2.Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        key = (update.match_id, update.seat, decision_id)
        self._ask(key, update, take, lambda: take(default), live=False)
        try:
            await asyncio.wait((answered,), timeout=_MAX_WAIT_SECONDS)
            if self._queue.is_unsent(key):
                raise Refused(
                    errors_pb2.REASON_TOO_FAST,
                    "the house bots are busy with live matches, which take precedence over trying moves; try again "
                    "later",
                    retry_seconds=_MAX_WAIT_SECONDS,
                )
            return await answered
        finally:
            self._queue.drop(key)

    def _ask(
        self,
        key: DecisionKey,
        update: play_pb2.SeatUpdate,
        take: Callable[[play_pb2.Answer], object],
        give_up: Callable[[], object],
        *,
        live: bool = True,
    ) -> None:
        raw = update.SerializeToString()
        self._queue.add(key, PendingDecision(take, give_up, len(raw).to_bytes(4, "big") + raw, live))
        self._wake.set()

    async def _one_worker(self) -> None:
        """Runs one worker until it ends, which is a fault."""
        ahead, self._ahead = self._ahead, None
        process, line = ahead or await started()
        with line:
            try:
                reader, writer = await asyncio.open_unix_connection(sock=line)
                works = [spawn(self._write(writer)), spawn(self._read(reader))]
                try:
                    done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
                    for work in done:
                        work.result()
                finally:
                    writer.transport.abort()
                    await cancel(*works)
            finally:
                process.kill()
                status = await asyncio.to_thread(process.wait)
                log.debug("the house bots' process has ended with status %s", status)

    async def _write(self, pipe: asyncio.StreamWriter) -> None:
        while True:
            for frame in self._queue.send(time.monotonic()):
                if pipe.is_closing():
                    raise _WorkerEnded("its input is closed")
                pipe.write(frame)
            await pipe.drain()
            self._wake.clear()
            if not self._queue.ready:
                await self._wake.wait()

    async def _read(self, pipe: asyncio.StreamReader) -> None:
        while True:
            try:
                async with asyncio.timeout(_POLL_SECONDS):
                    size = await pipe.readexactly(4)
            except TimeoutError:
                self._check_stuck()
                continue
            except asyncio.IncompleteReadError:
                raise _WorkerEnded("its output ended") from None
            try:
                raw = await pipe.readexactly(int.from_bytes(size, "big"))
            except asyncio.IncompleteReadError:
                raise _WorkerEnded("its output ended within an answer") from None
            self._answered(play_pb2.Answer.FromString(raw))

    def _check_stuck(self) -> None:
        """Gives up a decision that lasts for ever, and leaves it to its clock. Raises `_WorkerEnded`."""
        key = self._queue.stuck(time.monotonic(), _ANSWER_TIMEOUT_SECONDS)
        if key is not None:
            if (decision := self._queue.drop(key)) is not None:
                decision.give_up()
            raise _WorkerEnded(f"no answer to decision {key[2]} of match {key[0]} in {_ANSWER_TIMEOUT_SECONDS:g} s")

    def _answered(self, answer: play_pb2.Answer) -> None:
        self.answers += 1
        decision = self._queue.answered(time.monotonic())
        if decision is not None:  # otherwise the decision was closed in the meantime
            decision.take(answer)
        if self._queue.ready:
            self._wake.set()


def _leave_to_its_clock() -> None:
    """Leaves an unanswered live decision to its clock."""


def _submit(session: Session, seat: int, answer: play_pb2.Answer) -> None:
    session.submit(proposals.answer(seat, answer, time.monotonic()), partial(_on_reply, session, seat, answer))


def _on_reply(session: Session, seat: int, answer: play_pb2.Answer, refused: Refused | None) -> None:
    if refused is not None and refused.reason == errors_pb2.REASON_INTERNAL:
        _submit(session, seat, answer)  # the match rests, and then takes it up
    elif refused is not None:
        level = logging.ERROR if refused.reason in _WRONG else logging.DEBUG
        log.log(level, "a house bot's answer in match %s was refused: %s", answer.match_id, refused)


def _new_update() -> tuple[play_pb2.SeatUpdate, play_pb2.SeatUpdate]:
    update = play_pb2.SeatUpdate()
    return update, update
