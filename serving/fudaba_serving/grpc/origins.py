"""From where a call comes that somebody passes on: a gateway or an arena vouches for it with a token of its own.

With the client's token it sends its own one as `fudaba-forwarder`, which gives the call no rights, and the client's
address as `fudaba-client-address`. What the relay of a sandbox carries has its seat's token as `fudaba-seat`. Looks at
tokens that were never seen are paid for by the client's host, from a purse for each of these ways: nobody behind a
gateway, an arena or a relay uses up those of another way.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeVar, final

from grpc import aio

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2
from fudaba_serving.grpc.hosts import CLIENT_ADDRESS, Hosts, client_of
from fudaba_serving.grpc.rate_limit import Callers

__all__ = ["FORWARDER", "SEAT", "Origin", "Origins", "forwarded", "metadata_of"]

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]
ScopeOf = Callable[[str, str], Awaitable[str]]

FORWARDER: Final = "fudaba-forwarder"
"""The metadata with the token of who passes a call on, as `Bearer TOKEN`."""
SEAT: Final = "fudaba-seat"
"""The metadata with the token of the one seat that a connection is for, as `Bearer TOKEN`."""
_FORWARDING: Final = frozenset({"gateway", "arena", "organiser"})
"""The scopes of tokens whose holders are believed. An arena may have the organiser's."""
_RELAY: Final = "relay"
_FORWARDER: Final = "forwarder"
"""The ways on which tokens come that are looked at, beside the scopes of forwarders."""
_WRONG: Final = frozenset({errors_pb2.REASON_TOKEN_UNKNOWN, errors_pb2.REASON_TOKEN_EXPIRED})
_KNOWN_SECONDS: Final = 5.0
"""For how long a forwarder is believed, or not, without being looked up again."""
_UNSAID_SECONDS: Final = 1.0
"""For how long nobody asks again about a forwarder of whom it could not be said."""
_MOST_KNOWN: Final = 1_000


class Origin(NamedTuple):
    """From where a call comes."""

    host: str
    """A host, or an IPv6 network."""
    through: str = ""
    """Who passes it on: `relay`, or the scope of a forwarder's token; empty for whoever calls directly."""


_origin: Final[ContextVar[Origin]] = ContextVar("origin")
"""Of the call in progress: each call runs in a task of its own."""


@final
class Origins:
    """From where calls come, also those that are passed on."""

    def __init__(self, callers: Callers, scope_of: ScopeOf) -> None:
        """`scope_of` tells the scope of a token that comes from a host; it raises `Refused` for one that is wrong."""
        self._callers = callers
        self._scope_of = scope_of
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._unsaid: OrderedDict[str, float] = OrderedDict()
        """Until when it is not asked about whom, since it could not be said: where there is no answer, each call would
        wait for one."""

    @property
    def _hosts(self) -> Hosts:
        return self._callers.hosts

    async def of(self, context: Context) -> Origin:
        """The origin of a call, found once. Refuses a host that has looked at too many tokens."""
        try:
            return _origin.get()
        except LookupError:
            found = await self._find(context)
        _origin.set(found)
        return found

    def known(self, context: Context) -> Origin:
        """The origin of a call, as far as it was found."""
        return _origin.get(Origin(self._hosts.of(context)))

    async def _find(self, context: Context) -> Origin:
        metadata, host = context.invocation_metadata(), self._hosts.of(context)
        if metadata_of(metadata, SEAT):
            return Origin(host, _RELAY)
        forwarder, client = metadata_of(metadata, FORWARDER), client_of(metadata)
        if forwarder and client and (scope := await self._scope(forwarder, host)) in _FORWARDING:
            return Origin(client, scope)
        return Origin(host)

    async def _scope(self, forwarder: str, host: str) -> str:
        """The scope of a forwarder's token; empty for one that nobody has."""
        until, scope = self._known.get(forwarder, (0.0, ""))
        if time.monotonic() < until:
            return scope
        if time.monotonic() < self._unsaid.get(forwarder, 0.0):
            return ""
        kind, _, token = forwarder.partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            return ""
        if scope in _FORWARDING:  # it has paid before
            found = await self._looked_up(token.strip(), host)
        else:
            async with self._callers.look(host, through=_FORWARDER):
                found = await self._looked_up(token.strip(), host)
        if found is None:
            _note(self._unsaid, forwarder, time.monotonic() + _UNSAID_SECONDS)
            return ""
        self._unsaid.pop(forwarder, None)
        _note(self._known, forwarder, (time.monotonic() + _KNOWN_SECONDS, found))
        return found

    async def _looked_up(self, token: str, host: str) -> str | None:
        """None when it cannot be said now; then nobody is believed."""
        try:
            return await self._scope_of(token, host)
        except Refused as refused:
            return "" if refused.reason in _WRONG else None


def _note(known: OrderedDict[str, T], forwarder: str, value: T) -> None:
    """Notes something of a forwarder; what was noted longest ago goes."""
    known[forwarder] = value
    known.move_to_end(forwarder)
    if len(known) > _MOST_KNOWN:
        known.popitem(last=False)


def forwarded(token: str, client: str) -> Metadata:
    """What goes with a call that is passed on for a host, or an address; nothing where it or the token is not known."""
    if not token or not client:
        return ()
    address, _, _ = client.partition("/")  # of an IPv6 network any address will do
    return ((FORWARDER, f"Bearer {token}"), (CLIENT_ADDRESS, address))


def metadata_of(metadata: Iterable[tuple[str, str | bytes]] | None, name: str) -> str | None:
    """The first value of this name among a call's metadata; None if there is none."""
    for key, value in metadata or ():
        if key == name:
            return str(value)
    return None
