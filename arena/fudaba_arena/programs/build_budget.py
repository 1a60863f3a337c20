"""The daily budget of an account's builds. Each build asks before it begins, and before its result is kept."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, final

from fudaba_arena.limits import MEGABYTE
from fudaba_arena.submissions.faults import BadSubmission, Fault

if TYPE_CHECKING:  # `fudaba bot check` has no store, and need not have what only that needs
    from fudaba_arena.store.submissions.build_use import BuildQuotaUsed, BuildUse

__all__ = ["AccountBudget", "BuildBudget", "Unbounded"]


class BuildBudget(Protocol):
    """The account that pays for a build. Its operations raise `StoreUnavailable`."""

    async def begin(self, max_seconds: float, /) -> None:
        """Begins a build of at most `max_seconds`. Raises `BadSubmission` if no more builds are allowed."""

    async def end(self, seconds: float, /) -> None:
        """Charges the seconds that the build took, however it ended; 0 if it failed by the host's fault."""

    async def keep(self, size: int, /) -> None:
        """Charges the bytes to keep. Raises `BadSubmission` if there is no room for them."""


@final
class Unbounded:
    """The budget of an unpaid build: the organiser's, one on the author's machine, or a repeated one for a match."""

    async def begin(self, max_seconds: float, /) -> None:
        """See `BuildBudget`."""

    async def end(self, seconds: float, /) -> None:
        """See `BuildBudget`."""

    async def keep(self, size: int, /) -> None:
        """See `BuildBudget`."""


@final
class AccountBudget:
    """The budget of a build that an account pays for."""

    def __init__(self, use: BuildUse, account: str, build: str) -> None:
        """`build` identifies it among all builds of the account."""
        self._use = use
        self._account = account
        self._build = build
        self._max_seconds = 0.0

    async def begin(self, max_seconds: float, /) -> None:
        """See `BuildBudget`."""
        self._max_seconds = max_seconds
        from fudaba_arena.store.submissions.build_use import BuildQuotaUsed  # noqa: PLC0415 - see above

        try:
            await self._use.begin(self._account, self._build, _now_ms(), round(max_seconds * 1000))
        except BuildQuotaUsed as error:
            figures = f"builds of account {self._account} took {error.used / 1000:,.0f} s in the last 24 hours"
            raise _refused(f"{figures}, and may take {error.most / 1000:,.0f} s", error) from error

    async def end(self, seconds: float, /) -> None:
        """See `BuildBudget`."""
        # A busy host may be late in ending a build that has used up its time.
        await self._use.end(self._account, self._build, round(min(seconds, self._max_seconds) * 1000))

    async def keep(self, size: int, /) -> None:
        """See `BuildBudget`."""
        from fudaba_arena.store.submissions.build_use import BuildQuotaUsed  # noqa: PLC0415 - see above

        try:
            await self._use.charge(self._account, self._build, size, _now_ms())
        except BuildQuotaUsed as error:
            figures = f"the build has made {_megabytes(size)}, packed; account {self._account} has uploaded and built "
            bound = f"{_megabytes(error.used)} in the last 24 hours, and may {_megabytes(error.most)}"
            raise _refused(figures + bound, error) from error


def _refused(figures: str, error: BuildQuotaUsed) -> BadSubmission:
    if not error.free_ms:
        return BadSubmission(Fault.QUOTA, f"{figures}: this arena takes no such bot; build less")
    free = datetime.fromtimestamp(error.free_ms / 1000, UTC)
    return BadSubmission(Fault.QUOTA, f"{figures}; submit it again after {free:%Y-%m-%d %H:%M:%S} UTC")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
