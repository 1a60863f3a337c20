"""The gateway's paths, and the headers of every answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fudaba.client import Endpoint
from fudaba_serving.grpc.policy import contract
from fudaba_web import downloads, news_feed, site, wheel
from fudaba_web.bot_address import bot_address
from fudaba_web.endpoints import Methods
from fudaba_web.framing import PlainFraming
from fudaba_web.lookups import Lookups
from fudaba_web.page import Page, how_to_build
from fudaba_web.providers import providers
from fudaba_web.readable import Readable
from fudaba_web.sessions import SessionCookie, Sessions
from fudaba_web.settings import Provider, Settings
from fudaba_web.status import Status
from fudaba_web.streams import ServerStreams
from fudaba_web.tabs import Tabs
from fudaba_web.uploads import UploadProxy
from fudaba_web.upstreams import Upstreams

if TYPE_CHECKING:
    from fudaba_web.logins import Logins

__all__ = ["gateway"]

_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
"""The headers of everything but the page: no browser may run, frame or guess any of it."""
_TLS_ALONE: Final = "max-age=2592000"
"""The time in seconds for which a browser that came over TLS comes back over TLS only."""
_THIS_MACHINE: Final = re.compile(r"(?:.*\.)?localhost(?::\d+)?", re.IGNORECASE)
"""The host names of this machine. Other servers there may speak no TLS, and browsers do not distinguish ports."""
_HOME: Final = f"""\
Fudaba: card games for programs, and a ladder of bots.

This address speaks the contract to browsers and scripts: POST /fudaba.v1.SERVICE/METHOD with JSON, over HTTP/1.1.
Every method is here but Play, which has a stream in both directions; bots without gRPC use WatchSeat and SubmitMove.

  curl -H 'content-type: application/json' -d '{{}}' THIS_ADDRESS/fudaba.v1.CatalogService/ListGames
  curl -O THIS_ADDRESS/contract/{downloads.ARCHIVE}     the contract, with the rules of all games
  curl THIS_ADDRESS/contract/contract.md                how to play, message by message
  curl THIS_ADDRESS/news.atom                           the organiser's announcements, as a feed
  curl THIS_ADDRESS/status.json                         whether service and arena are here
  curl -T bot.tar.gz -H "authorization: Bearer $FUDABA_TOKEN" THIS_ADDRESS/submissions/BOT/
"""
_NO_PAGE: Final = """
This gateway has no page for browsers. For whoever runs it: {how_to_build}, and start the gateway again.
"""


def gateway(settings: Settings) -> Starlette:
    """Yields the ASGI application of a gateway. It begins to call service and arena when the first client does."""
    service = Endpoint(settings.server, tls=settings.tls, ca_cert=settings.ca_cert)
    arena = Endpoint(settings.arena, tls=settings.tls, ca_cert=settings.ca_cert) if settings.arena else None
    logins_at = None if settings.login is None else _logins_at(settings.login)
    page = Page(settings.page, site.tags(settings.site), settings.site.name)

    def for_browsers(request: Request) -> bool:
        return page.is_built and "text/html" in request.headers.get("accept", "")

    def home(request: Request) -> Response:
        if for_browsers(request):
            response = page.document(request)
        else:
            greeting = _HOME.replace("THIS_ADDRESS", str(request.base_url).rstrip("/"))
            missing = "" if page.is_built else _NO_PAGE.format(how_to_build=how_to_build())
            response = PlainTextResponse(greeting + missing)
        response.headers["vary"] = "accept, accept-encoding, accept-language"
        return response

    def refused(request: Request, error: Exception) -> Response:
        """Returns the response to an error. For a path that does not exist a browser gets the page, which says so in
        the reader's language.
        """
        response = _in_words(request, error)
        if response.status_code == 404 and request.method == "GET" and for_browsers(request):
            response = page.document(request, is_missing=True)
        response.headers["vary"] = "accept, accept-encoding, accept-language"
        return response

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        current = Upstreams(service, arena, settings.token)  # gRPC's channels want the loop in which they are used
        lookups = Lookups(current)
        logins = None if logins_at is None else logins_at(current)
        status = Status(current)
        app.router.routes += [*_calls(settings, current, logins), status.route(), *page.routes(lookups)]
        following = asyncio.create_task(status.follow())
        try:
            yield
        finally:
            following.cancel()
            await asyncio.wait([following])
            await lookups.close()
            await current.close()

    return Starlette(
        routes=[Route("/", home, methods=["GET"]), *downloads.routes()],
        lifespan=lifespan,
        middleware=[Middleware(_Headers), Middleware(PlainFraming), Middleware(SessionCookie)],
        exception_handlers={HTTPException: refused},
    )


def _calls(settings: Settings, upstreams: Upstreams, logins: Logins | None) -> list[BaseRoute]:
    """Returns the paths of calls: the contract's methods, uploads, sessions, and what the page asks of this gateway."""
    streams = ServerStreams(upstreams)
    methods, uploads = Readable(Methods(upstreams, streams)), UploadProxy(upstreams)
    sessions = Sessions(upstreams, None if logins is None else logins.newcomer)
    return [
        *(Mount(f"/{service_methods.full_name}", methods) for service_methods in contract()),
        Route("/submissions/{bot}/{file:path}", uploads.put, methods=["PUT"]),
        Route("/session", sessions.get, methods=["GET"]),
        Route("/session", sessions.post, methods=["POST"]),
        Route("/session", sessions.delete, methods=["DELETE"]),
        Route("/session/code", sessions.post_code, methods=["POST"]),
        Route("/session/guest", sessions.post_guest, methods=["POST"]),
        Route("/session/streams", Tabs(streams).post, methods=["POST"]),
        bot_address(settings),
        *news_feed.routes(upstreams, settings.site),
        *wheel.routes(settings.wheel),
        *site.routes(settings.site),
        providers(settings.login),
        *(() if logins is None else logins.routes(sessions)),
    ]


def _logins_at(provider: Provider) -> Callable[[Upstreams], Logins]:
    # OpenID Connect and its cryptography take a third of the time of all imports, and most gateways have no provider.
    from fudaba_web.logins import Logins  # noqa: PLC0415

    return partial(Logins, provider)


def _in_words(request: Request, error: Exception) -> Response:
    """Returns the answer to a page that does not exist, or to a method that a page does not have."""
    if not isinstance(error, HTTPException):
        raise error
    text = (
        error.detail if error.status_code != 404 or error.detail != "Not Found" else f"nothing is at {request.url.path}"
    )
    return PlainTextResponse(f"{text}; GET / says what is here\n", error.status_code, error.headers)


@final
class _Headers:
    """Adds the headers of every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https" and not _THIS_MACHINE.fullmatch(Headers(scope=scope).get("host", "")):
                    headers["strict-transport-security"] = _TLS_ALONE
            await send(message)

        await self._app(scope, receive, sent)
