"""One page of metrics for all processes of a service.

Counts of all processes are summed, including ended ones. Metrics of the store or the disk, which are the same for all,
appear once. Metrics of a process have its number as the label `process`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, final

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

__all__ = ["Counted", "Families", "MetricsPage", "families", "merged"]

Families = list[list[Any]]
"""Metrics as lists, each `[name, text, type, [[sample's name, labels, value], …]]`, which JSON preserves."""
_Sample = tuple[str, tuple[tuple[str, str], ...]]

_OF_A_PROCESS: Final = {
    "fudaba_event_loop_lag_seconds",
    "fudaba_redis_silent_seconds",
    "fudaba_clock_ahead_seconds",
}
"""Metrics of single processes: sums of seconds of delay, which over several processes would exceed the real time, and
the difference of a clock, which may be negative.
"""
_OF_ALL: Final = {
    "fudaba_redis_memory_bytes",
    "fudaba_redis_memory_limit_bytes",
    "fudaba_redis_full",
    "fudaba_maintenance",
    "fudaba_data_free_bytes",
    "fudaba_data_size_bytes",
    "fudaba_backup_tested_timestamp_seconds",
    "fudaba_build_info",
    "fudaba_tls_certificate_expiry_timestamp_seconds",
    "fudaba_tls_certificate_unusable",
}
"""Metrics that are equal in each process, or 0 in one that has not looked yet."""
_LABEL: Final = "process"


def families(registry: CollectorRegistry) -> Families:
    """Returns the metrics of a registry, without the creation times of counters."""
    return [
        [
            family.name,
            family.documentation,
            family.type,
            [[s.name, s.labels, s.value] for s in family.samples if not s.name.endswith("_created")],
        ]
        for family in registry.collect()
    ]


@final
class Counted:
    """The metrics of one process, including the counts of its predecessors."""

    def __init__(self) -> None:
        self.latest: Families = []
        self._ended: dict[tuple[str, _Sample], float] = {}

    def ended(self) -> None:
        """Notes that the process has ended. Its reported counts stay."""
        for name, _, kind, samples in self.latest:
            if kind != "gauge" and not _own(name):
                for sample, labels, value in samples:
                    key = name, _sample(sample, labels)
                    self._ended[key] = self._ended.get(key, 0.0) + value
        self.latest = []

    @property
    def before(self) -> Mapping[tuple[str, _Sample], float]:
        """The counts of ended processes, by the names of family and sample."""
        return self._ended


def merged(by_process: Mapping[str, Counted]) -> Iterator[Metric]:
    """Yields the metrics of all processes, identified by number."""
    metrics: dict[str, Metric] = {}
    values: dict[str, dict[_Sample, float]] = {}
    for process, counted in by_process.items():
        for name, text, kind, samples in counted.latest:
            metrics.setdefault(name, Metric(name, text, kind))
            _join(values.setdefault(name, {}), name, process, samples)
    for counted in by_process.values():
        for (name, sample), value in counted.before.items():
            if name in values:
                values[name][sample] = values[name].get(sample, 0.0) + value
    for name, metric in metrics.items():
        for (sample_name, labels), value in values[name].items():
            metric.add_sample(sample_name, dict(labels), value)
        yield metric


def _join(so_far: dict[_Sample, float], name: str, process: str, samples: list[Any]) -> None:
    """Adds one process's samples of a metric to those of others."""
    for sample_name, labels, value in samples:
        if _own(name):
            so_far[_sample(sample_name, labels | {_LABEL: process})] = value
            continue
        sample = _sample(sample_name, labels)
        others = so_far.get(sample, 0.0)
        so_far[sample] = max(others, value) if name in _OF_ALL else others + value


def _own(name: str) -> bool:
    """Returns whether a metric describes a process."""
    return name in _OF_A_PROCESS or name.startswith("process_")


def _sample(name: str, labels: Mapping[str, str]) -> _Sample:
    return name, tuple(labels.items())


@final
class MetricsPage(Collector):
    """Serves the page of metrics. Each scrape asks all processes."""

    def __init__(self, ask: Callable[[], Iterable[Metric]]) -> None:
        self._ask = ask

    def describe(self) -> list[Metric]:
        """Returns nothing, since processes are asked only at a scrape."""
        return []

    def collect(self) -> Iterator[Metric]:
        """See `prometheus_client.registry.Collector`."""
        yield from self._ask()
