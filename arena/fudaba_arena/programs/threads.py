"""Sets the number of threads that a bot's libraries start to the number of its cores. By default they count the
machine's.
"""

from __future__ import annotations

from typing import Final

__all__ = ["THREAD_VARIABLES", "thread_counts"]

THREAD_VARIABLES: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
    "GOMAXPROCS",
)
"""The variables that libraries and runtimes read for it: Python's numeric packages, Rust and Go."""


def thread_counts(cores: float) -> dict[str, str]:
    """Returns the environment variables for a bot with this much processor time per second. They allow at least one
    thread.
    """
    return dict.fromkeys(THREAD_VARIABLES, str(max(1, int(cores))))
