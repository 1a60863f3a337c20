"""The seats of house bots: followed like any other, answered by one worker process.

Every replica that holds a match plays its house bots; the same decision answered twice counts once, so there is nothing
to agree on. The worker is a process of its own so that no bot's thinking delays the service; it is started when it is
first needed, and again whenever it has ended.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_service.accounts.house_bots import is_house
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
"""A house bot that is refused so is at fault. Else its answer was late: the match has gone on, or was put back."""
_STUCK_SECONDS: Final = 30.0
"""A decision that takes a house bot so long takes it for ever."""
_LOOK_SECONDS: Final = 5.0
_RESTART_SECONDS: Final = 0.25
_MAX_PAUSE_SECONDS: Final = 30.0

_Key = tuple[str, int, str]
"""Match, seat, decision."""


class _WorkerEnded(Exception):
    """The worker process is gone."""


@dataclass(slots=True)
class _PendingDecision:
    """A decision that waits for the worker."""

    take: Callable[[play_pb2.Answer], object]
    """Takes the answer."""
    give_up: Callable[[], object]
    """Is called where there never will be any."""
    frame: bytes
    sent: float = 0.0
    """When it was sent to the worker, a monotonic time; 0 before."""


@final
class House:
    """The house bots of this process. `run` must be running for them to answer."""

    def __init__(self) -> None:
        self._asked: dict[_Key, _PendingDecision] = {}
        self._unsent: list[_Key] = []
        self._wake = asyncio.Event()
        self.answers = 0
        """How often the worker has answered."""

    def sit(self, session: Session) -> None:
        """Takes the seats of a match that are house bots'."""
        for seat, player in enumerate(session.copy.header.players):
            if is_house(player.bot) and not session.copy.replay.over:
                deliver = partial(self._deliver, session, seat)
                session.submit(proposals.ready(seat), lambda _: None)
                session.audience.follow(SeatFollower(seat, Delivery(_DELIVERY), 0, _new_update, deliver, lambda: 0.0))

    async def run(self) -> None:
        """Answers for ever."""
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
            for asked in self._asked.values():
                asked.sent = 0.0
            self._unsent = list(self._asked)
            if self._unsent:
                self._wake.set()
            # One that never gets as far as an answer is not started again and again without end.
            pause = _RESTART_SECONDS if self.answers > answers else min(2 * pause, _MAX_PAUSE_SECONDS)
            await asyncio.sleep(pause)

    def _deliver(self, session: Session, seat: int, update: Any, decision_id: str, _over: bool) -> None:
        """Has a decision of a house bot's seat answered. Whatever it was asked before is of no interest any more."""
        for key in [key for key in self._asked if key[:2] == (session.match_id, seat)]:
            del self._asked[key]
        if not decision_id:
            return
        update.started.CopyFrom(session.copy.header)
        self._ask((session.match_id, seat, decision_id), update, partial(_submit, session, seat), _leave_to_its_clock)

    async def think(self, update: play_pb2.SeatUpdate) -> play_pb2.Answer:
        """What a house bot answers to a decision of no live match; the default move where that takes it for ever.

        The update's `match_id` is the caller's own, and is that of no other decision.
        """
        decision_id = update.decision.decision_id
        default = play_pb2.Answer(match_id=update.match_id, decision_id=decision_id, index=0)
        answered: asyncio.Future[play_pb2.Answer] = asyncio.get_running_loop().create_future()

        def take(answer: play_pb2.Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        key = (update.match_id, update.seat, decision_id)
        self._ask(key, update, take, lambda: take(default))
        try:
            return await answered
        finally:
            self._asked.pop(key, None)

    def _ask(
        self,
        key: _Key,
        update: play_pb2.SeatUpdate,
        take: Callable[[play_pb2.Answer], object],
        give_up: Callable[[], object],
    ) -> None:
        raw = update.SerializeToString()
        self._asked[key] = _PendingDecision(take, give_up, len(raw).to_bytes(4, "big") + raw)
        self._unsent.append(key)
        self._wake.set()

    async def _one_worker(self) -> None:
        """Runs one worker until it ends, which it should not."""
        ours, its = socket.socketpair()
        with ours, its:
            # Not by the event loop: it forks, and what gRPC does in the child of a fork may end that child.
            process = await asyncio.to_thread(_start, its)
            its.close()
            reader, writer = await asyncio.open_unix_connection(sock=ours)
            works = [spawn(self._write(writer)), spawn(self._read(reader))]
            try:
                done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
                for work in done:
                    work.result()
            finally:
                await cancel(*works)
                writer.close()
                process.kill()
                status = await asyncio.to_thread(process.wait)
                log.debug("the house bots' process has ended with status %s", status)

    async def _write(self, pipe: asyncio.StreamWriter) -> None:
        while True:
            unsent, self._unsent = self._unsent, []
            for key in unsent:
                if key in self._asked:
                    if pipe.is_closing():
                        raise _WorkerEnded("its input is closed")
                    self._asked[key].sent = time.monotonic()
                    pipe.write(self._asked[key].frame)
            await pipe.drain()
            self._wake.clear()
            if not self._unsent:
                await self._wake.wait()

    async def _read(self, pipe: asyncio.StreamReader) -> None:
        while True:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
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
        """Gives up a decision that takes for ever: it is left to its clock. Raises `_WorkerEnded`."""
        sent = [(asked.sent, key) for key, asked in self._asked.items() if asked.sent]
        if sent and time.monotonic() - min(sent)[0] > _STUCK_SECONDS:
            key = min(sent)[1]
            self._asked.pop(key).give_up()
            raise _WorkerEnded(f"no answer to decision {key[2]} of match {key[0]} in {_STUCK_SECONDS:g} s")

    def _answered(self, answer: play_pb2.Answer) -> None:
        self.answers += 1
        seat = next((key[1] for key in self._asked if key[0] == answer.match_id and key[2] == answer.decision_id), None)
        if seat is None:
            return  # it has been closed in the meantime
        asked = self._asked.pop((answer.match_id, seat, answer.decision_id))
        asked.take(answer)


def _start(its: socket.socket) -> subprocess.Popen[bytes]:
    """Starts a worker at one end of a pair of sockets. It ends when the other end is closed."""
    command = (sys.executable, "-m", "fudaba_service.house.worker")
    return subprocess.Popen(command, stdin=its.fileno(), stdout=its.fileno(), start_new_session=True)


def _leave_to_its_clock() -> None:
    """A live decision that nobody answers: its time runs out."""


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
