"""Codes of the organiser with which somebody makes an account, each once."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import errors_pb2
from fudaba_service.accounts.invitation_codes import code_digest, new_code
from fudaba_service.refusals import Refused
from fudaba_service.store import Store

__all__ = ["AccountInvitations"]

_MAX_CODE_CHARS: Final = 40


@final
class AccountInvitations:
    """Makes them and takes them. Only their SHA-256 is stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, valid_ms: int) -> str:
        """Returns a new code with which one account may be made."""
        code = new_code()
        await self._store.accounts.put_invitation(code_digest(code), valid_ms)
        return code

    async def take(self, code: str) -> int:
        """Uses a code up, and returns for how many more ms it would have been valid. Refuses unknown codes."""
        left_ms = await self._store.accounts.take_invitation(code_digest(code)) if len(code) <= _MAX_CODE_CHARS else 0
        if not left_ms:
            raise Refused(
                errors_pb2.REASON_INVITATION_NOT_FOUND,
                "this invitation code does not exist, was used or has expired: check its spelling, or ask for another "
                "one",
            )
        return left_ms

    async def give_back(self, code: str, left_ms: int) -> None:
        """Makes a code valid again with which no account was made after all, for as long as it would have been."""
        await self._store.accounts.put_invitation(code_digest(code), left_ms)
