"""Judges every member of an archive before anything is written."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Final, final

from fudaba.safe_text import fault_of, safe_line
from fudaba_arena.submissions.faults import BadSubmission, Fault, too_much
from fudaba_arena.submissions.limits import SubmissionLimits

__all__ = ["Contents", "Kind", "Member", "Place", "shown_name"]

_MAX_NAME_BYTES: Final = 255
"""The longest name that file systems allow."""
_MAX_CHARS_SHOWN: Final = 80
_MAC_FOLDER: Final = "__MACOSX"
_MAC_FILE: Final = "._"


class Kind(Enum):
    """The kind of an archive's member, with its name for people."""

    FILE = "a file"
    FOLDER = "a folder"
    SYMBOLIC_LINK = "a symbolic link"
    HARD_LINK = "a hard link"
    DEVICE = "a device"
    PIPE = "a named pipe"
    OTHER = "something that is neither a file nor a folder"


@final
@dataclass(frozen=True, slots=True)
class Member:
    """A member as the archive describes it."""

    name: str
    """The name. Bytes that are not UTF-8 become lone surrogates."""
    kind: Kind
    size: int
    executable: bool


@final
@dataclass(frozen=True, slots=True)
class Place:
    """The destination of a file of an archive."""

    path: PurePosixPath
    size: int
    executable: bool


@final
class Contents:
    """Collects the members of one archive, and refuses forbidden ones."""

    def __init__(self, limits: SubmissionLimits) -> None:
        self._limits = limits
        self._members = 0
        self._size = 0
        self._known: dict[str, tuple[str, bool]] = {}
        """All files and folders, by their path without the differences that some systems ignore: the path itself, and
        whether it is a folder."""
        self._folders: set[str] = set()
        """The paths of folders that are noted together with all folders above them."""
        self.files: list[Place | None] = []
        """The files in the archive's order; None for a file that macOS adds and nobody wants."""

    def add(self, member: Member) -> None:
        """Adds a member. Raises `BadSubmission`."""
        self._members += 1
        if self._members > self._limits.files:
            raise too_much(f"has more than {self._limits.files:,} files and folders")
        path = self._path(member)
        if member.kind not in {Kind.FILE, Kind.FOLDER}:
            raise _not_a_file(member)
        self._size += member.size
        if self._size > self._limits.unpacked:
            raise too_much(f"has more than {self._limits.unpacked:,} bytes when it is unpacked")
        wanted = path.parts and not _is_macos_extra(path, member.kind)
        if wanted:
            self._take(path, folder=member.kind is Kind.FOLDER)
        if member.kind is Kind.FILE:
            if not path.parts or member.name.endswith("/"):
                raise BadSubmission(
                    Fault.NAME, f"the archive has a file named {shown_name(member.name)}; pack it again"
                )
            self.files.append(Place(path, member.size, member.executable) if wanted else None)

    @property
    def top(self) -> PurePosixPath:
        """The only folder that contains everything, as `tar` and GitHub pack it; `.` if there is none."""
        tops = {path.partition("/")[0] for path, _ in self._known.values()}
        return PurePosixPath(*tops) if len(tops) == 1 and self.is_folder(PurePosixPath(*tops)) else PurePosixPath()

    @property
    def folders(self) -> list[PurePosixPath]:
        """All folders, each after its parents."""
        return sorted(PurePosixPath(path) for path, folder in self._known.values() if folder)

    def is_folder(self, path: PurePosixPath) -> bool:
        """Returns whether a path is a folder."""
        return self._known.get(_folded(str(path))) == (str(path), True)

    def _path(self, member: Member) -> PurePosixPath:
        name = member.name
        try:
            length = len(name.encode())
        except UnicodeEncodeError:
            raise _bad_name(name, "is not in UTF-8; rename it, or pack it with a tool that writes UTF-8") from None
        if length > self._limits.path:
            raise BadSubmission(
                Fault.SIZE,
                f"the path {shown_name(name)} has {length:,} bytes; {self._limits.path:,} are allowed: shorten it",
            )
        plain = name.isascii() and name.isprintable()
        if not plain and (fault := fault_of(unicodedata.normalize("NFC", name))):
            raise _bad_name(name, f"cannot be shown: {fault}")
        if "\\" in name:
            raise _bad_name(name, "has a backslash; write / between folders")
        if name.startswith("/"):
            raise _bad_name(name, "begins with /; pack the folder from within: tar -C FOLDER -czf bot.tar.gz .")
        path = PurePosixPath(name)
        if ".." in path.parts:
            raise _bad_name(name, "leads out of the folder with ..; pack the folder from within")
        if len(path.parts) > self._limits.depth:
            raise BadSubmission(
                Fault.SIZE,
                f"the path {shown_name(name)} has {len(path.parts)} levels; {self._limits.depth} are allowed",
            )
        if any(len(part.encode()) > _MAX_NAME_BYTES for part in path.parts):
            raise BadSubmission(
                Fault.SIZE, f"{shown_name(name)} has a name of more than {_MAX_NAME_BYTES} bytes; shorten it"
            )
        return path

    def _take(self, path: PurePosixPath, *, folder: bool) -> None:
        """Notes a path with all folders above it. Raises `BadSubmission` if it already exists."""
        for above in reversed(path.parents):
            if above.parts and str(above) not in self._folders:
                self._note(above, folder=True)
        if not folder or str(path) not in self._folders:
            self._note(path, folder=folder)

    def _note(self, path: PurePosixPath, *, folder: bool) -> None:
        key = _folded(str(path))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._limits.files:
                raise too_much(f"has more than {self._limits.files:,} files and folders")
            self._known[key] = (str(path), folder)
        else:
            raise _two_of(known, path, folder=folder)
        if folder:
            self._folders.add(str(path))


def shown_name(name: str) -> str:
    """Returns a name from an archive for a message: one short line without anything that controls a terminal."""
    text = safe_line(name.encode(errors="surrogateescape").decode(errors="replace"))
    return repr(text if len(text) <= _MAX_CHARS_SHOWN else f"{text[: _MAX_CHARS_SHOWN - 3]}...")


def _folded(path: str) -> str:
    """Folds a path, so that paths compare equal that are one on a system that ignores case or the form of accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def _is_macos_extra(path: PurePosixPath, kind: Kind) -> bool:
    """Returns whether it is a macOS addition: file system attributes beside a file's content."""
    return path.parts[0] == _MAC_FOLDER or (kind is Kind.FILE and path.name.startswith(_MAC_FILE))


def _two_of(known: tuple[str, bool], path: PurePosixPath, *, folder: bool) -> BadSubmission:
    if known[0] != str(path):
        other = f"{shown_name(known[0])} and {shown_name(str(path))} are one name where case and accents do not count"
        return BadSubmission(Fault.NAME, f"{other}; rename one of them")
    duplication = "as a file and as a folder" if known[1] != folder else "twice"
    return BadSubmission(Fault.NAME, f"{shown_name(str(path))} is in the archive {duplication}; pack it again")


def _bad_name(name: str, why: str) -> BadSubmission:
    return BadSubmission(Fault.NAME, f"the name {shown_name(name)} {why}")


_INSTEAD: Final = {
    Kind.SYMBOLIC_LINK: "pack what it leads to (tar --dereference), or leave it out",
    Kind.HARD_LINK: "pack it as a file of its own (tar --hard-dereference)",
}


def _not_a_file(member: Member) -> BadSubmission:
    instead = _INSTEAD.get(member.kind, "leave it out")
    return BadSubmission(Fault.KIND, f"{shown_name(member.name)} is {member.kind.value}, which is refused; {instead}")
