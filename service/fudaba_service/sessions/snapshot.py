"""Snapshots: stores the result of replaying a long log, as bytes. Reading one takes a seventh of the time of a replay.

Snapshots of sleeping matches stay in the process that made them. Others are stored beside the log, for the process that
loads the match after a restart. These are sealed: only the release that took one uses it, and only if the log still
begins with the entries that it covers. The log is authoritative; without a snapshot, all of it is replayed.

The seal is not a signature: anybody who can write to the store can change matches anyhow.
"""

from __future__ import annotations

import io
import logging
import pickle
import sys
import zlib
from functools import cache
from hashlib import sha256
from math import inf
from pathlib import Path
from types import FunctionType
from typing import Any, Final, final

import google.protobuf

import fudaba
import fudaba_games
from fudaba.codec import codec
from fudaba.replay import Replay
from fudaba_games.match import Match
from fudaba_games.registry import game
from fudaba_service.store import StoredMatch

__all__ = ["POSSIBLE", "due_after", "opened", "release", "restored", "sealed", "taken"]

log = logging.getLogger(__name__)

POSSIBLE: Final = isinstance(Match.__init__, FunctionType)
"""Whether snapshots are possible: classes that mypyc has compiled cannot be pickled."""
_ENTRIES_PER_SNAPSHOT: Final = 128
"""The minimum number of new entries, at least a quarter of the log, after which another snapshot is stored."""
_MAX_LOG_ENTRIES: Final = 4_096
"""The longest log that gets another snapshot: 4 microseconds for each entry, in which everything else waits."""
_MAX_SNAPSHOT_BYTES: Final = 64 * 1024 * 1024
"""The largest snapshot that is read."""
_NUMBER_BYTES: Final = 4
"""The bytes of a number."""
_SEAL_BYTES: Final = 32
"""The bytes of a seal."""
_OURS: Final = ("fudaba_games.", "fudaba.replay", "fudaba.v1.")
"""The modules that define the classes of a match."""
_BY_NAME: Final = {(game.__module__, game.__name__): game, (codec.__module__, codec.__name__): codec}


def taken(replay: Replay) -> bytes:
    """Returns the snapshot of a match. It refers to games and codecs by name."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    name = replay.game.id
    pickler.dispatch_table = {
        type(replay.game): lambda _: (game, (name,)),
        type(replay.codec): lambda _: (codec, (name,)),
    }
    pickler.dump(replay)
    return zlib.compress(file.getbuffer(), 1)


def restored(snapshot: bytes) -> Replay:
    """Returns the match from a snapshot.

    For bytes that `taken` did not make, it raises `pickle.UnpicklingError` or another error.
    """
    replay = _Reader(io.BytesIO(zlib.decompressobj().decompress(snapshot, _MAX_SNAPSHOT_BYTES))).load()
    if not isinstance(replay, Replay):
        raise pickle.UnpicklingError("it is no match")
    return replay


def due_after(length: int) -> float:
    """Returns the number of entries after which a log of this length needs its next stored snapshot; infinite for
    never.
    """
    return length + max(_ENTRIES_PER_SNAPSHOT, length // 4) if POSSIBLE and length < _MAX_LOG_ENTRIES else inf


def sealed(replay: Replay, stored: StoredMatch) -> bytes | None:
    """Returns the sealed snapshot of a stored match; None where the release has no digest to seal it with."""
    if not release():
        return None
    snapshot = taken(replay)
    number = replay.length.to_bytes(_NUMBER_BYTES, "big")
    return number + _seal(stored, replay.length, snapshot) + snapshot


def opened(stored: StoredMatch) -> Replay | None:
    """Reads a match from its snapshot, as it was after its first entries; `length` is their number.

    Returns None if there is none, or it belongs to another release or another history of the match.
    """
    kept = stored.snapshot
    if not kept or not POSSIBLE or not release():
        return None
    length, snapshot = int.from_bytes(kept[:_NUMBER_BYTES], "big"), kept[_NUMBER_BYTES + _SEAL_BYTES :]
    if length > len(stored.entries) or kept[_NUMBER_BYTES : _NUMBER_BYTES + _SEAL_BYTES] != _seal(
        stored, length, snapshot
    ):
        return None
    try:
        replay = restored(snapshot)
        if replay.length != length:
            raise pickle.UnpicklingError(f"it is of {replay.length} entries, and says {length}")
    except Exception as error:  # noqa: BLE001  # anything may be raised, and the log has all of the match
        log.warning("a snapshot in the store is not this service's, and is not used: %s", error)
        return None
    return replay


def _seal(stored: StoredMatch, length: int, snapshot: bytes) -> bytes:
    """Returns the seal of a snapshot, which differs for another release, another match or another history."""
    parts = [release(), stored.header, stored.seed, stored.salt, snapshot, *stored.entries[:length]]
    return sha256(
        b"".join([part for content in parts for part in (len(content).to_bytes(_NUMBER_BYTES, "big"), content)])
    ).digest()


@cache
def release() -> bytes:
    """Returns a digest of everything that affects how a snapshot is read: this code, Python and protobuf; empty without
    source files.

    Call it when a process starts, before anybody installs another release.
    """
    digest = sha256(f"{sys.version} {google.protobuf.__version__}".encode())
    sources = [Path(__file__)]
    for package in (fudaba_games, fudaba):
        folder = Path(str(package.__file__)).parent
        sources += sorted([*folder.glob("*.py"), *folder.glob("*/*.py")])
    found = [path for path in sources if path.exists()]
    for path in found:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.digest() if len(found) == len(sources) > 1 else b""


@final
class _Reader(pickle.Unpickler):
    """An unpickler that knows the parts of matches and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Finds the class or function that a snapshot names."""
        found = _BY_NAME.get((module, name))
        if found is not None:
            return found
        if module.startswith(_OURS):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.startswith(_OURS):
                return found
        raise pickle.UnpicklingError(f"it names {module}.{name}")
