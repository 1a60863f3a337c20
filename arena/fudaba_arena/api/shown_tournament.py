"""A tournament as a caller may see it: whole, or as it was when its standings were frozen."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock

__all__ = ["ShownTournament"]


class ShownTournament(Protocol):
    """See the module."""

    @property
    def state(self) -> ScheduledTournament:
        """The state of the tournament."""

    @property
    def plan(self) -> BlockPlan | None:
        """The plan being played; None if nothing is, or nothing is shown of it."""

    async def closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        """Returns the closed ones among some blocks."""
