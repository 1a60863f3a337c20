"""A folder that one process uses at a time, or several that share it: it is created, checked and locked.

The lock is a file in the folder (`flock`), so the lock ends with its holders, however they end. A child process that
inherits the lock's descriptor holds the lock, too: the folder stays locked until the last holder has ended.

The file names its folder, and has a random id. A copy of the folder has the same id, so it is recognised as a copy.
Folders of earlier releases have no id; the file's inode identifies a copy of those.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import time
from pathlib import Path

import fudaba

try:
    import fcntl
except ImportError as missing:  # Windows
    raise ImportError("Locking a folder needs Linux or macOS") from missing

__all__ = ["CopiedFolderError", "FolderError", "FolderInUseError", "FolderLock", "holder", "last_release"]

_NAME = "lock"
_SHARED = "shared"
_RELEASE = "release"


class FolderError(RuntimeError):
    """The folder cannot be used. The text says why, and what to do."""


class FolderInUseError(FolderError):
    """Another process uses the folder. The text names that process."""


class CopiedFolderError(FolderError):
    """The folder is a copy of another folder that a process uses. The text names both."""


class FolderLock:
    """The lock of one folder.

    `note` is a text in the lock file. It says what the next holder has to clean up if this one is killed.
    """

    def __init__(self, folder: Path, *, allow_copy: bool = False, shared: bool = False) -> None:
        """`allow_copy`: a copy of a folder in use may be locked, and stays a copy: its holder changes nothing in it
        that matters. `shared`: several processes may hold the lock together, all of them with `shared`.
        """
        self.folder = folder
        self._shared = shared
        self.copied_from: Path | None = None
        """The original, if this folder was a copy when it was locked; the original still exists, and no process uses
        it.
        """
        self._allow_copy = allow_copy
        self._place: dict[str, object] = {}
        self._descriptor: int | None = None
        self._note = ""

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    @property
    def note(self) -> str:
        """The text in the lock file; after `acquire`, the text of the last holder.

        Setting it raises ValueError if the lock is not held.
        """
        return self._note

    @note.setter
    def note(self, text: str) -> None:
        self._note = text
        self._write()

    def fileno(self) -> int:
        """Returns the descriptor, for a child process that should hold the lock, too.

        Raises ValueError if the lock is not held.
        """
        if self._descriptor is None:
            raise ValueError(f"the lock of {self.folder} is not held")
        return self._descriptor

    def acquire(self, *, patience: float = 2.0) -> None:
        """Makes the folder if only its last part is missing, checks that it is writable, and locks it.

        If the lock file names no process that still runs, for example because a server's starter was killed, the folder
        may become free at any moment: the call tries again for up to `patience` seconds. Raises FolderError,
        FolderInUseError or CopiedFolderError.
        """
        _make(self.folder)
        try:
            descriptor = os.open(self.folder / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise FolderError(f"The file {self.folder / _NAME} cannot be written: {error.strerror}") from error
        try:
            self._lock(descriptor, patience)
            written = _read(descriptor)
            self._know_place(descriptor, written)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self.note = str(written.get("note", ""))

    def release(self) -> None:
        """Frees the folder, as soon as all children that hold the lock have ended. The lock file stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _lock(self, descriptor: int, patience: float) -> None:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, (fcntl.LOCK_SH if self._shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                holder, shared = map(_read(descriptor).get, ("pid", _SHARED))
                # A process that only reads the holder takes a shared lock for a moment.
                looked_at = self._shared and shared
                if time.monotonic() < deadline and (looked_at or not (isinstance(holder, int) and _runs(holder))):
                    time.sleep(0.02)
                    continue
                raise FolderInUseError(
                    f"The folder {self.folder} is in use by {_describe(holder)}. Stop that, or name another folder"
                ) from None
            else:
                return

    def _know_place(self, descriptor: int, written: dict[str, object]) -> None:
        """Records where the folder is. Raises CopiedFolderError if it is a copy of a folder in use."""
        mine, original = os.fstat(descriptor), written.get("folder")
        self._place = {
            "folder": os.path.abspath(self.folder),  # noqa: PTH100  links stay
            "inode": mine.st_ino,
            "id": written.get("id") or secrets.token_hex(16),
            _RELEASE: fudaba.__version__,
            **({_SHARED: True} if self._shared else {}),
        }
        self.copied_from = None
        folder = Path(original) if isinstance(original, str) else self.folder
        try:
            if not _is_original(folder / _NAME, mine, written):
                return
            user = holder(folder)
        except OSError:  # the original is gone, or out of reach
            return
        if user is not None and not self._allow_copy:
            raise CopiedFolderError(_both_would_go_on(self.folder, folder, user))
        if user is None:
            self.copied_from = folder
            self._place["id"] = secrets.token_hex(16)
        if self._allow_copy:
            self._place = {name: written[name] for name in self._place if name in written}

    def _write(self) -> None:
        descriptor = self.fileno()
        content = json.dumps({"pid": os.getpid(), "note": self._note, **self._place}).encode()
        # A process that starts a copy of the folder may read this at any moment: it finds the former content or this
        # content.
        os.pwrite(descriptor, content.ljust(os.fstat(descriptor).st_size), 0)
        os.ftruncate(descriptor, len(content))


def holder(folder: Path) -> str | None:
    """Returns a description of the process that holds the lock of a folder, or None if none holds it.

    Changes nothing. Raises OSError where the lock file is out of reach.
    """
    try:
        descriptor = os.open(folder / _NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        shared = _read(descriptor).get(_SHARED)
        fcntl.flock(descriptor, (fcntl.LOCK_EX if shared else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return _describe(_read(descriptor).get("pid"))
    finally:
        os.close(descriptor)
    return None


def last_release(folder: Path) -> str:
    """Returns the release whose process has locked a folder last; empty if the lock file does not say it.

    Raises OSError where the lock file is out of reach.
    """
    try:
        descriptor = os.open(folder / _NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        release = _read(descriptor).get(_RELEASE, "")
    finally:
        os.close(descriptor)
    return release if isinstance(release, str) else ""


def _is_original(file: Path, mine: os.stat_result, written: dict[str, object]) -> bool:
    """Returns whether a lock file is the original of mine. Raises OSError if it is gone, or out of reach."""
    there = file.stat()
    if os.path.samestat(there, mine):
        return False
    if "id" not in written:
        return there.st_ino == written.get("inode")
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _read(descriptor).get("id") == written["id"]
    finally:
        os.close(descriptor)


def _both_would_go_on(copy: Path, original: Path, user: str) -> str:
    return (
        f"The folder {copy} is a copy of {original}, which is in use by {user}. Both would go on with the same matches "
        f"and tokens, to different ends. Stop that one for good before you use the copy; for a second installation, "
        f"name an empty folder"
    )


def _make(folder: Path) -> None:
    if not folder.parent.is_dir():
        raise FolderError(f"The folder {folder} cannot be created: {folder.parent} is not a folder. Create that first")
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is not a folder. Name another place, or move the file away")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        # Only a try gives the right answer for every user and every file system.
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".writable-", buffering=0) as probe:
            probe.write(b"x")
    except OSError as error:
        raise FolderError(
            f"The folder {folder} is not writable: {error.strerror}. Give this user the right to write, or name "
            "another folder",
        ) from error


def _read(descriptor: int) -> dict[str, object]:
    try:
        content = json.loads(os.pread(descriptor, 65536, 0) or b"{}")
    except ValueError:  # its holder was killed while it wrote: the content says nothing
        return {}
    return content if isinstance(content, dict) else {}


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _describe(holder: object) -> str:
    if not isinstance(holder, int):
        return "another process"
    if not _runs(holder):
        return f"a child of process {holder}, which itself has ended (or is out of sight, in another container)"
    try:
        arguments = Path(f"/proc/{holder}/cmdline").read_bytes().split(b"\0")
    except OSError:  # this is not Linux, or the process is another user's
        return f"process {holder}"
    command = b" ".join(arguments).decode(errors="replace").strip()
    return f"process {holder} ({command[:200]})" if command else f"process {holder}"
