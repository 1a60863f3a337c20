"""Brackets: who could meet whom, for any numbers of bots and seats."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.bracket_plan import (
    FINAL,
    LOWER,
    MAIN,
    RESET,
    THIRD_PLACE,
    BracketGroup,
    Feed,
    double_elimination,
    rounds_of,
    single_elimination,
)


def names(groups: tuple[BracketGroup, ...]) -> list[list[str]]:
    """Returns each group's seats: `s1` for the best seed, `g1.2` for the second of the first group."""
    return [
        [f"s{feed.place + 1}" if feed.group is None else f"g{feed.group + 1}.{feed.place + 1}" for feed in group.feeds]
        for group in groups
    ]


def test_a_bracket_of_eight_keeps_the_best_seeds_apart() -> None:
    assert names(single_elimination(8, 2)) == [
        ["s1", "s8"],
        ["s2", "s7"],
        ["s3", "s6"],
        ["s4", "s5"],
        ["g1.1", "g4.1"],
        ["g2.1", "g3.1"],
        ["g5.1", "g6.1"],
    ]


def test_the_best_seeds_have_the_byes_of_a_number_that_is_no_power_of_two() -> None:
    groups = single_elimination(6, 2, third_place=True)
    assert names(groups) == [
        ["s3", "s6"],
        ["s4", "s5"],
        ["s1", "g2.1"],
        ["s2", "g1.1"],
        ["g3.1", "g4.1"],
        ["g3.2", "g4.2"],
    ]
    assert [(group.round, group.section) for group in groups[2:]] == [
        (1, MAIN),
        (1, MAIN),
        (2, FINAL),
        (2, THIRD_PLACE),
    ]


def test_seven_bots_at_tables_of_three_meet_in_two_groups_and_a_final() -> None:
    assert names(single_elimination(7, 3)) == [["s2", "s5", "s6"], ["s3", "s4", "s7"], ["s1", "g1.1", "g2.1"]]


def test_more_bots_of_the_last_group_go_on_where_a_final_would_lack_bots() -> None:
    groups = single_elimination(6, 3)
    assert names(groups) == [["s1", "s4", "s5"], ["s2", "s3", "s6"], ["g1.1", "g2.1", "g2.2"]]
    assert [group.advancing for group in groups] == [1, 2, 1]


def test_bots_of_one_group_of_four_do_not_meet_in_the_next_round() -> None:
    groups = single_elimination(16, 4)
    second = [group for group in groups if group.round == 1]
    assert [sorted(feed.group or 0 for feed in group.feeds) for group in second] == [[0, 1, 2, 3]] * 2


@pytest.mark.parametrize(("bots", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (80, 7), (128, 7)])
def test_the_rounds_for_two_seats_are_those_that_halve_the_field(bots: int, rounds: int) -> None:
    assert rounds_of(single_elimination(bots, 2)) == rounds


@given(st.integers(2, 6), st.integers(0, 120), st.booleans())
def test_everybody_plays_until_it_does_not_go_on(seats: int, more: int, third_place: bool) -> None:
    bots = seats + more
    third = third_place and seats == 2 and bots >= 4
    groups = single_elimination(bots, seats, third_place=third)
    feeds = Counter(feed for group in groups for feed in group.feeds)
    assert set(feeds.values()) == {1}
    assert {feed.place for feed in feeds if feed.group is None} == set(range(bots))
    assert [len(group.feeds) for group in groups] == [seats] * len(groups)
    assert [group.round for group in groups] == sorted(group.round for group in groups)
    for index, group in enumerate(groups):
        on = [place for place in range(seats) if Feed(place, index) in feeds]
        last = group.round == rounds_of(groups) - 1
        both = third and group.round == rounds_of(groups) - 2
        assert on == ([] if last else list(range(seats if both else group.advancing)))
        assert seats // 2 <= group.advancing < seats or last
        assert all(feed.group is None or groups[feed.group].round < group.round for feed in group.feeds)


def test_a_double_elimination_of_four_by_hand() -> None:
    groups = double_elimination(4)
    assert names(groups) == [
        ["s1", "s4"],
        ["s2", "s3"],
        ["g1.1", "g2.1"],
        ["g1.2", "g2.2"],
        ["g4.1", "g3.2"],
        ["g3.1", "g5.1"],
        ["g6.1", "g6.2"],
    ]
    assert [group.section for group in groups] == [MAIN, MAIN, MAIN, LOWER, LOWER, FINAL, RESET]
    assert [group.round for group in groups] == [0, 0, 1, 1, 2, 3, 4]


def test_who_drops_out_of_the_main_bracket_does_not_meet_those_it_has_beaten_at_once() -> None:
    groups = double_elimination(8)
    drops = [group for group in groups if group.section == LOWER and group.round == 2]
    for group in drops:
        before, dropped = (feed.group or 0 for feed in group.feeds)
        beaten = {feed.group for feed in groups[dropped].feeds}
        assert beaten.isdisjoint(feed.group for feed in groups[before].feeds)


@given(st.integers(2, 130))
def test_nobody_is_out_of_a_double_elimination_before_it_has_lost_twice(bots: int) -> None:
    groups = double_elimination(bots)
    feeds = Counter(feed for group in groups for feed in group.feeds)
    assert set(feeds.values()) == {1}
    assert {feed.place for feed in feeds if feed.group is None} == set(range(bots))
    rounds = [group.round for group in groups]
    assert rounds == sorted(rounds)
    assert set(rounds) == set(range(rounds_of(groups)))
    assert len(groups) == 2 * bots - 1  # every bot but the winner loses twice, and the winner may lose once
    for index, group in enumerate(groups):
        assert all(feed.group is None or groups[feed.group].round < group.round for feed in group.feeds)
        if group.section == MAIN:
            assert all(Feed(place, index) in feeds for place in (0, 1))
        if group.section == LOWER:
            assert (Feed(0, index) in feeds, Feed(1, index) in feeds) == (True, False)
