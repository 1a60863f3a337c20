"""Decisions that are open at the same time are asked one after the other, and nobody sees what others choose."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from fudaba.bridges.features import MAX_FEATURE, MIN_FEATURE, layout_of
from fudaba.bridges.sequential import NOBODY, SequentialMatch
from fudaba.bridges.words import Words
from fudaba_games.registry import GAMES
from tests.support.bridges.short import GAME_IDS, SIZES, dealt, play_on
from tests.support.games.bell import ROUNDS_PER_MATCH, Bell

BELL = Words(["play", "whisper", "ring"])
PLAY, WHISPER, RING, WAIT = *(BELL.texts.index(word) for word in ("play", "whisper", "ring")), 1


def knows(match: SequentialMatch, seat: int) -> dict[str, Any]:
    """Returns all that a bridge tells a seat."""
    asked = match.asked == seat
    row = layout_of(match.game.id, match.seats).row(match.view(seat), seat, asked, match.chosen(seat))
    return {
        "row": row,
        "view": match.view(seat),
        "history": match.history(seat),
        "actions": match.actions() if asked else None,
    }


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_what_a_seat_is_told_does_not_depend_on_what_is_hidden_from_it(game_id: str) -> None:
    chance = random.Random(f"secrets {game_id}")
    varied = 0
    for seats, number in product({GAMES[game_id].min_seats, GAMES[game_id].max_seats}, range(8)):
        match = dealt(game_id, seats, number)
        play_on(match, number * 5, chance)
        if match.asked == NOBODY:
            continue
        seat, other = match.asked, match.redealt(chance)
        assert other.asked == seat
        assert knows(other, seat) == knows(match, seat)
        varied += any(other.view(viewer) != match.view(viewer) for viewer in range(seats) if viewer != seat)
    assert varied


@pytest.mark.parametrize(("game_id", "seats"), SIZES)
def test_the_numbers_of_a_seat_that_is_not_asked_are_of_its_view_alone(game_id: str, seats: int) -> None:
    chance = random.Random(f"numbers {game_id} {seats}")
    layout = layout_of(game_id, seats)
    for number in range(6):
        match = dealt(game_id, seats, number)
        play_on(match, number * 7, chance)
        for seat in range(seats):
            if match.asked not in {seat, NOBODY}:
                other = match.game.redeal(match.state, seat, chance)
                row = layout.row(match.game.view(other, seat), seat, False, match.chosen(seat))
                assert row == knows(match, seat)["row"]


@pytest.mark.parametrize(("game_id", "seats"), SIZES)
def test_a_resampled_match_can_be_played_on(game_id: str, seats: int) -> None:
    chance = random.Random(f"resampled {game_id} {seats}")
    for number in range(6):
        match = dealt(game_id, seats, number)
        play_on(match, 3 + number * 6, chance)
        if match.asked == NOBODY:
            continue
        other = match.redealt(chance)
        play_on(other, 40, chance)
        assert all(MIN_FEATURE <= number <= MAX_FEATURE for number in knows(other, match.asked)["row"])


@pytest.mark.parametrize(("game_id", "seats"), SIZES)
def test_a_choice_of_several_shows_in_nothing_that_others_are_told_until_all_have_chosen(
    game_id: str, seats: int
) -> None:
    chance = random.Random(f"together {game_id} {seats}")
    match = dealt(game_id, seats, 0)
    for _ in range(60):
        if match.asked == NOBODY:
            break
        due = [decision.seat for decision in match.game.decisions(match.state)]
        first = match.asked
        before = {seat: knows(match, seat) for seat in range(seats)}
        play_on(match, 1, chance)
        if len(due) > 1 and match.asked != NOBODY and any(match.chosen(seat) for seat in due if seat != match.asked):
            for seat in range(seats):
                if seat not in {first, match.asked}:
                    assert knows(match, seat) == before[seat]


def bell(**more: bool) -> SequentialMatch:
    return SequentialMatch(Bell(**more), 2, {}, BELL, bytes(32), remember=True)


def test_who_need_not_answer_may_wait() -> None:
    match = bell()
    assert (match.asked, match.actions()) == (0, [PLAY, WHISPER])
    match.take(WHISPER)
    assert (match.asked, match.actions()) == (1, [WAIT, RING])
    assert match.history(1) == ["'begun'"]
    match.take(WAIT)
    assert match.history(0) == ["'begun'", "> whisper", "'whisper'"]
    assert match.history(1) == ["'begun'", "> (wait)"]
    assert match.history(None) == ["'begun'"]


def test_the_round_begins_with_another_seat_each_time() -> None:
    match = bell()
    match.take(PLAY)
    match.take(WAIT)
    assert match.asked == 1
    match.take(WAIT)
    assert match.asked == 0


def test_a_move_that_an_earlier_one_of_the_round_made_impossible_is_dropped() -> None:
    match = bell()
    match.take(PLAY)
    match.take(WAIT)
    match.take(RING)
    match.take(PLAY)
    assert match.asked == NOBODY
    assert match.outcome is not None
    assert match.outcome.scores == (-1, 1)
    assert match.state.moves == 1


def test_a_match_that_is_over_takes_no_action() -> None:
    match = bell()
    for _ in range(ROUNDS_PER_MATCH):
        while match.asked == 1:
            match.take(WAIT)
        match.take(PLAY)
        if match.asked == 1:
            match.take(WAIT)
    assert match.actions() == []
    with pytest.raises(ValueError, match="the match is over"):
        match.take(PLAY)


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    match = bell()
    with pytest.raises(ValueError, match=f"action {RING} is not legal now; legal are"):
        match.take(RING)
    assert (match.asked, match.actions()) == (0, [PLAY, WHISPER])


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_a_clone_goes_its_own_way(game_id: str) -> None:
    match = dealt(game_id, GAMES[game_id].min_seats, 1)
    before = [knows(match, seat) for seat in range(match.seats)]
    play_on(match.clone(), 25, random.Random(1))
    assert [knows(match, seat) for seat in range(match.seats)] == before
