"""Finds variables and parameters whose names say nothing: `one`, `what`, `of`, `who`, `told`, `came`, `each_of`.

`scripts/check` runs it over the Python files of the checkout, but not over generated ones.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["empty_names"]

_EMPTY: Final = frozenset({"one", "what", "of", "who", "told", "came", "each_of"})


def empty_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of each variable and parameter that has such a name; attributes of classes are not looked
    at, since some of them are fields of what is stored.
    """
    attributes = {
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in attributes:
            name = node.id
        else:
            continue
        if name in _EMPTY:
            yield node.lineno, name


def main() -> int:
    """Prints where each of them is; returns 1 if there are any."""
    listed = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True).stdout
    found = [
        f"{path}:{line}: `{name}` does not say what it is"
        for path in map(Path, listed.splitlines())
        if path.exists() and not path.stem.endswith(("_pb2", "_pb2_grpc"))
        for line, name in empty_names(ast.parse(path.read_text(encoding="utf-8")))
    ]
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
