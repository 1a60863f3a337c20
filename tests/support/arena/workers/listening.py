"""Those who hear what becomes of blocks and of their matches, and do nothing with it."""

from __future__ import annotations

from typing import final

from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult


@final
class Heard:
    """A `Listener`."""

    def played(self, result: MatchResult) -> None:
        pass

    def gave_up(self, bot: str, why: str) -> None:
        pass

    def room_made(self) -> None:
        pass


async def nothing_to_see(_: BlockSpec, __: PlannedMatch) -> None:
    """No match ends here."""
