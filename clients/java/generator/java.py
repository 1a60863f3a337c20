"""What Java makes of names, comments and lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

IMPORTS: Final = {
    "ByteString": "com.google.protobuf.ByteString", "IOException": "java.io.IOException",
    "ArrayList": "java.util.ArrayList", "List": "java.util.List", "Input": "fudaba.wire.Input",
    "Numbered": "fudaba.wire.Numbered", "Output": "fudaba.wire.Output", "Writable": "fudaba.wire.Writable",
}  # fmt: skip
TAKEN: Final = frozenset(
    {"abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue", "default",
     "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if", "implements",
     "import", "instanceof", "int", "interface", "long", "native", "new", "package", "private", "protected", "public",
     "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
     "transient", "try", "void", "volatile", "while", "true", "false", "null",
     "clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait",
     "end", "field", "input", "one", "output"}
)  # fmt: skip
"""Names that a component of a record cannot have, or that its methods need."""
MAX_LINE_COLUMNS: Final = 120
KEPT: Final = "\0"
"""Stands for a blank where no line is broken."""


def pascal(name: str) -> str:
    """`legal_moves` as LegalMoves."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def camel(name: str) -> str:
    """`legal_moves` as legalMoves; as `legalMoves_` where Java would not have it."""
    found = pascal(name)[:1].lower() + pascal(name)[1:]
    return f"{found}_" if found in TAKEN else found


def javadoc(text: str, parameters: Sequence[tuple[str, str]], indent: str = "") -> Iterator[str]:
    """Yields a comment, with one line or more for each parameter."""
    blocks = [(html(text), "")] if text.strip() else []
    blocks += [
        (f"@param {name} {html(description)}", "    ") for name, description in parameters if description.strip()
    ]
    if not blocks:
        return
    room = MAX_LINE_COLUMNS - len(indent) - 3
    lines: list[str] = []
    for number, (block, further) in enumerate(blocks):
        if number == 1 and text.strip():
            lines.append("")
        folded = re.sub(r"\{@code [^}]*\}", lambda found: found[0].replace(" ", KEPT), block)
        lines += textwrap.wrap(folded, room, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)
    lines = [line.replace(KEPT, " ") for line in lines]
    if len(lines) == 1 and len(lines[0]) + len(indent) + 7 <= MAX_LINE_COLUMNS:
        yield f"{indent}/** {lines[0]} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}".rstrip() for line in lines)
    yield f"{indent} */"


def html(text: str) -> str:
    """Returns a comment of the contract as Javadoc has it."""
    text = (
        " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("*/", "*&#47;").replace("@", "&#64;")
    )
    return re.sub(r"`([^`{}\0]*)`", r"{@code \1}", text)


def wrapped(line: str, further: str) -> list[str]:
    """Returns a line of code, broken where it is too long."""
    indent = line[: len(line) - len(line.lstrip())]
    lines = textwrap.wrap(
        line.lstrip(), MAX_LINE_COLUMNS, initial_indent=indent, subsequent_indent=further, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(KEPT, " ") for line in lines]


def file_of(package: str, lines: Sequence[str]) -> str:
    """Returns a file: what it imports is what its lines name."""
    text = "\n".join(lines)
    code = re.sub(r"/\*\*.*?\*/", "", text, flags=re.DOTALL)
    used = [full for name, full in IMPORTS.items() if re.search(rf"(?<![.\w]){name}\b", code)]
    imports = "".join(f"import {full};\n" for full in sorted(used))
    head = "// Made by clients/java/generate from the contract; not to be changed.\n"
    return f"{head}package {package};\n\n{imports}{chr(10) if imports else ''}{text}\n"
