"""The service to which a store belongs: an arena on another service may not play from it.

```
fudaba-arena:service    the service's id, as AccountService.WhoAmI tells it
```

Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import json
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.forms import check_form, readable
from fudaba_arena.store.answers import answer, unavailable
from fudaba_serving.redis.pipelining import Pipelined

__all__ = ["StoredService"]

_KEY: Final = "fudaba-arena:service"


@final
class StoredService:
    """The id of the service to which this store belongs."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined
        self._ours: str | None = None

    async def noted(self) -> str:
        """Returns the id of the service to which the store belongs; empty while no arena has noted one.

        Raises `BadStored`.
        """
        with unavailable():
            raw = await self._pipelined("GET", _KEY)
        if raw is not None and raw.startswith(b"{"):  # form 1 is the id alone
            with readable("the service of the arena's store"):
                values = json.loads(raw)
                check_form(values, "the service of the arena's store")
                return str(values["id"])
        return "" if raw is None else str(raw.decode())

    async def take(self, service_id: str) -> str:
        """Notes that the store belongs to this service, unless it belongs to another. Returns the id of its service.

        An empty id stands for a service that does not tell its id: nothing is noted.
        """
        noted = await self.noted() if service_id else ""
        if service_id and not noted:  # a full store answers reads, and refuses writes
            await answer(self._redis.set(_KEY, service_id, nx=True))
            noted = await self.noted()
        self._ours = service_id if noted == service_id else None
        return noted

    async def replace(self, service_id: str) -> None:
        """Makes the store belong to this service from now on, even if it belonged to another one."""
        await answer(self._redis.set(_KEY, service_id))
        self._ours = service_id

    @property
    def taken(self) -> bool:
        """Whether it was found to belong to the service on which this arena plays."""
        return self._ours is not None

    async def ours(self) -> bool:
        """Returns whether it still belongs to the service for which it was taken; False if it was never taken."""
        return self._ours is not None and (not self._ours or await self.noted() == self._ours)
