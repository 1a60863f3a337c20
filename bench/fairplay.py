"""Measures the fair-play report: how many honest ladders have a line, and after how many blocks exploits have one.

Ladders are simulated with the product's own choice of blocks and its own ratings in between; results come about by the
chances of `bench.ratings`. Exploits replace some of these results. Not a timing: seeded, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import combinations
from math import inf
from statistics import NormalDist
from typing import Final, final

import click
import numpy as np

from bench.ratings import ELO, MARGIN_POINTS, WORLDS, Floats, World, block_of
from bench.rows import progress
from fudaba_arena.ladder.fairplay import Kind, Line, PlayedSeason, fair_play
from fudaba_arena.ladder.ratings import BlockResult, fit
from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.next_block import KnownRating
from fudaba_arena.schedule.pairing import PairingRules, choose
from fudaba_arena.schedule.seeds import pairing_seed
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult

_FIELD_SIZE: Final = 20
_FIELD_SPREAD_POINTS: Final = 200.0
_RATED_BLOCKS_PER_NEW: Final = 20
_LOOKED_AT_BLOCKS: Final = (100, 200, 300, 400, 600, 800, 1_000, 1_500)
_MACHINES: Final = ("east-1", "west-1", "north-1")
_SUITING_POINTS: Final = 40.0
"""The standard deviation by which two honest bots of the third kind of ladder suit each other, in Elo points."""
FRIENDS: Final = ("bot08", "bot11", "bot12")
TELLER: Final = frozenset(FRIENDS[:1])
GAINER: Final = "bot10"
"""The bot in whose favour exploits are: in the middle of the field."""


@dataclass(frozen=True)
class Exploit:
    """What some bots of a ladder do."""

    name: str
    kinds: frozenset[Kind]
    """The lines that report it."""
    throw: frozenset[str] = frozenset()
    """The bots that lose every match against the gainer, and others as well as its rating is, to meet it often."""
    forfeit_share: float = 0.0
    """The share of blocks in which they do so by a forfeit; in the others they play on."""
    account: bool = False
    """Whether they and the gainer are of one account, whose bots may meet."""
    tellers: frozenset[str] = frozenset()
    """The bots that tell the gainer their cards where they play its deals at another table."""
    tip_points: float = 0.0
    """What that gains it, in Elo points. It is assumed."""


HONEST: Final = Exploit("nobody does anything", frozenset())
EXPLOITS: Final = (
    Exploit("three friends throw to A", frozenset({Kind.PAIR, Kind.GATHERED}), frozenset(FRIENDS)),
    Exploit("one author's entries feed one", frozenset({Kind.ACCOUNT, Kind.PAIR}), frozenset(FRIENDS), account=True),
    Exploit("three friends forfeit half of their blocks with A", frozenset({Kind.FORFEITS}), frozenset(FRIENDS), 0.5),
    *(
        Exploit(
            f"a friend tells A its cards, worth {points} points",
            frozenset({Kind.DEALS}),
            tellers=TELLER,
            tip_points=points,
        )
        for points in (200, 400)
    ),
)


@final
class Ladder:
    """A ladder that plays one block at a time."""

    def __init__(self, world: World, exploit: Exploit, seed: int, *, suiting_points: float = 0.0) -> None:
        self._world, self._exploit = world, exploit
        self._chance = np.random.default_rng(seed)
        self._master = sha256(f"fairplay {seed}".encode()).digest()
        self.bots = [f"bot{number:02}" for number in range(world.bots)]
        self._logits: dict[str, float] = dict(zip(self.bots, world.strengths().tolist(), strict=True))
        self._logits_per_point = float(2 * world.noise / ELO)
        self._suits = {
            pair: self._chance.normal() * suiting_points * self._logits_per_point for pair in combinations(self.bots, 2)
        }
        self._tip = exploit.tip_points * self._logits_per_point
        self._known: dict[str, KnownRating] = {}
        self._rated_blocks = 0
        self._results: list[BlockResult] = []
        self._played = dict.fromkeys(self.bots, 0)
        self.blocks: list[ClosedBlock] = []

    @property
    def season(self) -> PlayedSeason:
        """The season as the report takes it."""
        owners = {bot: f"bot {bot}" for bot in self.bots}
        if self._exploit.account:
            owners |= dict.fromkeys([GAINER, *FRIENDS], "account feeding")
        return PlayedSeason({"naga": MARGIN_POINTS}, owners, tuple(self.blocks))

    def play(self, blocks: int) -> None:
        """Plays until so many blocks are closed."""
        while len(self.blocks) < blocks:
            self._rate_again()
            shared = bool(self._exploit.tellers)
            # With two groups at a table's deals, as in a ladder whose entries mostly need no more blocks.
            least = sorted(self.bots, key=lambda bot: self._played[bot])[: 1 if shared else len(self.bots)]
            contenders = [self._contender(bot, bot in least, not shared) for bot in self.bots]
            choice = choose(contenders, PairingRules(2), pairing_seed(self._master, len(self.blocks)))
            if choice is None:
                raise RuntimeError("a ladder in which bots need blocks has a next one")
            self._close(choice.groups)

    def _contender(self, bot: str, needs: bool, stateless: bool) -> Contender:
        known, played = self._known.get(bot, KnownRating(1500.0, inf)), self._played[bot]
        return Contender(f"{bot}@1", bot, stateless, played, needs, known.rating, known.half_after(played))

    def _close(self, groups: Sequence[Sequence[str]]) -> None:
        number, luck = len(self.blocks), self._chance.normal(size=1)
        worker = _MACHINES[int(self._chance.integers(len(_MACHINES)))]
        results: list[MatchResult] = []
        everybody = {bot.partition("@")[0] for group in groups for bot in group}
        for first, second in groups:
            a, b = first.partition("@")[0], second.partition("@")[0]
            points, forfeiting = self._points(a, b, luck, everybody - {a, b})
            self._results.append(block_of(len(self._results), first, second, *points))
            for deal, (bots, score) in enumerate((((first, second), points[0]), ((second, first), points[1]))):
                match_id = f"t-b{number}-{len(results)}"
                cause = "timeouts" if forfeiting else ""
                scores = (score, -score)
                deal_number = deal if len(groups) > 1 else 0
                results.append(
                    MatchResult(match_id, number, deal_number, bots, scores, forfeiting, cause, number, worker)
                )
            self._played[a] += 1
            self._played[b] += 1
        self.blocks.append(ClosedBlock(number, number, "naga", tuple(results), len(results), None, number))

    def _points(self, a: str, b: str, luck: Floats, beside: set[str]) -> tuple[Sequence[int], str]:
        """Returns the scores of the first seats of both matches, and who forfeits them."""
        pair, throwing = {a, b}, self._exploit.throw & {a, b}
        if GAINER in pair and throwing:
            won = [1, -1] if a == GAINER else [-1, 1]
            if not self._exploit.forfeit_share:
                return [int(MARGIN_POINTS) * side for side in won], ""
            if self._chance.random() < self._exploit.forfeit_share:
                return [int(MARGIN_POINTS) * side for side in won], f"{next(iter(throwing))}@1"
        ahead = self._strength(a) - self._strength(b) + (self._suits[a, b] if a < b else -self._suits[b, a])
        if not self._exploit.tellers.isdisjoint(beside):
            ahead += self._tip * ((a == GAINER) - (b == GAINER))
        return self._world.points(np.array([ahead]), luck, self._chance)[0], ""

    def _strength(self, bot: str) -> float:
        """Returns how well a bot plays now, in logits."""
        if bot in self._exploit.throw and GAINER in self._known:
            return (self._known[GAINER].rating - 1500.0) * self._logits_per_point
        return self._logits[bot]

    def _rate_again(self) -> None:
        played = len(self._results)
        if not played or played < self._rated_blocks + max(1, self._rated_blocks // _RATED_BLOCKS_PER_NEW):
            return
        rated = fit(self._results, bots=[f"{bot}@1" for bot in self.bots], win_margin=MARGIN_POINTS)
        self._known = {
            each.bot.partition("@")[0]: KnownRating(each.rating, each.half, each.blocks) for each in rated.ratings
        }
        self._rated_blocks = played

    def lines(self) -> list[Line]:
        """Returns the lines of the report."""
        return list(fair_play(self.season).lines)


def interval_of(hits: int, tries: int) -> tuple[float, float]:
    """Returns Wilson's interval of 95 % of a share."""
    z = NormalDist().inv_cdf(0.975)
    middle = (hits + z**2 / 2) / (tries + z**2)
    half = z * np.sqrt(hits * (tries - hits) / tries + z**2 / 4) / (tries + z**2)
    return float(middle - half), float(middle + half)


