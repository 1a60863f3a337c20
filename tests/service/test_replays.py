"""Archived matches: nothing is replayed for who has no seat, what is kept costs nothing, and the rest is paid for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import matches_pb2, matches_pb2_grpc, play_pb2
from fudaba_service.api.paying import CallPayer, StreamPayer
from fudaba_serving.grpc.rate_limit import Callers
from tests.support.folders import short_folder
from tests.support.service.bots import CHANNEL, Stream, bearer, play_match
from tests.support.service.organiser import Entrant, Organiser, StoreView, refused
from tests.support.service.processes import Service
from tests.support.service.rate_limits import Allowed, Counted, check_cut, limited
from tests.support.service.scraping import scrape


async def archived(organiser: Organiser, store: StoreView, *pair: Entrant) -> str:
    """Returns a match that was played, and is in the archive alone."""
    match_id = await organiser.match(*pair)
    await play_match(*organiser.by_chance(*pair))
    await organiser.ended(match_id)
    await store.forgets(match_id)
    return match_id


async def called_off(organiser: Organiser, store: StoreView, *pair: Entrant) -> str:
    """Returns the same of a match that never began."""
    match_id = await organiser.match(*pair)
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    await store.forgets(match_id)
    return match_id


async def watched(stub: Any, match_id: str, metadata: Any = ()) -> list[matches_pb2.WatchMatchResponse]:
    """Returns all that WatchMatch tells of a match that is over."""
    return [m async for m in stub.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata)]


@pytest.fixture(scope="module")
def service() -> Any:
    """Yields a service of these tests alone, whose replays they count."""
    with short_folder() as folder, limited(folder) as running:
        yield running


async def replays(service: Service) -> float:
    return (await scrape(service))["fudaba_replays_total"]


async def test_nothing_is_replayed_for_who_has_no_seat_in_an_archived_match(
    service: Service, organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await archived(organiser, store, *pair)
    before = await replays(service)
    other = await organiser.entrant("other")
    token = bearer(other.token)
    for _ in range(2):
        answer = play_pb2.Answer(match_id=match_id, decision_id="0.0", index=0)
        submit = organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=token)
        await refused(submit, "NOT_YOUR_MATCH", other.name)
        watch: Any = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=token)
        await refused(watch.read(), "NOT_YOUR_MATCH", other.name)
        resign = organiser.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=match_id), metadata=token)
        await refused(resign, "NOT_YOUR_MATCH", other.name)
    async with Stream(service.address, other.token) as stream:
        await stream.hello(seen=[play_pb2.Seen(match_id=match_id)])
        await stream.answer(match_id, "0.0", index=0)
        assert (await stream.refusal()).reason == "NOT_YOUR_MATCH"
    assert await replays(service) == before


async def test_an_archived_match_is_replayed_once_for_many_who_see_it_again(
    service: Service, organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await archived(organiser, store, *pair)
    before = await replays(service)
    seen = await asyncio.gather(*[watched(organiser.matches, match_id) for _ in range(8)])
    assert seen[0][-1].match.HasField("end")
    assert len(seen[0][-1].events) == seen[0][-1].seen > 10
    assert all(reading == seen[0] for reading in seen)
    for number, entrant in enumerate(pair):
        async with Stream(service.address, entrant.token) as stream:
            await stream.hello(seen=[play_pb2.Seen(match_id=match_id)])
            update = await stream.over()
            assert update.seat == number
            assert update.seen == len(update.events) > 10
        request = play_pb2.WatchSeatRequest(match_id=match_id)
        updates = [
            response.update async for response in organiser.play.WatchSeat(request, metadata=bearer(entrant.token))
        ]
        assert updates[-1].events == update.events
        assert updates[-1].HasField("over")
    answer = play_pb2.Answer(match_id=match_id, decision_id="9.9", index=0)
    submit = organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(pair[0].token))
    await refused(submit, "MATCH_OVER")
    assert await replays(service) == before + 1


@pytest.mark.exhaustive
async def test_only_a_few_archived_matches_are_kept(
    service: Service, organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    ids = [await called_off(organiser, store, *pair) for _ in range(17)]
    before = await replays(service)
    for match_id in ids:
        await watched(organiser.matches, match_id, organiser.metadata)
    await watched(organiser.matches, ids[-1], organiser.metadata)
    assert await replays(service) == before + 17
    await watched(organiser.matches, ids[0], organiser.metadata)
    assert await replays(service) == before + 18


async def test_a_stream_without_a_limit_is_told_the_end_of_an_archived_match(folder: Path) -> None:
    with limited(folder, "--messages-per-second", "0") as service:
        store = StoreView(f"unix://{service.data}/store/valkey.sock")
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            match_id = await archived(organiser, store, *pair)
            async with Stream(service.address, pair[0].token) as stream:
                await stream.hello(seen=[play_pb2.Seen(match_id=match_id)])
                assert (await stream.over()).match_id == match_id


async def test_who_has_too_many_archived_matches_shown_again_is_refused_and_told_when_to_come_back(
    folder: Path,
) -> None:
    # A hundredth of it are replays, and ten seconds' worth may come at once: that is one.
    with limited(folder, "--calls-per-second", "10") as service:
        store = StoreView(f"unix://{service.data}/store/valkey.sock")
        async with (
            Organiser(service.address, service.token) as organiser,
            aio.insecure_channel(service.address, options=CHANNEL) as channel,
        ):
            pair = await organiser.entrant(), await organiser.entrant()
            ids = [await called_off(organiser, store, *pair) for _ in range(2)]
            stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
            await watched(stub, ids[0])
            with pytest.raises(aio.AioRpcError) as info:
                await watched(stub, ids[1])
            check_cut(info.value)
            assert "archived matches" in (info.value.details() or "")
            # What is kept costs no replay; others pay for themselves, and the organiser not at all.
            await watched(stub, ids[0])
            await watched(stub, ids[1], bearer(pair[0].token))
            assert await replays(service) == 2
        store.client.close()


async def test_what_a_replay_costs_grows_with_the_record_and_what_is_told_at_once_with_its_events() -> None:
    callers = Callers(Allowed(), Counted())
    with callers.call("", "10.0.0.1") as caller:
        assert caller is not None
        caller.replays.left = caller.replays.burst = 100.0
        payer = CallPayer(callers, caller)
        await payer.pay(32 * 1024)
        assert caller.replays.left == 97
        payer.charge(250)
        assert caller.credit.left == 75
        payer.charge(10**9)
        assert caller.credit.left == -25, "whatever it was, it is paid back in a time that ends"
        assert payer.turn is CallPayer(callers, caller).turn, "one at a time of a caller's"
    credit = callers.messages("alice/1")
    credit.rate = 1e-9  # nothing comes back meanwhile, however long this machine takes
    await StreamPayer(callers, credit).pay(16 * 1024)
    assert credit.left == pytest.approx(450)
