"""Refuses callers who may not use a method, and names the tokens that may."""

from __future__ import annotations

from typing import Final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2
from fudaba_serving.grpc.policy import NOBODY, ROLES, Policy, Reach

__all__ = ["admit"]

_PLAYERS: Final = {"guest", "match", "bot"}
_ORGANISING: Final = {"arena", "organiser"}


def admit(policy: Policy, role: str) -> None:
    """Refuses a role that may not call the method of this policy."""
    if policy.reaches[role] is not Reach.NONE:
        return
    if role == NOBODY:
        raise Refused(errors_pb2.REASON_TOKEN_MISSING, "send a token as metadata `authorization: Bearer TOKEN`")
    scopes = [scope for scope in reversed(ROLES) if scope != NOBODY and policy.reaches[scope] is not Reach.NONE]
    if _ORGANISING.issuperset(scopes):
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, f"this call needs the organiser's token, not {_a(role)}'s")
    if _PLAYERS.issuperset(scopes):
        raise Refused(errors_pb2.REASON_BOT_ONLY, f"this call needs a bot's token, not {_a(role)}'s")
    wanted = ", ".join(scopes)
    raise Refused(errors_pb2.REASON_WRONG_SCOPE, f"the scope of your token is {role}; this call takes: {wanted}")


def _a(scope: str) -> str:
    """Returns a scope with its article, before an apostrophe."""
    if scope == "organiser":
        return "the organiser"
    return f"an {scope}" if scope in {"author", "arena"} else f"a {scope}"
