"""Storages in a folder, or at a URL that fsspec knows, such as `s3://bucket/prefix`: files by name.

A folder is written as carefully as a database, see `fudaba_serving.storage.folder`. At a URL, that care is up to the
storage. It only has to be able to create a file without overwriting one, which `prepare` tries. Large files are moved
in pieces: `pieces`, `create_from` and `put_from` hold a few megabytes of them in memory.

Nothing here blocks the event loop. Threads read and write the files of a folder; fsspec's own event loop, in a thread
of its own, reads and writes those at a URL. A storage that does not answer in time counts as one that cannot be
reached.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from functools import partial
from hashlib import sha256
from inspect import signature
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar, final
from urllib.parse import unquote, urlsplit

from fudaba.installing import how_to_install
from fudaba_serving.storage.contract import BadPlace, Storage, StorageUnavailable, what_helps
from fudaba_serving.storage.folder import FolderStorage

__all__ = ["BadPlace", "FolderStorage", "Storage", "StorageUnavailable", "UrlStorage", "storage_at", "what_helps"]

Result = TypeVar("Result")

_ANSWER_SECONDS: Final = 10.0
"""The time in seconds that a storage may take for one file, whatever its size."""
_MIN_BYTES_PER_SECOND: Final = 1_000_000
"""The least bytes a second that a storage must move: a large file gets more time."""
_OPENING_SECONDS: Final = 60.0
"""The time in seconds that the first operation of `prepare` may take: it loads the modules of the protocol."""
_MAX_FILES_AT_ONCE: Final = 16
"""The number of files that `read_all` reads at once at a URL; the same number may be written or removed at once."""
_PIECE_BYTES: Final = 8 * 1024 * 1024
"""The size of the pieces in which a large file is read, and in which it is written where a store takes parts."""
_IN_PARTS: Final = {"chunksize": _PIECE_BYTES, "max_concurrency": 2}
"""The options for stores that take large files in parts: S3's library would hold ten parts of 50 MiB in memory."""
_GONE_WITH_THE_PROCESS: Final = frozenset({"memory"})


def storage_at(place: str) -> Storage:
    """Returns the storage in a folder or at a URL. Raises `BadPlace`."""
    if "://" not in place:
        return FolderStorage(Path(place))
    parts = urlsplit(place.partition("::")[0])
    if parts.scheme in {"file", "local"}:
        if parts.netloc not in {"", "localhost"}:
            raise BadPlace(f"{place} names a folder of another machine; write file:///path")
        return FolderStorage(Path(unquote(parts.path)))
    return UrlStorage(place)


