"""The append-only files of an embedded server, which are checked before the server reads them.

If a process is killed, or a machine loses its power, the last file may have a torn end: an unfinished command or
transaction, or zeros where the disk never got the data. This module cuts that end off, up to the length that can have
been in flight. A longer end is damage, such as a disk that has lost what it had acknowledged. The server truncates, too
(`aof-load-truncated`), but it does not cut off zeros. Redis 7.0 also keeps the first half of a transaction in which the
file ends. At the next start, that half comes back in front of later writes, or destroys them.

Any other fault is damage, which is never repaired without an order: `check` names the fault and the command that
repairs it.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from fudaba_serving.redis import append_only_length

__all__ = ["FOLDER", "MANIFEST", "DamagedFilesError", "check", "listed_files", "note_length", "parse_manifest"]

log = logging.getLogger(__name__)

FOLDER: Final = "appendonlydir"
"""The folder of these files, inside a server's data folder."""
MANIFEST: Final = "appendonly.aof.manifest"
"""The file in this folder that names the others."""
_NAME: Final = re.compile(r"appendonly\.aof\.(\d+)\.(base|incr)\.(?:aof|rdb)")
_LINE: Final = re.compile(r"file ([^\s/]+) seq (\d+) type ([bih])")
_ANALYZED: Final = re.compile(r"AOF analyzed: filename=(.+), size=(\d+), ok_up_to=(\d+),")
_BEGUN: Final = re.compile(rb"[*$]\d*\r?")
_MAX_LINE_BYTES: Final = 32


class DamagedFilesError(RuntimeError):
    """The server's files cannot be read. The text says what is wrong with them, and what to do."""


class _Analysed(NamedTuple):
    """A file that is readable only at its beginning."""

    name: str
    size: int
    sound: int
    """The number of readable bytes at its beginning."""


def check(folder: Path, server: Path) -> None:
    """Checks the append-only files in a stopped server's data folder; cuts off a torn end.

    Raises `DamagedFilesError` and OSError.
    """
    files = folder / FOLDER
    listed = _listed(files)
    if not listed:
        if wrong := append_only_length.gone(folder):
            raise DamagedFilesError(wrong)
        return
    _check_files(folder, files, listed, server)
    wrong = append_only_length.lost(folder, files / listed[-1])
    if wrong:
        raise DamagedFilesError(wrong)
    note_length(folder)


def note_length(folder: Path) -> None:
    """Records the length of the file that a server appends to: the next `check` finds what was lost since then.

    Raises OSError.
    """
    manifest = folder / FOLDER / MANIFEST
    listed = parse_manifest(manifest.read_text(errors="replace")) if manifest.is_file() else []
    if listed:
        append_only_length.note(folder, folder / FOLDER / listed[-1])


def listed_files(folder: Path) -> list[str]:
    """Returns the names of the append-only files in a server's data folder, in the order of reading.

    Returns none for a new store. Changes nothing. Raises `DamagedFilesError` for a manifest that is damaged or missing,
    and OSError.
    """
    return _listed(folder / FOLDER)


def _check_files(folder: Path, files: Path, listed: Sequence[str], server: Path) -> None:
    """Checks the listed files; cuts off a torn end. Raises `DamagedFilesError` and OSError."""
    for name in listed:
        if not (files / name).is_file():
            raise DamagedFilesError(
                f"The store's file {files / name} is missing, which its manifest names. Without it the store cannot be "
                "read: put the file back, or restore a backup."
            )
    wrong = _analysed(files, server)
    if wrong is None:
        return
    path = files / wrong.name
    if wrong.name != listed[-1]:
        raise DamagedFilesError(_damaged(path, wrong, _tool(server, path), folder))
    with path.open("rb") as file:
        file.seek(wrong.sound)
        end = file.read()
    torn = _is_torn(end)
    if torn is None:
        return  # the server can read it
    if not torn:
        raise DamagedFilesError(_damaged(path, wrong, _tool(server, files / MANIFEST), folder))
    if len(end) > append_only_length.in_flight(wrong.size):
        raise DamagedFilesError(_long_end(path, wrong, end, _tool(server, files / MANIFEST), folder))
    _cut(path, wrong.sound)
    log.warning(
        "the store's file %s ended in a write that was never finished; its last %d of %d bytes were cut off",
        path, len(end), wrong.size,
    )  # fmt: skip


def _damaged(path: Path, wrong: _Analysed, command: str, folder: Path) -> str:
    return (
        f"The store's file {path} is damaged: what stands at byte {wrong.sound} of {wrong.size} cannot be read. "
        f"Restore a backup; or copy the folder {folder} to a safe place and then cut off that and all that comes after "
        f"it, {wrong.size - wrong.sound} bytes, with this command:\n  {command} && {append_only_length.accept(folder)}"
    )


