"""Matches of a game as the arrays of a fit, each block by itself, so that residuals are known by match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from fudaba_arena.ladder.ratings.design import Design
from fudaba_arena.ladder.ratings.results import BlockArrays, Ints, Results, met_seats
from fudaba_arena.store.blocks.closed_block import ABSENT, MatchResult

__all__ = ["PlayedRows", "runs_at"]

_VIRTUAL_DRAWS_COUNT = 1.0
"""The prior of the ratings."""


@final
@dataclass(frozen=True)
class PlayedRows:
    """The rows of some blocks: a row for each pair of seats that met in a match."""

    design: Design
    block: Ints
    """(rows,): the index of each row's block, as given."""
    match: Ints
    """(rows,): the index of its match in its block."""

    @classmethod
    def of_blocks(cls, blocks: Sequence[Sequence[MatchResult]], names: Sequence[str], win_margin: float) -> Self:
        """Packs the matches of blocks; those without matches have no rows. `names` are the bots, in the order of the
        parameters.
        """
        place = {name: at for at, name in enumerate(names)}
        by_pattern: dict[tuple[tuple[int, ...], tuple[tuple[tuple[int, int], ...], ...]], list[int]] = {}
        for number, matches in enumerate(blocks):
            met = tuple(met_seats(match.scores, absent=match.forfeit_cause == ABSENT) for match in matches)
            if any(met):
                by_pattern.setdefault((tuple(match.deal for match in matches), met), []).append(number)
        arrays, block, match_index = [], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for (deals, met), numbers in by_pattern.items():
            arrays.append(_packed([blocks[number] for number in numbers], deals, met, place))
            of_match = np.repeat(np.arange(len(deals)), [len(pairs) for pairs in met])
            block.append(np.repeat(np.array(numbers, np.int64), len(of_match)))
            match_index.append(np.tile(of_match, len(numbers)))
        design = Design.from_results(Results(tuple(names), tuple(arrays)), win_margin, _VIRTUAL_DRAWS_COUNT)
        return cls(design, np.concatenate(block), np.concatenate(match_index))


def _packed(
    blocks: Sequence[Sequence[MatchResult]],
    deals: tuple[int, ...],
    met: tuple[tuple[tuple[int, int], ...], ...],
    place: Mapping[str, int],
) -> BlockArrays:
    bots = np.array([[[place[bot] for bot in match.bots] for match in matches] for matches in blocks], np.int64)
    scores = np.array([[match.scores for match in matches] for matches in blocks], np.int64)
    in_pairs = np.zeros(bots.shape[1:], np.bool_)
    for match, pairs in enumerate(met):
        in_pairs[match, list({seat for pair in pairs for seat in pair})] = True
    return BlockArrays(
        deals, met, in_pairs, bots, scores, np.ones(len(blocks), np.int64), np.zeros(len(blocks), np.int64)
    )


def runs_at(starts: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Returns the places of some runs of an array, one after the other, and for each place the index of its run in
    `chosen`. Run n lies from `starts[n]` to `starts[n + 1]`.
    """
    sizes = starts[chosen + 1] - starts[chosen]
    owner = np.repeat(np.arange(len(chosen)), sizes)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(starts[chosen], sizes) + within, owner
