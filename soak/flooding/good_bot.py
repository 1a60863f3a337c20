"""A bot that answers a decision every 80 ms, and measures how long the service takes to confirm that each answer is
stored.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from typing import Final, NamedTuple, Self, final

from fudaba.v1 import game_pb2, play_pb2, record_pb2
from tests.support.service.bots import Stream
from tests.support.service.organiser import HOUR_MS, Entrant, Organiser

_THINKING_SECONDS: Final = 0.08
_CLOCK: Final = record_pb2.Clock(move_ms=HOUR_MS, start_ms=HOUR_MS)
_DELIVERY: Final = play_pb2.Delivery(acknowledge=True, legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT)


@final
class Waits(NamedTuple):
    """The waiting times for the answers of some seconds, in milliseconds."""

    p50: float
    p99: float
    worst: float

    @classmethod
    def of_times(cls, took: list[float]) -> Self:
        """Returns the summary of some answers."""
        took = sorted(took)
        return cls(statistics.median(took), took[min(len(took) - 1, int(len(took) * 0.99))], took[-1])


@final
class GoodBot:
    """Plays matches against itself, one after another."""

    def __init__(self, organiser: Organiser) -> None:
        self._organiser = organiser
        self._waits: list[float] = []
        self._sent: dict[tuple[str, str], float] = {}
        self._playing: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        pair = [await self._organiser.entrant("good") for _ in range(2)]
        await self._new_match(pair)
        self._playing = [asyncio.ensure_future(self._play(player, pair)) for player in pair]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    async def _new_match(self, pair: list[Entrant]) -> None:
        await self._organiser.match(*pair, clock=_CLOCK, options={"deals": game_pb2.OptionValue(number=24)})

    async def _play(self, entrant: Entrant, pair: list[Entrant]) -> None:
        async with Stream(self._organiser.address, entrant.token) as stream:
            await stream.hello(delivery=_DELIVERY)
            while True:
                update = await stream.update()
                now = time.monotonic()
                for decision_id in update.accepted:
                    sent = self._sent.pop((update.match_id, decision_id), None)
                    if sent is not None:
                        self._waits.append((now - sent) * 1000)
                if update.HasField("over") and entrant is pair[0]:
                    await self._new_match(pair)
                if update.HasField("decision"):
                    await asyncio.sleep(_THINKING_SECONDS)
                    decision_id = update.decision.decision_id
                    self._sent[update.match_id, decision_id] = time.monotonic()
                    await stream.answer(update.match_id, decision_id, index=0)

    async def waits(self, seconds: float, look: Callable[[], None] = lambda: None) -> Waits:
        """Plays for that long. Returns how long its answers took, including one that was not stored by the end."""
        self._waits = []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(0.05)
            look()
            for task in self._playing:
                if task.done():
                    task.result()
        now = time.monotonic()
        took = [*self._waits, *[(now - sent) * 1000 for sent in self._sent.values()]]
        return Waits.of_times(took or [seconds * 1000])

    async def connects(self, token: str) -> float:
        """Returns the seconds until a bot with a new token gets its welcome on its own connection."""
        began = time.monotonic()
        async with Stream(self._organiser.address, token) as stream:
            await stream.hello()
        return time.monotonic() - began
