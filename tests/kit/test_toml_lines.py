"""Where things stand in TOML texts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.toml_lines import Path, toml_lines

EXAMPLE = '''\
# a comment with [brackets] and "quotes
name = "a # no comment"          # a comment
"quoted key".'other' = 1
text = """
[[bots]]
name = "inside a text"
\\""" still inside """
raw = \'\'\'
x = [1, 2
\'\'\'

[options] # options
deals = 2

[[bots]]
name = "first"
command = [
  "python",   # the interpreter ]
  'my bot.py',
]
env = {A = "}", B.C = "x"}

  [[bots]]
name = "second"
when = 2025-01-02 03:04:05
[bots.env]
D = "y"
[[bots.parts]]
p = 1
[[bots.parts]]
p = 2
'''


def test_keys_stand_on_their_lines_and_elements_on_theirs() -> None:
    lines = toml_lines(EXAMPLE)
    assert tomllib.loads(EXAMPLE)["bots"][1]["parts"][1]["p"] == 2
    expected: dict[Path, int] = {
        ("name",): 2,
        ("quoted key", "other"): 3,
        ("text",): 4,
        ("raw",): 8,
        ("options",): 12,
        ("options", "deals"): 13,
        ("bots",): 15,
        ("bots", 0): 15,
        ("bots", 0, "name"): 16,
        ("bots", 0, "command"): 17,
        ("bots", 0, "command", 0): 18,
        ("bots", 0, "command", 1): 19,
        ("bots", 0, "env", "A"): 21,
        ("bots", 0, "env", "B", "C"): 21,
        ("bots", 1): 23,
        ("bots", 1, "name"): 24,
        ("bots", 1, "when"): 25,
        ("bots", 1, "env"): 26,
        ("bots", 1, "env", "D"): 27,
        ("bots", 1, "parts", 0, "p"): 29,
        ("bots", 1, "parts", 1): 30,
        ("bots", 1, "parts", 1, "p"): 31,
    }
    assert {path: lines[path] for path in expected} == expected


def test_lines_end_as_on_windows_too() -> None:
    assert toml_lines("a = 1\r\n\r\n[b]\r\nc = '''\r\n'''\r\nd = 2\r\n")["b", "d"] == 6


KEYS = st.sampled_from(["a", "b", "name", "x-1", "with space", 'q"uote', "d.ot", "札"])
LEAF = object()
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.just(LEAF),
    lambda inner: st.one_of(
        st.lists(st.just(LEAF), max_size=3),
        st.dictionaries(KEYS, inner, max_size=3),
        st.lists(st.dictionaries(KEYS, inner, max_size=2), min_size=1, max_size=2),
    ),
    max_leaves=12,
)
NOISE = ["", "# [fake]", '# fake = "', "   ", "\t# [[fake]] '''"]
TEXTS = [
    '"""\n[fake]\na = 1\n"""',
    "'''\n# a = [\n'''",
    '"# no [comment]"',
    "'\\'",
    '"\\""',
    "1979-05-27 07:32:00",
    "-inf",
]


class Writer:
    """Writes a document in a random one of its many forms; every leaf is a number of its own."""

    def __init__(self, draw: st.DataObject) -> None:
        self._data = draw
        self.lines: list[str] = []
        self._leaves = 0

    def pick(self, choices: list[str]) -> str:
        return self._data.draw(st.sampled_from(choices))

    def leaf(self) -> str:
        self._leaves += 1
        return str(7_000_000 + self._leaves)

    def key(self, key: str) -> str:
        return (
            key
            if key.replace("-", "").isascii() and key.replace("-", "").isalnum()
            else f'"{key}"'.replace('q"', 'q\\"')
        )

    def table(self, table: dict[str, Any], path: list[str]) -> None:
        """The body of a table, then its tables with headers of their own."""
        later: list[tuple[str, Any]] = []
        for key, value in table.items():
            self.lines.append(self.pick(NOISE))
            of_tables = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
            if (isinstance(value, dict) or of_tables) and self.pick(["later", "now"]) == "later":
                later.append((key, value))
            elif isinstance(value, dict) and value and self.pick(["dotted", "inline"]) == "dotted":
                for inner, part in value.items():
                    self.pair(f"{self.key(key)} . {self.key(inner)}", part)
            else:
                self.pair(self.key(key), value)
        self.pair(f"text{len(self.lines)}", self.pick(TEXTS))
        for key, value in later:
            full = [*path, self.key(key)]
            for part in value if isinstance(value, list) else [value]:
                header = self.pick([".", " . "]).join(full)
                self.lines.append(f"[[{header}]]" if isinstance(value, list) else f"[ {header} ] # [no]")
                self.table(part, full)

    def pair(self, key: str, value: Any) -> None:
        self.lines += f"{key} = {value if isinstance(value, str) else self.inline(value, many=True)}".split("\n")

    def inline(self, value: Any, *, many: bool) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(k)} = {self.inline(v, many=False)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            gaps = ["", " ", "\n", " # ], [\n"] if many else ["", " "]
            return "[" + ",".join(self.pick(gaps) + self.inline(v, many=many) for v in value) + self.pick(gaps) + "]"
        return self.leaf()


def paths(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from paths(part, (*path, key))


@pytest.mark.exhaustive
@given(document=st.dictionaries(KEYS, VALUES, max_size=5), data=st.data())
def test_every_leaf_of_every_document_is_found_on_its_line(document: dict[str, Any], data: st.DataObject) -> None:
    writer = Writer(data)
    writer.table(document, [])
    text = "\n".join(writer.lines)
    lines = toml_lines(text)
    for path, value in paths(tomllib.loads(text)):
        assert path in lines, f"{path} is not found"
        if isinstance(value, int):
            assert str(value) in text.split("\n")[lines[path] - 1]
