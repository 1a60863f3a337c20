"""The table of limits."""

from __future__ import annotations

import pytest

from fudaba_arena.sandbox.limits import LIMITS, BadLimit, Limits


def test_what_is_not_given_has_its_default() -> None:
    given = Limits.parse({"memory": 100_000_000, "cpu": 2})
    assert (given.memory, given.cpu, given.wall) == (100_000_000, 2.0, Limits().wall)


def test_the_defaults_are_within_the_bounds() -> None:
    for name, limit in LIMITS.items():
        assert limit.checked(name, getattr(Limits(), name)) == getattr(Limits(), name)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"memory": 1}, "limit memory is 1; write a whole number from 16,000,000 to"),
        ({"memory": 1e8 + 0.5}, "limit memory is 100000000.5; write a whole number"),
        ({"processes": True}, "limit processes is True"),
        ({"cpu": "10"}, "limit cpu is '10'; write a number from 0.1"),
        ({"wall": float("nan")}, "limit wall is nan"),
        ({"wall": float("inf")}, "limit wall is inf"),
        ({"cores": -1}, "limit cores is -1"),
        ({"memroy": 1}, "there is no limit memroy; there are memory, processes"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_with_what_can(given: dict[str, object], words: str) -> None:
    with pytest.raises(BadLimit) as info:
        Limits.parse(given)
    assert words in str(info.value)
