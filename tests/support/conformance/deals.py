"""The promise of `Game.only_this_deal`, as a function that raises `AssertionError` where a game breaks it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import MAX_MOVES, AnyMatch, Case, cases, step

DEALS_PER_MATCH: Final = 2
"""The number of deals of a match that are looked at."""
STRIDE_POINTS: Final = 23
"""The stride between the positions of a deal that are looked at, from its first position on. Their number is:"""
POINTS_PER_DEAL: Final = 2


def the_deal_in_progress_can_be_the_last(game: AnyGame) -> None:
    """Checks that with the options of `only_this_deal` a supposed match ends with its deal, and until then it is the
    same."""
    usual = [Case(seats, game.resolve_options({}), 0) for seats in range(game.min_seats, game.max_seats + 1)]
    for case in [*usual, *[varied_case for varied_case in cases(game) if varied_case.options != usual[0].options]]:
        for number, match in enumerate(_positions(game, case)):
            seat = match.open_decisions()[-1].seat
            view = match.view(seat)
            options = game.only_this_deal(view, case.options)
            assert game.resolve_options(options) == options, f"{options} are not complete, or not allowed"
            whole, cut = (
                game.suppose(view, seat, case.seats, some, random.Random(number)) for some in (case.options, options)
            )
            _are_the_same_until_one_ends(game, whole, cut, random.Random(number))


def _positions(game: AnyGame, case: Case) -> Iterator[AnyMatch]:
    """Positions of some deals in which somebody is asked. It is one object: look, and do not change it."""
    match, chance = case.match(game), case.chance
    deal = -1
    while not match.over:
        if match.open_decisions():
            current = _deal(game, match.state)
            if current >= DEALS_PER_MATCH:
                return
            if current > deal:
                deal, points = current, 0
            if points % STRIDE_POINTS == 0 and points < STRIDE_POINTS * POINTS_PER_DEAL:
                yield match
            points += 1
        step(match, chance)


def _deal(game: AnyGame, state: Any) -> int:
    """Returns the number of the deal in progress; of a game that has no numbers for them there is one."""
    return getattr(game.view(state, None), "deal", 0)


def _are_the_same_until_one_ends(game: AnyGame, whole: Any, cut: Any, chance: random.Random) -> None:
    """Plays both by the same moves until the match that is cut is over: then there is a new deal in the other one."""
    deal = _deal(game, whole)
    for _ in range(MAX_MOVES):
        due = game.decisions(whole)
        assert game.decisions(cut) == due, "other decisions are open where only this deal is played"
        assert game.timers(cut) == game.timers(whole), "other timers run where only this deal is played"
        if due:
            seat = due[chance.randrange(len(due))].seat
            move = game.random_move(whole, seat, chance)
            shown, less = game.apply(whole, seat, move), game.apply(cut, seat, move)
        else:
            timer = game.next_timer(whole)
            assert timer is not None, "the deal stands still"
            shown, less = game.fire(whole, timer.name), game.fire(cut, timer.name)
        if game.outcome(cut) is not None:
            assert shown[: len(less)] == less, "the deal ends otherwise where only this deal is played"
            assert game.outcome(whole) is not None or _deal(game, whole) > deal, "the match ends before its deal"
            return
        assert _deal(game, cut) == deal, "the match goes on after its deal"
        assert shown == less, "other things happen where only this deal is played"
    raise AssertionError(f"{game.id} does not end within {MAX_MOVES} moves")
