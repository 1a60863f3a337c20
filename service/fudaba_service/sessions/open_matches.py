"""Matches with open seats. When the last seat is taken, such a match becomes a match like any other.

Until then it has no log: the store has it as one value that is changed by compare-and-set, so that a seat goes to one
bot, whichever replica it asks. The process that fills it, or finds it full after another one died, creates the match.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.accounts.invitation_codes import code_digest
from fudaba_service.refusals import Refused, check_form, readable
from fudaba_service.sessions.hidden_matches import HiddenMatches
from fudaba_service.store import Store, StoreUnavailable
from fudaba_serving.storage.forms import UNKNOWN, left_over, with_unknown

__all__ = [
    "BOT",
    "CLOSED_KEPT_MS",
    "HOUSE",
    "INVITATION",
    "MAX_OPEN_MATCHES",
    "OPEN",
    "OpenMatch",
    "OpenMatches",
]

log = logging.getLogger(__name__)

BOT, HOUSE, INVITATION, OPEN = "bot", "house", "invitation", "open"
"""How a seat is given away: to a named bot, to a house bot, to the holder of a code, to anybody."""

MAX_OPEN_MATCHES: Final = 1000
"""The number of matches that may wait with open seats."""
CLOSED_KEPT_MS: Final = 3_600_000
"""The time for which a match that was given up is still reported."""
_INVITATIONS_KEPT_MS: Final = 24 * 3_600_000
"""The time for which a code is known after the time for joining, so that a late user learns why it is invalid."""
_SWEEP_SECONDS: Final = 1.0
_BYTES: Final = frozenset({"header", "seed", "salt", "asked"})
"""The fields that need a special form in JSON, by their stored names."""


@dataclass(slots=True)
class OpenMatch:
    """The fixed part of a match with open seats."""

    header: record_pb2.MatchHeader
    """The header. Its players are the seated ones; an empty name stands for an open seat."""
    seed: bytes
    salt: bytes
    kinds: list[str]
    """The kind of each seat."""
    deadline_ms: int
    codes: list[str] = field(default_factory=list)
    """Each seat's invitation code; empty for a seat without one."""
    creator: str = ""
    """The bot version that created it; empty for the organiser."""
    hidden: bool = False
    closed: int = 0
    """The AbortCause of a match that was given up."""
    closed_ms: int = 0
    fingerprint: bytes = b""
    """The digest of the request that created it, see `api.idempotency`; stored as `asked`."""
    unknown: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    @property
    def match_id(self) -> str:
        """The id."""
        return self.header.match_id

    @property
    def absent(self) -> list[int]:
        """The open seats."""
        return [seat for seat, player in enumerate(self.header.players) if not player.bot]

    def seat_of(self, player: str) -> int | None:
        """Returns the seat of a bot version, if it has one."""
        names = [f"{seated_player.bot}/{seated_player.version}" for seated_player in self.header.players]
        return names.index(player) if player in names else None

    def pack(self) -> bytes:
        """Returns its stored form."""
        plain: dict[str, Any] = {stored_field.name: getattr(self, stored_field.name) for stored_field in fields(self)}
        plain["header"] = self.header.SerializeToString(deterministic=True)
        plain["asked"] = plain.pop("fingerprint")
        for name in _BYTES:
            plain[name] = base64.b64encode(plain[name]).decode()
        return json.dumps(with_unknown(plain), sort_keys=True).encode()

    @classmethod
    def unpack(cls, raw: bytes) -> OpenMatch:
        """Reads its stored form. Refuses a form that only a later release reads, and malformed values."""
        with readable("a match with open seats"):
            plain = json.loads(raw)
            check_form(plain, "a match with open seats")
            for name in _BYTES & plain.keys():
                plain[name] = base64.b64decode(plain[name])
            plain["header"] = record_pb2.MatchHeader.FromString(plain["header"])
            plain["fingerprint"] = plain.pop("asked", b"")
            names = {known.name for known in fields(cls)} - {UNKNOWN}
            values = {name: value for name, value in plain.items() if name in names}
            return cls(**values, unknown=left_over(plain, names))

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message."""
        into.header.CopyFrom(self.header)
        if self.closed:
            into.state = matches_pb2.MATCH_STATE_ABORTED
            into.end.abort_cause = record_pb2.AbortCause.ValueType(self.closed)
            if self.closed == record_pb2.ABORT_CAUSE_NOT_JOINED:
                into.end.absent_seats.extend(self.absent)
            into.end.end_time.FromMilliseconds(self.closed_ms)
            return
        into.state = matches_pb2.MATCH_STATE_OPEN
        into.join_deadline.FromMilliseconds(self.deadline_ms)
        for player, kind in zip(self.header.players, self.kinds, strict=True):
            seat = into.seats.add()
            if player.bot:
                seat.bot.CopyFrom(player)
            elif kind == INVITATION:
                seat.invitation.SetInParent()
            else:
                seat.open.SetInParent()


Begin = Callable[[record_pb2.MatchHeader, bytes, bytes, bytes], Awaitable[bool]]
"""Creates the match of a header, seed, salt and request fingerprint. Returns False if it already exists."""


@final
class OpenMatches:
    """The matches with open seats, from this replica's side."""

    def __init__(self, store: Store, begin: Begin, hidden_matches: HiddenMatches) -> None:
        self._store = store
        self._hidden_matches = hidden_matches
        self._begin = begin
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._unreadable: set[str] = set()
        """The announced matches that a later release has stored."""

    async def create(self, open_match: OpenMatch, delay_ms: int = 0) -> bool:
        """Stores a new match. Returns False if one with its id exists. Refuses if too many wait. `delay_ms` is the
        delay with which a hidden match is shown, or 0 if it is not shown.
        """
        match_id, valid_ms = open_match.match_id, open_match.deadline_ms - self._store.now_ms() + _INVITATIONS_KEPT_MS
        there = partial(self._there, match_id, open_match.salt)
        async with self._hidden_matches.attempt(
            match_id, open_match.salt, there, hidden=open_match.hidden, delay_ms=delay_ms
        ) as attempt:
            for seat, code in enumerate(open_match.codes):
                if code:
                    where = f"{seat} {match_id}".encode()
                    await self._store.open_matches.put_invitation(code_digest(code), where, valid_ms)
            added = await self._store.open_matches.add(match_id, open_match.pack(), MAX_OPEN_MATCHES)
            attempt.created = bool(added)
        if added is None:
            raise Refused(
                errors_pb2.REASON_TOO_MANY_MATCHES,
                f"{MAX_OPEN_MATCHES} matches wait for seats to be taken; join one of them",
            )
        return added

    async def _there(self, match_id: str, salt: bytes) -> bool:
        """Returns whether the match with this salt waits with open seats, or has begun."""
        raw = await self._store.open_matches.get(match_id)
        waits = raw is not None and OpenMatch.unpack(raw).salt == salt
        return waits or await self._store.matches.was_created(match_id, salt)

    async def find(self, match_id: str) -> OpenMatch | None:
        """Returns the match with this id, even if it was recently given up; None if it has begun or never existed."""
        raw = await self._store.open_matches.get(match_id)
        return None if raw is None else await self._settled(match_id, raw)

    async def created(self) -> dict[str, float]:
        """Returns the ids of all of them, with their creation times in ms."""
        created = {}
        for match_id, raw in (await self._store.open_matches.all()).items():
            with suppress(Refused):  # a later release has stored it: `run` tells of it, and the others are listed
                created[match_id] = float(OpenMatch.unpack(raw).header.create_time.ToMilliseconds())
        return created

    async def invited(self, code: str) -> tuple[str, int]:
        """Returns the match and the seat of an invitation code. Refuses unknown codes."""
        if len(code) > 40 or (found := await self._store.open_matches.invitation(code_digest(code))) is None:
            raise Refused(
                errors_pb2.REASON_INVITATION_NOT_FOUND,
                "no seat has this invitation code, or the code has expired; ask the person who gave it to you",
            )
        seat, _, match_id = found.decode().partition(" ")
        return match_id, int(seat)

    async def join(self, match_id: str, owner: tuple[str, str], invited: int | None) -> int | None:
        """Gives a bot version the seat that it is invited to, or the first open one. Returns that seat.

        Returns None if there is no match with this id: it may have begun. Refuses what is not allowed.
        """
        while True:
            raw = await self._store.open_matches.get(match_id)
            if raw is None:
                return None
            open_match = OpenMatch.unpack(raw)
            mine = open_match.seat_of("/".join(owner))
            if mine is not None and (mine == invited if invited is not None else open_match.kinds[mine] == OPEN):
                await self._settled(match_id, raw)
                return mine
            seat = _free_seat(open_match, mine, invited, self._store.now_ms())
            open_match.header.players[seat].bot, open_match.header.players[seat].version = owner
            if not open_match.absent:
                # From now on the bots have the clock's time to connect.
                open_match.header.create_time.FromMilliseconds(self._store.now_ms())
            packed = open_match.pack()
            if await self._store.open_matches.swap(match_id, raw, packed):
                await self._settled(match_id, packed)
                await self._store.replicas.tell(f"open {match_id}")
                return seat

    async def close(self, match_id: str, cause: record_pb2.AbortCause.ValueType) -> bool:
        """Gives up a match. Returns False if it does not wait."""
        while (raw := await self._store.open_matches.get(match_id)) is not None:
            open_match = OpenMatch.unpack(raw)
            if not open_match.absent or open_match.closed:
                return False
            open_match.closed, open_match.closed_ms = int(cause), self._store.now_ms()
            if await self._store.open_matches.swap(match_id, raw, open_match.pack()):
                if HOUSE in open_match.kinds:
                    await self._store.quotas.free_house_seats(match_id, open_match.kinds.count(HOUSE))
                await self._store.replicas.tell(f"open {match_id}")
                return True
        return False

    def heard(self, match_id: str) -> None:
        """Handles news of a match."""
        for future in self._waiting.get(match_id, ()):
            if not future.done():
                future.set_result(None)

    async def change(self, match_id: str, seconds: float) -> None:
        """Waits until a match may have changed, for this many seconds at most. It may not have changed then."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(match_id, set())
        waiting.add(future)
        try:
            # News can be lost with a connection to the store, so that whoever waits looks again by itself.
            await asyncio.wait((future,), timeout=min(seconds, _SWEEP_SECONDS))
        finally:
            waiting.discard(future)
            if not waiting:
                self._waiting.pop(match_id, None)

    async def run(self) -> None:
        """Gives up matches that nobody joins, begins full ones, and forgets old ones, until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            try:
                for match_id, raw in (await self._store.open_matches.all()).items():
                    try:
                        await self._settled(match_id, raw)
                    except StoreUnavailable:
                        raise
                    except Refused as error:
                        if error.reason != errors_pb2.REASON_STORED_UNREADABLE:
                            log.exception("match %s with open seats cannot be handled", match_id)
                        elif match_id not in self._unreadable:
                            log.warning("match %s with open seats is left alone: %s", match_id, error)
                            self._unreadable.add(match_id)
                    except Exception:  # one that cannot be read must not keep the others waiting
                        log.exception("match %s with open seats cannot be handled by this release", match_id)
            except StoreUnavailable as error:
                log.debug("matches with open seats cannot be handled now: %s", error)

    async def _settled(self, match_id: str, raw: bytes) -> OpenMatch | None:
        """Begins a full match, closes an overdue one, or forgets one that was closed long ago. Returns its new
        state.
        """
        open_match, now_ms = OpenMatch.unpack(raw), self._store.now_ms()
        if not open_match.absent:
            if not await self._begin(open_match.header, open_match.seed, open_match.salt, open_match.fingerprint):
                log.info("match %s had begun already", match_id)
            await self._store.open_matches.swap(match_id, raw, None)
            return None
        if not open_match.closed and now_ms >= open_match.deadline_ms:
            await self.close(match_id, record_pb2.ABORT_CAUSE_NOT_JOINED)
            changed = await self._store.open_matches.get(match_id)
            return None if changed is None else OpenMatch.unpack(changed)
        if open_match.closed and now_ms >= open_match.closed_ms + CLOSED_KEPT_MS:
            if open_match.hidden:
                await self._hidden_matches.forget(match_id, open_match.salt)
            await self._store.open_matches.swap(match_id, raw, None)
            return None
        return open_match


def _free_seat(open_match: OpenMatch, mine: int | None, invited: int | None, now_ms: int) -> int:
    """Returns the seat for a bot. Refuses if there is none."""
    if open_match.closed or (open_match.absent and now_ms >= open_match.deadline_ms):
        raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {open_match.match_id} was given up before it began")
    if mine is not None:
        raise Refused(
            errors_pb2.REASON_ALREADY_SEATED,
            f"you have seat {mine} of match {open_match.match_id}; a bot has one seat in a match",
        )
    if invited is not None:
        if open_match.header.players[invited].bot:
            raise Refused(errors_pb2.REASON_INVITATION_USED, "this invitation code was used by another bot")
        return invited
    for seat in open_match.absent:
        if open_match.kinds[seat] == OPEN:
            return seat
    raise Refused(
        errors_pb2.REASON_NO_OPEN_SEAT,
        f"match {open_match.match_id} has no open seat; the free ones are by invitation: join with the code",
    )
