"""Identifies callers of the arena, and does the arena's part in each call beside `fudaba_serving.grpc.guard`."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any, Final, final

from grpc import aio

from fudaba.refusals import Refused, refusal_of_fault
from fudaba.v1 import errors_pb2
from fudaba_arena.api import token_owners
from fudaba_arena.api.actions import ActionLog
from fudaba_arena.forms import BadStored
from fudaba_arena.metrics import Metrics
from fudaba_arena.store.store import StoreUnavailable
from fudaba_serving.grpc.guard import CallHooks, Method
from fudaba_serving.grpc.hosts import client_of
from fudaba_serving.grpc.identification import Identification
from fudaba_serving.grpc.origins import Origin, Origins
from fudaba_serving.grpc.permissions import admit
from fudaba_serving.grpc.policy import Policy
from fudaba_serving.grpc.rate_limit import GATEWAY, Caller, Callers

__all__ = ["ArenaHooks", "Context", "Doorkeeper", "Watching", "refusal_for"]

Context = aio.ServicerContext[Any, Any]

log = logging.getLogger(__name__)

_RETRY_SECONDS: Final = 15.0
"""The time after which a host that follows too many tournaments may try again."""

_CALLS_PER_TOKEN_LOOKUP: Final = 2
"""The cost of looking up a token, in calls. The service counts all look-ups of an arena as calls of one host."""


@final
class Doorkeeper:
    """Identifies callers."""

    def __init__(self, tokens: token_owners.TokenOwners, callers: Callers) -> None:
        self._tokens = tokens
        self._callers = callers
        self._origins = Origins(callers, self._scope_of)
        self._identification = Identification(
            callers, self._origins, _token, tokens.unknown, self._look, _CALLS_PER_TOKEN_LOOKUP
        )

    async def caller(self, context: Context) -> token_owners.TokenOwner:
        """Returns the caller. Refuses a wrong token, and any token while its owner cannot be found out."""
        token = _token(context)
        return await self._asked(token, self._origins.known(context).host) if token else token_owners.NOBODY

    async def is_organiser(self, context: Context) -> bool:
        """Returns whether the organiser is calling, as far as is known now. Refuses wrong tokens."""
        return (await self.reader(context)).organiser

    async def reader(self, context: Context) -> token_owners.TokenOwner:
        """Returns the caller of a method that is open to everybody, as far as is known now. Refuses wrong tokens."""
        try:
            return await self.caller(context)
        except Refused as refused:
            if refused.reason != errors_pb2.REASON_SERVICE_UNAVAILABLE:
                raise
            return token_owners.NOBODY  # a method that everybody may call does not need the service

    async def identify(self, context: Context) -> Origin:
        """Returns the origin of a call: see `Identification`."""
        return await self._identification.identify(context)

    async def _look(self, context: Context) -> None:
        with suppress(Refused):  # a method that needs the token refuses the call
            await self.caller(context)

    async def foreign_payer(self, context: Context) -> str:
        """Returns who pays for a call that is charged to its host, whatever token it shows."""
        return self._callers.hosts.host_of(context)

    def check_foreign(self, context: Context) -> None:
        """Refuses nothing: all connections of an arena cost the same."""

    async def _scope_of(self, token: str, host: str) -> str:
        return (await self._asked(token, host)).role

    def paying(self, context: Context, origin: Origin) -> AbstractContextManager[Caller | None]:
        """Counts a call and returns the caller who pays for it."""
        return self._identification.paying(context, origin)

    async def admit(self, context: Context, policy: Policy) -> None:
        """Refuses a caller whom a method's policy does not admit."""
        if policy.open_to_all:
            return
        caller = await self.caller(context)
        admit(policy, caller.role)
        if caller.barred:
            raise Refused(errors_pb2.REASON_ACCOUNT_SUSPENDED, caller.barred)

    async def _asked(self, token: str, host: str) -> token_owners.TokenOwner:
        """Returns the owner of a token, and who pays for the owner's calls from now on.

        The organiser pays nothing. An account, or a token without an account, pays for itself. A gateway lets its
        clients pay.
        """
        try:
            # A gateway's token is asked about in nobody's name, so that it is believed while others at its host call
            # too much.
            found = await self._tokens.caller(token, "" if self._callers.is_gateway(token) else host)
        except Refused as refused:
            if refused.reason == errors_pb2.REASON_TOKEN_UNKNOWN:  # otherwise the service only does not answer now
                self._callers.forget(token)
            raise
        if found.organiser:
            self._callers.know(token, "")
        elif found.role == GATEWAY:
            self._callers.know(token, GATEWAY)
        elif found.account:
            self._callers.know(token, f"account {found.account}")
        elif found.token_id:
            self._callers.know(token, f"token {found.token_id}")
        else:
            self._callers.forget(token)
        return found

    async def address(self, context: Context) -> str:
        """Returns the origin of a call: a host, or an IPv6 network. For a call through a gateway, it is the
        client's.
        """
        named = client_of(context.invocation_metadata())
        if named:
            with suppress(Refused):  # the service does not answer, so no token is believed
                if (await self.caller(context)).role == GATEWAY:
                    return named
        return self._origins.known(context).host


