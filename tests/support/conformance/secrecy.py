"""The facts that a seat may not learn: redeals, coupled play, events and spectators. See `checks.py`."""

from __future__ import annotations

import random
from itertools import count
from typing import Any, Final

from fudaba_games.game import IllegalMove
from fudaba_games.play import play_out
from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import (
    AnyMatch,
    cases,
    finished,
    is_long,
    played_from,
    positions,
    seen,
    some_moves,
    some_positions,
    some_seats,
)
from tests.support.conformance.coupled import play_coupled
from tests.support.conformance.dump import dump, share
from tests.support.sizes import some

REDEALS_FOR_EVENTS: Final = some(40, least=16)
FEW_POSITIONS_FOR_EVENTS: Final = some(17, least=5)
"""The number of positions of each long match, and of each with an option beside its default: there are more of
these."""
POSITIONS_FOR_EVENTS: Final = some(61, least=25)
"""The number of positions of each match; no multiple of a number of seats, so that the places in a round all come."""
MAX_MOVES_FOR_EVENTS: Final = 12


def redeals_keep_the_view(game: AnyGame) -> None:
    """Checks that a redeal has the same view, decision and legal moves for its seat, and leaves the state as it was."""
    for case in cases(game):
        chance = random.Random("redeal")
        for match in positions(game, case):
            before = dump(match.state)
            for seat in (None, *range(case.seats)):
                other = game.redeal(match.state, seat, chance)
                assert not share(match.state, other), "a redeal shares something mutable with the state"
                assert game.view(other, seat) == game.view(match.state, seat), f"seat {seat} sees a redeal"
                assert game.view(other, None) == game.view(match.state, None), "a redeal changed what is public"
                assert game.outcome(other) == match.outcome, "a redeal changed the result"
                assert match.over or list(game.timers(other)) == list(match.timers()), "a timer tells what is hidden"
                if seat is not None:
                    assert _own(game, other, seat) == _own(game, match.state, seat), f"seat {seat} is asked otherwise"
            assert dump(match.state) == before, "a redeal changed the state that it was made of"


def _own(game: AnyGame, state: Any, seat: int) -> Any:
    """Returns what a seat is asked."""
    for due in game.decisions(state):
        if due.seat == seat:
            moves = game.legal_moves(state, seat)
            return due.required, len(moves), some_moves(moves)
    return None


def redeals_vary(game: AnyGame) -> None:
    """Redeals for a seat change what every other seat sees; redeals for a spectator what each seat sees.

    Where a seat knows no more than a spectator, what changes is hidden from everyone.
    """
    for case in cases(game):
        chance = random.Random("vary")
        match = case.match(game)
        for seat in (None, *range(case.seats)):
            redeals = [game.redeal(match.state, seat, chance) for _ in range(30)]
            if seat is None or case.seats > 2:
                assert len({dump(redeal) for redeal in redeals}) > 15, f"redeals for seat {seat} are alike"
            for other in range(case.seats):
                views = {dump(game.view(redeal, other)) for redeal in redeals}
                if other == seat:
                    assert len(views) == 1
                elif match.view(other) == match.view(None):
                    pass  # it holds nothing that is its own to know
                elif not (seat is not None and case.seats == 2 < game.max_seats and len(views) == 1):
                    # Two seats that hold the whole deck know each other's cards; with more seats it has to vary.
                    assert len(views) > 15, f"of 30 redeals for seat {seat}, seat {other} sees {len(views)}"


def redeals_play_on(game: AnyGame) -> None:
    """Checks that a redeal at any point is a state as good as any: it plays to the end, and the scores add up."""
    for case in cases(game):
        chance = random.Random("play on")
        for number, match in enumerate(positions(game, case)):
            if not match.over and played_from(game, number):
                seat = chance.choice([None, *range(case.seats)])
                state = game.redeal(match.state, seat, chance)
                scores = finished(game, state, chance).scores
                assert sum(scores) == 0, f"scores {scores} of a redeal do not add up to zero"


def supposing_needs_only_the_view(game: AnyGame) -> None:
    """Checks that a state supposed from a view is what a redeal with the same chance gives: for every seat, and to the
    end."""
    for case in cases(game):
        for number, match in enumerate(positions(game, case)):
            for decision in match.open_decisions():
                seat = decision.seat
                view = match.view(seat)
                supposed = game.suppose(view, seat, case.seats, case.options, random.Random(number))
                redealt = game.redeal(match.state, seat, random.Random(number))
                for viewer in (None, *range(case.seats)):
                    assert game.view(supposed, viewer) == game.view(redealt, viewer), (
                        f"seat {viewer} sees another state"
                    )
                assert _own(game, supposed, seat) == _own(game, redealt, seat), f"seat {seat} is asked otherwise"
                if played_from(game, number):
                    for state in (supposed, redealt):
                        play_out(game, state, random.Random(number))
                    assert game.outcome(supposed) == game.outcome(redealt), "the same moves end otherwise"


