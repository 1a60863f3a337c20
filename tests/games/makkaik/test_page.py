"""The examples of docs/rules/makkaik.md are of positions that the rules make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fudaba_games.kamikisen.text import parse_cards
from fudaba_games.registry import game

_RULES = Path(__file__).resolve().parents[3] / "docs" / "rules"
_SEVERAL = re.compile(r"`((?:[rb][S0-8KT] )+[rb][S0-8KT])`")


@pytest.mark.rule("MA1.2", "MA2.2", "MA2.4")
@pytest.mark.parametrize("folder", ["", "ja"])
def test_the_public_cards_of_the_examples_are_as_many_as_draws_make_of_three(folder: str) -> None:
    page = (_RULES / folder / "makkaik.md").read_text(encoding="utf-8")
    public = [cards for line in page.splitlines() if not line.startswith("|") for cards in _SEVERAL.findall(line)]
    assert public
    for cards in public:
        parse_cards(cards.split())
        assert len(cards.split()) in {3 + 2 * draws for draws in range(game("makkaik").max_seats + 1)}, cards
