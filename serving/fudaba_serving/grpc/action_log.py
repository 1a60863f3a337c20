"""The answers to `ListActions` and `ListArenaActions`: both read and search a log that only grows, in either order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from fudaba.refusals import Refused
from fudaba_serving.grpc.pages import Pages

if TYPE_CHECKING:
    from fudaba.v1 import accounts_pb2, arena_pb2

__all__ = ["ActionLog", "listed_actions"]

_MAX_ACTION_NUMBER: Final = 2**40
_ACTIONS_PER_READ: Final = 1_000
"""The number of actions that a search reads from the store in one go."""


class ActionLog(Protocol):
    """A log of actions, which are numbered from 1."""

    async def count(self) -> int:
        """Returns the number of actions."""

    async def after(self, number: int, most: int, /) -> list[accounts_pb2.Action]:
        """Returns at most `most` of the actions with a number greater than `number`, in order."""


async def listed_actions(
    log: ActionLog, request: accounts_pb2.ListActionsRequest | arena_pb2.ListArenaActionsRequest
) -> list[accounts_pb2.Action]:
    """Returns a page of the log. Raises `Refused` if `after` or `before` is too large for the number of an action."""
    for name in ("after", "before"):
        if (number := getattr(request, name)) > _MAX_ACTION_NUMBER:
            raise Refused.malformed(f"{name} is {number}; it is the number of an action")
    most = Pages.size(request.page_size)
    at_once = _ACTIONS_PER_READ if request.query else most
    first, end = request.after, await log.count()
    end = min(end, request.before - 1) if request.before else end
    found: list[accounts_pb2.Action] = []
    while first < end and len(found) < most:
        begin = max(first, end - at_once) if request.newest_first else first
        read = await log.after(begin, min(at_once, end - begin))
        if request.newest_first:
            end = begin
            read.reverse()
        else:
            first = begin + at_once
        found += [action for action in read if _has(action, request.query.casefold())]
    return found[:most]


def _has(action: accounts_pb2.Action, query: str) -> bool:
    """Returns whether a case-folded text is part of any text of an action."""
    texts = (action.method, action.account, action.label, action.token_id, *action.subject.values())
    return any(query in text.casefold() for text in texts)
