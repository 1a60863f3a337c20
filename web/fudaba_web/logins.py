"""Signing in at a provider of logins. A gateway keeps no state meanwhile: the browser keeps what the end of the login
needs, sealed.

1. `GET /session/login` sends the browser to the provider.
2. The provider sends it back to `GET /session/callback`. A person whose login belongs to an account is signed in.
3. For anybody else the page asks for a name and, where the service wants it, an invitation code, and sends them to
   `POST /session/account`. Or they sign in with a token of their account; then `POST /session/link` adds the login.
"""

from __future__ import annotations

import logging
from hmac import compare_digest
from typing import Any, Final, final

from google.protobuf.message import Message
from grpc import StatusCode, aio
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fudaba.safe_text import safe_line
from fudaba.v1 import accounts_pb2
from fudaba_web.errors import malformed, reason_of, translated
from fudaba_web.openid import LoginFailed, OpenId
from fudaba_web.page import FIRST_PARTS
from fudaba_web.sealing import Seal
from fudaba_web.sessions import Sessions, address_of, check_page, fields_of, is_safe
from fudaba_web.settings import Provider
from fudaba_web.upstreams import Upstreams

__all__ = ["Logins"]

_LOG: Final = logging.getLogger("fudaba.web")
_SERVICE: Final = accounts_pb2.DESCRIPTOR.services_by_name["AccountService"]
_CALL_TIMEOUT_SECONDS: Final = 10.0
_HOME: Final = "/account"
_MAX_PATH_CHARS: Final = 200
"""The greatest length, in characters, of the path to come back to."""
_BEGUN: Final = "fudaba_login"
_SHOWN: Final = "fudaba_newcomer"


