"""What a long log replays to, as bytes: to read them takes a seventh of the time of a replay.

They never leave the process that made them.
"""

from __future__ import annotations

import io
import pickle
import zlib
from types import FunctionType
from typing import Final

from fudaba.codec import codec
from fudaba.replay import Replay
from fudaba_games.match import Match
from fudaba_games.registry import game

__all__ = ["POSSIBLE", "restored", "taken"]

POSSIBLE: Final = isinstance(Match.__init__, FunctionType)
"""Whether there are snapshots: classes that mypyc has compiled cannot be pickled."""


def taken(replay: Replay) -> bytes:
    """The snapshot of a match. Games and codecs are named in it, not copied."""
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
    """The match again."""
    replay: Replay = pickle.loads(zlib.decompress(snapshot))  # noqa: S301 - this process has made it
    return replay
