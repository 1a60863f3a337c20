"""The folders and files of the arena, as `fudaba data check` recognises and reads them."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import zstandard

from fudaba_arena.audit.export import FORMAT_NUMBER
from fudaba_arena.audit.lines import BadExport, read_lines
from fudaba_arena.commands.unreadable import stored_items
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.data_folder import connected
from fudaba_serving.commands.folder_findings import (
    STORE,
    FolderFindings,
    FolderKind,
    StoredForm,
    Verdict,
    is_empty,
    loaded_store,
)
from fudaba_serving.storage.forms import LATER

__all__ = ["ARENA_DATA", "EXPORT", "SEASONS", "WORKER_PROGRAMS"]

_IDENTITY: Final = "id"
_SERVICE_NOTE: Final = "service.id"
_SEASON_FILE: Final = re.compile(r"[0-9]{9}-([0-9a-f]{16})\.blocks\.zst")
_MAX_SEASON_BYTES: Final = 256 * 1024 * 1024
_MAX_FIRST_LINE_BYTES: Final = 64 * 1024 * 1024
_KINDS: Final = {"submission": "submissions", "block": "blocks at workers"}
"""The first words of the names of stored items that are no tournaments, and what these are."""
_LATER_REMEDY: Final = "use the release that has written it, or a later one; `fudaba arena unreadable` puts it aside"
_DAMAGED_REMEDY: Final = "restore a backup; `fudaba arena unreadable` puts it aside"


def _is_arena(path: Path) -> bool:
    return (path / _IDENTITY).is_file() or (path / _SERVICE_NOTE).is_file()


def _is_programs(path: Path) -> bool:
    return (path / "used").is_dir() and (path / "lock").is_file()


def _is_seasons(path: Path) -> bool:
    return path.is_dir() and any(True for _ in _season_files(path))


def _is_export(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix == ".jsonl" or file.read(256).lstrip().startswith(b'{"kind": "tournament"')


def _look_at_arena(path: Path, found: FolderFindings, load: bool) -> None:
    found.note_lock(path)
    for name, stored in ((_IDENTITY, "arena's id"), (_SERVICE_NOTE, "service's id")):
        file = path / name
        if file.is_file() and not is_empty(file, found, stored):
            found.forms.append(StoredForm(stored, str(file), Verdict.YES))
    if (path / STORE).is_dir():
        with loaded_store(path / STORE, found, load=load) as url:
            if url is not None:
                found.forms += asyncio.run(_values(url, path))
    else:
        text = "it is not in this folder: the arena uses a Redis of its own; `fudaba arena unreadable --redis` reads it"
        found.forms.append(StoredForm("store", "", Verdict.YES, text=text))
    _look_at_seasons(path / "archive", found, load)


async def _values(url: str, folder: Path) -> list[StoredForm]:
    """Reads tournaments, submissions and blocks as an arena does. Returns those that it could not read, and counts."""
    try:
        async with AsyncExitStack() as stack:
            items = await stored_items(await connected(stack, url, folder))
    except ArenaError as error:
        return [StoredForm("store", "store", Verdict.DAMAGED, text=str(error), remedy="restore a backup")]
    forms, counts = [], Counter[str]()
    for name, reason in (items.listed | items.aside).items():
        stored = _KINDS.get(name.partition(" ")[0], "tournaments") if " " in name else "tournaments"
        counts[stored] += 1
        if reason:
            later = LATER in reason
            verdict, remedy = (Verdict.NO, _LATER_REMEDY) if later else (Verdict.DAMAGED, _DAMAGED_REMEDY)
            forms.append(StoredForm(stored, name, verdict, text=reason, remedy=remedy))
    return [*forms, *(StoredForm(stored, "store", Verdict.YES, count=count) for stored, count in counts.items())]


def _season_files(path: Path) -> Iterator[Path]:
    return (file for file in path.glob("*/*.blocks.zst") if _SEASON_FILE.fullmatch(file.name))


def _look_at_seasons(path: Path, found: FolderFindings, _load: bool) -> None:
    """Compares each file of closed blocks with the checksum in its name."""
    count = 0
    for file in _season_files(path):
        count += 1
        if reason := _wrong_season(file):
            remedy = "bring the file back from a backup"
            found.forms.append(StoredForm("closed blocks", str(file), Verdict.DAMAGED, text=reason, remedy=remedy))
    if count:
        text = "each has its checksum" if found.verdict != Verdict.DAMAGED else ""
        found.forms.append(StoredForm("closed blocks", str(path), Verdict.YES, count=count, text=text))


def _wrong_season(file: Path) -> str:
    """Returns what is wrong with a file of closed blocks; empty if nothing."""
    named = _SEASON_FILE.fullmatch(file.name)
    try:
        lines = zstandard.ZstdDecompressor().decompress(file.read_bytes(), max_output_size=_MAX_SEASON_BYTES)
    except zstandard.ZstdError as error:
        return f"it cannot be unpacked: {error}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    return "" if named and sha256(lines).hexdigest().startswith(named[1]) else "it has not the checksum of its name"


def _look_at_programs(path: Path, found: FolderFindings, _load: bool) -> None:
    found.note_lock(path)
    count = sum(entry.is_dir() for entry in path.iterdir()) - 1
    text = "the worker unpacks and builds them again if they are missing"
    found.forms.append(StoredForm("programs", str(path), Verdict.YES, count=count, text=text))


def _look_at_export(path: Path, found: FolderFindings, _load: bool) -> None:
    reads, again = str(FORMAT_NUMBER), "export it again with `fudaba arena export`"
    try:
        with path.open(encoding="utf-8") as lines:
            first: Any = json.loads(lines.readline(_MAX_FIRST_LINE_BYTES))
        if not isinstance(first, dict) or first.get("kind") != "tournament":
            raise BadExport("line 1 does not begin an export")
        release, form = str(first.get("release", "")), first.get("format")
        found.release = release if release.isprintable() else ""
        if form != FORMAT_NUMBER:
            text = f"it has format {form}, and this release reads {reads}"
            remedy = f"check it with release {found.release}, or a later one" if found.release else again
            found.forms.append(StoredForm("export", str(path), Verdict.NO, str(form), reads, text=text, remedy=remedy))
            return
        with path.open(encoding="utf-8") as lines:
            count = len(read_lines(lines))
    except (BadExport, ValueError, RecursionError) as error:
        text = str(error) if isinstance(error, BadExport) else f"line 1 is not JSON: {error}"
        found.forms.append(StoredForm("export", str(path), Verdict.DAMAGED, "", reads, text=text, remedy=again))
        return
    text = f"of {first.get('name')}; `fudaba arena verify` checks what it says"
    found.forms.append(StoredForm("export", str(path), Verdict.YES, str(form), reads, count, text))


ARENA_DATA: Final = FolderKind("an arena's data", _is_arena, _look_at_arena)
SEASONS: Final = FolderKind("an archive of closed blocks", _is_seasons, _look_at_seasons)
WORKER_PROGRAMS: Final = FolderKind("a worker's programs", _is_programs, _look_at_programs)
EXPORT: Final = FolderKind("an exported tournament or season", _is_export, _look_at_export)
