"""The HTTP server of Prometheus metrics, for the service and the arena. It needs prometheus_client."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Final, final

from prometheus_client import CollectorRegistry, start_http_server

from fudaba.address import parse_host_port
from fudaba.errors import BadAddress, FudabaError

__all__ = ["METRICS_EXAMPLE", "MetricsNotServed", "serve_metrics"]

METRICS_EXAMPLE: Final = "127.0.0.1:9090"
"""The address that messages give as an example of where metrics are served."""


@final
class MetricsNotServed(FudabaError):
    """Metrics cannot be served at the given address. `str()` says why, and what to do."""


def serve_metrics(listen: str, registry: CollectorRegistry) -> Callable[[], None]:
    """Serves a registry at /metrics on `HOST:PORT`, in a thread; returns a function that stops it.

    Raises `MetricsNotServed`.
    """
    try:
        host, port = parse_host_port(listen)
    except BadAddress as error:
        raise MetricsNotServed(
            f"cannot serve metrics on {listen}: write HOST:PORT, for example {METRICS_EXAMPLE}"
        ) from error
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        why = "the port is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise MetricsNotServed(f"cannot serve metrics on {listen}: {why}; choose another HOST:PORT") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
