"""The contract's sources: they compile, and every part of them is described."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import _protoc_compiler, protoc  # type: ignore[import-untyped]  # it ships no types

from fudaba import v1

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "proto").rglob("*.proto"))
GENERATED = tuple(
    import_module(f"fudaba.v1.{name}") for _, name, _ in iter_modules(v1.__path__) if name.endswith("_pb2")
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[FileDescriptorProto]:
    """Returns the sources, compiled, with their comments."""
    target = tmp_path_factory.mktemp("contract") / "image"
    include = Path(protoc.__file__).parent / "_proto"
    command = ["protoc", f"-I{ROOT / 'proto'}", f"-I{include}", "--include_source_info", f"-o{target}"]
    assert _protoc_compiler.run_main([part.encode() for part in [*command, *map(str, SOURCES)]]) == 0
    return list(FileDescriptorSet.FromString(target.read_bytes()).file)


def parts(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yields the path (as in SourceCodeInfo) and the name of everything that a reader may ask about."""
    for m, message in enumerate(file.message_type):
        yield from _message((4, m), message, message.name)
    for e, enum in enumerate(file.enum_type):
        yield (5, e), enum.name
        for v, value in enumerate(enum.value):
            yield (5, e, 2, v), value.name
    for x, extension in enumerate(file.extension):
        yield (7, x), extension.name
    for s, service in enumerate(file.service):
        yield (6, s), service.name
        for r, method in enumerate(service.method):
            yield (6, s, 2, r), f"{service.name}.{method.name}"


def _message(path: tuple[int, ...], message: Any, name: str) -> Iterator[tuple[tuple[int, ...], str]]:
    if message.options.map_entry:
        return
    yield path, name
    for f, field in enumerate(message.field):
        yield (*path, 2, f), f"{name}.{field.name}"
    for o, oneof in enumerate(message.oneof_decl):
        if not oneof.name.startswith("_"):  # those are protoc's own, of optional fields
            yield (*path, 8, o), f"{name}.{oneof.name}"
    for n, nested in enumerate(message.nested_type):
        yield from _message((*path, 3, n), nested, f"{name}.{nested.name}")


def test_everything_in_the_contract_has_a_comment(files: list[FileDescriptorProto]) -> None:
    bare, described = [], 0
    for file in files:
        comments = {tuple(at.path): at.leading_comments.strip() for at in file.source_code_info.location}
        for path, name in parts(file):
            if comments.get(path):
                described += 1
            else:
                bare.append(name)
    assert bare == []
    assert described > 300


def test_the_generated_code_is_that_of_the_sources(files: list[FileDescriptorProto]) -> None:
    compiled = {file.name: file for file in files}
    assert len(compiled) == len(SOURCES) == len(GENERATED)
    for module in GENERATED:
        generated = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(generated)
        expected = FileDescriptorProto()
        expected.CopyFrom(compiled[generated.name])
        expected.ClearField("source_code_info")
        for file in (generated, expected):
            for field in _fields(file):
                field.ClearField("json_name")
        assert generated == expected


def _fields(file: FileDescriptorProto) -> Iterator[Any]:
    yield from file.extension
    waiting: list[Any] = list(file.message_type)
    while waiting:
        message = waiting.pop()
        yield from message.field
        waiting += message.nested_type


def test_enums_begin_with_an_unspecified_value(files: list[FileDescriptorProto]) -> None:
    for file in files:
        for enum in file.enum_type:
            assert enum.value[0].number == 0
            assert enum.value[0].name.endswith("_UNSPECIFIED")
