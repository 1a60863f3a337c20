"""The pace of a backup, which shares disk and processors with a service in use."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from fudaba_service.backup.container import Bar, Moved

__all__ = ["Pace"]


@final
class Pace:
    """Keeps reading and writing below a rate by sleeping after pieces that came too soon."""

    def __init__(self, bytes_per_second: float) -> None:
        """A rate of 0 sets no limit."""
        self._seconds_per_byte = 1 / bytes_per_second if bytes_per_second else 0.0
        self._free_at = 0.0

    def moved(self, count: int) -> None:
        """Returns when the next piece may follow one of this many bytes."""
        now = time.monotonic()
        self._free_at = max(self._free_at, now) + count * self._seconds_per_byte
        if self._free_at > now:
            time.sleep(self._free_at - now)

    def keeping(self, bar: Bar) -> Bar:
        """Returns a bar whose callback keeps this pace, too."""

        @contextmanager
        def paced(total: int, label: str) -> Iterator[Moved]:
            with bar(total, label) as step:

                def moved(count: int) -> None:
                    step(count)
                    self.moved(count)

                yield moved

        return paced
