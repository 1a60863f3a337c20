"""The conformance checks can fail: each flaw of a toy game is caught by the check that is there for it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from fudaba_games.game import PUBLIC, Shown
from fudaba_games.registry import GAMES, AnyGame
from tests.support.conformance import checks, deals, random_moves, secrecy, timers
from tests.support.conformance.cases import cases
from tests.support.conformance.toy import Flaw, HighCard

CAUGHT_BY: dict[Flaw, tuple[Callable[[AnyGame], None], str]] = {
    Flaw.VIEW_LEAKS: (secrecy.redeals_keep_the_view, "seat 0 sees a redeal"),
    Flaw.VIEW_TELLS_WHO_CHOSE: (secrecy.redeals_keep_the_view, "seat 0 sees a redeal"),
    Flaw.SPECTATOR_SEES_A_HAND: (secrecy.spectators_see_what_is_public, "a spectator sees what only some"),
    Flaw.LEGAL_MOVES_LEAK: (secrecy.redeals_keep_the_view, "is asked otherwise"),
    Flaw.EVENT_LEAKS: (secrecy.events_tell_no_more_than_views, "an event tells seat"),
    Flaw.ASKING_LEAKS: (secrecy.redeals_keep_the_view, "is asked otherwise"),
    Flaw.TIMER_LEAKS: (secrecy.redeals_keep_the_view, "a timer tells what is hidden"),
    Flaw.REDEAL_DOES_NOT_VARY: (secrecy.redeals_vary, "are alike"),
    Flaw.REDEAL_BREAKS_THE_VIEW: (secrecy.redeals_keep_the_view, "seat 0 sees a redeal"),
    Flaw.SUPPOSES_ANOTHER_VIEW: (secrecy.supposing_needs_only_the_view, "sees another state"),
    Flaw.SUPPOSES_ANOTHER_FUTURE: (secrecy.supposing_needs_only_the_view, "sees another state"),
    Flaw.CHECK_ACCEPTS_ALL: (checks.check_agrees_with_legal_moves, "is accepted, and is no legal move"),
    Flaw.CHECK_CHANGES_THE_STATE: (
        checks.check_agrees_with_legal_moves,
        "a refused move of high_card changed the match",
    ),
    Flaw.CHECK_CRASHES: (checks.check_agrees_with_legal_moves, "made `check` raise IndexError"),
    Flaw.LEGAL_MOVES_REPEAT: (checks.check_agrees_with_legal_moves, "a legal move stands twice"),
    Flaw.KINDS_ARE_MIXED: (checks.kinds_stand_together, "kinds are mixed"),
    Flaw.TEXT_IS_LOSSY: (checks.moves_have_one_text, "gives another move than"),
    Flaw.PARSER_CRASHES: (checks.junk_is_malformed, "made the parser raise"),
    Flaw.CLONE_SHARES: (checks.clones_are_apart, "a clone shares something mutable"),
    Flaw.ORDER_MATTERS: (checks.simultaneous_choices_commute, "the order of two choices matters"),
    Flaw.SCORES_DO_NOT_ADD_UP: (checks.every_match_ends, "do not add up to zero"),
    Flaw.NEVER_ENDS: (checks.every_match_ends, "does not end within"),
    Flaw.FORFEIT_PAYS: (checks.giving_up_never_pays, "giving up pays for seat"),
    Flaw.KIND_IS_NEVER_SEEN: (checks.random_play_reaches_everything, "moves not reached: {'double'}"),
    Flaw.DEPENDS_ON_MORE_THAN_THE_LOG: (checks.replay_gives_the_same_states, "differs after"),
    Flaw.TURN_IS_ANOTHERS: (checks.turn_is_that_of_the_first_decision, "it is another's turn"),
    Flaw.DRAWS_AN_ILLEGAL_MOVE: (random_moves.random_moves_are_legal, "chance draws"),
    Flaw.DRAWS_BY_MORE_THAN_CHANCE: (random_moves.random_moves_are_legal, "the same chance gives"),
    Flaw.DRAWING_CHANGES_THE_STATE: (random_moves.random_moves_are_legal, "drawing a move changes the state"),
    Flaw.DRAWS_ALL_MOVES_ALIKE: (random_moves.random_moves_have_every_kind_alike, "is drawn"),
    Flaw.NEVER_DRAWS_A_MOVE: (random_moves.every_legal_move_is_drawn, "never draws"),
    Flaw.ADVANCE_DOES_LESS: (checks.advance_does_as_apply, "leads to another state without events"),
    Flaw.FIRES_FOR_ANY_NAME: (timers.only_timers_that_run_fire, "fires, and does not run"),
    Flaw.FIRES_THE_LONGEST_FIRST: (timers.only_timers_that_run_fire, "'minute' fires before 'second'"),
    Flaw.PLAYS_ON_AFTER_THE_DEAL: (deals.the_deal_in_progress_can_be_the_last, "the match goes on after its deal"),
    Flaw.REDEAL_HAS_NO_END: (secrecy.redeals_play_on, "does not end within"),
    Flaw.VIEW_CAN_BE_CHANGED: (checks.values_are_immutable, "a view holds something mutable"),
    Flaw.OPTION_HAS_NO_TEXT: (checks.options_are_documented, "option deals has no text"),
    Flaw.LARGEST_OPTIONS_HAVE_NO_END: (checks.the_largest_options_end, "does not end within"),
}
"""The check that has to see a flaw, and what it has to say."""
LEAKS = [Flaw.VIEW_LEAKS, Flaw.VIEW_TELLS_WHO_CHOSE, Flaw.LEGAL_MOVES_LEAK, Flaw.ASKING_LEAKS, Flaw.TIMER_LEAKS]


@pytest.mark.parametrize("check", checks.CHECKS, ids=lambda check: check.__name__)
def test_a_sound_game_passes(check: Callable[[AnyGame], None]) -> None:
    check(HighCard())


@pytest.mark.parametrize("flaw", [flaw for flaw in Flaw if flaw is not Flaw.NONE], ids=lambda flaw: flaw.name.lower())
def test_a_flaw_is_caught(flaw: Flaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.conformance.cases.MAX_MOVES", 2000)
    monkeypatch.setattr("tests.support.conformance.cases.MAX_MOVES_BY_OPTIONS", 2000)
    check, says = CAUGHT_BY[flaw]
    with pytest.raises(AssertionError, match=re.escape(says)):
        check(HighCard(flaw))


def test_every_check_has_a_flaw_that_it_catches() -> None:
    caught = {check for check, _ in CAUGHT_BY.values()} | {secrecy.nothing_hidden_is_told}  # with tests of its own
    assert caught == set(checks.CHECKS)


@pytest.mark.parametrize("flaw", LEAKS, ids=lambda flaw: flaw.name.lower())
def test_coupled_play_catches_every_leak(flaw: Flaw) -> None:
    with pytest.raises(AssertionError, match="tell"):
        secrecy.nothing_hidden_is_told(HighCard(flaw))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_game_that_plays_on_after_the_deal_is_caught(game: AnyGame) -> None:
    endless = copy.copy(game)
    setattr(endless, "only_this_deal", lambda _, options: dict(options))  # noqa: B010 - a method of one object
    with pytest.raises(AssertionError, match="the match goes on after its deal"):
        deals.the_deal_in_progress_can_be_the_last(endless)


def _tells_in_private(game: AnyGame) -> bool:
    """Returns whether moves show something to some seats only, apart from the cards of a new deal.

    A new deal gives every seat another hand, so that no two views of it are equal, and nothing can be compared; that
    hands are shown to their seats only is for the game's own tests.
    """
    for case in cases(game):
        match, chance = case.match(game), case.chance
        while not match.over:
            before = match.view(None)
            if due := match.open_decisions():
                shown = match.play(due[0].seat, game.random_move(match.state, due[0].seat, chance))
            else:
                shown = match.fire(match.timers()[0].name)
            same_deal = getattr(before, "deal", None) == getattr(match.view(None), "deal", None)
            if same_deal and any(shown_event.to != PUBLIC for shown_event in shown):
                return True
    return False


@pytest.mark.parametrize("game", [HighCard(), *GAMES.values()], ids=lambda game: game.id)
def test_private_events_that_reach_others_are_caught(game: AnyGame) -> None:
    for audience in (PUBLIC, *([(1 << game.max_seats) - 1] if _tells_in_private(game) else [])):
        with pytest.raises(AssertionError, match="an event tells"):
            secrecy.events_tell_no_more_than_views(_leaking(game, audience))


def _leaking(game: AnyGame, audience: int) -> AnyGame:
    """Returns a game that shows this audience what is for some seats only."""

    def apply(state: Any, seat: int, move: Any) -> list[Shown[Any]]:
        return [
            Shown(PUBLIC if shown_event.to == PUBLIC else audience, shown_event.event)
            for shown_event in game.apply(state, seat, move)
        ]

    leaking = copy.copy(game)
    setattr(leaking, "apply", apply)  # noqa: B010 - a method of one object, which types do not allow
    return leaking


@pytest.mark.parametrize("steps", [1, 3])
def test_coupled_play_that_goes_no_way_is_no_proof(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.conformance.coupled.MAX_STEPS", steps)
    with pytest.raises(AssertionError, match="part too soon"):
        secrecy.nothing_hidden_is_told(HighCard())
