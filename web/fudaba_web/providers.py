"""The list of providers of logins, which the page asks for whether there is one or not."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba_web.settings import Provider

__all__ = ["providers"]


def providers(offered: Provider | None) -> Route:
    """Returns the path that tells the page which providers there are."""
    listed = [] if offered is None else [{"id": "login", "name": offered.name}]

    def answer(_: Request) -> Response:
        return JSONResponse(listed, headers={"cache-control": "no-cache"})

    return Route("/session/providers", answer, methods=["GET"])
