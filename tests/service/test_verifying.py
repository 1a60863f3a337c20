"""VerifyRecord replays a match for whoever asks: how much of that there is, is bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from fudaba import records
from fudaba.v1 import errors_pb2, matches_pb2, matches_pb2_grpc, record_pb2
from fudaba_service.api.verifying import MAX_RECORD_BYTES, Rests, Verifier
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.rate_limit import Callers
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import CHANNEL, bearer, play_match
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.rate_limits import Counted, check_cut, limited, others_notice_nothing

METHOD = "/fudaba.v1.MatchService/VerifyRecord"


def request(record: record_pb2.MatchRecord) -> matches_pb2.VerifyRecordRequest:
    return matches_pb2.VerifyRecordRequest(record=record)


async def test_a_record_that_is_too_large_is_refused_with_its_size_and_another_way(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    await play_match(*organiser.by_chance(*pair))
    record = await organiser.record(match_id)
    assert (await organiser.matches.VerifyRecord(request(record))).faults == []
    record.header.label = "x" * MAX_RECORD_BYTES
    size = record.ByteSize()
    call = organiser.matches.VerifyRecord(request(record), metadata=organiser.metadata)
    await refused(call, "MALFORMED", str(size), str(MAX_RECORD_BYTES), "fudaba record verify")


async def test_records_are_verified_at_a_rate_of_their_own_and_nobody_else_notices(folder: Path) -> None:
    with limited(folder, "--calls-per-second", "40") as service:
        async with others_notice_nothing(service) as organiser:
            entrant = await organiser.entrant()
            async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
                stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
                short = request(record_pb2.MatchRecord())
                for metadata in ((), bearer(entrant.token)):
                    answers = await asyncio.gather(
                        *[stub.VerifyRecord(short, metadata=metadata) for _ in range(30)], return_exceptions=True
                    )
                    cut = [answer for answer in answers if isinstance(answer, aio.AioRpcError)]
                    assert 0 < len(cut) < 30, "4 may come at once, and 0.4 a second"
                    for error in cut:
                        check_cut(error)
                        assert "records to verify" in (error.details() or "")
                    # Other calls have their own limit.
                    await refused(stub.GetMatch(matches_pb2.GetMatchRequest(match_id="m"), metadata=metadata),
                                  "MATCH_NOT_FOUND")  # fmt: skip


# --- the parts


class Allowed:
    calls_per_second = 1000.0
    messages_per_second = 10.0
    concurrent_calls = 3


async def test_a_long_record_counts_as_several() -> None:
    callers = Callers(Allowed(), Counted())
    with callers.call("", "10.0.0.1") as caller:
        assert caller is not None
        calls = caller.credit.left
        await callers.pay(caller, METHOD, 0, base_cost=1.0)
        assert caller.replays.left == 99
        await callers.pay(caller, METHOD, 32 * 16 * 1024, base_cost=1.0)
        assert caller.replays.left == 66
        assert caller.credit.left == calls


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, list[str]]:
    """Verification waits for the event; the list has who is, or has been, in progress."""
    go, seen = threading.Event(), list[str]()

    def verify(record: record_pb2.MatchRecord, between: Callable[[], None]) -> list[str]:
        assert isinstance(between, Rests)
        seen.append(record.header.match_id)
        assert go.wait(PATIENCE)
        return [record.header.match_id]

    monkeypatch.setattr(records, "verify", verify)
    return go, seen


def test_whoever_works_on_rests_after_each_half_millisecond() -> None:
    now, rests = 0.0, list[float]()
    between = Rests(lambda: now, rests.append)
    for _ in range(100):
        now += 0.0003  # of work
        between()
    assert len(rests) == 50
    assert all(seconds > 0 for seconds in rests), "a sleep of 0 wakes nobody"


def record_of(number: int) -> record_pb2.MatchRecord:
    return record_pb2.MatchRecord(header=record_pb2.MatchHeader(match_id=f"m-{number}"))


async def test_records_are_verified_one_at_a_time_and_only_so_many_wait(
    held: tuple[threading.Event, list[str]],
) -> None:
    go, seen = held
    verifier = Verifier()
    asked = [asyncio.ensure_future(verifier.faults(record_of(number))) for number in range(16)]
    await until(lambda: seen, "the first verification")
    with pytest.raises(Refused) as info:
        await verifier.faults(record_of(16))
    assert info.value.reason == errors_pb2.REASON_TOO_FAST
    assert info.value.retry_seconds > 0
    # Who goes does not make room for another thread: the one in progress cannot be stopped.
    asked[0].cancel()
    await asyncio.wait(asked[:1])
    with pytest.raises(Refused):
        await verifier.faults(record_of(16))
    assert seen == ["m-0"]
    go.set()
    assert await asyncio.gather(*asked[1:]) == [[f"m-{number}"] for number in range(1, 16)]
    assert await verifier.faults(record_of(16)) == ["m-16"]
    assert seen == [f"m-{number}" for number in range(17)]
