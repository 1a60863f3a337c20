"""Tags that accounts give to matches, visible only to the account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from fudaba.v1 import errors_pb2, matches_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner, Scope, tags_of_account, tags_of_bot
from fudaba_service.api.notes import own_seats
from fudaba_service.archive import listed_as
from fudaba_service.refusals import Refused, check_text
from fudaba_service.sessions.host import Host

__all__ = ["MatchTags", "tags_owner"]

_MAX_TAGS_PER_MATCH: Final = 16
_MAX_TAG_CHARS: Final = 64
_MAX_MATCHES_TAGGED: Final = 2000
"""The number of matches with tags of one owner. The store holds all of them."""


def tags_owner(caller: Owner | None) -> str:
    """Returns the owner of a caller's tags; empty for a caller without tags."""
    if caller is None or caller.scope not in {Scope.BOT, Scope.AUTHOR}:
        return ""
    return tags_of_account(caller.account) if caller.account else tags_of_bot(caller.bot)


@final
class MatchTags:
    """Gives tags to matches, and shows them to their owner."""

    def __init__(self, host: Host, bots: Bots) -> None:
        self._host = host
        self._bots = bots

    async def show(self, matches: Sequence[matches_pb2.Match], caller: Owner | None) -> None:
        """Fills in the caller's tags."""
        owner = tags_owner(caller)
        if not owner or not matches:
            return
        found = await self._host.store.tags.of_matches(owner, [match.header.match_id for match in matches])
        for match, tags in zip(matches, found, strict=True):
            match.tags.extend(tags)

    async def put(self, match: matches_pb2.Match, tags: Sequence[str], caller: Owner) -> None:
        """Replaces the caller's tags of a match. Refuses a caller without a seat in it."""
        owner, match_id = tags_owner(caller), match.header.match_id
        checked = _checked(tags)
        if checked:  # what somebody gave who has lost the bot can still be taken back
            if match.state == matches_pb2.MATCH_STATE_OPEN:
                raise Refused(errors_pb2.REASON_MATCH_OPEN, f"match {match_id} has not begun; tag it once it has")
            await own_seats(self._bots, caller, match)
        place = listed_as(match_id, match.header.create_time.ToMilliseconds())
        stored = self._host.store.tags
        if not await stored.put(owner, match_id, place, checked, _MAX_MATCHES_TAGGED):
            advice = "take the tags off another match first"
            raise Refused.quota("tagged matches", _MAX_MATCHES_TAGGED, owner, advice)
        # Whoever removes the record notes that first, and takes the tags last.
        try:
            await self._host.register.refuse_expired(match_id)
        except Refused:
            await stored.forget_match(match_id, place)
            raise
        match.tags.extend(checked)


def _checked(tags: Sequence[str]) -> list[str]:
    """Returns the sorted tags without duplicates. Refuses too many, and invalid ones."""
    if len(tags) > _MAX_TAGS_PER_MATCH:
        raise Refused.malformed(f"tags has {len(tags)} entries; at most {_MAX_TAGS_PER_MATCH} are allowed")
    for tag in tags:
        if not tag:
            raise Refused.malformed("tags has an empty entry; leave it out")
        check_text("tags", tag, _MAX_TAG_CHARS)
    return sorted(set(tags))