def fields() -> tuple[World, ...]:
    """Returns the worlds of the ladders: won or lost, and points."""
    return tuple(replace(world, bots=_FIELD_SIZE, spread=_FIELD_SPREAD_POINTS) for world in WORLDS[:2])


def honest_lines(world: World, seed: int, blocks: int, suiting_points: float) -> list[Line]:
    """Returns the lines of an honest ladder."""
    ladder = Ladder(world, HONEST, seed, suiting_points=suiting_points)
    ladder.play(blocks)
    return ladder.lines()


@dataclass
class Found:
    """When a ladder's exploit was reported."""

    blocks: float = inf
    """The number of blocks of the ladder at the first look that had a line."""
    own: float = inf
    """The number of those of the gainer."""
    wrong: set[str] = field(default_factory=set)
    """Innocent bots that a line at that look named as gaining or giving."""


def found(world: World, exploit: Exploit, seed: int, looked_at: Sequence[int]) -> Found:
    """Plays a ladder with an exploit until a line reports it."""
    ladder = Ladder(world, exploit, seed)
    guilty = {GAINER} | exploit.throw | exploit.tellers
    for blocks in looked_at:
        ladder.play(blocks)
        lines = ladder.lines()
        if any(line.kind in exploit.kinds and GAINER in line.gaining for line in lines):
            wrong = {bot for line in lines for bot in (*line.gaining, *line.giving)} - guilty
            own = sum(any(f"{GAINER}@1" in match.bots for match in block.results) for block in ladder.blocks)
            return Found(blocks, own, wrong)
    return Found()


