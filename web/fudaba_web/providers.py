"""The list of providers of logins; the page asks for it even if there is none."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba_web.settings import Provider

__all__ = ["providers"]


def providers(offered: Provider | None) -> Route:
    """Returns the path at which the page reads the list of providers."""
    listed = [] if offered is None else [{"id": "login", "name": offered.name}]

    def answer(_: Request) -> Response:
        return JSONResponse(listed, headers={"cache-control": "no-cache"})

    return Route("/session/providers", answer, methods=["GET"])
