"""The names of everything in Redis.

The keys of a match share the hash tag of its bucket, so that one script may touch them all, in a cluster too; the
bucket's indexes (live matches, deadlines) carry the same tag.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from zlib import crc32

from fudaba_service.store.appends import packed

BUCKETS_COUNT: Final = 16

BOTS: Final = "fudaba:bots"
"""Hash: a bot's name to its Bot message."""
BOTS_ALIKE: Final = "{fudaba:bots}:alike"
"""Hash: the look of a bot's name to the name of the bot with that look. Its tag is the key of the bots: one script
changes both.
"""
TOKENS: Final = "fudaba:tokens"
"""Hash: a token's SHA-256 to its owner."""
USES: Final = "{fudaba:tokens}:uses"
"""Hash: a token's SHA-256 to the time and address of its last use, within some minutes: `MS ADDRESS`."""
EXPIRIES: Final = "{fudaba:tokens}:expiries"
"""Sorted set of the SHA-256 of tokens that expire, by when."""
BARRED: Final = "{fudaba:tokens}:barred"
"""Hash: an account that may not be used now to the reason. Its tag is the key of the tokens: one script reads both."""
ACCOUNTS: Final = "fudaba:accounts"
"""Hash: an account's name to its Account message."""
SHOWN_NAMES: Final = "{fudaba:accounts}:shown"
"""Hash: the digest of an account's name to the account, and `of ACCOUNT` to all of its digests. Its tag is the key of
the accounts: one script changes both.
"""
ACTIONS: Final = "fudaba:actions"
"""List of organisers' actions, as Action messages without their number, which is their place."""
MAINTENANCE: Final = "fudaba:maintenance"
"""Hash: `announced` to the Maintenance message, which may be over."""
LINKS: Final = "fudaba:links"
"""Hash: a login, `ISSUER SUBJECT`, to the name of its account."""
LIMITS: Final = "fudaba:limits"
"""Hash: an account's name to the Quotas message with its own limits; the empty name is for all accounts."""
RETIRED: Final = "fudaba:retired"
"""Set of the SHA-256 of deleted accounts' names, which are never given again."""
SIGN_IN_CODES: Final = "fudaba:sign-in-codes"
"""The tag of all keys about sign-in codes: one script changes a code and its account's list."""
STREAMS: Final = "fudaba:streams"
"""Hash: a bot version (`name/version`) to the id of its newest Play stream."""
HIDDEN: Final = "fudaba:hidden"
"""Set of the ids of hidden matches."""
HIDING: Final = "{fudaba:hidden}:by"
"""Hash: a hidden match to the attempts at its creation that hide it, by name, with a space before each. Its tag is the
key of the set: one script changes both.
"""
SHOWN_LATER: Final = "{fudaba:hidden}:shown-later"
"""Hash: a match that is shown with a delay to `DELAY_MS UNTIL_MS`. `UNTIL_MS` is 0 while the match is unreleased; after
that the match stays hidden until that time. Earlier releases see such a match as released.
"""
CONCEALED: Final = "{fudaba:hidden}:concealed"
"""Set of the ids of the hidden matches that others than their players find nowhere."""
OPEN: Final = "fudaba:open"
"""Hash: the id of a match with open seats to its fixed part; see `sessions.open_matches`."""
HOUSE_SEATS: Final = "fudaba:house-seats"
"""Sorted set of the seats of house bots (`MATCH NUMBER`) in matches that are about to begin, by expiry."""
SERVICE: Final = "fudaba:service"
"""The id of the service whose store this is."""
ARCHIVE: Final = "fudaba:archive"
"""The archive of the records: the content of its file `archive-id`."""
ARCHIVED: Final = "fudaba:archived"
"""Stream of the recently archived matches; see `store.archived`."""
BEATS: Final = "fudaba:beats"
"""Hash: a replica's name to its last heartbeat; see `store.beats`."""
BEATS_OPEN: Final = "fudaba:beats-open"
"""Hash: a replica's name to the uncertainty of the shared time in its last heartbeat, in ms, if there is any.

It is a separate hash, since the first releases cannot read a heartbeat with more numbers than they know.
"""
OUTAGES: Final = "fudaba:outages"
"""List of `from-to-replica` in ms: when a replica was out of service or, without a name, all of them."""
CLOCK: Final = "fudaba:clock"
"""The offset to add to Redis's clock to get the replicas' shared time, in ms; see `store.shared_time`."""
CLOCK_DECIDED: Final = "fudaba:clock-decided"
"""The shared time, in ms, at which a beginning replica last changed the correction, before its first heartbeat."""
NOTE: Final = b"note "
"""The prefix of the fields of a match's hash with notes."""


def replica_channel(replica: str) -> str:
    """Returns the channel on which a replica hears which of its matches have new entries.

    `append.lua` builds it too.
    """
    return f"fudaba:replica:{replica}"


