"""Who may call what, at which cost, and what is kept of it: `policy.golden` holds it, and changes with nothing else.

A method that one edited line opens fails here. Whoever means the change runs `python -m tests.contract.test_policy`,
which writes the file anew; the difference is what a reviewer reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fudaba_serving.grpc.foreign import foreign_cost
from fudaba_serving.grpc.policy import ROLES, Reach, contract, policy_at
from fudaba_serving.grpc.reflection import REFLECTION, REFLECTION_V1

GOLDEN = Path(__file__).with_name("policy.golden")
FOREIGN = {"grpc.health.v1.Health": "Check", REFLECTION_V1: "ServerReflectionInfo", REFLECTION: "ServerReflectionInfo"}
"""gRPC's own services, each with one of its methods: what holds for that holds for the others of the service."""
COMMAND = ".venv/bin/python -m tests.contract.test_policy"
YES_NO = ("no", "yes")


def lines() -> Iterator[str]:
    """Yields the table: a line for each method of each service that is served."""

    def line(name: str, reaches: Sequence[str], *rest: str) -> str:
        cells = [f"{reach:9}" for reach in reaches]
        return f"{name:66} {' '.join(cells)} {'  '.join(f'{cell:7}' for cell in rest)}".rstrip()

    yield line("method", ROLES, "cost", "audited", "changes")
    for service in sorted(contract(), key=lambda service: service.full_name):
        for method in service.methods:
            policy = policy_at(f"/{service.full_name}/{method.name}")
            cells = f"{policy.base_cost:g}", YES_NO[policy.audited], YES_NO[policy.changes]
            yield line(f"{service.full_name}/{method.name}", [policy.reaches[role] for role in ROLES], *cells)
    for name, method_name in FOREIGN.items():
        # Whatever token it shows: `Foreign` asks for none.
        everybody = [Reach.PUBLIC] * len(ROLES)
        yield line(f"{name}/*", everybody, f"{foreign_cost(f'/{name}/{method_name}'):g}", "no", "no")


def test_no_method_is_opened_made_dearer_or_kept_silent_unseen() -> None:
    table = "".join(f"{line}\n" for line in lines())
    assert table == GOLDEN.read_text(encoding="utf-8"), f"if that is meant, run `{COMMAND}`"


if __name__ == "__main__":
    GOLDEN.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
