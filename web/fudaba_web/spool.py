"""The room for files that are put aside until they are whole. All accounts share it, and slowness keeps none from it.

Whoever comes when all of it is taken gets the place of the file that is furthest behind the pace that it needs to be
whole in time. A file that keeps this pace keeps its place, and a new one has some seconds to begin, unless its account
has broken an upload off of late.
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
"""Seconds in which a file has to be whole."""
_MAX_BYTES: Final = 1_000_000_000
"""Bytes that are put aside at once in all. What the arena takes of one file is less, and it says so."""
_MAX_FILES: Final = 200
_MAX_FILES_PER_ACCOUNT: Final = 2
"""The number of files that are put aside at once for an account; those of bots without one are the organiser's."""
_GRACE_SECONDS: Final = 10.0
"""Seconds for which a file keeps its place, however slowly it begins."""
_MIN_BYTES_PER_SECOND: Final = 10_000
"""Bytes a second that keep a small file its place. A large one needs more to be whole in time."""
_NO_GRACE_SECONDS: Final = 600.0
"""Seconds for which an account that has broken an upload off has to keep the pace from the first moment on."""
_RETRY_SECONDS: Final = 5.0


@final
@dataclass(eq=False)
class Spooled:
    """A file that is put aside."""

    account: str
    size: int
    """Bytes that it will have."""
    began: float
    grace_seconds: float
    received: int = 0
    """Bytes that have come."""
    gives_way: Callable[[], None] | None = None
    """Ends its upload; None while nobody may, since it is whole or has not begun to come."""
    has_given_way: bool = field(default=False, init=False)

    def behind(self, now: float) -> float:
        """Returns how many bytes are missing that should have come; 0 or less for a file that keeps its place."""
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
        """The accounts that have broken an upload off of late, and until when that counts."""

    @contextmanager
    def room(self, account: str, size: int) -> Iterator[Spooled]:
        """Yields a file that is put aside for an account. Raises `ConnectError` where there is no room for it."""
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
        """Returns the files that give way to another one. Raises `ConnectError` where that makes too little room."""
        now, leaving = self._now(), list[Spooled]()
        slowest = sorted(self._files, key=lambda file: -file.behind(now))
        candidates = iter([file for file in slowest if file.gives_way is not None and file.behind(now) > 0])
        files, whole_bytes = len(self._files), sum(file.size for file in self._files)
        while files >= _MAX_FILES or whole_bytes + size > _MAX_BYTES:
            slow = next(candidates, None)
            if slow is None:
                if files >= _MAX_FILES:
                    raise too_many("files sent at once", _MAX_FILES, "the gateway", _RETRY_SECONDS)
                raise too_many("bytes sent at once", _MAX_BYTES, "the gateway", _RETRY_SECONDS)
            leaving.append(slow)
            files -= 1
            whole_bytes -= slow.size
        return leaving
