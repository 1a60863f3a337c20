"""Who plays the next block of a ladder."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.pairing import Choice, PairingRules, choose, in_drawn_order

SEED = bytes(32)
names = st.integers(0, 11).map(lambda number: f"bot-{number}@1")
contenders = st.builds(
    Contender,
    name=names,
    owner=st.integers(0, 4).map(lambda number: f"author {number}"),
    stateless=st.booleans(),
    blocks=st.integers(0, 5),
    needs=st.booleans(),
    rating=st.integers(1000, 2000).map(float),
)
fields = st.lists(contenders, max_size=12, unique_by=lambda contender: contender.name)
all_rules = st.builds(
    PairingRules, seats=st.integers(2, 5), same_author=st.booleans(), random_percent=st.sampled_from([0, 25, 100])
)
seeds = st.binary(min_size=32, max_size=32)


def seated(choice: Choice) -> list[str]:
    return [name for group in choice.groups for name in group]


@given(fields, all_rules, seeds)
def test_groups_are_full_and_nobody_sits_twice_or_meets_an_own_bot(
    field: list[Contender], rules: PairingRules, seed: bytes
) -> None:
    choice = choose(field, rules, seed)
    if choice is None:
        return
    owner = {contender.name: contender.owner for contender in field}
    assert all(len(group) == rules.seats for group in choice.groups)
    assert len(set(seated(choice))) == len(seated(choice))
    if not rules.same_author:
        assert all(len({owner[name] for name in group}) == rules.seats for group in choice.groups)
    for party, other in combinations(choice.groups, 2):
        assert not {owner[name] for name in party} & {owner[name] for name in other}


@given(fields, all_rules, seeds)
def test_whoever_needs_blocks_and_has_fewest_comes_first(
    field: list[Contender], rules: PairingRules, seed: bytes
) -> None:
    choice = choose(field, rules, seed)
    needing = [contender for contender in field if contender.needs]
    parties = len(field) if rules.same_author else len({contender.owner for contender in field})
    assert (choice is None) == (not needing or parties < rules.seats)
    if choice is not None:
        first = next(contender for contender in field if contender.name == choice.chosen_for)
        assert first.needs
        assert first.blocks == min(contender.blocks for contender in needing)
        assert choice.chosen_for in choice.groups[0]


@given(fields, all_rules, seeds)
def test_only_who_keeps_nothing_replays_a_deal(field: list[Contender], rules: PairingRules, seed: bytes) -> None:
    choice = choose(field, rules, seed)
    if choice is not None:
        stateless = {contender.name: contender.stateless for contender in field}
        assert choice.shared == (not all(stateless[name] for name in choice.groups[0]))
        assert choice.shared or len(choice.groups) == 1


@given(fields, all_rules, seeds, st.randoms(use_true_random=False))
@pytest.mark.exhaustive
def test_the_order_of_the_contenders_means_nothing(
    field: list[Contender], rules: PairingRules, seed: bytes, chance: Random
) -> None:
    mixed = list(field)
    chance.shuffle(mixed)
    assert choose(mixed, rules, seed) == choose(field, rules, seed)


def field_of(count: int, *, stateless: bool = True) -> list[Contender]:
    """Bots 100 points apart, of whom only the first needs blocks."""
    return [
        Contender(f"bot-{n:02}@1", f"bot {n}", stateless, blocks=n, needs=n == 0, rating=1000.0 + 100 * n)
        for n in range(count)
    ]


def opponents(rules: PairingRules) -> Counter[str]:
    found: Counter[str] = Counter()
    for number in range(200):
        choice = choose(field_of(12), rules, number.to_bytes(32, "big"))
        assert choice is not None
        found[choice.groups[0][1]] += 1
    return found


def test_opponents_are_near_and_now_and_then_anybody() -> None:
    assert set(opponents(PairingRules(2, random_percent=0))) == {"bot-01@1", "bot-02@1", "bot-03@1"}
    mixed = opponents(PairingRules(2, random_percent=25))
    assert sum(mixed[f"bot-{n:02}@1"] for n in (1, 2, 3)) > 120
    assert len(mixed) > 6


def test_a_rating_that_is_certain_enough_is_used_for_comparison_only() -> None:
    choice = choose(field_of(8, stateless=False), PairingRules(2), SEED)
    assert choice is not None
    assert choice.shared
    assert len(choice.groups) == 2  # one group plays the same deals, though nobody in it needs a block


def test_in_the_final_nobody_plays_more_while_others_need_blocks() -> None:
    field = [Contender(f"bot-{n}@1", f"bot {n}", True, needs=n < 4) for n in range(10)]
    for number in range(50):
        choice = choose(field, PairingRules(2, needing_first=True), number.to_bytes(32, "big"))
        assert choice is not None
        assert set(seated(choice)) <= {"bot-0@1", "bot-1@1", "bot-2@1", "bot-3@1"}


def test_in_a_drawn_order_no_place_says_whom_a_block_was_chosen_for() -> None:
    groups = (("needy", "other", "third"), ("fourth", "fifth", "sixth"))
    drawn = [in_drawn_order(groups, number.to_bytes(32)) for number in range(600)]
    assert all({frozenset(group) for group in order} == {frozenset(group) for group in groups} for order in drawn)
    places = Counter(next((at, g.index("needy")) for at, g in enumerate(order) if "needy" in g) for order in drawn)
    assert len(places) == 6
    assert min(places.values()) > 60  # of 100 on average


@pytest.mark.parametrize("needing_first", [False, True])
def test_the_panel_plays_a_fixed_part_of_the_blocks_and_never_by_itself(needing_first: bool) -> None:
    field = [Contender(f"bot-{n}@1", f"author {n}", True, n, True, 1500.0 + n) for n in range(6)]
    panel = [Contender(f"panel-{n}@1", f"panel {n}", True, 0, False, 1000.0 + 200 * n, panel=True) for n in range(3)]
    rules, met = PairingRules(2, panel_percent=15, needing_first=needing_first), Counter[bool]()
    for number in range(2_000):
        choice = choose(field + panel, rules, number.to_bytes(32))
        assert choice is not None
        ((first, other),) = choice.groups
        assert not first.startswith("panel")
        met[other.startswith("panel")] += 1
    assert 0.12 <= met[True] / met.total() <= 0.18


def test_a_bot_alone_meets_the_panel() -> None:
    panel = [Contender(f"panel-{n}@1", f"panel {n}", True, 0, False, panel=True) for n in range(3)]
    alone = Contender("bot@1", "author", True)
    choice = choose([alone, *panel], PairingRules(4, panel_percent=15), SEED)
    assert choice is not None
    assert len(choice.groups[0]) == 4
    assert choose(panel, PairingRules(2, panel_percent=15), SEED) is None
