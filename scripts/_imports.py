"""Checks two import rules that import-linter has no contract for. Prints each violation, and then exits with 1.

- A private module, whose name begins with `_`, is imported by its own package only.
- No modules import each other in a circle, not even one that is hidden behind `TYPE_CHECKING` or inside a function.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import grimp

PRIVATE_ALLOWED: Final = frozenset(
    {
        "grpc._cython",  # the errors and the method table of grpcio's server, which have no public names
        "grpc.aio._server",  # its server class, which has to be told what to do with names that are not text
        "grpc_health.v1._async",  # the health service for asyncio, which its own `health` gives out as `aio`
    }
)


def main(root: Path) -> str:
    """Returns the violations in the packages of the checkout at `root`, which must be importable; empty if there are
    none.
    """
    pyproject = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    packages = pyproject["tool"]["importlinter"]["root_packages"]
    folders = [root / folder for folder in pyproject["tool"]["setuptools"]["packages"]["find"]["where"]]
    return "\n".join([*trespasses(modules(folders, packages)), *circles(packages)])


def modules(folders: Iterable[Path], packages: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yields the name and file of every module of the packages."""
    for folder in folders:
        for package in packages:
            for path in sorted((folder / package).rglob("*.py")):
                parts = path.relative_to(folder).with_suffix("").parts
                if "v1" not in parts:  # generated
                    yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def trespasses(files: Iterable[tuple[str, Path]]) -> Iterator[str]:
    """Yields the imports of another package's private modules, a line for each."""
    known = dict(files)
    own = {name.partition(".")[0] for name in known}
    for importer, path in known.items():
        for imported, line in imports(path, known, own):
            parts = imported.split(".")
            private = next((place for place, part in enumerate(parts) if _private(part)), None)
            if private is None or ".".join(parts[: private + 1]) in PRIVATE_ALLOWED:
                continue
            owner = ".".join(parts[:private])
            if importer != owner and not importer.startswith(f"{owner}."):
                yield f"{path}:{line}: {importer} imports {imported}, which is private to {owner or 'itself'}"


def imports(path: Path, known: Mapping[str, Path], own: set[str]) -> Iterator[tuple[str, int]]:
    """Yields the modules that a file imports anywhere, with the lines."""
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                # What is a module of another distribution is not known here: a private name is taken for one.
                others = node.module.partition(".")[0] not in own and _private(alias.name)
                yield (whole if whole in known or others else node.module), node.lineno


def _statements(module: ast.Module) -> Iterator[ast.AST]:
    """Yields a module and every statement in it, also in functions and branches, except statements that cannot
    import.
    """
    pending: deque[ast.AST] = deque([module])
    while pending:
        node = pending.popleft()
        yield node
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            pending.extend(getattr(node, part, ()))


def _private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def circles(packages: Iterable[str]) -> Iterator[str]:
    """Yields the sets of modules that import each other in a circle, a line for each."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    reached = {name: graph.find_upstream_modules(name) for name in graph.modules}
    done: set[str] = set()
    for name in sorted(graph.modules):
        circle = {name, *(other for other in reached[name] if name in reached[other])}
        if len(circle) > 1 and name not in done:
            yield f"these modules import each other round about: {', '.join(sorted(circle))}"
        done |= circle


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1]) or 0)
