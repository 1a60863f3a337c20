"""The format of a tournament: who meets whom, in how many rounds. All mistakes are noted by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

from fudaba.toml_reading import TableReader, shown, suggestion
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.seed_source import FROM_LADDER, SeedSource

__all__ = [
    "DOUBLE_ELIMINATION",
    "DRAWN",
    "GAUNTLET",
    "ROUND_ROBIN",
    "SINGLE_ELIMINATION",
    "SWISS",
    "Format",
    "read_format",
]

ROUND_ROBIN: Final = "round-robin"
GAUNTLET: Final = "gauntlet"
SWISS: Final = "swiss"
SINGLE_ELIMINATION: Final = "single-elimination"
DOUBLE_ELIMINATION: Final = "double-elimination"
KNOCKOUTS: Final = (SINGLE_ELIMINATION, DOUBLE_ELIMINATION)
DRAWN: Final = (SWISS, *KNOCKOUTS)
"""The formats whose rounds are drawn from the results of those before."""

Players = Sequence[tuple[TournamentGame, Sequence[str]]]
"""Each game, with the names of its bots."""

_KINDS: Final = (ROUND_ROBIN, SWISS, GAUNTLET, *KNOCKOUTS)
_BY_FILE: Final = "file"
_BY_LOT: Final = "lot"
_MAX_ROUNDS: Final = 1_000
_MAX_TIEBREAK_BLOCKS: Final = 100
_MIN_THIRD_PLACE_BOTS: Final = 4


@final
@dataclass(frozen=True, slots=True)
class Format:
    """The rule by which a tournament pairs its bots."""

    kind: str = ROUND_ROBIN
    """`round-robin`, `gauntlet`, `swiss`, `single-elimination` or `double-elimination`."""
    challengers: tuple[str, ...] = ()
    """The bots that meet all others in a gauntlet, sorted."""
    rounds: int = 0
    """The number of rounds of a Swiss."""
    seeds: tuple[str, ...] = ()
    """The bots of a knockout, best seed first; empty if a lot seeds them."""
    third_place: bool = False
    """Whether the bots that lose the semi-finals of a knockout play for the third place."""
    tiebreak_blocks: int = 0
    """The number of further blocks that an even group of a knockout plays at most."""
    seeded_from: SeedSource | None = None
    """The standings of a ladder from which the seeds were taken; None if they were not."""

    def definition(self) -> dict[str, Any]:
        """Returns as JSON values the part that must stay fixed during play; empty for a round robin."""
        if self.kind == GAUNTLET:
            return {"format": self.kind, "challengers": list(self.challengers)}
        if self.kind in KNOCKOUTS:
            return {"format": self.kind, **self.knockout_rules()}
        return {"format": self.kind, "rounds": self.rounds} if self.kind == SWISS else {}

    def knockout_rules(self) -> dict[str, Any]:
        """Returns as JSON values what only a knockout has; empty for other formats."""
        if self.kind not in KNOCKOUTS:
            return {}
        return {
            "seeds": list(self.seeds),
            "third_place": self.third_place,
            "tiebreak_blocks": self.tiebreak_blocks,
            **({"seeded_from": self.seeded_from.definition()} if self.seeded_from is not None else {}),
        }

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Reads the format of a stored or exported definition."""
        return cls(
            definition.get("format", ROUND_ROBIN),
            tuple(definition.get("challengers", ())),
            definition.get("rounds", 0),
            tuple(definition.get("seeds", ())),
            definition.get("third_place", False),
            definition.get("tiebreak_blocks", 0),
            SeedSource.from_definition(definition["seeded_from"]) if "seeded_from" in definition else None,
        )


def read_format(top: TableReader, bots: Sequence[str], players: Players, seeded_from: SeedSource | None) -> Format:
    """Returns the format of a file with these bots, in its order; `players` lists those of each game."""
    kind = top.one_of("format", ROUND_ROBIN, _KINDS, "format")
    challengers = _challengers(top, kind, bots)
    if challengers:
        _check_groups(top, challengers, players)
    if kind not in KNOCKOUTS and top.has(FROM_LADDER):
        top.wrong(
            FROM_LADDER, f'{FROM_LADDER} is for a knockout; leave it out, or write format = "{SINGLE_ELIMINATION}"'
        )
    return Format(kind, challengers, _rounds(top, kind), *_knockout(top, kind, bots, players), seeded_from)


