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
OPEN: Final = "fudaba:open"
"""Hash: the id of a match with seats to be taken to what is fixed of it; see `sessions.tables`."""
RECENT: Final = "fudaba:recent"
"""Sorted set of the ids of the newest finished matches, by the time they were created."""
ARCHIVE: Final = "fudaba:archive"
"""Which archive the records are in: what its file `archive-id` says."""
BEATS: Final = "fudaba:beats"
"""Hash: a replica's name to the time of its last heartbeat, in ms."""
OUTAGES: Final = "fudaba:outages"
"""List of `from-to` in ms: times in which no replica was alive. Clocks stand still in them."""
EVERYBODY: Final = "fudaba:everybody"
"""Channel: news for every replica: `offer BOT MATCH`, `stream BOT ID`, `revoked BOT`, `open MATCH`."""

STILL_THERE: Final = "alive"
"""What a replica tells everybody to see whether it still hears."""


def replica_channel(replica: str) -> str:
    """The channel on which a replica is told which of its matches have new entries. `append.lua` builds it too."""
    return f"fudaba:replica:{replica}"


def bot_matches(bot: str) -> str:
    """Set of the ids of the live matches in which a bot version (`name/version`) has a seat."""
    return f"fudaba:bot:{bot}:matches"


def bot_made(bot: str) -> str:
    """Set of the ids of the unfinished matches that a bot version has created; and of some that have ended since."""
    return f"fudaba:bot:{bot}:made"


def invitation(digest: str) -> str:
    """The id of the match and the seat that an invitation code is for, by the code's SHA-256; it expires."""
    return f"fudaba:invitation:{digest}"


def live(bucket: int) -> str:
    """Sorted set of a bucket's live matches, by the time they were created."""
    return f"fudaba:{{{bucket:02}}}:live"


def deadlines(bucket: int) -> str:
    """Sorted set of a bucket's matches that wait for somebody, by the time at which the wait is over."""
    return f"fudaba:{{{bucket:02}}}:deadlines"


def gone(bucket: int, match_id: str) -> str:
    """What was asked for when a match of a bucket was created, for a while after it has left the store."""
    return f"fudaba:{{{bucket:02}}}:gone:{match_id}"


class MatchKeys(NamedTuple):
    """The keys of one match."""

    meta: str
    """Hash: header, seed, salt, state, and in `asked` what the creator asked for."""
    log: str
    """List of LogEntry messages. Its length is the match's version."""
    followers: str
    """Set of the replicas that hold a copy."""
    live: str
    deadlines: str
    gone: str
    """The same `asked`, for a while after the match has left the store."""

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
        gone(bucket, match_id),
    )
