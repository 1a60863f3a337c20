"""A clock that all processes of a machine share and nobody can set: the time since the machine's boot."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, final

__all__ = ["BootClock"]

_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@final
class BootClock:
    """See the module. Linux has one, which goes on while the machine sleeps; other systems have none."""

    def __init__(self) -> None:
        self.boot = 0
        """A number for this start of this machine; 0 where there is no such clock."""
        if hasattr(time, "CLOCK_BOOTTIME") and _ID.exists():
            self.boot = int(_ID.read_text().strip().replace("-", "")[:12], 16)

    def now_ms(self) -> float:
        """Returns the milliseconds since the machine's boot; 0 if there is no such clock."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 if self.boot else 0.0
