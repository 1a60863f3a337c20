"""What a process takes of its machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import final


@final
class Process:
    """Looked at from outside."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")
        self.most_mb = self.memory_mb()
        """The most that was seen."""

    def memory_mb(self) -> int:
        """How much memory it uses, in MiB."""
        found = re.search(r"^VmRSS:\s+(\d+) kB", (self._folder / "status").read_text(), re.MULTILINE)
        return int(found[1]) // 1024 if found else 0

    def look(self) -> None:
        """Notes how much that is now."""
        self.most_mb = max(self.most_mb, self.memory_mb())

    def cpu_seconds(self) -> float:
        """How much processor time it has had."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
