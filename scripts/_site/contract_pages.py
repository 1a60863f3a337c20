"""Reference pages of the contract: each `.proto` file with its methods, messages and enumerations.

The comments of the contract are the text. Each method stands with its policy, and each type is a link to where it is
described.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, final

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc  # type: ignore[import-untyped]  # it has no types

from fudaba_serving.grpc.policy import ROLES, contract, policy_of

__all__ = ["write_contract_pages"]

_PACKAGE: Final = "fudaba/v1/"
_INDEX: Final = """\
# The contract's messages

Every method, message and enumeration, from the `.proto` files themselves.
[The contract](../../docs/contract.md) says how a bot uses them, and [the methods](../../docs/methods.md) compares their
policies.

| file | |
| --- | --- |
"""
_SCALARS: Final = {number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()}
# The numbers of fields in descriptor.proto, of which the path of a comment is made.
_MESSAGES, _ENUMS, _SERVICES = 4, 5, 6
_FIELDS, _NESTED, _NESTED_ENUMS = 2, 3, 4
_METHODS, _VALUES = 2, 2

_Path = tuple[int, ...]


def write_contract_pages(root: Path, folder: Path) -> list[Path]:
    """Writes a page for each `.proto` file of a checkout, and an index. Returns the pages, the index first."""
    folder.mkdir(parents=True)
    described_files = _described(root)
    homes = {name: _stem(file) for file in described_files for name in _type_names(file)}
    index, pages = _INDEX, []
    for file in described_files:
        described = _File(file, homes)
        page = folder / f"{_stem(file)}.md"
        page.write_text("\n".join(described.lines()) + "\n", encoding="utf-8")
        index += f"| [`{file.name}`]({page.name}) | {_cell(described.summary())} |\n"
        pages.append(page)
    first = folder / "README.md"
    first.write_text(index, encoding="utf-8")
    return [first, *pages]


def _described(root: Path) -> list[FileDescriptorProto]:
    """Returns the descriptors of the contract's files, with their comments."""
    sources = sorted(str(path) for path in (root / "proto" / _PACKAGE).glob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        described = Path(folder) / "descriptors"
        folders = [root / "proto", files("grpc_tools") / "_proto"]
        options = ["--include_source_info", f"--descriptor_set_out={described}", *(f"-I{path}" for path in folders)]
        if protoc.main(["protoc", *options, *sources]):
            raise RuntimeError("protoc refuses the contract; run scripts/check")
        found = FileDescriptorSet.FromString(described.read_bytes()).file
    return [file for file in found if file.name.startswith(_PACKAGE)]


def _stem(file: FileDescriptorProto) -> str:
    return Path(file.name).stem


def _type_names(file: FileDescriptorProto) -> Iterator[str]:
    """Yields the full names of a file's types."""
    yield from (f".{file.package}.{enum.name}" for enum in file.enum_type)
    messages = [(f".{file.package}", message) for message in file.message_type]
    while messages:
        outer, message = messages.pop()
        name = f"{outer}.{message.name}"
        yield name
        yield from (f"{name}.{enum.name}" for enum in message.enum_type)
        messages += [(name, nested) for nested in message.nested_type]


@final
@dataclass(slots=True)
class _File:
    """A file of the contract as a page."""

    file: FileDescriptorProto
    homes: dict[str, str]
    """The page of each type, by its full name."""

    def summary(self) -> str:
        """Returns the comment above the package."""
        return self._comment((2,))

    def lines(self) -> Iterator[str]:
        """Yields the lines of the page."""
        yield from (f"# {self.file.name}", "", self.summary(), "")
        for place, service in enumerate(self.file.service):
            yield from self._service(service, (_SERVICES, place))
        for place, message in enumerate(self.file.message_type):
            yield from self._message(message, (_MESSAGES, place), "")
        for place, enum in enumerate(self.file.enum_type):
            yield from self._enum(enum, (_ENUMS, place), "")

    def _service(self, service: ServiceDescriptorProto, path: _Path) -> Iterator[str]:
        yield from (f"## {service.name}", "", self._comment(path), "")
        [known] = [candidate for candidate in contract() if candidate.name == service.name]
        for place, method in enumerate(service.method):
            asked = ("stream of " if method.client_streaming else "") + self._link(method.input_type)
            answered = ("stream of " if method.server_streaming else "") + self._link(method.output_type)
            yield from (f"### {method.name}", "", self._comment((*path, _METHODS, place)), "")
            yield from (f"{asked} → {answered}", "")
            policy = policy_of(known.methods_by_name[method.name])
            yield from (f"| {' | '.join(ROLES)} | cost |", f"|{' --- |' * (len(ROLES) + 1)}")
            yield f"| {' | '.join(policy.reaches[role] for role in ROLES)} | {policy.base_cost:g} |"
            yield ""

    def _message(self, message: DescriptorProto, path: _Path, outer: str) -> Iterator[str]:
        if message.options.map_entry:
            return
        name = f"{outer}{message.name}"
        yield from (f"## {name}", "", self._comment(path), "")
        if message.field:
            yield from ("| field | number | type | |", "| --- | --- | --- | --- |")
            for place, field in enumerate(message.field):
                comment = _cell(self._comment((*path, _FIELDS, place)))
                yield f"| `{field.name}` | {field.number} | {self._type(message, field)} | {comment} |"
            yield ""
        for place, nested in enumerate(message.nested_type):
            yield from self._message(nested, (*path, _NESTED, place), f"{name}.")
        for place, enum in enumerate(message.enum_type):
            yield from self._enum(enum, (*path, _NESTED_ENUMS, place), f"{name}.")

    def _enum(self, enum: EnumDescriptorProto, path: _Path, outer: str) -> Iterator[str]:
        yield from (
            f"## {outer}{enum.name}",
            "",
            self._comment(path),
            "",
            "| value | number | |",
            "| --- | --- | --- |",
        )
        for place, value in enumerate(enum.value):
            yield f"| `{value.name}` | {value.number} | {_cell(self._comment((*path, _VALUES, place)))} |"
        yield ""

    def _type(self, message: DescriptorProto, field: FieldDescriptorProto) -> str:
        """Returns the type of a field, with what may stand beside it."""
        entry = next((nested for nested in message.nested_type if field.type_name.endswith(f".{nested.name}")), None)
        if entry is not None and entry.options.map_entry:
            key, value = entry.field
            return f"map of {self._named(key)} to {self._named(value)}"
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            return f"repeated {self._named(field)}"
        if field.proto3_optional:
            return f"optional {self._named(field)}"
        if field.HasField("oneof_index"):
            return f"{self._named(field)}, one of `{message.oneof_decl[field.oneof_index].name}`"
        return self._named(field)

    def _named(self, field: FieldDescriptorProto) -> str:
        return self._link(field.type_name) if field.type_name else _SCALARS[field.type]

    def _link(self, name: str) -> str:
        """Returns a link to where a type is described; a type of protobuf itself is only named."""
        short = name.removeprefix(f".{self.file.package}.")
        if name not in self.homes:
            return f"`{name[1:]}`"
        anchor = re.sub(r"[^\w-]", "", short).lower()
        return f"[{short}]({self.homes[name]}.md#{anchor})"

    def _comment(self, path: _Path) -> str:
        """Returns the comment before a part of the file."""
        for location in self.file.source_code_info.location:
            if tuple(location.path) == path:
                return _text(location.leading_comments)
        return ""


def _text(comment: str) -> str:
    """Returns a comment without the space that begins its lines, so that Markdown takes no line for code."""
    return "\n".join(line.removeprefix(" ") for line in comment.rstrip().splitlines())


def _cell(text: str) -> str:
    """Returns a text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
