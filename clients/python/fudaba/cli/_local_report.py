"""The report of `fudaba match local`: the results of its matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from fudaba.cli._sequential_words import outcome, sequential_dict, verdict_lines
from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say, say_text, seconds, table
from fudaba.safe_text import safe_output
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fudaba.intervals import MeanEstimate
    from fudaba.local_play.contestants import Contestant
    from fudaba.local_play.results import PlayedMatch
    from fudaba.local_play.sequential_deals import SequentialDeals
    from fudaba_games.game import OptionValue

__all__ = ["LocalReport"]


@final
class LocalReport:
    """Writes the results of the matches."""

    def __init__(
        self,
        game: str,
        options: dict[str, OptionValue],
        seed: int | None,
        bots: Sequence[Contestant],
        played: Sequence[PlayedMatch],
        kept: Path | None,
        took: float,
        test: SequentialDeals | None,
    ) -> None:
        from fudaba.local_play import results

        self._game = game
        self._options = options
        self._seed = seed
        self._bots = bots
        self._played = played
        self._kept = kept
        self._took = took
        self._test = test
        self._finished = [played_match for played_match in played if played_match.scores is not None]
        self._standings = results.standings(played, len(bots))
        self._seats = results.seat_points(played, len(bots))
        self._faults = results.faulty(played, len(bots))

    def show(self, *, as_json: bool) -> None:
        """Prints the results as JSON, or for people."""
        if as_json:
            print_json(self.as_dict())
        else:
            self.print()

    def print(self) -> None:
        """Prints a summary for people, and what went wrong to standard error."""
        options = ", ".join(f"{name}={str(value).lower()}" for name, value in self._options.items())
        seed = "no seed" if self._seed is None else f"seed {self._seed}"
        head = f"{self._game}: {counted(len(self._finished), 'match', 'matches')}, {seed}"
        say(f"{head}{'; ' + options if options else ''}")
        if self._finished:
            self._print_standings()
        if self._test is not None:
            say(*verdict_lines(outcome(self._test.run), self._bots[0].label, self._bots[1].spec, "deal"))
        for bot, _, where in self._faults:
            self._print_fault(self._bots[bot], where)

    def _print_standings(self) -> None:
        lengths = [played_match.moves for played_match in self._finished]
        moves = sum(lengths)
        say(
            f"{counted(moves, 'move')} in {self._took:.1f} s: {moves / self._took:,.0f} moves/s; moves a match: "
            f"{moves / len(lengths):.1f} ({min(lengths)} to {max(lengths)})"
        )
        rows = [
            [
                bot.label,
                *_points(standing.points),
                str(standing.won),
                str(standing.drawn),
                str(standing.lost),
                seconds(standing.slowest_ms),
            ]
            for bot, standing in zip(self._bots, self._standings, strict=True)
        ]
        head_row = ("bot", "points a match", "± 95%", "won", "drawn", "lost", "slowest decision")
        say_text(table(head_row, rows, "lrrrrrr"))
        rows = [[str(seat), *_points(points)] for seat, points in enumerate(self._seats)]
        say_text(table(("seat", "points a match", "± 95%"), rows, "lrr"))
        if self._kept is not None:
            first = self._kept / f"{self._finished[0].match.match_id}.fudaba"
            say(f"records are in {self._kept}; fudaba record show {first} shows one")

    def _print_fault(self, bot: Contestant, where: Sequence[tuple[Any, Any]]) -> None:
        played, fault = where[0]
        seat = played.match.order.index(self._bots.index(bot))
        times = sum(fault_found.count for _, fault_found in where)
        often = "" if times == 1 else f" ({counted(times, 'time')} in {counted(len(where), 'match', 'matches')})"
        say(f"{bot.label}: {played.match.match_id}, seat {seat}: {fault.text}{often}", err=True)
        seated = played.seats[seat]
        if fault.words:
            when = "what it printed then" if fault.when_ms else "its last lines"
            say(f"  {when} (more in {seated.log}):", *(f"    {safe_output(line)}" for line in fault.words), err=True)

    def fail(self, wanted: int) -> None:
        """Raises `Failure` if a bot erred."""
        if not self._faults:
            return
        names = ", ".join(dict.fromkeys(self._bots[bot].label for bot, _, _ in self._faults))
        some = f"; {len(self._finished)} of {counted(wanted, 'match was', 'matches were')} played"
        raise Failure(f"not all went well with {names}{some if len(self._finished) < wanted else ''}")

    def as_dict(self) -> dict[str, Any]:
        """Writes the same for programs."""
        moves = sum(finished_match.moves for finished_match in self._finished)
        test = {} if self._test is None else {"sequential_test": sequential_dict(self._test.run)}
        return {
            "game": self._game,
            **test,
            "matches": len(self._finished),
            "seed": self._seed,
            "options": self._options,
            "moves": moves,
            "seconds": self._took,
            "records": str(self._kept) if self._kept is not None else None,
            "bots": [
                {
                    "bot": bot.label,
                    "points": _estimate(standing.points),
                    "won": standing.won,
                    "drawn": standing.drawn,
                    "lost": standing.lost,
                    "slowest_ms": round(standing.slowest_ms, 3),
                }
                for bot, standing in zip(self._bots, self._standings, strict=True)
            ],
            "seats": [{"seat": seat, "points": _estimate(points)} for seat, points in enumerate(self._seats)],
            "results": [
                {
                    "match": played_match.match.match_id,
                    "bots": [self._bots[number].label for number in played_match.match.order],
                    "scores": list(played_match.scores) if played_match.scores is not None else None,
                    "moves": played_match.moves,
                }
                for played_match in self._played
            ],
            "faults": [self._fault(bot, kind, *each) for bot, kind, where in self._faults for each in where],
        }

    def _fault(self, bot: int, kind: str, played: Any, fault: Any) -> dict[str, Any]:
        seat = played.match.order.index(bot)
        seated = played.seats[seat]
        return {
            "bot": self._bots[bot].label,
            "match": played.match.match_id,
            "seat": seat,
            "kind": kind,
            "count": fault.count,
            "text": fault.text,
            "last_lines": list(fault.words),
            "log": seated.log or None,
        }


def _points(points: MeanEstimate | None) -> tuple[str, str]:
    if points is None:
        return "", ""
    return f"{_mean(points, 3):+.3f}", f"{points.half:.3f}" if points.half is not None else ""


def _mean(points: MeanEstimate, digits: int) -> float:
    """Returns the mean without the dust of sums that should be zero, and without a minus before a zero."""
    return round(points.value, digits) + 0.0


def _estimate(points: MeanEstimate | None) -> dict[str, float | None] | None:
    return {"mean": _mean(points, 9), "margin_95": points.half} if points is not None else None
