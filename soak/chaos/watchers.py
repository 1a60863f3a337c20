"""A bot without a Play stream: WatchSeat for each of its seats, and SubmitMove for each answer, at any replica."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any, Final, final

import grpc
from grpc import aio

from fudaba.v1 import play_pb2, play_pb2_grpc
from soak.chaos.answering import Pace, answer_to, is_final
from soak.chaos.journal import Decided, SeatJournal
from soak.chaos.links import Away
from soak.chaos.players import CHANNEL
from tests.support.service.bots import bearer, reason_of

__all__ = ["Watcher"]

_CALL_TIMEOUT_SECONDS: Final = 5.0
"""The time that a call may take, in seconds."""
_FOR_GOOD: Final = frozenset(
    {"TOKEN_MISSING", "TOKEN_UNKNOWN", "BOT_ONLY", "MALFORMED", "NOT_YOUR_MATCH", "MATCH_NOT_FOUND", "MATCH_OPEN"}
)


@final
class Watcher:
    """A bot with one token."""

    def __init__(
        self, name: str, token: str, addresses: Callable[[], list[str]], delivery: play_pb2.Delivery, chance: str
    ) -> None:
        self.name = name
        self._metadata = bearer(token)
        self._addresses = addresses
        self._delivery = delivery
        self._chance = random.Random(chance)
        self._channels: dict[str, aio.Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.pace = Pace()
        self.journals: dict[str, SeatJournal] = {}
        self.aways: list[Away] = []
        self.turned_away: list[tuple[float, str]] = []

    def sit(self, match_id: str) -> None:
        """Takes up a match in which it has a seat."""
        self.journals[match_id] = SeatJournal(match_id, self.name)
        self._begin(self._watch(self.journals[match_id]))

    def look_again(self, match_id: str) -> None:
        """Asks again about a match whose end was not reported."""
        self._begin(self._watch(self.journals[match_id]))

    async def close(self) -> None:
        """Ends all its calls."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for channel in self._channels.values():
            await channel.close()

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _stub(self, replica: int) -> Any:
        address = self._addresses()[replica]
        if address not in self._channels:
            self._channels[address] = aio.insecure_channel(address, options=CHANNEL)
        return play_pb2_grpc.PlayServiceStub(self._channels[address])

    def _any_replica(self) -> int:
        return self._chance.randrange(len(self._addresses()))

    async def _watch(self, journal: SeatJournal) -> None:
        replica = self._any_replica()
        lost: tuple[int, float] | None = None
        while journal.over is None:
            request = play_pb2.WatchSeatRequest(
                match_id=journal.match_id, seen=journal.seen, history=journal.history, delivery=self._delivery
            )
            call: Any = self._stub(replica).WatchSeat(request, metadata=self._metadata)
            try:
                while (response := await call.read()) is not aio.EOF:
                    if lost is not None:
                        self.aways.append(Away(*lost, time.monotonic()))
                        lost = None
                    self._update(journal, response.update, replica)
                if journal.over is None:
                    code, details = await call.code(), await call.details()
                    raise aio.AioRpcError(code, await call.initial_metadata(), await call.trailing_metadata(), details)
            except (aio.AioRpcError, asyncio.InvalidStateError) as error:
                lost = lost or (replica, time.monotonic())
                await self._note_ending(journal, error)
            finally:
                call.cancel()
            replica = (replica + 1) % len(self._addresses())
            await asyncio.sleep(0.05)

    async def _note_ending(self, journal: SeatJournal, error: BaseException) -> None:
        if isinstance(error, aio.AioRpcError):
            reason = reason_of(error) or error.code().name
            if reason in _FOR_GOOD:
                now = time.monotonic()
                journal.note(now, f"WatchSeat refused: {reason}: {error.details()}")
                self.turned_away.append((now, f"{journal.match_id}: {reason}: {error.details()}"))
                await asyncio.sleep(0.5)

    def _update(self, journal: SeatJournal, update: play_pb2.SeatUpdate, replica: int) -> None:
        entry = journal.take(update, time.monotonic(), replica)
        if entry is not None and (entry.again or not entry.ready):
            decision = play_pb2.Decision()
            decision.CopyFrom(update.decision)
            decision.ClearField("view")
            self._begin(self._answer(journal, entry, decision))

    async def _answer(self, journal: SeatJournal, entry: Decided, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(self.pace.seconds(journal, entry.decision_id))
        replica = self._any_replica()
        while journal.open is entry and not entry.closed:
            entry.ready = entry.ready or time.monotonic()
            answer = answer_to(journal, decision, entry, self.pace)
            journal.answered(entry, answer, time.monotonic(), replica)
            try:
                response = await self._stub(replica).SubmitMove(
                    play_pb2.SubmitMoveRequest(answer=answer), metadata=self._metadata, timeout=_CALL_TIMEOUT_SECONDS
                )
            except aio.AioRpcError as error:
                if not await self._again(journal, entry, error):
                    return
            else:
                stands = response.move.SerializeToString(deterministic=True)
                channel = f"accepted by SubmitMove of replica {replica}"
                journal.accepted(entry.decision_id, time.monotonic(), channel, stands)
                return
            replica = (replica + 1) % len(self._addresses())

    @staticmethod
    async def _again(journal: SeatJournal, entry: Decided, error: aio.AioRpcError) -> bool:
        """Returns whether it is time to send the answer again."""
        reason, now = reason_of(error), time.monotonic()
        if reason == "STALE":
            journal.overtaken(entry, now)
            await asyncio.sleep(0.3)
            return True
        if reason and is_final(reason):
            journal.closed(entry.decision_id, now, f"{reason}: {error.details()}")
            return False
        code = error.code()
        if not reason and code not in {
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
            grpc.StatusCode.CANCELLED,
            grpc.StatusCode.INTERNAL,
            grpc.StatusCode.UNKNOWN,
        }:
            journal.closed(entry.decision_id, now, f"{code.name}: {error.details()}")
            return False
        journal.note(now, f"{entry.decision_id} not answered: {reason or code.name}")
        await asyncio.sleep(0.05)
        return True
