"""The extent of the tests of faults: enough for a change, or hours of it."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from tests.support.sizes import exhaustive


class Scale(NamedTuple):
    """The extent of the tests."""

    matches: int
    """Matches at once."""
    rounds: int
    """The number of times that a fault strikes."""


SCALE: Final = Scale(50, 6) if os.environ.get("FUDABA_SOAK") else Scale(14 if exhaustive() else 6, 1)
"""`scripts/soak struck` sets the variable; `scripts/test` does not."""
