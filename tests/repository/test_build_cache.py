"""The build cache, which scripts that compile share: `scripts/_build_cache`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.clients.languages import PROGRAM
from tests.support.clients.languages import run as run_command

ROOT = Path(__file__).resolve().parents[2]
COMPILE = """
. scripts/_build_cache
mkdir -p "build/$1" && cd "build/$1"
printf '#include <answer.h>\\nint answer(void) { return ANSWER; }\\n' >answer.c
${CC:-cc} -g -g0 "-I$CLONE/include" -c answer.c -o answer.o
ccache --print-stats
"""


@pytest.fixture
def clone(tmp_path: Path) -> Callable[[str], Path]:
    """Makes what stands for a clone: a folder of this name with the script, and a header."""

    def make(name: str) -> Path:
        folder = tmp_path / name
        (folder / "scripts").mkdir(parents=True)
        (folder / "include").mkdir()
        (folder / "include" / "answer.h").write_text("#define ANSWER 42\n")
        for script in ("_build_cache", "_folder_cache"):
            shutil.copy(ROOT / "scripts" / script, folder / "scripts")
        return folder

    return make


def run(folder: Path, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"CC", "CXX", "CCACHE_DISABLE"}}
    return subprocess.run(
        ["bash", "-euc", script, "-", *arguments],
        cwd=folder,
        env={**kept, "CLONE": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def hits(done: subprocess.CompletedProcess[str]) -> int:
    """Returns how many compilations were taken from the cache, ever."""
    numbers = dict(line.split("\t") for line in done.stdout.splitlines())
    return int(numbers["direct_cache_hit"]) + int(numbers["preprocessed_cache_hit"])


def test_another_clone_takes_from_the_cache_what_has_not_changed(
    need_tool: Callable[[str], Path], clone: Callable[[str], Path], tmp_path: Path
) -> None:
    for tool in ("ccache", "cc"):
        need_tool(tool)
    cache = str(tmp_path / "cache")
    first, second = clone("first"), clone("second")
    assert hits(run(first, COMPILE, "a.1", FUDABA_BUILD_CACHE=cache)) == 0
    assert hits(run(second, COMPILE, "b.2", FUDABA_BUILD_CACHE=cache)) == 1
    assert (first / "build/a.1/answer.o").read_bytes() == (second / "build/b.2/answer.o").read_bytes()

    (second / "include" / "answer.h").write_text("#define ANSWER 43\n")
    assert hits(run(second, COMPILE, "b.3", FUDABA_BUILD_CACHE=cache)) == 1
    assert (second / "build/b.2/answer.o").read_bytes() != (second / "build/b.3/answer.o").read_bytes()


def test_without_ccache_or_with_no_cache_the_compiler_is_called_itself(
    clone: Callable[[str], Path], tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "bash").symlink_to(str(shutil.which("bash")))
    script = '. scripts/_build_cache; echo "${CC:-none} ${CXX:-none}"'
    folder = clone("clone")
    assert run(folder, script, PATH=str(tools)).stdout == "none none\n"
    (tools / "ccache").symlink_to("/bin/true")
    assert run(folder, script, PATH=str(tools), HOME="/home/ann").stdout == "ccache cc ccache c++\n"
    assert run(folder, script, PATH=str(tools), CC="clang").stdout == "ccache clang ccache c++\n"
    assert run(folder, script, PATH=str(tools), CXX="ccache g++").stdout == "ccache cc ccache g++\n"
    assert run(folder, script, PATH=str(tools), FUDABA_BUILD_CACHE="").stdout == "none none\n"


def test_the_cache_is_where_caches_are(clone: Callable[[str], Path]) -> None:
    script = '. scripts/_build_cache; echo "$FUDABA_BUILD_CACHE"'
    folder = clone("clone")
    home = {"HOME": "/home/ann", "XDG_CACHE_HOME": ""}
    unset = f"unset FUDABA_BUILD_CACHE; {script}"
    assert run(folder, unset, **home).stdout == "/home/ann/.cache/fudaba\n"
    assert run(folder, unset, **{**home, "XDG_CACHE_HOME": "/caches"}).stdout == "/caches/fudaba\n"
    assert run(folder, script, **home, FUDABA_BUILD_CACHE="/elsewhere").stdout == "/elsewhere\n"


TYPES = """
. scripts/_build_cache
. scripts/_types_cache
known_types
mypy --verbose answer.py 2>&1 | grep -e '(answer) as .*stale' -e '^answer.py' || true
keep_types
"""


@pytest.mark.nightly("`scripts/check` of every new checkout begins with them, and mypy looks anew at what differs")
def test_a_new_checkout_s_types_are_known_where_its_files_are_those_of_another_one_and_no_others_are(
    clone: Callable[[str], Path], tmp_path: Path
) -> None:
    def checkout(name: str, source: str) -> Path:
        folder = clone(name)
        shutil.copy(ROOT / "scripts" / "_types_cache", folder / "scripts")
        (folder / "answer.py").write_text(source)
        (folder / "requirements.lock").touch()
        (folder / "pyproject.toml").write_text("[tool.mypy]\n")
        return folder

    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def found(folder: Path, cache: str) -> str:
        return run(folder, TYPES, FUDABA_BUILD_CACHE=cache and str(tmp_path / cache), PATH=path).stdout

    assert "stale" in found(checkout("first", "answer: int = 42\n"), "cache")
    assert found(checkout("second", "answer: int = 42\n"), "cache") == ""
    assert "answer.py:1: error: Incompatible types" in found(checkout("wrong", "answer: int = '42'\n"), "cache")
    assert "stale" in found(checkout("alone", "answer: int = 42\n"), "")


FOLDER = """
. scripts/_build_cache
. scripts/_folder_cache
folder=$(mktemp -d "$PWD/XXXXXX")/made
if unpack_kept bread "$1" "$folder"; then
    cat "$folder/inner/loaf"
