"""The policies of methods: who may call them, what a call costs, and whether it is recorded. The contract declares
them.

Each method has its policy as an option in its `.proto` file, see `proto/fudaba/v1/policy.proto`. It is read from the
descriptors, once for each method; a field that is left out there denies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final, final

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from fudaba import v1
from fudaba.v1 import policy_pb2

__all__ = [
    "NOBODY",
    "ROLES",
    "Policy",
    "PolicyMissing",
    "Reach",
    "check_policies",
    "contract",
    "policy_at",
    "policy_of",
]

NOBODY: Final = "nobody"
"""The role of a caller without a token."""
ROLES: Final = (NOBODY, "guest", "match", "bot", "author", "arena", "gateway", "organiser")
"""The roles: nobody, and the scopes of tokens."""
_GRPC: Final = "grpc."
"""The package of gRPC's own services, health checks and reflection: `foreign.py` says who may call these."""


class PolicyMissing(Exception):
    """A served method has no policy, or an incomplete one: a server with it must not start."""


class Reach(StrEnum):
    """The reach of a role with a method, as the tables of permissions show it."""

    NONE = "-"
    """The role may not call the method: the call is refused."""
    PUBLIC = "public"
    """The role may see what everybody may see."""
    OWN = "own"
    """The role may see and change what belongs to it."""
    ALL = "all"
    """The role may see and change everything."""


_REACHES: Final = {
    policy_pb2.REACH_UNSPECIFIED: Reach.NONE,
    policy_pb2.REACH_PUBLIC: Reach.PUBLIC,
    policy_pb2.REACH_OWN: Reach.OWN,
    policy_pb2.REACH_ALL: Reach.ALL,
}


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of a method."""

    reaches: Mapping[str, Reach]
    """The reach of each of `ROLES`."""
    base_cost: float
    """The cost of a call, in calls of the rate limit."""
    changes: bool
    """Whether a call changes anything."""
    audited: bool
    """Whether the log of actions records what organisers do with the method."""

    @property
    def open_to_all(self) -> bool:
        """Whether anybody may call the method, with any token or none."""
        return Reach.NONE not in self.reaches.values()


@cache
def contract() -> tuple[ServiceDescriptor, ...]:
    """Returns the services of the contract."""
    found: list[ServiceDescriptor] = []
    for _, name, _ in iter_modules(v1.__path__):
        if name.endswith("_pb2"):
            found += import_module(f"fudaba.v1.{name}").DESCRIPTOR.services_by_name.values()
    return tuple(found)


@cache
def policy_at(path: str) -> Policy:
    """Returns the policy of the method with gRPC's name `path`, such as `/fudaba.v1.BotService/GetBot`.

    Raises `PolicyMissing`.
    """
    service, _, name = path.removeprefix("/").partition("/")
    try:
        method = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
    except KeyError as error:
        raise PolicyMissing(f"{path} is in no .proto file that is loaded, so it has no policy") from error
    return policy_of(method)


def policy_of(method: MethodDescriptor) -> Policy:
    """Returns the policy that a method declares. Raises `PolicyMissing`."""
    options = method.GetOptions()
    if not options.HasExtension(policy_pb2.policy):
        raise _incomplete(method, "no policy")
    declared: policy_pb2.Policy = options.Extensions[policy_pb2.policy]
    if not declared.base_cost:
        raise _incomplete(method, "no base_cost in its policy")
    if not declared.HasField("changes"):
        raise _incomplete(method, "a policy that does not say whether it changes anything")
    if declared.changes and not declared.HasField("audited"):
        raise _incomplete(method, "a policy that does not say whether the change is `audited`")
    if declared.audited and not declared.changes:
        raise _incomplete(method, "`audited` in its policy, though it changes nothing")
    reaches = {role: _reach(max(declared.everybody, getattr(declared, role))) for role in ROLES}
    return Policy(MappingProxyType(reaches), float(declared.base_cost), declared.changes, declared.audited)


def check_policies(service: str) -> None:
    """Raises `PolicyMissing` unless each method of a service, by its full name, has a policy or is gRPC's own."""
    if service.startswith(_GRPC):
        return
    try:
        methods = descriptor_pool.Default().FindServiceByName(service).methods
    except KeyError as error:
        raise PolicyMissing(
            f"{service} is in no .proto file that is loaded, so its methods have no policies"
        ) from error
    for method in methods:
        policy_at(f"/{service}/{method.name}")


def _reach(number: int) -> Reach:
    try:
        return _REACHES[policy_pb2.Reach.ValueType(number)]
    except KeyError:
        raise PolicyMissing(f"{number} is no value of Reach in policy.proto") from None


def _incomplete(method: MethodDescriptor, lack: str) -> PolicyMissing:
    return PolicyMissing(
        f"{method.full_name} has {lack}: give it one in {method.containing_service.file.name}, as CONTRIBUTING.md says"
        " under `Adding a method`"
    )
