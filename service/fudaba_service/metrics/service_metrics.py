"""The metrics of the service, for `/metrics`. Labels are bounded: games, states and reasons, never bots or matches."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.process_collector import ProcessCollector

from fudaba.v1 import errors_pb2, record_pb2
from fudaba_games.registry import GAMES
from fudaba_service.backup.stamp import stamped_time
from fudaba_service.metrics.collectors import Batches, DecisionTimes, LogCounter, RunningSum
from fudaba_serving.grpc.certificate_health import CertificateGauges

__all__ = ["Metrics"]

_ENDS: Final = ("finished", "forfeited", "aborted")
_STREAMS: Final = ("play", "seat", "match")
_TASKS: Final = ("delay", "commits", "news", "beat", "look", "memory", "open_matches", "house", "match", "processes")


@final
class _RedisMetrics:
    """The metrics of the service's Redis, as this process sees it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.errors = Counter("fudaba_redis_errors", "Round trips to Redis that failed.", registry=registry)
        self.lost = Counter(
            "fudaba_redis_connections_lost", "Connections to Redis that died or fell silent.", registry=registry
        )
        self.memory = Gauge("fudaba_redis_memory_bytes", "Memory that Redis uses, in bytes.", registry=registry)
        self.memory_limit = Gauge(
            "fudaba_redis_memory_limit_bytes",
            "Memory that Redis may use (maxmemory), in bytes; 0 means no limit.",
            registry=registry,
        )
        self.full = Gauge(
            "fudaba_redis_full", "1 while Redis has too little memory left for new matches.", registry=registry
        )


