"""Reports the store's health through the standard health service, beside the service's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from grpc_health.v1 import health_pb2
from grpc_health.v1._async import HealthServicer

from fudaba_service.sessions.maintenance import MaintenanceNotice
from fudaba_service.store import Store

__all__ = ["MAINTENANCE", "STORE", "tell_store"]

STORE: Final = "fudaba.store"
"""The name of the store's health: SERVING; NOT_SERVING while it takes no new matches; SERVICE_UNKNOWN after it has lost
its data. `fudaba health` asks for it.
"""
MAINTENANCE: Final = "fudaba.maintenance"
"""The name of the health of new matches: NOT_SERVING during maintenance, else SERVING."""
_POLL_SECONDS: Final = 1.0


async def tell_store(
    health: HealthServicer, store: Store, maintenance: MaintenanceNotice, services: Sequence[str]
) -> None:
    """Reports the health of the store, of the services that stop when it has lost its data, and maintenance, until
    cancelled.
    """
    status, lost = health_pb2.HealthCheckResponse, False
    while True:
        if store.lost != lost:
            lost = store.lost
            for name in services:
                await health.set(name, status.NOT_SERVING if lost else status.SERVING)
        of_store = status.SERVING if store.takes_matches else status.NOT_SERVING
        await health.set(STORE, status.SERVICE_UNKNOWN if lost else of_store)
        await health.set(MAINTENANCE, status.NOT_SERVING if maintenance.is_under_way else status.SERVING)
        await asyncio.sleep(_POLL_SECONDS)
