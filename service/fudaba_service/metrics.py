"""What the service counts, for `/metrics`. Labels are bounded: games, states and reasons, never bots or matches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fudaba.v1 import record_pb2
from fudaba_games.registry import GAMES

__all__ = ["Metrics"]

_DECISION_US: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8)
_ROUND_TRIP: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@final
class DecisionTimes(Collector):
    """Decisions and their time. Counted at every move, so it is done in plain numbers and put into form at a scrape."""

    def __init__(self) -> None:
        self._buckets: dict[str, list[int]] = {game: [0] * (len(_DECISION_US) + 1) for game in GAMES}
        self._total_us = dict.fromkeys(GAMES, 0)

    def add(self, game: str, bot_us: int) -> None:
        """A bot took so long for a decision, in microseconds."""
        self._buckets[game][bisect_left(_DECISION_US, bot_us)] += 1
        self._total_us[game] += bot_us

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        count = CounterMetricFamily("fudaba_decisions", "Decisions answered by bots.", labels=["game"])
        times = HistogramMetricFamily("fudaba_decision_seconds", "Bots' own time for a decision.", labels=["game"])
        for game, buckets in self._buckets.items():
            cumulative = list(accumulate(buckets))
            names = [str(bound / 1e6) for bound in _DECISION_US] + ["+Inf"]
            count.add_metric([game], cumulative[-1])
            times.add_metric([game], list(zip(names, cumulative, strict=True)), self._total_us[game] / 1e6)
        yield count
        yield times


@final
class Metrics:
    """One object of these per process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        self.matches_created = Counter("fudaba_matches_created", "Matches created here.", ["game"], registry=r)
        self.matches_ended = Counter("fudaba_matches_ended", "Matches that ended, by how.", ["game", "end"], registry=r)
        self.matches = Gauge("fudaba_matches", "Matches held by this replica, by state.", ["game", "state"], registry=r)
        self._decisions = DecisionTimes()
        r.register(self._decisions)
        self.illegal = Counter("fudaba_illegal_moves", "Answers that broke the rules.", ["game"], registry=r)
        self.timeouts = Counter("fudaba_timeouts", "Decisions closed because time ran out.", ["game"], registry=r)
        self.refusals = Counter("fudaba_refusals", "Calls and answers refused.", ["reason"], registry=r)
        self.streams = Gauge("fudaba_streams", "Open streams.", ["kind"], registry=r)
        self.batches = Histogram(
            "fudaba_redis_batch_appends", "Appends that shared a round trip to Redis.", buckets=_SIZES, registry=r
        )
        self.round_trips = Histogram(
            "fudaba_redis_round_trip_seconds", "Round trips of appends to Redis.", buckets=_ROUND_TRIP, registry=r
        )
        self.store_errors = Counter("fudaba_redis_errors", "Round trips to Redis that failed.", registry=r)
        self.replays = Counter("fudaba_replays", "Matches rebuilt from their log.", registry=r)
        self.rewinds = Counter("fudaba_rewinds", "Matches put back because Redis lost a tail.", registry=r)
        self.archive_failures = Counter("fudaba_archive_failures", "Records that could not be archived.", registry=r)

    def decided(self, game: str, entry: record_pb2.LogEntry) -> None:
        """A decision of a match of this game was made, or an answer refused."""
        what = entry.WhichOneof("what")
        if what == "move":
            self._decisions.add(game, entry.spent.bot_us)
        elif what == "timeout":
            self.timeouts.labels(game).inc()
        elif what == "illegal":
            self.illegal.labels(game).inc()

    def batch(self, appends: int, seconds: float) -> None:
        """A round trip with so many appends was answered after so long."""
        self.batches.observe(appends)
        self.round_trips.observe(seconds)

    def store_error(self) -> None:
        """A round trip failed."""
        self.store_errors.inc()

    def count_matches(self, games: Iterable[str], matches: Callable[[str, str], int]) -> None:
        """Has the gauge of matches ask `matches(game, state)` at each scrape."""
        for game in games:
            for state in ("waiting", "playing", "over"):
                self.matches.labels(game, state).set_function(partial(matches, game, state))
