"""The log of organisers' actions. Each call notes its own action. The contract says which methods are noted."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, final

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.store.arenas.actions import Action, Actions, listed
from fudaba_arena.store.store_retry import StoreRetry, store_retry
from fudaba_arena.tournament.terms import shortened

__all__ = ["ActionLog", "ToldActions", "found_unchanged"]

_UNTOLD: Final = {"definition", "etag", "sha256", "size"}
"""Fields of requests that are too long to show, or that mean nothing to a reader."""


_UNCHANGED: Final = ContextVar("unchanged", default=False)


def found_unchanged() -> None:
    """Marks a call that changed nothing because everything was already as requested: it is no action."""
    _UNCHANGED.set(True)


@final
class ActionLog:
    """Notes what organisers do."""

    def __init__(self, kept: Actions, metrics: Metrics, say: Say) -> None:
        self._kept = kept
        self._retry: StoreRetry = store_retry(say, metrics)

    async def note(self, caller: TokenOwner, method: str, request: Any, response: Message) -> None:
        """Notes a change that was made. Waits until the store has it, however long that takes.

        A call that only validates is not noted. `method` is the name of the method, such as `ArenaService.PauseLadder`.
        """
        if not caller.organiser or getattr(request, "validate_only", False):
            return
        if _UNCHANGED.get():
            return
        action = Action(
            int(time.time() * 1000),
            method,
            caller.token_id,
            caller.label,
            caller.account,
            _subject(request, response),
        )
        await self._retry(partial(self._kept.add, action, secrets.token_hex(16)))


@final
class ToldActions:
    """The stored actions, as messages of the contract."""

    def __init__(self, kept: Actions) -> None:
        self._kept = kept

    async def count(self) -> int:
        """Returns the number of stored actions."""
        return await self._kept.count()

    async def after(self, number: int, most: int) -> list[accounts_pb2.Action]:
        """Returns the next actions with a greater number, at most `most`, in order."""
        return [
            _message(kept_action, at) for at, kept_action in enumerate(await self._kept.after(number, most), number + 1)
        ]


def _message(action: Action, number: int) -> accounts_pb2.Action:
    """Returns an action as a message of the contract."""
    found = accounts_pb2.Action(
        number=number,
        token_id=action.token_id,
        label=action.label,
        account=action.account,
        method=action.method,
        subject=action.subject,
    )
    found.time.FromMilliseconds(action.at_ms)
    return found


def _subject(request: Any, response: Any) -> dict[str, str]:
    subject = {field.name: _text(value) for field, value in request.ListFields() if field.name not in _UNTOLD}
    if changes := [change for change in getattr(response, "changes", ()) if isinstance(change, arena_pb2.LadderChange)]:
        subject["changes"] = "; ".join(
            f"{change.key}: {shortened(change.before)} → {shortened(change.after)}" for change in changes
        )
    for kind in ("tournament", "ladder"):
        made = getattr(response, kind, None)
        if made is not None and made.name and kind not in subject:
            subject[kind] = made.name
    return subject


def _text(value: Any) -> str:
    if isinstance(value, Timestamp):
        return value.ToJsonString()
    if isinstance(value, str):
        return value
    return listed(value) if isinstance(value, Sequence) else str(value)
