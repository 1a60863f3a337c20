"""The origin of calls that a gateway or an arena passes on: it vouches for the client with a token of its own.

Along with the client's token it sends its own as `fudaba-forwarder`, which gives the call no rights, and the client's
address as `fudaba-client-address`. A call that a sandbox's relay carries has its seat's token as `fudaba-seat`, beside
the worker's own. The client's host pays for lookups of tokens that were never seen, from a separate purse for each of
these ways: clients behind a gateway, an arena or a relay cannot use up the lookups of clients that come another way,
nor the other way round.
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
from fudaba_serving.grpc.hosts import CLIENT_ADDRESS, CallerHosts, client_of
from fudaba_serving.grpc.rate_limit import Callers

__all__ = ["FORWARDER", "SEAT", "Origin", "Origins", "forwarded", "metadata_of"]

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]
ScopeOf = Callable[[str, str], Awaitable[str]]

FORWARDER: Final = "fudaba-forwarder"
"""The metadata with the token of the server that passes a call on, as `Bearer TOKEN`."""
SEAT: Final = "fudaba-seat"
"""The metadata with the token of the one seat that a connection is for, as `Bearer TOKEN`."""
_FORWARDING: Final = frozenset({"gateway", "arena", "organiser"})
"""The scopes of tokens whose holders are trusted. An arena may have the organiser's scope."""
_RELAYING: Final = _FORWARDING - {"gateway"}
"""The scopes that a worker's token may have."""
_RELAY: Final = "relay"
_FORWARDER: Final = "forwarder"
"""The ways by which tokens arrive for a lookup, besides the scopes of forwarders."""
_WRONG: Final = frozenset({errors_pb2.REASON_TOKEN_UNKNOWN, errors_pb2.REASON_TOKEN_EXPIRED})
_CACHE_SECONDS: Final = 5.0
"""The time in seconds for which a forwarder is trusted, or not, before it is looked up again."""
_UNSAID_SECONDS: Final = 1.0
"""The time in seconds before the next question about a forwarder after one that had no answer."""
_MAX_FORWARDERS_KNOWN: Final = 1_000


class Origin(NamedTuple):
    """The origin of a call."""

    host: str
    """A host, or an IPv6 network."""
    through: str = ""
    """The way of a call that is passed on: `relay`, or the scope of a forwarder's token; empty for a direct call."""


_origin: Final[ContextVar[Origin]] = ContextVar("origin")
"""The origin of the call in progress: each call runs in a task of its own."""


@final
class Origins:
    """The origins of calls, also of those that are passed on."""

    def __init__(self, callers: Callers, scope_of: ScopeOf) -> None:
        """`scope_of` returns the scope of a token that comes from a host; it raises `Refused` for a wrong token."""
        self._callers = callers
        self._scope_of = scope_of
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._unsaid: OrderedDict[str, float] = OrderedDict()
        """For each forwarder that could not be looked up, the time until which nothing asks again.

        Without it, each call would wait for an answer while none comes.
        """

    @property
    def _hosts(self) -> CallerHosts:
        return self._callers.hosts

    async def origin_of(self, context: Context) -> Origin:
        """Returns the origin of a call, which is found once. Refuses a host with too many lookups of tokens."""
        try:
            return _origin.get()
        except LookupError:
            found = await self._find(context)
        _origin.set(found)
        return found

    def known(self, context: Context) -> Origin:
        """Returns the origin of a call if `origin_of` has found it, otherwise only its host."""
        return _origin.get(Origin(self._hosts.host_of(context)))

    async def _find(self, context: Context) -> Origin:
        metadata, host = context.invocation_metadata(), self._hosts.host_of(context)
        forwarder, client = metadata_of(metadata, FORWARDER), client_of(metadata)
        if metadata_of(metadata, SEAT):
            return Origin(host, _RELAY if forwarder and await self._is_relay(forwarder, host) else "")
        if forwarder and client and (scope := await self._scope(forwarder, host)) in _FORWARDING:
            return Origin(client, scope)
        return Origin(host)

    async def _is_relay(self, forwarder: str, host: str) -> bool:
        """Returns whether a worker's token goes with a call; also False while it may not be looked up."""
        try:
            return await self._scope(forwarder, host) in _RELAYING
        except Refused:  # its host has too many lookups: the call counts as a stranger's there
            return False

    async def _scope(self, forwarder: str, host: str) -> str:
        """Returns the scope of a forwarder's token; an empty text if it is unknown, or cannot be looked up now."""
        until, scope = self._known.get(forwarder, (0.0, ""))
        if time.monotonic() < until:
            return scope
        if time.monotonic() < self._unsaid.get(forwarder, 0.0):
            return ""
        kind, _, token = forwarder.partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            return ""
        if scope in _FORWARDING:  # this forwarder has paid before
            found = await self._looked_up(token.strip(), host)
        else:
            async with self._callers.look(host, through=_FORWARDER):
                found = await self._looked_up(token.strip(), host)
        if found is None:
            _note(self._unsaid, forwarder, time.monotonic() + _UNSAID_SECONDS)
            return ""
        self._unsaid.pop(forwarder, None)
        _note(self._known, forwarder, (time.monotonic() + _CACHE_SECONDS, found))
        return found

    async def _looked_up(self, token: str, host: str) -> str | None:
        """Returns the scope of a token, and an empty text for a wrong one.

        Returns None if the scope cannot be looked up now; then the forwarder is not trusted.
        """
        try:
            return await self._scope_of(token, host)
        except Refused as refused:
            return "" if refused.reason in _WRONG else None


def _note(known: OrderedDict[str, T], forwarder: str, value: T) -> None:
    """Keeps a value for a forwarder; drops the oldest entry beyond the limit."""
    known[forwarder] = value
    known.move_to_end(forwarder)
    if len(known) > _MAX_FORWARDERS_KNOWN:
        known.popitem(last=False)


def forwarded(token: str, client: str) -> Metadata:
    """Returns the metadata of a call that is passed on for a host or an address; none if that or the token is empty."""
    if not token or not client:
        return ()
    address, _, _ = client.partition("/")  # any address of an IPv6 network will do
    return ((FORWARDER, f"Bearer {token}"), (CLIENT_ADDRESS, address))


def metadata_of(metadata: Iterable[tuple[str, str | bytes]] | None, name: str) -> str | None:
    """Returns the first value with this name in a call's metadata; None if there is none."""
    for key, value in metadata or ():
        if key == name:
            return str(value)
    return None
