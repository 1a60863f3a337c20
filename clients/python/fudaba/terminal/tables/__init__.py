"""How each game looks on the screen. A game without a table of its own is shown by its rules' texts."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from fudaba.bot import MatchInfo
from fudaba.terminal.tables.base import PlainTable, Table

__all__ = ["PlainTable", "Table", "table_of"]

_TABLES: Final = {
    "houniek": "fudaba.terminal.tables.houniek:HouniekTable",
    "makhop": "fudaba.terminal.tables.makhop:MakhopTable",
    "makkaik": "fudaba.terminal.tables.makkaik:MakkaikTable",
    "mokkaik": "fudaba.terminal.tables.mokkaik:MokkaikTable",
    "naga": "fudaba.terminal.tables.naga:NagaTable",
    "namto": "fudaba.terminal.tables.namto:NamtoTable",
    "napoleon": "fudaba.terminal.tables.napoleon:NapoleonTable",
    "nerts": "fudaba.terminal.tables.nerts:NertsTable",
    "niekhi": "fudaba.terminal.tables.niekhi:NiekhiTable",
    "numbers_crush": "fudaba.terminal.tables.numbers_crush:NumbersCrushTable",
    "tashot": "fudaba.terminal.tables.tashot:TashotTable",
}
"""Where the table of each game that has one is found."""


def table_of(info: MatchInfo, names: tuple[str, ...]) -> Table:
    """What draws a match. `names` as in `seat_names`."""
    home = _TABLES.get(info.game)
    if home is None:
        return PlainTable(info, names)
    module, name = home.split(":")
    made: Table = getattr(import_module(module), name)(info, names)
    return made
