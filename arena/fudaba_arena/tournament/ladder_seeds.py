"""The bots of a knockout that come from a ladder, seeded by the standings of a season that is over.

A file asks for them in `[from_ladder]`. The arena that creates the tournament appends to the text what it found: a
table `[seeded_from]`, which names the standings, and the bots as `[[bots]]`, best first. So whoever reads the text
later reads the same bots, and the season's export shows whether they are the right ones.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from fudaba.toml_lines import Path as KeyPath
from fudaba.toml_lines import toml_lines
from fudaba.toml_reading import Mistake, Mistakes, TableReader
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.tournament.seed_source import FROM_LADDER, SeedSource

__all__ = [
    "SeedRequest",
    "is_seeded",
    "read_seed_request",
    "read_seed_source",
    "seeded_text",
    "top_of",
    "written_lines",
]

_SEEDED_FROM: Final = "seeded_from"
_LADDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_MAX_SEEDS: Final = 1_000
_MAX_SEASONS: Final = 1_000_000
_MAX_POINT: Final = 2**53


@final
@dataclass(frozen=True, slots=True)
class SeedRequest:
    """The bots that a file asks for."""

    ladder: str
    top: int
    """The number of bots, from the best down."""
    season: int
    """The number of the season; 0 for the newest that is over."""


def read_seed_request(text: str) -> tuple[SeedRequest | None, list[Mistake]]:
    """Returns the bots that a new definition asks for, if it does, and the mistakes of its request.

    A text that is not TOML asks for none: reading the whole definition reports that.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None, []
    mistakes = Mistakes(toml_lines(text))
    top = TableReader(content, (), mistakes)
    if top.has(_SEEDED_FROM):
        top.wrong(_SEEDED_FROM, "seeded_from is what the arena writes; leave it out, and write [from_ladder]")
    if not top.has(FROM_LADDER):
        return None, mistakes.found
    if top.has("bots"):
        top.wrong("bots", "the bots come from the ladder; leave out [[bots]], or [from_ladder]")
    return _request(top), mistakes.found


def read_seed_source(top: TableReader, *, hosted: bool) -> SeedSource | None:
    """Returns the standings that the arena noted in a definition. Outside an arena, a request is a mistake."""
    if not top.has(FROM_LADDER):
        if top.has(_SEEDED_FROM):
            top.wrong(_SEEDED_FROM, "seeded_from is what the arena writes; leave it out, and write [from_ladder]")
        return None
    _request(top)
    if not hosted:
        top.wrong(
            FROM_LADDER,
            "a ladder is of a standing arena, which fills in its bots; check and create the tournament there: fudaba"
            " tournament create FILE --check",
        )
    if not hosted or not top.has(_SEEDED_FROM):
        return None
    table = top.table(_SEEDED_FROM)
    found = SeedSource(
        table.text("ladder", None),
        table.whole("season", None, 1, _MAX_SEASONS),
        table.text("id", None),
        table.text("game", None),
        table.whole("point", None, 0, _MAX_POINT),
    )
    table.finish()
    return found


def _request(top: TableReader) -> SeedRequest:
    table = top.table(FROM_LADDER)
    found = SeedRequest(
        table.text("ladder", None, pattern=_LADDER, rule="the name of a ladder"),
        table.whole("top", None, 2, _MAX_SEEDS),
        table.whole("season", None, 1, _MAX_SEASONS) if table.has("season") else 0,
    )
    table.finish()
    return found


def top_of(rows: Iterable[tuple[str, int | None]], top: int) -> list[str]:
    """Returns the versions, `BOT@VERSION`, of the `top` best bots of a season's rows: each with its rank, best first. A
    bot counts once; in a season, one of its versions has a rank.
    """
    best: dict[str, str] = {}
    for version, rank in rows:
        if rank is not None:
            best.setdefault(version.partition("@")[0], version)
    return list(best.values())[:top]


def seeded_text(text: str, source: SeedSource, bots: Sequence[BotEntry]) -> str:
    """Returns a definition with its bots, best first, and the standings from which they were taken."""
    parts = [_table(f"[{_SEEDED_FROM}]", source.definition()), *(_table("[[bots]]", _bot_values(bot)) for bot in bots)]
    return "\n".join([_ended(text), *parts])


def is_seeded(seeded: str, text: str) -> bool:
    """Returns whether `seeded_text` has made a definition from a text, whatever bots it found."""
    return seeded.startswith(f"{_ended(text)}\n[{_SEEDED_FROM}]\n")


def written_lines(text: str) -> Mapping[KeyPath, int]:
    """Returns the line of every key of a definition as its author wrote it: what the arena has filled in stands at the
    line of the request. `text` must be valid TOML.
    """
    lines = toml_lines(text)
    asked, filled_in = lines.get((FROM_LADDER,)), lines.get((_SEEDED_FROM,))
    if asked is None or filled_in is None or asked > filled_in:
        return lines
    return {key: line if line < filled_in else asked for key, line in lines.items()}


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _bot_values(bot: BotEntry) -> dict[str, Any]:
    """Returns the keys of a bot's table. `bot` is named as in the season."""
    values: dict[str, Any] = {"name": bot.bot, "version": bot.version}
    if bot.builtin:
        return values | {"builtin": bot.builtin}
    if bot.command:
        env = {"env": dict(bot.env)} if bot.env else {}
        capacity = {"capacity": bot.capacity} if bot.capacity else {}
        about = {"command": list(bot.command), "cwd": str(bot.cwd), "stateless": bot.stateless, "author": bot.author}
        return values | about | env | capacity
    if bot.submission:
        about = {"submission": bot.submission, "needs": bot.needs, "keeps": bot.keeps, "stateless": bot.stateless}
        return values | about
    return values | {"remote": True}


def _table(heading: str, values: Mapping[str, Any]) -> str:
    return "".join([f"{heading}\n", *(f"{key} = {_toml(value)}\n" for key, value in values.items())])


def _toml(value: Any) -> str:
    """Writes a value as TOML. JSON's texts, numbers, truth values and lists are TOML, too."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
