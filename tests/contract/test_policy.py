"""Who may call what, at which cost, and what is kept of it: `policy.golden` holds it, and changes with nothing else.

A method that one edited line opens fails here. Whoever means the change runs `python -m tests.contract.test_policy`,
which writes the file anew; the difference is what a reviewer reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from google.protobuf.descriptor import ServiceDescriptor

from fudaba import v1
from fudaba_arena.front import actions as arena_actions
from fudaba_arena.front import permissions as arena_permissions
from fudaba_service.front import permissions as service_permissions
from fudaba_serving.grpc import rate_limit
from fudaba_serving.grpc.reach import Reach
from fudaba_serving.grpc.reflection import REFLECTION, REFLECTION_V1

GOLDEN = Path(__file__).with_name("policy.golden")
ARENA = "fudaba.v1.ArenaService"
ROLES = ("nobody", "guest", "match", "bot", "author", "arena", "gateway", "organiser")
READING = ("Get", "List", "Stream", "Await", "Watch", "Verify", "WhoAmI", "Export")
"""How the names of the methods begin, or are, that change nothing."""
FOREIGN = {"grpc.health.v1.Health": "Check", REFLECTION_V1: "ServerReflectionInfo", REFLECTION: "ServerReflectionInfo"}
"""gRPC's own services, each with one of its methods: what holds for that holds for the others of the service."""
YES_NO = ("no", "yes")


def services() -> Iterator[ServiceDescriptor]:
    """The services of the contract."""
    for _, name, _ in iter_modules(v1.__path__):
        if name.endswith("_pb2"):
            yield from import_module(f"fudaba.v1.{name}").DESCRIPTOR.services_by_name.values()


def row(service: str, method: str) -> tuple[list[str], bool]:
    """What each role may do with a method of the contract, and whether what organisers do with it is kept."""
    if service == ARENA:
        reaches, noted = arena_permissions.PERMISSIONS[method], method in arena_actions.NOTED
        return [reaches[role] for role in ROLES], noted
    name = f"/{service}/{method}"
    of_service = service_permissions.PERMISSIONS[name]
    return [of_service[role] for role in ROLES], name in service_permissions.NOTED


def lines() -> Iterator[str]:
    """The table: a line for each method of each service that is served."""

    def line(name: str, reaches: list[str], *rest: str) -> str:
        cells = [f"{reach:9}" for reach in reaches]
        return f"{name:66} {' '.join(cells)} {'  '.join(f'{cell:7}' for cell in rest)}".rstrip()

    def cost(service: str, method: str) -> str:
        return f"{rate_limit._COSTS.get(f'/{service}/{method}', 1.0):g}"

    yield line("method", list(ROLES), "cost", "audited", "changes")
    for service in sorted(services(), key=lambda service: service.full_name):
        for method in service.methods:
            reaches, noted = row(service.full_name, method.name)
            changes = not method.name.startswith(READING)
            price = cost(service.full_name, method.name)
            yield line(f"{service.full_name}/{method.name}", reaches, price, YES_NO[noted], YES_NO[changes])
    for name, method_name in FOREIGN.items():
        # Whatever token it shows: `Foreign` asks for none.
        everybody: list[str] = [Reach.PUBLIC] * len(ROLES)
        yield line(f"{name}/*", everybody, cost(name, method_name), "no", "no")


def test_no_method_is_opened_made_dearer_or_kept_silent_unseen() -> None:
    assert "".join(f"{line}\n" for line in lines()) == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
