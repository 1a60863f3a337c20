"""The folder of programs that are ready to run: a cache that the workers of one machine may share.

```
FOLDER/NAME        a program, unpacked or built
FOLDER/used/NAME   locked as long as somebody uses it; its time says when that was last, its content how large it is
FOLDER/new-*       what is half done: locked as long as somebody is at it
FOLDER/lock        held for a moment by whoever begins something here, or removes something
```

The cache is bounded: the least recently used programs go first, but none in use. A removed program is unpacked or built
again when it is needed. No lock is on anything that a program sees. A worker of an earlier release, which may play
beside this one, locks nothing, so any folder that a process of this host works in or has mounted counts as in use, too.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, final

from fudaba_arena.limits import MEGABYTE
from fudaba_arena.programs.folders_in_use import played_here
from fudaba_arena.programs.host_steps import Scratch

__all__ = ["MAX_PROGRAM_BYTES", "ProgramCache"]

MAX_PROGRAM_BYTES: Final = 20_000 * MEGABYTE
"""The default limit on the total size of a worker's programs."""
_USED: Final = "used"
_NEW: Final = "new-"
_PROGRAM: Final = re.compile(r"[0-9a-f]{64}(-.*)?")
"""The pattern of programs' names. Nothing else in the folder is touched, since it may be older."""
_BLOCK_BYTES: Final = 512
"""The unit of `st_blocks`."""


class _CachedProgram(NamedTuple):
    used_ns: int
    name: str
    size: int


@final
class ProgramCache:
    """The programs that are ready on this machine. All methods raise `OSError`."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """`most_bytes` bounds the size of all programs together; those in use may exceed it."""
        self.folder = folder
        self.most_bytes = most_bytes

    def open(self) -> None:
        """Removes what dead workers left unfinished, and what exceeds the bound."""
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        (self.folder / _USED).mkdir(mode=0o700, exist_ok=True)
        with _locked(self.folder / "lock"):
            for path in self.folder.glob(f"{_NEW}*"):
                place = os.open(path, os.O_RDONLY)
                try:
                    if _lock_now(place):  # otherwise another worker is removing it
                        shutil.rmtree(path)
                finally:
                    os.close(place)
            for path in self._programs():
                use = self.folder / _USED / path.name
                if not use.exists() or not use.stat().st_size:  # an earlier release or a worker that died left it
                    self._note(path, path.stat().st_mtime_ns)
        self.trim()

    @contextmanager
    def scratch(self) -> Iterator[Scratch]:
        """Yields a folder beside the programs, until the context is left and no step works in it.

        If this process dies, the next one that opens the cache removes it.
        """
        with _locked(self.folder / "lock"):
            place = Path(tempfile.mkdtemp(prefix=_NEW, dir=self.folder))
            lock = os.open(place, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)

        def clean_up() -> None:
            try:
                shutil.rmtree(place)
            finally:
                os.close(lock)

        scratch = Scratch(place)
        try:
            yield scratch
        finally:
            scratch.when_over(clean_up)

    @contextmanager
    def using(self, name: str) -> Iterator[Path]:
        """Yields the path of a program, existing or to come. The program is not removed until the context is left."""
        use = self.folder / _USED / name
        with _locked(self.folder / "lock"):
            lock = os.open(use, os.O_CREAT | os.O_RDWR, 0o600)
            # This does not block: an exclusive lock is only taken under the folder's lock.
            fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            os.utime(lock)
            yield self.folder / name
        finally:
            os.utime(lock)
            os.close(lock)

    def take_in(self, made: Path, name: str) -> None:
        """Makes a folder a program, which must be in use. If one of the name exists, that stays."""
        place = self.folder / name
        try:
            made.rename(place)
        except OSError:
            if not place.exists():
                raise
            return  # another worker stored the same content first
        self._note(place, None)

    def trim(self) -> None:
        """Removes the least recently used programs that are not in use, until the rest is small enough."""
        for path in (self.folder / _USED).iterdir():
            if not (self.folder / path.name).exists():
                self._remove(path.name)
        cached_programs = sorted(self._cached())
        total = sum(cached.size for cached in cached_programs)
        played = played_here() if total > self.most_bytes else frozenset()
        for cached in cached_programs:
            if total <= self.most_bytes:
                return
            if cached.name not in played and self._remove(cached.name):
                total -= cached.size

    def discard(self, source: str) -> None:
        """Removes the program with this hash, and its builds, unless they are in use."""
        found = [path.name for path in self._programs() if path.name == source or path.name.startswith(f"{source}-")]
        for name in set(found) - played_here():
            self._remove(name)

    def total_bytes(self) -> int:
        """Returns the total size of all programs."""
        return sum(cached.size for cached in self._cached())

    def _remove(self, name: str) -> bool:
        """Removes a program and the note of its use. Returns False if it is in use."""
        use = self.folder / _USED / name
        with self.scratch() as scratch, _locked(self.folder / "lock"):
            lock = os.open(use, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                if not _lock_now(lock):
                    return False
                if (self.folder / name).exists():
                    (self.folder / name).rename(scratch.folder / "removed")
                use.unlink()
            finally:
                os.close(lock)
        return True

    def _programs(self) -> list[Path]:
        return [path for path in self.folder.iterdir() if _PROGRAM.fullmatch(path.name)]

    def _cached(self) -> Iterator[_CachedProgram]:
        for path in self._programs():
            use = self.folder / _USED / path.name
            try:
                size, used_ns = int(use.read_text(encoding="ascii") or 0), use.stat().st_mtime_ns
            except FileNotFoundError:  # another worker removes the program now, or is adding it
                continue
            yield _CachedProgram(used_ns, path.name, size)

    def _note(self, place: Path, used_ns: int | None) -> None:
        """Notes the size of a program and its time of use; None for now."""
        use = self.folder / _USED / place.name
        use.write_text(str(_size(place)), encoding="ascii")
        if used_ns is not None:
            os.utime(use, ns=(used_ns, used_ns))


def _size(folder: Path) -> int:
    """Returns the disk space of a folder in bytes."""
    paths = [folder, *(Path(place) / name for place, *names in os.walk(folder) for name in [*names[0], *names[1]])]
    return sum(path.lstat().st_blocks for path in paths) * _BLOCK_BYTES


def _lock_now(descriptor: int) -> bool:
    """Takes the exclusive lock of a file, if it is free."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
