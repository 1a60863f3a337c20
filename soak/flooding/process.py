"""The memory and the processor time that processes use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, final

_PAGES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@final
class Process:
    """The target, measured from outside: a process, or one with its front. Their memory is added up."""

    def __init__(self, pid: int, *beside: int) -> None:
        """The processes beside the first one share much memory with each other, which is not counted."""
        self._folders = [Path(f"/proc/{process_id}") for process_id in (pid, *beside)]
        self.most_mb = self.memory_mb()
        """The highest value so far."""

    def memory_mb(self) -> int:
        """Returns the memory that it uses, in MiB."""
        first, *beside = [tuple(map(int, (folder / "statm").read_text().split()[1:3])) for folder in self._folders]
        pages = first[0] + sum(resident - shared for resident, shared in beside)
        return pages * _PAGES // 2**20

    def look(self) -> None:
        """Measures the memory now."""
        self.most_mb = max(self.most_mb, self.memory_mb())

    def cpu_seconds(self) -> float:
        """Returns the processor time that it has used."""
        fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in self._folders]
        return sum(int(columns[11]) + int(columns[12]) for columns in fields) / _TICKS
