"""The channels through which replicas communicate.

A server has one set of channels for all of its databases. So the channel for everybody contains the id of the store and
the number of its database, since a copy of the store may be in another one. The channels of a replica contain its name,
which is random.
"""

from __future__ import annotations

import re
from typing import Final, final

__all__ = ["EARLIER", "TELL", "Channels", "certain_of", "is_of_earlier_release"]

EARLIER: Final = "fudaba:everybody"
"""The channel for everybody of the release before, which all stores of a server share. Everything is published to it.
It is heard only while a replica of that release uses the same store, and its news is looked up in the store.
"""

TELL: Final = f"""
local function tell(channel, news)
  redis.call('PUBLISH', channel, news)
  redis.call('PUBLISH', '{EARLIER}', news)
end
"""
"""Lua: publishes to every replica, given the channel for everybody."""

_EARLIER_NAME: Final = re.compile(r".*-\d+-[0-9a-f]{6}")
_BELIEVED: Final = frozenset({"stream", "paused", "resumed"})
"""The news that a replica believes without a look into the store if a replica of its own store published it."""


@final
class Channels:
    """The channels of one store."""

    def __init__(self, database: int) -> None:
        self._database = database
        self._store_id = ""

    def belong_to(self, store_id: str) -> None:
        """Learns the store's id."""
        self._store_id = store_id

    @property
    def everybody(self) -> str:
        """Returns the name of the channel for every replica. Its news: `offer BOT MATCH`, `stream BOT ID`, `revoked
        KEY`, `open MATCH`, `room BOT`, `paused BOT`, `resumed BOT`, `ended BOT`, `look BOT`.

        KEY is what an `Owner` has among its `keys`: a bot, a version, `token:ID` or `account:NAME`. After `look`, what
        there is of a bot is looked up in the store. Raises RuntimeError before the store is known.
        """
        if not self._store_id:
            raise RuntimeError("the store is not connected")
        return f"fudaba:{self._store_id}:{self._database}:everybody"

    @property
    def for_all_replicas(self) -> tuple[str, str]:
        """The channel on which news for every replica is published."""
        return self.everybody, EARLIER


def is_of_earlier_release(replica: str) -> bool:
    """Returns whether a replica hears and tells only on the channel `EARLIER`. Its name has a shorter random part."""
    return _EARLIER_NAME.fullmatch(replica) is not None


def certain_of(news: str) -> str:
    """Returns how to handle news that may be another store's: what would be believed is looked up instead."""
    kind, _, rest = news.partition(" ")
    return f"look {rest.partition(' ')[0]}" if kind in _BELIEVED else news
