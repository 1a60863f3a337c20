"""Identifies callers of the service, and does the service's part in each call beside `fudaba_serving.grpc.guard`.

The contract's policy of each method says who may call it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from typing import Any, Final, TypeVar, final

from grpc import aio

from fudaba.v1 import errors_pb2, matches_pb2, play_pb2
from fudaba_games.game import GameError
from fudaba_service.accounts.actions import OrganiserActions
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.api.answers import reading_play
from fudaba_service.api.outbox import on_the_wire
from fudaba_service.api.paying import CallPayer
from fudaba_service.api.seat_connections import check_method, check_request_of, seat_of
from fudaba_service.refusals import Refused, refusal_of, refusal_of_fault, store_full, store_lost
from fudaba_service.sessions.time_spent import Moment
from fudaba_service.store import LoopTurns, StoreFull, StoreLost, StoreUnavailable
from fudaba_serving.grpc.guard import CallHooks, Method
from fudaba_serving.grpc.hosts import client_of
from fudaba_serving.grpc.identification import Identification
from fudaba_serving.grpc.origins import Origin, Origins, metadata_of
from fudaba_serving.grpc.permissions import admit
from fudaba_serving.grpc.policy import NOBODY, Policy
from fudaba_serving.grpc.rate_limit import GATEWAY, Caller, Callers

__all__ = ["Doorkeeper", "ServiceHooks", "first_of", "refusal_for"]

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")


_WAITING: Final = frozenset(
    f"/fudaba.v1.{method}" for method in ("MatchService/AwaitMatch", "PlayService/Play", "PlayService/SubmitMove")
)
"""Methods that wait for more than their turn: for the end of a match, or until a move is allowed."""

_caller: Final[ContextVar[Owner | None]] = ContextVar("caller")
"""The owner of the token of the current call, once it was looked up. Each call runs in its own task."""
_paying: Final[ContextVar[Caller | None]] = ContextVar("paying")
"""The payer of the current call; None for a caller without limits."""
_called: Final[ContextVar[Moment]] = ContextVar("called")
_looked_up: Final[ContextVar[Moment]] = ContextVar("looked_up")
"""The time for which a call with a new token waited for its look-up, and the server's delay during that."""


@final
class Doorkeeper:
    """Identifies callers, and checks their permissions."""

    def __init__(self, tokens: Tokens, callers: Callers, now: Callable[[], Moment]) -> None:
        self._tokens = tokens
        self._callers = callers
        self._origins = Origins(callers, self._scope_of)
        self._identification = Identification(callers, self._origins, _shown, self._rejected, self._look)
        self._now = now

    def address(self, context: Context) -> str:
        """Returns the origin of a call: a host, or an IPv6 network. For a gateway's call, the origin of its client."""
        owner = _caller.get(None)
        named = client_of(context.invocation_metadata()) if owner is not None and owner.payer == GATEWAY else ""
        return named or self._origins.known(context).host

    @property
    def called(self) -> Moment:
        """The arrival time of the current call. The wait for its token's look-up is not charged to it.

        A call that was held back for being too fast arrived later by that time.
        """
        return _called.get()

    @property
    def payer(self) -> CallPayer:
        """The payer of the further costs of the call in progress."""
        return CallPayer(self._callers, _paying.get(None))

    def pays(self, caller: Caller | None) -> None:
        """Sets the payer of the current call; None charges nobody."""
        _paying.set(caller)

    async def identify(self, context: Context) -> Origin:
        """Returns the origin of a call: see `Identification`."""
        return await self._identification.identify(context)

    def _rejected(self, authorization: str) -> bool:
        return self._tokens.unknown(_bearer(authorization))

    async def _look(self, context: Context) -> None:
        began = self._now()
        with suppress(Refused, StoreUnavailable):  # a method that needs the token refuses the call
            await self.owner(context)
        now = self._now()
        _looked_up.set(Moment(now.at - began.at, now.delay - began.delay))

    def paying(self, context: Context, origin: Origin) -> AbstractContextManager[Caller | None]:
        """Counts a call and returns the caller who pays for it."""
        return self._identification.paying(context, origin)

    async def foreign_payer(self, context: Context) -> str:
        """Returns who pays for a call whatever token it shows: its host, or its connection's seat."""
        if not seat_of(context.invocation_metadata()):
            return self._callers.hosts.host_of(context)
        origin = await self.identify(context)
        with suppress(Refused, StoreUnavailable):
            owner = await self.owner(context)
            if owner is not None and owner.plays:
                return owner.stream
        return origin.host

    def check_foreign(self, context: Context) -> None:
        """Refuses methods outside the contract on the connection of a seat."""
        check_method(context.invocation_metadata(), "")

    async def check_seat(self, context: Context, method: str, request: Any) -> None:
        """Refuses what a seat's connection may not do."""
        metadata = context.invocation_metadata()
        if seat_of(metadata):
            check_method(metadata, method)
            check_request_of(await self.owner(context), request)

    async def owner(self, context: Context) -> Owner | None:
        """Returns the owner of the call's token, looked up once per call; None without a token. Refuses wrong
        tokens.
        """
        try:
            return _caller.get()
        except LookupError:
            found = await self._look_up(context)
        _caller.set(found)
        return found

    async def recheck(self, context: Context) -> None:
        """Refuses a call whose token is no longer valid."""
        await self._look_up(context)

    async def known(self, context: Context) -> Owner:
        """Returns the caller of a method that requires a token."""
        owner = await self.owner(context)
        if owner is None:
            raise Refused(errors_pb2.REASON_TOKEN_MISSING, "send a token as metadata `authorization: Bearer TOKEN`")
        return owner

    async def admit(self, context: Context, policy: Policy) -> None:
        """Refuses a caller whom a method's policy does not admit."""
        now, waited = self._now(), _looked_up.get(Moment(0.0, 0.0))
        _called.set(Moment(now.at - waited.at, now.delay - waited.delay))
        if not policy.open_to_all:
            owner = await self.owner(context)
            admit(policy, NOBODY if owner is None else owner.scope)

    async def sees_all(self, context: Context) -> bool:
        """Returns whether the caller may see hidden matches."""
        owner = await self.owner(context)
        return owner is not None and owner.organises

    async def _look_up(self, context: Context) -> Owner | None:
        authorization = _authorization(context)
        if authorization is None:
            return None
        token = _bearer(authorization)
        if not token:
            raise Refused(errors_pb2.REASON_TOKEN_MISSING, "metadata authorization is not `Bearer TOKEN`")
        try:
            owner = await self._tokens.owner(token, self._origins.known(context).host)
        except Refused:
            self._callers.forget(authorization)
            raise
        self._callers.know(authorization, owner.payer)
        return owner

    async def _scope_of(self, token: str, host: str) -> str:
        """Returns the scope of a forwarder's token."""
        try:
            return (await self._tokens.owner(token, host)).scope
        except StoreUnavailable as error:
            raise refusal_for(error) from error


