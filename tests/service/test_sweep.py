"""Thousands of messages that nobody thought of: each is answered or refused, none is a fault of the service, and none
changes anything without the right to. `scripts/soak fuzz` sends a hundred thousand to every method."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fudaba_games.registry import GAMES
from tests.support.folders import short_folder
from tests.support.hostile.campaign import Campaign
from tests.support.hostile.messages import METHODS, Builder, path
from tests.support.patience import PATIENCE
from tests.support.service.bots import bearer, play_match, reason_of
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service
from tests.support.sizes import exhaustive, some

UNARY = {name: m for name, m in METHODS.items() if not m.client_streaming and not m.server_streaming}
FAULTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
PREPARED = GAMES if exhaustive() else ("makkaik", "naga", "tashot")
"""The games of the matches that calls may name."""
_MAX_GROWTH_MB = 40


@pytest.fixture(scope="module")
def struck() -> Iterator[Service]:
    """Yields a service without limits to speed, which this module's tests strike."""
    with short_folder() as place, Service(place, "--calls-per-second", "0", "--messages-per-second", "0") as running:
        yield running.start()
        assert running.terminate() == 0, running.log


@pytest.fixture(scope="module")
def channel(struck: Service) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(struck.address) as opened:
        yield opened


def check(call: grpc.UnaryUnaryMultiCallable[Any, Any], raw: bytes, token: str) -> None:
    """Calls; a refusal has a reason, and nothing is a fault."""
    refusal: Any = None
    try:
        call(raw, metadata=bearer(token) if token else (), timeout=PATIENCE)
    except grpc.RpcError as error:
        refusal = error
    if refusal is not None:
        details = refusal.details() or ""
        assert refusal.code() not in FAULTS, details
        assert reason_of(refusal), details
        assert len(details) > 10


@pytest.mark.parametrize("name", UNARY)
def test_no_message_is_a_fault_of_the_service(name: str, struck: Service, channel: grpc.Channel) -> None:
    call: Any = channel.unary_unary(path(UNARY[name]))

    @settings(max_examples=some(100, least=25), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**64), st.sampled_from([struck.token, ""]))
    def sweep(seed: int, token: str) -> None:
        builder = Builder(random.Random(seed), ["naga", "deals", "1", "0.0", "designate 1"])
        check(call, builder.raw(UNARY[name]), token)

    sweep()


@pytest.mark.exhaustive
async def test_nothing_changes_by_what_is_sent_without_the_right_to_and_the_service_goes_on(struck: Service) -> None:
    async with Campaign(struck, 20_260_101, PREPARED) as campaign:
        before = campaign.memory()
        for method in METHODS.values():
            await campaign.strike(method, some(400, least=40) if method.client_streaming else some(60))
            await campaign.break_frames(method, some(40))
        for method in METHODS.values():
            await campaign.misuse(method, some(30))
        assert campaign.memory() - before < _MAX_GROWTH_MB
        assert campaign.outcomes["MALFORMED"] > some(100, least=20)
        assert campaign.outcomes["TOKEN_UNKNOWN"] > some(50, least=15)
        assert campaign.outcomes["broken"] > some(500, least=60)


async def test_the_service_is_as_well_after_the_sweep_as_before(struck: Service) -> None:
    async with Organiser(struck.address, struck.token) as organiser:
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants)
        await play_match(*organiser.by_chance(*entrants))
        await organiser.record(match_id)
    assert " fault " not in struck.log
