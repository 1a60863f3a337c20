"""What a fit is made from: the results of blocks, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import final

__all__ = ["BadResults", "BlockResult", "RatedMatch", "alike", "in_order", "pair_share"]


_Went = tuple[tuple[int, tuple[str, ...], tuple[int, ...]], ...]
"""All that matters of a block to its rating: of each match the deal, the bots and the scores."""


@final
class BadResults(ValueError):
    """Results that contradict themselves or each other. `str()` says which match or block, and why."""


@final
@dataclass(frozen=True, slots=True)
class RatedMatch:
    """How one match of a block ended."""

    match_id: str
    deal: int
    """The deal's number in its block: matches of one block with the same number played the same cards."""
    bots: tuple[str, ...]
    """Who sat where, in the order of the seats."""
    scores: tuple[int, ...]
    """The match's score of each seat; they add up to zero."""


@final
@dataclass(frozen=True, slots=True)
class BlockResult:
    """A finished block: every one of its matches. Void blocks have no result and never come here."""

    block: int
    """The block's number, unique in its tournament."""
    matches: tuple[RatedMatch, ...]
    times: int = 1
    """How many blocks went exactly so, this one among them: the same bots in the same seats on as many deals, with the
    same scores. The others then are not given."""


def pair_share(own: int, other: int, win_margin: float) -> float:
    """What a seat took of what there was to take from another, 0 to 1; 1/2 is even."""
    return (1 + min(1.0, max(-1.0, (own - other) / win_margin))) / 2


def in_order(results: Iterable[BlockResult]) -> list[BlockResult]:
    """The same results in the one order that every set of them has: by block number, then by match id.

    Raises `BadResults` when a block or a match comes twice, or a match makes no sense.
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


def alike(ordered: Iterable[BlockResult]) -> list[BlockResult]:
    """Results in order with those that went alike together, in an order that does not hang on the blocks' numbers."""
    times: dict[_Went, int] = {}
    first: dict[_Went, BlockResult] = {}
    for result in ordered:
        went = tuple([(match.deal, match.bots, match.scores) for match in result.matches])
        times[went] = times.get(went, 0) + result.times
        first.setdefault(went, result)
    return [BlockResult(first[went].block, first[went].matches, times[went]) for went in sorted(times)]


def _check(match: RatedMatch) -> None:
    """Raises `BadResults` unless the match makes sense by itself."""
    if len(match.bots) < 2:
        raise BadResults(f"match {match.match_id} has {len(match.bots)} seats; at least 2 are needed")
    if len(match.bots) != len(match.scores):
        raise BadResults(f"match {match.match_id} has {len(match.bots)} seats but {len(match.scores)} scores")
    if len(set(match.bots)) != len(match.bots):
        raise BadResults(f"match {match.match_id} has one bot in two seats, which says nothing of its strength")
    if sum(match.scores) != 0:
        raise BadResults(f"match {match.match_id} has scores that add up to {sum(match.scores)}, not to zero")
