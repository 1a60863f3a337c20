"""Golden records: whole matches as text, so that no change of the rules goes unseen.

A file begins with what a match is made of (game, rules version, seats, options, seed), then has every decision that was
answered with what was shown to whom, and a short hash of all views and legal moves. The moves in the file are what is
replayed: the way in which they were once drawn does not matter. A line `referee` and a name is a timer that rings.

`python -m tests.goldens` writes the files that are missing; with `--rewrite` all of them, by playing the moves that
they have again, which is right after a change that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from fudaba_games.game import OptionValue, Shown
from fudaba_games.match import Match
from fudaba_games.registry import AnyGame
from tests.conformance.cases import REFEREE, Case, cases, is_long, usual_options
from tests.conformance.dump import dump

FOLDER: Final = Path(__file__).parent
_MOVE: Final = re.compile(r"^(?:(\d+)\.\d+|referee) (.+)$", re.MULTILINE)

AnyMatch = Match[Any, Any, Any, Any]
Chooser = Callable[[AnyMatch], tuple[int, Any]]


def golden_cases(game: AnyGame) -> Iterator[tuple[Case, Path]]:
    """The matches of a game that have a golden record, and its file.

    Where matches are long the options beside the usual ones have a record at the smallest table only.
    """
    for case in cases(game, each=2):
        if is_long(game) and case.seats > game.min_seats and case.options != usual_options(game):
            continue
        yield case, FOLDER / game.id / f"{case.label}.txt"


def drawn(game: AnyGame, case: Case) -> str:
    """The record of a match by random moves."""
    chance = case.chance

    def choose(match: AnyMatch) -> tuple[int, Any]:
        due, timers = match.open_decisions(), match.timers()
        if timers and (not due or chance.randrange(4) == 0):
            return REFEREE, timers[chance.randrange(len(timers))].name
        seat = due[chance.randrange(len(due))].seat
        return seat, game.random_move(match.state, seat, chance)

    return record(game, case.seats, case.options, case.seed, choose)


def replayed(game: AnyGame, case: Case, text: str) -> str:
    """The record of the match that another record has, played again: the same text, unless something has changed."""
    moves = iter([(int(seat) if seat else REFEREE, move) for seat, move in _MOVE.findall(text)])

    def choose(match: AnyMatch) -> tuple[int, Any]:
        seat, words = next(moves)
        if seat == REFEREE:
            return seat, words
        due = match.open(seat)
        assert due is not None, f"seat {seat} is no longer asked where the record has `{words}`"
        move = game.parse_move(words)
        match.check(seat, due.id, move)
        return seat, move

    return record(game, case.seats, case.options, case.seed, choose)


def record(game: AnyGame, seats: int, options: dict[str, OptionValue], seed: bytes, choose: Chooser) -> str:
    """A whole match as text."""
    match: AnyMatch = Match(game, seats, options, seed)
    _, opening = game.new_match(seats, options, seed)
    lines = [
        f"game {game.id}",
        f"rules version {game.rules_version}",
        f"seats {seats}",
        *(f"option {name} = {value}" for name, value in options.items()),
        f"seed {seed.hex()}",
        "",
        *_shown(game, opening),
        f"  {_picture(match)}",
    ]
    while not match.over:
        seat, move = choose(match)
        if seat == REFEREE:
            lines.append(f"referee {move}")
            lines += _shown(game, match.ring(move))
        else:
            due = match.open(seat)
            assert due is not None
            lines.append(f"{due.id} {game.format_move(move)}")
            lines += _shown(game, match.play(seat, move))
        lines.append(f"  {_picture(match)}")
    assert match.outcome is not None
    lines += ["", game.render_view(match.view(None)), "", f"scores {' '.join(map(str, match.outcome.scores))}"]
    return "\n".join([*lines, f"placements {' '.join(map(str, match.outcome.placements))}", ""])


def _shown(game: AnyGame, events: list[Shown[Any]]) -> Iterator[str]:
    for shown in events:
        to = "all" if shown.to < 0 else "seat " + " ".join(str(one) for one in range(64) if shown.to >> one & 1)
        yield f"  {to}: {game.describe_event(shown.event)}"


def _picture(match: AnyMatch) -> str:
    """Who is asked, and a short hash of all that everybody sees and may do."""
    due = match.open_decisions()
    views = [match.view(seat) for seat in (None, *range(match.seats))]
    asked = [(one.id, one.required, [match.game.format_move(move) for move in one.legal]) for one in due]
    return f"asked {' '.join(one.id for one in due) or 'nobody'}, seen {sha256(dump([views, asked])).hexdigest()[:12]}"
