"""The names of everything in Redis.

The keys of a match share the hash tag of its bucket, so that one script may touch them all, in a cluster too; the
bucket's indexes (live matches, deadlines) carry the same tag.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from zlib import crc32

BUCKETS_COUNT: Final = 16

BOTS: Final = "fudaba:bots"
"""Hash: a bot's name to its Bot message."""
BOTS_ALIKE: Final = "{fudaba:bots}:alike"
"""Hash: how a bot's name looks to the name of the bot that has that look. Its tag is the key of the bots: one script
changes both."""
TOKENS: Final = "fudaba:tokens"
"""Hash: a token's SHA-256 to whose it is."""
USES: Final = "{fudaba:tokens}:uses"
"""Hash: a token's SHA-256 to when and from where it was last used, to within some minutes: `MS ADDRESS`."""
EXPIRIES: Final = "{fudaba:tokens}:expiries"
"""Sorted set of the SHA-256 of tokens that expire, by when."""
BARRED: Final = "{fudaba:tokens}:barred"
"""Hash: an account that may not be used now to why. Its tag is the key of the tokens: one script reads both."""
ACCOUNTS: Final = "fudaba:accounts"
"""Hash: an account's name to its Account message."""
SHOWN_NAMES: Final = "{fudaba:accounts}:shown"
"""Hash: the digest of a name by which an account is known to the account, and `of ACCOUNT` to all of its digests. Its
tag is the key of the accounts: one script changes both."""
ACTIONS: Final = "fudaba:actions"
"""List of what organisers did, as Action messages without their number, which is their place."""
LINKS: Final = "fudaba:links"
"""Hash: a login, `ISSUER SUBJECT`, to the name of the account that it belongs to."""
LIMITS: Final = "fudaba:limits"
"""Hash: an account's name to the Quotas message with what was set for it; the empty name is for all accounts."""
RETIRED: Final = "fudaba:retired"
"""Set of the SHA-256 of the names of accounts that were deleted: nobody else gets them."""
SIGN_IN_CODES: Final = "fudaba:sign-in-codes"
"""The tag of all keys about sign-in codes: one script changes a code and what its account has of it."""
STREAMS: Final = "fudaba:streams"
"""Hash: a bot version (`name/version`) to the id of its newest Play stream."""
HIDDEN: Final = "fudaba:hidden"
"""Set of the ids of matches that are kept back."""
HIDING: Final = "{fudaba:hidden}:by"
"""Hash: a match that is kept back to the attempts at its creation that keep it back, by name, with a space before each.
Its tag is the key of the set: one script changes both."""
SHOWN_LATER: Final = "{fudaba:hidden}:shown-later"
"""Hash: a match that is shown later than it is played to `DELAY_MS UNTIL_MS`. `UNTIL_MS` is 0 as long as the match is
kept back; after that the match stays hidden until that time. Releases before this one see such a match as released."""
OPEN: Final = "fudaba:open"
"""Hash: the id of a match with seats to be taken to what is fixed of it; see `sessions.open_matches`."""
HOUSE_SEATS: Final = "fudaba:house-seats"
"""Sorted set of the seats of house bots (`MATCH NUMBER`) in matches that are about to begin, by when that lapses."""
SERVICE: Final = "fudaba:service"
"""The id of the service whose store this is."""
ARCHIVE: Final = "fudaba:archive"
"""The archive of the records: the content of its file `archive-id`."""
ARCHIVED: Final = "fudaba:archived"
"""Stream of the matches that were archived lately; see `store.archived`."""
BEATS: Final = "fudaba:beats"
"""Hash: a replica's name to its last heartbeat; see `store.beats`."""
BEATS_OPEN: Final = "fudaba:beats-open"
"""Hash: a replica's name to what its last heartbeat leaves open of the shared time, in ms, unless that is nothing.

A hash of its own, since the first releases read no heartbeat with more numbers than they know.
"""
OUTAGES: Final = "fudaba:outages"
"""List of `from-to-replica` in ms: when a replica was out of service, or, without a name, all of them."""
CLOCK: Final = "fudaba:clock"
"""The offset to add to Redis's clock to get the replicas' shared time, in ms; see `store.shared_time`."""
CLOCK_DECIDED: Final = "fudaba:clock-decided"
"""The shared time, in ms, at which a replica that began last changed that, before its first heartbeat."""
NOTE: Final = b"note "
"""How the fields of a match's hash begin that hold notes."""


def replica_channel(replica: str) -> str:
    """Returns the channel on which a replica hears which of its matches have new entries.

    `append.lua` builds it too.
    """
    return f"fudaba:replica:{replica}"


def beat_channel(replica: str) -> str:
    """Returns the channel on which a replica tells itself of each of its heartbeats, to see whether it still hears."""
    return f"fudaba:replica:{replica}:beat"


def bot_matches(bot: str) -> str:
    """Returns the key of the set of the ids of the live matches in which a bot version (`name/version`) has a seat."""
    return f"fudaba:bot:{bot}:matches"


def bot_made(bot: str) -> str:
    """Returns the key of the sorted set of the ids of the matches that a bot version has created or is about to, by
    when it was about to.

    Some of them may have ended since, or not have come to be.
    """
    return f"fudaba:bot:{bot}:made"


