"""Bots over the bare contract, good ones and bad ones, that write down everything they are told."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Self

import grpc
from grpc import aio
from grpc_status import rpc_status

from fudaba.v1 import errors_pb2, play_pb2, play_pb2_grpc
from tests.support.patience import PATIENCE
from tests.support.service.journal import Journal

CHANNEL: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # how long one attempt may take
    ("grpc.max_reconnect_backoff_ms", 300),
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
)
# INTERNAL without a reason is grpc.aio's own: it has written to a stream that had ended, and so lost its status.
_AGAIN: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INTERNAL})


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Returns the metadata of a call with this token."""
    return (("authorization", f"Bearer {token}"),)


def reason_of(error: Any) -> str:
    """Returns the reason of a refused call, without its prefix; empty when the service gave none."""
    from google.rpc import error_details_pb2

    status = rpc_status.from_call(error)
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "fudaba"
            errors_pb2.Reason.Value(f"REASON_{info.reason}")
            return str(info.reason)
    return ""


async def messages(call: Any) -> AsyncIterator[Any]:
    """Yields the messages of a call that may have been read from already. Raises AioRpcError when it ends badly."""
    while (message := await call.read()) is not aio.EOF:
        yield message
    await raise_ending(call)


async def check_ended(call: Any) -> aio.AioRpcError:
    """Returns how a call ends that must end badly; what it says before that is skipped."""
    try:
        async for _ in messages(call):
            pass
    except aio.AioRpcError as error:
        return error
    raise AssertionError("the call ended well")


async def raise_ending(call: Any) -> None:
    """Raises AioRpcError unless a call has ended well."""
    code, details = await call.code(), await call.details()
    if code != grpc.StatusCode.OK:
        raise aio.AioRpcError(code, await call.initial_metadata(), await call.trailing_metadata(), details)


Choose = Callable[["Bot", Journal, play_pb2.Decision], Awaitable[None]]
"""Answers a decision, or does whatever this bot does instead."""


class Vanished(Exception):
    """The bot has ended its own stream."""


class Stream:
    """One Play stream, by hand."""

    def __init__(self, address: str, token: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        if credentials is None:
            self.channel = aio.insecure_channel(address, options=CHANNEL)
        else:
            self.channel = aio.secure_channel(address, credentials, options=CHANNEL)
        self.call: Any = play_pb2_grpc.PlayServiceStub(self.channel).Play(metadata=bearer(token) if token else ())
        self.pongs = True
        self.pong_delay = 0.0
        """For how many seconds each pong is held back."""
        self.batches: list[int] = []
        """How many updates came with each batch."""
        self._unread: deque[play_pb2.SeatUpdate] = deque()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.call.cancel()
        await self.channel.close()

    async def send(self, **message: Any) -> None:
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):  # it has ended; the next read says why
            await self.call.write(play_pb2.PlayRequest(**message))

    async def hello(self, **hello: Any) -> play_pb2.Welcome:
        """Introduces the bot; the service's welcome."""
        await self.send(hello=play_pb2.Hello(**hello))
        first = await self.receive()
        assert first.WhichOneof("message") == "welcome"
        return first.welcome

    async def receive(self, seconds: float = PATIENCE) -> play_pb2.PlayResponse:
        """Returns the next message that is not a ping, or update of a batch.

        Raises AioRpcError when the stream has ended.
        """
        if self._unread:
            return play_pb2.PlayResponse(update=self._unread.popleft())
        # Pings alone go on for ever: the time is for all of them.
        async with asyncio.timeout(seconds):
            while (message := await self.call.read()) is not aio.EOF:
                if message.WhichOneof("message") == "updates":
                    self._unread.extend(message.updates.updates)
                    self.batches.append(len(self._unread))
                    return play_pb2.PlayResponse(update=self._unread.popleft())
                if message.WhichOneof("message") != "ping":
                    return message  # type: ignore[no-any-return]
                if self.pongs:
                    await asyncio.sleep(self.pong_delay)
                    await self.send(pong=play_pb2.Pong(id=message.ping.id))
            await raise_ending(self.call)
        raise AssertionError("the stream ended well, which only its client can bring about")

    async def update(self) -> play_pb2.SeatUpdate:
        """Returns the next message, which must be news of a match."""
        message = await self.receive()
        assert message.WhichOneof("message") == "update", message
        return message.update

    async def decision(self) -> play_pb2.SeatUpdate:
        """Returns the next update with a decision."""
        while True:
            update = await self.update()
            if update.HasField("decision"):
                return update

    async def refusal(self) -> play_pb2.Refusal:
        """Returns the next refusal; updates before it are skipped."""
        while True:
            message = await self.receive()
            if message.WhichOneof("message") == "refusal":
                return message.refusal

    async def over(self) -> play_pb2.SeatUpdate:
        """Returns the update that says that a match is over; others before it are skipped."""
        while True:
            update = await self.update()
            if update.HasField("over"):
                return update

    async def answer(self, match_id: str, decision_id: str, **choice: Any) -> None:
        await self.send(answer=play_pb2.Answer(match_id=match_id, decision_id=decision_id, **choice))

    async def answer_all(self, *answers: play_pb2.Answer) -> None:
        """Sends a batch."""
        await self.send(answers=play_pb2.Answers(answers=answers))

    async def ending(self) -> grpc.RpcError:
        """Returns how the stream ends; messages before that are skipped."""
        while True:
            try:
                await self.receive()
            except aio.AioRpcError as error:
                return error

    async def quiet(self, seconds: float = 0.3) -> bool:
        """Returns whether nothing comes for this long. The stream is of no use afterwards."""
        try:
            await self.receive(seconds)
        except TimeoutError:
            return True
        return False


