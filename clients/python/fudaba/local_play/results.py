"""The results of the matches: scores with intervals, and bots' faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import final

from fudaba.intervals import MeanEstimate, estimate
from fudaba.local_play.plan import PlannedMatch
from fudaba.seatings import seating_count

__all__ = ["BotFault", "LocalStanding", "PlayedMatch", "Seated", "faulty", "seat_points", "standings"]


@final
@dataclass(frozen=True, slots=True)
class BotFault:
    """A bot's mistake in a match."""

    kind: str
    """`not_connected`, `ended`, `exception`, `illegal`, `timeouts` or `output`."""
    text: str
    """The description in words, with the first occurrence."""
    count: int = 1
    """The number of times in the match."""
    when_ms: tuple[int, int] | None = None
    """The beginning and the end of the decision with the first occurrence, in milliseconds since 1970; None if it ended
    the match, or has no place in it.
    """
    words: Sequence[str] = ()
    """The last lines that the bot printed then, or in the match."""


@final
@dataclass(slots=True)
class Seated:
    """A bot's result in a seat of a match."""

    decisions: int = 0
    slowest_ms: float = 0.0
    """Its longest time for a decision."""
    faults: list[BotFault] = field(default_factory=list)
    log: str = ""
    """The file with its output; empty if there is none."""


@final
@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played, or that failed because a bot was missing."""

    match: PlannedMatch
    scores: tuple[int, ...] | None
    placements: tuple[int, ...]
    moves: int
    seats: tuple[Seated, ...]


@final
@dataclass(frozen=True, slots=True)
class LocalStanding:
    """A bot's results in all matches."""

    points: MeanEstimate | None
    """Its mean score in a match; the interval is over deals. None without a match."""
    won: int
    """The matches in which it alone came first."""
    drawn: int
    """The matches in which it shared the first place."""
    lost: int
    slowest_ms: float


def standings(played: Sequence[PlayedMatch], bots: int) -> list[LocalStanding]:
    """Returns each bot's results."""
    done = [played_match for played_match in played if played_match.scores is not None]
    found = []
    for bot in range(bots):
        seats = [played_match.match.order.index(bot) for played_match in done]
        places = [(played_match.placements, seat) for played_match, seat in zip(done, seats, strict=True)]
        firsts = [placements.count(1) for placements, seat in places if placements[seat] == 1]
        won = firsts.count(1)
        found.append(
            LocalStanding(
                points=_points(
                    done,
                    [(played_match.scores or ())[seat] for played_match, seat in zip(done, seats, strict=True)],
                    bots,
                ),
                won=won,
                drawn=len(firsts) - won,
                lost=len(done) - len(firsts),
                slowest_ms=max(
                    (played_match.seats[played_match.match.order.index(bot)].slowest_ms for played_match in played),
                    default=0.0,
                ),
            )
        )
    return found


def seat_points(played: Sequence[PlayedMatch], bots: int) -> list[MeanEstimate | None]:
    """Returns the value of each seat."""
    done = [played_match for played_match in played if played_match.scores is not None]
    return [_points(done, [(played_match.scores or ())[seat] for played_match in done], bots) for seat in range(bots)]


def _points(done: Sequence[PlayedMatch], scores: Sequence[int], bots: int) -> MeanEstimate | None:
    """Returns the mean score of a match. A deal played in every order is one observation.

    Without such a deal, it is the mean of all matches, without an interval.
    """
    deals: dict[int, list[int]] = {}
    for done_match, score in zip(done, scores, strict=True):
        deals.setdefault(done_match.match.deal, []).append(score)
    whole = [fmean(of_deal) for of_deal in deals.values() if len(of_deal) == seating_count(bots)]
    if whole:
        return estimate(whole)
    return MeanEstimate(fmean(scores), None) if scores else None


def faulty(played: Sequence[PlayedMatch], bots: int) -> list[tuple[int, str, list[tuple[PlayedMatch, BotFault]]]]:
    """Returns each bot's faults with their places, in the order of the bots."""
    found: dict[tuple[int, str], list[tuple[PlayedMatch, BotFault]]] = {}
    for bot in range(bots):
        for played_match in played:
            for fault in played_match.seats[played_match.match.order.index(bot)].faults:
                found.setdefault((bot, fault.kind), []).append((played_match, fault))
    return [(bot, kind, where) for (bot, kind), where in found.items()]
