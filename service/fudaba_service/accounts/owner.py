"""The owner of a token, and its stored form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, NamedTuple, final

from fudaba.v1 import accounts_pb2
from fudaba_service.refusals import check_form, readable
from fudaba_serving.grpc.rate_limit import GATEWAY
from fudaba_serving.storage.forms import UNKNOWN, left_over, with_unknown

__all__ = ["BotVersion", "Owner", "Scope", "tags_of_account", "tags_of_bot"]


class Scope(StrEnum):
    """The purpose of a token in its stored form. The contract's policy of each method says what each may do."""

    GUEST = "guest"
    MATCH = "match"
    BOT = "bot"
    AUTHOR = "author"
    ARENA = "arena"
    GATEWAY = "gateway"
    ORGANISER = "organiser"

    @property
    def in_contract(self) -> accounts_pb2.TokenScope.ValueType:
        """The contract's value."""
        return accounts_pb2.TokenScope.Value(f"TOKEN_SCOPE_{self.name}")


_PLAYERS: Final = frozenset({Scope.GUEST, Scope.MATCH, Scope.BOT})
_ORGANISING: Final = frozenset({Scope.ARENA, Scope.ORGANISER})


class BotVersion(NamedTuple):
    """A version of a bot."""

    bot: str
    version: str


def tags_of_account(account: str) -> str:
    """Returns the owner of an account's tags in the store."""
    return f"account {account}"


def tags_of_bot(bot: str) -> str:
    """Returns the owner in the store of the tags of a bot without an account."""
    return f"bot {bot}"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The owner of a token."""

    scope: Scope
    account: str = ""
    """The account; empty for a token without one, such as the organiser's first token."""
    member: str = ""
    """The member of the account; empty if unknown."""
    bot: str = ""
    version: str = ""
    """The version that plays with it; both parts are empty if the token does not play."""
    match_id: str = ""
    seat: int = -1
    """The only seat of a match token."""
    label: str = ""
    create_ms: int = 0
    """The time when it was made; 0 for a token of a release that did not note it."""
    expire_ms: int = 0
    """The time when it expires; 0 for a token that does not expire."""
    token_id: str = ""
    """The id by which people name it. It is a part of its hash, and not stored separately."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    @property
    def plays(self) -> bool:
        """Whether it has seats in matches."""
        return self.scope in _PLAYERS

    @property
    def organises(self) -> bool:
        """Whether it may create any match and see all of it: the organiser, or an arena on the organiser's behalf."""
        return self.scope in _ORGANISING

    @property
    def bot_version(self) -> BotVersion:
        """The version that plays."""
        return BotVersion(self.bot, self.version)

    @property
    def player(self) -> str:
        """The version that plays, as `bot/version`."""
        return f"{self.bot}/{self.version}"

    @property
    def stream(self) -> str:
        """The name of its Play stream. Only the newest stream of a name stays. Each match token has its own name."""
        return f"{self.player}@{self.match_id}#{self.seat}" if self.match_id else self.player

    @property
    def payer(self) -> str:
        """The payer who is charged; empty for a caller without limits."""
        if self.organises:
            return ""
        if self.scope == Scope.GATEWAY:
            return GATEWAY
        return self.stream if self.plays else f"account {self.account}"

    @property
    def keys(self) -> frozenset[str]:
        """The names by which news refers to it, see `store.channels.Channels.everybody`."""
        names = {f"token:{self.token_id}"}
        if self.plays:
            names |= {self.bot, self.player}
        if self.account:
            names.add(f"account:{self.account}")
        return frozenset(names)

    def pack(self) -> bytes:
        """Returns its stored form."""
        stored = {name: value for name, value in with_unknown(asdict(self)).items() if value != _DEFAULTS.get(name)}
        stored.pop("token_id", None)
        return json.dumps(stored, sort_keys=True).encode()

    @classmethod
    def unpack(cls, raw: bytes, token_id: str) -> Owner:
        """Reads the stored form of this release, or of an earlier one: a list of bot and version.

        Refuses a form that only a later release reads, and malformed values.
        """
        with readable("a token"):
            stored = json.loads(raw)
            if isinstance(stored, list):
                bot, version = stored
                return cls(scope=Scope.BOT if bot else Scope.ORGANISER, bot=bot, version=version, token_id=token_id)
            check_form(stored, "a token")
            known = {name: value for name, value in stored.items() if name in _NAMES}
            more = {"scope": Scope(stored["scope"]), "token_id": token_id, UNKNOWN: left_over(stored, _NAMES)}
            return cls(**known | more)

    def message(self) -> accounts_pb2.Token:
        """Returns it as a message of the contract, without its last use."""
        token = accounts_pb2.Token(
            token_id=self.token_id,
            scope=self.scope.in_contract,
            account=self.account,
            member=self.member,
            bot=self.bot,
            version=self.version,
            match_id=self.match_id,
            label=self.label,
        )
        if self.match_id:
            token.seat = self.seat
        if self.create_ms:
            token.create_time.FromMilliseconds(self.create_ms)
        if self.expire_ms:
            token.expire_time.FromMilliseconds(self.expire_ms)
        return token


_NAMES: Final = frozenset(known.name for known in fields(Owner)) - {UNKNOWN}
_DEFAULTS: Final = {known.name: known.default for known in fields(Owner) if known.name != UNKNOWN}
