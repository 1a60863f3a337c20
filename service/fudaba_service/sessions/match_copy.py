"""A match as this process knows it: a copy of its log, the replayed match, and the clocks.

Every change is judged by this copy alone, and everything sent about the match comes from it.

While nothing happens in a match, its copy can sleep: the log is packed, and the replayed match is dropped. The first
access to either wakes the copy, which is then replayed or, if its log is long, read from a snapshot. The clocks keep
running.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba.replay import Replay
from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_games.game import Timer
from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions import snapshot
from fudaba_service.sessions.clocks import DecisionClocks, TimeKeeper
from fudaba_service.sessions.followers import SeatFollower
from fudaba_service.sessions.written_entries import Answered
from fudaba_service.store import StoredMatch

__all__ = ["MatchCopy", "no_seat", "seat_in"]

_NO_TIMERS: Final[Mapping[Timer, int]] = {}
_MAX_REPLAYED_ENTRIES: Final = 400 if snapshot.POSSIBLE else 1_000
"""The longest log that is replayed, in entries. Each entry blocks everything else for 10 to 19 microseconds."""


@final
class MatchCopy:
    """See the module. `replay` is the match as the store is known to hold it, never ahead of the store."""

    __slots__ = (
        "_followers", "_header", "_keeper", "_log", "_packed", "_players", "_read_header", "_replay", "_snapshot",
        "_state", "clocks", "game", "match_id", "salt", "seed", "snapshot_at", "tail",
    )  # fmt: skip

    def __init__(
        self,
        keeper: TimeKeeper,
        stored: StoredMatch,
        followers: Sequence[SeatFollower],
        replayed: Replay | None = None,
    ) -> None:
        """`followers` are the present streams of the seats; `replayed` is the match replayed from all of it."""
        self._keeper = keeper
        self._followers = followers
        self._header = stored.header
        header = record_pb2.MatchHeader.FromString(stored.header)
        self._read_header: record_pb2.MatchHeader | None = header
        self._players: list[str] | None = None
        self.match_id = header.match_id
        self.game = header.game
        self.seed = stored.seed
        self.salt = stored.salt
        self._log: list[bytes] = []
        self.tail = b""
        """The last entry in its stored form; empty before the first."""
        replay = replayed or _replayed(header, stored, snapshot.opened(stored))
        self._replay: Replay | None = replay
        self.snapshot_at = 0.0
        """The number of entries at which the log should have its next snapshot in the store."""
        # Of a copy that sleeps: its log, what a long one replays to, and how far the match is.
        self._packed = self._snapshot = b""
        self._state = replay.state
        self._take(stored, header, replay)

    def restart(self, stored: StoredMatch) -> None:
        """Rebuilds the copy from its log, or leaves it unchanged and raises. Clocks of open decisions go on.

        The copy may be faulty, so the whole log is replayed, whatever a snapshot says.
        """
        header = record_pb2.MatchHeader.FromString(stored.header)
        self._take(stored, header, _replayed(header, stored))

    def _take(self, stored: StoredMatch, header: record_pb2.MatchHeader, replay: Replay) -> None:
        self._header, self._players = stored.header, None
        self._read_header, self.seed, self.salt, self._replay = header, stored.seed, stored.salt, replay
        self._log, self._packed, self._snapshot = list(stored.entries), b"", b""
        self.tail = self._log[-1] if self._log else b""
        self.snapshot_at = snapshot.due_after(replay.length)
        self.new_clocks()
        self.clocks.go_on()

    def is_of(self, stored: StoredMatch) -> bool:
        """Returns whether this is a copy of that match, and not of a match with its id that the store has lost.

        A match whose last seat had to be taken again has the same cards, but another time of creation or other bots.
        """
        # What the archive holds may be in another order of bytes.
        header = record_pb2.MatchHeader.FromString(stored.header)
        return (self.salt, self.seed, self.header) == (stored.salt, stored.seed, header)

    @property
    def basis(self) -> bytes:
        """The entry that an append continues, in its stored form: the last one, or the header before the first one."""
        return self.tail or self._header

    def new_clocks(self) -> None:
        """Restarts the clocks of all open decisions."""
        self.clocks = DecisionClocks(self._keeper, self, self._followers)

    # --- sleep

    @property
    def header(self) -> record_pb2.MatchHeader:
        """The facts of the match that were fixed when it was created."""
        header = self._read_header
        if header is None:
            header = self._read_header = record_pb2.MatchHeader.FromString(self._header)
        return header

    @property
    def log(self) -> list[bytes]:
        """The stored entries. Do not change the list."""
        if self._replay is None:
            self._wake()
        return self._log

    @property
    def replay(self) -> Replay:
        """The replayed match."""
        replay = self._replay
        return self._wake() if replay is None else replay

    @property
    def asleep(self) -> bool:
        """Whether it is asleep."""
        return self._replay is None

    def sleep(self) -> bool:
        """Drops the parts that can be made again. Returns False if it is already asleep, or should not sleep.

        A finished match will soon leave the process, and timers of a game would soon wake it.
        """
        replay = self._replay
        if replay is None or replay.over or not replay.playable or replay.timers:
            return False
        if replay.length > _MAX_REPLAYED_ENTRIES:
            if not snapshot.POSSIBLE:
                return False
            self._snapshot = snapshot.taken(replay)
        self._state, self._packed = replay.state, _packed(self._log)
        self._log, self._replay, self._read_header, self._players = [], None, None, None
        return True

    def _wake(self) -> Replay:
        log = _unpacked(self._packed)
        if self._snapshot:
            replay = snapshot.restored(self._snapshot)
        else:
            replay = Replay(self.header, self.seed)
            for raw in log:
                replay.apply(record_pb2.LogEntry.FromString(raw))
        self._log, self._replay, self._packed, self._snapshot = log, replay, b"", b""
        return replay

    def sleeps_as(self, stored: StoredMatch) -> bool:
        """Returns whether it is asleep, and nothing else is stored of the match."""
        known = self._header, self.seed, self.salt, self._packed
        return self.asleep and known == (stored.header, stored.seed, stored.salt, _packed(stored.entries))

    # --- what the match is now

    @property
    def state(self) -> matches_pb2.MatchState.ValueType:
        """The state of the match."""
        return self._state if self._replay is None else self._replay.state

    @property
    def players(self) -> list[str]:
        """The bots in the seats, as `bot/version`. Do not change the list."""
        players = self._players
        if players is None:  # every answer asks for them
            players = self._players = [f"{p.bot}/{p.version}" for p in self.header.players]
        return players

    @property
    def is_over(self) -> bool:
        """Whether the match is over. A rewind may still undo its end."""
        return self._replay is not None and self._replay.over  # one that is over does not sleep

    def seat_of(self, owner: Owner) -> int | None:
        """Returns the seat of a token, if it has one."""
        return seat_in(self.header, owner)

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message with the present match."""
        into.header.CopyFrom(self.header)
        into.state = self.replay.state
        if self.replay.started:
            into.start_time.FromMilliseconds(self.replay.started_ms)
        if self.replay.over:
            into.end.CopyFrom(self.replay.end())

    def record(self) -> record_pb2.MatchRecord:
        """Returns the record of a finished match."""
        return record_pb2.MatchRecord(
            header=self.header,
            salt=self.salt,
            seed=self.seed,
            log=[record_pb2.LogEntry.FromString(raw) for raw in self.log],
            end=self.replay.end(),
        )

    def sealed_snapshot(self) -> bytes | None:
        """Returns the sealed snapshot of the present match for the store; None if this release takes none."""
        replay = self.replay  # which wakes it
        return snapshot.sealed(replay, StoredMatch(self._header, self.seed, self.salt, self._log))

    def is_prefix_of(self, entries: Sequence[bytes]) -> bool:
        """Returns whether a log continues this copy."""
        return list(entries[: len(self.log)]) == self.log

    # --- time

    def now_ms(self) -> int:
        """Returns the shared time, or that of the log's last entry if it is later."""
        return max(self._keeper.now_ms(), self.replay.last_ms)

    def time_left_ms(self, seat: int) -> int:
        """Returns the time that a seat has left for its open decision, bank included."""
        return self.clocks.time_left_ms(seat)

    def pause_seconds(self, seat: int) -> float:
        """Returns how long a seat's move would have to wait until its hand is free of the move before."""
        return max(0, self.replay.busy_until_ms[seat] - self._keeper.now_ms()) / 1000

    def wait_seconds(self) -> float | None:
        """Returns the time until something is overdue; None if nothing ever is."""
        return None if self.replay.over else self.clocks.wait_seconds() if self.replay.playable else 0

    def next_look_in_ms(self) -> int:
        """Returns the time until some replica must look at this match again."""
        return max(1000, self.clocks.look_ms(self.replay.timers, begun=self.replay.started) - self._keeper.now_ms())

    def look_after_ms(self, entries: Sequence[record_pb2.LogEntry], answered: Answered | None) -> int:
        """Returns when a replica must look at this match again once these entries, or this answer, are stored, in
        milliseconds since 1970.
        """
        replay = self.replay
        if not replay.has_timers:
            timers: Mapping[Timer, int] = _NO_TIMERS
        elif answered is not None:
            timers = replay.timers_after_move(answered.seat, answered.move, answered.at_ms)
        else:
            timers = replay.timers_after(entries[-1])
        return self.clocks.look_ms(timers, begun=replay.started or self.would_start(entries))

    def would_start(self, entries: Sequence[record_pb2.LogEntry]) -> bool:
        """Returns whether the match starts when entries are added."""
        replay = self.replay
        return not replay.started and len(replay.ready) == replay.seats - 1 and entries[0].HasField("ready")

    # --- what was added to the log

    def apply(self, entry: record_pb2.LogEntry, raw: bytes) -> None:
        """Adds an entry."""
        self.replay.apply(entry)
        self._log.append(raw)
        self.tail = raw
        self.clocks.note_asked()

    def apply_answer(self, answered: Answered) -> None:
        """Does the same as `apply` for an answer that was judged here."""
        self.replay.answer(answered.seat, answered.move, answered.bot_us, answered.at_ms)
        raw = answered.raw
        self._log.append(raw)
        self.tail = raw
        self.clocks.note_asked()


