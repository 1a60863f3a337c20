"""Refuses requests with an ambiguous end: every server on the way has to see the same end.

A front that counts by `Content-Length` and a gateway that goes by `Transfer-Encoding` would take different bytes for
the next request, which may then be another client's. RFC 9112 (6.1, 6.3) requires servers to refuse a request that
names both, or to close the connection; the parser below does neither. It refuses all other ambiguous requests, such as
those with two different lengths.
"""

from __future__ import annotations

from typing import Final, final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["PlainFraming"]

_REFUSAL: Final = "a request has a Content-Length or, from HTTP/1.1 on, a Transfer-Encoding, and not both\n"


@final
class PlainFraming:
    """Refuses requests whose end is given in two ways, and closes their connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and _is_ambiguous(scope):
            await PlainTextResponse(_REFUSAL, 400, {"connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _is_ambiguous(scope: Scope) -> bool:
    names = [name.lower() for name, _ in scope["headers"]]
    return b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0")
