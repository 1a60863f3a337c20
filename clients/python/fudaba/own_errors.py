"""The line with which a kit reports that its bot's own code failed at a decision, and that the default move was played.

Every kit prints it on standard error, see docs/contract.md. It shows the person who runs a bot what the match does not
show, since a default move is an ordinary move.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import takewhile
from typing import Final, final

__all__ = ["FirstFailure", "OwnErrors", "own_error_line"]

_MAX_LINE_BYTES: Final = 400
_MAX_REPORT_LINES: Final = 12
_MAX_KEPT_LINES: Final = 200
_SIGNS: Final = (b"raised an exception in ", b"own error at decision ", b"left to its clock")
"""A kit's messages about a failure of its bot's code, after which the bot may never answer again."""


def own_error_line(match_id: str, decision_id: str) -> str:
    """Returns the line that is printed after the error itself."""
    return f"{match_id}: own error at decision {decision_id}; the default move is played"


@final
class FirstFailure:
    """Notices a kit's report of a failure of its bot's code while the bot still runs."""

    def __init__(self, match_id: str) -> None:
        self._sign = re.compile(re.escape(f"{match_id}: ").encode() + rb".*(?:" + b"|".join(_SIGNS) + rb")")
        self._rest = b""
        self.found = False

    def write(self, output: bytes) -> None:
        """Takes output as it comes, even if it ends within a line."""
        line = self._rest + output
        self.found = self.found or self._sign.search(line) is not None
        self._rest = line.rpartition(b"\n")[2][-_MAX_LINE_BYTES:]


@final
class OwnErrors:
    """Listens to a bot's output in a match."""

    def __init__(self, match_id: str) -> None:
        begin, end = own_error_line(match_id, "\n").split("\n")
        # A line need not begin with it: what the bot itself had printed may lack its end.
        self._sign = re.compile(re.escape(begin) + r"(\S+)" + re.escape(end) + "$")
        self._match_prefix = f"{match_id}: "
        self._before: deque[str] = deque(maxlen=_MAX_KEPT_LINES)
        self._rest = b""
        self.decisions: list[str] = []
        """The ids of the decisions, in order."""
        self.words: list[str] = []
        """The last lines before the first error was printed, and that one; for a long trace, the beginning and that
        one."""

    def write(self, output: bytes) -> None:
        """Takes output as it comes, even if it ends within a line."""
        *lines, rest = (self._rest + output).split(b"\n")
        self._rest = rest[-_MAX_LINE_BYTES:]
        for raw in lines:
            line = raw[-_MAX_LINE_BYTES:].decode(errors="replace").rstrip()
            if line and not self.decisions:
                self._before.append(line)
            found = self._sign.search(line)
            if found is not None and found[1] not in self.decisions[-1:]:
                self.decisions.append(found[1])
                self.words = self.words or self._excerpt()

    def _excerpt(self) -> list[str]:
        lines = [*self._before]
        report = [*takewhile(lambda line: line.startswith(self._match_prefix), reversed(lines))]
        if len(report) <= _MAX_REPORT_LINES:
            return lines[-_MAX_REPORT_LINES:]
        return [*report[:-_MAX_REPORT_LINES:-1], lines[-1]]  # what failed stands first, before its trace
