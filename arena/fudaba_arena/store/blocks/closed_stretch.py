"""A stretch of the sequence of closed blocks as columns: what standings and lists need of it, without its matches."""

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
"""The key under which a line has what was credited for the network."""
TOOK: Final = "took"
"""The key under which it has what the seats of a match took."""

VOID_KIND: Final = -1
"""The mark of a void block, in the place of a kind."""
_FORM: Final = "closed blocks, form 3"
_CLOSED_MS_OFFSET: Final = len(b'{"at_ms":')


@final
@dataclass(frozen=True)
class ClosedStretch:
    """See `fudaba_arena.store.sealed.sealed_lists.Stretch`. All columns are of its length."""

    numbers: Ints
    """The blocks."""
    slots: Ints
    """The places in the schedule."""
    closed_ms: Ints
    """The time when each was closed."""
    kind: Ints
    """Its place in `kinds`; `VOID_KIND` where it is void."""
    kinds: tuple[bytes, ...]
    """The first fields of the lines that count, each once."""
    void: tuple[dict[str, Any], ...]
    """Further facts about the void ones, in their order."""
    credited: Mapping[str, Counter[int]]
    """For each bot, the number of decisions with each credit for the network, in milliseconds, in its matches that
    count."""
    time_use: TimeUse
    """The time that bots used in the last of its minutes."""

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
        """Reads what `sealed` wrote. Returns None for anything else."""
        found = opened(_FORM, raw, 4)
        if found is None:
            return None
        (void, by_bot, use), (numbers, slots, closed_ms, kind), kinds = found
        credited = {bot: Counter(dict(pairs)) for bot, pairs in by_bot.items()}
        time_use = TimeUse()
        time_use.update(use)
        return cls(numbers, slots, closed_ms, kind, tuple(kinds), tuple(void), credited, time_use)

    def sealed(self) -> bytes:
        """Writes it in its sealed form."""
        credited = {bot: [*decisions.items()] for bot, decisions in self.credited.items()}
        first = [self.void, credited, list(self.time_use.rows())]
        return sealed(_FORM, first, [self.numbers, self.slots, self.closed_ms, self.kind], self.kinds)

    def __len__(self) -> int:
        return len(self.numbers)

    def ends_with(self, line: bytes) -> bool:
        """Returns whether this may be its last line."""
        return int(line.split(b"\t", 3)[2]) == int(self.numbers[-1])


def _noted(number: bytes, rest: bytes) -> dict[str, Any]:
    """Returns the last field of a line."""
    noted: dict[str, Any] = json.loads(rest)
    check_form(noted, f"closed block {int(number)}")
    return noted


def _add_noted(credited: dict[str, Counter[int]], time_use: TimeUse, at_ms: int, kind: bytes, about: bytes) -> None:
    """Adds what a line says of credits in the matches that count, and of what all of its matches took."""
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
