"""Tells a bot's author of the service's maintenance, in the bot's log."""

from __future__ import annotations

import logging
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

import grpc
import grpc.aio

from fudaba.safe_text import safe_line
from fudaba.v1 import catalog_pb2, catalog_pb2_grpc

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

    from fudaba.client import Endpoint

__all__ = ["log_maintenance"]

log: Final = logging.getLogger("fudaba")

_TIMEOUT_SECONDS: Final = 10.0
_AHEAD: Final = timedelta(days=7)
"""The time before its beginning in which maintenance is logged."""


async def log_maintenance(channel: grpc.aio.Channel, endpoint: Endpoint) -> None:
    """Logs maintenance that is under way or begins within seven days. It logs nothing if the service does not say.

    Over a Unix socket it does not ask: there a bot runs in a sandbox, and its one match has been created.
    """
    if endpoint.address.startswith("unix:"):
        return
    catalog, request = catalog_pb2_grpc.CatalogServiceStub(channel), catalog_pb2.GetMaintenanceRequest()
    try:
        found = await catalog.GetMaintenance(request, metadata=endpoint.metadata, timeout=_TIMEOUT_SECONDS)
    except grpc.aio.AioRpcError:
        return  # an earlier release does not know the call, and the bot's own stream reports a lost connection
    maintenance = found.maintenance
    begin, now = maintenance.begin_time.ToDatetime(UTC), found.now.ToDatetime(UTC)
    if not found.HasField("maintenance") or begin - now > _AHEAD:
        return
    since = "" if begin <= now else f" from {_local(maintenance.begin_time)}"
    until, text = _local(maintenance.end_time), safe_line(maintenance.text)
    log.warning("the service has maintenance%s until %s, in which no match begins: %s", since, until, text)


def _local(moment: Timestamp) -> str:
    """Writes a time in this machine's zone."""
    return f"{moment.ToDatetime(UTC).astimezone():%Y-%m-%d %H:%M:%S %Z}"