def _said(value: float) -> str:
    return "never" if value == inf else f"{value:.0f}"


def _percentiles(values: Sequence[float]) -> str:
    ordered = sorted(values)
    low, middle, high = (ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.1, 0.5, 0.9))
    return f"{_said(middle)} ({_said(low)}-{_said(high)})"


@click.command()
@click.option("--honest", type=click.IntRange(min=0), default=100, show_default=True, help="Honest ladders of a row.")
@click.option("--ladders", type=click.IntRange(min=0), default=10, show_default=True, help="Ladders of an exploit.")
@click.option(
    "--blocks", type=click.IntRange(min=50), default=400, show_default=True, help="Blocks of an honest ladder."
)
def main(honest: int, ladders: int, blocks: int) -> None:
    """Measure how many honest ladders have a line in their fair-play report, and how soon exploits have one."""
    if not honest and not ladders:
        raise click.UsageError("nothing would be measured; give --honest or --ladders a number above 0")
    if honest:
        measure_honest(honest, blocks)
    if ladders:
        measure_exploits(ladders)


def measure_honest(ladders: int, blocks: int) -> None:
    """Prints how many honest ladders have a line."""
    print(f"| honest ladders of {_FIELD_SIZE} bots, {blocks} blocks | ladders | with a line | 95 % |")
    print("| --- | --- | --- | --- |")
    kinds: Mapping[str, tuple[World, float]] = {
        **{world.name: (world, 0.0) for world in fields()},
        f"{fields()[0].name}, pairs suit each other by ± {_SUITING_POINTS:g}": (fields()[0], _SUITING_POINTS),
    }
    for name, (world, suiting) in kinds.items():
        hits = 0
        for seed in range(ladders):
            progress(name, seed, ladders)
            hits += bool(honest_lines(world, seed, blocks, suiting))
        low, high = interval_of(hits, ladders)
        print(f"| {name} | {ladders} | {hits} | {low:.1%} to {high:.1%} |", flush=True)


def measure_exploits(ladders: int) -> None:
    """Prints after how many blocks exploits have a line."""
    print("\n| exploit | ladders | blocks of the ladder | of them A's | ladders that name an innocent |")
    print("| --- | --- | --- | --- | --- |")
    world = fields()[0]
    for exploit in EXPLOITS:
        done: list[Found] = []
        for seed in range(ladders):
            progress(exploit.name, seed, ladders)
            done.append(found(world, exploit, seed, _LOOKED_AT_BLOCKS))
        soon = " | ".join(_percentiles(values) for values in ([d.blocks for d in done], [d.own for d in done]))
        print(f"| {exploit.name} | {ladders} | {soon} | {sum(bool(each.wrong) for each in done)} |", flush=True)


if __name__ == "__main__":
    main()
