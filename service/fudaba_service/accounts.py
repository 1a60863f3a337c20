"""Bots, their versions, and tokens. Of a token only its SHA-256 is kept."""

from __future__ import annotations

import json
import re
import secrets
from hashlib import sha256
from typing import Final, NamedTuple, final

from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_service.house.names import HOUSE
from fudaba_service.refusals import Refused
from fudaba_service.store import Store

__all__ = ["Accounts", "Owner"]

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_LABEL: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_AUTHOR: Final = 100


class Owner(NamedTuple):
    """Whose token it is: a bot version's, or with an empty bot the organiser's."""

    bot: str = ""
    version: str = ""

    @property
    def organiser(self) -> bool:
        """Whether it is the organiser's."""
        return not self.bot

    @property
    def player(self) -> str:
        """A bot version as `name/version`."""
        return f"{self.bot}/{self.version}"


@final
class Accounts:
    """The operations of BotService, and who a token belongs to."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def organiser_token(self, *, renew: bool) -> str | None:
        """A new organiser's token if there is none yet, or one is asked for; older ones are dropped then."""
        old = [digest for digest, raw in (await self._store.all_tokens()).items() if _owner(raw).organiser]
        if old and not renew:
            return None
        token = await self._new_token("org", Owner())
        await self._store.drop_tokens(old)
        return token

    async def owner(self, token: str) -> Owner:
        """Whose token this is. Refuses unknown ones."""
        raw = await self._store.get_token(_digest(token))
        if raw is None:
            raise Refused(errors_pb2.REASON_TOKEN_UNKNOWN, "the token is unknown or was revoked; ask the organiser")
        return _owner(raw)

    async def create_bot(self, name: str, author: str, version: str, now_ms: int) -> bots_pb2.Bot:
        """Registers a bot."""
        if not _NAME.fullmatch(name):
            raise Refused.malformed(f"name {name!r}: 1 to 40 of a-z, 0-9 and -, beginning with a letter")
        if name.startswith(HOUSE):
            raise Refused.malformed(f"name {name!r}: names that begin with {HOUSE} are the service's own bots'")
        if len(author) > _AUTHOR:
            raise Refused.malformed(f"author has {len(author)} characters; at most {_AUTHOR} are allowed")
        bot = bots_pb2.Bot(name=name, author=author)
        _add_version(bot, version or "1", now_ms)
        if not await self._store.swap_bot(name, None, bot.SerializeToString()):
            raise Refused(
                errors_pb2.REASON_BOT_EXISTS,
                f"there is a bot named {name}; add a version to it, or choose another name",
            )
        return bot

    async def create_version(self, name: str, version: str, now_ms: int) -> bots_pb2.Bot:
        """Adds a version to a bot."""
        while True:
            raw = await self._raw(name)
            bot = bots_pb2.Bot.FromString(raw)
            if any(v.label == version for v in bot.versions):
                return bot
            _add_version(bot, version, now_ms)
            if await self._store.swap_bot(name, raw, bot.SerializeToString()):
                return bot

    async def bot(self, name: str) -> bots_pb2.Bot:
        """A bot by its name."""
        return bots_pb2.Bot.FromString(await self._raw(name))

    async def bots(self) -> list[bots_pb2.Bot]:
        """All bots in the order of their names."""
        return [bots_pb2.Bot.FromString(raw) for raw in await self._store.all_bots()]

    async def version(self, name: str, label: str) -> Owner:
        """A bot's version of this label, or its current one."""
        bot = await self.bot(name)
        if not label:
            return Owner(name, bot.versions[-1].label)
        if all(v.label != label for v in bot.versions):
            there = ", ".join(v.label for v in bot.versions)
            raise Refused(errors_pb2.REASON_BOT_NOT_FOUND, f"bot {name} has no version {label!r}; it has: {there}")
        return Owner(name, label)

    async def create_token(self, name: str, label: str) -> tuple[str, Owner]:
        """A new token for a bot's version."""
        owner = await self.version(name, label)
        return await self._new_token("bot", owner), owner

    async def revoke_tokens(self, name: str, label: str) -> int:
        """Makes the tokens of a bot, or of one version, invalid; how many there were."""
        await self.version(name, label)
        found = [
            digest
            for digest, raw in (await self._store.all_tokens()).items()
            if _owner(raw).bot == name and label in {"", _owner(raw).version}
        ]
        return await self._store.drop_tokens(found)

    async def _raw(self, name: str) -> bytes:
        raw = await self._store.get_bot(name)
        if raw is None:
            raise Refused(errors_pb2.REASON_BOT_NOT_FOUND, f"there is no bot named {name!r}")
        return raw

    async def _new_token(self, kind: str, owner: Owner) -> str:
        token = f"fudaba-{kind}-{secrets.token_urlsafe(32)}"
        await self._store.put_token(_digest(token), json.dumps(owner).encode())
        return token


def _add_version(bot: bots_pb2.Bot, label: str, now_ms: int) -> None:
    if not _LABEL.fullmatch(label):
        raise Refused.malformed(f"version {label!r}: 1 to 40 of a-z, A-Z, 0-9, `.`, `_` and `-`")
    bot.versions.add(label=label).create_time.FromMilliseconds(now_ms)


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _owner(raw: bytes) -> Owner:
    return Owner(*json.loads(raw))
