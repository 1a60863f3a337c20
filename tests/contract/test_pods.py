"""What docs/pods.md says is open to a bot in a pod, whose connection is not its seat's, is what is open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fudaba_service.api.seat_connections import METHODS
from fudaba_serving.grpc.policy import Policy, Reach, contract, policy_at
from tests.support.wheels import ROOT

_OTHERS = {"fudaba.v1.ArenaService", "fudaba.v1.SubmissionService"}
"""What the arena serves, which pods do not reach."""


def policies() -> Iterator[tuple[str, Policy]]:
    """Of each method of the service."""
    for service in contract():
        if service.full_name not in _OTHERS:
            for method in service.methods:
                path = f"/{service.full_name}/{method.name}"
                yield path, policy_at(path)


def named(begin: str) -> set[str]:
    """Returns the methods that the part of the list names which begins so."""
    text = (ROOT / "docs" / "pods.md").read_text(encoding="utf-8")
    part = text[text.index(begin) :].partition("\n- ")[0].partition("\n\n")[0]
    return set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", part))


def test_the_list_names_what_a_match_token_may_call_beside_what_a_seat_needs() -> None:
    may = {path.rpartition("/")[2] for path, policy in policies() if policy.reaches["match"] is not Reach.NONE}
    open_to_all = {path.rpartition("/")[2] for path, policy in policies() if policy.open_to_all}
    needed = {path.rpartition("/")[2] for path in METHODS}
    assert named("- *With its token*") == may - needed - open_to_all
    assert named("- *With any token or none*") == open_to_all - needed


def test_the_connection_of_a_seat_tries_no_moves_and_looks_up_no_invitation() -> None:
    assert not {path for path in METHODS if path.rpartition("/")[2] in {"TryMoves", "GetInvitation"}}


def test_the_list_names_what_whoever_has_no_token_may_change() -> None:
    own = {path.rpartition("/")[2] for path, policy in policies() if policy.reaches["nobody"] is Reach.OWN}
    assert named("- *Without a token*") == own
