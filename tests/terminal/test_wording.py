"""Verbs have the form that goes with who acts."""

from __future__ import annotations

import pytest

from fudaba.bot import MatchInfo, Player
from fudaba.terminal.renderers.base import PlainRenderer, of_you


@pytest.mark.parametrize(
    ("seat_does", "you_do"),
    [
        ("takes", "take"), ("passes", "pass"), ("matches", "match"), ("has", "have"), ("is", "are"), ("loses", "lose"),
        ("raises", "raise"), ("does", "do"), ("drew", "drew"), ("discards", "discard"), ("leaves", "leave"),
    ],
)  # fmt: skip
def test_what_a_seat_does_you_do_in_its_own_form(seat_does: str, you_do: str) -> None:
    assert of_you(seat_does) == you_do


def test_a_name_that_acts_takes_the_ending_that_its_verb_needs() -> None:
    renderer = PlainRenderer(MatchInfo("m-1", "naga", 0, (Player("me", "1"), Player("other", "1"))), ("me", "other"))
    assert [renderer.does(1, verb) for verb in ("take", "pass", "match")] == [
        "other takes",
        "other passes",
        "other matches",
    ]
    assert [renderer.does(0, verb) for verb in ("take", "pass", "match")] == ["You take", "You pass", "You match"]
    assert renderer.spoken("Seat 0 has drawn two cards.") == "You have drawn two cards."
    assert renderer.spoken("Seat 1 has drawn two cards.") == "other has drawn two cards."
