"""Whose a token is: the service knows, and is asked."""

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
from fudaba.serving.refusals import Refused
from fudaba.v1 import accounts_pb2, errors_pb2

__all__ = ["NOBODY", "Caller", "Callers", "ServiceCallers", "begin_call"]

_KNOWN_SECONDS: Final = 5.0
"""A call that goes on for longer has whose its token is asked again when it wants to know."""
_MOST: Final = 1_000
_ANSWER_SECONDS: Final = 10.0


@final
@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever calls."""

    role: str
    """`nobody`, or the scope of the token: `organiser`, `author`, `bot` and so on."""
    account: str = ""
    """The account to which the token belongs; empty for none."""
    barred: str = ""
    """Why the account is suspended; empty when it is not."""
    token_id: str = ""
    """By which people name the token."""
    label: str = ""
    """The token's."""

    @property
    def organiser(self) -> bool:
        """Whether it is the organiser."""
        return self.role == "organiser"


NOBODY: Final = Caller("nobody")


class Callers(Protocol):
    """Knows whose tokens are."""

    async def caller(self, token: str) -> Caller:
        """Whose a token is. Refuses a token that is nobody's, and when it cannot be said."""
        ...


_BEGAN: Final[ContextVar[float]] = ContextVar("began")


def begin_call() -> None:
    """A call begins in this task: what was asked about tokens before counts no more for it."""
    _BEGAN.set(time.monotonic())


@final
class ServiceCallers:
    """Asks the service whose a token is, once for each call: one that was revoked before the call is refused."""

    def __init__(self, service: Endpoint, ours: Callable[[], bool]) -> None:
        """`ours` tells whether this is known to be the service on which the arena plays."""
        self._ours = ours
        self._client = AsyncClient(service.address, tls=service.tls, ca_cert=service.ca_cert)
        self._known: dict[bytes, tuple[float, Caller | Refused]] = {}
        """The answers, each with when it was asked for."""

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.close()

    async def caller(self, token: str) -> Caller:
        """See `Callers`."""
        if not self._ours():
            raise _away("it has not answered yet since the arena's start")
        key = sha256(token.encode()).digest()
        asked, known = self._known.get(key, (-_KNOWN_SECONDS, NOBODY))
        now = time.monotonic()
        if asked < max(_BEGAN.get(now), now - _KNOWN_SECONDS):
            known = await self._ask(token)
            while len(self._known) >= _MOST:
                del self._known[next(iter(self._known))]
            self._known.pop(key, None)
            self._known[key] = (now, known)
        if isinstance(known, Refused):
            raise known
        return known

    async def _ask(self, token: str) -> Caller | Refused:
        metadata = (("authorization", f"Bearer {token}"),)
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                found = await self._client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=metadata)
        except ServiceError as error:
            if error.code == "PERMISSION_DENIED":
                return Caller("author", barred=error.message)
            if error.code == "UNAUTHENTICATED":
                return Refused(errors_pb2.REASON_TOKEN_UNKNOWN, error.message)
            raise _away(str(error)) from error
        except TimeoutError as error:
            raise _away("it does not answer") from error
        scope = accounts_pb2.TokenScope.Name(found.token.scope).removeprefix("TOKEN_SCOPE_").lower()
        return Caller(scope, found.token.account, token_id=found.token.token_id, label=found.token.label)


def _away(why: str) -> Refused:
    return Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"the service cannot be asked whose the token is: {why}")
