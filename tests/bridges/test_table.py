"""Decisions that are open at the same time are asked one after the other, and nobody sees what others choose."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from fudaba.bridges.features import HIGHEST, LOWEST, layout_of
from fudaba.bridges.table import NOBODY, Table
from fudaba.bridges.words import Words
from fudaba_games.registry import GAMES
from tests.bridges.short import TABLES, dealt, play_on
from tests.games.bell import ROUNDS, Bell

BELL = Words(["play", "whisper", "ring"])
PLAY, WHISPER, RING, WAIT = *(BELL.texts.index(word) for word in ("play", "whisper", "ring")), 1


def knows(table: Table, seat: int) -> dict[str, Any]:
    """All that a bridge tells a seat."""
    asked = table.asked == seat
    row = layout_of(table.game.id, table.seats).row(table.view(seat), seat, asked, table.chosen(seat))
    return {
        "row": row,
        "view": table.view(seat),
        "history": table.history(seat),
        "actions": table.actions() if asked else None,
    }


@pytest.mark.parametrize("game_id", GAMES)
def test_what_a_seat_is_told_does_not_depend_on_what_is_hidden_from_it(game_id: str) -> None:
    chance = random.Random(f"secrets {game_id}")
    varied = 0
    for seats, number in product({GAMES[game_id].min_seats, GAMES[game_id].max_seats}, range(8)):
        table = dealt(game_id, seats, number)
        play_on(table, number * 5, chance)
        if table.asked == NOBODY:
            continue
        seat, other = table.asked, table.redealt(chance)
        assert other.asked == seat
        assert knows(other, seat) == knows(table, seat)
        varied += any(other.view(one) != table.view(one) for one in range(seats) if one != seat)
    assert varied


@pytest.mark.parametrize(("game_id", "seats"), TABLES)
def test_the_numbers_of_a_seat_that_is_not_asked_are_of_its_view_alone(game_id: str, seats: int) -> None:
    chance = random.Random(f"numbers {game_id} {seats}")
    layout = layout_of(game_id, seats)
    for number in range(6):
        table = dealt(game_id, seats, number)
        play_on(table, number * 7, chance)
        for seat in range(seats):
            if table.asked not in {seat, NOBODY}:
                other = table.game.redeal(table.state, seat, chance)
                row = layout.row(table.game.view(other, seat), seat, False, table.chosen(seat))
                assert row == knows(table, seat)["row"]


@pytest.mark.parametrize(("game_id", "seats"), TABLES)
def test_a_resampled_match_can_be_played_on(game_id: str, seats: int) -> None:
    chance = random.Random(f"resampled {game_id} {seats}")
    for number in range(6):
        table = dealt(game_id, seats, number)
        play_on(table, 3 + number * 6, chance)
        if table.asked == NOBODY:
            continue
        other = table.redealt(chance)
        play_on(other, 40, chance)
        assert all(LOWEST <= number <= HIGHEST for number in knows(other, table.asked)["row"])


@pytest.mark.parametrize(("game_id", "seats"), TABLES)
def test_a_choice_of_several_shows_in_nothing_that_others_are_told_until_all_have_chosen(
    game_id: str, seats: int
) -> None:
    chance = random.Random(f"together {game_id} {seats}")
    table = dealt(game_id, seats, 0)
    for _ in range(60):
        if table.asked == NOBODY:
            break
        due = [decision.seat for decision in table.game.decisions(table.state)]
        first = table.asked
        before = {seat: knows(table, seat) for seat in range(seats)}
        play_on(table, 1, chance)
        if len(due) > 1 and table.asked != NOBODY and any(table.chosen(seat) for seat in due if seat != table.asked):
            for seat in range(seats):
                if seat not in {first, table.asked}:
                    assert knows(table, seat) == before[seat]


def bell(**more: bool) -> Table:
    return Table(Bell(**more), 2, {}, BELL, bytes(32), remember=True)


def test_who_need_not_answer_may_wait() -> None:
    table = bell()
    assert (table.asked, table.actions()) == (0, [PLAY, WHISPER])
    table.take(WHISPER)
    assert (table.asked, table.actions()) == (1, [WAIT, RING])
    assert table.history(1) == ["'begun'"]
    table.take(WAIT)
    assert table.history(0) == ["'begun'", "> whisper", "'whisper'"]
    assert table.history(1) == ["'begun'", "> (wait)"]
    assert table.history(None) == ["'begun'"]


def test_the_round_begins_with_another_seat_each_time() -> None:
    table = bell()
    table.take(PLAY)
    table.take(WAIT)
    assert table.asked == 1
    table.take(WAIT)
    assert table.asked == 0


def test_a_move_that_an_earlier_one_of_the_round_made_impossible_is_dropped() -> None:
    table = bell()
    table.take(PLAY)
    table.take(WAIT)
    table.take(RING)
    table.take(PLAY)
    assert table.asked == NOBODY
    assert table.outcome is not None
    assert table.outcome.scores == (-1, 1)
    assert table.state.moves == 1


def test_a_match_that_is_over_takes_no_action() -> None:
    table = bell()
    for _ in range(ROUNDS):
        while table.asked == 1:
            table.take(WAIT)
        table.take(PLAY)
        if table.asked == 1:
            table.take(WAIT)
    assert table.actions() == []
    with pytest.raises(ValueError, match="the match is over"):
        table.take(PLAY)


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    table = bell()
    with pytest.raises(ValueError, match=f"action {RING} is not legal now; legal are"):
        table.take(RING)
    assert (table.asked, table.actions()) == (0, [PLAY, WHISPER])


@pytest.mark.parametrize("game_id", GAMES)
def test_a_clone_goes_its_own_way(game_id: str) -> None:
    table = dealt(game_id, GAMES[game_id].min_seats, 1)
    before = [knows(table, seat) for seat in range(table.seats)]
    play_on(table.clone(), 25, random.Random(1))
    assert [knows(table, seat) for seat in range(table.seats)] == before
