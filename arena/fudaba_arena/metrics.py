"""What an arena counts, for `/metrics`. Labels are bounded: causes, never bots or matches."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from importlib.metadata import version
from math import isfinite
from typing import Final, final

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server
from prometheus_client.process_collector import ProcessCollector

from fudaba_arena.errors import ArenaError

__all__ = ["CAUSES", "Metrics", "serve_metrics"]

CAUSES: Final = ("no_show", "organiser", "lost", "stopped", "away")
"""Why a block is void; see `fudaba_arena.store.VoidBlock`."""


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
        self.void = Counter("fudaba_arena_void_blocks", "Blocks that became void, by why.", ["cause"], registry=r)
        self.parked = Gauge("fudaba_arena_parked_blocks", "Blocks that are not tried any more.", registry=r)
        self.restarts = Counter("fudaba_arena_bot_restarts", "Bots started again after they had ended.", registry=r)
        self.withdrawn = Gauge("fudaba_arena_bots_withdrawn", "Bots that play no more.", registry=r)
        self.service_errors = Counter(
            "fudaba_arena_service_errors", "Calls that the service did not answer and that were repeated.", registry=r
        )
        self.store_errors = Counter("fudaba_arena_store_errors", "Store operations that were repeated.", registry=r)
        self.uncertainty = Gauge(
            "fudaba_arena_rating_uncertainty_elo",
            "Half the width of the 95% intervals of the bots that are rated, in Elo points.",
            ["stat"],
            registry=r,
        )
        self.unrated = Gauge("fudaba_arena_bots_unrated", "Bots that have played nobody yet.", registry=r)
        for cause in CAUSES:
            self.void.labels(cause)
        self._info = Gauge(
            "fudaba_arena_info",
            "The tournament that is played, and the arena's release; the value is always 1.",
            ["tournament", "game", "version"],
            registry=r,
        )
        ProcessCollector(registry=r)

    def about(self, tournament: str, game: str) -> None:
        """Says what this arena plays."""
        self._info.labels(tournament, game, version("fudaba")).set(1)

    def rated(self, halves: Sequence[float]) -> None:
        """Notes the half intervals of a new fit, infinite ones of bots that nothing connects with another."""
        known = [half for half in halves if isfinite(half)]
        self.unrated.set(len(halves) - len(known))
        if known:
            self.uncertainty.labels("max").set(max(known))
            self.uncertainty.labels("mean").set(sum(known) / len(known))


def serve_metrics(listen: str, metrics: Metrics) -> Callable[[], None]:
    """Serves /metrics on HOST:PORT; returns what stops it. Raises `ArenaError`."""
    host, _, port = listen.rpartition(":")
    try:
        server, thread = start_http_server(int(port), host or "127.0.0.1", metrics.registry)
    except (ValueError, OverflowError) as error:
        raise ArenaError(
            f"metrics cannot be served on {listen}: write HOST:PORT, for example 127.0.0.1:9091"
        ) from error
    except OSError as error:
        why = "the port is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise ArenaError(f"metrics cannot be served on {listen}: {why}; choose another HOST:PORT") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
