"""The input of a fit: the results of blocks, as plain values, and as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from fudaba_arena.store.blocks.closed_block import ABSENT
from fudaba_arena.store.blocks.kinds import STRUCK_PLACE

__all__ = [
    "BadResults",
    "BlockArrays",
    "BlockResult",
    "RatedMatch",
    "Results",
    "Rows",
    "in_order",
    "met_seats",
    "pair_share",
]

Ints = NDArray[np.int64]
Pairs = tuple[tuple[int, int], ...]
_Seating = tuple[bool | None, ...]
"""For each seat whether it was present; None for a seat whose result is taken back. Empty if all met."""
_Pattern = tuple[tuple[int, ...], tuple[_Seating, ...]]
"""The deals of a block's matches, and the seatings of those in which not all seats met; empty if there are none."""


@final
class BadResults(ValueError):
    """Results that contradict themselves or each other. `str()` names the match or block, and says why."""


@final
@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A finished match of a block."""

    match_id: str
    deal: int
    """The deal's number in its block: matches of one block with the same number played the same cards."""
    bots: tuple[str, ...]
    """The bots, in the order of the seats."""
    scores: tuple[int, ...]
    """The match's score of each seat; they add up to zero."""
    absent: bool = False
    """Whether it was not played because bots were away. Then seats with equal scores have not met."""


@final
@dataclass(frozen=True, slots=True)
class BlockResult:
    """A finished block with all of its matches. A void block has no result and never appears here."""

    block: int
    """The block's number, unique in its tournament."""
    matches: tuple[RatedMatch, ...]
    times: int = 1
    """The number of blocks with exactly these results, this one included: the same bots in the same seats on as many
    deals, with the same scores. The other blocks are then omitted.
    """


def pair_share(own: Ints, other: Ints, win_margin: float) -> NDArray[np.float64]:
    """Returns the share of the points at stake that one seat took from another, 0 to 1; 1/2 is an even result."""
    return np.asarray((1 + np.clip((own - other) / win_margin, -1.0, 1.0)) / 2)


def in_order(results: Iterable[BlockResult]) -> list[BlockResult]:
    """Sorts the results into the canonical order of a set: by block number, then by match id.

    Raises `BadResults` if a block or a match appears twice, or a match is inconsistent.
    """
    ordered = [
        BlockResult(result.block, tuple(sorted(result.matches, key=lambda match: match.match_id)), result.times)
        for result in sorted(results, key=lambda result: result.block)
    ]
    for before, after in pairwise(ordered):
        if before.block == after.block:
            raise BadResults(f"block {after.block} is given twice; a block counts once")
    seen: set[str] = set()
    seats: int | None = None
    for result in ordered:
        if result.times < 1:
            raise BadResults(f"block {result.block} is said to have been played {result.times} times")
        if not result.matches:
            raise BadResults(f"block {result.block} has no matches; leave out blocks without a result")
        for match in result.matches:
            if match.match_id in seen:
                raise BadResults(f"match {match.match_id} is given twice; a match counts once")
            seen.add(match.match_id)
            _check(match)
            if seats is None:
                seats = len(match.bots)
            if len(match.bots) != seats:
                raise BadResults(f"match {match.match_id} has {len(match.bots)} seats, others have {seats}")
    return ordered


@final
@dataclass(frozen=True)
class BlockArrays:
    """Blocks with the same deals and seats, and the same pairs of seats that met. Equal blocks share one row."""

    deals: tuple[int, ...]
    """The deal of each match."""
    met: tuple[Pairs, ...]
    """The counting pairs of seats of each match, the lower seat first."""
    seats: NDArray[np.bool_]
    """(matches, seats): whether a seat is in any of these pairs."""
    bots: Ints
    """(blocks, matches, seats): indices into the names of the bots."""
    scores: Ints
    """(blocks, matches, seats)."""
    times: Ints
    """(blocks,): the number of blocks with the same results."""
    early: Ints
    """(blocks,): the number of these in the first half of the season; 0 throughout if the order is not known."""

    def alike(self) -> Self:
        """Merges equal rows, in the canonical order of a set of rows."""
        size = self.bots[0].size
        rows = np.concatenate([self.bots.reshape(-1, size), self.scores.reshape(-1, size)], axis=1)
        order = np.lexsort(rows.T[::-1])
        rows = rows[order]
        begins = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)]))
        shape = (-1, *self.bots.shape[1:])
        times, early = (np.add.reduceat(counts[order], begins) for counts in (self.times, self.early))
        return type(self)(
            self.deals,
            self.met,
            self.seats,
            rows[begins, :size].reshape(shape),
            rows[begins, size:].reshape(shape),
            times,
            early,
        )

    def checked(self, names: Sequence[str]) -> Self:
        """Raises `BadResults` for a match that is inconsistent in itself."""
        seated = np.sort(self.bots, axis=2)
        twice = (seated[:, :, 1:] == seated[:, :, :-1]).any(axis=2)
        sums = self.scores.sum(axis=2)
        for wrong, why in ((twice, "one bot in two seats"), (sums != 0, "scores that do not add up to zero")):
            if wrong.any():
                bots = ", ".join(names[bot] for bot in self.bots[wrong][0].tolist())
                raise BadResults(f"a match of {bots} has {why}")
        return self


