"""Makes one file of an author's submission: it packs a folder, and takes any other file as it is."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from fudaba.cli.failures import Failure
from fudaba.cli.output import as_dict, say, seconds
from fudaba.preparing import needed, prepare
from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.limits import SUBMISSION_LIMITS, SubmissionLimits
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.packing import PACKED, pack_folder
from fudaba_arena.submissions.stages import Outcome, check_unpack

if TYPE_CHECKING:
    from fudaba.v1 import submissions_pb2

__all__ = ["WIDEST_LIMITS", "SubmissionFile", "check_here", "given", "say_begun", "say_stage", "submission_json"]

WIDEST_LIMITS: Final = SubmissionLimits.parse({name: limit.most for name, limit in SUBMISSION_LIMITS.items()})
"""The highest limits that any arena may allow."""

_MAX_PATHS_SHOWN: Final = 10
"""The number of unpacked paths that are named."""


@final
@dataclass(frozen=True, slots=True)
class SubmissionFile:
    """The file to submit."""

    path: Path
    name: str
    """The file's name in the submission; the name of a source file shows its language."""


@contextmanager
def given(path: Path, *, prepared: bool) -> Iterator[SubmissionFile]:
    """Yields the file for a folder, an archive or a source file. Raises `Failure` for what cannot be submitted.

    A folder that lacks fetched dependencies is packed only if it is to be `prepared`.
    """
    if not path.is_file() and not path.is_dir():
        raise Failure(f"{path} is neither a file nor a folder")
    if not path.is_dir():
        yield SubmissionFile(path, path.name)
        return
    if (preparation := needed(path)) is not None:
        if not prepared:
            raise Failure(f"{preparation.instruction(path)}, or give --prepare")
        say(f"preparing: {shlex.join(preparation.command)}", err=True)
        prepare(path, preparation)
    with tempfile.NamedTemporaryFile(prefix="fudaba-", suffix=f"-{PACKED}") as file:
        try:
            left_out = pack_folder(path, file)
        except BadSubmission as error:
            say(*str(error).split("\n"), err=True)
            raise Failure(f"{path} cannot be packed") from error
        file.flush()
        if left_out:
            more = [f"and {len(left_out) - _MAX_PATHS_SHOWN} more"] if len(left_out) > _MAX_PATHS_SHOWN else []
            say(f"not packed: {', '.join([*left_out[:_MAX_PATHS_SHOWN], *more])}", err=True)
        yield SubmissionFile(Path(file.name), PACKED)


def check_here(submitted_file: SubmissionFile, limits: SubmissionLimits) -> tuple[Outcome, Manifest | None]:
    """Takes a file through the stages that need no sandbox."""
    with tempfile.TemporaryDirectory(prefix="fudaba-") as folder:
        return check_unpack(submitted_file.path, submitted_file.name, Path(folder) / "bot", limits)


def submission_json(submission: submissions_pb2.Submission) -> dict[str, Any]:
    """Returns a submission as JSON, with its hash in the usual hexadecimal form, not in protobuf's base64."""
    return as_dict(submission) | {"sha256": submission.sha256.hex()}


def say_stage(name: str, took_ms: float, output: str, *, passed: bool) -> None:
    """Prints how a stage ended."""
    say(f"{name}: {'passed' if passed else 'refused'} after {seconds(took_ms)}", *_indented(output.split("\n")))


def say_begun(stage: str, game: str = "") -> None:
    """Prints that a stage begins."""
    say(f"{stage} of {game} begins" if game else f"{stage} begins", err=True)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines if line]
