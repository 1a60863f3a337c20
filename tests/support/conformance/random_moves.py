"""The promises of `Game.random_move`, each as a function that raises `AssertionError` where a game breaks it."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

from fudaba_games.game import IllegalMove
from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import AnyMatch, cases, positions
from tests.support.conformance.dump import dump

MAX_FEW_MOVES: Final = 16
"""The number of legal moves up to which every move has to come by chance."""
STRIDE_POINTS: Final = 3
"""The stride between the points of a match that are looked at for that."""
MAX_DRAWS: Final = 4000
"""Draws within which each of them comes, those that are less likely than others too."""


def random_moves_are_legal(game: AnyGame) -> None:
    """Checks that a random move is legal, of the same chance the same, and drawing it changes nothing."""
    for case in cases(game):
        for point, match in enumerate(positions(game, case)):
            before = dump(match.state)
            for due in match.open_decisions():
                for number in range(3):
                    move, again = (game.random_move(match.state, due.seat, _chance(point, number)) for _ in range(2))
                    assert move == again, f"the same chance gives {move} and {again} in {case.label}"
                    _allows(match, due.seat, move)
            assert dump(match.state) == before, f"drawing a move changes the state in {case.label}"


def _allows(match: AnyMatch, seat: int, move: Any) -> None:
    try:
        match.game.check(match.state, seat, move)
    except IllegalMove as refused:
        raise AssertionError(f"chance draws {match.game.text.format_move(move)}: {refused}") from refused


def _chance(*numbers: int) -> random.Random:
    return random.Random(" ".join(map(str, numbers)))


def random_moves_have_every_kind_alike(game: AnyGame) -> None:
    """Checks that of the kinds that a seat has each is as likely as the others, however many moves it has."""
    chance = random.Random("kinds")
    drawn: dict[tuple[str, ...], Counter[str]] = {}
    for case in cases(game):
        for match in positions(game, case):
            for due in match.open_decisions():
                kinds = tuple(kind for kind, _ in game.legal_kinds(match.state, due.seat))
                counts = drawn.setdefault(kinds, Counter())
                counts.update(game.text.move_kind(game.random_move(match.state, due.seat, chance)) for _ in range(24))
    for kinds, counts in drawn.items():
        total = counts.total()
        expected = total / len(kinds)
        # Five standard deviations, and a little for the few draws of a position that is rare.
        allowed = 5 * (expected * (1 - 1 / len(kinds))) ** 0.5 + 3 * (len(kinds) > 1)
        for kind in kinds:
            assert abs(counts[kind] - expected) <= allowed, (
                f"{kind} of {kinds} is drawn {counts[kind]} times of {total}"
            )


def every_legal_move_is_drawn(game: AnyGame) -> None:
    """Checks that where a seat has few moves, each of them comes at last."""
    for case in cases(game):
        for point, match in enumerate(positions(game, case)):
            for due in match.open_decisions():
                if point % STRIDE_POINTS == 0 and 1 < len(due.legal) <= MAX_FEW_MOVES:
                    _draws_all(match, due.seat, set(due.legal), _chance(point, due.seat))


def _draws_all(match: AnyMatch, seat: int, missing: set[Any], chance: random.Random) -> None:
    """Draws until nothing is missing; of moves as likely as each other that takes some 100 draws."""
    for _ in range(MAX_DRAWS):
        missing.discard(match.game.random_move(match.state, seat, chance))
        if not missing:
            return
    raise AssertionError(f"seat {seat} never draws {sorted(map(match.game.text.format_move, missing))}")
