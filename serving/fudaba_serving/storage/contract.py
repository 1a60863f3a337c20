"""What a storage is asked: files by name, in a folder or at a URL. `fudaba_serving.storage.urls` has both kinds."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final, Protocol

__all__ = ["BadPlace", "Storage", "StorageUnavailable", "what_helps"]

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class StorageUnavailable(Exception):
    """The storage, or a file in it, cannot be read or written now."""


class BadPlace(Exception):
    """A place where nothing can be kept: the message says what to do."""


class Storage(Protocol):
    """Files by name: paths with `/`, such as `3f/m-1.fudaba`. All operations raise `StorageUnavailable`."""

    @property
    def where(self) -> str:
        """The folder or URL, for people. It tells no password."""

    async def prepare(self) -> None:
        """Checks that files can be written here."""

    async def read(self, name: str) -> bytes | None:
        """A file's content; None when there is no such file."""

    async def has(self, name: str) -> bool:
        """Whether there is a file of the name."""

    def pieces(self, name: str) -> AsyncIterator[bytes]:
        """A file's content in pieces of a few megabytes. Raises `FileNotFoundError` when there is no such file."""

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """The content of many; None for each that is not there."""

    async def create(self, name: str, content: bytes) -> bool:
        """Writes a new file; False when there is one of the name, which stays."""

    async def create_from(self, name: str, source: Path) -> bool:
        """Writes a new file with the content of one of this host; False when there is one of the name, which stays."""

    async def put(self, name: str, content: bytes) -> None:
        """Writes a file, in the place of the one that has the name."""

    async def put_from(self, name: str, source: Path) -> None:
        """Writes a file with the content of one of this host, in the place of the one that has the name."""

    async def remove(self, names: Sequence[str]) -> None:
        """Removes files. Those that are not there are no matter."""

    def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """The names with a suffix, in lists of any length; of files that come and go meanwhile, some."""


def what_helps(error: BaseException, option: str, place: str = "folder") -> str:
    """What to do about a place that cannot be written, which an option names: what the cause of the error says."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number in _NO_ROOM:
        return f"make room on its disk, or name another {place} with {option}"
    if number == errno.EROFS:
        return f"mount it for writing, or name another {place} with {option}"
    return f"name a {place} that you may write to with {option}"
