"""What the service counts, for `/metrics`. Labels are bounded: games, states and reasons, never bots or matches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from fudaba.v1 import record_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Metrics"]

_SECONDS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
_ROUND_TRIP: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@final
class Metrics:
    """One object of these per process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._decided: dict[str, tuple[Counter, Histogram]] = {}
        r = self.registry
        self.matches_created = Counter("fudaba_matches_created", "Matches created here.", ["game"], registry=r)
        self.matches_ended = Counter("fudaba_matches_ended", "Matches that ended, by how.", ["game", "end"], registry=r)
        self.matches = Gauge("fudaba_matches", "Matches held by this replica, by state.", ["game", "state"], registry=r)
        self.decisions = Counter("fudaba_decisions", "Decisions answered by bots.", ["game"], registry=r)
        self.decision_seconds = Histogram(
            "fudaba_decision_seconds", "Bots' own time for a decision.", ["game"], buckets=_SECONDS, registry=r
        )
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
            decisions, seconds = self._by_game(game)
            decisions.inc()
            seconds.observe(entry.spent.bot_us / 1e6)
        elif what == "timeout":
            self.timeouts.labels(game).inc()
        elif what == "illegal":
            self.illegal.labels(game).inc()

    def _by_game(self, game: str) -> tuple[Counter, Histogram]:
        """The counters of each move, looked up once."""
        if game not in self._decided:
            self._decided[game] = self.decisions.labels(game), self.decision_seconds.labels(game)
        return self._decided[game]

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
