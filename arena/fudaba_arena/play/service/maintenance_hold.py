"""Holds back blocks for maintenance: none begins during it, or so shortly before that it would not end in time."""

from __future__ import annotations

import time
from typing import Final, final

from fudaba_arena.play.service.maintenance import KnownMaintenance

__all__ = ["MaintenanceHold"]

_MAX_LEAD_SECONDS: Final = 3600.0
"""The longest time before maintenance in which no block begins: longer blocks pause during it."""


@final
class MaintenanceHold:
    """Whether maintenance holds back the blocks of one tournament. It depends on how long the latest blocks took."""

    def __init__(self, maintenance: KnownMaintenance) -> None:
        self._maintenance = maintenance
        self._took_seconds: dict[str, float] = {}
        """How long the latest block of each game took."""

    def __bool__(self) -> bool:
        return self._maintenance.begins_within(self._lead_seconds)

    @property
    def until_ms(self) -> int:
        """When blocks may begin again at the latest, in milliseconds since 1970; 0 if they may now."""
        return self._maintenance.end_ms if self else 0

    def note_end(self, game: str, opened_ms: int) -> None:
        """Notes that a block of a game has just been played, which was opened at a time in milliseconds since 1970.

        A block that maintenance interrupted says nothing about the usual time.
        """
        if self._maintenance.begun_end_ms < opened_ms:
            self._took_seconds[game] = time.time() - opened_ms / 1000

    @property
    def _lead_seconds(self) -> float:
        return min(_MAX_LEAD_SECONDS, max(self._took_seconds.values(), default=0.0))