class Bot:
    """A bot that plays every match it is given, connects again when the stream breaks, and keeps journals."""

    def __init__(
        self,
        addresses: str | list[str],
        token: str,
        choose: Choose,
        *,
        delivery: play_pb2.Delivery | None = None,
        chance: int = 0,
    ) -> None:
        self.addresses = [addresses] if isinstance(addresses, str) else addresses
        self.token = token
        self.choose = choose
        self.delivery = delivery or play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT)
        self.hello: dict[str, Any] = {"batches": chance % 2 == 1}
        """What else it says in its hello."""
        self.chance = random.Random(chance)
        self.journals: dict[str, Journal] = {}
        self.connections = 0
        self.stream: Stream | None = None
        self.ended: list[str] = []
        """Why earlier streams ended."""
        self.address = ""
        """Where it is connected."""
        self._leaving = False

    async def play(self, matches: int = 1, patience: float = PATIENCE) -> Self:
        """Plays until this many matches are over."""
        async with asyncio.timeout(patience):
            while True:
                self.address = self.addresses[self.connections % len(self.addresses)]
                self.connections += 1
                async with Stream(self.address, self.token) as self.stream:
                    try:
                        if await self._play(self.stream, matches):
                            return self
                    except aio.AioRpcError as error:
                        reason = reason_of(error)
                        self.ended.append(reason or error.code().name)
                        if error.code() not in _AGAIN:
                            raise
                    except Vanished:
                        self.ended.append("VANISHED")
                    except asyncio.CancelledError:
                        if not self._leaving:
                            raise
                        self._leaving = False
                        self.ended.append("LEFT")
                await asyncio.sleep(0.1)

    def leave(self) -> None:
        """Gives the connection up, and makes another one."""
        assert self.stream is not None
        self._leaving = True
        self.stream.call.cancel()

    async def _play(self, stream: Stream, matches: int) -> bool:
        seen = [journal.so_far for journal in self.journals.values() if journal.over is None]
        await stream.hello(delivery=self.delivery, seen=seen, client="test", **self.hello)
        while True:
            message = await stream.receive()
            kind = message.WhichOneof("message")
            if kind == "refusal":
                self.journal(message.refusal.match_id).refusals.append(message.refusal)
                await self.refused(message.refusal)
            elif kind == "update":
                update = message.update
                journal = self.journal(update.match_id)
                journal.take(update, events=self.delivery.events != play_pb2.EVENT_DELIVERY_NEVER)
                if update.HasField("decision"):
                    await self.choose(self, journal, update.decision)
            # The end of an earlier match may be told once more, to a bot that does not know of it: without its header.
            if sum(j.over is not None and j.header is not None for j in self.journals.values()) >= matches:
                return True

    def journal(self, match_id: str) -> Journal:
        return self.journals.setdefault(match_id, Journal(match_id))

    async def refused(self, refusal: play_pb2.Refusal) -> None:
        """Plays the first move after a refusal, if the decision is still open."""
        if refusal.still_open and self.stream is not None:
            await self.stream.answer(refusal.match_id, refusal.decision_id, index=0)

    async def send(self, journal: Journal, decision: play_pb2.Decision, **choice: Any) -> None:
        """Sends an answer and remembers the first one."""
        answer = play_pb2.Answer(match_id=journal.match_id, decision_id=decision.decision_id, **choice)
        journal.answers.setdefault(decision.decision_id, answer)
        journal.sent.setdefault(decision.decision_id, []).append(answer)
        assert self.stream is not None
        await self.stream.send(answer=answer)


