"""What the service counts, for `/metrics`. Labels are bounded: games, states and reasons, never bots or matches."""

from __future__ import annotations

import logging
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from fudaba.v1 import errors_pb2, record_pb2
from fudaba_games.registry import GAMES

__all__ = ["Metrics"]

_DECISION_US: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8)
_ROUND_TRIP: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_ENDS: Final = ("finished", "forfeited", "aborted")
_STREAMS: Final = ("play", "seat", "match")
_TASKS: Final = ("delay", "commits", "news", "beat", "look", "memory", "open_matches", "house", "match", "processes")
_LEVELS: Final = {"warning": logging.WARNING, "error": logging.ERROR, "critical": logging.CRITICAL}


@final
class Tally:
    """A histogram in plain numbers, for what is counted at every move: it is put into form at a scrape."""

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
        """How many values were counted."""
        return sum(self._counts)

    def fill(self, family: HistogramMetricFamily, labels: Sequence[str], unit: float = 1.0) -> None:
        """Adds the histogram to a family of metrics, `unit` of ours to one of theirs."""
        names = [str(float(bound / unit)) for bound in self._bounds] + ["+Inf"]
        family.add_metric(labels, list(zip(names, accumulate(self._counts), strict=True)), self._sum / unit)


@final
class DecisionTimes(Collector):
    """Decisions and bots' own time for them, by game."""

    def __init__(self) -> None:
        self._by_game = {game: Tally(_DECISION_US) for game in GAMES}

    def add(self, game: str, bot_us: int) -> None:
        """A bot took this long for a decision, in microseconds."""
        self._by_game[game].add(bot_us)

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        count = CounterMetricFamily("fudaba_decisions", "Decisions answered by bots.", labels=["game"])
        times = HistogramMetricFamily(
            "fudaba_decision_seconds",
            "Time that bots took for a decision, without the server's share.",
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
        self._sizes = Tally(_SIZES)
        self._times = Tally(_ROUND_TRIP)

    def add(self, appends: int, seconds: float) -> None:
        """A round trip with this many appends took this long."""
        self._sizes.add(appends)
        self._times.add(seconds)

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        sizes = HistogramMetricFamily("fudaba_redis_batch_appends", "Appends that shared a round trip to Redis.")
        self._sizes.fill(sizes, [])
        yield sizes
        times = HistogramMetricFamily("fudaba_redis_round_trip_seconds", "Round trips of appends to Redis.")
        self._times.fill(times, [])
        yield times


@final
class RunningSum(Collector):
    """A counter that is read at a scrape from somebody who keeps the sum anyway."""

    def __init__(self, name: str, text: str, read: Callable[[], float]) -> None:
        self._name = name
        self._text = text
        self._read = read
        self._told = 0.0

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        self._told = max(self._told, self._read())  # what is still going on may be judged more mildly later
        yield CounterMetricFamily(self._name, self._text, value=self._told)


@final
class LogCounter(logging.Handler):
    """Counts what is logged, so that nobody has to read a log to know that there is something in it."""

    def __init__(self, counter: Counter) -> None:
        super().__init__(logging.WARNING)
        self._by_level = {level: counter.labels(name) for name, level in _LEVELS.items()}

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self._by_level[max(level for level in self._by_level if level <= record.levelno)].inc()


@final
class Metrics:
    """One object of these per process. Every label value that is known beforehand is there from the start, at 0."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        r = self.registry
        self.matches_created = Counter("fudaba_matches_created", "Matches created here.", ["game"], registry=r)
        self.matches_ended = Counter(
            "fudaba_matches_ended", "Matches that ended, by the way they ended.", ["game", "end"], registry=r
        )
        self.matches = Gauge("fudaba_matches", "Matches held by this replica, by state.", ["game", "state"], registry=r)
        self.decision_times = DecisionTimes()
        r.register(self.decision_times)
        self.illegal = Counter("fudaba_illegal_moves", "Answers that broke the rules.", ["game"], registry=r)
        self.timeouts = Counter("fudaba_timeouts", "Decisions closed because time ran out.", ["game"], registry=r)
        self.refusals = Counter("fudaba_refusals", "Calls and answers refused.", ["reason"], registry=r)
        self._rate_limited = Counter(
            "fudaba_rate_limited",
            "Calls and messages delayed because their sender was too fast.",
            ["kind"],
            registry=r,
        )
        self.streams = Gauge("fudaba_streams", "Open streams.", ["kind"], registry=r)
        self._batches = Batches()
        r.register(self._batches)
        self.store_errors = Counter("fudaba_redis_errors", "Round trips to Redis that failed.", registry=r)
        self._lost = Counter("fudaba_redis_connections_lost", "Connections to Redis found dead or silent.", registry=r)
        self._task_errors = Counter(
            "fudaba_task_errors",
            "Unexpected errors, by the background task that raised them.",
            ["task"],
            registry=r,
        )
        self.replays = Counter("fudaba_replays", "Matches rebuilt from their log or record.", registry=r)
        self.rewinds = Counter("fudaba_rewinds", "Matches rolled back because Redis lost a tail.", registry=r)
        self.archive_failures = Counter("fudaba_archive_failures", "Records that could not be archived.", registry=r)
        self.store_memory = Gauge("fudaba_redis_memory_bytes", "Memory that Redis uses.", registry=r)
        self.store_memory_limit = Gauge(
            "fudaba_redis_memory_limit_bytes", "Memory that Redis may use (maxmemory); 0 means no limit.", registry=r
        )
        self.store_full = Gauge(
            "fudaba_redis_full", "1 while Redis has too little memory left for new matches.", registry=r
        )
        self.clock_ahead = Gauge(
            "fudaba_clock_ahead_seconds",
            "Seconds by which this machine's clock is ahead of Redis's; negative if behind.",
            registry=r,
        )
        self._logged = Counter("fudaba_log_messages", "Log messages at level WARNING and above.", ["level"], registry=r)
        build = Gauge("fudaba_build_info", "The running release; the value is always 1.", ["version"], registry=r)
        build.labels(version("fudaba")).set(1)
        ProcessCollector(registry=r)
        self._begin()

    def _begin(self) -> None:
        """A counter that appears with its first count has no rise that a query could see."""
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
        """A decision of a match of this game was closed without an answer, or an answer refused."""
        entry_kind = entry.WhichOneof("what")
        if entry_kind == "timeout":
            self.timeouts.labels(game).inc()
        elif entry_kind == "illegal":
            self.illegal.labels(game).inc()

    def batch(self, appends: int, seconds: float) -> None:
        """A round trip with this many appends was answered after this long."""
        self._batches.add(appends, seconds)

    def slow(self, kind: str) -> None:
        """A `call` or a `message` has to wait because its sender is too fast."""
        self._rate_limited.labels(kind).inc()

    def store_error(self) -> None:
        """A round trip failed."""
        self.store_errors.inc()

    def connection_lost(self) -> None:
        """A connection to Redis was found dead, or silent."""
        self._lost.inc()

    def task_error(self, task: str) -> None:
        """An unexpected error was raised in a background task, which goes on."""
        self._task_errors.labels(task).inc()

    def count_matches(self, games: Iterable[str], matches: Callable[[str, str], int]) -> None:
        """Has the gauge of matches ask `matches(game, state)` at each scrape."""
        for game in games:
            for state in ("waiting", "playing", "over"):
                self.matches.labels(game, state).set_function(partial(matches, game, state))

    def follow_delays(self, behind: Callable[[], float], silent: Callable[[], float]) -> None:
        """Tells two sums of seconds at each scrape: this process behind its work, and the store silent."""
        behind_text = "Seconds for which this process came late to its work: overload, or it was stopped."
        self.registry.register(RunningSum("fudaba_event_loop_lag_seconds", behind_text, behind))
        silent_text = "Seconds for which the store gave no sign of life, or did not answer an append."
        self.registry.register(RunningSum("fudaba_redis_silent_seconds", silent_text, silent))

    def follow_disk(self, folder: Path) -> None:
        """Tells at each scrape how much room there is where a folder is. The folder must exist."""
        free = Gauge("fudaba_data_free_bytes", "Free space on the data folder's disk.", registry=self.registry)
        free.set_function(lambda: shutil.disk_usage(folder).free)
        size = Gauge("fudaba_data_size_bytes", "Size of the data folder's disk.", registry=self.registry)
        size.set_function(lambda: shutil.disk_usage(folder).total)

    def follow_log(self) -> Callable[[], None]:
        """Counts from now on what anybody in this process logs; returns what ends that."""
        handler, root = LogCounter(self._logged), logging.getLogger()
        root.addHandler(handler)
        return lambda: root.removeHandler(handler)

    def store_uses(self, memory: int, limit: int, *, full: bool) -> None:
        """The store has told how much memory it uses, and may use, in bytes; when it is `full`, it takes no matches."""
        self.store_full.set(full)
        self.store_memory.set(memory)
        self.store_memory_limit.set(limit)
