"""The drawn rounds of a Swiss or a knockout in the store: an append-only list.

A round is stored before it is played, so that any process that continues the tournament plays the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields

__all__ = ["DrawnBlock", "DrawnRound"]

_MAX_FORM: Final = 2


@final
@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """The players of a block."""

    game: str
    groups: tuple[tuple[str, ...], ...]
    """The bots of each group, sorted."""
    shared: bool
    """Whether each group plays each deal once; otherwise the only group replays it in every seating."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads a stored block."""
        known = known_fields(cls, values, "a block of a drawn round")
        return cls(**known | {"groups": tuple(map(tuple, known["groups"]))})


@final
@dataclass(frozen=True, slots=True)
class DrawnRound:
    """The pairings of a round, and the facts besides results on which its draw was based."""

    blocks: tuple[DrawnBlock, ...]
    """The blocks. Their slots follow those of the earlier rounds."""
    byes: Mapping[str, tuple[str, ...]]
    """The bots with a bye, by game; empty for a round of a knockout that breaks ties."""
    out: tuple[str, ...]
    """The withdrawn bots, sorted."""
    unplayed: tuple[int, ...]
    """The slots of earlier rounds that had no result and were no longer tried."""
    bracket_round: int | None = None
    """In a knockout, the round of the bracket, from 0, that it begins, or whose ties it breaks. None in a Swiss, and
    after the last round of a bracket: then there are no blocks, and the winner is decided.
    """
    annulled: tuple[int, ...] = ()
    """The slots of a knockout's round in play whose blocks were annulled when it was drawn."""

    def values(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        values = asdict(self)
        if self.bracket_round is None:
            del values["bracket_round"]
        if not self.annulled:
            del values["annulled"]
        return values

    def line(self) -> str:
        """Returns its stored form. A release that knows no annulled slots would go on with another bracket."""
        form = {"form": _MAX_FORM} if self.annulled else {}
        return json.dumps(self.values() | form, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads a stored round."""
        known = known_fields(cls, values, "a drawn round", _MAX_FORM)
        return cls(
            tuple(map(DrawnBlock.from_values, known["blocks"])),
            {game: tuple(bots) for game, bots in known["byes"].items()},
            tuple(known["out"]),
            tuple(known["unplayed"]),
            known.get("bracket_round"),
            tuple(known.get("annulled", ())),
        )
