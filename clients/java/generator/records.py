"""Writes the contract's messages as Java records: `records.py DESCRIPTORS FOLDER`.

protoc's own Java of the Play stream has 200,000 lines, even for its lite runtime, which takes a compiler half a minute.
Records have a twentieth of that: what they hold, and how `fudaba.wire` reads and writes it, with protobuf's own coding
of fields. All that a process needs that plays is written: the messages of `ROOTS`, and those in them.

- A message that is not set is null, as is an `optional` number; lists and texts are never null.
- A oneof is a field of a sealed interface, or null. A message that stands in it once is one of the interface itself;
  what else may stand there has a record within the interface's message.
- A value that a later release may add to an enum is read as `UNRECOGNIZED`; a field or a case is passed over.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from google.protobuf.descriptor_pb2 import EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet

from contract import Commented, Contract
from java import KEPT, camel, file_of, javadoc, pascal, wrapped

PACKAGES: Final = {
    "fudaba.v1": "fudaba.v1",
    "google.rpc": "fudaba.google",
    "google.protobuf": "fudaba.google",
}
ROOTS: Final = (
    ".fudaba.v1.PlayRequest", ".fudaba.v1.PlayResponse", ".google.rpc.Status", ".google.rpc.ErrorInfo",
    ".google.rpc.RetryInfo",
)  # fmt: skip
SCALARS: Final = {
    FieldDescriptorProto.TYPE_UINT32: ("int", "uint32"),
    FieldDescriptorProto.TYPE_INT32: ("int", "int32"),
    FieldDescriptorProto.TYPE_SINT32: ("int", "sint32"),
    FieldDescriptorProto.TYPE_UINT64: ("long", "uint64"),
    FieldDescriptorProto.TYPE_INT64: ("long", "int64"),
    FieldDescriptorProto.TYPE_SINT64: ("long", "sint64"),
    FieldDescriptorProto.TYPE_BOOL: ("boolean", "bool"),
    FieldDescriptorProto.TYPE_STRING: ("String", "string"),
    FieldDescriptorProto.TYPE_BYTES: ("ByteString", "bytes"),
}
"""Of each type without a name, what it is in Java, and the methods of `fudaba.wire` that read and write it."""
NOTHING: Final = {"int": "0", "long": "0", "boolean": "false", "String": '""', "ByteString": "ByteString.EMPTY"}
BOXED: Final = {"int": "Integer", "long": "Long", "boolean": "Boolean"}
PACKABLE: Final = frozenset({"int", "long", "boolean"})


@final
@dataclass(frozen=True)
class Case:
    """One of what may stand in a oneof."""

    member: FieldDescriptorProto
    java: str
    """The record that implements the interface."""
    value: str
    """What a record of its own holds; empty where the record is the message itself."""


@final
class Record:
    """A message as a record."""

    def __init__(self, contract: Contract, name: str, implemented: Sequence[str]) -> None:
        message = contract.messages[name]
        self._contract, self._message, self._comments = contract, message.descriptor, message.comments
        self._name, self._package = message.name, PACKAGES[message.package]
        self._implemented = implemented
        self.oneofs: dict[int, list[Case]] = {}
        """By the number of each; an `optional` field is none."""
        for member in self._message.field:
            if member.HasField("oneof_index") and not member.proto3_optional:
                self.oneofs.setdefault(member.oneof_index, []).append(self._case(member))

    def _case(self, member: FieldDescriptorProto) -> Case:
        types = [field.type_name for field in self._message.field if field.HasField("oneof_index")]
        java = self._java(member)
        alone = member.type == FieldDescriptorProto.TYPE_MESSAGE and types.count(member.type_name) == 1
        return Case(member, java, "") if alone else Case(member, pascal(member.name), java)

    def interface(self, number: int) -> str:
        """Returns the name of a oneof's interface, outside of this record."""
        return f"{self._name}.{pascal(self._oneof(number))}"

    def text(self) -> str:
        """Returns the file."""
        implemented = ", ".join([*self._implemented, "Writable"])
        body = [*self._heading(), *self._signature(implemented), *self._interfaces(), *self._read(), "", *self._write()]
        return file_of(self._package, [*body, "}"])

    def _heading(self) -> Iterator[str]:
        named = [(component(field), self._comments.get((2, at), "")) for at, field in enumerate(self._message.field)]
        shown = [
            (name, text) for (name, text), field in zip(named, self._message.field, strict=True) if self._single(field)
        ]
        for number in self.oneofs:
            text = self._comments.get((8, number), "")
            shown.append((camel(self._oneof(number)), text or "one of its cases, or null"))
        yield from javadoc(self._comments.get((), ""), shown)

    def _single(self, member: FieldDescriptorProto) -> bool:
        """Returns whether it is a component by itself."""
        return not member.HasField("oneof_index") or member.proto3_optional

    def _components(self) -> list[tuple[str, str]]:
        """Type and name of each."""
        single = [
            (self._component_type(field), component(field)) for field in self._message.field if self._single(field)
        ]
        return single + [(pascal(self._oneof(number)), camel(self._oneof(number))) for number in self.oneofs]

    def _oneof(self, number: int) -> str:
        return self._message.oneof_decl[number].name

    def _component_type(self, member: FieldDescriptorProto) -> str:
        java = self._java(member)
        if repeated(member):
            return f"List<{BOXED.get(java, java)}>"
        return BOXED.get(java, java) if member.proto3_optional else java

    def _java(self, member: FieldDescriptorProto) -> str:
        if member.type in SCALARS:
            return SCALARS[member.type][0]
        if not member.type_name:
            raise ValueError(f"{self._name}.{member.name} is of a type that has no place in a record yet")
        other = self._contract.messages.get(member.type_name) or self._contract.enums[member.type_name]
        package = PACKAGES[other.package]
        return other.name if package == self._package else f"{package}.{other.name}"

    def _signature(self, implemented: str) -> Iterator[str]:
        parts = ", ".join(f"{java}{KEPT}{name}" for java, name in self._components())
        yield from wrapped(f"public record {self._name}({parts}) implements{KEPT}{implemented} {{", "        ")

    def _interfaces(self) -> Iterator[str]:
        for number, cases in self.oneofs.items():
            name = pascal(self._oneof(number))
            yield f"    /** What may stand in {{@code {camel(self._oneof(number))}}}. */"
            permitted = ", ".join(f"{self._name}.{case.java}" if case.value else case.java for case in cases)
            yield from wrapped(f"    public sealed interface {name} permits {permitted} {{}}", "            ")
            yield ""
            for case in cases:
                if case.value:
                    at = list(self._message.field).index(case.member)
                    yield from javadoc(self._comments.get((2, at), ""), [], "    ")
                    yield f"    public record {case.java}({case.value} value) implements {name} {{}}"
                    yield ""

    def _read(self) -> Iterator[str]:
        name = self._name
        yield "    /** Reads one, to its end. */"
        yield f"    public static {name} read(Input input) throws IOException {{"
        for member in self._message.field:
            if repeated(member):
                yield f"        {self._component_type(member)} {component(member)} = new ArrayList<>();"
            elif self._single(member):
                yield f"        {self._component_type(member)} {component(member)} = {self._nothing(member)};"
        for number in self.oneofs:
            decl = self._oneof(number)
            yield f"        {pascal(decl)} {camel(decl)} = null;"
        yield "        for (int field = input.next(); field != 0; field = input.next()) {"
        yield "            switch (field) {"
        for member in self._message.field:
            yield from wrapped(f"                case {member.number} -> {self._reading(member)}", " " * 24)
        yield "                default -> input.skip();"
        yield "            }"
        yield "        }"
        given = [
            f"List.copyOf({component(single)})" if repeated(single) else component(single) for single in self._singles()
        ]
        given += [camel(self._oneof(number)) for number in self.oneofs]
        yield from wrapped(f"        return new {name}({', '.join(given)});", "                ")
        yield "    }"

    def _singles(self) -> list[FieldDescriptorProto]:
        return [field for field in self._message.field if self._single(field)]

    def _nothing(self, member: FieldDescriptorProto) -> str:
        if member.proto3_optional or member.type == FieldDescriptorProto.TYPE_MESSAGE:
            return "null"
        java = self._java(member)
        if member.type == FieldDescriptorProto.TYPE_ENUM:
            return f"{java}.{values_of(self._contract.enums[member.type_name].descriptor)[0]}"
        return NOTHING[java]

    def _reading(self, member: FieldDescriptorProto) -> str:
        name, java = component(member), self._java(member)
        if member.type == FieldDescriptorProto.TYPE_MESSAGE:
            value = f"{java}.read(input)"
        elif member.type == FieldDescriptorProto.TYPE_ENUM:
            value = f"{java}.of(input.int32())"
        else:
            value = f"input.{SCALARS[member.type][1]}()"
        taken = f"{name}.add({value});" if repeated(member) else self._taken(member, value)
        if member.type == FieldDescriptorProto.TYPE_MESSAGE:
            return f"{{ int end = input.enter(); {taken} input.leave(end); }}"
        if repeated(member) and (member.type == FieldDescriptorProto.TYPE_ENUM or java in PACKABLE):
            return f"{{ for (int end = input.pack(); input.more(end);) {taken} }}"
        return taken

    def _taken(self, member: FieldDescriptorProto, value: str) -> str:
        if self._single(member):
            return f"{component(member)} = {value};"
        [case] = [
            member_case for member_case in self.oneofs[member.oneof_index] if member_case.member.number == member.number
        ]
        oneof = camel(self._oneof(member.oneof_index))
        return f"{oneof} = new {case.java}({value});" if case.value else f"{oneof} = {value};"

    def _write(self) -> Iterator[str]:
        yield "    @Override"
        yield "    public void write(Output output) throws IOException {"
        for member in self._singles():
            yield f"        {self._writing(member, component(member))};"
        for number, cases in self.oneofs.items():
            oneof = camel(self._oneof(number))
            for at, case in enumerate(cases):
                chain = "} else if" if at else "if"
                value = "one.value()" if case.value else "one"
                yield f"        {chain} ({oneof} instanceof {case.java} one) {{"
                yield f"            {self._writing(case.member, value)};"
            yield "        }"
        yield "    }"

    def _writing(self, member: FieldDescriptorProto, value: str) -> str:
        """Writes it; a field that is not within a oneof, or `optional`, only if it is not nothing."""
        always = member.HasField("oneof_index")
        if member.type == FieldDescriptorProto.TYPE_MESSAGE:
            kind = "message"
        elif member.type == FieldDescriptorProto.TYPE_ENUM:
            kind, value = "int32", value if repeated(member) else f"{value}.number()"
        else:
            kind = SCALARS[member.type][1]
        if repeated(member):
            several = "enums" if member.type == FieldDescriptorProto.TYPE_ENUM else f"{kind}s"
            return f"output.{several}({member.number}, {value})"
        if member.proto3_optional:
            return f"if ({component(member)} != null) output.{kind}({member.number}, {value})"
        if always or kind == "message":
            return f"output.{kind}({member.number}, {value})"
        nothing = {"boolean": value, "String": f"!{value}.isEmpty()", "ByteString": f"!{value}.isEmpty()"}
        return f"if ({nothing.get(self._java(member), f'{value} != 0')}) output.{kind}({member.number}, {value})"


