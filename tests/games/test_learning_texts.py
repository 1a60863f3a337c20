"""What teaches a game on the page is whole in every language, and its numbers are those of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from fudaba_games.houniek import turns as houniek
from fudaba_games.kamikisen.cards import COPIES, NONE, SHIP
from fudaba_games.makhop import turns as makhop
from fudaba_games.makkaik import turns as makkaik
from fudaba_games.makkaik.values import HIGHEST_BASE
from fudaba_games.match import Match
from fudaba_games.mokkaik.scoring import PRICE_POINTS
from fudaba_games.naga import cards as naga_cards
from fudaba_games.naga import turns as naga
from fudaba_games.namto import turns as namto
from fudaba_games.napoleon import cards as napoleon_cards
from fudaba_games.napoleon.scoring import deal_scores
from fudaba_games.nerts import cards as nerts_cards
from fudaba_games.nerts import turns as nerts
from fudaba_games.nerts.scoring import POINTS_LOST_PER_CARD
from fudaba_games.niekhi import turns as niekhi
from fudaba_games.niekhi.melds import MIN_BOMB_CARDS
from fudaba_games.numbers_crush import cards as crush_cards
from fudaba_games.numbers_crush import turns as crush
from fudaba_games.numbers_crush.effects import PENALTY_CARDS
from fudaba_games.registry import GAMES, game
from fudaba_games.tashot import shapes as tashot_shapes
from fudaba_games.tashot import turns as tashot
from tests.support.page.learning import LANGUAGES, facts, learning

STEP_COUNT = 5


def dealt(game_id: str, seats: int) -> Any:
    """Returns what seat 0 sees of a match that has just been dealt."""
    rules = game(game_id)
    return Match(rules, seats, rules.resolve_options({}), bytes(32)).view(0)


def default(game_id: str, option: str) -> Any:
    return game(game_id).resolve_options({})[option]


def of_rules(game_id: str) -> dict[str, int]:
    """Returns the numbers that a game's texts name, as the rules have them."""
    if game_id == "naga":
        return {
            "cards": naga_cards.CARDS, "table": sum(cards.bit_count() for cards in dealt("naga", 2).table),
            "hand": dealt("naga", 2).hand.bit_count(), "eltam": dealt("naga", 2).table[naga_cards.ELTAM].bit_count(),
            "commit": 3, "battles": naga.LAST_BATTLE_NUMBER, "majority": naga.MAJORITY_CARDS, "lastCommit": 2,
        }  # fmt: skip
    if game_id == "napoleon":
        together, alone = deal_scores(0, 1, won=True), deal_scores(0, 0, won=True)
        return {
            "cards": napoleon_cards.CARDS, "hand": dealt("napoleon", 5).hand.bit_count(), "widow": 52 - 5 * 10,
            "honours": napoleon_cards.HONOUR_COUNT, "lowest": napoleon_cards.LOWEST_NUMBER,
            "highest": napoleon_cards.HIGHEST_NUMBER, "tricks": dealt("napoleon", 5).hand.bit_count(),
            "napoleonWins": together[0], "adjutantWins": together[1], "aloneWins": alone[0],
        }  # fmt: skip
    if game_id == "nerts":
        return {
            "pile": nerts_cards.NERTS_PILE_CARDS, "work": nerts_cards.WORKS_PER_SEAT,
            "flip": nerts_cards.CARDS_PER_FLIP,
            "card": 1,
            "stock": nerts_cards.CARDS - nerts_cards.NERTS_PILE_CARDS - nerts_cards.WORKS_PER_SEAT,
            "left": POINTS_LOST_PER_CARD,
            "target": default("nerts", "target"), "turns": nerts.MAX_STOCK_TURNS,
        }  # fmt: skip
    if game_id == "numbers_crush":
        return {
            "cards": crush_cards.CARDS, "hand": dealt("numbers_crush", 3).hand.bit_count(), "penalty": PENALTY_CARDS,
            "twelve": crush_cards.QUEEN, "turns": crush.MAX_TURNS, "fours": crush.FIVES_THAT_WIN,
        }  # fmt: skip
    if game_id == "houniek":
        sizes = {seats: min(dealt("houniek", seats).hand_sizes) for seats in (2, 3)}
        wild = 2 * COPIES[NONE]
        return {"hand": sizes[3], "handOfTwo": sizes[2], "draws": houniek.CARDS_PER_DRAW, "wild": wild}
    return _of_kamikisen(game_id)