@final
class Metrics:
    """The metrics of a process, which has one such object. Every label value that is known in advance exists from the
    start, at 0.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        self.matches_created = Counter(
            "fudaba_matches_created", "Matches that this replica created.", ["game"], registry=r
        )
        self.matches_ended = Counter(
            "fudaba_matches_ended", "Matches that ended, by how they ended.", ["game", "end"], registry=r
        )
        self.matches = Gauge("fudaba_matches", "Matches held by this replica, by state.", ["game", "state"], registry=r)
        self.decision_times = DecisionTimes()
        r.register(self.decision_times)
        self.illegal = Counter("fudaba_illegal_moves", "Answers that broke the rules.", ["game"], registry=r)
        self.timeouts = Counter("fudaba_timeouts", "Decisions closed because time ran out.", ["game"], registry=r)
        self.refusals = Counter("fudaba_refusals", "Refused calls and answers, by reason.", ["reason"], registry=r)
        self._rate_limited = Counter(
            "fudaba_rate_limited",
            "Calls and messages delayed because their sender was too fast.",
            ["kind"],
            registry=r,
        )
        self.streams = Gauge("fudaba_streams", "Open streams, by kind.", ["kind"], registry=r)
        self._batches = Batches()
        r.register(self._batches)
        self._redis = _RedisMetrics(r)
        self._task_errors = Counter(
            "fudaba_task_errors",
            "Unexpected errors, by the background task that raised them.",
            ["task"],
            registry=r,
        )
        self.replays = Counter("fudaba_replays", "Matches rebuilt from their log or record.", registry=r)
        self.rewinds = Counter("fudaba_rewinds", "Matches rolled back because Redis lost moves.", registry=r)
        self.archive_failures = Counter("fudaba_archive_failures", "Records that could not be archived.", registry=r)
        self.maintenance = Gauge(
            "fudaba_maintenance", "1 during maintenance, while no match can be created.", registry=r
        )
        self.clock_ahead = Gauge(
            "fudaba_clock_ahead_seconds",
            "Seconds by which this machine's clock is ahead of Redis's; negative if behind.",
            registry=r,
        )
        self._logged = Counter(
            "fudaba_log_messages", "Log messages at level WARNING and above, by level.", ["level"], registry=r
        )
        build = Gauge("fudaba_build_info", "The running release; the value is always 1.", ["version"], registry=r)
        build.labels(version("fudaba")).set(1)
        self.certificate = CertificateGauges(r)
        ProcessCollector(registry=r)
        self._begin()

    def _begin(self) -> None:
        """Creates a counter at 0, so that a query can see its first rise."""
        for game in GAMES:
            for counter in (self.matches_created, self.illegal, self.timeouts):
                counter.labels(game)
            for end in _ENDS:
                self.matches_ended.labels(game, end)
        for reason in errors_pb2.Reason.keys()[1:]:
            self.refusals.labels(reason.removeprefix("REASON_"))
        for kind in _STREAMS:
            self.streams.labels(kind)
        for kind in ("call", "message"):
            self._rate_limited.labels(kind)
        for task in _TASKS:
            self._task_errors.labels(task)

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """Notes that a decision in a game was closed without an answer, or that an answer was refused."""
        entry_kind = entry.WhichOneof("what")
        if entry_kind == "timeout":
            self.timeouts.labels(game).inc()
        elif entry_kind == "illegal":
            self.illegal.labels(game).inc()

    def batch(self, appends: int, seconds: float) -> None:
        """Notes the number of appends in a round trip and its seconds."""
        self._batches.add(appends, seconds)

    def slow(self, kind: str) -> None:
        """Counts a `call` or a `message` that waits because its sender is too fast."""
        self._rate_limited.labels(kind).inc()

    def store_error(self) -> None:
        """Notes that a round trip failed."""
        self._redis.errors.inc()

    def connection_lost(self) -> None:
        """Notes that a connection to Redis was found dead, or silent."""
        self._redis.lost.inc()

    def task_error(self, task: str) -> None:
        """Notes an unexpected error in a background task, which goes on."""
        self._task_errors.labels(task).inc()

    def count_matches(self, games: Iterable[str], matches: Callable[[str, str], int]) -> None:
        """Makes the gauge of matches ask `matches(game, state)` at each scrape."""
        for game in games:
            for state in ("waiting", "playing", "over"):
                self.matches.labels(game, state).set_function(partial(matches, game, state))

    def follow_delays(self, behind: Callable[[], float], silent: Callable[[], float]) -> None:
        """Exports two sums of seconds: this process's lateness, and the store's silence."""
        behind_text = "Seconds by which this process was late with its work, because it was overloaded or stopped."
        self.registry.register(RunningSum("fudaba_event_loop_lag_seconds", behind_text, behind))
        silent_text = "Seconds in which Redis was silent or left an append unanswered."
        self.registry.register(RunningSum("fudaba_redis_silent_seconds", silent_text, silent))

    def follow_disk(self, folder: Path) -> None:
        """Exports the size and the free space of a folder's disk. The folder must exist."""
        free = Gauge(
            "fudaba_data_free_bytes", "Free space on the data folder's disk, in bytes.", registry=self.registry
        )
        free.set_function(lambda: shutil.disk_usage(folder).free)
        size = Gauge("fudaba_data_size_bytes", "Size of the data folder's disk, in bytes.", registry=self.registry)
        size.set_function(lambda: shutil.disk_usage(folder).total)

    def follow_backups(self, stamp: Path, service: str) -> None:
        """Exports when the backup of a service was made that its last restore test found right."""
        gauge = Gauge(
            "fudaba_backup_tested_timestamp_seconds",
            "Creation time of the backup that the last restore test found right, in seconds since 1970; 0 if none.",
            registry=self.registry,
        )
        gauge.set_function(partial(stamped_time, stamp, service))

    def follow_log(self) -> Callable[[], None]:
        """Counts this process's log messages from now on. Returns a function that stops the count."""
        handler, root = LogCounter(self._logged), logging.getLogger()
        root.addHandler(handler)
        return lambda: root.removeHandler(handler)

    def store_uses(self, memory: int, limit: int, *, full: bool) -> None:
        """Notes the store's used and available memory in bytes, and whether it is too `full` for new matches."""
        self._redis.full.set(full)
        self._redis.memory.set(memory)
        self._redis.memory_limit.set(limit)
