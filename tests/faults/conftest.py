"""What the tests of faults share: folders, a real Redis, and how much of everything there is."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from tests.service.conftest import folder, redis

__all__ = ["SCALE", "Scale", "folder", "redis"]


class Scale(NamedTuple):
    """How much of everything there is."""

    matches: int
    """Matches at once."""
    rounds: int
    """How often a fault strikes."""


SCALE: Final = Scale(50, 6) if os.environ.get("FUDABA_SOAK") else Scale(14, 1)
"""`scripts/soak struck` sets the variable; `scripts/test` does not."""