@final
class Logins:
    """`/session/…` for one provider."""

    def __init__(self, provider: Provider, upstreams: Upstreams) -> None:
        self._provider = provider
        self._openid = OpenId(provider)
        secret = f"{provider.issuer} {provider.client_id} {provider.secret}"
        self._begun = Seal(secret, "login", 600)
        self._shown = Seal(secret, "newcomer", 1_800)
        self._upstreams = upstreams

    def newcomer(self, request: HTTPConnection) -> dict[str, str] | None:
        """Returns the login that has no account yet, for the page: the provider, and its name for the person. Returns
        None if there is no such login.
        """
        shown = self._newcomer(request)
        return None if shown is None else {"provider": self._provider.name, "name": shown["name"]}

    def routes(self, sessions: Sessions) -> list[Route]:
        """Returns the paths, for the sessions that they begin."""

        async def login(request: Request) -> Response:
            return await self._login(request)

        async def callback(request: Request) -> Response:
            return await self._callback(request, sessions)

        async def account(request: Request) -> Response:
            return self._without_newcomer(request, await sessions.answered(self._account(request, sessions)))

        async def link(request: Request) -> Response:
            return self._without_newcomer(request, await sessions.answered(self._link(request, sessions)))

        return [
            Route("/session/login", login, methods=["GET"]),
            Route("/session/callback", callback, methods=["GET"]),
            Route("/session/account", account, methods=["POST"]),
            Route("/session/link", link, methods=["POST"]),
        ]

    async def _login(self, request: Request) -> Response:
        """Sends the browser to the provider. Another site may not do that: it would end the present session."""
        if request.headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
            return _to(_HOME)
        try:
            begun = await self._openid.begin(_back(request))
        except LoginFailed as failed:
            return _failed(failed)
        kept = {"state": begun.state, "nonce": begun.nonce, "verifier": begun.verifier, "to": _path(request)}
        response = _to(begun.url)
        _keep(response, request, _BEGUN, self._begun, kept)
        return response

    async def _callback(self, request: Request, sessions: Sessions) -> Response:
        """Handles the browser's return. The login that it has begun is then over, with or without success."""
        begun = self._begun.open(request.cookies.get(_cookie(request, _BEGUN), ""))
        try:
            response = await self._ended(request, begun, sessions)
        except LoginFailed as failed:
            response = _failed(failed)
        except aio.AioRpcError as error:
            refusal = translated(error, "service")
            reason = "barred" if reason_of(refusal) == "ACCOUNT_SUSPENDED" else "service"
            response = _failed(LoginFailed(reason, f"the service: {refusal.message}"))
        _forget(response, request, _BEGUN)
        return response

    async def _ended(self, request: Request, begun: dict[str, str] | None, sessions: Sessions) -> Response:
        params = request.query_params
        if begun is None or not compare_digest(begun["state"].encode(), params.get("state", "").encode()):
            raise LoginFailed(
                "expired", "the browser returns from a login that it did not begin, or began too long ago"
            )
        if "error" in params or "code" not in params:
            raise LoginFailed("refused", f"the provider says {params.get('error', '')!r}")
        shown = await self._openid.finish(
            params["code"], _back(request), begun["nonce"], begun["verifier"], params.get("iss", "")
        )
        link = accounts_pb2.Link(issuer=self._provider.issuer, subject=shown.subject)
        try:
            made = await self._call(request, "ExchangeLogin", accounts_pb2.ExchangeLoginRequest(link=link))
        except aio.AioRpcError as error:
            if error.code() is not StatusCode.NOT_FOUND:
                raise
            response = _to(f"{_HOME}?login=new")
            _keep(response, request, _SHOWN, self._shown, {"subject": shown.subject, "name": shown.name[:100]})
            return response
        response = _to(begun["to"])
        sessions.enter(response, request, made.token)
        _forget(response, request, _SHOWN)
        return response

    async def _account(self, request: Request, sessions: Sessions) -> Response:
        """Makes an account for a login that has no account, and signs in."""
        fields = await fields_of(request, "name", "displayName", "invitationCode")
        link = self._verified(request)
        made = await self._call(request, "CreateAccount", accounts_pb2.CreateAccountRequest(
            name=fields["name"], display_name=fields["displayName"], invitation_code=fields["invitationCode"], link=link
        ))  # fmt: skip
        entered = await self._call(request, "ExchangeLogin", accounts_pb2.ExchangeLoginRequest(link=link))
        await self._call(request, "RevokeToken", accounts_pb2.RevokeTokenRequest(), made.token)  # it would never expire
        return await sessions.enter_with(request, entered.token)

    async def _link(self, request: Request, sessions: Sessions) -> Response:
        """Adds a login that has no account to the account that is signed in."""
        check_page(request)
        link = self._verified(request)
        bearer = request.headers.get("authorization", "")
        token = bearer.removeprefix("Bearer ")
        info = (await self._call(request, "WhoAmI", accounts_pb2.WhoAmIRequest(), token)).token
        if info.scope != accounts_pb2.TOKEN_SCOPE_AUTHOR:
            raise malformed("sign in with a token of the account before you add a login to it")
        account = (await self._call(request, "GetAccount", accounts_pb2.GetAccountRequest(), token)).account
        member = info.member or account.members[0].name
        added = accounts_pb2.AddLinkRequest(account=info.account, member=member, link=link)
        await self._call(request, "AddLink", added)
        return await sessions.whoami_answer(request, bearer)

    def _newcomer(self, request: HTTPConnection) -> dict[str, str] | None:
        sealed = request.cookies.get(_cookie(request, _SHOWN), "")
        return self._shown.open(sealed) if sealed else None

    def _verified(self, request: Request) -> accounts_pb2.Link:
        """Returns the login that was verified for this browser. Raises `ConnectError` if there is none."""
        shown = self._newcomer(request)
        if shown is None:
            raise malformed("no login waits for an account here, or it has waited too long; log in again")
        return accounts_pb2.Link(issuer=self._provider.issuer, subject=shown["subject"])

    async def _call(self, request: Request, name: str, message: Message, token: str | None = None) -> Any:
        """Calls with a token, or with the gateway's own rights. It uses the latter only for a verified login."""
        method = _SERVICE.methods_by_name[name]
        if token is None:
            metadata = self._upstreams.vouched(address_of(request))
        else:
            headers = {"authorization": f"Bearer {token}"}
            metadata = self._upstreams.metadata(method, message, headers, address_of(request))
        return await self._upstreams.unary(method)(message, timeout=_CALL_TIMEOUT_SECONDS, metadata=metadata)

    @staticmethod
    def _without_newcomer(request: Request, response: Response) -> Response:
        if response.status_code < 400:
            _forget(response, request, _SHOWN)
        return response


def _back(request: Request) -> str:
    """Returns the URL to which the provider sends the browser; the provider has to know it."""
    return f"{request.url.scheme}://{request.url.netloc}/session/callback"


def _path(request: Request) -> str:
    """Returns the path of the page to open after the login; it never leads to another site."""
    wanted = request.query_params.get("to", "")
    fits = wanted.startswith("/") and wanted.isascii() and wanted.isprintable() and len(wanted) <= _MAX_PATH_CHARS
    return wanted if fits and wanted[1:].partition("/")[0] in FIRST_PARTS else _HOME


def _to(url: str) -> Response:
    return RedirectResponse(url, 303, {"cache-control": "no-store"})


def _failed(failed: LoginFailed) -> Response:
    """Returns the redirection to the page, with a word for the reason that the page shows. The log has more."""
    _LOG.warning("a login failed (%s): %s", failed.reason, safe_line(str(failed))[:500])
    return _to(f"{_HOME}?login={failed.reason}")


def _cookie(request: HTTPConnection, name: str) -> str:
    return f"__Host-{name}" if is_safe(request) else name


def _keep(response: Response, request: Request, name: str, seal: Seal, content: dict[str, str]) -> None:
    """Gives the browser a cookie to keep. It is not `strict`, since the browser comes back from another site."""
    response.set_cookie(
        _cookie(request, name),
        seal.close(content),
        seal.seconds,
        httponly=True,
        secure=is_safe(request),
        samesite="lax",
    )


def _forget(response: Response, request: Request, name: str) -> None:
    response.delete_cookie(_cookie(request, name), httponly=True, secure=is_safe(request), samesite="lax")
