"""The heartbeat of a replica, and its stored form."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Heartbeat", "machine_of"]


class Heartbeat(NamedTuple):
    """A replica's heartbeat."""

    at_ms: int
    """The time when it reached the store."""
    hears_ms: int = 0
    """The time until which the replica is known to hear news and to get answers; 0 before it listens."""
    lag_ms: int = 0
    """Its delay in hearing news."""
    wall_ms: int | None = None
    """The lead of the shared time over the wall clock of the replica's machine."""
    since_boot_ms: int = 0
    """The lead of the shared time over the time since the replica's machine was started."""
    boot: int = 0
    """The boot of the machine, see `BootClock`; 0 for none."""
    open_ms: int = 0
    """How much later the shared time may be than these values, by its replica's knowledge."""

    def pack(self) -> tuple[str, int]:
        """Returns the values for its two hashes: `keys.BEATS` has the numbers in order, `keys.BEATS_OPEN` has the
        last.
        """
        return " ".join(map(str, self[:-1])), self.open_ms

    @classmethod
    def unpack(cls, raw: bytes, open_ms: bytes) -> Heartbeat:
        """Parses these values. A later release may add numbers at the end of the first."""
        known = len(cls._fields) - 1
        return cls(*map(int, raw.split()[:known]))._replace(open_ms=int(open_ms))

    @property
    def sound_ms(self) -> int:
        """The time until which the replica could serve its bots, as far as this tells."""
        return min(self.at_ms, self.hears_ms or self.at_ms)


def machine_of(replica: str) -> str:
    """Returns the machine of a replica, whose name is `machine-process-random`."""
    return replica.rsplit("-", 2)[0]
