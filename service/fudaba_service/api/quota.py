"""The quotas of bots: matches that they may create and keep, and streams that they may open.

A place is taken before a match is created, so that many simultaneous requests get no more.

The store counts and takes in one step, whichever replica asks. A process that dies between the two leaves an unfilled
place, which counts for a minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Final, final

from fudaba.v1 import errors_pb2, record_pb2
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.accounts.house_bots import players as house_players
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.store import MatchGone

__all__ = [
    "MAX_CREATED_MATCHES",
    "MAX_HOUSE_SEATS",
    "AccountStreams",
    "count_new_match",
    "forget_account",
    "give_back",
    "give_back_for_account",
    "kept_of_account",
    "made_by_account",
    "new_matches_of",
    "reserve",
    "reserve_for_account",
    "reserve_record",
    "take_place",
]

MAX_CREATED_MATCHES: Final = 20
"""The number of unfinished matches that a bot may have created."""
MAX_HOUSE_SEATS: Final = 500
"""The number of seats that house bots may have in all, including those of a new match."""
LAPSES_MS: Final = 60_000
"""The time after which an unused place is free again."""
_STREAM_RETRY_SECONDS: Final = 15.0
_ACCOUNT: Final = "account:"
_HOUR_MS: Final = 3_600_000
_MAX_MATCHES_EXAMINED: Final = 20
"""The number of an account's oldest matches that are examined at once when no place is left."""


@final
class _Place(Enum):
    """The location of a match."""

    UNFINISHED = auto()
    KEPT = auto()
    """The match is over and has a record."""
    GONE = auto()


@final
class AccountStreams:
    """The open Play streams of each account's bots on this replica."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[str, Counter[str]] = {}

    def count(self, account: str) -> int:
        """Returns how many versions of an account's bots have a stream."""
        return len(self._open.get(account, ()))

    @asynccontextmanager
    async def counted(self, owner: Owner) -> AsyncIterator[None]:
        """Counts a stream while it is open. Refuses an account's bot if too many others have one."""
        if owner.scope != Scope.BOT or not owner.account:
            yield
            return
        most = (await self._limits.for_account(owner.account)).streams
        here = self._open.setdefault(owner.account, Counter())
        # A newer stream of the same version takes the place of the older one.
        if len(here.keys() - {owner.stream}) >= most:
            advice = "one stream carries all matches of a version"
            raise Refused.quota(
                "streams", most, f"account {owner.account}", advice, retry_seconds=_STREAM_RETRY_SECONDS
            )
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
    """Returns the number of unfinished matches that an account's bots have created."""
    await _forget_finished(host, _ACCOUNT + account)
    return len(await host.store.quotas.made_by(_ACCOUNT + account))


async def reserve_for_account(host: Host, account: str, match_id: str, most: int) -> bool:
    """Takes a place for a match created by an account's bots. Returns False if this match already has one."""
    reserved = await take_place(host, _ACCOUNT + account, match_id, most)
    if reserved is None:
        raise Refused.quota("unfinished matches", most, f"account {account}", "finish some first")
    return reserved


async def give_back_for_account(host: Host, account: str, match_id: str) -> None:
    """Gives back what `reserve_for_account` and `reserve_record` took for a match that was not created."""
    await host.store.quotas.forget(_ACCOUNT + account, match_id)
    await host.store.quotas.forget(_records(account), match_id)


async def reserve_record(host: Host, account: str, match_id: str, most: int) -> None:
    """Takes a place for a match of an account's bots that is kept. Refuses if there are too many."""
    quotas, whose = host.store.quotas, _records(account)
    if await quotas.reserve(whose, match_id, most) is not None:
        return
    # The oldest are the first that are kept no longer. One that is kept ends the search: it may be asked often.
    for other, since_ms in (await quotas.oldest(whose, _MAX_MATCHES_EXAMINED)).items():
        if await _place(host, other, since_ms) != _Place.GONE:
            break
        await quotas.forget(whose, other)
    if await quotas.reserve(whose, match_id, most) is None:
        raise Refused.quota("records", most, f"account {account}", "the organiser may set more for it")


