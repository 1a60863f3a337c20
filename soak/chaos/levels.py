"""Decides which log lines are errors by their level, and which of these a search under faults may find.

An operator must act on an ERROR or CRITICAL line: an alert calls it a bug. So a search counts each as a fault of the
log, except those that its own faults are meant to cause. Each exception has its reason.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["false_error"]

_ERROR: Final = re.compile(r"^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d[,.\d]* (ERROR|CRITICAL) (\S+: )?(?P<message>.*)")
"""A line in the form of services, arenas and workers: the time, the level, the logger, the message."""
_EXPECTED: Final[dict[str, str]] = {
    r"the store does not take an entry of match \S+: (OOM |MISCONF |command not allowed when used memory)": (
        "a store whose memory or disk is full refuses entries one by one, and the operator has to make room"
    ),
    r"match \S+ is in neither the store nor the archive$": (
        "a failover to a replica that lagged has lost all of a match, which its operator is to know"
    ),
}
"""The beginning of each message, as a pattern, and the reason why the faults are meant to cause this error."""


def false_error(line: str) -> bool:
    """Returns whether a log line has level ERROR or CRITICAL and no fault of a search explains it."""
    found = _ERROR.match(line)
    return found is not None and not any(re.match(expected, found["message"]) for expected in _EXPECTED)
