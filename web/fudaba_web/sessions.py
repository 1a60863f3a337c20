"""The sessions of the page's users: a token becomes a cookie that scripts cannot read, and goes with the page's calls.

The cookie holds the token itself. Sealing would gain nothing: a thief of the cookie could use it as it is, and all
gateways would need a common key. So gateways keep no state. A token that was made for the session alone has a mark
before it: it ends with the session, while a pasted token stays valid.

Another site can make a browser send a cookie, but it can neither set the header of the page's calls nor hide its
origin: a cookie counts only with that header, and from this origin.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from grpc import StatusCode, aio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from fudaba.v1 import accounts_pb2
from fudaba_web.errors import as_response, malformed, translated
from fudaba_web.upstreams import Upstreams

__all__ = [
    "PAGE_HEADER",
    "Newcomer",
    "SessionCookie",
    "Sessions",
    "address_of",
    "check_page",
    "fields_of",
    "is_safe",
    "own_token",
]

Newcomer = Callable[[HTTPConnection], dict[str, str] | None]
"""Finds the verified login that has no account yet, in the page's form; None if there is none."""

PAGE_HEADER: Final = "x-fudaba-page"
"""The header that the page's own calls carry."""
_NAME: Final = "fudaba_session"
_MADE: Final = "made:"
"""The mark before a token that was made for the session."""
_HOST_NAME: Final = f"__Host-{_NAME}"
"""The cookie's name with TLS: browsers accept this name only over TLS, from this very host, and for all its paths."""
_SIGN_IN_PATHS: Final = frozenset({"/session", "/session/code", "/session/guest"})
"""The paths at which callers sign in by other means than the cookie's token: a refusal there says nothing about the
token.
"""
_CALL_TIMEOUT_SECONDS: Final = 10.0
_MAX_BODY_BYTES: Final = 4_000
_SERVICE: Final = accounts_pb2.DESCRIPTOR.services_by_name["AccountService"]
_SCOPES: Final = frozenset({
    accounts_pb2.TOKEN_SCOPE_ORGANISER, accounts_pb2.TOKEN_SCOPE_AUTHOR, accounts_pb2.TOKEN_SCOPE_BOT,
    accounts_pb2.TOKEN_SCOPE_GUEST,
})  # fmt: skip
"""The scopes of tokens that sign people in. The token of an arena or a gateway does not belong in a browser."""


