"""Divides a ladder's room among its entries, by the time that they use and not by their blocks.

The rule is a leaky bucket. An entry's use is added to its debt. For each match that is played while several entries
want the room, each of these is due an equal part, which is subtracted from its debt. A debt never falls below zero, so
an entry that is new or was away has no claim to room that it did not use. Play while nobody else wants the room changes
nothing.

An entry with a debt waits until the others have had as much. But for bots of about equal speed, blocks are a better
measure, since ratings need them: an entry whose matches take not much longer than those of the fastest never waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, final

from fudaba_arena.schedule.blocks import Block
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.usage.time_use import MinuteUse, TimeUse, entry_of

__all__ = ["Ledger", "Share", "matches_in_play"]

_MUCH_LONGER_RATIO: Final = 1.5
"""An entry waits only if its matches take longer than the fastest ones by more than this factor."""
_MIN_RECENT_MATCHES: Final = 8
"""The minimum number of newest matches over which an entry's use per match is measured, once it has played as many."""


@final
@dataclass(frozen=True, slots=True)
class Share:
    """An entry's recent use of the room, and its debt."""

    used_ms: float = 0.0
    """Its use, including use while nobody else wanted the room."""
    part: float = 0.0
    """That use as a share of the use of all."""
    match_ms: float | None = None
    """Its use per match in its newest matches; None if it has none."""
    owed_ms: float = 0.0
    """Its debt to the others. Its matches in play count with their expected use."""
    waits: bool = False
    """Whether others have priority."""


def matches_in_play(blocks: Iterable[Block], over: Collection[str]) -> dict[str, int]:
    """Counts each entry's unfinished matches in these blocks."""
    found: dict[str, int] = {}
    for block in blocks:
        for match in block.matches:
            if match.match_id not in over:
                for bot in match.bots:
                    found[entry_of(bot)] = found.get(entry_of(bot), 0) + 1
    return found


@final
class Ledger:
    """The ledger of a tournament's entries. It stores the sums of completed minutes, so that repeated queries cost
    little.
    """

    def __init__(self) -> None:
        self._until: tuple[TimeUse, int, int, int] | None = None
        """The basis of `_folded`: the use, its first minute, its newest minute, which is left out, and the number of
        late additions."""
        self._folded: dict[str, _Used] = {}

    def shares(
        self,
        use: TimeUse,
        not_closed: Iterable[MatchResult] = (),
        in_play: Mapping[str, int] | None = None,
        wanting: Collection[str] = (),
    ) -> dict[str, Share]:
        """Returns by name the share of each entry that has used something or wants blocks.

        `use` is the use of closed blocks; `not_closed` has the results of others. `in_play` has each entry's number of
        unfinished matches, and `wanting` the present entries that want blocks.
        """
        used = {name: bot_use.copy() for name, bot_use in self._before_newest(use).items()}
        if use.minutes:
            _fold(used, use.minutes[max(use.minutes)])
        also = TimeUse()
        for result in not_closed:
            if result.time is not None:
                also.add(0, result.bots, result.time)
        for minute in also.minutes.values():
            _fold(used, minute)
        used.update((name, _Used()) for name in wanting if name not in used)
        total = sum(bot_use.total_ms for bot_use in used.values())
        known = (used[name].match_ms for name in wanting)
        fastest = min((match_ms for match_ms in known if match_ms is not None), default=None)
        playing = in_play or {}
        return {name: _share(bot_use, playing.get(name, 0), total, fastest) for name, bot_use in sorted(used.items())}

    def _before_newest(self, use: TimeUse) -> Mapping[str, _Used]:
        """Adds up all minutes except the newest, to which more may be added."""
        newest = max(use.minutes, default=0)
        folded_until = self._until
        until = (use, min(use.minutes, default=0), newest, use.late)
        if folded_until is None or folded_until[0] is not use or folded_until[1:] != until[1:]:
            self._until, self._folded = until, {}
            for number in sorted(use.minutes.keys() - {newest}):
                _fold(self._folded, use.minutes[number])
        return self._folded


@final
@dataclass(slots=True)
class _Used:
    """An entry's use, accumulated from the oldest minute to the newest."""

    total_ms: float = 0.0
    owed_ms: float = 0.0
    newest: tuple[tuple[float, int], ...] = ()
    """Its use and its matches in the newest minutes in which it played: the fewest minutes with enough matches."""

    def copy(self) -> _Used:
        """Returns a copy that can be continued."""
        return replace(self)

    def add(self, used_ms: float, matches: int) -> None:
        """Adds the use of the next minute."""
        self.total_ms += used_ms
        newest = (*self.newest, (used_ms, matches))
        while sum(count for _, count in newest[1:]) >= _MIN_RECENT_MATCHES:
            newest = newest[1:]
        self.newest = newest

    @property
    def match_ms(self) -> float | None:
        """See `Share`."""
        matches = sum(count for _, count in self.newest)
        return sum(ms for ms, _ in self.newest) / matches if matches else None


def _fold(used: dict[str, _Used], minute: MinuteUse) -> None:
    """Adds the next minute to the use and the debts of entries."""
    for name, of_minute in minute.by_entry.items():
        used.setdefault(name, _Used()).add(of_minute.used_ms, of_minute.matches)
    for name, of_entry in used.items():
        found = minute.by_entry.get(name)
        charged_ms, least_ms = (found.charged_ms, found.owes(minute.due_ms)) if found is not None else (0, 0.0)
        of_entry.owed_ms = max(of_entry.owed_ms + charged_ms - minute.due_ms, least_ms)


def _share(used: _Used, in_play: int, total_ms: float, fastest_ms: float | None) -> Share:
    match_ms = used.match_ms
    owed_ms = used.owed_ms + in_play * (match_ms or 0.0)
    slow = match_ms is not None and fastest_ms is not None and match_ms > _MUCH_LONGER_RATIO * fastest_ms
    part = used.total_ms / total_ms if total_ms else 0.0
    return Share(used.total_ms, part, match_ms, owed_ms, waits=slow and owed_ms > 0)
