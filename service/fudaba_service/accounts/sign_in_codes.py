"""Codes with which somebody signs in to an account, once."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final, NamedTuple, final

from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_service.accounts.invitation_codes import code_digest, new_code
from fudaba_service.refusals import Refused
from fudaba_service.store import Store

__all__ = ["SIGNED_IN_MS", "SignIn", "SignInCodes"]

_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * _MINUTE_MS
_DAY_MS: Final = 24 * _HOUR_MS
SIGNED_IN_MS: Final = 30 * _DAY_MS
"""For how long the token is valid that a code gives."""
_VALID_MS: Final = {
    accounts_pb2.SIGN_IN_CODE_KIND_DEVICE: 10 * _MINUTE_MS,
    accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY: 365 * _DAY_MS,
    accounts_pb2.SIGN_IN_CODE_KIND_LINK: _DAY_MS,
}
_LABELS: Final = {
    accounts_pb2.SIGN_IN_CODE_KIND_DEVICE: "device",
    accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY: "recovery",
    accounts_pb2.SIGN_IN_CODE_KIND_LINK: "link",
}
_MAX_CODE_CHARACTERS: Final = 40
_WRONG: Final = "wrong sign-in codes"
_MAX_WRONG_PER_HOUR: Final = 20


class SignIn(NamedTuple):
    """Whom a code signs in."""

    account: str
    member: str
    label: str
    """The kind of the code."""


@final
class SignInCodes:
    """Makes them and takes them. Only their SHA-256 is stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, account: str, member: str, kind: accounts_pb2.SignInCodeKind.ValueType) -> tuple[str, int]:
        """A new code, and when it expires. A recovery code replaces the one that the member had. Refuses no kind."""
        if kind not in _VALID_MS:
            raise Refused.malformed("kind: say what the code is for, a device, recovery or a link")
        code, valid_ms = new_code(), _VALID_MS[kind]
        digest, sign_in = code_digest(code), SignIn(account, member, _LABELS[kind])
        await self._store.accounts.put_sign_in_code(digest, json.dumps(sign_in).encode(), valid_ms)
        if kind == accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY:
            await self._store.accounts.put_recovery_code(_whose(sign_in), digest, valid_ms)
        return code, self._store.now_ms() + valid_ms

    async def take(self, code: str, address: str) -> SignIn:
        """Uses a code up: whom it signs in. Refuses wrong ones, and all of an address that has tried too many."""
        if await self._store.accounts.counted(_WRONG, address) >= _MAX_WRONG_PER_HOUR:
            await self._count_wrong(address)
        found = None
        if len(code) <= _MAX_CODE_CHARACTERS:
            digest = code_digest(code)
            found = await self._store.accounts.take_sign_in_code(digest)
        if found is not None:
            sign_in = SignIn(*json.loads(found))
            if sign_in.label != _LABELS[accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY]:
                return sign_in
            if await self._store.accounts.recovery_code(_whose(sign_in)) == digest:
                return sign_in
        await self._count_wrong(address)
        raise Refused(
            errors_pb2.REASON_INVITATION_NOT_FOUND,
            "there is no such sign-in code: see that it is typed right; it may have been used or replaced, or be no "
            "longer valid",
        )

    async def _count_wrong(self, address: str) -> None:
        """Counts a wrong code of an address. Refuses too many an hour."""
        wait_ms = await self._store.accounts.count(_WRONG, address, _MAX_WRONG_PER_HOUR, _HOUR_MS)
        if wait_ms:
            raise Refused.quota(f"{_WRONG} an hour", _MAX_WRONG_PER_HOUR, address, "try again later", wait_ms / 1000)


def _whose(sign_in: SignIn) -> str:
    return sha256(f"{sign_in.account} {sign_in.member}".encode()).hexdigest()
