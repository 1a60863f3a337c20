"""Puts the forecast of a tournament into words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from fudaba.cli.bracket import drawn_bracket
from fudaba.cli.output import table
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["plan_text"]

_HEAD: Final = ("game", "seats", "blocks", "groups", "matches", "moves a match", "instant bots", "all of the clock")
_MAX_ROUNDS: Final = 20
"""The number of listed rounds."""


def plan_text(plan: arena_pb2.TournamentPlan) -> str:
    """Returns each game's numbers, their basis, and the meetings in one cycle."""
    rows = [
        [
            game.game,
            *(str(number) for number in (game.seats, game.blocks, game.groups, game.matches)),
            f"{game.moves:.0f}",
            f"{_span(game.instant_seconds)} a match",
            f"{_span(game.clock_seconds)} a match",
        ]
        for game in plan.games
    ]
    sums = [
        str(sum(column))
        for column in zip(
            *((planned_game.blocks, planned_game.groups, planned_game.matches) for planned_game in plan.games),
            strict=True,
        )
    ]
    rows.append(["all", "", *sums, "", _span(plan.instant_seconds), _span(plan.clock_seconds)])
    at_once = counted(plan.concurrency, "match is", "matches are")
    return "\n".join(
        [
            table(_HEAD, rows, "lrrrrrrr"),
            "",
            "Moves: the mean of a few matches by chance. Instant bots: as measured on two cores. All of the clock:",
            f"every move takes all of move_ms, every bank is used up, {at_once} played at once.",
            "Void blocks, which are played again, are not counted.",
            *_meetings(plan),
        ]
    )


def _meetings(plan: arena_pb2.TournamentPlan) -> Iterator[str]:
    for game in plan.games:
        yield ""
        if game.HasField("bracket"):
            yield f"{game.game}, {counted(game.bracket.rounds, 'round')}; the bracket:"
            yield drawn_bracket(game.bracket)
            continue
        if not game.rounds:
            byes = (
                f", and {counted(game.byes, 'bot')} {'has' if game.byes == 1 else 'have'} a bye in each"
                if game.byes
                else ""
            )
            yield f"{game.game}: each round is drawn from the results of those before it{byes}"
            continue
        yield f"{game.game}, who meets whom in one cycle:"
        for number, game_round in enumerate(game.rounds[:_MAX_ROUNDS], 1):
            yield f"  round {number}: {'; '.join(' - '.join(group.bots) for group in game_round.groups)}"
        if len(game.rounds) > _MAX_ROUNDS:
            yield f"  and {counted(len(game.rounds) - _MAX_ROUNDS, 'more round')}, which --json lists"


def _span(seconds: float) -> str:
    """Returns a duration, as precise as an estimate is."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.2g} {name}" if seconds / unit < 10 else f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86_400:.1f} days"
