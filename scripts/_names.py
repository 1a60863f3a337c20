"""Finds names that say nothing: `one`, `what`, `of`, `who`, `told`, `came`, `each_of`; and constants of a module that
are numbers without a unit or a bound, such as `_LOOK = 0.05`.

Variables and parameters must have none of these names anywhere. In the folders of `_MEMBERS_IN`, attributes, methods,
functions and classes must have none of them either, with or without a leading underscore.

`scripts/check` runs it over the Python files of the checkout, but not over generated ones. Of TypeScript and JavaScript
it looks at the constants alone.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

__all__ = ["bare_numbers", "bare_numbers_of_script", "empty_members", "empty_names"]

_KINDS_OF_FILE: Final = ("*.py", "*.ts", "*.tsx", "*.js")
_SCRIPT_NUMBER: Final = re.compile(
    r"^(?:export )?const (?P<name>[A-Z][A-Z0-9_]*)(?:: \w+)? = [-+*/() ]*[0-9][-+*/() 0-9_.a-fnx]*;", re.MULTILINE
)
"""A constant of a module that is a number as it stands, or is computed from such numbers."""

_EMPTY: Final = frozenset({"one", "what", "of", "who", "told", "came", "each_of"})
_MEMBERS_IN: Final = ("service/", "serving/", "arena/", "clients/python/fudaba/")

_WORDS: Final = {
    "bounds": "MAX MIN HIGHEST LOWEST LONGEST SHORTEST",
    "units": "SECONDS MS US NS MINUTES HOURS DAYS BYTES KB MB MIB CHARS BITS DIGITS COLUMNS ROWS LINES PIXELS POINTS",
    "things counted": """
        ANSWERS BLOCKS CALLS CARDS COUNT DEALS DIGESTS DRAWS FILES HONOURS LAYS LOOKS MATCHES MELDS MESSAGES MOVEMENTS
        MOVES PARTS PER ROADS ROUNDS RUNS SEASONS SEATS SETS SHARES SITTINGS SIZE STREAMS STRENGTHS TICKS TRIES TURNS
        LOGITS UPLOADS
    """,
    "kinds of number": """
        ACTION BIT CAUSE CODE DISTANCE DIVISOR FLAG ID INDEX KIND KINDS LEVEL MASK MODE MULTIPLIER NUMBER OFFSET PLACE PORT
        PROBABILITY RANK RATIO SEAT SEED SHARE STATUS STRENGTH VALUE WEIGHT WORTH
    """,
}
"""A constant says what it is by one of these words, beside another one."""
_SAYING: Final = frozenset(" ".join(_WORDS.values()).split())

_TERMS: Final = {
    "cards, suits and ranks": """
        ACE ANY BLACK CARDS CORSELTEL DARK EARTH ELTAM EMPEROR FIRE FIVE GENERAL HEARTS ILBECK JACK JOKER KING LIGHT MOON
        NINE NONE QUEEN RED RED_SHIP SHIP SPADES TEN TOP TWO WATER WIND WOOD
    """,
    "nobody, nothing and everybody": "EMPTY FREE NOBODY NO_CARD NO_TRUMP PUBLIC REFEREE",
    "moves, and ways to make them": """
        ANY_ORDER APPROVE BUILDING CALLING CARRIED FLIPPING FOUNDING RECYCLING RUN SHIFTING SUITED TUCKING WAITING
    """,
    "what a move takes from, and what ends a deal": """
        BY_CALL BY_LIMIT BY_STANDSTILL FIRST_WORK FIVES_THAT_WIN NERTS_TOP WASTE_TOP
    """,
    "a unit by itself is enough": "MEGABYTE MINUTES SEED",
    "names that Linux gives": "PR_SET_CHILD_SUBREAPER PR_SET_DUMPABLE PR_SET_PDEATHSIG",
    "a term of machine learning": "LEARNING_RATE",
    "seconds, as its one module says and all tests know": "PATIENCE",
}
"""Terms of the rulebook that are numbers here, and what else may stand alone, by the reason."""
_ALLOWED: Final = frozenset(" ".join(_TERMS.values()).split())


def empty_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of each variable and parameter that has such a name."""
    attributes = set(_attributes(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in attributes:
            name = node.id
        else:
            continue
        if name in _EMPTY:
            yield node.lineno, name


def empty_members(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of each attribute, method, function and class that has such a name."""
    attributes = set(_attributes(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        elif isinstance(node, ast.Name) and node in attributes:
            name = node.id
        else:
            continue
        if name.removeprefix("_") in _EMPTY:
            yield node.lineno, name


def _attributes(tree: ast.Module) -> Iterator[ast.expr]:
    """The names that are assigned in the bodies of classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign):
                    yield from statement.targets
                elif isinstance(statement, ast.AnnAssign):
                    yield statement.target


def _is_number(node: ast.expr | None) -> bool:
    """Whether it is a number as it stands, or is computed from such numbers."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


def _says_its_unit(name: str) -> bool:
    """Whether a constant's name has a word for a unit or a bound beside another one, or is a known term."""
    words = name.strip("_").split("_")
    return name.strip("_") in _ALLOWED or (len(words) > 1 and not _SAYING.isdisjoint(words))


def bare_numbers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of each of a module's constants that is a number and has no unit or bound in its name."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets: list[ast.expr] = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        for target in targets:
            if not isinstance(target, ast.Name) or not target.id.isupper() or _says_its_unit(target.id):
                continue
            if _is_number(statement.value):
                yield target.lineno, target.id


def bare_numbers_of_script(source: str) -> Iterator[tuple[int, str]]:
    """The same of a module in TypeScript or JavaScript."""
    for found in _SCRIPT_NUMBER.finditer(source):
        if not _says_its_unit(found["name"]):
            yield source.count("\n", 0, found.start()) + 1, found["name"]


def _findings(path: Path) -> Iterator[str]:
    """What is wrong in a file, a line for each."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from map(partial(_bare, path), bare_numbers_of_script(source))
        return
    tree = ast.parse(source)
    for line, name in empty_names(tree):
        yield f"{path}:{line}: `{name}` does not say what it is"
    if path.as_posix().startswith(_MEMBERS_IN):
        for line, name in empty_members(tree):
            yield f"{path}:{line}: `{name}` does not say what it is"
    yield from map(partial(_bare, path), bare_numbers(tree))


def _bare(path: Path, constant: tuple[int, str]) -> str:
    line, name = constant
    return f"{path}:{line}: `{name}` says neither a unit nor a bound, such as `MAX_`, `_SECONDS` or `_COUNT`"


def main() -> int:
    """Prints where each of them is; returns 1 if there are any."""
    listed = subprocess.run(["git", "ls-files", *_KINDS_OF_FILE], capture_output=True, text=True, check=True).stdout
    found = [
        finding
        for path in map(Path, listed.splitlines())
        if path.exists() and not path.stem.endswith(("_pb2", "_pb2_grpc"))
        for finding in _findings(path)
    ]
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
