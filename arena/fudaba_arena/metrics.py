"""The metrics of an arena, for `/metrics`. Labels are bounded: causes, never bots or matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from math import isfinite, nan
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.process_collector import ProcessCollector

from fudaba.v1 import arena_pb2
from fudaba_serving.grpc.certificate_health import CertificateGauges

__all__ = ["CAUSES", "CHALLENGE_STATES", "STATES", "WORKER_STATES", "Gauges", "Metrics", "QueueGauges"]

CAUSES: Final = tuple(
    name.removeprefix("VOID_CAUSE_").lower() for name, cause in arena_pb2.VoidCause.items() if cause
)  # fmt: skip
"""The causes of void blocks; see `fudaba_arena.store.store.VoidBlock`."""

STATES: Final = ("playing", "paused", "stalled", "closed")
"""The states of a tournament of a standing arena; see `fudaba_arena.play.standing_arena.tournament_registry`."""


CHALLENGE_STATES: Final = ("waiting", "playing")
"""The states of an open challenge; see `fudaba_arena.play.challenges.challenge_scheduler`."""

WORKER_STATES: Final = ("playing", "stopped", "dead")
"""The states of a worker; see `fudaba_arena.store.workers.known_workers`."""


@final
class GaugeShare:
    """A tournament's part of a gauge; the gauge shows the sum over all tournaments in play."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._value = 0.0

    def set(self, value: float) -> None:
        """Sets the part."""
        self._gauge.inc(value - self._value)
        self._value = value


@final
class Gauges:
    """A tournament's parts of the gauges."""

    def __init__(self, metrics: Metrics) -> None:
        self.planned = GaugeShare(metrics.planned)
        self.counted = GaugeShare(metrics.counted)
        self.running = GaugeShare(metrics.running)
        self.waiting = GaugeShare(metrics.waiting)
        self.parked = GaugeShare(metrics.parked)
        self.withdrawn = GaugeShare(metrics.withdrawn)

    def clear(self) -> None:
        """Notes that the tournament is no longer played."""
        for share in (self.planned, self.counted, self.running, self.waiting, self.parked, self.withdrawn):
            share.set(0)


@final
class QueueGauges:
    """A tournament's part of the queue's gauges."""

    def __init__(self, metrics: Metrics) -> None:
        self._waiting = GaugeShare(metrics.queue.labels("waiting"))
        self._playing = GaugeShare(metrics.queue.labels("playing"))
        self._since = metrics.waiting_since

    def set(self, waiting_since: Sequence[float], playing: int) -> None:
        """Sets the part: the monotonic times since which blocks have waited for a worker, and the number in play."""
        self._waiting.set(len(waiting_since))
        self._playing.set(playing)
        self._since.pop(self, None)
        if waiting_since:
            self._since[self] = min(waiting_since)

    def clear(self) -> None:
        """Notes that the tournament is no longer played."""
        self.set([], 0)