def _long_end(path: Path, wrong: _Analysed, end: bytes, command: str, folder: Path) -> str:
    fault_text = "are zeros" if not end.strip(b"\0") else "are a write that was never finished, or look like one"
    return (
        f"The last {len(end)} of {wrong.size} bytes of the store's file {path} {fault_text}: that is more than can "
        f"have been on its way to the disk when the machine stopped, so the disk, or a copy, has lost what was stored. "
        f"Restore a backup; or copy the folder {folder} to a safe place and then go on without them, with this "
        f"command:\n  {command} && {append_only_length.accept(folder)}"
    )


def _listed(files: Path) -> list[str]:
    """Returns the names of the files that the manifest lists, in the order of reading; none for a new store.

    Raises `DamagedFilesError` for a manifest that is damaged or missing, and OSError.
    """
    manifest = files / MANIFEST
    found = [(int(match[1]), match[2], path) for path in files.glob("*") if (match := _NAME.fullmatch(path.name))]
    listed = parse_manifest(manifest.read_text(errors="replace")) if manifest.is_file() else []
    if listed:
        return listed
    if not manifest.is_file() and not sum(path.stat().st_size for _, _, path in found):
        return []  # the server was stopped at its very first start, or never started
    bases = [number for number, kind, _ in found if kind == "base"]
    read = sorted((kind, number, path.name) for number, kind, path in found if number >= max(bases, default=0))
    text = "".join(f"file {name} seq {number} type {kind[0]}\\n" for kind, number, name in read)
    raise DamagedFilesError(
        f"The store's manifest {manifest} {'is damaged' if manifest.is_file() else 'is missing'}: it names the files "
        "that hold the data. Restore a backup; or write it anew, from the files that are there, with this command:\n"
        f"  printf {shlex.quote(text)} > {shlex.quote(str(manifest))}"
    )


def parse_manifest(text: str) -> list[str]:
    """Returns the names of the files that hold the data, in the order in which they are read; none if it is unreadable.

    Leaves out files of type `h`, which only wait to be removed.
    """
    lines = [_LINE.match(line) for line in text.splitlines() if line and not line.startswith("#")]
    listed = [line for line in lines if line is not None]
    if len(listed) < len(lines) or not text.endswith("\n"):
        return []
    return [
        line[1]
        for line in sorted(listed, key=lambda listed_line: (listed_line[3], int(listed_line[2])))
        if line[3] != "h"
    ]


def _analysed(files: Path, server: Path) -> _Analysed | None:
    """Returns the fault that the server's own checker finds in the files; None if it finds none or is not known."""
    # The checker is the server's executable under another name: the wheel has no other executable.
    command = [_checker(server), MANIFEST]
    done = subprocess.run(
        command, executable=server, cwd=files, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    if not done.returncode:
        return None
    found = [_Analysed(name, int(size), int(sound)) for name, size, sound in _ANALYZED.findall(done.stdout)]
    return next((analysed for analysed in found if analysed.sound < analysed.size), None)


def _checker(server: Path) -> str:
    return "valkey-check-aof" if "valkey" in server.name else "redis-check-aof"


def _tool(server: Path, path: Path) -> str:
    """Returns the command that cuts off the unreadable end."""
    name = _checker(server)
    arguments = f"--fix {shlex.quote(str(path))}"
    if shutil.which(name) is not None:
        return f"{name} {arguments}"
    return f"bash -c {shlex.quote(f'exec -a {name} {shlex.quote(str(server))} {arguments}')}"


def _is_torn(end: bytes) -> bool | None:
    """Returns whether the end of a file, from where it cannot be read, is only unfinished.

    Returns None if a transaction ends in it.
    """
    body, at = end.rstrip(b"\0"), 0
    while at < len(body):
        words: list[bytes] = []
        count, at = _number(body, at, b"*")
        for _ in range(count):
            length, at = _number(body, at, b"$")
            words.append(body[at : at + length])
            at += length + 2
            if length < 0 or (at <= len(body) and body[at - 2 : at] != b"\r\n"):
                return False
        if count < 0:
            return False
        if at <= len(body) and [word.upper() for word in words] == [b"EXEC"]:
            return None
    return True


def _number(text: bytes, at: int, sign: bytes) -> tuple[int, int]:
    """Returns the number in a line that begins with a sign, and the place at which the next line begins.

    Returns 0 and the length of the text if the line is cut off, and -1 and the line's own place if it is not such a
    line.
    """
    line, ended, _ = text[at : at + _MAX_LINE_BYTES].partition(b"\r\n")
    if at >= len(text) or (not ended and at + len(line) == len(text) and _BEGUN.fullmatch(line) and line[:1] == sign):
        return 0, len(text)
    if not ended or line[:1] != sign or not line[1:].isdigit():
        return -1, at
    return int(line[1:]), at + len(line) + 2


def _cut(path: Path, size: int) -> None:
    """Cuts a file off, and returns once that is on the disk."""
    with path.open("r+b") as file:
        file.truncate(size)
        os.fsync(file.fileno())
