"""The collectors of the service's metrics that take their values at a scrape, and the counter of log messages."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final, final

from prometheus_client import Counter
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fudaba_games.registry import GAMES

__all__ = ["Batches", "DecisionTimes", "LogCounter", "RunningSum"]

_DECISION_US: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8)
_ROUND_TRIP_SECONDS: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
_BATCH_APPENDS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_LEVELS: Final = {"warning": logging.WARNING, "error": logging.ERROR, "critical": logging.CRITICAL}


@final
class HistogramTally:
    """A histogram in plain numbers, fast enough for every move. A scrape converts it to a metric family."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Counts a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    @property
    def count(self) -> int:
        """The number of counted values."""
        return sum(self._counts)

    def fill(self, family: HistogramMetricFamily, labels: Sequence[str], unit: float = 1.0) -> None:
        """Adds the histogram to a family of metrics, `unit` of ours to one of theirs."""
        names = [str(float(bound / unit)) for bound in self._bounds] + ["+Inf"]
        family.add_metric(labels, list(zip(names, accumulate(self._counts), strict=True)), self._sum / unit)


@final
class DecisionTimes(Collector):
    """Decisions, and the bots' own time for them, by game."""

    def __init__(self) -> None:
        self._by_game = {game: HistogramTally(_DECISION_US) for game in GAMES}

    def add(self, game: str, bot_us: int) -> None:
        """Notes a bot's time for a decision, in microseconds."""
        self._by_game[game].add(bot_us)

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        count = CounterMetricFamily("fudaba_decisions", "Decisions answered by bots.", labels=["game"])
        times = HistogramMetricFamily(
            "fudaba_decision_seconds",
            "Seconds that bots took for a decision, excluding the server's and the network's share.",
            labels=["game"],
        )
        for game, tally in self._by_game.items():
            count.add_metric([game], tally.count)
            tally.fill(times, [game], unit=1e6)
        yield count
        yield times


@final
class Batches(Collector):
    """The group commit's round trips to Redis."""

    def __init__(self) -> None:
        self._sizes = HistogramTally(_BATCH_APPENDS)
        self._times = HistogramTally(_ROUND_TRIP_SECONDS)

    def add(self, appends: int, seconds: float) -> None:
        """Notes a round trip with this many appends and its time."""
        self._sizes.add(appends)
        self._times.add(seconds)

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        sizes = HistogramMetricFamily(
            "fudaba_redis_batch_appends", "Number of appends that shared a round trip to Redis."
        )
        self._sizes.fill(sizes, [])
        yield sizes
        times = HistogramMetricFamily(
            "fudaba_redis_round_trip_seconds", "Seconds that a round trip of appends to Redis took."
        )
        self._times.fill(times, [])
        yield times


@final
class RunningSum(Collector):
    """A counter that a scrape reads from a sum in another object."""

    def __init__(self, name: str, text: str, read: Callable[[], float]) -> None:
        self._name = name
        self._text = text
        self._read = read
        self._largest = 0.0

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        self._largest = max(
            self._largest, self._read()
        )  # an interval still in progress may shrink when it ends, and a counter must not fall
        yield CounterMetricFamily(self._name, self._text, value=self._largest)


@final
class LogCounter(logging.Handler):
    """Counts log messages, so that a metric shows when the log needs reading."""

    def __init__(self, counter: Counter) -> None:
        super().__init__(logging.WARNING)
        self._by_level = {level: counter.labels(name) for name, level in _LEVELS.items()}

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self._by_level[max(level for level in self._by_level if level <= record.levelno)].inc()
