"""The resources that the tournaments of a standing arena share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.bots.own_bots import BotProcesses
from fudaba_arena.play.matches.by_workers import ByWorkers
from fudaba_arena.play.matches.executor import Executor
from fudaba_arena.play.matches.in_process import InProcess
from fudaba_arena.play.seasons.block_chooser import Rate
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store_retry import StoreRetry

__all__ = ["ArenaResources"]


@final
@dataclass(frozen=True, slots=True)
class ArenaResources:
    """The resources that the tournaments of an arena share."""

    home: DataFolder
    service: ServiceClient
    processes: BotProcesses
    metrics: Metrics
    say: Say
    rate: Rate
    """The function that rates the entrants of a ladder."""
    grace_seconds: float
    """The time that matches in play may take to end when a tournament is stopped, in seconds."""
    queue: BlockQueue | None = None
    """The queue of blocks for workers; None if matches are played in this process."""
    offers: Offers = field(default_factory=Offers)
    """The blocks that workers can play."""

    def executor(self, state: ScheduledTournament, retry: StoreRetry) -> Executor:
        """Makes the executor that plays a tournament's blocks."""
        store = self.home.store
        if self.queue is not None:
            return ByWorkers(state, store, self.service, self.queue, retry, self.metrics, self.offers)
        return InProcess(state, store, self.service, self.processes, retry, self.metrics)
