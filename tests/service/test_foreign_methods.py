"""Health, reflection and methods that there are not: they answer, and are paid for like any call."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from soak.flooding.deaf import Deaf
from tests.support.hostile.wire import grpc_message
from tests.support.patience import until
from tests.support.service.bots import CHANNEL, Stream, bearer
from tests.support.service.organiser import Organiser
from tests.support.service.rate_limits import check_cut, limited

SLOW = ("--calls-per-second", "4")
"""Forty at once, and then four a second."""
METHOD = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
Call = Callable[[], Awaitable[object]]
CONCURRENT_CALLS = 60
THREADS = ThreadPoolExecutor(CONCURRENT_CALLS)


async def cut(call: Call, allowed: Callable[[grpc.RpcError], bool] = lambda _: False) -> int:
    """Calls until it is refused for its speed, as it must be. Returns how many calls were not."""
    served = 0
    while True:
        answers = await asyncio.gather(*[call() for _ in range(CONCURRENT_CALLS)], return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, grpc.RpcError) and not allowed(answer)]
        for error in refused:
            check_cut(error)
        served += len(answers) - len(refused)
        if refused:
            return served


async def reflected(address: str, request: reflection_pb2.ServerReflectionRequest) -> list[Any]:
    """Returns what the reflection says to a question.

    With gRPC's threads: a question that a refusal overtakes loses grpc.aio its status.
    """

    def ask() -> list[Any]:
        with grpc.insecure_channel(address) as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            return list(stub.ServerReflectionInfo(iter([request])))

    return await asyncio.get_running_loop().run_in_executor(THREADS, ask)


def unknown(error: grpc.RpcError) -> bool:
    return error.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_methods_that_there_are_not_are_unimplemented_and_paid_for_by_the_address(folder: Path) -> None:
    with limited(folder, *SLOW) as service:
        async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
            call: Any = channel.unary_unary("/fudaba.v1.MatchService/Nothing")
            # Whatever token comes with it.
            assert await cut(lambda: call(b"", metadata=bearer(service.token)), unknown) >= 40
            catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(channel)
            await cut(lambda: catalogue.ListGames(catalog_pb2.ListGamesRequest()))
            # Who is known pays for himself, and a probe of the health has what it needs.
            health: Any = health_pb2_grpc.HealthStub(channel)
            assert (await health.Check(health_pb2.HealthCheckRequest())).status == 1
        async with Organiser(service.address, service.token) as organiser:
            await organiser.entrant()


async def test_a_bot_that_was_never_here_is_let_in_while_strangers_at_its_address_are_refused(folder: Path) -> None:
    with limited(folder, *SLOW) as service:
        async with (
            aio.insecure_channel(service.address, options=CHANNEL) as channel,
            Organiser(service.address, service.token) as organiser,
        ):
            call: Any = channel.unary_unary("/fudaba.v1.MatchService/Nothing")

            async def flood() -> None:
                while True:
                    with contextlib.suppress(aio.AioRpcError):
                        await call(b"")

            await cut(lambda: call(b""), unknown)
            flooding = [asyncio.ensure_future(flood()) for _ in range(60)]
            for _ in range(3):
                new = await organiser.entrant()
                async with Stream(service.address, new.token) as stream:
                    await stream.hello()
            for task in flooding:
                task.cancel()
            await asyncio.gather(*flooding, return_exceptions=True)


async def test_health_is_paid_for_by_the_address(folder: Path) -> None:
    with limited(folder, *SLOW) as service:
        async with aio.insecure_channel(service.address, options=CHANNEL) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            watch = health.Watch(health_pb2.HealthCheckRequest())
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
            request = health_pb2.HealthCheckRequest(service="nothing")
            with pytest.raises(aio.AioRpcError) as info:
                await health.Check(request)
            assert info.value.code() == grpc.StatusCode.NOT_FOUND
            assert await cut(lambda: health.Check(health_pb2.HealthCheckRequest())) >= 38
            catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(channel)
            assert (await catalogue.ListGames(catalog_pb2.ListGamesRequest())).games


async def test_each_question_to_the_reflection_is_paid_for_by_the_address(folder: Path) -> None:
    with limited(folder, *SLOW) as service:

        async def ask() -> None:
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            assert (await reflected(service.address, request))[0].list_services_response.service

        await ask()
        assert await cut(ask) >= 6, "a question counts as five calls"


async def test_of_streams_of_the_reflection_an_address_has_sixteen_open_so_that_few_answers_are_held(
    folder: Path,
) -> None:
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="fudaba.v1.MatchService")
    question = grpc_message(request.SerializeToString())
    with limited(folder) as service:
        held = [await Deaf.connect(service.address) for _ in range(2)]

        def refused(words: bytes) -> int:
            return sum(words in ending for deaf in held for ending in deaf.endings)

        for _ in range(20):
            for deaf in held:
                await deaf.begin(METHOD, "", question * 4)
        # Sixteen of the forty are open and not read; as many wait, and are refused later than the others. Where the
        # last come so late that the first have waited in vain, these wait in their place.
        late, at_once = b"too many streams are open", b"32 calls are open"
        await until(lambda: refused(late) + refused(at_once) == 24, "the refusal of all others")
        assert refused(late) >= 16
        with pytest.raises(grpc.RpcError) as info:
            await reflected(service.address, request)
        check_cut(info.value)
        for deaf in held:
            deaf.close()

        reflection: list[Any] = []
        while not reflection:  # until it is known there that they are gone
            with contextlib.suppress(grpc.RpcError):
                reflection = await reflected(service.address, request)
