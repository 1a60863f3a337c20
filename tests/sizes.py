"""How much of what is alike in every game the tests look at: a sample, or all of it in the exhaustive run.

`scripts/test --all` is the exhaustive run. It also has the tests that are marked `exhaustive`.
"""

from __future__ import annotations

import os
from typing import Final

PART: Final = 10
"""A test that is sampled looks at one of this many matches, positions or examples of the exhaustive run."""


def exhaustive() -> bool:
    """Whether this is the exhaustive run. The variable reaches all processes of it, those that tests start too."""
    return os.environ.get("EXHAUSTIVE_TESTS") == "true"


def some(number: int, least: int = 1) -> int:
    """`number` in the exhaustive run; else the part of it that a sample has, though no fewer than `least`."""
    return number if exhaustive() else max(least, number // PART)