else
    mkdir -p "$folder/inner"
    echo "$1" >"$folder/inner/loaf"
    keep_folder bread "$1" "$folder"
    echo made
fi
"""


@pytest.fixture
def bake(clone: Callable[[str], Path], tmp_path: Path) -> Callable[..., str]:
    """Takes a folder of this name from the cache, or makes it: `made`, or what the one in the cache has in it."""
    folder = clone("clone")

    def baked(name: str, cache: str = "cache") -> str:
        return run(folder, FOLDER, name, FUDABA_BUILD_CACHE=cache and str(tmp_path / cache)).stdout.strip()

    return baked


def test_a_folder_is_taken_from_the_cache_where_it_is_made_of_the_same_and_nowhere_else(
    bake: Callable[..., str],
) -> None:
    assert [bake("rye"), bake("rye"), bake("spelt"), bake("rye")] == ["made", "rye", "made", "rye"]
    assert [bake("rye", cache=""), bake("rye", cache="")] == ["made", "made"]


def test_of_a_kind_of_folder_the_three_that_were_used_last_are_in_the_cache(
    bake: Callable[..., str], tmp_path: Path
) -> None:
    kept = tmp_path / "cache" / "bread"
    for age, name in enumerate(["rye", "spelt", "oats"]):
        bake(name)
        os.utime(kept / f"{name}.tar", (age, age))
    assert bake("rye") == "rye"
    bake("wheat")
    assert {file.name for file in kept.iterdir()} == {"rye.tar", "oats.tar", "wheat.tar"}


def test_a_damaged_folder_in_the_cache_is_made_anew(bake: Callable[..., str], tmp_path: Path) -> None:
    bake("rye")
    (tmp_path / "cache" / "bread" / "rye.tar").write_bytes(b"crumbs")
    assert [bake("rye"), bake("rye")] == ["made", "rye"]


def test_a_folder_that_the_cache_does_not_take_is_made_each_time(bake: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "bread").write_text("in the way, also where the superuser runs this")
    assert [bake("rye"), bake("rye")] == ["made", "made"]


def test_scripts_that_share_the_cache_at_once_take_whole_folders_or_make_their_own(bake: Callable[..., str]) -> None:
    names = ["rye", "spelt", "oats", "wheat"] * 5
    with ThreadPoolExecutor(8) as pool:
        for name, had in zip(names, pool.map(bake, names), strict=True):
            assert had in {name, "made"}


COMPILED = """
. scripts/_compile
work=$(compilation)
compile "$work"
cat "$work/site/module"
"""
PYTHON = """#!/bin/sh
case $3 in
    wheel) cat "$9/games/rules.py" >"$8/rules.whl" && echo compiled ;;
    install) mkdir "$7" && cp "$8" "$7/module" ;;
    *) echo Python of the test ;;
