"""A made-up season of a ladder, with and without foul play, for tests of its fair-play report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from fudaba_arena.ladder.fairplay import Kind, Line, PlayedSeason, fair_play
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock

FIELD = tuple(f"bot-{number:02}" for number in range(14))
PAIRS = tuple(combinations(FIELD, 2))
ELO_STEP_POINTS = 30.0
WORKERS = ("east-1", "west-1")

Match = tuple[str, str, float]
"""The first seat's entry, the other's, and the chance that the first one wins."""


@dataclass
class Season:
    """A season of bots a little apart in strength, each pair of which meets in every block of a round."""

    seed: int
    blocks: list[ClosedBlock] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    panel: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.chance = np.random.default_rng(self.seed)

    def play(self, rounds: int, wins: Callable[[str, str], float | None] = lambda *_: None) -> Season:
        """Plays rounds; `wins` gives the chance of the first entry to win where that is not the honest one."""
        for _ in range(rounds):
            for a, b in PAIRS:
                chance = wins(a, b)
                self.close([(a, b, honest(a, b) if chance is None else chance)])
        return self

    def close(self, groups: Sequence[Match], *, forfeiting: str = "", void: bool = False, worker: str = "") -> None:
        """Closes a block in which each group plays a deal from both seats, or in several groups each deal once."""
        number, results = len(self.blocks), []
        for deal in range(2):
            for group, (a, b, chance) in enumerate(groups):
                score = 1 if self.chance.random() < chance else -1
                bots, scores = (f"{a}@1", f"{b}@1"), (score, -score)
                if deal:
                    bots, scores = bots[::-1], scores[::-1]
                cause = (f"{forfeiting}@1", "timeouts") if forfeiting else ("", "")
                match_id = f"t-b{number}-{deal}{group}"
                of_deal = deal if len(groups) > 1 else 0
                results.append(MatchResult(match_id, number, of_deal, bots, scores, *cause, number, worker))
        counted = () if void else results
        spoilt = VoidBlock(number, number, "no_show", results[0].match_id, (), number) if void else None
        self.blocks.append(ClosedBlock(number, number, "naga", tuple(results), len(counted), spoilt, number))

    def lines(self, kind: Kind | None = None) -> list[Line]:
        report = fair_play(PlayedSeason({"naga": 2.0}, self.owners, self.blocks, self.panel))
        return [line for line in report.lines if kind in {None, line.kind}]


def honest(a: str, b: str) -> float:
    return float(1 / (1 + 10 ** (ELO_STEP_POINTS * (FIELD.index(b) - FIELD.index(a)) / 400)))


def throwing(*friends: str, to: str = "bot-04") -> Callable[[str, str], float | None]:
    def wins(a: str, b: str) -> float | None:
        if to not in (a, b) or not {a, b} & set(friends):
            return None
        return 1.0 if a == to else 0.0

    return wins
