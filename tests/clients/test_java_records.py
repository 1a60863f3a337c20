"""The records that the kit for Java has of the contract's messages, against protobuf's own."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from fudaba.v1 import naga_pb2, play_pb2
from tests.support.clients.languages import LANGUAGES
from tests.support.clients.projects import built_once

ROOTS: Final = (
    play_pb2.PlayRequest, play_pb2.PlayResponse, status_pb2.Status, error_details_pb2.ErrorInfo,
    error_details_pb2.RetryInfo,
)  # fmt: skip
VALUES: Final[dict[int, list[Any]]] = {
    FieldDescriptor.TYPE_UINT32: [0, 1, 200, 2**31 + 5, 2**32 - 1],
    FieldDescriptor.TYPE_INT32: [0, 1, -1, 2**31 - 1, -(2**31)],
    FieldDescriptor.TYPE_SINT32: [0, 1, -1, 2**31 - 1, -(2**31)],
    FieldDescriptor.TYPE_UINT64: [0, 1, 2**40 + 7, 2**64 - 1],
    FieldDescriptor.TYPE_INT64: [0, -1, 2**63 - 1, -(2**63)],
    FieldDescriptor.TYPE_SINT64: [0, -1, 2**63 - 1, -(2**63)],
    FieldDescriptor.TYPE_BOOL: [False, True],
    FieldDescriptor.TYPE_STRING: ["", "naga", "クート", "\U0001f409"],
    FieldDescriptor.TYPE_BYTES: [b"", bytes(range(256))],
}


def reached() -> list[Descriptor]:
    """Returns the roots' messages and all in them, entries of maps excepted."""
    found: dict[str, Descriptor] = {}
    waiting: list[Descriptor] = [root.DESCRIPTOR for root in ROOTS]
    while waiting:
        descriptor = waiting.pop()
        if descriptor.full_name not in found:
            found[descriptor.full_name] = descriptor
            waiting += [field.message_type for field in descriptor.fields if field.message_type is not None]
    return [reached_type for reached_type in found.values() if not reached_type.GetOptions().map_entry]


def fill(message: Message, chance: random.Random, depth: int = 0) -> Message:
    """Sets fields at random, one of each oneof at most."""
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.8 and (depth < 2 or field.message_type is None):
            for _ in range(chance.randrange(1, 4) if field.is_repeated else 1):
                set_one(message, field, chance, depth)
    return message


def set_one(message: Message, field: Any, chance: random.Random, depth: int) -> None:
    held, kind = getattr(message, field.name), field.message_type
    if kind is None:
        values = (
            VALUES[field.type]
            if field.enum_type is None
            else [enum_value.number for enum_value in field.enum_type.values]
        )
        if field.is_repeated:
            held.append(chance.choice(values))
        else:
            setattr(message, field.name, chance.choice(values))
    elif not kind.GetOptions().map_entry:
        inner = held.add() if field.is_repeated else held
        inner.SetInParent()
        fill(inner, chance, depth + 1)
    elif kind.fields_by_name["value"].message_type is None:
        held["key"] = "value"
    else:
        fill(held[chance.choice(["one", "other"])], chance, depth + 1)


def examples() -> Iterator[tuple[bytes, Message]]:
    """Yields what is read, and what it says."""
    chance = random.Random(1)
    for descriptor in reached():
        for _ in range(10):
            message = fill(GetMessageClass(descriptor)(), chance)
            yield message.SerializeToString(), message
    two = naga_pb2.NagaCards(cards=[naga_pb2.NAGA_CARD_D1, naga_pb2.NAGA_CARD_D3])
    yield bytes([8, 1, 8, 3]), two  # as it may be written, too
    yield bytes([10, 2, 1, 3, 120, 5, 122, 1, 0]), two  # with fields of a later release


@pytest.mark.exhaustive
def test_records_read_and_write_what_protobuf_does(
    need_tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    LANGUAGES["java"].need(need_tool)
    project = built_once(tmp_path_factory, "java-project", lambda folder: LANGUAGES["java"].project("java", folder))
    read, said = zip(*examples(), strict=True)
    lines = [f"{java_name(message.DESCRIPTOR)} {data.hex()}\n" for data, message in zip(read, said, strict=True)]
    (tmp_path / "messages").write_text("".join(lines))
    program = Path(__file__).with_name("ReadAndWrite.java")
    command = ["java", "-cp", str(project / "bot.jar"), str(program), str(tmp_path / "messages")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = [bytes.fromhex(line) for line in done.stdout.split("\n")[:-1]]
    assert [type(message).FromString(data) for data, message in zip(written, said, strict=True)] == list(said)


def java_name(descriptor: Descriptor) -> str:
    package = "fudaba.v1" if descriptor.file.package == "fudaba.v1" else "fudaba.google"
    return f"{package}.{descriptor.name}"
