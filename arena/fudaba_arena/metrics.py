"""What an arena counts, for `/metrics`. Labels are bounded: causes, never bots or matches."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from math import isfinite
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.process_collector import ProcessCollector

from fudaba.v1 import arena_pb2

__all__ = ["CAUSES", "STATES", "Gauges", "Metrics"]

CAUSES: Final = ("no_show", "organiser", "lost", "stopped", "away", "rules_changed", "worker_lost")
"""Why a block is void; see `fudaba_arena.store.results.VoidBlock`."""

STATES: Final = ("playing", "paused", "stalled", "closed")
"""How a tournament of a standing arena is doing; see `fudaba_arena.play.hosting`."""


@final
class Share:
    """One tournament's part of a gauge, which has the sum over all that are played."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._value = 0.0

    def set(self, value: float) -> None:
        """Sets the part."""
        self._gauge.inc(value - self._value)
        self._value = value


@final
class Gauges:
    """One tournament's parts of the gauges."""

    def __init__(self, metrics: Metrics) -> None:
        self.planned = Share(metrics.planned)
        self.counted = Share(metrics.counted)
        self.running = Share(metrics.running)
        self.waiting = Share(metrics.waiting)
        self.parked = Share(metrics.parked)
        self.withdrawn = Share(metrics.withdrawn)

    def clear(self) -> None:
        """The tournament is not played any more."""
        for share in (self.planned, self.counted, self.running, self.waiting, self.parked, self.withdrawn):
            share.set(0)


@final
class Metrics:
    """One object of these per process. Counters begin at 0 when the process does."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        self.planned = Gauge("fudaba_arena_matches_planned", "Matches that count in the end.", registry=r)
        self.counted = Gauge("fudaba_arena_matches_counted", "Matches that count so far.", registry=r)
        self.running = Gauge("fudaba_arena_matches_running", "Matches that the arena waits for.", registry=r)
        self.scheduled = Counter("fudaba_arena_matches_scheduled", "Matches given to the service.", registry=r)
        self.finished = Counter("fudaba_arena_matches_finished", "Matches whose result was stored.", registry=r)
        self.failed = Counter("fudaba_arena_matches_failed", "Matches that ended without a result.", registry=r)
        self.retried = Counter(
            "fudaba_arena_matches_retried", "Matches that were given to the service in place of void ones.", registry=r
        )
        self.void = Counter("fudaba_arena_blocks_voided", "Blocks that became void, by why.", ["cause"], registry=r)
        self.waiting = Gauge("fudaba_arena_blocks_waiting", "Blocks that are played or to be played.", registry=r)
        self.blocks_counted = Counter("fudaba_arena_blocks_counted", "Blocks that were closed and count.", registry=r)
        self.last_result = Gauge(
            "fudaba_arena_last_result_timestamp_seconds",
            "When the last result was stored, or the arena was started, in seconds since 1970.",
            registry=r,
        )
        self.last_result.set_to_current_time()
        self.parked = Gauge("fudaba_arena_blocks_parked", "Blocks that are not tried any more.", registry=r)
        self.restarts = Counter("fudaba_arena_bot_restarts", "Bots started again after they had ended.", registry=r)
        self.withdrawn = Gauge("fudaba_arena_bots_withdrawn", "Bots that play no more.", registry=r)
        self.service_errors = Counter(
            "fudaba_arena_service_errors", "Calls that the service did not answer and that were repeated.", registry=r
        )
        self.store_errors = Counter("fudaba_arena_store_errors", "Store operations that were repeated.", registry=r)
        self.tournaments = Gauge(
            "fudaba_arena_tournaments", "Tournaments of a standing arena, by state.", ["state"], registry=r
        )
        self.calls = Counter("fudaba_arena_calls", "Calls to a standing arena, by method.", ["method"], registry=r)
        self.refusals = Counter(
            "fudaba_arena_refusals", "Calls that a standing arena refused, by reason.", ["reason"], registry=r
        )
        self.limited = Counter(
            "fudaba_arena_rate_limited", "Calls to a standing arena that had to wait: their host makes too many.",
            registry=r,
        )  # fmt: skip
        self.watchers = Gauge("fudaba_arena_watchers", "Streams that follow a tournament.", registry=r)
        self.uncertainty = Gauge(
            "fudaba_arena_rating_uncertainty_elo",
            "Half the width of the 95% intervals of the bots that are rated, in Elo points.",
            ["stat"],
            registry=r,
        )
        self.unrated = Gauge("fudaba_arena_bots_unrated", "Bots that have played nobody yet.", registry=r)
        # What has not happened yet is there as 0, so that its rise from 0 is seen.
        for cause in CAUSES:
            self.void.labels(cause)
        for state in STATES:
            self.tournaments.labels(state)
        for method in arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods:
            self.calls.labels(method.name)
        for reason in ("TOURNAMENT_NOT_FOUND", "BAD_TOURNAMENT", "ORGANISER_ONLY", "INTERNAL"):
            self.refusals.labels(reason)
        self._info = Gauge(
            "fudaba_arena_info",
            "The tournament that is played, and the arena's release; the value is always 1.",
            ["tournament", "game", "version"],
            registry=r,
        )
        ProcessCollector(registry=r)

    def slow(self, _kind: str) -> None:
        """A call has to wait because its host makes too many."""
        self.limited.inc()

    def result(self) -> None:
        """The result of a match was stored."""
        self.finished.inc()
        self.last_result.set_to_current_time()

    def share(self) -> Gauges:
        """The parts of a tournament that is played from now on."""
        return Gauges(self)

    def about(self, tournament: str, game: str) -> None:
        """Says what this arena plays."""
        self._info.labels(tournament, game, version("fudaba")).set(1)

    def over(self, tournament: str, games: Sequence[str]) -> None:
        """Says that a tournament is not played any more."""
        for game in games:
            self._info.remove(tournament, game, version("fudaba"))

    def rated(self, halves: Sequence[float]) -> None:
        """Notes the half intervals of a new fit, infinite ones of bots that nothing connects with another."""
        known = [half for half in halves if isfinite(half)]
        self.unrated.set(len(halves) - len(known))
        if known:
            self.uncertainty.labels("max").set(max(known))
            self.uncertainty.labels("mean").set(sum(known) / len(known))