async def count_new_match(host: Host, owner: Owner, most: int) -> None:
    """Counts a match created for an account, or by a bot or guest without one. Refuses a match beyond the quota."""
    whose = _maker(owner)
    wait_ms = await host.store.accounts.count("matches", whose, most, _HOUR_MS)
    if wait_ms:
        raise Refused.quota("matches an hour", most, whose, "come back later", wait_ms / 1000)


async def new_matches_of(host: Host, account: str) -> int:
    """Returns the number of matches created for an account in the present hour."""
    return await host.store.accounts.counted("matches", f"account {account}")


async def kept_of_account(host: Host, account: str) -> int:
    """Returns how many matches created by an account's bots are in play or kept. Some may have gone recently."""
    return await host.store.quotas.count(_records(account))


async def forget_account(host: Host, account: str) -> None:
    """Forgets the counts of a deleted account."""
    for whose in (_ACCOUNT + account, _records(account)):
        await host.store.quotas.forget_all(whose)


async def reserve(host: Host, maker: str, header: record_pb2.MatchHeader, joined_by_ms: int) -> bool:
    """Takes a place for a match created by a bot. Returns False if this match already has one.

    If its seats are not taken by `joined_by_ms`, it does not begin. Refuses if too many are unfinished.
    """
    match_id = header.match_id
    reserved = await take_place(host, maker, match_id, MAX_CREATED_MATCHES)
    if reserved is None:
        raise Refused(
            errors_pb2.REASON_TOO_MANY_MATCHES,
            f"{MAX_CREATED_MATCHES} matches that {maker} created are unfinished, and no more may be: finish some first",
        )
    if reserved and (seats := _house_seats(header)):
        # In this order: seats that are given away meanwhile are counted twice rather than not at all.
        held = await host.store.quotas.hold_house_seats(match_id, seats, joined_by_ms + LAPSES_MS)
        busy = held - seats + await host.store.index.count_matches_of(house_players())
        if busy + seats > MAX_HOUSE_SEATS:
            await give_back(host, maker, header)
            raise Refused(
                errors_pb2.REASON_TOO_MANY_MATCHES, f"the house bots have {busy} seats already; try again later"
            )
    return reserved


async def take_place(host: Host, maker: str, match_id: str, most: int) -> bool | None:
    """Takes a place for a match; None if there is none, even after freeing those of finished matches. Returns False if
    this match already has one.
    """
    reserved = await host.store.quotas.reserve(maker, match_id, most)
    if reserved is None:
        await _forget_finished(host, maker)
        reserved = await host.store.quotas.reserve(maker, match_id, most)
    return reserved


async def _forget_finished(host: Host, maker: str) -> None:
    """Frees the places of finished matches."""
    for other, since_ms in (await host.store.quotas.made_by(maker)).items():
        place = await _place(host, other, since_ms)
        if place != _Place.UNFINISHED:
            await host.store.quotas.forget(maker, other)
        if place == _Place.GONE and maker.startswith(_ACCOUNT):
            await host.store.quotas.forget(_records(maker.removeprefix(_ACCOUNT)), other)


async def give_back(host: Host, maker: str, header: record_pb2.MatchHeader) -> None:
    """Gives back what `reserve` took for a match that was not created."""
    seats = _house_seats(header)
    if seats:
        await host.store.quotas.free_house_seats(header.match_id, seats)
    await host.store.quotas.forget(maker, header.match_id)


def _maker(owner: Owner) -> str:
    return f"account {owner.account}" if owner.account else owner.player


def _records(account: str) -> str:
    return f"records:{account}"


def _house_seats(header: record_pb2.MatchHeader) -> int:
    return sum(is_house(player.bot) for player in header.players)


async def _place(host: Host, match_id: str, since_ms: float) -> _Place:
    """Returns the location of a match that was or is about to be created."""
    open_match = await host.open_matches.find(match_id)
    if open_match is not None:
        return _Place.GONE if open_match.closed else _Place.UNFINISHED
    try:
        over = (await host.live.session(match_id)).copy.is_over
    except MatchGone:
        if await host.register.archived(match_id) is not None:
            return _Place.KEPT
        return _Place.UNFINISHED if host.store.now_ms() - since_ms < LAPSES_MS else _Place.GONE
    return _Place.KEPT if over else _Place.UNFINISHED
