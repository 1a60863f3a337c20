"""Finds names that say nothing, such as `one` and `what`, and constants of a module that are numbers without a unit or
a bound, such as `_LOOK = 0.05`, or without anything else, such as `_MAX_BYTES = 512`.

No variable, parameter, attribute, method, function or class may have such a name, with or without a leading underscore.

`scripts/check` runs it over the Python files of the checkout, but not over generated ones. It also runs over TypeScript
and JavaScript, with `eachOf` for `each_of`, and there it reads declarations by regular expressions: variables,
parameters, functions, classes, and the members of types and classes. It does not see

- the keys of objects, which the contract or the places of a text may name;
- imports, and the types and enumerations that are named so;
- what a template string declares within `${…}` across quotes, or a line on which a regular expression or text between
  tags has a single quotation mark.
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

__all__ = ["bare_numbers", "bare_numbers_of_script", "empty_members", "empty_names", "empty_names_of_script"]

_KINDS_OF_FILE: Final = ("*.py", "*.ts", "*.tsx", "*.js", "*.mjs", "*.cjs")
_DIGITS: Final = r"(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?|\.\d[\d_]*)n?"
_OPERATORS: Final = r"[-+*/%&|^~<>()\s]"
_SCRIPT_NUMBER: Final = re.compile(
    r"^(?:export )?const (?P<name>[A-Z][A-Z0-9_]*)(?:\s*:\s*\w+)?\s*="
    rf"{_OPERATORS}*{_DIGITS}(?:{_OPERATORS}+{_DIGITS})*[()\s]*(?:as\s+\w+[()\s]*)?;",
    re.MULTILINE,
)
"""A constant of a module that is a number as it stands, or is computed from such numbers."""

_EMPTY: Final = frozenset({"one", "what", "of", "who", "told", "came", "each_of"})
_EMPTY_VARIABLES: Final = _EMPTY | {"which", "how"}
"""The names that variables and parameters in Python must not have. A field `how` may say how something ended."""
_TEXT: Final = re.compile(
    r"""#[^\n]*|\"{3}(?:[^"\\]|\\.|"(?!""))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""",
    re.DOTALL,
)
"""A comment or a text in Python."""
_MAY_BE_EMPTY: Final = re.compile(rf"\b_?(?:{'|'.join(sorted(_EMPTY_VARIABLES))})\b")
_MAY_BE_BARE: Final = re.compile(
    r"(?:^|;[ ]*)(?P<names>(?:_*[A-Z]\w*\s*(?::[^=\n]*)?=\s*)+)[-+~(\\\s]*[\d.]", re.MULTILINE
)
"""Assignments of what may be a number to names of a module."""
_NAME: Final = re.compile(r"\w+(?=\s*[:=])")
_SCRIPT_EMPTY: Final = r"(?P<name>one|what|of|who|told|came|eachOf)\b"
_SCRIPT_NOT_CODE: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""",
    re.DOTALL,
)
_SCRIPT_DECLARATIONS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"\b(?:const|let|var|function\*?|class)\s+{_SCRIPT_EMPTY}",
        rf"(?<![.\w]){_SCRIPT_EMPTY}\s*=>",
        # A member of a type ends with a semicolon, an entry of an object with a comma.
        rf"(?:\breadonly\s+|;\s*){_SCRIPT_EMPTY}\??:",
        rf"(?:^|\{{)\s*{_SCRIPT_EMPTY}\??:[^,{{}}]*;",
        rf"^\s*(?:(?:async|static|readonly|override|private)\s+)*#?{_SCRIPT_EMPTY}(?: = |;|<|\(.*[{{;]$)",
    )
)
_SCRIPT_TAKEN_APART: Final = re.compile(r"\b(?:const|let|var)\s*[\[{]")
"""The beginning of an array or object pattern in a declaration of variables."""
_SCRIPT_BOUND: Final = re.compile(rf"(?:[({{\[,:]|\.\.\.)\s*{_SCRIPT_EMPTY}(?=\s*(?:[,)}}\]=:]|\?:))")
"""A name as it stands among parameters, or in a pattern."""
_SCRIPT_BODY: Final = re.compile(r"\)\s*(?:=>|\{|:[^;=(){}]*(?:\{[^{}]*\}[^;=(){}]*)*(?:=>|\{|;))")
"""The text that follows parameters: a body, or the type of the result and then a body or nothing."""
_SCRIPT_NO_PARAMETERS: Final = re.compile(r"\b(?:if|for|while|switch|with|await)\s*$")
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}

_WORDS: Final = {
    "bounds": "MAX MIN HIGHEST LOWEST LONGEST SHORTEST",
    "units": "SECONDS MS US NS MINUTES HOURS DAYS BYTES KB MB MIB CHARS BITS DIGITS COLUMNS ROWS LINES PIXELS POINTS",
    "things counted": """
        ANSWERS BLOCKS CALLS CARDS COUNT DEALS DIGESTS DRAWS FILES HONOURS LAYS LOOKS MATCHES MELDS MESSAGES MOVEMENTS
        MOVES PARTS PER ROADS ROUNDS RUNS SEASONS SEATS SETS SHARES SITTINGS SIZE STREAMS STRENGTHS TICKS TRIES TURNS
        LOGITS UPLOADS
    """,
    "kinds of number": """
        ACTION BIT CAUSE CODE DISTANCE DIVISOR FLAG ID INDEX KIND KINDS LEVEL MASK MODE MULTIPLIER NUMBER OFFSET PLACE
        PORT PROBABILITY RANK RATIO SEAT SEED SHARE STATUS STRENGTH VALUE WEIGHT WORTH
    """,
}
"""The words of which a constant's name must have one, beside another word. Bounds and units alone do not say of
what.
"""
_SAYING: Final = frozenset(" ".join(_WORDS.values()).split())
_MEASURING: Final = frozenset(f"{_WORDS['bounds']} {_WORDS['units']}".split())

_TERMS: Final = {
    "cards, suits and ranks": """
        ACE ANY BLACK CARDS CORSELTEL DARK EARTH ELTAM EMPEROR FIRE FIVE GENERAL HEARTS ILBECK JACK JOKER KING LIGHT
        MOON NINE NONE QUEEN RED RED_SHIP SHIP SPADES TEN TOP TWO WATER WIND WOOD
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
"""Terms of the rulebook that are numbers here, and other names that may stand alone, by the reason."""
_ALLOWED: Final = frozenset(" ".join(_TERMS.values()).split())


