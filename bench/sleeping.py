"""A bot that sleeps before each move, and then plays the first one. One process plays all seats; see `arena.py`."""

from __future__ import annotations

import asyncio
import os

import fudaba

SECONDS = float(os.environ.get("SLEEP", "0.05"))


class Sleeping(fudaba.Bot):
    """A bot that sleeps and uses next to no CPU."""

    async def choose(self, decision: fudaba.Decision) -> int:  # noqa: ARG002  # it looks at nothing
        """Returns any move."""
        await asyncio.sleep(SECONDS)
        return 0
