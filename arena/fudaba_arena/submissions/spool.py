"""The spool: one file for each upload in progress."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError

__all__ = ["Spool", "SpoolFailed", "disk_faults"]

_UNPACKED: Final = ".unpacked"


@final
class SpoolFailed(ArenaError):
    """The arena's disk is full or fails."""


@contextmanager
def disk_faults() -> Iterator[None]:
    """Turns an `OSError` in its block into `SpoolFailed`."""
    try:
        yield
    except OSError as error:
        raise SpoolFailed(f"the arena cannot keep what is uploaded: {error.strerror or error}") from error


@final
class Spool:
    """A folder of uploads with a single user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def open(self, open_ids: Collection[str]) -> None:
        """Creates the folder, and removes every file in it that belongs to no upload of `open_ids`.

        Raises `SpoolFailed`.
        """
        with disk_faults():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            going_on = {_spool_name(open_id) for open_id in open_ids}
            for path in self._folder.iterdir():
                if path.name.endswith(_UNPACKED):
                    await asyncio.to_thread(shutil.rmtree, path)
                elif path.name not in going_on:
                    path.unlink()

    def received(self, submission_id: str) -> int:
        """Returns the number of received bytes of an upload. Raises `SpoolFailed`."""
        with disk_faults():
            try:
                return self.file(submission_id).stat().st_size
            except FileNotFoundError:
                return 0

    def written_ms(self, submission_id: str) -> int:
        """Returns the time when the last bytes of an upload came, in milliseconds since 1970. Raises `SpoolFailed`."""
        with disk_faults():
            return self.file(submission_id).stat().st_mtime_ns // 1_000_000

    def has(self, submission_id: str, offset: int, content: bytes) -> bool:
        """Returns whether an upload has these bytes at this offset. Raises `SpoolFailed`."""
        with disk_faults(), self.file(submission_id).open("rb") as file:
            file.seek(offset)
            return file.read(len(content)) == content

    def append(self, submission_id: str, received: int, content: bytes) -> None:
        """Adds bytes to an upload with `received` bytes. Raises `SpoolFailed`; then nothing is added."""
        with disk_faults(), self.file(submission_id).open("ab", buffering=0) as file:
            try:
                left = memoryview(content)
                while left:
                    left = left[file.write(left) :]
            except OSError:
                file.truncate(received)  # a part of it may be there
                raise

    def remove(self, submission_id: str) -> None:
        """Removes the file of an upload, if there is one. Raises `SpoolFailed`."""
        with disk_faults():
            self.file(submission_id).unlink(missing_ok=True)

    def file(self, submission_id: str) -> Path:
        """Returns the path of an upload's file."""
        return self._folder / _spool_name(submission_id)

    def unpacked(self, submission_id: str) -> Path:
        """Returns the path of the folder in which an upload is unpacked while it is checked."""
        return self.file(submission_id).with_suffix(_UNPACKED)


def _spool_name(submission_id: str) -> str:
    """Returns the name of an upload's file, which is unique even on a disk that ignores case."""
    return sha256(submission_id.encode()).hexdigest()[:32]
