"""Who uses the page: a token becomes a cookie that scripts cannot read, and goes with the page's calls.

The cookie holds the token itself. Sealing it would gain nothing, since whoever has the cookie could use it as it is,
and all gateways would need one key. So none of them holds anything.

Another site can make a browser send a cookie, but neither set the header that the page's calls have nor hide where they
come from: a cookie counts only with that header, and from this origin.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc import aio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from fudaba.v1 import accounts_pb2
from fudaba_web.errors import as_response, malformed, translated
from fudaba_web.upstreams import Upstreams

__all__ = ["PAGE_HEADER", "SessionCookie", "Sessions", "signed_in"]

PAGE_HEADER: Final = "x-fudaba-page"
"""What the page's own calls carry."""
_NAME: Final = "fudaba_session"
_HOST_NAME: Final = f"__Host-{_NAME}"
"""With TLS: browsers then take it only over TLS, from this very host, for all of its paths."""
_SECONDS: Final = 10.0
_LARGEST: Final = 4_000
_SERVICE: Final = accounts_pb2.DESCRIPTOR.services_by_name["AccountService"]
_SCOPES: Final = frozenset({
    accounts_pb2.TOKEN_SCOPE_ORGANISER, accounts_pb2.TOKEN_SCOPE_AUTHOR, accounts_pb2.TOKEN_SCOPE_BOT,
    accounts_pb2.TOKEN_SCOPE_GUEST,
})  # fmt: skip
"""Whose tokens sign in: people's. An arena's or a gateway's has no business in a browser."""


def signed_in(response: Response, request: HTTPConnection, token: str) -> None:
    """Makes a response sign in, until the browser is closed or the token expires."""
    response.set_cookie(_cookie(request), token, httponly=True, secure=_safe(request), samesite="strict")


@final
class Sessions:
    """`/session`: who is signed in, signing in with a token or as a guest, and signing out."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams

    async def get(self, request: Request) -> Response:
        """Who is signed in."""
        token = _bearer(request.headers)
        return await self._answered(self._told(request, token)) if token else _nobody()

    async def post(self, request: Request) -> Response:
        """Signs in with the token that the body names."""
        return await self._answered(self._enter(request))

    async def post_guest(self, request: Request) -> Response:
        """Makes a guest, who plays what counts for no rating, and signs in as that."""
        return await self._answered(self._enter_as_guest(request))

    async def delete(self, request: Request) -> Response:
        """Signs out. A guest's token was made for this session alone, and is revoked; one that was pasted stays."""
        return await self._answered(self._leave(request))

    async def _enter(self, request: Request) -> Response:
        _check_page(request)
        body = await request.body()
        if len(body) > _LARGEST:
            raise malformed("this is longer than any token")
        try:
            token = (await request.json())["token"]
        except (ValueError, KeyError, TypeError):
            raise malformed('the body is not as it should be; send {"token": "…"}') from None
        if not isinstance(token, str) or not token.strip().isascii() or not token.strip().isprintable():
            raise malformed("this is no token; paste it as it was shown when it was made")
        return await self._told(request, f"Bearer {token.strip()}", new=True)

    async def _enter_as_guest(self, request: Request) -> Response:
        _check_page(request)
        made = await self._call(request, "CreateGuest", accounts_pb2.CreateGuestRequest(), "")
        return await self._told(request, f"Bearer {made.token}", new=True)

    async def _leave(self, request: Request) -> Response:
        _check_page(request)
        token = _bearer(request.headers)
        response = Response(status_code=204)
        if token:
            info = (await self._call(request, "WhoAmI", accounts_pb2.WhoAmIRequest(), token)).token
            if info.scope == accounts_pb2.TOKEN_SCOPE_GUEST:
                await self._call(request, "RevokeToken", accounts_pb2.RevokeTokenRequest(), token)
        response.delete_cookie(_cookie(request), httponly=True, secure=_safe(request), samesite="strict")
        return response

    async def _told(self, request: Request, token: str, *, new: bool = False) -> Response:
        info = (await self._call(request, "WhoAmI", accounts_pb2.WhoAmIRequest(), token)).token
        if info.scope not in _SCOPES:
            raise malformed(
                "this is the token of an arena, a gateway or a match; sign in with your account's, your bot's or the "
                "organiser's"
            )
        told = MessageToDict(info)
        response = JSONResponse({
            "signedIn": True,
            "scope": accounts_pb2.TokenScope.Name(info.scope).removeprefix("TOKEN_SCOPE_").lower(),
            **{name: getattr(info, name) for name in ("account", "member", "bot", "version", "label")},
            "tokenId": info.token_id,
            "expireTime": told.get("expireTime"),
        })  # fmt: skip
        if new:
            signed_in(response, request, token.removeprefix("Bearer "))
        return response

    async def _call(self, request: Request, name: str, message: Message, token: str) -> Any:
        method = _SERVICE.methods_by_name[name]
        address = request.client.host if request.client is not None else ""
        headers = {"authorization": token} if token else {}
        metadata = self._upstreams.metadata(method, message, headers, address)
        return await self._upstreams.unary(method)(message, timeout=_SECONDS, metadata=metadata)

    async def _answered(self, work: Awaitable[Response]) -> Response:
        try:
            response = await work
        except ConnectError as error:
            response = as_response(error)
        except aio.AioRpcError as error:
            response = as_response(translated(error, "service"))
        response.headers["cache-control"] = "no-store"
        return response


@final
class SessionCookie:
    """Gives calls of the page the token that their cookie holds. A cookie whose token is refused is taken back."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        token = request.cookies.get(_cookie(request), "")
        if not token or "authorization" in request.headers or not _is_page(request.headers, request.url.netloc):
            await self._app(scope, receive, send)
            return
        name, secure = _cookie(request), _safe(request)
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]}

        async def sent(event: Event) -> None:
            if event["type"] == "http.response.start" and event["status"] == 401:
                gone = Response()
                gone.delete_cookie(name, httponly=True, secure=secure, samesite="strict")
                MutableHeaders(scope=event).append("set-cookie", gone.headers["set-cookie"])
            await send(event)

        await self._app(scope, receive, sent)


def _nobody() -> Response:
    return JSONResponse({"signedIn": False}, headers={"cache-control": "no-store"})


def _check_page(request: Request) -> None:
    """Raises `ConnectError` unless the page itself asks."""
    if not _is_page(request.headers, request.url.netloc):
        raise malformed(f"a session is for the page alone; scripts send a token with each call, and no {PAGE_HEADER}")


def _is_page(headers: Mapping[str, str], host: str) -> bool:
    """Whether a request comes from the page that this origin serves."""
    if PAGE_HEADER not in headers or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin", "")
    return not origin or origin.partition("://")[2] == host


def _bearer(headers: Headers) -> str:
    return headers.get("authorization", "")


def _safe(request: HTTPConnection) -> bool:
    """Whether the browser speaks TLS, here or to a proxy that we believe."""
    return request.url.scheme == "https"


def _cookie(request: HTTPConnection) -> str:
    return _HOST_NAME if _safe(request) else _NAME
