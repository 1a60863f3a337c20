"""The stamp of the newest backup that a restore test found right: a small file that the service's metrics read."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, final

from fudaba_service.backup.container import BackupError, Header

__all__ = ["Stamp", "stamped_time"]

_MAX_STAMP_BYTES = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class Stamp:
    """The content of a stamp."""

    backup: str
    """The name of the backup."""
    created: str
    """The time when the backup was made, in UTC, ISO 8601."""
    tested: str
    """The time when it was tested, in the same form."""
    service: str
    """The id of its service."""

    @classmethod
    def of_test(cls, file: Path, header: Header) -> Self:
        """Returns the stamp of a backup that has passed its test now."""
        return cls(file.name, header.created, datetime.now(UTC).isoformat(timespec="seconds"), header.service)

    def write(self, path: Path) -> None:
        """Replaces the stamp in a file, which everybody may read. Raises `BackupError`."""
        try:
            descriptor, made = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
            try:
                with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123  it is open already
                    json.dump(asdict(self), file, indent=2)
                    os.fchmod(file.fileno(), 0o644)
                    file.flush()
                    os.fsync(file.fileno())
                Path(made).replace(path)
            except BaseException:
                Path(made).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise BackupError(f"the stamp {path} cannot be written: {error.strerror or error}") from error


def stamped_time(path: Path, service: str) -> float:
    """Returns when the stamped backup of a service was made, in seconds since 1970.

    Returns 0 if there is no stamp, if it cannot be read, or if it is another service's.
    """
    try:
        with path.open("rb") as file:
            values: Any = json.loads(file.read(_MAX_STAMP_BYTES))
        if values["service"] != service:
            return 0.0
        return datetime.fromisoformat(values["created"]).timestamp()
    except (OSError, ValueError, TypeError, KeyError):
        return 0.0