esac
"""


def test_an_installation_is_compiled_where_a_source_the_packages_or_the_compiler_differ_and_only_there(
    need_tool: Callable[[str], Path], clone: Callable[[str], Path], tmp_path: Path
) -> None:
    need_tool("git")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool, script in {"python": PYTHON, "cc-1": "#!/bin/sh\necho 1\n", "cc-2": "#!/bin/sh\necho 2\n"}.items():
        (tools / tool).write_text(script)
        (tools / tool).chmod(0o755)
    path = os.pathsep.join([str(tools), os.environ["PATH"]])

    def had(name: str, compiler: str = "cc-1 -ccache", cache: str = "cache", **changed: str) -> list[str]:
        folder = clone(name)
        shutil.copy(ROOT / "scripts" / "_compile", folder / "scripts")
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        for file, content in {"games/rules.py": "rules", "requirements.lock": "mypy==1", **changed}.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(f"{content}\n")
        place = cache and str(tmp_path / cache)
        return run(folder, COMPILED, FUDABA_BUILD_CACHE=place, PATH=path, CC=compiler).stdout.split()

    assert had("first") == ["compiled", "rules"]
    assert had("second") == ["rules"]
    assert had("tests", **{"tests/test_rules.py": "assert rules"}) == ["rules"]
    assert had("rules", **{"games/rules.py": "others"}) == ["compiled", "others"]
    assert had("packages", **{"requirements.lock": "mypy==2"}) == ["compiled", "rules"]
    assert had("compiler", compiler="cc-2 -ccache") == ["compiled", "rules"]
    assert had("alone", cache="") == ["compiled", "rules"]


PAGE = """
. scripts/_build_cache
. scripts/_folder_cache
. scripts/_page_cache
cd web/page
content=$(page_content)
passed_before "$content" && echo known || keep_passed "$content"
"""


def test_what_passed_for_a_page_is_known_where_its_content_is_the_same_and_nowhere_else(
    clone: Callable[[str], Path], tmp_path: Path
) -> None:
    node = tmp_path / "tools" / "node"
    node.parent.mkdir()
    node.write_text("#!/bin/sh\necho v20\n")
    node.chmod(0o755)

    def known(name: str, cache: str = "cache", **changed: str) -> bool:
        folder = clone(name)
        files = {"web/page/src/page.ts": "1", "web/page/package-lock.json": "{}", "proto/arena.proto": "", **changed}
        for path, content in {"scripts/page": "", ".editorconfig": "", "scripts/test": name, **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        shutil.copy(ROOT / "scripts" / "_page_cache", folder / "scripts")
        path = os.pathsep.join([str(node.parent), os.environ["PATH"]])
        said = run(folder, PAGE, FUDABA_BUILD_CACHE=cache and str(tmp_path / cache), PATH=path).stdout
        return said == "known\n"

    assert not known("first")
    assert known("second")
    assert not known("page", **{"web/page/src/page.ts": "2"})
    assert not known("packages", **{"web/page/package-lock.json": "{ }"})
    assert not known("contract", **{"proto/arena.proto": "message New {}"})
    assert not known("alone", cache="")
    node.write_text("#!/bin/sh\necho v22\n")
    assert not known("node")


NPM = """#!/bin/sh
if [ "$1" = ci ]; then echo installed && mkdir node_modules && cp package-lock.json node_modules/lock; fi
"""


def test_npm_installs_packages_of_the_page_where_the_lock_file_or_node_differs_and_only_there(
    clone: Callable[[str], Path], tmp_path: Path
) -> None:
    def had(name: str, lock: str = "{}", node: str = "v20", cache: str = "cache") -> list[str]:
        folder, tools = clone(name), tmp_path / "tools"
        (folder / "web" / "page").mkdir(parents=True)
        (folder / "web" / "page" / "package-lock.json").write_text(lock)
        for script in ("page", "_help", "_page_cache"):
            shutil.copy(ROOT / "scripts" / script, folder / "scripts")
        tools.mkdir(exist_ok=True)
        for tool, content in {"npm": NPM, "node": f"#!/bin/sh\necho {node} linux x64 2.36\n"}.items():
            (tools / tool).write_text(content)
            (tools / tool).chmod(0o755)
        path = os.pathsep.join([str(tools), os.environ["PATH"]])
        place = cache and str(tmp_path / cache)
        page = "scripts/page --fix && cat web/page/node_modules/lock && cmp web/page/node_modules/{.installed,lock}"
        return run(folder, page, FUDABA_BUILD_CACHE=place, PATH=path).stdout.split()

    assert had("first") == ["installed", "{}"]
    assert had("second") == ["{}"]
    assert had("lock", lock="[]") == ["installed", "[]"]
    assert had("node", node="v22") == ["installed", "{}"]
    assert had("alone", cache="") == ["installed", "{}"]


BOT_MANIFEST = """
[package]
name = "mybot"
edition = "2021"
[[bin]]
name = "bot"
path = "src/main.rs"
[dependencies]
fudaba = { path = "fudaba" }
"""


@pytest.mark.exhaustive
def test_cargo_builds_a_kit_anew_where_its_content_is_another_than_in_the_last_build_and_only_there(
    need_tool: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_tool("cargo")
    monkeypatch.setattr("tests.support.build_cache.build_cache", lambda: tmp_path / "cache")

    def kit_of(number: int, answer: int) -> tuple[str, int]:
        """Returns what a new bot prints with a kit that answers so, and when that kit was built."""
        bot = tmp_path / f"bot-{number}"
        (bot / "src").mkdir(parents=True)
        (bot / "fudaba" / "src").mkdir(parents=True)
        (bot / "Cargo.toml").write_text(BOT_MANIFEST)
        (bot / "src" / "main.rs").write_text('fn main() { println!("{} {}", fudaba::answer(), include!("own.rs")) }')
        (bot / "src" / "own.rs").write_text(str(number))
        (bot / "fudaba" / "Cargo.toml").write_text('[package]\nname = "fudaba"\nedition = "2021"\n')
        (bot / "fudaba" / "src" / "lib.rs").write_text(f"pub fn answer() -> i32 {{ {answer} }}")
        run_command(["cargo", "generate-lockfile", "--offline"], bot)
        run_command(["cargo", "build", "--release", "--locked", "--offline"], bot)
        said = subprocess.run([bot / PROGRAM], capture_output=True, text=True, check=True).stdout
        [built] = (tmp_path / "cache" / "cargo").glob("*/release/deps/libfudaba-*.rlib")
        return said, built.stat().st_mtime_ns

    first, again, other, back = (kit_of(number, answer) for number, answer in enumerate((42, 42, 43, 42)))
    assert [said for said, _ in (first, again, other, back)] == ["42 0\n", "42 1\n", "43 2\n", "42 3\n"]
    assert first[1] == again[1] < other[1] < back[1]
