"""The append-only log of organisers' actions, and of every changed display name."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, final

from google.protobuf.message import Message

from fudaba.v1 import accounts_pb2
from fudaba_service.accounts.owner import Owner
from fudaba_service.store import Store, retry_until_answered

__all__ = ["OrganiserActions"]

_SUBJECT: Final = (
    "name", "bot", "version", "account", "member", "display_name", "label", "message", "match_id", "seat", "token_id"
)  # fmt: skip
"""The fields of requests that identify the subject of an action. None of them is secret."""
_MAX_MATCHES_NAMED: Final = 20
"""The number of matches of one request that are named."""


@final
class OrganiserActions:
    """Records organisers' actions, and lists them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def note(
        self, owner: Owner, method: str, request: Any, response: Message, more: Mapping[str, str] | None = None
    ) -> None:
        """Notes a change that was made. Waits until the store has it, however long that takes.

        `more` has subjects of the action that the request does not name.
        """
        subject = _subject(request) | dict(more or {})
        action = accounts_pb2.Action(
            token_id=owner.token_id, label=owner.label, account=owner.account, method=method, subject=subject
        )
        info = getattr(response, "info", None)
        if isinstance(info, accounts_pb2.Token):
            action.subject["token_id"] = info.token_id
        action.time.FromMilliseconds(self._store.now_ms())
        stored, action_id = action.SerializeToString(deterministic=True), secrets.token_hex(16)
        await retry_until_answered(partial(self._store.actions.add, stored, action_id))

    async def count(self) -> int:
        """Returns the number of actions."""
        return await self._store.actions.count()

    async def after(self, number: int, most: int) -> list[accounts_pb2.Action]:
        """Returns the next actions with a greater number, at most `most`."""
        actions = [accounts_pb2.Action.FromString(raw) for raw in await self._store.actions.after(number, most)]
        for place, action in enumerate(actions, number + 1):
            action.number = place
        return actions


def _subject(request: Any) -> dict[str, str]:
    fields = request.DESCRIPTOR.fields_by_name
    subject = {name: str(value) for name in _SUBJECT if name in fields and (value := getattr(request, name))}
    if "scope" in fields:
        subject["scope"] = accounts_pb2.TokenScope.Name(request.scope).removeprefix("TOKEN_SCOPE_").lower()
    if "limits" in fields:
        subject |= {field.name: str(value) for field, value in request.limits.ListFields()}
        subject |= {"reset": "true"} if request.reset else {}
    if "match_ids" in fields:
        more = len(request.match_ids) - _MAX_MATCHES_NAMED
        subject["match_ids"] = " ".join(request.match_ids[:_MAX_MATCHES_NAMED]) + (
            f" and {more} more" if more > 0 else ""
        )
    return subject
