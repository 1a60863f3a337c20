"""Plays built-in bots and Python classes in process: fast, without a service, a clock or records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fudaba._loading import load_bot
from fudaba._watchdog import interruptible, locks_reported
from fudaba.local import LocalResult, LocalRunner, SeatReport
from fudaba.local_play.contestants import Contestant, ContestantKind
from fudaba.local_play.plan import PlannedMatch
from fudaba.local_play.results import BotFault, PlayedMatch, Seated

__all__ = ["play_in_process"]


def play_in_process(
    game: str,
    options: Mapping[str, object],
    bots: Sequence[Contestant],
    matches: Iterable[PlannedMatch],
    *,
    seed: int | None,
    after_each: Callable[[PlayedMatch], None],
) -> None:
    """Plays the matches. Raises `BotNotLoaded` for a bot that cannot be loaded or made.

    `seed` also makes random built-in bots repeatable. A bot that does not return is reported on standard error, with
    its current line; Ctrl-C ends it.
    """
    contract = any(bot.kind is not ContestantKind.BUILT_IN for bot in bots)  # somebody's own bot may answer anything
    with interruptible(), locks_reported(), LocalRunner(game, options, contract=contract) as runner:
        factories = {spec: load_bot(spec, seed) for spec in dict.fromkeys(bot.spec for bot in bots)}
        for match in matches:
            seated = [bots[number] for number in match.order]
            result = runner.play(
                [factories[bot.spec] for bot in seated], [bot.label for bot in seated], match.match_id, match.seed
            )
            after_each(_played(match, result))


def _played(match: PlannedMatch, result: LocalResult) -> PlayedMatch:
    placements = result.result.placements or ()
    return PlayedMatch(
        match, result.scores, placements, result.moves, tuple(_seated(played_seat) for played_seat in result.seats)
    )


def _seated(report: SeatReport) -> Seated:
    seated = Seated(report.decisions, report.slowest_ms)
    if report.errors:
        seated.faults.append(BotFault("exception", "raised an exception", report.errors))
    if report.refused:
        seated.faults.append(BotFault("illegal", "had an answer refused", report.refused))
    return seated
