"""Writes the content of an archive into a new folder, completely or not at all.

An archive is read twice: first to judge it, so that a refused one writes nothing; then to write it. Nobody else owns
the new folder, and nothing in it is a link, so every file lands where it should.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final, final

from fudaba.text_files import SCRIPT_BYTES, NotText, text_of
from fudaba_arena.submissions.archive_formats import Format, format_of
from fudaba_arena.submissions.faults import BadSubmission, Fault, damaged
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.manifest import MANIFEST, MANIFEST_BYTES, Manifest, for_source, read_manifest
from fudaba_arena.submissions.members import Contents, Kind, Member, Place, shown_name

__all__ = ["Unpacked", "unpack"]

_FOLDER_MODE: Final = 0o755
_FILE_MODE: Final = 0o644
_PROGRAM_MODE: Final = 0o755
_MAX_MAGIC_BYTES: Final = 8
_SCRIPT_SUFFIXES: Final = frozenset({"", ".sh", ".bash"})
_MAX_SCRIPTS: Final = 1_000
"""The number of files with Windows line ends that are checked against the commands."""


@final
@dataclass(frozen=True, slots=True)
class Unpacked:
    """A submission in a folder."""

    manifest: Manifest
    files: int
    size: int
    """The size of all files, in bytes."""


def unpack(source: Path, name: str, into: Path, limits: SubmissionLimits) -> Unpacked:
    """Makes the folder `into` from an archive, or from one source file called `name`.

    Modes are 755 for folders and executables, and 644 for all else; owners and times are the present ones. Raises
    `BadSubmission`, and `OSError` if it cannot be read or written; then the folder does not exist.
    """
    with source.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        if length > limits.packed:
            raise BadSubmission(
                Fault.SIZE,
                f"this has {length:,} bytes; at most {limits.packed:,} are allowed: leave out what is not needed",
            )
        read = format_of(file.read(_MAX_MAGIC_BYTES))
        file.seek(0)
        judged = _judged_source(file, name, limits) if read is None else _judged(read, file, limits)
        into.mkdir(0o700)
        try:
            judged.write(into)
            into.chmod(_FOLDER_MODE)
        except BaseException:
            shutil.rmtree(into)
            raise
    return Unpacked(judged.manifest, len(judged.places), sum(place.size for place in judged.places.values()))


@final
@dataclass(frozen=True, slots=True)
class _Judged:
    """An archive that may be written."""

    manifest: Manifest
    folders: list[PurePosixPath]
    places: Mapping[int, Place]
    """The wanted files: the archive's index of each, with its path in the new folder."""
    contents: Callable[[], Iterator[Iterator[bytes]]]
    """Yields the contents of the files in pieces, on a second reading."""

    def write(self, into: Path) -> None:
        """Writes the files into an empty folder."""
        for folder in self.folders:
            (into / folder).mkdir(_FOLDER_MODE)
            (into / folder).chmod(_FOLDER_MODE)  # whatever the umask
        programs = {self.manifest.start[0], *self.manifest.build[:1]}
        runs = {PurePosixPath(program) for program in programs}
        for number, pieces in enumerate(self.contents()):
            if number in self.places:
                place = self.places[number]
                executable = place.executable or place.path in runs
                _write(into / place.path, pieces, place.size, _PROGRAM_MODE if executable else _FILE_MODE)


def _judged(read: Format, file: IO[bytes], limits: SubmissionLimits) -> _Judged:
    """Reads an archive to its end. Raises `BadSubmission`."""
    found = Contents(limits)
    manifests: dict[PurePosixPath, bytes] = {}
    scripts: dict[PurePosixPath, bytes] = {}
    for member, pieces in read(file, limits):
        found.add(member)
        path = PurePosixPath(member.name)
        wanted = path.name == MANIFEST and len(path.parts) <= 2 and len(path.parts) not in map(_levels, manifests)
        beginning = _count(pieces, member, MANIFEST_BYTES + 1 if wanted else SCRIPT_BYTES)
        if member.kind is Kind.FILE and _may_be_windows_script(path, beginning) and len(scripts) < _MAX_SCRIPTS:
            scripts[path] = beginning[:SCRIPT_BYTES]
        if wanted and member.kind is Kind.FILE:
            manifests[path] = beginning
    top = found.top
    places = {
        number: Place(place.path.relative_to(top), place.size, place.executable)
        for number, place in enumerate(found.files)
        if place is not None
    }
    raw = manifests.get(top / MANIFEST)
    if raw is None:
        raise _no_manifest(found)
    paths = {place.path for place in places.values()}
    beginnings = {path.relative_to(top): text for path, text in scripts.items() if path.is_relative_to(top)}
    manifest = read_manifest(raw, paths, beginnings)
    folders = [folder.relative_to(top) for folder in found.folders if folder != top and folder.is_relative_to(top)]

    def contents() -> Iterator[Iterator[bytes]]:
        file.seek(0)
        return (pieces for member, pieces in read(file, limits) if member.kind is Kind.FILE)

    return _Judged(manifest, folders, places, contents)


def _may_be_windows_script(path: PurePosixPath, beginning: bytes) -> bool:
    return b"\r\n" in beginning and (beginning.startswith(b"#!") or path.suffix in _SCRIPT_SUFFIXES)


def _levels(path: PurePosixPath) -> int:
    return len(path.parts)


def _count(pieces: Iterator[bytes], member: Member, keep: int) -> bytes:
    """Reads a member to its end, which must be where the archive says. Returns its beginning."""
    length, kept = 0, b""
    for piece in pieces:
        length += len(piece)
        kept += piece[: keep - len(kept)]
    if length != member.size:
        raise damaged(f"{shown_name(member.name)} is not as long as it says")
    return kept


def _no_manifest(found: Contents) -> BadSubmission:
    if found.is_folder(found.top / MANIFEST):
        return BadSubmission(Fault.MANIFEST, f"{MANIFEST} is a folder; it has to be a file that says what the bot is")
    return BadSubmission(
        Fault.MANIFEST,
        f"there is no {MANIFEST} at the top of the archive, nor in the only folder there; it says what the bot is, and "
        "docs/authors.md what has to be in it",
    )


def _judged_source(file: IO[bytes], name: str, limits: SubmissionLimits) -> _Judged:
    """Reads one source file. Raises `BadSubmission`."""
    manifest = for_source(name)
    raw = file.read(limits.packed)
    try:
        text_of(raw)
    except NotText as error:
        raise BadSubmission(Fault.FORMAT, f"{name}:{error.line}: {error}") from None
    place = Place(PurePosixPath(name), len(raw), executable=False)
    return _Judged(manifest, [], {0: place}, lambda: iter([iter([raw])]))


def _write(path: Path, pieces: Iterator[bytes], size: int, mode: int) -> None:
    written = 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)  # whatever the umask
        for piece in pieces:
            written += file.write(piece)
    if written != size:
        raise damaged("it has changed while it was read")
