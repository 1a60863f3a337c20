"""The bots of a tournament, made known to the service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from fudaba.errors import ServiceError
from fudaba.v1 import bots_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.link import Link
from fudaba_arena.toml_lines import toml_lines
from fudaba_arena.tournament import BotEntry, Tournament, with_authors

__all__ = ["register"]

_UNKNOWN: Final = (
    "bot {name} is remote, and the service has none of that name; register it and give its author the token:"
    " fudaba bot create {name} --version {version}{author}"
)
_RENAME: Final = ", or give the bot another name"
_VERSION: Final = (
    "bot {name} has no version {version}, only {known}; write one of them as version, or add it:"
    " fudaba bot version {name} {version}"
)


async def register(tournament: Tournament, link: Link, file: Path) -> Tournament:
    """Makes every bot and version known to the service. Raises `ArenaError` for all that cannot be.

    Returns the tournament with the service's authors where `file`, from which it was read, leaves a remote bot's out.
    """
    faults: list[str] = []
    authors: dict[str, str] = {}
    for place, bot in enumerate(tournament.bots):
        try:
            known = await link.bot(bot.name)
            if known is None and not bot.remote:
                await link.create_bot(bot.name, bot.author, bot.version)
                known = await link.bot(bot.name)
            if known is not None and known.author != bot.author and (bot.author or not bot.remote):
                faults.append(f"{file}:{_line(file, place)}: {_other_author(bot, known.author)}")
                continue
            faults += await _register(bot, known, link)
            authors[bot.name] = known.author if known is not None else ""
        except ServiceError as error:
            if error.code in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
                raise
            faults.append(f"bot {bot.name}: {error}")
    if faults:
        raise ArenaError("\n".join(faults))
    return with_authors(tournament, authors)


def _line(file: Path, place: int) -> int:
    """The line of a bot's author, or else of the bot."""
    lines = toml_lines(file.read_text(encoding="utf-8"))
    return lines.get(("bots", place, "author"), lines.get(("bots", place), 1))


def _other_author(bot: BotEntry, known: str) -> str:
    """That the service knows a bot as somebody else's, and what to write."""
    written = f"by {bot.author}" if bot.author else "without an author"
    if not known:
        return f"bot {bot.name} is {written} here, and without an author on the service; leave author out{_RENAME}"
    value = json.dumps(known, ensure_ascii=False)
    return f"bot {bot.name} is {written} here, and by {known} on the service; write author = {value}{_RENAME}"


async def _register(bot: BotEntry, known: bots_pb2.Bot | None, link: Link) -> list[str]:
    """Makes one bot and its version known; what stands against it."""
    if known is None and bot.remote:
        author = f' --author "{bot.author}"' if bot.author else ""
        return [_UNKNOWN.format(name=bot.name, version=bot.version, author=author)]
    labels = [version.label for version in known.versions] if known is not None else []
    if bot.version in labels:
        return []
    if bot.remote:
        return [_VERSION.format(name=bot.name, version=bot.version, known=", ".join(labels))]
    await link.create_version(bot.name, bot.version)
    return []
