"""Names that look like an earlier name of another owner. They date from before new names were compared."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, final

from fudaba.v1 import accounts_pb2, bots_pb2
from fudaba_serving.names.likeness import likenesses

__all__ = ["Lookalikes", "NameHolder"]

_CACHE_SECONDS: Final = 60.0
"""The time for which a finding is cached, since new names cannot look like others."""


@final
@dataclass(frozen=True, slots=True)
class NameHolder:
    """A bot or an account."""

    name: str
    shown: tuple[str, ...]
    """All of its names."""
    owner: str
    """The owner. Names of one owner may look alike."""
    since_ms: int


@final
class Lookalikes:
    """The names to mark, each with its mark."""

    def __init__(self, read: Callable[[], Awaitable[Collection[NameHolder]]]) -> None:
        """`read` returns all names."""
        self._read = read
        self._found: Mapping[str, str] = {}
        self._stale = 0.0
        """The time from which they are read again, by the monotonic clock; 0 before they were read."""

    async def mark(self, messages: Collection[bots_pb2.Bot] | Collection[accounts_pb2.Account]) -> None:
        """Fills in, for other people, the earlier name of another owner that each name looks like, if there is one."""
        found = await self._find()
        for message in messages:
            message.looks_like = found.get(message.name, "")

    async def _find(self) -> Mapping[str, str]:
        """Finds look-alikes: returns for each later name the earlier one that it looks like."""
        if not self._stale or time.monotonic() > self._stale:
            self._found = await _later(await self._read())
            self._stale = time.monotonic() + _CACHE_SECONDS
        return self._found


async def _later(named: Collection[NameHolder]) -> dict[str, str]:
    """Yields look-alikes, from the earliest name on: the first name with a look keeps it."""
    ordered = sorted(named, key=lambda claimant: (claimant.since_ms, claimant.name))
    looks = iter(await likenesses([shown for holder in ordered for shown in holder.shown]))
    first: dict[str, NameHolder] = {}
    found: dict[str, str] = {}
    for name_holder in ordered:
        for _ in name_holder.shown:
            earlier = first.setdefault(next(looks), name_holder)
            if earlier.owner != name_holder.owner:
                found.setdefault(name_holder.name, earlier.name)
    return found