def _knockout(top: TableReader, kind: str, bots: Sequence[str], players: Players) -> tuple[tuple[str, ...], bool, int]:
    """Reads the seeds, whether there is a third-place match, and the number of tie-break blocks."""
    if kind not in KNOCKOUTS:
        for key in ("seeding", "third_place", "tiebreak_blocks"):
            if top.has(key):
                top.wrong(key, f'{key} is for a knockout; leave it out, or write format = "{SINGLE_ELIMINATION}"')
        return (), False, 0
    if len(players) > 1:
        top.wrong("games", f"a bracket is of one game, and there are {len(players)}; write a file for each game")
    by_lot = top.one_of("seeding", _BY_FILE, (_BY_FILE, _BY_LOT), "choice of seeding") == _BY_LOT
    if by_lot and top.has(FROM_LADDER):
        top.wrong("seeding", "the ladder seeds the bots; leave out seeding, or [from_ladder]")
    third_place = top.flag("third_place", default=False)
    seats, number = players[0][0].seats, len(bots)
    if kind == DOUBLE_ELIMINATION and seats != 2:
        top.wrong("format", f'{kind} is for games of two seats, and this one has {seats}; write "{SINGLE_ELIMINATION}"')
    if third_place and kind == DOUBLE_ELIMINATION:
        top.wrong("third_place", "the lower bracket decides the third place; leave third_place out")
    elif third_place and seats != 2:
        top.wrong("third_place", f"the final of {seats} seats decides the third place too; leave third_place out")
    elif third_place and 0 < number < _MIN_THIRD_PLACE_BOTS:  # without any, that is said
        text = f"a third-place match needs {_MIN_THIRD_PLACE_BOTS} bots, and there are {number}; leave third_place out"
        top.wrong("third_place", text)
    tiebreak_blocks = top.whole("tiebreak_blocks", 2, 0, _MAX_TIEBREAK_BLOCKS)
    return () if by_lot else tuple(bots), third_place, tiebreak_blocks


def _rounds(top: TableReader, kind: str) -> int:
    if kind == SWISS:
        for table in top.tables("games") if top.has("games") else [top]:
            if table.has("blocks"):
                table.wrong(
                    "blocks",
                    "in a Swiss every group plays one block a round; leave blocks out, and write rounds for more"
                    " blocks, or deals for longer ones",
                )
        return top.whole("rounds", None, 1, _MAX_ROUNDS)
    if top.has("rounds"):
        top.wrong("rounds", f'rounds is for a Swiss; leave it out, or write format = "{SWISS}"')
    return 0


def _challengers(top: TableReader, kind: str, bots: Sequence[str]) -> tuple[str, ...]:
    if kind != GAUNTLET:
        for key in ("challengers", "field"):
            if top.has(key):
                top.wrong(key, f'{key} is for a gauntlet; leave it out, or write format = "{GAUNTLET}"')
        return ()
    if not top.has("challengers"):
        example = f'["{bots[0]}"]' if bots else '["mine"]'
        top.wrong("format", f"a gauntlet needs challengers: write which bots meet the others, challengers = {example}")
    challengers = _names(top, "challengers", bots)
    if not top.has("field"):
        return challengers
    field = _names(top, "field", bots)
    both = [bot for bot in field if bot in challengers]
    if both:
        top.wrong(
            "field", f"{' and '.join(both)} cannot be in the field and a challenger; name each bot in one of them"
        )
    neither = [bot for bot in bots if bot not in challengers and bot not in field]
    if challengers and field and neither:
        top.wrong(
            "field",
            f"{' and '.join(neither)} would not play; name each bot in challengers or field, or leave field out for"
            " everybody else",
        )
    return challengers


def _check_groups(top: TableReader, challengers: Sequence[str], players: Players) -> None:
    """Notes games without a challenger, and games with too few other bots."""
    for game, names in players:
        where = f" of {game.game}" if game.game and (len(players) > 1 or game.seats > 2) else ""
        field = [name for name in names if name not in challengers]
        if len(field) == len(names):
            top.wrong("challengers", f"no challenger plays {game.game or 'the game'}; name one that does")
        elif len(field) < game.seats - 1:
            top.wrong(
                "challengers",
                f"a group{where} has one challenger and {game.seats - 1} others, and there are {len(field)} others;"
                " add bots that are not challengers",
            )


def _names(top: TableReader, key: str, bots: Sequence[str]) -> tuple[str, ...]:
    """Reads names of bots. Returns them sorted, without duplicates."""
    found: list[str] = []
    for index, name in enumerate(top.texts(key, '["sensible", "random"]')):
        if name not in bots:
            top.wrong(key, f"{key} has {shown(name)}, and no bot has that name; {suggestion(name, bots)}", index)
        elif name in found:
            top.wrong(key, f"{key} has {shown(name)} twice; write it once", index)
        else:
            found.append(name)
    return tuple(sorted(found))
