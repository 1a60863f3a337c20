"""The names that `fudaba backup` gives to backups in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fudaba_service.backup.container import Header

__all__ = ["ENCRYPTED_SUFFIX", "kind_in_name", "named", "new_name"]

ENCRYPTED_SUFFIX: Final = ".age"
_NAME: Final = re.compile(r"fudaba-\d{8}T\d{6}Z(?:-([0-9A-Za-z]+)-(arena|service|arena\+service))?\.tar\.zst(?:\.age)?")


def new_name(header: Header, *, is_encrypted: bool) -> str:
    """Returns the name of a backup.

    That of an encrypted one says of which service and data folders it is, as its header cannot be read without an
    identity.
    """
    made = datetime.fromisoformat(header.created).astimezone(UTC)
    name = f"fudaba-{made:%Y%m%dT%H%M%SZ}"
    if is_encrypted and header.service.isascii() and header.service.isalnum():
        name += f"-{header.service}-{header.parts.replace(' ', '+')}"
    return f"{name}.tar.zst{ENCRYPTED_SUFFIX if is_encrypted else ''}"


def named(folder: Path) -> Iterator[Path]:
    """Yields the files in a folder that have such names."""
    return (path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())


def kind_in_name(file: Path) -> tuple[str, str] | None:
    """Returns the service and the data folders that a name says, as in `Header`; None if it does not say them."""
    found = _NAME.fullmatch(file.name)
    return (found[1], found[2].replace("+", " ")) if found is not None and found[1] else None
