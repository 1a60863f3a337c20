"""One page of metrics for several processes: what is summed, what is not, and what outlives a process."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from fudaba_service.processes.metrics_page import Counted, families, merged

Samples = dict[tuple[str, ...], float]


class Process:
    """What one process counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.moves = Counter("fudaba_moves", "Moves.", ["game"], registry=self.registry)
        self.streams = Gauge("fudaba_streams", "Streams.", ["kind"], registry=self.registry)
        self.times = Histogram("fudaba_times", "Times.", buckets=(1, 10), registry=self.registry)
        self.memory = Gauge("fudaba_redis_memory_bytes", "Memory.", registry=self.registry)
        self.lag = Counter("fudaba_event_loop_lag_seconds", "Lag.", registry=self.registry)
        self.files = Gauge("process_open_fds", "Files.", registry=self.registry)

    def told_to(self, counted: Counted) -> None:
        """It is asked."""
        counted.latest = families(self.registry)


def page(**by_process: Counted) -> Samples:
    named = {name.removeprefix("p"): counted for name, counted in by_process.items()}
    return {
        (sample.name, *(f"{label}={value}" for label, value in sorted(sample.labels.items()))): sample.value
        for metric in merged(named)
        for sample in metric.samples
    }


def two() -> tuple[Process, Process, Counted, Counted]:
    process, other, first, second = Process(), Process(), Counted(), Counted()
    process.moves.labels("naga").inc(3)
    other.moves.labels("naga").inc(4)
    other.moves.labels("nerts").inc(5)
    process.streams.labels("play").set(2)
    other.streams.labels("play").set(1)
    for value in (0.5, 5):
        process.times.observe(value)
    other.times.observe(50)
    process.memory.set(100)
    other.memory.set(0)  # it has not looked yet
    process.lag.inc(0.25)
    other.lag.inc(0.5)
    process.files.set(7)
    other.files.set(8)
    process.told_to(first)
    other.told_to(second)
    return process, other, first, second


def test_counters_gauges_and_histograms_are_summed() -> None:
    *_, first, second = two()
    samples = page(p1=first, p2=second)
    assert samples["fudaba_moves_total", "game=naga"] == 7
    assert samples["fudaba_moves_total", "game=nerts"] == 5
    assert samples["fudaba_streams", "kind=play"] == 3
    assert [samples["fudaba_times_bucket", f"le={bound}"] for bound in ("1.0", "10.0", "+Inf")] == [1, 2, 3]
    assert samples["fudaba_times_count",] == 3
    assert samples["fudaba_times_sum",] == 55.5


def test_the_store_is_told_once_and_what_describes_a_process_has_its_number() -> None:
    *_, first, second = two()
    samples = page(p1=first, p2=second)
    assert samples["fudaba_redis_memory_bytes",] == 100
    for number, lag, files in (("1", 0.25, 7), ("2", 0.5, 8)):
        assert samples["fudaba_event_loop_lag_seconds_total", f"process={number}"] == lag
        assert samples["process_open_fds", f"process={number}"] == files
    assert not any(name.endswith("_created") for name, *_ in samples)


def test_no_counter_goes_back_when_a_process_ends_and_no_gauge_stays() -> None:
    process, _, first, second = two()
    first.ended()
    samples = page(p1=first, p2=second)
    assert samples["fudaba_moves_total", "game=naga"] == 7
    assert samples["fudaba_times_count",] == 3
    assert samples["fudaba_streams", "kind=play"] == 1
    assert ("process_open_fds", "process=1") not in samples
    assert ("fudaba_event_loop_lag_seconds_total", "process=1") not in samples

    again = Process()
    again.moves.labels("naga").inc(10)
    again.lag.inc(0.125)
    again.told_to(first)
    samples = page(p1=first, p2=second)
    assert samples["fudaba_moves_total", "game=naga"] == 17
    assert samples["fudaba_event_loop_lag_seconds_total", "process=1"] == 0.125
    process.moves.labels("naga").inc()  # one that has ended is not heard any more
    first.ended()
    first.ended()
    assert page(p1=first, p2=second)["fudaba_moves_total", "game=naga"] == 17


def test_what_all_have_counted_is_told_though_none_runs_that_did() -> None:
    _, _, first, second = two()
    first.ended()
    second.ended()
    Process().told_to(second)
    assert page(p1=first, p2=second)["fudaba_moves_total", "game=nerts"] == 5