def beat_channel(replica: str) -> str:
    """Returns the channel on which a replica publishes its heartbeats to itself, to check that it still hears."""
    return f"fudaba:replica:{replica}:beat"


def bot_matches(bot: str) -> str:
    """Returns the key of the set of the ids of the live matches in which a bot version (`name/version`) has a seat."""
    return f"fudaba:bot:{bot}:matches"


def bot_made(bot: str) -> str:
    """Returns the key of the sorted set of the ids of matches that a bot version created or is about to, by time.

    Some of them may have ended since, or never have come into being.
    """
    return f"fudaba:bot:{bot}:made"


def bot_ended(bot: str) -> str:
    """Returns the key of the sorted set of matches' ends that a bot version may not know yet, by time.

    Each is a SeatUpdate. They are kept for an hour.
    """
    return f"fudaba:bot:{bot}:ended"


def account_invitation(digest: str) -> str:
    """Returns the key of an invitation code for a new account, by the code's SHA-256; it expires."""
    return f"fudaba:account-invitation:{digest}"


def sign_in_code(digest: str) -> str:
    """Returns the key of the person for a sign-in code, by the code's SHA-256; it expires. One script changes it and
    `sign_in_codes`.
    """
    return f"{{{SIGN_IN_CODES}}}:{digest}"


def sign_in_codes(account: str) -> str:
    """Returns the key of the hash of an account's sign-in codes: a code's SHA-256 to `EXPIRES_MS MADE_MS KIND
    MEMBER`.
    """
    return f"{{{SIGN_IN_CODES}}}:of:{account}"


def counted(kind: str, whose: str) -> str:
    """Returns the key of a caller's recent count of a kind; it expires with the window of time."""
    return f"fudaba:counted:{kind}:{whose}"


def invitation(digest: str) -> str:
    """Returns the key of the match and seat of an invitation code, by the code's SHA-256; it expires."""
    return f"fudaba:invitation:{digest}"


def match_tokens(match_id: str) -> str:
    """Returns the key of the hash of a match's tokens: a match token's SHA-256 to its owner, and its stream's name to
    the newest stream's id.

    It expires an hour after the end of the match.
    """
    return f"fudaba:match-tokens:{match_id}"


def places_there(player: str) -> str:
    """Returns the key of the hash about a bot version that is or was connected: stream, replica, since, gone, capacity,
    paused.
    """
    return f"{{fudaba:places}}:there:{player}"


def places_taken(player: str) -> str:
    """Returns the key of the set of the ids of the matches that have a place of a bot version with a capacity."""
    return f"{{fudaba:places}}:taken:{player}"


def places_queue(player: str) -> str:
    """Returns the key of the sorted set of the ids of matches that wait for a place of a bot version, by creation."""
    return f"{{fudaba:places}}:queue:{player}"


def places_replica(replica: str) -> str:
    """Returns the key that shows that a replica still has its streams; it expires."""
    return f"{{fudaba:places}}:replica:{replica}"


def match_tags(match_id: str) -> str:
    """Returns the key of the hash of a match's tags: owner to tags, separated by line feeds; see `store.tags`."""
    return f"{{fudaba:tags}}:match:{match_id}"


def tagged(owner: str) -> str:
    """Returns the key of the set of the list places of an owner's tagged matches."""
    return f"{{fudaba:tags}}:tagged:{owner}"


def by_tag(owner: str) -> str:
    """Returns the key of the sorted set of an owner's tags, each once for every match that has it: `TAG`, a line feed,
    the match's place.
    """
    return f"{{fudaba:tags}}:by-tag:{owner}"


def live(bucket: int) -> str:
    """Returns the key of the sorted set of a bucket's live matches, by creation."""
    return f"fudaba:{{{bucket:02}}}:live"


def deadlines(bucket: int) -> str:
    """Returns the key of the sorted set of a bucket's waiting matches, by the end of the wait."""
    return f"fudaba:{{{bucket:02}}}:deadlines"


def gone(bucket: int, match_id: str) -> str:
    """Returns the key of the fingerprint of the request that created a match, which outlives the match for a while."""
    return f"fudaba:{{{bucket:02}}}:gone:{match_id}"


class MatchKeys(NamedTuple):
    """The keys of one match."""

    meta: str
    """Hash: header, seed, salt, state, the creating request's fingerprint in `asked`, and the seats' notes, see
    `note_field`.
    """
    log: str
    """List of LogEntry messages. Its length is the match's version."""
    followers: str
    """Set of the replicas that hold a copy."""
    live: str
    deadlines: str
    gone: str
    """The same fingerprint, for a while after the match has left the store."""
    snapshot: str
    """The snapshot of a long log, or of its beginning; see `sessions.snapshot`."""

    def for_append(self) -> bytes:
        """Returns the serialised keys for append.lua."""
        return packed([key.encode() for key in (self.log, self.meta, self.followers, self.deadlines)])


def note_field(seat: int, decision_id: str) -> bytes:
    """Returns the field of a match's hash for a seat's note about a decision."""
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
