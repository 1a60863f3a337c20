"""Bots and their versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_service.accounts.house_bots import HOUSE
from fudaba_service.accounts.lookalikes import Lookalikes, NameHolder
from fudaba_service.accounts.owner import BotVersion
from fudaba_service.refusals import Refused, check_text, parsed, readable_rows
from fudaba_service.store import Store
from fudaba_serving.names.likeness import likeness, likenesses

__all__ = ["GUEST", "Bots", "version_of"]

GUEST: Final = "guest-"
"""The prefix of guests' names, which no newly registered bot may use."""
_PANEL: Final = "panel-"
"""The prefix of the bots that arenas register for the panels of ladders, which no account's bot may use."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_LABEL: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MAX_AUTHOR_CHARS: Final = 100


@final
class Bots:
    """The bots of the service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted = False
        """Whether the names of all bots have been indexed by their look."""
        self.lookalikes = Lookalikes(self._named)
        """The bots whose names look like an earlier one of another owner."""

    async def create(self, name: str, author: str, version: str, now_ms: int, account: str = "") -> bots_pb2.Bot:
        """Registers a bot, for an account if one is named; then `author` is that account's display name."""
        if not _NAME.fullmatch(name):
            raise Refused.malformed(f"name {name!r}: 1 to 40 of a-z, 0-9 and -, beginning with a letter")
        if likeness(name).startswith(likeness(HOUSE)):
            raise Refused.malformed(
                f"name {name!r}: names that begin with {HOUSE} are reserved for the service's own bots"
            )
        if likeness(name).startswith(likeness(GUEST)):
            raise Refused.malformed(f"name {name!r}: names that begin with {GUEST} are reserved for guests")
        if account and likeness(name).startswith(likeness(_PANEL)):
            raise Refused.malformed(f"name {name!r}: names that begin with {_PANEL} are reserved for ladders' panels")
        check_text("author", author, _MAX_AUTHOR_CHARS)
        bot = bots_pb2.Bot(name=name, author=author, account=account)
        _add_version(bot, version or "1", now_ms)
        await self._store_new(bot)
        return bot

    async def _store_new(self, bot: bots_pb2.Bot) -> None:
        """Refuses a name that is taken, or looks like the name of another owner's bot. An account's own names may look
        alike.
        """
        if not self._noted:  # a release that compared no names has left bots that are not noted
            names = [other.name for other in await self.all()]
            await self._store.bots.note_all(dict(zip(await likenesses(names), names, strict=True)))
            self._noted = True
        beside = ""
        while other := await self._store.bots.create(bot.name, bot.SerializeToString(), likeness(bot.name), beside):
            if other == bot.name:
                raise Refused(
                    errors_pb2.REASON_BOT_EXISTS,
                    f"there is a bot named {other}; add a version to it, or choose another name",
                )
            if await self.account_of(other) != bot.account:
                raise Refused(
                    errors_pb2.REASON_BOT_EXISTS,
                    f"there is a bot named {other}, and {bot.name} looks too much like it; choose another name",
                )
            beside = other

    async def add_version(self, name: str, version: str, now_ms: int) -> bots_pb2.Bot:
        """Adds a version to a bot."""
        while True:
            raw = await self._raw(name)
            bot = _read(name, raw)
            if any(v.label == version for v in bot.versions):
                return bot
            _add_version(bot, version, now_ms)
            if await self._store.bots.swap(name, raw, bot.SerializeToString()):
                return bot

    async def get(self, name: str) -> bots_pb2.Bot:
        """Returns the bot with a name."""
        return _read(name, await self._raw(name))

    async def several(self, names: Sequence[str]) -> list[bots_pb2.Bot]:
        """Returns the bots with these names, in order."""
        found = await self.found(names)
        for name in names:
            if name not in found:
                raise _unknown(name)
        return [found[name] for name in names]

    async def found(self, names: Sequence[str]) -> dict[str, bots_pb2.Bot]:
        """Reads the existing bots among these names."""
        raws = zip(names, await self._store.bots.several(names), strict=True)
        known = {name: raw for name, raw in raws if raw is not None}
        return readable_rows(bots_pb2.Bot.FromString, known, "bot")

    async def all(self) -> list[bots_pb2.Bot]:
        """Reads all bots, ordered by name."""
        return [*readable_rows(bots_pb2.Bot.FromString, await self._store.bots.all(), "bot").values()]

    async def _named(self) -> list[NameHolder]:
        return [
            NameHolder(bot.name, (bot.name,), bot.account or bot.author, bot.versions[0].create_time.ToMilliseconds())
            for bot in await self.all()
        ]

    async def of_account(self, account: str) -> list[bots_pb2.Bot]:
        """Returns the bots of an account, ordered by name."""
        return [bot for bot in await self.all() if bot.account == account]

    async def assign(self, name: str, account: str, author: str) -> None:
        """Gives a bot to an account, under the account's display name. What another author allowed ends."""
        while True:
            raw = await self._raw(name)
            bot = _read(name, raw)
            if bot.account != account:
                bot.ClearField("casual_play")
            bot.account, bot.author = account, author
            if await self._store.bots.swap(name, raw, bot.SerializeToString()):
                return

    async def set_casual_play(self, name: str, casual_play: bots_pb2.CasualPlay | None) -> bots_pb2.Bot:
        """Stores which casual matches an author allows against a bot; None for none. Returns the bot."""
        while True:
            raw = await self._raw(name)
            bot = _read(name, raw)
            bot.ClearField("casual_play")
            if casual_play is not None:
                bot.casual_play.CopyFrom(casual_play)
            if await self._store.bots.swap(name, raw, bot.SerializeToString()):
                return bot

    async def assign_all(self, account: str, to: str, author: str) -> None:
        """Gives all bots of an account to another one, or to itself under another display name."""
        for bot in await self.of_account(account):
            await self.assign(bot.name, to, author)

    async def account_of(self, name: str) -> str:
        """Returns the account of a bot; empty if it has none or is a guest."""
        raw = await self._store.bots.get(name)
        return "" if raw is None else _read(name, raw).account

    async def withdraw(self, bot: bots_pb2.Bot) -> None:
        """Removes a bot that was just registered, unless it has changed since."""
        await self._store.bots.swap(bot.name, bot.SerializeToString(), None)

    async def version(self, name: str, label: str) -> BotVersion:
        """Returns a bot's version with this label, or its current one."""
        return version_of(name, await self.found([name]), label)

    async def _raw(self, name: str) -> bytes:
        raw = await self._store.bots.get(name)
        if raw is None:
            raise _unknown(name)
        return raw


def _read(name: str, raw: bytes) -> bots_pb2.Bot:
    return parsed(bots_pb2.Bot.FromString, raw, f"bot {name}")


def version_of(name: str, found: Mapping[str, bots_pb2.Bot], label: str) -> BotVersion:
    """Returns the version with this label, or the current one, of a bot that may not exist.

    Refuses if there is none.
    """
    if name not in found:
        raise _unknown(name)
    versions = [version.label for version in found[name].versions]
    if not label:
        return BotVersion(name, versions[-1])
    if label not in versions:
        there = ", ".join(versions)
        raise Refused(errors_pb2.REASON_BOT_NOT_FOUND, f"bot {name} has no version {label!r}; it has: {there}")
    return BotVersion(name, label)


def _unknown(name: str) -> Refused:
    return Refused(errors_pb2.REASON_BOT_NOT_FOUND, f"there is no bot named {name!r}")


def _add_version(bot: bots_pb2.Bot, label: str, now_ms: int) -> None:
    if not _LABEL.fullmatch(label):
        raise Refused.malformed(f"version {label!r}: 1 to 40 of a-z, A-Z, 0-9, `.`, `_` and `-`")
    bot.versions.add(label=label).create_time.FromMilliseconds(now_ms)
