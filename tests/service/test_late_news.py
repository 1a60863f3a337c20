"""A replica whose news from Redis are late: whoever knows more than it does is believed once the log has been read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.patience import until
from tests.support.service.bots import Stream, bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Organiser, StoreView, refused
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.rewinds import Seat, forget, log_of

ACKNOWLEDGED: Final = play_pb2.Delivery(acknowledge=True, events=play_pb2.EVENT_DELIVERY_AT_ONCE)


class Replicas(NamedTuple):
    """Two of them. The second one hears of Redis over a proxy, and a match is in both."""

    prompt: Organiser
    late: Organiser
    proxy: Proxy
    seats: list[Seat]
    """Both are connected to the first; what happens there the second is not told."""

    @property
    def match_id(self) -> str:
        return self.seats[0].journal.match_id


@pytest.fixture
async def replicas(folder: Path, redis: RedisServer) -> AsyncIterator[Replicas]:
    async with contextlib.AsyncExitStack() as stack:
        first = stack.enter_context(started(folder, redis, "one"))
        proxy = await stack.enter_async_context(Proxy(redis.port).run())
        url = f"redis://127.0.0.1:{proxy.port}/0"
        two = stack.enter_context(Service(folder, "--redis", url, name="two", data=folder / "data"))
        stack.callback(lambda: assert_no_fault(two))
        await asyncio.to_thread(two.start)
        prompt = await stack.enter_async_context(Organiser(first.address, first.token))
        late = await stack.enter_async_context(Organiser(two.address, first.token))
        entrants = await prompt.entrant(), await prompt.entrant()
        match_id = await prompt.match(*entrants, clock=PATIENT)
        seats = [Seat(first.address, entrant, match_id) for entrant in entrants]
        for seat in seats:
            await seat.connect()
            stack.push_async_callback(seat.leave)
        while seats[1].due is None:
            await seats[1].hear()
        # The second replica holds the match as it is now: a spectator has asked for it there.
        watch = late.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=late.metadata)
        stack.callback(watch.cancel)
        await watch.read()
        proxy.hold_news()
        yield Replicas(prompt, late, proxy, seats)
        proxy.release_news()


async def asked_again(seat: Seat) -> play_pb2.Decision:
    """Answers at the first replica. Returns the next decision, which only that one knows."""
    await seat.decide()
    while seat.due is None:
        await seat.hear()
    return seat.due


def watching(replicas: Replicas, seat: Seat, **seen: int) -> Any:
    """Returns a call that follows the seat at the second replica."""
    request = play_pb2.WatchSeatRequest(match_id=replicas.match_id, delivery=ACKNOWLEDGED, **seen)
    return replicas.late.play.WatchSeat(request, metadata=bearer(seat.entrant.token))


def submitting(replicas: Replicas, seat: Seat, decision_id: str, index: int = 0) -> Any:
    answer = play_pb2.Answer(match_id=replicas.match_id, decision_id=decision_id, index=index)
    request = play_pb2.SubmitMoveRequest(answer=answer)
    return replicas.late.play.SubmitMove(request, metadata=bearer(seat.entrant.token))


async def test_an_answer_to_a_decision_that_another_replica_has_put_is_taken(replicas: Replicas) -> None:
    seat = replicas.seats[1]
    decision = await asked_again(seat)
    assert not (await submitting(replicas, seat, decision.decision_id)).repeated_call
    await seat.hear()
    assert decision.decision_id in seat.journal.accepted


async def test_an_answer_after_a_loss_of_which_this_replica_has_not_heard_is_stored_and_not_called_a_repeat(
    replicas: Replicas, redis: RedisServer
) -> None:
    seat = replicas.seats[1]
    kept = log_of(redis, seat)
    decision = seat.due
    assert decision is not None
    first = await submitting(replicas, seat, decision.decision_id)
    assert (await submitting(replicas, seat, decision.decision_id)).repeated_call
    forget(redis, seat, len(kept))
    second = await submitting(replicas, seat, decision.decision_id, index=3)
    assert not second.repeated_call
    assert second.move != first.move
    assert record_pb2.LogEntry.FromString(log_of(redis, seat)[len(kept)]).move == second.move
    assert (await submitting(replicas, seat, decision.decision_id)).move == second.move


async def test_an_answer_on_a_stream_that_comes_from_another_replica_is_taken(replicas: Replicas) -> None:
    seat = replicas.seats[1]
    decision = await asked_again(seat)
    journal = seat.journal
    async with Stream(replicas.late.address, seat.entrant.token) as stream:
        # It asks for nothing and says nothing of what it saw: only its answer shows that there is more.
        await stream.hello(delivery=ACKNOWLEDGED)
        await stream.answer(journal.match_id, decision.decision_id, index=0)
        while decision.decision_id not in (update := await stream.update()).accepted:
            assert not update.rewound


async def test_an_answer_to_what_nobody_asked_is_refused_once_the_log_says_so_too(replicas: Replicas) -> None:
    seat = replicas.seats[1]
    decision = await asked_again(seat)
    forged = decision.decision_id + "f"
    await refused(submitting(replicas, seat, forged), "NOT_YOUR_DECISION", "never asked")
    await refused(submitting(replicas, seat, "0.0"), "NOT_YOUR_DECISION", "never asked")


async def test_answers_to_what_nobody_asked_have_the_log_looked_at_once_for_all_that_wait(
    replicas: Replicas, redis: RedisServer
) -> None:
    async with Stream(replicas.late.address, replicas.seats[0].entrant.token) as stream:
        await stream.hello(delivery=ACKNOWLEDGED)
        await stream.update()
        before = looks(redis)
        replicas.proxy.freeze()
        for number in range(FORGED_COUNT):
            await stream.answer(replicas.match_id, f"0.{number + 1000}.1", index=0)
        await stream.send()  # which is refused without a look: by then all the others have been read
        assert (await stream.refusal()).reason == "MALFORMED"
        replicas.proxy.thaw()
        for _ in range(FORGED_COUNT):
            assert (await stream.refusal()).reason == "NOT_YOUR_DECISION"
        # One for the first, which did not wait, and one for the others; a few more by whatever else looks meanwhile.
        assert looks(redis) <= before + FORGED_COUNT // 10


FORGED_COUNT: Final = 500


def looks(redis: RedisServer) -> int:
    """Returns how often logs were looked at, or appended to."""
    with redis.client() as client:
        stats: Any = client.info("commandstats")
        return int(stats["cmdstat_llen"]["calls"])


async def test_a_seat_that_has_seen_more_than_this_replica_knows_is_told_all_of_it_and_no_rewind(
    replicas: Replicas,
) -> None:
    seat = replicas.seats[1]
    decision = await asked_again(seat)
    journal = seat.journal
    update = (await watching(replicas, seat, seen=journal.seen, history=journal.history).read()).update
    assert not update.rewound
    assert (update.seen, update.history) == (journal.seen, journal.history)
    assert update.decision.decision_id == decision.decision_id
    await seat.leave()
    seat.address = replicas.late.address
    await seat.connect()
    update = await seat.hear()
    assert not update.rewound
    assert update.decision.decision_id == decision.decision_id


async def test_a_seat_that_says_only_how_much_it_has_seen_is_told_the_rest(replicas: Replicas) -> None:
    seat = replicas.seats[1]
    await asked_again(seat)
    update = (await watching(replicas, seat, seen=seat.journal.seen).read()).update
    assert (update.seen, update.rewound) == (seat.journal.seen, False)


async def test_a_seat_that_saw_what_the_store_has_lost_is_told_so_by_a_replica_whose_news_are_late(
    replicas: Replicas, redis: RedisServer
) -> None:
    seat = replicas.seats[1]
    kept = len(log_of(redis, seat))
    await asked_again(seat)
    journal = seat.journal
    forget(redis, seat, kept)
    update = (await watching(replicas, seat, seen=journal.seen, history=journal.history).read()).update
    assert update.rewound
    assert update.seen == len(update.events) < journal.seen
    seat.address = replicas.late.address
    await seat.connect()
    assert (await seat.hear()).rewound


async def test_a_spectator_who_has_seen_more_than_this_replica_knows_goes_on_from_there(replicas: Replicas) -> None:
    request = matches_pb2.WatchMatchRequest(match_id=replicas.match_id)
    watch = replicas.prompt.matches.WatchMatch(request)
    seen = (await watch.read()).seen
    await replicas.seats[1].decide()
    while (message := await watch.read()).seen == seen:
        pass
    request.seen = message.seen
    again = await replicas.late.matches.WatchMatch(request).read()
    assert again.seen >= message.seen
    assert not again.events


async def test_a_match_whose_end_was_told_is_over_wherever_one_asks(replicas: Replicas, redis: RedisServer) -> None:
    match_id = replicas.match_id
    request = matches_pb2.GetRecordRequest(match_id=match_id)
    await refused(replicas.late.matches.GetRecord(request), "MATCH_NOT_OVER")
    abort = matches_pb2.AbortMatchRequest(match_id=match_id)
    await replicas.prompt.matches.AbortMatch(abort, metadata=replicas.prompt.metadata)
    end = (await replicas.late.get(match_id)).end
    assert end.HasField("end_time")
    assert (await replicas.late.matches.GetRecord(request)).record.end == end
    waiting = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000)
    assert (await replicas.late.matches.AwaitMatch(waiting)).match.end == end
    journal = Journal(match_id)
    async with Stream(replicas.late.address, replicas.seats[0].entrant.token) as stream:
        await stream.hello(delivery=ACKNOWLEDGED, seen=[replicas.seats[0].journal.so_far])
        journal.take(await stream.over(), events=False)
    assert journal.over == end


async def test_a_match_that_has_ended_and_gone_is_ended_for_whoever_waits_at_a_replica_that_was_not_told(
    replicas: Replicas, redis: RedisServer
) -> None:
    match_id = replicas.match_id
    abort = matches_pb2.AbortMatchRequest(match_id=match_id)
    await replicas.prompt.matches.AbortMatch(abort, metadata=replicas.prompt.metadata)
    store = StoreView(redis.url)
    with contextlib.closing(store.client):
        await store.forgets(match_id)
    waiting = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000)
    assert (await replicas.late.matches.AwaitMatch(waiting)).match.HasField("end")


async def test_a_seat_can_be_given_up_as_soon_as_any_replica_has_begun_the_match(replicas: Replicas) -> None:
    entrants = [await replicas.prompt.entrant() for _ in range(2)]
    replicas.proxy.release_news()
    match_id = await replicas.prompt.match(*entrants, clock=PATIENT)
    watch = replicas.late.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    await watch.read()
    replicas.proxy.hold_news()
    seats = [Seat(replicas.prompt.address, entrant, match_id) for entrant in entrants]
    for seat in seats:
        await seat.connect()
    while seats[1].due is None:
        await seats[1].hear()
    request = matches_pb2.ResignMatchRequest(match_id=match_id)
    metadata = bearer(entrants[1].token)
    assert (await replicas.late.matches.ResignMatch(request, metadata=metadata)).match.end.forfeited_seat == 1
    watch.cancel()
    for seat in seats:
        await seat.leave()


async def test_an_answer_in_a_match_of_which_this_replica_has_not_heard_at_all_is_taken(replicas: Replicas) -> None:
    entrants = [await replicas.prompt.entrant() for _ in range(2)]
    async with Stream(replicas.late.address, entrants[1].token) as stream:
        await stream.hello(delivery=ACKNOWLEDGED)
        match_id = await replicas.prompt.match(*entrants, clock=PATIENT)
        other = Seat(replicas.prompt.address, entrants[0], match_id)
        await other.connect()
        request = play_pb2.WatchSeatRequest(match_id=match_id)
        watch = replicas.prompt.play.WatchSeat(request, metadata=bearer(entrants[1].token))
        while not (decision := (await watch.read()).update.decision).decision_id:
            pass
        watch.cancel()
        await stream.answer(match_id, decision.decision_id, index=0)
        while decision.decision_id not in (await stream.update()).accepted:
            pass
        await other.leave()


async def test_what_seats_were_told_by_both_replicas_is_one_history(replicas: Replicas) -> None:
    """The seats change places all the time, and the news never come in time."""
    addresses = [replicas.prompt.address, replicas.late.address]
    seats = replicas.seats
    turn = 0

    async def play(seat: Seat) -> None:
        nonlocal turn
        while seat.journal.over is None:
            if seat.due is None:
                await seat.hear()
                continue
            await seat.decide()
            if seat.journal.over is None:
                turn += 1
                seat.address = addresses[turn % 2]
                await seat.connect()

    moving = asyncio.ensure_future(asyncio.gather(*[play(seat) for seat in seats]))
    # The late one's are let through now and then, else a seat there would wait for what the other one does.
    while not moving.done():
        replicas.proxy.release_news()
        await asyncio.sleep(0.02)
        replicas.proxy.hold_news()
        await asyncio.sleep(0.1)
    await moving
    record = await replicas.prompt.record(replicas.match_id)
    for number, seat in enumerate(seats):
        assert seat.journal.events == shown(record, number)
        assert seat.journal.rewinds == 0
        assert not seat.journal.refusals
    await until(lambda: turn > 0)
