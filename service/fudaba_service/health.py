"""What the standard health service tells of the store, beside whether the service serves."""

from __future__ import annotations

import asyncio
from typing import Final

from grpc_health.v1 import health_pb2
from grpc_health.v1._async import HealthServicer

from fudaba_service.store import Store

__all__ = ["STORE", "tell_store"]

STORE: Final = "fudaba.store"
"""The name under which it is told whether the store takes new matches. `fudaba health` asks for it."""
_LOOK_SECONDS: Final = 1.0


async def tell_store(health: HealthServicer, store: Store) -> None:
    """Keeps what is told of the store, until cancelled."""
    status = health_pb2.HealthCheckResponse
    while True:
        await health.set(STORE, status.SERVING if store.takes_matches else status.NOT_SERVING)
        await asyncio.sleep(_LOOK_SECONDS)
