"""Replicas that differ serve one store at once, as they do while a site is upgraded: in their release, or their Python.

`scripts/compiled` runs this too: then the replica of now is compiled, and the other is not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fudaba.v1 import matches_pb2
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder
from tests.support.service.bots import Bot, by_chance, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import FUDABA, Service
from tests.support.sizes import some
from tests.support.upgrade.releases import EARLIER, installed
from tests.support.wheels import ROOT, build_wheel, copy_sources, environment, newer_python

pytestmark = pytest.mark.exhaustive
MATCHES_PER_WAVE = 8
"""Matches that are played at once."""


@pytest.fixture(
    params=[
        "an earlier release",
        pytest.param("another Python", marks=pytest.mark.nightly("the same with replicas of two releases")),
    ]
)
def started_first(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Returns the command of the replica that makes the data folder, and what it wants to have in its environment."""
    if request.param == "an earlier release":
        return FUDABA, {"PYTHONPATH": str(installed(EARLIER))}
    sources = tmp_path / "sources"
    sources.mkdir()
    copy_sources(sources)
    wheel = build_wheel(sources, tmp_path)
    locked = str(ROOT / "deploy" / "requirements.lock")
    there = environment(tmp_path / "environment", "--requirement", locked, str(wheel), python=newer_python())
    return there / "fudaba", {}


@pytest.fixture
def replicas(started_first: tuple[Path, dict[str, str]]) -> Iterator[tuple[Service, Service]]:
    """Yields the one that made the data folder, and one of now."""
    command, variables = started_first
    with short_folder() as place, ExitStack() as stack:
        store = stack.enter_context(EmbeddedValkey(place / "store"))
        options, kept = ("--redis", store.url), place / "data"
        first = stack.enter_context(Service(place, *options, name="first", data=kept, fudaba=command))
        now = stack.enter_context(Service(place, *options, name="now", data=kept))
        first.start(environment=variables)
        now.start()
        now.token = first.token
        yield first, now
        for service in (now, first):
            assert service.terminate() == 0, service.log
            assert_no_fault(service)


async def test_they_play_the_same_matches_and_nothing_is_lost_or_doubled(replicas: tuple[Service, Service]) -> None:
    first, now = replicas
    async with Organiser(first.address, first.token) as old, Organiser(now.address, now.token) as new:
        pair = await old.entrant("behind-the-first"), await new.entrant("behind-the-other")
        bots = [
            Bot(service.address, entrant.token, by_chance, chance=number)
            for number, (service, entrant) in enumerate(zip(replicas, pair, strict=True))
        ]
        ids: list[str] = []
        ends = time.monotonic() + some(60, 10)
        while time.monotonic() < ends:
            wave = [await (old, new)[number % 2].match(*pair) for number in range(MATCHES_PER_WAVE)]
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
    """Returns the matches of a bot that are over, as a replica lists them."""
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
