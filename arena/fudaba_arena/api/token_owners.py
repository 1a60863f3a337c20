"""Looks up the owner of a token: it asks the service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol, final

from fudaba.client import AsyncClient, Endpoint
from fudaba.errors import ServiceError
from fudaba.refusals import Refused
from fudaba.v1 import accounts_pb2, errors_pb2
from fudaba_serving.grpc.origins import forwarded
from fudaba_serving.grpc.unknown_tokens import UnknownTokens

__all__ = ["NOBODY", "ServiceTokenOwners", "TokenOwner", "TokenOwners", "begin_call"]

_CACHE_SECONDS: Final = 5.0
"""The time for which an owner is cached. A call that lasts longer looks up its token again when it needs the owner."""
_MAX_TOKENS_KNOWN: Final = 1_000
_UNKNOWN: Final = "the token is unknown, was revoked or has expired; check that it is complete, or ask the organiser"
_ANSWER_TIMEOUT_SECONDS: Final = 10.0


@final
@dataclass(frozen=True, slots=True)
class TokenOwner:
    """The owner of a token."""

    role: str
    """`nobody`, or the scope of the token, such as `organiser`, `author` or `bot`."""
    account: str = ""
    """The account to which the token belongs; empty if there is none."""
    barred: str = ""
    """The reason for the account's suspension; empty when it is not suspended."""
    token_id: str = ""
    """The id by which people name the token."""
    label: str = ""
    """The label of the token."""

    @property
    def organiser(self) -> bool:
        """Whether the owner is the organiser."""
        return self.role == "organiser"


NOBODY: Final = TokenOwner("nobody")


class TokenOwners(Protocol):
    """Knows the owners of tokens."""

    async def caller(self, token: str, host: str) -> TokenOwner:
        """Returns the owner of a token that comes from a host. Refuses an unknown token, and any token if its owner
        cannot be found out.
        """
        ...

    def unknown(self, token: str) -> bool:
        """Returns whether the service did not know a token a moment ago."""
        ...


_BEGAN: Final[ContextVar[float]] = ContextVar("began")


def begin_call() -> None:
    """Notes that a call begins in this task. Earlier look-ups of tokens do not count for it."""
    _BEGAN.set(time.monotonic())


@final
class ServiceTokenOwners:
    """Asks the service for the owner of a token, once for each call. So a token revoked before the call is refused.

    The arena names the host to the service, so that each host pays for its own look-ups there, too.
    """

    def __init__(self, service: Endpoint, ours: Callable[[], bool]) -> None:
        """`ours` tells whether the service is known to be the one on which the arena plays."""
        self._ours = ours
        self._client = AsyncClient(service.address, tls=service.tls, ca_cert=service.ca_cert)
        self._own_token = service.token
        self._known: dict[str, tuple[float, TokenOwner]] = {}
        """The answers, each with the time of its request."""
        self._unknown = UnknownTokens()

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.close()

    async def caller(self, token: str, host: str) -> TokenOwner:
        """See `TokenOwners`."""
        if not self._ours():
            raise _away("it has not answered yet since the arena's start")
        digest = _digest(token)
        if digest in self._unknown:
            raise Refused(errors_pb2.REASON_TOKEN_UNKNOWN, _UNKNOWN)
        asked, known = self._known.get(digest, (-_CACHE_SECONDS, NOBODY))
        now = time.monotonic()
        if asked < max(_BEGAN.get(now), now - _CACHE_SECONDS):
            self._known.pop(digest, None)
            known = await self._ask(token, host, digest)
            while len(self._known) >= _MAX_TOKENS_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[digest] = (now, known)
        return known

    def unknown(self, token: str) -> bool:
        """See `TokenOwners`."""
        return _digest(token) in self._unknown

    async def _ask(self, token: str, host: str, digest: str) -> TokenOwner:
        metadata = (("authorization", f"Bearer {token}"), *forwarded(self._own_token, host))
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT_SECONDS):
                found = await self._client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=metadata)
        except ServiceError as error:
            if error.code == "PERMISSION_DENIED":
                return TokenOwner("author", barred=error.message)
            if error.code == "UNAUTHENTICATED":
                self._unknown.add(digest)
                raise Refused(errors_pb2.REASON_TOKEN_UNKNOWN, error.message) from error
            if error.reason == "TOO_FAST":
                raise Refused(
                    errors_pb2.REASON_TOO_FAST, error.message, retry_seconds=error.retry_after or 0.0
                ) from error
            raise _away(str(error)) from error
        except TimeoutError as error:
            raise _away("it does not answer") from error
        scope = accounts_pb2.TokenScope.Name(found.token.scope).removeprefix("TOKEN_SCOPE_").lower()
        return TokenOwner(scope, found.token.account, token_id=found.token.token_id, label=found.token.label)


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _away(why: str) -> Refused:
    return Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"the arena cannot ask the service about the token: {why}")
