"""Says on which blocks bots are rated, in a season with a final."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["RATED_ON", "rated_on_lines"]

RATED_ON: Final = {
    "season": "rated on all blocks of the season: a bot of the final has too few blocks in it to rate it apart",
    "final": "rated on the blocks of the final alone: versions that have played none of them have no rating",
    "mixed": "rated in some games on the blocks of the final alone, in others on all blocks of the season",
}
"""The descriptions, by the word in JSON."""


def rated_on_lines(found: Sequence[arena_pb2.Standings]) -> list[str]:
    """Returns the blocks on which the first of these standings are rated, and those of each game if they differ.

    Returns nothing if that is unknown.
    """
    from fudaba.v1 import arena_pb2

    words = {number: name.removeprefix("RATED_BLOCKS_").lower() for name, number in arena_pb2.RatedBlocks.items()}
    lines = [RATED_ON.get(words.get(standings.rated_on, ""), "") for standings in found]
    differ = bool(found) and found[0].rated_on == arena_pb2.RATED_BLOCKS_MIXED
    games = [f"  {standings.game}: {line}" for standings, line in zip(found[1:], lines[1:], strict=True)]
    return [line for line in [*lines[:1], *(games if differ else [])] if line]
