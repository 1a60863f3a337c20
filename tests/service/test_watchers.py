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
from fudaba_service.sessions.watches import Watch, WatcherShare, WatchMessage
from fudaba_serving.grpc.credit import Pace
from soak.flooding.deaf import Deaf
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import CHANNEL, bearer, messages, play_match, reason_of
from tests.support.service.organiser import Entrant, Organiser
from tests.support.service.processes import Service
from tests.support.service.rate_limits import limited, retry_seconds

STRANGER_COUNT = 30
DEAF_COUNT = 60


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service on which few streams may follow matches, and leave little unread."""
    options = ("--watches-per-account", "6", "--watches-per-address", str(STRANGER_COUNT), "--unread-mib", "1")
    with short_folder() as folder, limited(folder, *options) as running:
        yield running


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
        strangers = [stub.WatchMatch(watch) for _ in range(STRANGER_COUNT)]
        for call in strangers:
            assert await call.read() is not aio.EOF
        await check_too_many(stub.WatchMatch(watch), STRANGER_COUNT, "address 127.0.0.1")
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
    """Returns whether a stream is told anything."""
    with contextlib.suppress(aio.AioRpcError):
        return await call.read() is not aio.EOF
    return False


@pytest.mark.exhaustive
async def test_streams_that_do_not_read_a_long_match_are_told_the_rest_of_it_at_once_when_they_read_on(
    service: Service, organiser: Organiser
) -> None:
    watch = matches_pb2.WatchMatchRequest(match_id=await long_match(organiser, deals=40))
    deaf = await Deaf.connect(service.address)
    for _ in range(STRANGER_COUNT):
        deaf.call("/fudaba.v1.MatchService/WatchMatch", "", watch)
    await deaf.drain()
    await organiser.ended(watch.match_id)
    assert not deaf.endings
    deaf.listen()
    await until(lambda: len(deaf.endings) == STRANGER_COUNT, "the end of all streams")
    assert not any(b"unread" in ending for ending in deaf.endings)
    deaf.close()


@pytest.mark.exhaustive
async def test_who_leaves_too_much_unread_is_told_nothing_more_until_it_is_read(
    service: Service, organiser: Organiser
) -> None:
    watch = matches_pb2.WatchMatchRequest(match_id=await long_match(organiser))
    await organiser.ended(watch.match_id)
    deaf = await Deaf.connect(service.address)
    for _ in range(DEAF_COUNT):
        deaf.call("/fudaba.v1.MatchService/WatchMatch", service.token, watch)
    await deaf.drain()
    async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        async with asyncio.timeout(PATIENCE):
            while (error := await refusal(stub.WatchMatch(watch, metadata=organiser.metadata))) is None:
                pass
        assert reason_of(error) == "NOT_READING"
        assert retry_seconds(error) > 0
        assert "watch again from `seen`" in (error.details() or "")
        assert await refusal(stub.WatchMatch(watch)) is None, "others have a share of their own"
        deaf.listen()
        await until(lambda: len(deaf.endings) == DEAF_COUNT, "the end of all streams")
        assert await refusal(stub.WatchMatch(watch, metadata=organiser.metadata)) is None
    deaf.close()


async def refusal(call: Any) -> aio.AioRpcError | None:
    """With what a stream is refused before it is told anything."""
    try:
        await call.read()
    except aio.AioRpcError as error:
        return error
    return None


async def long_match(organiser: Organiser, deals: int = 99) -> str:
    """Returns a match of house bots that has just begun."""
    house = matches_pb2.Seat(house_bot="house-random")
    request = matches_pb2.CreateMatchRequest(
        game="naga", seats=[house, house], options={"deals": game_pb2.OptionValue(number=deals)}
    )
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    return str(made.match.header.match_id)


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
    reading = asyncio.ensure_future(_all(watching))
    await play_match(*organiser.by_chance(*pair))
    assert (await reading)[-1].match.HasField("end")
    deaf.close()


async def _all(call: Any) -> list[Any]:
    return [message async for message in messages(call)]


# --- the parts


def share(most: int = 10_000, *, rate: float = 0.0, patience: float = PATIENCE) -> WatcherShare:
    return WatcherShare(most, Pace(rate, 1.0), patience)


def of_size(size: int) -> WatchMessage:
    return WatchMessage(b"x" * size)


async def messages_until(watch: Watch, size: int) -> WatchMessage:
    """Returns what a watcher is told next, of so many bytes."""
    watch.wake()
    return await watch.next_message(lambda: of_size(size))


async def test_a_message_is_made_when_its_stream_asks_for_it_and_only_if_there_still_is_something_to_tell() -> None:
    watch = Watch(share())
    news: list[WatchMessage] = []
    asked = asyncio.ensure_future(watch.next_message(lambda: news.pop() if news else None))
    for _ in range(3):
        watch.wake()
        await asyncio.sleep(0.01)
        assert not asked.done()
    news.append(of_size(3))
    watch.wake()
    assert (await asked).raw == b"xxx"


async def test_what_is_in_hand_counts_until_more_is_asked_for_or_the_stream_ends() -> None:
    whole = share()
    watch, other = Watch(whole), Watch(whole)
    await messages_until(watch, 3_000)
    await messages_until(other, 100)
    assert whole.bytes >= 3_100
    asked = asyncio.ensure_future(watch.next_message(lambda: None))
    await asyncio.sleep(0)
    assert whole.bytes < 3_000
    asked.cancel()
    other.close()
    assert whole.bytes == 0


async def test_who_asks_waits_while_too_much_is_unread() -> None:
    whole = share()
    deaf, good = Watch(whole), Watch(whole)
    await messages_until(deaf, 10_000)
    asked = asyncio.ensure_future(messages_until(good, 10))
    await asyncio.sleep(0.05)
    assert not asked.done()
    deaf.close()
    assert (await asked).raw == b"x" * 10


async def test_who_asks_is_refused_when_too_much_stays_unread() -> None:
    whole = share(patience=0.05)
    deaf, good = Watch(whole), Watch(whole)
    await messages_until(deaf, 10_000)
    for asked in (messages_until(good, 10), good.pass_on(b"x")):
        with pytest.raises(Refused) as info:
            await asked
        assert info.value.name == "NOT_READING"
        assert info.value.retry_seconds > 0
    deaf.close()
    assert await good.pass_on(b"x") == b"x"


async def test_small_messages_count_for_more_than_their_bytes() -> None:
    whole = share()
    for _ in range(100):
        await messages_until(Watch(whole), 1)
        if whole.bytes >= 10_000:
            return
    raise AssertionError("a hundred of them took nothing")


async def test_watchers_of_a_caller_are_told_in_turn_at_its_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 1))

    monkeypatch.setattr("fudaba_service.sessions.watches.asyncio.sleep", sleep)
    whole = share(rate=0.1)
    for _ in range(3):
        await messages_until(Watch(whole), 1)
    assert slept == [10.0, 20.0]


async def test_a_watch_that_is_ended_is_told_why_and_nothing_more() -> None:
    watch = Watch(share())
    asked = asyncio.ensure_future(watch.next_message(lambda: of_size(1)))
    await asyncio.sleep(0)
    watch.end(Refused.malformed("its token was revoked"))
    with pytest.raises(Refused, match="revoked"):
        await asked
