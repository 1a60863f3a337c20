"""The records of finished matches, one file each, in a folder."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, final

import zstandard
from google.protobuf.message import DecodeError

from fudaba import records
from fudaba.v1 import matches_pb2, record_pb2

__all__ = ["MATCH_ID", "NEW_MATCH_ID", "Archive", "ArchiveUnavailable", "DamagedRecord"]

MATCH_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,80}")
"""What a match's id looks like: safe as the name of a file and of a key."""
NEW_MATCH_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
"""What the id of a new match looks like: safe in commands and folders, too. Earlier releases took any `MATCH_ID`."""


class ArchiveUnavailable(Exception):
    """The folder, or a file in it, cannot be read or written."""


class DamagedRecord(ArchiveUnavailable):
    """A record cannot be read, and will not be."""


_IDENTITY: Final = "archive-id"


@final
class Archive:
    """Record files below a folder, spread over 256 folders by the match's id.

    Writing is atomic, and the same record gives the same bytes, so that two replicas may write one match.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """The archive's folder."""
        return self._folder

    def paths(self) -> Iterator[Path]:
        """Where all records are."""
        for folder in sorted(self._folder.glob("??")):
            yield from sorted(folder.glob(f"*{records.SUFFIX}"))

    def path(self, match_id: str) -> Path:
        """Where a match's record is, or will be."""
        return self._folder / sha256(match_id.encode()).hexdigest()[:2] / f"{match_id}{records.SUFFIX}"

    async def prepare(self) -> None:
        """Makes the folder and checks that it can be written. Raises `ArchiveUnavailable`."""
        await asyncio.to_thread(self._prepare)

    @property
    def identity_file(self) -> Path:
        """The file that says which archive this is."""
        return self._folder / _IDENTITY

    async def identity(self) -> str | None:
        """Which archive this is, once `identify` has said so. Raises `ArchiveUnavailable`."""
        try:
            return (await asyncio.to_thread(self.identity_file.read_text, encoding="utf-8")).strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ArchiveUnavailable(f"{self.identity_file} cannot be read: {error}") from error

    async def identify(self, identity: str) -> None:
        """Says which archive this is. Raises `ArchiveUnavailable`."""
        try:
            await asyncio.to_thread(self.identity_file.write_text, f"{identity}\n", encoding="utf-8")
        except OSError as error:
            raise ArchiveUnavailable(f"{self.identity_file} cannot be written: {error}") from error

    async def write(self, record: record_pb2.MatchRecord) -> bool:
        """Stores a record, on disk before it returns. False when there is another one of the match: that one stands.

        Raises `ArchiveUnavailable`.
        """
        return await asyncio.to_thread(self._write, self.path(record.header.match_id), record)

    async def read(self, match_id: str) -> record_pb2.MatchRecord | None:
        """The record of a match, or None. Raises `ArchiveUnavailable`."""
        if not MATCH_ID.fullmatch(match_id):
            return None
        return await asyncio.to_thread(self._read, match_id)

    async def remove(self, match_ids: Sequence[str]) -> None:
        """Removes records and notes; those that are not there are no matter. Raises `ArchiveUnavailable`."""
        await asyncio.to_thread(self._remove, match_ids)

    async def write_notes(self, match_id: str, notes: Sequence[matches_pb2.Note]) -> None:
        """Keeps what bots noted about a match, beside its record and never in it. Raises `ArchiveUnavailable`."""
        message = matches_pb2.GetNotesResponse(match_id=match_id, notes=notes)
        await asyncio.to_thread(self._write_notes, self._notes_path(match_id), message)

    async def read_notes(self, match_id: str) -> list[matches_pb2.Note]:
        """What bots noted about a match; nothing if none did. Raises `ArchiveUnavailable`."""
        return await asyncio.to_thread(self._read_notes, match_id)

    def _remove(self, match_ids: Sequence[str]) -> None:
        try:
            for match_id in match_ids:
                self._notes_path(match_id).unlink(missing_ok=True)
                self.path(match_id).unlink(missing_ok=True)
        except OSError as error:
            raise ArchiveUnavailable(f"{error.filename} cannot be removed: {error.strerror}") from error

    def _notes_path(self, match_id: str) -> Path:
        return self.path(match_id).with_name(f"{match_id}.notes")

    def _write_notes(self, path: Path, message: matches_pb2.GetNotesResponse) -> None:
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                file.write(zstandard.compress(message.SerializeToString()))
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
            _sync(path.parent)
        except OSError as error:
            raise ArchiveUnavailable(f"{path} cannot be written: {error}") from error

    def _read_notes(self, match_id: str) -> list[matches_pb2.Note]:
        try:
            plain = zstandard.decompress(self._notes_path(match_id).read_bytes())
            return list(matches_pb2.GetNotesResponse.FromString(plain).notes)
        except FileNotFoundError:
            return []
        except (OSError, zstandard.ZstdError, DecodeError) as error:
            raise ArchiveUnavailable(f"the notes of match {match_id} cannot be read: {error}") from error

    def _prepare(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as error:
            there = next((one for one in (self._folder, *self._folder.parents) if one.exists()), None)
            why = f"{there} is not a folder" if there is not None and not there.is_dir() else error.strerror
            raise ArchiveUnavailable(f"the archive folder {self._folder} cannot be written: {why}") from error

    def _write(self, path: Path, record: record_pb2.MatchRecord) -> bool:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".") as file:
                file.write(records.pack(record))
                file.flush()
                os.fsync(file.fileno())
                stands = _publish(Path(file.name), path, record)
            _sync(path.parent)
        except OSError as error:
            raise ArchiveUnavailable(f"{path} cannot be written: {error}") from error
        return stands

    def _read(self, match_id: str) -> record_pb2.MatchRecord | None:
        try:
            return records.read(self.path(match_id))
        except FileNotFoundError:
            return None
        except records.BadRecord as error:
            raise DamagedRecord(f"the record of match {match_id} cannot be read: {error}") from error
        except OSError as error:
            raise ArchiveUnavailable(f"the record of match {match_id} cannot be read: {error}") from error


def _publish(written: Path, path: Path, record: record_pb2.MatchRecord) -> bool:
    """Gives a file its name, unless there is another record of that name: False then. A damaged one is replaced."""
    try:
        path.hardlink_to(written)
    except FileExistsError:
        try:
            return records.read(path) == record
        except records.BadRecord:
            damaged = path.with_name(f".{path.name}.damaged")
            path.replace(damaged)
            path.hardlink_to(written)
    return True


def _sync(folder: Path) -> None:
    """Brings the names in a folder to the disk: the store forgets a match as soon as its record is there."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
