"""The append-only list of organisers' actions in an arena.

```
fudaba-arena:actions    each as JSON, in the order in which they were done (list)
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, known_fields, readable
from fudaba_arena.store.answers import answer
from fudaba_serving.redis.action_list import ActionList

__all__ = ["Action", "Actions", "listed"]

_KEY: Final = "fudaba-arena:actions"
_MAX_VALUES_SHOWN: Final = 20


@final
@dataclass(frozen=True, slots=True)
class Action:
    """An organiser's action."""

    at_ms: int
    """The time, in milliseconds since 1970."""
    method: str
    """The method, for example `ArenaService.AnnulBlocks`."""
    token_id: str = ""
    """The id of the token that was used; empty if none was shown, as in the arena's own folder."""
    label: str = ""
    """The token's label."""
    account: str = ""
    """The account to which the token belongs; empty for none."""
    subject: Mapping[str, str] = field(default_factory=dict)
    """The subject of the action."""

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored action. Raises `BadStored`."""
        with readable("an organiser's action"):
            return cls(**known_fields(cls, json.loads(line), "an organiser's action"))


def listed(values: Sequence[Any]) -> str:
    """Joins the subjects of an action. Of many, it lists the first ones and counts the rest."""
    more = len(values) - _MAX_VALUES_SHOWN
    return " ".join(map(str, values[:_MAX_VALUES_SHOWN])) + (f" and {more} more" if more > 0 else "")


@final
class Actions:
    """Adds to the list and reads it. Operations raise `StoreUnavailable`."""

    def __init__(self, redis: Redis) -> None:
        self._stored = ActionList(redis, _KEY, answer)

    async def add(self, action: Action, action_id: str) -> None:
        """Adds an action, once a day under an id, so that a caller that got no answer may add it again."""
        await self._stored.add(action.line(), action_id)

    async def count(self) -> int:
        """Returns the number of actions."""
        return await self._stored.count()

    async def after(self, number: int, most: int) -> list[Action]:
        """Returns the next actions after the first `number`, at most `most`.

        An action that cannot be read is replaced by the reason.
        """
        return [_read(line) for line in await self._stored.after(number, most)]


def _read(line: bytes) -> Action:
    try:
        return Action.from_line(line)
    except BadStored as error:
        return Action(0, "", subject={"unreadable": str(error)})
