"""Which bots meet: groups without two bots of one owner, as evenly as can be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fudaba_arena.schedule.groups import Rounds, cycle
from tests.support.sizes import exhaustive, some

PAGE = Path(__file__).parents[3] / "docs" / "tournament.md"
MAX_BOTS = 16 if exhaustive() else 8


def alone(bots: int) -> tuple[tuple[str, str], ...]:
    """This many bots, each with an owner of its own."""
    return tuple((f"bot{number:02}", f"owner{number:02}") for number in range(bots))


def met(rounds: Rounds) -> Counter[tuple[str, str]]:
    return Counter(pair for groups in rounds for group in groups for pair in combinations(sorted(group), 2))


def plays(rounds: Rounds) -> Counter[str]:
    return Counter(bot for groups in rounds for group in groups for bot in group)


@st.composite
def owners(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    return tuple((f"bot{n:02}", f"owner{draw(st.integers(0, 12))}") for n in range(draw(st.integers(2, MAX_BOTS))))


@settings(max_examples=some(40, least=10))
@given(st.integers(2, 6), owners())
@pytest.mark.exhaustive
def test_in_a_round_nobody_plays_twice_and_no_owner_has_two_bots_in_a_group(
    seats: int, field: tuple[tuple[str, str], ...]
) -> None:
    owner_by_bot = dict(field)
    rounds = cycle(seats, field)
    assert bool(rounds) == (len(set(owner_by_bot.values())) >= seats)
    for groups in rounds:
        playing = [bot for group in groups for bot in group]
        assert len(set(playing)) == len(playing)
        for group in groups:
            assert len({owner_by_bot[bot] for bot in group}) == len(group) == seats


@settings(max_examples=some(40, least=4))
@given(st.integers(2, 6), owners())
@example(3, tuple((f"bot{number:02}", owner) for number, owner in enumerate("aabbcd")))
@pytest.mark.exhaustive
def test_everybody_meets_everybody_of_another_owner(seats: int, field: tuple[tuple[str, str], ...]) -> None:
    owner_by_bot = dict(field)
    rounds = cycle(seats, field)
    if rounds:
        wanted = {(a, b) for a, b in combinations(sorted(owner_by_bot), 2) if owner_by_bot[a] != owner_by_bot[b]}
        assert set(met(rounds)) == wanted


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("more", [0, 1, 2, 3, 6, 9])
def test_all_play_equally_often_and_in_as_many_groups_as_they_fill(seats: int, more: int) -> None:
    rounds = cycle(seats, alone(seats + more))
    assert len(set(plays(rounds).values())) == 1
    assert all(len(groups) == (seats + more) // seats for groups in rounds)


@pytest.mark.parametrize("bots", [2, 3, 4, 7, 10])
def test_for_two_seats_everybody_meets_everybody_once(bots: int) -> None:
    assert set(met(cycle(2, alone(bots))).values()) == {1}


@pytest.mark.parametrize(("bots", "times"), [(5, 1), (6, 4)])
def test_where_few_groups_make_it_even_every_two_meet_equally_often(bots: int, times: int) -> None:
    assert set(met(cycle(5, alone(bots))).values()) == {times}


@pytest.mark.exhaustive
def test_cycles_are_those_of_the_documentation() -> None:
    table = re.findall(r"^\| (.*?) \|$", PAGE.read_text(encoding="utf-8").partition("| bots for five")[2], re.MULTILINE)
    head = PAGE.read_text(encoding="utf-8").partition("| bots for five seats | ")[2].partition(" |\n")[0]
    groups, blocks, together = (line.split(" | ")[1:] for line in table[1:4])
    for bots, *said in zip(head.split(" | "), groups, blocks, together, strict=True):
        rounds = cycle(5, alone(int(bots)))
        often = sorted(met(rounds).values())
        span = f"{often[0]}-{often[-1]}" if often[0] < often[-1] else str(often[0])
        assert said == [str(sum(map(len, rounds))), str(plays(rounds)["bot00"]), span]


def test_a_cycle_keeps_its_groups_between_releases() -> None:
    """A tournament that was begun with one release goes on with the next."""
    places = [tuple(int(bot[3:]) for bot in group) for groups in cycle(5, alone(7)) for group in groups]
    assert places == PLACES


PLACES = [
    (0, 1, 4, 5, 6),
    (0, 1, 2, 3, 5),
    (1, 2, 3, 4, 6),
    (2, 3, 4, 5, 6),
    (0, 1, 3, 4, 5),
    (0, 2, 3, 5, 6),
    (0, 1, 2, 4, 6),
]


def test_owners_with_many_bots_leave_the_rest_as_even_as_can_be() -> None:
    crowd = tuple((f"crowd{n}", "one") for n in range(4))
    rounds = cycle(5, tuple(sorted((*crowd, *alone(4)))))
    count = plays(rounds)
    assert {count[bot] for bot, _ in crowd} == {len(rounds) // 4}
    assert {count[bot] for bot, _ in alone(4)} == {len(rounds)}
