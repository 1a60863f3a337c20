"""Maintenance of a service, for tests of arenas and workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fudaba.v1 import catalog_pb2
from tests.support.arena.running import Service
from tests.support.patience import PATIENCE

TEXT = "New disks"
BEGUN = "the service has maintenance until"
"""What an arena or a worker reports when it begins."""


@contextmanager
def maintenance(hosted: Service, seconds: int = 3600) -> Iterator[None]:
    """Begins maintenance, and ends it when the context is left, unless it is over by then."""
    request = catalog_pb2.BeginMaintenanceRequest(text=TEXT)
    request.duration.FromSeconds(seconds)
    with hosted.client() as client:
        begun = client.catalog.BeginMaintenance(request, timeout=PATIENCE).maintenance
        try:
            yield
        finally:
            found = client.catalog.GetMaintenance(catalog_pb2.GetMaintenanceRequest(), timeout=PATIENCE)
            if found.maintenance.id == begun.id:
                client.catalog.EndMaintenance(catalog_pb2.EndMaintenanceRequest(id=begun.id), timeout=PATIENCE)