def _authorization(context: Context) -> str | None:
    """Returns the token of a call or of its connection; None if neither shows one."""
    metadata = context.invocation_metadata()
    return seat_of(metadata) or metadata_of(metadata, "authorization")


def _shown(context: Context) -> str:
    return _authorization(context) or ""


def _bearer(authorization: str) -> str:
    """Returns the token in a call's metadata; empty if there is none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def refusal_for(error: Exception) -> Refused:
    """Returns the refusal for an exception."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, GameError):
        return refusal_of(error)
    if isinstance(error, StoreLost):
        return store_lost()
    if isinstance(error, StoreFull):
        return store_full(f"{error}; nothing was changed")
    if isinstance(error, StoreUnavailable):
        return Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{error}; nothing was changed, try again")
    return refusal_of_fault(error)


@final
class ServiceHooks(CallHooks):
    """The service's part in each call: it enforces the connections of seats, and counts calls in turns."""

    def __init__(self, door: Doorkeeper, actions: OrganiserActions, turns: LoopTurns) -> None:
        self._door = door
        self._actions = actions
        self._turns = turns

    def calls(self, request: Any) -> int:
        """See `CallHooks`. A request for many matches pays for each of them."""
        return len(request.requests) if isinstance(request, matches_pb2.CreateMatchesRequest) else 1

    async def check(self, context: Context, method: Method, request: Any, caller: Caller | None) -> None:
        """See `CallHooks`. It refuses what a seat's connection may not do."""
        self._door.pays(caller)
        await self._door.check_seat(context, method.path, request)

    def turn(self) -> AbstractContextManager[None]:
        """See `CallHooks`."""
        return self._turns.called()

    def waits(self, method: Method) -> bool:
        """See `CallHooks`."""
        return method.path in _WAITING

    async def note(self, context: Context, method: Method, request: Any, response: Any) -> None:
        """See `CallHooks`."""
        owner = await self._door.owner(context)
        if owner is not None and owner.scope == Scope.ORGANISER:
            await self._actions.note(owner, method.action, request, response)

    def answered(self, response: Any, caller: Caller) -> None:
        """See `CallHooks`. A move pays for itself."""
        if isinstance(response, play_pb2.SubmitMoveResponse):
            caller.answered(response)

    def read_requests(self, read: Any) -> Any:
        """See `CallHooks`. Only `Play` has a stream of requests."""
        return reading_play(read)

    def write_stream(self, write: Any) -> Any:
        """See `CallHooks`. Streams may send serialised messages."""
        return on_the_wire


async def first_of(news: Coroutine[Any, Any, T], ended: asyncio.Future[Refused]) -> T:
    """Waits for news, or raises the refusal that ends the call (see `Host.call`)."""
    task = asyncio.ensure_future(news)
    try:
        await asyncio.wait((task, ended), return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            raise ended.result()
        return task.result()
    finally:
        task.cancel()
