"""An HTTP proxy that leads nowhere: it keeps what it is asked for, and answers 502."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

__all__ = ["PROXY_VARIABLES", "dead_end_proxy", "proxied"]

PROXY_VARIABLES: Final = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy")
"""The names by which programs are told of a proxy; many of them read these in capitals, too."""


def proxied(url: str, exception: str = "") -> dict[str, str]:
    """Returns an environment in which all that any gRPC listens to names a proxy, for all hosts, or for all but one."""
    names = [name for lower in PROXY_VARIABLES for name in (lower, lower.upper())]
    host, _, port = url.rpartition("@")[2].partition(":")
    java = f"-Dhttps.proxyHost={host} -Dhttps.proxyPort={port} -Dhttp.nonProxyHosts={exception}"
    exceptions = dict.fromkeys(("no_proxy", "NO_PROXY", "no_grpc_proxy"), exception)
    return dict.fromkeys(names, url) | exceptions | {"JAVA_TOOL_OPTIONS": java}


@contextlib.contextmanager
def dead_end_proxy() -> Iterator[tuple[str, list[str]]]:
    """Yields its URL, and what it was asked for so far."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.send_error(502)

        do_CONNECT = do_GET = do_POST = answer  # noqa: N815 - the names are the server's

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://user:secret@127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()