@final
class Metrics:
    """The metrics of a process, which has one such object. Counters start at 0 with the process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._add_matches(self.registry)
        self._add_blocks(self.registry)
        self._add_calls(self.registry)
        self._add_queue(self.registry)
        self._add_workers(self.registry)
        self._add_ratings(self.registry)
        self._show_zeros()
        self.certificate = CertificateGauges(self.registry)
        ProcessCollector(registry=self.registry)

    def _add_matches(self, r: CollectorRegistry) -> None:
        """Registers the metrics of matches."""
        self.planned = Gauge(
            "fudaba_arena_matches_planned", "Matches that will count once the tournament ends.", registry=r
        )
        self.counted = Gauge("fudaba_arena_matches_counted", "Matches that count so far.", registry=r)
        self.running = Gauge("fudaba_arena_matches_running", "Matches in play that the arena waits for.", registry=r)
        self.scheduled = Counter("fudaba_arena_matches_scheduled", "Matches created on the service.", registry=r)
        self.finished = Counter("fudaba_arena_matches_finished", "Matches whose result was stored.", registry=r)
        self.failed = Counter("fudaba_arena_matches_failed", "Matches that ended without a result.", registry=r)
        self.retried = Counter("fudaba_arena_matches_retried", "Matches created to replace void ones.", registry=r)

    def _add_blocks(self, r: CollectorRegistry) -> None:
        """Registers the metrics of blocks."""
        self.void = Counter("fudaba_arena_blocks_voided", "Blocks that became void, by cause.", ["cause"], registry=r)
        self.waiting = Gauge("fudaba_arena_blocks_waiting", "Blocks in play or waiting to be played.", registry=r)
        self.blocks_counted = Counter("fudaba_arena_blocks_counted", "Blocks that closed and count.", registry=r)
        self.restored = Counter(
            "fudaba_arena_restored",
            "Seasons restored from a backup that lacks matches of the service, since it is older than the service.",
            registry=r,
        )
        self.clock_ahead = Gauge(
            "fudaba_arena_clock_ahead_seconds",
            "Seconds by which this machine's clock is ahead of the store's; negative if behind.",
            registry=r,
        )
        self.last_result = Gauge(
            "fudaba_arena_last_result_timestamp_seconds",
            "Time of the last stored result, or of the arena's start, in seconds since 1970.",
            registry=r,
        )
        self.last_result.set_to_current_time()
        self.parked = Gauge("fudaba_arena_blocks_parked", "Blocks that the arena has stopped retrying.", registry=r)

    def _add_calls(self, r: CollectorRegistry) -> None:
        """Registers the metrics of bots, tournaments and calls."""
        self.restarts = Counter("fudaba_arena_bot_restarts", "Restarts of bots that had ended.", registry=r)
        self.withdrawn = Gauge("fudaba_arena_bots_withdrawn", "Bots withdrawn from play.", registry=r)
        self.service_errors = Counter(
            "fudaba_arena_service_errors", "Calls repeated because the service did not answer.", registry=r
        )
        self.store_errors = Counter(
            "fudaba_arena_store_errors", "Store operations repeated after a failure.", registry=r
        )
        self.tournaments = Gauge(
            "fudaba_arena_tournaments", "Tournaments of a standing arena, by state.", ["state"], registry=r
        )
        self.challenges = Gauge(
            "fudaba_arena_challenges",
            "Open challenges of a standing arena, by state.",
            ["state"],
            registry=r,
        )
        self.calls = Counter("fudaba_arena_calls", "Calls to a standing arena, by method.", ["method"], registry=r)
        self.refusals = Counter(
            "fudaba_arena_refusals", "Calls that a standing arena refused, by reason.", ["reason"], registry=r
        )
        self.limited = Counter(
            "fudaba_arena_rate_limited", "Calls to a standing arena delayed because their host made too many.",
            registry=r,
        )  # fmt: skip

    def _add_queue(self, r: CollectorRegistry) -> None:
        """Registers the metrics of the queue of blocks and of checks."""
        self.queue = Gauge(
            "fudaba_arena_queue_blocks", "Blocks handed out to workers, by state.", ["state"], registry=r
        )
        self.waiting_since: dict[QueueGauges, float] = {}
        """For each tournament, the monotonic time since which its oldest block has waited for a worker."""
        oldest = Gauge(
            "fudaba_arena_queue_oldest_seconds",
            "Seconds for which the oldest block has waited for a worker.",
            registry=r,
        )
        oldest.set_function(self._oldest_seconds)
        self.handed_out = Counter(
            "fudaba_arena_blocks_handed_out", "Attempts at blocks handed out to workers.", registry=r
        )
        self.handed_on = Counter(
            "fudaba_arena_blocks_handed_on",
            "Blocks that this worker passed to another host between two sittings of a deal.",
            registry=r,
        )
        self.leases_lost = Counter(
            "fudaba_arena_leases_lost", "Blocks taken back from workers that fell silent.", registry=r
        )
        self.check_wait = Gauge(
            "fudaba_arena_submission_wait_seconds",
            "Seconds for which the oldest complete submission has waited for its check; 0 if none waits.",
            registry=r,
        )
        self.archive_failures = Counter(
            "fudaba_arena_archive_failures",
            "Failed attempts to archive the blocks of a finished season, which are repeated later.",
            registry=r,
        )

    def _add_workers(self, r: CollectorRegistry) -> None:
        """Registers the metrics of workers and submissions."""
        self.workers = Gauge("fudaba_arena_workers", "Known workers, by state.", ["state"], registry=r)
        self.slots = Gauge(
            "fudaba_arena_worker_slots",
            "Capacity of the live workers, by kind: blocks at once, and seats of bots that they start.",
            ["kind"],
            registry=r,
        )
        self.slots_used = Gauge(
            "fudaba_arena_worker_slots_used",
            "Used capacity of the live workers, by kind: blocks, and seats of bots that they start.",
            ["kind"],
            registry=r,
        )
        self.canary = Gauge(
            "fudaba_arena_canary_seconds",
            "Longest decision in the last minute of this worker's probe bot, which answers at once, in seconds.",
            registry=r,
        )
        self.submissions = Gauge(
            "fudaba_arena_submissions_bytes",
            "Total size of all kept submissions and their builds, in bytes.",
            registry=r,
        )
        self._programs = Gauge(
            "fudaba_arena_programs_bytes",
            "Total size of the programs that this worker has unpacked and built, in bytes.",
            registry=r,
        )
        self._programs_limit = Gauge(
            "fudaba_arena_programs_limit_bytes",
            "Limit on the total size of this worker's programs, in bytes; programs in use may exceed it.",
            registry=r,
        )

    def _add_ratings(self, r: CollectorRegistry) -> None:
        """Registers the metrics of ratings, and of the arena itself."""
        self.watchers = Gauge("fudaba_arena_watchers", "Streams that follow a tournament.", registry=r)
        self.uncertainty = Gauge(
            "fudaba_arena_rating_uncertainty_elo",
            "Half-width of the rated bots' 95% intervals, in Elo points.",
            ["stat"],
            registry=r,
        )
        self.unrated = Gauge("fudaba_arena_bots_unrated", "Bots that have not played yet.", registry=r)
        self._info = Gauge(
            "fudaba_arena_info",
            "The tournament in play and the arena's release; the value is always 1.",
            ["tournament", "game", "version"],
            registry=r,
        )

    def _show_zeros(self) -> None:
        """Creates each series with the value 0, so that its first rise is visible."""
        for cause in CAUSES:
            self.void.labels(cause)
        for state in STATES:
            self.tournaments.labels(state)
        for state in CHALLENGE_STATES:
            self.challenges.labels(state)
        for state in WORKER_STATES:
            self.workers.labels(state)
        for state in ("waiting", "playing"):
            self.queue.labels(state)
        for kind in ("blocks", "seats"):
            self.slots.labels(kind)
            self.slots_used.labels(kind)
        for method in arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods:
            self.calls.labels(method.name)
        for reason in ("TOURNAMENT_NOT_FOUND", "BAD_TOURNAMENT", "ORGANISER_ONLY", "INTERNAL"):
            self.refusals.labels(reason)

    def _oldest_seconds(self) -> float:
        return max(0.0, time.monotonic() - min(self.waiting_since.values(), default=time.monotonic()))

    def slow(self, _kind: str) -> None:
        """Counts a call that waits because its host makes too many calls."""
        self.limited.inc()

    def result(self) -> None:
        """Notes that a match's result was stored."""
        self.finished.inc()
        self.last_result.set_to_current_time()

    def share(self) -> Gauges:
        """Adds the parts of a tournament that is now played."""
        return Gauges(self)

    def show_programs(self, total_bytes: Callable[[], int], most_bytes: int) -> None:
        """Shows the size and the limit of a worker's programs from now on."""

        def total() -> float:
            try:
                return total_bytes()
            except OSError:  # a scrape then still serves all other metrics
                return nan

        self._programs.set_function(total)
        self._programs_limit.set(most_bytes)

    def about(self, tournament: str, game: str) -> None:
        """Shows a tournament that this arena plays."""
        self._info.labels(tournament, game, version("fudaba")).set(1)

    @contextmanager
    def played(self, tournament: str, games: Sequence[str]) -> Iterator[None]:
        """Shows a tournament while this arena plays it."""
        for game in games:
            self.about(tournament, game)
        try:
            yield
        finally:
            for game in games:
                self._info.remove(tournament, game, version("fudaba"))

    def rated(self, halves: Sequence[float]) -> None:
        """Notes the half intervals of a new fit. An interval is infinite if nothing connects its bot with another."""
        known = [half for half in halves if isfinite(half)]
        self.unrated.set(len(halves) - len(known))
        if known:
            self.uncertainty.labels("max").set(max(known))
            self.uncertainty.labels("mean").set(sum(known) / len(known))
