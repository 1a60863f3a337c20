"""Many matches in process, summarised: lengths, scores, seat advantage."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, final

from fudaba.bot import BotFactory
from fudaba.local import LocalResult, LocalRunner
from fudaba_games.game import SEED_BYTES

__all__ = ["Sample", "Simulation", "match_seed", "rotated", "simulate"]

_NORMAL_95: Final = 1.96


def match_seed(seed: int | None, number: int) -> bytes:
    """The 32 bytes of match `number` of a run with `seed`; random ones without a seed."""
    if seed is None:
        return secrets.token_bytes(SEED_BYTES)
    return sha256(f"fudaba-simulate {seed} {number}".encode()).digest()


def rotated(seats: int, number: int) -> list[int]:
    """Which bot sits in each seat of match `number`: all move on by one seat from match to match."""
    return [(seat - number) % seats for seat in range(seats)]


@final
@dataclass(slots=True)
class Sample:
    """Numbers of which only count, mean and spread are kept."""

    count: int = 0
    mean: float = 0.0
    _squares: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, value: float) -> None:
        """Takes one more (Welford's method)."""
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self._squares += delta * (value - self.mean)
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval of the mean (normal approximation); infinite below two numbers."""
        if self.count < 2:
            return math.inf
        return _NORMAL_95 * math.sqrt(self._squares / (self.count - 1) / self.count)


@final
@dataclass(slots=True)
class Simulation:
    """The results of a run."""

    game: str
    bots: tuple[str, ...]
    """The bots' names; the same name twice is two bots."""
    seed: int | None
    options: Mapping[str, object]
    matches: int = 0
    moves: int = 0
    seconds: float = 0.0
    """Time spent in play."""
    length: Sample = field(default_factory=Sample)
    """Moves a match."""
    by_bot: list[Sample] = field(default_factory=list)
    """Score a match, by bot."""
    by_seat: list[Sample] = field(default_factory=list)
    """Score a match, by seat. The bots have sat in all seats equally often when `matches` is a multiple of them."""
    won: list[int] = field(default_factory=list)
    """Matches won alone, by bot."""
    drawn: list[int] = field(default_factory=list)
    """Matches in which the first placement was shared, by bot."""

    def add(self, order: Sequence[int], result: LocalResult) -> None:
        """Counts one match; `order` says which bot sat in each seat."""
        self.matches += 1
        self.moves += result.moves
        self.length.add(result.moves)
        placements = result.result.placements or ()
        for seat, (which, score) in enumerate(zip(order, result.scores, strict=True)):
            self.by_seat[seat].add(score)
            self.by_bot[which].add(score)
            if placements[seat] == 1:
                (self.won if placements.count(1) == 1 else self.drawn)[which] += 1


def simulate(
    game_id: str,
    bots: Sequence[tuple[str, BotFactory]],
    matches: int,
    *,
    seed: int | None = None,
    options: Mapping[str, object] | None = None,
    contract: bool = False,
    after_each: Callable[[], None] | None = None,
) -> Simulation:
    """Plays `matches` between named bots, who move on by one seat from match to match.

    `contract` as in `LocalRunner`. Raises `fudaba_games.game.GameError` for a game, option or number of seats that
    does not exist.
    """
    seats = len(bots)
    with LocalRunner(game_id, options, contract=contract) as runner:
        runner.game.check_seats(seats)
        run = Simulation(runner.game.id, tuple(name for name, _ in bots), seed, runner.options)
        run.by_bot, run.by_seat = [Sample() for _ in bots], [Sample() for _ in bots]
        run.won, run.drawn = [0] * seats, [0] * seats
        for number in range(matches):
            order = rotated(seats, number)
            chosen = [bots[which] for which in order]
            began = time.perf_counter()
            result = runner.play(
                [factory for _, factory in chosen],
                [name for name, _ in chosen],
                f"simulated-{number}",
                match_seed(seed, number),
            )
            run.seconds += time.perf_counter() - began
            run.add(order, result)
            if after_each is not None:
                after_each()
    return run
