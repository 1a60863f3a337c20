"""A provider of logins by OpenID Connect: the authorization code flow with PKCE, a state and a nonce."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import StarletteOAuth2App
from httpx2 import HTTPError, InvalidURL
from joserfc.errors import JoseError

from fudaba.proxies import url_through_proxy
from fudaba_web.settings import Provider

__all__ = ["Begun", "LoginFailed", "OpenId", "Shown"]

_DISCOVERY: Final = "/.well-known/openid-configuration"
_ANSWER_TIMEOUT_SECONDS: Final = 10.0
"""The time that the provider has for each answer."""
_SIGNED_WITH: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The algorithms with a key that only the provider has. Some providers list others as well, `none` among them."""
_MAX_CLOCK_SKEW_SECONDS: Final = 60
"""The time in seconds by which the provider's clock may be wrong."""
_MAX_SUBJECT_CHARS: Final = 200
"""The greatest length, in characters, of a subject in the contract."""

_THIS_MACHINE: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")
"""The addresses that no proxy of the environment leads to, in the form of httpx's mounts."""


class LoginFailed(Exception):
    """A login that failed. `reason` is a word for the page; the text is for the gateway's operator."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@final
@dataclass(frozen=True, slots=True)
class Begun:
    """A login that goes to the provider at `url`; its end must match the other fields."""

    url: str
    state: str
    nonce: str
    verifier: str


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """The person whom a login has identified: `subject` never changes; `name` is the provider's name for the person, or
    empty.
    """

    subject: str
    name: str


@final
class OpenId:
    """A provider. Its description is read at the first need."""

    def __init__(self, provider: Provider) -> None:
        self._issuer = provider.issuer
        self._client_id = provider.client_id
        self._app = StarletteOAuth2App(
            framework=None,
            client_id=provider.client_id,
            client_secret=provider.secret,
            server_metadata_url=provider.issuer.rstrip("/") + _DISCOVERY,
            client_kwargs={
                "scope": "openid profile",
                "code_challenge_method": "S256",
                "timeout": _ANSWER_TIMEOUT_SECONDS,
                "mounts": dict.fromkeys(_THIS_MACHINE),
            },
        )

    async def begin(self, back: str) -> Begun:
        """Returns the login to which a browser goes; it comes back to the URL `back`. Raises `LoginFailed`."""
        await self._load()
        begun = await self._app.create_authorization_url(back)
        return Begun(begun["url"], begun["state"], begun["nonce"], begun["code_verifier"])

    async def finish(self, code: str, back: str, nonce: str, verifier: str, issuer: str) -> Shown:
        """Returns the person whom the login has identified. The browser came back with `code` and `issuer`; the latter
        may be empty where the provider does not name itself. Raises `LoginFailed`.
        """
        metadata = await self._load()
        named = metadata.get("authorization_response_iss_parameter_supported") is True
        if issuer != self._issuer and (issuer or named):
            raise LoginFailed("unverified", f"the answer is of the issuer {issuer!r}")
        try:
            token = await self._app.fetch_access_token(back, code=code, code_verifier=verifier)
        except HTTPError as error:
            raise self._unreachable(error) from error
        except (AuthlibBaseError, ValueError) as error:  # ValueError: the answer is not JSON
            raise LoginFailed("refused", f"the provider gives no token for the code: {error}") from error
        return _shown(await self._claims(token, nonce))

    async def _claims(self, token: dict[str, Any], nonce: str) -> dict[str, Any]:
        must: dict[str, Any] = {"iss": {"essential": True, "value": self._issuer}, "sub": {"essential": True}}
        must |= {"aud": {"essential": True, "value": self._client_id}, "nonce": {"essential": True, "value": nonce}}
        try:
            claims = await self._app.parse_id_token(token, nonce, claims_options=must, leeway=_MAX_CLOCK_SKEW_SECONDS)
        except HTTPError as error:
            raise self._unreachable(error) from error
        except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError, RuntimeError) as error:
            self._app.server_metadata.pop("jwks", None)  # its keys may be new ones
            raise LoginFailed("unverified", f"the id token is invalid: {error!r}") from error
        if claims is None:
            raise LoginFailed("unverified", "the provider sent no id token; does it speak OpenID Connect?")
        return dict(claims)

    async def _load(self) -> dict[str, Any]:
        """Reads the provider's own description. Raises `LoginFailed`."""
        try:
            metadata: dict[str, Any] = await self._app.load_server_metadata()
            found = metadata["issuer"], metadata["authorization_endpoint"], metadata["token_endpoint"]
        except HTTPError as error:
            raise self._unreachable(error) from error
        except (ValueError, KeyError, TypeError, AttributeError, InvalidURL) as error:
            self._app.server_metadata.clear()
            raise LoginFailed("unreachable", f"{_DISCOVERY} is not a provider's page: {error!r}") from error
        if found[0] != self._issuer:
            self._app.server_metadata.clear()
            raise LoginFailed("unverified", f"the provider calls itself {found[0]!r}; --login-issuer must be the same")
        signed = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = [
            algorithm for algorithm in signed if algorithm in _SIGNED_WITH
        ] or ["RS256"]
        return metadata

    def _unreachable(self, error: HTTPError) -> LoginFailed:
        through = url_through_proxy(self._issuer)
        return LoginFailed("unreachable", f"the provider does not answer as it should{through}: {error!r}")


def _shown(claims: dict[str, Any]) -> Shown:
    subject = claims["sub"]
    if (
        not isinstance(subject, str)
        or not 0 < len(subject) <= _MAX_SUBJECT_CHARS
        or not all("!" <= character <= "~" for character in subject)
    ):
        raise LoginFailed("unverified", "the provider's subject is not 1-200 visible characters of ASCII")
    named = claims.get("preferred_username") or claims.get("name")
    return Shown(subject, named if isinstance(named, str) else "")
