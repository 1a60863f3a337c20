"""The time at which each bot last played a block that counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import final

import numpy as np

from fudaba_arena.store.blocks.closed_stretch import VOID_KIND
from fudaba_arena.store.blocks.kinds import bots_of
from fudaba_arena.store.sealed.derived_values import Ints

__all__ = ["LastPlayed"]


@final
class LastPlayed:
    """Knows the times for the blocks that it has read, and reads each block once. Several threads may ask."""

    def __init__(self) -> None:
        self._times_ms: dict[str, int] = {}
        self._read = 0
        """The number of blocks read so far."""
        self._lock = threading.Lock()

    def up_to(self, end: int, blocks: Callable[[int], tuple[Ints, Ints, list[bytes]]]) -> Mapping[str, int]:
        """Returns the closing time of each bot's last counting block among the first `end`, in ms since 1970.

        `blocks` returns the kinds and the closing times of the blocks from a place up to `end`, and the names of all
        kinds.
        """
        with self._lock:
            if end > self._read:
                kinds, closed_ms, names = blocks(self._read)
                newest = np.zeros(len(names), np.int64)
                np.maximum.at(newest, kinds[kinds != VOID_KIND], closed_ms[kinds != VOID_KIND])
                for kind in np.flatnonzero(newest).tolist():
                    for bot in bots_of(names[kind]):
                        self._times_ms[bot] = max(self._times_ms.get(bot, 0), int(newest[kind]))
                self._read = end
            return dict(self._times_ms)