@final
@dataclass(frozen=True)
class Results:
    """All results of a game."""

    names: tuple[str, ...]
    """The names of the bots, sorted, including those that have not played."""
    arrays: tuple[BlockArrays, ...]

    @property
    def seats(self) -> int:
        """The number of seats of each match; 0 if there are no results."""
        return self.arrays[0].bots.shape[2] if self.arrays else 0

    @classmethod
    def from_blocks(cls, blocks: Iterable[BlockResult], bots: Iterable[str] = ()) -> Self:
        """Packs blocks into arrays. Raises `BadResults`."""
        rows = Rows()
        for block in in_order(blocks):
            matches = block.matches
            rows.add(
                [(match.deal, match.bots, match.scores, "", ABSENT if match.absent else "") for match in matches],
                block.times,
            )
        return rows.results(bots)


@final
class Rows:
    """Collects the stored results of a game."""

    def __init__(self) -> None:
        self._by_deals: dict[_Pattern, tuple[list[int], list[int], list[int], list[int]]] = {}
        self._seats: dict[_Pattern, int] = {}
        self._place: dict[str, int] = {}

    def add(self, matches: Sequence[Sequence[Any]], times: int, early: int = 0) -> None:
        """Adds `times` equal blocks. For each match: the deal, the bots by seat, their scores, who forfeited it, why,
        and in some the bots whose results are taken back.

        `early` of them are in the first half of the season. Raises `BadResults`.
        """
        # Of nearly all matches every pair counts, which is seen sooner than the pairs are listed.
        seatings: tuple[_Seating, ...] = ()
        if any(match[4] == ABSENT or len(match) > STRUCK_PLACE for match in matches):
            matches = [match for match in matches if _met(len(match[1]), _seating(match))]
            seatings = tuple(map(_seating, matches))
            if not matches:
                return
        pattern = tuple([match[0] for match in matches]), seatings
        bots, scores, counts, early_counts = self._by_deals.setdefault(pattern, ([], [], [], []))
        seats = self._seats.setdefault(pattern, len(matches[0][1]))
        for match in matches:
            if not len(match[1]) == len(match[2]) == seats:
                raise BadResults(
                    f"a match of {', '.join(match[1])} has {len(match[2])} scores, and others have {seats}"
                )
            bots += [self._place.setdefault(bot, len(self._place)) for bot in match[1]]
            scores += match[2]
        counts.append(times)
        early_counts.append(early)

    def results(self, bots: Iterable[str] = ()) -> Results:
        """Packs everything that was added. `bots` may include bots that have not played. Raises `BadResults`."""
        names = tuple(sorted({*self._place, *bots}))
        place = {name: at for at, name in enumerate(names)}
        sorted_place = np.array([place[name] for name in self._place], dtype=np.int64)
        if len(set(self._seats.values())) > 1:
            raise BadResults(f"matches have {' or '.join(map(str, sorted(set(self._seats.values()))))} seats")
        arrays = []
        for (deals, seatings), (seated, scores, times, early) in sorted(self._by_deals.items(), key=_in_order):
            seats = self._seats[deals, seatings]
            shape = (len(times), len(deals), seats)
            met = tuple(_met(seats, seating) for seating in seatings or ((),) * len(deals))
            in_pairs = np.zeros((len(deals), seats), np.bool_)
            for match, pairs in enumerate(met):
                in_pairs[match, list({seat for pair in pairs for seat in pair})] = True
            block_arrays = BlockArrays(
                deals,
                met,
                in_pairs,
                sorted_place[np.array(seated, np.int64)].reshape(shape),
                np.array(scores, np.int64).reshape(shape),
                np.array(times, np.int64),
                np.array(early, np.int64),
            )
            arrays.append(block_arrays.checked(names).alike())
        return Results(names, tuple(arrays))


def _in_order(item: tuple[_Pattern, object]) -> tuple[object, ...]:
    """Returns the canonical place of a pattern among others."""
    (deals, seatings), _ = item
    return deals, tuple(tuple(-1 if seat is None else int(seat) for seat in seating) for seating in seatings)


def _seating(match: Sequence[Any]) -> _Seating:
    """Returns the seats whose bots were present, and those whose results are taken back, in a stored match."""
    out = match[STRUCK_PLACE] if len(match) > STRUCK_PLACE else ()
    absent = match[4] == ABSENT
    if not out and not absent:
        return ()
    seats = zip(match[1], match[2], strict=True)
    found = tuple([None if bot in out else not absent or score > 0 for bot, score in seats])
    # Of a match that was not played, those that are left may all have been present: then they have not met.
    return found if not absent or False in found else (None,) * len(found)


def met_seats(scores: Sequence[int], *, absent: bool) -> Pairs:
    """Returns the pairs of seats that met in a match; `absent`: it was not played because bots were away."""
    return _met(len(scores), tuple([score > 0 for score in scores]) if absent else ())


@cache
def _met(seats: int, seating: _Seating) -> Pairs:
    """Returns the pairs of seats that met: all pairs, or where bots were away those with one of them and another; in
    both cases without the seats whose results are taken back.
    """
    left = [seat for seat in range(seats) if not seating or seating[seat] is not None]
    away = any(seating[seat] is False for seat in left) if seating else False
    return tuple(pair for pair in combinations(left, 2) if not away or seating[pair[0]] is not seating[pair[1]])


def _check(match: RatedMatch) -> None:
    """Raises `BadResults` unless the match is consistent in itself."""
    if len(match.bots) < 2:
        raise BadResults(f"match {match.match_id} has {len(match.bots)} seats; at least 2 are needed")
    if len(match.bots) != len(match.scores):
        raise BadResults(f"match {match.match_id} has {len(match.bots)} seats but {len(match.scores)} scores")
    if len(set(match.bots)) != len(match.bots):
        raise BadResults(f"match {match.match_id} has one bot in two seats, which says nothing of its strength")
    if sum(match.scores) != 0:
        raise BadResults(f"match {match.match_id} has scores that add up to {sum(match.scores)}, not to zero")
