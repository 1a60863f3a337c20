"""The numbers of a tournament's blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

__all__ = ["GROWING", "BlockNumbers"]


@final
@dataclass(frozen=True, slots=True)
class BlockNumbers:
    """The numbers of a schedule's blocks: the block of slot *s* at attempt *a* has the number *s* + *a* · `step`."""

    step: int
    """The step from one attempt to the next, greater than every slot."""

    def number(self, slot: int, attempt: int) -> int:
        """Returns the number of the block of a slot at an attempt."""
        return slot + attempt * self.step

    def slot(self, number: int) -> int:
        """Returns the slot of the block with a number, also of a block that is not known here yet."""
        return number % self.step

    def attempt(self, number: int) -> int:
        """Returns the attempt of the block with a number."""
        return number // self.step


GROWING: Final = BlockNumbers(2**32)
"""The numbers of a schedule to which slots are added. They stay the same meanwhile."""