def component(member: FieldDescriptorProto) -> str:
    """Returns the name of a field."""
    return camel(member.name)


def repeated(member: FieldDescriptorProto) -> bool:
    """Returns whether there may be several."""
    return member.label == FieldDescriptorProto.LABEL_REPEATED


def enum_text(commented_enum: Commented[EnumDescriptorProto]) -> str:
    """Returns an enum's file."""
    name, lines = commented_enum.descriptor.name, [*javadoc(commented_enum.comments.get((), ""), [])]
    lines.append(f"public enum {name} implements Numbered {{")
    for at, (value, constant) in enumerate(
        zip(commented_enum.descriptor.value, values_of(commented_enum.descriptor), strict=True)
    ):
        lines += javadoc(commented_enum.comments.get((2, at), ""), [], "    ")
        lines.append(f"    {constant}({value.number}),")
    lines += [
        "    /** One that a later release has added. */",
        "    UNRECOGNIZED(-1);",
        "",
        "    private final int number;",
        "",
        f"    {name}(int number) {{",
        "        this.number = number;",
        "    }",
        "",
        "    @Override",
        "    public int number() {",
        "        return number;",
        "    }",
        "",
        "    /** The one of a number. */",
        f"    public static {name} of(int number) {{",
        "        return switch (number) {",
        *(
            f"            case {value.number} -> {constant};"
            for value, constant in zip(
                commented_enum.descriptor.value, values_of(commented_enum.descriptor), strict=True
            )
        ),
        "            default -> UNRECOGNIZED;",
        "        };",
        "    }",
        "}",
    ]
    return file_of(PACKAGES[commented_enum.package], lines)


