"""How many matches bots may create, and how many streams they may open.

A place is taken before a match is made, so that many requests at once get no more.

The store counts and takes in one step, whatever replica asks. Whoever dies between the two leaves a place that nobody
fills; it counts for a minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, final

from fudaba.v1 import errors_pb2, record_pb2
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.house_names import is_house
from fudaba_service.house_names import players as house_players
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.store import MatchGone

__all__ = [
    "MOST_HOUSE_SEATS",
    "MOST_MADE",
    "AccountStreams",
    "give_back",
    "give_back_for_account",
    "made_by_account",
    "reserve",
    "reserve_for_account",
]

MOST_MADE: Final = 20
"""How many unfinished matches a bot may have created."""
MOST_HOUSE_SEATS: Final = 500
"""How many seats house bots may have, for a bot to create a match with one more of them."""
LAPSES_MS: Final = 60_000
"""After so long a place in which there is no match is free again."""
_STREAM_RETRY: Final = 15.0


@final
class AccountStreams:
    """The open Play streams of each account's bots at this replica."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[str, Counter[str]] = {}

    def count(self, account: str) -> int:
        """How many versions of an account's bots have one."""
        return len(self._open.get(account, ()))

    @asynccontextmanager
    async def counted(self, owner: Owner) -> AsyncIterator[None]:
        """Counts a stream in for as long as it is open. Refuses an account's bot when it has too many of others."""
        if owner.scope != Scope.BOT or not owner.account:
            yield
            return
        most = (await self._limits.of(owner.account)).streams
        here = self._open.setdefault(owner.account, Counter())
        # A newer stream of the same version takes the place of the older one.
        if len(here.keys() - {owner.stream}) >= most:
            advice = "one stream carries all matches of a version"
            raise Refused.quota("streams", most, f"account {owner.account}", advice, retry_seconds=_STREAM_RETRY)
        here[owner.stream] += 1
        try:
            yield
        finally:
            here[owner.stream] -= 1
            if not here[owner.stream]:
                del here[owner.stream]
            if not here:
                self._open.pop(owner.account, None)


async def made_by_account(host: Host, account: str) -> int:
    """How many unfinished matches an account's bots have created."""
    await _forget_finished(host, f"account:{account}")
    return len(await host.store.quotas.made_by(f"account:{account}"))


async def reserve_for_account(host: Host, account: str, match_id: str, most: int) -> bool:
    """Takes the place of one more match of the making of an account's bots; False when this match has one already."""
    reserved = await _take(host, f"account:{account}", match_id, most)
    if reserved is None:
        raise Refused.quota("unfinished matches", most, f"account {account}", "finish some first")
    return reserved


async def give_back_for_account(host: Host, account: str, match_id: str) -> None:
    """Gives back what `reserve_for_account` took for a match that was not made."""
    await host.store.quotas.forget(f"account:{account}", match_id)


async def reserve(host: Host, maker: str, header: record_pb2.MatchHeader, joined_by_ms: int) -> bool:
    """Takes the place of one more match of a bot's making; False when this match has one already.

    Its seats will be taken by `joined_by_ms`, or it does not begin. Refuses when too many are unfinished.
    """
    match_id = header.match_id
    reserved = await _take(host, maker, match_id, MOST_MADE)
    if reserved is None:
        raise Refused(
            errors_pb2.REASON_TOO_MANY_MATCHES,
            f"{MOST_MADE} matches that {maker} created are unfinished, and no more may be: finish some first",
        )
    if reserved and (seats := _house_seats(header)):
        # In this order: seats that are given away meanwhile are counted twice rather than not at all.
        held = await host.store.quotas.hold_house_seats(match_id, seats, joined_by_ms + LAPSES_MS)
        busy = held - seats + await host.store.index.count_matches_of(house_players())
        if busy + seats > MOST_HOUSE_SEATS:
            await give_back(host, maker, header)
            raise Refused(
                errors_pb2.REASON_TOO_MANY_MATCHES, f"the house bots have {busy} seats already; try again later"
            )
    return reserved


async def _take(host: Host, maker: str, match_id: str, most: int) -> bool | None:
    """Takes a place; None when there is none, also once those of matches that are over are free."""
    reserved = await host.store.quotas.reserve(maker, match_id, most)
    if reserved is None:
        await _forget_finished(host, maker)
        reserved = await host.store.quotas.reserve(maker, match_id, most)
    return reserved


async def _forget_finished(host: Host, maker: str) -> None:
    """Frees the places of matches that are over."""
    for other, since_ms in (await host.store.quotas.made_by(maker)).items():
        if not await _counts(host, other, since_ms):
            await host.store.quotas.forget(maker, other)


async def give_back(host: Host, maker: str, header: record_pb2.MatchHeader) -> None:
    """Gives back what `reserve` took for a match that was not made."""
    seats = _house_seats(header)
    if seats:
        await host.store.quotas.free_house_seats(header.match_id, seats)
    await host.store.quotas.forget(maker, header.match_id)


def _house_seats(header: record_pb2.MatchHeader) -> int:
    return sum(is_house(player.bot) for player in header.players)


async def _counts(host: Host, match_id: str, since_ms: float) -> bool:
    """Whether a match is unfinished, or just about to be made."""
    open_match = await host.open_matches.find(match_id)
    if open_match is not None:
        return not open_match.closed
    try:
        return not (await host.live.session(match_id)).copy.is_over
    except MatchGone:
        if await host.register.archived(match_id) is not None:
            return False
        return host.store.now_ms() - since_ms < LAPSES_MS
