"""The stream of a bot's process: receives its answers and sends its updates."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any, Final, final

from grpc import aio

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_service.accounts.owner import Owner
from fudaba_service.accounts.tokens import until_expired
from fudaba_service.api.answers import check_batch, price
from fudaba_service.api.guard import Context, first_of
from fudaba_service.api.hello import read_hello
from fudaba_service.api.outbox import Outbox
from fudaba_service.api.paying import StreamPayer
from fudaba_service.api.strays import Strays
from fudaba_service.api.told_ends import MAX_ENDED_MATCHES, ToldEnds
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.absences import Wait
from fudaba_service.sessions.followers import Delivery, SeatFollower, end_of
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.replays import Payer
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.time_spent import Moment
from fudaba_service.store import Opening, retry_until_answered
from fudaba_serving.grpc.client_errors import CallerGone
from fudaba_serving.grpc.rate_limit import Callers
from fudaba_serving.grpc.requests import TooLarge
from fudaba_serving.process.tasks import cancel, spawn

__all__ = ["PlayStream"]

log = logging.getLogger(__name__)

_LAST_PONG_SECONDS: Final = 5.0
"""The time for which a match token's stream waits at its end for the pong that shows that the message arrived."""
_BYTES_PER_MESSAGE: Final = 1024
"""The bytes of an oversized message that cost as much as a message."""
_MAX_OUTBOX_MESSAGES: Final = 20_000
_MAX_ANSWERS_WAITING: Final = 1_000
"""The number of answers that may wait for storage, besides one in each match."""
_NOTHING: Final = (
    "PlayRequest.message is not set, or cannot be read, for example since a text in it is not UTF-8; "
    "set answer, answers, resign or pong"
)
_NO_MATCH: Final = "answer number {} of the message names no match, or cannot be read; the others count"
_VERSION: Final = version("fudaba")
_UNSEEN: Final = play_pb2.Seen()


