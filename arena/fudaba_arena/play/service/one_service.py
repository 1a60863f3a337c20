"""Ties a store to one service. Playing on another service is refused before anything changes.

On another service, equal names belong to other bots, and a match in play here is unknown.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_arena.store.arenas.arenas import named_arena
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store import Store

__all__ = ["OneService", "other_service"]

_POLL_SECONDS: Final = 1.0
_ANSWER_TIMEOUT_SECONDS: Final = 3.0
"""The time for which an arena's start waits for a silent service before it shows standings."""


def other_service(noted: str, service_id: str, address: str) -> ArenaError:
    """Returns the refusal for an arena that plays on another service than the store's."""
    return ArenaError(
        f"this arena plays on service {noted}, but the one at {address} is service {service_id}, whose bots are "
        "different even where names are equal"
    )


@final
class OneService:
    """Makes sure that an arena plays on the service to which its store belongs."""

    def __init__(self, home: DataFolder, service: ServiceClient, moved_to: str, say: Say) -> None:
        """`moved_to` is the id of the service on which the arena plays from now on; empty for the service that it
        had.
        """
        self._home = home
        self._service = service
        self._moved_to = moved_to
        self._say = say

    async def check(self, seconds: float = 20.0) -> None:
        """Notes which service the store belongs to. Nothing is played from the store before that.

        Raises `ArenaError` if the store belongs to another service or has lost its service's id, and `ServiceError` if
        the service does not tell its id.
        """
        store = self._home.store
        if self._home.service and not await store.service.noted():
            raise ArenaError(
                "the arena's store is empty, or another one than before, and the arena does not go on with it: start"
                " Redis with its own files, or restore a backup. To begin anew with an empty store, delete"
                f" {self._home.service_note}"
            )
        service_id = await self._service.service_id(seconds)
        address = self._service.endpoint.address
        if self._moved_to and service_id != self._moved_to:
            known = service_id or "of an earlier release"
            raise ArenaError(f"--service-id is {self._moved_to}, and the service at {address} is {known}")
        noted = await store.service.take(service_id)
        if noted == service_id:
            self._home.note_service(service_id)
            return
        if not self._moved_to:
            raise ArenaError(
                f"{other_service(noted, service_id, address)}. Name the arena's own service with --server; or give this"
                " arena a store of its own, with another --data, and another --redis if it has one. If the service has"
                f" lost what it stored, and all tournaments are to go on on the new one, add --service-id {service_id}"
            )
        await self._check_alone(store)
        await store.service.replace(service_id)
        self._home.note_service(service_id)
        self._say(f"the arena has moved from service {noted} to {service_id}")

    async def _check_alone(self, store: Store) -> None:
        """Raises `ArenaError` while anybody else uses the store."""
        workers = [worker.name for worker in await store.workers.all() if not worker.dead]
        arenas = await store.steering.others(self._home.owner)
        if workers or arenas:
            known = await store.arenas.known(arenas)
            others = [named_arena(known.get(owner)) for owner in sorted(arenas)]
            occupants = " and ".join(others[:1] + [f"worker {name}" for name in workers[:1]])
            raise ArenaError(
                f"{occupants} still plays on the service that this arena had: stop all other arenas and all workers "
                "first (a killed one is forgotten after 15 s)"
            )

    async def watch(self, *, checked: bool) -> None:
        """Checks the service once it answers, unless it is already `checked`, and keeps checking it until cancelled.

        Raises like `check`, except while the service is away.
        """
        if not checked:
            self._say(f"the service at {self._service.endpoint.address} is away; nothing is played until it answers")
        while not checked:
            await asyncio.sleep(_POLL_SECONDS)
            checked = await self.checked()
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            with suppress(StoreUnavailable):
                if not await self._home.store.service.ours():
                    # The store has lost the id, or somebody has moved the arena to another service.
                    await self.checked()

    async def checked(self) -> bool:
        """Does `check`; returns False while the service or the store is away."""
        try:
            await self.check(_ANSWER_TIMEOUT_SECONDS)
        except StoreUnavailable:
            return False
        except ServiceError as error:
            if not error.retryable:
                raise
            return False
        return True
