"""Writes hands of Naga with the categories that the rules find, for the tests of the page: one half has moons.

.venv/bin/python web/page/test/naga_hands.py
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from fudaba_games.cards import mask_of
from fudaba_games.naga.cards import CORSELTEL, ELTAM, ILBECK
from fudaba_games.naga.hands import Category, hand_of_five, hand_of_four

_MAX_HANDS = 20
"""The number of hands of each category and size that are collected, if there are that many."""


def main() -> None:
    """Draws hands until a number of draws brings no new ones."""
    chance = Random(1)  # noqa: S311 - cards of a test
    kept: dict[tuple[int, Category], list[list[int]]] = {}
    for number in range(400_000):
        size = 4 + number % 2
        # Cards of few attributes or few numbers make rare hands too.
        attributes = chance.sample(range(7), chance.choice((1, 3)))
        real = [7 * attribute + rank for attribute in attributes for rank in range(7 if len(attributes) == 1 else 5)]
        moons = chance.choice(([], [], [ILBECK], [CORSELTEL], [ILBECK, CORSELTEL]))
        cards = sorted([*chance.sample(real, size - len(moons)), *moons])
        mask = mask_of(cards)
        category = (hand_of_four(mask, 1) if size == 4 else hand_of_five(mask, ELTAM)).category
        same = kept.setdefault((size, category), [])
        if len(same) < _MAX_HANDS and cards not in same:
            same.append(cards)
    found = [[int(category), *[card + 1 for card in cards]] for (_, category), some in kept.items() for cards in some]
    lines = ",\n".join(f"  {json.dumps(hand)}" for hand in sorted(found))
    (Path(__file__).parent / "positions" / "naga_hands.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
