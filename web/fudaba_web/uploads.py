"""`PUT /submissions/BOT/FILE`: a submission in one request, for authors who have only curl.

The arena wants a file's hash before its bytes, so the gateway first puts the file aside, on disk if it is large. Before
it reads any of it, the arena says whether it would take a file of that size for that bot from this caller. `spool.py`
bounds the number of files that are put aside at once, for an account and in all, and the time. Such a file has no name:
it is gone when the gateway ends, however it ends.
"""

from __future__ import annotations

import asyncio
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
from fudaba_web.errors import as_response, gave_way, malformed, too_large, too_slow, translated, unreachable
from fudaba_web.sessions import address_of
from fudaba_web.spool import BODY_SECONDS, Spool, Spooled
from fudaba_web.upstreams import Upstreams

__all__ = ["UploadProxy"]

_SERVICE: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"]
_PIECE_BYTES: Final = 512 * 1024
_MAX_IN_MEMORY_BYTES: Final = 64 * 1024
_MAX_FILE_BYTES: Final = 1_000_000_000
"""The greatest size of a file in bytes. The arena takes smaller files only, and says so."""
_PAUSE_SECONDS: Final = 30.0
"""The time for which a caller may be silent."""
_CALL_TIMEOUT_SECONDS: Final = 60.0
_FINISH_SECONDS: Final = 600.0
_PASS_ON_SECONDS: Final = 60.0
_MIN_BYTES_PER_SECOND: Final = 100_000
"""The bytes a second that an upload to the arena has to reach, beyond that time: a slower file would hold its room here
for hours.
"""

Call = Callable[[str, Message, float], Awaitable[Any]]


@final
class UploadProxy:
    """Passes files on to the arena."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._spool = Spool()

    async def put(self, request: Request) -> Response:
        """Answers with the submission, whose stages begin; GetSubmission says how they end."""
        try:
            size = _announced_size(request)
            account = await self._may_send(request, size)
            with (
                self._spool.room(account, size) as spooled,
                tempfile.SpooledTemporaryFile(_MAX_IN_MEMORY_BYTES) as file,
            ):
                digest = await _put_aside(request, file, spooled)
                submission = await self._pass_on(request, file, digest, size)
        except ConnectError as error:
            return as_response(error)
        except aio.AioRpcError as error:
            return as_response(translated(error, "arena"))
        return Response(MessageToJson(submission, indent=None) + "\n", media_type="application/json")

    async def _may_send(self, request: Request, size: int) -> str:
        """Returns the account that a file would count for. Refuses a file that the arena would not take."""
        asked = _announcement(request, size)
        asked.validate_only = True
        account: str = (await self._call(request, "CreateSubmission", asked, _CALL_TIMEOUT_SECONDS)).account
        return account

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
    """Returns the size of the body that the request announces."""
    length_text = request.headers.get("content-length", "")
    if not length_text.isascii() or not length_text.isdecimal():
        raise malformed("the request does not say how many bytes follow; send a Content-Length, as `curl -T FILE` does")
    if (size := int(length_text)) > _MAX_FILE_BYTES:
        raise too_large(f"the file has more than {_MAX_FILE_BYTES} bytes")
    return size


def _end(deadline: asyncio.Timeout) -> None:
    """Ends an upload now, unless it ends anyway."""
    if not deadline.expired():
        deadline.reschedule(0.0)


async def _put_aside(request: Request, file: IO[bytes], spooled: Spooled) -> bytes:
    """Writes the request's body to a file. Returns its SHA-256."""
    digest, chunks, size = sha256(), aiter(request.stream()), spooled.size
    try:
        async with asyncio.timeout(BODY_SECONDS) as deadline:
            spooled.gives_way = partial(_end, deadline)
            while (chunk := await asyncio.wait_for(anext(chunks, None), _PAUSE_SECONDS)) is not None:
                if deadline.expired():  # Python before 3.12 loses it if a chunk arrives just then
                    raise TimeoutError
                spooled.received += len(chunk)
                if spooled.received > size:
                    raise malformed(f"more than the {size} bytes follow that the request says")
                digest.update(chunk)
                await run_in_threadpool(file.write, chunk)
    except TimeoutError:
        if spooled.has_given_way:
            raise gave_way(spooled.received, size) from None
        raise malformed(
            f"the file was not sent to its end: {spooled.received} of {size} bytes are here after {BODY_SECONDS:.0f} "
            f"s, or nothing came for {_PAUSE_SECONDS:.0f} s; nothing of it is kept, so send it again"
        ) from None
    except ClientDisconnect:
        raise malformed("the file was not sent to its end; nothing of it is kept, so send it again") from None
    finally:
        spooled.gives_way = None
    if spooled.received != size:
        raise malformed("the file was not sent to its end; nothing of it is kept, so send it again")
    return digest.digest()
