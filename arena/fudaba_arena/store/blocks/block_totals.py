"""Totals over the closed blocks of a tournament. `closed_block` describes a line of the sequence."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from fudaba_arena.store.blocks.annulments import Annulment, TakenBack, noted_after, taken_back, undone
from fudaba_arena.store.blocks.block_places import BlockPlaces
from fudaba_arena.store.blocks.closed_block import ClosedBlock, VoidBlock
from fudaba_arena.store.blocks.closed_stretch import VOID_KIND, ClosedStretch
from fudaba_arena.store.blocks.kinds import bots_of, have_met, struck, without
from fudaba_arena.store.blocks.last_played import LastPlayed
from fudaba_arena.store.sealed.derived_values import Ints
from fudaba_arena.store.usage.time_use import TimeUse

__all__ = ["ClosedBlocks"]


@final
@dataclass(slots=True)
class ClosedBlocks:
    """The sums over the sequence. Adding a block costs the same, however many there are."""

    annulments: Sequence[Annulment] = field(default=(), init=False)
    """All noted annulments, including undone ones."""
    annulled: dict[int, Annulment] = field(default_factory=dict, init=False)
    """The last annulment of each block that no longer counts, by block number."""
    reduced: dict[int, TakenBack] = field(default_factory=dict, init=False)
    """The part that is taken back of each block that counts without some groups, by block number."""
    counted: int = 0
    """The number of counting blocks, annulled ones included; it is also the number of filled slots."""
    matches: int = 0
    """The number of counting matches; those of annulled blocks do not count."""
    void: dict[int, VoidBlock] = field(default_factory=dict)
    """The void blocks, by block number."""
    attempts: Counter[int] = field(default_factory=Counter)
    """The number of void blocks of each slot."""
    credited: dict[str, Counter[int]] = field(default_factory=dict)
    """For each bot, the number of decisions with each network credit in milliseconds, in the matches that counted when
    their blocks were closed. Annulments do not change it: they take back results, not credits.
    """
    time_use: TimeUse = field(default_factory=TimeUse)
    """The recent time use of bots. Annulments do not change it, and void blocks count, since they were played too."""
    lines: dict[int, bytes] | None = None
    """The lines of the sequence by block number; None to keep only the sums."""
    places: BlockPlaces = field(default_factory=BlockPlaces)
    """The place of each block in the sequence."""
    reading: asyncio.Lock = field(default_factory=asyncio.Lock, compare=False, repr=False)
    """The lock for reading the next lines, so that they are added once."""
    _filled: bytearray = field(default_factory=bytearray)
    _closed_ms: array[int] = field(default_factory=lambda: array("q"))
    _kind: array[int] = field(default_factory=lambda: array("q"))
    """The index of each block in `_kinds`, or `VOID_KIND`; for a block in `reduced`, the kind of its remaining part."""
    _kinds: dict[bytes, int] = field(default_factory=dict)
    """The kinds of counting blocks, in the order of their first blocks."""
    _times: list[int] = field(default_factory=list)
    """The number of blocks of each kind, without annulled ones."""
    _counting: list[int] = field(default_factory=list)
    """The number of counting matches of a block, for each kind."""
    _last_played: LastPlayed = field(default_factory=LastPlayed, init=False, compare=False, repr=False)
    _summed: int = field(default=0, init=False)
    """The number of blocks that are in all sums. Another thread may add the next ones to some of them."""
    _later: dict[Annulment, tuple[int, tuple[int, ...]]] = field(default_factory=dict, init=False, compare=False)
    """For each disqualification, the number of blocks of the sequence searched for its bots, and the blocks found."""
    _closed_as: dict[int, int] = field(default_factory=dict, init=False)
    """The kind of each block in `reduced` when it was closed, by block number."""

    @property
    def length(self) -> int:
        """The number of closed blocks."""
        return len(self.places)

    @property
    def point(self) -> int:
        """The number of entries of the sequence so far, blocks and annulments, which determine what counts."""
        return self._summed + len(self.annulments)

    def newest(self) -> tuple[int, int]:
        """Returns the number of the last block at `point`, and its closing time; zeros without blocks."""
        return self.noted(self._summed - 1) if self._summed else (0, 0)

    def annulled_after(self) -> tuple[int, ...]:
        """Returns the number of blocks of the sequence after which each annulment stands."""
        return noted_after(self.annulments, self.closed_ms(), self.places.get)

    def filled(self, slot: int) -> bool:
        """Returns whether a place in the schedule has a counting block."""
        return slot < len(self._filled) and self._filled[slot] == 1

    def add(self, lines: Sequence[bytes]) -> None:
        """Adds the next blocks, given their lines."""
        if self.lines is not None:
            self.lines.update((int(line.split(b"\t", 3)[2]), line) for line in lines)
        self.add_stretch(ClosedStretch.from_lines(lines))

    def add_stretch(self, more: ClosedStretch) -> None:
        """Adds the next blocks without keeping their lines."""
        numbers = more.numbers.tolist()
        self._add_kinds([kind for kind in more.kinds if kind not in self._kinds])
        kinds = np.array([*map(self._kinds.__getitem__, more.kinds), VOID_KIND], dtype=np.int64)[more.kind]
        self.places.add(more.numbers)
        self._closed_ms.frombytes(more.closed_ms.tobytes())
        self._kind.frombytes(kinds.tobytes())
        for at, noted in zip(np.flatnonzero(kinds == VOID_KIND).tolist(), more.void, strict=True):
            self._add_void(VoidBlock.from_noted(numbers[at], int(more.slots[at]), noted))
        counts = kinds != VOID_KIND
        self.counted += int(counts.sum())
        self._fill(more.slots[counts])
        for bot, decisions in more.credited.items():
            self.credited.setdefault(bot, Counter()).update(decisions)
        self.time_use.update(more.time_use.rows())
        for kind, times in zip(
            *(found.tolist() for found in np.unique(kinds[counts], return_counts=True)), strict=True
        ):
            self._times[kind] += times
            self.matches += times * self._counting[kind]
        self._take_back_new(numbers)
        self._summed = self.length  # from now on a fit in another thread includes them, without what is struck

    def _add_kinds(self, new: Sequence[bytes]) -> None:
        """Adds kinds in bulk: in games with points there are hundreds of thousands."""
        begin = len(self._kinds)
        self._times.extend([0] * len(new))
        self._counting.extend([int(kind.split(b" ", 3)[2]) for kind in new])
        self._kinds.update(zip(new, range(begin, begin + len(new)), strict=True))

    def _fill(self, slots: Ints) -> None:
        most = int(slots.max(initial=-1))
        if most >= len(self._filled):
            self._filled.extend(bytes(most + 1))
        np.frombuffer(self._filled, np.uint8)[slots] = 1

    def _add_void(self, void: VoidBlock) -> None:
        self.void[void.block] = void
        self.attempts[void.slot] += 1

    def hold(self, annulments: Sequence[Annulment]) -> None:
        """Puts exactly these annulments in force. What they take back no longer counts, and everything else does.

        An annulment of a block that does not count changes nothing. One of a block that is not added yet takes effect
        when it is.
        """
        target, now = self._taken_by(annulments), self._taken_back()
        kinds = list(self._kinds) if target.keys() != now.keys() or target != now else []
        for number in sorted(target.keys() | now.keys()):
            if target.get(number) != now.get(number):
                self._restore(number)
                self._take_back(number, target.get(number), kinds)
        self.annulments = tuple(annulments)

    def under(self, annulments: Sequence[Annulment]) -> ClosedBlocks:
        """Returns a copy of the sums under exactly these annulments, to look at. Nothing may be added to it."""
        found = copy(self)
        found.annulled, found.reduced = dict(self.annulled), dict(self.reduced)
        found._kind, found._kinds = self._kind[:], dict(self._kinds)
        found._times, found._counting = list(self._times), list(self._counting)
        found._closed_as, found._later, found._last_played = dict(self._closed_as), dict(self._later), LastPlayed()
        found.hold(annulments)
        return found

    def kinds_under(self, annulments: Sequence[Annulment]) -> Mapping[bytes, int]:
        """Returns the value of `kinds` under exactly these annulments."""
        target, now, kinds = self._taken_by(annulments), self._taken_back(), list(self._kinds)
        found = Counter(self.kinds())
        for number in target.keys() | now.keys():
            closed_as = self._kind_closed(number)
            if closed_as is not None and target.get(number) != now.get(number):
                for held, change in ((now, -1), (target, 1)):
                    left = _left(kinds[closed_as], held.get(number))
                    if left is not None:
                        found[left] += change
        return {kind: times for kind, times in found.items() if times}

    def match_counts(self, number: int, bots: Iterable[str]) -> bool:
        """Returns whether a match of some bots in a block counts under the present annulments."""
        taken = self.reduced.get(number)
        if number in self.annulled or taken is None:
            return number not in self.annulled
        return taken.bots.isdisjoint(bots) and len({*bots} - taken.struck) > 1

    def _take_back_new(self, numbers: Sequence[int]) -> None:
        """Takes back from the blocks that were just added what disqualified bots have played in them, and what was
        annulled before this process read them.
        """
        over, first = undone(self.annulments), self.length - len(numbers)
        held = [
            annulment
            for number, annulment in enumerate(self.annulments, 1)
            if not annulment.undoes
            and number not in over
            and (annulment.disqualifies or annulment.after is None or annulment.after > first)
        ]
        names = list(self._kinds) if held else []
        for number in numbers if held else ():
            kind = self._kind_closed(number)
            played = bots_of(names[kind]) if kind is not None else frozenset()
            theirs = [
                annulment
                for annulment in held
                if (not played.isdisjoint(annulment.bots) if annulment.disqualifies else number in annulment.blocks)
            ]
            if theirs:
                taken = taken_back([replace(annulment, blocks=(number,)) for annulment in theirs])[number]
                self._take_back(number, replace(taken, latest=theirs[-1]), names)

    def _taken_by(self, annulments: Sequence[Annulment]) -> Mapping[int, TakenBack]:
        """Sums annulments as `taken_back` does, with the blocks of disqualified bots that were closed later."""
        return taken_back([self._with_later(annulment) for annulment in annulments])

    def _with_later(self, annulment: Annulment) -> Annulment:
        """Returns a disqualification with all blocks that its bots have played, also those closed after it."""
        if not annulment.disqualifies or annulment.undoes:
            return annulment
        searched, found = self._later.get(annulment, (0, ()))
        end = len(self._kind)  # of a block that is being added, all else is there when its kind is
        if searched < end:
            kinds, names = self._kinds_closed(searched, end), list(self._kinds)
            quoted = [f'"{bot}"'.encode() for bot in annulment.bots]  # as in a kind, which is JSON
            used = np.unique(kinds[kinds != VOID_KIND]).tolist()
            theirs = [kind for kind in used if any(bot in names[kind] for bot in quoted)]
            places = searched + np.flatnonzero(np.isin(kinds, theirs))
            found = (*found, *map(self.places.number, places.tolist()))
            self._later[annulment] = end, found
        return replace(annulment, blocks=found)

    def _taken_back(self) -> Mapping[int, TakenBack]:
        """Collects what is now taken back from the added blocks."""
        held = self._taken_by(self.annulments)
        return {
            number: annulled for number, annulled in held.items() if number in self.annulled or number in self.reduced
        }

    def _kind_closed(self, number: int) -> int | None:
        """Returns the kind of a block when it was closed; None if it is not closed or is void."""
        place = self.places.get(number)
        kind = VOID_KIND if place is None else self._closed_as.get(number, self._kind[place])
        return None if kind == VOID_KIND else kind

    def _restore(self, number: int) -> None:
        """Lets a whole block count again, if it does not."""
        kind, place = self._kind_closed(number), self.places.get(number)
        if kind is None or place is None:
            return
        if number in self.reduced:
            self._count(self._kind[place], -1)
            self._kind[place] = kind
            del self._closed_as[number], self.reduced[number]
            self._count(kind, 1)
        elif self.annulled.pop(number, None) is not None:
            self._count(kind, 1)

    def _take_back(self, number: int, taken: TakenBack | None, kinds: list[bytes]) -> None:
        """Takes back a block that counts as it was closed. `kinds` has all kinds in order."""
        kind, place = self._kind_closed(number), self.places.get(number)
        if taken is None or kind is None or place is None:
            return
        self._count(kind, -1)
        left = _left(kinds[kind], taken)
        if left is None:
            self.annulled[number] = taken.latest
            return
        self._add_kinds([left] if left not in self._kinds else [])
        self._closed_as[number], self.reduced[number] = kind, taken
        self._kind[place] = self._kinds[left]
        self._count(self._kind[place], 1)

    def _count(self, kind: int, times: int) -> None:
        self._times[kind] += times
        self.matches += times * self._counting[kind]

    def kinds(self) -> Mapping[bytes, int]:
        """Returns the number of counting blocks of each kind, as they are now; see `went.went`."""
        kinds, times = list(self._kinds), list(self._times)  # another thread may ask while blocks are added
        return {kind: block_count for kind, block_count in zip(kinds, times, strict=False) if block_count}

    def counting(self) -> Ints:
        """Returns the places of the blocks that count and are not annulled. Like `kinds`, it holds for one moment."""
        return self.counting_at_point()[1]

    def counting_at_point(self) -> tuple[int, Ints]:
        """Returns `point`, and the value of `counting` there: another thread may be adding the next blocks."""
        summed, annulments = self._summed, self.annulments
        counts = np.array(self._kind[:summed]) != VOID_KIND
        annulled = [place for place in map(self.places.get, list(self.annulled)) if place is not None]
        counts[[place for place in annulled if place < len(counts)]] = False
        return summed + len(annulments), np.flatnonzero(counts)

    def kinds_at(self, places: Ints) -> Mapping[bytes, int]:
        """Returns `kinds` for the counting blocks at some places only."""
        kind_places = np.array(self._kind[:])[places]
        kinds = list(self._kinds)  # another thread may ask while blocks are added
        times = np.bincount(kind_places, minlength=len(kinds)).tolist()
        return {kind: block_count for kind, block_count in zip(kinds, times, strict=True) if block_count}

    def early_kinds(self, places: Ints) -> Mapping[bytes, int]:
        """Returns `kinds_at` for the counting blocks at some places that are in the first half of their game's
        blocks.
        """
        kind_places = np.array(self._kind[:])[places]
        kinds = list(self._kinds)
        games: dict[bytes, int] = {}
        game_numbers = np.array([games.setdefault(kind.split(b" ", 2)[1], len(games)) for kind in kinds], np.int64)
        of_game = [np.flatnonzero(game_numbers[kind_places] == game) for game in range(len(games))]
        early = np.concatenate([at[: len(at) // 2] for at in of_game]) if of_game else np.empty(0, np.int64)
        times = np.bincount(kind_places[early], minlength=len(kinds)).tolist()
        return {kind: block_count for kind, block_count in zip(kinds, times, strict=True) if block_count}

    def versions(self, bot: str) -> frozenset[str]:
        """Returns the bots that have played under a name, or are versions of the entry with that name."""
        played = frozenset[str]().union(*map(bots_of, self._kinds))
        return frozenset(name for name in played if bot in {name, name.partition("@")[0]})

    def played_by(self, bots: Collection[str], places: Ints) -> Ints:
        """Finds counting places at which any of some bots played, even in a match that was left out."""
        return self._of_kinds(lambda kind: not bots_of(kind).isdisjoint(bots), places)

    def met(self, some: Collection[str], others: Collection[str], places: Ints) -> Ints:
        """Finds counting places at which any of some bots played a match with any of others."""
        return self._of_kinds(lambda kind: have_met(kind, some, others), places)

    def of_game(self, game: str, places: Ints) -> Ints:
        """Finds counting places of blocks of a game."""
        return self._of_kinds(lambda kind: kind.split(b" ", 2)[1] == game.encode(), places)

    def _of_kinds(self, fits: Callable[[bytes], bool], places: Ints) -> Ints:
        kind_places = np.array(self._kind[:])[places]
        fitting = np.array([fits(kind) for kind in list(self._kinds)], dtype=bool)
        return places[fitting[kind_places]] if len(places) else places

    def closed_ms(self) -> Ints:
        """Returns the closing times in the order of the sequence. Another thread may add blocks meanwhile."""
        return np.array(self._closed_ms[:])  # without the slice, numpy could keep the array from growing

    def length_before(self, at_ms: int) -> int:
        """Returns the number of blocks before the first one that was closed at a time or later."""
        late = self.closed_ms() >= at_ms
        return int(late.argmax()) if late.any() else len(late)

    def noted(self, place: int) -> tuple[int, int]:
        """Returns the number of the block at a place, and its closing time."""
        return self.places.number(place), self._closed_ms[place]

    def newest_ms(self) -> int:
        """Returns the closing time of the newest block that is not void; 0 if there is none."""
        newest = (place for place in reversed(range(self.length)) if self._kind[place] != VOID_KIND)
        return next((self._closed_ms[place] for place in newest), 0)

    def last_played_ms(self) -> Mapping[str, int]:
        """Returns for each bot the closing time of its last counting block, even if that was annulled since.

        It reads only what is new since the last call.
        """
        end = len(self._kind)  # of a block that is being added, all else is there when its kind is

        def blocks(begin: int) -> tuple[Ints, Ints, list[bytes]]:
            return self._kinds_closed(begin, end), np.array(self._closed_ms[begin:end]), list(self._kinds)

        return self._last_played.up_to(end, blocks)

    def _kinds_closed(self, begin: int, end: int) -> Ints:
        """Returns the kinds of some blocks when they were closed.

        Another thread may put other annulments in force meanwhile.
        """
        closed_as = self._closed_as.copy()
        kinds = np.array(self._kind[begin:end])
        for number, kind in (closed_as | self._closed_as.copy()).items():
            place = self.places.get(number)
            if place is not None and begin <= place < end:
                kinds[place - begin] = kind
        return kinds

    def counts(self, number: int) -> bool:
        """Returns whether a block was closed and counted, even if it was annulled since."""
        return number in self.places and number not in self.void

    def block(self, number: int) -> ClosedBlock | None:
        """Returns a block by number; None if it is not closed, or lines are not kept."""
        line = self.lines.get(number) if self.lines is not None else None
        return None if line is None else ClosedBlock.from_line(line)

    def blocks(self) -> Iterator[ClosedBlock]:
        """Returns the blocks by number, if their lines are kept."""
        lines = self.lines or {}
        return (ClosedBlock.from_line(lines[number]) for number in sorted(lines))


def _left(kind: bytes, taken: TakenBack | None) -> bytes | None:
    """Returns a kind without what was taken back; None if nothing is left."""
    if taken is None:
        return kind
    left = None if taken.whole else without(kind, taken.bots) if taken.bots else kind
    return struck(left, taken.struck) if left is not None and taken.struck else left
