"""What a fit is made from: the results of blocks, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import final

__all__ = ["BadResults", "BlockResult", "TableResult", "in_order"]


@final
class BadResults(ValueError):
    """Results that contradict themselves or each other. `str()` says which match or block, and why."""


@final
@dataclass(frozen=True, slots=True)
class TableResult:
    """How one match of a block ended."""

    match_id: str
    deal: int
    """The deal's number in its block: tables of one block with the same number played the same cards."""
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
    tables: tuple[TableResult, ...]


def in_order(results: Iterable[BlockResult]) -> list[BlockResult]:
    """The same results in the one order that every set of them has: by block number, then by match id.

    Raises `BadResults` when a block or a match comes twice, or a table makes no sense.
    """
    ordered = [
        BlockResult(result.block, tuple(sorted(result.tables, key=lambda table: table.match_id)))
        for result in sorted(results, key=lambda result: result.block)
    ]
    for before, after in pairwise(ordered):
        if before.block == after.block:
            raise BadResults(f"block {after.block} is given twice; a block counts once")
    seen: set[str] = set()
    seats: int | None = None
    for result in ordered:
        if not result.tables:
            raise BadResults(f"block {result.block} has no matches; leave out blocks without a result")
        for table in result.tables:
            if table.match_id in seen:
                raise BadResults(f"match {table.match_id} is given twice; a match counts once")
            seen.add(table.match_id)
            _check(table)
            if seats is None:
                seats = len(table.bots)
            if len(table.bots) != seats:
                raise BadResults(f"match {table.match_id} has {len(table.bots)} seats, others have {seats}")
    return ordered


def _check(table: TableResult) -> None:
    """Raises `BadResults` unless the table makes sense by itself."""
    if len(table.bots) < 2:
        raise BadResults(f"match {table.match_id} has {len(table.bots)} seats; at least 2 are needed")
    if len(table.bots) != len(table.scores):
        raise BadResults(f"match {table.match_id} has {len(table.bots)} seats but {len(table.scores)} scores")
    if len(set(table.bots)) != len(table.bots):
        raise BadResults(f"match {table.match_id} has one bot in two seats, which says nothing of its strength")
    if sum(table.scores) != 0:
        raise BadResults(f"match {table.match_id} has scores that add up to {sum(table.scores)}, not to zero")
