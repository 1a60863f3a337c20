"""What all games share: options, seats, results, who sees an event. docs/rules/README.md, G1."""

from __future__ import annotations

import pytest

from fudaba_games.game import PUBLIC, BadOption, BadSeats, IllegalMove, Option, OptionValue, Outcome, Shown
from fudaba_games.naga.rules import NAGA

NUMBER = Option("deals", 1, "How many deals.", minimum=1, maximum=9)
FLAG = Option("cut", default=False, description="Whether the child cuts.")
CHOICE = Option("deck", "short", "Which deck.", choices=("short", "long"))


@pytest.mark.parametrize(("option", "value"), [(NUMBER, 1), (NUMBER, 9), (FLAG, True), (FLAG, False), (CHOICE, "long")])
def test_an_option_takes_what_it_allows(option: Option, value: OptionValue) -> None:
    assert option.parse(value) == value


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[(NUMBER, value) for value in (0, 10, "3", True, 2.0, None)],
        *[(FLAG, value) for value in (1, "yes")],
        *[(CHOICE, value) for value in ("middle", 0, ["short"])],
    ],
)
def test_an_option_refuses_the_rest_and_says_what_it_takes(option: Option, value: object) -> None:
    with pytest.raises(
        BadOption,
        match=rf"option '{option.name}' (must be a whole number from 1 to 9|is true or false|is one of short, long)",
    ):
        option.parse(value)


def test_an_option_that_is_a_number_does_not_take_true_and_calls_it_as_it_is_written() -> None:
    with pytest.raises(BadOption, match=r"a whole number from 1 to 9, not true$"):
        NUMBER.parse(True)


@pytest.mark.rule("N10.1", "G1.2")
def test_options_that_are_not_given_have_their_defaults() -> None:
    assert NAGA.resolve_options({}) == {"deals": 1, "first_dealer": 0}
    assert NAGA.resolve_options({"deals": 99}) == {"deals": 99, "first_dealer": 0}


@pytest.mark.rule("N10.1")
@pytest.mark.parametrize("given", [{"deals": 0}, {"deals": 100}, {"first_dealer": 2}, {"first_dealer": -1}])
def test_option_values_outside_the_page_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(BadOption):
        NAGA.resolve_options(given)


def test_an_unknown_option_is_refused_with_those_that_exist() -> None:
    with pytest.raises(BadOption, match=r"naga has no option 'dels'; it has: deals, first_dealer"):
        NAGA.resolve_options({"dels": 3})


@pytest.mark.rule("N1.2")
@pytest.mark.parametrize("seats", [-1, 0, 1, 3])
def test_a_wrong_number_of_seats_is_refused(seats: int) -> None:
    with pytest.raises(BadSeats, match=r"naga is played by 2 seats"):
        NAGA.check_seats(seats)
    with pytest.raises(BadSeats):
        NAGA.new_match(seats, NAGA.resolve_options({}), bytes(32))


@pytest.mark.rule("G1.4")
@pytest.mark.parametrize(
    ("scores", "placements"),
    [((1, -1), (1, 2)), ((0, 0), (1, 1)), ((-3, 5, -3, 1), (3, 1, 3, 2)), ((2, 2, -4), (1, 1, 3))],
)
def test_equal_scores_share_a_placement(scores: tuple[int, ...], placements: tuple[int, ...]) -> None:
    assert Outcome(scores).placements == placements


@pytest.mark.rule("G1.1", "G1.5")
def test_a_public_event_is_seen_by_all_and_a_private_one_by_its_seat() -> None:
    everyone = (None, 0, 1, 2)
    assert [seat for seat in everyone if Shown(PUBLIC, "event").visible(seat)] == [None, 0, 1, 2]
    assert [seat for seat in everyone if Shown(1 << 1, "event").visible(seat)] == [1]
    assert [seat for seat in everyone if Shown(1 << 0 | 1 << 2, "event").visible(seat)] == [0, 2]
    assert [seat for seat in everyone if Shown(0, "event").visible(seat)] == []


def test_an_illegal_move_names_its_rule() -> None:
    refused = IllegalMove("CARD_NOT_IN_HAND", "your hand has no D7")
    assert refused.rule == "CARD_NOT_IN_HAND"
    assert str(refused) == "your hand has no D7"
