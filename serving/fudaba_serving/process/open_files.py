"""The limit of open files, which include connections, of a process (`ulimit -n`)."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import Final

if sys.platform != "win32":
    import resource

__all__ = ["FEW_OPEN_FILES", "for_connections", "hard_limit", "raise_limit"]

log = logging.getLogger(__name__)

_MAX_FILES_WANTED: Final = 65_536
"""The limit that is enough. A higher one does harm: some machines allow a billion, which programs take as a size."""
_MACOS_MAX_FILES: Final = 10_240
"""The limit that macOS allows where it calls the hard limit unlimited."""
_MIN_OWN_FILES: Final = 128
"""The number of files that are reserved from callers: connections to the store, records, logs, programs, metrics."""
FEW_OPEN_FILES: Final = 4_096
"""The limit below which a server warns."""


def hard_limit() -> int:
    """Returns the limit that servers of this user get, since they raise theirs as far as they may."""
    if sys.platform == "win32":
        return _MAX_FILES_WANTED  # Windows has no such limit
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _MAX_FILES_WANTED if hard == resource.RLIM_INFINITY else hard


def raise_limit() -> int:
    """Raises the soft limit of this process, and of those that it starts, as far as it may; returns the new limit."""
    if sys.platform == "win32":
        return _MAX_FILES_WANTED  # Windows has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (_MAX_FILES_WANTED, _MACOS_MAX_FILES):
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)  # noqa: PLW2901  the smaller of the two
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            break
        with contextlib.suppress(ValueError, OSError):  # the kernel's own limit is lower; the next value may pass
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return _MAX_FILES_WANTED if soft == resource.RLIM_INFINITY else soft


def for_connections(files: int, ports: int = 1) -> int:
    """Returns the number of connections that callers may have open at each port of a process with this limit.

    A server without free files can neither read nor write, so some are reserved. Logs a warning where the limit is low.
    """
    connections = max(files - _MIN_OWN_FILES, files // 2) // ports
    if files < FEW_OPEN_FILES:
        log.warning(
            "this process may have %d files open, so it accepts %d connections at once%s; raise the limit: "
            "`ulimit -n`, LimitNOFILE of systemd, or `ulimits: nofile` of a container",
            files, connections, " at each of its ports" if ports > 1 else "",
        )  # fmt: skip
    return connections