async def play_match(*bots: Bot, matches: int = 1) -> None:
    """Plays bots until each has seen the end of this many matches."""
    await asyncio.gather(*[bot.play(matches) for bot in bots])


# --- kinds of bots


async def first(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Plays the default move."""
    await bot.send(journal, decision, index=0)


async def by_chance(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Plays any legal move, in any of the three forms that it can."""
    index = bot.chance.randrange(decision.legal_count)
    if decision.legal_moves:
        await bot.send(journal, decision, move=decision.legal_moves[index])
    elif decision.legal_texts:
        await bot.send(journal, decision, text=decision.legal_texts[index])
    else:
        await bot.send(journal, decision, index=index)


async def silent(_bot: Bot, _journal: Journal, _decision: play_pb2.Decision) -> None:
    """Never answers."""


async def illegal(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Answers what the rules never allow."""
    await bot.send(journal, decision, text="designate 4" if decision.legal_count < 8 else "commit D1 D2 D3 D4")


async def doubling(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Answers everything twice, the second time otherwise."""
    await bot.send(journal, decision, index=0)
    await bot.send(journal, decision, index=decision.legal_count - 1)


async def flooding(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Answers every decision, and much that nobody asked."""
    for number in range(40):
        decision_of_nobody = play_pb2.Decision(decision_id=f"9.{number}")
        await bot.send(journal, decision_of_nobody, index=0)
    await bot.send(journal, decision, index=0)


async def by_index(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
    """Plays any legal move, by its place in the list."""
    await bot.send(journal, decision, index=bot.chance.randrange(decision.legal_count))


def slow(seconds: float, then: Choose = by_chance) -> Choose:
    """Takes its time."""

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(seconds)
        await then(bot, journal, decision)

    return choose


class Gate:
    """Bots that answer while it is open, and think while it is shut."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self.thinking = 0
        """How many decisions wait for it."""

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    async def __call__(self, bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        self.thinking += 1
        await self._open.wait()
        self.thinking -= 1
        await by_chance(bot, journal, decision)


def vanishing(every: int) -> Choose:
    """Ends its stream every this many decisions, now before and now after its answer, and connects again."""

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        number = len(journal.decisions)
        assert bot.stream is not None
        if number % every == 0 and number // every % 2:
            bot.stream.call.cancel()
            raise Vanished
        await by_chance(bot, journal, decision)
        if number % every == 0:
            bot.stream.call.cancel()
            raise Vanished

    return choose
