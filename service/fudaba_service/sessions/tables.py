"""Matches with seats that nobody has taken yet. When the last seat is taken, one becomes a match like any other.

Until then it has no log: it lies in the store as one value that is changed by compare-and-set, so that a seat goes to
one bot whatever replica it asks. Whoever fills it, or finds it full since somebody died in between, creates the match.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.store import Store, StoreUnavailable

__all__ = ["BOT", "CLOSED_KEPT_MS", "HOUSE", "INVITATION", "MOST_OPEN", "OPEN", "Table", "Tables", "new_code", "plain"]

log = logging.getLogger(__name__)

BOT, HOUSE, INVITATION, OPEN = "bot", "house", "invitation", "open"
"""How a seat is given away: to a bot by its name, to a house bot, to who has the code, to anybody."""

MOST_OPEN: Final = 1000
"""How many matches may wait for seats to be taken."""
CLOSED_KEPT_MS: Final = 3_600_000
"""How long one that was given up is still told of."""
_INVITATIONS_KEPT_MS: Final = 24 * 3_600_000
"""How long a code is known after the time for joining is over: whoever uses it late is told why it is of no use."""
_SWEEP: Final = 1.0
_BYTES: Final = frozenset({"header", "seed", "salt", "asked"})
"""What needs a form of its own in JSON."""
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
_LOOKALIKES: Final = str.maketrans("ILO", "110")


@dataclass(slots=True)
class Table:
    """What is fixed of a match whose seats are not all taken."""

    header: record_pb2.MatchHeader
    """Its players are those who have a seat; an empty name stands for a seat that waits."""
    seed: bytes
    salt: bytes
    kinds: list[str]
    """How each seat is given away."""
    deadline_ms: int
    codes: list[str] = field(default_factory=list)
    """Each seat's invitation code; empty for one without."""
    creator: str = ""
    """The bot version that created it; empty for the organiser."""
    withheld: bool = False
    closed: int = 0
    """The AbortCause of one that was given up."""
    closed_ms: int = 0
    asked: bytes = b""
    """What the creator asked for, see `front.asking`."""

    @property
    def match_id(self) -> str:
        """The id."""
        return self.header.match_id

    @property
    def absent(self) -> list[int]:
        """The seats that nobody has taken."""
        return [seat for seat, player in enumerate(self.header.players) if not player.bot]

    def seat_of(self, player: str) -> int | None:
        """The seat of a bot version, if it has one."""
        names = [f"{one.bot}/{one.version}" for one in self.header.players]
        return names.index(player) if player in names else None

    def pack(self) -> bytes:
        """As it is stored."""
        plain: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        plain["header"] = self.header.SerializeToString(deterministic=True)
        for name in _BYTES:
            plain[name] = base64.b64encode(plain[name]).decode()
        return json.dumps(plain, sort_keys=True).encode()

    @classmethod
    def unpack(cls, raw: bytes) -> Table:
        """From how it is stored."""
        plain = json.loads(raw)
        for name in _BYTES & plain.keys():
            plain[name] = base64.b64decode(plain[name])
        plain["header"] = record_pb2.MatchHeader.FromString(plain["header"])
        return cls(**plain)

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


def new_code() -> str:
    """A new invitation code: 60 random bits in twelve characters that are not mistaken for one another."""
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(12))
    return f"{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def plain(code: str) -> str:
    """A code as it is compared: case, blanks, hyphens and the letters that look like digits do not matter."""
    return "".join(code.upper().translate(_LOOKALIKES).replace("-", " ").split())


def _digest(code: str) -> str:
    return sha256(plain(code).encode()).hexdigest()


Begin = Callable[[record_pb2.MatchHeader, bytes, bytes, bytes], Awaitable[bool]]
"""Creates the match of a header, seed, salt and what was asked for; False when it is there already."""


