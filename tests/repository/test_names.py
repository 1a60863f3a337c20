"""Names say what a thing is; constants that are numbers have a unit or a bound in their names."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "_names.py"


@cache
def names() -> ModuleType:
    """Returns the script as a module: to start it takes longer than it runs."""
    spec = importlib.util.spec_from_file_location("_names", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder: Path, code: str, file: str) -> None:
    """Makes a checkout of a file with this code, and a generated one."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(code)
    (folder / "made_pb2.py").write_text("one = 1\n")
    subprocess.run(["git", "add", "."], cwd=folder, check=True)


def found(folder: Path, code: str, file: str = "looked_at.py") -> list[str]:
    """Returns what the check says of a file with this code."""
    write(folder, code, file)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as output:
        status = names().main()
    assert status == (1 if output.getvalue() else 0)
    return output.getvalue().splitlines()


@pytest.mark.parametrize(("code", "status"), [("one = 1\n", 1), ("first = 1\n", 0)])
def test_it_fails_where_it_finds_something_and_only_there(tmp_path: Path, code: str, status: int) -> None:
    write(tmp_path, code, "looked_at.py")
    done = subprocess.run([sys.executable, SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stdout.splitlines()), done.stderr) == (status, status, "")


@pytest.mark.parametrize(
    "code",
    [
        "one = 1",
        "for one in []: pass",
        "print([one for one in []])",
        "def f(one): pass",
        "f = lambda *, one: 1",
        "with open('f') as one: pass",
        "print(one := 1)",
        "[one, _] = 1, 2",
        "print(f'{[one for one in []]}')",
        'print(\'it\\\'s\', one := 1, """\'""")',
    ],
)
def test_a_variable_or_parameter_that_says_nothing_is_found_by_its_line(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"\n{code}\n") == ["looked_at.py:2: `one` does not say what it is"]


@pytest.mark.parametrize("code", ["print(f(one=1))", "import one", "class C:\n    how: str"])
def test_keywords_modules_and_a_field_that_says_how_are_not_looked_at(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"{code}\n") == []


@pytest.mark.parametrize(
    "code",
    ["_LOOK = 0.05", "MOST: Final = 5", "DAY = 24 * 3_600", "_SECONDS = 1.0", "A = B_C = -1", "LONG = (\n    -5\n)"],
)
def test_a_number_without_a_unit_or_bound_is_found(tmp_path: Path, code: str) -> None:
    name = code.split(maxsplit=1)[0].rstrip(":")
    rest = "says neither a unit nor a bound, such as `MAX_`, `_SECONDS` or `_COUNT`"
    assert found(tmp_path, f"\n{code}\n")[0] == f"looked_at.py:2: `{name}` {rest}"


@pytest.mark.parametrize(
    "code",
    [
        "_POLL_SECONDS = 0.05",
        "MAX_TAGS_PER_MATCH: Final = 5",
        "KING = 13",  # a term of the rulebook
        "WORDS = ('one', 2)",
        "READS = True",
        "class C:\n    LOOK = 1",
        "def f():\n    seconds = 1",
    ],
)
def test_units_bounds_terms_and_what_is_no_constant_number_are_left_alone(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"{code}\n") == []


@pytest.mark.parametrize(("file", "begin"), [("looked_at.py", ""), ("page.ts", "const ")])
@pytest.mark.parametrize("name", ["MAX_BYTES", "MIN_SECONDS", "MIB_BYTES"])
def test_a_bound_and_a_unit_do_not_say_of_what(tmp_path: Path, file: str, begin: str, name: str) -> None:
    assert found(tmp_path, f"{begin}{name} = 5;\n", file) == [
        f"{file}:1: `{name}` does not say of what, as `_MAX_LOG_LINES` does"
    ]


