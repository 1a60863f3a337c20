"""The schedule hangs on the seed alone, and no two faults hold the same thing at once."""

from __future__ import annotations

import itertools

import pytest

from soak.chaos.schedule import DEPLOYMENTS, KINDS, Fault, chosen, draw

ALL = frozenset(KINDS)


def drawn(seed: str = "1", deployment: str = "failover") -> list[Fault]:
    return draw(seed, deployment, 300, 90, 2, ALL)


def test_the_same_seed_gives_the_same_faults_and_another_one_others() -> None:
    assert drawn() == drawn()
    assert drawn() != drawn("2")
    assert drawn() != drawn(deployment="always")


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_about_as_many_faults_are_drawn_as_are_wanted_and_every_kind_that_there_is(deployment: str) -> None:
    faults = draw("1", deployment, 3_000, 90, 2, ALL)
    assert (3_600 if deployment != "sentinel" else 2_900) < len(faults) < 5_400  # there are no links to strike
    assert {fault.kind for fault in faults} == {name for name, kind in KINDS.items() if deployment in kind.deployments}


def test_no_two_faults_hold_the_same_thing_of_the_same_target_at_once() -> None:
    held = lambda fault: (KINDS[fault.kind].holds, fault.target)  # noqa: E731 - a key
    for _, group in itertools.groupby(sorted(drawn(), key=held), key=held):
        for earlier, other in itertools.pairwise(sorted(group, key=lambda fault: fault.at)):
            assert earlier.at + earlier.seconds < other.at


def test_all_faults_are_over_about_when_the_search_is() -> None:
    assert all(fault.at < 300 and fault.at + fault.seconds < 301.1 for fault in drawn())


def test_kinds_are_chosen_by_patterns() -> None:
    assert chosen([], []) == ALL
    assert chosen(["reset*", "freeze"], []) == {"reset", "reset-idle", "freeze"}
    assert chosen(["reset*"], ["reset-idle"]) == {"reset"}
    with pytest.raises(ValueError, match="no kind of fault is called 'thunder'; there are: kill"):
        chosen(["thunder"], [])


def test_only_chosen_kinds_are_drawn() -> None:
    assert {fault.kind for fault in draw("1", "always", 60, 90, 2, {"kill", "failover"})} == {"kill"}
    assert draw("1", "always", 60, 90, 2, {"failover"}) == []
