"""The room for files that are put aside until they are whole. All accounts share it, and slow uploads do not block it.

When all room is taken, a new file replaces the file that is furthest behind the pace that it needs to be whole in time.
A file that keeps this pace keeps its place. A new file has some seconds to begin, unless its account has recently
broken off an upload.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, final

from fudaba_web.errors import too_many

__all__ = ["BODY_SECONDS", "Spool", "Spooled"]

BODY_SECONDS: Final = 900.0
"""The time in seconds in which a file has to be whole."""
_MAX_SPOOLED_BYTES: Final = 1_000_000_000
"""The number of bytes that may be put aside at once in all. The arena takes smaller files only, and says so."""
_MAX_FILES: Final = 200
_MAX_FILES_PER_ACCOUNT: Final = 2
"""The number of files that are put aside at once for an account; files for bots without an account count for the
organiser.
"""
_GRACE_SECONDS: Final = 10.0
"""The time in seconds for which a file keeps its place, however slowly it begins."""
_MIN_BYTES_PER_SECOND: Final = 10_000
"""The bytes a second that a small file needs to keep its place. A large file needs more to be whole in time."""
_NO_GRACE_SECONDS: Final = 600.0
"""The time in seconds for which an account that has broken off an upload has to keep the pace from the start."""
_RETRY_SECONDS: Final = 5.0


@final
@dataclass(eq=False)
class Spooled:
    """A file that is put aside."""

    account: str
    size: int
    """The size in bytes of the whole file."""
    began: float
    grace_seconds: float
    received: int = 0
    """The number of bytes that have arrived."""
    gives_way: Callable[[], None] | None = None
    """Ends its upload; None while it must not be ended, since it is whole or has not begun."""
    has_given_way: bool = field(default=False, init=False)

    def behind(self, now: float) -> float:
        """Returns by how many bytes the file is behind its pace; 0 or less for a file that keeps its place."""
        elapsed = now - self.began
        if elapsed < self.grace_seconds:
            return 0
        pace = max(self.size / BODY_SECONDS, _MIN_BYTES_PER_SECOND)
        return min(self.size, pace * elapsed) - self.received


@final
class Spool:
    """All files that are put aside now."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` tells the time in seconds."""
        self._now = now
        self._files: set[Spooled] = set()
        self._broken_off: dict[str, float] = {}
        """The accounts that have recently broken off an upload, each with the time until which that counts."""

    @contextmanager
    def room(self, account: str, size: int) -> Iterator[Spooled]:
        """Yields a file that is put aside for an account. Raises `ConnectError` if there is no room for it."""
        if sum(file.account == account for file in self._files) >= _MAX_FILES_PER_ACCOUNT:
            raise too_many("files sent at once", _MAX_FILES_PER_ACCOUNT, f"account {account}", _RETRY_SECONDS)
        for slow in self._in_the_way(size):
            slow.has_given_way = True
            self._files.discard(slow)
            if slow.gives_way is not None:
                slow.gives_way()
        now = self._now()
        self._broken_off = {name: until for name, until in self._broken_off.items() if until > now}
        spooled = Spooled(account, size, now, 0.0 if account in self._broken_off else _GRACE_SECONDS)
        self._files.add(spooled)
        try:
            yield spooled
        finally:
            self._files.discard(spooled)
            if spooled.received < size:
                self._broken_off[account] = self._now() + _NO_GRACE_SECONDS

    def _in_the_way(self, size: int) -> Collection[Spooled]:
        """Returns the files that give way to another file. Raises `ConnectError` if that makes too little room."""
        now, leaving = self._now(), list[Spooled]()
        slowest = sorted(self._files, key=lambda file: -file.behind(now))
        candidates = iter([file for file in slowest if file.gives_way is not None and file.behind(now) > 0])
        files, whole_bytes = len(self._files), sum(file.size for file in self._files)
        while files >= _MAX_FILES or whole_bytes + size > _MAX_SPOOLED_BYTES:
            slow = next(candidates, None)
            if slow is None:
                if files >= _MAX_FILES:
                    raise too_many("files sent at once", _MAX_FILES, "the gateway", _RETRY_SECONDS)
                raise too_many("bytes sent at once", _MAX_SPOOLED_BYTES, "the gateway", _RETRY_SECONDS)
            leaving.append(slow)
            files -= 1
            whole_bytes -= slow.size
        return leaving
