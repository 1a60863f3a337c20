"""A stretch of the sequence of closed blocks as columns: what standings and lists need of it, without its matches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np

from fudaba_arena.store.sealed import Ints, opened, sealed

__all__ = ["VOID", "ClosedStretch"]

VOID: Final = -1
"""Instead of a kind: of a block that is void."""
_FORM: Final = "closed blocks, form 1"
_AT: Final = len(b'{"at_ms":')


@final
@dataclass(frozen=True)
class ClosedStretch:
    """See `fudaba_arena.store.sealed_lists.Stretch`. All columns are of its length."""

    numbers: Ints
    """The blocks."""
    slots: Ints
    """The places in the schedule."""
    closed_ms: Ints
    """When each was closed."""
    kind: Ints
    """How it went: its place in `kinds`; `VOID` where it is void."""
    kinds: tuple[bytes, ...]
    """The first fields of the entries that count, each once."""
    void: tuple[dict[str, Any], ...]
    """What else is known of the void ones, in their order."""

    @classmethod
    def of(cls, lines: Sequence[bytes]) -> Self:
        """Reads entries."""
        kinds: dict[bytes, int] = {}
        rows: list[tuple[int, int, int, int]] = []
        void = []
        for line in lines:
            kind, slot, number, _, rest = line.split(b"\t")
            if kind.startswith(b"void"):
                noted = json.loads(rest)
                void.append(noted)
                rows.append((int(number), int(slot), noted["at_ms"], VOID))
            else:
                rows.append((int(number), int(slot), int(rest[_AT:-1]), kinds.setdefault(kind, len(kinds))))
        numbers, slots, closed_ms, of_kind = np.array(rows, np.int64).reshape(-1, 4).T
        return cls(numbers, slots, closed_ms, of_kind, tuple(kinds), tuple(void))

    @classmethod
    def opened(cls, raw: bytes) -> Self | None:
        """What `sealed` made; None for anything else."""
        found = opened(_FORM, raw, 4)
        if found is None:
            return None
        void, (numbers, slots, closed_ms, kind), kinds = found
        return cls(numbers, slots, closed_ms, kind, tuple(kinds), tuple(void))

    def sealed(self) -> bytes:
        """As it is kept."""
        return sealed(_FORM, self.void, [self.numbers, self.slots, self.closed_ms, self.kind], self.kinds)

    def __len__(self) -> int:
        return len(self.numbers)

    def ends_with(self, line: bytes) -> bool:
        """Whether this may be its last entry."""
        return int(line.split(b"\t", 3)[2]) == int(self.numbers[-1])
