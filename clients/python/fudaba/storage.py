"""Where finished things are kept: files by name, in a folder or at a URL that fsspec knows, such as `s3://bucket/prefix`.

A folder is written with the care of a database: atomically, and on disk before a call returns. At a URL that is the
storage's affair; what is asked of it is that it can create a file only where there is none, which `prepare` tries.

Nothing here blocks the event loop: files of a folder are read and written in threads, and those at a URL by fsspec's
own event loop, in its own thread. A storage that does not answer in time counts as one that cannot be reached.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol, TypeVar, final
from urllib.parse import unquote, urlsplit

from fudaba.installing import how_to_install

__all__ = ["BadPlace", "FolderStorage", "Storage", "StorageUnavailable", "UrlStorage", "storage_at"]

Result = TypeVar("Result")

_ANSWER_SECONDS: Final = 10.0
"""How long a storage may take for one file."""
_SLOWEST: Final = 1_000_000
"""How many bytes a second a storage takes at least: a large file has longer."""
_OPENING_SECONDS: Final = 60.0
"""How long it may take at the beginning, when what the protocol needs is loaded."""
_AT_ONCE: Final = 16
"""How many files are read, and how many written, at the same time at a URL."""
_GONE_WITH_THE_PROCESS: Final = frozenset({"memory"})


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

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """The content of many; None for each that is not there."""

    async def create(self, name: str, content: bytes) -> bool:
        """Writes a new file; False when there is one of the name, which stays."""

    async def put(self, name: str, content: bytes) -> None:
        """Writes a file, in the place of the one that has the name."""

    async def remove(self, names: Sequence[str]) -> None:
        """Removes files. Those that are not there are no matter."""

    def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """The names with a suffix, in lists of any length; of files that come and go meanwhile, some."""


def storage_at(place: str) -> Storage:
    """The storage at a folder or a URL. Raises `BadPlace`."""
    if "://" not in place:
        return FolderStorage(Path(place))
    parts = urlsplit(place.partition("::")[0])
    if parts.scheme in {"file", "local"}:
        if parts.netloc not in {"", "localhost"}:
            raise BadPlace(f"{place} names a folder of another machine; write file:///path")
        return FolderStorage(Path(unquote(parts.path)))
    return UrlStorage(place)


@final
class FolderStorage:
    """See `Storage`. Files lie in folders below this one, no deeper than their names say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def where(self) -> str:
        """See `Storage`."""
        return str(self._folder)

    def path(self, name: str) -> Path:
        """Where a file is, or will be."""
        return self._folder / name

    async def prepare(self) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._prepare)

    async def read(self, name: str) -> bytes | None:
        """See `Storage`."""
        return await asyncio.to_thread(self._read, name)

    async def has(self, name: str) -> bool:
        """See `Storage`."""
        return await asyncio.to_thread(self._has, name)

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """See `Storage`."""
        return await asyncio.to_thread(lambda: [self._read(name) for name in names])

    async def create(self, name: str, content: bytes) -> bool:
        """See `Storage`."""
        return await asyncio.to_thread(self._write, name, content, replace=False)

    async def put(self, name: str, content: bytes) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._write, name, content, replace=True)

    async def remove(self, names: Sequence[str]) -> None:
        """See `Storage`."""
        await asyncio.to_thread(self._remove, names)

    async def names(self, suffix: str) -> AsyncIterator[list[str]]:
        """See `Storage`."""
        for folder in await asyncio.to_thread(lambda: sorted(path for path in self._folder.glob("*") if path.is_dir())):
            if found := await asyncio.to_thread(lambda: sorted(folder.glob(f"*{suffix}"))):  # noqa: B023  # awaited here
                yield [f"{folder.name}/{path.name}" for path in found if not path.name.startswith(".")]

    def _prepare(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as error:
            there = next((one for one in (self._folder, *self._folder.parents) if one.exists()), None)
            why = f"{there} is not a folder" if there is not None and not there.is_dir() else error.strerror
            raise StorageUnavailable(f"the folder {self._folder} cannot be written: {why}") from error

    def _has(self, name: str) -> bool:
        try:
            self.path(name).stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageUnavailable(f"{self.path(name)} cannot be read: {error}") from error
        return True

    def _read(self, name: str) -> bytes | None:
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnavailable(f"{self.path(name)} cannot be read: {error}") from error

    def _write(self, name: str, content: bytes, *, replace: bool) -> bool:
        path = self.path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._give_to_owner(path.parent)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                try:
                    self._give_to_owner(file.name)
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                    stands = _publish(Path(file.name), path, replace=replace)
                finally:
                    Path(file.name).unlink(missing_ok=True)
            _sync(path.parent)
        except OSError as error:
            raise StorageUnavailable(f"{path} cannot be written: {error}") from error
        return stands

    def _give_to_owner(self, path: Path | str) -> None:
        """Has what root makes be of whoever the folder is: the two may share it. Raises `OSError`."""
        if os.geteuid() == 0:
            owner = self._folder.stat()
            os.chown(path, owner.st_uid, owner.st_gid)

    def _remove(self, names: Sequence[str]) -> None:
        try:
            for name in names:
                self.path(name).unlink(missing_ok=True)
        except OSError as error:
            raise StorageUnavailable(f"{error.filename} cannot be removed: {error.strerror}") from error


def _publish(written: Path, path: Path, *, replace: bool) -> bool:
    """Gives a file its name; False when another one has it, and is not to be replaced."""
    if replace:
        written.replace(path)
        return True
    try:
        path.hardlink_to(written)
    except FileExistsError:
        return False
    return True


def _sync(folder: Path) -> None:
    """Brings the names in a folder to the disk: who stores a thing here forgets it elsewhere as soon as it is there."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@final
class UrlStorage:
    """See `Storage`. fsspec, and what it needs for the URL's protocol, are loaded when they are needed first."""

    def __init__(self, url: str) -> None:
        """Raises `BadPlace`."""
        self._url = url.rstrip("/")
        protocol = urlsplit(url).scheme
        if protocol in _GONE_WITH_THE_PROCESS:
            raise BadPlace(f"{url} keeps nothing: it is gone with the process; name a folder, or an object store")
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self._writing = asyncio.Semaphore(_AT_ONCE)
        self._opening = asyncio.Lock()
        self._opened: tuple[Any, str] | None = None

    @property
    def where(self) -> str:
        """See `Storage`."""
        parts = urlsplit(self._url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

    @property
    def digest(self) -> str:
        """A name for the place, which can be that of a folder."""
        return sha256(self.where.encode()).hexdigest()[:12]

    async def prepare(self) -> None:
        """See `Storage`. Raises `BadPlace` where a file can be created twice."""
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

    async def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """See `Storage`."""
        return await asyncio.gather(*[self._read_in_turn(name) for name in names])

    async def _read_in_turn(self, name: str) -> bytes | None:
        async with self._reading:
            return await self.read(name)

    async def create(self, name: str, content: bytes) -> bool:
        """See `Storage`."""
        async with self._writing:
            seconds = _ANSWER_SECONDS + len(content) / _SLOWEST
            return await self._do("created", name, lambda fs, path: _create(fs, path, content), seconds)

    async def put(self, name: str, content: bytes) -> None:
        """See `Storage`."""
        async with self._writing:
            seconds = _ANSWER_SECONDS + len(content) / _SLOWEST
            await self._do("written", name, lambda fs, path: _write(fs, path, content, "overwrite"), seconds)

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
        """Runs an operation on fsspec's event loop."""
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
        except Exception as error:  # each storage has errors of its own
            self._forget()
            raise StorageUnavailable(f"{path_of} cannot be {done}: {type(error).__name__}: {error}") from error

    def _forget(self) -> None:
        """Has a connection opened again, where the storage does not do so itself."""
        if self._opened is not None and hasattr(self._opened[0], "sync_fs"):
            self._opened = None

    async def _filesystem(self) -> tuple[Any, str]:
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(_open, self._url)
            return self._opened


def _open(url: str) -> tuple[Any, str]:
    """The storage's file system, as one with coroutines, and the path in it. Raises `BadPlace`."""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415  # an extra
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


async def _create(fs: Any, path: str, content: bytes) -> bool:
    try:
        await _write(fs, path, content, "create")
    except FileExistsError:
        return False
    except OSError as error:
        response = getattr(error.__cause__, "response", {})  # some servers of S3's protocol do not say which condition
        if response.get("Error", {}).get("Code") != "PreconditionFailed":
            raise
        return False
    return True


async def _write(fs: Any, path: str, content: bytes, mode: str) -> None:
    try:
        await fs._pipe_file(path, content, mode=mode)
    except FileNotFoundError:
        if not hasattr(fs, "sync_fs"):  # an object store has no folders
            raise
        await fs._makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        await fs._pipe_file(path, content, mode=mode)


async def _folders(fs: Any, path: str) -> list[str]:
    fs.invalidate_cache()
    found = await _unless_gone(fs._ls(path, detail=True)) or []
    return sorted(PurePosixPath(one["name"]).name for one in found if one["type"] == "directory")


async def _files(fs: Any, path: str) -> list[str]:
    found = await _unless_gone(fs._ls(path, detail=True)) or []
    return sorted(PurePosixPath(one["name"]).name for one in found if one["type"] == "file")
