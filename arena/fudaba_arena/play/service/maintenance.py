"""The service's maintenance, during which no match can be created, as an arena or a worker knows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.v1 import catalog_pb2
from fudaba_arena.errors import Say

__all__ = ["InMaintenance", "KnownMaintenance"]

_POLL_SECONDS: Final = 2.0
_DEFAULT_RETRY_SECONDS: Final = 60.0


@final
class InMaintenance(Exception):
    """The service creates no match now, because of maintenance. Nothing was changed, and the match can be created after
    it.
    """


@final
class KnownMaintenance:
    """The maintenance that is announced or under way, as of the latest answer of the service.

    Times are in milliseconds since 1970, by this machine's clock. Maintenance ends by time, also while the service is
    away.
    """

    def __init__(self) -> None:
        self._begin_ms = self._end_ms = 0
        """When the known maintenance begins and ends; 0 before any is known."""
        self._last_end_ms = 0
        """When the maintenance before it ended; 0 if none is known."""
        self._is_refused = False
        """Whether a match was refused since the latest answer."""
        self._followers: list[Callable[[], None]] = []

    @property
    def is_under_way(self) -> bool:
        """Whether no match can be created now."""
        return self.begins_within(0)

    def begins_within(self, seconds: float) -> bool:
        """Returns whether maintenance is under way, or begins within a number of seconds."""
        now_ms = _now_ms()
        return self._begin_ms <= now_ms + seconds * 1000 and now_ms < self._end_ms

    @property
    def end_ms(self) -> int:
        """When the maintenance ends that is under way or announced. If there is none, when an earlier one ended, or
        0.
        """
        return self._end_ms

    @property
    def begun_end_ms(self) -> int:
        """When the latest maintenance that has begun ends or ended; 0 if none is known."""
        return self._end_ms if self._begin_ms <= _now_ms() else self._last_end_ms

    @contextmanager
    def followed(self, changed: Callable[[], None]) -> Iterator[None]:
        """Calls `changed` whenever maintenance begins, ends or is announced differently, until the context is left."""
        self._followers.append(changed)
        try:
            yield
        finally:
            self._followers.remove(changed)

    async def over(self) -> None:
        """Waits until no maintenance is under way."""
        while self.is_under_way:
            left_seconds = (self._end_ms - _now_ms()) / 1000
            await asyncio.sleep(max(0.0, min(_POLL_SECONDS, left_seconds)))

    def note(self, found: catalog_pb2.GetMaintenanceResponse) -> None:
        """Notes what the service answers."""
        now_ms = _now_ms()
        if self._begin_ms <= now_ms:
            self._last_end_ms = min(self._end_ms, now_ms)
        if found.HasField("maintenance"):
            ahead_ms = now_ms - found.now.ToMilliseconds()
            self._begin_ms = found.maintenance.begin_time.ToMilliseconds() + ahead_ms
            self._end_ms = found.maintenance.end_time.ToMilliseconds() + ahead_ms
        else:
            self._begin_ms = self._end_ms = self._last_end_ms

    def note_refusal(self, error: ServiceError) -> None:
        """Notes that the service has refused a match because of maintenance. Until the next answer, it is taken to last
        as long as the refusal advises to wait.
        """
        self._is_refused = True
        if not self.is_under_way:
            seconds = error.retry_after if error.retry_after is not None else _DEFAULT_RETRY_SECONDS
            self._begin_ms = _now_ms()
            self._end_ms = self._begin_ms + int(seconds * 1000)

    async def watch(self, ask: Callable[[], Awaitable[catalog_pb2.GetMaintenanceResponse]], say: Say) -> None:
        """Asks the service again and again until cancelled, and reports beginnings, changes and ends."""
        maintenance, known = catalog_pb2.Maintenance(), (False, "")
        while True:
            # A service that is away is reported by the other calls, and one of an earlier release has no maintenance.
            with suppress(ServiceError):
                found = await ask()
                maintenance = found.maintenance
                self.note(found)
            latest = self.is_under_way, maintenance.id
            if latest != known or self._is_refused:
                self._is_refused = False
                if latest != known and (latest[0] or known[0]):
                    say(self._words(maintenance.text))
                known = latest
                for changed in [*self._followers]:
                    changed()
            await asyncio.sleep(_POLL_SECONDS)

    def _words(self, text: str) -> str:
        if not self.is_under_way:
            return "the service's maintenance is over: matches begin again"
        why = f" ({text})" if text else ""
        until = datetime.fromtimestamp(self._end_ms / 1000, UTC)
        return f"the service has maintenance until {until:%Y-%m-%d %H:%M:%S} UTC{why}: no match begins before its end"


def _now_ms() -> int:
    return int(time.time() * 1000)
