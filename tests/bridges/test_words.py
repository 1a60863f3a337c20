"""Every legal move can be made word by word, in one way."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from fudaba.bridges.spelling import MAX_MOVES_SPELLED, spelled
from fudaba.bridges.words import END_ACTION, WAIT_ACTION, Words, words_of
from fudaba_games.registry import GAMES
from tests.support.bridges.short import GAME_IDS, SIZES, dealt, play_on


@pytest.mark.parametrize(("game_id", "seats"), SIZES)
def test_the_actions_of_a_move_play_that_move(game_id: str, seats: int) -> None:
    chance = random.Random(f"{game_id} {seats}")
    for number in range(12):
        match = dealt(game_id, seats, number)
        play_on(match, number * 7, chance)
        while match.asked >= 0 and match.chosen(match.asked):
            play_on(match, 1, chance)
        if match.asked < 0:
            continue
        legal = match.game.legal_moves(match.state, match.asked)
        # Of very many the first ones: a place far down takes long to find.
        first = range(min(len(legal), 2000))
        for move in [legal[place] for place in chance.sample(first, min(20, len(first)))]:
            other, seat = match.clone(), match.asked
            for action in match.spelling(move):
                assert action in other.actions()
                other.take(action)
            assert f"> {match.game.text.format_move(move)}" in other.history(seat)[len(match.history(seat)) :]


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_most_words_are_actions_of_their_own(game_id: str) -> None:
    words = words_of(game_id)
    assert set(GAMES[game_id].move_kinds) <= set(words.texts)
    assert len(words) < 400
    assert len(set(words.texts)) == len(words)


def test_large_numbers_are_spelled() -> None:
    words = words_of("namto")
    assert {"1", "9", "42", "99"} <= set(words.texts)
    assert not [word for word in words.texts if word.isdecimal() and len(word) > 2]
    assert len(words.spell("bet 99")) == 3
    assert [words.texts[action] for action in words.spell("bet 123")] == [
        *["bet", "(hex 3)", "(hex 1)", "(hex 3)", "(hex 2)", "(hex 3)", "(hex 3)", "(end)"],
        "(end)",
    ]


def test_a_word_without_an_action_is_spelled() -> None:
    words = Words(["lay", "A1"])
    lay, card = words.texts.index("lay"), words.texts.index("A1")
    assert words.spell("lay A1") == (lay, card, END_ACTION)
    spelled = words.spell("lay B2 A1")
    assert [words.texts[action] for action in spelled] == [
        *["lay", "(hex 4)", "(hex 2)", "(hex 3)", "(hex 2)", "(end)"],
        *["A1", "(end)"],
    ]


def test_no_spelling_begins_another_one() -> None:
    words = Words(["lay", "A1"])
    texts = ["lay", "lay A1", "lay A1 A1", "lay B", "lay BB", "lay B B", "B", "é"]
    spelled = sorted(words.spell(text) for text in texts)
    assert all(later[: len(earlier)] != earlier for earlier, later in pairwise(spelled))
    assert all(WAIT_ACTION not in spelling for spelling in spelled)


@pytest.mark.parametrize("count", [MAX_MOVES_SPELLED + 1, 0x10000, 0x12345])
def test_of_very_many_moves_one_is_chosen_by_its_place_in_digits(count: int) -> None:
    choice = spelled(GAMES["naga"], words_of("naga"), range(count), may_wait=True)
    for place in (0, 15, 16, count // 2, count - 1):
        left = choice
        for action in choice.spelling(place):
            assert action in left.actions()
            left = left.take(action)
        assert left.done
        assert left.move == place
    assert choice.actions()[0] == WAIT_ACTION
    assert choice.take(WAIT_ACTION).move is None
    beyond = choice
    for action in choice.spelling(count - 1)[:-1]:
        beyond = beyond.take(action)
    assert beyond.actions()[-1] == choice.spelling(count - 1)[-1]
    with pytest.raises(ValueError, match="is not legal now"):
        beyond.take(END_ACTION)
