"""The operations of a storage: files by name, in a folder or at a URL. `fudaba_serving.storage.urls` has both kinds."""

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
    """The place cannot keep anything. The message says what to do."""


class Storage(Protocol):
    """Files by name. Names are paths with `/`, such as `3f/m-1.fudaba`. All operations raise `StorageUnavailable`."""

    @property
    def where(self) -> str:
        """The folder or URL, to show to people. It contains no password."""

    async def prepare(self) -> None:
        """Checks that files can be written here."""

    async def read(self, name: str) -> bytes | None:
        """Returns a file's content; None if the file does not exist."""

    async def has(self, name: str) -> bool:
        """Returns whether a file has the name."""

    def pieces(self, name: str) -> AsyncIterator[bytes]:
        """Yields a file's content in pieces of a few megabytes.

        Raises `FileNotFoundError` if the file does not exist.
        """

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """Returns the content of many files; None for each one that does not exist."""

    async def create(self, name: str, content: bytes) -> bool:
        """Writes a new file. Returns False if a file has the name already; that file stays."""

    async def create_from(self, name: str, source: Path) -> bool:
        """Writes a new file with the content of a local one.

        Returns False if a file has the name already; that file stays.
        """

    async def put(self, name: str, content: bytes) -> None:
        """Writes a file. Replaces the file that has the name, if there is one."""

    async def put_from(self, name: str, source: Path) -> None:
        """Writes a file with the content of a local one. Replaces the file that has the name, if there is one."""

    async def remove(self, names: Sequence[str]) -> None:
        """Removes files. Ignores those that do not exist."""

    def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """Yields the names with a suffix, in lists of any length.

        A file that comes or goes meanwhile may be listed or not.
        """


def what_helps(error: BaseException, option: str, place: str = "folder") -> str:
    """Returns advice about a place that cannot be written; `option` is the option that names the place.

    The advice depends on the first OSError among the error and its causes.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number in _NO_ROOM:
        return f"make room on its disk, or name another {place} with {option}"
    if number == errno.EROFS:
        return f"mount it for writing, or name another {place} with {option}"
    return f"name a {place} that you may write to with {option}"
