"""The heartbeat of a replica, and its stored form."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Heartbeat", "machine_of"]


class Heartbeat(NamedTuple):
    """A heartbeat of a replica."""

    at_ms: int
    """The time when it reached the store."""
    hears_ms: int = 0
    """The time until which the replica is known to hear what is new, and to be answered; 0 before it listens."""
    lag_ms: int = 0
    """How late it hears that."""
    wall_ms: int | None = None
    """The lead of the shared time over the wall clock of the replica's machine."""
    since_boot_ms: int = 0
    """The lead of the shared time over the time since the replica's machine was started."""
    boot: int = 0
    """The start of the machine, see `BootClock`; 0 for none."""
    open_ms: int = 0
    """The time by which the shared time may be later than all this says, by its replica's knowledge."""

    def pack(self) -> tuple[str, int]:
        """Returns the values of its two hashes: `keys.BEATS` has the numbers in order, `keys.BEATS_OPEN` the last."""
        return " ".join(map(str, self[:-1])), self.open_ms

    @classmethod
    def unpack(cls, raw: bytes, open_ms: bytes) -> Heartbeat:
        """Reads these values. A later release may add numbers at the end of the first."""
        known = len(cls._fields) - 1
        return cls(*map(int, raw.split()[:known]))._replace(open_ms=int(open_ms))

    @property
    def sound_ms(self) -> int:
        """The time until which the replica could serve its bots, as far as this tells."""
        return min(self.at_ms, self.hears_ms or self.at_ms)


def machine_of(replica: str) -> str:
    """Returns the machine of a replica: `machine-process-random` is its name."""
    return replica.rsplit("-", 2)[0]
