"""Forfeits that help somebody: an entry's opponents forfeit more often against it than against everybody."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import exp, lgamma
from typing import final

import numpy as np

from fudaba_arena.ladder.fairplay.fitted_game import PlayedGame
from fudaba_arena.ladder.fairplay.lines import Kind, Line, Look
from fudaba_arena.ladder.ratings.design import Floats
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["forfeit_looks"]


@final
class _Tally:
    """In how many blocks entries played, and forfeited."""

    def __init__(self, game: PlayedGame) -> None:
        self.blocks: Counter[str] = Counter()
        self.forfeits: Counter[str] = Counter()
        self.met: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By entry and opponent, the blocks in which they met."""
        self.given: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By entry and opponent, those in which the opponent forfeited a match that they had together."""
        for block in game.counted:
            met: set[tuple[str, str]] = set()
            given: set[tuple[str, str]] = set()
            for match in block.counted:
                entries, forfeiting = set(map(entry_of, match.bots)), forfeiting_in(match)
                met.update((own, other) for own in entries for other in entries - {own})
                given.update((own, other) for other in forfeiting for own in entries - forfeiting)
            self.blocks.update({own for own, _ in met})
            self.forfeits.update({other for _, other in given})
            for own, other in met:
                self.met[own][other] += 1
            for own, other in given:
                self.given[own][other] += 1


def forfeiting_in(match: MatchResult) -> set[str]:
    """Returns the entries that forfeited a match."""
    return set(map(entry_of, match.absent or filter(None, [match.forfeited])))


def forfeit_looks(game: PlayedGame) -> Iterator[Look]:
    """Looks at the forfeits of each entry's opponents. An opponent's blocks with forfeits are shared out among all of
    its blocks by lot, and the sum over the opponents is judged exactly (as by Fisher, Mantel and Haenszel).
    """
    tally = _Tally(game)
    for own in game.competing:
        able = {other: met for other, met in tally.met[own].items() if 0 < met < tally.blocks[other]}
        able = {other: met for other, met in able.items() if tally.forfeits[other]}
        if able:
            yield _look(game, tally, own, able)


def _look(game: PlayedGame, tally: _Tally, own: str, able: Mapping[str, int]) -> Look:
    chances = np.ones(1)
    for other, met in able.items():
        chances = np.convolve(chances, _by_lot(tally.blocks[other], tally.forfeits[other], met))
    given = {other: tally.given[own][other] for other in able}
    probability = min(1.0, max(1e-300, float(chances[sum(given.values()) :].sum())))
    expected = float((np.arange(len(chances)) * chances).sum())
    blocks = sum(able.values())

    def line() -> Line:
        giving = tuple(sorted(other for other in able if given[other] > _expected(tally, own, other)))
        ids, count, with_forfeits = game.evidence(
            lambda _, match: own in map(entry_of, match.bots) and not forfeiting_in(match).isdisjoint(giving)
        )
        shares = sum(given.values()) / blocks, expected / blocks
        about = (own,), giving, "", with_forfeits, *shares, None, None
        return Line(Kind.FORFEITS, game.game, *about, probability, ids, count)

    return Look(Kind.FORFEITS, probability, line)


def _expected(tally: _Tally, own: str, other: str) -> float:
    """Returns in how many blocks of both an opponent would forfeit by lot."""
    return tally.met[own][other] * tally.forfeits[other] / tally.blocks[other]


def _by_lot(blocks: int, marked: int, drawn: int) -> Floats:
    """Returns the chances that 0, 1, … of `drawn` blocks are marked, of which `marked` of all `blocks` are
    (hypergeometric).
    """

    def ways(count: int, chosen: int) -> float:
        return lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1)

    every = ways(blocks, drawn)
    return np.array(
        [
            exp(ways(marked, hit) + ways(blocks - marked, drawn - hit) - every)
            if max(0, drawn - (blocks - marked)) <= hit <= drawn
            else 0.0
            for hit in range(min(marked, drawn) + 1)
        ]
    )
