"""The records of finished matches, one file each, in a folder or at a URL."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, final

import zstandard
from google.protobuf.message import DecodeError

from fudaba import records
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_serving.storage.urls import FolderStorage, StorageUnavailable, UrlStorage

__all__ = ["INDEX", "MATCH_ID", "NEW_MATCH_ID", "Archive", "ArchiveUnavailable", "DamagedRecord"]

MATCH_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,80}")
"""The form of a match's id, which is safe as the name of a file and of a key."""
NEW_MATCH_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
"""The form of a new match's id, which is also safe in commands and folders. Earlier releases accepted any
`MATCH_ID`.
"""
INDEX: Final = "index"
"""The index's folder within the archive's."""
_IDENTITY: Final = "archive-id"

ArchiveUnavailable = StorageUnavailable
"""The archive, or a file in it, cannot be read or written."""


class DamagedRecord(ArchiveUnavailable):
    """A record cannot be read, now or ever."""


@final
class Archive:
    """Record files, spread over 256 folders by the match's id.

    Writing is atomic, and the same record gives the same bytes, so that two replicas may write one match. All
    operations raise `ArchiveUnavailable`.
    """

    def __init__(self, folder: Path, url: UrlStorage | None = None) -> None:
        """`folder` is the archive's own folder on this machine. The records are at the URL if there is one, and
        otherwise in the folder.
        """
        self._folder = folder
        self._storage = url or FolderStorage(folder)
        self.at_url = url is not None
        """Whether the records are at a URL. Then the index is that of this machine."""
        self.index_folder = folder / INDEX if url is None else folder / INDEX / url.digest

    @property
    def folder(self) -> Path:
        """The archive's folder on this machine."""
        return self._folder

    @property
    def where(self) -> str:
        """The location of the records, for people."""
        return self._storage.where

    def path(self, match_id: str) -> Path:
        """Returns the path of a match's record, existing or not, if the records are in the folder."""
        return self._folder / _name(match_id)

    def names(self) -> AsyncIterator[list[str]]:
        """Yields the names of all records, in groups."""
        return self._storage.names(records.SUFFIX)

    async def contents(self, names: Sequence[str]) -> list[bytes | None]:
        """Reads record files; None for missing ones."""
        return await self._storage.read_all(names)

    async def prepare(self) -> None:
        """Makes the folder and checks that the archive can be written."""
        await FolderStorage(self._folder).prepare()
        await self._storage.prepare()

    @property
    def identity_file(self) -> str:
        """The file with the id of this archive."""
        return f"{self.where}/{_IDENTITY}"

    async def identity(self) -> str | None:
        """Returns the archive's id; None if it has none."""
        found = await self._storage.read(_IDENTITY)
        try:
            return None if found is None else found.decode().strip()
        except UnicodeDecodeError as error:
            raise ArchiveUnavailable(f"{self.identity_file} cannot be read: {error}") from error

    async def is_new(self) -> bool:
        """Returns whether no service has used it: it has neither an id nor a record. Its id alone may be lost."""
        if await self.identity() is not None:
            return False
        async for names in self.names():
            if names:
                return False
        return True

    async def name(self, proposed: str) -> str:
        """Gives the archive an id, unless it has one. Returns its id."""
        if await self._storage.create(_IDENTITY, _identity_line(proposed)):
            return proposed
        if not (found := await self.identity()):  # an empty file, as a power cut may leave it
            await self.identify(proposed)
        return found or proposed

    async def identify(self, identity: str) -> None:
        """Sets the archive's id."""
        await self._storage.put(_IDENTITY, _identity_line(identity))

    async def write(self, record: record_pb2.MatchRecord) -> bool:
        """Stores a record before it returns. Returns False if the match has another record, which then stands."""
        name, content = _name(record.header.match_id), records.pack(record)
        if await self._storage.create(name, content):
            return True
        there = await self._storage.read(name)
        if there is None:
            raise ArchiveUnavailable(f"{name} was there just now, and is gone")
        try:
            return records.unpack(there) == record
        except records.BadRecord:  # the damaged file is set aside
            folder, _, file = name.partition("/")
            await self._storage.put(f"{folder}/.{file}.damaged", there)
            await self._storage.put(name, content)
            return True

    async def read(self, match_id: str) -> record_pb2.MatchRecord | None:
        """Returns the record of a match, or None."""
        if not MATCH_ID.fullmatch(match_id):
            return None
        found = await self._storage.read(_name(match_id))
        try:
            return None if found is None else records.unpack(found, f"{self.where}/{_name(match_id)}")
        except records.BadRecord as error:
            raise DamagedRecord(f"the record of match {match_id} cannot be read: {error}") from error

    async def remove(self, match_ids: Sequence[str]) -> None:
        """Removes records and notes. Missing ones are ignored."""
        await self._storage.remove([name(match_id) for match_id in match_ids for name in (_notes_name, _name)])

    async def write_notes(self, match_id: str, notes: Sequence[matches_pb2.Note]) -> None:
        """Stores bots' notes about a match, beside its record and never in it."""
        message = matches_pb2.GetNotesResponse(match_id=match_id, notes=notes)
        await self._storage.put(_notes_name(match_id), zstandard.compress(message.SerializeToString()))

    async def read_notes(self, match_id: str) -> list[matches_pb2.Note]:
        """Reads bots' notes about a match; empty if there are none."""
        found = await self._storage.read(_notes_name(match_id))
        try:
            plain = b"" if found is None else zstandard.decompress(found)
            return list(matches_pb2.GetNotesResponse.FromString(plain).notes)
        except (zstandard.ZstdError, DecodeError) as error:
            raise ArchiveUnavailable(f"the notes of match {match_id} cannot be read: {error}") from error


def _identity_line(identity: str) -> bytes:
    return f"{identity}\n".encode()


def _folder_of(match_id: str) -> str:
    return sha256(match_id.encode()).hexdigest()[:2]


def _name(match_id: str) -> str:
    return f"{_folder_of(match_id)}/{match_id}{records.SUFFIX}"


def _notes_name(match_id: str) -> str:
    return f"{_folder_of(match_id)}/{match_id}.notes"
