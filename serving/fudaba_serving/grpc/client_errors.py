"""Errors of clients that gRPC's own code logs with a stack trace: no fault of the service, and filtered out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, final

from grpc._cython import cygrpc

__all__ = ["CallerGone", "filter_client_errors"]

CallerGone: Final[type[Exception]] = cygrpc.ExecuteBatchError
"""What a write raises when the caller has just gone away; gRPC tells that a moment later. It has no public name."""

_LOGGER: Final = "grpc._cython.cygrpc"
_CLIENT_ERRORS: Final = (
    "Invalid encoding on",  # metadata that is not UTF-8; the method gets the bytes, and refuses them
    "ExecuteBatchError raised in core",  # the caller went away at the moment in which it was answered
)


@final
class _ClientErrorFilter(logging.Filter):
    """Lets through what no client can bring about: else anybody could fill the log, and wake whoever watches it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        return not str(record.msg).startswith(_CLIENT_ERRORS)


def filter_client_errors() -> Callable[[], None]:
    """Keeps errors of clients out of the log from now on; returns what ends this."""
    logger, without = logging.getLogger(_LOGGER), _ClientErrorFilter()
    logger.addFilter(without)
    return lambda: logger.removeFilter(without)
