"""Requests that begin and do not come: few of a caller are read, the others take a window's room, and nobody waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.incoming import request_of
from fudaba_serving.grpc.rate_limit import Caller
from soak.flooding.deaf import Deaf
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Stream
from tests.support.service.organiser import Organiser
from tests.support.service.rate_limits import limited

LIST = "/fudaba.v1.CatalogService/ListGames"


async def test_of_requests_that_do_not_come_few_are_given_room_the_others_are_counted_and_nobody_else_waits(
    folder: Path,
) -> None:
    with limited(folder, "--concurrent-calls", "40") as service:
        held = [await Deaf.connect(service.address) for _ in range(5)]
        for deaf in held:
            for _ in range(12):
                deaf.open(LIST, "")
            await deaf.drain()
        # 40 of the 60 are open, the others are refused: each with its status, and a reset. 16 are read.
        await until(lambda: sum(deaf.ended["ended"] for deaf in held) == 2 * 20, "the refusal of those too many")
        await until(lambda: sum(len(deaf.given) for deaf in held) == 16, "room for those that are read")
        # Who has a token pays for himself.
        async with Organiser(service.address, service.token) as organiser:
            new = await organiser.entrant()
            async with Stream(service.address, new.token) as stream:
                await stream.hello()
            assert sum(len(deaf.given) for deaf in held) == 16
            for deaf in held:
                deaf.close()
            async with asyncio.timeout(PATIENCE):
                assert await games_once_there_is_room(organiser.channel)


# --- the parts


async def games_once_there_is_room(channel: grpc.aio.Channel) -> Any:
    """Returns the catalogue's games, once the service has seen that the connections before are closed."""
    catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(channel)
    while True:
        try:
            return (await catalogue.ListGames(catalog_pb2.ListGamesRequest())).games
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
        await asyncio.sleep(0.05)


async def never() -> AsyncIterator[str]:
    await asyncio.Event().wait()
    yield ""


async def single(text: str) -> AsyncIterator[str]:
    yield text


async def test_a_request_that_does_not_come_in_time_is_refused_and_so_is_one_that_finds_no_turn() -> None:
    caller = Caller(100.0, "somebody")
    held = [asyncio.ensure_future(request_of(never(), caller)) for _ in range(16)]
    await asyncio.sleep(0)
    with pytest.raises(Refused) as info:
        await request_of(single("late"), caller, 0.01)
    assert (info.value.name, info.value.retry_seconds > 0) == ("TOO_FAST", True)
    held.pop().cancel()
    assert await request_of(single("here"), caller) == "here"
    with pytest.raises(Refused) as info:
        await request_of(never(), caller, 0.01)
    assert info.value.name == "MALFORMED"
    assert "send it again, whole" in str(info.value)
    assert await request_of(single("here"), caller) == "here"
    for task in held:
        task.cancel()


async def test_few_wait_for_a_turn_and_one_more_is_refused_at_once() -> None:
    caller = Caller(100.0, "somebody")
    held = [asyncio.ensure_future(request_of(never(), caller)) for _ in range(16 + 48)]
    await asyncio.sleep(0)
    with pytest.raises(Refused) as info:
        await request_of(single("late"), caller)
    assert (info.value.name, info.value.retry_seconds > 0) == ("TOO_FAST", True)
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    assert await request_of(single("here"), caller) == "here"


async def test_a_call_without_any_request_is_refused() -> None:
    async def none() -> AsyncIterator[str]:
        for text in list[str]():
            yield text

    for caller in (None, Caller(100.0, "somebody")):
        with pytest.raises(Refused) as info:
            await request_of(none(), caller)
        assert info.value.name == "MALFORMED"
