"""`PUT /submissions/BOT/FILE`: a submission in one request, for who has nothing but curl.

The arena wants a file's size and hash before its bytes, so what comes is first put aside, on disk if it is large.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import sha256
from typing import IO, Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from grpc import aio
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from fudaba.v1 import arena_pb2, submissions_pb2
from fudaba_web.errors import as_response, malformed, too_large, translated, unreachable
from fudaba_web.upstreams import Upstreams

__all__ = ["Uploads"]

_SERVICE: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"]
_PIECE: Final = 512 * 1024
_IN_MEMORY: Final = 2 * _PIECE
_LARGEST: Final = 1_000_000_000
"""Bytes that are put aside. What the arena takes is less, and it says so."""
_SECONDS: Final = 60.0
_FINISH_SECONDS: Final = 600.0

Call = Callable[[str, Message, float], Awaitable[Any]]


@final
class Uploads:
    """Passes files on to the arena."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams

    async def put(self, request: Request) -> Response:
        """Answers with the submission, whose stages begin: GetSubmission tells how they end."""
        try:
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
                digest, size = await _put_aside(request, file)
                submission = await self._pass_on(request, file, digest, size)
        except ConnectError as error:
            return as_response(error)
        except aio.AioRpcError as error:
            return as_response(translated(error, "arena"))
        return Response(MessageToJson(submission, indent=None) + "\n", media_type="application/json")

    async def _pass_on(self, request: Request, file: IO[bytes], digest: bytes, size: int) -> submissions_pb2.Submission:
        call = partial(self._call, request)
        created = submissions_pb2.CreateSubmissionRequest(
            bot=request.path_params["bot"], file=request.path_params["file"], size=size, sha256=digest,
            message=request.query_params.get("message", ""),
        )  # fmt: skip
        name = (await call("CreateSubmission", created, _SECONDS)).submission.submission_id
        file.seek(0)
        offset = 0
        while piece := await run_in_threadpool(file.read, _PIECE):
            written = submissions_pb2.WriteSubmissionRequest(submission_id=name, offset=offset, content=piece)
            await call("WriteSubmission", written, _SECONDS)
            offset += len(piece)
        finished = submissions_pb2.FinishSubmissionRequest(submission_id=name)
        submission: submissions_pb2.Submission = (await call("FinishSubmission", finished, _FINISH_SECONDS)).submission
        return submission

    async def _call(self, request: Request, name: str, message: Message, seconds: float) -> Any:
        method = _SERVICE.methods_by_name[name]
        if not self._upstreams.has(method):
            raise unreachable("arena")
        metadata = self._upstreams.metadata(method, message, request.headers, "")
        return await self._upstreams.unary(method)(message, timeout=seconds, metadata=metadata)


async def _put_aside(request: Request, file: IO[bytes]) -> tuple[bytes, int]:
    """Writes the request's body to a file; its SHA-256 and size."""
    digest, size = sha256(), 0
    if int(request.headers.get("content-length", "0")) > _LARGEST:
        raise too_large(f"the file has more than {_LARGEST} bytes")
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > _LARGEST:
                raise too_large(f"the file has more than {_LARGEST} bytes")
            digest.update(chunk)
            await run_in_threadpool(file.write, chunk)
    except ClientDisconnect:
        raise malformed("the file was not sent to its end; nothing of it is kept, so send it again") from None
    return digest.digest(), size
