"""Operations on the arena's store that are repeated until it answers."""

from __future__ import annotations

from fudaba_arena.errors import Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.retry import Retry
from fudaba_arena.store.answers import StoreUnavailable

__all__ = ["StoreRetry", "store_retry"]

StoreRetry = Retry[StoreUnavailable]


def store_retry(say: Say, metrics: Metrics) -> StoreRetry:
    """Repeats an operation of the store until the store answers."""
    return StoreRetry("the arena's store", StoreUnavailable, say, lambda _: metrics.store_errors.inc())
