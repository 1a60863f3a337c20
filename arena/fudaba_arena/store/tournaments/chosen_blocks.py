"""The blocks that were chosen during a tournament, in the store: an append-only list.

A block is stored before it is played, so that any process that continues the tournament plays the same.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from operator import eq, itemgetter
from typing import Final, Self, final, overload

import numpy as np

from fudaba_arena.forms import known_fields
from fudaba_arena.store.sealed.derived_values import Ints, opened, sealed

__all__ = ["ChosenBlock", "ChosenBlocks", "ChosenStretch"]

_FORM: Final = "chosen blocks, form 1"
_AT: Final = b'"at_ms":'


@final
@dataclass(frozen=True, slots=True)
class ChosenBlock:
    """The players of a block. Its slot is its place among all chosen blocks, from 0."""

    game: str
    groups: tuple[tuple[str, ...], ...]
    """The bots that meet, one for each seat."""
    shared: bool
    """Whether each group plays each deal once; otherwise the only group replays it in every seating."""
    chosen_for: str = ""
    """The bot for whose rating it was chosen."""
    at_ms: int = 0
    """The time when it was chosen, in milliseconds since 1970."""
    final: bool = False
    """Whether it belongs to the season's final, so that versions were frozen when it was chosen."""
    sharing: int = 0
    """The number of entries that wanted the room, including the one for which it was chosen; below 2 if no others
    did.
    """
    generation: str = ""
    """The generation of the season that chose it: empty for the first, random after each restored backup. It is part of
    the ids and the seeds of its matches, since the blocks that the backup lacks were played under its slot.
    """
    edits: int = 0
    """The number of edits of the season that were known when it was chosen; see `Tournament.terms_after`."""

    def line(self) -> str:
        """Returns its stored form."""
        values = asdict(self)
        for name in ("sharing", "generation", "edits"):  # the form of earlier releases, which know none of them
            if not values[name]:
                del values[name]
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored block."""
        values = known_fields(cls, json.loads(line), "a chosen block")
        return cls(**values | {"groups": tuple(map(tuple, values["groups"]))})


@final
@dataclass(frozen=True)
class ChosenStretch:
    """See `fudaba_arena.store.sealed.sealed_lists.Stretch`. Both columns have its length."""

    kind: Ints
    """The index of each block in `kinds`."""
    at_ms: Ints
    """The time when each was chosen."""
    kinds: tuple[bytes, ...]
    """The lines, each once, with the time 0."""

    @classmethod
    def from_lines(cls, lines: Sequence[bytes]) -> Self:
        """Reads lines."""
        kinds: dict[bytes, int] = {}
        rows: list[tuple[int, int]] = []
        for line in lines:
            before, _, rest = line.rpartition(_AT)  # no bot's name has quotes in it
            at_ms, comma, after = rest.rstrip(b"}").partition(b",")
            kind = before + _AT + b"0" + comma + after + b"}"
            rows.append((kinds.setdefault(kind, len(kinds)), int(at_ms)))
        kind_of, at = np.array(rows, np.int64).reshape(-1, 2).T
        return cls(kind_of, at, tuple(kinds))

    @classmethod
    def opened(cls, raw: bytes) -> Self | None:
        """Reads what `sealed` wrote. Returns None for any other text."""
        found = opened(_FORM, raw, 2)
        if found is None:
            return None
        _, (kind, at_ms), kinds = found
        return cls(kind, at_ms, tuple(kinds))

    def sealed(self) -> bytes:
        """Returns its sealed form."""
        return sealed(_FORM, None, [self.kind, self.at_ms], self.kinds)

    def __len__(self) -> int:
        return len(self.kind)

    def ends_with(self, line: bytes) -> bool:
        """Returns whether a line may be its last line."""
        last = replace(ChosenBlock.from_line(self.kinds[int(self.kind[-1])]), at_ms=int(self.at_ms[-1]))
        return ChosenBlock.from_line(line) == last


@final
class ChosenBlocks(Sequence[ChosenBlock]):
    """All chosen blocks by slot: a million in a few bytes each, since many differ only in the time."""

    def __init__(self, blocks: Iterable[ChosenBlock] = ()) -> None:
        self._kinds: list[ChosenBlock] = []
        """The kinds of blocks, as if chosen at 0."""
        self._place: dict[ChosenBlock, int] = {}
        """The place of each kind in that list."""
        self._kind: array[int] = array("q")
        """The kind of each block, by slot."""
        self._at_ms: array[int] = array("q")
        self._generations: list[tuple[int, str]] = [(0, "")]
        """The generations, each with the first slot that it has chosen."""
        for block in blocks:
            self.append(block)

    def copy(self) -> Self:
        """Returns a copy that can grow."""
        copy = type(self)()
        copy._kinds, copy._place = self._kinds.copy(), self._place.copy()
        copy._kind, copy._at_ms = self._kind[:], self._at_ms[:]
        copy._generations = self._generations.copy()
        return copy

    def append(self, chosen: ChosenBlock) -> None:
        """Adds the block of the next slot."""
        self._note_generation(len(self), chosen.generation)
        self._kind.append(self._place_of(replace(chosen, at_ms=0, generation="")))
        self._at_ms.append(chosen.at_ms)

    def add_stretch(self, more: ChosenStretch) -> None:
        """Adds the blocks of the next slots."""
        kinds = [ChosenBlock.from_line(kind) for kind in more.kinds]
        if any(chosen_block.generation for chosen_block in kinds):
            for slot, kind in enumerate(more.kind.tolist(), len(self)):
                self._note_generation(slot, kinds[kind].generation)
        else:
            self._note_generation(len(self), "")
        places = np.array(
            [self._place_of(replace(chosen_block, generation="")) for chosen_block in kinds], dtype=np.int64
        )
        self._kind.frombytes(places[more.kind].tobytes())
        self._at_ms.frombytes(more.at_ms.tobytes())

    def _note_generation(self, slot: int, generation: str) -> None:
        if self._generations[-1][1] != generation:
            self._generations.append((slot, generation))

    def generation(self, slot: int) -> str:
        """Returns the generation that chose the block of a slot."""
        return self._generations[bisect_right(self._generations, slot, key=itemgetter(0)) - 1][1]

    def _place_of(self, kind: ChosenBlock) -> int:
        known = self._place.setdefault(kind, len(self._kinds))
        if known == len(self._kinds):
            self._kinds.append(kind)
        return known

    def __len__(self) -> int:
        return len(self._kind)

    @overload
    def __getitem__(self, slot: int) -> ChosenBlock: ...

    @overload
    def __getitem__(self, slot: slice) -> list[ChosenBlock]: ...

    def __getitem__(self, slot: int | slice) -> ChosenBlock | list[ChosenBlock]:
        if isinstance(slot, slice):
            return [self[index] for index in range(*slot.indices(len(self)))]
        slot = range(len(self))[slot]
        return replace(self.kind(slot), at_ms=self._at_ms[slot], generation=self.generation(slot))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChosenBlocks) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # the array grows

    def kind(self, slot: int) -> ChosenBlock:
        """Returns the block of a slot, with the time 0 and the first generation."""
        return self._kinds[self._kind[slot]]

    def kinds(self) -> Iterator[tuple[ChosenBlock, Ints]]:
        """Returns each different chosen block, with the time 0, and its slots."""
        slot_kinds = np.array(self._kind, dtype=np.int64)
        order = np.argsort(slot_kinds, kind="stable")
        ends = np.bincount(slot_kinds, minlength=len(self._kinds)).cumsum()
        return zip(self._kinds, np.split(order, ends[:-1]), strict=True) if self._kinds else iter(())