def values_of(descriptor: EnumDescriptorProto) -> list[str]:
    """Returns the names of its values, without the enum's own name before them, unless the rest would be no name."""
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", descriptor.name).upper() + "_"
    short = [value.name.removeprefix(prefix) for value in descriptor.value]
    return short if all(short_name[0].isalpha() for short_name in short) else [value.name for value in descriptor.value]


def written(descriptors: FileDescriptorSet) -> dict[str, str]:
    """Returns the text of each file, by its path."""
    contract = Contract()
    for file in descriptors.file:
        contract.add(file)
    names = contract.reached(ROOTS)
    implemented: dict[str, list[str]] = {}
    for name in names:
        if name in contract.messages:
            record = Record(contract, name, [])
            for number, cases in record.oneofs.items():
                for case in cases:
                    if not case.value:
                        implemented.setdefault(case.member.type_name, []).append(record.interface(number))
    texts = {}
    for name in names:
        declared = contract.messages.get(name) or contract.enums[name]
        path = f"{PACKAGES[declared.package].replace('.', '/')}/{declared.name}.java"
        if name in contract.messages:
            texts[path] = Record(contract, name, sorted(implemented.get(name, []))).text()
        else:
            texts[path] = enum_text(contract.enums[name])
    if len(texts) < len(names):
        raise ValueError("two of them have one name")
    return texts


def main(descriptors: str, folder: str) -> None:
    """Writes all files."""
    content = FileDescriptorSet.FromString(Path(descriptors).read_bytes())
    for path, text in written(content).items():
        target = Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