@pytest.mark.parametrize("file", ["page.ts", "page.tsx", "page.js"])
def test_a_script_s_constants_say_their_unit_or_bound(tmp_path: Path, file: str) -> None:
    bare = [
        "const LOOK = 1000;",
        "export const PIECE = 512 * 1024;",
        "const ALL = 2n ** 64n;",
        "const FLAG: number = 0xe0;",
        "const LOUD = 0xFF_FF;",
        "const HALF = 5 as const;",
        "const LONG: number =\n  3 *\n  1e-3;",
    ]
    saying = ["const LOOK_MS = 1000;", "export const MAX_PIECE_BYTES = 512 * 1024;", 'const WORDS = ["1"];']
    lines = found(tmp_path, "\n".join([*bare, *saying, "  const INSIDE = 1;"]), file)
    assert [line.split(" says")[0] for line in lines] == [
        f"{file}:1: `LOOK`",
        f"{file}:2: `PIECE`",
        f"{file}:3: `ALL`",
        f"{file}:4: `FLAG`",
        f"{file}:5: `LOUD`",
        f"{file}:6: `HALF`",
        f"{file}:7: `LONG`",
    ]


_DECLARATIONS_OF_SCRIPT = """\
const one = 1;
for (const one of rows) count(rows);
const { one } = row;
const [first, { standing: one = 1 }] = row;
const add = (one: number, other: number): number => 1;
const names = rows.map(one => 1);
const wins = rows.map(({ standing: one }) => 1);
function count(rows: Row[], ...one: Row[]): { rows: Row[] } {
function one() {
try { count(rows); } catch (one) { again(); }
type Row = { readonly one: string };
type Pair = { first: string; one: string };
  one?: string;
  describe(move: Move, one?: Viewer): string;
  one(move: Move): string;
  #one = 1;
class one {}
"""


@pytest.mark.parametrize("file", ["page.ts", "page.tsx", "page.js", "page.mjs", "page.cjs"])
def test_a_script_s_declaration_that_says_nothing_is_found_by_its_line(tmp_path: Path, file: str) -> None:
    count = len(_DECLARATIONS_OF_SCRIPT.splitlines())
    assert found(tmp_path, _DECLARATIONS_OF_SCRIPT, file) == [
        f"{file}:{line}: `one` does not say what it is" for line in range(1, count + 1)
    ]


def test_a_script_s_each_of_is_written_in_its_own_way(tmp_path: Path) -> None:
    assert found(tmp_path, "const eachOf = 1;\nconst each_of = 1;\n", "page.ts") == [
        "page.ts:1: `eachOf` does not say what it is"
    ]


@pytest.mark.parametrize(
    "code",
    [
        't("match.as", { what: 1, of: 2 });',  # the places of a text
        "const entries = [{ seat: 0, what: move }];",  # a field of the contract
        "switch (entry.what.case) {}",
        "for (const row of rows) count(rows);",
        "if (count(rows)) { const { rows } = entry; }",
        "// const one = (one) => one;",
        "/* const one = 1;\n of: string; */",
        'const text = "const one = (one) => 1;";',
        "const everyone = 1, oneself = (who_else) => 1;",
        'import { one } from "elsewhere";',
    ],
)
def test_a_script_s_uses_keys_comments_and_texts_are_left_alone(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"{code}\n", "page.ts") == []


@pytest.mark.parametrize(
    "code",
    [
        "class C:\n    told: str",
        "class C:\n    def told(self): pass",
        "def _told(): pass",
        "self.told = 1",
        "self._told = 1",
    ],
)
@pytest.mark.parametrize("folder", ["service", "serving", "arena", "clients/python/fudaba"])
def test_an_attribute_or_function_that_says_nothing_is_found_in_the_service_the_arena_and_the_kit(
    tmp_path: Path, folder: str, code: str
) -> None:
    name = "_told" if "_told" in code else "told"
    [line] = found(tmp_path, f"{code}\n", f"{folder}/looked_at.py")
    assert line.endswith(f": `{name}` does not say what it is")
