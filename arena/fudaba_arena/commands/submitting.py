"""`fudaba bot submit`."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say
from fudaba_arena.commands.patient_calls import TIMEOUT_SECONDS, until_answered
from fudaba_arena.commands.prepare_option import prepare_option

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import submissions_pb2
    from fudaba_arena.commands.submission_entry import SubmissionEntry
    from fudaba_arena.commands.submission_files import SubmissionFile

__all__ = ["submit"]

_CHECK_TIMEOUT_SECONDS: Final = 600.0
"""The time that the arena may take to check a complete upload."""
_POLL_SECONDS: Final = 0.5
_NEWS_TIMEOUT_SECONDS: Final = 15.0
"""The time without news after which the command says what the submission waits for."""
_PIECE_BYTES: Final = 512 * 1024


@click.command(epilog="Exit codes: 0 accepted, 1 refused or failed.", short_help="Submit a bot to an arena.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--bot", default="", metavar="NAME", help="The bot that this is a version of.  [default: the name in bot.toml]"
)
@click.option("-m", "--message", default="", metavar="TEXT", help="A note about this version, for yourself.")
@click.option(
    "--enter",
    "ladder",
    metavar="LADDER",
    help="Enter it in LADDER as soon as its check has passed. Uploaded before the deadline, it counts.",
)
@click.option("--anyway", is_flag=True, help="With --enter, enter it even if it is too slow for the ladder's clock.")
@prepare_option
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def submit(
    path: Path,
    bot: str,
    message: str,
    ladder: str | None,
    anyway: bool,
    prepared: bool,
    connection: Connection,
    as_json: bool,
) -> None:
    """Submit a folder, an archive or a source file, and print the outcome of each stage of the arena's check.

    A folder is packed without the files that tools leave behind, such as .git, and without those that its .fudabaignore
    names. A folder with mistakes that can be found here is not sent.

    Needs an author's token, or the organiser's. Run the same command again to continue an interrupted upload.

    \b
    Examples:
      fudaba bot submit .
      fudaba bot submit mybot.tar.gz -m "looks one move further"
      fudaba bot submit mybot.py --bot careful
      fudaba bot submit . --enter open
    """
    from fudaba.v1 import submissions_pb2
    from fudaba_arena.commands.submission_entry import SubmissionEntry
    from fudaba_arena.commands.submission_files import WIDEST_LIMITS, check_here, given, say_stage, submission_json

    if ladder == "":  # a variable of a script that is not set
        raise click.UsageError("--enter is empty; name a ladder, or leave it out")
    if anyway and ladder is None:
        raise click.UsageError("--anyway is for --enter LADDER")

    with given(path, prepared=prepared) as submitted_file, connection.client() as client:
        outcome, manifest = check_here(submitted_file, WIDEST_LIMITS)
        if manifest is None:
            say_stage(outcome.stage, outcome.took_ms, outcome.output, passed=False)
            raise Failure("the arena would refuse it, so it was not sent")
        name = bot or manifest.name
        if not name:
            raise click.UsageError("a source file does not name its bot: give --bot")
        entry = None if ladder is None else SubmissionEntry(client, ladder, name, anyway)
        sent = _submitted(client, submitted_file, name, message, entry)
        if not as_json:
            say(f"{sent.submission_id}, for {sent.bot}, SHA-256 {sent.sha256.hex()}")
        over = _over(client, sent, quiet=as_json)
        accepted = over.state == submissions_pb2.SUBMISSION_STATE_ACCEPTED
        why_not = entry.why_not(over) if entry is not None and accepted else ""
    if as_json:
        entered = {"entered_in": ladder} if ladder and accepted and not why_not else {}
        print_json(submission_json(over) | entered)
    else:
        _say_end(over, ladder, accepted=accepted, entered=not why_not)
    if why_not:
        raise Failure(f"the submission was accepted, but {why_not}")
    sys.exit(0 if accepted else 1)


def _say_end(over: submissions_pb2.Submission, ladder: str | None, *, accepted: bool, entered: bool) -> None:
    """Prints what the submission has become."""
    if not over.version:
        return
    if not accepted:
        say(f"refused; {over.bot}@{over.version} was tried, and cannot be entered: the next one has another number")
    elif ladder is None:
        say(f"accepted as version {over.version}: fudaba bot enter {over.bot}@{over.version} LADDER")
    else:
        say(f"accepted as version {over.version}{f', and entered in {ladder}' if entered else ''}")


def _submitted(
    client: Client, submitted_file: SubmissionFile, bot: str, message: str, entry: SubmissionEntry | None
) -> submissions_pb2.Submission:
    """Uploads a file, or the rest of it, and starts its check. Its entry is asked for before, since a deadline may pass
    during the upload.
    """
    from fudaba.errors import ServiceError
    from fudaba.v1 import submissions_pb2

    size = submitted_file.path.stat().st_size
    with submitted_file.path.open("rb") as file:
        digest = file_digest(file, "sha256").digest()
    known = _known(client, bot)
    begun = next(
        (old for old in known if _same(old, submitted_file.name, digest) and _in_state(old, "UPLOADING")), None
    )
    before = [old.version for old in known if old.sha256 == digest and old.version and _in_state(old, "ACCEPTED")]
    if before:
        say(f"the same bytes are {bot}@{before[0]} already; this makes another version of them", err=True)
    if begun is None:
        request = submissions_pb2.CreateSubmissionRequest(
            submission_id=secrets.token_hex(8),
            bot=bot,
            file=submitted_file.name,
            size=size,
            sha256=digest,
            message=message,
        )
        begun = until_answered(lambda: client.arena.CreateSubmission(request, timeout=TIMEOUT_SECONDS)).submission
    if entry is not None:
        entry.ask(begun.submission_id)
    finishing = submissions_pb2.FinishSubmissionRequest(submission_id=begun.submission_id)
    received = begun.received
    while True:
        _upload(client, submitted_file, begun.submission_id, received, size)
        try:
            return until_answered(
                lambda: client.arena.FinishSubmission(finishing, timeout=_CHECK_TIMEOUT_SECONDS)
            ).submission
        except ServiceError as error:
            if error.reason != "WRONG_HASH" or not received:
                raise
            received = 0  # the bytes received before are not of this file


def _say_outcome(stage: submissions_pb2.SubmissionOutcome) -> None:
    from fudaba_arena.commands.submission_files import say_stage

    say_stage(_stage_name(stage.stage), stage.duration.ToMilliseconds(), stage.output, passed=stage.passed)


def _over(client: Client, submission: submissions_pb2.Submission, *, quiet: bool) -> submissions_pb2.Submission:
    """Follows a submission until all stages are over. Unless it is `quiet`, prints the beginning and the end of each.

    An unknown state means that the submission is not over.
    """
    from fudaba.v1 import submissions_pb2
    from fudaba_arena.commands.submission_files import say_begun

    request = submissions_pb2.GetSubmissionRequest(submission_id=submission.submission_id)
    ends = {
        submissions_pb2.SUBMISSION_STATE_ACCEPTED,
        submissions_pb2.SUBMISSION_STATE_REFUSED,
        submissions_pb2.SUBMISSION_STATE_EXPIRED,
    }
    stages_said, begun, news_at, waits = 0, (0, ""), time.monotonic(), False
    while True:
        for stage in submission.stages[stages_said:]:
            if not quiet:
                _say_outcome(stage)
            stages_said, news_at = stages_said + 1, time.monotonic()
        if submission.state in ends:
            return submission
        now = (submission.current_stage, submission.current_game)
        if now[0] and now != begun and not quiet:
            say_begun(_stage_name(now[0]), now[1])
        begun = now
        if (
            not (submission.current_stage or submission.version)
            and not waits
            and time.monotonic() > news_at + _NEWS_TIMEOUT_SECONDS
        ):
            waits = True
            say(
                "it waits for a worker that is free and has a sandbox; Ctrl-C ends this command, not the check",
                err=True,
            )
        time.sleep(_POLL_SECONDS)
        submission = until_answered(lambda: client.arena.GetSubmission(request, timeout=TIMEOUT_SECONDS)).submission


def _stage_name(stage: int) -> str:
    """Returns the name of a stage, or its number if only a later release knows it."""
    from fudaba.v1 import submissions_pb2

    known = submissions_pb2.SubmissionStage.DESCRIPTOR.values_by_number.get(stage)
    return f"stage {stage}" if known is None else known.name.removeprefix("SUBMISSION_STAGE_").lower()


def _known(client: Client, bot: str) -> Sequence[submissions_pb2.Submission]:
    """Returns the newest submissions of a bot."""
    from fudaba.v1 import submissions_pb2

    request = submissions_pb2.ListSubmissionsRequest(bot=bot, page_size=100)
    return until_answered(lambda: client.arena.ListSubmissions(request, timeout=TIMEOUT_SECONDS)).submissions


def _same(submission: submissions_pb2.Submission, file: str, digest: bytes) -> bool:
    return (submission.file, submission.sha256) == (file, digest)


def _in_state(submission: submissions_pb2.Submission, name: str) -> bool:
    from fudaba.v1 import submissions_pb2

    return submission.state == submissions_pb2.SubmissionState.Value(f"SUBMISSION_STATE_{name}")


def _upload(client: Client, submitted_file: SubmissionFile, submission_id: str, received: int, size: int) -> None:
    from fudaba.cli.progress import progress
    from fudaba.v1 import submissions_pb2

    with submitted_file.path.open("rb") as file, progress(size, "uploading") as step:
        file.seek(received)
        step(received)
        while piece := file.read(_PIECE_BYTES):
            request = submissions_pb2.WriteSubmissionRequest(
                submission_id=submission_id, offset=received, content=piece
            )
            until_answered(partial(client.arena.WriteSubmission, request, timeout=TIMEOUT_SECONDS))
            received += len(piece)
            step(len(piece))
