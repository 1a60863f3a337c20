"""Watchers: how many a caller may have, and how much they may hold that nobody reads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import game_pb2, matches_pb2, matches_pb2_grpc, play_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions.backlog import Backlog, Told, Unread
from tests.patience import PATIENCE
from tests.service.bots import CHANNEL, bearer, messages, play_match, reason_of
from tests.service.organiser import Entrant, Organiser
from tests.service.processes import Service, short_folder, until
from tests.service.test_rate_limits import limited, retry_seconds
from tests.soak.flooding.deaf import Deaf

STRANGERS = 30


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service on which few streams may follow matches, and leave little unread."""
    options = ("--watches-per-account", "6", "--watches-per-address", str(STRANGERS), "--unread-mib", "1")
    with short_folder() as folder, limited(folder, *options) as one:
        yield one


async def check_too_many(call: Any, most: int, whose: str) -> None:
    """A stream is refused, and told whose are too many and when to come again."""
    with pytest.raises(aio.AioRpcError) as info:
        await call.read()
    assert reason_of(info.value) == "QUOTA_EXCEEDED"
    assert retry_seconds(info.value) > 0
    assert f"{whose} has its {most} streams that follow matches" in (info.value.details() or "")


async def test_streams_that_follow_matches_are_counted_by_account_or_address_and_those_that_end_make_room(
    service: Service, organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    watch = matches_pb2.WatchMatchRequest(match_id=match_id)
    async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        strangers = [stub.WatchMatch(watch) for _ in range(STRANGERS)]
        for call in strangers:
            assert await call.read() is not aio.EOF
        await check_too_many(stub.WatchMatch(watch), STRANGERS, "address 127.0.0.1")
        token = bearer(pair[0].token)
        own = [organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=token) for _ in range(5)]
        own.append(stub.WatchMatch(watch, metadata=token))
        for call in own:
            assert await call.read() is not aio.EOF
        await check_too_many(stub.WatchMatch(watch, metadata=token), 6, f"{pair[0].name}/1")
        # Others have their own, and the organiser any number.
        others = [stub.WatchMatch(watch, metadata=bearer(pair[1].token)) for _ in range(6)]
        for call in [*others, *[stub.WatchMatch(watch, metadata=organiser.metadata) for _ in range(10)]]:
            assert await call.read() is not aio.EOF
        for call in strangers:
            call.cancel()
        async with asyncio.timeout(PATIENCE):
            while not await is_told(stub.WatchMatch(watch)):
                pass


async def is_told(call: Any) -> bool:
    """Whether a stream is told anything."""
    with contextlib.suppress(aio.AioRpcError):
        return await call.read() is not aio.EOF
    return False


async def test_streams_that_do_not_read_a_long_match_are_cut_and_are_told_so_when_they_read_on(
    service: Service, organiser: Organiser
) -> None:
    house = matches_pb2.Seat(house_bot="house-random")
    request = matches_pb2.CreateMatchRequest(
        game="naga", seats=[house, house], options={"deals": game_pb2.OptionValue(number=24)}
    )
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    watch = matches_pb2.WatchMatchRequest(match_id=made.match.header.match_id)
    deaf = await Deaf.connect(service.address)
    for _ in range(STRANGERS):
        deaf.call("/fudaba.v1.MatchService/WatchMatch", "", watch)
    await deaf.drain()
    await organiser.ended(watch.match_id)
    assert not deaf.endings
    deaf.listen()
    await until(lambda: len(deaf.endings) == STRANGERS, "the end of all streams")
    assert any(b"watch again from `seen`" in ending for ending in deaf.endings)
    async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
        told = await _all(matches_pb2_grpc.MatchServiceStub(channel).WatchMatch(watch))
        assert told[-1].match.HasField("end")
    deaf.close()


async def test_a_caller_whose_streams_read_is_told_all_though_a_deaf_one_follows_the_same_match(
    service: Service, organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    deaf = await Deaf.connect(service.address)
    request = play_pb2.WatchSeatRequest(match_id=match_id)
    for _ in range(3):
        deaf.call("/fudaba.v1.PlayService/WatchSeat", pair[0].token, request)
    await deaf.drain()
    watching = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    told = asyncio.ensure_future(_all(watching))
    await play_match(*organiser.by_chance(*pair))
    assert (await told)[-1].match.HasField("end")
    deaf.close()


async def _all(call: Any) -> list[Any]:
    return [message async for message in messages(call)]


# --- the parts


def of_size(size: int) -> Told:
    return Told(b"x" * size)


async def test_those_that_hold_most_are_cut_and_what_waited_for_them_is_given_back() -> None:
    unread = Unread(10_000)
    deaf, slow, quick = Backlog(unread), Backlog(unread), Backlog(unread)
    deaf.put(of_size(3_000))
    slow.put(of_size(1_000))
    taken = await deaf.take()
    for _ in range(100):
        quick.put(of_size(2_000))
        await quick.take()
    assert unread.bytes < 10_000, "who reads holds nothing for long"
    deaf.put(of_size(4_000))
    quick.put(of_size(2_000))
    assert unread.bytes < 10_000
    with pytest.raises(Refused) as info:
        await deaf.take()
    assert info.value.name == "NOT_READING"
    assert info.value.retry_seconds > 0
    assert "watch again" in str(info.value)
    assert len(taken.raw) == 3_000
    assert len((await slow.take()).raw) == 1_000
    assert len((await quick.take()).raw) == 2_000
    for one in (deaf, slow, quick):
        one.close()
    assert unread.bytes == 0


async def test_what_is_in_hand_counts_until_more_is_asked_for_and_who_is_cut_is_told_nothing_more() -> None:
    unread = Unread(1_000)
    one = Backlog(unread)
    one.put(of_size(500))
    await one.take()
    assert unread.bytes >= 500
    waiting = asyncio.ensure_future(one.take())
    await asyncio.sleep(0)
    assert unread.bytes == 0
    assert one.empty
    one.put(of_size(600))
    one.put(of_size(600))
    with pytest.raises(Refused):
        await waiting
    one.put(of_size(10))
    assert unread.bytes == 0


async def test_small_messages_are_bounded_too() -> None:
    unread = Unread(100_000)
    one = Backlog(unread)
    for _ in range(10_000):
        one.put(of_size(1))
    assert unread.bytes == 0
    with pytest.raises(Refused):
        await one.take()
