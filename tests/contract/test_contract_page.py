"""The page for authors in any language says what the contract and the service say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from google.protobuf import text_format
from google.rpc import code_pb2

from fudaba.v1 import errors_pb2, matches_pb2, play_pb2
from fudaba_service.refusals import Refused

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contract.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```textproto\n# (up|down)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("direction", "example"), EXAMPLES)
def test_every_example_is_a_message_of_the_contract(direction: str, example: str) -> None:
    message = play_pb2.PlayRequest() if direction == "up" else play_pb2.PlayResponse()
    text_format.Parse(example, message)
    assert message.WhichOneof("message") is not None


def test_there_is_an_example_of_every_message() -> None:
    for direction, kind in (("up", play_pb2.PlayRequest), ("down", play_pb2.PlayResponse)):
        shown = {text_format.Parse(text, kind()).WhichOneof("message") for way, text in EXAMPLES if way == direction}
        assert shown == {field.name for field in kind.DESCRIPTOR.oneofs_by_name["message"].fields}


def test_every_reason_stands_in_the_tables_with_its_code_and_what_to_do() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \| (.+) \|$", TEXT, re.MULTILINE)
    codes = {reason: code for reason, code, _ in rows}
    assert len(codes) == len(rows)
    reasons = [reason for reason in errors_pb2.Reason.values() if reason != errors_pb2.REASON_UNSPECIFIED]
    assert codes == {
        errors_pb2.Reason.Name(reason).removeprefix("REASON_"): code_pb2.Code.Name(Refused(reason, "").code)
        for reason in reasons
    }


REQUESTS = re.findall(r"^```textproto\n# (\w+Request)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_every_example_is_of_a_known_kind() -> None:
    assert len(EXAMPLES) + len(REQUESTS) == TEXT.count("```textproto\n")
    assert {kind for kind, _ in REQUESTS} == {"CreateMatchRequest", "JoinMatchRequest"}


@pytest.mark.parametrize(("kind", "example"), REQUESTS)
def test_every_example_of_a_call_is_a_request_of_the_contract(kind: str, example: str) -> None:
    message = text_format.Parse(example, getattr(matches_pb2, kind)())
    assert message.ByteSize() > 0


def test_every_way_to_give_a_seat_away_is_explained() -> None:
    for field in matches_pb2.Seat.DESCRIPTOR.oneofs_by_name["to"].fields:
        assert re.search(rf"^\| `{field.name}` \| ", TEXT, re.MULTILINE), field.name


def test_every_choice_of_a_delivery_is_explained() -> None:
    for field in play_pb2.Delivery.DESCRIPTOR.fields:
        assert f"`delivery.{field.name}`" in TEXT, field.name


def test_every_call_that_a_bot_may_make_of_its_matches_is_named() -> None:
    organisers = {"ReleaseMatches"}
    for method in matches_pb2.DESCRIPTOR.services_by_name["MatchService"].methods:
        assert method.name in organisers or f"{method.name}`" in TEXT, method.name


@pytest.mark.parametrize("enum", [play_pb2.LegalMoveFormat, play_pb2.EventDelivery])
def test_every_way_to_be_told_things_is_explained(enum: type) -> None:
    for name in enum.keys():  # type: ignore[attr-defined]  # noqa: SIM118 - the wrapper of an enum is not a mapping
        assert name.endswith("_UNSPECIFIED") or f"| `{name}`" in TEXT, name


def test_the_tournament_file_is_one() -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert {"remote", "command", "builtin"} <= {key for bot in tomllib.loads(example)["bots"] for key in bot}
