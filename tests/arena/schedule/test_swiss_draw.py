"""The draw of a round of a Swiss: who meets whom, and who has a bye."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.swiss_draw import Draw, Field, draw


def field(
    bots: str,
    met: Sequence[str] = (),
    byes: str = "",
    owners: dict[str, str] | None = None,
) -> Field:
    """Bots of one letter each, best first; pairs that have met; who has had a bye, once for each."""
    times = Counter(frozenset(pair) for group in met for pair in combinations(group, 2))
    return Field(tuple(bots), {bot: bot for bot in bots} | (owners or {}), times, Counter(byes))


def groups(drawn: Draw) -> list[str]:
    return ["".join(group) for group in drawn.groups]


def pairings(players: Sequence[str]) -> Iterator[list[frozenset[str]]]:
    """Yields all ways to pair an even number of players."""
    if not players:
        yield []
        return
    first, *others = players
    for other in others:
        for rest in pairings([left for left in others if left != other]):
            yield [frozenset((first, other)), *rest]


@st.composite
def fields(draw_from: st.DrawFn, most: int, owned: int = 3) -> Field:
    bots = "abcdefghijkl"[: draw_from(st.integers(2, most))]
    order = draw_from(st.permutations(bots))
    pairs = list(map(frozenset, combinations(bots, 2)))
    met = {pair: draw_from(st.integers(0, 2)) for pair in draw_from(st.lists(st.sampled_from(pairs), unique=True))}
    byes = {bot: draw_from(st.integers(0, 2)) for bot in bots}
    owners = {bot: bot for bot in bots}
    for bot in draw_from(st.lists(st.sampled_from(bots), max_size=owned)):
        owners[bot] = draw_from(st.sampled_from(["ann", "ben"]))
    return Field(tuple(order), owners, met, byes)


# --- by hand


def test_neighbours_in_the_standings_meet() -> None:
    assert groups(draw(field("abcdef"), 2)) == ["ab", "cd", "ef"]


def test_who_has_met_the_next_one_meets_the_one_after() -> None:
    assert groups(draw(field("abcdef", ["ab"]), 2)) == ["ac", "bd", "ef"]


def test_a_pairing_that_leaves_the_others_no_new_opponents_gives_way() -> None:
    """a would meet b, but then c and d would meet again; so a meets c."""
    assert groups(draw(field("abcd", ["cd"]), 2)) == ["ac", "bd"]


def test_where_all_have_met_those_meet_again_that_have_met_least() -> None:
    everybody = ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert groups(draw(field("abcd", [*everybody, "ab", "cd"]), 2)) == ["ac", "bd"]


def test_as_few_meetings_as_possible_are_repeated() -> None:
    """a and b have met everybody but each other, so only the other two meet again."""
    met = ["ac", "ad", "bc", "bd", "cd"]
    assert groups(draw(field("abcd", met), 2)) == ["ab", "cd"]


def test_the_last_without_a_bye_has_one() -> None:
    assert draw(field("abcde"), 2).byes == ("e",)
    assert draw(field("abcde", byes="e"), 2).byes == ("d",)
    assert draw(field("abcde", byes="edcb"), 2).byes == ("a",)
    assert draw(field("abcde", byes="abcde"), 2).byes == ("e",)
    assert draw(field("abcdefghi"), 5).byes == ("f", "g", "h", "i")
    assert draw(field("abcdefghi", byes="fghi"), 5).byes == ("b", "c", "d", "e")


def test_a_bye_goes_to_another_where_that_avoids_a_repeated_meeting() -> None:
    """With a bye for c, a and b would meet again."""
    assert draw(field("abc", ["ab"]), 2) == Draw((("a", "c"),), ("b",))


def test_groups_of_more_seats_are_filled_from_the_top_with_those_who_have_not_met() -> None:
    assert groups(draw(field("abcdef"), 3)) == ["abc", "def"]
    # One pair of each group meets again whatever is done, and of these ways the neighbours' is the closest.
    again = groups(draw(field("abcdef", ["abc", "def"]), 3))
    assert [sum(bot in "abc" for bot in group) for group in again] in ([2, 1], [1, 2])
    assert again == ["abd", "cef"]


def test_bots_of_one_author_never_meet_and_one_with_too_many_has_byes() -> None:
    owners = dict.fromkeys("abc", "ann")
    assert draw(field("abcd", owners=owners), 2) == Draw((("a", "d"),), ("b", "c"))
    assert draw(field("abcd", owners=dict.fromkeys("abcd", "ann")), 2) == Draw((), tuple("abcd"))


# --- always


@given(fields(8, owned=0))
def test_of_two_seats_no_meeting_is_repeated_more_often_than_it_has_to_be(swiss_field: Field) -> None:
    drawn = draw(swiss_field, 2)
    fewest = min(
        sum(swiss_field.met.get(pair, 0) for pair in way)
        for way in pairings([b for group in drawn.groups for b in group])
    )
    assert sum(swiss_field.met.get(frozenset(group), 0) for group in drawn.groups) == fewest


@given(fields(12), st.integers(2, 6))
def test_everybody_plays_once_or_has_a_bye_and_nobody_meets_its_own_author(swiss_field: Field, seats: int) -> None:
    drawn = draw(swiss_field, seats)
    playing = [bot for group in drawn.groups for bot in group]
    assert sorted([*playing, *drawn.byes]) == sorted(swiss_field.standing)
    assert all(len({swiss_field.owners[bot] for bot in group}) == seats for group in drawn.groups)
    most = max((m for m in range(len(swiss_field.standing) // seats + 1) if enough(swiss_field, m, seats)), default=0)
    assert len(drawn.groups) == most


def enough(swiss_field: Field, number: int, seats: int) -> bool:
    """Returns whether so many groups can be filled: an author fills one seat of each."""
    return sum(min(bots, number) for bots in Counter(swiss_field.owners.values()).values()) >= number * seats


@given(fields(12, owned=0), st.integers(2, 6))
def test_byes_fall_to_those_who_have_had_fewest(swiss_field: Field, seats: int) -> None:
    drawn = draw(swiss_field, seats)
    playing = [bot for group in drawn.groups for bot in group]
    if playing and drawn.byes:
        assert max(swiss_field.byes[bot] for bot in drawn.byes) <= min(swiss_field.byes[bot] for bot in playing)


@pytest.mark.exhaustive
@given(fields(12), st.integers(2, 6))
def test_the_same_field_is_drawn_alike(swiss_field: Field, seats: int) -> None:
    assert draw(swiss_field, seats) == draw(
        Field(swiss_field.standing, dict(swiss_field.owners), dict(swiss_field.met), dict(swiss_field.byes)), seats
    )


@pytest.mark.parametrize("bots", [20, 64])
def test_a_large_field_meets_nobody_twice_in_many_rounds(bots: int) -> None:
    names = tuple(f"bot{number:02}" for number in range(bots))
    met: Counter[frozenset[str]] = Counter()
    for number in range(bots // 3):
        standing = names[number:] + names[:number]
        drawn = draw(Field(standing, {name: name for name in names}, met, {}), 2)
        met.update(map(frozenset, drawn.groups))
    assert set(met.values()) == {1}