def empty_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each variable and parameter that has such a name."""
    attributes = set(_attributes(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in attributes:
            name = node.id
        else:
            continue
        if name in _EMPTY_VARIABLES:
            yield node.lineno, name


def empty_members(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each attribute, method, function and class that has such a name."""
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
    """Yields the names that are assigned in the bodies of classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign):
                    yield from statement.targets
                elif isinstance(statement, ast.AnnAssign):
                    yield statement.target


def _is_number(node: ast.expr | None) -> bool:
    """Returns whether an expression is a number, or is computed from numbers."""
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


def _says_its_unit(name: str) -> bool:
    """Returns whether a constant's name has a word for a unit or a bound beside its subject, or is a known term."""
    words = name.strip("_").split("_")
    return name.strip("_") in _ALLOWED or (
        len(words) > 1 and not _SAYING.isdisjoint(words) and not _MEASURING.issuperset(words)
    )


def bare_numbers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each of a module's constants that is a number and has no unit or bound in its
    name.
    """
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
    """Yields the same for a module in TypeScript or JavaScript."""
    for found in _SCRIPT_NUMBER.finditer(source):
        if not _says_its_unit(found["name"]):
            yield source.count("\n", 0, found.start()) + 1, found["name"]


def empty_names_of_script(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the name of each declaration in a module in TypeScript or JavaScript that has such a name."""
    code = _SCRIPT_NOT_CODE.sub(lambda found: " " + "\n" * found[0].count("\n"), source)
    places = {(found.start("name"), found["name"]) for form in _SCRIPT_DECLARATIONS for found in form.finditer(code)}
    if bound := [(found.start(), found.start("name"), found["name"]) for found in _SCRIPT_BOUND.finditer(code)]:
        lists = list(_lists_of_names(code))
        places |= {(place, name) for start, place, name in bound if any(begin <= start < end for begin, end in lists)}
    for place, name in sorted(places):
        yield code.count("\n", 0, place) + 1, name


