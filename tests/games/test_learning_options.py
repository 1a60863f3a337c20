"""Every option of the games stands on the page in words, in every language."""

from __future__ import annotations

from typing import Any

import pytest

from fudaba_games.registry import GAMES
from tests.support.page.learning import LANGUAGES, learning


def words_of(game_id: str, language: str) -> dict[str, Any]:
    """Returns what the page says of a game's options, by their names."""
    entries = [entry for entry in learning("options", language) if game_id in entry["games"]]
    words = {entry["option"]: entry for entry in entries}
    assert len(words) == len(entries), "an option has several words"
    return words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_every_option_and_each_of_its_choices_has_its_words(game_id: str, language: str) -> None:
    words = words_of(game_id, language)
    assert words.keys() == {option.name for option in GAMES[game_id].options}
    for option in GAMES[game_id].options:
        assert words[option.name]["name"]
        assert words[option.name]["means"]
        assert words[option.name].get("choices", {}).keys() == set(option.choices)


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_all_languages_list_the_options_in_the_same_order(game_id: str) -> None:
    english, japanese = (list(words_of(game_id, language)) for language in LANGUAGES)
    assert english == japanese
