"""The reasons of the contract: each has one status code, for good, and each is used."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from fudaba.v1 import errors_pb2
from fudaba_games import game, match, registry
from fudaba_games.game import GameError
from fudaba_service.refusals import DOMAIN, Refused, refusal_of

ROOT = Path(__file__).parents[2]
CONTRACT = (ROOT / "proto/fudaba/v1/errors.proto").read_text()
PLACES = ("service/fudaba_service", "arena/fudaba_arena", "serving/fudaba_serving")
SOURCES = "".join(path.read_text() for place in PLACES for path in sorted((ROOT / place).rglob("*.py")))
WORDS = Counter(re.findall(r"\b[A-Z][A-Z0-9_]*\b", SOURCES))
REASONS = [name for name in errors_pb2.Reason.keys() if name != "REASON_UNSPECIFIED"]  # noqa: SIM118  no dict


@pytest.mark.parametrize("name", REASONS)
def test_a_reason_has_the_status_code_that_the_contract_says(name: str) -> None:
    [said] = re.findall(rf"// ([A-Z_]+): [^\n]*(?:\n  // [^\n]*)*\n  {name} = \d+;", CONTRACT)
    refused = Refused(errors_pb2.Reason.Value(name), "a message")
    assert refused.code == grpc.StatusCode[said].value[0]
    assert refused.status().code == grpc.StatusCode[said]
    assert refused.name == name.removeprefix("REASON_")
    assert refused.message().code == refused.code


@pytest.mark.parametrize("name", REASONS)
def test_a_reason_is_used(name: str) -> None:
    assert WORDS[name] > len(re.findall(rf"_R\.{name}: code_pb2\.\w+,", SOURCES))


def test_every_error_of_the_rules_has_a_reason() -> None:
    errors = [
        member
        for module in (game, match, registry)
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, GameError) and member is not GameError
    ]
    assert len(set(errors)) >= 8
    for error_type in set(errors):
        made = error_type("RULE", "a message") if error_type is game.IllegalMove else error_type("a message")
        refused = refusal_of(made)
        assert str(refused) == "a message"
        assert refused.rule == ("RULE" if error_type is game.IllegalMove else "")


def test_a_refusal_carries_its_reason_domain_and_rule() -> None:
    refused = Refused(errors_pb2.REASON_ILLEGAL_MOVE, "not that card", "CARD_NOT_IN_HAND")
    status = refused.status()
    [(_, raw)] = status.trailing_metadata
    [detail] = status_pb2.Status.FromString(raw).details
    info = error_details_pb2.ErrorInfo()
    assert detail.Unpack(info)
    assert (info.reason, info.domain, dict(info.metadata)) == ("ILLEGAL_MOVE", DOMAIN, {"rule": "CARD_NOT_IN_HAND"})
    assert (status.code, status.details) == (grpc.StatusCode.FAILED_PRECONDITION, "not that card")


@pytest.mark.parametrize("character", ["x", "é", "札", "🂡", "\0"])
def test_a_refusal_that_quotes_much_still_fits_into_a_header(character: str) -> None:
    refused = Refused.malformed(f"first {character * 100_000} last")
    assert str(refused).startswith("first ")
    assert str(refused).endswith(" last")
    assert len(str(refused).encode()) < 1_000
