"""Attacks by calls: many calls, and expensive ones."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Any, Final, cast

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from fudaba.v1 import matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc
from soak.flooding.attacking import Attack, Attacker
from tests.support.service.bots import bearer

__all__ = ["BY_CALLS"]

_CONCURRENT_CALLS: Final = 8


async def submit_archived(attacker: Attacker) -> None:
    """Attacks with SubmitMove to a long archived match of others."""
    target = attacker.target
    async with attacker.channel() as channel:
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)
        request = play_pb2.SubmitMoveRequest(answer=play_pb2.Answer(match_id=target.others, decision_id="0.0", index=0))
        await attacker.at_once(_CONCURRENT_CALLS, lambda: stub.SubmitMove(request, metadata=bearer(target.token)))


async def watch_archived(attacker: Attacker) -> None:
    """Attacks with WatchMatch of a long archived match, without a token."""
    async with attacker.channel() as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)

        async def watch() -> None:
            async for _ in stub.WatchMatch(matches_pb2.WatchMatchRequest(match_id=attacker.target.others)):
                pass

        await attacker.at_once(_CONCURRENT_CALLS, watch)


async def hello_archived(attacker: Attacker) -> None:
    """Attacks with Play: repeatedly sends a hello that names twenty archived matches."""
    async with attacker.channel() as channel:
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)
        seen = [play_pb2.Seen(match_id=match_id) for match_id in attacker.target.own]

        async def play() -> None:
            call = stub.Play(metadata=bearer(attacker.target.token))
            await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(seen=seen)))
            ends = 0
            while ends < len(seen):
                message = await call.read()
                if message is aio.EOF:
                    return
                ends += message.update.HasField("over")
            call.cancel()

        await attacker.forever(play)


async def health(attacker: Attacker) -> None:
    """Attacks with Health.Check, 64 at once."""
    async with attacker.channel() as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        await attacker.at_once(64, lambda: stub.Check(health_pb2.HealthCheckRequest()))


async def reflection(attacker: Attacker) -> None:
    """Attacks with reflection on 16 streams."""
    async with attacker.channel() as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(cast("grpc.Channel", channel))
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="fudaba.v1.MatchService")

        async def ask() -> None:
            call = stub.ServerReflectionInfo()
            while True:
                with contextlib.suppress(asyncio.InvalidStateError):  # it has ended since; that is read
                    await call.write(request)
                if await call.read() is aio.EOF:
                    raise aio.AioRpcError(
                        await call.code(), await call.initial_metadata(), await call.trailing_metadata(),
                        await call.details(),
                    )  # fmt: skip
                attacker.replies["answers"] += 1
                await attacker.turn()

        await attacker.at_once(16, ask)


async def unknown(attacker: Attacker) -> None:
    """Attacks with methods that do not exist, 64 at once."""
    async with attacker.channel() as channel:
        call: Any = channel.unary_unary("/fudaba.v1.MatchService/Nothing")
        await attacker.at_once(64, lambda: call(b""))


async def wrong_tokens(attacker: Attacker) -> None:
    """Attacks with calls whose tokens are unknown, a different one each, 64 at once."""
    async with attacker.channel() as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        request = matches_pb2.GetMatchRequest(match_id=attacker.target.others)
        await attacker.at_once(64, lambda: stub.GetMatch(request, metadata=bearer(secrets.token_hex(16))))


BY_CALLS: Final[dict[str, Attack]] = {
    "submit-archived": submit_archived,
    "watch-archived": watch_archived,
    "hello-archived": hello_archived,
    "health": health,
    "reflection": reflection,
    "unknown": unknown,
    "wrong-tokens": wrong_tokens,
}
