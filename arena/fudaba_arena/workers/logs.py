"""The output of the bots that a worker starts: one file for each match of a bot given as a command.

```
LOGS/built-in-KIND.log         all built-in bots of a kind
LOGS/BOT-VERSION/MATCH.log     one match of one bot; what was too long for it is in MATCH.log.1
```

Each file is bounded, and so are all of them together: the oldest go first.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba.bot_program import BotLog
from fudaba_arena.errors import Say
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["Logs", "LogsKept"]

_SWEEP_SECONDS: Final = 600.0
_DAY_SECONDS: Final = 86_400.0
_BLOCK_BYTES: Final = 512
"""The size of a block, as `st_blocks` counts them."""


@final
@dataclass(frozen=True, slots=True)
class LogsKept:
    """The limits on the kept output of single matches."""

    days: float = 30.0
    """The days for which logs are kept after their last line; 0 for ever."""
    megabytes: int = 1024
    """The megabytes that they may use on the disk; 0 for any number. They may briefly use more."""


@final
class Logs:
    """The files in one folder."""

    def __init__(self, folder: Path, kept: LogsKept = LogsKept()) -> None:
        self.folder = folder
        """The folder; it may not exist yet."""
        self._kept = kept
        self._open: set[Path] = set()

    def of_built_in(self, kind: str) -> Path:
        """Returns the file for all bots of a kind."""
        return self.folder / f"built-in-{''.join(c if c.isalnum() else '-' for c in kind)}"

    def of_match(self, bot: BotEntry, match_id: str) -> BotLog:
        """Returns the file for one match, until `close`."""
        log = BotLog(self.folder / f"{bot.bot}-{bot.version}" / f"{match_id}.log")
        self._open.add(log.path)
        return log

    def close(self, log: BotLog) -> None:
        """Notes that a match is over, so that its file may be removed in time."""
        log.close()
        self._open.discard(log.path)

    async def keep_sweeping(self, say: Say) -> None:
        """Removes expired files, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.sweep, time.time())
            except OSError as error:
                say(f"old output of bots in {self.folder} cannot be removed: {error}")
            await asyncio.sleep(_SWEEP_SECONDS)

    def sweep(self, now: float) -> None:
        """Removes expired files of finished matches, as of a time in seconds since 1970. Raises `OSError`."""
        busy = self._open.copy()
        found = []
        for path in self.folder.glob("*/*.log*"):
            if path in busy or path.with_suffix("") in busy:
                continue
            try:
                about = path.stat()
            except FileNotFoundError:
                continue  # another worker with this folder has removed it
            found.append((about.st_mtime, max(about.st_size, about.st_blocks * _BLOCK_BYTES), path))
        found.sort()
        left = sum(size for _, size, _ in found)
        for written, size, path in found:
            old = 0 < self._kept.days * _DAY_SECONDS < now - written
            if old or 0 < self._kept.megabytes * 1_000_000 < left:
                path.unlink(missing_ok=True)
                left -= size
