"""Coupled play: a match and a redeal of it for one seat go on together for as long as that seat is shown the same.

Whenever the seat has been shown the same events, everything it gets has to be the same: whether and what it is asked,
the decision's id, its legal moves, its view, the result.
"""

from __future__ import annotations

import random
from typing import Any, Final

from fudaba_games.match import Match
from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import AnyMatch, Case, some_moves, some_places

MAX_STEPS: Final = 60
MAX_TRIES: Final = 40
"""The number of moves of the others that are tried in the twin to let it show what the first match has shown."""


def play_coupled(game: AnyGame, case: Case, state: Any, seat: int, chance: random.Random) -> int:
    """Plays a clone of `state` and a redeal of it for `seat`; says how many moves the two went together."""
    first = _at(game, case, state.clone())
    twin = _at(game, case, game.redeal(state, seat, chance))
    steps = 0
    _assert_same(first, twin, seat)
    while not first.over and steps < MAX_STEPS:
        due, timers = first.open_decisions(), first.timers()
        if timers and (not due or chance.randrange(4) == 0):
            name = timers[chance.randrange(len(timers))].name
            first.fire(name)
            twin.fire(name)
        else:
            mover = due[chance.randrange(len(due))]
            move = mover.legal[chance.randrange(len(mover.legal))]
            first.play(mover.seat, move)
            if mover.seat == seat:
                # The seat knows of its own move, so it makes the same one in the twin.
                twin.play(seat, move)
        steps += 1
        if not _level(first, twin, seat, chance):
            return steps
        _assert_same(first, twin, seat)
    return steps


def _at(game: AnyGame, case: Case, state: Any) -> AnyMatch:
    return Match(game, case.seats, case.options, case.seed, at=state)


def _assert_same(first: AnyMatch, twin: AnyMatch, seat: int) -> None:
    assert first.view(seat) == twin.view(seat), f"the view of seat {seat} tells what is hidden from it"
    assert first.outcome == twin.outcome, f"the match ends by what is hidden from seat {seat}"
    assert list(first.timers()) == list(twin.timers()), f"a timer tells seat {seat} what is hidden from it"
    open_decision, other = first.open(seat), twin.open(seat)
    assert (open_decision is None) == (other is None), f"whether seat {seat} is asked tells what is hidden from it"
    if open_decision is not None and other is not None:
        assert open_decision.id == other.id, f"the decision's id tells seat {seat} what is hidden from it"
        assert open_decision.required == other.required
        assert len(open_decision.legal) == len(other.legal), f"the legal moves tell seat {seat} what is hidden from it"
        assert some_moves(open_decision.legal) == some_moves(other.legal), (
            f"the legal moves tell seat {seat} what is hidden from it"
        )


def _level(first: AnyMatch, twin: AnyMatch, seat: int, chance: random.Random) -> bool:
    """Lets the match that has shown less catch up by moves of the other seats. False when the two have parted."""
    for _ in range(2 * first.seats):
        shown, twins = first.shown(seat), twin.shown(seat)
        common = min(len(shown), len(twins))
        if shown[:common] != twins[:common]:
            return False
        if len(shown) == len(twins):
            return True
        behind, ahead = (twin, shown) if len(twins) < len(shown) else (first, twins)
        if not _catch_up(behind, ahead, seat, chance):
            return False
    return False


def _catch_up(behind: AnyMatch, ahead: list[Any], seat: int, chance: random.Random) -> bool:
    """Plays one move of another seat that shows `seat` nothing but what comes next in `ahead`."""
    have = len(behind.shown(seat))
    options = [(due, at) for due in behind.open_decisions() if due.seat != seat for at in some_places(due.legal)]
    silent: tuple[int, Any] | None = None
    for due, at in chance.sample(options, min(len(options), MAX_TRIES)):
        other, move = due.seat, due.legal[at]
        events = behind.game.apply(behind.state.clone(), other, move)
        new = [shown.event for shown in events if shown.visible(seat)]
        if new and new == ahead[have : have + len(new)]:
            behind.play(other, move)
            return True
        if not new:
            silent = (other, move)
    if silent is not None:
        behind.play(*silent)
        return True
    return False
