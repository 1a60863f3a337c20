"""Fetches many records into a folder, and skips those that are already there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from fudaba import records
from fudaba.cli.failures import Failure
from fudaba.cli.match_filter import listed
from fudaba.cli.progress import progress
from fudaba.client import Client
from fudaba.v1 import matches_pb2, record_pb2

__all__ = ["Fetched", "fetch"]

_RECORDS_PER_CALL: Final = 200
"""The number of records in one call. It is small, so that an interrupted call loses little."""
_TIMEOUT_SECONDS: Final = 600
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,80}")
_OVER: Final = (matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED)


class Fetched(NamedTuple):
    """The ids of the finished matches."""

    fetched: list[str]
    there: list[str]
    not_sent: list[str]
    """The records that the service keeps back, or that cannot be read."""


def fetch(
    client: Client,
    wanted: dict[str, Any],
    folder: Path,
    notes: Callable[[Client, str, Path], None] | None,
    *,
    force: bool,
) -> Fetched:
    """Fetches the records of the wanted matches, and before each of them its notes, with `notes` if given.

    Raises `Failure` and `ServiceError`.
    """
    ids = [match.header.match_id for match in listed(client, wanted) if match.state in _OVER]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = [] if force else [match_id for match_id in ids if _file(folder, match_id).exists()]
        missing = _without(ids, there)
        fetched: list[str] = []
        with progress(len(missing), "records") as step:
            for first in range(0, len(missing), _RECORDS_PER_CALL):
                chosen = missing[first : first + _RECORDS_PER_CALL]
                request = matches_pb2.StreamRecordsRequest(match_ids=chosen)
                for response in client.matches.StreamRecords(request, timeout=_TIMEOUT_SECONDS):
                    path = _file(folder, response.record.header.match_id)
                    if notes is not None:
                        notes(client, response.record.header.match_id, path)
                    _write(path, response.record)
                    fetched.append(response.record.header.match_id)
                    step()
    except OSError as error:
        raise Failure(f"{error.filename or folder}: {error.strerror or error}") from None
    return Fetched(fetched, there, _without(missing, fetched))


def _without(ids: list[str], others: list[str]) -> list[str]:
    left_out = set(others)
    return [match_id for match_id in ids if match_id not in left_out]


def _file(folder: Path, match_id: str) -> Path:
    if not _ID.fullmatch(match_id):  # it becomes the name of a file
        raise Failure(f"the service names a match {match_id[:80]!r}, which is not a match id")
    return folder / f"{match_id}{records.SUFFIX}"


def _write(path: Path, record: record_pb2.MatchRecord) -> None:
    """Writes a record completely or not at all, since an existing file counts as fetched."""
    half = path.with_name(f".{path.name}.half")
    half.write_bytes(records.pack(record))
    half.replace(path)
