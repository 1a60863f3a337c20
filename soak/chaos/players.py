"""A bot on Play streams. It plays every match that it gets, and reconnects at once to any replica with the history that
it has seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from typing import Any, Final, final

import grpc
from grpc import aio

from fudaba.v1 import play_pb2, play_pb2_grpc
from soak.chaos.answering import Pace, answer_to, is_final
from soak.chaos.journal import Decided, SeatJournal
from soak.chaos.links import Away
from tests.support.service.bots import bearer, reason_of

__all__ = ["CHANNEL", "Player"]

CHANNEL: Final = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 3_000),
    ("grpc.max_reconnect_backoff_ms", 300),
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
)
"""The options of channels that the contract recommends."""
_WELCOME_TIMEOUT_SECONDS: Final = 3.0
"""The time for which a bot waits for its welcome before it tries another replica, in seconds."""
_FOR_GOOD: Final = frozenset(
    {"TOKEN_MISSING", "TOKEN_UNKNOWN", "BOT_ONLY", "SUPERSEDED", "MALFORMED", "NOT_YOUR_MATCH", "MATCH_NOT_FOUND"}
)
"""Reasons after which the contract forbids reconnecting. None of them is right here."""


@final
class Player:
    """A bot with one token."""

    def __init__(
        self, name: str, token: str, addresses: Callable[[], list[str]], first: int, delivery: play_pb2.Delivery,
        *, batches: bool,
    ) -> None:  # fmt: skip
        self.name = name
        self._token = token
        self._addresses = addresses
        self._next = first
        self._delivery = delivery
        self._batches = batches
        self.pace = Pace()
        self.journals: dict[str, SeatJournal] = {}
        self.aways: list[Away] = []
        self.streams = 0
        self._process = secrets.token_hex(8)
        self.turned_away: list[tuple[float, str]] = []
        """The time when a stream was ended for good, and why."""
        self._outgoing: asyncio.Queue[play_pb2.PlayRequest] | None = None
        self._replica = first
        self._puts: dict[str, play_pb2.Decision] = {}
        self._call: Any = None
        self._comes_back = False
        """Whether it has ended its stream itself, to open another one."""

    async def live(self) -> None:
        """Plays until it is cancelled."""
        lost: tuple[int, float] | None = None
        while True:
            addresses = self._addresses()
            self._replica = self._next % len(addresses)
            self._next += 1
            self.streams += 1
            async with aio.insecure_channel(addresses[self._replica], options=CHANNEL) as channel:
                call: Any = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=bearer(self._token))
                self._call, self._comes_back = call, False
                try:
                    if await self._greet(call):
                        now = time.monotonic()
                        if lost is not None:
                            self.aways.append(Away(*lost, now))
                        lost = None
                        await self._converse(call)
                except (aio.AioRpcError, asyncio.InvalidStateError, TimeoutError) as error:
                    self._ended(error)
                except asyncio.CancelledError:
                    if not self._comes_back:  # of a call that was cancelled here gRPC raises the same
                        raise
                    self._comes_back = False
                finally:
                    self._outgoing = None
                    call.cancel()
                    lost = lost or (self._replica, time.monotonic())
            await asyncio.sleep(0.02)

    def come_back(self) -> None:
        """Ends its stream, to open another one."""
        if self._call is not None:
            self._comes_back = True
            self._call.cancel()

    def journal(self, match_id: str) -> SeatJournal:
        """Returns its messages about a match."""
        if match_id not in self.journals:
            wants = self._delivery.events != play_pb2.EVENT_DELIVERY_NEVER
            self.journals[match_id] = SeatJournal(match_id, self.name, wants_events=wants)
        return self.journals[match_id]

    async def _greet(self, call: Any) -> bool:
        seen = [journal.so_far for journal in self.journals.values() if journal.over is None]
        hello = play_pb2.Hello(
            delivery=self._delivery, seen=seen, client="soak", process=self._process, attempt=self.streams,
            batches=self._batches,
        )  # fmt: skip
        async with asyncio.timeout(_WELCOME_TIMEOUT_SECONDS):
            await call.write(play_pb2.PlayRequest(hello=hello))
            first = await call.read()
        if first is aio.EOF:
            await _raise_ending(call)
            return False
        return bool(first.WhichOneof("message") == "welcome")

    async def _converse(self, call: Any) -> None:
        self._outgoing = asyncio.Queue()
        writer = asyncio.create_task(self._write(call, self._outgoing))
        try:
            while (message := await call.read()) is not aio.EOF:
                kind = message.WhichOneof("message")
                if kind == "update":
                    self._update(message.update)
                elif kind == "updates":
                    for update in message.updates.updates:
                        self._update(update)
                elif kind == "ping":
                    self._outgoing.put_nowait(play_pb2.PlayRequest(pong=play_pb2.Pong(id=message.ping.id)))
                elif kind == "refusal":
                    self._refused(message.refusal)
            await _raise_ending(call)
        finally:
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer

    async def _write(self, call: Any, outgoing: asyncio.Queue[play_pb2.PlayRequest]) -> None:
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):  # it has ended; reading says why
            while True:
                request = await outgoing.get()
                if self._batches and request.HasField("answer"):
                    request = _with_more(request, outgoing)
                await call.write(request)

    def _update(self, update: play_pb2.SeatUpdate) -> None:
        now = time.monotonic()
        journal = self.journal(update.match_id)
        entry = journal.take(update, now, self._replica)
        if entry is not None:
            decision = play_pb2.Decision()
            decision.CopyFrom(update.decision)
            decision.ClearField("view")
            self._puts[update.match_id] = decision
            # Put again, it was thought about already.
            wait = 0.0 if entry.ready else self.pace.seconds(journal, entry.decision_id)
            asyncio.get_running_loop().call_later(wait, self._answer, journal, entry, decision)
        if update.HasField("over"):
            self._puts.pop(update.match_id, None)

    def _answer(self, journal: SeatJournal, entry: Decided, decision: play_pb2.Decision) -> None:
        if journal.open is not entry or entry.closed:
            return
        now = time.monotonic()
        entry.ready = entry.ready or now
        if self._outgoing is None:
            return  # the decision comes again with the next stream
        answer = answer_to(journal, decision, entry, self.pace)
        journal.answered(entry, answer, now, self._replica)
        self._outgoing.put_nowait(play_pb2.PlayRequest(answer=answer))

    def _refused(self, refusal: play_pb2.Refusal) -> None:
        now = time.monotonic()
        journal = self.journal(refusal.match_id)
        entry, decision = journal.latest(refusal.decision_id), self._puts.get(refusal.match_id)
        current = entry is not None and decision is not None and decision.decision_id == refusal.decision_id
        if refusal.reason == "STALE" and current and entry is not None and decision is not None:
            # Somebody was faster. Usually a newer decision is on its way.
            journal.overtaken(entry, now)
            asyncio.get_running_loop().call_later(0.3, self._answer, journal, entry, decision)
        elif not is_final(refusal.reason) and current and entry is not None and decision is not None:
            journal.note(now, f"{refusal.decision_id} refused for now: {refusal.reason} {refusal.message}")
            asyncio.get_running_loop().call_later(0.05, self._answer, journal, entry, decision)
        elif refusal.reason != "STALE":
            journal.closed(refusal.decision_id, now, f"{refusal.reason}: {refusal.message}")

    def _ended(self, error: BaseException) -> None:
        if isinstance(error, aio.AioRpcError):
            reason = reason_of(error) or error.code().name
            if reason in _FOR_GOOD or error.code() in {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT}:
                self.turned_away.append((time.monotonic(), f"{reason}: {error.details()}"))


def _with_more(first: play_pb2.PlayRequest, outgoing: asyncio.Queue[play_pb2.PlayRequest]) -> play_pb2.PlayRequest:
    """Returns an answer in one message with the answers that wait behind it.

    Other messages go last, since nothing depends on them.
    """
    answers, others = [first.answer], []
    while not outgoing.empty():
        request = outgoing.get_nowait()
        if request.HasField("answer"):
            answers.append(request.answer)
        else:
            others.append(request)
    for request in others:
        outgoing.put_nowait(request)
    return play_pb2.PlayRequest(answers=play_pb2.Answers(answers=answers))


async def _raise_ending(call: Any) -> None:
    code = await call.code()
    raise aio.AioRpcError(code, await call.initial_metadata(), await call.trailing_metadata(), await call.details())