@final
class PlayStream:
    """A bot process: reads its answers, writes its updates. It is a `BotStream`."""

    def __init__(
        self,
        host: Host,
        owner: Owner,
        context: Context,
        recheck: Callable[[], Awaitable[object]],
        callers: Callers,
        identified: Wait,
        opening: Opening,
    ) -> None:
        """`identified` is the wait for the owner of its token."""
        self.recheck = recheck
        self._identified = identified
        self._greeted: Moment | None = None
        self._callers = callers
        self._credit = callers.messages(owner.payer)
        self.payer: Payer = StreamPayer(callers, self._credit)
        self.player = owner.player
        self.opening = opening
        self.stream_id = ""
        """The stream's id. Of two streams of a bot, the one with the greater id stays, on whatever replica it is."""
        self.owner = owner
        self.capacity, self.paused, self.pause_changes = 0, False, 0
        self.waiting: set[str] = set()
        """The matches of the bot that wait until it has room for them."""
        self._pausing = asyncio.Lock()
        self._host = host
        self._context = context
        self._delivery = Delivery(play_pb2.Delivery())
        self._seen: dict[str, play_pb2.Seen] = {}
        self._seats: dict[str, tuple[Session, SeatFollower]] = {}
        # The matches whose end the bot was sent. A match may go on if the store loses a tail of it.
        self._over: OrderedDict[str, SeatFollower] = OrderedDict()
        # Bots with match tokens run on an arena's machine: its network is not theirs.
        credited = not owner.match_id and not context.peer().startswith("unix:")
        self._told_ends = ToldEnds(self._ping, credited=credited)
        self._outbox = Outbox()
        self._ended: asyncio.Future[Refused] = asyncio.get_running_loop().create_future()
        self._stopped = False
        self._waiting = 0
        self._strays = Strays(host, self, self._refuse)

    async def run(self) -> None:
        """Plays until the stream ends. Raises `Refused` if the service ends it."""
        with self._host.roster.coming(self):
            await first_of(self._greet(), self._ended)
        welcome = play_pb2.Welcome(
            bot=self.owner.bot,
            version=self.owner.version,
            service_version=_VERSION,
            batches=True,
            # The match of a match token has been created: maintenance does not concern it.
            notice="" if self.owner.match_id else self._host.maintenance.line(),
        )
        self._put(play_pb2.PlayResponse(welcome=welcome))
        writer = spawn(self._write())
        works: list[Coroutine[Any, Any, None]] = [
            self._told_ends.keep_pinging(),
            self._attach(),
            self._strays.sort(),
            self._read(),
        ]
        if self.owner.expire_ms:
            works.append(until_expired(self._host.store, self.owner))
        others: list[asyncio.Task[None]] = [spawn(work) for work in works]
        try:
            waiting: set[asyncio.Future[Any]] = {writer, *others, self._ended}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self._ended.done():
                raise self._ended.result()
            for task in others:
                if task.done():
                    task.result()
            if writer.done() and not self._context.cancelled():
                with contextlib.suppress(CallerGone):
                    writer.result()
        finally:
            self._host.roster.detach(self)
            for session, follower in self._seats.values():
                session.audience.unfollow(follower)
            for match_id, follower in self._over.items():
                held = self._host.live.held(match_id)
                if held is not None:
                    held.audience.unfollow(follower)
            self._stopped = True
            self._outbox.clear()
            self._outbox.wake()
            await _end_tasks(writer, *others)

    async def _attach(self) -> None:
        """Takes the bot's seats while its answers are already read. Runs as long as the stream."""
        with self._host.store.turns.called():
            await self._host.roster.attach(self)
        self._strays.seated.set()
        if self.owner.match_id and not (self._seats or self._over or self._told_ends):
            self._leave()  # the bot received the end long ago
        await asyncio.shield(self._ended)

    async def seat(self, session: Session, seat: int) -> None:
        """Gives the bot a seat: the bot follows the match, and is ready."""
        if session.match_id in self._seats and self._seats[session.match_id][0] is session:
            return
        if session.match_id in self._over and self._over[session.match_id] in session.audience.followers:
            return  # the seat still follows the match, and knows the end
        waits: tuple[Wait, ...] = ()
        if self._greeted is not None and session.match_id not in self._seats and session.match_id not in self._over:
            waits = self._identified, self._host.live.delay.since(self._greeted)
        seen = self._seen.pop(session.match_id, _UNSEEN)
        follower = SeatFollower(
            seat,
            self._delivery,
            seen.seen,
            _new_update,
            partial(self._deliver, session.match_id),
            lambda: self._told_ends.pings.network,
            seen.history,
        )
        self._seats[session.match_id] = (session, follower)
        if session.copy.is_over:
            self.payer.charge(len(session.copy.replay.match.shown(seat)) - seen.seen)
        session.submit(proposals.ready(seat), lambda _: None)
        session.audience.follow(follower, waits)

    def has_seat(self, match_id: str) -> bool:
        """Returns whether it has a seat in a match now."""
        return match_id in self._seats

    def has_end(self, match_id: str) -> bool:
        """Returns whether it had a seat in a match and has sent the match's end."""
        return match_id in self._over

    def unfinished(self) -> list[str]:
        """Returns the matches whose end it has not seen and in which it has no seat now."""
        return [match_id for match_id in self._seen if match_id not in self._seats and match_id not in self._over]

    def tell_end(self, end: bytes) -> None:
        """Sends the end of a match that was already over, unless this stream has sent it."""
        update = play_pb2.SeatUpdate.FromString(end)
        match_id = update.match_id
        if match_id in self._over or match_id in self._told_ends or match_id in self._seats:
            return
        if self.owner.match_id and (match_id, update.seat) != (self.owner.match_id, self.owner.seat):
            return
        self._put(play_pb2.PlayResponse(update=update), match_id)
        self._note_end(match_id, end)

    def _note_end(self, match_id: str, end: bytes) -> None:
        self._told_ends.add(match_id, end)
        if self.owner.match_id:
            self._host.live.call_later(_LAST_PONG_SECONDS, self._leave)

    def _leave(self) -> None:
        """Ends a match token's stream when its match is over, unless the match goes on after all."""
        if not self._seats:
            over = f"match {self.owner.match_id} is over, and your token was for that one alone"
            self.end(Refused(errors_pb2.REASON_MATCH_OVER, over))

    def end(self, refused: Refused) -> None:
        """Ends the stream with a reason."""
        if not self._ended.done():
            self._ended.set_result(refused)

    async def _greet(self) -> None:
        hello = await read_hello(self._context, self.opening)
        self._greeted = self._host.live.delay.now()
        self._delivery = hello.delivery
        self._seen = hello.seen
        self._outbox.batches = hello.batches
        self.capacity = 0 if self.owner.match_id else hello.capacity
        self.opening = hello.opening
        self._credit.left -= len(hello.seen)

    async def _read(self) -> None:
        context, credit = self._context, self._credit
        while (message := await context.read()) is not aio.EOF:
            kind = None if isinstance(message, TooLarge) else message.WhichOneof("message")
            credit.left -= 1.0 if kind != "answers" else price(message.answers)
            if credit.left < 0.0:
                # Until that is over nothing is read, and so no more can be sent than what is on its way.
                await self._callers.slow(credit)
            if kind == "answer":
                self._answer(message.answer, time.monotonic())
            elif kind == "answers":
                await self._answer_all(message.answers)
            elif kind == "pong":
                self._pong(message.pong.id)
            elif kind == "resign":
                self._resign(message.resign)
            elif kind in {"pause", "resume"} and not self.owner.match_id:
                self._host.tasks.spawn(self._pause(paused=kind == "pause"))
            elif kind == "hello":
                raise Refused.malformed("hello comes only once, as the first message")
            elif isinstance(message, TooLarge):
                self._too_large(message)
            else:
                self._refuse("", "", Refused.malformed(_NOTHING))
        await self._strays.join()

    async def _pause(self, *, paused: bool) -> None:
        """Notes that the bot wants no more matches, or wants them again."""
        async with self._pausing:  # in the order in which it said so
            await retry_until_answered(lambda: self._host.roster.pause(self.player, paused=paused))

    def _too_large(self, large: TooLarge) -> None:
        """Refuses a message for its size, and names the decision that it answers. It costs as much as a call."""
        self._credit.left -= large.size / _BYTES_PER_MESSAGE
        answer: play_pb2.Answer = large.message.answer
        found = self._seats.get(answer.match_id)
        if found is not None:
            self._refuse_answer(found[0], found[1].seat, answer, large.refusal())
        else:
            self._refuse(answer.match_id, answer.decision_id, large.refusal())

    async def _answer_all(self, batch: play_pb2.Answers) -> None:
        """Handles a batch: each answer as if it came alone, several in one turn of the event loop."""
        received = time.monotonic()
        try:
            check_batch(batch)
        except Refused as refused:
            self._refuse("", "", refused)
            return
        turns, judged = self._host.store.turns, 0
        for number, answer in enumerate(batch.answers, 1):
            if judged >= turns.step:
                judged = 0
                await asyncio.sleep(0)
            judged += 1
            if answer.match_id:
                self._answer(answer, received)
            else:
                self._refuse("", answer.decision_id, Refused.malformed(_NO_MATCH.format(number)))

    def _answer(self, answer: play_pb2.Answer, received: float) -> None:
        found = self._seats.get(answer.match_id)
        if found is None:
            self._strays.add(answer.match_id, answer.decision_id, partial(self._answer, answer, received))
            return
        session, follower = found
        most = _MAX_ANSWERS_WAITING + len(self._seats)
        if self._waiting >= most:
            message = f"{most} answers wait to be stored; send one answer to each decision"
            self._refuse_answer(session, follower.seat, answer, Refused(errors_pb2.REASON_TOO_FAST, message))
            return
        self._waiting += 1
        session.submit(
            proposals.answer(follower.seat, answer, received),
            lambda refused: self._replied(session, follower.seat, answer, refused),
        )

    def _resign(self, resign: play_pb2.Resign) -> None:
        found = self._seats.get(resign.match_id)
        if found is None:
            self._strays.add(resign.match_id, "", partial(self._resign, resign))
            return
        session, follower = found

        def reply(refused: Refused | None) -> None:
            if refused is not None:
                self._refuse(resign.match_id, "", refused)

        session.submit(proposals.resign(follower.seat), reply)

    def _replied(self, session: Session, seat: int, answer: play_pb2.Answer, refused: Refused | None) -> None:
        self._waiting -= 1
        if refused is not None:
            self._refuse_answer(session, seat, answer, refused)

    def _refuse_answer(self, session: Session, seat: int, answer: play_pb2.Answer, refused: Refused) -> None:
        decision = session.copy.replay.match.open(seat)
        still_open = decision is not None and decision.id == answer.decision_id
        self._refuse(answer.match_id, answer.decision_id, refused, still_open=still_open)

    def _refuse(self, match_id: str, decision_id: str, refused: Refused, *, still_open: bool = False) -> None:
        self._host.metrics.refusals.labels(refused.name).inc()
        refusal = refused.message(match_id[:80], decision_id[:80], still_open=still_open)
        self._put(play_pb2.PlayResponse(refusal=refusal))

    def _deliver(self, match_id: str, message: Any, decision_id: str, over: bool) -> None:
        self._put(message, match_id, decision_id)
        if over:
            taken = self._seats.pop(match_id, None)
            if taken is not None:
                self._over[match_id] = taken[1]
                self._host.roster.over(self, match_id)
                self._note_end(match_id, end_of(match_id, taken[1].seat, message.update.over))
                if len(self._over) > MAX_ENDED_MATCHES:
                    self._over.popitem(last=False)
        elif match_id in self._over:
            self._seat_again(match_id)

    def _seat_again(self, match_id: str) -> None:
        """Notes that a match goes on whose end the bot has received, since the store lost a tail of it."""
        follower = self._over.pop(match_id)
        session = self._host.live.held(match_id)
        if session is not None:
            self._seats[match_id] = (session, follower)

    def _put(self, message: Any, match_id: str = "", decision_id: str = "") -> None:
        self._outbox.put(message, match_id, decision_id)
        if len(self._outbox) > _MAX_OUTBOX_MESSAGES and not self._ended.done():
            log.warning("%s does not read its stream, which is ended", self.player)
            self.end(Refused(errors_pb2.REASON_NOT_READING, "the stream does not read its messages; connect again"))

    async def _write(self) -> None:
        outbox, context = self._outbox, self._context
        while not self._stopped:
            if not outbox:
                await outbox.filled()
                continue
            message, puts = outbox.take()
            self._credit.earn(len(puts))
            await context.write(message)
            self._written(puts)

    def _written(self, puts: Sequence[tuple[str, str]]) -> None:
        """Starts the clocks of decisions that went out in one message."""
        moment = self._host.live.delay.moment()
        for match_id, decision_id in puts:
            found = self._seats.get(match_id)
            if found is not None:
                found[0].copy.clocks.sent(found[1].seat, decision_id, moment)

    def _ping(self, number: int) -> None:
        self._put(play_pb2.PlayResponse(ping=play_pb2.Ping(id=number)))

    def _pong(self, number: int) -> None:
        read = self._told_ends.pong(number)
        if read:
            self._host.tasks.spawn(self._host.roster.was_told(self.player, read))
            if self.owner.match_id:
                self._leave()


async def _end_tasks(writer: asyncio.Task[None], *others: asyncio.Task[None]) -> None:
    """Ends a stream's tasks. A write in progress must finish before a status can be sent."""
    await cancel(*others)
    try:
        await asyncio.wait((writer,))
    finally:
        await cancel(writer)


def _new_update() -> tuple[play_pb2.PlayResponse, play_pb2.SeatUpdate]:
    message = play_pb2.PlayResponse()
    return message, message.update
