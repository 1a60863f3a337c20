"""The server goes on listening whatever a call's method is called, and a process that does not listen ends."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc import aio

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_serving.grpc.listener import ListenerEnded, listener, serve_on
from tests.support.hostile.wire import (
    DATA,
    END_STREAM,
    LAST,
    PING,
    PREFACE,
    SETTINGS,
    Breaker,
    converse,
    frame,
    grpc_message,
)
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.service.rate_limits import limited

NAMES = [b"\xff\xfe", b"/fudaba.v1.CatalogService/\xff", b"", b"/", b"\x00", "/é".encode(), b"/a.B/C" * 500]


def call_of(name: bytes) -> bytes:
    """Returns all of a connection that calls a method of this name."""
    breaker = Breaker(random.Random(0), "/", "")
    call = breaker.open(1, breaker.headers(__path=name)) + frame(DATA, END_STREAM, 1, grpc_message(b""))
    return PREFACE + frame(SETTINGS, 0, 0, b"") + call + frame(PING, 0, 0, LAST)


async def games(address: str) -> int:
    async with aio.insecure_channel(address) as channel:
        stub: Any = catalog_pb2_grpc.CatalogServiceStub(channel)
        return len((await stub.ListGames(catalog_pb2.ListGamesRequest())).games)


async def test_a_call_whose_method_has_no_name_that_can_be_read_is_refused_and_the_service_goes_on(
    service: Service,
) -> None:
    for name in NAMES:
        await converse(service.address, call_of(name))
        assert await games(service.address) > 0, name


async def test_a_method_that_is_not_there_is_unimplemented(service: Service) -> None:
    async with aio.insecure_channel(service.address) as channel:
        for name in ("/fudaba.v1.CatalogService/Nothing", "/fudaba.v2.CatalogService/ListGames", "/x"):
            for _ in range(3):
                call: Any = channel.unary_unary(name)
                with pytest.raises(aio.AioRpcError) as info:
                    await call(b"", timeout=PATIENCE)
                assert info.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_metadata_that_is_no_text_is_refused_and_not_logged(folder: Any) -> None:
    with limited(folder) as service:
        breaker = Breaker(random.Random(0), "/fudaba.v1.BotService/ListBots", "")
        headers = breaker.headers(authorization=b"Bearer \xff\xfe", x_other=b"\x80" * 2000)
        call = breaker.open(1, headers) + frame(DATA, END_STREAM, 1, grpc_message(b""))
        sent = PREFACE + frame(SETTINGS, 0, 0, b"") + call + frame(PING, 0, 0, LAST)
        for _ in range(5):
            assert b"object at" not in await converse(service.address, sent)
        assert await games(service.address) > 0
        assert "Invalid encoding" not in service.log


@pytest.fixture
async def server() -> AsyncIterator[aio.Server]:
    started = listener([], [])
    started.add_insecure_port("127.0.0.1:0")
    await started.start()
    yield started
    await started.stop(None)


async def test_who_serves_on_a_server_that_has_ended_is_told_so(server: aio.Server) -> None:
    working = asyncio.create_task(asyncio.sleep(3600))
    serving = asyncio.create_task(serve_on(server, working))
    await asyncio.sleep(0.05)
    assert not serving.done()
    await server.stop(None)
    with pytest.raises(ListenerEnded):
        await serving
    working.cancel()


async def test_what_ends_the_work_is_told_and_the_server_can_still_be_stopped(server: aio.Server) -> None:
    async def fails() -> None:
        raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        await serve_on(server, asyncio.create_task(fails()))
    serving = asyncio.create_task(serve_on(server, asyncio.create_task(asyncio.sleep(3600))))
    await asyncio.sleep(0.05)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    async with asyncio.timeout(PATIENCE):
        await server.stop(0.1)
