"""A file that the arena takes too slowly is given up in time, and its room is free again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from grpc import aio
from starlette.applications import Starlette
from starlette.routing import Route

from fudaba.client import Endpoint
from fudaba.v1 import arena_pb2_grpc
from fudaba.v1 import submissions_pb2 as pb
from fudaba_web import uploads
from fudaba_web.uploads import UploadProxy
from fudaba_web.upstreams import Upstreams
from tests.support.patience import PATIENCE

CONTENT = b"# x" * 400_000


class SlowArena(arena_pb2_grpc.ArenaServiceServicer):
    """Takes the first piece of a file, and is silent at the second one until it is told to go on."""

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def CreateSubmission(self, request: pb.CreateSubmissionRequest, _: object) -> pb.CreateSubmissionResponse:  # noqa: N802 - gRPC's name
        return pb.CreateSubmissionResponse(submission=pb.Submission(submission_id="one"), account="alice")

    async def WriteSubmission(self, request: pb.WriteSubmissionRequest, _: object) -> pb.WriteSubmissionResponse:  # noqa: N802 - gRPC's name
        if request.offset:
            await self.goes_on.wait()
        return pb.WriteSubmissionResponse(received=request.offset + len(request.content))

    async def FinishSubmission(self, request: pb.FinishSubmissionRequest, _: object) -> pb.FinishSubmissionResponse:  # noqa: N802 - gRPC's name
        return pb.FinishSubmissionResponse(submission=pb.Submission(submission_id=request.submission_id))


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[tuple[SlowArena, UploadProxy]]:
    slow = SlowArena()  # type: ignore[abstract]  # the rest is not called
    server, address = aio.server(), f"unix:{tmp_path}/a"
    arena_pb2_grpc.add_ArenaServiceServicer_to_server(slow, server)
    server.add_insecure_port(address)
    await server.start()
    upstreams = Upstreams(Endpoint(f"unix:{tmp_path}/s", ""), Endpoint(address, ""), "")
    yield slow, UploadProxy(upstreams)
    await upstreams.close()
    await server.stop(None)


async def test_what_an_arena_takes_too_slowly_is_given_up_and_told(
    arena: tuple[SlowArena, UploadProxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, passed_on = arena
    monkeypatch.setattr(uploads, "_PASS_ON_SECONDS", 0.3)
    monkeypatch.setattr(uploads, "_MIN_BYTES_PER_SECOND", 1e9)
    app = Starlette(routes=[Route("/submissions/{bot}/{file:path}", passed_on.put, methods=["PUT"])])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://web", timeout=PATIENCE) as client:
        response = await client.put("/submissions/one/bot.py", content=CONTENT)
        assert response.json()["code"] == "deadline_exceeded"
        assert f"of {len(CONTENT)} bytes of the file" in response.json()["message"]
        assert "send it again later" in response.json()["message"]
        assert passed_on._spool._files == set()
        slow.goes_on.set()
        monkeypatch.setattr(uploads, "_PASS_ON_SECONDS", PATIENCE)
        assert (await client.put("/submissions/one/bot.py", content=CONTENT)).json()["submissionId"] == "one"
