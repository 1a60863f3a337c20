"""The folders that versions of bots keep between matches: one for each version in each ladder.

```
of:BOT      what each folder of a bot is, by `LADDER VERSION` (hash)
taken:BOT   which match has each of those that a match has (hash)
unneeded    the names of archives that nobody needs, by when they may be removed (sorted set)
forgotten   the bots that keep nothing any more, since the accounts are deleted to which they belonged (set)
```

The archives themselves are stored with the submissions. A folder belongs to the match that took it last, and only that
match may replace it: so a worker that was wrongly considered dead cannot undo later changes. An archive that is being
written counts as unneeded until the folder refers to it: so what a dying worker leaves is removed, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Final, NamedTuple, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import known_fields, readable
from fudaba_arena.store.answers import answer, key

__all__ = ["FolderOwner", "KeptFolder", "KeptFolders"]

_TAG: Final = ".kept"
"""The hash tag. No tournament has such a name."""
_WRITE_TIMEOUT_MS: Final = 3_600_000
"""The time that writing an archive may take."""


class FolderOwner(NamedTuple):
    """The owner of a folder."""

    ladder: str
    bot: str
    version: str

    @property
    def field(self) -> str:
        """The folder's field among those of its bot."""
        return f"{self.ladder} {self.version}"


@final
@dataclass(frozen=True, slots=True)
class KeptFolder:
    """The known facts about a non-empty folder."""

    name: str
    """The name of its archive."""
    sha256: str
    """The digest of the uncompressed archive, in hexadecimal."""
    size: int
    """The room that its files need, in bytes."""
    files: int
    """The number of files and folders in it."""
    at_ms: int
    """The time when the match that left it like this ended, in milliseconds since 1970."""

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads a stored folder. Raises `BadStored`."""
        with readable("a folder that a bot keeps"):
            return cls(**known_fields(cls, json.loads(line), "a folder that a bot keeps"))


@final
class KeptFolders:
    """The folder of each version in each ladder. Methods raise `StoreUnavailable`, and can be repeated."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        folder = files("fudaba_arena.store.bots")
        self._commit = redis.register_script((folder / "commit_kept.lua").read_text())
        self._take = redis.register_script((folder / "take_kept.lua").read_text())
        self._forget = redis.register_script((folder / "forget_kept.lua").read_text())

    async def get(self, whose: FolderOwner) -> KeptFolder | None:
        """Returns a folder; None if it is empty."""
        found = await answer(self._redis.hget(_bot_key(whose.bot), whose.field))
        return None if found is None else KeptFolder.read(found)

    async def all(self, bot: str) -> Mapping[tuple[str, str], KeptFolder]:
        """Returns the non-empty folders of a bot, by ladder and version."""
        found = await answer(self._redis.hgetall(_bot_key(bot)))
        whose = {field: field.decode().split(" ") for field in found}
        return {(whose[field][0], whose[field][1]): KeptFolder.read(line) for field, line in found.items()}

    async def take(self, whose: FolderOwner, match: str) -> KeptFolder | None:
        """Lends a folder to a match, identified by any unique text. Returns the folder, or None if it is empty."""
        keys = [*_keys(whose.bot)[:2], _FORGOTTEN]
        found = await answer(self._take(keys=keys, args=[whose.bot, whose.field, match]))
        return None if found is None else KeptFolder.read(found)

    async def begin_writing(self, name: str, now_ms: int) -> None:
        """Notes that an archive is about to be written."""
        await answer(self._redis.zadd(_UNNEEDED, {name: now_ms + _WRITE_TIMEOUT_MS}))

    async def give_back(self, whose: FolderOwner, match: str, now: KeptFolder | None, now_ms: int) -> bool:
        """Replaces a folder by what a match left; None leaves it as it was. Returns False if the match no longer has
        the folder.
        """
        line, name = (now.line(), now.name) if now is not None else ("", "")
        return bool(await answer(self._commit(keys=_keys(whose.bot), args=[whose.field, match, line, name, now_ms])))

    async def empty(self, whose: FolderOwner, now_ms: int) -> bool:
        """Empties a folder. Returns False if it was empty. A match that has the folder cannot restore it."""
        return bool(await answer(self._forget(keys=_keys(whose.bot), args=[now_ms, whose.field])))

    async def forget(self, bot: str, now_ms: int) -> int:
        """Empties a bot's folders for good. Returns how many it had."""
        await answer(self._redis.sadd(_FORGOTTEN, bot))
        return int(await answer(self._forget(keys=_keys(bot), args=[now_ms])))

    async def unneeded(self, now_ms: int) -> list[str]:
        """Returns the names of archives that may be removed now."""
        found = await answer(self._redis.zrangebyscore(_UNNEEDED, "-inf", now_ms))
        return [name.decode() for name in found]

    async def removed(self, names: Sequence[str]) -> None:
        """Notes that these archives were removed."""
        if names:
            await answer(self._redis.zrem(_UNNEEDED, *names))


_UNNEEDED: Final = key(_TAG, "unneeded")
_FORGOTTEN: Final = key(_TAG, "forgotten")


def _bot_key(bot: str) -> str:
    return key(_TAG, f"of:{bot}")


def _taken(bot: str) -> str:
    return key(_TAG, f"taken:{bot}")


def _keys(bot: str) -> list[str]:
    return [_bot_key(bot), _taken(bot), _UNNEEDED]
