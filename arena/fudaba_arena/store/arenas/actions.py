"""What organisers did with an arena: a list that is only ever added to.

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

from fudaba_arena.forms import known_fields
from fudaba_arena.store.answers import answer

__all__ = ["Action", "Actions", "listed"]

_KEY: Final = "fudaba-arena:actions"
_LISTED: Final = 20
_TRACE_MS: Final = 24 * 3_600_000
"""For so long it is known that one was added: by its id, since two equal ones may be added at once."""
_ADD: Final = (
    f"if redis.call('SET', KEYS[2], '1', 'PX', {_TRACE_MS}, 'NX') then redis.call('RPUSH', KEYS[1], ARGV[1]) end\n"
    "return 1"
)


@final
@dataclass(frozen=True, slots=True)
class Action:
    """Something that an organiser did."""

    at_ms: int
    """When, in milliseconds since 1970."""
    method: str
    """For example `ArenaService.AnnulBlocks`."""
    token_id: str = ""
    """Which token it was done with; empty where none was shown, in the arena's own folder."""
    label: str = ""
    """That token's label."""
    account: str = ""
    """The account that the token belongs to; empty for none."""
    subject: Mapping[str, str] = field(default_factory=dict)
    """What it was about."""

    def line(self) -> str:
        """As the store has it."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Reads what is stored."""
        return cls(**known_fields(cls, json.loads(line), "an organiser's action"))


def listed(values: Sequence[Any]) -> str:
    """Several values of what an action was about; of many the first ones."""
    more = len(values) - _LISTED
    return " ".join(map(str, values[:_LISTED])) + (f" and {more} more" if more > 0 else "")


@final
class Actions:
    """Adds to the list and reads it. Operations raise `StoreUnavailable`."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def add(self, action: Action, action_id: str) -> None:
        """Adds one, once in a day under this id: whoever had no answer adds it again."""
        trace = f"{{{_KEY}}}:done:{action_id}"
        await answer(self._redis.eval(_ADD, 2, _KEY, trace, action.line()))

    async def count(self) -> int:
        """How many there are."""
        return int(await answer(self._redis.llen(_KEY)))

    async def after(self, number: int, most: int) -> list[Action]:
        """At most so many of those that were added after the first `number`."""
        return list(map(Action.of, await answer(self._redis.lrange(_KEY, number, number + most - 1))))
