"""What gRPC's own code says, with a stack trace, of what clients do: no fault of the service."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, final

from grpc._cython import cygrpc

__all__ = ["CallerGone", "leave_out_clients_faults"]

CallerGone: Final[type[Exception]] = cygrpc.ExecuteBatchError
"""What a write raises when the caller has just gone away; gRPC tells that a moment later. It has no public name."""

_LOGGER: Final = "grpc._cython.cygrpc"
_OF_CLIENTS: Final = (
    "Invalid encoding on",  # metadata that is not UTF-8; the method gets the bytes, and refuses them
    "ExecuteBatchError raised in core",  # the caller went away at the moment in which it was answered
)


@final
class _OfService(logging.Filter):
    """Lets through what no client can bring about: else anybody could fill the log, and wake whoever watches it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        return not str(record.msg).startswith(_OF_CLIENTS)


def leave_out_clients_faults() -> Callable[[], None]:
    """Leaves that out of the log from now on; returns what ends this."""
    logger, chosen = logging.getLogger(_LOGGER), _OfService()
    logger.addFilter(chosen)
    return lambda: logger.removeFilter(chosen)
