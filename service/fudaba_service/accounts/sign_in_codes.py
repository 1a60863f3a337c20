"""Codes for signing in to an account once."""

from __future__ import annotations

import json
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
"""The time for which a token from a code is valid."""
_RECOVERY: Final = accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY
_VALID_MS: Final = {
    accounts_pb2.SIGN_IN_CODE_KIND_DEVICE: 10 * _MINUTE_MS,
    _RECOVERY: 365 * _DAY_MS,
    accounts_pb2.SIGN_IN_CODE_KIND_LINK: _DAY_MS,
}
_LABELS: Final = {
    accounts_pb2.SIGN_IN_CODE_KIND_DEVICE: "device",
    _RECOVERY: "recovery",
    accounts_pb2.SIGN_IN_CODE_KIND_LINK: "link",
}
_KINDS: Final = {label: kind for kind, label in _LABELS.items()}
_RECOVERY_GROUPS_COUNT: Final = 5
"""100 random bits. A code that is valid for a year must withstand a year of guesses."""
_MAX_CODES: Final = 20
"""The number of an account's codes that may be valid at once."""
_MAX_CODE_CHARACTERS: Final = 40
_WRONG: Final = "wrong sign-in codes"
_MAX_WRONG_PER_HOUR: Final = 20


class SignIn(NamedTuple):
    """The person that a code signs in."""

    account: str
    member: str
    label: str
    """The kind of the code."""


@final
class SignInCodes:
    """Makes and uses codes. Only their SHA-256 is stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, account: str, member: str, kind: accounts_pb2.SignInCodeKind.ValueType) -> tuple[str, int]:
        """Returns a new code and its expiry. A recovery code replaces the member's earlier one.

        Refuses an unknown kind, and a code beyond the account's limit.
        """
        if kind not in _VALID_MS:
            raise Refused.malformed("kind is not set; say what the code is for: a device, recovery or a link")
        code = new_code(_RECOVERY_GROUPS_COUNT) if kind == _RECOVERY else new_code()
        valid_ms, now_ms, about = _VALID_MS[kind], self._store.now_ms(), f"{_LABELS[kind]} {member}"
        owner, expire_ms = json.dumps(SignIn(account, member, _LABELS[kind])).encode(), now_ms + valid_ms
        entry, replaced = f"{expire_ms} {now_ms} {about}", about if kind == _RECOVERY else ""
        if not await self._store.accounts.put_sign_in_code(
            account, code_digest(code), owner, entry, valid_ms, now_ms, _MAX_CODES, replaced
        ):
            raise Refused.quota("sign-in codes", _MAX_CODES, f"account {account}", "use or revoke the existing ones")
        return code, expire_ms

    async def find(self, code: str, address: str) -> SignIn:
        """Returns the person that a code signs in. Refuses wrong codes. An address has a few tries an hour."""
        found = None
        if len(code) <= _MAX_CODE_CHARACTERS:
            found = await self._store.accounts.sign_in_code(code_digest(code))
        if found is None:
            raise await self._wrong(address)
        account, member, label, *_ = json.loads(found)  # a later release may add to it
        return SignIn(account, member, label)

    async def take(self, code: str, sign_in: SignIn, address: str) -> None:
        """Uses up a code that was found. Refuses a code that was used meanwhile."""
        if not await self._store.accounts.take_sign_in_code(sign_in.account, code_digest(code)):
            raise await self._wrong(address)

    async def listed(self, account: str) -> list[accounts_pb2.SignInCode]:
        """Returns the valid codes of an account as messages of the contract, oldest first."""
        codes = []
        for entry in await self._store.accounts.sign_in_codes(account):
            expire_ms, create_ms, label, member = entry.split(" ")
            if int(expire_ms) > self._store.now_ms():
                code = accounts_pb2.SignInCode(kind=_KINDS[label], member=member)
                code.create_time.FromMilliseconds(int(create_ms))
                code.expire_time.FromMilliseconds(int(expire_ms))
                codes.append(code)
        return sorted(codes, key=lambda code: code.create_time.ToMilliseconds())

    async def revoke(self, account: str, member: str) -> list[accounts_pb2.SignInCode]:
        """Revokes a member's codes, or all codes of an account without a name. Returns the revoked codes."""
        codes = [code for code in await self.listed(account) if member in {"", code.member}]
        await self._store.accounts.drop_sign_in_codes(account, member)
        return codes

    async def _wrong(self, address: str) -> Refused:
        """Counts a wrong code from an address, and returns the refusal."""
        wait_ms = await self._store.accounts.count(_WRONG, address, _MAX_WRONG_PER_HOUR, _HOUR_MS)
        if wait_ms:
            return Refused.quota(f"{_WRONG} an hour", _MAX_WRONG_PER_HOUR, address, "try again later", wait_ms / 1000)
        return Refused(
            errors_pb2.REASON_INVITATION_NOT_FOUND,
            "this sign-in code does not exist, was used or replaced, or has expired: check its spelling, or ask for "
            "another one",
        )
