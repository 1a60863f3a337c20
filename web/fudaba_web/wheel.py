"""The wheel that the page tells authors to install. Its hash goes with it: pip accepts no other file."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba_web.settings import Wheel

__all__ = ["routes"]

_NONE = Wheel("", "")


def routes(wheel: Wheel | None) -> list[Route]:
    """Returns the path at which the page reads the wheel's URL, with empty texts without a wheel; and the wheel itself,
    if the gateway serves it.
    """
    found = _NONE if wheel is None else wheel
    headers = {"cache-control": "no-cache", "etag": f'"{found.sha256}"'}

    def answer(_: Request) -> Response:
        return JSONResponse({"url": found.url, "sha256": found.sha256}, headers={"cache-control": "no-cache"})

    def download(request: Request) -> Response:
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type="application/octet-stream", headers=headers)

    served = [Route(found.url, download, methods=["GET"])] if found.content else []
    return [Route("/wheel", answer, methods=["GET"]), *served]
