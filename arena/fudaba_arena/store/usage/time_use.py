"""The time for which bots held the seats of matches, noted with each match's result and summed by the minute.

A match's duration is attributed to its seats: each seat gets its bot's thinking time, or its processor time if that was
more. The rest, such as the time in which bots are started, is shared evenly. So the seats of a match in turns together
have its whole duration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, Final, Self, final

from fudaba.v1 import record_pb2

__all__ = ["EVEN_MS", "WINDOW_MS", "MatchTime", "MinuteUse", "TimeUse", "decided_ms", "entry_of", "shared_out"]

WINDOW_MS: Final = 6 * 3_600_000
"""Use that is older than this, counted back from the newest, is forgotten."""
EVEN_MS: Final = 1_000
"""A shorter match is shared evenly among its seats, since nobody held anything for long."""
_MINUTE_MS: Final = 60_000


@final
@dataclass(frozen=True, slots=True)
class MatchTime:
    """The time that the seats of a match used."""

    seats_ms: tuple[int, ...]
    """The milliseconds of each seat."""
    sharing: int = 0
    """The number of entries that shared the room when the block was chosen; below 2 if no others wanted it."""

    def values(self) -> Sequence[int]:
        """Converts it to the stored JSON values."""
        return [self.sharing, *self.seats_ms]

    @classmethod
    def from_values(cls, values: Sequence[Any]) -> Self:
        """Reads stored values."""
        sharing, *seats_ms = values
        return cls(tuple(seats_ms), sharing)


def decided_ms(record: record_pb2.MatchRecord, seats: int) -> list[int]:
    """Returns each seat's thinking time in milliseconds."""
    thought_us = [0] * seats
    for entry in record.log:
        if entry.WhichOneof("what") in {"move", "timeout"} and entry.seat < seats:
            thought_us[entry.seat] += entry.spent.bot_us
    return [round(of_seat / 1000) for of_seat in thought_us]


def shared_out(took_ms: int, decided: Sequence[int], cpu_ms: Sequence[int]) -> tuple[int, ...]:
    """Divides a match's duration among its seats, by their thinking and computing.

    If several decisions are open at once, as in real-time games, each seat gets its part of their time. No seat gets
    zero, or others would wait for it for ever.
    """
    thought = sum(decided)
    scale = took_ms / thought if thought > took_ms else 1.0
    rest = max(0, took_ms - thought) / len(decided)
    return tuple(max(1, round(own * scale + rest), cpu) for own, cpu in zip(decided, cpu_ms, strict=True))


def entry_of(bot: str) -> str:
    """Returns the entry of a bot's version. All versions share the entry's use."""
    return bot.partition("@")[0]


@final
@dataclass(slots=True)
class EntryUse:
    """The time that an entry used in a minute."""

    used_ms: int = 0
    charged_ms: int = 0
    """The part of that use during which others also wanted the room."""
    matches: int = 0
    owed_ms: float = 0.0
    """Its debt at its last use, if it owed nothing at the beginning of the minute."""
    due_ms: float = 0.0
    """The share that was due by then, see `MinuteUse`."""

    def owes(self, due_ms: float) -> float:
        """Returns the debt when `due_ms` is due; see `owed_ms`."""
        return max(0.0, self.owed_ms - (due_ms - self.due_ms))


@final
@dataclass(slots=True)
class MinuteUse:
    """The time that was used in a minute."""

    by_entry: dict[str, EntryUse] = field(default_factory=dict)
    """The use of each entry."""
    due_ms: float = 0.0
    """The share that was due to each entry that shared the room: for each match, its time divided by their number."""

    def add(self, due_ms: float, entry_uses: Mapping[str, EntryUse]) -> None:
        """Adds the next use."""
        before_ms = self.due_ms
        self.due_ms += due_ms
        for name, more in entry_uses.items():
            known = self.by_entry.setdefault(name, EntryUse(due_ms=before_ms))
            owed_ms = known.owes(before_ms) + more.charged_ms - due_ms
            known.owed_ms, known.due_ms = max(owed_ms, more.owes(due_ms)), self.due_ms
            known.used_ms += more.used_ms
            known.charged_ms += more.charged_ms
            known.matches += more.matches


@final
@dataclass(slots=True)
class TimeUse:
    """The recent time use of entries, by the minute since 1970 in which blocks were closed."""

    minutes: dict[int, MinuteUse] = field(default_factory=dict)
    late: int = field(default=0, compare=False)
    """The number of additions to a minute other than the newest."""

    def add(self, at_ms: int, bots: Sequence[str], time: MatchTime) -> None:
        """Adds a match."""
        shared = time.sharing > 1
        due_ms = sum(time.seats_ms) / time.sharing if shared else 0.0
        entry_uses = {}
        for bot, used_ms in zip(bots, time.seats_ms, strict=True):
            charged_ms = used_ms if shared else 0
            entry_uses[entry_of(bot)] = EntryUse(used_ms, charged_ms, 1, max(0.0, charged_ms - due_ms), due_ms)
        self._minute(at_ms // _MINUTE_MS).add(due_ms, entry_uses)

    def update(self, rows: Iterable[Sequence[Any]]) -> None:
        """Adds stored `rows`."""
        for number, due_ms, entry_uses in rows:
            self._minute(number).add(due_ms, {name: EntryUse(*use) for name, *use in entry_uses})

    def rows(self) -> Iterator[Sequence[Any]]:
        """Converts everything to JSON values."""
        for number, minute in sorted(self.minutes.items()):
            yield [number, minute.due_ms, [[name, *astuple(use)] for name, use in minute.by_entry.items()]]

    def _minute(self, number: int) -> MinuteUse:
        newest = max(self.minutes, default=number)
        self.late += number < newest
        oldest = max(number, newest) - WINDOW_MS // _MINUTE_MS
        if number > newest:
            self.minutes = {minute: use for minute, use in self.minutes.items() if minute > oldest}
        return self.minutes.setdefault(number, MinuteUse()) if number > oldest else MinuteUse()
