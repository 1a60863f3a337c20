"""Packs a bot's folder into an archive. Equal files give equal bytes, wherever and whenever they are packed.

Names are sorted; owners, times and all of the mode but the executable bit are left out. So an earlier submission is
recognised by its hash.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final, final

import zstandard

from fudaba.text_files import NotText, read_text
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.members import shown_name

__all__ = ["IGNORE", "PACKED", "pack_folder"]

IGNORE: Final = ".fudabaignore"
"""The file that lists the files to leave out of an archive."""
PACKED: Final = "bot.tar.zst"
"""The name of a packed folder."""
_NEVER: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".DS_Store", ".mypy_cache", ".pytest_cache", ".ruff_cache", "local-matches"}
)
"""Names that are never packed, at any level, since tools such as `fudaba match local` leave them behind.

`.git` is a folder, or a file in a submodule.
"""
_ZSTD_LEVEL: Final = 10


@final
@dataclass(frozen=True, slots=True)
class _Pattern:
    parts: tuple[str, ...]
    anywhere: bool
    """Whether it may match a name at any level."""
    folders: bool
    """Whether it matches folders only."""

    def matches(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Returns whether it matches a path. It must not match the path's folders."""
        if self.folders and not folder:
            return False
        compared = parts[-1:] if self.anywhere else parts
        return len(compared) == len(self.parts) and all(map(fnmatchcase, compared, self.parts))


def pack_folder(folder: Path, into: IO[bytes]) -> list[str]:
    """Writes the archive of a folder. Returns the paths that were left out; folders end with `/`.

    Raises `BadSubmission`, and `OSError` if it cannot be read.
    """
    patterns = _patterns(folder / IGNORE)
    left_out: list[str] = []
    packer = zstandard.ZstdCompressor(level=_ZSTD_LEVEL)
    with (
        packer.stream_writer(into, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        for parts, path in _files(folder, (), patterns, left_out):
            info = tarfile.TarInfo("/".join(parts))
            with path.open("rb") as file:
                found = os.fstat(file.fileno())
                info.size = found.st_size
                info.mode = 0o755 if found.st_mode & 0o111 else 0o644
                archive.addfile(info, file)
    return left_out


def _files(
    folder: Path, above: tuple[str, ...], patterns: list[_Pattern], left_out: list[str]
) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yields the files of a folder by their paths in the archive, in order, and notes what it leaves out."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        parts = (*above, path.name)
        if parts == (IGNORE,):
            continue
        folder_here = path.is_dir()
        if path.name in _NEVER or any(pattern.matches(parts, folder=folder_here) for pattern in patterns):
            left_out.append("/".join(parts) + ("/" if folder_here else ""))
            continue
        target = _followed(path, parts) if path.is_symlink() else path
        if target.is_dir():
            yield from _files(path, parts, patterns, left_out)
        elif target.is_file():
            yield parts, target
        else:
            raise _not_packed(parts, "is neither a file nor a folder")


def _followed(path: Path, parts: tuple[str, ...]) -> Path:
    """Returns the target of a link, which must be in the bot's folder. It is packed in place of the link."""
    top = path.parents[len(parts) - 1].resolve()
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise _not_packed(parts, "is a link that leads nowhere") from None
    if not target.is_relative_to(top):
        raise _not_packed(parts, "is a link that leads out of the folder")
    if target.is_dir():
        raise _not_packed(parts, "is a link to a folder")
    return target


def _not_packed(parts: tuple[str, ...], why: str) -> BadSubmission:
    name = "/".join(parts)
    return BadSubmission(Fault.KIND, f"{shown_name(name)} {why}; remove it, or name it in {IGNORE}")


def _patterns(path: Path) -> list[_Pattern]:
    """Reads a file of patterns. Raises `BadSubmission` with the line of an invalid pattern."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        return []
    except NotText as error:
        raise BadSubmission(Fault.MANIFEST, f"{IGNORE}:{error.line}: {error}") from None
    found, mistakes = [], []
    for number, line in enumerate(text.splitlines(), 1):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        parts = tuple(part for part in pattern.split("/") if part)
        if pattern.startswith("!") or "**" in pattern or ".." in parts or not parts:
            mistakes.append(f"{IGNORE}:{number}: {shown_name(pattern)} is no pattern; write names with * and ? in them")
        else:
            found.append(_Pattern(parts, "/" not in pattern.rstrip("/"), pattern.endswith("/")))
    if mistakes:
        raise BadSubmission(Fault.MANIFEST, "\n".join(mistakes))
    return found
