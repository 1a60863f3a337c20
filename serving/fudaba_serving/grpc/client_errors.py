"""A filter for errors of clients that gRPC's own code logs with a stack trace, though the service has no fault."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, final

from grpc._cython import cygrpc

__all__ = ["CallerGone", "filter_client_errors"]

CallerGone: Final[type[Exception]] = cygrpc.ExecuteBatchError
"""The error that a write raises if the caller has just gone; gRPC reports that a moment later. The error has no public
name.
"""

_LOGGER: Final = "grpc._cython.cygrpc"
_CLIENT_ERRORS: Final = (
    "Invalid encoding on",  # some metadata is not UTF-8; the method gets the bytes, and refuses them
    "ExecuteBatchError raised in core",  # the caller went away just as it was answered
)


@final
class _ClientErrorFilter(logging.Filter):
    """A filter that drops errors that clients can cause: otherwise anybody could fill the log and wake its watchers."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        return not str(record.msg).startswith(_CLIENT_ERRORS)


def filter_client_errors() -> Callable[[], None]:
    """Keeps errors of clients out of the log from now on; returns a function that ends this."""
    logger, without = logging.getLogger(_LOGGER), _ClientErrorFilter()
    logger.addFilter(without)
    return lambda: logger.removeFilter(without)
