"""`PUT /submissions/BOT/FILE`: a submission in one request, for who has nothing but curl.

The arena wants a file's hash before its bytes, so what comes is first put aside, on disk if it is large. Before
anything of it is read, the arena says whether it would take a file of that size for that bot from this caller. How
many files are put aside at once, for an account and in all, and for how long, is bounded. Such a file has no name: it
is gone with the gateway, however that ends.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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
from fudaba_web.errors import as_response, malformed, too_large, too_many, too_slow, translated, unreachable
from fudaba_web.sessions import address_of
from fudaba_web.upstreams import Upstreams

__all__ = ["UploadProxy"]

_SERVICE: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"]
_PIECE_BYTES: Final = 512 * 1024
_MAX_IN_MEMORY_BYTES: Final = 2 * _PIECE_BYTES
_MAX_SPOOLED_BYTES: Final = 1_000_000_000
"""Bytes that are put aside at once in all. What the arena takes of one file is less, and it says so."""
_MAX_SPOOLED_FILES: Final = 16
_MAX_FILES_PER_ACCOUNT: Final = 2
"""How many files are put aside at once for an account; those of bots without one are the organiser's."""
_BODY_SECONDS: Final = 900.0
_PAUSE_SECONDS: Final = 30.0
"""How long a caller may send nothing."""
_RETRY_SECONDS: Final = 5.0
_CALL_TIMEOUT_SECONDS: Final = 60.0
_FINISH_SECONDS: Final = 600.0
_PASS_ON_SECONDS: Final = 60.0
_MIN_BYTES_PER_SECOND: Final = 100_000
"""Bytes a second that the arena takes at least of a file, beside that: else it would hold its room here for hours."""

Call = Callable[[str, Message, float], Awaitable[Any]]


@final
class UploadProxy:
    """Passes files on to the arena."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._aside: Counter[str] = Counter()
        """How many files are put aside for each account."""
        self._bytes = 0
        """How many bytes they have, or will have."""

    async def put(self, request: Request) -> Response:
        """Answers with the submission, whose stages begin: GetSubmission tells how they end."""
        try:
            size = _announced_size(request)
            account = await self._may_send(request, size)
            with self._room(account, size), tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY_BYTES) as file:
                digest = await _put_aside(request, file, size)
                submission = await self._pass_on(request, file, digest, size)
        except ConnectError as error:
            return as_response(error)
        except aio.AioRpcError as error:
            return as_response(translated(error, "arena"))
        return Response(MessageToJson(submission, indent=None) + "\n", media_type="application/json")

    async def _may_send(self, request: Request, size: int) -> str:
        """The account that a file would be put down to. Refuses what the arena would not take."""
        asked = _announcement(request, size)
        asked.validate_only = True
        account: str = (await self._call(request, "CreateSubmission", asked, _CALL_TIMEOUT_SECONDS)).account
        return account

    @contextmanager
    def _room(self, account: str, size: int) -> Iterator[None]:
        """Room for one more file."""
        if self._aside[account] >= _MAX_FILES_PER_ACCOUNT:
            raise too_many("files sent at once", _MAX_FILES_PER_ACCOUNT, f"account {account}", _RETRY_SECONDS)
        if self._aside.total() >= _MAX_SPOOLED_FILES:
            raise too_many("files sent at once", _MAX_SPOOLED_FILES, "all accounts", _RETRY_SECONDS)
        if self._bytes + size > _MAX_SPOOLED_BYTES:
            raise too_many("bytes sent at once", _MAX_SPOOLED_BYTES, "all accounts", _RETRY_SECONDS)
        self._aside[account] += 1
        self._bytes += size
        try:
            yield
        finally:
            self._bytes -= size
            self._aside[account] -= 1
            self._aside += Counter()  # forgets who has none

    async def _pass_on(self, request: Request, file: IO[bytes], digest: bytes, size: int) -> submissions_pb2.Submission:
        call = partial(self._call, request)
        created = _announcement(request, size)
        created.sha256 = digest
        name = (await call("CreateSubmission", created, _CALL_TIMEOUT_SECONDS)).submission.submission_id
        file.seek(0)
        offset, seconds = 0, _PASS_ON_SECONDS + size / _MIN_BYTES_PER_SECOND
        try:
            async with asyncio.timeout(seconds):
                while piece := await run_in_threadpool(file.read, _PIECE_BYTES):
                    written = submissions_pb2.WriteSubmissionRequest(submission_id=name, offset=offset, content=piece)
                    await call("WriteSubmission", written, _CALL_TIMEOUT_SECONDS)
                    offset += len(piece)
        except TimeoutError:
            raise too_slow("arena", f"{offset} of {size} bytes of the file in {seconds:.0f} s") from None
        finished = submissions_pb2.FinishSubmissionRequest(submission_id=name)
        submission: submissions_pb2.Submission = (await call("FinishSubmission", finished, _FINISH_SECONDS)).submission
        return submission

    async def _call(self, request: Request, name: str, message: Message, seconds: float) -> Any:
        method = _SERVICE.methods_by_name[name]
        if not self._upstreams.has(method):
            raise unreachable("arena")
        metadata = self._upstreams.metadata(method, message, request.headers, address_of(request))
        return await self._upstreams.unary(method)(message, timeout=seconds, metadata=metadata)


def _announcement(request: Request, size: int) -> submissions_pb2.CreateSubmissionRequest:
    return submissions_pb2.CreateSubmissionRequest(
        bot=request.path_params["bot"],
        file=request.path_params["file"],
        size=size,
        message=request.query_params.get("message", ""),
    )


def _announced_size(request: Request) -> int:
    """Reads what the request says of its body's size."""
    length_text = request.headers.get("content-length", "")
    if not length_text.isascii() or not length_text.isdecimal():
        raise malformed("the request does not say how many bytes follow; send a Content-Length, as `curl -T FILE` does")
    if (size := int(length_text)) > _MAX_SPOOLED_BYTES:
        raise too_large(f"the file has more than {_MAX_SPOOLED_BYTES} bytes")
    return size


async def _put_aside(request: Request, file: IO[bytes], size: int) -> bytes:
    """Writes the request's body to a file; its SHA-256."""
    digest, received, chunks = sha256(), 0, aiter(request.stream())
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while (chunk := await asyncio.wait_for(anext(chunks, None), _PAUSE_SECONDS)) is not None:
                received += len(chunk)
                if received > size:
                    raise malformed(f"more than the {size} bytes follow that the request says")
                digest.update(chunk)
                await run_in_threadpool(file.write, chunk)
    except TimeoutError:
        raise malformed(
            f"the file was not sent to its end: {received} of {size} bytes are here after {_BODY_SECONDS:.0f} s, or "
            f"nothing came for {_PAUSE_SECONDS:.0f} s; nothing of it is kept, so send it again"
        ) from None
    except ClientDisconnect:
        raise malformed("the file was not sent to its end; nothing of it is kept, so send it again") from None
    if received != size:
        raise malformed("the file was not sent to its end; nothing of it is kept, so send it again")
    return digest.digest()
