"""The bots of a tournament, made known to the service."""

from __future__ import annotations

from typing import Final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError
from fudaba_arena.link import Link
from fudaba_arena.tournament import BotEntry, Tournament

__all__ = ["register"]

_UNKNOWN: Final = (
    "bot {name} is remote, and the service has none of that name; register it and give its author the token:"
    " fudaba bot create {name} --version {version}{author}"
)
_AUTHOR: Final = (
    "bot {name} of the service is by {known!r}, in the tournament file by {written!r}; write the same author, or give"
    " the bot another name"
)
_VERSION: Final = (
    "bot {name} has no version {version}, only {known}; write one of them as version, or add it:"
    " fudaba bot version {name} {version}"
)


async def register(tournament: Tournament, link: Link) -> None:
    """Makes every bot and version known to the service. Raises `ArenaError` for all that cannot be."""
    faults: list[str] = []
    for bot in tournament.bots:
        try:
            faults += await _register(bot, link)
        except ServiceError as error:
            if error.code in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
                raise
            faults.append(f"bot {bot.name}: {error}")
    if faults:
        raise ArenaError("\n".join(faults))


async def _register(bot: BotEntry, link: Link) -> list[str]:
    known = await link.bot(bot.name)
    if known is None and bot.remote:
        author = f' --author "{bot.author}"' if bot.author else ""
        return [_UNKNOWN.format(name=bot.name, version=bot.version, author=author)]
    if known is None:
        await link.create_bot(bot.name, bot.author, bot.version)
        known = await link.bot(bot.name)
    if known is not None and known.author != bot.author:
        return [_AUTHOR.format(name=bot.name, known=known.author, written=bot.author)]
    labels = [version.label for version in known.versions] if known is not None else []
    if bot.version in labels:
        return []
    if bot.remote:
        return [_VERSION.format(name=bot.name, version=bot.version, known=", ".join(labels))]
    await link.create_version(bot.name, bot.version)
    return []
