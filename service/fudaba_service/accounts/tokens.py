"""Tokens: made, found, listed, revoked, rotated. Only their SHA-256 is stored."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Final, final

from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused, check_text
from fudaba_service.store import Store, StoreUnavailable
from fudaba_serving.grpc.unknown_tokens import UnknownTokens
from fudaba_serving.process.tasks import BackgroundTasks

__all__ = ["Tokens", "lifetime", "until_expired"]

log = logging.getLogger(__name__)

_KINDS: Final = {Scope.ORGANISER: "org"}
_MATCH: Final = "fudaba-match-"
_MAX_LABEL_CHARS: Final = 100
_ID_CHARS: Final = 12
_LAST_USE_INTERVAL_MS: Final = 5 * 60_000
"""The precision of a token's last use. A write for each call would cost too much."""
_NEW_ADDRESS_INTERVAL_MS: Final = 10_000
"""The same precision when the address changes, so that two alternating addresses do not cause a write for each call."""
_MAX_USES_KEPT: Final = 10_000
_SWEEP_SECONDS: Final = 3_600.0
_MAX_LIFETIME_MS: Final = 10 * 366 * 24 * 3_600_000


@final
class Tokens:
    """The tokens of the service."""

    def __init__(self, store: Store, tasks: BackgroundTasks) -> None:
        self._store = store
        self._tasks = tasks
        self._uses: dict[str, tuple[int, str]] = {}
        self._unknown = UnknownTokens()

    async def organiser_token(self, *, renew: bool) -> str | None:
        """Returns a new organiser's token if there is none yet or one is requested; then all older ones are revoked.

        Refuses while an unreadable token may be an organiser's.
        """
        if not renew and any(owner.scope == Scope.ORGANISER for owner in (await self._readable()).values()):
            return None
        old = {digest: owner for digest, owner in (await self._all()).items() if owner.scope == Scope.ORGANISER}
        token, _ = await self.create(Owner(scope=Scope.ORGANISER))
        await self._store.tokens.drop(list(old), *(_news(owner) for owner in old.values()))
        return token

    async def owner(self, token: str, address: str = "") -> Owner:
        """Returns the owner of a token. Refuses unknown and expired tokens, and those of a barred account."""
        digest, match_id = _digest(token), ""
        if digest in self._unknown:
            raise _no_such()
        if token.startswith(_MATCH):
            match_id = token.removeprefix(_MATCH).rpartition(".")[0]
        found = await self._store.tokens.find(digest, match_id)
        if found is None:
            self._unknown.add(digest)
            raise _no_such()
        owner = Owner.unpack(found.owner, digest[:_ID_CHARS])
        self._check(owner)
        if found.barred:
            raise _barred(owner, found.barred.decode())
        if not match_id:
            self._used(digest, address)
        return owner

    def unknown(self, token: str) -> bool:
        """Returns whether the token was not found a moment ago."""
        return _digest(token) in self._unknown

    async def create(self, owner: Owner) -> tuple[str, Owner]:
        """Returns a new token for an owner, whose label is checked, and the owner with the new fields."""
        check_text("label", owner.label, _MAX_LABEL_CHARS)
        token, made = self._new(owner)
        await self._store.tokens.put(_digest(token), made.pack(), made.expire_ms)
        self._unknown.made(_digest(token))
        return token, made

    async def create_for_match(self, owner: Owner) -> tuple[str, Owner]:
        """Returns a new match token. It expires an hour after the end of its match."""
        check_text("label", owner.label, _MAX_LABEL_CHARS)
        token, made = self._new(owner)
        await self._store.tokens.put_for_match(_digest(token), made.pack(), made.match_id)
        self._unknown.made(_digest(token))
        return token, made

    async def listed(self, is_wanted: Callable[[Owner], bool]) -> dict[str, accounts_pb2.Token]:
        """Returns tokens ordered by id."""
        found = {digest: owner for digest, owner in sorted((await self._readable()).items()) if is_wanted(owner)}
        return dict(zip([owner.token_id for owner in found.values()], await self._messages(found), strict=True))

    async def message(self, owner: Owner) -> accounts_pb2.Token:
        """Returns a token as a message of the contract, with its last use if that is stored."""
        return (await self.listed(lambda other: other.token_id == owner.token_id)).get(owner.token_id, owner.message())

    async def revoke(self, token_id: str, may: Callable[[Owner], bool]) -> accounts_pb2.Token:
        """Revokes a token if the caller may. Refuses if the caller may revoke none with this id."""
        digest, owner = await self._find(token_id, may)
        [message] = await self._messages({digest: owner})
        await self._store.tokens.drop([digest], _news(owner))
        return message

    async def revoke_all(self, is_wanted: Callable[[Owner], bool], *news: str) -> int:
        """Revokes tokens, and sends `news` to every replica. Returns the number of tokens."""
        found = [digest for digest, owner in (await self._all()).items() if is_wanted(owner)]
        return await self._store.tokens.drop(found, *news)

    async def revoke_for_match(self, match_id: str, is_wanted: Callable[[Owner], bool]) -> None:
        """Revokes match tokens."""
        found = await self._store.tokens.all_for_match(match_id)
        digests = [digest for digest, raw in found.items() if is_wanted(Owner.unpack(raw, digest[:_ID_CHARS]))]
        await self._store.tokens.drop_for_match(match_id, digests)

    async def assign(self, bot: str, account: str) -> None:
        """Gives the tokens of a bot to an account. Changes none if any cannot be read."""
        found = await self._store.tokens.all()
        owners = {digest: Owner.unpack(raw, digest[:_ID_CHARS]) for digest, raw in found.items()}
        for digest, owner in owners.items():
            if owner.bot == bot:
                await self._store.tokens.swap(digest, found[digest], replace(owner, account=account).pack())

    async def check_readable(self) -> None:
        """Refuses if a stored token cannot be read. Changes of all tokens of an account begin with this check."""
        await self._all()

    async def rotate(self, token_id: str, may: Callable[[Owner], bool]) -> tuple[str, Owner]:
        """Replaces a token by an equal new one, if the caller may."""
        digest, owner = await self._find(token_id, may)
        self._check(owner)
        token, made = self._new(owner)
        if not await self._store.tokens.replace(digest, _digest(token), made.pack(), made.expire_ms, _news(owner)):
            raise _no_token(token_id)
        self._unknown.made(_digest(token))
        return token, made

    def _new(self, owner: Owner) -> tuple[str, Owner]:
        # A match token says of which match it is: it is stored with it.
        where = f"{owner.match_id}." if owner.match_id else ""
        token = f"fudaba-{_KINDS.get(owner.scope, owner.scope)}-{where}{secrets.token_urlsafe(32)}"
        return token, replace(owner, create_ms=self._store.now_ms(), token_id=_digest(token)[:_ID_CHARS])

    def _check(self, owner: Owner) -> None:
        if owner.expire_ms and owner.expire_ms <= self._store.now_ms():
            raise _expired(owner)

    def _used(self, digest: str, address: str) -> None:
        """Notes at intervals that a token is used."""
        now_ms = self._store.now_ms()
        at_ms, before = self._uses.get(digest, (0, ""))
        if now_ms - at_ms < (_LAST_USE_INTERVAL_MS if address == before else _NEW_ADDRESS_INTERVAL_MS):
            return
        self._uses.pop(digest, None)
        self._uses[digest] = now_ms, address
        if len(self._uses) > _MAX_USES_KEPT:
            del self._uses[next(iter(self._uses))]
        self._tasks.spawn(self._note_use(digest, now_ms, address))

    async def _note_use(self, digest: str, at_ms: int, address: str) -> None:
        with suppress(StoreUnavailable):  # the next use notes it again
            await self._store.tokens.used(digest, at_ms, address)

    async def _find(self, token_id: str, may: Callable[[Owner], bool]) -> tuple[str, Owner]:
        for digest, owner in (await self._readable()).items():
            if owner.token_id == token_id and may(owner):
                return digest, owner
        raise _no_token(token_id)

    async def _messages(self, found: dict[str, Owner]) -> list[accounts_pb2.Token]:
        messages = []
        for owner, (at_ms, address) in zip(found.values(), await self._store.tokens.uses(list(found)), strict=True):
            message = owner.message()
            if at_ms:
                message.last_use_time.FromMilliseconds(at_ms)
                message.last_use_address = address
            messages.append(message)
        return messages

    async def _readable(self) -> dict[str, Owner]:
        """Reads all tokens except those that only a later release can read."""
        owners = {}
        for digest, raw in (await self._store.tokens.all()).items():
            try:
                owners[digest] = Owner.unpack(raw, digest[:_ID_CHARS])
            except Refused as error:
                log.warning("token %s is not listed: %s", digest[:_ID_CHARS], error)
        return owners

    async def _all(self) -> dict[str, Owner]:
        """Reads all tokens. Refuses if any cannot be read, since it might be the wanted one."""
        found = await self._store.tokens.all()
        return {digest: Owner.unpack(raw, digest[:_ID_CHARS]) for digest, raw in found.items()}


