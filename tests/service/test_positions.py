"""A match that is over is shown again entry by entry: to each seat, and to a spectator, as it was to them in play."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import matches_pb2, matches_pb2_grpc
from fudaba_service.sessions import positions
from tests.support.folders import short_folder
from tests.support.service.bots import CHANNEL, Bot, bearer, play_match
from tests.support.service.lists import ended
from tests.support.service.organiser import Entrant, Organiser, StoreView, refused
from tests.support.service.positions import positions_of
from tests.support.service.processes import Service
from tests.support.service.rate_limits import check_cut, limited
from tests.support.service.scraping import scrape


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service of these tests alone, whose replays they count."""
    with short_folder() as folder, limited(folder) as running:
        yield running


async def played(organiser: Organiser, *pair: Entrant, **fields: Any) -> tuple[str, list[Bot]]:
    """Returns a match that was played to its end."""
    match_id = await organiser.match(*pair, **fields)
    bots = organiser.by_chance(*pair)
    await play_match(*bots)
    await organiser.ended(match_id)
    return match_id, bots


async def test_each_seat_sees_again_what_it_saw_before_each_of_its_decisions(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    match_id, bots = await played(organiser, *pair)
    live = await positions_of(organiser, match_id, 0)
    await store.forgets(match_id)
    record = await organiser.record(match_id)
    for seat, bot in enumerate(bots):
        journal = bot.journals[match_id]
        found = await positions_of(organiser, match_id, seat)
        assert [position.entries for position in found] == [*range(len(record.log) + 1)]
        events = [event for position in found for event in position.events]
        assert events == [event for update in journal.updates for event in update.events]
        decided = {
            entry.decision_id: found[place].view
            for place, entry in enumerate(record.log)
            if entry.seat == seat and entry.HasField("move")
        }
        assert decided == {decision.decision_id: decision.view for decision in journal.decisions}
        if seat == 0:
            assert found == live, "in the archive it is the same as before"


async def test_every_position_says_who_decides_and_what_is_left_in_the_banks(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id, _ = await played(organiser, *pair)
    record, found = await organiser.record(match_id), await positions_of(organiser, match_id)
    for place, entry in enumerate(record.log):
        if entry.HasField("move"):
            assert entry.seat in found[place].deciding_seats
    assert not found[-1].deciding_seats
    begins = 1 + max(place for place, entry in enumerate(record.log) if entry.HasField("ready"))
    assert not any(position.HasField("view") or position.events for position in found[:begins])
    assert all(position.HasField("view") for position in found[begins:])
    assert all(list(position.bank_ms) == [record.header.clock.bank_ms] * 2 for position in found)


async def test_a_spectator_is_told_what_was_public_and_nothing_else(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id, _ = await played(organiser, *pair)
    found = await positions_of(organiser, match_id)
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    watched = [message async for message in call]
    assert [e for position in found for e in position.events] == [e for message in watched for e in message.events]
    assert found[-1].view == watched[-1].view


async def test_a_match_that_never_began_has_positions_in_which_nothing_is_known(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    found = await positions_of(organiser, await ended(organiser, *pair), 1)
    assert [position.entries for position in found] == [0, 1]
    assert not any(position.HasField("view") or position.deciding_seats for position in found)


async def test_nobody_is_shown_positions_before_the_record(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    live = await organiser.match(*pair)
    await refused(positions_of(organiser, live), "MATCH_NOT_OVER")
    await refused(positions_of(organiser, "nothere"), "MATCH_NOT_FOUND")
    hidden = await ended(organiser, *pair, hidden=True)
    await refused(positions_of(organiser, hidden, 0, bearer(pair[0].token)), "MATCH_HIDDEN")
    assert await positions_of(organiser, hidden, 0, organiser.metadata)
    shown = await ended(organiser, *pair)
    await refused(positions_of(organiser, shown, 2), "MALFORMED", "2 seats")


async def test_positions_are_replayed_once_for_many_and_paid_for_by_who_asks_first(folder: Path) -> None:
    # A hundredth of it are replays, and ten seconds' worth may come at once: that is one.
    with limited(folder, "--calls-per-second", "10") as service:
        store = StoreView(f"unix://{service.data}/store/valkey.sock")
        async with (
            Organiser(service.address, service.token) as organiser,
            aio.insecure_channel(service.address, options=CHANNEL) as channel,
        ):
            pair = await organiser.entrant(), await organiser.entrant()
            ids = [await ended(organiser, *pair) for _ in range(2)]
            for match_id in ids:
                await store.forgets(match_id)
            stub: Any = matches_pb2_grpc.MatchServiceStub(channel)

            def asked(match_id: str) -> Any:
                return stub.StreamPositions(matches_pb2.StreamPositionsRequest(match_id=match_id)).read()

            first, *others = await asyncio.gather(*[asked(ids[0]) for _ in range(4)])
            assert all(other == first for other in others)
            with pytest.raises(aio.AioRpcError) as info:
                await asked(ids[1])
            check_cut(info.value)
            await asked(ids[0])
            assert (await scrape(service))["fudaba_replays_total"] == 1
        store.client.close()


def test_the_contract_says_how_much_comes_at_once() -> None:
    contract = (Path(__file__).resolve().parents[2] / "proto/fudaba/v1/matches.proto").read_text(encoding="utf-8")
    assert f"at most {positions._MAX_RESPONSE_BYTES // 1024} KiB, or a single position" in contract
