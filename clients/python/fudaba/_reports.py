"""Reports refusals and exceptions of bots: each one on a service, without repetition in process."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import traceback
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final, final

from fudaba.bot import Refusal
from fudaba.errors import FudabaError
from fudaba.safe_text import safe_line, safe_lines

__all__ = [
    "BOT_ERRORS",
    "NOT_THE_BOTS",
    "Reports",
    "guarded",
    "report_exception",
    "report_note_fault",
    "report_refusal",
]

log: Final = logging.getLogger("fudaba")

BOT_ERRORS: Final = (Exception, SystemExit)
"""The exceptions that a bot's code may raise without ending the process. A bot that calls `exit()` only loses its
decision.
"""

_MAX_REFUSALS_IN_FULL: Final = 5
# Frames above the bot's own: the kit's, and the event loop's for an `async` bot.
NOT_THE_BOTS: Final = tuple(str(Path(file).parent) + os.sep for file in (__file__, asyncio.__file__))


@final
class _Exited(FudabaError):
    """Represents the SystemExit of an `async` bot, which would otherwise end the event loop."""


async def guarded(choice: Awaitable[Any]) -> Any:
    """Awaits the answer of an `async` bot. Its SystemExit becomes an ordinary exception."""
    try:
        return await choice
    except SystemExit as error:
        raise _Exited from error


def report_refusal(where: str, decision_id: str, refusal: Refusal, what_now: str) -> None:
    """Logs why an answer was refused, and what happens next."""
    reason = refusal.rule or refusal.reason
    log.warning("%s: %s refused (%s): %s; %s", where, decision_id, reason, refusal.message, what_now)


def report_note_fault(where: str, decision_id: str, fault: str) -> None:
    """Logs what is wrong with a note, and that later ones are not reported."""
    log.warning("%s: %s: %s; the move stands, and this is told once", where, decision_id, fault)


def report_exception(match_id: str, doing: str, what_now: str, error: BaseException, bot: str = "the bot") -> None:
    """Writes the traceback of `error` to standard error, with what happens next."""
    # An author looks for the traceback on standard error, whatever the logging is set to.
    sys.stderr.write(safe_line(f"{match_id}: {bot} raised an exception in {doing}. {what_now}") + "\n")
    sys.stderr.write(safe_lines(_trace(error)))
    sys.stderr.flush()


def _trace(error: BaseException) -> str:
    """Returns a traceback from the first frame outside the kit."""
    if isinstance(error, _Exited) and error.__cause__ is not None:
        error = error.__cause__
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(NOT_THE_BOTS):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames or error.__traceback__))


@final
class Reports:
    """Reports errors in many matches: the first refusals of a bot, each traceback once, then only the number of
    others.
    """

    def __init__(self) -> None:
        self._refused: Counter[str] = Counter()
        self._raised: Counter[tuple[str, str, str]] = Counter()
        self._note_faults: set[tuple[str, str]] = set()

    def refused(self, bot: str, match_id: str, decision_id: str, refusal: Refusal, what_now: str) -> None:
        """Reports that an answer of a bot was refused."""
        self._refused[bot] += 1
        if self._refused[bot] <= _MAX_REFUSALS_IN_FULL:
            report_refusal(f"{match_id}: {bot}", decision_id, refusal, what_now)

    def note_fault(self, bot: str, match_id: str, decision_id: str, fault: str) -> None:
        """Reports what is wrong with a bot's note, if `fault` is not empty."""
        if fault and (bot, fault) not in self._note_faults:
            self._note_faults.add((bot, fault))
            report_note_fault(f"{match_id}: {bot}", decision_id, fault)

    def raised(self, bot: str, match_id: str, doing: str, what_now: str, error: BaseException) -> None:
        """Reports that a bot raised an exception."""
        key = bot, doing, _trace(error)
        self._raised[key] += 1
        if self._raised[key] == 1:
            report_exception(match_id, doing, what_now, error, bot)

    def close(self) -> None:
        """Reports the numbers of unreported errors, and resets them."""
        for bot, count in self._refused.items():
            if count > _MAX_REFUSALS_IN_FULL:
                log.warning("%s: %d more answers were refused", bot, count - _MAX_REFUSALS_IN_FULL)
        for (bot, doing, trace), count in self._raised.items():
            if count > 1:
                last_line = trace.rstrip().rpartition("\n")[2]
                notice = f"{bot} raised the same exception in {doing} {count - 1} more times: {last_line}"
                sys.stderr.write(f"{safe_line(notice)}\n")
        sys.stderr.flush()
        self._refused.clear()
        self._raised.clear()