@final
class Tables:
    """The matches with seats to be taken, as this replica deals with them."""

    def __init__(self, store: Store, begin: Begin) -> None:
        self._store = store
        self._begin = begin
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    async def create(self, table: Table) -> bool:
        """Stores a new one; False when there is one of its id. Refuses when too many wait."""
        if len(await self._store.open_matches()) >= MOST_OPEN:
            raise Refused(
                errors_pb2.REASON_TOO_MANY_MATCHES, f"{MOST_OPEN} matches wait for seats to be taken; join one of them"
            )
        if table.withheld:
            await self._store.withhold(table.match_id)
        valid_ms = table.deadline_ms - self._store.now_ms() + _INVITATIONS_KEPT_MS
        for seat, code in enumerate(table.codes):
            if code:
                await self._store.put_invitation(_digest(code), f"{seat} {table.match_id}".encode(), valid_ms)
        return await self._store.swap_open_match(table.match_id, None, table.pack())

    async def find(self, match_id: str) -> Table | None:
        """The one of this id, also one that was given up lately; None when it has begun or never was."""
        raw = await self._store.open_match(match_id)
        return None if raw is None else await self._settled(match_id, raw)

    async def created(self) -> dict[str, float]:
        """The ids of all of them, and when each was created, in ms."""
        return {
            match_id: float(Table.unpack(raw).header.create_time.ToMilliseconds())
            for match_id, raw in (await self._store.open_matches()).items()
        }

    async def invited(self, code: str) -> tuple[str, int]:
        """The match and the seat of an invitation code. Refuses codes that no seat has."""
        if len(code) > 40 or (found := await self._store.invitation(_digest(code))) is None:
            raise Refused(
                errors_pb2.REASON_INVITATION_NOT_FOUND,
                "no seat has this invitation code, or it is no longer valid; ask whoever gave it to you",
            )
        seat, _, match_id = found.decode().partition(" ")
        return match_id, int(seat)

    async def join(self, match_id: str, owner: tuple[str, str], invited: int | None) -> int | None:
        """Gives a bot version the seat that it is invited to, or the first open one; which one that is.

        None when there is no such table: the match may have begun. Refuses what cannot be.
        """
        while True:
            raw = await self._store.open_match(match_id)
            if raw is None:
                return None
            table = Table.unpack(raw)
            mine = table.seat_of("/".join(owner))
            if mine is not None and (mine == invited if invited is not None else table.kinds[mine] == OPEN):
                await self._settled(match_id, raw)
                return mine
            seat = _free_seat(table, mine, invited, self._store.now_ms())
            table.header.players[seat].bot, table.header.players[seat].version = owner
            if not table.absent:
                # From now on the bots have the clock's time to connect.
                table.header.create_time.FromMilliseconds(self._store.now_ms())
            packed = table.pack()
            if await self._store.swap_open_match(match_id, raw, packed):
                await self._settled(match_id, packed)
                await self._store.tell(f"open {match_id}")
                return seat

    async def close(self, match_id: str, cause: record_pb2.AbortCause.ValueType) -> bool:
        """Gives one up; False when there is none that waits."""
        while (raw := await self._store.open_match(match_id)) is not None:
            table = Table.unpack(raw)
            if not table.absent or table.closed:
                return False
            table.closed, table.closed_ms = int(cause), self._store.now_ms()
            if await self._store.swap_open_match(match_id, raw, table.pack()):
                await self._store.tell(f"open {match_id}")
                return True
        return False

    def heard(self, match_id: str) -> None:
        """News of one of them."""
        for future in self._waiting.get(match_id, ()):
            if not future.done():
                future.set_result(None)

    async def change(self, match_id: str, seconds: float) -> None:
        """Returns when one of them may have changed; after so many seconds, and now and then before, in any case."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(match_id, set())
        waiting.add(future)
        try:
            # News can be lost with a connection to the store, so that whoever waits looks again by itself.
            await asyncio.wait((future,), timeout=min(seconds, _SWEEP))
        finally:
            waiting.discard(future)
            if not waiting:
                self._waiting.pop(match_id, None)

    async def run(self) -> None:
        """Gives up what nobody joins, begins what is full, and forgets; for ever."""
        while True:
            await asyncio.sleep(_SWEEP)
            try:
                for match_id, raw in (await self._store.open_matches()).items():
                    await self._settled(match_id, raw)
            except StoreUnavailable as error:
                log.debug("matches with open seats cannot be looked after now: %s", error)

    async def _settled(self, match_id: str, raw: bytes) -> Table | None:
        """Begins a full one, closes an overdue one, forgets one that was closed long ago; what it is then."""
        table, now_ms = Table.unpack(raw), self._store.now_ms()
        if not table.absent:
            if not await self._begin(table.header, table.seed, table.salt, table.asked):
                log.info("match %s had begun already", match_id)
            await self._store.swap_open_match(match_id, raw, None)
            return None
        if not table.closed and now_ms >= table.deadline_ms:
            await self.close(match_id, record_pb2.ABORT_CAUSE_NOT_JOINED)
            changed = await self._store.open_match(match_id)
            return None if changed is None else Table.unpack(changed)
        if table.closed and now_ms >= table.closed_ms + CLOSED_KEPT_MS:
            await self._store.swap_open_match(match_id, raw, None)
            return None
        return table


def _free_seat(table: Table, mine: int | None, invited: int | None, now_ms: int) -> int:
    """The seat that a bot gets. Refuses when there is none."""
    if table.closed or (table.absent and now_ms >= table.deadline_ms):
        raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {table.match_id} was given up before it began")
    if mine is not None:
        raise Refused(
            errors_pb2.REASON_ALREADY_SEATED,
            f"you have seat {mine} of match {table.match_id}; a bot has one seat in a match",
        )
    if invited is not None:
        if table.header.players[invited].bot:
            raise Refused(errors_pb2.REASON_INVITATION_USED, "this invitation code was used by another bot")
        return invited
    for seat in table.absent:
        if table.kinds[seat] == OPEN:
            return seat
    raise Refused(
        errors_pb2.REASON_NO_OPEN_SEAT,
        f"match {table.match_id} has no open seat; those that are free are by invitation: join with the code",
    )
