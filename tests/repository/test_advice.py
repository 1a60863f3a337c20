"""What refusals advise: something that people at a command line can do, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2

ROOT = Path(__file__).resolve().parents[2]
METHODS = {
    method.name
    for file in (accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if re.search("[a-z][A-Z]", method.name)
}


def sentences(tree: ast.AST) -> Iterator[str]:
    """Yields the texts of a module, but for what documents it."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in documents else None
        if isinstance(text, str) and " " in text:
            yield text


@pytest.mark.exhaustive
def test_no_refusal_names_a_method_of_the_contract_in_a_command_s_place() -> None:
    folders = ["service/fudaba_service", "arena/fudaba_arena", "serving/fudaba_serving"]
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert {"CloseSeason", "ListBotLogs", "GetRecord"} <= METHODS
    modules = {path: path.read_text(encoding="utf-8") for path in paths}
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path, module in modules.items()
        if METHODS & set(re.findall(r"\w+", module))  # most name none, not even in their code
        for text in sentences(ast.parse(module))
        if METHODS & set(re.findall(r"\w+", text))
    ]
    assert found == []
