"""Connections for a single seat: what a sandboxed bot may do on its way to the service.

The relay of a sandbox sends the seat's token with every call, in metadata that the bot can neither set nor remove. Such
a call is the seat's, whatever else it shows: it pays for itself, and may only play its match. A client that sends this
metadata without a relay only restricts itself, so no trust is needed. Who pays for look-ups of unknown tokens depends
on the sender, see `fudaba_serving.grpc.origins`.

Without a relay, as with pods, a port for seats only does the same: a call there belongs to the seat of its match token,
and to nobody without one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Final, final

import grpc
from grpc import aio

from fudaba.v1 import errors_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.origins import SEAT, metadata_of

__all__ = ["METHODS", "SeatsAlone", "check_method", "check_request_of", "seat_of"]

_METHODS: Final = (
    "PlayService/Play", "PlayService/WatchSeat", "PlayService/SubmitMove", "MatchService/ResignMatch",
    "MatchService/GetMatch", "CatalogService/ListGames", "CatalogService/GetGame", "AccountService/WhoAmI",
)  # fmt: skip
METHODS: Final = frozenset(f"/fudaba.v1.{method}" for method in _METHODS)
"""The methods that such a connection may call, beside health checks."""
_ADVICE: Final = (
    f"a sandboxed bot may call {', '.join(method.partition('/')[2] for method in _METHODS)} and health checks, for its "
    "match and with the token in FUDABA_TOKEN; do all else where you develop it"
)


_NOTHING_SHOWN: Final = "Bearer "
_seats_alone: Final[ContextVar[bool]] = ContextVar("seats_alone", default=False)
"""Whether the current call came through a port for seats only. Each call runs in its own task."""


@final
class SeatsAlone(aio.ServerInterceptor):
    """The first interceptor of a port for seats only."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """See `grpc.aio.ServerInterceptor`."""
        _seats_alone.set(True)
        return await continuation(handler_call_details)


def seat_of(metadata: Any) -> str:
    """Returns the token of a connection's seat, as `Bearer TOKEN`; empty for any other connection."""
    seat = metadata_of(metadata, SEAT)
    if seat is None and _seats_alone.get():
        return metadata_of(metadata, "authorization") or _NOTHING_SHOWN
    return seat or ""


def check_method(metadata: Any, method: str) -> None:
    """Refuses methods that such a connection may not call, empty for an unknown one, and tokens other than its own."""
    seat = seat_of(metadata)
    if not seat:
        return
    if method not in METHODS:
        name = method.rpartition("/")[2] or "this method"
        raise Refused(errors_pb2.REASON_WRONG_SCOPE, f"{name} is not for the connection of a seat: {_ADVICE}")
    shown = metadata_of(metadata, "authorization")
    if shown is not None and shown.partition(" ")[2].strip() != seat.partition(" ")[2].strip():
        raise Refused(errors_pb2.REASON_WRONG_SCOPE, f"the token is not that of the connection's one seat: {_ADVICE}")


def check_request_of(owner: Owner | None, request: Any) -> None:
    """Refuses a request for another match than the seat's and, on a port for seats, other tokens."""
    if _seats_alone.get() and (owner is None or owner.scope != Scope.MATCH):
        raise Refused(errors_pb2.REASON_WRONG_SCOPE, f"this port is for the tokens of seats alone: {_ADVICE}")
    match_id = getattr(request, "match_id", "") or getattr(getattr(request, "answer", None), "match_id", "")
    if owner is not None and owner.match_id and match_id and match_id != owner.match_id:
        raise Refused(
            errors_pb2.REASON_NOT_YOUR_MATCH,
            f"the connection is for a seat of match {owner.match_id} alone: {_ADVICE}",
        )
