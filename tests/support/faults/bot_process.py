"""A bot as a process that kills itself at a point of its first life, and plays on in its second one.

`python -m tests.support.faults.bot_process ADDRESS TOKEN NOTES PHASE`. To the files NOTES.told and NOTES.answered
everything is added that it was told, and that it answers, before anything is done about it; so it is known afterwards
what a process knew that was killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fudaba.v1 import naga_pb2, play_pb2
from tests.support.service.bots import Stream
from tests.support.service.journal import Journal

PHASES: Final = (
    "before it says hello",
    "before its match has begun",
    "before its first answer",
    "right after its first answer",
    "when its answer is acknowledged",
    "in the middle, before an answer",
    "in the middle, right after an answer",
    "right after its last answer",
)


def die() -> None:
    """Ends as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


class Notes:
    """The messages that were received, in a file: messages with their lengths before them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def add(self, message: play_pb2.PlayRequest | play_pb2.PlayResponse) -> None:
        """Notes a message."""
        content = message.SerializeToString()
        self._file.write(len(content).to_bytes(4, "big") + content)


def read_notes(path: Path, match_id: str) -> Journal:
    """Returns what a process knew of its match, and what it answered."""
    journal = Journal(match_id)
    for message in _messages(path.with_suffix(".told")):
        journal.take(play_pb2.PlayResponse.FromString(message).update)
    for message in _messages(path.with_suffix(".answered")):
        answer = play_pb2.PlayRequest.FromString(message).answer
        journal.sent.setdefault(answer.decision_id, []).append(answer)
    return journal


def _messages(path: Path) -> Iterator[bytes]:
    content = path.read_bytes() if path.exists() else b""
    while content:
        length = int.from_bytes(content[:4], "big")
        yield content[4 : 4 + length]
        content = content[4 + length :]


async def play(address: str, token: str, notes: Path, phase: str) -> None:
    """Plays one match to its end, or to this phase."""
    received, answered = Notes(notes.with_suffix(".told")), Notes(notes.with_suffix(".answered"))
    async with Stream(address, token) as stream:
        if phase == "before it says hello":
            die()
        await stream.hello(delivery=play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True))
        if phase == "before its match has begun":
            await stream.update()
            die()
        answers = 0
        while True:
            message = await stream.receive()
            received.add(message)
            update = message.update
            if update.HasField("over"):
                return
            if update.accepted and phase == "when its answer is acknowledged":
                die()
            if not update.HasField("decision"):
                continue
            middle = answers == 6
            if (phase == "before its first answer") or (middle and phase == "in the middle, before an answer"):
                die()
            decision_id = update.decision.decision_id
            request = play_pb2.PlayRequest(
                answer=play_pb2.Answer(
                    match_id=update.match_id, decision_id=decision_id, index=os.getpid() % update.decision.legal_count
                )
            )
            answered.add(request)
            await stream.send(answer=request.answer)
            answers += 1
            if phase == "right after its first answer" or (middle and phase == "in the middle, right after an answer"):
                die()
            if phase == "right after its last answer" and is_last(update):
                die()


def is_last(update: play_pb2.SeatUpdate) -> bool:
    """Returns whether this decision is the seat's last one in a deal."""
    view = update.decision.view
    if view.HasField("naga"):
        return view.naga.place == naga_pb2.NAGA_PLACE_ELTAM
    return len(view.napoleon.hand) == 1


def main() -> None:
    address, token, notes, phase = sys.argv[1:]
    asyncio.run(play(address, token, Path(notes), phase))


if __name__ == "__main__":
    main()
