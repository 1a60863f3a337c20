"""The output of a program with the time of each line, so that a report of a fault has the right lines."""

from __future__ import annotations

import re
import time
from collections import deque
from typing import Final, final

from fudaba.bot_program import BotLog
from fudaba.excerpts import short_line
from fudaba.own_errors import OwnErrors

__all__ = ["OutputTail"]

_MAX_OUTPUT_BYTES: Final = 1_000_000
"""The number of kept bytes of a program's output."""
_MAX_SHOWN_LINES: Final = 12
_MAX_LINE_BYTES: Final = 400
_NOTE_FAULT: Final = re.compile(rb": (the note .*); the move stands, and this is told once")
"""Every kit's message about a note that it corrects or leaves out."""


@final
class OutputTail:
    """Passes output to a log, and keeps its end with times."""

    def __init__(self, log: BotLog, match_id: str) -> None:
        self._log = log
        self.own_errors = OwnErrors(match_id)
        self.note_faults: list[str] = []
        """The faults of notes, each once."""
        self._rest = b""
        self._pieces: deque[tuple[int, bytes]] = deque()
        self._size = 0

    def write(self, output: bytes) -> None:
        """Takes output."""
        self._log.write(output)
        self.own_errors.write(output)
        self._look_for_notes(output)
        self._pieces.append((time.time_ns() // 1_000_000, output))
        self._size += len(output)
        while self._size > _MAX_OUTPUT_BYTES and len(self._pieces) > 1:
            self._size -= len(self._pieces.popleft()[1])

    def _look_for_notes(self, output: bytes) -> None:
        *lines, rest = (self._rest + output).split(b"\n")
        self._rest = rest[-_MAX_LINE_BYTES:]
        for line in lines:
            if (found := _NOTE_FAULT.search(line)) is not None:
                fault = short_line(found[1].decode(errors="replace").rstrip(), _MAX_LINE_BYTES)
                if fault not in self.note_faults:
                    self.note_faults.append(fault)

    def between(self, begin_ms: int, end_ms: int) -> list[str]:
        """Returns the last lines printed in an interval, in milliseconds since 1970; the last ones of all if there are
        none.
        """
        pieces = [piece for at_ms, piece in self._pieces if begin_ms <= at_ms <= end_ms]
        lines = [
            short_line(line.rstrip(), _MAX_LINE_BYTES)
            for line in b"".join(pieces).decode(errors="replace").splitlines()
        ]
        return [line for line in lines if line][-_MAX_SHOWN_LINES:] or self._log.said()
