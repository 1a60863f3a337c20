"""The organiser's codes for making an account, valid once each."""

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
    """Makes and uses codes. Only their SHA-256 is stored."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(self, valid_ms: int) -> str:
        """Returns a new code for making one account."""
        code = new_code()
        await self._store.accounts.put_invitation(code_digest(code), valid_ms)
        return code

    async def take(self, code: str) -> int:
        """Uses up a code. Returns its remaining validity in ms. Refuses unknown codes."""
        left_ms = await self._store.accounts.take_invitation(code_digest(code)) if len(code) <= _MAX_CODE_CHARS else 0
        if not left_ms:
            raise Refused(
                errors_pb2.REASON_INVITATION_NOT_FOUND,
                "this invitation code does not exist, was used or has expired: check its spelling, or ask for another "
                "one",
            )
        return left_ms

    async def give_back(self, code: str, left_ms: int) -> None:
        """Restores a code with which no account was made after all, with its remaining validity."""
        await self._store.accounts.put_invitation(code_digest(code), left_ms)