@final
class UrlStorage:
    """See `Storage`. The first operation loads fsspec and the modules of the URL's protocol.

    An operation raises `BadPlace` if these are missing or cannot use the URL.
    """

    def __init__(self, url: str) -> None:
        """Raises `BadPlace` for a protocol that keeps its files in the process only."""
        self._url = url.rstrip("/")
        protocol = urlsplit(url).scheme
        if protocol in _GONE_WITH_THE_PROCESS:
            raise BadPlace(f"{url} keeps nothing: it is gone with the process; name a folder, or an object store")
        self._reading = asyncio.Semaphore(_MAX_FILES_AT_ONCE)
        self._writing = asyncio.Semaphore(_MAX_FILES_AT_ONCE)
        self._opening = asyncio.Lock()
        self._opened: tuple[Any, str] | None = None

    @property
    def where(self) -> str:
        """See `Storage`."""
        parts = urlsplit(self._url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

    @property
    def digest(self) -> str:
        """A name for the place that can also name a folder: twelve hexadecimal digits."""
        return sha256(self.where.encode()).hexdigest()[:12]

    async def prepare(self) -> None:
        """See `Storage`. Raises `BadPlace` if a file can be created twice."""
        name = f".probe-{secrets.token_hex(8)}"
        await self._do("read", name, lambda fs, path: _unless_gone(fs._cat_file(path)), _OPENING_SECONDS)
        if not await self.create(name, b"first"):
            raise StorageUnavailable(f"{self.where}/{name} cannot be created")
        again = await self.create(name, b"second")
        await self.remove([name])
        if again:
            raise BadPlace(
                f"{self.where} writes over a file that was to be created, so two replicas could write two ends of a "
                "match; name a storage with conditional writes, as S3 has since 2024, or a folder"
            )

    async def read(self, name: str) -> bytes | None:
        """See `Storage`."""
        found: bytes | None = await self._do("read", name, lambda fs, path: _unless_gone(fs._cat_file(path)))
        return found

    async def has(self, name: str) -> bool:
        """See `Storage`."""
        found: Any = await self._do("read", name, lambda fs, path: _unless_gone(fs._info(path)))
        return found is not None

    async def pieces(self, name: str) -> AsyncIterator[bytes]:
        """See `Storage`."""
        about: Any = await self._do("read", name, lambda fs, path: _unless_gone(fs._info(path)))
        if about is None:
            raise FileNotFoundError(name)
        for start in range(0, about["size"], _PIECE_BYTES):
            end = min(about["size"], start + _PIECE_BYTES)
            read = partial(_range, start=start, end=end)
            piece: bytes | None = await self._do("read", name, read, _seconds_for(end - start))
            if piece is None:
                raise FileNotFoundError(name)
            yield piece

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """See `Storage`."""
        return await asyncio.gather(*[self._read_in_turn(name) for name in names])

    async def _read_in_turn(self, name: str) -> bytes | None:
        async with self._reading:
            return await self.read(name)

    async def create(self, name: str, content: bytes) -> bool:
        """See `Storage`."""
        return await self._created(name, content)

    async def create_from(self, name: str, source: Path) -> bool:
        """See `Storage`."""
        return await self._created(name, source)

    async def _created(self, name: str, content: bytes | Path) -> bool:
        async with self._writing:
            seconds = _seconds_for(_size(content))
            return await self._do("created", name, lambda fs, path: _create(fs, path, content), seconds)

    async def put(self, name: str, content: bytes) -> None:
        """See `Storage`."""
        await self._put(name, content)

    async def put_from(self, name: str, source: Path) -> None:
        """See `Storage`."""
        await self._put(name, source)

    async def _put(self, name: str, content: bytes | Path) -> None:
        async with self._writing:
            write = partial(_write, content=content, mode="overwrite")
            await self._do("written", name, write, _seconds_for(_size(content)))

    async def remove(self, names: Sequence[str]) -> None:
        """See `Storage`."""
        for name in names:
            async with self._writing:
                await self._do("removed", name, lambda fs, path: _unless_gone(fs._rm_file(path)))

    async def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """See `Storage`."""
        for folder in await self._do("listed", "", _folders):
            yield [
                f"{folder}/{name}"
                for name in await self._do("listed", folder, _files)
                if name.endswith(suffix) and not name.startswith(".")
            ]

    async def _do(
        self,
        done: str,
        name: str,
        operation: Callable[[Any, str], Coroutine[Any, Any, Result]],
        seconds: float | None = None,
    ) -> Result:
        """Runs an operation on fsspec's event loop, for at most `seconds`, or `_ANSWER_SECONDS`.

        Raises `StorageUnavailable` if it fails or takes longer, and `BadPlace` if the URL cannot be used.
        """
        seconds = seconds or _ANSWER_SECONDS
        path_of = f"{self.where}/{name}" if name else self.where
        try:
            async with asyncio.timeout(seconds):
                fs, root = await self._filesystem()
                running = asyncio.run_coroutine_threadsafe(operation(fs, f"{root}/{name}" if name else root), fs.loop)
                return await asyncio.wrap_future(running)
        except TimeoutError as error:
            self._forget()
            message = f"{path_of} cannot be {done}: no answer within {seconds:g} seconds"
            raise StorageUnavailable(message) from error
        except BadPlace:
            raise
        except Exception as error:  # each storage has its own errors
            self._forget()
            raise StorageUnavailable(f"{path_of} cannot be {done}: {type(error).__name__}: {error}") from error

    def _forget(self) -> None:
        """Drops the file system, so that the next operation connects again, if the storage does not do so itself."""
        if self._opened is not None and hasattr(self._opened[0], "sync_fs"):
            self._opened = None

    async def _filesystem(self) -> tuple[Any, str]:
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(_open, self._url)
            return self._opened


def _open(url: str) -> tuple[Any, str]:
    """Returns the storage's file system, with coroutines, and the storage's path in it. Raises `BadPlace`."""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415  # it comes with an extra
        from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper  # noqa: PLC0415
    except ImportError:
        raise BadPlace(f"{url} needs fsspec; install it: {how_to_install('archive')}") from None
    try:
        fs, root = url_to_fs(url, skip_instance_cache=True)
    except (ImportError, ValueError) as error:
        raise BadPlace(f"{url} cannot be used: {error}") from error
    if not fs.async_impl:
        fs = AsyncFileSystemWrapper(fs, asynchronous=False)
    return fs, root.rstrip("/")


async def _unless_gone(operation: Awaitable[Result]) -> Result | None:
    try:
        return await operation
    except FileNotFoundError:
        return None


async def _range(fs: Any, path: str, *, start: int, end: int) -> bytes | None:
    return await _unless_gone(fs._cat_file(path, start=start, end=end))


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _seconds_for(size: int) -> float:
    """Returns the time in seconds that a read or a write of `size` bytes may take."""
    return _ANSWER_SECONDS + size / _MIN_BYTES_PER_SECOND


async def _create(fs: Any, path: str, content: bytes | Path) -> bool:
    try:
        await _write(fs, path, content, "create")
    except FileExistsError:
        return False
    except OSError as error:
        response = getattr(error.__cause__, "response", {})  # some S3 servers do not say which condition failed
        if response.get("Error", {}).get("Code") != "PreconditionFailed":
            raise
        return False
    return True


async def _write(fs: Any, path: str, content: bytes | Path, mode: str) -> None:
    try:
        await _write_once(fs, path, content, mode)
    except FileNotFoundError:
        if not hasattr(fs, "sync_fs"):  # an object store has no folders
            raise
        await fs._makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        await _write_once(fs, path, content, mode)


async def _write_once(fs: Any, path: str, content: bytes | Path, mode: str) -> None:
    if isinstance(content, bytes):
        await fs._pipe_file(path, content, mode=mode)
        return
    known = signature(fs._put_file).parameters
    in_parts = {name: value for name, value in _IN_PARTS.items() if name in known}
    await fs._put_file(str(content), path, mode=mode, **in_parts)


async def _folders(fs: Any, path: str) -> list[str]:
    fs.invalidate_cache()
    found = await _unless_gone(fs._ls(path, detail=True)) or []
    return sorted(PurePosixPath(entry["name"]).name for entry in found if entry["type"] == "directory")


async def _files(fs: Any, path: str) -> list[str]:
    found = await _unless_gone(fs._ls(path, detail=True)) or []
    return sorted(PurePosixPath(entry["name"]).name for entry in found if entry["type"] == "file")
