"""The file of a backup: written in one pass, read and checked in one pass."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, Literal, Self, cast, final

import zstandard

from fudaba.records import SUFFIX

__all__ = [
    "FORMAT_NUMBER",
    "BackupContents",
    "BackupError",
    "BackupReader",
    "Bar",
    "Header",
    "Moved",
    "OtherFormatError",
    "Place",
    "Writer",
]

FORMAT_NUMBER: Final = 1
_HEADER: Final = "backup.json"
_SUMS: Final = "SHA256SUMS"
_DATA: Final = "data"
_CHUNK_BYTES: Final = 1 << 20
_MAX_HEADER_BYTES: Final = 1 << 16
_MIN_SUMS_BYTES: Final = 1 << 16
_MAX_EXTENDED_BYTES: Final = 1 << 16
"""The largest description of a file that does not fit in the file's header, such as a long name: `tarfile` reads it as
a whole.
"""
_SUM: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")

Moved = Callable[[int], object]
"""The callback for the number of bytes read or written, for a progress bar."""

Bar = Callable[[int, str], AbstractContextManager[Moved]]
"""Opens a progress bar over this many bytes, with a label."""


class BackupError(Exception):
    """A backup cannot be made, read or restored. The text says why and what to do."""


@final
class OtherFormatError(BackupError):
    """A backup has another format than this release reads."""

    def __init__(self, message: str, number: object, release: object) -> None:
        super().__init__(message)
        self.number = number
        """The number of its format."""
        self.release = release if isinstance(release, str) and release.isprintable() else ""
        """The release that made it; empty if it does not say so."""


@final
@dataclass(frozen=True, slots=True)
class Header:
    """The header of a backup."""

    created: str
    """The time when it was made, in UTC, ISO 8601."""
    release: str
    """The release of Fudaba that made the backup."""
    store: Literal["embedded", "external"]
    """Whether it contains the store, as the files of an embedded one; `external` if that was left out."""
    live_matches: int
    """The number of live matches. 0 without the store, where it is unknown."""
    service: str = ""
    """The id of the service, or of an arena's service. Empty if unknown, as in backups by 0.1.0a1."""
    parts: str = ""
    """The data folders in it, with a space between two: `arena`, `service` or both. Empty if unknown, as in backups by
    0.1.0a1.
    """
    format: int = FORMAT_NUMBER

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Self:
        """Returns the header with these values. Additions of a later release within a format are ignored.

        Raises ValueError and TypeError.
        """
        names = {header_field.name for header_field in fields(cls)}
        header = cls(**{name: value for name, value in values.items() if name in names})
        texts = (header.created, header.release, header.store, header.service, header.parts)
        numbers = (header.live_matches, header.format)
        if not all(isinstance(text, str) and text.isprintable() for text in texts):
            raise ValueError("a text of it is none")
        if not all(isinstance(number, int) for number in numbers) or header.live_matches < 0:
            raise ValueError("a number of it is none")
        return header


@final
@dataclass(slots=True)
class BackupContents:
    """The contents of a backup."""

    header: Header
    files: dict[PurePosixPath, str] = field(default_factory=dict)
    """The SHA-256 of every file of the data folder, by its path in the folder."""
    bytes: int = 0
    """The total size of these files."""
    verified: bool = True
    """Whether the backup was read to its end, and every checksum was right."""

    @property
    def records(self) -> int:
        """Returns the number of match records, in the folder of a service or of `fudaba up`."""
        return sum(path.suffix == SUFFIX and "archive" in path.parts[:2] for path in self.files)