def _replayed(header: record_pb2.MatchHeader, stored: StoredMatch, replay: Replay | None = None) -> Replay:
    """Replays a stored match. `replay` is the match replayed from a part of its log."""
    replay = replay or Replay(header, stored.seed)
    for raw in stored.entries[replay.length :]:
        replay.apply(record_pb2.LogEntry.FromString(raw))
    if stored.end is not None:
        replay.conclude(stored.end)
    return replay


def _packed(log: Sequence[bytes]) -> bytes:
    """Returns a log packed into one text, which `_unpacked` splits again."""
    return zlib.compress(b"".join([len(raw).to_bytes(4, "big") + raw for raw in log]), 1)


def _unpacked(packed: bytes) -> list[bytes]:
    text, log, at = zlib.decompress(packed), [], 0
    while at < len(text):
        first = at + 4
        at = first + int.from_bytes(text[at:first], "big")
        log.append(text[first:at])
    return log


def seat_in(header: record_pb2.MatchHeader, owner: Owner) -> int | None:
    """Returns the seat of a token: its match's seat, or the bot's only one. A bot with several seats needs match
    tokens.
    """
    players = [f"{p.bot}/{p.version}" for p in header.players]
    if owner.match_id:
        here = owner.match_id == header.match_id and owner.seat < len(players)
        return owner.seat if here and players[owner.seat] == owner.player else None
    return players.index(owner.player) if players.count(owner.player) == 1 else None


def no_seat(owner: Owner, match_id: str, players: Sequence[str] = ()) -> Refused:
    """Returns why a token has no seat in a match of these players."""
    why = f"{owner.player} has no seat in a match {match_id!r}"
    if owner.match_id:
        why = f"your token is for seat {owner.seat} of match {owner.match_id} alone, not for a match {match_id!r}"
    elif owner.player in players:
        why = f"{owner.player} has several seats in match {match_id}; play each of them with a match token"
    return Refused(errors_pb2.REASON_NOT_YOUR_MATCH, why)
