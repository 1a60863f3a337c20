"""Assigns cores to submitted bots: each has one of its own where a worker has enough, else all share all of them.

The rule looks at nothing but in how many seats bots of the worker play at once, how many cores it has, and whether a
bot may use more than one: so all bots of a match are treated alike. A worker whose bots have cores of their own keeps
the others for all else: the relays, built-in bots, checks and builds of submissions, and bots that may use several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, final

__all__ = ["Cores"]

_MIN_OWN_CORES: Final = 1
"""Cores that a worker keeps for itself."""


@final
class Cores:
    """The cores of one worker."""

    def __init__(self, seats: int, cores: Sequence[int] = (), *, can_pin: bool = True) -> None:
        """`seats`: in how many seats its bots play at once; `cores`: those that it may use, by their numbers."""
        own = list(cores)
        pins = can_pin and seats + _MIN_OWN_CORES <= len(own)
        self._free = own[len(own) - seats :] if pins else []
        self.rest: Sequence[int] = own[: len(own) - seats] if pins else []
        """The cores that the worker keeps for itself and for everything but the seats; empty where cores are shared."""

    @property
    def pins(self) -> bool:
        """Whether bots have cores of their own here."""
        return bool(self.rest)

    @contextmanager
    def taken(self, cores: float) -> Iterator[Sequence[int]]:
        """Yields the core of a bot that may use `cores` at once, until the block is left; empty if it shares them."""
        if cores > 1 or not self._free:
            yield ()
            return
        own = self._free.pop()
        try:
            yield [own]
        finally:
            self._free.append(own)