@final
class Watching:
    """Counts the streams that follow tournaments, and limits them per host."""

    def __init__(self, most: int, changed: Callable[[int], None]) -> None:
        """`changed` is called with the difference whenever the number changes."""
        self._most = most
        self._changed = changed
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, host: str) -> Iterator[None]:
        """Counts a stream while it is open. Refuses a host that has too many; an empty host has no limit."""
        if host and self._open[host] >= self._most:
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                f"{self._most} streams that follow tournaments are open from your host, and no more are allowed:"
                " end one, or share one",
                retry_seconds=_RETRY_SECONDS,
            )
        self._open[host] += 1
        self._changed(1)
        try:
            yield
        finally:
            self._changed(-1)
            self._open[host] -= 1
            if not self._open[host]:
                del self._open[host]


def _token(context: Context) -> str:
    """Returns the token that a call shows; empty when it shows none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            kind, _, token = str(value).partition(" ")
            token = token.strip()
            if kind.lower() != "bearer" or not token or not all("!" <= char <= "~" for char in token):
                raise Refused(errors_pb2.REASON_TOKEN_MISSING, "metadata authorization is not `Bearer TOKEN`")
            return token
    return ""


@final
class ArenaHooks(CallHooks):
    """The arena's part in each call: it counts calls, and the streams of each host that follow tournaments."""

    def __init__(self, door: Doorkeeper, metrics: Metrics, watching: Watching, actions: ActionLog) -> None:
        self._door = door
        self._metrics = metrics
        self._watching = watching
        self._actions = actions

    def begin(self, method: Method) -> None:
        """See `CallHooks`."""
        self._metrics.calls.labels(method.path.rpartition("/")[2]).inc()
        token_owners.begin_call()

    @asynccontextmanager
    async def streaming(self, context: Context, caller: Caller | None) -> AsyncIterator[None]:
        """See `CallHooks`."""
        with self._watching.one_more(await self._door.address(context) if caller is not None else ""):
            yield

    async def refused(self, refused: Refused, caller: Caller | None) -> None:
        """See `CallHooks`. A caller whom a quota refuses again and again has to wait."""
        if caller is not None and refused.reason == errors_pb2.REASON_QUOTA_EXCEEDED:
            await caller.over_quota()

    async def note(self, context: Context, method: Method, request: Any, response: Any) -> None:
        """See `CallHooks`. The token's owner was looked up a moment ago, and is remembered."""
        await self._actions.note(await self._door.caller(context), method.action, request, response)


def refusal_for(error: Exception) -> Refused:
    """Returns the refusal for an exception."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, StoreUnavailable):
        return Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{error}; nothing was changed, try again")
    if isinstance(error, BadStored):
        log.warning("a call was refused: %s", error)
        return Refused(
            errors_pb2.REASON_STORED_UNREADABLE,
            f"{error}; nothing was changed: only the arena's organiser can repair it",
        )
    return refusal_of_fault(error, server="arena")
