"""Uploads bots, has them checked, and finds what is left of them on a worker."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import call
from tests.support.arena.nodes import Node
from tests.support.arena.sandbox.killing import groups
from tests.support.arena.standing import Arena
from tests.support.arena.submissions.archives import Item, pack
from tests.support.patience import PATIENCE, wait_until

PIECE_BYTES = 512 * 1024
"""The bytes of an upload that a call takes."""
GOOD = """
import fudaba

class Player(fudaba.Bot):
    def choose(self, decision):
        return 0

fudaba.run(Player)
"""


def in_sandbox_of(pid: int) -> str:
    """Returns an expression of Python that tells a program whether a worker's sandbox runs it, by its mounts."""
    return f"'owners/{pid}-' in open('/proc/self/mountinfo').read()"


def left_of(pid: int, place: str = "*") -> list[Path]:
    """Returns the folders and control groups of the sandboxes of a worker, or of its programs."""
    found = [path for path in groups(f"fudaba-{pid}-") if path.match(f"fudaba-{pid}-*-{place}")]
    owners = Path("/run/fudaba-sandbox/owners")
    folders = list(owners.glob(f"{pid}-*"))
    if place == "*":
        return [*folders, *found]
    for folder in folders:
        with contextlib.suppress(FileNotFoundError):  # it is gone
            found += folder.glob(f"{place}/uid")
    return found


def commands_with(text: bytes) -> list[Path]:
    """Returns the processes in whose command line a text is."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if text in (place / "cmdline").read_bytes():
                found.append(place)
        except OSError:
            continue  # gone
    return found


def folder(files: Mapping[str, str | bytes], modes: Mapping[str, int] | None = None, **manifest: Any) -> bytes:
    """Returns an archive of a bot's folder."""
    words = {"name": '"bot"', "games": '["naga"]', "language": '"python"', "start": '["python3", "bot.py"]'} | manifest
    text = "".join(f"{key} = {value}\n" for key, value in words.items())
    items = [
        Item(name, content.encode() if isinstance(content, str) else content, mode=(modes or {}).get(name, 0o644))
        for name, content in files.items()
    ]
    return pack("tar.gz", [Item("bot.toml", text.encode()), *items])


def send(arena: Arena, token: str, raw: bytes, bot: str, file: str = "bot.tar.gz") -> pb.Submission:
    """Uploads it."""
    create = pb.CreateSubmissionRequest(bot=bot, file=file, size=len(raw), sha256=sha256(raw).digest())
    submission: pb.Submission = call(arena, "CreateSubmission", create, token).submission
    for offset in range(0, len(raw), PIECE_BYTES):
        piece = raw[offset : offset + PIECE_BYTES]
        write = pb.WriteSubmissionRequest(submission_id=submission.submission_id, offset=offset, content=piece)
        call(arena, "WriteSubmission", write, token)
    finish = pb.FinishSubmissionRequest(submission_id=submission.submission_id)
    sent: pb.Submission = call(arena, "FinishSubmission", finish, token).submission
    return sent


def over(arena: Arena, token: str, submission: pb.Submission, seconds: float = PATIENCE) -> pb.Submission:
    """Waits until all stages are over."""
    request = pb.GetSubmissionRequest(submission_id=submission.submission_id)
    seen = submission

    def checked() -> bool:
        nonlocal seen
        seen = client.arena.GetSubmission(request, timeout=PATIENCE).submission
        return seen.state != pb.SUBMISSION_STATE_CHECKING

    with arena.client(token) as client:
        wait_until(checked, lambda: f"the submission is over: {seen}", seconds)
    return seen


def stages_of(submission: pb.Submission) -> list[tuple[str, bool]]:
    """Returns its stages, and whether each was passed."""
    return [
        (pb.SubmissionStage.Name(stage.stage).removeprefix("SUBMISSION_STAGE_"), stage.passed)
        for stage in submission.stages
    ]


def bot_log(worker: Node) -> Path:
    """Returns where the output of bots is."""
    return worker.folder / "bots"


SLOW = GOOD.replace("return 0", "import time; time.sleep(0.5); return 0")
