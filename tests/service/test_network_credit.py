"""What a bot gains by its network, or by what it makes of it: little, and nothing where the clock says so."""

from __future__ import annotations

import asyncio

import pytest

from fudaba.v1 import play_pb2, record_pb2
from tests.support.service.bots import Bot, Stream, by_chance
from tests.support.service.organiser import PATIENT, Entrant, Organiser

LATE_SECONDS = 0.6
"""So late is each pong of a bot that feigns a slow network, and so long it thinks."""
MAX_CREDIT_US = 300_000
DECISION_COUNT = 4


def without_credit(clock: record_pb2.Clock) -> record_pb2.Clock:
    changed = record_pb2.Clock()
    changed.CopyFrom(clock)
    changed.no_network_credit = True
    return changed


async def feigned(
    organiser: Organiser, pair: tuple[Entrant, Entrant], clock: record_pb2.Clock, *, by_match_token: bool = False
) -> list[int]:
    """Returns what is credited for the network at each decision of a bot that delays its pongs, in microseconds."""
    match_id = await organiser.match(*pair, clock=clock)
    token = await organiser.match_token(match_id, 0) if by_match_token else pair[0].token
    async with Stream(organiser.address, token) as stream:
        stream.pong_delay = LATE_SECONDS
        playing = asyncio.create_task(Bot(organiser.address, pair[1].token, by_chance).play())
        await stream.hello()
        for _ in range(DECISION_COUNT):
            update = await stream.decision()
            await asyncio.sleep(LATE_SECONDS)
            await stream.answer(match_id, update.decision.decision_id, index=0)
        await stream.send(resign=play_pb2.Resign(match_id=match_id))
        await stream.over()
        await playing
    record = await organiser.record(match_id)
    return [entry.spent.network_us for entry in record.log if entry.seat == 0 and entry.HasField("move")]


async def test_a_bot_that_delays_its_pongs_gains_at_most_three_tenths_of_a_second_a_decision(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    gained = await feigned(organiser, pair, PATIENT)
    assert len(gained) == DECISION_COUNT
    assert 0 < max(gained) <= MAX_CREDIT_US


@pytest.mark.parametrize("by_match_token", [False, True], ids=["the clock credits none", "it was started by an arena"])
async def test_it_gains_nothing_where_no_network_is_credited(
    organiser: Organiser, pair: tuple[Entrant, Entrant], *, by_match_token: bool
) -> None:
    clock = PATIENT if by_match_token else without_credit(PATIENT)
    gained = await feigned(organiser, pair, clock, by_match_token=by_match_token)
    assert gained == [0] * DECISION_COUNT
