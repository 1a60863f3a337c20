"""The promises of `Game.fire` and `Game.next_timer`, as a function that raises `AssertionError` where a game breaks
it."""

from __future__ import annotations

from typing import Any

from fudaba_games.game import NoSuchTimer
from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import cases, positions
from tests.support.conformance.dump import dump


def only_timers_that_run_fire(game: AnyGame) -> None:
    """Checks that any other name is refused and changes nothing; where no clock runs the shortest timer is next, and it
    fires."""
    names = {"", "no such timer"}
    for case in cases(game):
        for match in positions(game, case):
            names.update(timer.name for timer in match.timers())
    for case in cases(game):
        for match in positions(game, case):
            timers = match.timers()
            before = dump(match.state)
            for name in sorted(names - {timer.name for timer in timers}):
                _does_not_ring(game, match.state, name)
            assert dump(match.state) == before, "a timer that does not run changed the match"
            following = game.next_timer(match.state)
            assert (following is None) == (not timers), "there is a next timer where none runs, or none where one does"
            if following is not None:
                least = min(timer.ms for timer in timers)
                first = next(timer for timer in timers if timer.ms == least)
                assert following == first, f"{following.name!r} fires before {first.name!r}, which is shorter"
                game.fire(match.state.clone(), following.name)


def _does_not_ring(game: AnyGame, state: Any, name: str) -> None:
    try:
        game.fire(state, name)
    except NoSuchTimer:
        return
    raise AssertionError(f"the timer {name!r} fires, and does not run")
