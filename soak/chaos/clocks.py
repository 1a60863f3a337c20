"""Wall clocks that can be set while a process runs, by an LD_PRELOAD library that reads an offset."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Final, final

from soak.shims import compiled

__all__ = ["Clock", "compile_shim"]

_SOURCE: Final = Path(__file__).with_name("clock_shim.c")


def compile_shim(folder: Path) -> Path | None:
    """Returns the compiled library; None if there is no compiler, or it fails."""
    return compiled(_SOURCE, folder)


@final
class Clock:
    """The wall clock of one process. Without a library it cannot be set, and shows the machine's time."""

    def __init__(self, file: Path, library: Path | None) -> None:
        file.write_bytes(struct.pack("=q", 0))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 8)
        self.can_jump = library is not None
        self.environment = {"LD_PRELOAD": str(library), "FUDABA_CLOCK_OFFSET": str(file)} if library else {}
        self.offset = 0.0

    def set(self, offset: float) -> None:
        """Sets the process's wall clock this many seconds ahead of the machine's."""
        self.offset = offset
        self._shared[:] = struct.pack("=q", int(offset * 1e9))
