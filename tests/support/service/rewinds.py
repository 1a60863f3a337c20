"""Matches played by the log: a seat, what it has seen, and what the service forgets."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from fudaba.v1 import play_pb2, record_pb2
from fudaba_service.store import match_keys
from tests.support.service.bots import Stream
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service

AT_ONCE = play_pb2.Delivery(acknowledge=True, events=play_pb2.EVENT_DELIVERY_AT_ONCE)


class Seat:
    """A seat that is played by hand, over any number of streams."""

    def __init__(self, address: str, entrant: Entrant, match_id: str) -> None:
        self.address = address
        self.entrant = entrant
        self.journal = Journal(match_id)
        self.stream: Stream | None = None
        self.seated = False

    async def connect(self) -> None:
        await self.leave()
        self.seated = False
        self.stream = Stream(self.address, self.entrant.token)
        await self.stream.hello(delivery=AT_ONCE, seen=[self.journal.so_far] if self.journal.seen else [])

    async def leave(self) -> None:
        if self.stream is not None:
            await self.stream.__aexit__()
            self.stream = None

    async def hear(self) -> play_pb2.SeatUpdate:
        """Returns the next update. Refusals before it are written down."""
        assert self.stream is not None
        while (message := await self.stream.receive()).WhichOneof("message") == "refusal":
            self.journal.refusals.append(message.refusal)
        again = message.update.decision.decision_id
        if again in self.journal.accepted:
            self.journal.accepted.remove(again)  # the answer was lost: it is put again
        self.journal.take(message.update)
        self.seated = True
        return message.update

    @property
    def due(self) -> play_pb2.Decision | None:
        """The decision that waits for an answer."""
        decisions = self.journal.decisions if self.seated else []
        return decisions[-1] if decisions and decisions[-1].decision_id not in self.journal.accepted else None

    async def answer(self, index: int = 0) -> play_pb2.Decision:
        """Answers the next decision."""
        while (decision := self.due) is None:
            await self.hear()
        assert self.stream is not None
        await self.stream.answer(self.journal.match_id, decision.decision_id, index=index)
        return decision

    async def decide(self, index: int = 0) -> play_pb2.Decision:
        """Answers the next decision, and waits until that is stored."""
        decision = await self.answer(index)
        while decision.decision_id not in self.journal.accepted:
            await self.hear()
        return decision

    async def to_the_end(self, index: int = 0) -> None:
        """Plays on; always the move of this place, if there are this many."""
        while self.journal.over is None:
            if self.due is None:
                await self.hear()
            else:
                await self.decide(min(index, self.due.legal_count - 1))


@contextlib.asynccontextmanager
async def seated(organiser: Organiser, service: Service) -> Any:
    """Yields both seats of a new match of Naga, connected."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=PATIENT)
    seats = [Seat(service.address, entrant, match_id) for entrant in entrants]
    try:
        for seat in seats:
            await seat.connect()
        yield seats
    finally:
        for seat in seats:
            await seat.leave()


def log_of(redis: RedisServer, seat: Seat) -> list[bytes]:
    with redis.client() as client:
        view: Any = client
        return list(view.lrange(match_keys(seat.journal.match_id).log, 0, -1))


def forget(redis: RedisServer, seat: Seat, length: int) -> None:
    """Cuts the match in the store down to this many entries."""
    with redis.client() as client:
        log = match_keys(seat.journal.match_id).log
        client.ltrim(log, 0, length - 1) if length else client.delete(log)


async def both_know_the_record(organiser: Organiser, seats: list[Seat]) -> record_pb2.MatchRecord:
    await asyncio.gather(*[seat.to_the_end() for seat in seats])
    record = await organiser.record(seats[0].journal.match_id)
    for number, seat in enumerate(seats):
        assert seat.journal.events == shown(record, number)
        assert seat.journal.over == record.end
        moves = {e.decision_id for e in record.log if e.seat == number and e.HasField("move")}
        assert set(seat.journal.accepted) <= moves
    return record
