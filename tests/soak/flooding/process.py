"""What processes take of their machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, final

_SHARE: Final = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


@final
class Process:
    """What is struck, looked at from outside: a process, or one with its front, whose memory is added up."""

    def __init__(self, *pids: int) -> None:
        self._folders = [Path(f"/proc/{pid}") for pid in pids]
        self.most_mb = self.memory_mb()
        """The most that was seen."""

    def memory_mb(self) -> int:
        """How much memory it uses, in MiB; what several processes share counts once."""
        found = [_SHARE.search((folder / "smaps_rollup").read_text()) for folder in self._folders]
        return sum(int(one[1]) for one in found if one is not None) // 1024

    def look(self) -> None:
        """Notes how much that is now."""
        self.most_mb = max(self.most_mb, self.memory_mb())

    def cpu_seconds(self) -> float:
        """How much processor time it has had."""
        fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in self._folders]
        return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")
