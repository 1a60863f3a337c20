"""The games of a tournament file: `game = "…"` with its keys for one, tables `[[games]]` for several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self, final

from fudaba.seatings import MAX_SEATS
from fudaba.toml_reading import TableReader, shown, suggestion
from fudaba_arena.forms import known_fields
from fudaba_games.game import BadOption, OptionValue
from fudaba_games.registry import GAMES, AnyGame

__all__ = ["TournamentGame", "read_games"]

_KEYS: Final = ("game", "seats", "blocks", "deals", "win_margin", "options")
_DEFAULT_MARGIN_POINTS: Final = 2.0


@final
@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A game, and how much of it is played."""

    game: str
    seats: int = 2
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Every option of the game, defaults included."""
    blocks: int = 1
    deals: int = 1
    win_margin: float = _DEFAULT_MARGIN_POINTS
    rules_version: int = 0
    """The version of its rules when the tournament began; 0 if a release that did not note it began it."""

    def definition(self) -> dict[str, Any]:
        """Returns as JSON values the part that must stay fixed during play."""
        values = asdict(self)
        options = values.pop("options")
        if not self.rules_version:
            del values["rules_version"]
        return values | {f"options.{name}": value for name, value in options.items()}

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Returns the game of a stored definition."""
        options = {key.removeprefix("options."): definition[key] for key in definition if key.startswith("options.")}
        known = known_fields(cls, {**definition, "options": options}, "a game of a tournament")
        return cls(**known)


def read_games(top: TableReader) -> tuple[TournamentGame, ...]:
    """Returns the games of a file, in its order, each once. Mistakes are noted."""
    if not top.has("games"):
        return (_read(top),)
    for key in _KEYS:
        if top.has(key):
            top.wrong(key, f"with [[games]], {key} belongs in the table of each game; move it there")
    tables = top.tables("games")
    games: list[TournamentGame] = []
    for table in tables:
        game = _read(table)
        table.finish()
        if game.game and any(other.game == game.game for other in games):
            table.wrong("game", f"{game.game} is entered twice; give it one table with more blocks")
        else:
            games.append(game)
    if not tables:
        top.wrong("games", "there are no games; write a table [[games]] for each, or one game = …")
    return tuple(games)


def _read(table: TableReader) -> TournamentGame:
    """Reads one game from the table that has its keys."""
    game = GAMES.get(table.one_of("game", None, tuple(GAMES), "game"))
    options = _options(table.table("options"), game)
    seats = _seats(table, game)
    return TournamentGame(
        game=game.id if game else "",
        seats=seats,
        options=options,
        blocks=table.whole("blocks", 1, 1, 1_000_000),
        deals=table.whole("deals", 1, 1, 1_000),
        win_margin=table.number("win_margin", _win_margin(game, seats, options), 0.001, 1e9),
        rules_version=game.rules_version if game else 0,
    )


def _seats(table: TableReader, game: AnyGame | None) -> int:
    least, most = (game.min_seats, min(game.max_seats, MAX_SEATS)) if game else (2, MAX_SEATS)
    seats = table.whole("seats", least, 2, MAX_SEATS)
    if game is not None and not least <= seats <= most:
        played = str(least) if least == most else f"{least} to {most}"
        table.wrong("seats", f"{game.id} is played by {played}, not {seats}; write one that it is played by")
        return least
    return seats


def _options(table: TableReader, game: AnyGame | None) -> dict[str, OptionValue]:
    """Returns every option of the game; without a game, options cannot be checked."""
    given = table.items()
    if game is None:
        return {}
    known = {option.name: option for option in game.options}
    options: dict[str, OptionValue] = {option.name: option.default for option in game.options}
    for name, (value, wrong) in given.items():
        if name not in known:
            wrong(f"{game.id} has no option {shown(name)}; {suggestion(name, tuple(known))}")
            continue
        try:
            options[name] = known[name].parse(value)
        except BadOption as error:
            wrong(str(error))
    return options


def _win_margin(game: AnyGame | None, seats: int, options: Mapping[str, OptionValue]) -> float:
    """Returns the largest difference of scores over the seats when a match is given up at its start."""
    if game is None:
        return _DEFAULT_MARGIN_POINTS
    state, _ = game.new_match(seats, options, bytes(32))
    outcomes = [game.forfeit(state, seat).scores for seat in range(seats)]
    return float(max(max(scores) - min(scores) for scores in outcomes)) or _DEFAULT_MARGIN_POINTS
