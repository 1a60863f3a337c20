"""Copies the embedded store of a folder as it is at one moment, while its server runs.

The server only appends to its newest file, and names its files in a small list, which it replaces as a whole. So the
files of one list, each at its length when opened, are the store at that moment. The server is neither asked nor
stopped. A snapshot (BGSAVE) would fork the server without a newer state: the files have every acknowledged write,
except for at most two seconds that `appendfsync everysec` may hold back on a slow disk. A separate server then loads
the copy, to show that it can be loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import redis

from fudaba_service.backup.container import BackupError
from fudaba_service.store import keys
from fudaba_serving.redis import append_only
from fudaba_serving.redis.valkey import EmbeddedValkey, FolderError, NoServerError, ServerFailedError

__all__ = ["CopiedMatches", "copy_store", "examine"]

_MAX_TRIES: Final = 50
_PAUSE_SECONDS: Final = 0.1
_CHUNK_BYTES: Final = 1 << 20


class CopiedMatches(NamedTuple):
    """The matches in a copy of a store."""

    live: frozenset[str]
    """The ids of the matches that are live, or over but not yet archived."""
    over: frozenset[str]
    """The ids of the recently archived matches."""


def copy_store(store: Path, into: Path) -> bool:
    """Copies the store's files into a new folder. Returns False if there is no store yet. Raises `BackupError`."""
    listed = store / append_only.FOLDER / append_only.MANIFEST
    for _ in range(_MAX_TRIES):
        try:
            before = listed.read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        names = append_only.parse_manifest(before)
        if not names:
            raise BackupError(
                f"the list of the store's files cannot be read: {listed}; `fudaba serve` on that folder says what to do"
            )
        with ExitStack() as stack:
            try:
                files: dict[str, IO[bytes]] = {
                    name: stack.enter_context((listed.parent / name).open("rb")) for name in names
                }
                if listed.read_text(encoding="utf-8") == before:
                    _copy(files, before, into / append_only.FOLDER)
                    return True
            except FileNotFoundError:
                pass  # it was replaced between the two looks
        time.sleep(_PAUSE_SECONDS)
    raise BackupError(f"the list of the store's files {listed} changes all the time; try again")


def _copy(files: dict[str, IO[bytes]], listed: str, into: Path) -> None:
    into.mkdir(parents=True)
    # All lengths first, so that they are of one moment.
    lengths = {name: os.fstat(file.fileno()).st_size for name, file in files.items()}
    for name, file in files.items():
        with (into / name).open("xb") as copy:
            left = lengths[name]
            while left and (data := file.read(min(_CHUNK_BYTES, left))):
                copy.write(data)
                left -= len(data)
    kept = [line for line in listed.splitlines() if line.split()[1:2] and line.split()[1] in files]
    (into / append_only.MANIFEST).write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def examine(copy: Path) -> CopiedMatches:
    """Loads a copy with a separate server, and lists its matches. Raises `BackupError`."""
    with _server(copy) as client:
        live: set[str] = set()
        over: set[str] = set()
        for bucket in range(keys.BUCKETS_COUNT):
            found: Any = client.zrange(keys.live(bucket), 0, -1)
            live.update(match_id.decode() for match_id in found)
            prefix = keys.gone(bucket, "")
            pattern = prefix.replace("{", "\\{") + "*"
            over.update(key.decode().removeprefix(prefix) for key in client.scan_iter(match=pattern, count=1000))
        return CopiedMatches(frozenset(live), frozenset(over))


@contextmanager
def _server(folder: Path) -> Iterator[redis.Redis]:
    """Yields a server on a copy of a store. Files that it leaves besides the store are removed."""
    try:
        with (
            EmbeddedValkey(folder) as server,
            closing(redis.Redis.from_url(server.url, socket_timeout=30)) as client,
        ):
            yield client
    except (FolderError, NoServerError, ServerFailedError, redis.RedisError) as error:
        raise BackupError(f"the copy of the store cannot be loaded: {error}") from error
    finally:
        for path in folder.iterdir():
            if path.name != append_only.FOLDER:
                path.unlink()
