"""Several updates in one message down, several answers in one up: each counts as if it had come alone."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import play_pb2, record_pb2
from soak.flooding.deaf import Deaf
from tests.support.hostile.wire import DATA, PREFACE, SETTINGS, Breaker, frame, grpc_message
from tests.support.patience import until
from tests.support.service.bots import Bot, Stream, bearer, by_chance, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, nothing_changes
from tests.support.service.processes import RedisServer, Service
from tests.support.sizes import some

PLAY = "/fudaba.v1.PlayService/Play"
COUNT = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, events=play_pb2.EVENT_DELIVERY_NEVER)


@contextlib.asynccontextmanager
async def asked(
    organiser: Organiser, pair: tuple[Entrant, Entrant], count: int, **hello: Any
) -> AsyncIterator[tuple[Stream, dict[str, play_pb2.SeatUpdate]]]:
    """Matches in which seat 1 owes its first designation, and its stream."""
    ids = [await organiser.match(*pair, clock=PATIENT) for _ in range(count)]
    async with Stream(organiser.address, pair[0].token) as waits, Stream(organiser.address, pair[1].token) as stream:
        await waits.hello(batches=True)
        await stream.hello(**hello)
        owed: dict[str, play_pb2.SeatUpdate] = {}
        while len(owed) < count:
            update = await stream.decision()
            owed[update.match_id] = update
        assert owed.keys() == set(ids)
        yield stream, owed


def answer(update: play_pb2.SeatUpdate, **choice: Any) -> play_pb2.Answer:
    return play_pb2.Answer(
        match_id=update.match_id, decision_id=update.decision.decision_id, **(choice or {"index": 0})
    )


def moves(store: StoreView, match_id: str, seat: int = 1) -> list[record_pb2.LogEntry]:
    """What a seat has played."""
    entries = [record_pb2.LogEntry.FromString(raw) for raw in store.log(match_id)]
    return [e for e in entries if e.WhichOneof("what") == "move" and e.seat == seat]


async def next_decisions(stream: Stream, count: int) -> dict[str, play_pb2.SeatUpdate]:
    """The next decision of each of so many matches."""
    found: dict[str, play_pb2.SeatUpdate] = {}
    while len(found) < count:
        update = await stream.decision()
        assert update.match_id not in found
        found[update.match_id] = update
    return found


# --- down


async def test_a_bot_that_asks_for_batches_plays_whole_matches_with_what_is_ready_in_one_message(
    organiser: Organiser,
) -> None:
    entrants = [await organiser.entrant() for _ in range(2)]
    ids = [await organiser.match(*entrants) for _ in range(some(30, least=10))]
    batched, single = organiser.by_chance(*entrants)
    batched.hello, single.hello = {"batches": True}, {}
    sizes: list[int] = []

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        assert bot.stream is not None
        sizes[:] = bot.stream.batches
        await by_chance(bot, journal, decision)

    batched.choose = choose
    await play_match(batched, single, matches=len(ids))
    for match_id in ids:
        await organiser.record(match_id)
        assert batched.journals[match_id].events
    assert max(sizes) > 1
    assert min(sizes) > 1, "one update alone comes by itself"


async def test_the_welcome_says_that_the_service_knows_batches(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    for batches in (False, True):
        async with Stream(organiser.address, pair[0].token) as stream:
            assert (await stream.hello(batches=batches)).batches


async def test_who_has_not_asked_for_batches_gets_none(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    async with asked(organiser, pair, 10) as (stream, owed):
        await stream.answer_all(*map(answer, owed.values()))
        await next_decisions(stream, 10)
        assert stream.batches == []


# --- up


@pytest.mark.exhaustive
async def test_answers_in_one_message_are_each_stored(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    count = some(20, 120)
    async with asked(organiser, pair, count, batches=True, delivery=COUNT) as (stream, owed):
        await stream.answer_all(*map(answer, owed.values()))
        after = await next_decisions(stream, count)
        assert {u.match_id: list(u.accepted) for u in after.values()} == {
            match_id: [u.decision.decision_id] for match_id, u in owed.items()
        }
        assert all(len(moves(store, match_id)) == 1 for match_id in owed)


async def test_bad_answers_are_refused_one_by_one_and_the_good_ones_beside_them_count(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    stranger = await organiser.entrant()
    others = await organiser.match(stranger, await organiser.entrant(), clock=PATIENT)
    async with asked(organiser, pair, 6) as (stream, owed):
        good, illegal, unset, never = list(owed.values())[:3], *list(owed.values())[3:]
        await stream.answer_all(
            answer(good[0]),
            play_pb2.Answer(match_id=others, decision_id="1.0", index=0),
            answer(illegal, text="designate 4"),
            play_pb2.Answer(),
            answer(good[1]),
            play_pb2.Answer(match_id=unset.match_id, decision_id=unset.decision.decision_id),
            play_pb2.Answer(match_id=never.match_id, decision_id="9.9", index=0),
            play_pb2.Answer(match_id="no such match", decision_id="1.0", index=0),
            answer(good[2]),
        )
        refusals: list[play_pb2.Refusal] = []
        asked_again: set[str] = set()
        while len(refusals) < 6 or len(asked_again) < 3:
            message = await stream.receive()
            if message.HasField("refusal"):
                refusals.append(message.refusal)
            else:
                asked_again.add(message.update.match_id)
        assert {(r.match_id, r.reason, r.still_open) for r in refusals} == {
            (others, "NOT_YOUR_MATCH", False),
            (illegal.match_id, "ILLEGAL_MOVE", True),
            ("", "MALFORMED", False),
            (unset.match_id, "MALFORMED_MOVE", True),
            (never.match_id, "NOT_YOUR_DECISION", False),
            ("no such match", "NOT_YOUR_MATCH", False),
        }
        assert ["answer number 4 " in r.message for r in refusals].count(True) == 1
        assert asked_again == {u.match_id for u in good}
        assert {match_id for match_id in owed if moves(store, match_id)} == asked_again
        assert not moves(store, others)


@pytest.mark.parametrize("messages", [1, 2])
async def test_the_same_answer_twice_counts_once(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant], messages: int
) -> None:
    async with asked(organiser, pair, 2, batches=True, delivery=play_pb2.Delivery(acknowledge=True)) as (stream, owed):
        batch_update, other = owed.values()
        twice = [answer(batch_update, index=1), answer(batch_update, index=2), answer(other), answer(other)]
        for part in range(messages):
            await stream.answer_all(*twice[part::messages])
        accepted: list[str] = []
        while len(accepted) < 4:
            news = await stream.update()
            accepted += [f"{news.match_id} {decision_id}" for decision_id in news.accepted]
        assert sorted(accepted) == sorted(f"{a.match_id} {a.decision_id}" for a in twice)
        assert [len(moves(store, match_id)) for match_id in owed] == [1, 1]


async def test_a_thousand_answers_to_one_decision_are_one_move(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair, 2, batches=True) as (stream, owed):
        batch_update, other = owed.values()
        await stream.answer_all(*[answer(batch_update, index=n % 6) for n in range(1_000)])
        await stream.answer_all(answer(other))
        while (await stream.decision()).match_id != other.match_id:
            pass
        [move] = moves(store, batch_update.match_id)
        assert move.decision_id == batch_update.decision.decision_id
        assert move.move.naga.designate.place == batch_update.decision.legal_moves[0].naga.designate.place


@pytest.mark.parametrize(
    ("answers", "reason", "words"),
    [
        (lambda _: [], "MALFORMED", "no answers"),
        (lambda good: [good] * 1_001, "MESSAGE_TOO_LARGE", "1001 answers"),
        (
            lambda good: [good, play_pb2.Answer(match_id=good.match_id, decision_id="1.0", text="x" * 1_100_000)],
            "MESSAGE_TOO_LARGE",
            "at most 1048576",
        ),
    ],
    ids=["empty", "too many", "too large"],
)
@pytest.mark.exhaustive
async def test_a_batch_that_is_none_or_too_large_changes_nothing_and_the_stream_goes_on(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant], answers: Any, reason: str, words: str
) -> None:
    async with asked(organiser, pair, 1) as (stream, owed):
        [batch_update] = owed.values()
        with nothing_changes(store):
            await stream.answer_all(*answers(answer(batch_update)))
            refusal = await stream.refusal()
        assert (refusal.reason, refusal.match_id, refusal.decision_id) == (reason, "", "")
        assert words in refusal.message
        await stream.answer_all(answer(batch_update))
        assert (await stream.decision()).accepted == [batch_update.decision.decision_id]


async def test_an_answer_of_a_batch_that_cannot_be_read_is_refused_and_the_others_count(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair, 2) as (_, owed):
        pass
    batch_update, other = owed.values()
    broken = answer(batch_update, text="designate 1").SerializeToString().replace(b"designate", b"d\xffsignate")
    batch = play_pb2.PlayRequest(
        answers=play_pb2.Answers(answers=[answer(batch_update), answer(other)])
    ).SerializeToString()
    parts = [answer(batch_update).SerializeToString(), broken, answer(other).SerializeToString()]
    body = b"".join(b"\x0a" + bytes([len(part)]) + part for part in parts)
    raw = batch[:1] + bytes([len(body) & 127 | 128, len(body) >> 7]) + body
    call: Any = organiser.channel.stream_stream(PLAY, response_deserializer=play_pb2.PlayResponse.FromString)(
        metadata=bearer(pair[1].token)
    )
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello()).SerializeToString())
    await call.write(raw)
    refusal = await _refusal(call)
    assert (refusal.reason, refusal.match_id) == ("MALFORMED", "")
    assert "answer number 2 " in refusal.message
    await until(lambda: all(len(moves(store, match_id)) == 1 for match_id in owed), "the two good answers")
    # Cut so that not even its answers can be told apart, a message is refused as a whole.
    with nothing_changes(store):
        await call.write(raw[:-3])
        assert "cannot be read" in (await _refusal(call)).message
    call.cancel()


async def _refusal(call: Any) -> play_pb2.Refusal:
    while (message := await call.read()) is not aio.EOF:
        if message.HasField("refusal"):
            return message.refusal  # type: ignore[no-any-return]
    raise AssertionError("the stream has ended")


async def test_a_batch_whose_connection_ends_in_the_middle_of_it_counts_for_nothing(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    async with asked(organiser, pair, 10) as (_, owed):
        pass
    batch = play_pb2.PlayRequest(answers=play_pb2.Answers(answers=map(answer, owed.values())))
    whole = grpc_message(batch.SerializeToString())
    with nothing_changes(store):
        async with raw_stream(organiser.address, pair[1].token) as (reader, writer):
            writer.write(frame(DATA, 0, 1, whole[: len(whole) * 2 // 3]))
            await writer.drain()
            await until(lambda: reader.at_eof() or reader._buffer, "the welcome")  # type: ignore[attr-defined]  # what has come is left unread
    async with Stream(organiser.address, pair[1].token) as again:
        await again.hello(batches=True)
        assert (await next_decisions(again, 10)).keys() == owed.keys()


@contextlib.asynccontextmanager
async def raw_stream(
    address: str, token: str, **hello: Any
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A Play stream in HTTP/2 by hand, its hello sent; the connection is reset at the end."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1)
    breaker = Breaker(random.Random(0), PLAY, token)
    hello_raw = play_pb2.PlayRequest(hello=play_pb2.Hello(**hello)).SerializeToString()
    writer.write(PREFACE + frame(SETTINGS, 0, 0, b"") + breaker.open(1, breaker.headers()))
    writer.write(frame(DATA, 0, 1, grpc_message(hello_raw)))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


# --- faults


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.exhaustive
async def test_of_a_batch_whose_replica_is_killed_before_it_says_so_each_answer_is_there_once_or_not_at_all(
    folder: Path, redis: RedisServer, frozen: bool
) -> None:
    count = some(10, 60)
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            view = StoreView(redis.url)
            async with asked(organiser, pair, count, batches=True) as (stream, owed):
                if frozen:
                    redis.freeze()  # what is sent to it now is in its log when it goes on, and nobody is told
                await stream.answer_all(*map(answer, owed.values()))
                if frozen:
                    await stream.answer("no such match", "1.0", index=0)
                    await stream.refusal()  # so the batch before it has been taken up
                await asyncio.to_thread(service.kill)
            redis.thaw()
            await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            stored = [len(moves(view, match_id)) for match_id in owed]
            assert set(stored) <= {0, 1}
            async with Stream(service.address, pair[0].token) as waits, Stream(service.address, pair[1].token) as again:
                await waits.hello(batches=True)
                await again.hello(batches=True)
                await again.answer_all(*map(answer, owed.values()))
                while [len(moves(view, match_id)) for match_id in owed] != [1] * count:
                    await again.receive()
            view.client.close()


async def test_a_bot_that_asks_for_batches_and_reads_a_byte_a_second_holds_nobody_up_and_is_cut(
    folder: Path,
) -> None:
    small = "import fudaba_service.api.stream as stream; stream._MAX_OUTBOX_MESSAGES = 500"
    with Service(folder, "--messages-per-second", "0") as service:
        service.start(first=small)
        async with Organiser(service.address, service.token) as organiser:
            slow, fast, other = [await organiser.entrant(name) for name in ("slow", "fast", "other")]
            async with asked(organiser, (other, slow), 1) as (_, owed):
                [batch_update] = owed.values()
            batch = play_pb2.PlayRequest(
                answers=play_pb2.Answers(answers=[answer(batch_update)] * 400)
            ).SerializeToString()
            acknowledge = play_pb2.Delivery(acknowledge=True)
            warning = f"{slow.name}/1 does not read its stream"
            hello = play_pb2.PlayRequest(hello=play_pb2.Hello(batches=True, delivery=acknowledge))
            reader = await Deaf.connect(service.address)
            await reader.begin(PLAY, slow.token, grpc_message(hello.SerializeToString()))

            async def flood() -> None:
                while not reader.ended:
                    await reader.send(1, grpc_message(batch))

            async def sip() -> None:
                while not reader.ended:
                    reader.take(1, 1)
                    await asyncio.sleep(1)

            tasks = [asyncio.create_task(flood()), asyncio.create_task(sip())]
            match_id = await organiser.match(fast, other)
            await play_match(*organiser.by_chance(fast, other))
            await organiser.record(match_id)
            await until(lambda: warning in service.log, "the end of the stream")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            reader.close()
            async with Stream(service.address, slow.token) as again:
                await again.hello(batches=True)
                assert (await again.update()).match_id == batch_update.match_id
            assert_no_fault(service)
