"""Names that look like an earlier one of somebody else: there are some from before new names were compared."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, final

from fudaba.v1 import accounts_pb2, bots_pb2
from fudaba_serving.names.likeness import likenesses

__all__ = ["Lookalikes", "NameHolder"]

_CACHE_SECONDS: Final = 60.0
"""The time for which a finding holds: no name is given any more that looks like another one."""


@final
@dataclass(frozen=True, slots=True)
class NameHolder:
    """A bot or an account."""

    name: str
    shown: tuple[str, ...]
    """All that it is called."""
    owner: str
    """The owner of the name: names of the same owner may look alike."""
    since_ms: int


@final
class Lookalikes:
    """The names to be marked, each with its mark."""

    def __init__(self, read: Callable[[], Awaitable[Collection[NameHolder]]]) -> None:
        """`read` reads them all."""
        self._read = read
        self._found: Mapping[str, str] = {}
        self._stale = 0.0
        """The time from which they are read again, by the monotonic clock; 0 before they were read."""

    async def mark(self, messages: Collection[bots_pb2.Bot] | Collection[accounts_pb2.Account]) -> None:
        """Notes in messages for others which earlier name of somebody else each one's looks like, if any."""
        found = await self._find()
        for message in messages:
            message.looks_like = found.get(message.name, "")

    async def _find(self) -> Mapping[str, str]:
        """Finds look-alikes: by each later name the earlier one that it looks like."""
        if not self._stale or time.monotonic() > self._stale:
            self._found = await _later(await self._read())
            self._stale = time.monotonic() + _CACHE_SECONDS
        return self._found


async def _later(named: Collection[NameHolder]) -> dict[str, str]:
    """Goes through them once from the earliest on: the first that looks like this keeps the look."""
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