def nothing_hidden_is_told(game: AnyGame) -> None:
    """Checks that two matches that differ only in what is hidden from a seat give it the same, until it is shown a
    difference."""
    together: list[int] = []
    numbers = count()
    for case in cases(game, each=some(5, least=4)):
        chance = random.Random("coupled")
        for match in positions(game, case):
            if not match.over:
                seats = some_seats(case, next(numbers))
                together += [play_coupled(game, case, match.state, seat, chance) for seat in seats]
    # Otherwise all this would have shown nothing.
    assert max(together) > 3, "the matches part too soon"
    assert sum(together) > len(together), "most matches part too soon"


def events_tell_no_more_than_views(game: AnyGame) -> None:
    """Checks that a move which leads to the same view from two states that looked the same has shown the same events.

    So an event cannot tell a seat what its view, and the redeals made for it, take to be hidden.
    """
    for case in cases(game):
        chance = random.Random("events")
        few = is_long(game) or case.options != game.resolve_options({})
        for match in some_positions(game, case, FEW_POSITIONS_FOR_EVENTS if few else POSITIONS_FOR_EVENTS):
            after: dict[tuple[int, Any], _After] = {}
            for known in range(case.seats):
                for _ in range(REDEALS_FOR_EVENTS):
                    other = game.redeal(match.state, known, chance)
                    for due in game.decisions(other):
                        _tells_no_more(match, other, due.seat, known, chance, after)


class _After:
    """A position after a move: what was shown, and what everybody sees."""

    def __init__(self, game: AnyGame, state: Any, mover: int, move: Any) -> None:
        self.game = game
        self.state = state.clone()
        self.events = game.apply(self.state, mover, move)
        self.views: dict[int | None, Any] = {}

    def view(self, seat: int | None) -> Any:
        """Returns what a seat, or a spectator, sees now."""
        if seat not in self.views:
            self.views[seat] = self.game.view(self.state, seat)
        return self.views[seat]


def _tells_no_more(
    match: AnyMatch, other: Any, mover: int, known: int, chance: random.Random, after: dict[tuple[int, Any], _After]
) -> None:
    """Compares some moves of `mover` in the match's position, kept in `after`, with the same ones in a redeal."""
    game, due = match.game, match.open(mover)
    if due is None:
        return
    legal = due.legal
    for move in [legal[at] for at in chance.sample(range(len(legal)), min(len(legal), MAX_MOVES_FOR_EVENTS))]:
        try:
            game.check(other, mover, move)
        except IllegalMove:
            continue
        there = _After(game, other, mover, move)
        here = after.get((mover, move))
        if here is None:
            here = after[mover, move] = _After(game, match.state, mover, move)
        for seat in (None, known):
            shown = seen(there.events, seat), seen(here.events, seat)
            # Views take long to make, and the same events tell nothing.
            if shown[0] != shown[1] and (seen_now := there.view(seat)) == here.view(seat):
                once, twice = _of_the_deal(game, match.view(seat), seen_now, *shown)
                assert once == twice, f"an event tells seat {seat} what is hidden from it"


def _of_the_deal(game: AnyGame, before: Any, after: Any, *shown: list[Any]) -> list[list[Any]]:
    """Returns what was shown of the deal in progress: what the end of others has shown, a later view need not keep."""
    if getattr(before, "deal", None) == getattr(after, "deal", None):
        return list(shown)
    return [events[_last_deal([game.text.event_kind(event) for event in events]) :] for events in shown]


def _last_deal(kinds: list[str]) -> int:
    """Returns where the last deal begins among events of these kinds: a move may end several."""
    return len(kinds) - 1 - kinds[::-1].index("dealt") if "dealt" in kinds else 0


def spectators_see_what_is_public(game: AnyGame) -> None:
    """Checks that every seat sees what a spectator sees, in the same order, and that nothing private reaches a
    spectator."""
    for case in cases(game):
        chance = random.Random("spectator")
        for match in positions(game, case):
            view = match.view(None)
            for seat in range(case.seats):
                shown = iter(match.shown(seat))
                assert all(event in shown for event in match.shown(None)), f"seat {seat} misses a public event"
                # A redeal for a seat keeps the spectator's view, one for a spectator shows that it holds no secret.
                again = game.view(game.redeal(match.state, seat, chance), None)
                assert again == view, "a spectator sees what only some seats know"
            assert game.view(game.redeal(match.state, None, chance), None) == view, "a spectator sees what is hidden"
