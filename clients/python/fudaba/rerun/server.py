"""A server with one seat of one match that speaks the contract's Play."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, final

import grpc
from grpc import aio

from fudaba.client import Endpoint
from fudaba.refusals import Refused
from fudaba.rerun.replayed_seat import RerunSeat, SentUpdates
from fudaba.v1 import errors_pb2, play_pb2, play_pb2_grpc

__all__ = ["PlayServer", "serving"]

# A bot may stand still in a debugger, so this side sends no pings, and accepts all of the bot's.
_OPTIONS: Final = (
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
)
_STOP_TIMEOUT_SECONDS: Final = 5.0
"""The time that streams have to learn that the match is over."""
_PLAY_ONLY: Final = "decisions are put again over the stream Play only"


@final
class PlayServer(play_pb2_grpc.PlayServiceServicer):
    """The only method that a bot's process needs. A newer stream replaces the one before."""

    def __init__(self, seat: RerunSeat, token: str) -> None:
        self._seat = seat
        self._token = token
        self._newest = 0
        self._replaced = asyncio.Event()
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Carries the exception of a fault of this server, if there is one."""
        self.connected = asyncio.Event()
        """Set when a bot has said hello."""
        self.told_end = asyncio.Event()
        """Set when a stream has got the end of the match."""

    async def Play(  # type: ignore[override]  # noqa: N802 - grpc.aio lets it read and write by hand; the contract's name
        self, _: Any, context: aio.ServicerContext[Any, Any]
    ) -> None:
        """See play.proto."""
        try:
            await self._play(context)
        except Refused as refused:
            await context.abort_with_status(refused.status())
        except Exception as error:
            if not self.broken.done():  # the bot would come back again and again
                self.broken.set_exception(error)
            raise

    async def WatchSeat(  # type: ignore[override]  # noqa: N802 - as above
        self, _: Any, context: aio.ServicerContext[Any, Any]
    ) -> None:
        """Refuses: it is not supported here."""
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, _PLAY_ONLY)

    async def SubmitMove(  # type: ignore[override]  # noqa: N802 - as above
        self, _: Any, context: aio.ServicerContext[Any, Any]
    ) -> None:
        """Refuses: it is not supported here."""
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, _PLAY_ONLY)

    async def _play(self, context: aio.ServicerContext[Any, Any]) -> None:
        metadata: Any = context.invocation_metadata()
        if dict(metadata or ()).get("authorization") != f"Bearer {self._token}":
            raise Refused(errors_pb2.REASON_TOKEN_UNKNOWN, "this is not the token that FUDABA_TOKEN has")
        first = await context.read()
        if not isinstance(first, play_pb2.PlayRequest) or first.WhichOneof("message") != "hello":
            raise Refused.malformed("the first message of a stream is hello")
        self._replaced.set()
        self._replaced = replaced = asyncio.Event()
        position = SentUpdates(first.hello.delivery)
        position.seen = next(
            (seen_match.seen for seen_match in first.hello.seen if seen_match.match_id == self._seat.match_id), 0
        )
        player = self._seat.player
        welcome = play_pb2.Welcome(bot=player.bot, version=player.version)
        await context.write(play_pb2.PlayResponse(welcome=welcome))
        self.connected.set()
        writing = asyncio.Lock()  # a stream takes one message at a time
        works = [
            asyncio.create_task(self._read(context, writing)),
            asyncio.create_task(self._write(context, writing, position)),
            asyncio.create_task(replaced.wait()),
        ]
        try:
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            if replaced.is_set():
                raise Refused(errors_pb2.REASON_SUPERSEDED, "another stream plays with this token")
            for work in works[:2]:
                if work.done():
                    work.result()
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def _read(self, context: aio.ServicerContext[Any, Any], writing: asyncio.Lock) -> None:
        while isinstance(request := await context.read(), play_pb2.PlayRequest):
            kind = request.WhichOneof("message")
            if kind == "answer":
                refusal = self._seat.take(request.answer)
                if refusal is not None:
                    async with writing:
                        await context.write(play_pb2.PlayResponse(refusal=refusal))
            elif kind == "resign":
                self._seat.resign()

    async def _write(
        self, context: aio.ServicerContext[Any, Any], writing: asyncio.Lock, stream_state: SentUpdates
    ) -> None:
        """Sends news until the end. Then raises `Refused`, which ends a match token's stream."""
        while True:
            changed = self._seat.changed
            response = self._seat.news(stream_state)
            if response is not None:
                async with writing:
                    await context.write(response)
                continue
            if self._seat.over:
                self.told_end.set()
                raise Refused(errors_pb2.REASON_MATCH_OVER, "the match is over")
            await changed.wait()


@asynccontextmanager
async def serving(seat: RerunSeat) -> AsyncIterator[tuple[PlayServer, Endpoint]]:
    """Yields a server with this seat on a free port of this machine: its address and its token."""
    token = secrets.token_urlsafe(16)
    own = PlayServer(seat, token)
    server = aio.server(options=_OPTIONS)
    play_pb2_grpc.add_PlayServiceServicer_to_server(own, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield own, Endpoint(f"127.0.0.1:{port}", token)
    finally:
        own.broken.cancel()
        seat.end()
        # A bot whose stream is cut before it learns of the end would reconnect for ever.
        await server.stop(_STOP_TIMEOUT_SECONDS)
