"""Replicas of an earlier release and of now serve one store at once, as they do while a site is upgraded."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from fudaba.v1 import matches_pb2
from fudaba.valkey import EmbeddedValkey
from tests.support.service.bots import Bot, by_chance, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import Service, short_folder
from tests.support.sizes import some
from tests.support.upgrade.releases import EARLIER, installed

pytestmark = pytest.mark.exhaustive
WAVE = 8
"""Matches that are played at once."""


@pytest.fixture
def replicas() -> Iterator[tuple[Service, Service]]:
    """One of the earlier release, which made the data folder, and one of now."""
    with short_folder() as place, ExitStack() as stack:
        store = stack.enter_context(EmbeddedValkey(place / "store"))
        earlier, now = (
            stack.enter_context(Service(place, "--redis", store.url, name=name, data=place / "data"))
            for name in ("earlier", "now")
        )
        earlier.start(environment={"PYTHONPATH": str(installed(EARLIER))})
        now.start()
        now.token = earlier.token
        yield earlier, now
        for service in (now, earlier):
            assert service.terminate() == 0, service.log
            assert_no_fault(service)


async def test_they_play_the_same_matches_and_nothing_is_lost_or_doubled(replicas: tuple[Service, Service]) -> None:
    earlier, now = replicas
    async with Organiser(earlier.address, earlier.token) as old, Organiser(now.address, now.token) as new:
        pair = await old.entrant("behind-the-earlier"), await new.entrant("behind-the-present")
        bots = [
            Bot(service.address, entrant.token, by_chance, chance=number)
            for number, (service, entrant) in enumerate(zip(replicas, pair, strict=True))
        ]
        ids: list[str] = []
        ends = time.monotonic() + some(60, 10)
        while time.monotonic() < ends:
            wave = [await (old, new)[number % 2].match(*pair) for number in range(WAVE)]
            await play_match(*bots, matches=len(ids) + len(wave))
            ids += wave
        assert len(set(ids)) == len(ids)
        for number, match_id in enumerate(ids):
            record = await (new, old)[number % 2].record(match_id)
            assert set(kinds(record)) == {"ready", "move"}
            decided = [(entry.seat, entry.decision_id) for entry in record.log if entry.WhichOneof("what") == "move"]
            assert len(decided) == len(set(decided))
        for organiser in (old, new):
            assert await listed(organiser, pair[0].name) == set(ids)


async def listed(organiser: Organiser, bot: str) -> set[str]:
    """The matches of a bot that are over, as a replica lists them."""
    found, page = [], ""
    while True:
        request = matches_pb2.ListMatchesRequest(
            bot=bot, state=matches_pb2.MATCH_STATE_FINISHED, page_size=50, page_token=page
        )
        answer = await organiser.matches.ListMatches(request, metadata=organiser.metadata)
        found += [match.header.match_id for match in answer.matches]
        page = answer.next_page_token
        if not page:
            assert len(found) == len(set(found))
            return set(found)