def bot_ended(bot: str) -> str:
    """Returns the key of the sorted set of the ends of a bot version's matches that it may not know yet, by when they
    ended.

    Each is a SeatUpdate. They are kept for an hour.
    """
    return f"fudaba:bot:{bot}:ended"


def account_invitation(digest: str) -> str:
    """Returns the key that says an account may be made with an invitation code, by the code's SHA-256; it expires."""
    return f"fudaba:account-invitation:{digest}"


def sign_in_code(digest: str) -> str:
    """Returns the key of the person that a sign-in code is for, by the code's SHA-256; it expires. One script changes
    it and `sign_in_codes`.
    """
    return f"{{{SIGN_IN_CODES}}}:{digest}"


def sign_in_codes(account: str) -> str:
    """Returns the key of the hash of an account's sign-in codes: a code's SHA-256 to `EXPIRES_MS MADE_MS KIND
    MEMBER`.
    """
    return f"{{{SIGN_IN_CODES}}}:of:{account}"


def counted(kind: str, whose: str) -> str:
    """Returns how many of something somebody has had lately; it expires with the window of time."""
    return f"fudaba:counted:{kind}:{whose}"


def invitation(digest: str) -> str:
    """Returns the id of the match and the seat that an invitation code is for, by the code's SHA-256; it expires."""
    return f"fudaba:invitation:{digest}"


def match_tokens(match_id: str) -> str:
    """Returns the key of the hash of what goes with a match: a match token's SHA-256 to whose it is, its stream's name
    to the newest one's id.

    It expires an hour after the end of the match.
    """
    return f"fudaba:match-tokens:{match_id}"


def places_there(player: str) -> str:
    """Returns the key of the hash of what is known of a bot version that is or was here: stream, replica, since, gone,
    capacity, paused.
    """
    return f"{{fudaba:places}}:there:{player}"


def places_taken(player: str) -> str:
    """Returns the key of the set of the ids of the matches to which a bot version with a capacity has given a place."""
    return f"{{fudaba:places}}:taken:{player}"


def places_queue(player: str) -> str:
    """Returns the key of the sorted set of the ids of the matches that wait for a place of a bot version, by when they
    were created.
    """
    return f"{{fudaba:places}}:queue:{player}"


def places_replica(replica: str) -> str:
    """Returns the key that says a replica has its streams still; it expires."""
    return f"{{fudaba:places}}:replica:{replica}"


def match_tags(match_id: str) -> str:
    """Returns the key of the hash of a match's tags: who tagged it, to the tags, a line feed between two; see
    `store.tags`.
    """
    return f"{{fudaba:tags}}:match:{match_id}"


def tagged(owner: str) -> str:
    """Returns the key of the set of the places in lists of the matches that somebody has tagged."""
    return f"{{fudaba:tags}}:tagged:{owner}"


def by_tag(owner: str) -> str:
    """Returns the key of the sorted set of somebody's tags, each once for every match that has it: `TAG`, a line feed,
    the match's place.
    """
    return f"{{fudaba:tags}}:by-tag:{owner}"


def live(bucket: int) -> str:
    """Returns the key of the sorted set of a bucket's live matches, by the time they were created."""
    return f"fudaba:{{{bucket:02}}}:live"


def deadlines(bucket: int) -> str:
    """Returns the key of the sorted set of a bucket's matches that wait for somebody, by the time at which the wait is
    over.
    """
    return f"fudaba:{{{bucket:02}}}:deadlines"


def gone(bucket: int, match_id: str) -> str:
    """Returns the key of the fingerprint of the request that created a match, kept for a while after the match."""
    return f"fudaba:{{{bucket:02}}}:gone:{match_id}"


class MatchKeys(NamedTuple):
    """The keys of one match."""

    meta: str
    """Hash: header, seed, salt, state, in `asked` the fingerprint of the request that created it, and what its seats
    noted, see `note_field`."""
    log: str
    """List of LogEntry messages. Its length is the match's version."""
    followers: str
    """Set of the replicas that hold a copy."""
    live: str
    deadlines: str
    gone: str
    """The same fingerprint, for a while after the match has left the store."""
    snapshot: str
    """The result of replaying a long log, or the beginning of it; see `sessions.snapshot`."""

    def for_append(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Returns the keys that append.lua wants, as they go over the wire."""
        return self.log.encode(), self.meta.encode(), self.followers.encode(), self.deadlines.encode()


def note_field(seat: int, decision_id: str) -> bytes:
    """Returns the field of a match's hash for what a seat noted about a decision."""
    return b"%b%d %b" % (NOTE, seat, decision_id.encode())


def match_keys(match_id: str) -> MatchKeys:
    """Returns the keys of the match with this id."""
    bucket = crc32(match_id.encode()) % BUCKETS_COUNT
    base = f"fudaba:{{{bucket:02}}}:match:{match_id}"
    return MatchKeys(
        base,
        f"{base}:log",
        f"{base}:followers",
        live(bucket),
        deadlines(bucket),
        gone(bucket, match_id),
        f"{base}:snapshot",
    )
