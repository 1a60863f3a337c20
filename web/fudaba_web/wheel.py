"""The wheel that authors install, as the page tells them. Its hash goes with it: pip takes no other file."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba_web.settings import Settings

__all__ = ["wheel"]


def wheel(settings: Settings) -> Route:
    """The path that tells the page. Without a wheel the URL is empty, and authors install from a clone."""
    told = settings.wheel
    body = {"url": "" if told is None else told.url, "sha256": "" if told is None else told.sha256}

    def answer(_: Request) -> Response:
        return JSONResponse(body, headers={"cache-control": "no-cache"})

    return Route("/wheel", answer, methods=["GET"])
