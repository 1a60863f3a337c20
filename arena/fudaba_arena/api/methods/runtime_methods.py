"""The method of ArenaService that lists the runtimes of its workers: see arena.proto."""

from __future__ import annotations

from typing import final

from fudaba.v1 import submissions_pb2
from fudaba_arena.api.guard import Context
from fudaba_arena.api.messages.worker_messages import runtime_page
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.workers.known_workers import Workers

__all__ = ["RuntimeMethods"]


@final
class RuntimeMethods:
    """The method that lists runtimes. arena.proto describes it."""

    def __init__(self, offers: Offers, workers: Workers) -> None:
        self._offers = offers
        self._workers = workers

    async def ListRuntimes(
        self, request: submissions_pb2.ListRuntimesRequest, context: Context
    ) -> submissions_pb2.ListRuntimesResponse:
        """See arena.proto."""
        return await runtime_page(self._offers, self._workers, request)
