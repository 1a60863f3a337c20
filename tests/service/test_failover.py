"""A failover to a Redis replica that was behind: it may lose moves, and then their seats are told, on whatever way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fudaba.v1 import play_pb2
from fudaba_service.store import match_keys
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import PATIENT, Organiser, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.rewinds import AT_ONCE, Seat, both_know_the_record


class Setting(NamedTuple):
    """A service that reaches Redis by an address that leads to whichever is the primary, and a match in progress."""

    organiser: Organiser
    address: Proxy
    link: Proxy
    primary: RedisServer
    replica: RedisServer
    seats: list[Seat]

    def length(self, redis: RedisServer) -> int:
        """Returns how long the match's log is there."""
        with redis.client() as client:
            view: Any = client
            return int(view.llen(match_keys(self.seats[0].journal.match_id).log))

    async def in_step(self) -> None:
        """Returns when the replica has all that the primary has; from then on it gets no more."""
        await until(lambda: self.length(self.replica) == self.length(self.primary) > 0, "the replica")
        self.link.freeze()

    async def fail_over(self) -> None:
        """The primary dies; the replica, which does not have its last moments, takes its place."""
        assert self.length(self.replica) < self.length(self.primary)
        self.primary.kill()
        with self.replica.client() as client:
            client.replicaof("NO", "ONE")
        self.address.switch(self.replica.port)

    def watching(self, seat: Seat, **seen: int) -> Any:
        request = play_pb2.WatchSeatRequest(match_id=seat.journal.match_id, delivery=AT_ONCE, **seen)
        return self.organiser.play.WatchSeat(request, metadata=bearer(seat.entrant.token))

    def submitting(self, seat: Seat, decision_id: str) -> Any:
        answer = play_pb2.Answer(match_id=seat.journal.match_id, decision_id=decision_id, index=0)
        request = play_pb2.SubmitMoveRequest(answer=answer)
        return self.organiser.play.SubmitMove(request, metadata=bearer(seat.entrant.token))


@pytest.fixture
async def setting(folder: Path) -> AsyncIterator[Setting]:
    async with contextlib.AsyncExitStack() as stack:
        servers = []
        for name in ("primary", "replica"):
            place = folder / name
            place.mkdir()
            options = ["--appendfsync", "always", "--repl-diskless-sync-delay", "0"]
            servers.append(stack.enter_context(RedisServer(place, *options, name=name)).start())
        primary, replica = servers
        address = await stack.enter_async_context(Proxy(primary.port).run())
        link = await stack.enter_async_context(Proxy(primary.port).run())
        with replica.client() as client:
            client.replicaof("127.0.0.1", str(link.port))
        service = stack.enter_context(Service(folder, "--redis", f"redis://127.0.0.1:{address.port}/0"))
        stack.callback(lambda: assert_no_fault(service))
        await asyncio.to_thread(service.start)
        organiser = await stack.enter_async_context(Organiser(service.address, service.token))
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants, clock=PATIENT)
        seats = [Seat(service.address, entrant, match_id) for entrant in entrants]
        for seat in seats:
            stack.push_async_callback(seat.leave)
            await seat.connect()
        yield Setting(organiser, address, link, primary, replica, seats)


async def rewound(watch: Any) -> play_pb2.SeatUpdate:
    """Returns the update of a call that says that the match was put back."""
    update = play_pb2.SeatUpdate()
    while not update.rewound:
        update = (await watch.read()).update
    return update


async def next_after(seat: Seat, before: play_pb2.Decision) -> play_pb2.Decision:
    """Returns the decision that comes after this one."""
    while seat.due is None or seat.due.decision_id == before.decision_id:
        await seat.hear()
    return seat.due


async def told_of_it(seat: Seat) -> None:
    """Returns when a seat whose stream has gone on knows that the match was put back."""
    while not seat.journal.rewinds:
        await seat.hear()


async def test_both_seats_are_told_on_their_streams_and_play_on(setting: Setting) -> None:
    seat, other = setting.seats
    await other.decide()
    await setting.in_step()
    lost = await other.decide(3)
    watch = setting.watching(other)
    await watch.read()
    await setting.fail_over()
    while not other.journal.rewinds:
        await other.hear()
    assert lost.decision_id not in other.journal.accepted
    update = await rewound(watch)
    assert update.decision.decision_id == lost.decision_id, "it is put again"
    watch.cancel()
    record = await both_know_the_record(setting.organiser, [seat, other])
    assert not record.end.HasField("forfeited_seat")


async def test_a_seat_that_was_away_is_told_when_it_comes_back(setting: Setting) -> None:
    seat, other = setting.seats
    while other.due is None:
        await other.hear()
    await setting.in_step()
    first = await other.decide()
    journal = other.journal
    await next_after(other, first)
    await other.leave()
    await setting.fail_over()
    update = await rewound(setting.watching(other, seen=journal.seen, history=journal.history))
    assert update.seen < journal.seen
    await other.connect()
    assert (await other.hear()).rewound
    await told_of_it(seat)
    await both_know_the_record(setting.organiser, [seat, other])


async def test_a_caller_is_refused_what_is_lost_and_told_so_when_it_looks_at_its_seat(setting: Setting) -> None:
    seat, other = setting.seats
    while other.due is None:
        await other.hear()
    first = other.due
    await setting.in_step()
    await setting.submitting(other, first.decision_id)
    second = await next_after(other, first)
    journal = other.journal
    await other.leave()
    await setting.fail_over()
    again = setting.submitting(other, second.decision_id)
    await refused(again, "NOT_YOUR_DECISION", "rolled back")
    update = await rewound(setting.watching(other, seen=journal.seen, history=journal.history))
    assert update.decision.decision_id == first.decision_id
    assert not (await setting.submitting(other, first.decision_id)).repeated_call
    await other.connect()
    await told_of_it(seat)
    await both_know_the_record(setting.organiser, [seat, other])
