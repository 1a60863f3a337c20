"""How many files, connections among them, a process may have open (`ulimit -n`)."""

from __future__ import annotations

import contextlib
import sys
from typing import Final

if sys.platform != "win32":
    import resource

__all__ = ["raise_limit"]

_ENOUGH: Final = 65_536
"""More is never wanted: on some machines the hard limit is a billion, which programs take as a size."""
_OFTEN_ALLOWED: Final = 10_240
"""What macOS allows where it calls the hard limit unlimited."""


def raise_limit() -> int:
    """Raises the soft limit of this process, and of those that it starts, as far as it may; how many that is then."""
    if sys.platform == "win32":
        return _ENOUGH  # there is no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (_ENOUGH, _OFTEN_ALLOWED):
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)  # noqa: PLW2901  of the two it is the smaller
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            break
        with contextlib.suppress(ValueError, OSError):  # the kernel's own limit is lower; the next one may do
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return _ENOUGH if soft == resource.RLIM_INFINITY else soft
