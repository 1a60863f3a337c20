"""Messages that nobody thought of: built by chance from the contract's descriptors, mutated, or no messages at all."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from fudaba.v1 import bots_pb2, catalog_pb2, matches_pb2, play_pb2

METHODS: Final[dict[str, MethodDescriptor]] = {
    f"{service.name}/{method.name}": method
    for module in (catalog_pb2, bots_pb2, matches_pb2, play_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the service, as `Service/Method`."""

_ALPHABET: Final = "abcXYZ019-._/ \0\n%{}'\"é札🂡"


def path(method: MethodDescriptor) -> str:
    """Returns what a method is called on the wire."""
    return f"/{method.containing_service.full_name}/{method.name}"


class Builder:
    """Builds messages of any type by chance: sensible, at the limits, and beyond them."""

    def __init__(
        self, chance: random.Random, texts: list[str], good: Mapping[str, Sequence[Message]] | None = None
    ) -> None:
        self.chance = chance
        self.texts = texts
        self.good = good or {}
        """Messages that a method would take, by its name."""

    def raw(self, method: MethodDescriptor) -> bytes:
        """Returns bytes to send to a method: mostly a message of its type, sometimes a spoilt one, or any bytes."""
        kind = self.chance.random()
        if kind < 0.05:
            return self.chance.randbytes(self.chance.choice([1, 2, 7, 30, 300]))
        good = self.good.get(method.name)
        if good is not None and self.chance.random() < 0.5:
            sent = self.disturbed(self.chance.choice(good)).SerializeToString()
        else:
            sent = self.build(method.input_type).SerializeToString()
        return self.spoilt(sent) if kind < 0.25 else sent

    def disturbed(self, good: Message) -> Message:
        """Returns a good message with something in it changed, left out or added."""
        message = type(good)()
        message.CopyFrom(good)
        for _ in range(self.chance.choice([0, 1, 1, 1, 2, 3])):
            self.disturb(message, 0)
        return message

    def disturb(self, message: Any, depth: int) -> None:
        """Goes down into a message by chance, and changes what it comes to."""
        if not message.DESCRIPTOR.fields:
            return
        field = self.chance.choice(message.DESCRIPTOR.fields)
        deeper = field.message_type is not None and not field.message_type.GetOptions().map_entry
        if deeper and self.chance.random() < 0.9:
            inner = getattr(message, field.name)
            if not field.is_repeated and message.HasField(field.name):
                self.disturb(inner, depth + 1)
                return
            if field.is_repeated and inner:
                self.disturb(self.chance.choice(inner), depth + 1)
                return
        if self.chance.random() < 0.2:
            message.ClearField(field.name)
        elif field.is_repeated and deeper and self.chance.random() < 0.5:
            entries = [type(entry).FromString(entry.SerializeToString()) for entry in getattr(message, field.name)]
            self.chance.shuffle(entries)
            message.ClearField(field.name)
            getattr(message, field.name).extend(entries)
        else:
            self.fill(message, field, depth)

    def spoilt(self, sent: bytes) -> bytes:
        """Returns bytes with a few places changed, cut or lengthened."""
        raw = bytearray(sent)
        for _ in range(self.chance.randrange(1, 5)):
            at = self.chance.randrange(len(raw) + 1)
            raw[at : at + self.chance.randrange(3)] = self.chance.randbytes(self.chance.choice([0, 1, 1, 2, 10]))
        return bytes(raw)

    def build(self, descriptor: Descriptor, depth: int = 0) -> Message:
        message = message_factory.GetMessageClass(descriptor)()
        one_of = {oneof.name: self.chance.choice(oneof.fields) for oneof in descriptor.oneofs}
        for field in descriptor.fields:
            left_out = field.containing_oneof is not None and one_of[field.containing_oneof.name] is not field
            if not left_out and self.chance.random() < (0.75 if depth < 4 else 0.2):
                self.fill(message, field, depth)
        return message

    def fill(self, message: Any, field: FieldDescriptor, depth: int) -> None:
        entry = field.message_type
        count = self.chance.choice([1, 2, 2, 3, 40 if depth < 2 else 4])
        if entry is not None and entry.GetOptions().map_entry:
            for _ in range(count):
                value = getattr(message, field.name)[self.text()]
                value.CopyFrom(self.build(value.DESCRIPTOR, depth + 1))
        elif field.is_repeated:
            target = getattr(message, field.name)
            for _ in range(count):
                if entry is not None:
                    target.add().CopyFrom(self.build(entry, depth + 1))
                else:
                    target.append(self.scalar(field))
        elif entry is not None:
            getattr(message, field.name).CopyFrom(self.build(entry, depth + 1))
        else:
            setattr(message, field.name, self.scalar(field))

    def scalar(self, field: FieldDescriptor) -> Any:
        if field.type == field.TYPE_STRING:
            return self.text()
        if field.type == field.TYPE_BYTES:
            return self.chance.randbytes(self.chance.choice([0, 1, 16, 32, 500]))
        if field.type == field.TYPE_BOOL:
            return self.chance.random() < 0.5
        if field.type == field.TYPE_ENUM:
            return self.chance.choice([0, 1, 2, 7, 50, 99, -1, 2**31 - 1])
        if field.name == "wait_ms":
            return self.chance.choice([0, 1, 5, 60_001, 2**32 - 1])
        signed = field.type in {field.TYPE_INT32, field.TYPE_INT64, field.TYPE_SINT32, field.TYPE_SINT64}
        bits = 32 if field.cpp_type in {field.CPPTYPE_INT32, field.CPPTYPE_UINT32} else 64
        lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return self.chance.choice([0, 1, 2, 3, 1000, 60_000, highest, lowest])

    def text(self) -> str:
        if self.chance.random() < 0.7:
            return self.chance.choice(self.texts)
        length = self.chance.choice([0, 1, 5, 40, 41, 81, 201, 3000])
        return "".join(self.chance.choices(_ALPHABET, k=length))
