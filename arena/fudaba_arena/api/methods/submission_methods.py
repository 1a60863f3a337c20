"""The methods of ArenaService that are about submissions: see arena.proto."""

from __future__ import annotations

import re
import secrets
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.safe_text import fault_of
from fudaba.v1 import bots_pb2, errors_pb2, submissions_pb2
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.messages.submission_messages import submission
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.store.submissions.submissions import KeptSubmission, Quota, TooMuch
from fudaba_arena.submissions.contents import ContentsUnavailable
from fudaba_arena.submissions.spool import SpoolFailed
from fudaba_arena.submissions.submission_forms import Announced, CheckProgress
from fudaba_arena.submissions.uploads import UploadIncomplete, UploadOver, Uploads, WrongHash, WrongOffset
from fudaba_serving.grpc.pages import Pages

__all__ = ["SubmissionMethods", "UploadLimits"]

MAX_PIECE_BYTES: Final = 512 * 1024
_PAGES: Final = Pages("submissions")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,24}")
_MAX_FILE_NAME_CHARS: Final = 100
_MAX_MESSAGE_CHARS: Final = 200
_HASH_BYTES: Final = 32
_QUOTAS: Final = {"uploads": "uploads a day", "bytes": "bytes of uploads a day"}


@final
@dataclass(frozen=True, slots=True)
class UploadLimits:
    """The limits on uploads that an operator may set."""

    quota: Quota = Quota(20, 1_000_000_000)  # noqa: RUF009 - it is frozen
    """The number of uploads that an account may make in 24 hours."""
    hours: int = 24
    """The number of hours after which an incomplete upload expires."""


@final
class SubmissionMethods:
    """The methods about submissions. arena.proto describes each of them."""

    def __init__(self, door: Doorkeeper, finder: Finder, uploads: Uploads, upload_limits: UploadLimits) -> None:
        self._door = door
        self._finder = finder
        self._uploads = uploads
        self._upload_limits = upload_limits

    async def CreateSubmission(
        self, request: submissions_pb2.CreateSubmissionRequest, context: Context
    ) -> submissions_pb2.CreateSubmissionResponse:
        """See arena.proto."""
        _check_request(request, self._uploads.limits.packed)
        caller = await self._door.caller(context)
        wanted_id, fingerprint = request.submission_id or secrets.token_hex(8), _fingerprint(request, caller)
        known = await self._uploads.kept.get(wanted_id) if request.submission_id else None
        if known is None:
            bot = await self._finder.own_bot(request.bot, caller)
            await self._announce(request, wanted_id, bot, caller, fingerprint)
            if request.validate_only:
                return submissions_pb2.CreateSubmissionResponse(account=bot.account)
            known = await self._uploads.kept.get(wanted_id)
        if known is None or known.fingerprint != fingerprint:
            raise Refused(
                errors_pb2.REASON_SUBMISSION_EXISTS, f"there is another submission {wanted_id}; take another id"
            )
        return submissions_pb2.CreateSubmissionResponse(
            submission=self._submission(known), account=Announced.read(known.announced_line).account
        )

    async def _announce(
        self,
        request: submissions_pb2.CreateSubmissionRequest,
        submission_id: str,
        bot: bots_pb2.Bot,
        caller: TokenOwner,
        fingerprint: bytes,
    ) -> None:
        """Stores the submission, unless the call only validates. Refuses a submission that is not allowed."""
        now_ms, quota = self._uploads.now_ms(), self._upload_limits.quota
        announced = Announced(
            submission_id=submission_id,
            bot=bot.name,
            account=bot.account,
            file=request.file,
            size=request.size,
            sha256=request.sha256.hex(),
            message=request.message,
            created_ms=now_ms,
            expires_ms=now_ms + self._upload_limits.hours * 3_600_000,
            payer="" if caller.organiser else caller.account,
        )
        try:
            await self._uploads.kept.create(
                submission_id,
                announced.bot,
                announced.account,
                announced.line(),
                fingerprint,
                now_ms=now_ms,
                expires_ms=announced.expires_ms,
                size=announced.size,
                payer=announced.payer,
                quota=None if caller.organiser else quota,
                validate_only=request.validate_only,
            )
        except TooMuch as error:
            most = quota.uploads if error.quota == "uploads" else quota.bytes
            seconds = max(1.0, (error.retry_ms - now_ms) / 1000) if error.retry_ms else 0.0
            advice = "come back later" if error.retry_ms else "submit less"
            raise Refused.quota(_QUOTAS[error.quota], most, f"account {caller.account}", advice, seconds) from error

    async def WriteSubmission(
        self, request: submissions_pb2.WriteSubmissionRequest, context: Context
    ) -> submissions_pb2.WriteSubmissionResponse:
        """See arena.proto."""
        if not 0 < len(request.content) <= MAX_PIECE_BYTES:
            raise Refused.malformed(f"content has {len(request.content)} bytes; a piece has 1 to {MAX_PIECE_BYTES}")
        announced, _ = await self._kept_submission(request.submission_id, context)
        try:
            received = await self._uploads.write(announced, request.offset, request.content)
        except WrongOffset as error:
            refused = Refused(
                errors_pb2.REASON_WRONG_OFFSET,
                f"{error.received} of {announced.size} bytes are here, and this piece of {len(request.content)} begins "
                f"at {request.offset}; go on at {error.received}",
            )
            refused.metadata = {"received": str(error.received)}
            raise refused from error
        except UploadOver as error:
            raise _over(announced) from error
        except SpoolFailed as error:
            raise _failed(error) from error
        return submissions_pb2.WriteSubmissionResponse(received=received)

    async def FinishSubmission(
        self, request: submissions_pb2.FinishSubmissionRequest, context: Context
    ) -> submissions_pb2.FinishSubmissionResponse:
        """See arena.proto."""
        announced, _ = await self._kept_submission(request.submission_id, context)
        try:
            over = await self._uploads.finish(announced)
        except UploadOver as error:
            raise _over(announced) from error
        except UploadIncomplete as error:
            raise Refused(
                errors_pb2.REASON_SUBMISSION_INCOMPLETE,
                f"only {error.received} of {announced.size} bytes are here; upload the rest first",
            ) from error
        except WrongHash as error:
            raise Refused(
                errors_pb2.REASON_WRONG_HASH,
                f"the upload has the SHA-256 {error.found} instead of {announced.sha256}; upload it again",
            ) from error
        except (SpoolFailed, ContentsUnavailable) as error:
            raise _failed(error) from error
        return submissions_pb2.FinishSubmissionResponse(submission=submission(announced, over, announced.size))

    async def GetSubmission(
        self, request: submissions_pb2.GetSubmissionRequest, context: Context
    ) -> submissions_pb2.GetSubmissionResponse:
        """See arena.proto."""
        _, kept = await self._kept_submission(request.submission_id, context)
        return submissions_pb2.GetSubmissionResponse(submission=self._submission(kept))

    async def ListSubmissions(
        self, request: submissions_pb2.ListSubmissionsRequest, context: Context
    ) -> submissions_pb2.ListSubmissionsResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        ids = await self._uploads.kept.ids(None if caller.organiser else caller.account, request.bot)
        names = sorted(f"{2**53 - created_ms:020d}:{submission_id}" for created_ms, submission_id in ids)
        page, following = _PAGES.page(names, request.page_size, request.page_token)
        found = [await self._uploads.kept.get(name.partition(":")[2]) for name in page]
        listed = [
            self._row(name.partition(":")[2], kept) for name, kept in zip(page, found, strict=True) if kept is not None
        ]
        return submissions_pb2.ListSubmissionsResponse(submissions=listed, next_page_token=following)

    async def _kept_submission(self, submission_id: str, context: Context) -> tuple[Announced, KeptSubmission]:
        """Returns a submission if the caller may see it."""
        caller = await self._door.caller(context)
        kept = await self._uploads.kept.get(submission_id) if _ID.fullmatch(submission_id) else None
        announced = None if kept is None else Announced.read(kept.announced_line)
        own = announced is not None and bool(caller.account) and caller.account == announced.account
        if kept is None or announced is None or not (caller.organiser or own):
            raise Refused(errors_pb2.REASON_SUBMISSION_NOT_FOUND, f"your account has no submission {submission_id!r}")
        return announced, kept

    def _row(self, submission_id: str, kept: KeptSubmission) -> submissions_pb2.Submission:
        """Returns the list entry of a submission. If it cannot be read, its entry says so, and the others stay
        readable.
        """
        try:
            with readable(f"submission {submission_id}"):
                return self._submission(kept)
        except BadStored as error:
            return submissions_pb2.Submission(submission_id=submission_id, message=str(error))

    def _submission(self, kept: KeptSubmission) -> submissions_pb2.Submission:
        text = kept.over or kept.so_far
        over = None if text is None else CheckProgress.read(text)
        announced = Announced.read(kept.announced_line)
        try:
            received = 0 if over is not None else self._uploads.received(announced.submission_id)
        except SpoolFailed as error:
            raise _failed(error) from error
        return submission(announced, over, received, kept.version, taken=kept.taken)


