"""A stretch of the sequence of closed blocks as columns: what standings and lists need, without the matches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np

from fudaba_arena.forms import check_form, readable
from fudaba_arena.store.sealed.derived_values import Ints, opened, sealed
from fudaba_arena.store.usage.time_use import MatchTime, TimeUse

__all__ = ["CREDITED", "TOOK", "VOID_KIND", "ClosedStretch"]

CREDITED: Final = "credited"
"""The key of a line's network credits."""
TOOK: Final = "took"
"""The key of the time that the seats of a match used."""

VOID_KIND: Final = -1
"""The value that marks a void block in place of a kind."""
_FORM: Final = "closed blocks, form 3"
_CLOSED_MS_OFFSET: Final = len(b'{"at_ms":')


@final
@dataclass(frozen=True)
class ClosedStretch:
    """See `fudaba_arena.store.sealed.sealed_lists.Stretch`. All columns have its length."""

    numbers: Ints
    """The numbers of the blocks."""
    slots: Ints
    """The places in the schedule."""
    closed_ms: Ints
    """The time when each block was closed."""
    kind: Ints
    """The index of each block in `kinds`; `VOID_KIND` if it is void."""
    kinds: tuple[bytes, ...]
    """The first fields of the counting lines, each once."""
    void: tuple[dict[str, Any], ...]
    """Further facts about the void blocks, in order."""
    credited: Mapping[str, Counter[int]]
    """For each bot, the number of decisions with each network credit in milliseconds, in its counting matches."""
    time_use: TimeUse
    """The time that bots used in its last minutes."""

    @classmethod
    def from_lines(cls, lines: Sequence[bytes]) -> Self:
        """Reads lines. Raises `BadStored`."""
        with readable("a closed block"):
            return cls._parsed(lines)

    @classmethod
    def _parsed(cls, lines: Sequence[bytes]) -> Self:
        kinds: dict[bytes, int] = {}
        rows: list[tuple[int, int, int, int]] = []
        void = []
        credited: dict[str, Counter[int]] = {}
        time_use = TimeUse()
        for line in lines:
            kind, slot, number, about, rest = line.split(b"\t")
            if kind.startswith(b"void"):
                noted = _noted(number, rest)
                void.append(noted)
                rows.append((int(number), int(slot), noted["at_ms"], VOID_KIND))
            else:
                closed_ms = int(rest[_CLOSED_MS_OFFSET:-1]) if b"," not in rest else _noted(number, rest)["at_ms"]
                rows.append((int(number), int(slot), closed_ms, kinds.setdefault(kind, len(kinds))))
            if b"{" in about:  # notes on matches are parsed only if there are any
                _add_noted(credited, time_use, rows[-1][2], kind, about)
        numbers, slots, times, of_kind = np.array(rows, np.int64).reshape(-1, 4).T
        return cls(numbers, slots, times, of_kind, tuple(kinds), tuple(void), credited, time_use)

    @classmethod
    def opened(cls, raw: bytes) -> Self | None:
        """Reads what `sealed` wrote. Returns None for any other text."""
        found = opened(_FORM, raw, 4)
        if found is None:
            return None
        (void, by_bot, use), (numbers, slots, closed_ms, kind), kinds = found
        credited = {bot: Counter(dict(pairs)) for bot, pairs in by_bot.items()}
        time_use = TimeUse()
        time_use.update(use)
        return cls(numbers, slots, closed_ms, kind, tuple(kinds), tuple(void), credited, time_use)

    def sealed(self) -> bytes:
        """Returns its sealed form."""
        credited = {bot: [*decisions.items()] for bot, decisions in self.credited.items()}
        first = [self.void, credited, list(self.time_use.rows())]
        return sealed(_FORM, first, [self.numbers, self.slots, self.closed_ms, self.kind], self.kinds)

    def __len__(self) -> int:
        return len(self.numbers)

    def ends_with(self, line: bytes) -> bool:
        """Returns whether a line may be its last line."""
        return int(line.split(b"\t", 3)[2]) == int(self.numbers[-1])


def _noted(number: bytes, rest: bytes) -> dict[str, Any]:
    """Returns the last field of a line."""
    noted: dict[str, Any] = json.loads(rest)
    check_form(noted, f"closed block {int(number)}")
    return noted


def _add_noted(credited: dict[str, Counter[int]], time_use: TimeUse, at_ms: int, kind: bytes, about: bytes) -> None:
    """Adds the credits in a line's counting matches, and the time used in all of its matches."""
    _, _, counting, went = kind.split(b" ", 3)
    for place, (of_match, (match_id, _, *more)) in enumerate(zip(json.loads(went), json.loads(about), strict=True)):
        noted = more[2] if len(more) > 2 else {}
        check_form(noted, f"the result of match {match_id}")
        if TOOK in noted:
            time_use.add(at_ms, of_match[1], MatchTime.from_values(noted[TOOK]))
        for seat, *pairs in noted.get(CREDITED, ()) if place < int(counting) else ():
            decisions = credited.setdefault(of_match[1][seat], Counter())
            for credit_ms, often in zip(pairs[::2], pairs[1::2], strict=True):
                decisions[credit_ms] += often