@final
class Sessions:
    """`/session`: reports who is signed in, signs in with a token or as a guest, and signs out."""

    def __init__(self, upstreams: Upstreams, newcomer: Newcomer | None) -> None:
        self._upstreams = upstreams
        self._newcomer: Newcomer = newcomer or (lambda _: None)

    async def get(self, request: Request) -> Response:
        """Returns who is signed in."""
        token = _bearer(request.headers)
        return await self.answered(self.whoami_answer(request, token) if token else self._nobody(request))

    async def post(self, request: Request) -> Response:
        """Signs in with the token that the body names."""
        return await self.answered(self._enter(request))

    async def post_guest(self, request: Request) -> Response:
        """Makes a guest, who plays unrated matches, and signs in as the guest."""
        return await self.answered(self._enter_as_guest(request))

    async def post_code(self, request: Request) -> Response:
        """Signs in with the code that the body names, which is used up."""
        return await self.answered(self._enter_with_code(request))

    async def delete(self, request: Request) -> Response:
        """Signs out, and revokes a token that was made for this session alone."""
        return await self.answered(self._leave(request))

    async def _nobody(self, request: Request) -> Response:
        newcomer = self._newcomer(request)
        return JSONResponse({"signedIn": False} | ({} if newcomer is None else {"newcomer": newcomer}))

    async def _enter(self, request: Request) -> Response:
        token = (await fields_of(request, "token"))["token"]
        if not token.strip().isascii() or not token.strip().isprintable():
            raise malformed("this is not a token; paste it as it was shown when it was made")
        return await self.whoami_answer(request, f"Bearer {token.strip()}", cookie=token.strip())

    async def _enter_as_guest(self, request: Request) -> Response:
        check_page(request)
        made = await self._call(request, "CreateGuest", accounts_pb2.CreateGuestRequest(), "")
        return await self.enter_with(request, made.token)

    async def _enter_with_code(self, request: Request) -> Response:
        code = (await fields_of(request, "code"))["code"]
        exchange = accounts_pb2.ExchangeSignInCodeRequest(code=code)
        made = await self._call(request, "ExchangeSignInCode", exchange, "")
        # The code is used up: nothing may come between its answer and the cookie. The cookie lasts as long as its
        # token: a person who comes back with a recovery code has nothing else.
        response = self._signed_in(request, made.info)
        life_seconds = max(1, int(made.info.expire_time.seconds - time.time()))
        _set(response, request, _MADE + made.token, life_seconds)
        return response

    async def enter_with(self, request: Request, token: str) -> Response:
        """Signs in with a token that was made for this session alone."""
        return await self.whoami_answer(request, f"Bearer {token}", cookie=_MADE + token)

    async def _leave(self, request: Request) -> Response:
        check_page(request)
        token = _bearer(request.headers)
        response = Response(status_code=204)
        if request.cookies.get(_cookie(request), "") == _MADE + token.removeprefix("Bearer "):
            try:
                await self._call(request, "RevokeToken", accounts_pb2.RevokeTokenRequest(), token)
            except aio.AioRpcError as error:
                if error.code() is not StatusCode.UNAUTHENTICATED:  # it no longer works, as intended
                    response = as_response(translated(error, "service"))
        response.delete_cookie(_cookie(request), httponly=True, secure=is_safe(request), samesite="strict")
        return response

    @staticmethod
    def enter(response: Response, request: Request, token: str) -> None:
        """Does the same with an answer that does not say who has signed in."""
        _set(response, request, _MADE + token)

    async def whoami_answer(self, request: Request, token: str, *, cookie: str = "") -> Response:
        """Returns who has signed in, and sets the cookie if it is a new one."""
        info = (await self._call(request, "WhoAmI", accounts_pb2.WhoAmIRequest(), token)).token
        if info.scope not in _SCOPES:
            raise malformed(
                "this is the token of an arena, a gateway or a match; sign in with your account's, your bot's or the "
                "organiser's"
            )
        response = self._signed_in(request, info)
        if cookie:
            _set(response, request, cookie)
        return response

    def _signed_in(self, request: Request, info: accounts_pb2.Token) -> Response:
        return JSONResponse({
            "signedIn": True,
            "scope": accounts_pb2.TokenScope.Name(info.scope).removeprefix("TOKEN_SCOPE_").lower(),
            **{name: getattr(info, name) for name in ("account", "member", "bot", "version", "label")},
            "tokenId": info.token_id,
            "expireTime": MessageToDict(info).get("expireTime"),
            **({} if (newcomer := self._newcomer(request)) is None else {"newcomer": newcomer}),
        })  # fmt: skip

    async def _call(self, request: Request, name: str, message: Message, token: str) -> Any:
        method = _SERVICE.methods_by_name[name]
        headers = {"authorization": token} if token else {}
        metadata = self._upstreams.metadata(method, message, headers, address_of(request))
        return await self._upstreams.unary(method)(message, timeout=_CALL_TIMEOUT_SECONDS, metadata=metadata)

    @staticmethod
    async def answered(work: Awaitable[Response]) -> Response:
        """Does some work, and returns its answer or its refusal; no cache may keep a copy."""
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
    """Gives calls of the page the token that their cookie holds. It removes a cookie whose token is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        token = request.cookies.get(_cookie(request), "").removeprefix(_MADE)
        if not token or "authorization" in request.headers or not _is_page(request.headers, request.url.netloc):
            await self._app(scope, receive, send)
            return
        name, secure = _cookie(request), is_safe(request)
        signs_in = scope["method"] == "POST" and request.url.path in _SIGN_IN_PATHS
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {token}".encode())]}

        async def sent(event: Event) -> None:
            if event["type"] == "http.response.start" and event["status"] == 401 and not signs_in:
                gone = Response()
                gone.delete_cookie(name, httponly=True, secure=secure, samesite="strict")
                MutableHeaders(scope=event).append("set-cookie", gone.headers["set-cookie"])
            await send(event)

        await self._app(scope, receive, sent)


async def fields_of(request: Request, *names: str) -> dict[str, str]:
    """Returns the texts that the page sends as a JSON object. Texts that it leaves out are empty; the first is
    required.

    Raises `ConnectError`.
    """
    check_page(request)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            raise malformed("this is longer than any token")
    try:
        sent = json.loads(body)
        found = {name: sent.get(name, "") for name in names[1:]} | {names[0]: sent[names[0]]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise malformed(f'the body is not as it should be; send {{"{names[0]}": "…"}}') from None
    if not all(isinstance(value, str) and _is_text(value) for value in found.values()):
        raise malformed(f"this is no {names[0]}; send texts")
    return found


def _is_text(text: str) -> bool:
    """Returns whether a text can be passed on: JSON can escape half a character, which no message may have."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def check_page(request: Request) -> None:
    """Raises `ConnectError` unless the page itself asks."""
    if not _is_page(request.headers, request.url.netloc):
        raise malformed(f"a session is for the page alone; scripts send a token with each call, and no {PAGE_HEADER}")


def address_of(request: HTTPConnection) -> str:
    """Returns a browser's address; empty if it is not known."""
    return request.client.host if request.client is not None else ""


def own_token(request: HTTPConnection) -> str | None:
    """Returns the token of the person who opens a document of this origin. Returns an empty text if nobody is signed
    in, and None unless the browser says that no other site asked. Not all browsers say so, and none says it to a
    gateway without TLS on another machine.

    The document depends on it only in whether the thing that its path names exists. To hide even that from other sites,
    the token counts only if the browser says that none of them asked.
    """
    token = request.cookies.get(_cookie(request), "").removeprefix(_MADE)
    if not (token and token.isascii() and token.isprintable()):
        return ""
    asked_by = request.headers.get("sec-fetch-site")
    if asked_by is None:
        return None
    return token if asked_by in {"same-origin", "none"} else ""


def _is_page(headers: Mapping[str, str], host: str) -> bool:
    """Returns whether a request comes from the page that this origin serves."""
    if PAGE_HEADER not in headers or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin", "")
    return not origin or origin.partition("://")[2] == host


def _set(response: Response, request: Request, value: str, life_seconds: int | None = None) -> None:
    """Sets the cookie for this time; without a time, until the browser is closed. The token may expire before that."""
    response.set_cookie(
        _cookie(request), value, life_seconds, httponly=True, secure=is_safe(request), samesite="strict"
    )


def _bearer(headers: Headers) -> str:
    return headers.get("authorization", "")


def is_safe(request: HTTPConnection) -> bool:
    """Returns whether the browser speaks TLS, to this gateway or to a trusted proxy."""
    return request.url.scheme == "https"


def _cookie(request: HTTPConnection) -> str:
    return _HOST_NAME if is_safe(request) else _NAME
