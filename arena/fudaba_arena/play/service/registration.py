"""Registers the bots of a tournament with the service."""

from __future__ import annotations

import json
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba.toml_reading import Mistake
from fudaba.v1 import bots_pb2
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.tournament.definition import BotEntry, Owned, Tournament, with_authors
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.panel import PANEL_PREFIX

__all__ = ["NotRegistered", "register"]

_UNKNOWN: Final = (
    "bot {name} is remote, and the service has none of that name; register it and give its author the token:"
    " fudaba bot create {name} --version {version}{author}"
)
_RENAME: Final = ", or give the bot another name"
_PANEL_NAME: Final = (
    "bot {name} of the panel: the service has a bot of that name by {known}, and a name cannot be freed; leave out zero"
    ' = "panel", or play the ladder on another service'
)
_VERSION: Final = (
    "bot {name} has no version {version}, only {known}; write one of them as version, or add it:"
    " fudaba bot version add {name} {version}"
)


@final
class NotRegistered(Exception):
    """The service does not accept a tournament's bots. `str()` has a line for each, as in `BadTournament`."""

    def __init__(self, file: str, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(f"{file}:{mistake.line}: {mistake.text}" for mistake in mistakes))


async def register(tournament: Tournament, service: ServiceClient, source: Source, *, begun: bool) -> Tournament:
    """Registers every bot and version with the service. Raises `NotRegistered` with all that it refuses.

    Returns the tournament with the accounts of its bots. If `source` omits the author of a remote bot, the service's
    author is used. A `begun` tournament stays as it is, since an author may have changed names.
    """
    faults: list[Mistake] = []
    owned: dict[str, Owned] = {}
    for place, bot in enumerate(tournament.bots):
        table = ("bots", place)
        try:
            known = await service.bot(bot.name)
            if known is None and not bot.pausable:
                await service.create_bot(bot.name, bot.author, bot.version)
                known = await service.bot(bot.name)
            if known is not None and not begun and _is_taken(bot, known):
                text = _PANEL_NAME.format(name=bot.name, known=known.author or known.account)
                faults.append(source.mistake([("zero",)], text))
                continue
            other = known is not None and known.author != bot.author and (bool(bot.author) or not bot.pausable)
            if known is not None and other and not begun:
                faults.append(source.mistake([(*table, "author"), table], _other_author(bot, known.author)))
                continue
            unknown = await _register(bot, known, service)
            faults += [source.mistake([(*table, "name"), table], unknown)] if unknown else []
            owned[bot.name] = Owned(known.author, known.account) if known is not None else Owned("", "")
        except ServiceError as error:
            if error.code in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
                raise
            faults.append(source.mistake([(*table, "name"), table], f"bot {bot.name}: {error}"))
    if faults:
        raise NotRegistered(source.file, faults)
    return tournament if begun else with_authors(tournament, owned)


def _is_taken(bot: BotEntry, known: bots_pb2.Bot) -> bool:
    """Returns whether an author or an account has the name of a bot of the panel, which no ladder's file lists."""
    return bot.name == PANEL_PREFIX + bot.builtin and bool(known.author or known.account)


def _other_author(bot: BotEntry, known: str) -> str:
    """Returns the error that the service knows a bot under another author, with what to write."""
    written = f"by {bot.author}" if bot.author else "without an author"
    if not known:
        return f"bot {bot.name} is {written} here, and without an author on the service; leave author out{_RENAME}"
    value = json.dumps(known, ensure_ascii=False)
    return f"bot {bot.name} is {written} here, and by {known} on the service; write author = {value}{_RENAME}"


async def _register(bot: BotEntry, known: bots_pb2.Bot | None, service: ServiceClient) -> str:
    """Registers one bot and its version. Returns the obstacle, or nothing."""
    if known is None and bot.pausable:
        author = f' --author "{bot.author}"' if bot.author else ""
        return _UNKNOWN.format(name=bot.name, version=bot.version, author=author)
    labels = [version.label for version in known.versions] if known is not None else []
    if bot.version in labels:
        return ""
    if bot.pausable:
        return _VERSION.format(name=bot.name, version=bot.version, known=", ".join(labels))
    await service.create_version(bot.name, bot.version)
    return ""
