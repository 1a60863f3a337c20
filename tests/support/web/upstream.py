"""A gateway in this process, and a scripted service or arena behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import grpc
import httpx
from google.protobuf.message import Message

from fudaba.refusals import Refused
from fudaba_web.app import gateway
from fudaba_web.settings import Settings

DOCUMENT = "<!doctype html><html><head><title>Fudaba</title></head><body></body></html>"


@asynccontextmanager
async def serving(folder: Path, server: str, arena: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """Yields a gateway with the smallest page there is."""
    (folder / "index.html").write_text(DOCUMENT)
    app = gateway(Settings(page=folder, server=server, arena=arena))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="https://play.example.org") as client,
    ):
        yield client


class Upstream:
    """A service or an arena that answers every call in one way, once it may, and notes its calls."""

    def __init__(self, refusal: grpc.StatusCode | Refused, **answers: Message) -> None:
        """Refuses all methods, but for those of whose names there are `answers`."""
        self.refusal = refusal
        self.answers = answers
        self.calls: list[tuple[str, str]] = []
        """The method of each, and for which address it was."""
        self.may_answer = asyncio.Event()
        self._server = grpc.aio.server(handlers=(self._Any(self),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.may_answer.set()
        await self._server.stop(0)

    async def _answer(self, method: str, context: Any) -> bytes:
        self.calls.append((method, dict(context.invocation_metadata()).get("fudaba-client-address", "")))
        await self.may_answer.wait()
        if method not in self.answers:
            if isinstance(self.refusal, Refused):
                status = self.refusal.status()
                await context.abort(status.code, status.details, status.trailing_metadata)
            await context.abort(self.refusal, "as the test says")
        return self.answers[method].SerializeToString()

    class _Any(grpc.GenericRpcHandler):
        def __init__(self, upstream: Upstream) -> None:
            self._upstream = upstream

        def service(self, call: grpc.HandlerCallDetails) -> Any:
            method = call.method.rpartition("/")[2]

            async def answer(_: bytes, context: Any) -> bytes:
                return await self._upstream._answer(method, context)

            return grpc.unary_unary_rpc_method_handler(answer)