def _lists_of_names(code: str) -> Iterator[tuple[int, int]]:
    """Yields the places, with brackets, of each function's parameters and of each pattern in a declaration."""
    closing = _closing(code)
    for found in _SCRIPT_TAKEN_APART.finditer(code):
        yield found.end() - 1, closing.get(found.end() - 1, len(code))
    for found in re.finditer(r"\(", code):
        end = closing.get(found.start(), len(code))
        # The latter end of what stands before is enough to know a keyword.
        before = code[max(0, found.start() - 10) : found.start()]
        if _SCRIPT_BODY.match(code, end - 1) and not _SCRIPT_NO_PARAMETERS.search(before):
            yield found.start(), end


def _closing(code: str) -> dict[int, int]:
    """Returns the end of each bracket by its place, without those that never close.

    Each kind of bracket is matched by itself, so a stray bracket in a text affects only its own kind.
    """
    open_at: dict[str, list[int]] = {right: [] for right in _BRACKETS.values()}
    closing: dict[int, int] = {}
    for found in re.finditer(r"[()\[\]{}]", code):
        if found[0] in _BRACKETS:
            open_at[_BRACKETS[found[0]]].append(found.start())
        elif open_at[found[0]]:
            closing[open_at[found[0]].pop()] = found.end()
    return closing


def _worth_parsing(source: str) -> bool:
    """Returns whether Python code may contain a finding.

    Parsing all files and visiting each node takes long.
    """

    def kept(text: re.Match[str]) -> str:
        prefix = source[max(0, text.start() - 2) : text.start()].lower()
        return f"(){_in_braces(text[0])}" if prefix.rstrip("r").endswith("f") else "()"

    code = _TEXT.sub(kept, source)
    if _MAY_BE_EMPTY.search(code) is not None:
        return True
    numbers = (name for found in _MAY_BE_BARE.finditer(code) for name in _NAME.findall(found["names"]))
    return any(name.isupper() and not _says_its_unit(name) for name in numbers)


def _in_braces(text: str) -> str:
    """Returns the code in the braces of an f-string."""
    depth, code = 0, list[str]()
    for part in re.split(r"([{}])", text):
        if part in {"{", "}"}:
            depth += 1 if part == "{" else -1
        elif depth > 0:
            code.append(part)
    return " ".join(code)


def _findings(path: Path) -> Iterator[str]:
    """Yields the findings in a file, a line for each."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from map(partial(_empty, path), empty_names_of_script(source))
        yield from map(partial(_bare, path), bare_numbers_of_script(source))
        return
    if not _worth_parsing(source):
        return
    tree = ast.parse(source)
    yield from map(partial(_empty, path), empty_names(tree))
    yield from map(partial(_empty, path), empty_members(tree))
    yield from map(partial(_bare, path), bare_numbers(tree))


def _empty(path: Path, declaration: tuple[int, str]) -> str:
    line, name = declaration
    return f"{path}:{line}: `{name}` does not say what it is"


def _bare(path: Path, constant: tuple[int, str]) -> str:
    line, name = constant
    if _MEASURING.issuperset(words := name.strip("_").split("_")) and len(words) > 1:
        fault = "does not say of what, as `_MAX_LOG_LINES` does"
    else:
        fault = "says neither a unit nor a bound, such as `MAX_`, `_SECONDS` or `_COUNT`"
    return f"{path}:{line}: `{name}` {fault}"


def main() -> int:
    """Prints all findings. Returns 1 if there are any."""
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
