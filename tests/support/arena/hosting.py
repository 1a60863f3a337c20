"""The resources that the tournaments of an arena share, where a test hosts them itself."""

from __future__ import annotations

from pathlib import Path

from fudaba.client import Endpoint
from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.own_bots import BotProcesses
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.standing_arena.resources import ArenaResources
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store import Store

__all__ = ["alone"]


def alone(store: Store, folder: Path, say: Say = lambda _: None) -> ArenaResources:
    """Returns an arena on a store, without a service. Whoever asks for it closes its `service`."""
    metrics = Metrics()
    service = ServiceClient(Endpoint(f"unix:{folder}/nobody"), lambda _: None)
    processes = BotProcesses(service, lambda _: folder, metrics, lambda _: None)
    return ArenaResources(DataFolder(folder, store, "me"), service, processes, metrics, say, lambda _: {}, 1.0)