def _of_kamikisen(game_id: str) -> dict[str, int]:
    if game_id == "mokkaik":
        few, many = dealt("mokkaik", 4), dealt("mokkaik", 5)
        return {
            "few": few.hand.bit_count(), "many": many.hand.bit_count(), "pay": PRICE_POINTS,
            "multiplier": few.multiplier,
        }  # fmt: skip
    if game_id == "tashot":
        return {
            "hand": tashot.HAND_CARDS, "six": tashot.HAND_CARDS + 1, "finish": tashot_shapes.FINISH_POINTS, "four": 1,
            "call": 1,
            "colour": tashot_shapes.SAME_COLOUR_POINTS, "row": tashot_shapes.SIX_IN_ROW_POINTS,
            "first": tashot_shapes.FIRST_ROUND_POINTS,
            "multiplier": dealt("tashot", 2).multiplier,
        }  # fmt: skip
    if game_id == "makkaik":
        return {
            "hand": makkaik.HAND_CARDS, "public": makkaik.INITIAL_PUBLIC_CARDS, "ante": makkaik.ANTE_POINTS,
            "lowest": 1,
            "highest": HIGHEST_BASE, "rounds": makkaik.ROUNDS_PER_DEAL,
        }  # fmt: skip
    if game_id == "niekhi":
        return {
            "ships": 2 * COPIES[SHIP], "nones": 2 * COPIES[NONE], "soldiers": 2 * COPIES[2], "others": 2 * COPIES[3],
            "bomb": MIN_BOMB_CARDS, "turns": niekhi.MAX_TURNS,
        }  # fmt: skip
    if game_id == "makhop":
        return {
            "hand": makhop.HAND_SIZE, "roads": makhop.INITIAL_ROADS, "mostRoads": default("makhop", "max_roads"),
            "turns": makhop.MAX_TURNS,
        }  # fmt: skip
    if game_id == "namto":
        return {
            "hand": namto.HAND_CARDS, "stack": default("namto", "stack"), "entry": default("namto", "entry"),
            "shared": default("namto", "shared"), "rounds": dealt("namto", 3).rounds,
        }  # fmt: skip
    raise AssertionError(f"{game_id} has no numbers to compare with")


def sayings(words: Any) -> Iterator[str]:
    """Yields every text of a game's file."""
    if isinstance(words, str):
        yield words
    else:
        for part in words.values() if isinstance(words, dict) else words:
            yield from sayings(part)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_the_numbers_of_the_texts_are_those_of_the_rules(game_id: str) -> None:
    assert facts(game_id)["numbers"] == of_rules(game_id)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_a_game_is_taught_in_five_steps_with_a_caption_for_each_group_of_cards(game_id: str, language: str) -> None:
    words = learning(language, game_id)
    pictures = facts(game_id)["pictures"]
    assert len(words["steps"]) == len(pictures) == STEP_COUNT
    assert [len(step["captions"]) for step in words["steps"]] == [len(groups) for groups in pictures]
    assert learning(language, "sentences")[game_id]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_every_place_of_a_text_has_its_number(game_id: str, language: str) -> None:
    places = {name for text in sayings(learning(language, game_id)) for name in re.findall(r"\{(\w+)\}", text)}
    assert places <= facts(game_id)["numbers"].keys()


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_both_languages_have_the_same_reference_card(game_id: str) -> None:
    # The last section explains words, and each language has odd ones of its own.
    english, japanese = (learning(language, game_id)["reference"][:-1] for language in LANGUAGES)
    assert [len(section["rows"]) for section in english] == [len(section["rows"]) for section in japanese]


def test_every_game_has_a_sentence_and_a_cover() -> None:
    assert learning("facts", "covers").keys() == GAMES.keys()
    for language in LANGUAGES:
        assert learning(language, "sentences").keys() == GAMES.keys()
