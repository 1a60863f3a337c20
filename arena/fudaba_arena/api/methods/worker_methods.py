"""The method of ArenaService that lists its workers: see arena.proto."""

from __future__ import annotations

from typing import final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.guard import Context
from fudaba_arena.api.messages.worker_messages import worker
from fudaba_arena.store.store import Store

__all__ = ["WorkerMethods"]


@final
class WorkerMethods:
    """The method that lists workers. It is described in arena.proto."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def ListWorkers(
        self, request: arena_pb2.ListWorkersRequest, context: Context
    ) -> arena_pb2.ListWorkersResponse:
        """See arena.proto."""
        clocks = await self._store.clocks.of_workers()
        found = await self._store.workers.all()
        return arena_pb2.ListWorkersResponse(workers=[worker(known, clocks.get(known.name)) for known in found])
