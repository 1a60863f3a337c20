"""The extent of the tests: a sample, the tests that a change has to pass, or all of them.

`scripts/test` looks at a sample of what is alike in every game, and leaves out the tests that are marked `exhaustive`
or `nightly`. `scripts/test --gate` has those marked `exhaustive` too, and more examples of what Hypothesis makes up and
more matches of the conformance checks. `scripts/test --all` is the exhaustive run: it has every test, and each looks at
all that it can.
"""

from __future__ import annotations

import os
from typing import Final

MATCHES_PER_SAMPLED: Final = 15
"""A test that is sampled looks at one of this many matches, positions or examples of the exhaustive run."""
_EXTENT: Final = "TEST_EXTENT"
"""The variable that says how much: it reaches all processes of the run, those that tests start too."""
_LEFT_OUT: Final = {"sample": ("exhaustive", "nightly"), "gate": ("nightly",), "all": ()}


def extent() -> str:
    """Returns how much the tests look at: `sample`, `gate` or `all`."""
    named = os.environ.get(_EXTENT, "sample")
    if named not in _LEFT_OUT:
        raise ValueError(f"{_EXTENT} is {named!r}; write one of {', '.join(_LEFT_OUT)}")
    return named


def left_out() -> tuple[str, ...]:
    """Returns the marks of the tests that do not run."""
    return _LEFT_OUT[extent()]


def exhaustive() -> bool:
    """Returns whether this is the exhaustive run."""
    return extent() == "all"


def smallest() -> bool:
    """Returns whether this is the smallest run, whose samples are thinner than those of the gate."""
    return extent() == "sample"


def some(number: int, least: int = 1) -> int:
    """`number` in the exhaustive run; else the part of it that a sample has, though no fewer than `least`."""
    return number if exhaustive() else max(least, number // MATCHES_PER_SAMPLED)