@final
class Writer:
    """Writes a backup to an open file. `moved` is called with the number of bytes of each piece of its files."""

    def __init__(self, file: IO[bytes], header: Header, moved: Moved = lambda _: None) -> None:
        self._moved = moved
        self.contents = BackupContents(header, verified=False)
        """What was written so far."""
        self._zstd = zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False)
        self._tar = tarfile.open(mode="w|", fileobj=self._zstd, format=tarfile.PAX_FORMAT)  # noqa: SIM115  see `finish`
        self._sums: list[bytes] = []
        content = json.dumps(asdict(header), indent=2).encode() + b"\n"
        self._add(_HEADER, io.BytesIO(content), tarfile.TarInfo(_HEADER), len(content))

    def add(self, path: PurePosixPath, source: IO[bytes]) -> None:
        """Adds a file of the data folder at its present length, since a log may grow meanwhile. Raises
        `BackupError`.
        """
        if re.search(r"[\n\r\\]", str(path)):
            raise BackupError(f"{path} has a line break or backslash in its name: rename it or move it elsewhere")
        status = os.fstat(source.fileno())
        name = f"{_DATA}/{path}"
        info = tarfile.TarInfo(name)
        info.mode, info.mtime = status.st_mode & 0o777, int(status.st_mtime)
        try:
            self.contents.files[path] = self._add(name, source, info, status.st_size)
            self.contents.bytes += status.st_size
        except BrokenPipeError:
            raise  # the program that encrypts has ended, and says why
        except (OSError, tarfile.TarError) as error:
            raise BackupError(f"{path} cannot be read whole: {error}; was it changed meanwhile? Try again") from error

    def finish(self) -> None:
        """Adds the checksums, and completes the file."""
        content = b"".join(self._sums)
        info = tarfile.TarInfo(_SUMS)
        info.size = len(content)
        self._tar.addfile(info, io.BytesIO(content))
        self._tar.close()
        self._zstd.close()  # type: ignore[no-untyped-call]  # zstandard does not type it

    def _add(self, name: str, source: IO[bytes], info: tarfile.TarInfo, size: int) -> str:
        """Adds a file. Returns its checksum."""
        info.size = size
        hashing = _Hashing(source, size, self._moved)
        self._tar.addfile(info, hashing)
        digest = hashing.digest.hexdigest()
        self._sums.append(_sum_line(name, digest))
        return digest


def _sum_line(name: str, digest: str) -> bytes:
    """Returns a file's line in the list of checksums."""
    return f"{digest}  {name}\n".encode(errors="surrogateescape")


@final
class _Hashing(io.RawIOBase):
    """A file that is read once up to a length, and hashed while reading."""

    def __init__(self, source: IO[bytes], size: int, moved: Moved) -> None:
        self._source = source
        self._left = size
        self._moved = moved
        self.digest = sha256()

    def read(self, size: int = -1) -> bytes:
        """See `io.RawIOBase`."""
        data = self._source.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        self.digest.update(data)
        self._moved(len(data))
        return data


Place = Callable[[PurePosixPath, tarfile.TarInfo], "IO[bytes] | None"]
"""Returns the destination of a file of the data folder; None to leave the file out."""


