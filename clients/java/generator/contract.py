"""The contract's messages and enums with their comments, from a descriptor set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, final

from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

D = TypeVar("D", DescriptorProto, EnumDescriptorProto)


@final
@dataclass(frozen=True)
class Commented(Generic[D]):
    """A message or an enum of the contract."""

    name: str
    """Its own, with those of the messages that it is in."""
    package: str
    descriptor: D
    comments: Mapping[tuple[int, ...], str]
    """Of what is in it, by its path from here; that of the whole is ()."""


@final
@dataclass(frozen=True)
class Contract:
    """All that the descriptors have, by full name."""

    messages: dict[str, Commented[DescriptorProto]] = field(default_factory=dict)
    enums: dict[str, Commented[EnumDescriptorProto]] = field(default_factory=dict)

    def add(self, file: FileDescriptorProto) -> None:
        """Adds what a file has."""
        comments_by_path = {
            tuple(location.path): location.leading_comments for location in file.source_code_info.location
        }

        def below(path: tuple[int, ...]) -> dict[tuple[int, ...], str]:
            return {
                location_path[len(path) :]: text
                for location_path, text in comments_by_path.items()
                if location_path[: len(path)] == path
            }

        def add(name: str, descriptor: DescriptorProto, path: tuple[int, ...]) -> None:
            own = "".join(name.removeprefix(f".{file.package}.").split("."))
            self.messages[name] = Commented(own, file.package, descriptor, below(path))
            for number, inner in enumerate(descriptor.nested_type):
                add(f"{name}.{inner.name}", inner, (*path, 3, number))

        for number, descriptor in enumerate(file.message_type):
            add(f".{file.package}.{descriptor.name}", descriptor, (4, number))
        for number, values in enumerate(file.enum_type):
            comments = below((5, number))
            self.enums[f".{file.package}.{values.name}"] = Commented(values.name, file.package, values, comments)

    def reached(self, roots: Sequence[str]) -> list[str]:
        """Returns the names of the roots, and of all messages and enums in them."""
        found: dict[str, None] = {}
        waiting = list(reversed(roots))
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found[name] = None
            if name in self.messages:
                waiting += [
                    message_field.type_name
                    for message_field in self.messages[name].descriptor.field
                    if message_field.type_name
                ]
        return list(found)
