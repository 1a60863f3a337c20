"""The log of bots that play in this process, on standard error."""

from __future__ import annotations

import logging
from typing import final

from fudaba.cli.output import say_text
from fudaba.safe_text import safe_line

__all__ = ["log_to_standard_error"]


@final
class _ToStandardError(logging.Handler):
    """Writes to the current standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        say_text(self.format(record), err=True)


@final
class _InLines(logging.Formatter):
    """Formats a message as one line, whatever it quotes. Only a traceback has several lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """See logging."""
        return safe_line(super().formatMessage(record))


def log_to_standard_error(*, quiet: bool = False, verbose: bool = False) -> None:
    """Sends the log of bots to standard error: problems only, more, or everything."""
    handler = _ToStandardError()
    handler.setFormatter(_InLines("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("fudaba")
    log.handlers[:] = [handler]
    log.setLevel(logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO)
