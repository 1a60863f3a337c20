"""A program's lasting folder: files in an archive, which a program finds unpacked and may change.

While the program runs, the folder is a file system in memory with limits on bytes and files. What the program leaves
there comes from a stranger. It is read only after all processes of the program have ended, by descriptors, without
following links, and only files and folders are kept. Equal files make equal archives.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, final

from fudaba_arena.tournament.limits import Limits

__all__ = ["KeptFiles", "mount_sized", "pack", "unmount", "unpack"]

_PAGE_BYTES: Final = 4_096
_MAX_DEPTH: Final = 32
"""The greatest depth of folders. Deeper ones are left out."""
_MAX_PATH_BYTES: Final = 1_000
"""Files with longer paths are left out."""
_MS_NOSUID_FLAG: Final = 0x2
_MS_NODEV_FLAG: Final = 0x4
_MNT_DETACH_FLAG: Final = 0x2
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


@final
@dataclass(slots=True)
class KeptFiles:
    """The files that a program keeps. The sandbox updates them after a run."""

    archive: Path
    """A tar archive on this host. If it does not exist, the folder is empty."""
    size: int = 0
    """The bytes of the file system that its files need."""
    files: int = 0
    """The number of files and folders in it."""
    note: str = ""
    """A note for its author: the files left out after the last run, or why nothing has changed since before that
    run.
    """

    def room(self, limits: Limits) -> tuple[int, int]:
        """Returns the room in bytes and files: the limits, or the folder's present content if that is more."""
        return max(limits.kept, self.size), max(limits.kept_files, self.files)


@final
class _TooMuch(Exception):
    """There is more than can be kept. The text tells the author what."""


def mount_sized(place: Path, room: tuple[int, int], uid: int) -> None:
    """Mounts a file system in memory that belongs to a uid. `room` is in bytes and files.

    Raises `OSError`.
    """
    size, files = room
    options = f"size={size},nr_inodes={files + 1},mode=0700,uid={uid},gid={uid}"
    words = (b"fudaba-kept", os.fsencode(place), b"tmpfs", _MS_NOSUID_FLAG | _MS_NODEV_FLAG, options.encode())
    if _LIBC.mount(*words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no file system can be mounted for its folder: {os.strerror(number)}", str(place))


def unmount(place: Path) -> None:
    """Unmounts the file system, if there is one."""
    if sys.platform == "linux":
        _LIBC.umount2(os.fsencode(place), _MNT_DETACH_FLAG)


def unpack(kept: KeptFiles, folder: Path) -> None:
    """Unpacks the files into an empty folder of this process. Raises `OSError`, `tarfile.TarError`."""
    if kept.archive.exists():
        with tarfile.open(kept.archive, "r:", encoding="utf-8", errors="surrogateescape") as archive:
            archive.extractall(folder, filter="data")


def pack(kept: KeptFiles, folder: Path, limits: Limits) -> None:
    """Takes what is in a folder into the archive, which is replaced as a whole or, as `told` then says, not at all.

    Nothing may write to the folder meanwhile.
    """
    new = kept.archive.with_name(f"{kept.archive.name}.new")
    try:
        with new.open("wb") as file:
            found = _Packing(file, *kept.room(limits)).all(folder)
        new.replace(kept.archive)
    except (OSError, _TooMuch) as error:
        new.unlink(missing_ok=True)
        kept.note = f"its folder stays as it was before: {error}"
        return
    kept.size, kept.files = found.size, found.files
    kept.note = found.left_out_text()


@final
class _Packing:
    """Writes an archive, within the room."""

    def __init__(self, file: IO[bytes], most_size: int, most_files: int) -> None:
        self._archive = tarfile.open(  # noqa: SIM115  # closed in `all`
            fileobj=file, mode="w:", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
        )
        self._most = most_size, most_files
        self.size = 0
        self.files = 0
        self._left_out: list[str] = []
        self._more = 0

    def all(self, folder: Path) -> _Packing:
        """Returns everything in a folder. Raises `OSError`, `_TooMuch`."""
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with self._archive:
            self._folder(top, (), 1)
        return self

    def left_out_text(self) -> str:
        """Returns a text about what was left out; empty if nothing was."""
        if not self._left_out:
            return ""
        more = f" and {self._more:,} more" if self._more else ""
        return f"of its folder was left out: {', '.join(self._left_out)}{more}"

    def _folder(self, fd: int, above: tuple[str, ...], depth: int) -> None:
        """Adds a folder's content, and closes its descriptor."""
        try:
            for name, about in self._listed(fd):
                path = (*above, name)
                if depth > _MAX_DEPTH or len(os.fsencode("/".join(path))) > _MAX_PATH_BYTES:
                    self._leave_out(path, "is too deep")
                elif stat.S_ISDIR(about.st_mode):
                    self._add(path, tarfile.DIRTYPE, 0o755, 0, None)
                    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
                    self._folder(inner, path, depth + 1)
                elif stat.S_ISREG(about.st_mode):
                    self._file(fd, name, path)
                else:
                    self._leave_out(path, "is neither a file nor a folder")
        finally:
            os.close(fd)

    def _listed(self, fd: int) -> Iterator[tuple[str, os.stat_result]]:
        """Lists a folder in order. It reads no more of it than may be kept."""
        names: list[str] = []
        with os.scandir(fd) as found:
            for dir_entry in found:
                names.append(dir_entry.name)
                if self.files + len(names) > self._most[1]:
                    raise _TooMuch(f"there are more than {self._most[1]:,} files in it")
        for name in sorted(names):
            yield name, os.stat(name, dir_fd=fd, follow_symlinks=False)

    def _file(self, fd: int, name: str, path: tuple[str, ...]) -> None:
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=fd)
        with os.fdopen(opened, "rb") as file:
            about = os.fstat(opened)
            self._add(path, tarfile.REGTYPE, 0o755 if about.st_mode & 0o100 else 0o644, about.st_size, file)

    def _add(self, path: tuple[str, ...], kind: bytes, mode: int, size: int, file: IO[bytes] | None) -> None:
        self.files += 1
        self.size += -(-size // _PAGE_BYTES) * _PAGE_BYTES
        if self.files > self._most[1]:
            raise _TooMuch(f"there are more than {self._most[1]:,} files in it")
        if self.size > self._most[0]:  # only links to one file, and files with holes, come to that
            raise _TooMuch(f"its files have more than {self._most[0]:,} bytes when each is counted in full")
        info = tarfile.TarInfo("/".join(path))
        info.type, info.mode, info.size = kind, mode, size
        self._archive.addfile(info, file)

    def _leave_out(self, path: tuple[str, ...], why: str) -> None:
        if len(self._left_out) < 3:
            self._left_out.append(f"{'/'.join(path)[:60]!r}, which {why}")
        else:
            self._more += 1
