"""The names of everything in Redis.

The keys of a match share the hash tag of its bucket, so that one script may touch them all, in a cluster too; the
bucket's indexes (live matches, deadlines) carry the same tag.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from zlib import crc32

BUCKETS: Final = 16

BOTS: Final = "fudaba:bots"
"""Hash: a bot's name to its Bot message."""
TOKENS: Final = "fudaba:tokens"
"""Hash: a token's SHA-256 to whose it is."""
WITHHELD: Final = "fudaba:withheld"
"""Set of the ids of matches that are kept back."""
RECENT: Final = "fudaba:recent"
"""Sorted set of the ids of the newest finished matches, by the time they were created."""
BEATS: Final = "fudaba:beats"
"""Hash: a replica's name to the time of its last heartbeat, in ms."""
OUTAGES: Final = "fudaba:outages"
"""List of `from-to` in ms: times in which no replica was alive. Clocks stand still in them."""
EVERYBODY: Final = "fudaba:everybody"
"""Channel: news for every replica: `offer BOT MATCH`, `stream BOT ID`, `revoked BOT`."""

STILL_THERE: Final = "alive"
"""What a replica tells everybody to see whether it still hears."""


def replica_channel(replica: str) -> str:
    """The channel on which a replica is told which of its matches have new entries. `append.lua` builds it too."""
    return f"fudaba:replica:{replica}"


def bot_matches(bot: str) -> str:
    """Set of the ids of the live matches in which a bot version (`name/version`) has a seat."""
    return f"fudaba:bot:{bot}:matches"


def live(bucket: int) -> str:
    """Sorted set of a bucket's live matches, by the time they were created."""
    return f"fudaba:{{{bucket:02}}}:live"


def deadlines(bucket: int) -> str:
    """Sorted set of a bucket's matches that wait for somebody, by the time at which the wait is over."""
    return f"fudaba:{{{bucket:02}}}:deadlines"


class MatchKeys(NamedTuple):
    """The keys of one match."""

    meta: str
    """Hash: header, seed, salt, state."""
    log: str
    """List of LogEntry messages. Its length is the match's version."""
    followers: str
    """Set of the replicas that hold a copy."""
    live: str
    deadlines: str
    gone: str
    """Set for a while after the match has left the store."""

    def for_append(self) -> tuple[bytes, bytes, bytes, bytes]:
        """The keys that append.lua wants, as they go over the wire."""
        return self.log.encode(), self.meta.encode(), self.followers.encode(), self.deadlines.encode()


def match_keys(match_id: str) -> MatchKeys:
    """The keys of the match with this id."""
    bucket = crc32(match_id.encode()) % BUCKETS
    base = f"fudaba:{{{bucket:02}}}:match:{match_id}"
    return MatchKeys(
        base,
        f"{base}:log",
        f"{base}:followers",
        live(bucket),
        deadlines(bucket),
        f"fudaba:{{{bucket:02}}}:gone:{match_id}",
    )