@final
class BackupReader:
    """Reads a backup from an open file."""

    def __init__(self, file: Path, source: IO[bytes], moved: Moved) -> None:
        self._file = file
        self._source = _Counting(source, moved)
        self._sums: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def header(self) -> Header:
        """Returns the header, and verifies nothing. Raises `BackupError`."""
        with self._opened() as tar:
            for info in tar:
                return self._header(tar, info)
        raise BackupError(f"{self._file} is not a backup: it is empty")

    @contextmanager
    def _opened(self) -> Iterator[tarfile.TarFile]:
        with (
            self._damage(),
            zstandard.ZstdDecompressor().stream_reader(cast("IO[bytes]", self._source), closefd=False) as plain,
        ):
            try:
                tar = tarfile.open(mode="r|", fileobj=plain, tarinfo=_Entry)  # noqa: SIM115  closed with its source
            except (tarfile.TarError, zstandard.ZstdError) as error:
                # What tarfile says of it, such as "empty file", is about what was left of it when it was unpacked.
                raise BackupError(f"{self._file} is not a backup, or was cut short; take another one") from error
            yield tar

    def contents(self, place: Place) -> BackupContents:
        """Reads to the end and checks every checksum. Raises `BackupError`."""
        with self._opened() as tar:
            contents: BackupContents | None = None
            for info in tar:
                if contents is None:
                    contents = BackupContents(self._header(tar, info))
                elif info.name == _SUMS:
                    if info.issparse() or info.size > self._most_sums():
                        raise BackupError(
                            f"{self._file} is damaged: its checksums are of more files than it has; take another backup"
                        )
                    self._compare(self._whole(tar, info).decode(errors="surrogateescape"))
                    return contents
                else:
                    self._take(tar, info, contents, place)
        raise BackupError(f"{self._file} is not complete: it ends before its checksums; take another backup")

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except (tarfile.TarError, zstandard.ZstdError, EOFError, ValueError) as error:
            raise BackupError(f"{self._file} is damaged ({error}); take another backup") from error

    def _header(self, tar: tarfile.TarFile, info: tarfile.TarInfo) -> Header:
        if info.name != _HEADER or info.size > _MAX_HEADER_BYTES or info.issparse():
            raise BackupError(f"{self._file} is not a backup: it does not begin with {_HEADER}")
        try:
            values: dict[str, Any] = json.loads(self._whole(tar, info))
            made = values["format"]
            if made != FORMAT_NUMBER:
                raise OtherFormatError(
                    f"{self._file} has format {made}, and this release reads {FORMAT_NUMBER}: use the release that"
                    f" made it ({values.get('release')})",
                    made,
                    values.get("release"),
                )
            return Header.from_values(values)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BackupError(f"{self._file} is not a backup: its {_HEADER} cannot be read ({error})") from error

    def _take(self, tar: tarfile.TarFile, info: tarfile.TarInfo, contents: BackupContents, place: Place) -> None:
        path = PurePosixPath(info.name)
        inside = path.parts[:1] == (_DATA,) and len(path.parts) > 1 and ".." not in path.parts
        if not info.isreg() or info.issparse() or info.size < 0 or not inside or info.name in self._sums:
            raise BackupError(f"{self._file} is not a backup: {info.name!r} does not belong into one")
        path = path.relative_to(_DATA)
        self._copy(tar, info, place(path, info))
        contents.files[path] = self._sums[info.name]
        contents.bytes += info.size

    def _copy(self, tar: tarfile.TarFile, info: tarfile.TarInfo, to: IO[bytes] | None) -> None:
        source, digest, left = tar.extractfile(info), sha256(), info.size
        try:
            while left and source is not None:
                data = source.read(min(_CHUNK_BYTES, left))
                if not data:
                    raise EOFError("it ends too early")
                digest.update(data)
                left -= len(data)
                if to is not None:
                    to.write(data)
        finally:
            if to is not None:
                to.close()
        self._sums[info.name] = digest.hexdigest()

    def _whole(self, tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
        """Returns a small file's content, and notes its checksum."""
        source = tar.extractfile(info)
        content = source.read() if source is not None else b""
        self._sums[info.name] = sha256(content).hexdigest()
        return content

    def _most_sums(self) -> int:
        """Returns how many bytes of checksums may be read: those for the files, and as many for missing ones."""
        return max(_MIN_SUMS_BYTES, 2 * sum(len(_sum_line(*item)) for item in self._sums.items()))

    def _compare(self, listed: str) -> None:
        sums: dict[str, str] = {}
        for line in listed.splitlines():
            found = _SUM.fullmatch(line)
            if found is None:
                raise BackupError(f"{self._file} is damaged: its checksums cannot be read; take another backup")
            sums[found[2]] = found[1]
        del self._sums[_SUMS]
        wrong = sorted(name for name in sums.keys() | self._sums.keys() if sums.get(name) != self._sums.get(name))
        if wrong:
            raise BackupError(f"{self._file} is damaged: the checksum of {wrong[0]} is wrong; take another backup")


class _Entry(tarfile.TarInfo):
    """A file's header. A header that would make `tarfile` fill the memory is refused."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """See `tarfile.TarInfo`."""
        info = super().frombuf(buf, encoding, errors)
        if info.type not in tarfile.REGULAR_TYPES and info.size > _MAX_EXTENDED_BYTES:
            raise tarfile.ReadError("a header is too long")
        return info


@final
class _Counting(io.BufferedIOBase):
    """A file that reports how much of it was read."""

    def __init__(self, source: IO[bytes], moved: Moved) -> None:
        self._source = source
        self._moved = moved

    def readable(self) -> bool:
        """See `io.BufferedIOBase`."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """See `io.BufferedIOBase`."""
        data = self._source.read(-1 if size is None else size)
        self._moved(len(data))
        return data
