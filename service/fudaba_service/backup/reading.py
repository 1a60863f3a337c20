"""Reading a backup, which may be encrypted."""

from __future__ import annotations

from pathlib import Path

from fudaba_service.backup.container import BackupContents, BackupError, BackupReader, Header, Moved, Place
from fudaba_service.backup.encryption import decrypted

__all__ = ["read", "read_header"]


def read(
    file: Path,
    place: Place = lambda _path, _info: None,
    moved: Moved = lambda _: None,
    identity: Path | None = None,
) -> BackupContents:
    """Reads a backup to its end and checks every checksum. Raises `BackupError`.

    `identity` is the file with the key that decrypts it, if it is encrypted. Restored files may be used only after this
    has returned.
    """
    try:
        with decrypted(file, identity, whole=True) as source, BackupReader(file, source, moved) as reader:
            return reader.contents(place)
    except OSError as error:
        raise BackupError(f"{error.filename or file}: {error.strerror or error}") from error


def read_header(file: Path, identity: Path | None = None) -> Header:
    """Reads the header of a backup, and verifies nothing. `identity` is that of `read`. Raises `BackupError`."""
    try:
        with decrypted(file, identity, whole=False) as source, BackupReader(file, source, lambda _: None) as reader:
            return reader.header()
    except OSError as error:
        raise BackupError(f"{error.filename or file}: {error.strerror or error}") from error