def _check_request(request: submissions_pb2.CreateSubmissionRequest, most: int) -> None:
    """Refuses a request that contradicts itself."""
    if request.submission_id and not _ID.fullmatch(request.submission_id):
        raise Refused.malformed("submission_id is 1 to 24 of a-z, A-Z, 0-9, '_' and '-'; leave it empty to get one")
    if not 0 < len(request.file) <= _MAX_FILE_NAME_CHARS or "/" in request.file or fault_of(_composed(request.file)):
        raise Refused.malformed(f"file is 1 to {_MAX_FILE_NAME_CHARS} characters that can be shown, without a folder")
    if len(request.message) > _MAX_MESSAGE_CHARS or fault_of(request.message):
        raise Refused.malformed(f"message is one line of at most {_MAX_MESSAGE_CHARS} characters that can be shown")
    if len(request.sha256) != _HASH_BYTES and not (request.validate_only and not request.sha256):
        raise Refused.malformed(f"sha256 has {len(request.sha256)} bytes; it is the SHA-256, {_HASH_BYTES} bytes")
    if not request.size:
        raise Refused.malformed("size is 0; an empty file is no submission")
    if request.size > most:
        raise Refused(
            errors_pb2.REASON_SUBMISSION_TOO_LARGE,
            f"the submission has {request.size:,} bytes; at most {most:,} are allowed: leave out files that the bot "
            "does not need",
        )


def _composed(text: str) -> str:
    """Composes letters and accents in a file's name, which macOS writes separately."""
    return unicodedata.normalize("NFC", text)


def _fingerprint(request: submissions_pb2.CreateSubmissionRequest, caller: TokenOwner) -> bytes:
    """Returns a digest of 32 bytes, equal for requests of one caller for the same thing."""
    meant = submissions_pb2.CreateSubmissionRequest()
    meant.CopyFrom(request)
    meant.DiscardUnknownFields()
    meant.ClearField("submission_id")
    requester = "" if caller.organiser else caller.account
    return sha256(f"{requester}\n".encode() + meant.SerializeToString(deterministic=True)).digest()


def _over(announced: Announced) -> Refused:
    return Refused(
        errors_pb2.REASON_SUBMISSION_OVER,
        f"submission {announced.submission_id} is complete, or has expired; create another one",
    )


def _failed(error: Exception) -> Refused:
    return Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{error}; nothing was changed, try again later")
