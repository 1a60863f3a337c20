"""The address at which bots connect to the service: the page shows it to authors who run their bots themselves."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fudaba.address import DEFAULT_ADDRESS, is_host_port, parse_host_port
from fudaba_web.settings import Settings

__all__ = ["bot_address"]


def bot_address(settings: Settings) -> Route:
    """Returns the path at which the page reads the address.

    Without `bots_at` the address is a guess: the page's host, and the port of `server`.
    """
    address, tls = settings.bots_at, settings.bots_at.startswith("https:")
    if not address:
        used = settings.server if is_host_port(settings.server) else DEFAULT_ADDRESS
        address, tls = f":{parse_host_port(used).port}", settings.tls or bool(settings.ca_cert)
    place = address.rpartition("://")[2]

    def answer(request: Request) -> Response:
        host = request.url.hostname or ""
        here = (f"[{host}]" if ":" in host else host) if place.startswith(":") else ""
        body = {"address": f"{here}{place}", "tls": tls, "sure": bool(settings.bots_at)}
        return JSONResponse(body, headers={"cache-control": "no-cache"})

    return Route("/bot-address", answer, methods=["GET"])
