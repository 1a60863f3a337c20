"""Fronts: of those that `--behind` names, the word on from where a call comes counts, and nobody else's does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from tests.support.service.bots import CHANNEL, bearer, reason_of
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service
from tests.support.service.rate_limits import limited

SLOW = ("--calls-per-second", "4")
"""Forty at once, and then four a second."""


async def refusals(address: str, call: str, *names: str) -> list[int]:
    """Of sixty calls at once under each of these names, one after another, how many are refused."""
    async with aio.insecure_channel(address, options=CHANNEL) as channel:
        unknown: Any = channel.unary_unary("/fudaba.v1.MatchService/Nothing")
        health: Any = health_pb2_grpc.HealthStub(channel)
        catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(channel)

        async def accepted(name: str) -> bool:
            metadata = (("fudaba-client-address", name),)
            try:
                if call == "unknown":
                    await unknown(b"", metadata=metadata)
                elif call == "health":
                    await health.Check(health_pb2.HealthCheckRequest(), metadata=metadata)
                elif call == "token":
                    never = (*metadata, *bearer(f"{name} {next(numbers)}".replace(" ", "-")))
                    await catalogue.ListGames(catalog_pb2.ListGamesRequest(), metadata=never)
                else:
                    await catalogue.ListGames(catalog_pb2.ListGamesRequest(), metadata=metadata)
            except aio.AioRpcError as error:
                return reason_of(error) == "TOO_FAST"
            return False

        numbers = iter(range(1_000_000))
        return [sum(await asyncio.gather(*[accepted(name) for _ in range(60)])) for name in names]


@pytest.mark.parametrize(
    "call", [*(pytest.param(more, marks=pytest.mark.exhaustive) for more in ("ours", "health", "unknown")), "token"]
)
async def test_each_client_of_a_front_has_the_limits_of_its_own_address(folder: Path, call: str) -> None:
    with limited(folder, *SLOW, "--behind", "10.0.0.0/8,127.0.0.1") as service:
        first, again, network, same = await refusals(
            service.address, call, "10.1.1.1", "10.1.1.1", "2001:db8::1", "2001:db8::2"
        )
        assert again > first, "the same address pays again"
        assert network < again, "another one has limits of its own"
        assert same > network, "a /64 network of IPv6 is one address"


async def test_the_word_of_anybody_else_does_not_count(folder: Path) -> None:
    with limited(folder, *SLOW, "--behind", "10.0.0.0/8,unix") as service:
        first, other = await refusals(service.address, "ours", "10.1.1.1", "10.1.1.2")
        assert other > first


@pytest.mark.exhaustive
async def test_a_front_may_come_through_a_unix_socket(folder: Path) -> None:
    with limited(folder, *SLOW, "--behind", "unix", "--listen", f"unix:{folder}/socket") as service:
        first, other = await refusals(service.address, "ours", "10.1.1.1", "10.1.1.2")
        assert max(first, other) <= 60 - 40, "each has its own forty at once"
        async with Organiser(service.address, service.token) as organiser:
            await organiser.entrant()


def test_what_is_no_address_is_refused(folder: Path) -> None:
    said = Service(folder).refuses_to_start("--behind", "10.0.0.1,proxy.example.org", status=2)
    assert "proxy.example.org" in said
    assert "10.0.1.0/24" in said