def lifetime(lifetime_ms: int, now_ms: int) -> int:
    """Returns the expiry of a new token. Refuses a lifetime that is too long."""
    if lifetime_ms > _MAX_LIFETIME_MS:
        raise Refused.malformed(f"lifetime_ms is {lifetime_ms}; at most {_MAX_LIFETIME_MS}, ten years, is allowed")
    return now_ms + lifetime_ms if lifetime_ms else 0


async def until_expired(store: Store, owner: Owner) -> None:
    """Waits until a token expires, and then raises `Refused`, which ends its open calls."""
    while (left_ms := owner.expire_ms - store.now_ms()) > 0:  # noqa: ASYNC110 - it is time that passes
        await asyncio.sleep(min(left_ms / 1000, _SWEEP_SECONDS))
    raise _expired(owner)


def _no_such() -> Refused:
    advice = "check that it is complete, or ask the organiser"
    return Refused(errors_pb2.REASON_TOKEN_UNKNOWN, f"the token is unknown or was revoked; {advice}")


def _expired(owner: Owner) -> Refused:
    return Refused(errors_pb2.REASON_TOKEN_EXPIRED, f"token {owner.token_id} has expired; ask for a new one")


def _barred(owner: Owner, why: str) -> Refused:
    kind, _, message = why.partition(" ")
    if kind == "deleted":
        return Refused(errors_pb2.REASON_TOKEN_UNKNOWN, "the token was revoked: its account is deleted")
    said = f": {message}" if message else ""
    return Refused(
        errors_pb2.REASON_ACCOUNT_SUSPENDED,
        f"account {owner.account} is suspended{said}; nothing is lost, ask the organiser",
    )


def _no_token(token_id: str) -> Refused:
    return Refused(errors_pb2.REASON_TOKEN_NOT_FOUND, f"you have no token with the id {token_id[:40]!r}")


def _news(owner: Owner) -> str:
    """Returns the message to every replica that a token was revoked."""
    return f"revoked token:{owner.token_id}"


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()
