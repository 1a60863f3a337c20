"""The faults of a ladder hang on the seed alone, and strike everything that there is."""

from __future__ import annotations

from soak.chaos.schedule import Fault
from soak.season.catalogue import KINDS, draw


def drawn(seed: str, seconds: float = 3_000) -> list[Fault]:
    return draw(seed, seconds, 60, 2, 8, set(KINDS))


def test_the_same_seed_gives_the_same_faults_and_another_one_others() -> None:
    assert drawn("1") == drawn("1")
    assert drawn("1") != drawn("2")


def test_every_kind_strikes_and_every_worker_and_link_is_struck() -> None:
    faults = drawn("1")
    assert {fault.kind for fault in faults} == set(KINDS)
    assert {fault.target for fault in faults if KINDS[fault.kind].on == "worker"} == {0, 1}
    assert {fault.target for fault in faults if KINDS[fault.kind].on == "link"} == set(range(8))
    assert {fault.target for fault in faults if KINDS[fault.kind].on not in {"worker", "link"}} == {0}


def test_no_two_faults_hold_the_same_thing_at_once() -> None:
    until: dict[tuple[str, int], float] = {}
    for fault in drawn("1"):
        held = KINDS[fault.kind].holds, fault.target
        assert until.get(held, 0.0) < fault.at
        until[held] = fault.at + fault.seconds
