"""Stores what a long log replays to, as bytes: to read them takes a seventh of the time of a replay.

Those of matches that sleep stay in the process that made them. Others are kept in the store beside the log, for whoever
loads the match after a restart. Such a one is sealed: it is used only by the release that took it, and only where the
log still begins with what it was taken of. The log is what counts; without a snapshot all of it is replayed.

The seal is no signature: who can write to the store can change matches anyhow.
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
"""Whether there are snapshots: classes that mypyc has compiled cannot be pickled."""
_ENTRIES_PER_SNAPSHOT: Final = 128
"""After this many entries, or a quarter more than there are, another snapshot follows the one in the store."""
_MAX_LOG_ENTRIES: Final = 4_096
"""Entries of the longest log of which there is another one: 4 microseconds an entry, in which all others wait."""
_MAX_SNAPSHOT_BYTES: Final = 64 * 1024 * 1024
"""Bytes of the largest one that is read."""
_NUMBER_BYTES: Final = 4
"""Bytes of a number."""
_SEAL_BYTES: Final = 32
"""Bytes of a seal."""
_OURS: Final = ("fudaba_games.", "fudaba.replay", "fudaba.v1.")
"""The modules that define the classes of a match."""
_BY_NAME: Final = {(game.__module__, game.__name__): game, (codec.__module__, codec.__name__): codec}


def taken(replay: Replay) -> bytes:
    """Returns the snapshot of a match. Games and codecs are named in it, not copied."""
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
    """Returns the match again.

    For what `taken` has not made it raises `pickle.UnpicklingError`, or whatever comes of it.
    """
    replay = _Reader(io.BytesIO(zlib.decompressobj().decompress(snapshot, _MAX_SNAPSHOT_BYTES))).load()
    if not isinstance(replay, Replay):
        raise pickle.UnpicklingError("it is no match")
    return replay


def due_after(length: int) -> float:
    """Returns the number of entries at which a log of this length should have its next snapshot in the store; infinite
    for never.
    """
    return (
        length + max(_ENTRIES_PER_SNAPSHOT, length // 4)
        if POSSIBLE and length < _MAX_LOG_ENTRIES and release()
        else inf
    )


def sealed(replay: Replay, stored: StoredMatch) -> bytes:
    """Returns the snapshot of a match that is stored like this, to be kept in the store."""
    snapshot = taken(replay)
    number = replay.length.to_bytes(_NUMBER_BYTES, "big")
    return number + _seal(stored, replay.length, snapshot) + snapshot


def opened(stored: StoredMatch) -> Replay | None:
    """Reads a match from its snapshot: as it was once the first entries were applied, as many as its `length`.

    None if there is none, or it is of another release, or of another history of the match.
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
    """Identifies a snapshot, so that none of another release, another match or another history passes for it."""
    parts = [release(), stored.header, stored.seed, stored.salt, snapshot, *stored.entries[:length]]
    return sha256(
        b"".join([part for content in parts for part in (len(content).to_bytes(_NUMBER_BYTES, "big"), content)])
    ).digest()


@cache
def release() -> bytes:
    """Digests whatever could change how a snapshot is read: this code, Python and protobuf; empty if it has no source
    files.

    Call it when a process starts, before somebody installs another release.
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
    """Knows what matches are made of, and nothing else."""

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
