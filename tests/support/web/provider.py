"""A provider of logins, as OpenID Connect has it, that can be told to do wrong."""

from __future__ import annotations

import json
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final, final
from urllib.parse import parse_qsl, urlencode
from uuid import uuid4

import uvicorn
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import free_port

CLIENT: Final = "fudaba-gateway"
SECRET: Final = "s3cret of the client"


@final
class Provider:
    """Logs whoever comes in as `subject`, without asking. It takes one client, with PKCE alone, and each code once."""

    def __init__(self) -> None:
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.subject = "ann"
        self.name = "Ann A."
        self.claims: dict[str, Any] = {}
        """The claims that replace the right ones in id tokens; None leaves a claim out."""
        self.algorithm = "ES256"
        self.advertised = ["ES256", "HS256", "none"]
        self.named = True
        """Whether it names itself when it sends a browser back."""
        self.codes: dict[str, dict[str, str]] = {}
        self.new_key()

    def new_key(self) -> None:
        """Signs with another key from now on."""
        self.key = ECKey.generate_key("P-256", {"kid": uuid4().hex, "use": "sig"})

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configuration),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

    def _configuration(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "id_token_signing_alg_values_supported": self.advertised,
                "authorization_response_iss_parameter_supported": self.named,
            }
        )

    def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        right = asked["client_id"] == CLIENT and asked["response_type"] == "code" and "openid" in asked["scope"].split()
        if not right or asked["code_challenge_method"] != "S256":
            return Response("this client is not known", 400)
        code = uuid4().hex
        self.codes[code] = asked | {"sub": self.subject}
        back = {"code": code, "state": asked["state"]} | ({"iss": self.issuer} if self.named else {})
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 302)

    async def _token(self, request: Request) -> Response:
        sent = dict(parse_qsl((await request.body()).decode()))
        credentials = b64decode(request.headers["authorization"].removeprefix("Basic ")).decode()
        if credentials != f"{CLIENT}:{SECRET}":
            return JSONResponse({"error": "invalid_client"}, 401)
        asked = self.codes.pop(sent["code"], None)
        challenge = urlsafe_b64encode(sha256(sent["code_verifier"].encode()).digest()).decode().rstrip("=")
        if asked is None or asked["redirect_uri"] != sent["redirect_uri"] or asked["code_challenge"] != challenge:
            return JSONResponse({"error": "invalid_grant", "error_description": "this code is not good"}, 400)
        access = uuid4().hex
        return JSONResponse({
            "access_token": access, "token_type": "Bearer", "expires_in": 60, "id_token": self._id_token(asked)
        })  # fmt: skip

    def _id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": asked["sub"], "aud": CLIENT, "iat": now, "exp": now + 60,
            "nonce": asked["nonce"], "preferred_username": self.name,
        } | self.claims  # fmt: skip
        said = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.key.kid}
        if self.algorithm == "none":
            parts = (_base64(header), _base64(said), "")
            return ".".join(parts)
        key = self.key if self.algorithm == "ES256" else OctKey.import_key(SECRET)
        return jwt.encode(header, said, key)

    def start(self) -> None:
        """Serves from a thread of its own."""
        server = uvicorn.Server(
            uvicorn.Config(self.app(), port=self.port, log_level="error", lifespan="off", ws="none")
        )
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        wait_until(lambda: server.started, "the provider serves")
        self._running = server, thread

    def stop(self) -> None:
        server, thread = self._running
        server.should_exit = True
        thread.join(PATIENCE)


def _base64(content: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


@contextmanager
def provider() -> Iterator[Provider]:
    """Yields one that serves."""
    running = Provider()
    running.start()
    try:
        yield running
    finally:
        running.stop()
