"""Assigns cores to submitted bots: each has its own if a worker has enough; otherwise all share all of them.

The rule considers only the number of seats that the worker's bots play at once, the number of its cores, and whether a
bot may use more than one: so it treats all bots of a match alike. A worker whose bots have their own cores keeps the
others for all else: the relays, built-in bots, checks and builds of submissions, and bots that may use several cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, final

__all__ = ["Cores"]

_MIN_OWN_CORES: Final = 1
"""The cores that a worker keeps for itself."""


@final
class Cores:
    """The cores of one worker."""

    def __init__(self, seats: int, cores: Sequence[int] = (), *, can_pin: bool = True) -> None:
        """`seats` is the number of seats that its bots play at once; `cores` are the usable cores, by number."""
        own = list(cores)
        pins = can_pin and seats + _MIN_OWN_CORES <= len(own)
        self._free = own[len(own) - seats :] if pins else []
        self.rest: Sequence[int] = own[: len(own) - seats] if pins else []
        """The cores that the worker keeps for itself and for everything but the seats; empty where cores are shared."""

    @property
    def pins(self) -> bool:
        """Whether bots have their own cores here."""
        return bool(self.rest)

    @contextmanager
    def taken(self, cores: float) -> Iterator[Sequence[int]]:
        """Yields the core of a bot that may use `cores` at once, until the context is left; empty if the bot shares
        cores.
        """
        if cores > 1 or not self._free:
            yield ()
            return
        own = self._free.pop()
        try:
            yield [own]
        finally:
            self._free.append(own)
