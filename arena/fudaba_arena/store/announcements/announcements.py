"""The announcements of organisers: the newest ones, for a ladder or for the whole arena.

```
all      the announcements, each as JSON, by id (hash)
times    their ids, by when they were announced (sorted set)
recent   the ids of the last day, also of those that were withdrawn (sorted set)
```

All keys share a hash tag that no tournament has, so that an announcement is created in one step. Operations raise
`StoreUnavailable`.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Final, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, known_fields, readable
from fudaba_arena.store.answers import answer, key, unavailable

__all__ = [
    "MAX_ANNOUNCEMENTS_KEPT",
    "MAX_ANNOUNCEMENTS_PER_DAY",
    "Announcement",
    "AnnouncementIdTaken",
    "Announcements",
    "TooManyAnnouncements",
]

log = logging.getLogger(__name__)

MAX_ANNOUNCEMENTS_PER_DAY: Final = 20
"""The number of announcements that an arena takes in 24 hours, those that were withdrawn included."""
MAX_ANNOUNCEMENTS_KEPT: Final = 100
"""The number of announcements that an arena keeps; the oldest go first."""
_DAY_MS: Final = 24 * 3_600_000
_TAG: Final = ".announcements"
"""The hash tag. No tournament has such a name."""
_ALL: Final = key(_TAG, "all")
_TIMES: Final = key(_TAG, "times")
_RECENT: Final = key(_TAG, "recent")


@final
@dataclass(frozen=True, slots=True)
class Announcement:
    """An announcement."""

    announcement_id: str
    ladder: str
    """The ladder; empty for the whole arena."""
    text: str
    at_ms: int
    """The time, in milliseconds since 1970."""

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored announcement. Raises `BadStored`."""
        with readable("an announcement"):
            return cls(**known_fields(cls, json.loads(line), "an announcement"))


@final
class AnnouncementIdTaken(Exception):
    """The announcement with this id was withdrawn less than a day after it was made."""


@final
class TooManyAnnouncements(Exception):
    """The arena has had its announcements of the day. `retry_ms` is when it takes another, in milliseconds."""

    def __init__(self, retry_ms: int) -> None:
        super().__init__(retry_ms)
        self.retry_ms = retry_ms


@final
class Announcements:
    """Adds to the announcements, removes and reads them."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        script = files("fudaba_arena.store.announcements") / "create_announcement.lua"
        self._create = redis.register_script(script.read_text())

    async def create(self, wanted: Announcement) -> Announcement:
        """Stores an announcement. Returns the one that has its id, which may be an earlier one.

        Raises `AnnouncementIdTaken` and `TooManyAnnouncements`.
        """
        args: list[Any] = [wanted.announcement_id, wanted.line(), wanted.at_ms, _DAY_MS]
        args += [MAX_ANNOUNCEMENTS_PER_DAY, MAX_ANNOUNCEMENTS_KEPT]
        line, retry_ms = await answer(self._create(keys=[_ALL, _TIMES, _RECENT], args=args))
        if line:
            return Announcement.from_line(line)
        if retry_ms:
            raise TooManyAnnouncements(int(retry_ms))
        raise AnnouncementIdTaken(wanted.announcement_id)

    async def newest_first(self) -> list[Announcement]:
        """Returns all announcements, newest first, without those that this release cannot read."""
        found = [read for line in await answer(self._redis.hvals(_ALL)) if (read := _read(line)) is not None]
        return sorted(found, key=lambda made: (-made.at_ms, made.announcement_id))

    async def withdraw(self, announcement_id: str) -> Announcement | None:
        """Removes an announcement. Returns it as it was; None if there is none with this id. Raises `BadStored`."""
        line = await answer(self._redis.hget(_ALL, announcement_id))
        if line is None:
            return None
        withdrawn = Announcement.from_line(line)
        await self._remove(announcement_id)
        return withdrawn

    async def forget_ladder(self, ladder: str) -> None:
        """Removes the announcements of a ladder."""
        of_ladder = [made.announcement_id for made in await self.newest_first() if made.ladder == ladder]
        if of_ladder:
            await self._remove(*of_ladder)

    async def _remove(self, *announcement_ids: str) -> None:
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hdel(_ALL, *announcement_ids)
                pipeline.zrem(_TIMES, *announcement_ids)
                await pipeline.execute()


def _read(line: bytes) -> Announcement | None:
    try:
        return Announcement.from_line(line)
    except BadStored as error:
        log.warning("an announcement is not shown: %s", error)
        return None
